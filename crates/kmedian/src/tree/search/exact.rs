use crate::tree::Tree;
use crate::{Demand, Objective};

/// The best centers in the tree metric, for every k at once.
///
/// The price of a cell is what a distance of twice its height costs; an item counts as a cell of
/// price zero. An item pays the price of the smallest cell around it that has a center. That is a
/// sum of steps: for every smaller cell around the item, the price of its parent less its own. So
/// every cell has a weight, its demand times its step, and a set of centers costs the sum of the
/// weights of all cells without a center.
///
/// So the best k centers are the ends of the k paths from the root down to an item that together
/// cover the most weight. They are found greedily: every cell hands the heaviest path of its
/// children up and sets the others aside. Sorted by weight, the first k paths are the best k, for
/// every k. The solutions are nested: the centers for k are the first k of those for k + 1.
///
/// It takes O(n log n) time for all k together, where dynamic programming over the tree takes
/// O(k n²).
#[derive(Debug, Clone)]
pub struct ExactSearch {
    /// All items in the order in which they become centers.
    order: Vec<u32>,
    /// The cost in the tree metric with the first 1, 2, … items of `order` as centers.
    costs: Vec<f64>,
}

/// A path of cells down to an item that may become a center, and the total weight of the cells on
/// it.
#[derive(Clone, Copy)]
struct Path {
    weight: f64,
    item: u32,
}

impl ExactSearch {
    /// Searches a tree under the given heights, one for each cell: those of [`Tree::heights`], or
    /// others such as [`Tree::mean_heights`]. No cell may be higher than its parent.
    pub fn new(tree: &Tree, heights: &[f32], demand: &Demand, objective: Objective) -> Self {
        let counts = tree.counts(demand);
        let price = |node: usize| objective.of(2.0 * heights[node]);
        // For each cell, the heaviest path that starts in it.
        let mut heaviest = vec![Path { weight: 0.0, item: 0 }; tree.nodes().len()];
        let mut paths = Vec::with_capacity(tree.len());
        for node in (0..tree.nodes().len()).rev() {
            let cell = &tree.nodes()[node];
            let best = if cell.is_leaf() {
                let first = std::iter::once(cell.center);
                let others = tree.items(node).iter().copied().filter(|&item| item != cell.center);
                let weight = |item: u32| demand.of(item as usize) * price(node);
                let path = |item: u32| Path { weight: weight(item), item };
                keep_heaviest(first.chain(others).map(path), &mut paths)
            } else {
                keep_heaviest(cell.children().map(|child| heaviest[child]), &mut paths)
            };
            let over = price(cell.parent as usize) - price(node);
            heaviest[node] = Path { weight: best.weight + counts[node] * over, item: best.item };
        }
        paths.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.item.cmp(&b.item)));
        Self::from_paths(heaviest[0], &paths)
    }

    fn from_paths(root: Path, others: &[Path]) -> Self {
        let order = std::iter::once(&root).chain(others).map(|path| path.item).collect();
        // Summed from the lightest path up, so that with all items as centers the cost is exactly
        // zero.
        let mut costs: Vec<f64> = others
            .iter()
            .rev()
            .scan(0.0, |sum, path| {
                *sum += path.weight;
                Some(*sum)
            })
            .collect();
        costs.reverse();
        costs.push(0.0);
        Self { order, costs }
    }

    /// The best `k` centers, or all items if there are fewer than `k`.
    pub fn centers(&self, k: usize) -> Vec<usize> {
        self.order.iter().take(k).map(|&item| item as usize).collect()
    }

    /// The cost of the best `k` centers in the tree metric; zero if `k` is at least the number of
    /// items. A `k` of zero counts as one.
    pub fn cost(&self, k: usize) -> f64 {
        self.costs.get(k.saturating_sub(1)).copied().unwrap_or(0.0)
    }
}

/// Returns the heaviest path, the first one if several are equally heavy, and adds the others to
/// the list.
fn keep_heaviest(mut paths: impl Iterator<Item = Path>, others: &mut Vec<Path>) -> Path {
    let Some(mut best) = paths.next() else { return Path { weight: 0.0, item: 0 } };
    for path in paths {
        let lighter =
            if path.weight > best.weight { std::mem::replace(&mut best, path) } else { path };
        others.push(lighter);
    }
    best
}
