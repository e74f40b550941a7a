//! Inputs as they are: gaps, names, orders, other columns, standard input; and results for a map.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use std::io::Write as _;
use std::process::Stdio;

use common::{Folder, Outcome, refused};
use serde_json::{Value, json};

/// Runs the command with this on standard input.
fn piped(folder: &Folder, args: &str, input: &str) -> Outcome {
    let mut child = folder.command(args).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

const PLACES: &str = "name,x,y,people,note\na,0,0,1,p\nb,1,0,2,q\nc,10,0,1,r\nd,11,0,5,s\n";

#[test]
fn a_dash_is_standard_input() {
    let folder = Folder::with(&[("p.csv", PLACES), ("w.txt", "1\n2\n1\n5\n")]);
    let from_file = folder.fit("p.csv --columns x,y -k 2 --weights w.txt");
    let args = "fit - --columns x,y -k 2 --json --weights w.txt";
    let from_pipe = piped(&folder, args, PLACES).json();
    assert_eq!(from_pipe["center_indices"], from_file["center_indices"]);
    let weights = piped(&folder, "fit p.csv --columns x,y -k 2 --json --weights -", "1\n2\n1\n5\n");
    assert_eq!(weights.json()["cost"], from_file["cost"]);
    let edges = piped(&folder, "fit - --graph -k 1 --json", "0 1 1\n1 2 1\n");
    assert_eq!(edges.json()["centers"], json!([1]));
    let private = "private p.csv --id name --columns x,y -k 1 --epsilon 100 --seeded-noise-not-private 1 \
                   --demand - --demand-format csv --key name --json";
    let run = piped(&folder, private, "name\nd\nd\nd\n");
    assert_eq!(run.json()["centers"], json!(["d"]));
    let empty = piped(&folder, "fit - -k 1", "");
    assert!(empty.stderr.contains("error: standard input: the file is empty"), "{empty:?}");
    let twice = "`-` is given twice";
    refused(&folder, "fit - -k 1 --weights -", &[twice]);
    refused(&folder, "fit - -k 1 --weights=-", &[twice]);
}

#[test]
fn other_columns_gaps_and_ranges() {
    let folder = Folder::with(&[
        ("p.csv", PLACES),
        ("gaps.csv", "x,y\n0,0\n,1\n2,NA\n10,0\n11,nan\n"),
        ("wide.csv", "a,b,c,d\n1,2,3,4\n5,6,7,8\n"),
        ("w.txt", "1\n1\n1\n1\n1\n"),
    ]);
    let run = folder.run("fit p.csv -k 2 --json");
    assert!(run.stderr.contains("left out, as they are no coordinates: `name`, `note`"), "{run:?}");
    refused(&folder, "fit gaps.csv -k 1", &["line 3", "the cell is empty"]);
    let run = folder.run("fit gaps.csv -k 1 --skip-missing --json --labels l.csv");
    assert!(run.stderr.contains("3 of 5 rows were left out, as they have gaps"), "{run:?}");
    assert_eq!(run.json()["n"], 2);
    let labels = folder.read("l.csv");
    let rows: Vec<&str> =
        labels.lines().skip(1).map(|row| row.split(',').nth(1).unwrap()).collect();
    assert_eq!(rows, ["0", "3"], "positions in the file: {labels}");
    refused(&folder, "fit gaps.csv -k 1 --skip-missing --weights w.txt", &["--weights w.txt"]);
    refused(
        &folder,
        "fit gaps.csv --matrix -k 1 --skip-missing",
        &["--skip-missing is for points"],
    );
    let columns = |columns: &str| {
        let found = folder.run(&format!("info wide.csv --columns {columns} --json")).json();
        found["columns"].clone()
    };
    assert_eq!(columns("0..2"), json!(["a", "b", "c"]));
    assert_eq!(columns("d,1..=2"), json!(["d", "b", "c"]));
    refused(&folder, "fit wide.csv -k 1 --columns 2..0", &["the smaller number comes first"]);
    refused(&folder, "fit wide.csv -k 1 --columns 0..9", &["at position 4"]);
    refused(
        &folder,
        "fit p.csv -k 1 --columns x,nmae",
        &["no column `nmae`; did you mean `name`?"],
    );
    refused(&folder, "fit p.csv -k 1 --metric euclidian", &["did you mean euclidean?"]);
    refused(&folder, "fit p.csv -k 1 --columsn x", &["--columsn", "--columns"]);
}

#[test]
fn latitude_and_longitude_by_name() {
    let folder = Folder::with(&[
        ("ll.csv", "lng,lat,people\n4.9,52.3,5\n10,50,1\n10.1,50,1\n"),
        ("xy.csv", "a,b\n52.3,4.9\n50,10\n"),
    ]);
    let right = folder.fit("ll.csv --metric haversine --columns lat,lng -k 2");
    let run = folder.run("fit ll.csv --metric great-circle -k 2 --json");
    assert!(run.stderr.contains("the column lat is the latitude and lng the longitude"), "{run:?}");
    assert_eq!(run.json()["cost"], right["cost"]);
    assert_eq!(folder.run("fit xy.csv --metric haversine -k 1").code, Some(0));
    let wrong = "fit ll.csv --metric haversine --columns lng,lat -k 1";
    refused(&folder, wrong, &["haversine takes latitude first, so choose the columns lat,lng"]);
    let text = folder.run("fit ll.csv --metric haversine --columns lat,lng -k 1").stdout;
    assert!(text.contains("cost km") && text.contains("served worst: "), "{text}");
}

#[test]
fn demand_by_keys_and_by_places() {
    let folder = Folder::with(&[
        ("p.csv", PLACES),
        ("keyed.csv", "n,name\n3,d\n1,a\n2,d\n"),
        ("rows.csv", "name\nd\nd\na\nzz\n"),
        ("at.csv", "px,py,n\n0.2,0.1,1\n10.9,0,3\n11.2,0.3,2\n500,500,9\n"),
        ("bad.csv", "px,py\n0,0\n,1\n"),
    ]);
    let fit =
        |more: &str| folder.run(&format!("fit p.csv --id name --columns x,y -k 1 --json {more}"));
    let keyed = fit("--demand keyed.csv --count n");
    assert_eq!((&keyed.json()["centers"], &keyed.json()["served"]), (&json!(["d"]), &json!([6.0])));
    assert!(keyed.stderr.contains("2 of 4 items have no demand"), "{keyed:?}");
    let rows = fit("--demand rows.csv --skip-missing").json();
    assert_eq!((&rows["served"], &rows["cost"]), (&json!([3.0]), &json!(11.0)));
    let at = fit("--clients at.csv --snap px,py --count n --snap-within 5");
    assert_eq!(at.json()["served"], json!([6.0]));
    assert!(at.stderr.contains("1 of 4 rows are too far from every item"), "{at:?}");
    assert_eq!(fit("--clients at.csv --snap px,py").json()["served"], json!([4.0]));
    assert_eq!(fit("--clients bad.csv --snap px,py --skip-missing").json()["served"], json!([1.0]));
    for (more, part) in [
        ("--demand rows.csv", "row 4 names `zz`, which is no item"),
        ("--demand keyed.csv --key n", "names `3`"),
        ("--demand rows.csv --weights people", "cannot be used with"),
        ("--clients at.csv", "--snap"),
        ("--clients bad.csv --snap px,py", "the cell is empty"),
        ("--count n", "--count and --snap are for rows of --demand or --clients"),
    ] {
        let args = format!("fit p.csv --id name --columns x,y -k 1 {more}");
        refused(&folder, &args, &[part]);
    }
}

#[test]
fn nodes_by_name() {
    let folder = Folder::with(&[
        ("osm.txt", "8345678901 17 2\n17 99 1\n99 8345678902 2\n"),
        ("one.txt", "1 2\n2 3\n"),
        ("w.csv", "node,n\n99,5\n17,1\n"),
    ]);
    let fit = folder.fit("osm.txt --graph -k 1 --demand w.csv --key node --count n");
    assert_eq!((&fit["centers"], &fit["cost"]), (&json!(["99"]), &json!(1.0)));
    assert_eq!(folder.fit("one.txt --graph --nodes-from 1 -k 1")["centers"], json!([2]));
    refused(&folder, "fit one.txt --graph --nodes-from 2 -k 1", &["0, 1 or names"]);
    refused(&folder, "fit w.csv --nodes-from 1 -k 1", &["--nodes-from needs --graph"]);
}

#[test]
fn results_for_a_map() {
    let folder = Folder::with(&[
        ("p.csv", "name,lat,lon,street\na,52,4,A\nb,52.1,4,B\nc,52,4.1,C\nd,50,9,D\n"),
        ("g.txt", "0 1 1\n1 2 1\n"),
        ("xy.csv", "lon,lat\n4,52\n5,52\n6,53\n"),
    ]);
    let args = "fit p.csv --id name --columns lat,lon --metric haversine --keep-columns street -k 2 \
                --centers c.csv --labels l.csv --geojson map.geojson";
    assert_eq!(folder.run(args).code, Some(0));
    let (centers, labels) = (folder.read("c.csv"), folder.read("l.csv"));
    assert!(centers.lines().next().unwrap().ends_with(",lat,lon,street"), "{centers}");
    assert!(
        labels.lines().any(|row| row.starts_with("2,3,d,") && row.ends_with(",50.0,9.0,D")),
        "{labels}"
    );
    let map: Value = serde_json::from_str(&folder.read("map.geojson")).unwrap();
    let features = map["features"].as_array().unwrap();
    assert_eq!(features.len(), 4);
    let far = features.iter().find(|feature| feature["properties"]["center"] == "d").unwrap();
    assert_eq!(far["geometry"], json!({"type": "Point", "coordinates": [9.0, 50.0]}));
    assert_eq!(far["properties"]["street"], "D");
    let area = features.iter().find(|feature| feature["geometry"]["type"] == "Polygon").unwrap();
    assert_eq!(
        (&area["properties"]["kind"], &area["properties"]["size"]),
        (&json!("area"), &json!(3))
    );
    refused(&folder, "fit g.txt --graph -k 1 --geojson no.geojson", &["give --positions FILE"]);
    let private = "private p.csv --id name --columns lat,lon --metric haversine --demand d.csv -k 1 --epsilon 1 \
                   --geojson private.geojson";
    folder.write("d.csv", "name\na\nb\n");
    assert_eq!(folder.run(private).code, Some(0));
    let map = folder.read("private.geojson");
    assert!(map.contains("estimated_size") && !map.contains("area"), "{map}");
}

/// The kind, the center and the geometry of every feature of a map.
fn features(map: &str) -> Vec<(String, Value, Value)> {
    let map: Value = serde_json::from_str(map).unwrap();
    let feature = |feature: &Value| {
        let [kind, center] = ["kind", "center"].map(|name| feature["properties"][name].clone());
        (kind.as_str().unwrap().to_owned(), center, feature["geometry"].clone())
    };
    map["features"].as_array().unwrap().iter().map(feature).collect()
}

#[test]
fn areas_of_a_graph_are_roads() {
    // Two paths of three nodes with a long road between them, a loop, a road that is listed both
    // ways, and two nodes apart from the rest.
    let folder = Folder::with(&[
        ("g.txt", "0 1 1\n1 2 1\n2 1 1\n2 3 9\n3 4 1\n4 5 1\n4 4 1\n6 7 1\n"),
        ("ways.txt", "0 1 1\n1 0 2\n1 2 1\n2 1 1\n"),
        ("xy3.csv", "x,y\n0,0\n1,0\n2,0\n"),
        ("star.txt", "0 1 1\n0 2 1\n0 3 50\n"),
        ("xy.csv", "lon,lat\n4,52\n5,52\n6,53\n7,53\n8,53\n9,53\n0,0\n1,1\n"),
    ]);
    let args =
        "fit g.txt --graph --largest-component --positions xy.csv -k 2 --geojson map.geojson";
    assert_eq!(folder.run(args).code, Some(0));
    let found = features(&folder.read("map.geojson"));
    assert_eq!(found.len(), 4, "two centers and their areas");
    for (center, lines) in [
        (1, json!([[[4.0, 52.0], [5.0, 52.0]], [[5.0, 52.0], [6.0, 53.0]]])),
        (4, json!([[[7.0, 53.0], [8.0, 53.0]], [[8.0, 53.0], [9.0, 53.0]]])),
    ] {
        let roads = json!({"type": "MultiLineString", "coordinates": lines});
        assert!(found.contains(&("area".into(), json!(center), roads)), "{found:?}");
    }
    let args = "fit ways.txt --graph --directed --positions xy3.csv -k 1 --geojson ways.geojson";
    assert_eq!(folder.run(args).code, Some(0));
    let once = json!([[[0.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [2.0, 0.0]]]);
    assert_eq!(features(&folder.read("ways.geojson"))[1].2["coordinates"], once);
    folder.write("four.csv", "x,y\n0,0\n1,0\n0,1\n5,5\n");
    let args = "fit star.txt --graph --positions four.csv -k 2 --geojson star.geojson";
    assert_eq!(folder.run(args).code, Some(0));
    let alone = json!({"type": "Point", "coordinates": [5.0, 5.0]});
    assert!(
        features(&folder.read("star.geojson")).contains(&("area".into(), json!(3), alone)),
        "a center without a road is a point"
    );
}

#[test]
fn info_reads_a_release() {
    let folder = Folder::with(&[("p.csv", PLACES), ("d.csv", "name\na\nd\n"), ("no.json", "{}")]);
    let made = folder.run(
        "private p.csv --id name --columns x,y --demand d.csv --epsilon 0.5 -k 1 --release r.json",
    );
    assert_eq!(made.code, Some(0), "{made:?}");
    let text = folder.run("info r.json").stdout;
    for part in
        ["epsilon            0.5", "one record (add-remove)", "4 items", "kmedian centers r.json"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let found = folder.run("info r.json --json").json();
    assert_eq!(
        (&found["epsilon"], &found["unit"], &found["n"]),
        (&json!(0.5), &json!("record"), &json!(4))
    );
    refused(&folder, "info no.json", &["no.json"]);
}

/// On the globe, what crosses the 180th meridian is in two parts; elsewhere it is as it is.
#[test]
fn maps_across_the_date_line() {
    let folder = Folder::with(&[
        ("fiji.csv", "lat,lon\n-17,179\n-17,181.25\n-18,-179\n-18,178.5\n"),
        ("utm.csv", "east,north\n500000,5800000\n500100,5800000\n500000,5800200\n"),
        ("g.txt", "0 1 1\n1 2 1\n2 3 1\n"),
    ]);
    let map = "-k 1 --geojson map.geojson";
    let run = folder.run(&format!("fit fiji.csv --metric haversine {map}"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let found = features(&folder.read("map.geojson"));
    assert_eq!(found[1].2["type"], "MultiPolygon");
    let run = folder.run(&format!("fit g.txt --graph --positions fiji.csv {map}"));
    assert_eq!(run.code, Some(0), "{run:?}");
    let roads = features(&folder.read("map.geojson"))[1].2["coordinates"].clone();
    assert_eq!(roads.as_array().unwrap().len(), 5, "two of three roads are cut: {roads}");
    assert!(!folder.read("map.geojson").contains("181.25"));
    let run = folder.run(&format!("fit utm.csv {map}"));
    assert!(run.stderr.contains("--geojson: east and north are written as they are"), "{run:?}");
    assert!(folder.read("map.geojson").contains("5800000.0"));
}

#[test]
fn names_of_nodes_may_be_quoted() {
    let edges = "from,to,length\n\"b c\",a,3\na,\"d,e\",1\n";
    let folder = Folder::with(&[("g.csv", edges)]);
    let fit = folder.fit("g.csv --graph -k 3");
    let mut centers: Vec<&str> =
        fit["centers"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    centers.sort_unstable();
    assert_eq!(centers, ["a", "b c", "d,e"]);
}
