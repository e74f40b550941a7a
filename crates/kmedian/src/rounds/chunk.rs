//! Items in memory, a part of all of them.

use crate::{Error, Metric, Seed, Vectors};

/// Where an item is among all items if that is not known, as in the partitions of a cluster.
pub const UNKNOWN_PLACE: u64 = u64::MAX;

/// Some of the items: vectors, with a weight and a place for each.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// The number of coordinates of each item.
    pub dims: usize,
    /// The coordinates, item after item.
    pub rows: Vec<f32>,
    /// How much each item counts.
    pub weights: Vec<f64>,
    /// The position of each item among all items, from 0; [`UNKNOWN_PLACE`] if it is not known.
    pub places: Vec<u64>,
}

impl Chunk {
    /// A chunk without items.
    pub fn new(dims: usize) -> Self {
        Self { dims, rows: Vec::new(), weights: Vec::new(), places: Vec::new() }
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The coordinates of an item.
    pub fn row(&self, item: usize) -> &[f32] {
        &self.rows[item * self.dims..(item + 1) * self.dims]
    }

    /// Adds an item of another chunk.
    pub(super) fn push(&mut self, from: &Chunk, item: usize) {
        self.rows.extend_from_slice(from.row(item));
        self.weights.push(from.weights[item]);
        self.places.push(from.places[item]);
    }

    /// Adds all items of another chunk.
    pub(super) fn append(&mut self, other: &Chunk) {
        self.rows.extend_from_slice(&other.rows);
        self.weights.extend_from_slice(&other.weights);
        self.places.extend_from_slice(&other.places);
    }

    /// Some of the items, in this order.
    pub(super) fn take(&self, items: impl IntoIterator<Item = usize>) -> Self {
        let mut taken = Self::new(self.dims);
        items.into_iter().for_each(|item| taken.push(self, item));
        taken
    }

    /// The items without weight: they may be chosen, and count for nothing.
    pub(super) fn weightless(&self) -> Self {
        Self { weights: vec![0.0; self.len()], ..self.clone() }
    }

    /// The items as a space. An error about an item calls it by its place.
    pub(super) fn space(&self, metric: Metric) -> Result<Vectors, Error> {
        Vectors::new(self.dims, &self.rows, metric).map_err(|error| {
            let alone = |item: usize| Vectors::new(self.dims, self.row(item), metric).err();
            let wrong = (0..self.len()).find_map(|item| Some((item, alone(item)?)));
            wrong.map_or(error, |(item, error)| self.about(item, &error))
        })
    }

    /// What is wrong with an item, said of its place among all items.
    fn about(&self, item: usize, error: &Error) -> Error {
        let message = error.to_string();
        let rest = message.strip_prefix("item 0").unwrap_or(&message);
        match self.places[item] {
            UNKNOWN_PLACE => {
                Error::new(error.kind(), format!("item {item} of its chunk (from 0){rest}"))
            }
            place => {
                let message = format!("item {{}}{rest}");
                Error::about_items(error.kind(), message, vec![place as usize])
            }
        }
    }

    /// A hash of coordinates and weights. It tells chunks apart whatever order they come in, and
    /// what is drawn of a chunk follows from it.
    pub(super) fn digest(&self) -> u64 {
        let mut lanes = [0u64; LANES];
        let values = self.rows.iter().map(|value| u64::from(value.to_bits()));
        let weights = self.weights.iter().map(|weight| weight.to_bits());
        for (at, bits) in values.chain(weights).enumerate() {
            let lane = &mut lanes[at % LANES];
            *lane = (lane.rotate_left(5) ^ bits).wrapping_mul(ODD);
        }
        lanes.iter().fold(Seed(self.len() as u64), |seed, &lane| seed.numbered(lane)).0
    }
}

/// How many hashes are computed side by side, so that one multiplication need not wait for the
/// next.
const LANES: usize = 8;

/// An odd number whose bits look random: 2⁶⁴ divided by the golden ratio.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
