//! Plans and results as JSON, by the words of the command.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use kmedian::{
    Clustering, Effort, Init, KMedian, LocalSearch, Metric, Problem, Stop, SwapRule, Vectors,
};
use serde_json::json;

#[test]
fn a_plan_and_its_result_come_back() {
    let search = LocalSearch { effort: Effort::Fast, ..LocalSearch::default() };
    let plan = KMedian { init: Init::PlusPlus, search, restarts: Some(2), ..KMedian::default() };
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<KMedian>(&text).unwrap(), plan);

    let places = Vectors::new(1, &[0.0, 1.0, 2.0, 10.0, 11.0, 12.0], Metric::L1).unwrap();
    let found = plan.fit(&Problem::of(&places).build().unwrap(), 2).unwrap();
    let text = serde_json::to_string(&found).unwrap();
    let back: Clustering = serde_json::from_str(&text).unwrap();
    assert_eq!((back.centers, back.assignment), (found.centers, found.assignment));
    assert_eq!((back.cost, back.stop, back.tactics), (found.cost, found.stop, found.tactics));
}

#[test]
fn choices_are_their_words() {
    assert_eq!(json!(Init::PlusPlus), json!("plusplus"));
    assert_eq!(json!(Stop::LocalOptimum), json!(Stop::LocalOptimum.to_string()));
    for (value, word) in [
        (json!(Metric::Haversine), Metric::Haversine.to_string()),
        (json!(SwapRule::Best), SwapRule::Best.to_string()),
        (json!(Effort::Balanced), Effort::Balanced.to_string()),
    ] {
        assert_eq!(value, json!(word));
    }
}
