use super::weights::{Estimates, Sum};
use super::{Interval, Method, PrivateCenters, PrivateTree, data_free_centers, derive};
use crate::{
    Assignment, Demand, Error, ErrorKind, Goal, KMedian, LocalSearch, Objective, Problem, Run,
    Space, Stop,
};

/// What a release says of the demand over its items: weights, centers, and how far off they may be.
/// All of it is as private as the release, and costs no ε.
///
/// [`PrivateTree`] answers single questions. Whoever has several makes an estimator, which merges
/// neighboring cells and estimates the demand once. It may look up distances
/// [elsewhere](Estimator::looking_up) than in the space: experiments derive centers from hundreds
/// of releases over one graph, and measure its distances once.
///
/// ```
/// use kmedian::privacy::{Entropy, Method, PrivateTree, Recipe};
/// use kmedian::{Metric, Objective, Run, Vectors};
///
/// let stops: Vec<f32> = (0..200).map(|stop| stop as f32).collect();
/// let stops = Vectors::new(1, &stops, Metric::L1)?;
/// let visits: Vec<u64> = (0..200).map(|stop| if stop < 20 { 500 } else { 1 }).collect();
/// let (recipe, run) = (Recipe::new("1".parse()?), &mut Run::default());
/// let release = PrivateTree::release(&stops, &visits, &recipe, &mut Entropy::system(), run)?;
///
/// let estimator = release.estimator(&stops, run)?;
/// let plan = release.plan(Method::Refined);
/// let found = estimator.centers(&[3], Objective::Median, &plan, run)?;
/// let middle: &[usize] = &[50, 100, 150];
/// let advantage = estimator.advantages(&[[&found[0].centers, middle]], Objective::Median)?;
/// assert!(advantage[0].low > 0.0, "the visits are not where the stops are");
/// # Ok::<(), kmedian::Error>(())
/// ```
pub struct Estimator<'a> {
    release: &'a PrivateTree,
    /// The space in which distances are looked up.
    distances: &'a dyn Space,
    estimates: Estimates<'a>,
    /// The estimated demand; `None` if the release shows none.
    demand: Option<Demand>,
}

impl PrivateTree {
    /// What this release says of the demand, for several questions.
    ///
    /// # Errors
    /// If the space is not the one that the release is for, if ε is too small for the split that
    /// the release claims, or if the run is ended.
    pub fn estimator<'a>(
        &'a self,
        space: &'a dyn Space,
        run: &mut Run<'_>,
    ) -> Result<Estimator<'a>, Error> {
        self.check_universe(space)?;
        let estimates = self.estimated(space, run.halt())?;
        let demand = estimates.demand()?;
        Ok(Estimator { release: self, distances: space, estimates, demand })
    }
}

impl<'a> Estimator<'a> {
    /// This estimator, which takes distances from another space over the same items: a table of
    /// those of a graph, for instance. The cells stay those of the space that it was made with.
    ///
    /// # Errors
    /// If that space has another number of items.
    pub fn looking_up(self, distances: &'a dyn Space) -> Result<Self, Error> {
        if distances.len() != self.release.universe().items {
            let message = format!(
                "the release is for {} items, but there are distances of {}; give those of its items",
                self.release.universe().items,
                distances.len()
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
        Ok(Self { distances, ..self })
    }

    /// The estimated demand of every item: see [`PrivateTree::weights`].
    pub fn weights(&self) -> Demand {
        self.demand.clone().unwrap_or_else(|| Demand::uniform(self.distances.len()))
    }

    /// Centers for each k of a list: see [`PrivateTree::centers`].
    ///
    /// # Errors
    /// If k, the plan or the candidates are out of range, or if the run is ended.
    pub fn centers(
        &self,
        ks: &[usize],
        goal: impl Into<Goal>,
        plan: &KMedian,
        run: &mut Run<'_>,
    ) -> Result<Vec<PrivateCenters>, Error> {
        let (goal, weights) = (goal.into(), self.weights());
        let problem = Problem::of(self.distances).demand(&weights).goal(&goal).build()?;
        // Without noise, the search is that of `KMedian`.
        let found = if self.release.recipe().epsilon.is_finite() {
            derive::centers_from_two_starts(&problem, ks, plan, run)?
        } else {
            derive::centers(&problem, ks, plan, run)?
        };
        let judged = |(centers, stop)| self.judge(centers, goal.objective, stop);
        Ok(found.into_iter().map(judged).collect())
    }

    /// What given sets of centers cost and serve: see [`PrivateTree::estimates`].
    ///
    /// # Errors
    /// If a center is none of the items.
    pub fn estimates(
        &self,
        sets: &[Vec<usize>],
        objective: Objective,
    ) -> Result<Vec<PrivateCenters>, Error> {
        self.check(sets.iter().map(Vec::as_slice))?;
        let judged = |centers: &Vec<usize>| self.judge(centers.clone(), objective, Stop::MaxSwaps);
        Ok(sets.iter().map(judged).collect())
    }

    /// By how much less than others some centers cost: see [`PrivateTree::advantages`].
    ///
    /// # Errors
    /// If a center is none of the items.
    pub fn advantages(
        &self,
        pairs: &[[&[usize]; 2]],
        objective: Objective,
    ) -> Result<Vec<Interval>, Error> {
        self.check(pairs.iter().flatten().copied())?;
        let advantage = |pair: &[&[usize]; 2]| {
            let [ours, others] =
                pair.map(|centers| Assignment::new(self.distances, centers).distances);
            let saved = |item: usize| objective.of(others[item]) - objective.of(ours[item]);
            self.saving(self.estimates.total(saved))
        };
        Ok(pairs.iter().map(advantage).collect())
    }

    /// Centers that know nothing of the demand: see [`PrivateTree::data_free`].
    ///
    /// # Errors
    /// If k or the search is out of range, or if the run is ended.
    pub fn data_free(
        &self,
        ks: &[usize],
        goal: impl Into<Goal>,
        (search, restarts): (&LocalSearch, usize),
        run: &mut Run<'_>,
    ) -> Result<Vec<PrivateCenters>, Error> {
        let goal = goal.into();
        let plan = self.release.plan(Method::Refined).searched_by(search, Some(restarts));
        let centers = data_free_centers(self.distances, ks, goal.clone(), &plan, run)?;
        self.estimates(&centers, goal.objective)
    }

    fn check<'c>(&self, sets: impl Iterator<Item = &'c [usize]>) -> Result<(), Error> {
        let everyone = Demand::uniform(self.distances.len());
        let problem = Problem::of(self.distances).demand(&everyone).build()?;
        for centers in sets {
            crate::search::checked_centers(&problem, centers)?;
        }
        Ok(())
    }

    /// The range of what centers save that the counts may have chosen. Its lower end is never
    /// above what the estimated demand says: a saving should be clear to the more careful of both.
    fn saving(&self, saved: Sum) -> Interval {
        let careful = Interval::around(saved.believed());
        if !self.estimates.shows_differences() {
            return careful;
        }
        let range = Interval::around(saved.of_chosen());
        Interval { low: range.low.min(careful.low), ..range }
    }

    /// What centers cost and serve on the estimated demand: nothing, if there is none.
    fn judge(&self, centers: Vec<usize>, objective: Objective, stop: Stop) -> PrivateCenters {
        let Self { estimates, demand, .. } = self;
        let assignment = Assignment::new(self.distances, &centers);
        let estimated_cost =
            demand.as_ref().map_or(0.0, |demand| assignment.cost(demand, objective));
        let estimated_sizes = match demand {
            Some(demand) => assignment.served(centers.len(), demand),
            None => vec![0.0; centers.len()],
        };
        let service = |demand| assignment.service(centers.len(), demand);
        let estimated_service = demand.as_ref().map(service);
        let cost = estimates.total(|item| objective.of(assignment.distances[item]));
        // Where the counts show no differences, they chose no centers.
        let cost = if estimates.shows_differences() { cost.of_chosen() } else { cost.unbiased() };
        let sizes = estimates.sizes(&assignment.labels, centers.len());
        let size = |(size, &about): (Sum, &f64)| Interval::around(size.unbiased()).of_amount(about);
        PrivateCenters {
            cost_interval: Interval::around(cost).of_amount(estimated_cost),
            size_intervals: sizes.into_iter().zip(&estimated_sizes).map(size).collect(),
            centers,
            estimated_cost,
            estimated_sizes,
            estimated_service,
            stop,
        }
    }
}

#[cfg(test)]
mod tests;
