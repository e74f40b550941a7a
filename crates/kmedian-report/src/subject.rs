//! What a page is about: the items, and where they are drawn.

use kmedian::{Objective, Space};

/// The items of a page. All of it may be public or not, as the page will be.
pub struct Subject<'a> {
    /// What the page is called, such as the name of the file.
    pub title: &'a str,
    /// The items and their distances.
    pub space: &'a dyn Space,
    /// How many items are served: the first ones, or all. Sites that are apart come after them.
    pub served: usize,
    /// What an item is called.
    pub name: &'a dyn Fn(usize) -> String,
    /// Where the items are drawn, a place for each.
    pub places: Places,
    /// How far items are apart, in words, such as `l2` or `graph`.
    pub metric: &'a str,
    /// What a distance costs.
    pub objective: Objective,
    /// The unit of distances, such as `km`, if it is known.
    pub unit: Option<&'a str>,
    /// The items as pictures, if they are some.
    pub images: Option<Images<'a>>,
}

/// Where items are drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Places {
    /// Latitude and longitude in degrees: a map, with north at the top and longitude to the right.
    Degrees(Vec<[f64; 2]>),
    /// Two coordinates, the first to the right and the second upwards, with what they are called.
    Plane {
        /// What the coordinates are called.
        names: [String; 2],
        /// The coordinates of each item.
        at: Vec<[f64; 2]>,
    },
    /// Places that were made up for the page, so that items that are near to each other are drawn
    /// near to each other as far as that is possible: see
    /// [`principal_places`](crate::principal_places) and [`pivot_places`](crate::pivot_places).
    Similarity(Vec<[f64; 2]>),
}

impl Places {
    /// The places as they are drawn: to the right, and upwards.
    pub(crate) fn drawn(&self) -> Vec<[f64; 2]> {
        match self {
            // A degree of longitude is shorter by the cosine of the latitude in the middle.
            Self::Degrees(at) => at.iter().map(|&[lat, lon]| [lon, lat]).collect(),
            Self::Plane { at, .. } | Self::Similarity(at) => at.clone(),
        }
    }

    /// The word by which the script knows the kind of places.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Degrees(_) => "degrees",
            Self::Plane { .. } => "plane",
            Self::Similarity(_) => "similarity",
        }
    }

    /// What the axes are called.
    pub(crate) fn names(&self) -> [&str; 2] {
        match self {
            Self::Degrees(_) => ["longitude", "latitude"],
            Self::Plane { names, .. } => [&names[0], &names[1]],
            Self::Similarity(_) => ["", ""],
        }
    }
}

/// Items as gray pictures.
#[derive(Clone, Copy)]
pub struct Images<'a> {
    /// How many pixels a picture is wide.
    pub width: usize,
    /// How many pixels a picture is high.
    pub height: usize,
    /// The pixels of an item, row by row from the top: `width` times `height` numbers.
    pub pixels: &'a dyn Fn(usize) -> Vec<f32>,
    /// The numbers that are drawn as black and as white.
    pub range: [f32; 2],
}

impl Images<'_> {
    /// The pixels of an item as bytes, from 0 for black to 255 for white.
    pub(crate) fn bytes(&self, item: usize) -> Vec<u8> {
        let [black, white] = self.range;
        let width = if white > black { white - black } else { 1.0 };
        let byte = |value: f32| (255.0 * (value - black) / width).round().clamp(0.0, 255.0) as u8;
        (self.pixels)(item).into_iter().map(byte).collect()
    }
}
