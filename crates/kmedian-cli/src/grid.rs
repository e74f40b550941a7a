//! `kmedian universe grid`: covers a box with places at even distances.

use kmedian::Metric;
use kmedian_data::{Column, Values};

use crate::args::{Corners, GridArgs, Lattice};
use crate::console::{self, counted, grouped};
use crate::failure::{DONE, Failure};
use crate::outputs::Outputs;

/// The most places of a grid: more is a mistyped spacing, and no universe that anybody counts on.
const MOST_PLACES: f64 = 1e7;

/// A degree of latitude, in kilometers: the mean radius of the Earth times π / 180.
const KILOMETERS_A_DEGREE: f64 = 6371.0088 * std::f64::consts::PI / 180.0;

pub(crate) fn run(args: &GridArgs) -> Result<u8, Failure> {
    let mut outputs = Outputs::beside([]);
    outputs.table("FILE", Some(&args.file))?;
    if args.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
        return Err(Failure::new(format!(
            "{}: items are not read from JSON; name it .csv, .tsv or .parquet",
            args.file.display()
        )));
    }
    if args.file.exists() {
        return Err(Failure::new(format!(
            "{}: there already is such a file, and releases may be for the items in it; choose another name",
            args.file.display()
        )));
    }
    let places = places(args)?;
    let globe = args.metric == Metric::Haversine;
    let [first, second] = if globe { ["lat", "lon"] } else { ["x", "y"] };
    let numbers = |name: &str, axis: usize| Column {
        name: name.into(),
        values: Values::Numbers(places.iter().map(|place| place[axis]).collect()),
    };
    let ids = Values::Integers((0..places.len() as i64).collect());
    let table = [Column { name: "id".into(), values: ids }, numbers(first, 0), numbers(second, 1)];
    kmedian_data::write_table(&args.file, &table)?;
    let metric = if globe { "haversine" } else { "l2" };
    console::print(&format!(
        "{} in {}; use it with --id id --columns {first},{second} --metric {metric}\n",
        counted(places.len(), "place"),
        args.file.display()
    ))?;
    Ok(DONE)
}

fn places(args: &GridArgs) -> Result<Vec<[f64; 2]>, Failure> {
    let Corners { low, high } = args.corners;
    let globe = match args.metric {
        Metric::Haversine => true,
        Metric::L2 => false,
        metric => {
            let message = format!("--metric {metric}: a grid is for haversine or l2");
            return Err(Failure::new(message));
        }
    };
    check_box(low, high, globe)?;
    let spacing = args
        .spacing
        .under(args.metric)
        .map_err(|what| Failure::new(format!("--spacing: {what}")))?;
    if spacing <= 0.0 {
        return Err(Failure::new("--spacing: neighbors must be apart; give more than 0"));
    }
    // On the globe rows are parallels of latitude, and the first coordinate counts rows; on a plane
    // the first coordinate is x.
    let (rows, columns) = if globe { (0, 1) } else { (1, 0) };
    let unit = if globe { KILOMETERS_A_DEGREE } else { 1.0 };
    let (height, width) = ((high[rows] - low[rows]) * unit, (high[columns] - low[columns]) * unit);
    let between_rows = match args.lattice {
        Lattice::Square => spacing,
        Lattice::Hexagonal => spacing * 0.75f64.sqrt(),
    };
    let count = (height / between_rows).ceil().max(1.0);
    if count * (width / spacing).ceil().max(1.0) > 2.0 * MOST_PLACES {
        return Err(too_many(count * width / spacing));
    }
    let step = (high[rows] - low[rows]) / count;
    let mut places = Vec::new();
    for row in 0..count as usize {
        let south = low[rows] + row as f64 * step;
        let at = south + step / 2.0;
        // Where the row is widest, so that its places are nowhere farther apart than they may be.
        let widest = if south < 0.0 && south + step > 0.0 {
            0.0
        } else {
            south.abs().min((south + step).abs())
        };
        let scale = if globe { widest.to_radians().cos().max(0.0) } else { 1.0 };
        let across = (width * scale / spacing).ceil().max(1.0);
        let step = (high[columns] - low[columns]) / across;
        let shifted = args.lattice == Lattice::Hexagonal && row % 2 == 1;
        let (start, number) = if shifted { (0.0, across + 1.0) } else { (step / 2.0, across) };
        for column in 0..number as usize {
            let along = low[columns] + start + column as f64 * step;
            places.push(if globe { [at, along] } else { [along, at] }.map(rounded));
        }
        if places.len() as f64 > MOST_PLACES {
            return Err(too_many(count * width / spacing));
        }
    }
    Ok(places)
}

fn too_many(places: f64) -> Failure {
    Failure::new(format!(
        "--spacing: the grid would have about {} places, and {} are made at most; give a larger spacing or a smaller box",
        grouped(places.round()),
        grouped(MOST_PLACES)
    ))
}

fn check_box(low: [f64; 2], high: [f64; 2], globe: bool) -> Result<(), Failure> {
    let refuse = |what: String| Err(Failure::new(format!("--box: {what}")));
    let names = if globe { ["latitude", "longitude"] } else { ["x", "y"] };
    for axis in 0..2 {
        if globe {
            let most = [90.0, 360.0][axis];
            if let Some(out) = [low[axis], high[axis]].into_iter().find(|end| end.abs() > most) {
                return refuse(format!(
                    "the {} {out} is out of range, which is -{most} to {most}; latitudes come first",
                    names[axis]
                ));
            }
        }
        if low[axis] == high[axis] {
            return refuse(format!(
                "it is empty: its {} goes from {} to {}; give two corners that differ",
                names[axis], low[axis], high[axis]
            ));
        }
        if low[axis] > high[axis] {
            let hint = if globe && axis == 1 {
                "; across the 180th meridian count on, such as from 170 to 190"
            } else {
                ""
            };
            return refuse(format!(
                "it is upside down: its {} goes from {} to {}; the smaller number comes first{hint}",
                names[axis], low[axis], high[axis]
            ));
        }
    }
    if globe && high[1] - low[1] > 360.0 {
        return refuse("it goes round the globe more than once; 360 degrees are all".into());
    }
    Ok(())
}

/// A coordinate with seven digits after the point: on the globe a centimeter.
fn rounded(value: f64) -> f64 {
    (value * 1e7).round() / 1e7
}
