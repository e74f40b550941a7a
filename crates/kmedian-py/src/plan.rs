//! Simulates what private centers would cost for several ε, for Python. It spends none.

use std::num::NonZeroU32;

use kmedian::privacy::{Epsilon, PlanCurve, Planner, Protection, Unit};
use kmedian::{Seed, choice};
use pyo3::prelude::*;

use crate::door::Door;
use crate::failure::Failure;
use crate::fit::{Places, Search};
use crate::items::Items;
use crate::names::chosen;

/// What to plan for, as a dict from Python. ε is a decimal number as text.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Plan {
    epsilon: String,
    k: usize,
    demand_size: NonZeroU32,
    max_per_unit: Option<NonZeroU32>,
    neighbours: String,
    split: String,
    objective: String,
    method: String,
    runs: NonZeroU32,
    seed: u64,
    places: Places,
}

/// The curve of a scenario: its name, what it assumes, the mean non-private cost, the cost without
/// data, and for each ε the mean, the least and the most of the private cost. All but the
/// non-private cost are in multiples of it.
type Curve = (&'static str, &'static str, f64, f64, Vec<(f64, f64, f64, f64)>);

/// Simulates private centers over public items, and returns a curve for each scenario.
#[pyfunction]
#[pyo3(signature = (universe, plan, search, threads=None, progress=None))]
pub(crate) fn plan<'py>(
    py: Python<'py>,
    universe: &Bound<'py, Items>,
    plan: Plan,
    search: Search,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Vec<Curve>> {
    let (planner, places) = plan.checked(search)?;
    let universe = universe.clone().unbind();
    let curves = Door { py, threads, progress }.pass(move |watch| {
        Items::work_on(&universe, watch, |space| {
            let planner = Planner { sites: places.sites(space.len())?, ..planner };
            Ok(watch.run(|run| planner.run(space, run))?)
        })
    })?;
    Ok(curves.into_iter().map(curve).collect())
}

impl Plan {
    fn checked(self, search: Search) -> Result<(Planner, Places), Failure> {
        let unit = self.max_per_unit.map_or(Unit::Record, |at_most| Unit::Owner { at_most });
        let neighbours = chosen(&choice::NEIGHBOURS, &self.neighbours)?;
        let (search, restarts) = search.checked()?;
        let planner = Planner {
            split: chosen(&choice::SPLIT, &self.split)?,
            protection: Protection { unit, neighbours },
            objective: chosen(&choice::OBJECTIVE, &self.objective)?,
            method: chosen(&choice::METHOD, &self.method)?,
            search,
            restarts,
            runs: self.runs,
            seed: Seed(self.seed),
            ..Planner::new(self.epsilon.parse::<Epsilon>()?, self.k, self.demand_size)
        };
        Ok((planner, self.places))
    }
}

fn curve(curve: PlanCurve) -> Curve {
    let PlanCurve { scenario, non_private_cost, data_free, points } = curve;
    let points = points.iter().map(|p| (p.epsilon.approximate(), p.mean, p.least, p.most));
    (scenario.name, scenario.what, non_private_cost, data_free, points.collect())
}
