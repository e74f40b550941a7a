use std::ops::Range;

/// Items in groups, each round an anchor, so that a question may skip most of them unseen.
///
/// Every item has a *reach*: from a source at least that far from the anchor, the item cannot be closer
/// than its cap. With centers for anchors, d1 the distance of an item to its center and d2 its cap, the
/// reach is d1 + d2 by the triangle inequality. Groups are sorted by falling reach, so that a question is
/// done with a group at the first item out of reach.
#[derive(Debug, Clone, Default)]
pub struct Groups {
    anchors: Vec<u32>,
    /// Where each group ends.
    ends: Vec<usize>,
    items: Vec<u32>,
    reaches: Vec<f32>,
}

impl Groups {
    /// Sorts items into groups. `group_of` gives an item's group, by its position among the anchors, and
    /// its reach.
    pub fn new(anchors: Vec<u32>, items: &[u32], group_of: impl Fn(u32) -> (usize, f32)) -> Self {
        let mut members: Vec<Vec<(f32, u32)>> = vec![Vec::new(); anchors.len()];
        for &item in items {
            let (group, reach) = group_of(item);
            members[group].push((reach, item));
        }
        let mut groups = Self { anchors, ..Self::default() };
        for mut members in members {
            members.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            groups.items.extend(members.iter().map(|member| member.1));
            groups.reaches.extend(members.iter().map(|member| member.0));
            groups.ends.push(groups.items.len());
        }
        groups
    }

    /// All items, group by group.
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// The item that each group is round.
    pub(super) fn anchors(&self) -> &[u32] {
        &self.anchors
    }

    /// The largest reach in a group; 0 if it is empty. From a source as far as that, no item is closer
    /// than its cap.
    #[inline]
    pub(super) fn farthest(&self, group: usize) -> f32 {
        self.reaches[self.span(group)].first().copied().unwrap_or(0.0)
    }

    /// The items of a group that a source may be close to, given its distance from the anchor.
    #[inline]
    pub(super) fn reached(&self, group: usize, distance: f32) -> &[u32] {
        let span = self.span(group);
        let reached = self.reaches[span.clone()].partition_point(|&reach| reach > distance);
        &self.items[span][..reached]
    }

    /// The items that a source may be close to, given its distance from any anchor.
    pub(super) fn within_reach(
        &self,
        mut distance: impl FnMut(u32) -> f32,
    ) -> impl Iterator<Item = u32> {
        self.anchors.iter().enumerate().flat_map(move |(group, &anchor)| {
            let distance = if self.span(group).is_empty() { 0.0 } else { distance(anchor) };
            self.reached(group, distance).iter().copied()
        })
    }

    /// Where a group lies among the items.
    #[inline]
    fn span(&self, group: usize) -> Range<usize> {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        start..self.ends[group]
    }
}
