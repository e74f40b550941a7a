use crate::tree::Tree;
use crate::{Demand, Sites};

/// The paper's search (Algorithms 4 and 5) for `k` centers on a tree.
///
/// The score of a cell is its demand times 2^level. The cells with the highest scores that are not
/// above one another are chosen; from each, a walk down to the child with the most demand ends at a
/// center. Where the tree has fewer than `k` leaves, the leaves with the highest scores give
/// further items.
///
/// Under heights that double from level to level, the cost in the tree metric is at most ten times
/// the best for k-median, and 34 times for k-means.
pub fn paper_search(tree: &Tree, demand: &Demand, k: usize) -> Vec<usize> {
    paper_search_among(&Sites::default(), tree, demand, k)
}

/// [`paper_search`] with centers among the candidates of `sites`, the fixed ones first. A cell with
/// a fixed center is served already, and is not chosen.
pub fn paper_search_among(sites: &Sites, tree: &Tree, demand: &Demand, k: usize) -> Vec<usize> {
    paper_search_by_counts(sites, tree, &tree.counts(demand), demand, k)
}

/// The paper's search, as in [`paper_search_among`], by given counts of the cells, which may be
/// noisy. The demand decides only which item of a leaf is taken.
pub(crate) fn paper_search_by_counts(
    sites: &Sites,
    tree: &Tree,
    counts: &[f64],
    demand: &Demand,
    k: usize,
) -> Vec<usize> {
    let task = Task { sites, tree, counts, demand, open: open_cells(sites, tree) };
    let fixed = sites.fixed();
    let cells = task.subtree_search(k - fixed.len());
    let found = cells.iter().map(|&cell| task.find_leaf(cell));
    let mut centers: Vec<usize> = fixed.iter().copied().chain(found).collect();
    task.fill_up(&cells, &mut centers, k);
    centers
}

/// By cell, whether it holds a candidate that is not fixed.
fn open_cells(sites: &Sites, tree: &Tree) -> Vec<bool> {
    let mut open = vec![sites.is_default(); tree.nodes().len()];
    if sites.is_default() {
        return open;
    }
    for (node, cell) in tree.nodes().iter().enumerate().rev() {
        open[node] = match cell.is_leaf() {
            true => tree.items(node).iter().any(|&item| sites.is_free(item as usize)),
            false => cell.children().any(|child| open[child]),
        };
    }
    open
}

/// A search for centers on a tree, by the counts of its cells.
struct Task<'a> {
    sites: &'a Sites,
    tree: &'a Tree,
    counts: &'a [f64],
    demand: &'a Demand,
    /// By cell, whether it holds a candidate that is not fixed.
    open: Vec<bool>,
}

impl Task<'_> {
    /// Chooses `k` cells, none above another or above a fixed center, by score. It takes the cells
    /// with the highest scores, drops those that have another chosen cell below, and repeats this
    /// until there are `k`, or no cells are left.
    fn subtree_search(&self, k: usize) -> Vec<usize> {
        let nodes = self.tree.nodes();
        let score = |&node: &usize| self.counts[node] * f64::from(nodes[node].level).exp2();
        let mut ranked: Vec<usize> = (0..nodes.len()).filter(|&node| self.open[node]).collect();
        ranked.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
        let mut ranked = ranked.into_iter();

        let mut chosen: Vec<usize> = Vec::with_capacity(k);
        // Marks the cells above a chosen one or with a fixed center. A marked cell has all cells
        // above it marked, and so has a chosen one.
        let mut above = self.tree.cells_with(self.sites.fixed());
        while chosen.len() < k {
            let missing = k - chosen.len();
            let batch: Vec<usize> =
                ranked.by_ref().filter(|&node| !above[node]).take(missing).collect();
            if batch.is_empty() {
                break;
            }
            for &node in &batch {
                let mut below = node;
                while below != 0 && !above[nodes[below].parent as usize] {
                    below = nodes[below].parent as usize;
                    above[below] = true;
                }
            }
            chosen.extend(batch);
            chosen.retain(|&node| !above[node]);
        }
        chosen
    }

    /// Walks down from a cell, always to the child with the most demand that holds a candidate, to
    /// an item.
    fn find_leaf(&self, mut node: usize) -> usize {
        let heavier = |best: usize, child: usize| {
            if self.counts[child] > self.counts[best] { child } else { best }
        };
        loop {
            let children = self.tree.nodes()[node].children();
            let Some(best) = children.filter(|&child| self.open[child]).reduce(heavier) else {
                return self.best_of_leaf(node);
            };
            node = best;
        }
    }

    /// The candidate of a leaf with the most demand; the leaf's center, if it is one and none has
    /// more.
    fn best_of_leaf(&self, leaf: usize) -> usize {
        let center = self.tree.nodes()[leaf].center;
        let free = |&item: &u32| self.sites.is_free(item as usize);
        let heavier = |best: u32, item: u32| {
            if self.demand.of(item as usize) > self.demand.of(best as usize) { item } else { best }
        };
        let all = std::iter::once(center).chain(self.tree.items(leaf).iter().copied());
        all.filter(free).reduce(heavier).unwrap_or(center) as usize
    }

    /// Adds candidates of the chosen leaves, and then of all others, until there are `k` centers,
    /// as far as there are candidates.
    fn fill_up(&self, cells: &[usize], centers: &mut Vec<usize>, k: usize) {
        let mut taken = vec![false; self.tree.len()];
        centers.iter().for_each(|&center| taken[center] = true);
        // All items are in the root.
        for &cell in cells.iter().chain(&[0]) {
            if centers.len() >= k {
                return;
            }
            let items = self.tree.items(cell).iter().map(|&item| item as usize);
            let mut spare: Vec<usize> =
                items.filter(|&item| !taken[item] && self.sites.is_free(item)).collect();
            let demand = self.demand;
            spare.sort_by(|&a, &b| demand.of(b).total_cmp(&demand.of(a)).then(a.cmp(&b)));
            spare.truncate(k - centers.len());
            spare.iter().for_each(|&item| taken[item] = true);
            centers.extend(spare);
        }
    }
}
