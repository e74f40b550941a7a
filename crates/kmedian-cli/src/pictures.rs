//! `--report`: where the items of a universe are drawn, and which of them are pictures.

use std::path::Path;

use kmedian::{Metric, Objective};
use kmedian_report::{Images, Places, Subject, pivot_places, principal_places};

use crate::args::ImageShape;
use crate::failure::Failure;
use crate::geo::{self, Axis};
use crate::universe::Universe;

/// The number of columns that are taken for pictures of 28 × 28 pixels, as those of MNIST and its
/// successors.
const SQUARE: ImageShape = ImageShape { height: 28, width: 28 };

/// How the items of a report are drawn beside their places.
pub(crate) struct Pictures {
    shape: Option<ImageShape>,
}

impl Pictures {
    /// What a report shows, by its options.
    ///
    /// # Errors
    /// If rows do not have as many columns as the pictures that they are said to be have pixels.
    pub(crate) fn of(universe: &Universe, asked: Option<ImageShape>) -> Result<Self, Failure> {
        let dims = universe.rows().map(crate::places::Rows::dims);
        let fits = |shape: &ImageShape| dims == shape.height.checked_mul(shape.width);
        if let Some(shape @ ImageShape { height, width }) = asked
            && (!fits(&shape) || dims.is_none())
        {
            return Err(Failure::new(format!(
                "--image-shape {height}x{width}: takes {} columns of numbers, but the items have {}; give the height and \
                 the width of what is in a row",
                height.saturating_mul(width),
                dims.unwrap_or(universe.columns.len())
            )));
        }
        Ok(Self { shape: asked.or(Some(SQUARE).filter(|shape| dims.is_some() && fits(shape))) })
    }

    /// Makes a page of what is to be drawn.
    pub(crate) fn with_subject(
        &self,
        universe: &Universe,
        title: &str,
        objective: Objective,
        make: impl FnOnce(&Subject<'_>) -> String,
    ) -> String {
        let name = |item: usize| universe.name(item);
        let pixels = |item: usize| universe.rows().map(|rows| rows.of(item)).unwrap_or_default();
        let images = self.shape.map(|ImageShape { height, width }| Images {
            width,
            height,
            pixels: &pixels,
            range: range(universe),
        });
        make(&Subject {
            title,
            space: &*universe.space,
            served: universe.served(),
            name: &name,
            places: places(universe),
            metric: &universe.metric,
            objective,
            unit: universe.unit(),
            images,
        })
    }
}

/// What a page is called: as the file that the items come from.
pub(crate) fn page_title(file: &Path) -> String {
    match file.file_name() {
        Some(name) if file.as_os_str() != "-" => name.to_string_lossy().into_owned(),
        _ => "standard input".to_owned(),
    }
}

/// Where the items are drawn: at their two coordinates, along the first two principal axes of more,
/// or so that what is near is drawn near.
fn places(universe: &Universe) -> Places {
    let Some(places) = universe.places() else {
        return Places::Similarity(match universe.rows() {
            Some(rows) => principal_places(rows.dims(), rows.centered()),
            None => {
                let first = if universe.served() < universe.len() { universe.served() } else { 0 };
                pivot_places(&*universe.space, first)
            }
        });
    };
    let dims = places.dims();
    if dims > 2 {
        return Places::Similarity(principal_places(dims, places.centered()));
    }
    let names = |axis: usize| match places.names().get(axis) {
        Some(name) if name.parse::<usize>().is_ok() => format!("column {name}"),
        Some(name) => name.clone(),
        None => String::new(),
    };
    let values = places.values();
    let rows = values.chunks_exact(dims).map(|row| [row[0], row.get(1).copied().unwrap_or(0.0)]);
    let swapped = |rows: Vec<[f64; 2]>| rows.into_iter().map(|[a, b]| [b, a]).collect();
    let rows: Vec<[f64; 2]> = rows.collect();
    let latitude_first = geo::axis(&names(0)) == Some(Axis::Latitude);
    if places.metric() == Metric::Haversine {
        return Places::Degrees(rows);
    }
    if geo::are_degrees(places.names()) {
        return Places::Degrees(if latitude_first { rows } else { swapped(rows) });
    }
    if dims == 2 && latitude_first {
        return Places::Plane { names: [names(1), names(0)], at: swapped(rows) };
    }
    Places::Plane { names: [names(0), names(1)], at: rows }
}

/// The least and the largest number of all rows: black and white.
fn range(universe: &Universe) -> [f32; 2] {
    let rows = universe.rows();
    let items = rows.map_or(0, |_| universe.len());
    let values = (0..items).flat_map(|item| rows.map(|rows| rows.of(item)).unwrap_or_default());
    values.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
}
