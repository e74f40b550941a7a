//! The exact law of Algorithm 7 on tiny universes: every transcript (noisy counts, initial centers,
//! swaps, last selection) with its probability, for all neighbors. An attack proves a part of what
//! a mechanism loses; this is all of it.
//!
//! The law is computed by the mechanism itself: [`PrivateSearch::walk`] is led along each
//! transcript, and the costs and the rate of each of its choices give the probability of the
//! choice. A chi-square test compares the law with frequencies of real runs.

use std::collections::BTreeMap;

use super::init::InitTask;
use super::{
    Entropy, Epsilon, Method, Neighbours, PrivateInit, PrivateSearch, Protection, PublicTree, Rate,
    Selection, Unit,
};
use crate::{Goal, Metric, Objective, Run, Seed, Sites, Space, Tree, Vectors};

/// The largest error that the rounding of floats may make in the logarithm of a probability.
const ROUNDING: f64 = 1e-9;

/// The probability with which each candidate is chosen, in closed form.
fn probabilities(selection: Selection, costs: &[u64], rate: f64) -> Vec<f64> {
    let least = costs.iter().copied().min().unwrap_or(0);
    let heads: Vec<f64> = costs.iter().map(|&cost| (-rate * (cost - least) as f64).exp()).collect();
    match selection {
        Selection::Exponential => {
            let sum: f64 = heads.iter().sum();
            heads.iter().map(|head| head / sum).collect()
        }
        Selection::PermuteAndFlip => {
            (0..heads.len()).map(|taken| heads[taken] * passed_over(&heads, taken)).collect()
        }
    }
}

/// The integral over t from 0 to 1 of the product of 1 − t · p over all other candidates: the
/// chance that no candidate before this one is taken (claim 4 of `PRIVACY.md`).
fn passed_over(heads: &[f64], taken: usize) -> f64 {
    let mut polynomial = vec![1.0];
    for (_, head) in heads.iter().enumerate().filter(|(other, _)| *other != taken) {
        let mut longer = polynomial.clone();
        longer.push(0.0);
        polynomial.iter().enumerate().for_each(|(power, term)| longer[power + 1] -= head * term);
        polynomial = longer;
    }
    polynomial.iter().enumerate().map(|(power, term)| term / (power + 1) as f64).sum()
}

/// A search on a universe.
struct Case<'a> {
    space: &'a dyn Space,
    search: PrivateSearch,
    k: usize,
    goal: Goal,
    /// One for the search as it is. A mutant does its selections at a rate that is too large by
    /// this factor.
    rate_factor: f64,
}

/// The natural logarithm of the probability of every transcript from given initial centers.
type Law = BTreeMap<Vec<usize>, f64>;

/// The privacy loss between two demands.
type Lost = Box<dyn Fn(&[u64], &[u64]) -> f64>;

impl Case<'_> {
    fn task<'b>(&'b self, counts: &'b [u64]) -> InitTask<'b> {
        let PrivateSearch { protection, seed, .. } = self.search;
        let (space, k, goal) = (self.space, self.k, &self.goal);
        InitTask { space, private_counts: counts, k, goal, protection, seed }
    }

    /// The law of the search from a start: it is led along every transcript.
    fn law(&self, counts: &[u64], start: &[usize]) -> Law {
        let mut law = Law::new();
        let mut open = vec![Vec::new()];
        while let Some(script) = open.pop() {
            let (mut place, mut log, mut wider) = (0, 0.0, None);
            let mut choose = |costs: &[u64], rate: Rate| {
                let chosen = script.get(place).copied();
                if chosen.is_none() && wider.is_none() {
                    wider = Some(costs.len());
                }
                let rate = rate.approximate() * self.rate_factor;
                let chosen = chosen.unwrap_or(0);
                log += probabilities(self.search.selection, costs, rate)[chosen].ln();
                place += 1;
                Ok(chosen)
            };
            let walked = self.search.walk(
                &self.task(counts),
                start.to_vec(),
                &mut choose,
                &mut Run::default(),
            );
            walked.unwrap();
            match wider {
                Some(choices) => {
                    open.extend((0..choices).map(|choice| [script.as_slice(), &[choice]].concat()));
                }
                None => {
                    law.insert(script, log);
                }
            }
        }
        law
    }

    /// The largest |ln ratio| of any transcript, over all neighbors among some demands.
    fn loss(&self, demands: &[Vec<u64>]) -> f64 {
        let mut largest = 0.0f64;
        for (start, lost_before) in self.starts() {
            let laws: Vec<Law> = demands.iter().map(|counts| self.law(counts, &start)).collect();
            for (a, b) in pairs(demands, self.search.protection) {
                let ratios = laws[a].iter().map(|(script, log)| log - laws[b][script]);
                let before = lost_before(&demands[a], &demands[b]);
                largest = largest.max(before + ratios.fold(f64::NEG_INFINITY, f64::max));
            }
        }
        largest
    }

    /// Every possible start, and the largest privacy loss of the noisy counts that lead to it.
    fn starts(&self) -> Vec<(Vec<usize>, Lost)> {
        let Some((public, centers)) = self.noisy_start() else {
            let free = |_: &[u64], _: &[u64]| 0.0;
            let Goal { sites, .. } = &self.goal;
            let may: Vec<usize> =
                (0..self.space.len()).filter(|&item| sites.is_free(item)).collect();
            let others = subsets(may.len(), self.k - sites.fixed().len());
            let others = others.iter().map(|set| set.iter().map(|&at| may[at]).collect());
            let starts = others.map(|others: Vec<usize>| [sites.fixed(), &others].concat());
            return starts.map(|start| (start, Box::new(free) as Box<_>)).collect();
        };
        let mut found: BTreeMap<Vec<usize>, Vec<Vec<i64>>> = BTreeMap::new();
        for noisy in boxes(public.tree().nodes().len() - 1) {
            let noisy = [vec![0], noisy].concat();
            found.entry(centers(&noisy)).or_default().push(noisy);
        }
        let rates: Vec<f64> = public.rates().iter().map(|rate| rate.approximate()).collect();
        let tree = public.tree().clone();
        let loss = |boxes: Vec<Vec<i64>>| {
            let (tree, rates) = (tree.clone(), rates.clone());
            move |a: &[u64], b: &[u64]| {
                let [of_a, of_b] = [a, b].map(|counts| node_counts(&tree, counts));
                let of = |noisy: &Vec<i64>| -> f64 {
                    (1..noisy.len())
                        .map(|v| {
                            let away = |counts: &[i64]| (noisy[v] - counts[v]).abs() as f64;
                            rates[v] * (away(&of_b) - away(&of_a))
                        })
                        .sum()
                };
                boxes.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
            }
        };
        found.into_iter().map(|(start, boxes)| (start, Box::new(loss(boxes)) as Box<_>)).collect()
    }

    /// The public tree of the initialization, and a function from noisy counts to the initial
    /// centers. `None` if the initialization does not look at the demand.
    #[allow(clippy::type_complexity)] // A pair that is taken apart at once.
    fn noisy_start(&self) -> Option<(PublicTree, Box<dyn Fn(&[i64]) -> Vec<usize> + '_>)> {
        if !self.search.init.is_private() {
            return None;
        }
        let nobody = vec![0; self.space.len()];
        let epsilon = self.search.budget(self.space, self.k, &self.goal.sites).init().unwrap();
        let recipe = match self.search.init {
            PrivateInit::PaperTree { levels } => self.task(&nobody).paper_recipe(levels, epsilon),
            _ => self.task(&nobody).recipe(epsilon),
        };
        let public = PublicTree::build(self.space, &recipe, &mut Run::default()).unwrap();
        let copy = public.copy_that_spends_again();
        let centers = move |noisy: &[i64]| {
            let release = copy.pretend(noisy.to_vec());
            match self.search.init {
                PrivateInit::Tree(method) => {
                    self.task(&nobody).derived(&release, method, &mut Run::default()).unwrap()
                }
                _ => self.task(&nobody).paper_centers(copy.tree(), &release),
            }
        };
        Some((public, Box::new(centers)))
    }
}

/// The number of records below each node.
fn node_counts(tree: &Tree, counts: &[u64]) -> Vec<i64> {
    let count = |node| tree.items(node).iter().map(|&item| counts[item as usize] as i64).sum();
    (0..tree.nodes().len()).map(count).collect()
}

/// Noisy counts for `nodes` nodes, in all combinations of three values. What matters is on which
/// side of the true counts they are, and which of them is the largest, so three values show all of
/// the law.
fn boxes(nodes: usize) -> Vec<Vec<i64>> {
    (0..nodes).fold(vec![Vec::new()], |all, _| {
        let longer = |noisy: &Vec<i64>| {
            let noisy = noisy.clone();
            [-3, 4, 9].into_iter().map(move |count| [noisy.as_slice(), &[count]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}

/// All sets of `k` items.
fn subsets(items: usize, k: usize) -> Vec<Vec<usize>> {
    if k == 0 {
        return vec![Vec::new()];
    }
    let with =
        |last: usize| subsets(last, k - 1).into_iter().map(move |set| [set, vec![last]].concat());
    (0..items).flat_map(with).collect()
}

/// All ordered pairs of neighboring demands, by their positions in the list.
fn pairs(demands: &[Vec<u64>], protection: Protection) -> Vec<(usize, usize)> {
    let most = match protection.unit {
        Unit::Record => 1,
        Unit::Owner { at_most } => u64::from(at_most.get()),
    };
    let more =
        |x: &[u64], y: &[u64]| -> u64 { x.iter().zip(y).map(|(x, y)| x.saturating_sub(*y)).sum() };
    let near = |a: &Vec<u64>, b: &Vec<u64>| match (more(a, b), more(b, a), protection.neighbours) {
        (0, 0, _) => false,
        (gone, come, Neighbours::ReplaceOne) => gone <= most && come <= most,
        (0, many, Neighbours::AddRemove) | (many, 0, Neighbours::AddRemove) => many <= most,
        _ => false,
    };
    let all = 0..demands.len();
    let both = all.clone().flat_map(|a| all.clone().map(move |b| (a, b)));
    both.filter(|&(a, b)| near(&demands[a], &demands[b])).collect()
}

/// All demands over the first items with at most `most` records at each, and none elsewhere.
fn demands(items: usize, first: usize, most: u64) -> Vec<Vec<u64>> {
    (0..items).fold(vec![Vec::new()], |all, item| {
        let most = if item < first { most } else { 0 };
        let longer = |counts: &Vec<u64>| {
            let counts = counts.clone();
            (0..=most).map(move |count| [counts.as_slice(), &[count]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}

/// One item, and some others that are far from it and next to each other: a record then changes the
/// costs of all swaps alike, except for one.
fn lopsided(others: usize) -> Vectors {
    let mut values = vec![0.0f32];
    values.extend((0..others).map(|place| 100.0 + 0.001 * place as f32));
    Vectors::new(1, &values, Metric::L1).unwrap()
}

fn one() -> Epsilon {
    "1".parse().unwrap()
}

fn protections() -> Vec<Protection> {
    let owner = Unit::Owner { at_most: 2.try_into().unwrap() };
    [Neighbours::AddRemove, Neighbours::ReplaceOne]
        .into_iter()
        .flat_map(|neighbours| [Unit::Record, owner].map(|unit| Protection { neighbours, unit }))
        .collect()
}

/// Searches of every kind, with few enough swaps that all of their transcripts can be listed.
fn searches() -> Vec<(&'static str, PrivateSearch)> {
    let ours = PrivateSearch { iterations: Some(1), ..PrivateSearch::new(one()) };
    let paper = PrivateSearch { iterations: Some(1), ..PrivateSearch::paper(one()) };
    vec![
        ("ours", PrivateSearch { init: PrivateInit::Tree(Method::Exact), ..ours.clone() }),
        (
            "ours, two swaps from a public start",
            PrivateSearch { init: PrivateInit::Random, iterations: Some(2), ..ours.clone() },
        ),
        (
            "ours, exponential mechanism",
            PrivateSearch {
                init: PrivateInit::PlusPlus,
                selection: Selection::Exponential,
                ..ours
            },
        ),
        (
            "the paper's",
            PrivateSearch { init: PrivateInit::PaperTree { levels: 1 }, ..paper.clone() },
        ),
        (
            "the paper's, two swaps from a public start",
            PrivateSearch { init: PrivateInit::Random, iterations: Some(2), ..paper },
        ),
    ]
}

#[test]
fn no_transcript_loses_more_than_epsilon() {
    let (far, line) = (lopsided(3), Vectors::new(1, &[0.0, 3.0, 10.0, 11.0], Metric::L1).unwrap());
    for protection in protections() {
        for (name, search) in searches() {
            let search = PrivateSearch { protection, ..search };
            let everywhere = Sites::default();
            let some = Sites::new(4, Some(&[0, 2, 3]), &[2]).unwrap();
            for (space, k, sites) in [
                (&far, 1, &everywhere),
                (&line, 1, &everywhere),
                (&line, 2, &everywhere),
                (&line, 2, &some),
            ] {
                let goal = Goal { sites: sites.clone(), ..Goal::default() };
                let case = Case { space, search: search.clone(), k, goal, rate_factor: 1.0 };
                let loss = case.loss(&demands(4, 2, 2));
                println!("{name}, k = {k}, {protection:?}, {sites:?}: {loss:.4} of 1");
                assert!(loss <= 1.0 + ROUNDING, "{name}, k = {k}, {protection:?}: {loss}");
            }
        }
    }
}

#[test]
fn mutants_of_the_search_lose_more() {
    let space = lopsided(3);
    let replace = Protection { neighbours: Neighbours::ReplaceOne, ..Protection::default() };
    let add = Protection::default();
    let of = |init, protection| PrivateSearch {
        init,
        iterations: Some(1),
        protection,
        ..PrivateSearch::new(one())
    };
    let (public, private) = (PrivateInit::Random, PrivateInit::Tree(Method::Exact));
    let paper = PrivateSearch { init: public, iterations: Some(1), ..PrivateSearch::paper(one()) };
    for (mutant, search, rate_factor) in [
        ("half the diameter", of(public, add), 2.0),
        ("half the diameter, in the paper's search", paper, 4.0),
        ("a round that the budget has forgotten", of(public, add), 2.0),
        ("the monotone rule under replace-one", of(public, replace), 2.0),
        ("initial centers that nobody paid for", of(private, add), 2.0),
    ] {
        let goal = Goal::default();
        let right = Case {
            space: &space,
            search: search.clone(),
            k: 1,
            goal: goal.clone(),
            rate_factor: 1.0,
        };
        let wrong = Case { space: &space, search, k: 1, goal, rate_factor };
        let some = demands(4, 2, 1);
        let (right, wrong) = (right.loss(&some), wrong.loss(&some));
        println!("{mutant}: {wrong:.4} in place of {right:.4}, of 1");
        assert!(right <= 1.0 + ROUNDING, "{mutant}: {right} without it");
        assert!(wrong > 1.0 + 0.01, "{mutant} got away with {wrong}");
    }
}

/// Transcripts come as often as the law says, so what the law audits is what runs.
#[test]
fn the_law_is_the_mechanism() {
    const RUNS: u64 = 20_000;
    let space = Vectors::new(1, &[0.0, 3.0, 10.0, 11.0], Metric::L1).unwrap();
    let counts = [3, 0, 1, 2];
    for (name, search) in searches() {
        let goal = Goal::default();
        let case = Case { space: &space, search, k: 1, goal, rate_factor: 1.0 };
        let mut entropy = Entropy::seeded_not_private(Seed(7));
        let mut seen: BTreeMap<Vec<Vec<usize>>, BTreeMap<usize, u64>> = BTreeMap::new();
        for _ in 0..RUNS {
            let found = case.search.run(
                &space,
                &counts,
                1,
                Objective::Median,
                &mut entropy,
                &mut Run::default(),
            );
            let found = found.unwrap();
            *seen.entry(found.history).or_default().entry(found.selected).or_default() += 1;
        }
        let starts: Vec<Vec<usize>> = seen.keys().map(|history| history[0].clone()).collect();
        let count = |of: &dyn Fn(&[Vec<usize>]) -> bool| -> u64 {
            let counts = seen.iter().filter(|(history, _)| of(history));
            counts.flat_map(|(_, selected)| selected.values()).sum()
        };
        let often = |start: &&Vec<usize>| count(&|history| history[0] == **start);
        let start = starts.iter().max_by_key(often).unwrap();
        let runs = often(&start) as f64;
        let (mut statistic, mut cells) = (0.0, 0);
        let mut total = 0.0;
        for (script, log) in case.law(&counts, start) {
            let (history, selected) = follow(&case, &counts, start, &script);
            let found = seen.get(&history).and_then(|all| all.get(&selected)).copied().unwrap_or(0);
            let expected = log.exp() * runs;
            total += log.exp();
            if expected >= 5.0 {
                statistic += (found as f64 - expected).powi(2) / expected;
                cells += 1;
            }
        }
        assert!((total - 1.0).abs() < ROUNDING, "{name}: probabilities add up to {total}");
        // The limit is far above what chance allows for this number of cells, and far below what
        // another law would show.
        let limit = f64::from(cells) + 6.0 * (2.0 * f64::from(cells)).sqrt() + 20.0;
        assert!(statistic <= limit, "{name}: chi-square {statistic:.1} with {cells} cells");
        assert!(runs > 100.0 && cells >= 6, "{name}: {runs} runs, {cells} cells show little");
    }
}

/// The centers along a transcript, and the position of those that it selects at last.
fn follow(
    case: &Case<'_>,
    counts: &[u64],
    start: &[usize],
    script: &[usize],
) -> (Vec<Vec<usize>>, usize) {
    let mut rest = script.iter();
    let mut choose = |_: &[u64], _: Rate| Ok(*rest.next().unwrap());
    case.search.walk(&case.task(counts), start.to_vec(), &mut choose, &mut Run::default()).unwrap()
}
