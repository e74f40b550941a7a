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
