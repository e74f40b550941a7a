use super::{Epsilon, Protection, Split};
use crate::{Seed, TreeKind};

/// All that is decided before the demand is read: ε, how it is split, whom it protects, and the
/// tree.
///
/// [`Recipe::new`] takes ε, and the defaults that measure best. Say about how many `records` there
/// are, if that is public: the tree is then made for as many. Change the `protection` where a
/// person has several records, or where the number of records is public and neighboring tables
/// replace one by another. The same ε then means more noise, but it protects what you mean. Nothing
/// here may be chosen by looking at the demand.
///
/// ```
/// use kmedian::privacy::{Epsilon, Recipe};
///
/// let recipe = Recipe { records: Some(20_000), ..Recipe::new("0.5".parse::<Epsilon>()?) };
/// assert_eq!(recipe.epsilon.to_string(), "0.5");
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// The privacy loss that all levels of the tree may have together.
    pub epsilon: Epsilon,
    /// How ε is split over the levels of the tree.
    pub split: Split,
    /// How the tree is built. By default it is fitted to the items, and the number of its leaves
    /// follows from ε and the numbers of items and records. It never sees the demand.
    pub tree: Option<TreeKind>,
    /// About how many records there are, if that is public: with many, the default tree has more
    /// leaves. With `None` it is built as for 500.
    pub records: Option<u64>,
    /// What is protected as a whole (a record, or all records of an owner), and which tables are
    /// neighbors.
    pub protection: Protection,
    /// The seed of the tree's randomness. It is public, and the noise does not depend on it.
    pub seed: Seed,
}

impl Recipe {
    /// A recipe with this ε and the defaults, which measure best.
    pub fn new(epsilon: Epsilon) -> Self {
        Self {
            epsilon,
            split: Split::default(),
            tree: None,
            records: None,
            protection: Protection::default(),
            seed: Seed::default(),
        }
    }

    /// The kind of tree to build over this number of items: the one that the recipe names, or else
    /// a fitted one whose size follows from public numbers alone.
    pub(super) fn tree_for(&self, items: usize) -> TreeKind {
        let few = (items as f64 / ITEMS_PER_LEAF).clamp(LEAST_LEAVES, MOST_LEAVES);
        let leaves = few.max(self.affordable_leaves().min(items as f64));
        let mut levels = 2;
        while leaves > libm::pow(MOST_BRANCHING, levels as f64) {
            levels += 1;
        }
        let branching = libm::pow(leaves, 1.0 / levels as f64).round() as usize;
        self.tree.unwrap_or(TreeKind::Fitted { branching, levels })
    }

    /// The number of leaves whose counts can be told from noise.
    fn affordable_leaves(&self) -> f64 {
        let epsilon = self.epsilon.approximate() / self.protection.records() as f64;
        epsilon * self.records.unwrap_or(A_FEW_HUNDRED).max(1) as f64 / SIGNAL_PER_LEAF
    }
}

/// About how many items share a leaf of the default tree. With fewer, the noise is too loud for a
/// few hundred records; with more, a leaf says too little about where its records are.
const ITEMS_PER_LEAF: f64 = 22.0;

/// The fewest leaves of the default tree: two levels of four parts each.
const LEAST_LEAVES: f64 = 16.0;

/// The most leaves of the default tree that the number of items alone calls for: two levels of
/// fourteen parts each. For more leaves there must be more records.
const MOST_LEAVES: f64 = 196.0;

/// The number of records that is assumed if it is not public.
const A_FEW_HUNDRED: u64 = 500;

/// The product of ε and the number of records in a leaf that the default tree aims at. With less,
/// the noise of a leaf drowns its count.
const SIGNAL_PER_LEAF: f64 = 2.5;

/// The most parts that the default tree splits a cell into; for more leaves it has another level.
const MOST_BRANCHING: f64 = 22.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Unit;

    /// How many leaves the default tree is to have.
    fn leaves(epsilon: &str, records: Option<u64>, unit: Unit, items: usize) -> usize {
        let protection = Protection { unit, ..Protection::default() };
        let epsilon = epsilon.parse().expect("an ε");
        let recipe = Recipe { records, protection, ..Recipe::new(epsilon) };
        match recipe.tree_for(items) {
            TreeKind::Fitted { branching, levels } => branching.pow(levels as u32),
            other => panic!("{other} is not the default"),
        }
    }

    #[test]
    fn leaves_grow_with_what_can_be_told_from_noise() {
        let one = Unit::Record;
        assert_eq!(leaves("1", None, one, 100), 100);
        assert_eq!(leaves("0.1", None, one, 100), 16);
        assert_eq!(leaves("1", None, one, 3000), 196);
        assert_eq!(leaves("0.1", None, one, 3000), 144);
        assert_eq!(leaves("1", None, one, 10_000), 196);
        assert_eq!(leaves("1", Some(300), one, 10_000), 196, "no more than by default");
        assert_eq!(leaves("1", Some(1000), one, 10_000), 400);
        assert_eq!(leaves("10", Some(500), one, 10_000), 13_usize.pow(3));
        let five = Unit::Owner { at_most: 5.try_into().expect("positive") };
        assert_eq!(leaves("5", Some(1000), five, 10_000), 400, "noise is five times as large");
    }

    #[test]
    fn there_are_about_as_many_leaves_as_items_at_most() {
        for items in [50, 1000, 10_000, 1_000_000] {
            let all = leaves("1", Some(1 << 40), Unit::Record, items);
            assert!(all < 2 * items, "{all} leaves for {items} items");
            assert!(2 * all > items, "{all} leaves for {items} items");
        }
        let everything = Recipe { records: Some(10), ..Recipe::new(Epsilon::infinite()) };
        assert_eq!(everything.tree_for(100), TreeKind::Fitted { branching: 10, levels: 2 });
    }
}
