use super::ExactSearch;
use crate::Demand;
use crate::tree::Tree;

/// The cells that the exact search chooses for `k` centers, each with the item in its middle.
///
/// In the tree metric any item at the end of a heaviest path is as good as can be. In the metric itself
/// the center of a cell that holds most of what its path serves is better. So each path is followed down
/// from where it begins, as long as more than half of the demand that it serves lies below; the center
/// of the cell where that ends is taken, or the item of the path where that is taken already.
pub fn central_centers(tree: &Tree, search: &ExactSearch, demand: &Demand, k: usize) -> Vec<usize> {
    let counts = tree.counts(demand);
    let tops = search.tops(k);
    let leaves = tree.leaves();
    let served = served_elsewhere(tree, &counts, tops);
    let mut taken = vec![false; tree.len()];
    let mut centers = Vec::with_capacity(tops.len());
    for (item, &top) in search.centers(k).into_iter().zip(tops) {
        let left = |node: usize| counts[node] - served[node];
        let mut cell = top as usize;
        for &below in path(tree, leaves[item] as usize, top as usize).iter().skip(1) {
            if 2.0 * left(below) <= left(top as usize) {
                break;
            }
            cell = below;
        }
        let middle = tree.nodes()[cell].center as usize;
        let spare = || {
            tree.items(top as usize).iter().map(|&item| item as usize).find(|&item| !taken[item])
        };
        let center = [middle, item].into_iter().find(|&item| !taken[item]).or_else(spare);
        if let Some(center) = center {
            taken[center] = true;
            centers.push(center);
        }
    }
    centers
}

/// The cells from `top` down to `leaf`.
fn path(tree: &Tree, leaf: usize, top: usize) -> Vec<usize> {
    let mut cells = vec![leaf];
    while let Some(&cell) = cells.last().filter(|&&cell| cell != top) {
        cells.push(tree.nodes()[cell].parent as usize);
    }
    cells.reverse();
    cells
}

/// For every cell, the demand in it that paths serve which begin below it.
fn served_elsewhere(tree: &Tree, counts: &[f64], tops: &[u32]) -> Vec<f64> {
    let mut is_top = vec![false; tree.nodes().len()];
    tops.iter().for_each(|&top| is_top[top as usize] = true);
    let mut served = vec![0.0; tree.nodes().len()];
    for node in (1..tree.nodes().len()).rev() {
        let parent = tree.nodes()[node].parent as usize;
        served[parent] += if is_top[node] { counts[node] } else { served[node] };
    }
    served
}
