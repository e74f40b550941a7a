//! Reports private centers, on the terminal and as files. All of it may be published: everything is
//! computed from a release and from public things. It has no running times, because these depend on
//! the demand.

use kmedian::privacy::{Epsilon, Mechanism, Method, PaperRelease, PrivateTree, Protection, Unit};
use kmedian::{Objective, Stop};
use kmedian_data::Column;
use serde_json::{Value, json};

use crate::cells::{integers, numbers, texts};
use crate::console::{number, table};
use crate::universe::Universe;

/// The most centers that are listed one by one on the terminal.
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
    /// The estimated number of records that each center serves.
    pub(crate) sizes: Vec<f64>,
    /// Why the search for better centers ended.
    pub(crate) stop: Stop,
    /// Centers without data to compare with; `None` after Ctrl-C.
    pub(crate) data_free: Option<DataFree>,
}

/// Centers that know nothing of the demand, and their cost as estimated from noisy counts.
pub(crate) struct DataFree {
    pub(crate) centers: Vec<usize>,
    pub(crate) estimated_cost: f64,
}

/// The terms of a release: how it came about, its ε, and what it protects.
pub(crate) struct Terms {
    pub(crate) method: String,
    pub(crate) epsilon: Epsilon,
    pub(crate) protection: Protection,
    pub(crate) is_private: bool,
}

impl Terms {
    pub(crate) fn of(release: &PrivateTree, method: Method) -> Self {
        Self {
            method: method.to_string(),
            epsilon: release.recipe().epsilon,
            protection: release.recipe().protection,
            is_private: release.is_private(),
        }
    }

    pub(crate) fn of_paper(release: &PaperRelease) -> Self {
        Self {
            method: Mechanism::Paper.to_string(),
            epsilon: release.search().epsilon,
            protection: release.search().protection,
            is_private: release.is_private(),
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
            let heads = ["k", "estimated cost", "without data"].map(String::from).to_vec();
            text += &table(&[vec![heads], curve].concat());
            text += "\nBoth are estimates from noisy counts; without data: centers from the items alone.\n\n";
        }
        if let [finding] = findings.as_slice() {
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
            heads.push("estimated size".to_owned());
        }
        let mut rows = vec![heads];
        for &slot in slots.iter().take(LISTED_CENTERS) {
            let mut row = vec![self.universe.name(finding.centers[slot])];
            row.extend(finding.estimate.as_ref().map(|estimate| rounded(estimate.sizes[slot])));
            rows.push(row);
        }
        let more = match slots.len().saturating_sub(LISTED_CENTERS) {
            0 => String::new(),
            rest => format!("… and {rest} more; --centers FILE writes them all\n"),
        };
        format!("{}{more}\n", table(&rows))
    }

    /// The report as JSON: one object for one k, an array for several, each with the members of
    /// `more` added.
    pub(crate) fn json(&self, single: bool, more: &Value) -> String {
        let mut objects: Vec<Value> =
            self.findings.iter().map(|finding| self.object(finding, more)).collect();
        let value =
            if single { objects.pop().unwrap_or(Value::Null) } else { Value::Array(objects) };
        format!("{value:#}\n")
    }

    fn object(&self, finding: &Finding, more: &Value) -> Value {
        let universe = self.universe;
        let positions: Vec<usize> =
            finding.centers.iter().map(|&center| universe.position(center)).collect();
        let centers: Value = if universe.has_ids() {
            finding.centers.iter().map(|&center| universe.name(center)).collect()
        } else {
            json!(positions)
        };
        let estimate = finding.estimate.as_ref();
        let data_free = estimate.and_then(|estimate| estimate.data_free.as_ref());
        let mut object = json!({
            "n": universe.len(),
            "k": finding.centers.len(),
            "metric": universe.metric,
            "objective": self.objective.to_string(),
        });
        let found = json!({
            "centers": centers,
            "center_indices": positions,
            "estimated_cost": estimate.map(|estimate| estimate.cost),
            "estimated_sizes": estimate.map(|estimate| &estimate.sizes),
            "data_free_estimated_cost": data_free.map(|data_free| data_free.estimated_cost),
            "stop": estimate.map(|estimate| estimate.stop.to_string()),
        });
        for fields in [&self.terms.json(), &found, more] {
            for (name, value) in fields.as_object().into_iter().flatten() {
                object[name] = value.clone();
            }
        }
        object
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
        columns
    }
}

fn curve_row(finding: &Finding) -> Option<Vec<String>> {
    let estimate = finding.estimate.as_ref()?;
    let data_free = estimate.data_free.as_ref();
    Some(vec![
        finding.centers.len().to_string(),
        number(estimate.cost),
        data_free.map_or("–".to_owned(), |data_free| number(data_free.estimated_cost)),
    ])
}

/// A noisy size as text, with one digit after the point: the others would be noise.
fn rounded(size: f64) -> String {
    format!("{size:.1}")
}
