//! From estimates of cells to weights of items.

use super::hierarchy::Hierarchy;

/// The weight of every item: the estimated counts of cells, shared out from the root down.
///
/// Cells with a negative estimate are pruned, with all below them: they have less demand than
/// noise. The other parts of a cell are scaled so that they add up to the cell again. The items of
/// a leaf have equal weights, since nothing tells them apart. `None` if no cell is left.
pub(super) fn weights(shape: &Hierarchy, estimates: &[f64]) -> Option<Vec<f64>> {
    let mut masses = vec![0.0; shape.len()];
    masses[0] = estimates[0].max(0.0);
    for node in (0..shape.len()).filter(|&node| !shape.is_leaf(node)) {
        let kept: f64 = shape.children(node).map(|child| estimates[child].max(0.0)).sum();
        if kept > 0.0 {
            let scale = masses[node] / kept;
            shape
                .children(node)
                .for_each(|child| masses[child] = estimates[child].max(0.0) * scale);
        }
    }
    let sizes = shape.sizes();
    let share = |&leaf: &u32| masses[leaf as usize] / sizes[leaf as usize] as f64;
    let weights: Vec<f64> = shape.leaves().iter().map(share).collect();
    weights.iter().any(|&weight| weight > 0.0).then_some(weights)
}
