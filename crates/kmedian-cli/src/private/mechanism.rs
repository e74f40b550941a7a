//! The mechanism that looks at the demand, and what it releases.

use std::num::NonZeroU64;

use kmedian::privacy::{
    Entropy, PaperRelease, PrivateSearch, PrivateTree, Protection, PublicTree, Recipe, Unit,
};
use kmedian::{Goal, Run, Seed};

use super::derive::derive;
use super::report::{Finding, Terms};
use crate::args::{PrivateArgs, Search};
use crate::failure::Failure;
use crate::universe::Universe;

/// The number of bytes that suffice for everything in a release besides its numbers, such as terms,
/// hashes and the signature.
const ROOM_FOR_THE_REST: usize = 8192;

/// A mechanism that is ready to run: everything that can go wrong with public things was checked.
pub(super) enum Mechanism {
    Tree(Box<PublicTree>),
    Paper { search: PrivateSearch, k: usize, goal: Goal },
}

/// What a mechanism has released. All of it may be published.
pub(super) enum Released {
    Tree(Box<PrivateTree>),
    Paper(PaperRelease),
}

impl Mechanism {
    pub(super) fn prepare(
        args: &PrivateArgs,
        universe: &Universe,
        ks: &[usize],
        run: &mut Run<'_>,
    ) -> Result<Self, Failure> {
        let (epsilon, seed) = (args.epsilon.epsilon, Seed(args.seed));
        let protection = protection(args);
        if args.method.method().is_some() {
            let records = args.demand_size.map(NonZeroU64::get);
            let split = args.noise.split;
            let recipe = Recipe { split, records, protection, seed, ..Recipe::new(epsilon) };
            let tree = PublicTree::build(&*universe.space, &recipe, run)?;
            return Ok(Self::Tree(Box::new(tree)));
        }
        let &[k] = ks else {
            let message =
                "--method paper spends all of epsilon on one k; give one, or take another method";
            return Err(Failure::new(message));
        };
        if args.noise.split != kmedian::privacy::Split::Auto {
            let message =
                "--split is for --method refined and exact; the paper's search has its own";
            return Err(Failure::new(message));
        }
        if args.demand_size.is_some() {
            let message = "--demand-size is for --method refined and exact; the paper's search does \
                           not depend on it";
            return Err(Failure::new(message));
        }
        let paper = PrivateSearch::paper(epsilon);
        let iterations = args.iterations.or(paper.iterations);
        let search = PrivateSearch { iterations, protection, seed, ..paper };
        let goal = Goal { objective: args.goal.objective, sites: universe.sites.clone() };
        search.check(&*universe.space, k, goal.clone())?;
        Ok(Self::Paper { search, k, goal })
    }

    /// The most bytes that the release can take, from public numbers alone.
    pub(super) fn room(&self) -> usize {
        match self {
            Self::Tree(tree) => tree.largest_document() + ROOM_FOR_THE_REST,
            // The position of a center has at most twenty digits, and a comma after it.
            Self::Paper { k, .. } => 24 * k + ROOM_FOR_THE_REST,
        }
    }

    /// Looks at the demand, once. This spends ε.
    pub(super) fn release(
        self,
        universe: &Universe,
        private_counts: &[u64],
        entropy: &mut Entropy,
        run: &mut Run<'_>,
    ) -> Result<Released, Failure> {
        match self {
            Self::Tree(tree) => {
                Ok(Released::Tree(Box::new(tree.release(private_counts, entropy)?)))
            }
            Self::Paper { search, k, goal } => {
                let (space, objective) = (&*universe.space, goal.objective);
                let found = search.run(space, private_counts, k, goal, entropy, run)?;
                Ok(Released::Paper(PaperRelease::new(search, objective, space, found)))
            }
        }
    }
}

impl Released {
    /// The file to publish.
    pub(super) fn document(&self) -> String {
        match self {
            Self::Tree(release) => release.document(),
            Self::Paper(release) => release.document(),
        }
    }

    pub(super) fn terms(&self, args: &PrivateArgs) -> Terms {
        match self {
            Self::Tree(release) => Terms::of(release, args.method.method().unwrap_or_default()),
            Self::Paper(release) => Terms::of_paper(release),
        }
    }

    /// Centers for each k, with estimates if the release has noisy counts.
    pub(super) fn findings(
        &self,
        args: &PrivateArgs,
        search: &Search,
        universe: &Universe,
        ks: &[usize],
        run: &mut Run<'_>,
    ) -> Result<Vec<Finding>, Failure> {
        match self {
            Self::Tree(release) => {
                let how = (args.method.method().unwrap_or_default(), search);
                derive(release, universe, ks, args.goal.objective, how, run)
            }
            // The paper's release has no counts, so there are no estimates.
            Self::Paper(release) => {
                Ok(vec![Finding { centers: release.centers().to_vec(), estimate: None }])
            }
        }
    }
}

/// What the run protects, by its options.
pub(super) fn protection(args: &PrivateArgs) -> Protection {
    let unit = args.max_per_unit.map_or(Unit::Record, |at_most| Unit::Owner { at_most });
    Protection { unit, neighbours: args.noise.neighbours }
}
