//! Reads the files that kmedian works on, and writes its results.
//!
//! The solvers of kmedian work on flat arrays; people have files. This crate turns the files people
//! have (CSV, TSV, plain text, Parquet, NumPy, IDX, three kinds of graph files) into flat arrays,
//! and writes results back as tables. It contains no algorithms.
//!
//! A clustering run can take hours, and a silently misread file wastes all of them. So every reader
//! is strict: a missing value, a ragged row, a column of text or a weight below zero is an
//! [`Error`] whose one line says what is wrong, where, and what to do about it. What is harmless
//! but worth knowing (a dropped self-loop, a column that was left out) is in the `notes` of the
//! result.
//!
//! Private demand is the exception. There a bad record is dropped, because it must not depend on
//! any one record whether a run fails. See [`read_demand`].
//!
//! ```
//! use kmedian_data::{PointsOptions, read_points};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("cities.csv");
//! std::fs::write(&path, "name,lat,lon\nOslo,59.9,10.7\nRome,41.9,12.5\n")?;
//!
//! let options = PointsOptions { id: Some("name".into()), ..PointsOptions::default() };
//! let points = read_points(&path, &options)?;
//! assert_eq!((points.rows, points.dims), (2, 2));
//! assert_eq!(points.columns, ["lat", "lon"]);
//! assert_eq!(points.values, [59.9, 10.7, 41.9, 12.5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advice;
mod cells;
mod columns;
mod coordinates;
mod demand;
mod error;
mod graph;
mod input;
mod matrix;
mod number;
mod parts;
mod points;
mod sparse;
mod table;
mod weights;
mod write;

pub use advice::{Advice, Part};
pub use cells::{CellColumn, CellValues, Cells, Mixed, read_cells};
pub use columns::ColumnRef;
pub use coordinates::{Centered, centered, shifted};
pub use demand::{
    Cell, DemandFormat, DemandLayout, DemandOptions, ItemKeys, NonPrivateFacts, PrivateDemand,
    Snap, Snapped, Tally, UnitBound, UnitSample, check_demand, count_named, count_records,
    demand_files, normalized, read_demand, read_demand_files,
};
pub use error::{Error, ErrorKind};
pub use graph::{Edge, Edges, GraphFormat, NodeNames, Nodes, read_arcs, read_edges};
pub use matrix::{SquareMatrix, read_matrix};
pub use parts::{PartsOfPoints, PointsPart, count_points, points_in_parts};
pub use points::{Keyed, Points, PointsOptions, read_keyed, read_points, read_texts};
pub use sparse::{SparseFormat, SparseRows, read_sparse};
pub use table::{Header, TableFormat};
pub use weights::{read_lines, read_names, read_weights};
pub use write::{
    Column, ReservedFile, Values, check_output_path, check_table_path, write_atomically,
    write_table, write_table_in_parts,
};
