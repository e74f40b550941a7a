//! The page of a plan: what private centers would cost for several ε, on made-up demand.

use kmedian::privacy::PlanCurve;
use serde_json::{Value, json};

use crate::html;

/// What a plan is about.
pub struct PlanSubject<'a> {
    /// What the page is called, such as the name of the file.
    pub title: &'a str,
    /// What was planned for, in a few words: items, k, records.
    pub what: String,
    /// How often each ε was tried.
    pub runs: usize,
}

/// The page of a plan: the cost of private centers over ε for each kind of made-up demand, in
/// multiples of the non-private cost, with a line at 1; and the numbers as a table.
pub fn plan_page(subject: &PlanSubject<'_>, curves: &[PlanCurve]) -> String {
    let data = json!({
        "kind": "plan",
        "title": subject.title,
        "lead": format!(
            "{}. What private centers would cost for how much privacy, in multiples of the cost of centers that \
             may see everything: means of {} runs on made-up demand. Nothing private was read, and nothing was spent.",
            subject.what, subject.runs
        ),
        "charts": [chart(curves)],
        "table": table(curves),
        "facts": curves.iter().map(|curve| json!([curve.scenario.name, curve.scenario.what])).collect::<Vec<_>>(),
    });
    html::page(subject.title, &data)
}

fn chart(curves: &[PlanCurve]) -> Value {
    let mut series = Vec::new();
    for (place, curve) in curves.iter().enumerate() {
        let points: Vec<[f64; 4]> = curve
            .points
            .iter()
            .filter(|point| point.mean.is_finite())
            .map(|point| [point.epsilon.approximate(), point.mean, point.least, point.most])
            .collect();
        series.push(json!({"name": curve.scenario.name, "points": points, "color": place}));
        let level = curve.points.iter().map(|point| [point.epsilon.approximate(), curve.data_free]);
        let level: Vec<[f64; 2]> = level.filter(|at| at[1].is_finite()).collect();
        series.push(json!({
            "name": format!("{}, without data", curve.scenario.name),
            "points": level, "color": place, "dotted": true, "aside": true,
        }));
    }
    json!({
        "title": "Cost over ε",
        "x": "ε: less protects better",
        "y": "times the non-private cost",
        "log": true,
        "line": 1.0,
        "series": series,
        "words": "The line at 1 is the cost without privacy; bars are the range of all runs; dotted lines, where \
                  there is room for them, are centers without data.",
    })
}

/// The numbers of the chart: a row for each ε, and one for centers without data.
fn table(curves: &[PlanCurve]) -> Value {
    let mut heads = vec![json!({"name": "ε", "text": true})];
    heads.extend(curves.iter().map(|curve| json!({"name": curve.scenario.name})));
    let number =
        |x: f64| if x.is_finite() { json!((x * 1000.0).round() / 1000.0) } else { Value::Null };
    let mut rows = vec![
        [vec![json!("without data")], curves.iter().map(|curve| number(curve.data_free)).collect()]
            .concat(),
    ];
    for at in 0..curves.first().map_or(0, |curve| curve.points.len()) {
        let mut row = vec![json!(curves[0].points[at].epsilon.to_string())];
        row.extend(curves.iter().map(|curve| number(curve.points[at].mean)));
        rows.push(row);
    }
    json!({"heads": heads, "rows": rows})
}
