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
        let few = (items as f64 / ITEMS_PER_LEAF).clamp(LEAST_LEAVES, MOST_LEAVES);
        let more = MOST_LEAVES.min(items as f64).max(few);
        let two_levels =
            |leaves: f64| TreeKind::Fitted { branching: leaves.sqrt().round() as usize, levels: 2 };
        let fine = |levels: usize| TreeKind::Fitted { branching: FINE_BRANCHING, levels };
        let mut all = vec![
            Choice { least_signal: 0.0, tree: two_levels(few), split: split(Split::Paper) },
            Choice {
                least_signal: FOR_LEAVES,
                tree: two_levels(more),
                split: split(Split::Uniform),
            },
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

/// The fewest leaves: two levels of four parts each.
const LEAST_LEAVES: f64 = 16.0;

/// The most leaves of two levels of fourteen parts each.
const MOST_LEAVES: f64 = 196.0;

/// The signal from which on leaves are worth as large a part of ε as groups of leaves: with 500
/// records, from ε = 0.3 on.
const FOR_LEAVES: f64 = 150.0;

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
        assert_eq!(trees(&recipe("1", None), 3000), [(10, 2), (14, 2), (22, 3)]);
        assert_eq!(trees(&recipe("1", None), 100_000), [(14, 2), (14, 2), (22, 3), (22, 4)]);
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
    fn what_is_asked_for_is_built() {
        let asked = Recipe { tree: Some(TreeKind::Frt), ..recipe("1", None) };
        assert_eq!(asked.choices(100).len(), 1);
        assert_eq!(asked.choices(100)[0].tree, TreeKind::Frt);
        let split = Recipe { split: Split::CubeRoot, ..recipe("1", None) };
        assert!(split.choices(5000).iter().all(|choice| choice.split == Split::CubeRoot));
    }
}
