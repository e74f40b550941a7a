/// Items in groups, each round an anchor, so that a question may skip most of them unseen.
///
/// Every item has a *reach*: from a source at least that far from the anchor, the item cannot be
/// closer than its cap. With centers for anchors, d1 the distance of an item to its center and d2
/// its cap, the reach is d1 + d2 by the triangle inequality. The items of a group are sorted by
/// falling reach, so that a question is done with a group at the first item out of reach.
#[derive(Debug, Clone, Default)]
pub struct Groups {
    anchors: Vec<u32>,
    groups: Vec<Group>,
}

/// The items round one anchor, by falling reach.
#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    items: Vec<u32>,
    /// The reach of each item, in falling order: from a source at least that far from the anchor,
    /// the item cannot be closer than its cap.
    reaches: Vec<f32>,
}

impl Group {
    pub(crate) fn new(items: &[u32], reach: impl Fn(u32) -> f32) -> Self {
        let mut members: Vec<(f32, u32)> = items.iter().map(|&item| (reach(item), item)).collect();
        members.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let (reaches, items) = members.into_iter().unzip();
        Self { items, reaches }
    }

    /// The largest reach of an item of the group; 0 if there are no items.
    #[inline]
    pub(crate) fn farthest(&self) -> f32 {
        self.reaches.first().copied().unwrap_or(0.0)
    }
}

impl Groups {
    /// Makes an empty group around each of the given items, which is the anchor of its group.
    pub fn new(anchors: Vec<u32>) -> Self {
        let groups = vec![Group::default(); anchors.len()];
        Self { anchors, groups }
    }

    /// Whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Replaces a group, given by its position among the anchors: its anchor, and its items with
    /// their reaches.
    pub fn set(&mut self, group: usize, anchor: u32, items: &[u32], reach: impl Fn(u32) -> f32) {
        self.put(group, anchor, Group::new(items, reach));
    }

    pub(crate) fn put(&mut self, at: usize, anchor: u32, group: Group) {
        self.anchors[at] = anchor;
        self.groups[at] = group;
    }

    /// All items, group by group.
    pub fn items(&self) -> impl Iterator<Item = u32> {
        self.groups.iter().flat_map(|group| group.items.iter().copied())
    }

    /// The anchor of each group: the item that the others are round.
    pub(crate) fn anchors(&self) -> &[u32] {
        &self.anchors
    }

    /// The largest reach in a group; 0 if it is empty. From a source as far as that, no item is
    /// closer than its cap.
    #[inline]
    pub(crate) fn farthest(&self, group: usize) -> f32 {
        self.groups[group].farthest()
    }

    /// The items of a group that may be closer to a source than their caps, given the distance of
    /// the source from the anchor.
    #[inline]
    pub(crate) fn reached(&self, group: usize, distance: f32) -> &[u32] {
        let Group { items, reaches } = &self.groups[group];
        &items[..reaches.partition_point(|&reach| reach > distance)]
    }

    /// The items of all groups that may be closer to a source than their caps, given a function for
    /// the distance of the source from an anchor.
    pub(super) fn within_reach(
        &self,
        mut distance: impl FnMut(u32) -> f32,
    ) -> impl Iterator<Item = u32> {
        self.anchors.iter().enumerate().flat_map(move |(group, &anchor)| {
            let empty = self.groups[group].items.is_empty();
            let distance = if empty { 0.0 } else { distance(anchor) };
            self.reached(group, distance).iter().copied()
        })
    }
}
