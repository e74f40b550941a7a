//! Rows that came later get the nearest of the centers that were found.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, network, plane, refused};

/// The columns of a CSV file by name.
fn column(folder: &Folder, file: &str, name: &str) -> Vec<String> {
    let text = folder.read(file);
    let mut lines = text.lines().map(|line| line.split(',').map(String::from).collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let at =
        head.iter().position(|other| other == name).unwrap_or_else(|| panic!("{name}: {head:?}"));
    lines.map(|line| line[at].clone()).collect()
}

/// Assigning the items themselves gives their labels again, in every kind of space and of file.
#[test]
fn the_items_themselves_get_their_labels() {
    let folder = Folder::with(&[("p.csv", &plane(60, 3)), ("g.txt", &network(60, 5))]);
    for ending in ["csv", "tsv", "parquet", "json"] {
        for (items, metric) in [("p.csv", "--metric l1"), ("p.csv", ""), ("g.txt --graph", "")] {
            let fit = format!("fit {items} {metric} -k 4,5 --centers c.{ending} --labels l.csv");
            assert_eq!(folder.run(&fit).code, Some(0), "{fit}");
            let assign = format!("assign c.{ending} {items} {metric} -k 5 --labels again.csv");
            let run = folder.run(&assign);
            assert_eq!(run.code, Some(0), "{assign}: {run:?}");
            let of_five = column(&folder, "l.csv", "label")[60..].to_vec();
            assert_eq!(column(&folder, "again.csv", "label"), of_five, "{assign}");
            let (ways, again) =
                (column(&folder, "l.csv", "distance"), column(&folder, "again.csv", "distance"));
            for (way, again) in ways[60..].iter().zip(&again) {
                let (way, again): (f64, f64) = (way.parse().unwrap(), again.parse().unwrap());
                assert!((way - again).abs() <= 1e-5 * (1.0 + way), "{assign}: {way} and {again}");
            }
        }
    }
}

#[test]
fn rows_of_a_graph_and_columns_of_a_matrix() {
    let folder = Folder::with(&[
        ("g.txt", "a b 1\nb c 1\nc d 5\n"),
        ("c.csv", "k,index,id\n2,1,b\n2,3,d\n"),
        ("rows.csv", "who,node\nx,d\ny,a\nz,d\n"),
        ("m.csv", "client,d,b\nx,1,2\ny,5,0.5\nz,3,3\n"),
        ("several.csv", "k,index\n1,0\n2,0\n2,1\n"),
        ("p.csv", "x,y\n0,0\n1,1\n"),
    ]);
    let run = folder.run("assign c.csv g.txt --graph --rows rows.csv --key node --labels l.csv");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(
        folder.read("l.csv"),
        "index,id,label,center,distance\n0,d,1,d,0.0\n1,a,0,b,1.0\n2,d,1,d,0.0\n"
    );
    let run = folder.run("assign c.csv m.csv --matrix --id client --labels m.labels.csv");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(column(&folder, "m.labels.csv", "center"), ["d", "b", "b"]);
    let run = folder.run("assign c.csv m.csv --rectangular --id client --labels again.csv");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(folder.read("again.csv"), folder.read("m.labels.csv"));
    for (args, part) in [
        ("several.csv p.csv --labels n.csv", "several k; choose one with -k"),
        ("several.csv p.csv -k 7 --labels n.csv", "no centers for -k 7"),
        ("several.csv p.csv -k 2 --labels n.csv", "has no column `x`, which the items have"),
        ("p.csv p.csv --labels n.csv", "neither a column id nor index"),
        ("none.csv p.csv --labels n.csv", "no such file"),
        ("c.csv g.txt --graph --rows p.csv --key x --labels n.csv", "row 1 names `0`"),
        ("c.csv p.csv --matrix --labels n.csv", "no column `b`"),
        ("c.csv p.csv --labels p.csv", "would overwrite the items"),
    ] {
        refused(&folder, &format!("assign {args}"), &[part]);
    }
}

#[test]
fn centers_of_many_coordinates_are_rows_of_the_table_they_came_from() {
    let folder = Folder::new();
    // Far from zero, where 32 bits would lose digits; the tables have other ranges.
    let row = |at: u32, far: f64| {
        let cell = |column: u32| far + f64::from((at * 31 + column * at * 7) % 101) / 100.0;
        (0..20).map(|column| cell(column).to_string()).collect::<Vec<_>>().join(",")
    };
    let head = (0..20).map(|column| format!("c{column}")).collect::<Vec<_>>().join(",");
    let table = |rows: std::ops::Range<u32>| {
        let rows: Vec<String> = rows.map(|at| row(at, 1e6)).collect();
        format!("{head}\n{}\n", rows.join("\n"))
    };
    folder.write("old.csv", table(0..60));
    folder.write("new.csv", table(40..90));
    folder.write("all.csv", table(0..90));
    for metric in ["l2", "l1", "angular"] {
        let fit = format!("fit old.csv --metric {metric} -k 4 --centers c.csv --labels l.csv");
        assert_eq!(folder.run(&fit).code, Some(0));
        let assign = format!("assign c.csv all.csv --fitted old.csv --metric {metric}");
        let run = folder.run(&format!("{assign} --labels all.labels.csv"));
        assert_eq!(run.code, Some(0), "{run:?}");
        let of_fit = column(&folder, "l.csv", "label");
        assert_eq!(column(&folder, "all.labels.csv", "label")[..60], of_fit[..], "{metric}");
        let assign = format!("assign c.csv new.csv --fitted old.csv --metric {metric}");
        assert_eq!(folder.run(&format!("{assign} --labels new.labels.csv")).code, Some(0));
        let late = &column(&folder, "all.labels.csv", "label")[40..];
        assert_eq!(column(&folder, "new.labels.csv", "label"), late, "{metric}");
    }
    folder.write("two.csv", "a,b\n1,2\n3,4\n");
    folder.write("beyond.csv", "k,index\n1,99\n");
    for (args, part) in [
        ("c.csv new.csv --labels n.csv", "give --fitted FILE"),
        ("c.csv new.csv --fitted old.csv --metric haversine --labels n.csv", "leave it out"),
        ("c.csv new.csv --fitted two.csv --labels n.csv", "both tables must have the same"),
        ("beyond.csv new.csv --fitted old.csv --labels n.csv", "position 99 is no row of old.csv"),
        ("c.csv new.csv --fitted old.csv --labels old.csv", "would overwrite the items of the"),
    ] {
        refused(&folder, &format!("assign {args}"), &[part]);
    }
}

/// A table of centers has columns of its own, after which coordinates may be called too.
#[test]
fn coordinates_may_be_called_as_columns_of_centers() {
    for name in ["k", "index", "id", "size", "served", "max_distance"] {
        let table = format!("name,x,{name}\na,0,10\nb,5,20\nc,9,90\n");
        let folder = Folder::with(&[("cs.csv", &table)]);
        for (id, centers) in [("--id name", ["b", "c"]), ("", ["1", "2"])] {
            let args = format!("{id} --columns x,{name}");
            let fit = folder.run(&format!("fit cs.csv {args} -k 2 --centers c.csv"));
            assert_eq!(fit.code, Some(0), "{name}: {fit:?}");
            let run = folder.run(&format!("assign c.csv cs.csv {args} --labels l.csv"));
            assert_eq!(run.code, Some(0), "{name}: {run:?}");
            let labels = folder.read("l.csv");
            let rows: Vec<Vec<&str>> =
                labels.lines().skip(1).map(|line| line.split(',').collect()).collect();
            let at = |column: &str| {
                labels.lines().next().unwrap().split(',').position(|name| name == column).unwrap()
            };
            let own =
                rows.iter().filter(|row| row[at("distance")] == "0.0").map(|row| row[at("center")]);
            let mut own: Vec<&str> = own.collect();
            own.sort_unstable();
            assert!(own == centers || own.len() == 2 && own[1] == centers[1], "{name}: {labels}");
        }
    }
    // A table of somebody else's may call its coordinates as it likes.
    let folder = Folder::with(&[
        ("c.csv", "id,x,served\na,0,10\nc,9,90\n"),
        ("new.csv", "x,served\n9,90\n1,11\n"),
    ]);
    let run = folder.run("assign c.csv new.csv --labels l.csv");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(folder.read("l.csv").contains("\n0,1,c,0.0,9.0,90.0\n"), "{}", folder.read("l.csv"));
}

/// Nodes that no center reaches have no center.
#[test]
fn one_way_streets_may_miss_nodes() {
    let folder = Folder::with(&[
        ("gr.txt", "A B 1\nB C 2\nC A 3\nD A 1\n"),
        ("c.csv", "k,index,id\n1,0,A\n"),
        ("near.csv", "node\nB\nC\nB\n"),
        ("far.csv", "node\nB\nD\nD\n"),
    ]);
    let args = "assign c.csv gr.txt --graph --directed --labels l.csv";
    let missed = "gr.txt: 1 of 4 nodes, such as `D`, are reached from no center";
    refused(&folder, args, &[missed]);
    refused(&folder, &format!("{args} --rows far.csv"), &["1 of 2 nodes, such as `D`"]);
    for more in ["--towards", "--largest-component", "--rows near.csv"] {
        let run = folder.run(&format!("{args} {more}"));
        assert_eq!(run.code, Some(0), "{more}: {run:?}");
    }
}

/// Centers may come through a pipe, as text or as JSON; results go to files.
#[test]
fn centers_from_standard_input() {
    let folder = Folder::with(&[("p.csv", "id,x,y\na,0,0\nb,1,0\nc,9,9\nd,9,8\n")]);
    let args = "p.csv --id id --columns x,y";
    for ending in ["csv", "tsv", "json"] {
        let centers = format!("c.{ending}");
        assert_eq!(folder.run(&format!("fit {args} -k 2 --centers {centers}")).code, Some(0));
        let run = folder.run(&format!("assign {centers} {args} --labels file.csv"));
        assert_eq!(run.code, Some(0), "{run:?}");
        let mut piped = folder.command(&format!("assign - {args} --labels pipe.csv"));
        piped.stdin(std::fs::File::open(folder.path(&centers)).unwrap());
        let output = piped.output().unwrap();
        assert!(output.status.success(), "{ending}: {output:?}");
        assert_eq!(folder.read("pipe.csv"), folder.read("file.csv"), "{ending}");
    }
    refused(&folder, &format!("assign - {args} --labels l.csv"), &["standard input"]);
    let outputs = ["--centers", "--labels", "--geojson", "--report"];
    for output in outputs {
        let to = format!("fit {args} -k 1 {output} -");
        refused(&folder, &to, &[&format!("{output} -: standard output is for the report")]);
    }
}
