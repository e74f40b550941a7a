//! What cannot be used is refused in one line that says what, where and what to do, before anything
//! is written.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, Outcome, gzip, plane, refused};

const POINTS: &str = "x,y\n0,0\n0,1\n5,5\n";

/// A run that must fail, and parts of what it must say.
type Case<'a> = (&'a str, &'a [&'a str]);

/// Runs `fit` with output files, and checks how it is refused.
fn refuse(folder: &Folder, cases: &[Case]) {
    for (args, parts) in cases {
        refused(folder, &format!("fit {args} --centers out.csv --labels l.csv"), parts);
    }
}

/// Runs what must succeed all the same, and gives its notes.
fn notes(run: &Outcome) -> Vec<&str> {
    assert_eq!(run.code, Some(0), "{run:?}");
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert!(lines.iter().all(|line| line.starts_with("note: ")), "{run:?}");
    lines
}

#[test]
fn tables() {
    let folder = Folder::with(&[
        ("points.csv", POINTS),
        ("text.csv", "x,y\n0,0\n1,abc\n"),
        ("nan.csv", "x,y\n0,0\n1,NaN\n"),
        ("inf.csv", "x,y\n0,0\n-inf,1\n"),
        ("blank.csv", "x,y\n0,0\n,1\n"),
        ("comma.csv", "x;y\n0,5;1\n"),
        ("ragged.csv", "x,y\n0,0\n1,2,3\n"),
        ("empty.csv", ""),
        ("header.csv", "x,y\n"),
        ("words.csv", "name\nOslo\nRome\n"),
    ]);
    refuse(
        &folder,
        &[
            ("none.csv -k 1", &["none.csv: no such file"]),
            (". -k 1 --graph", &["is a folder; name a file in it"]),
            ("points.csv -k 1 --columns x,z", &["no column `z`", "columns are `x`, `y`"]),
            (
                "points.csv -k 1 --columns y,x,y",
                &["points.csv: column `y` is given twice; give it once"],
            ),
            (
                "points.csv -k 1 --report page.pdf",
                &[
                    "--report page.pdf: what is written there is HTML; give a name that ends in .html",
                ],
            ),
            ("points.csv -k 1 --geojson map.txt", &["--geojson map.txt", "ends in .geojson or"]),
            (
                "points.csv -k 1 --effort optimal --gap 1%",
                &["--effort optimal proves a gap of 0; leave out that or --gap"],
            ),
            ("points.csv -k 1 --seed=-1", &["--seed", "give a whole number, 0 or more"]),
            ("points.csv -k 1 --seed 18446744073709551616", &["the number is too large"]),
            ("points.csv -k 1 --id name", &["no column `name`", "columns are `x`, `y`"]),
            ("points.csv -k 1 --columns 0,2", &["no column `2`", "columns are `x`, `y`"]),
            ("text.csv -k 1", &["text.csv: line 3, column `y`: `abc` is not a number", "--id"]),
            ("nan.csv -k 1", &["nan.csv: line 3, column `y`: `NaN` is not a finite number"]),
            ("inf.csv -k 1", &["inf.csv: line 3, column `x`: `-inf` is not a finite number"]),
            ("blank.csv -k 1", &["blank.csv: line 3, column `x`: the cell is empty"]),
            ("comma.csv -k 1", &["line 2, column `x`: `0,5`", "write decimals with a point"]),
            ("ragged.csv -k 1", &["ragged.csv: line 3 has 3 columns, but line 1 has 2"]),
            ("empty.csv -k 1", &["empty.csv: the file is empty"]),
            ("header.csv -k 1", &["header.csv: has a header but no rows"]),
            ("words.csv -k 1 --id name", &["no numeric column is left", "--columns"]),
        ],
    );
}

#[test]
fn damaged_and_misnamed_files() {
    let folder = Folder::with(&[
        ("text.npy", "no array"),
        ("text.parquet", "no table"),
        ("text.idx", "no images"),
        ("text-idx3-ubyte", "no images"),
        ("short.parquet", "PAR1 and then nothing"),
    ]);
    let mut half = gzip(plane(500, 1));
    half.truncate(half.len() / 2);
    folder.write("half.csv.gz", half);
    folder.write("flipped.csv.gz", {
        let mut bytes = gzip(plane(500, 1));
        let middle = bytes.len() / 2;
        bytes[middle..middle + 8].fill(0xff);
        bytes
    });
    folder.write("short.npy", b"\x93NUMPY\x01");
    folder.write("short-idx3-ubyte", b"\0\0\x08\x03\0");
    folder.write("noise.csv", b"\x07\x00\xff\xfe\x00\x01\x02");
    refuse(
        &folder,
        &[
            ("half.csv.gz -k 1", &["half.csv.gz: ends in the middle", "download it again"]),
            (
                "flipped.csv.gz -k 1",
                &["flipped.csv.gz: ", "compressed data is damaged", "download it again"],
            ),
            ("text.npy -k 1", &["text.npy: is named like npy but holds text", "--format"]),
            ("text.parquet -k 1", &["is named like parquet but holds text", "--format"]),
            ("text.idx -k 1", &["text.idx: is named like idx but holds text", "--format"]),
            ("text-idx3-ubyte -k 1", &["is named like idx but holds text", "--format"]),
            ("short.npy -k 1", &["short.npy: ends inside its header"]),
            ("short.parquet -k 1", &["its end is missing", "download it again"]),
            ("short-idx3-ubyte -k 1", &["ends inside its header", "download it again"]),
            ("noise.csv -k 1", &["noise.csv: "]),
            ("noise.csv -k 1 --graph", &["noise.csv: "]),
        ],
    );
}

#[test]
fn numbers_of_centers() {
    let folder = Folder::with(&[("points.csv", POINTS)]);
    refuse(
        &folder,
        &[
            ("points.csv -k 0", &["-k 0: from 3 items, 1 to 3 centers"]),
            ("points.csv -k 4", &["-k 4: from 3 items, 1 to 3 centers"]),
            ("points.csv -k 1,2,4", &["-k 4: from 3 items"]),
            ("points.csv -k 0..2", &["-k 0: from 3 items"]),
            ("points.csv", &["how many centers?", "-k 10"]),
            ("points.csv -k 3..2", &["the range 3..2 is empty", "smaller number comes first"]),
            ("points.csv -k 1..18446744073709551615", &["too long", "100000"]),
            ("points.csv -k -1", &["`-1` is not a whole number", "2..20"]),
            ("points.csv -k 1.5", &["`1.5` is not a whole number"]),
            ("points.csv -k many", &["`many` is not a whole number"]),
            ("points.csv -k 2,", &["`` is not a whole number"]),
        ],
    );
}

#[test]
fn weights() {
    let folder = Folder::with(&[
        ("points.csv", POINTS),
        ("weighted.csv", "x,w,none\n0,1,0\n1,-2,0\n2,1,0\n"),
        ("path.txt", "0 1 1\n1 2 1\n"),
        ("matrix.csv", "0,1\n1,0\n"),
        ("negative.csv", "1\n-1\n0\n"),
        ("two.csv", "1\n2\n"),
        ("three.csv", "1\n2\n3\n"),
        ("zero.csv", "0\n0\n0\n"),
        ("wide.csv", "a,b\n1,2\n3,4\n5,6\n"),
        ("huge.csv", "1e308\n1e308\n1e308\n"),
    ]);
    refuse(
        &folder,
        &[
            (
                "weighted.csv -k 1 --columns x --weights w",
                &["weighted.csv: line 3, column `w`: the weight `-2` is negative"],
            ),
            (
                "weighted.csv -k 1 --columns x --weights none",
                &["--weights none: ", "all weights are zero"],
            ),
            (
                "points.csv -k 1 --weights negative.csv",
                &["negative.csv: line 2", "`-1` is negative"],
            ),
            (
                "points.csv -k 1 --weights two.csv",
                &["two.csv: has 2 weights, but points.csv has 3 items; give one weight an item"],
            ),
            ("path.txt --graph -k 1 --weights two.csv", &["two.csv: has 2 weights", "3 items"]),
            ("matrix.csv --matrix -k 1 --weights three.csv", &["has 3 weights", "2 items"]),
            ("points.csv -k 1 --weights zero.csv", &["--weights zero.csv: ", "weights are zero"]),
            ("points.csv -k 1 --weights huge.csv", &["--weights huge.csv: ", "sum", "too large"]),
            ("points.csv -k 1 --weights wide.csv", &["wide.csv: has several columns"]),
            (
                "points.csv -k 1 --weights typo.csv",
                &["no column `typo.csv`", "columns are `x`, `y`", "no file `typo.csv`"],
            ),
            ("path.txt --graph -k 1 --weights typo.csv", &["typo.csv: there is no such file"]),
            ("matrix.csv --matrix -k 1 --weights typo.csv", &["typo.csv: there is no such file"]),
        ],
    );
}

#[test]
fn graphs() {
    let folder = Folder::with(&[
        ("negative.txt", "0 1 1\n1 2 -2\n"),
        ("zero.txt", "0 1 0\n"),
        ("range.txt", "3 2\n0 1 1\n1 3 3\n"),
        ("split.txt", "0 1 1\n2 3 1\n3 4 1\n"),
        ("from-one.txt", "1 2 1\n2 3 1\n"),
        ("short.txt", "3 5\n0 1 1\n1 2 1\n"),
        ("range.gr", "p sp 2 1\na 1 3 1\n"),
        ("no-p.gr", "c nothing\na 1 2 1\n"),
        ("words.txt", "0 1 1\n1 Rome 1\n"),
        ("path.txt", "0 1 1\n1 2 1\n"),
    ]);
    refuse(
        &folder,
        &[
            ("none.txt --graph -k 1", &["none.txt: no such file"]),
            ("negative.txt --graph -k 1", &["negative.txt: line 2: the length `-2` is negative"]),
            ("zero.txt --graph -k 1", &["zero.txt: line 1: the length `0` is zero"]),
            ("range.txt --graph -k 1", &["line 3: node 3 is out of range", "from 0 to 2"]),
            ("range.gr --graph -k 1", &["line 2: node 3 is out of range", "from 1 to 2"]),
            ("no-p.gr --graph -k 1", &["no-p.gr: line 2: an edge before the `p` line"]),
            ("short.txt --graph -k 1", &["states 5 edges but lists 2"]),
            ("words.txt --graph -k 1", &["line 2: `Rome` is not a whole number"]),
            (
                "split.txt --graph -k 1",
                &["split.txt: the graph has 2 components (of 3, 2 nodes)", "--largest-component"],
            ),
            (
                "from-one.txt --graph -k 1",
                &["no edge is at node 0: if the file counts from 1, give --nodes-from 1"],
            ),
            ("split.txt --graph --largest-component -k 4", &["-k 4: from 3 items"]),
            ("path.txt --graph -k 1 --tree grid", &["a grid tree needs vectors", "fitted, ball"]),
            ("path.txt --graph -k 1 --format csv", &["`csv` is no graph format", "edge-list"]),
        ],
    );
}

#[test]
fn graphs_with_a_flaw_that_can_be_mended() {
    let folder = Folder::with(&[
        ("loop.txt", "0 1 1\n1 1 3\n"),
        ("split.txt", "0 1 1\n2 3 1\n3 4 1\n"),
        ("visits.txt", "9\n9\n1\n1\n1\n"),
    ]);
    let run = folder.run("fit loop.txt --graph -k 1 --json");
    assert_eq!(notes(&run), ["note: 1 edge from a node to itself dropped"]);
    assert_eq!(run.json()["n"], 2);

    let run = folder.run(
        "fit split.txt --graph --largest-component -k 1 --json --weights visits.txt \
         --labels l.csv",
    );
    assert_eq!(run.json()["n"], 3);
    assert_eq!(run.json()["cost"], 2.0);
    assert_eq!(run.json()["center_indices"], serde_json::json!([3]), "numbers of the file");
    assert_eq!(
        folder.read("l.csv"),
        "k,index,label,center_index,distance\n1,2,0,3,1.0\n1,3,0,3,0.0\n1,4,0,3,1.0\n"
    );
}

#[test]
fn matrices() {
    let folder = Folder::with(&[
        ("wide.csv", "0,1,2\n1,0,3\n"),
        ("asymmetric.csv", "0,1\n2,0\n"),
        ("diagonal.csv", "0,1\n1,4\n"),
        ("negative.csv", "0,-1\n-1,0\n"),
        ("good.csv", "0,1\n1,0\n"),
        ("detour.csv", "0,1,9\n1,0,1\n9,1,0\n"),
        ("rounded.csv", "1e-7,1\n1,-2e-7\n"),
    ]);
    refuse(
        &folder,
        &[
            ("wide.csv --matrix -k 1", &["no square matrix: it has 2 rows and 3 columns", "--id"]),
            ("asymmetric.csv --matrix -k 1", &["row 0, column 1", "must be symmetric"]),
            ("diagonal.csv --matrix -k 1", &["row 1, column 1", "to itself must be zero"]),
            ("negative.csv --matrix -k 1", &["row 0, column 1", "not negative"]),
            ("good.csv --matrix -k 1 --tree grid", &["a grid tree needs vectors"]),
            ("good.csv --matrix --graph -k 1", &["'--matrix' cannot be used with '--graph'"]),
        ],
    );
    let run = folder.run("fit detour.csv --matrix -k 1 --json");
    assert_eq!(
        notes(&run),
        ["note: not a metric: 0 to 2 is 9, but only 2 by way of 1; the centers carry no guarantee"]
    );
    assert_eq!(run.json()["centers"], serde_json::json!([1]));
    assert_eq!(folder.run("fit rounded.csv --matrix -k 2 --json").json()["cost"], 0.0);
}

#[test]
fn metrics() {
    let folder = Folder::with(&[
        ("three.csv", "a,b,c\n1,2,3\n4,5,6\n"),
        ("north.csv", "lat,lon\n1,2\n95,0\n"),
        ("zero.csv", "x,y\n1,2\n0,0\n"),
    ]);
    refuse(
        &folder,
        &[
            (
                "three.csv -k 1 --metric haversine",
                &["haversine needs two columns", "not 3", "--columns"],
            ),
            ("north.csv -k 1 --metric haversine", &["item 1: latitude 95", "latitude first"]),
            (
                "zero.csv -k 1 --metric angular",
                &["item 1 is the zero vector", "take a metric that needs none"],
            ),
            ("zero.csv -k 1 --metric cosinus", &["no metric `cosinus`", "l2, l1, linf, angular"]),
        ],
    );
    let run = folder.run("fit three.csv -k 1 --metric haversine --columns b,a --json");
    assert_eq!(run.json()["metric"], "haversine");
}

#[test]
fn options() {
    let folder = Folder::with(&[("points.csv", POINTS)]);
    refuse(
        &folder,
        &[
            ("points.csv -k 1 --tree frt --levels 3", &["levels: an frt tree finds its own"]),
            ("points.csv -k 1 --levels 0", &["levels"]),
            ("points.csv -k 1 --threads 0", &["--threads 0: at least one thread"]),
            ("points.csv -k 1 --threads 100000000", &["--threads 100000000: choose 1 to 4096"]),
            ("points.csv -k 1 --threads -1", &["'-1' for '--threads"]),
            (
                "points.csv -k 1 --time-limit -1",
                &["the time limit is -1; give a number of seconds"],
            ),
            (
                "points.csv -k 1 --time-limit nan",
                &["the time limit is NaN; give a number of seconds"],
            ),
            ("points.csv -k 1 --alpha -1", &["alpha is -1; give a number, 0 or more"]),
            ("points.csv -k 1 --alpha nan", &["alpha is NaN; give a number, 0 or more"]),
            ("points.csv -k 1 --alpha inf", &["alpha is inf; give a number, 0 or more"]),
            ("points.csv -k 1 --format xlsx", &["`xlsx` is no table format", "csv, tsv, text"]),
            ("points.csv -k 1 --header maybe", &["'maybe' for '--header"]),
            ("points.csv -k 1 --largest-component", &["--largest-component", "--graph"]),
            ("points.csv -k 1 --init magic", &["'magic' for '--init"]),
            ("-k 1", &["required arguments"]),
        ],
    );
}

#[test]
fn distances_that_overflow() {
    let folder = Folder::with(&[
        ("huge.csv", "x,y\n3e38,0\n-3e38,0\n0,3e38\n"),
        ("large.csv", "x,y\n0,0\n1e20,0\n0,3e20\n"),
        ("huge.txt", "0 1 3e38\n1 2 3e38\n"),
        ("tiny.csv", "x,y\n0,0\n1e-20,0\n0,3e-20\n"),
        ("same.csv", "x,y\n1e-20,0\n1e-20,0\n"),
    ]);
    let says: &[&str] = &["distances are too large for 32-bit numbers", "rescale"];
    refuse(
        &folder,
        &[
            ("huge.csv -k 1", says),
            ("huge.csv -k 1 --metric l1", says),
            ("large.csv -k 1", says),
            ("huge.txt --graph -k 1", says),
            ("tiny.csv -k 1", &["tiny.csv", "too small for 32-bit numbers", "rescale"]),
        ],
    );
    assert_eq!(folder.fit("same.csv -k 1")["cost"], 0.0);
    // Without squares there is room, and some metrics do not care at all.
    assert_eq!(
        folder.fit("large.csv -k 2 --metric l1")["center_indices"].as_array().unwrap().len(),
        2
    );
    assert_eq!(folder.fit("huge.csv -k 1 --metric hamming")["cost"], 3.0);
}

#[test]
fn outputs() {
    let folder = Folder::with(&[("points.csv", POINTS), ("w.csv", "1\n1\n1\n")]);
    for (args, parts) in [
        ("--centers c.xlsx --labels l.csv", ["tables are not written as `.xlsx`", ".parquet"]),
        ("--centers c.csv --labels l", ["l: has no extension", ".parquet"]),
        ("--centers c.csv --labels no/l.csv", ["the folder `no` does not exist", "create it"]),
        ("--centers no/c.csv --labels l.csv", ["the folder `no` does not exist", "create it"]),
        ("--centers c.csv --labels points.csv/l.csv", ["points.csv/l.csv", "is no folder"]),
        ("--centers c.csv --labels ./c.csv", ["overwrite what --centers writes", "another name"]),
        ("--centers ./points.csv", ["would overwrite the input", "another name"]),
        ("--weights w.csv --labels w.csv", ["would overwrite the file of weights", "another name"]),
    ] {
        refused(&folder, &format!("fit points.csv -k 1 {args}"), &parts);
    }
    assert_eq!(folder.read("points.csv"), POINTS);
}

#[test]
fn info_refuses_as_fit_does() {
    let folder = Folder::with(&[("split.txt", "0 1 1\n2 3 1\n"), ("empty.csv", "")]);
    refused(&folder, "info empty.csv", &["empty.csv: the file is empty"]);
    refused(&folder, "info split.txt --graph --json", &["--largest-component"]);
    refused(&folder, "info", &["required arguments"]);
}

#[test]
fn claims_that_the_file_does_not_bear_out() {
    let folder = Folder::with(&[
        ("nodes.gr", "p sp 4294967290 1\na 1 2 3\n"),
        ("edges.gr", "p sp 3 9223372036854775808\na 1 2 3\n"),
    ]);
    // 268 million columns in 28 bytes.
    folder.write("claims-idx3-ubyte", b"\0\0\x08\x03\0\0\0\x01\x10\0\0\0\0\0\0\x01 and twelve..");
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 268435456), }\n";
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    array.extend((header.len() as u16).to_le_bytes());
    array.extend(header.as_bytes());
    array.extend([0; 64]);
    folder.write("claims.npy", array);
    let points: String = (0..50).map(|i| format!("s{i},{i}\n")).collect();
    folder.write("points.csv", format!("name,x\n{points}"));
    let run = folder.run("fit points.csv --id name -k 3 --labels good.parquet");
    assert_eq!(run.code, Some(0), "{run:?}");
    // All that is claimed of columns and their places is in the last kilobyte.
    let good = std::fs::read(folder.path("good.parquet")).unwrap();
    let mut claims = good.clone();
    let end = claims.len();
    claims[end - 8..end - 4].copy_from_slice(&[0xff; 4]);
    folder.write("claims.parquet", claims);
    refuse(
        &folder,
        &[
            ("nodes.gr --graph -k 1", &["4294967290 nodes, but only 1 edges"]),
            ("edges.gr --graph -k 1", &["states 9223372036854775808 edges but lists 1"]),
            ("claims-idx3-ubyte -k 1", &["ends after 0 of 1 rows"]),
            ("claims.npy -k 1", &["ends after 0 of 1 rows"]),
            ("claims.parquet -k 1", &["its index is longer than the file"]),
        ],
    );
    for place in (end.saturating_sub(1000)..end - 8).step_by(3) {
        let mut bytes = good.clone();
        bytes[place] = 0xff;
        folder.write("damaged.parquet", bytes);
        let run = folder.run("info damaged.parquet");
        assert!(matches!(run.code, Some(0 | 2)) && !run.stderr.contains("panicked"), "{run:?}");
    }
}

#[test]
#[cfg(unix)]
fn what_cannot_come_through_a_pipe_says_so() {
    use std::io::Write;

    let folder = Folder::with(&[("points.csv", POINTS), ("w.txt", "1\n2\n3\n")]);
    let run = folder.run("fit points.csv -k 1 --labels l.parquet");
    assert_eq!(run.code, Some(0), "{run:?}");
    let table = std::fs::read(folder.path("l.parquet")).unwrap();
    let through_pipe = |args: &str, bytes: &[u8]| -> Outcome {
        let mut command = folder.command(args);
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        // The command may end before it has read all of it.
        let _ = child.stdin.take().unwrap().write_all(bytes);
        child.wait_with_output().unwrap().into()
    };
    for args in ["fit /dev/stdin -k 1", "fit points.csv -k 1 --weights /dev/stdin"] {
        let run = through_pipe(args, &table);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains("through a pipe; save it first"), "{run:?}");
    }
    let run = through_pipe("fit points.csv -k 1 --json --weights /dev/stdin", b"0\n0\n9\n");
    assert_eq!(run.json()["centers"], serde_json::json!([2]));
}

#[test]
fn large_numbers_that_differ_little() {
    let times: String = (0..300).map(|i| format!("{}\n", 1_000_000_000_000u64 + i)).collect();
    let folder = Folder::with(&[("times.csv", &format!("t\n{times}"))]);
    folder.write("outlier.csv", format!("t\n0\n{times}"));
    for metric in ["l1", "l2", "linf"] {
        let run = folder.run(&format!("fit times.csv -k 1 --json --metric {metric}"));
        assert_eq!(run.json()["cost"], 22_500.0, "{metric}");
        assert_eq!(notes(&run), [""; 0]);
    }
    let run = folder.run("fit times.csv -k 2 --json --metric hamming");
    assert_eq!(run.json()["cost"], 298.0);
    let run = folder.run("fit outlier.csv -k 2 --json");
    assert!(notes(&run)[0].starts_with("note: 299 rows differ from others only beyond"), "{run:?}");
}

/// Notes about a file are not shown if the file, or an option, turns out to be wrong.
#[test]
fn an_error_comes_alone() {
    let folder = Folder::with(&[("p.csv", "name,x,y,ok\na,1,2,no\nb,3,4,no\n"), ("c.txt", "a\n")]);
    for args in [
        "fit p.csv --candidates c.txt -k 1",
        "fit p.csv --candidates ok -k 1",
        "fit p.csv --fixed c.txt --id name -k 2..3",
    ] {
        let run = folder.run(args);
        assert_eq!((run.code, run.stderr.lines().count()), (Some(2), 1), "{args}: {run:?}");
    }
    let run = folder.run("fit p.csv --id name -k 1");
    assert!(run.stderr.contains("left out, as they are no coordinates: `ok`"), "{run:?}");
}
