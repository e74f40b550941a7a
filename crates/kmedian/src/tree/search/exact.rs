use crate::tree::Tree;
use crate::{Demand, Objective, Sites};

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
///
/// Where only some items are candidates, only their paths count. The cells round fixed centers have
/// a center already: they weigh nothing, and the other paths cover what the fixed ones leave.
#[derive(Debug, Clone)]
pub struct ExactSearch {
    /// All candidates in the order in which they become centers, the fixed centers first.
    order: Vec<u32>,
    /// The cost in the tree metric with the first 1, 2, … items of `order` as centers; that of all
    /// fixed centers if these are fewer.
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
        Self::among(&Sites::default(), tree, heights, demand, objective)
    }

    /// [`ExactSearch::new`] with centers among the candidates of `sites`, the fixed ones first.
    pub fn among(
        sites: &Sites,
        tree: &Tree,
        heights: &[f32],
        demand: &Demand,
        objective: Objective,
    ) -> Self {
        let counts = tree.counts(demand);
        let covered = tree.cells_with(sites.fixed());
        let price = |node: usize| objective.of(2.0 * heights[node]);
        // For each cell, the heaviest path that starts in it; `None` without a free candidate.
        let mut heaviest: Vec<Option<Path>> = vec![None; tree.nodes().len()];
        let mut paths = Vec::with_capacity(tree.len());
        // What no candidate can save.
        let mut inevitable = 0.0;
        for node in (0..tree.nodes().len()).rev() {
            let cell = &tree.nodes()[node];
            let best = if cell.is_leaf() {
                let first = std::iter::once(cell.center);
                let others = tree.items(node).iter().copied().filter(|&item| item != cell.center);
                let weight = |item: u32| demand.of(item as usize) * price(node);
                let path = |item: u32| Path { weight: weight(item), item };
                let free = |item: &u32| sites.is_free(*item as usize);
                let barred = tree.items(node).iter().copied();
                let barred = barred.filter(|&item| !sites.is_candidate(item as usize));
                inevitable += barred.map(weight).sum::<f64>();
                keep_heaviest(first.chain(others).filter(free).map(path), &mut paths)
            } else {
                keep_heaviest(cell.children().filter_map(|child| heaviest[child]), &mut paths)
            };
            let over = price(cell.parent as usize) - price(node);
            let weight = if covered[node] { 0.0 } else { counts[node] * over };
            if best.is_none() {
                inevitable += weight;
            }
            heaviest[node] =
                best.map(|best| Path { weight: best.weight + weight, item: best.item });
        }
        paths.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.item.cmp(&b.item)));
        let paths: Vec<Path> = heaviest[0].into_iter().chain(paths).collect();
        Self::from_paths(sites.fixed(), &paths, inevitable)
    }

    /// The order of centers, and their costs: the fixed ones, and then the ends of paths.
    fn from_paths(fixed: &[usize], paths: &[Path], inevitable: f64) -> Self {
        let free = paths.iter().map(|path| path.item);
        let order = fixed.iter().map(|&item| item as u32).chain(free).collect();
        // Summed from the lightest path up, so that with all items as centers the cost is exactly
        // zero.
        let mut sums = vec![inevitable];
        for path in paths.iter().rev() {
            sums.push(sums.last().map_or(0.0, |sum| sum + path.weight));
        }
        sums.reverse();
        let costs = match fixed.len() {
            0 => sums.split_off(1),
            fixed => vec![sums[0]; fixed - 1].into_iter().chain(sums).collect(),
        };
        Self { order, costs }
    }

    /// The best `k` centers, or all candidates if there are fewer than `k`. The first are the fixed
    /// ones.
    pub fn centers(&self, k: usize) -> Vec<usize> {
        self.order.iter().take(k).map(|&item| item as usize).collect()
    }

    /// The cost of the best `k` centers in the tree metric, or of all candidates if there are fewer
    /// than `k`: zero, if these are all items. A `k` of zero counts as one, and one below the
    /// number of fixed centers as that.
    pub fn cost(&self, k: usize) -> f64 {
        let last = self.costs.len().saturating_sub(1);
        self.costs.get(k.saturating_sub(1).min(last)).copied().unwrap_or(0.0)
    }
}

/// Returns the heaviest path, the first one if several are equally heavy, and adds the others to
/// the list; `None` without a path.
fn keep_heaviest(mut paths: impl Iterator<Item = Path>, others: &mut Vec<Path>) -> Option<Path> {
    let mut best = paths.next()?;
    for path in paths {
        let lighter =
            if path.weight > best.weight { std::mem::replace(&mut best, path) } else { path };
        others.push(lighter);
    }
    Some(best)
}
