//! Makes tables, figures and the report from rows. Nothing here runs an algorithm.
//!
//! [`write()`] makes, in a folder: `figures/NAME.svg` and `figures/NAME.png`; `report.html`, a page
//! in one file; and `RESULTS.md`, with the tables as Markdown. What has no rows is listed as
//! missing.
//!
//! | file | idea |
//! |---|---|
//! | `stats.rs` | means and their errors |
//! | `select.rs`, `cells.rs` | what is measured of which rows; the cells that are compared |
//! | `accuracy.rs` | private accuracy: its cells, and the map of who wins |
//! | `names.rs` | what methods and data are called, and how they are drawn |
//! | `figure.rs` | a figure before it is drawn (by `kmedian-plot`) |
//! | `figures.rs`, `figures/` | all figures, from rows |
//! | `png.rs` | PNG from SVG |
//! | `claims.rs`, `claims/` | verdicts, computed from rows: of the paper’s claims, and of ours |
//! | `table.rs`, `markdown.rs`, `html.rs`, `style.css` | the numbers of a figure; the two pages |
//!
//! A new figure is a function in `figures/`. A new claim is a line in `claims/`, and one in
//! `tests/report.rs` with rows that refute it.

mod accuracy;
mod cells;
pub mod claims;
mod figure;
mod figures;
mod html;
mod markdown;
mod names;
mod origin;
mod png;
mod select;
pub mod stats;
mod table;
mod text;

use std::fs;
use std::path::Path;

use kmedian_data::write_atomically;

use crate::{Failure, Row};
use figure::Figure;
use table::Table;

pub use origin::Origin;

/// What the report shows, as a page and as Markdown.
struct Contents {
    origin: Origin,
    /// The number of rows.
    count: usize,
    /// What was run.
    runs: Table,
    claims: Vec<claims::Claim>,
    figures: Vec<Figure>,
    /// By how much ours is better than the others, in every cell.
    gains: Table,
    /// Who wins where private accuracy was measured.
    map: Table,
}

/// What the map says, for readers of the report.
const MAP: &str = "Cost of private centers in multiples of the non-private ones, as means over the repetitions; nobody is \
    told how many records there are. ▼: at least 0.5 % below centers without data; ▲: at least 0.5 % above them; =: neither.";

impl Contents {
    /// The numbers behind a figure. For the gain, this is a table of more than what is drawn.
    fn table(&self, figure: &Figure) -> Table {
        if figure.name == "gain" { self.gains.clone() } else { Table::of(figure) }
    }
}

/// Writes all figures, the page and the tables into a folder, which is created if it does not
/// exist.
///
/// # Errors
/// If a folder or a file cannot be written.
pub fn write(rows: &[Row], origin: Origin, out: &Path) -> Result<(), Failure> {
    let contents = Contents {
        origin,
        count: rows.len(),
        runs: Table::of_runs(rows),
        claims: claims::all(rows),
        figures: figures::all(rows),
        gains: Table::of_gains(rows),
        map: accuracy::map(rows),
    };
    let folder = out.join("figures");
    fs::create_dir_all(&folder).map_err(|error| {
        Failure::at(&folder, format!("cannot make this folder: {error}; choose another --out"))
    })?;
    let fonts = png::fonts();
    for figure in contents.figures.iter().filter(|figure| !figure.panels.is_empty()) {
        let svg = kmedian_plot::sheet::draw(figure);
        save(&folder.join(format!("{}.svg", figure.name)), svg.as_bytes())?;
        let png = png::render(&svg, &fonts)
            .map_err(|cause| Failure::new(format!("figure {}: no PNG: {cause}", figure.name)))?;
        save(&folder.join(format!("{}.png", figure.name)), &png)?;
    }
    save(&out.join("report.html"), html::page(&contents).as_bytes())?;
    save(&out.join("RESULTS.md"), markdown::page(&contents).as_bytes())
}

fn save(path: &Path, content: &[u8]) -> Result<(), Failure> {
    Ok(write_atomically(path, |out| out.write_all(content))?)
}
