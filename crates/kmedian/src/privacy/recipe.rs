use super::{Epsilon, Protection, Split};
use crate::{Seed, TreeKind};

/// All that is decided before the demand is read: ε, how it is split, whom it protects, and the
/// tree.
///
/// [`Recipe::new`] takes ε, and the defaults that measure best. Nobody needs to say how many
/// records there are: a small part of ε, one in 32, finds that out to choose the tree. If it is
/// public, say about how many `records` there are: all of ε is then for the tree. Change the
/// `protection` where a person has several records, or where the number of records is public and
/// neighboring tables replace one by another. The same ε then means more noise, but it protects
/// what you mean. Nothing here may be chosen by looking at the demand.
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
    /// follows from ε and the numbers of items and records. It sees nothing else of the demand.
    pub tree: Option<TreeKind>,
    /// About how many records there are, if that is public: with many, the default tree has more
    /// leaves. With `None` the number is counted, with noise, for one part in 32 of ε, unless the
    /// kind of tree is given.
    pub records: Option<u64>,
    /// What is protected as a whole (a record, or all records of an owner), and which tables are
    /// neighbors.
    pub protection: Protection,
    /// The seed of the tree's randomness. It is public, and the noise does not depend on it.
    pub seed: Seed,
}

impl Recipe {
    /// A recipe with this ε and the defaults, which did best in measurements: single records are
    /// protected, and the tree is fitted to the public items.
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

    /// The trees that may be built over this number of items, and how ε is split over each: the one
    /// that the recipe names, or the default ones. They differ in how many records they are for;
    /// the first is for the fewest.
    ///
    /// What matters is the *signal*: the number of records, times ε, divided by the number of
    /// records that neighboring tables may differ in. Where the number of records is public, or
    /// there is no noise, a single tree is left.
    pub(super) fn choices(&self, items: usize) -> Vec<Choice> {
        let split = |auto: Split| if self.split == Split::Auto { auto } else { self.split };
        if let Some(tree) = self.tree {
            return vec![Choice { least_signal: 0.0, tree, split: split(Split::Auto) }];
        }
        let few = (items as f64 / ITEMS_PER_LEAF).clamp(LEAST_LEAVES, SOME_LEAVES);
        let some = SOME_LEAVES.min(items as f64).max(few);
        let more = (items as f64 / FEWER_ITEMS_PER_LEAF).clamp(some, MOST_LEAVES);
        let for_more = if more > some { FOR_MORE_LEAVES } else { FOR_FINER_SHARES };
        let two_levels = |least_signal: f64, leaves: f64, auto: Split| {
            let branching = leaves.sqrt().round() as usize;
            let tree = TreeKind::Fitted { branching, levels: 2 };
            Choice { least_signal, tree, split: split(auto) }
        };
        let fine = |levels: usize| TreeKind::Fitted { branching: FINE_BRANCHING, levels };
        let mut all = vec![
            two_levels(0.0, few, Split::Paper),
            two_levels(FOR_LEAVES, some, Split::Uniform),
            two_levels(for_more, more, Split::CubeRoot),
        ];
        let (mut leaves, mut least_signal) = ((FINE_BRANCHING * FINE_BRANCHING) as f64, FOR_ITEMS);
        for levels in 3..=MOST_LEVELS {
            all.push(Choice { least_signal, tree: fine(levels), split: split(Split::Uniform) });
            leaves *= FINE_BRANCHING as f64;
            least_signal *= FINE_BRANCHING as f64;
            if leaves >= items as f64 {
                break;
            }
        }
        let known = match self.records {
            Some(records) => Some(self.signal(records as f64)),
            None => (!self.epsilon.is_finite()).then_some(f64::INFINITY),
        };
        match known {
            None => all,
            Some(signal) => {
                let at = all.iter().rposition(|choice| choice.least_signal <= signal);
                vec![all.swap_remove(at.unwrap_or(0))]
            }
        }
    }

    /// The signal of a number of records: see [`Recipe::choices`].
    pub(super) fn signal(&self, records: f64) -> f64 {
        records * self.epsilon.approximate() / self.protection.records() as f64
    }
}

/// A tree that may be built, and how ε is split over it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Choice {
    /// The least signal for which this tree is better than the one before it.
    pub(super) least_signal: f64,
    pub(super) tree: TreeKind,
    pub(super) split: Split,
}

/// About how many items share a leaf where there are few records. With fewer, the noise is too
/// loud; with more, a leaf says too little about where its records are.
const ITEMS_PER_LEAF: f64 = 28.0;

/// The fewest leaves of a tree of two levels: four parts of four parts each.
const LEAST_LEAVES: f64 = 16.0;

/// Two levels of fourteen parts each: the most leaves where there are few records, and the fewest
/// where there are many.
const SOME_LEAVES: f64 = 196.0;

/// About how many items share a leaf where there are more records. On 6,105 junctions, 18 × 18
/// leaves measured better than 14 × 14; on 3,000 and 4,000 items they did not.
const FEWER_ITEMS_PER_LEAF: f64 = 19.0;

/// The most leaves of two levels: eighteen parts of eighteen parts each.
const MOST_LEAVES: f64 = 324.0;

/// The signal from which on leaves are worth as large a part of ε as groups of leaves: with 500
/// records, from ε = 0.3 on.
const FOR_LEAVES: f64 = 150.0;

/// The signal from which on leaves are worth more of ε than groups where there are items enough for
/// more leaves. With 500 records at ε = 1 this measured better on images and road networks of 4,000
/// items and more, and worse on the paper's graphs, one of 6,000 nodes among them, so the number of
/// items is no more than a compromise. At 150 it was better on one universe of three.
const FOR_MORE_LEAVES: f64 = 300.0;

/// The signal from which on leaves are worth more of ε than groups, however few items there are: at
/// 1,500 this measured better, or as good, on every universe.
const FOR_FINER_SHARES: f64 = 1000.0;

/// The signal from which on items are worth being counted one by one below the leaves: with 5,000
/// records, from ε = 0.5 on. At 2,000 both trees measured alike.
const FOR_ITEMS: f64 = 2500.0;

/// The number of parts into which fine trees split their cells: the first two levels have 484
/// leaves, which are still found at once.
const FINE_BRANCHING: usize = 22;

/// The most levels of a fine tree: enough for five million items.
const MOST_LEVELS: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Unit;

    fn recipe(epsilon: &str, records: Option<u64>) -> Recipe {
        Recipe { records, ..Recipe::new(epsilon.parse().expect("an ε")) }
    }

    /// The trees of a recipe over so many items, as branching and levels.
    fn trees(recipe: &Recipe, items: usize) -> Vec<(usize, usize)> {
        let shape = |choice: &Choice| match choice.tree {
            TreeKind::Fitted { branching, levels } => (branching, levels),
            other => panic!("{other} is not the default"),
        };
        recipe.choices(items).iter().map(shape).collect()
    }

    #[test]
    fn trees_grow_with_the_signal() {
        assert_eq!(trees(&recipe("1", None), 3000), [(10, 2), (14, 2), (14, 2), (22, 3)]);
        assert_eq!(trees(&recipe("1", None), 6105), [(14, 2), (14, 2), (18, 2), (22, 3)]);
        let many = [(14, 2), (14, 2), (18, 2), (22, 3), (22, 4)];
        assert_eq!(trees(&recipe("1", None), 100_000), many);
        assert_eq!(trees(&recipe("1", None), 50), [(4, 2), (7, 2), (7, 2), (22, 3)]);
        assert_eq!(trees(&recipe("1", Some(100)), 3000), [(10, 2)]);
        assert_eq!(trees(&recipe("1", Some(500)), 3000), [(14, 2)]);
        assert_eq!(trees(&recipe("0.1", Some(500)), 3000), [(10, 2)]);
        assert_eq!(trees(&recipe("1", Some(5000)), 3000), [(22, 3)]);
        let five = Unit::Owner { at_most: 5.try_into().expect("positive") };
        let protection = Protection { unit: five, ..Protection::default() };
        let owners = Recipe { protection, ..recipe("1", Some(5000)) };
        assert_eq!(trees(&owners, 3000), [(14, 2)], "noise is five times as large");
        let exact = Recipe::new(Epsilon::infinite());
        assert_eq!(trees(&exact, 3000), [(22, 3)]);
    }

    #[test]
    fn leaves_get_more_of_epsilon_with_the_signal() {
        let split = |items, records| recipe("1", Some(records)).choices(items)[0].split;
        for (items, from) in [(3000, 1000), (6105, 300)] {
            assert_eq!(split(items, 149), Split::Paper);
            assert_eq!(split(items, 150), Split::Uniform);
            assert_eq!(split(items, from - 1), Split::Uniform);
            assert_eq!(split(items, from), Split::CubeRoot);
            assert_eq!(split(items, 2499), Split::CubeRoot);
            assert_eq!(split(items, 2500), Split::Uniform);
        }
    }

    #[test]
    fn what_is_asked_for_is_built() {
        let asked = Recipe { tree: Some(TreeKind::Frt), ..recipe("1", None) };
        assert_eq!(asked.choices(100).len(), 1);
        assert_eq!(asked.choices(100)[0].tree, TreeKind::Frt);
        let split = Recipe { split: Split::CubeRoot, ..recipe("1", None) };
        assert!(split.choices(5000).iter().all(|choice| choice.split == Split::CubeRoot));
    }
}
