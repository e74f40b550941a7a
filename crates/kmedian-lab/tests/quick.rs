//! `kmedian-lab all --quick`: what must hold of its rows, and that it goes on where it was.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kmedian_lab::{Row, read_rows};

fn lab(arguments: &[&str], out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kmedian-lab"));
    command.args(arguments).arg("--out").arg(out).output().unwrap()
}

fn succeed(arguments: &[&str], out: &Path) {
    let output = lab(arguments, out);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The files of rows, by name.
fn files(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(out.join("rows")).unwrap().map(Result::unwrap);
    let file = |entry: fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
    };
    entries.map(file).collect()
}

/// Starts the command, and kills it once it has written a row.
fn start_and_kill(arguments: &[&str], out: &Path) {
    let size = || fs::metadata(out.join("rows/cost.jsonl")).unwrap().len();
    let before = size();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kmedian-lab"));
    command.args(arguments).arg("--out").arg(out).stderr(Stdio::null());
    let mut started = command.spawn().unwrap();
    // What is half a line at first is dropped, so the file may become smaller before it grows.
    let mut least = before;
    while size() <= least {
        least = least.min(size());
        assert!(started.try_wait().unwrap().is_none(), "it ended without writing a row");
        thread::sleep(Duration::from_millis(1));
    }
    started.kill().unwrap();
    started.wait().unwrap();
}

/// Rows as text, in any order and without what differs from run to run.
fn timeless(rows: &[Row]) -> BTreeSet<String> {
    let text = |row: &Row| format!("{:?}", Row { seconds: 0.0, init_seconds: None, ..row.clone() });
    let found: BTreeSet<String> = rows.iter().map(text).collect();
    assert_eq!(found.len(), rows.len(), "a run has two rows");
    found
}

/// The rows of a method in an experiment.
fn of<'a>(rows: &'a [Row], experiment: &'a str, method: &'a str) -> impl Iterator<Item = &'a Row> {
    rows.iter().filter(move |row| row.experiment == experiment && row.method == method)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    assert!(!values.is_empty(), "there are no rows to compare");
    values.iter().sum::<f64>() / values.len() as f64
}

/// Whether a method costs less than another in every data set with such demand: on the mean of all
/// k and seeds.
fn assert_cheaper(
    rows: &[Row],
    (better, worse): (&str, &str),
    demands: &[&str],
    cost: impl Fn(&Row) -> f64,
) {
    let data: BTreeSet<(&str, &str)> = rows
        .iter()
        .filter(|row| row.experiment == "cost" && demands.contains(&row.demand.as_str()))
        .map(|row| (row.data.as_str(), row.demand.as_str()))
        .collect();
    assert!(data.len() >= 4, "the paper has four data sets");
    for (data, demand) in data {
        let here = |row: &&Row| row.data == data && row.demand == demand;
        let [low, high] =
            [better, worse].map(|method| mean(of(rows, "cost", method).filter(here).map(&cost)));
        assert!(low < high, "{data}, {demand}: {better} costs {low}, {worse} {high}");
    }
}

fn initial(row: &Row) -> f64 {
    row.init_cost.unwrap()
}

fn last(row: &Row) -> f64 {
    row.final_cost.unwrap()
}

/// Made-up images and the paper's graph, wherever this is run: the folder of shared data is empty.
#[test]
fn quick_rows_are_as_they_must_be() {
    let folder = tempfile::tempdir().unwrap();
    let (out, nothing) = (&folder.path().join("results"), folder.path().join("nothing"));
    fs::create_dir(&nothing).unwrap();
    let all = ["all", "--quick", "--shared", nothing.to_str().unwrap()];
    let started = Instant::now();
    succeed(&all, out);
    println!("all --quick: {:.0} s", started.elapsed().as_secs_f64());
    let rows = read_rows(out).unwrap();
    let expected = timeless(&rows);

    check_searches(&rows);
    check_methods(&rows);
    check_trees(&rows);
    check_accuracy(&rows);

    // Nothing is run twice.
    let before = files(out);
    succeed(&all, out);
    assert_eq!(files(out), before);

    // What a crash has cut off, and a file that is lost, come back.
    let (cost, means) = (out.join("rows/cost.jsonl"), out.join("rows/means.jsonl"));
    let bytes = &before["cost.jsonl"];
    fs::write(&cost, &bytes[..bytes.len() * 9 / 10 + 7]).unwrap();
    fs::remove_file(means).unwrap();
    start_and_kill(&all, out);
    succeed(&[&all[..], &["--threads", "1"]].concat(), out);
    assert_eq!(timeless(&read_rows(out).unwrap()), expected);

    // Rows of another size do not come among them.
    let refused = lab(&["cost", "--mnist", nothing.to_str().unwrap()], out);
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.contains("the rows here are"), "{message}");
    assert_eq!(timeless(&read_rows(out).unwrap()), expected);
}

/// Images of MNIST, instances of the OR-Library and a road network.
#[test]
#[ignore = "needs ../shared/data"]
fn quick_rows_of_real_data_are_as_they_must_be() {
    let folder = tempfile::tempdir().unwrap();
    for experiment in ["cost", "epsilon", "orlib", "roads", "accuracy"] {
        succeed(&[experiment, "--quick"], folder.path());
    }
    let rows = read_rows(folder.path()).unwrap();
    for data in ["mnist-l1", "mnist-l2", "pmed1", "oldenburg", "california", "places"] {
        assert!(rows.iter().any(|row| row.data == data), "no rows of {data}");
    }
    check_searches(&rows);
    check_methods(&rows);
    check_accuracy(&rows);
    check_optima(&rows);
}

/// Searches: no iteration of the paper's raises the cost, and none ends above its beginning.
fn check_searches(rows: &[Row]) {
    for row in rows.iter().filter(|row| row.method.starts_with("ndp-")) {
        let begun = initial(row);
        let steps: Vec<f64> = [begun].into_iter().chain(row.costs.iter().copied()).collect();
        assert!(steps.is_sorted_by(|a, b| a >= b), "the cost rises: {row:?}");
        assert!(last(row) <= begun * (1.0 + 1e-6), "worse than the beginning: {row:?}");
        if let Some(end) = row.costs.last() {
            assert!((end - last(row)).abs() <= 1e-9 * end, "not where it ended: {row:?}");
        }
    }
    for row in rows
        .iter()
        .filter(|row| ["dp-rand", "dp-plusplus", "dp-hst"].contains(&row.method.as_str()))
    {
        assert_eq!(row.costs.len(), 20, "T = 20");
        assert!(
            row.costs.contains(&last(row)) || last(row) == initial(row),
            "selected from elsewhere: {row:?}"
        );
    }
}

/// The OR-Library: nothing costs less than the proven optimum of its instance.
fn check_optima(rows: &[Row]) {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.experiment == "orlib").collect();
    assert!(!rows.is_empty(), "no rows of the OR-Library");
    for row in rows {
        assert!(last(row) >= row.value.unwrap() * (1.0 - 1e-6), "below the optimum: {row:?}");
    }
}

/// Methods: what the paper claims of initial centers, and what we claim of private ones.
fn check_methods(rows: &[Row]) {
    let (both, hard) = (["balanced", "imbalanced"], ["imbalanced"]);
    assert_cheaper(rows, ("ndp-hst", "ndp-rand"), &both, initial);
    assert_cheaper(rows, ("ndp-exact", "ndp-rand"), &both, initial);
    assert_cheaper(rows, ("ndp-exact", "dp-refined"), &both, last);
    assert_cheaper(rows, ("dp-refined", "data-free"), &hard, last);
    assert_cheaper(rows, ("dp-refined", "dp-hst"), &both, last);
    let at = |epsilon: f64| {
        mean(of(rows, "epsilon", "dp-refined").filter(|row| row.epsilon == Some(epsilon)).map(last))
    };
    assert!(at(10.0) < at(0.1), "more ε does not help: {} and {}", at(10.0), at(0.1));
}

/// Trees: none shrinks distances. Times: all are there.
fn check_trees(rows: &[Row]) {
    let stretched: Vec<&Row> = rows.iter().filter(|row| row.experiment == "distortion").collect();
    assert!(!stretched.is_empty(), "no rows of trees");
    for row in stretched {
        assert!(row.value.unwrap() >= 1.0, "{row:?}");
    }
    for experiment in ["time-k", "time-n"] {
        for method in ["plusplus", "greedy", "hst-paper", "hst-ours"] {
            assert!(of(rows, experiment, method).all(|row| row.init_seconds.unwrap() > 0.0));
            assert!(of(rows, experiment, method).count() >= 4);
        }
    }
}

/// Private accuracy: whatever the demand and ε, data-free centers are not beaten by losing to them;
/// much ε is nearly as good as no privacy; and what releases state of themselves is there.
fn check_accuracy(rows: &[Row]) {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.experiment == "accuracy").collect();
    let data: BTreeSet<(&str, &str)> =
        rows.iter().map(|row| (row.data.as_str(), row.demand.as_str())).collect();
    assert!(data.len() >= 8, "two graphs and two metrics, two demands each");
    let cost = |(data, demand): (&str, &str), method: &str, epsilon: Option<f64>| {
        let here = |row: &&&Row| {
            (row.data.as_str(), row.demand.as_str()) == (data, demand)
                && row.method == method
                && row.epsilon == epsilon
                && row.records == 300
                && row.objective == "median"
        };
        mean(rows.iter().filter(here).map(|row| last(row)))
    };
    for setting in data {
        let [free, exact] = ["data-free", "ndp-exact"].map(|method| cost(setting, method, None));
        let [tenth, one, ten] =
            [0.1, 1.0, 10.0].map(|epsilon| cost(setting, "dp-refined", Some(epsilon)));
        assert!(tenth <= 1.02 * free, "{setting:?}: {tenth}, without data {free}");
        assert!(one <= 1.02 * free, "{setting:?}: {one}, without data {free}");
        assert!(ten <= 1.1 * exact, "{setting:?}: {ten}, non-private {exact}");
    }
    for row in rows.iter().filter(|row| row.method == "dp-refined") {
        let stated = row.stated.unwrap();
        assert!(stated.cost[0] <= stated.cost[1] && stated.advantage[0] <= stated.advantage[1]);
        assert!((0.0..=1.0).contains(&stated.sizes_covered), "{row:?}");
    }
}

#[test]
fn bad_input_is_refused_with_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere");
    let nowhere = nowhere.to_str().unwrap();
    for (arguments, told) in [
        (&["cost", "--mnist", nowhere][..], "cargo xtask data mnist"),
        (&["orlib", "--quick", "--shared", nowhere], "OR-Library"),
        (&["cost", "--threads", "0"], "--threads"),
    ] {
        let output = lab(arguments, &folder.path().join(arguments[0]).join(arguments[1]));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(told), "{arguments:?}: {message}");
    }
}
