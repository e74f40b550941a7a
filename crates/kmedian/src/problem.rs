//! What is to be clustered: a space, the demand at its items, what distances cost, and which items
//! may be centers.

mod nearest_candidate;

pub(crate) use nearest_candidate::NearestCandidate;

use crate::space::{Contracted, Merged};
use crate::{
    Assignment, Demand, Error, ErrorKind, Goal, Halt, LentVectors, Objective, Sites, Space,
};

/// A clustering problem: a space of items, the demand at each of them, what a distance costs, and
/// which items may be centers.
///
/// [`Problem::of`] begins with a demand of one at every item and the k-median objective, and with
/// every item as a candidate; what differs is said before [`build`](ProblemBuilder::build), which
/// checks that the parts fit together. A problem is cheap to clone.
///
/// ```
/// use kmedian::{Demand, Metric, Objective, Problem, Vectors};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 5.0], Metric::L1)?;
/// let problem = Problem::of(&places).build()?;
/// assert_eq!(problem.cost(&[1]), 5.0);
///
/// let people = Demand::new(vec![3.0, 0.0, 1.0])?;
/// let problem = Problem::of(&places).demand(&people).objective(Objective::Means).build()?;
/// assert_eq!(problem.cost(&[1]), 3.0 * 1.0 + 1.0 * 16.0);
///
/// // The depot at item 0 stays, and item 1 is not for sale.
/// let problem = Problem::of(&places).candidates([0, 2]).fixed([0]).build()?;
/// assert_eq!(kmedian::KMedian::default().fit(&problem, 2)?.centers, [0, 2]);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Clone)]
pub struct Problem<'a> {
    pub(crate) space: &'a dyn Space,
    pub(crate) demand: Demand,
    pub(crate) objective: Objective,
    pub(crate) sites: Sites,
}

/// The parts of a [`Problem`], before it is known whether they fit together.
#[derive(Clone)]
#[must_use]
pub struct ProblemBuilder<'a> {
    space: &'a dyn Space,
    demand: Option<Demand>,
    objective: Objective,
    sites: Option<Sites>,
    candidates: Option<Vec<usize>>,
    fixed: Vec<usize>,
}

impl<'a> Problem<'a> {
    /// Begins a problem with its items and their distances.
    pub fn of(space: &'a dyn Space) -> ProblemBuilder<'a> {
        ProblemBuilder {
            space,
            demand: None,
            objective: Objective::default(),
            sites: None,
            candidates: None,
            fixed: Vec::new(),
        }
    }

    /// The items and their distances.
    pub fn space(&self) -> &'a dyn Space {
        self.space
    }

    /// The demand at each item.
    pub fn demand(&self) -> &Demand {
        &self.demand
    }

    /// The objective: what a distance to the nearest center costs.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// Which items may be centers, and which always are.
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// The items that may be centers, ascending: by default all.
    pub fn candidates(&self) -> impl ExactSizeIterator<Item = u32> + Clone + '_ {
        let listed = self.sites.listed();
        let count = listed.map_or(self.len(), <[u32]>::len);
        (0..count).map(move |at| listed.map_or(at as u32, |candidates| candidates[at]))
    }

    /// The centers that are always there, which k counts too, in the order in which they were
    /// given. They are the first of all centers that are found.
    pub fn fixed(&self) -> &[usize] {
        self.sites.fixed()
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.space.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.space.is_empty()
    }

    /// The cost of centers, given as items: the sum over all items of their weight times what the
    /// distance to the nearest center costs. Infinite without a center.
    pub fn cost(&self, centers: &[usize]) -> f64 {
        Assignment::new(self.space, centers).cost(&self.demand, self.objective)
    }

    /// This problem with other distances between its items, such as an approximation of them.
    ///
    /// # Errors
    /// If the other space has another number of items.
    pub fn in_space<'b>(&self, space: &'b dyn Space) -> Result<Problem<'b>, Error> {
        let Self { demand, objective, sites, .. } = self;
        Problem::of(space).demand(demand).objective(*objective).sites(sites).build()
    }

    /// A k-median problem of parts that are known to fit together.
    pub(crate) fn trusted(space: &'a dyn Space, demand: Demand) -> Self {
        Self { space, demand, objective: Objective::Median, sites: Sites::default() }
    }

    /// This problem with another demand at its items.
    pub(crate) fn with_demand(&self, demand: &Demand) -> Self {
        Self { demand: demand.clone(), ..self.clone() }
    }

    /// This problem over a table of all distances, where keeping one saves time.
    pub(crate) fn tabulated(&self, halt: &Halt) -> Self {
        let table = self.space.own().as_vectors().and_then(|vectors| vectors.table(halt));
        let space = table.map_or(self.space, |table| table);
        Self { space, ..self.clone() }
    }

    /// A space with the same distances that answers faster in many passes over all sites: a table,
    /// where the items are vectors whose distances are worth keeping in so many bytes; a graph
    /// without the insides of its chains, where most nodes are on one.
    pub(crate) fn space_for_passes(
        &self,
        memory: usize,
        halt: &Halt,
    ) -> Option<Box<dyn Space + 'a>> {
        let own = self.space.own();
        if let Some(graph) = own.as_graph() {
            let net = Contracted::new(graph).filter(Contracted::is_worth_it)?;
            return Some(Box::new(net));
        }
        Some(Box::new(own.as_vectors()?.table_for_passes(memory, halt)?))
    }

    /// This problem with equal items merged into one and their demand added up, where the items are
    /// vectors of which many are equal; else `None`.
    pub(crate) fn merged(&self, halt: &Halt) -> Option<(&'a Merged, Self)> {
        let merged = self.space.own().as_vectors()?.merged(halt)?;
        let demand = merged.demand(&self.demand)?;
        let (objective, sites) = (self.objective, merged.sites(&self.sites));
        Some((merged, Self { space: &merged.vectors, demand, objective, sites }))
    }

    /// The items whose distances to the centers must be known: those with demand, or all of them in
    /// a space that explores and needs valid caps everywhere.
    pub(crate) fn tracked(&self) -> Vec<u32> {
        if self.space.abilities().explores {
            (0..self.len() as u32).collect()
        } else {
            self.demand.items().to_vec()
        }
    }

    /// Checks that a number of centers is not below that of the fixed ones, and from 1 to the
    /// number of candidates.
    ///
    /// # Errors
    /// If it is not.
    pub fn check_k(&self, k: usize) -> Result<(), Error> {
        let (n, fixed) = (self.candidates().len(), self.fixed().len());
        if k > 0 && k <= n && k >= fixed {
            return Ok(());
        }
        let whom = match (self.sites.is_default(), n) {
            (true, 1) => "item",
            (true, _) => "items",
            (false, 1) => "candidate",
            (false, _) => "candidates",
        };
        let message = if k < fixed {
            format!(
                "k = {k}, but {fixed} centers are fixed, which k counts too; k must be {fixed} to {n}"
            )
        } else {
            let least = fixed.max(1);
            format!("k = {k} centers cannot be chosen from {n} {whom}; k must be {least} to {n}")
        };
        Err(Error::new(ErrorKind::Parameter, message))
    }
}

impl<'a> ProblemBuilder<'a> {
    /// Sets the demand at each item. By default it is one at every item; of a
    /// [`SiteMatrix`](crate::SiteMatrix), one at every client and zero at every site.
    pub fn demand(self, demand: &Demand) -> Self {
        Self { demand: Some(demand.clone()), ..self }
    }

    /// Sets what a distance costs: by default the distance itself, which is k-median.
    pub fn objective(self, objective: Objective) -> Self {
        Self { objective, ..self }
    }

    /// Sets the items that may be centers, by their numbers from 0. By default all are candidates.
    /// An unknown or repeated item, or an empty list, is an error of [`build`](Self::build).
    pub fn candidates(self, candidates: impl IntoIterator<Item = usize>) -> Self {
        Self { candidates: Some(candidates.into_iter().collect()), ..self }
    }

    /// Sets the centers that are always there and never leave, by their numbers from 0. The k of a
    /// search counts them. By default there are none. One that is unknown, repeated or no candidate
    /// is an error of [`build`](Self::build).
    pub fn fixed(self, fixed: impl IntoIterator<Item = usize>) -> Self {
        Self { fixed: fixed.into_iter().collect(), ..self }
    }

    /// Sets the objective, the candidates and the fixed centers at once.
    pub fn goal(self, goal: &Goal) -> Self {
        self.objective(goal.objective).sites(&goal.sites)
    }

    /// Sets candidates and fixed centers that were put together before, in place of those of
    /// [`candidates`](Self::candidates) and [`fixed`](Self::fixed).
    pub fn sites(self, sites: &Sites) -> Self {
        Self { sites: Some(sites.clone()), ..self }
    }

    /// Puts the parts of a problem together, and checks that they fit.
    ///
    /// # Errors
    /// If the demand or the sites are for another number of items than the space has, if
    /// candidates or fixed centers are wrong (see [`Sites::new`]), if a candidate does not reach
    /// all nodes of a directed graph, or if items are too close together for distances in 32-bit
    /// numbers.
    pub fn build(self) -> Result<Problem<'a>, Error> {
        let Self { space, demand, objective, sites, candidates, fixed } = self;
        let site_matrix = space.own().as_site_matrix();
        let demand = match (demand, site_matrix) {
            (Some(demand), _) => demand,
            (None, Some(matrix)) => matrix.uniform_demand()?,
            (None, None) => Demand::uniform(space.len()),
        };
        if space.len() != demand.len() {
            let message =
                format!("there are {} items, but weights for {}", space.len(), demand.len());
            return Err(Error::new(ErrorKind::Shape, message));
        }
        let sites = match sites {
            Some(sites) => sites,
            None => Sites::new(space.len(), candidates.as_deref(), &fixed)?,
        };
        if let Some(items) = sites.items().filter(|&items| items != space.len()) {
            let message = format!(
                "there are {} items, but candidates and fixed centers for {items}",
                space.len()
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
        let sites = match site_matrix {
            Some(matrix) => matrix.checked(&demand, sites)?,
            None => sites,
        };
        space.own().as_vectors().map_or(Ok(()), LentVectors::check_scale)?;
        space.own().as_graph().map_or(Ok(()), |graph| graph.check_reach(&sites))?;
        Ok(Problem { space, demand, objective, sites })
    }
}
