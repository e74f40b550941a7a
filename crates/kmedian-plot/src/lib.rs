//! Draws curves of means with their errors as SVG, for `kmedian plan --plot` and the lab's report.
//!
//! A [`Figure`] says what to draw. [`sheet::draw`] makes one SVG file of it, and [`draw::panel`] a
//! part of a page.
//!
//! ```
//! use kmedian_plot::{Figure, Panel, Scale, Series, Style, Summary, sheet};
//!
//! let mean = |mean: f64| Summary { mean, error: 0.1, runs: 5 };
//! let series = Series {
//!     label: "private".into(),
//!     style: Style::in_turn(0),
//!     reference: false,
//!     points: vec![(0.1, mean(2.0)), (1.0, mean(1.2))],
//! };
//! let panel = Panel { title: "200 items".into(), x_name: "ε", series: vec![series] };
//! let figure = Figure { x_scale: Scale::Log, panels: vec![panel], ..Figure::new("Cost against ε") };
//! assert!(sheet::draw(&figure).starts_with("<svg"));
//! ```

mod axis;
pub mod draw;
mod figure;
pub mod sheet;
mod style;
mod summary;
pub mod text;

pub use axis::{Axis, Scale};
pub use figure::{Figure, Panel, Series};
pub use style::{COLORS, Mark, Style};
pub use summary::{Summary, mean};
