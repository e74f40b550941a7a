//! `--report`: pages to look at, of fits, releases and plans.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::Folder;
use serde_json::Value;

/// What a page holds for its script.
fn data(folder: &Folder, page: &str) -> Value {
    let text = folder.read(page);
    let data = text.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(data).unwrap()
}

/// Stops on a grid, and trips to some of them.
fn city() -> Folder {
    let folder = Folder::new();
    let mut stops = String::from("stop,lat,lon\n");
    for at in 0..120 {
        stops += &format!(
            "s{at},{},{}\n",
            40.0 + f64::from(at % 12) * 0.1,
            -3.0 + f64::from(at / 12) * 0.1
        );
    }
    folder.write("stops.csv", stops);
    let trips: String = (0..3000).map(|at| format!("s{}\n", (at * at) % 40)).collect();
    folder.write("trips.csv", format!("stop\n{trips}"));
    folder
}

const STOPS: &str = "--id stop --columns lat,lon --metric haversine";

#[test]
fn the_page_of_a_fit_has_every_k_and_what_is_served_worst() {
    let folder = city();
    let output = folder.run(&format!("fit stops.csv {STOPS} -k 2..9 --report page.html --json"));
    let (told, page) = (output.document(), data(&folder, "page.html"));
    assert_eq!(page["map"]["kind"], "degrees");
    assert_eq!(page["map"]["items"].as_array().unwrap().len(), 120);
    assert_eq!(page["suggested"]["k"], told["suggested_k"]);
    for (shown, fit) in
        page["fits"].as_array().unwrap().iter().zip(told["fits"].as_array().unwrap())
    {
        assert_eq!(shown["k"], fit["k"]);
        assert_eq!(shown["centers"], fit["center_indices"]);
        let rows = shown["rows"].as_array().unwrap();
        let names: Vec<&Value> = rows.iter().map(|row| &row[0]).collect();
        assert_eq!(names, fit["centers"].as_array().unwrap().iter().collect::<Vec<_>>());
        let means: Vec<&Value> = rows.iter().map(|row| &row[2]).collect();
        let told = fit["service"]["centers"].as_array().unwrap();
        assert_eq!(means, told.iter().map(|ways| &ways["mean"]).collect::<Vec<_>>());
        let worst = shown["worst"][0][0].as_u64().unwrap() as usize;
        assert_eq!(page["map"]["items"][worst], fit["service"]["farthest"]);
    }
    assert_eq!(page["charts"].as_array().unwrap().len(), 2);
}

#[test]
fn names_in_files_are_never_markup() {
    let evil = "</script><script>alert(1)</script><img src=x>";
    let folder = Folder::new();
    folder.write("points.csv", format!("name,<b>x</b>,y\n{evil},1,2\nb,2,3\nc,9,9\n"));
    assert_eq!(folder.run("fit points.csv --id name -k 1..2 --report page.html").code, Some(0));
    let page = folder.read("page.html");
    assert!(
        !page.contains("alert(1)</script>") && !page.contains("<img") && !page.contains("<b>x")
    );
    assert_eq!(data(&folder, "page.html")["map"]["items"][0], evil);
}

#[test]
fn the_page_of_a_release_follows_from_release_and_universe() {
    let folder = city();
    let options = format!("{STOPS} -k 2..6 --seed 3");
    let run = format!(
        "private stops.csv {options} --demand trips.csv --epsilon 1 --release a.json --report private.html --unit stop --max-per-unit 3"
    );
    assert_eq!(folder.run(&run).code, Some(0));
    // This command never sees a record.
    let derive =
        format!("centers a.json --universe stops.csv {STOPS} -k 2..6 --report centers.html");
    std::fs::remove_file(folder.path("trips.csv")).unwrap();
    assert_eq!(folder.run(&derive).code, Some(0));
    assert_eq!(folder.read("private.html"), folder.read("centers.html"));
    let page = data(&folder, "private.html");
    assert_eq!(page["map"]["sizes"], Value::Null, "no item shows how much it is asked for");
    let facts = page["facts"].to_string();
    for fact in ["\"ε\"", "at most 3", "levels of a tree", "120 items"] {
        assert!(facts.contains(fact), "{fact}: {facts}");
    }
    assert_eq!(page["warning"], Value::Null);
    assert!(page["fits"][0]["tiles"].to_string().contains("without data"));
}

#[test]
fn an_experiment_says_so_on_its_page() {
    let folder = city();
    let run = format!(
        "private stops.csv {STOPS} -k 4 --demand trips.csv --epsilon 1 --seeded-noise-not-private 5"
    );
    let page = |name: &str| {
        assert_eq!(folder.run(&format!("{run} --report {name}")).code, Some(0));
        folder.read(name)
    };
    let first = page("first.html");
    assert!(first.contains("NOT PRIVATE"));
    assert_eq!(first, page("second.html"), "equal noise, equal page");
}

#[test]
fn the_papers_search_has_a_page_without_estimates() {
    let folder = city();
    let run = format!(
        "private stops.csv {STOPS} -k 4 --demand trips.csv --epsilon 1 --method paper --report page.html"
    );
    assert_eq!(folder.run(&run).code, Some(0));
    let page = data(&folder, "page.html");
    assert_eq!(page["heads"].as_array().unwrap().len(), 1);
    assert_eq!(page["fits"][0]["rows"].as_array().unwrap().len(), 4);
    assert_eq!(page["fits"][0]["tiles"], serde_json::json!([]));
}

#[test]
fn the_page_of_a_plan_has_curves_and_a_line_at_one() {
    let folder = city();
    let run = format!(
        "plan stops.csv {STOPS} --epsilon 1 -k 4 --demand-size 500 --runs 1 --report plan.html"
    );
    assert_eq!(folder.run(&run).code, Some(0));
    let page = data(&folder, "plan.html");
    assert_eq!(page["charts"][0]["line"], 1.0);
    assert!(page["table"]["rows"].as_array().unwrap().len() > 3);
}

#[test]
fn graphs_matrices_and_sites_have_pages_without_places() {
    let folder = Folder::new();
    let edges: String = (1..40).map(|b| format!("{} {b} 1\n", b / 2)).collect();
    folder.write("roads.txt", edges);
    folder.write("costs.csv", "a,b,c\n1,5,9\n2,4,8\n9,3,1\n7,2,2\n");
    folder.write("far.csv", "0,1,4\n1,0,2\n4,2,0\n");
    folder.write("homes.csv", "x,y\n0,0\n1,1\n5,5\n6,6\n");
    folder.write("lots.csv", "x,y\n0,1\n6,5\n3,3\n");
    folder.write("one.csv", "x\n1\n2\n9\n");
    for (run, kind) in [
        ("fit roads.txt --graph -k 2..4", "similarity"),
        ("fit costs.csv --rectangular -k 1..2", "similarity"),
        ("fit far.csv --matrix -k 1..2", "similarity"),
        ("fit homes.csv --sites lots.csv -k 1..2", "plane"),
        ("fit one.csv -k 1..2", "plane"),
        ("fit one.csv -k 3", "plane"),
    ] {
        let output = folder.run(&format!("{run} --report page.html"));
        assert_eq!(output.code, Some(0), "{run}: {}", output.stderr);
        assert_eq!(data(&folder, "page.html")["map"]["kind"], kind, "{run}");
    }
}

#[test]
fn rows_of_784_numbers_are_pictures() {
    let folder = Folder::new();
    let row = |at: usize| {
        (0..784).map(|pixel| ((pixel * (at + 3)) % 256).to_string()).collect::<Vec<_>>().join(",")
    };
    folder.write("images.csv", (0..30).map(|at| row(at) + "\n").collect::<String>());
    assert_eq!(folder.run("fit images.csv -k 2..4 --report page.html").code, Some(0));
    let images = &data(&folder, "page.html")["images"];
    assert_eq!((&images["width"], &images["height"]), (&28.into(), &28.into()));
    assert!(!images["of"].as_object().unwrap().is_empty());
    let other = folder.run("fit images.csv -k 2 --report page.html --image-shape 14x56");
    assert_eq!(other.code, Some(0), "{}", other.stderr);
    assert_eq!(data(&folder, "page.html")["images"]["width"], 56);
}

#[test]
fn what_is_wrong_is_said_before_anything_is_done() {
    let folder = city();
    for (run, said) in [
        (format!("fit stops.csv {STOPS} -k 3 --report stops.csv"), "would overwrite the input"),
        (format!("fit stops.csv {STOPS} -k 3 --report nowhere/page.html"), "nowhere"),
        (
            format!("fit stops.csv {STOPS} -k 3 --report p.html --image-shape 4x4"),
            "--image-shape 4x4: takes 16 columns",
        ),
        (format!("fit stops.csv {STOPS} -k 3 --report p.html --image-shape big"), "such as 28x28"),
        (format!("fit stops.csv {STOPS} -k 3 --image-shape 4x4"), "--report"),
        (
            format!(
                "private stops.csv {STOPS} -k 3 --demand trips.csv --epsilon 1 --release a.json --report a.json"
            ),
            "would overwrite what --release writes",
        ),
    ] {
        let before = folder.names();
        let output = folder.run(&run);
        assert_eq!(output.code, Some(2), "{run}");
        assert!(
            output.stderr.contains(said) && output.stderr.lines().count() == 1,
            "{run}: {}",
            output.stderr
        );
        assert_eq!(folder.names(), before, "{run}");
    }
}
