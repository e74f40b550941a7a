//! Numbers of which the least is always known: a tree of minima.

/// Numbers by place, with the place of the least.
#[derive(Default)]
pub(super) struct Least {
    /// The numbers; NaN is never one.
    values: Vec<f64>,
    /// For each node of a binary tree over `room` places, the place of the least number below it.
    nodes: Vec<u32>,
    /// The places of the tree, a power of two.
    room: usize,
}

/// The place that stands for none.
const NONE: u32 = u32::MAX;

impl Least {
    pub(super) fn new(values: &[f64]) -> Self {
        let mut least = Self { values: values.to_vec(), ..Self::default() };
        least.rebuild();
        least
    }

    fn rebuild(&mut self) {
        self.room = (self.values.len() + 1).next_power_of_two();
        self.nodes = vec![NONE; 2 * self.room];
        for place in 0..self.values.len() {
            self.nodes[self.room + place] = place as u32;
        }
        for node in (1..self.room).rev() {
            self.nodes[node] = self.better(2 * node, 2 * node + 1);
        }
    }

    /// Of two nodes the place of the lesser number; of equal ones the first.
    fn better(&self, a: usize, b: usize) -> u32 {
        let (a, b) = (self.nodes[a], self.nodes[b]);
        let value = |place: u32| self.values.get(place as usize).copied().unwrap_or(f64::INFINITY);
        if b == NONE || (a != NONE && value(a) <= value(b)) { a } else { b }
    }

    fn update(&mut self, place: usize) {
        let mut node = (self.room + place) / 2;
        while node > 0 {
            self.nodes[node] = self.better(2 * node, 2 * node + 1);
            node /= 2;
        }
    }

    /// The place of the least number, and the number; infinite if there is none.
    pub(super) fn least(&self) -> (usize, f64) {
        let place = self.nodes.get(1).copied().unwrap_or(NONE);
        (place as usize, self.values.get(place as usize).copied().unwrap_or(f64::INFINITY))
    }

    pub(super) fn of(&self, place: usize) -> f64 {
        self.values[place]
    }

    pub(super) fn add(&mut self, place: usize, more: f64) {
        self.values[place] += more;
        self.update(place);
    }

    pub(super) fn push(&mut self, value: f64) {
        let place = self.values.len();
        self.values.push(value);
        if place >= self.room {
            self.rebuild();
            return;
        }
        self.nodes[self.room + place] = place as u32;
        self.update(place);
    }

    /// Removes the number at a place, where the last number goes then.
    pub(super) fn swap_remove(&mut self, place: usize) {
        let last = self.values.len() - 1;
        self.values.swap_remove(place);
        self.nodes[self.room + last] = NONE;
        self.update(last);
        if place < last {
            self.update(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::Seed;

    #[test]
    fn the_least_is_known_after_every_change() {
        let mut rng = Seed(1).stream("least");
        let mut plain: Vec<f64> = vec![3.0, 1.0, 2.0];
        let mut least = Least::new(&plain);
        for _ in 0..5000 {
            match rng.random_range(0..3) {
                0 => {
                    let value = rng.random_range(0..50) as f64;
                    plain.push(value);
                    least.push(value);
                }
                1 if plain.len() > 1 => {
                    let place = rng.random_range(0..plain.len());
                    plain.swap_remove(place);
                    least.swap_remove(place);
                }
                _ => {
                    let place = rng.random_range(0..plain.len());
                    let more = rng.random_range(-9..9) as f64;
                    plain[place] += more;
                    least.add(place, more);
                }
            }
            let (place, value) = least.least();
            let wanted = plain.iter().copied().fold(f64::INFINITY, f64::min);
            assert_eq!((value, plain[place]), (wanted, wanted));
        }
    }
}
