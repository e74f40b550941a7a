use crate::Demand;
use crate::tree::Tree;

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
    paper_search_by_counts(tree, &tree.counts(demand), demand, k)
}

/// The paper's search, as in [`paper_search`], by given counts of the cells, which may be noisy.
/// The demand decides only which item of a leaf is taken.
pub(crate) fn paper_search_by_counts(
    tree: &Tree,
    counts: &[f64],
    demand: &Demand,
    k: usize,
) -> Vec<usize> {
    let cells = subtree_search(tree, counts, k);
    let mut centers: Vec<usize> =
        cells.iter().map(|&cell| find_leaf(tree, counts, demand, cell)).collect();
    fill_up(tree, demand, &cells, &mut centers, k);
    centers
}

/// Chooses `k` cells, none above another, by score. It takes the cells with the highest scores,
/// drops those that have another chosen cell below, and repeats this until there are `k`, or no
/// cells are left.
fn subtree_search(tree: &Tree, counts: &[f64], k: usize) -> Vec<usize> {
    let score = |&node: &usize| counts[node] * f64::from(tree.nodes()[node].level).exp2();
    let mut ranked: Vec<usize> = (0..tree.nodes().len()).collect();
    ranked.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
    let mut ranked = ranked.into_iter();

    let mut chosen: Vec<usize> = Vec::with_capacity(k);
    // Marks the cells above a chosen one. A chosen cell has all cells above it marked.
    let mut above = vec![false; tree.nodes().len()];
    while chosen.len() < k {
        let missing = k - chosen.len();
        let batch: Vec<usize> =
            ranked.by_ref().filter(|&node| !above[node]).take(missing).collect();
        if batch.is_empty() {
            break;
        }
        for &node in &batch {
            let mut below = node;
            while below != 0 && !above[tree.nodes()[below].parent as usize] {
                below = tree.nodes()[below].parent as usize;
                above[below] = true;
            }
        }
        chosen.extend(batch);
        chosen.retain(|&node| !above[node]);
    }
    chosen
}

/// Walks down from a cell, always to the child with the most demand, to an item.
fn find_leaf(tree: &Tree, counts: &[f64], demand: &Demand, mut node: usize) -> usize {
    while let Some(first) = tree.nodes()[node].children().next() {
        let heavier =
            |best: usize, child: usize| if counts[child] > counts[best] { child } else { best };
        node = tree.nodes()[node].children().fold(first, heavier);
    }
    best_of_leaf(tree, demand, node)
}

/// The item of a leaf with the most demand; the leaf's center, if no item has more.
fn best_of_leaf(tree: &Tree, demand: &Demand, leaf: usize) -> usize {
    let center = tree.nodes()[leaf].center;
    let heavier = |best: u32, &item: &u32| {
        if demand.of(item as usize) > demand.of(best as usize) { item } else { best }
    };
    tree.items(leaf).iter().fold(center, heavier) as usize
}

/// Adds items of the chosen leaves until there are `k` centers, as far as there are items.
fn fill_up(tree: &Tree, demand: &Demand, cells: &[usize], centers: &mut Vec<usize>, k: usize) {
    if centers.len() >= k {
        return;
    }
    let mut taken = vec![false; tree.len()];
    centers.iter().for_each(|&center| taken[center] = true);
    for &cell in cells {
        let mut spare: Vec<usize> = tree
            .items(cell)
            .iter()
            .map(|&item| item as usize)
            .filter(|&item| !taken[item])
            .collect();
        spare.sort_by(|&a, &b| demand.of(b).total_cmp(&demand.of(a)).then(a.cmp(&b)));
        spare.truncate(k - centers.len());
        centers.extend(spare);
    }
}
