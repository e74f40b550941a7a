//! Snapping raw coordinates to the nearest items.

use std::path::Path;

use kmedian::{Metric, SnapIndex};
use kmedian_data::{ColumnRef, Snap, Snapped};

use crate::args::SnapArgs;
use crate::failure::Failure;
use crate::geo;
use crate::universe::Universe;

/// Finds the nearest items of raw coordinates, for the readers of tables.
pub(crate) struct Snapping {
    index: SnapIndex,
    metric: Metric,
    columns: Vec<ColumnRef>,
}

impl Snapping {
    /// Prepares to snap the columns of `--snap` to the items of a universe. `None` if it was not
    /// asked for.
    pub(crate) fn of(args: &SnapArgs, universe: &Universe) -> Result<Option<Self>, Failure> {
        let Some(columns) = args.snap.clone() else { return Ok(None) };
        let Some(places) = universe.places() else {
            return Err(Failure::new(
                "--snap: the items have no coordinates to snap to; for a graph or a matrix give --positions FILE, \
                 a row of coordinates for each item",
            ));
        };
        let (metric, dims) = (places.metric(), places.dims());
        if columns.len() != dims {
            return Err(Failure::new(format!(
                "--snap: {} columns, but items have {dims} coordinates ({}); name as many, in that order",
                columns.len(),
                places.names().join(", ")
            )));
        }
        let about = |error: kmedian::Error| Failure::new(format!("--snap: {error}"));
        let mut index = SnapIndex::new(dims, &places.values(), metric).map_err(about)?;
        if let Some(within) = args.snap_within {
            let distance = within
                .under(metric)
                .map_err(|what| Failure::new(format!("--snap-within: {what}")))?;
            index = index.within(distance).map_err(about)?;
        }
        let snapping = Self { index, metric, columns };
        let names: Vec<String> = snapping.columns.iter().map(ToString::to_string).collect();
        match snapping.is_longitude_first(&names) {
            true => Err(Failure::new(format!("--snap: {}", snapping.other_way_round()))),
            false => Ok(Some(snapping)),
        }
    }

    /// Refuses a table whose columns are called so that the longitude comes first. Their names are
    /// those of a header or a schema, and are not repeated, as a header may turn out to be a
    /// private record.
    pub(crate) fn check_order(&self, file: &Path, names: &[String]) -> Result<(), Failure> {
        match self.is_longitude_first(names) {
            true => {
                let what = self.other_way_round();
                Err(Failure::new(format!("{}: --snap: by its header, {what}", file.display())))
            }
            false => Ok(()),
        }
    }

    fn is_longitude_first(&self, names: &[String]) -> bool {
        self.metric == Metric::Haversine && names.len() == 2 && geo::find(names) == Some([1, 0])
    }

    fn other_way_round(&self) -> String {
        let turned: Vec<String> = self.columns.iter().rev().map(ToString::to_string).collect();
        format!("haversine takes latitude first, so give --snap {}", turned.join(","))
    }

    /// The columns of the coordinates.
    pub(crate) fn columns(&self) -> &[ColumnRef] {
        &self.columns
    }

    /// The metric by which items are near.
    pub(crate) fn metric(&self) -> Metric {
        self.metric
    }

    /// The number of items.
    pub(crate) fn items(&self) -> usize {
        self.index.len()
    }
}

impl Snap for Snapping {
    fn dims(&self) -> usize {
        self.index.dims()
    }

    fn snap(&self, places: &[f64], found: &mut [Snapped]) {
        self.index.nearest_of_each(places, found, |place, nearest| match nearest {
            Some((item, _)) => Snapped::Item(item as u32),
            None if self.index.is_place(place) => Snapped::TooFar,
            None => Snapped::Nowhere,
        });
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;

    use kmedian::privacy::{Entropy, Epsilon, PrivateTree, Recipe};
    use kmedian::{Run, Vectors};
    use kmedian_data::{DemandOptions, ItemKeys, PointsOptions, read_demand, read_points};
    use rand::rngs::ChaCha20Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// What is released without noise, at an infinite ε, of the records in two files, one with
    /// their coordinates and one with the ids of their items.
    fn released(
        items: &Path,
        raw: &Path,
        keyed: &Path,
    ) -> Result<[String; 2], Box<dyn std::error::Error>> {
        let metric = Metric::Haversine;
        let columns = ["lat", "lon"].map(ColumnRef::from).to_vec();
        let id = Some(ColumnRef::from("id"));
        let read =
            PointsOptions { columns: Some(columns.clone()), id: id.clone(), ..Default::default() };
        let points = read_points(items, &read)?;
        let space = Vectors::new(2, &points.values, metric)?;
        let values: Vec<f64> = points.values.iter().map(|&value| f64::from(value)).collect();
        let index = SnapIndex::new(2, &values, metric)?;
        let snapping = Snapping { index, metric, columns: columns.clone() };
        let snapped = ItemKeys::snapped(points.rows, &snapping);
        let ids = points.ids.unwrap_or_default();
        let named = ItemKeys::named(items, &ids)?;
        let by_places = DemandOptions { places: columns, ..DemandOptions::default() };
        let by_key = DemandOptions { key: id, ..DemandOptions::default() };
        let recipe = Recipe::new(Epsilon::infinite());
        let release = |file: &Path, keys: &ItemKeys<'_>, options: &DemandOptions| {
            let mut sampler = ChaCha20Rng::from_seed([0; 32]);
            let counts = read_demand(file, keys, options, &mut sampler)?.counts;
            let (entropy, run) = (&mut Entropy::system(), &mut Run::default());
            let release = PrivateTree::release(&space, &counts, &recipe, entropy, run)?;
            Ok::<_, Box<dyn std::error::Error>>(release.to_json())
        };
        Ok([release(raw, &snapped, &by_places)?, release(keyed, &named, &by_key)?])
    }

    #[test]
    fn without_noise_coordinates_release_what_keys_do() {
        let folder = tempfile::tempdir().unwrap();
        let mut rng = ChaCha20Rng::from_seed([18; 32]);
        // As 32-bit floats hold them, so that the plain search below has the same items.
        let place = |rng: &mut ChaCha20Rng| -> [f64; 2] {
            [52.1 + 0.5 * rng.random::<f64>(), 4.6 + 0.8 * rng.random::<f64>()]
                .map(|value| f64::from(value as f32))
        };
        let items: Vec<[f64; 2]> = (0..300).map(|_| place(&mut rng)).collect();
        let unit = |[lat, lon]: [f64; 2]| {
            let (lat, lon) = (lat.to_radians(), lon.to_radians());
            [lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()]
        };
        let mut files = ["id,lat,lon\n", "lat,lon\n", "id\n"].map(String::from);
        for (at, [lat, lon]) in items.iter().enumerate() {
            let _ = writeln!(files[0], "p{at},{lat},{lon}");
        }
        for _ in 0..5000 {
            let record = place(&mut rng);
            let chord = |item: &[f64; 2]| -> f64 {
                unit(*item).iter().zip(unit(record)).map(|(a, b)| (a - b) * (a - b)).sum()
            };
            let order = |a: &usize, b: &usize| chord(&items[*a]).total_cmp(&chord(&items[*b]));
            let nearest = (0..items.len()).min_by(order).unwrap_or(0);
            let _ = writeln!(files[1], "{},{}", record[0], record[1]);
            let _ = writeln!(files[2], "p{nearest}");
        }
        let names = ["items.csv", "raw.csv", "keyed.csv"].map(|name| folder.path().join(name));
        for (name, text) in names.iter().zip(&files) {
            fs::write(name, text).unwrap();
        }
        let [items, raw, keyed] = &names;
        let [from_places, from_keys] = released(items, raw, keyed).unwrap();
        assert_eq!(from_places, from_keys);
        fs::write(keyed, files[2].replacen("p", "q", 1)).unwrap();
        let [_, fewer] = released(items, raw, keyed).unwrap();
        assert_ne!(from_places, fewer, "a single record shows");
    }

    #[test]
    #[ignore = "by hand: KMEDIAN_SNAPPED names a folder that bench/snapped.py has filled"]
    fn ten_million_coordinates_release_what_keys_do() {
        let folder = std::env::var_os("KMEDIAN_SNAPPED").unwrap_or_default();
        let file = |name: &str| Path::new(&folder).join(name);
        for ending in ["csv", "parquet"] {
            let (raw, keyed) = (file(&format!("raw.{ending}")), file(&format!("keyed.{ending}")));
            let [from_places, from_keys] = released(&file("items.csv"), &raw, &keyed).unwrap();
            assert_eq!(from_places, from_keys, "{ending}");
        }
    }

    /// What is found for a place does not depend on the places around it, or on the threads that
    /// share them.
    #[test]
    fn places_are_snapped_one_by_one() {
        let odd = [
            f64::NAN,
            f64::INFINITY,
            f64::MAX,
            -f64::MAX,
            f64::MIN_POSITIVE,
            -0.0,
            0.5,
            1.0,
            89.9,
            400.0,
        ];
        let items: Vec<f64> = (0..50).map(|at| f64::from(at * 7 % 23) / 2.0 + 0.5).collect();
        for metric in Metric::ALL {
            let index = SnapIndex::new(2, &items, metric).ok().and_then(|i| i.within(3.0).ok());
            let Some(index) = index else { panic!("{metric}: no index") };
            let snapping = Snapping { index, metric, columns: Vec::new() };
            let places: Vec<f64> =
                (0..6000).map(|at| odd[(at * at + at / 7) % odd.len()]).collect();
            let mut together = vec![Snapped::Nowhere; 3000];
            snapping.snap(&places, &mut together);
            for (place, found) in places.chunks_exact(2).zip(together) {
                let mut alone = [Snapped::Nowhere];
                snapping.snap(place, &mut alone);
                assert_eq!(alone, [found], "{metric}: {place:?}");
            }
        }
    }
}
