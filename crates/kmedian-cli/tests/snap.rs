//! Records with raw coordinates: every one goes to its nearest item.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use std::fmt::Write as _;

use common::{Folder, refused};

/// A town of 40 stops, and 300 trips with a stop and the coordinates of a place near to it.
fn town() -> Folder {
    let folder = Folder::new();
    let stop = |at: usize| (52.30 + (at % 8) as f64 * 0.01, 4.80 + (at / 8) as f64 * 0.02);
    let mut stops = String::from("stop,lat,lon\n");
    for at in 0..40 {
        let (lat, lon) = stop(at);
        writeln!(stops, "s{at},{lat},{lon}").unwrap();
    }
    let mut trips = String::from("user,stop,lat,lon\n");
    for trip in 0..300usize {
        let at = trip * trip % 23 + trip % 17;
        let (lat, lon) = stop(at);
        let away = ((trip % 5) as f64 - 2.0) * 0.001;
        writeln!(trips, "u{},s{at},{},{}", trip % 50, lat + away, lon - away).unwrap();
    }
    folder.write("stops.csv", stops);
    folder.write("trips.csv", &trips);
    // Records that are nowhere: missing, no number, out of range, cut short, far away.
    let bad = "u1,x,,4.9\nu2,x,here,4.9\nu3,x,95,4.9\nu4,x,nan,4.9\nu5,x\nu6,x,48.85,2.35\n";
    folder.write("bad.csv", trips + bad);
    folder
}

const RUN: &str = "private stops.csv --id stop --columns lat,lon --metric haversine -k 5 \
                   --seeded-noise-not-private 1 --json";

/// With as good as no noise, the release from coordinates is the one from keys; what is nowhere is
/// dropped without a word.
#[test]
fn coordinates_give_the_release_of_keys() {
    let folder = town();
    let release = |args: &str| {
        let mut found = folder.run(&format!("{RUN} --epsilon 100 {args}"));
        assert_eq!((found.code, found.stderr.contains("u1")), (Some(0), false), "{found:?}");
        let document = found.json()["centers"].take();
        found.stdout.clear();
        (document, found.stderr)
    };
    let keyed = release("--demand trips.csv --key stop");
    for args in [
        "--demand trips.csv --snap lat,lon",
        "--demand trips.csv --snap 2,3 --snap-within 500m",
        "--demand bad.csv --snap lat,lon --snap-within 1km",
        "--demand bad.csv --snap lat,lon --snap-within 1.5",
    ] {
        assert_eq!(release(args), keyed, "{args}");
    }
    let units = "--unit user --max-per-unit 3";
    let keyed = release(&format!("--demand trips.csv --key stop {units}"));
    assert_eq!(release(&format!("--demand trips.csv --snap lat,lon {units}")), keyed);
}

#[test]
fn a_dry_run_counts_what_is_far_and_what_is_nowhere() {
    let folder = town();
    let run = folder.run(&format!(
        "{} --epsilon 1 --demand bad.csv --snap lat,lon --snap-within 1km --dry-run",
        RUN.trim_end_matches(" --json")
    ));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.stderr.contains("306 records: 300 counted; dropped: 6 of no known item"),
        "{run:?}"
    );
    assert!(run.stderr.contains("too far from every one: 1"), "{run:?}");
    assert!(run.stderr.contains("the coordinates are in columns 2, 3"), "{run:?}");
}

/// On a graph, to the nearest node by its position; nodes that are left out are no nodes.
#[test]
fn a_graph_is_snapped_to_by_positions() {
    let folder = Folder::with(&[
        ("g.txt", "0 1 1\n1 2 1\n2 3 1\n5 6 1\n"),
        ("xy.csv", "x,y\n0,0\n1,0\n2,0\n3,0\n9,9\n0,5\n1,5\n"),
        ("d.csv", "x,y\n2.1,0.2\n1.9,-0.3\n2,0\n0,5\n0.1,4\n"),
        ("ll.csv", "lng,lat\n0,0\n1,0\n2,0\n3,0\n9,9\n0,5\n1,5\n"),
    ]);
    let run = |more: &str| {
        folder.run(&format!(
            "private g.txt --graph --largest-component --demand d.csv --snap x,y -k 1 --epsilon 100 \
             --seeded-noise-not-private 1 --json {more}"
        ))
    };
    let found = run("--positions xy.csv --snap-within 1");
    assert_eq!(found.json()["centers"], serde_json::json!([2]));
    // Without a limit, the two that are near to the nodes that are left out go to node 0.
    assert_eq!(run("--positions xy.csv").code, Some(0));
    assert!(run("--positions ll.csv").stderr.contains("haversine takes latitude first"));
    let fit = folder.run("fit g.txt --graph --largest-component --positions ll.csv -k 1");
    assert!(fit.stderr.contains("degrees on the globe"), "{fit:?}");
    let args = "private g.txt --graph --largest-component --demand d.csv -k 1 --epsilon 1";
    refused(&folder, &format!("{args} --snap x,y"), &["give --positions FILE"]);
    refused(
        &folder,
        &format!("{args} --snap x,y --positions d.csv"),
        &["has 5 rows, but g.txt has 7"],
    );
}

#[test]
fn files_of_a_folder_are_one_table() {
    let folder = town();
    let whole = folder.read("trips.csv");
    let (header, rows) = whole.split_once('\n').unwrap();
    std::fs::create_dir_all(folder.path("parts/more")).unwrap();
    for (number, name) in ["parts/a.csv", "parts/b.csv", "parts/more/c.csv"].iter().enumerate() {
        let part: String = rows
            .lines()
            .enumerate()
            .filter(|(at, _)| at % 3 == number)
            .map(|(_, row)| format!("{row}\n"))
            .collect();
        folder.write(name, format!("{header}\n{part}"));
    }
    folder.write("parts/_SUCCESS", "");
    let centers =
        |args: &str| folder.run(&format!("{RUN} --epsilon 100 {args}")).json()["centers"].take();
    let units = "--key stop --unit user --max-per-unit 50";
    let together = centers(&format!("--demand trips.csv {units}"));
    assert_eq!(centers(&format!("--demand parts {units}")), together);
    assert_eq!(centers(&format!("--demand parts/**/*.csv {units}")), together);
    folder.write("parts/d.tsv", "stop\ns1\n");
    let args = format!("{RUN} --epsilon 1 --key stop --demand");
    refused(
        &folder,
        &format!("{args} parts"),
        &["parts/d.tsv: is of the format tsv, but parts/a.csv is of csv"],
    );
    refused(&folder, &format!("{args} parts/*.txt"), &["no file has such a name"]);
    folder.write("parts/d.tsv", "");
    std::fs::remove_file(folder.path("parts/d.tsv")).unwrap();
    refused(
        &folder,
        &format!("{args} parts --centers parts/a.csv"),
        &["would overwrite the demand"],
    );
}

#[test]
fn what_cannot_be_snapped_is_refused() {
    let folder = town();
    folder.write("m.csv", "0,1\n1,0\n");
    let run = "private stops.csv --id stop --columns lat,lon --metric haversine -k 2 --epsilon 1 --demand trips.csv";
    for (args, parts) in [
        ("--snap lon,lat", &["haversine takes latitude first", "--snap lat,lon"][..]),
        ("--snap lat", &["1 columns, but items have 2 coordinates (lat, lon)"]),
        ("--snap lat,longitude", &["no column `longitude`"]),
        ("--snap lat,lon --key stop", &["cannot be used with"]),
        ("--snap lat,lon --snap-within -1", &["is no length"]),
        ("--snap lat,lon --snap-within 5parsec", &["is no length"]),
        ("--snap-within 5km", &["--snap"]),
        ("--positions trips.csv", &["points have coordinates of their own"]),
    ] {
        refused(&folder, &format!("{run} {args}"), parts);
    }
    let plain = "private stops.csv --id stop --columns lat,lon -k 2 --epsilon 1 --demand trips.csv";
    refused(&folder, &format!("{plain} --snap lat,lon --snap-within 5km"), &["plain number"]);
    let matrix = "private m.csv --matrix -k 1 --epsilon 1 --demand trips.csv --snap lat,lon";
    refused(&folder, matrix, &["no coordinates to snap to"]);
}

#[test]
fn a_grid_covers_its_box() {
    let folder = Folder::new();
    for (file, args, square) in
        [("square.csv", "", true), ("hexagonal.csv", "--lattice hexagonal", false)]
    {
        let spacing = 2.0;
        let run =
            folder.run(&format!("universe grid {file} --box 52,4.5,52.2,5 --spacing 2km {args}"));
        assert_eq!(run.code, Some(0), "{run:?}");
        let table = folder.read(file);
        assert!(table.starts_with("id,lat,lon\n0,"), "{table}");
        let places: Vec<[f64; 2]> = table
            .lines()
            .skip(1)
            .map(|row| {
                let cells: Vec<f64> = row.split(',').map(|cell| cell.parse().unwrap()).collect();
                [cells[1], cells[2]]
            })
            .collect();
        // 22.2 by 34.2 kilometers: about 190 squares of 2 by 2.
        assert!((150..320).contains(&places.len()), "{}", places.len());
        // Within a hexagonal grid nothing is farther than 1/√3 of the spacing; in a corner, 0.67.
        let farthest = if square { spacing / 2f64.sqrt() } else { 0.67 * spacing };
        for step in 0..400 {
            let at =
                [52.0 + 0.2 * f64::from(step % 20) / 19.0, 4.5 + 0.5 * f64::from(step / 20) / 19.0];
            let nearest =
                places.iter().map(|&place| kilometers(at, place)).fold(f64::MAX, f64::min);
            assert!(nearest <= farthest * 1.02, "{at:?} is {nearest} km from every place");
        }
    }
    let run = folder.run("universe grid p.csv --metric l2 --box -1,0,9,20 --spacing 5");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(folder.read("p.csv").lines().count(), 1 + 2 * 4);
    assert!(folder.read("p.csv").starts_with("id,x,y\n0,1.5,2.5\n1,6.5,2.5\n"));
    for (args, part) in [
        ("--box 53,4,52,5 --spacing 1km", "upside down: its latitude goes from 53 to 52"),
        ("--box 52,5,53,4 --spacing 1km", "across the 180th meridian"),
        ("--box 52,4,95,5 --spacing 1km", "the latitude 95 is out of range"),
        ("--box 52,-400,53,5 --spacing 1km", "the longitude -400 is out of range"),
        ("--box 52,4,53 --spacing 1km", "is no box"),
        ("--box 52,4,53,nan --spacing 1km", "is no box"),
        ("--box 52,4,53,5 --spacing 0", "give more than 0"),
        ("--box 52,4,53,5 --spacing 1cm", "is no length"),
        ("--box 52,4,53,5 --spacing -5km", "`-5km` is no length"),
        ("--box 0,0,0,0 --spacing 1km", "it is empty: its latitude goes from 0 to 0"),
        ("--box 52,4,53,5 --spacing 1m", "10,000,000 are made at most"),
        ("--box 52,4,53,5 --spacing 1km --metric l2", "plain number"),
        ("--box 52,4,53,5 --spacing 1 --metric hamming", "haversine or l2"),
        ("--box 52,4,53,5 --spacing 1km --lattice round", "square, hexagonal"),
    ] {
        refused(&folder, &format!("universe grid n.csv {args}"), &[part]);
    }
    let json = "universe grid n.json --box 52,4,53,5 --spacing 10km";
    refused(&folder, json, &["n.json: items are not read from JSON", ".csv"]);
    refused(&folder, "universe", &["requires a subcommand"]);
    refused(&folder, "universe grid n.xls --box 52,4,53,5 --spacing 1km", &["n.xls"]);
    let again = "universe grid p.csv --metric l2 --box 0,0,9,9 --spacing 1";
    refused(&folder, again, &["p.csv: there already is such a file", "choose another name"]);
    assert_eq!(folder.read("p.csv").lines().count(), 1 + 2 * 4, "nothing is overwritten");
}

/// The way between two places on the globe that are close to each other.
fn kilometers(a: [f64; 2], b: [f64; 2]) -> f64 {
    let north = (a[0] - b[0]) * 111.195;
    let east = (a[1] - b[1]) * 111.195 * (a[0].to_radians()).cos();
    north.hypot(east)
}

/// Whatever tells that the longitude comes first is refused, before ε is spent: names of options,
/// and those of a header or a schema.
#[test]
fn a_wrong_order_is_refused() {
    let folder = town();
    let renamed = folder.read("trips.csv").replacen("lat,lon", "start_lat,start_lon", 1);
    folder.write("starts.csv", &renamed);
    folder.write("turned.csv", "pickupLongitude,pickupLatitude\n4.8,52.3\n4.9,52.4\n");
    folder.write("header.csv", "lng,lat\n4.8,52.3\n4.9,52.4\n");
    let first = "haversine takes latitude first";
    let run = RUN.trim_end_matches(" --json");
    for (table, snap, right) in [
        ("starts.csv", "start_lon,start_lat", "--snap start_lat,start_lon"),
        ("starts.csv", "3,2", "--snap 2,3"),
        ("trips.csv", "3,2", "--snap 2,3"),
        ("turned.csv", "0,1", "--snap 1,0"),
    ] {
        for args in [
            format!("{run} --epsilon 1 --demand {table} --snap {snap} --release r.json"),
            format!("{run} --epsilon 1 --demand {table} --snap {snap} --dry-run"),
            format!(
                "fit stops.csv --id stop --columns lat,lon --metric haversine -k 2 --clients {table} --snap {snap}"
            ),
        ] {
            refused(&folder, &args, &[first, right]);
        }
    }
    let items = "--metric haversine -k 1";
    let chosen = format!("fit turned.csv --columns pickupLongitude,pickupLatitude {items}");
    refused(&folder, &chosen, &[first, "pickupLatitude,pickupLongitude"]);
    let noted = folder.run(&format!("fit turned.csv {items}"));
    assert!(noted.stderr.contains("pickupLatitude is the latitude"), "{noted:?}");
    let right =
        format!("{run} --epsilon 1 --demand starts.csv --snap start_lat,start_lon --dry-run");
    assert_eq!(folder.run(&right).code, Some(0));
    // What is not called so is not known, and without a haversine there is no order.
    let plain = "fit stops.csv --id stop --columns lat,lon -k 2 --clients trips.csv --snap lon,lat";
    assert_eq!(folder.run(plain).code, Some(0));
}

/// Rows of --positions belong to the nodes that they name, in any order.
#[test]
fn positions_by_name() {
    let folder = Folder::with(&[
        ("g.txt", "A B 1\nB C 1\nC D 1\n"),
        ("p.csv", "node,lat,lon\nD,52.3,4\nC,52.2,4\nB,52.1,4\nA,52,4\nE,9,9\n"),
        ("n.txt", "1 2 1\n2 3 1\n3 4 1\n"),
        ("n.csv", "node,height,lat,lon\n4,1,52.3,4\n3,1,52.2,4\n2,1,52.1,4\n1,1,52,4\n"),
        ("short.csv", "node,lat,lon\nD,52.3,4\nC,52.2,4\n"),
        ("twice.csv", "node,lat,lon\nD,52.3,4\nC,52.2,4\nD,52.3,4\nA,1,2\nB,1,2\n"),
        ("alone.csv", "lat,lon\n52,4\n52.1,4\n52.2,4\n52.3,4\n"),
    ]);
    let fixed = |graph: &str, node: &str, more: &str| {
        folder.write("one.txt", node);
        let run =
            folder.run(&format!("fit {graph} --graph -k 1 --fixed one.txt --centers c.csv {more}"));
        assert_eq!(run.code, Some(0), "{run:?}");
        folder.read("c.csv").lines().nth(1).unwrap().to_owned()
    };
    for (node, lat) in [("A", "52.0"), ("B", "52.1"), ("C", "52.2"), ("D", "52.3")] {
        let row = fixed("g.txt", node, "--positions p.csv --positions-id node");
        assert!(row.ends_with(&format!(",{lat},4.0")), "{node}: {row}");
        let row = fixed("g.txt", node, "--positions alone.csv");
        assert!(row.ends_with(&format!(",{lat},4.0")), "{node}: {row}");
    }
    let counted = "--nodes-from 1 --positions n.csv --positions-id node";
    let row = fixed("n.txt", "1", counted);
    assert!(row.ends_with(",52.0,4.0"), "{row}");
    for (args, parts) in [
        ("p.csv", &["--positions p.csv: has the columns node, lat, lon", "--positions-id"][..]),
        ("n.csv", &["has the columns node, height, lat, lon", "--positions-id"]),
        ("short.csv --positions-id node", &["no row for 2 of the 4 items of g.txt, such as `A`"]),
        ("twice.csv --positions-id node", &["the rows 1 and 3 are both of `D`"]),
        ("p.csv --positions-id name", &["no column `name`"]),
    ] {
        refused(&folder, &format!("fit g.txt --graph -k 1 --positions {args}"), parts);
    }
}

/// Public demand may be in several files too, and what is wrong with it is said in its own words.
#[test]
fn public_demand_in_several_files() {
    let folder = town();
    let whole = folder.read("trips.csv");
    let (header, rows) = whole.split_once('\n').unwrap();
    std::fs::create_dir_all(folder.path("parts/more")).unwrap();
    for (number, name) in ["parts/a.csv", "parts/more/b.csv"].iter().enumerate() {
        let part = rows.lines().enumerate().filter(|(at, _)| at % 2 == number);
        let part: String = part.map(|(_, row)| format!("{row}\n")).collect();
        folder.write(name, format!("{header}\n{part}"));
    }
    let items = "stops.csv --id stop --columns lat,lon --metric haversine -k 3";
    for how in ["--demand PATH --key stop", "--clients PATH --snap lat,lon --snap-within 5km"] {
        let together = folder.fit(&format!("{items} {}", how.replace("PATH", "trips.csv")));
        for path in ["parts", "parts/**/*.csv"] {
            let args = format!("{items} {}", how.replace("PATH", path));
            let found = folder.fit(&args);
            assert_eq!(
                (&found["cost"], &found["served"]),
                (&together["cost"], &together["served"])
            );
            let over = format!("fit {args} --centers parts/a.csv");
            refused(&folder, &over, &["would overwrite the demand"]);
        }
    }
    folder.write("far.csv", "lat,lon\n10,10\n11,11\n");
    let args = format!("fit {items} --clients far.csv --snap lat,lon --snap-within 1km");
    refused(&folder, &args, &["far.csv: none of 2 rows counts: 2 are too far", "--snap"]);
    folder.write("bad.csv", "lat,lon\n52.3,4.8\nhere,4.8\n");
    let args = format!("fit {items} --clients bad.csv --snap lat,lon");
    refused(&folder, &args, &["bad.csv: line 3", "choose other columns with --snap"]);
}
