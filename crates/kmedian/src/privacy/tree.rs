use super::budget::LevelBudget;
use super::fingerprint::Universe;
use super::hierarchy::Hierarchy;
use super::noise::discrete_laplace;
use super::{Entropy, PrivateTree, Protection, Rate, Recipe};
use crate::{Error, ErrorKind, Run, Space, Tree};

/// A tree over the public items, and what each of its nodes may lose: ready to count demand, once.
///
/// Every release spends ε, so it takes the tree with it: who counts twice builds two trees, or says
/// so by [`PublicTree::copy_that_spends_again`].
#[derive(Debug)]
pub struct PublicTree {
    pub(super) recipe: Recipe,
    pub(super) universe: Universe,
    pub(super) shape: Hierarchy,
    pub(super) budget: LevelBudget,
    tree: Tree,
    /// What each node may lose; the first is of the root, which is not measured.
    rates: Vec<Rate>,
}

impl PublicTree {
    /// Builds the tree and splits ε over it. Everything that can be wrong with a recipe is found
    /// here, before there is any demand.
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

    /// What each node may lose for a record more or less below it. The first is the root's, which
    /// is not measured.
    pub fn rates(&self) -> &[Rate] {
        &self.rates
    }

    /// A copy to count demand with once more, for simulations and experiments: what it releases
    /// spends ε again, and the two add up.
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

    /// The most bytes that the [JSON](PrivateTree::to_json) of a release of this tree takes,
    /// whatever the demand is and whatever the noise: room that can be made before ε is spent.
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

/// What each node may lose; the first is of the root, which is not measured.
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
