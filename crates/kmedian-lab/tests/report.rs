//! The report, from made-up rows: what is drawn, what is said, and that both follow from the rows.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod synthetic;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use kmedian_lab::Row;
use kmedian_lab::report::claims::{self, Verdict};
use kmedian_lab::report::{self, Origin};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Group, Node, Options, Rect, TextChunk, Tree};

const FIGURES: [&str; 16] = [
    "best-cost",
    "demand-size",
    "distortion",
    "dp-output",
    "epsilon",
    "gain",
    "graph-dp",
    "graph-ndp",
    "images-dp",
    "images-ndp",
    "iterations",
    "means",
    "orlib",
    "roads",
    "small-epsilon",
    "time",
];

fn write(rows: &[Row], out: &Path) {
    let origin =
        Origin { command: "cargo run -p kmedian-lab".into(), date: Some("2026-01-31".into()) };
    report::write(rows, origin, out).unwrap();
}

/// The names of the files in `figures/`, without what they end in.
fn drawn(out: &Path, ending: &str) -> BTreeSet<String> {
    let names = fs::read_dir(out.join("figures")).unwrap();
    let names = names.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| name.strip_suffix(ending).map(str::to_owned)).collect()
}

#[test]
fn every_figure_is_there_in_all_forms() {
    let out = tempfile::tempdir().unwrap();
    write(&synthetic::everything(), out.path());
    let expected: BTreeSet<String> = FIGURES.map(str::to_owned).into();
    assert_eq!(drawn(out.path(), ".svg"), expected);
    assert_eq!(drawn(out.path(), ".png"), expected);
    let html = fs::read_to_string(out.path().join("report.html")).unwrap();
    let markdown = fs::read_to_string(out.path().join("RESULTS.md")).unwrap();
    for name in FIGURES {
        assert!(html.contains(&format!("<figure id=\"{name}\">")), "{name}");
        assert!(markdown.contains(&format!("](figures/{name}.svg)")), "{name}");
    }
    for page in [&html, &markdown] {
        assert!(page.contains("cargo run -p kmedian-lab") && page.contains("2026-01-31"));
        assert!(!page.contains("NaN") && !page.contains("inf ") && !page.contains("No rows"));
    }
    for outside in ["<script", "http://", "https://", "url(", "@import", "<img", "src="] {
        assert!(!html.contains(outside), "{outside}");
    }
}

/// The number of columns of a line of a table in Markdown, where a bar of the text has a backslash.
fn columns(line: &str) -> usize {
    line.replace("\\|", "").matches('|').count() - 1
}

#[test]
fn every_line_of_a_table_has_the_columns_of_its_head() {
    let out = tempfile::tempdir().unwrap();
    write(&synthetic::everything(), out.path());
    let markdown = fs::read_to_string(out.path().join("RESULTS.md")).unwrap();
    let lines: Vec<&str> = markdown.lines().collect();
    let mut named_by_records = 0;
    for table in lines.chunk_by(|a, b| a.starts_with('|') == b.starts_with('|')) {
        for line in table.iter().filter(|line| line.starts_with('|')) {
            assert_eq!(columns(line), columns(table[0]), "{line}");
            named_by_records += usize::from(line.contains("\\|D\\| = 500"));
        }
    }
    assert!(named_by_records > 0, "no claim names a cell with its number of records");
}

#[test]
fn the_same_rows_give_the_same_files() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let rows = synthetic::times();
    write(&rows, one.path());
    write(&rows.into_iter().rev().collect::<Vec<_>>(), other.path());
    for name in ["report.html", "RESULTS.md", "figures/time.svg", "figures/time.png"] {
        let read = |folder: &Path| fs::read(folder.join(name)).unwrap();
        assert_eq!(read(one.path()), read(other.path()), "{name}");
    }
}

#[test]
fn every_series_is_in_every_panel_that_has_it() {
    let out = tempfile::tempdir().unwrap();
    write(&synthetic::everything(), out.path());
    // Panels, and series in all of them: what is without data has no initial centers.
    for (name, panels, series) in [
        ("images-ndp", 8, 8 * 4),
        ("images-dp", 8, 4 * 5 + 4 * 7),
        ("graph-dp", 8, 4 * 5 + 4 * 7),
        ("dp-output", 8, 8 * 7),
        ("iterations", 4, 4 * 3),
        ("best-cost", 4, 4 * 4),
        ("time", 2, 2 * 4),
        ("gain", 2, 2 * 4),
        ("epsilon", 2, 2 * 5),
        ("small-epsilon", 4, 4 * 4),
        ("demand-size", 1, 5),
        ("distortion", 1, 4),
        ("orlib", 1, 4),
        ("roads", 1, 7),
    ] {
        let svg = fs::read_to_string(out.path().join(format!("figures/{name}.svg"))).unwrap();
        assert_eq!(svg.matches("<g class=\"panel\"").count(), panels, "{name}");
        assert_eq!(svg.matches("<g class=\"series").count(), series, "{name}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
    }
}

#[test]
fn no_text_leaves_the_sheet_or_touches_axes_or_other_text() {
    let out = tempfile::tempdir().unwrap();
    write(&synthetic::everything(), out.path());
    for name in FIGURES {
        let svg = fs::read_to_string(out.path().join(format!("figures/{name}.svg"))).unwrap();
        let tree =
            Tree::from_str(&svg, &Options { fontdb: fonts(), ..Options::default() }).unwrap();
        let (mut texts, mut frames) = (Vec::new(), Vec::new());
        boxes(tree.root(), &mut texts, &mut frames);
        assert!(texts.len() > 10 && !frames.is_empty(), "{name}");
        for (place, (text, room)) in texts.iter().enumerate() {
            let inside = room.left() >= 0.0 && room.right() <= tree.size().width();
            assert!(inside && room.bottom() <= tree.size().height(), "{name}: {text}");
            assert!(frames.iter().all(|frame| !touch(room, frame)), "{name}: {text} in the axes");
            for (other, taken) in &texts[..place] {
                assert!(!touch(room, taken), "{name}: {text} and {other}");
            }
        }
    }
}

fn fonts() -> Arc<Database> {
    let mut fonts = Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    Arc::new(fonts)
}

/// Where texts are, and what axes enclose: they are the only paths of two sides that are not part
/// of a series.
fn boxes(group: &Group, texts: &mut Vec<(String, Rect)>, frames: &mut Vec<Rect>) {
    for node in group.children() {
        match node {
            Node::Group(group) => boxes(group, texts, frames),
            Node::Text(text) => {
                let words = text.chunks().iter().map(TextChunk::text).collect();
                texts.push((words, text.abs_bounding_box()));
            }
            Node::Path(path) => {
                let room = path.abs_bounding_box();
                if path.fill().is_none() && room.width() > 150.0 && path.data().len() == 3 {
                    frames.push(room);
                }
            }
            Node::Image(_) => {}
        }
    }
}

/// Whether two boxes share more than an edge.
fn touch(one: &Rect, other: &Rect) -> bool {
    one.left() < other.right() - 0.5
        && other.left() < one.right() - 0.5
        && one.top() < other.bottom() - 0.5
        && other.top() < one.bottom() - 0.5
}

/// Exchanges two names.
fn exchange(name: &mut String, one: &str, other: &str) {
    if name == one {
        *name = other.to_owned();
    } else if name == other {
        *name = one.to_owned();
    }
}

/// Makes all costs and times of a method larger.
fn worsen(row: &mut Row, experiment: &str, method: &str, factor: f64) {
    if row.experiment == experiment && row.method == method {
        row.final_cost = row.final_cost.map(|cost| cost * factor);
        row.init_seconds = row.init_seconds.map(|seconds| seconds * factor);
    }
}

/// A claim, and a change of the rows after which it is false.
type Turn = (&'static str, fn(&mut Row));

/// What turns each claim over.
const TURNS: [Turn; 44] = [
    ("initial-ndp-plusplus", |row| exchange(&mut row.method, "ndp-hst", "ndp-plusplus")),
    ("initial-ndp-rand", |row| exchange(&mut row.method, "ndp-hst", "ndp-rand")),
    ("initial-dp-plusplus", |row| exchange(&mut row.method, "dp-hst", "dp-plusplus")),
    ("initial-dp-rand", |row| exchange(&mut row.method, "dp-hst", "dp-rand")),
    ("final-ndp-overlap", |row| worsen(row, "cost", "ndp-rand", 1.1)),
    ("final-dp-plusplus", |row| exchange(&mut row.method, "dp-hst", "dp-plusplus")),
    ("final-dp-rand", |row| exchange(&mut row.method, "dp-hst", "dp-rand")),
    ("imbalanced-initial", |row| exchange(&mut row.demand, "balanced", "imbalanced")),
    ("imbalanced-final", |row| exchange(&mut row.demand, "balanced", "imbalanced")),
    ("mixed-graphs", |row| exchange(&mut row.data, "graph-r1", "graph-r100")),
    ("iterations-plusplus", |row| exchange(&mut row.method, "dp-hst", "dp-plusplus")),
    ("iterations-rand", |row| exchange(&mut row.method, "dp-hst", "dp-rand")),
    ("best-plusplus", |row| exchange(&mut row.method, "dp-hst", "dp-plusplus")),
    ("best-rand", |row| exchange(&mut row.method, "dp-hst", "dp-rand")),
    ("time-similar", |row| worsen(row, "time-n", "hst-paper", 10.0)),
    ("time-many-centers", |row| exchange(&mut row.method, "hst-paper", "plusplus")),
    ("time-growth", |row| worsen(row, "time-n", "hst-paper", row.n as f64)),
    ("limit-mnist-imbalanced", |row| worsen(row, "cost", "dp-refined", 1.02)),
    ("limit-mnist-balanced", |row| worsen(row, "cost", "dp-refined", 1.02)),
    ("limit-graph-imbalanced", |row| worsen(row, "cost", "dp-refined", 1.1)),
    ("limit-graph-balanced", |row| worsen(row, "cost", "dp-refined", 1.1)),
    ("below-dp-hst", |row| worsen(row, "cost", "dp-refined", 1.5)),
    ("below-dp-hst-best", |row| worsen(row, "cost", "dp-refined", 1.5)),
    ("below-data-free-imbalanced", |row| worsen(row, "cost", "dp-refined", 1.5)),
    ("below-data-free-balanced", |row| worsen(row, "cost", "dp-refined", 1.5)),
    ("initial-exact", |row| exchange(&mut row.method, "ndp-exact", "ndp-hst")),
    ("small-epsilon", |row| worsen(row, "small-epsilon", "dp-refined", 1.5)),
    ("means-below-data-free", |row| worsen(row, "means", "dp-refined", 2.0)),
    ("roads-below-data-free", |row| worsen(row, "roads", "dp-refined", 1.5)),
    ("time-ours-many-centers", |row| exchange(&mut row.method, "hst-ours", "plusplus")),
    ("orlib-optimum", |row| worsen(row, "orlib", "ndp-restarts", 1.001)),
    ("accuracy-data-free", |row| worsen(row, "accuracy", "dp-refined", 1.3)),
    ("accuracy-balanced", |row| worsen(row, "accuracy", "dp-refined", 1.3)),
    ("accuracy-graphs", |row| worsen(row, "accuracy", "dp-refined", 1.1)),
    ("accuracy-images", |row| worsen(row, "accuracy", "dp-refined", 1.1)),
    ("accuracy-roads", |row| worsen(row, "accuracy", "dp-refined", 1.2)),
    ("accuracy-graphs-tenth", |row| worsen(row, "accuracy", "dp-refined", 1.2)),
    ("accuracy-images-tenth", |row| worsen(row, "accuracy", "dp-refined", 1.2)),
    ("accuracy-5000", |row| worsen(row, "accuracy", "dp-refined", 1.1)),
    ("accuracy-50000", |row| worsen(row, "accuracy", "dp-refined", 1.1)),
    ("accuracy-ranges-hold", |row| restate(row, |_| [0.0, 0.0])),
    ("accuracy-ranges-points", |row| restate(row, |_| [0.0, 0.0])),
    ("accuracy-clear", |row| worsen(row, "accuracy", "dp-refined", 1.3)),
    ("accuracy-ranges-narrow", |row| restate(row, |_| [f64::MIN, f64::MAX])),
];

/// Changes all ranges that a release states.
fn restate(row: &mut Row, range: fn([f64; 2]) -> [f64; 2]) {
    if let Some(stated) = &mut row.stated {
        stated.cost = range(stated.cost);
        stated.advantage = range(stated.advantage);
        stated.sizes_covered = 0.5;
    }
}

#[test]
fn every_claim_holds_for_rows_that_bear_it_out_and_not_for_their_opposite() {
    let rows = synthetic::everything();
    let claimed = claims::all(&rows);
    let names: BTreeSet<&str> = claimed.iter().map(|claim| claim.name).collect();
    assert_eq!(names, TURNS.iter().map(|turn| turn.0).collect(), "every claim can be turned over");
    for claim in &claimed {
        assert_eq!(claim.verdict, Verdict::Holds, "{}: {}", claim.name, claim.evidence);
    }
    for (name, turn) in TURNS {
        let mut turned = rows.clone();
        turned.iter_mut().for_each(turn);
        let claimed = claims::all(&turned);
        let claim = claimed.iter().find(|claim| claim.name == name).unwrap();
        assert_eq!(claim.verdict, Verdict::DoesNotHold, "{name}: {}", claim.evidence);
    }
}

#[test]
fn a_claim_that_fails_in_one_cell_holds_partly() {
    let mut rows = synthetic::cost();
    for row in &mut rows {
        if row.data == "graph-r1" && row.demand == "balanced" && row.k == 5 {
            worsen(row, "cost", "dp-refined", 1.5);
        }
    }
    let claimed = claims::all(&rows);
    let claim = claimed.iter().find(|claim| claim.name == "below-data-free-balanced").unwrap();
    assert_eq!(claim.verdict, Verdict::Partly);
    assert!(claim.evidence.starts_with("True in 19 of 20 cells."), "{}", claim.evidence);
    assert!(claim.evidence.contains("graph r = 1, balanced, k = 5"), "{}", claim.evidence);
}

#[test]
fn the_numbers_of_the_gain_follow_from_the_rows() {
    let out = tempfile::tempdir().unwrap();
    let cost = |method: &str, costs: &[f64], final_cost| Row {
        costs: costs.to_vec(),
        final_cost: Some(final_cost),
        ..synthetic::row("cost", "graph-r1", "balanced", method)
    };
    let rows = [
        cost("dp-refined", &[], 30.0),
        cost("dp-hst", &[60.0, 20.0], 50.0),
        cost("data-free", &[], 24.0),
        cost("ndp-exact", &[], 25.0),
    ];
    write(&rows, out.path());
    let markdown = fs::read_to_string(out.path().join("RESULTS.md")).unwrap();
    let line = "| graph r = 1 | balanced | 10 | 30.00 | 50.00 | +40.0 % | 40.00 | +25.0 % | 24.00 | −25.0 % | 25.00 | \
                1.200 |";
    assert!(markdown.contains(line), "{markdown}");
}

#[test]
fn what_has_no_rows_is_named_as_missing() {
    let out = tempfile::tempdir().unwrap();
    let mut rows = synthetic::cost();
    rows.retain(|row| row.data != "graph-r100" && row.method != "dp-exact");
    rows.retain(|row| row.data != "mnist-l1" || row.method != "dp-rand");
    write(&rows, out.path());
    let drawn = drawn(out.path(), ".svg");
    assert!(drawn.contains("graph-dp") && !drawn.contains("epsilon"));
    let markdown = fs::read_to_string(out.path().join("RESULTS.md")).unwrap();
    let html = fs::read_to_string(out.path().join("report.html")).unwrap();
    for page in [&markdown, &html] {
        assert!(page.contains("No rows of: graph r = 100, balanced: initial;"));
        assert!(page.contains("No rows of: the whole experiment `epsilon`."));
        assert!(page.contains("not measured"));
        assert!(page.contains("; exact, ours"), "absent everywhere, and named once");
        assert!(!page.contains("exact, ours in"));
        assert!(page.contains("DP-rand in MNIST l1, balanced: initial"), "absent in one panel");
    }
    assert!(!markdown.contains("figures/epsilon.svg"));
}

#[test]
fn no_rows_at_all_make_a_report_that_says_so() {
    let out = tempfile::tempdir().unwrap();
    write(&[], out.path());
    let markdown = fs::read_to_string(out.path().join("RESULTS.md")).unwrap();
    assert!(markdown.contains("\n0 runs on 2026-01-31."));
    assert!(claims::all(&[]).iter().all(|claim| claim.verdict == Verdict::NotMeasured));
}

#[test]
fn a_file_in_the_place_of_the_folder_is_an_error_that_names_it() {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("results");
    fs::write(&file, "mine").unwrap();
    let error = report::write(&[], Origin::of_folder(&file), &file).unwrap_err().to_string();
    assert!(error.contains("results") && error.contains("cannot make"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}
