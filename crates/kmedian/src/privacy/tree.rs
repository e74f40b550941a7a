use super::budget::LevelBudget;
use super::fingerprint::Universe;
use super::hierarchy::Hierarchy;
use super::noise::discrete_laplace;
use super::{Entropy, PrivateTree, Protection, Rate, Recipe};
use crate::{Error, ErrorKind, Run, Space, Tree};

/// A tree over the public items with ε divided over its nodes: all of a release that can be
/// prepared before the demand is read.
///
/// [`PublicTree::build`] finds everything that can be wrong with a [`Recipe`]; then
/// [`PublicTree::release`] counts the demand and adds noise. A release spends ε, so it consumes the
/// tree. Whoever means to release twice, and to spend ε twice, takes a
/// [`PublicTree::copy_that_spends_again`].
#[derive(Debug)]
pub struct PublicTree {
    pub(super) recipe: Recipe,
    pub(super) universe: Universe,
    pub(super) shape: Hierarchy,
    pub(super) budget: LevelBudget,
    tree: Tree,
    /// The rate of noise of each node; the first is of the root, which is not measured.
    rates: Vec<Rate>,
}

impl PublicTree {
    /// Builds the tree and splits ε over it. Everything that can be wrong with a recipe is found
    /// here, before any demand is read.
    ///
    /// # Errors
    /// If the tree cannot be built, if ε is too small for it, or if the run is ended.
    pub fn build(space: &dyn Space, recipe: &Recipe, run: &mut Run<'_>) -> Result<Self, Error> {
        let kind = recipe.tree_for(space.len());
        let tree = Tree::of_items(space, kind, recipe.seed.named("tree"), run)?;
        let budget = LevelBudget::new(recipe.epsilon, recipe.split, &tree);
        let shape = Hierarchy::of(&tree);
        let rates = rates(&shape, &budget, recipe.protection)?;
        let universe = Universe::of(space);
        let split = budget.split();
        let recipe = Recipe { tree: Some(kind), split, ..recipe.clone() };
        Ok(Self { recipe, universe, shape, budget, tree, rates })
    }

    /// The tree over the public items.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// How ε is split over the levels of the tree.
    pub fn budget(&self) -> &LevelBudget {
        &self.budget
    }

    /// For each node, the privacy loss that it may have for a record more or less below it: the
    /// rate of its noise. The first is [`Rate::Unlimited`], for the root, which is not measured.
    pub fn rates(&self) -> &[Rate] {
        &self.rates
    }

    /// A copy, to count demand once more in simulations and experiments. Its release spends ε
    /// again, and what is spent adds up.
    #[must_use]
    pub fn copy_that_spends_again(&self) -> Self {
        Self {
            recipe: self.recipe.clone(),
            universe: self.universe.clone(),
            shape: self.shape.clone(),
            budget: self.budget.clone(),
            tree: self.tree.clone(),
            rates: self.rates.clone(),
        }
    }

    /// The most bytes that the [JSON](PrivateTree::to_json) of a release of this tree can take,
    /// whatever the demand and the noise are. So room for it can be made before ε is spent.
    pub fn largest_document(&self) -> usize {
        let longest = vec![i64::MIN; self.shape.len()];
        PrivateTree::new(self.copy_that_spends_again(), longest, true).to_json().len()
    }

    /// Counts the demand, given as the number of records at each item, and adds noise. This spends
    /// ε.
    ///
    /// # Errors
    /// If there are counts for another number of items, or if the operating system has no random
    /// bits.
    pub fn release(self, counts: &[u64], entropy: &mut Entropy) -> Result<PrivateTree, Error> {
        if counts.len() != self.universe.items {
            let message = format!(
                "there are {} items, but counts for {}; count every item, with zero for none",
                self.universe.items,
                counts.len()
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
        let private_counts = self.shape.counts(counts);
        let mut noisy = vec![0];
        for (&private_count, &rate) in private_counts.iter().zip(&self.rates).skip(1) {
            let noise = discrete_laplace(rate, entropy)?;
            noisy.push(i64::try_from(private_count).unwrap_or(i64::MAX).saturating_add(noise));
        }
        Ok(PrivateTree::new(self, noisy, entropy.is_seeded()))
    }
}

/// The rate of noise of each node; the first is of the root, which is not measured.
///
/// # Errors
/// If ε is too small to be split over the levels of the tree.
pub(super) fn rates(
    shape: &Hierarchy,
    budget: &LevelBudget,
    whom: Protection,
) -> Result<Vec<Rate>, Error> {
    let rate = |node: usize| match node {
        0 => Ok(Rate::Unlimited),
        _ => budget.rate(shape.depth(node), shape.is_leaf(node), whom),
    };
    (0..shape.len()).map(rate).collect()
}
