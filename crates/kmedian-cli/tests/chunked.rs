//! `fit` of more items than memory holds: folders and patterns of files, read chunk by chunk.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, plane, refused};
use serde_json::Value;

/// A folder of three files of points, and one file of all of them.
fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("points")).unwrap();
    let mut all = String::from("id,x,y\n");
    for at in 0..3 {
        let rows = plane(1000, at);
        let mut part = String::from("id,x,y\n");
        for (row, line) in rows.lines().filter(|line| !line.starts_with('x')).enumerate() {
            let line = format!("p{at}-{row},{line}\n");
            part += &line;
            all += &line;
        }
        folder.write(&format!("points/{at}.csv"), part);
    }
    folder.write("all.csv", all);
    folder
}

fn cost(run: &Value) -> f64 {
    run["cost"].as_f64().unwrap()
}

/// Memory for about 600 rows of two coordinates.
const FIT: &str = "-k 8 --columns x,y --memory 125kB --json";

#[test]
fn chunks_cost_what_one_search_does() {
    let folder = folder();
    let run = |of: &str| folder.run(&format!("fit {of} {FIT}")).json();
    let whole = folder.run("fit all.csv -k 8 --columns x,y --json").json();
    for of in ["points", "points/*.csv", "all.csv --chunked"] {
        let found = run(of);
        assert!(cost(&found) <= 1.02 * cost(&whole), "{of}: {} {}", cost(&found), cost(&whole));
        assert!(found["chunks"].as_u64().unwrap() >= 5 && found["n"] == 3000, "{found}");
        let served = found["served"].as_array().unwrap().iter().map(|size| size.as_f64().unwrap());
        assert_eq!(served.sum::<f64>(), 3000.0);
    }
    // The same rows in the same chunks, whatever files they are in.
    let timeless =
        |of: &str| folder.run(&format!("fit {of} {FIT}")).timeless()["center_indices"].clone();
    assert_eq!(timeless("points"), timeless("all.csv --chunked"));
    assert_eq!(timeless("points --threads 1"), timeless("points --threads 3"));
    // What fits into one chunk is fitted as one table is.
    let large = folder.run("fit points -k 8 --columns x,y --json").json();
    assert_eq!((&large["stop"], &large["centers"]), (&Value::from("whole"), &whole["centers"]));
    assert_eq!(cost(&large), cost(&whole));
}

#[test]
fn labels_and_centers_are_written() {
    let folder = folder();
    for format in ["parquet", "csv"] {
        let files = format!("--labels l.{format} --centers c.csv --id id");
        let found = folder.run(&format!("fit points {FIT} {files}")).json();
        assert!(found["centers"][0].as_str().unwrap().starts_with('p'), "{found}");
        let read = folder.run(&format!("info l.{format} --columns distance"));
        assert!(read.stdout.contains("items              3,000"), "{read:?}");
    }
    // The centers are items of their own clusters, and the distances add up to the cost.
    let labels = std::fs::read_to_string(folder.path("l.csv")).unwrap();
    let mut lines = labels.lines();
    assert_eq!(lines.next(), Some("k,index,id,label,center_index,center_id,distance"));
    let (mut rows, mut sum) = (0, 0.0);
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[1], rows.to_string());
        if cells[1] == cells[4] {
            assert_eq!((cells[2], cells[6]), (cells[5], "0.0"));
        }
        sum += cells[6].parse::<f64>().unwrap();
        rows += 1;
    }
    let found = folder.run(&format!("fit points {FIT} --id id")).json();
    assert_eq!(rows, 3000);
    assert!((sum / cost(&found) - 1.0).abs() < 1e-6, "{sum} {}", cost(&found));
    let centers = std::fs::read_to_string(folder.path("c.csv")).unwrap();
    assert_eq!(centers.lines().count(), 9);
    assert!(centers.starts_with("k,index,id,served,x,y\n"), "{centers}");
    let text = folder.run(&format!("fit points {}", FIT.replace("--json", ""))).stdout;
    assert!(text.contains("3,000 items in 3 files") && text.contains("points/"), "{text}");
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = folder();
    std::fs::create_dir(folder.path("bad")).unwrap();
    folder.write("bad/a.csv", "x,y\n1,2\n3,4\n");
    folder.write("bad/b.csv", "x,y\n1,2\n3,oops\n");
    std::fs::create_dir(folder.path("mixed")).unwrap();
    folder.write("mixed/a.csv", "x,y\n1,2\n");
    folder.write("mixed/b.csv", "x,z\n1,2\n");
    std::fs::create_dir(folder.path("zero")).unwrap();
    folder.write("zero/a.csv", "x,y\n1,2\n3,4\n");
    folder.write("zero/b.csv", "x,y\n1,2\n0,0\n4,4\n");
    std::fs::create_dir(folder.path("empty")).unwrap();
    for (args, parts) in [
        ("bad -k 1", &["bad/b.csv: line 3, column `y`: `oops` is not a number"] as &[&str]),
        ("mixed -k 1", &["mixed/b.csv: has the columns `x`, `z`, but"]),
        ("zero -k 1 --metric angular", &["in row 2 of zero/b.csv", "zero vector"]),
        ("empty -k 1", &["empty: is a folder without a file in it"]),
        ("none/*.csv -k 1", &["no file has such a name"]),
        ("points -k 0", &["-k 0: from 3,000 items"]),
        ("points -k 3001", &["-k 3001: from 3,000 items"]),
        ("points", &["how many centers?"]),
        ("points -k 2,3", &["one number of centers at a time"]),
        ("points -k 99 --memory 1kB", &["--memory: 1000 bytes of memory are too little"]),
        ("points -k 2 --restarts 3", &["--restarts is for items that fit memory"]),
        ("points -k 2 --gap 1%", &["--gap is for items that fit memory"]),
        ("points -k 2 --metric jaccard", &["rows of numbers under a metric of vectors"]),
        ("points -k 2 --columns x,q", &["no column `q`"]),
        ("- -k 2 --chunked", &["standard input does not allow"]),
    ] {
        refused(&folder, &format!("fit {args} --labels out.csv"), parts);
    }
    refused(&folder, "fit points -k 2 --labels points/1.csv", &["would overwrite the input"]);
}
