//! The options of `kmedian universe`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use kmedian::{Metric, choice};

use super::Length;
use super::words::words;

const GRID_EXAMPLES: &str = "\
Examples:
  kmedian universe grid --box 52.28,4.72,52.43,5.08 --spacing 250m city.csv
  kmedian private city.csv --id id --columns lat,lon --metric haversine --demand trips.csv \\
      --snap start_lat,start_lon --snap-within 1km --epsilon 1 -k 10 --release trips.release.json

The box must be public too: take the city's limits, not those of the records.";

#[derive(ClapArgs)]
#[command(arg_required_else_help = false)]
pub(crate) struct MakeArgs {
    #[command(subcommand)]
    pub(crate) command: MakeCommand,
}

#[derive(Subcommand)]
pub(crate) enum MakeCommand {
    /// Cover a box with places at even distances, as a public universe for raw coordinates
    Grid(GridArgs),
}

#[derive(ClapArgs)]
#[command(after_help = GRID_EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct GridArgs {
    /// The table to write (.csv, .tsv, .parquet), which must not be there yet: id, lat, lon; id, x, y
    /// under l2
    pub(crate) file: PathBuf,
    /// Two opposite corners, the smaller numbers first: LAT0,LON0,LAT1,LON1; X0,Y0,X1,Y1 under l2
    #[arg(long = "box", value_name = "CORNERS", allow_hyphen_values = true)]
    pub(crate) corners: Corners,
    /// How far neighbors are apart at most: 250m, 1.5km; under l2 a plain number
    #[arg(long, value_name = "DIST", allow_hyphen_values = true)]
    pub(crate) spacing: Length,
    /// How the places lie; hexagonal needs fewer for the same longest way
    #[arg(long, value_enum, default_value_t = Lattice::Square)]
    pub(crate) lattice: Lattice,
    /// What the numbers are: haversine for degrees of latitude and longitude, l2 for plain
    /// coordinates
    #[arg(
        long,
        value_parser = words(&choice::METRIC),
        hide_possible_values = true,
        default_value_t = Metric::Haversine
    )]
    pub(crate) metric: Metric,
}

/// How the places of a grid lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lattice {
    /// In rows and columns
    Square,
    /// In rows that are shifted by turns, each place with six neighbors
    Hexagonal,
}

/// Two opposite corners of a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Corners {
    pub(crate) low: [f64; 2],
    pub(crate) high: [f64; 2],
}

impl FromStr for Corners {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no box; give four numbers, LAT0,LON0,LAT1,LON1");
        let numbers: Vec<f64> = text
            .split(',')
            .map(|number| number.trim().parse::<f64>().ok().filter(|number| number.is_finite()))
            .collect::<Option<_>>()
            .ok_or_else(wrong)?;
        let &[a, b, c, d] = numbers.as_slice() else { return Err(wrong()) };
        Ok(Self { low: [a, b], high: [c, d] })
    }
}
