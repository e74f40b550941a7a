//! Centers from weights that are public or estimated, never from the true demand.

use crate::{
    Clustering, Demand, Error, ErrorKind, Goal, Init, KMedian, LocalSearch, Prepared, Problem, Run,
    Space, Stop,
};

/// The bytes of memory that searches for private centers take by default for what they could also
/// compute again: 256 MiB, enough to keep bounds of the distances of 16,000 items. Records are
/// counted in memory that does not grow with them, so the search should not take gigabytes: with
/// half of what is free, it took 2.4 GiB for 50,000 places and was no faster.
const LITTLE_MEMORY: usize = 256 << 20;

/// The plan with [`LITTLE_MEMORY`], unless it says how much.
fn in_little_memory(plan: &KMedian) -> KMedian {
    let memory = plan.search.memory.or(Some(LITTLE_MEMORY));
    KMedian { search: LocalSearch { memory, ..plan.search.clone() }, ..plan.clone() }
}

/// Centers that know nothing of the demand, for each k of a list: all items count alike. Any
/// private result must be compared with them, as they cost no ε. They have the same candidates and
/// fixed centers.
///
/// # Errors
/// If k, the plan or the candidates are out of range, or if the run is ended.
pub fn data_free_centers(
    space: &dyn Space,
    ks: &[usize],
    goal: impl Into<Goal>,
    plan: &KMedian,
    run: &mut Run<'_>,
) -> Result<Vec<Vec<usize>>, Error> {
    let everyone = Demand::uniform(space.len());
    let problem = Problem::of(space).demand(&everyone).goal(&goal.into()).build()?;
    let plan = in_little_memory(plan);
    let prepared = prepare(&problem, ks, &plan, run)?;
    ks.iter().map(|&k| prepared.fit(k, run).map(|found| found.centers)).collect()
}

/// Centers and why their search ended, for each k of a list, by the non-private pipeline on a
/// demand that is estimated.
pub(super) fn centers(
    problem: &Problem<'_>,
    ks: &[usize],
    plan: &KMedian,
    run: &mut Run<'_>,
) -> Result<Vec<(Vec<usize>, Stop)>, Error> {
    let plan = in_little_memory(plan);
    let prepared = prepare(problem, ks, &plan, run)?;
    ks.iter().map(|&k| prepared.fit(k, run).map(|found| (found.centers, found.stop))).collect()
}

/// [`centers`] from two starts: that of the plan, and, where its search ends by itself, the centers
/// without data. The better ones count, by their cost for the estimated demand: local optima differ
/// by more than a little ε can tell, and centers without data are good if the demand is as the
/// items are.
///
/// The limits of the plan hold for both starts together, for each k: what the first search leaves
/// of them, the search without data and the second search may use. So a limit that is not reached
/// changes nothing.
pub(super) fn centers_from_two_starts(
    problem: &Problem<'_>,
    ks: &[usize],
    plan: &KMedian,
    run: &mut Run<'_>,
) -> Result<Vec<(Vec<usize>, Stop)>, Error> {
    let plan = &in_little_memory(plan);
    let everyone = Demand::uniform(problem.len());
    let without_data = problem.with_demand(&everyone);
    let prepared = prepare(problem, ks, plan, run)?;
    let mut prepared_without: Option<Prepared<'_>> = None;
    let mut best = Vec::with_capacity(ks.len());
    for &k in ks {
        let first = prepared.fit(k, run)?;
        if first.stop.is_cut_short() {
            best.push((first.centers, first.stop));
            continue;
        }
        let second = second_start(problem, &without_data, &mut prepared_without, plan, &first, run);
        best.push(match second {
            Ok(second) if problem.cost(&second.centers) < problem.cost(&first.centers) => {
                (second.centers, second.stop)
            }
            Ok(second) if second.stop.is_cut_short() => (first.centers, second.stop),
            Ok(_) => (first.centers, first.stop),
            Err(error) if error.kind() == ErrorKind::Cancelled => (first.centers, Stop::Cancelled),
            Err(error) => return Err(error),
        });
    }
    Ok(best)
}

/// What is found from centers without data, within what a first search has left of the limits. If
/// the search without data reaches one of them, its centers are the result: they are no local
/// optimum, but may be better all the same.
fn second_start<'a>(
    problem: &Problem<'_>,
    without_data: &Problem<'a>,
    prepared: &mut Option<Prepared<'a>>,
    plan: &'a KMedian,
    first: &Clustering,
    run: &mut Run<'_>,
) -> Result<Clustering, Error> {
    let k = first.centers.len();
    let prepared = match prepared {
        Some(prepared) => prepared,
        None => prepared.insert(plan.prepare(without_data, run)?),
    };
    let rest = plan.search.less(first);
    let free = prepared.fit_within(k, &rest, &mut None, run)?;
    let search = rest.less(&free);
    let plan = KMedian { init: Init::Given(free.centers), search, ..plan.clone() };
    plan.prepare(problem, run)?.fit(k, run)
}

fn prepare<'a>(
    problem: &Problem<'a>,
    ks: &[usize],
    plan: &'a KMedian,
    run: &mut Run<'_>,
) -> Result<Prepared<'a>, Error> {
    ks.iter().try_for_each(|&k| problem.check_k(k))?;
    plan.prepare(problem, run)
}
