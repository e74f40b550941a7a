//! The items that are farthest from their centers.

use kmedian::Assignment;

/// How many of the items that are farthest from their centers a page marks: a table to be read at a
/// glance.
const MARKED: usize = 10;

/// The items that are farthest from their centers, farthest first, among those that count; none
/// that is at its center.
pub(crate) fn farthest(assignment: &Assignment, items: impl Iterator<Item = usize>) -> Vec<usize> {
    let away = |item: usize| assignment.distances[item];
    let mut found: Vec<usize> = items.filter(|&item| away(item) > 0.0).collect();
    let order = |a: &usize, b: &usize| away(*b).total_cmp(&away(*a)).then(a.cmp(b));
    if found.len() > MARKED {
        found.select_nth_unstable_by(MARKED, order);
        found.truncate(MARKED);
    }
    found.sort_by(order);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_farthest_come_first_and_centers_never() {
        let distances: Vec<f32> = (0..40).map(|item| f32::from((item * 7 % 40) as u8)).collect();
        let assignment = Assignment { labels: vec![0; 40], distances };
        let found = farthest(&assignment, 0..40);
        let away: Vec<f32> = found.iter().map(|&item| assignment.distances[item]).collect();
        assert_eq!(away, (30..40).rev().map(|d| d as f32).collect::<Vec<_>>());
        assert!(farthest(&assignment, 0..1).is_empty());
    }
}
