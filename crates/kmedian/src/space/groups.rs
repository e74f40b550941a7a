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

    /// The items that a source may be close to, given its distance from any anchor.
    pub(super) fn within_reach(
        &self,
        mut distance: impl FnMut(u32) -> f32,
    ) -> impl Iterator<Item = u32> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans = starts.zip(&self.ends).zip(&self.anchors);
        spans.flat_map(move |((start, &end), &anchor)| {
            let distance = if start == end { 0.0 } else { distance(anchor) };
            let reached = self.reaches[start..end].partition_point(|&reach| reach > distance);
            self.items[start..start + reached].iter().copied()
        })
    }
}
