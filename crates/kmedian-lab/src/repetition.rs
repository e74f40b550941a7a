//! One repetition of a study: one demand, all methods.

use std::cell::OnceCell;

use kmedian::privacy::Epsilon;
use kmedian::{Demand, Problem, Seed, Tree};

use crate::data::{Draw, Focus, Universe, draw};
use crate::methods::{self, Method, Timed};
use crate::row::Outcome;
use crate::study::{Public, Study};
use crate::{Failure, Lab, Row};

/// One repetition of a study with one demand: it runs all methods.
pub(crate) struct Repetition<'a> {
    study: &'a Study,
    /// The name of the data in rows.
    data: &'a str,
    universe: &'a Universe,
    lab: &'a Lab,
    /// What the repetition shares with others, because it does not depend on the demand.
    public: &'a Public,
    /// How the demand was drawn, and its number of records.
    drawn: (Draw, usize),
    seed: Seed,
    demand: Demand,
    /// The number of records at each item.
    counts: Vec<u64>,
    /// The distances to the items with demand, once a method needs them.
    focus: OnceCell<Focus<'a>>,
}

impl<'a> Repetition<'a> {
    /// A repetition whose demand is drawn here.
    pub(crate) fn new(
        study: &'a Study,
        data: &'a str,
        universe: &'a Universe,
        lab: &'a Lab,
        public: &'a Public,
        drawn: (Draw, usize),
        seed: Seed,
    ) -> Result<Self, Failure> {
        let demand = draw(universe, drawn.0, drawn.1, seed)?;
        let counts = demand.weights().iter().map(|&weight| weight as u64).collect();
        Ok(Self {
            study,
            data,
            universe,
            lab,
            public,
            drawn,
            seed,
            demand,
            counts,
            focus: OnceCell::new(),
        })
    }

    /// Does the runs of this repetition that have no row yet.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        for &method in &self.study.methods {
            for epsilon in self.study.epsilons_of(method) {
                let rows = self.lacking(method, epsilon);
                if !rows.is_empty() {
                    self.run_method(method, epsilon, rows)?;
                }
            }
        }
        Ok(())
    }

    fn run_method(
        &self,
        method: Method,
        epsilon: Option<Epsilon>,
        rows: Vec<Row>,
    ) -> Result<(), Failure> {
        match (method, epsilon) {
            (Method::NdpExact, _) => self.local_search(rows),
            (Method::DataFree, _) => self.data_free(rows),
            (Method::DpExact | Method::DpRefined, Some(epsilon)) => self.release(epsilon, &rows),
            (Method::NdpRestarts, _) => {
                self.record_each(rows, |k| methods::restarts(&self.problem()?, k, self.seed))
            }
            (_, Some(epsilon)) => self.record_each(rows, |k| {
                let (problem, counts) = (self.problem()?, &self.counts);
                methods::private_search(method, &problem, counts, k, epsilon, self.seed)
            }),
            (_, None) => self.record_each(rows, |k| {
                let (problem, tree) = (self.problem()?, || self.ball_tree());
                let start = methods::initial_centers(method, &problem, k, self.seed, tree)?;
                methods::paper_search_from(&problem, &start, self.seed)
            }),
        }
    }

    /// The rows of a method that are missing, one for each k, without their outcomes.
    fn lacking(&self, method: Method, epsilon: Option<Epsilon>) -> Vec<Row> {
        let row = |&k| self.study.row(self.data, self.drawn, method, epsilon, k, self.seed.0);
        self.study.ks.iter().map(row).filter(|row| self.lab.lacks(row)).collect()
    }

    fn record_each(
        &self,
        rows: Vec<Row>,
        run: impl Fn(usize) -> Result<Outcome, Failure>,
    ) -> Result<(), Failure> {
        rows.into_iter().try_for_each(|row| {
            let outcome = run(row.k)?;
            self.record(row, outcome)
        })
    }

    fn record(&self, row: Row, outcome: Outcome) -> Result<(), Failure> {
        let value = row.value;
        self.lab.record(&row.with(Outcome { value, ..outcome }))
    }

    /// The problem in a space whose distances are all in memory.
    fn problem(&self) -> Result<Problem<'_>, Failure> {
        let items = || self.demand.items().to_vec();
        let focus = self.focus.get_or_init(|| Focus::new(self.universe.distances(), items()));
        Ok(Problem::of(focus).demand(&self.demand).objective(self.study.objective).build()?)
    }

    fn local_search(&self, rows: Vec<Row>) -> Result<(), Failure> {
        let (ks, problem) = (ks(&rows), self.problem()?);
        let found = methods::local_search(self.universe, &problem, &ks, self.seed)?;
        rows.into_iter()
            .zip(found)
            .try_for_each(|(row, found)| self.record(row, found.outcome(&problem)))
    }

    /// Runs both of our private methods, which derive their centers from one release.
    fn release(&self, epsilon: Epsilon, rows: &[Row]) -> Result<(), Failure> {
        let Study { objective, methods, .. } = self.study;
        let records = self.study.size_is_public.then_some(self.drawn.1 as u64);
        let build = || methods::public_tree(self.universe, epsilon, records, self.seed);
        let tree = self.public.tree(self.study, epsilon, self.drawn, build)?;
        let (ks, counts, problem) = (ks(rows), &self.counts, self.problem()?);
        let found = methods::release(self.universe, tree, counts, *objective, &ks, self.seed)?;
        for (k, found) in ks.into_iter().zip(found) {
            let outcomes = [
                (Method::DpExact, found.initial_outcome(&problem)),
                (Method::DpRefined, found.outcome(&problem)),
            ];
            for (method, outcome) in outcomes {
                let row =
                    self.study.row(self.data, self.drawn, method, Some(epsilon), k, self.seed.0);
                if methods.contains(&method) && self.lab.lacks(&row) {
                    self.record(row, outcome)?;
                }
            }
        }
        Ok(())
    }

    fn ball_tree(&self) -> Result<Timed<Tree>, Failure> {
        let build = || methods::ball_tree(self.universe, self.seed);
        self.public.ball_tree.get_or_init(build).clone()
    }

    /// Records the cost of centers without data. The centers are the same for all demands, so they
    /// are found once.
    fn data_free(&self, rows: Vec<Row>) -> Result<(), Failure> {
        let Study { ks, objective, .. } = self.study;
        let find = || methods::data_free(self.universe, *objective, ks, self.seed);
        let found = self.public.data_free.get_or_init(find).as_ref().map_err(Failure::clone)?;
        let problem = self.problem()?;
        for row in rows {
            let at = ks.iter().position(|&k| k == row.k);
            let Some(Timed { value: centers, seconds }) = at.and_then(|at| found.get(at)) else {
                continue;
            };
            let final_cost = Some(problem.cost(centers));
            self.record(row, Outcome { final_cost, seconds: *seconds, ..Outcome::default() })?;
        }
        Ok(())
    }
}

/// The numbers of centers of some rows.
fn ks(rows: &[Row]) -> Vec<usize> {
    rows.iter().map(|row| row.k).collect()
}
