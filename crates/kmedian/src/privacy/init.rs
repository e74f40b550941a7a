use super::{Entropy, Epsilon, Method, PrivateTree, Protection, PublicTree, Recipe, Split};
use crate::tree::paper_search_by_counts;
use crate::{Demand, Error, Goal, Init, Problem, Run, Seed, Space, Tree, TreeKind};

/// The number of records for which the tree of initial centers is made, whatever their true number:
/// no part of ε is spent on counting them.
const A_FEW_HUNDRED: u64 = 500;

/// The initial centers of a [`PrivateSearch`](super::PrivateSearch).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PrivateInit {
    /// Items drawn at random (the paper's DP-rand). It spends no ε.
    Random,
    /// k-median++ on the public items (the paper's DP-k-median++). It spends no ε.
    PlusPlus,
    /// The paper's Algorithm 6: a noisy ball tree, and its subtree search. It spends half of ε.
    ///
    /// The noise is the paper's, scaled so that all levels together spend no more than their ε. As
    /// the paper prints it, the noise spends almost twice that.
    PaperTree {
        /// The number of levels below the root, the paper's L.
        levels: usize,
    },
    /// A [`PrivateTree`] by the default recipe, and centers from it. It spends half of ε.
    Tree(Method),
}

impl PrivateInit {
    /// Whether the initialization looks at the demand.
    pub fn is_private(self) -> bool {
        matches!(self, PrivateInit::PaperTree { .. } | PrivateInit::Tree(_))
    }
}

/// Everything an initialization looks at.
pub(super) struct InitTask<'a> {
    pub(super) space: &'a dyn Space,
    pub(super) private_counts: &'a [u64],
    pub(super) k: usize,
    pub(super) goal: &'a Goal,
    pub(super) protection: Protection,
    pub(super) seed: Seed,
}

impl InitTask<'_> {
    /// Centers to begin with. An initialization that looks at the demand spends `epsilon`; without
    /// one, k-median++ on the public items takes its place.
    pub(super) fn centers(
        &self,
        init: PrivateInit,
        epsilon: Option<Epsilon>,
        entropy: &mut Entropy,
        run: &mut Run<'_>,
    ) -> Result<Vec<usize>, Error> {
        match (init, epsilon) {
            (PrivateInit::PaperTree { levels }, Some(epsilon)) => {
                self.paper_tree(levels, epsilon, entropy, run)
            }
            (PrivateInit::Tree(method), Some(epsilon)) => {
                let public = self.public_tree(self.recipe(epsilon), run)?;
                let release = public.release(self.private_counts, entropy)?;
                self.derived(&release, method, run)
            }
            (PrivateInit::Random, _) => self.data_free(&Init::Random, run),
            _ => self.data_free(&Init::PlusPlus, run),
        }
    }

    pub(super) fn recipe(&self, epsilon: Epsilon) -> Recipe {
        let (protection, seed) = (self.protection, self.seed);
        Recipe { protection, seed, records: Some(A_FEW_HUNDRED), ..Recipe::new(epsilon) }
    }

    fn public_tree(&self, recipe: Recipe, run: &mut Run<'_>) -> Result<PublicTree, Error> {
        PublicTree::build(self.space, &recipe, run)
    }

    pub(super) fn derived(
        &self,
        release: &PrivateTree,
        method: Method,
        run: &mut Run<'_>,
    ) -> Result<Vec<usize>, Error> {
        let plan = release.plan(method);
        let found = release.centers(self.space, &[self.k], self.goal.clone(), &plan, run)?;
        Ok(found.into_iter().next().map_or_else(Vec::new, |found| found.centers))
    }

    /// The paper's Algorithm 6, with noise that spends no more than its ε.
    fn paper_tree(
        &self,
        levels: usize,
        epsilon: Epsilon,
        entropy: &mut Entropy,
        run: &mut Run<'_>,
    ) -> Result<Vec<usize>, Error> {
        let public = self.public_tree(self.paper_recipe(levels, epsilon), run)?;
        let tree = public.tree().clone();
        let release = public.release(self.private_counts, entropy)?;
        Ok(self.paper_centers(&tree, &release))
    }

    pub(super) fn paper_recipe(&self, levels: usize, epsilon: Epsilon) -> Recipe {
        let (tree, split) = (Some(TreeKind::Ball { levels }), Split::Paper);
        Recipe { tree, split, ..self.recipe(epsilon) }
    }

    /// Centers by the search of Algorithm 6 on the noisy counts as they are. The count of the root,
    /// which is not measured, is the sum of its children's. Which item of a leaf is taken depends
    /// on the public items alone.
    pub(super) fn paper_centers(&self, tree: &Tree, release: &PrivateTree) -> Vec<usize> {
        let mut counts: Vec<f64> = release.noisy_counts().iter().map(|&c| c as f64).collect();
        counts[0] = tree.nodes()[0].children().map(|child| counts[child]).sum();
        let everyone = Demand::uniform(self.space.len());
        paper_search_by_counts(&self.goal.sites, tree, &counts, &everyone, self.k)
    }

    /// Centers that know nothing of the demand.
    fn data_free(&self, init: &Init, run: &mut Run<'_>) -> Result<Vec<usize>, Error> {
        let everyone = Demand::uniform(self.space.len());
        let problem = Problem::of(self.space).demand(&everyone).goal(self.goal).build()?;
        init.prepare(&problem, self.seed, run)?.centers(self.k, run)
    }
}
