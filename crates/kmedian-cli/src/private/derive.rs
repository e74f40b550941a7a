//! Derives centers from a release. All of this is post-processing, which costs no ε.

use kmedian::privacy::{Method, PrivateCenters, PrivateTree};
use kmedian::{ErrorKind, Goal, Objective, Run};

use super::report::{DataFree, Estimate, Finding};
use crate::args::Search;
use crate::failure::Failure;
use crate::universe::Universe;

/// Private centers for each k, and centers that know nothing of the demand, to compare with.
/// Private centers are worth their ε if they cost less.
pub(crate) fn derive(
    release: &PrivateTree,
    universe: &Universe,
    ks: &[usize],
    objective: Objective,
    (method, search): (Method, &Search),
    run: &mut Run<'_>,
) -> Result<Vec<Finding>, Failure> {
    let plan = release.plan(method).searched_by(&search.local, Some(search.restarts.unwrap_or(0)));
    let space = &*universe.space;
    let goal = Goal { objective, sites: universe.sites.clone() };
    let found = release.centers(space, ks, goal.clone(), &plan, run)?;
    let searched = (&search.local, search.restarts.unwrap_or(0));
    let data_free = match release.data_free(space, ks, goal, searched, run) {
        Ok(all) => all.into_iter().map(Some).collect(),
        // After Ctrl-C, the private centers that were found come without a comparison.
        Err(error) if error.kind() == ErrorKind::Cancelled => vec![None; ks.len()],
        Err(error) => return Err(error.into()),
    };
    let pairs = found.iter().zip(&data_free);
    let pairs: Vec<[&[usize]; 2]> = pairs
        .filter_map(|(found, free)| Some([&*found.centers, &*free.as_ref()?.centers]))
        .collect();
    let mut advantages =
        release.advantages(space, &pairs, objective, &mut Run::default())?.into_iter();
    let mut compared = |found: PrivateCenters| {
        let advantage = advantages.next()?;
        let (centers, estimated_cost) = (found.centers, found.estimated_cost);
        Some(DataFree { centers, estimated_cost, advantage })
    };
    let findings = found.into_iter().zip(data_free).map(|(found, data_free)| Finding {
        centers: found.centers,
        estimate: Some(Estimate {
            cost: found.estimated_cost,
            cost_interval: found.cost_interval,
            sizes: found.estimated_sizes,
            service: found.estimated_service,
            size_intervals: found.size_intervals,
            stop: found.stop,
            data_free: data_free.and_then(&mut compared),
        }),
    });
    Ok(findings.collect())
}
