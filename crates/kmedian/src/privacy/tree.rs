use super::budget::LevelBudget;
use super::fingerprint::Universe;
use super::hierarchy::Hierarchy;
use super::noise::discrete_laplace;
use super::recipe::Choice;
use super::{Entropy, PrivateTree, Protection, Rate, Recipe};
use crate::{Error, ErrorKind, Run, Sites, Space, Tree};

/// Trees over the public items with ε divided over their nodes: all of a release that can be
/// prepared before the demand is read.
///
/// [`PublicTree::build`] finds everything that can be wrong with a [`Recipe`]; then
/// [`PublicTree::release`] counts the demand and adds noise. There are several trees if the number
/// of records is not public: it is then counted first, with noise, to choose among them. A release
/// spends ε, so it consumes the trees. Whoever means to release twice, and to spend ε twice, takes
/// a [`PublicTree::copy_that_spends_again`].
#[derive(Debug, Clone)]
pub struct PublicTree {
    recipe: Recipe,
    universe: Universe,
    /// The trees, that for the fewest records first.
    choices: Vec<TreeChoice>,
}

/// A tree over the public items, and how ε is divided over it.
#[derive(Debug, Clone)]
pub struct TreeChoice {
    /// The least signal for which this tree is chosen: see [`Recipe::choices`].
    least_signal: f64,
    /// The recipe with the kind of this tree and its split.
    pub(super) recipe: Recipe,
    pub(super) shape: Hierarchy,
    pub(super) budget: LevelBudget,
    tree: Tree,
    /// The rate of noise of each node.
    rates: Vec<Rate>,
}

impl PublicTree {
    /// Builds the trees and splits ε over each. Everything that can be wrong with a recipe is found
    /// here, before any demand is read.
    ///
    /// # Errors
    /// If a tree cannot be built, if a directed graph is not strongly connected, if ε is too small
    /// for a tree, or if the run is ended.
    pub fn build(space: &dyn Space, recipe: &Recipe, run: &mut Run<'_>) -> Result<Self, Error> {
        space.own().as_graph().map_or(Ok(()), |graph| graph.check_reach(&Sites::default()))?;
        let choices = recipe.choices(space.len());
        let with_total = choices.len() > 1;
        let mut built: Vec<TreeChoice> = Vec::new();
        for choice in choices {
            let twin = built.iter().find(|other| other.recipe.tree == Some(choice.tree));
            let tree = match twin {
                Some(twin) => twin.tree.clone(),
                None => Tree::of_items(space, choice.tree, recipe.seed.named("tree"), run)?,
            };
            built.push(TreeChoice::new(recipe, &choice, tree, with_total)?);
        }
        Ok(Self { recipe: recipe.clone(), universe: Universe::of(space), choices: built })
    }

    /// The trees that one is chosen from by the noisy number of records, that for the fewest first;
    /// a single one if the number of records is public or no matter.
    pub fn choices(&self) -> &[TreeChoice] {
        &self.choices
    }

    /// The first of the [trees](PublicTree::choices).
    pub fn tree(&self) -> &Tree {
        self.choices[0].tree()
    }

    /// How ε is split over the levels of the first of the [trees](PublicTree::choices).
    pub fn budget(&self) -> &LevelBudget {
        self.choices[0].budget()
    }

    /// For each node of the first of the [trees](PublicTree::choices), the rate of its noise.
    pub fn rates(&self) -> &[Rate] {
        self.choices[0].rates()
    }

    /// A copy, to count demand once more in simulations and experiments. Its release spends ε
    /// again, and what is spent adds up.
    #[must_use]
    pub fn copy_that_spends_again(&self) -> Self {
        self.clone()
    }

    /// A release of the first tree with these noisy counts, as if they had been drawn.
    #[cfg(test)]
    pub(super) fn pretend(&self, noisy: Vec<i64>) -> PrivateTree {
        PrivateTree::new(self.universe.clone(), self.choices[0].clone(), noisy, true)
    }

    /// The most bytes that the [JSON](PrivateTree::to_json) of a release of these trees can take,
    /// whatever the demand and the noise are. So room for it can be made before ε is spent.
    pub fn largest_document(&self) -> usize {
        let longest = |choice: &TreeChoice| {
            let counts = vec![i64::MIN; choice.shape.len()];
            PrivateTree::new(self.universe.clone(), choice.clone(), counts, true).to_json().len()
        };
        self.choices.iter().map(longest).max().unwrap_or(0)
    }

    /// Counts the demand, given as the number of records at each item, and adds noise. This spends
    /// ε.
    ///
    /// # Errors
    /// If there are counts for another number of items, or if the operating system has no random
    /// bits.
    pub fn release(mut self, counts: &[u64], entropy: &mut Entropy) -> Result<PrivateTree, Error> {
        if counts.len() != self.universe.items {
            let message = format!(
                "there are {} items, but counts for {}; count every item, with zero for none",
                self.universe.items,
                counts.len()
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
        // All trees have the same rate for the number of all records, which has a fixed part of ε.
        let total = match self.choices[0].rates[0] {
            Rate::Unlimited => 0,
            rate => {
                let private_total =
                    counts.iter().fold(0u64, |sum, &count| sum.saturating_add(count));
                noisy(private_total, rate, entropy)?
            }
        };
        let signal = self.recipe.signal(total as f64);
        let fits = |choice: &TreeChoice| choice.least_signal <= signal;
        let chosen = self.choices.swap_remove(self.choices.iter().rposition(fits).unwrap_or(0));
        let private_counts = chosen.shape.counts(counts);
        let mut found = vec![total];
        for (&private_count, &rate) in private_counts.iter().zip(&chosen.rates).skip(1) {
            found.push(noisy(private_count, rate, entropy)?);
        }
        Ok(PrivateTree::new(self.universe, chosen, found, entropy.is_seeded()))
    }
}

/// A count with noise.
fn noisy(private_count: u64, rate: Rate, entropy: &mut Entropy) -> Result<i64, Error> {
    let noise = discrete_laplace(rate, entropy)?;
    Ok(i64::try_from(private_count).unwrap_or(i64::MAX).saturating_add(noise))
}

impl TreeChoice {
    fn new(recipe: &Recipe, choice: &Choice, tree: Tree, with_total: bool) -> Result<Self, Error> {
        let budget = LevelBudget::new(recipe.epsilon, choice.split, &tree);
        let budget = if with_total { budget.with_total() } else { budget };
        let shape = Hierarchy::of(&tree);
        let rates = rates(&shape, &budget, recipe.protection)?;
        let split = budget.split();
        let recipe = Recipe { tree: Some(choice.tree), split, ..recipe.clone() };
        Ok(Self { least_signal: choice.least_signal, recipe, shape, budget, tree, rates })
    }

    /// The tree over the public items.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// How ε is split over the number of all records and the levels of the tree.
    pub fn budget(&self) -> &LevelBudget {
        &self.budget
    }

    /// For each node, the privacy loss that it may have for a record more or less below it: the
    /// rate of its noise. The first is that of the number of all records, and
    /// [`Rate::Unlimited`] if that is not counted.
    pub fn rates(&self) -> &[Rate] {
        &self.rates
    }
}

/// The rate of noise of each node; the first is of the number of all records.
///
/// # Errors
/// If ε is too small to be split over the levels of the tree.
pub(super) fn rates(
    shape: &Hierarchy,
    budget: &LevelBudget,
    whom: Protection,
) -> Result<Vec<Rate>, Error> {
    let rate = |node: usize| match node {
        0 => budget.total_rate(whom),
        _ => budget.rate(shape.depth(node), shape.is_leaf(node), whom),
    };
    (0..shape.len()).map(rate).collect()
}
