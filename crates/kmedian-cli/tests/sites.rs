//! Candidates, fixed centers, clients apart from sites, one-way streets, and how far it is.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, refused};
use serde_json::json;

/// Places on a line, by name. Two may not be centers, and one is a center already.
const PLACES: &str =
    "name,x,open,depot\na,0,yes,no\nb,1,no,no\nc,2,yes,yes\nd,10,no,no\ne,11,yes,no\n";

fn places() -> Folder {
    Folder::with(&[
        ("places.csv", PLACES),
        ("open.txt", "a\nc\ne\n"),
        ("titled.csv", "site\na\nc\ne\n"),
        ("depot.txt", "c\n"),
        ("plain.csv", "x\n0\n1\n2\n10\n11\n"),
        ("numbers.txt", "0\n2\n4\n"),
        ("two.txt", "2\n"),
    ])
}

#[test]
fn candidates_and_fixed_centers_from_files_and_columns() {
    let folder = places();
    for args in [
        "places.csv --id name --columns x --candidates open.txt --fixed depot.txt",
        "places.csv --id name --columns x --candidates titled.csv --fixed depot",
        "places.csv --id name --candidates open --fixed depot",
        "places.csv --id name --candidates open --fixed depot.txt --columns x",
    ] {
        let fit = folder.fit(&format!("{args} -k 2"));
        assert_eq!(fit["centers"], json!(["c", "e"]), "{args}");
        // a, b and d are 2, 1 and 1 away.
        assert_eq!(
            (&fit["cost"], &fit["candidates"], &fit["fixed"]),
            (&json!(4.0), &json!(3), &json!(1))
        );
        assert_eq!(fit["stop"], "local-optimum");
    }
    let fit = folder.fit("plain.csv --candidates numbers.txt --fixed two.txt -k 2");
    assert_eq!(fit["center_indices"], json!([2, 4]));
    let alone = folder.fit("plain.csv --fixed two.txt -k 1");
    assert_eq!((&alone["center_indices"], &alone["cost"]), (&json!([2]), &json!(20.0)));
    assert_eq!((&alone["stop"], &alone["swaps"]), (&json!("local-optimum"), &json!(0)));
}

#[test]
fn wrong_candidates_are_refused() {
    let folder = places();
    folder.write("unknown.txt", "a\nx\n");
    folder.write("twice.txt", "a\nc\na\n");
    folder.write("none.csv", "x,open\n1,no\n2,no\n");
    folder.write("odd.csv", "x,open\n1,yes\n2,perhaps\n");
    folder.write("wide.csv", "a,b\nc,d\n");
    for (args, parts) in [
        ("--candidates unknown.txt -k 1", &["unknown.txt: there is no item `x`"][..]),
        ("--candidates twice.txt -k 1", &["--candidates twice.txt: item `a` is given twice"]),
        ("--fixed twice.txt -k 3", &["--fixed twice.txt: item `a` is given twice"]),
        ("--candidates open.txt --fixed two.txt -k 1", &["two.txt: there is no item `2`"]),
        (
            "--candidates depot.txt --fixed open.txt -k 3",
            &["--fixed open.txt: item a is not among the candidates"],
        ),
        ("--fixed open.txt -k 2", &["k = 2, but 3 centers are fixed"]),
        ("--candidates open.txt -k 4", &["k = 4 centers cannot be chosen from 3 candidates"]),
        ("--candidates closed -k 1", &["no column `closed`", "there is no file `closed`"]),
        (
            "--candidates wide.csv -k 1",
            &["--candidates wide.csv: has several columns, none of which is called `name`"],
        ),
    ] {
        let args = format!("fit places.csv --id name --columns x {args} --centers out.csv");
        refused(&folder, &args, parts);
    }
    refused(&folder, "fit none.csv --candidates open -k 1", &["there are no candidates"]);
    refused(&folder, "fit odd.csv --candidates open -k 1", &["row 1", "`perhaps`", "yes or no"]);
}

#[test]
fn clients_apart_from_sites() {
    let folder = Folder::with(&[
        ("homes.csv", "name,x,people\nh0,0,1\nh1,1,1\nh2,9,3\n"),
        ("lots.csv", "name,x,built\nl0,2,0\nl1,8,0\nl2,50,1\n"),
        ("other.csv", "name,y\nl0,2\n"),
        ("plots.csv", "plot,x\nl0,2\nl1,8\n"),
    ]);
    let args = "homes.csv --sites lots.csv --id name --weights people --columns x";
    let run = folder.run(&format!("fit {args} -k 2 --json --labels l.csv --centers c.csv"));
    let fit = run.json();
    assert_eq!((&fit["centers"], &fit["center_indices"]), (&json!(["l1", "l0"]), &json!([1, 0])));
    assert_eq!(fit["n"], 3);
    // Two homes are 2 and 1 away from the first lot, and three people 1 from the second.
    assert_eq!((&fit["cost"], &fit["sizes"]), (&json!(6.0), &json!([1, 2])));
    assert_eq!(
        folder.read("l.csv"),
        "k,index,id,label,center_index,center_id,distance,x\n2,0,h0,1,0,l0,2.0,0.0\n2,1,h1,1,0,l0,1.0,1.0\n2,2,h2,0,1,l1,1.0,9.0\n"
    );
    let fixed = folder.fit(&format!("{args} --fixed built -k 2"));
    assert_eq!((&fixed["centers"], &fixed["cost"]), (&json!(["l2", "l1"]), &json!(18.0)));
    refused(
        &folder,
        "fit homes.csv --sites other.csv --id name -k 1",
        &["other.csv: has the columns y"],
    );
    let plots = "homes.csv --sites plots.csv --id name --weights people --columns x -k 2";
    assert_eq!(folder.fit(&format!("{plots} --site-id plot"))["centers"], json!(["l1", "l0"]));
    refused(&folder, &format!("fit {plots}"), &["no column `name`", "with --site-id"]);
    refused(&folder, &format!("fit {plots} --site-id lot"), &["no column `lot`"]);
    refused(&folder, "fit homes.csv --id name --site-id x -k 1", &["--sites"]);
    refused(&folder, "fit homes.csv --sites lots.csv --graph -k 1", &["cannot be used with"]);
    refused(&folder, &format!("fit {args} -k 4"), &["cannot be chosen from 3 candidates"]);
}

#[test]
fn a_matrix_of_clients_and_sites() {
    let folder = Folder::with(&[
        ("costs.csv", "client,north,south,east\nx,1,5,9\ny,4,6,0.5\n"),
        ("bare.csv", "1,5,9\n4,6,0.5\n"),
        ("wrong.csv", "1,5,-9\n4,6,0.5\n"),
        ("east.txt", "east\n"),
    ]);
    let fit = folder.fit("costs.csv --rectangular --id client -k 1");
    assert_eq!((&fit["centers"], &fit["cost"]), (&json!(["north"]), &json!(5.0)));
    let fit = folder.fit("costs.csv --rectangular --id client -k 2 --fixed east.txt");
    assert_eq!((&fit["centers"], &fit["cost"]), (&json!(["east", "north"]), &json!(1.5)));
    let fit = folder.fit("bare.csv --rectangular -k 2");
    assert_eq!((&fit["cost"], &fit["sizes"]), (&json!(1.5), &json!([1, 1])));
    refused(&folder, "fit wrong.csv --rectangular -k 1", &["row 0, column 2 of the matrix is -9"]);
    refused(&folder, "fit bare.csv --rectangular -k 1 --init hst", &["a tree needs distances"]);
}

/// A one-way ring, and a dead end that nothing leads back from.
const RING: &str = "p sp 4 4\na 1 2 1\na 2 3 1\na 3 1 1\na 2 1 5\n";

#[test]
fn one_way_streets() {
    let folder = Folder::with(&[
        ("ring.txt", "0 1 1\n1 2 2\n2 0 4\n"),
        ("ring.gr", &RING.replace("p sp 4 4", "p sp 3 4")),
        ("dead.txt", "0 1 1\n1 0 1\n1 2 1\n"),
        ("start.txt", "0\n1\n"),
        ("end.txt", "2\n"),
    ]);
    // From 0 it is 1 + 3, from 1 it is 2 + 6, from 2 it is 4 + 5; to 0 it is 4 + 6, to 1 5 + 1, to
    // 2 3 + 2.
    let from = folder.fit("ring.txt --graph --directed -k 1");
    assert_eq!(
        (&from["centers"], &from["cost"], &from["metric"]),
        (&json!([0]), &json!(4.0), &json!("directed graph"))
    );
    let towards = folder.fit("ring.txt --graph --directed --towards -k 1");
    assert_eq!((&towards["centers"], &towards["cost"]), (&json!([2]), &json!(5.0)));
    let dimacs = folder.fit("ring.gr --graph --directed -k 1");
    assert_eq!(dimacs["cost"], json!(3.0));
    refused(
        &folder,
        "fit dead.txt --graph --directed -k 1",
        &["dead.txt: candidate 2 does not reach 2 of 3 nodes, such as 0,"],
    );
    refused(
        &folder,
        "fit dead.txt --graph --directed -k 1 --candidates end.txt",
        &["dead.txt: no candidate reaches 2 of 3 nodes, such as 0,", "with --largest-component"],
    );
    let open = folder.fit("dead.txt --graph --directed -k 1 --candidates start.txt");
    assert_eq!((&open["centers"], &open["cost"]), (&json!([1]), &json!(2.0)));
    let strong = folder.fit("dead.txt --graph --directed -k 1 --largest-component");
    assert_eq!(strong["n"], 2);
    refused(&folder, "fit ring.txt --directed -k 1", &["--graph"]);
    refused(&folder, "fit ring.txt --graph --towards -k 1", &["--directed"]);
}

#[test]
fn service_is_told_overall_and_for_each_center() {
    let folder = places();
    let fit = folder.fit("plain.csv --candidates numbers.txt -k 2 --centers c.csv");
    let service = &fit["service"];
    assert_eq!(service["mean"].as_f64().unwrap() * 5.0, fit["cost"].as_f64().unwrap());
    assert_eq!(service["max"], json!(2.0));
    assert_eq!(service["centers"].as_array().unwrap().len(), 2);
    assert!(folder.read("c.csv").starts_with(
        "k,index,size,served,mean_distance,median_distance,p95_distance,max_distance,"
    ));
    let text = folder.run("fit plain.csv -k 1").stdout;
    assert!(
        text.contains("distance to the center: mean 4, median 2, 95 % within 9, at most 9"),
        "{text}"
    );
    let text = folder.run("fit plain.csv -k 1,2").stdout;
    assert!(text.contains("95 %"), "{text}");
}

#[test]
fn private_centers_are_candidates_and_keep_the_fixed() {
    let folder = places();
    let records: String = (0..300).map(|at| ["a\n", "d\n", "e\n"][at % 3]).collect();
    folder.write("visits.csv", format!("name\n{records}"));
    let args = "places.csv --id name --candidates open --fixed depot";
    for method in ["refined", "exact", "paper"] {
        let run = folder.run(&format!(
            "private {args} --demand visits.csv --epsilon 1 -k 2 --json --method {method}"
        ));
        let found = run.json();
        assert_eq!(found["centers"][0], "c", "{method}");
        assert!(["a", "e"].contains(&found["centers"][1].as_str().unwrap()), "{method}");
        assert_eq!(found["estimated_service"].is_object(), method != "paper");
    }
    let run = folder.run(&format!(
        "private {args} --demand visits.csv --epsilon 1 -k 2 --release r.json --json"
    ));
    let first = run.json();
    let again = folder.run(&format!("centers r.json --universe {args} -k 2 --json")).json();
    assert_eq!(first["centers"], again["centers"]);
    // With another choice of sites the universe is the same, as it is the coordinates alone.
    let others = "places.csv --id name --columns x --candidates open.txt";
    let other = folder.run(&format!("centers r.json --universe {others} -k 3 --json")).json();
    assert_eq!(other["centers"].as_array().unwrap().len(), 3);
    refused(
        &folder,
        &format!("private {args} --demand visits.csv --epsilon 1 -k 4 --release s.json"),
        &["k = 4 centers cannot be chosen from 3 candidates"],
    );
    let plan =
        folder.run(&format!("plan {args} --epsilon 1 --demand-size 300 -k 2 --runs 1 --json"));
    assert_eq!(plan.json()["scenarios"].as_array().unwrap().len(), 4);
    refused(&folder, &format!("plan {args} --epsilon 1 --demand-size 300 -k 0"), &["-k 0"]);
}

/// Lists are lines, or the column of a table that is called as that of the items.
#[test]
fn lists_are_lines_or_columns() {
    let folder = Folder::with(&[
        ("p.csv", "id,x,y\n#1,0,0\nNew York,3,4\n3,9,9\nb,20,20\n"),
        ("l.txt", "#1\n3\n"),
        ("bare", "New York\n#1\n"),
        ("depots.csv", "id,owner\n#1,Ann\nNew York,Bob\n"),
        ("stops.csv", "owner,stop\nAnn,#1\nBob,3\n"),
        ("headed.csv", "depot\n#1\n"),
        ("comment.txt", "# our depots\n#1\n"),
        ("g.txt", "a b 1\nb c 1\n"),
        ("nodes.csv", "node,owner\na,Ann\nc,Bob\n"),
    ]);
    let fixed = |args: &str| folder.fit(&format!("{args} -k 2"))["centers"].clone();
    for (list, centers) in [
        ("l.txt", json!(["#1", "3"])),
        ("bare", json!(["New York", "#1"])),
        ("depots.csv", json!(["#1", "New York"])),
    ] {
        assert_eq!(fixed(&format!("p.csv --id id --fixed {list}")), centers, "{list}");
    }
    folder.write("q.csv", folder.read("p.csv").replacen("id", "stop", 1));
    assert_eq!(fixed("q.csv --id stop --fixed stops.csv"), json!(["#1", "3"]));
    assert_eq!(fixed("g.txt --graph --fixed nodes.csv"), json!(["a", "c"]));
    for args in ["p.csv --id id", "p.csv --columns x,y", "g.txt --graph"] {
        let run = folder.run(&format!("fit {args} -k 2,3 --centers all.csv"));
        assert_eq!(run.code, Some(0), "{run:?}");
        let found = folder.run(&format!("fit {args} -k 2 --centers two.csv --json")).json();
        assert_eq!(fixed(&format!("{args} --fixed two.csv")), found["centers"], "{args}");
        let several = format!("fit {args} -k 3 --fixed all.csv");
        refused(&folder, &several, &["all.csv: has the centers of several k"]);
    }
    let args = "fit p.csv --id id -k 2 --fixed";
    refused(&folder, &format!("{args} headed.csv"), &["no item `depot`", "the first line"]);
    refused(&folder, &format!("{args} comment.txt"), &["no item `# our depots`", "comments"]);
    let graph = "fit g.txt --graph -k 2 --fixed headed.csv";
    refused(&folder, graph, &["as the graph calls them", "the first line"]);
}

#[test]
fn a_largest_component_says_what_it_leaves_out() {
    let folder = Folder::with(&[
        ("gr.txt", "A B 1\nB C 2\nC A 3\nD A 1\n"),
        ("d.txt", "D\n"),
        ("gr.gr", "p sp 3 2\na 1 2 1\na 2 3 1\n"),
        ("far.txt", "4000 5000 1\n5000 6000 1\n"),
    ]);
    let args = "fit gr.txt --graph --directed -k 1";
    let run = folder.run(&format!("{args} --largest-component"));
    let note = "--largest-component: 3 of 4 nodes are kept; the others are in 1 smaller component";
    assert!(run.stderr.contains(note), "{run:?}");
    let fixed = format!("{args} --largest-component --fixed d.txt");
    refused(&folder, &fixed, &["no item `D`", "1 that --largest-component leaves out"]);
    refused(&folder, args, &["gr.txt: candidate A does not reach 1 of 4 nodes, such as D,"]);
    let dimacs = "fit gr.gr --graph --directed -k 1";
    refused(&folder, dimacs, &["candidate 2 does not reach 1 of 3 nodes, such as 1,"]);
    for directed in ["", "--directed"] {
        let sparse = format!("fit far.txt --graph {directed} -k 1");
        refused(&folder, &sparse, &["far.txt: ", "give --nodes-from names"]);
    }
    let info = folder.run("info gr.txt --graph --directed");
    assert!(info.stdout.contains("strong components  2 (of 3, 1 nodes)"), "{info:?}");
    assert!(info.stdout.contains("diameter           infinite"), "{info:?}");
    let info = folder.run("info gr.txt --graph --directed --json").json();
    assert_eq!((&info["components"], &info["diameter_bound"]), (&json!([3, 1]), &json!(null)));
}

/// A table of four items, made with pyarrow: x = 0, 1, 2, 10, and open = true, null, true, null.
const GAPS: &[u8] = include_bytes!("data/gaps.parquet");

/// The positions of the centers, ascending.
fn in_order(fit: &serde_json::Value) -> Vec<u64> {
    let centers = fit["center_indices"].as_array().unwrap();
    let mut centers: Vec<u64> = centers.iter().map(|center| center.as_u64().unwrap()).collect();
    centers.sort_unstable();
    centers
}

#[test]
fn a_gap_is_no_candidate_and_a_row_with_one_may_be_left_out() {
    let folder = Folder::with(&[
        ("p.csv", "x,y,open,depot\n0,0,yes,no\n,1,yes,no\n5,5,no,\n9,9,,yes\n10,9,yes,no\n"),
        ("open", "0\n3\n"),
    ]);
    folder.write("gaps.parquet", GAPS);
    // There is a file of that name, which is taken; rows are those of the file that are left.
    let run = folder.run("fit p.csv --columns x,y --skip-missing --candidates open -k 2 --json");
    assert!(run.stderr.contains("--candidates open: the file of this name is taken"), "{run:?}");
    std::fs::remove_file(folder.path("open")).unwrap();
    let fit = folder.fit("gaps.parquet --columns x --candidates open -k 2");
    assert_eq!((&fit["candidates"], in_order(&fit)), (&json!(2), vec![0, 2]));
    let args = "p.csv --columns x,y --skip-missing --candidates open -k 2";
    let fit = folder.fit(args);
    assert_eq!((&fit["candidates"], in_order(&fit)), (&json!(2), vec![0, 4]));
    let fit = folder.fit("p.csv --columns x,y --skip-missing --fixed depot -k 1");
    assert_eq!(fit["center_indices"], json!([3]));
}

/// Errors and notes say which of two files they are about.
#[test]
fn errors_are_about_the_right_file() {
    let folder = Folder::with(&[
        ("cl.csv", "id,lat,lon\na,52,4\nb,53,5\n"),
        ("lots.csv", "id,lat,lon\nx,99,4\ny,53,5\n"),
        ("twice.csv", "id,x\na,0\n a,1\nb,2\n"),
        ("b.txt", "b\n"),
        ("m.csv", "0,1,2\n1,0,3\n"),
        ("skew.csv", "0,1\n2,0\n"),
        ("release.json", "{\"format\": \"kmedian release\"}\n"),
    ]);
    let sites = "fit cl.csv --id id --columns lat,lon --metric haversine -k 1 --sites lots.csv";
    refused(&folder, sites, &["error: lots.csv: item 0: ", "99"]);
    let fixed = "fit twice.csv --id id -k 2 --fixed b.txt";
    refused(&folder, fixed, &["twice.csv: the items 0 and 1", "both named `a`"]);
    let noted = folder.run("fit twice.csv --id id -k 3");
    assert!(noted.stderr.contains("several items are called `a`"), "{noted:?}");
    for matrix in ["m.csv", "skew.csv"] {
        refused(&folder, &format!("fit {matrix} --matrix -k 1"), &["--rectangular"]);
    }
    refused(&folder, "fit release.json -k 2", &["release.json: is JSON"]);
    folder.write("one.csv", "id,x\na,0\n");
    let one = folder.run("fit one.csv --id id --columns x -k 1");
    assert!(one.stdout.contains("1 item, l2"), "{one:?}");
    refused(&folder, "fit one.csv --id id --columns x -k 2", &["from 1 item, 1 to 1"]);
}
