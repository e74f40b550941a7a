//! Options that several commands share, declared once: what to find, what to protect, and how to
//! run.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args as ClapArgs;
use kmedian::privacy::{Neighbours, Split};
use kmedian::{Objective, choice};

use super::Ks;
use super::words::words;

/// What centers are good for, and where they may be.
#[derive(ClapArgs)]
pub(crate) struct GoalArgs {
    #[arg(long, help = choice::OBJECTIVE.help, value_parser = words(&choice::OBJECTIVE), default_value_t)]
    pub(crate) objective: Objective,
    /// The items that may be centers: a file that lists them, by their names or 0-based positions,
    /// or a column of the items that says yes or no (1 or 0; an empty cell is a no) [default: all]
    #[arg(long, value_name = "FILE|COLUMN")]
    pub(crate) candidates: Option<String>,
    /// The centers that are there already and stay, listed like candidates, of which they must be
    /// some; -k counts them too
    #[arg(long, value_name = "FILE|COLUMN")]
    pub(crate) fixed: Option<String>,
}

/// How many centers to find, and where to write them.
#[derive(ClapArgs)]
pub(crate) struct CentersOut {
    /// How many centers: a number, a list (2,5,10), a range (2..20, both ends included)
    #[arg(short, value_name = "K")]
    pub(crate) k: Option<Ks>,
    /// Write the centers to this file (.csv, .tsv, .parquet, .json)
    #[arg(long, value_name = "FILE")]
    pub(crate) centers: Option<PathBuf>,
    /// Write the centers to this file for a map, as GeoJSON; of fit also what each serves: the
    /// roads between its nodes, or the convex hull of its items
    #[arg(long, value_name = "FILE")]
    pub(crate) geojson: Option<PathBuf>,
    /// Write a page to look at to this file (.html): a map of the centers and what they serve,
    /// curves over k and tables; it needs nothing else
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Rows are pictures of so many pixels, height by width, such as 28x28, which the report shows
    /// [default: 28x28 if there are 784 columns]
    #[arg(long, value_name = "HxW")]
    pub(crate) image_shape: Option<ImageShape>,
}

/// The height and the width of pictures, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImageShape {
    pub(crate) height: usize,
    pub(crate) width: usize,
}

impl FromStr for ImageShape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once(['x', 'X', '×']).and_then(|(height, width)| {
            Some((height.trim().parse().ok()?, width.trim().parse().ok()?))
        });
        match sides {
            Some((height @ 1.., width @ 1..)) => Ok(Self { height, width }),
            _ => Err("give height and width in pixels, such as 28x28".to_owned()),
        }
    }
}

/// What a private run protects and how it spends ε, beside what ε is.
#[derive(ClapArgs)]
pub(crate) struct NoiseArgs {
    #[arg(long, help = choice::NEIGHBOURS.help, value_parser = words(&choice::NEIGHBOURS), default_value_t)]
    pub(crate) neighbours: Neighbours,
    #[arg(long, help = choice::SPLIT.help, value_parser = words(&choice::SPLIT), default_value_t)]
    pub(crate) split: Split,
}

/// How a command runs, and how it prints.
#[derive(ClapArgs)]
pub(crate) struct RunArgs {
    /// How many threads to use [default: all cores]
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}
