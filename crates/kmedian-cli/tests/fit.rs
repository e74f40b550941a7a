//! What the command finds, prints and writes.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use std::collections::HashSet;

use common::{Folder, Outcome, distances, gzip, network, plane, with_all};
use kmedian_data::{PointsOptions, read_points};
use serde_json::{Value, json};

/// On a line: three towns close together, two more far away. The best centers are `d`; `b` and `d`;
/// `b`, `d` and `e`; and then one town is left without, at a cost of 1. No other set of fewer than
/// four centers is a local optimum, so that every search ends there.
const TOWNS: &str = "name,x,y,people\na,0,0,1\nb,1,0,1\nc,2,0,1\nd,10,0,3\ne,20,0,1\n";

const TOWNS_ARGS: &str = "towns.csv --id name --weights people";

fn towns() -> Folder {
    Folder::with(&[("towns.csv", TOWNS)])
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().unwrap().iter().map(item).collect()
}

fn indices(fit: &Value) -> Vec<u64> {
    list(&fit["center_indices"], |index| index.as_u64().unwrap())
}

fn cost(fit: &Value) -> f64 {
    fit["cost"].as_f64().unwrap()
}

/// What holds for every fit: k different centers, everyone at one of them, no worse than the start.
fn check(fit: &Value, n: usize, k: usize) {
    assert_eq!((&fit["n"], &fit["k"]), (&json!(n), &json!(k)), "{fit}");
    let centers: HashSet<u64> = indices(fit).into_iter().collect();
    assert_eq!(centers.len(), k, "{fit}");
    let sizes = list(&fit["sizes"], |size| size.as_u64().unwrap());
    assert_eq!((sizes.len(), sizes.iter().sum()), (k, n as u64), "{fit}");
    assert!(cost(fit) > 0.0 && cost(fit) <= fit["init_cost"].as_f64().unwrap(), "{fit}");
}

#[test]
fn json_has_every_field() {
    let fit = towns().fit(&format!("{TOWNS_ARGS} -k 2"));
    let fields: Vec<&String> = fit.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        [
            "k",
            "init_cost",
            "cost",
            "silhouette",
            "bound",
            "gap",
            "centers",
            "center_indices",
            "sizes",
            "served",
            "service",
            "fixed",
            "candidates",
            "swaps",
            "passes",
            "restarts",
            "stop",
            "certifying_seconds",
            "tactics",
            "seconds",
            "n",
            "metric",
            "objective",
            "suggested_k",
            "suggested_because"
        ]
    );
    check(&fit, 5, 2);
    assert_eq!(fit["metric"], "l2");
    assert_eq!(fit["objective"], "median");
    assert_eq!(fit["cost"], 12.0);
    assert_eq!(fit["stop"], "local-optimum");
    assert_eq!(fit["restarts"], 4);
    let tactics = json!({"distances": "tabulated", "pruning": "nothing", "sampled": false});
    assert_eq!(fit["tactics"], tactics);
    assert!(fit["swaps"].is_u64() && fit["passes"].is_u64());
    // The order of the centers is not promised, only that all lists keep the same.
    let mut centers: Vec<[Value; 4]> = (0..2)
        .map(|i| ["centers", "center_indices", "sizes", "served"].map(|key| fit[key][i].clone()))
        .collect();
    centers.sort_by_key(|center| center[1].as_u64());
    assert_eq!(
        centers,
        [
            [json!("b"), json!(1), json!(3), json!(3.0)],
            [json!("d"), json!(3), json!(2), json!(4.0)]
        ]
    );
    for part in ["load", "tree", "init", "search", "bound"] {
        assert!(fit["seconds"][part].as_f64().unwrap() >= 0.0, "{part}");
    }
}

#[test]
fn any_number_of_k_gives_one_object() {
    let folder = towns();
    for (ks, count) in [("2", 1), ("2..4", 3)] {
        let document = folder.run(&format!("fit {TOWNS_ARGS} -k {ks} --json")).document();
        assert_eq!((&document["n"], &document["metric"]), (&json!(5), &json!("l2")));
        assert_eq!(document["fits"].as_array().unwrap().len(), count);
        assert!(document["seconds"]["load"].is_number() && document["cost"].is_null());
    }
    let costs = |ks: &str| {
        let fits = folder.fit(&format!("{TOWNS_ARGS} -k {ks}"));
        list(&fits, |fit| (fit["k"].as_u64().unwrap(), cost(fit)))
    };
    assert_eq!(costs("2..4"), [(2, 12.0), (3, 2.0), (4, 1.0)]);
    assert_eq!(costs("5,1"), [(5, 0.0), (1, 37.0)]);
    assert_eq!(costs("1,2..3"), [(1, 37.0), (2, 12.0), (3, 2.0)]);
    let means = folder.fit(&format!("{TOWNS_ARGS} -k 2 --objective means"));
    assert_eq!((cost(&means), &means["objective"]), (102.0, &json!("means")));
}

#[test]
fn a_run_of_several_k_gives_what_each_alone_gives() {
    let folder = Folder::with(&[("p.csv", &plane(60, 3))]);
    let together = folder.run("fit p.csv -k 2..4 --json").timeless();
    for (fit, k) in together.as_array().unwrap().iter().zip(2..) {
        assert_eq!(*fit, folder.run(&format!("fit p.csv -k {k} --json")).timeless());
    }
}

#[test]
fn people_get_a_table() {
    let folder = towns();
    let run = folder.run(&format!("fit {TOWNS_ARGS} -k 2"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let rows: Vec<Vec<&str>> =
        run.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0].join(" "), "5 items, l2, k-median");
    assert!(
        rows[2].join(" ").starts_with("k init cost cost silhouette swaps passes stop"),
        "{run:?}"
    );
    let fit = folder.fit(&format!("{TOWNS_ARGS} -k 2"));
    let count = |field: &str| fit[field].to_string();
    assert_eq!(rows[3].len(), 10);
    assert_eq!((rows[3][0], rows[3][2]), ("2", "12"));
    assert_eq!(rows[3][4..7], [&count("swaps"), &count("passes"), "local-optimum"]);
    // How many items and how much demand, then the mean, median, 95th percentile and maximum.
    assert!(rows.contains(&vec!["d", "2", "4", "2.5", "0", "10", "10"]), "{run:?}");
    assert!(rows.iter().any(|row| row.starts_with(&["b", "3", "3"])), "{run:?}");
}

/// The rows of a file of centers or labels: ids, and the numbers of some columns.
fn rows(folder: &Folder, file: &str, columns: &[&str]) -> Vec<(String, Vec<f32>)> {
    if file.ends_with(".json") {
        let objects: Value = serde_json::from_str(&folder.read(file)).unwrap();
        return list(&objects, |object| {
            let number = |column: &&str| object[*column].as_f64().unwrap() as f32;
            (object["id"].as_str().unwrap().to_string(), columns.iter().map(number).collect())
        });
    }
    let options = PointsOptions {
        columns: Some(columns.iter().map(|&column| column.into()).collect()),
        id: Some("id".into()),
        ..PointsOptions::default()
    };
    let points = read_points(&folder.path(file), &options).unwrap();
    let numbers = points.values.chunks_exact(columns.len()).map(<[f32]>::to_vec);
    points.ids.unwrap().into_iter().zip(numbers).collect()
}

#[test]
fn files_say_what_the_json_says() {
    let folder = towns();
    let people: Vec<f64> = vec![1.0, 1.0, 1.0, 3.0, 1.0];
    for extension in ["csv", "tsv", "parquet", "json"] {
        let (centers, labels) = (format!("centers.{extension}"), format!("labels.{extension}"));
        let fits =
            folder.fit(&format!("{TOWNS_ARGS} -k 2,3 --centers {centers} --labels {labels}"));
        let mut centers = rows(&folder, &centers, &["k", "index", "size", "served"]).into_iter();
        let mut labels =
            rows(&folder, &labels, &["k", "index", "label", "center_index", "distance"])
                .into_iter();
        for fit in fits.as_array().unwrap() {
            let k = fit["k"].as_u64().unwrap() as usize;
            for center in 0..k {
                let number = |key: &str| fit[key][center].as_f64().unwrap() as f32;
                let expected =
                    vec![k as f32, number("center_indices"), number("sizes"), number("served")];
                let id = fit["centers"][center].as_str().unwrap().to_string();
                assert_eq!(centers.next(), Some((id, expected)), "{extension}");
            }
            let mut total = 0.0;
            for (item, name) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
                let (id, row) = labels.next().unwrap();
                assert_eq!((id.as_str(), row[0], row[1]), (name, k as f32, item as f32));
                assert_eq!(
                    f64::from(row[3]),
                    fit["center_indices"][row[2] as usize].as_f64().unwrap()
                );
                total += f64::from(row[4]) * people[item];
            }
            assert_eq!(total, cost(fit), "{extension}");
        }
        assert_eq!((centers.next(), labels.next()), (None, None));
    }
    assert_eq!(folder.names().len(), 9, "no temporary file stays");
}

#[test]
fn an_output_replaces_the_one_before() {
    let folder = towns();
    folder.write("c.csv", "old");
    folder.fit(&format!("{TOWNS_ARGS} -k 1 --centers c.csv"));
    assert_eq!(
        folder.read("c.csv"),
        "k,index,id,size,served,mean_distance,median_distance,p95_distance,max_distance,x,y\n\
         1,3,d,5,7.0,5.285714285714286,8.0,10.0,10.0,10.0,0.0\n"
    );
}

/// Every way to begin: trees with both searches, and no tree.
fn beginnings(trees: &[&str]) -> Vec<String> {
    let mut all = ["greedy", "plusplus", "random"].map(|init| format!("--init {init}")).to_vec();
    for tree in trees {
        for search in ["exact", "paper"] {
            all.push(format!("--init hst --tree {tree} --search {search}"));
        }
    }
    all
}

#[test]
fn every_combination_runs() {
    let points = plane(60, 5);
    let folder = Folder::with(&[("p.csv", &points), ("m.csv", &distances(&points))]);
    folder.write("g.txt", network(60, 5));
    let vectors = beginnings(&["fitted", "ball", "frt", "grid"]);
    for begin in &vectors {
        for metric in ["l1", "l2", "linf", "angular", "haversine", "hamming"] {
            let fit = folder.fit(&format!("p.csv -k 4 --metric {metric} {begin}"));
            check(&fit, 60, 4);
            assert_eq!(fit["metric"], metric);
        }
        for variant in
            ["eager --objective means", "best --objective median", "best --objective means"]
        {
            check(&folder.fit(&format!("p.csv -k 4 --swap {variant} {begin}")), 60, 4);
        }
    }
    for begin in beginnings(&["fitted", "ball", "frt"]) {
        check(&folder.fit(&format!("g.txt --graph -k 4 {begin}")), 60, 4);
        check(&folder.fit(&format!("m.csv --matrix -k 4 {begin}")), 60, 4);
    }
    for more in ["--tree fitted --levels 2", "--tree ball --levels 4", "--tree grid --levels 5"] {
        check(&folder.fit(&format!("p.csv -k 4 --restarts 2 --alpha 0.01 {more}")), 60, 4);
    }
}

#[test]
fn gzip_is_read_like_the_file_in_it() {
    let (points, graph) = (plane(60, 7), network(60, 7));
    let folder = Folder::with(&[("p.csv", &points), ("g.txt", &graph)]);
    folder.write("p.csv.gz", gzip(&points));
    folder.write("g.txt.gz", gzip(&graph));
    for (plain, zipped) in [("p.csv", "p.csv.gz"), ("g.txt --graph", "g.txt.gz --graph")] {
        let fit = |file: &str| folder.run(&format!("fit {file} -k 3 --json")).timeless();
        assert_eq!(fit(plain), fit(zipped));
    }
}

#[test]
fn graphs_of_every_format() {
    // A path of four nodes whose middle edge is long; the OR-Library file asks for two centers.
    let folder = Folder::with(&[
        ("g.txt", "0 1 1\n1 2 5\n2 3 1\n"),
        ("g.gr", "c a path\np sp 4 3\na 1 2 1\na 2 3 5\na 3 4 1\n"),
        ("pmed.txt", "4 3 2\n1 2 1\n2 3 5\n3 4 1\n"),
    ]);
    for args in ["g.txt -k 2", "g.gr -k 2", "pmed.txt", "pmed.txt -k 2"] {
        let fit = folder.fit(&format!("{args} --graph"));
        check(&fit, 4, 2);
        assert_eq!((cost(&fit), &fit["metric"]), (2.0, &json!("graph")));
        let first = u64::from(!args.starts_with("g.txt"));
        let own: Vec<u64> = indices(&fit).into_iter().map(|index| index + first).collect();
        assert_eq!(fit["centers"], json!(own), "numbers as the file counts");
    }
    assert_eq!(cost(&folder.fit("pmed.txt --graph -k 3")), 1.0);
}

#[test]
fn a_matrix_costs_what_its_points_cost() {
    let points = plane(60, 9);
    let folder = Folder::with(&[("p.csv", &points), ("m.csv", &distances(&points))]);
    for k in [1, 3, 8] {
        // From the same centers, which by default they do not begin with.
        let fit = |file: &str| folder.fit(&format!("{file} -k {k} --init hst"));
        let (from_points, from_matrix) = (fit("p.csv"), fit("m.csv --matrix"));
        let (a, b) = (cost(&from_points), cost(&from_matrix));
        assert!((a - b).abs() <= 1e-5 * a, "{k}: {a} {b}");
    }
}

#[test]
fn limits_stop_the_search() {
    let folder = Folder::with(&[("p.csv", &plane(500, 11))]);
    let fit = folder.fit("p.csv -k 9 --init random --max-swaps 0");
    assert_eq!((&fit["cost"], &fit["swaps"]), (&fit["init_cost"], &json!(0)));
    assert_eq!(fit["stop"], "max-swaps");
    let fit = folder.fit("p.csv -k 9 --init random --max-swaps 2");
    assert_eq!((&fit["swaps"], &fit["stop"]), (&json!(2), &json!("max-swaps")));
    check(&fit, 500, 9);
    let fit = folder.fit("p.csv -k 9 --init random --time-limit 0");
    assert_eq!(fit["stop"], "time-limit");
    let fit = folder.fit("p.csv -k 9 --time-limit 1e300");
    assert_eq!(fit["stop"], "local-optimum");
}

/// Two points of a near pair serve equally well, so a search has nothing to gain by going to and
/// fro; but what it costs to lose a far center is 10¹² times the cost, and rounds to more than that
/// gain.
#[test]
fn a_tie_beside_far_points_ends() {
    let folder =
        Folder::with(&[("p.csv", "x,y\n0.0003,0.0008\n0.0007,0.0001\n513.7,301.9\n222.3,911.1\n")]);
    let fit = folder.fit("p.csv -k 3 --objective means --time-limit 2");
    assert_eq!(fit["stop"], "local-optimum", "{fit}");
}

#[test]
fn the_seed_decides_and_threads_do_not() {
    let few = plane(150, 13);
    let folder = Folder::with(&[("p.csv", &plane(3000, 13)), ("m.csv", &distances(&few))]);
    folder.write("g.txt", network(600, 13));
    for args in [
        "p.csv -k 20 --restarts 1",
        "p.csv -k 20 --init random --swap best --max-swaps 5",
        "p.csv -k 5,20 --init greedy --metric l1",
        "g.txt --graph -k 12 --restarts 1",
        "m.csv --matrix -k 6 --init plusplus",
    ] {
        let fit = |more: &str| folder.run(&format!("fit {args} --json {more}")).timeless();
        let first = fit("--threads 1");
        assert_eq!(first, fit("--threads 1"), "{args}: a repetition");
        assert_eq!(first, fit("--threads 2"), "{args}: two threads");
        assert_eq!(first, fit("--seed 0"), "{args}: the default");
    }
    let start = |seed| {
        indices(&folder.fit(&format!("p.csv -k 9 --init random --max-swaps 0 --seed {seed}")))
    };
    assert_ne!(start(1), start(2));
}

#[test]
fn pipes_see_no_progress() {
    let folder = Folder::with(&[("p.csv", &plane(3000, 15))]);
    for args in ["fit p.csv -k 20", "fit p.csv -k 20 --json", "info p.csv"] {
        let Outcome { code, stdout, stderr } = folder.run(args);
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{args}");
        assert!(!stdout.contains(['\r', '\u{1b}']), "{args}");
    }
}

#[test]
fn info_describes_each_kind_of_file() {
    let folder = Folder::with(&[
        ("towns.csv", TOWNS),
        ("split.txt", "0 1 1\n2 3 1\n3 4 2\n"),
        ("pmed.txt", "4 3 2\n1 2 1\n2 3 5\n3 4 1\n"),
        ("m.csv", "0,1\n1,0\n"),
    ]);
    let cases: [(&str, &[&str], Value); 4] = [
        (
            TOWNS_ARGS,
            &["towns.csv, CSV", "2: x, y"],
            json!({"format": "CSV", "n": 5, "metric": "l2", "columns": ["x", "y"], "edges": null,
                   "components": [], "k": null, "demand": 7.0, "smallest_distance": 1.0}),
        ),
        (
            "split.txt --graph --largest-component",
            &["edge list", "2 (of 3, 2 nodes)"],
            json!({"n": 3, "metric": "graph", "edges": 2, "components": [3, 2], "k": null,
                   "demand": 3.0, "smallest_distance": 1.0}),
        ),
        (
            "pmed.txt --graph",
            &["OR-Library", "k in the file"],
            json!({"n": 4, "k": 2, "components": [4]}),
        ),
        (
            "m.csv --matrix",
            &["matrix"],
            json!({"n": 2, "metric": "matrix", "smallest_distance": 1.0}),
        ),
    ];
    for (args, parts, fields) in cases {
        let run = folder.run(&format!("info {args}"));
        assert_eq!(run.code, Some(0));
        for part in parts {
            assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
        }
        let found = folder.run(&format!("info {args} --json")).json();
        for (field, value) in fields.as_object().unwrap() {
            assert_eq!(found[field], *value, "{args}: {field}");
        }
        assert!(found["diameter_bound"].as_f64().unwrap() >= 1.0, "{args}");
    }
}

/// Numbers that 32 bits cannot tell apart are centered; what not even 64 bits can tell is said.
#[test]
fn large_numbers_keep_their_digits_or_are_told() {
    let column = |start: u64| {
        let rows = (0..300).map(|at| format!("{}\n", start + at)).collect::<String>();
        format!("t\n{rows}")
    };
    let (millis, nanos) = (column(1_731_800_000_000), column(1_731_800_000_000_000_000));
    let folder = Folder::with(&[("millis.csv", &millis), ("nanos.csv", &nanos)]);
    let found = folder.run("fit millis.csv -k 3 --json");
    assert_eq!((found.json()["cost"].as_f64(), found.stderr.as_str()), (Some(7500.0), ""));
    let told = folder.run("fit nanos.csv -k 3");
    assert_eq!(told.code, Some(0));
    assert!(
        told.stderr.contains("note: there are numbers beyond 9,007,199,254,740,992"),
        "{told:?}"
    );
}

#[cfg(unix)]
mod signals_and_pipes {
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    /// Sends a signal to a long run after some time.
    fn signaled(folder: &Folder, signal: &str, args: &str, after: Duration) -> Outcome {
        let run = folder.command(args).spawn().unwrap();
        sleep(after);
        let sent = Command::new("kill").args([signal, &run.id().to_string()]).status().unwrap();
        assert!(sent.success());
        run.wait_with_output().unwrap().into()
    }

    /// Ctrl-C, what containers and schedulers send, and what a terminal sends that is closed.
    #[test]
    fn signals_end_with_the_best_so_far() {
        for signal in ["-INT", "-TERM", "-HUP"] {
            ends_with_the_best_so_far(signal);
        }
    }

    fn ends_with_the_best_so_far(signal: &str) {
        let folder = Folder::with(&[("p.csv", &plane(3000, 17))]);
        // Nothing tells from outside when there are first centers; on a busy machine it takes long.
        let run = [1, 2, 4, 8, 16]
            .into_iter()
            .map(|seconds| {
                let args = "fit p.csv -k 30,31 --restarts 100000000 --time-limit 60 --json --centers c.csv";
                signaled(&folder, signal, args, Duration::from_secs(seconds))
            })
            .find(|run| !run.stdout.is_empty())
            .unwrap();
        assert_eq!(run.code, Some(130), "{run:?}");
        let document: Value = serde_json::from_str(&run.stdout).unwrap();
        let fits = document["fits"].as_array().unwrap();
        assert_eq!(fits.len(), 1, "the second k was not begun");
        check(&with_all(&document, &fits[0]), 3000, 30);
        assert_eq!(fits[0]["stop"], "cancelled");
        assert_eq!(folder.read("c.csv").lines().count(), 31);
        assert!(run.stderr.contains("stopping with what there is"), "{run:?}");
        assert!(!run.stderr.contains("error"), "{run:?}");
    }

    #[test]
    fn help_tells_the_exit_codes() {
        let help = Folder::new().run("help").stdout;
        for part in ["Exit codes:", "  0  ", "  2  ", "  3  ", "  130  ", "SIGTERM"] {
            assert!(help.contains(part), "`{part}` is not in {help}");
        }
    }

    #[test]
    fn a_reader_that_has_gone_away_is_no_failure() {
        let folder = Folder::with(&[("p.csv", &plane(500, 19))]);
        for args in ["fit p.csv -k 2..6", "fit p.csv -k 200 --json", "info p.csv"] {
            let mut run = folder.command(args).spawn().unwrap();
            drop(run.stdout.take());
            let outcome = Outcome::from(run.wait_with_output().unwrap());
            assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{args}");
        }
    }

    #[test]
    fn head_takes_what_it_needs() {
        let folder = Folder::with(&[("p.csv", &plane(500, 19))]);
        let script = "\"$0\" fit p.csv -k 2..40 --json | head -1";
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).arg(common::kmedian()).current_dir(folder.path(""));
        let outcome = Outcome::from(shell.stdin(Stdio::null()).output().unwrap());
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("{\n", ""));
    }
}
