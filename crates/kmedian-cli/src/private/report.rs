//! Reports private centers, on the terminal and as files. All of it may be published: everything is
//! computed from a release and from public things. It has no running times, because these depend on
//! the demand.

use kmedian::privacy::{
    Epsilon, Interval, Mechanism, Method, Neighbours, PaperRelease, PrivateTree, Protection, Unit,
};
use kmedian::{Objective, Service, Stop};
use kmedian_data::Column;
use serde_json::{Map, Value, json};

use crate::cells::{add_centers, integers, numbers, texts};
use crate::console::{grouped, table};
use crate::geojson::Shown;
use crate::service;
use crate::universe::Universe;

/// The most centers that are listed one by one on the terminal, so that a table fits on a screen;
/// a file has all of them.
const LISTED_CENTERS: usize = 20;

/// Centers for one k.
pub(crate) struct Finding {
    pub(crate) centers: Vec<usize>,
    /// What they cost and serve by the noisy counts of the release, if it has any.
    pub(crate) estimate: Option<Estimate>,
}

/// What centers cost and serve, estimated from noisy counts.
pub(crate) struct Estimate {
    /// The estimated cost.
    pub(crate) cost: f64,
    /// Where the true cost is, with a probability of about 90 %.
    pub(crate) cost_interval: Interval,
    /// The estimated number of records that each center serves.
    pub(crate) sizes: Vec<f64>,
    /// Where the true number of records that each center serves is.
    pub(crate) size_intervals: Vec<Interval>,
    /// How far the estimated demand is from the centers; `None` if the release shows none.
    pub(crate) service: Option<Service>,
    /// Why the search for better centers ended.
    pub(crate) stop: Stop,
    /// Centers without data to compare with; `None` after Ctrl-C.
    pub(crate) data_free: Option<DataFree>,
}

/// Centers that know nothing of the demand, and their cost as estimated from noisy counts.
pub(crate) struct DataFree {
    pub(crate) centers: Vec<usize>,
    pub(crate) estimated_cost: f64,
    /// How much more they cost than the private centers on the true demand.
    pub(crate) advantage: Interval,
}

/// The terms of a release: how it came about, its ε, and what it protects.
pub(crate) struct Terms {
    pub(crate) method: String,
    pub(crate) epsilon: Epsilon,
    pub(crate) protection: Protection,
    pub(crate) is_private: bool,
    /// How ε was split, in words.
    pub(crate) split: String,
}

impl Terms {
    pub(crate) fn of(release: &PrivateTree, method: Method) -> Self {
        Self {
            method: method.to_string(),
            epsilon: release.recipe().epsilon,
            protection: release.recipe().protection,
            is_private: release.is_private(),
            split: split(release),
        }
    }

    pub(crate) fn of_paper(release: &PaperRelease) -> Self {
        Self {
            method: Mechanism::Paper.to_string(),
            epsilon: release.search().epsilon,
            protection: release.search().protection,
            is_private: release.is_private(),
            split: "over the choices of the initial centers and of each swap".to_owned(),
        }
    }

    fn json(&self) -> Value {
        let (unit, most) = match self.protection.unit {
            Unit::Record => ("record", 1),
            Unit::Owner { at_most } => ("owner", at_most.get()),
        };
        let epsilon = self.epsilon.is_finite().then(|| self.epsilon.approximate());
        json!({
            "private": self.is_private,
            "method": self.method,
            "epsilon": epsilon,
            "neighbours": self.protection.neighbours.to_string(),
            "unit": unit,
            "max_per_unit": most,
        })
    }

    /// The terms as questions and answers, for people.
    pub(crate) fn facts(&self, universe: &Universe) -> Vec<(String, String)> {
        let (unit, whose) = match self.protection.unit {
            Unit::Record => ("one record".to_owned(), "a record"),
            Unit::Owner { at_most } => {
                (format!("all records of a unit, of which at most {at_most} are counted"), "a unit")
            }
        };
        let change = match self.protection.neighbours {
            Neighbours::AddRemove => "more or less",
            Neighbours::ReplaceOne => "in place of another",
        };
        let facts = [
            ("ε", format!("{}: the smaller, the better is it protected", self.epsilon)),
            (
                "protected",
                format!("{unit}: whatever is shown here is almost as likely with {whose} {change}"),
            ),
            ("how ε was split", self.split.clone()),
            ("method", self.method.clone()),
            (
                "public",
                format!(
                    "the {} items with their places and distances, which of them may be centers, the number of centers, \
                     and all options",
                    universe.len()
                ),
            ),
            (
                "private",
                "who asked for what: no record is in this page, only estimates from noisy counts"
                    .to_owned(),
            ),
        ];
        facts.map(|(what, value)| (what.to_owned(), value)).to_vec()
    }

    fn line(&self) -> String {
        let unit = match self.protection.unit {
            Unit::Record => "one record".to_owned(),
            Unit::Owner { at_most } => format!("a unit of at most {at_most} records"),
        };
        let (epsilon, neighbours) = (self.epsilon, self.protection.neighbours);
        let text = format!("ε = {epsilon} for {unit} ({neighbours}), method {}\n", self.method);
        let warning = "NOT PRIVATE: an experiment, whose noise protects nobody\n";
        if self.is_private { text } else { text + warning }
    }
}

/// How the ε of a tree was split, in words.
fn split(release: &PrivateTree) -> String {
    let (recipe, shares) = (release.recipe(), release.budget().shares());
    let counted = match recipe.records {
        Some(records) => format!("for about {records} records, a number that is public"),
        None => "after a 32nd of it had counted the records".to_owned(),
    };
    format!("{} over the {} levels of a tree of counts, {counted}", recipe.split, shares.len())
}

/// Everything that is reported of a private run.
pub(crate) struct Report<'a> {
    pub(crate) universe: &'a Universe,
    pub(crate) objective: Objective,
    pub(crate) terms: Terms,
    pub(crate) findings: Vec<Finding>,
}

impl Report<'_> {
    /// The report for people: the estimated cost for each k and, for a single k, the centers.
    pub(crate) fn text(&self) -> String {
        let Self { universe, objective, terms, findings } = self;
        let mut text = format!("{} items, {}, k-{objective}\n", universe.len(), universe.metric);
        text += &terms.line();
        text += "\n";
        let curve: Vec<Vec<String>> = findings.iter().filter_map(curve_row).collect();
        if !curve.is_empty() {
            let unit = match (universe.unit(), objective) {
                (None, _) => String::new(),
                (Some(unit), Objective::Median) => format!(" {unit}"),
                (Some(unit), _) => format!(" {unit}²"),
            };
            let heads = ["estimated cost", "90 % interval", "without data", "saved by data"];
            let heads = heads.map(|head| format!("{head}{unit}"));
            text += &table(&[vec![[&["k".to_owned()][..], &heads].concat()], curve].concat());
            text += "\nAll are estimates from noisy counts; without data: centers from the items alone.\n";
            text += &doubts(findings);
            text += "\n";
        }
        if let [finding] = findings.as_slice() {
            let estimate = finding.estimate.as_ref();
            if let Some(service) = estimate.and_then(|estimate| estimate.service.as_ref()) {
                text +=
                    &format!("estimated {}\n", service::line(&service.overall, universe.unit()));
            }
            text += &self.listing(finding);
        }
        text
    }

    /// A table of the centers of one k, the largest first.
    fn listing(&self, finding: &Finding) -> String {
        let mut slots: Vec<usize> = (0..finding.centers.len()).collect();
        let mut heads = vec!["center".to_owned()];
        if let Some(estimate) = &finding.estimate {
            let (sizes, centers) = (&estimate.sizes, &finding.centers);
            slots.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(centers[a].cmp(&centers[b])));
            heads.extend(["estimated size", "90 % interval"].map(String::from));
            heads.extend(service::HEADS.map(String::from));
        }
        let mut rows = vec![heads];
        for &slot in slots.iter().take(LISTED_CENTERS) {
            let mut row = vec![self.universe.name(finding.centers[slot])];
            if let Some(estimate) = &finding.estimate {
                let Interval { low, high } = estimate.size_intervals[slot];
                row.push(rounded(estimate.sizes[slot]));
                row.push(format!("{} to {}", grouped(low.round()), grouped(high.round())));
                let ways = estimate.service.as_ref().and_then(|all| all.centers[slot].as_ref());
                row.extend(service::cells(ways));
            }
            rows.push(row);
        }
        let more = match slots.len().saturating_sub(LISTED_CENTERS) {
            0 => String::new(),
            rest => format!("… and {rest} more; --centers FILE writes them all\n"),
        };
        format!("{}{more}\n", table(&rows))
    }

    /// The report as JSON: one object with the terms, the members of `more`, and an entry of `fits`
    /// for each k.
    pub(crate) fn json(&self, more: &Value) -> String {
        let mut object = json!({
            "n": self.universe.len(),
            "metric": self.universe.metric,
            "objective": self.objective.to_string(),
        });
        for fields in [&self.terms.json(), more] {
            for (name, value) in fields.as_object().into_iter().flatten() {
                object[name] = value.clone();
            }
        }
        object["fits"] = self.findings.iter().map(|finding| self.object(finding)).collect();
        format!("{object:#}\n")
    }

    fn object(&self, finding: &Finding) -> Value {
        let universe = self.universe;
        let positions: Vec<usize> =
            finding.centers.iter().map(|&center| universe.position(center)).collect();
        let centers: Value = finding.centers.iter().map(|&center| universe.label(center)).collect();
        let estimate = finding.estimate.as_ref();
        let data_free = estimate.and_then(|estimate| estimate.data_free.as_ref());
        json!({
            "k": finding.centers.len(),
            "centers": centers,
            "center_indices": positions,
            "estimated_cost": estimate.map(|estimate| estimate.cost),
            "estimated_sizes": estimate.map(|estimate| &estimate.sizes),
            "estimated_service": estimate.and_then(|all| all.service.as_ref()).map(|service| service::object(service, universe)),
            "estimated_cost_interval": estimate.map(|estimate| ends(estimate.cost_interval)),
            "estimated_size_intervals": estimate.map(|estimate| {
                estimate.size_intervals.iter().copied().map(ends).collect::<Vec<_>>()
            }),
            "data_free_estimated_cost": data_free.map(|data_free| data_free.estimated_cost),
            "advantage_interval": data_free.map(|data_free| ends(data_free.advantage)),
            "advantage_is_clear": data_free.map(|data_free| is_clear(data_free.advantage)),
            "stop": estimate.map(|estimate| estimate.stop.to_string()),
        })
    }

    /// The centers of every k for a map, without what they serve.
    pub(crate) fn shown(&self) -> Vec<Shown<'_>> {
        let of = |finding: &Finding| -> Vec<Map<String, Value>> {
            let sizes = finding.estimate.iter().flat_map(|estimate| &estimate.sizes);
            let named = |size: &f64| ("estimated_size".to_owned(), json!(size));
            let mut each: Vec<Map<String, Value>> =
                sizes.map(|size| Map::from_iter([named(size)])).collect();
            each.resize(finding.centers.len(), Map::new());
            if !self.terms.is_private {
                for properties in &mut each {
                    properties.insert("private".into(), json!("NOT PRIVATE"));
                }
            }
            each
        };
        let findings = self.findings.iter();
        findings
            .map(|finding| Shown {
                centers: &finding.centers,
                properties: of(finding),
                labels: None,
            })
            .collect()
    }

    /// The table of `--centers`: a row for each center of each k.
    pub(crate) fn table(&self) -> Vec<Column> {
        let rows = || {
            let of =
                |finding: &Finding, slot: usize| (finding.centers.len(), finding.centers[slot]);
            self.findings.iter().flat_map(move |finding| {
                (0..finding.centers.len()).map(move |slot| of(finding, slot))
            })
        };
        let universe = self.universe;
        let mut columns = vec![
            integers("k", rows().map(|(k, _)| k)),
            integers("index", rows().map(|(_, center)| universe.position(center))),
        ];
        if universe.has_ids() {
            columns.push(texts("id", rows().map(|(_, center)| universe.name(center))));
        }
        let estimates = || self.findings.iter().filter_map(|finding| finding.estimate.as_ref());
        if estimates().count() == self.findings.len() {
            let sizes = estimates().flat_map(|estimate| estimate.sizes.iter().copied());
            columns.push(numbers("estimated_size", sizes));
        }
        if !self.terms.is_private {
            columns.push(texts("private", rows().map(|_| "NOT PRIVATE".to_owned())));
        }
        let centers = self.findings.iter().flat_map(|finding| finding.centers.iter().copied());
        add_centers(&mut columns, universe, centers);
        columns
    }
}

fn curve_row(finding: &Finding) -> Option<Vec<String>> {
    let estimate = finding.estimate.as_ref()?;
    let data_free = estimate.data_free.as_ref();
    let or_dash = |text: Option<String>| text.unwrap_or("–".to_owned());
    Some(vec![
        finding.centers.len().to_string(),
        grouped(estimate.cost),
        range(estimate.cost_interval),
        or_dash(data_free.map(|data_free| grouped(data_free.estimated_cost))),
        or_dash(data_free.map(|data_free| range(data_free.advantage))),
    ])
}

fn range(Interval { low, high }: Interval) -> String {
    format!("{} to {}", grouped(low), grouped(high))
}

fn ends(Interval { low, high }: Interval) -> [f64; 2] {
    [low, high]
}

/// Whether an advantage can be told from none.
fn is_clear(advantage: Interval) -> bool {
    advantage.low > 0.0
}

/// A line for those k whose private centers may be no better than centers without data.
fn doubts(findings: &[Finding]) -> String {
    let is_doubtful = |finding: &&Finding| {
        let data_free = finding.estimate.as_ref().and_then(|found| found.data_free.as_ref());
        data_free.is_some_and(|data_free| !is_clear(data_free.advantage))
    };
    let ks: Vec<String> = findings
        .iter()
        .filter(is_doubtful)
        .map(|finding| finding.centers.len().to_string())
        .collect();
    if ks.is_empty() {
        return String::new();
    }
    format!(
        "For k = {} the saving cannot be told from zero: there are too few records for this ε to \
         show that the centers are better than those without data.\n",
        ks.join(", ")
    )
}

/// A noisy size as text, with one digit after the point: the others would be noise.
fn rounded(size: f64) -> String {
    grouped((size * 10.0).round() / 10.0)
}
