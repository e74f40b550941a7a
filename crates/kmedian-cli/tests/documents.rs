//! Every `kmedian` line of the documents is run, in the order in which they are read: README.md
//! first. What a document says that it prints, it prints.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use common::Folder;
use kmedian_data::{Column, Values, write_table};

/// How many stops, cities, junctions and rows the files have that the documents name: more than any
/// k.
const ITEMS: usize = 120;

/// The documents with lines for a shell. `xtask/tests/snippets.rs` sees to it that none hides them.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = vec![root.join("README.md")];
    for folder in ["", "docs", "docs/python", "bench", "crates/kmedian-py"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let is_document = path.extension().is_some_and(|ending| ending == "md");
            if is_document && !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

/// A line that is to be run, and what the document says that it prints.
#[derive(Debug, Default, PartialEq)]
struct Line {
    code: String,
    printed: Vec<String>,
}

/// The lines of the `sh` fences that are to be run, continued lines joined, without comments. What is
/// in a fence `text printed` after them is printed by the last one; after other fences, it is for
/// other tests.
fn lines(document: &str) -> Vec<Line> {
    let (mut inside, mut fence, mut before) = (false, "", "");
    let (mut found, mut continued) = (Vec::<Line>::new(), false);
    for line in document.lines() {
        if let Some(info) = line.strip_prefix("```") {
            inside = !inside;
            if inside {
                (before, fence) = (fence, info);
            }
        } else if inside && fence == "sh" {
            let code = line.split(" #").next().unwrap_or_default().trim();
            let (code, goes_on) = code.strip_suffix('\\').map_or((code, false), |c| (c, true));
            match found.last_mut() {
                Some(last) if continued => last.code += code,
                _ => found.push(Line { code: code.to_owned(), printed: Vec::new() }),
            }
            continued = goes_on;
        } else if inside && (before, fence) == ("sh", "text printed") {
            found.last_mut().unwrap().printed.push(line.to_owned());
        }
    }
    found
}

/// The first of some lines that a text does not have after those before it. A line `…` stands for
/// what the document leaves out.
fn not_printed<'a>(text: &str, lines: &'a [String]) -> Option<&'a String> {
    let mut printed = text.lines();
    lines.iter().filter(|line| *line != "…").find(|line| !printed.any(|found| found == *line))
}

/// The files that the documents speak of, small ones.
fn files() -> Folder {
    let folder = Folder::new();
    let place = |at: usize| (40.0 + (at % 12) as f64 * 0.1, -3.0 + (at / 12) as f64 * 0.1);
    let (mut cities, mut stops) = (String::new(), String::from("stop,lat,lon\n"));
    let (mut visits, mut roads) = (String::new(), format!("p sp {ITEMS} {}\n", 2 * (ITEMS - 1)));
    for at in 0..ITEMS {
        let (lat, lon) = place(at);
        writeln!(cities, "{lat}\t{lon}\t{}\tES\tcity{at}", 1000 + at).unwrap();
        writeln!(stops, "s{at},{lat},{lon}").unwrap();
        writeln!(visits, "{}", at % 7).unwrap();
        if at > 0 {
            // Roads are listed in both directions.
            let length = 1 + at % 5;
            writeln!(roads, "a {at} {} {length}\na {} {at} {length}", at + 1, at + 1).unwrap();
        }
    }
    folder.write("cities.tsv.gz", common::gzip(cities.as_bytes()));
    folder.write("stops.csv", stops);
    folder.write("visits.csv", visits);
    let ride = |at: usize| {
        format!("{},{}\n", 40.0 + (at % 110) as f64 * 0.01, -3.0 + (at % 90) as f64 * 0.01)
    };
    let rides: String = (0..600).map(ride).collect();
    folder.write("later.csv", "lat,lon\n40.05,-2.95\n40.9,-2.5\n");
    folder.write("rides.csv", format!("start_lat,start_lon\n{rides}"));
    folder.write("roads.gr", roads);
    let homes = |at: usize| format!("h{at},{at},{},{}\n", at * at % 31, 1 + at % 4);
    let homes: String = (0..90).map(homes).collect();
    folder.write("homes.csv", format!("name,x,y,people\n{homes}"));
    let lots: String = (0..30).map(|at| format!("l{at},{},{}\n", 3 * at, at % 31)).collect();
    folder.write("lots.csv", format!("name,x,y\n{lots}"));
    folder.write("depots.txt", "l4\nl17\n");
    let garages: String = (1..ITEMS).step_by(3).map(|node| format!("{node}\n")).collect();
    folder.write("garages.txt", garages);
    let column = |name: &str, values| Column { name: name.to_owned(), values };
    let floats =
        |of: fn((f64, f64)) -> f64| Values::Numbers((0..ITEMS).map(|at| of(place(at))).collect());
    let points = [column("x", floats(|place| place.0)), column("y", floats(|place| place.1))];
    write_table(&folder.path("points.parquet"), &points).unwrap();
    let texts = |of: fn(usize) -> String| Values::Text((0..600).map(of).collect());
    let trips = [
        column("stop", texts(|trip| format!("s{}", trip * 7 % ITEMS))),
        column("user", texts(|trip| format!("u{}", trip % 90))),
    ];
    write_table(&folder.path("trips.parquet"), &trips).unwrap();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }\n";
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    npy.extend((header.len() as u16).to_le_bytes());
    npy.extend(header.as_bytes());
    npy.extend([0f32, 1., 2., 1., 0., 1., 2., 1., 0.].iter().flat_map(|value| value.to_le_bytes()));
    folder.write("distances.npy", npy);
    folder
}

#[test]
fn every_line_of_the_documents_runs() {
    let folder = files();
    let (mut count, mut shown) = (0, 0);
    for document in documents() {
        for Line { code: line, printed } in lines(&fs::read_to_string(&document).unwrap()) {
            let name = document.file_name().unwrap().to_str().unwrap();
            let arguments =
                line.strip_prefix("kmedian ").unwrap_or_else(|| panic!("{name}: `{line}`"));
            let run = folder.run(arguments);
            assert_eq!(run.code, Some(0), "{name}: {line}: {run:?}");
            let missing = not_printed(&run.stdout, &printed);
            assert_eq!(missing, None, "{name}: {line} printed {}", run.stdout);
            shown += printed.len();
            count += 1;
        }
    }
    assert!(count >= 14, "{count} lines are too few to be all");
    assert!(shown >= 10, "{shown} lines of output are too few to be all");
    for written in ["depots.csv", "areas.parquet", "sites.csv", "plan.svg", "signed.release.json"] {
        assert!(folder.path(written).is_file(), "{written} was not written");
    }
    assert!(folder.path("shops.html").is_file(), "the page of docs/cookbook.md was not written");
}

#[test]
fn the_page_of_the_command_names_every_field_of_a_fit() {
    let folder = files();
    let page = include_str!("../../../docs/command.md");
    let table =
        page.split("`--json` prints one object").nth(1).unwrap().split("\n\n## ").next().unwrap();
    let fit = folder.fit("points.parquet -k 2");
    for (name, value) in fit.as_object().unwrap() {
        assert!(table.contains(&format!("`{name}`")), "docs/command.md: add a row for `{name}`");
        for inner in value.as_object().into_iter().flatten() {
            assert!(
                table.contains(&format!("`{}`", inner.0)),
                "docs/command.md: `{}` of {name}",
                inner.0
            );
        }
    }
}

#[test]
fn lines_are_read_as_they_are_meant() {
    let document = "```sh\nkmedian a # b\nkmedian c \\\n  d\n```\n\n```text printed\ne\n…\nf\n```\n\
        ```sh not-run: x\ng\n```\n```python\nh\n```\n```text printed\ni\n```\n";
    let line = |code: &str, printed: &[&str]| Line {
        code: code.to_owned(),
        printed: printed.iter().map(|&line| line.to_owned()).collect(),
    };
    let found = lines(document);
    assert_eq!(found, [line("kmedian a", &[]), line("kmedian c d", &["e", "…", "f"])]);
    assert_eq!(not_printed("e\nx\nf\n", &found[1].printed), None);
    assert_eq!(not_printed("f\ne\n", &found[1].printed), Some(&"f".to_owned()));
}
