//! Service areas on the map: each road colored by the depot that is nearest along it.

use kmedian::{Assignment, Demand, Graph};

use super::city::City;
use super::draw::{Pen, to_units};
use super::geometry::between;

/// The number of colors of service areas, so that neighboring areas can differ. Areas are connected
/// parts of a planar network, so which areas are neighbors is a planar graph. Such a graph always
/// has a node with at most five neighbors, so six colors are enough for any number of depots.
pub const COLORS: usize = 6;

/// A depot and the area it serves.
pub struct Area {
    /// Where the depot is, in map units.
    pub depot: [i32; 2],
    /// The number of the area's color, below [`COLORS`].
    pub color: usize,
    /// The roads of the area as SVG path data.
    pub roads: String,
    /// How many people the depot serves.
    pub people: f64,
    /// The mean distance by road of these people from the depot, in meters.
    pub way: f64,
}

/// The service areas of depots, those with the most people first.
pub fn areas(city: &City, graph: &Graph, demand: &Demand, depots: &[usize]) -> Vec<Area> {
    let k = depots.len();
    let nearest = Assignment::new(graph, depots);
    let served = nearest.served(k, demand);
    let mut ways = vec![0.0; k];
    for &item in demand.items() {
        let way = f64::from(nearest.distances[item as usize]);
        ways[nearest.labels[item as usize] as usize] += demand.of(item as usize) * way;
    }
    let mut pieces = Pieces::cut(city, &nearest, k);
    let colors = kmedian_report::colors(&pieces.neighbors, &[]);
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|&a, &b| served[b].total_cmp(&served[a]).then(depots[a].cmp(&depots[b])));
    let area = |label: usize| Area {
        depot: pieces.points[depots[label]],
        color: colors[label].min(COLORS - 1),
        roads: trails(&pieces.points, std::mem::take(&mut pieces.roads[label])),
        people: served[label],
        way: if served[label] > 0.0 { ways[label] / served[label] } else { 0.0 },
    };
    order.into_iter().map(area).collect()
}

/// Roads, cut where one area ends and the next begins.
struct Pieces {
    /// The junctions, and after them the places where roads are cut.
    points: Vec<[i32; 2]>,
    /// For each area, its pieces of road.
    roads: Vec<Vec<[usize; 2]>>,
    /// For each area, the areas that border on it.
    neighbors: Vec<Vec<usize>>,
}

impl Pieces {
    fn cut(city: &City, nearest: &Assignment, k: usize) -> Self {
        let points = city.junctions.iter().map(|p| to_units(p.map(f64::from))).collect();
        let mut pieces =
            Self { points, roads: vec![Vec::new(); k], neighbors: vec![Vec::new(); k] };
        for &(a, b, length) in &city.roads {
            let (a, b) = (a as usize, b as usize);
            let (left, right) = (nearest.labels[a] as usize, nearest.labels[b] as usize);
            if left == right {
                pieces.roads[left].push([a, b]);
                continue;
            }
            // The place on the road from which both depots are equally far.
            let t = 0.5 + (nearest.distances[b] - nearest.distances[a]) / (2.0 * length);
            let [p, q] = [a, b].map(|site| city.junctions[site].map(f64::from));
            let cut = between(p, q, f64::from(t.clamp(0.0, 1.0)));
            let border = pieces.points.len();
            pieces.points.push(to_units(cut));
            pieces.roads[left].push([a, border]);
            pieces.roads[right].push([border, b]);
            pieces.neighbors[left].push(right);
            pieces.neighbors[right].push(left);
        }
        for list in &mut pieces.neighbors {
            list.sort_unstable();
            list.dedup();
        }
        pieces
    }
}

/// SVG path data that draws every piece of road once, in as few strokes as a simple walk finds.
fn trails(points: &[[i32; 2]], roads: Vec<[usize; 2]>) -> String {
    let mut leaving = vec![Vec::new(); points.len()];
    for (road, ends) in roads.iter().enumerate() {
        ends.iter().for_each(|&end| leaving[end].push(road));
    }
    let mut used = vec![false; roads.len()];
    let mut pen = Pen::default();
    // Walks begin at ends of odd degree: walks from elsewhere would leave many short strokes.
    let mut starts: Vec<usize> = roads.iter().flatten().copied().collect();
    starts.sort_by_key(|&start| (leaving[start].len() % 2 == 0, start));
    for start in starts {
        let mut at = start;
        let mut drawing = false;
        while let Some(&road) = leaving[at].iter().find(|&&road| !used[road]) {
            if !drawing {
                pen.move_to(points[at]);
                drawing = true;
            }
            used[road] = true;
            at = roads[road][usize::from(roads[road][0] == at)];
            pen.line_to(points[at]);
        }
    }
    pen.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_passes_every_piece_once() {
        let points = [[0, 0], [10, 0], [10, 10], [0, 10]];
        let square = vec![[0, 1], [2, 1], [2, 3], [0, 3]];
        assert_eq!(trails(&points, square), "M0 0l10 0 0 10-10 0 0-10");
    }
}
