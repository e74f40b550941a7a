//! Texts, sets, mixed columns and sparse rows: what the command finds in them costs what the
//! definitions say, rows that come later are assigned, and bad input is refused in one line.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, refused};

const WORDS: &str = "id,word\na,kitten\nb,sitting\nc,mitten\nd,Saturday\ne,Sunday\n";
const TAGS: &str = "post,tags\n1,rust; simd\n2,rust;simd;csv\n3,bread;salt\n4,bread\n5,\n6,\n";
const PEOPLE: &str = "age,town,zip\n20,A,1\n30,A,2\n60,B,1\n65,B,2\n";
const SVM: &str = "+1 1:1 2:2\n-1 1:2 2:4\n+1 3:1\n-1 3:1.5 4:0.5\n";

fn cost(folder: &Folder, args: &str) -> f64 {
    folder.fit(args)["cost"].as_f64().unwrap()
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-5
}

#[test]
fn texts_under_edits() {
    let folder = Folder::with(&[("words.csv", WORDS), ("one.csv", "word\nab\nabc\nxyz\n")]);
    let found = folder.fit("words.csv --metric levenshtein --columns word --id id -k 2");
    assert_eq!(found["cost"], 7.0);
    assert_eq!((&found["metric"], &found["n"]), (&"levenshtein".into(), &5.into()));
    assert_eq!(cost(&folder, "one.csv --metric levenshtein -k 2"), 1.0);
    assert_eq!(cost(&folder, "one.csv --metric levenshtein -k 1 --objective means"), 1.0 + 9.0);
}

#[test]
fn sets_in_every_form() {
    let folder = Folder::with(&[
        ("tags.csv", TAGS),
        (
            "members.csv",
            "rust,simd,csv,bread,salt\n1,1,0,0,0\n1,1,1,0,0\n0,0,0,1,1\n0,0,0,1,0\n0,0,0,0,0\n0,0,0,0,0\n",
        ),
        ("members.svm", "1 1:1 2:1\n1 1:1 2:1 3:1\n1 4:1 5:1\n1 4:1\n1\n1\n"),
    ]);
    for args in ["tags.csv --columns tags --separator ;", "members.csv", "members.svm"] {
        let found = folder.fit(&format!("{args} --metric jaccard -k 3 --effort optimal"));
        // {rust, simd} and {.., csv}: 1/3; {bread, salt} and {bread}: 1/2; two empty sets: 0.
        assert!(close(found["cost"].as_f64().unwrap(), 1.0 / 3.0 + 0.5), "{args}: {found}");
    }
}

#[test]
fn mixed_columns() {
    let folder = Folder::with(&[("people.csv", PEOPLE)]);
    // Two clusters: 10/45 and 5/45 of the range of ages, over two columns.
    let expected = (10.0 / 45.0 + 5.0 / 45.0) / 2.0;
    let found = cost(&folder, "people.csv --columns age,town --metric gower -k 2");
    assert!(close(found, expected), "{found}");
    // By zip, too, whose numbers differ by the whole range.
    let three = (10.0 / 45.0 + 1.0 + 5.0 / 45.0 + 1.0) / 3.0;
    for zip in ["", "--categories zip"] {
        let found =
            cost(&folder, &format!("people.csv --metric gower -k 2 {zip} --effort optimal"));
        assert!(close(found, three), "{zip}: {found}");
    }
}

#[test]
fn sparse_rows_and_squares() {
    let folder = Folder::with(&[
        ("rows.svm", SVM),
        ("rows.csv", "a,b,c,d\n1,2,0,0\n2,4,0,0\n0,0,1,0\n0,0,1.5,0.5\n"),
    ]);
    let angle = 1.0 - 1.5 / 2.5f64.sqrt();
    for (metric, expected) in [
        ("cosine", angle),
        ("sqeuclidean", 5.0 + 0.5),
        ("l1", 3.0 + 1.0),
        ("l2", 5.0f64.sqrt() + 0.5f64.sqrt()),
        ("root-cosine", angle.sqrt()),
        ("angular", (1.0 - angle).acos() / std::f64::consts::PI),
    ] {
        for file in ["rows.svm", "rows.csv"] {
            let found = folder.fit(&format!("{file} --metric {metric} -k 2 --effort optimal"));
            assert!(close(found["cost"].as_f64().unwrap(), expected), "{file} {metric}: {found}");
            assert!(found["bound"].as_f64().unwrap() <= expected + 1e-5);
            let mean = found["service"]["mean"].as_f64().unwrap();
            assert!(close(mean, expected / 4.0), "{file} {metric}: {mean}");
        }
    }
    refused(
        &folder,
        "fit rows.svm --metric cosine --objective means -k 2",
        &["is a square already"],
    );
    refused(
        &folder,
        "plan rows.csv --metric cosine -k 2 --epsilon 1 --demand-size 9",
        &["--metric root-cosine"],
    );
}

#[test]
fn rows_that_came_later() {
    let folder = Folder::with(&[
        ("words.csv", "id,word\na,kitt\nb,kitte\nc,kitten\nd,Sunday\ne,Sundays\nf,Sundayss\n"),
        ("new.csv", "id,word\nx,bitte\ny,Mondays\n"),
        ("people.csv", PEOPLE),
        ("later.csv", "age,town,zip\n21,A,1\n70,C,2\n"),
        ("rows.svm", SVM),
        ("tags.csv", TAGS),
    ]);
    let column = |file: &str, at: usize| -> Vec<String> {
        let text = folder.read(file);
        text.lines().skip(1).map(|line| line.split(',').nth(at).unwrap().to_owned()).collect()
    };
    let run = |args: &str| {
        let outcome = folder.run(args);
        assert_eq!(outcome.code, Some(0), "{args}: {outcome:?}");
    };
    let how = "--metric levenshtein --columns word --id id";
    run(&format!("fit words.csv {how} -k 2 --centers c.csv"));
    run(&format!("assign c.csv new.csv --fitted words.csv {how} --labels l.csv"));
    assert_eq!(column("l.csv", 4), ["1.0", "2.0"]);
    for (items, how) in [
        ("people.csv", "--metric gower"),
        ("rows.svm", "--metric cosine"),
        ("rows.svm", "--metric l1"),
        ("tags.csv", "--metric jaccard --columns tags --separator ;"),
    ] {
        run(&format!("fit {items} {how} -k 2 --centers c.csv --labels l.csv"));
        run(&format!("assign c.csv {items} --fitted {items} {how} --labels again.csv"));
        let number = |text: &String| text.parse::<f64>().unwrap();
        let (ways, again) = (column("l.csv", 4), column("again.csv", 3));
        for (way, again) in ways.iter().zip(&again) {
            assert!(close(number(way), number(again)), "{items} {how}: {ways:?} {again:?}");
        }
    }
    run("fit people.csv --metric gower -k 2 --centers c.csv");
    run("assign c.csv later.csv --fitted people.csv --metric gower --labels l.csv");
    refused(&folder, "assign c.csv later.csv --metric gower --labels l.csv", &["--fitted"]);
}

#[test]
fn bad_items_are_refused_in_one_line() {
    let folder = Folder::with(&[
        ("words.csv", WORDS),
        ("tags.csv", TAGS),
        ("people.csv", PEOPLE),
        ("gap.csv", "age,town\n20,A\n,B\n"),
        ("half.csv", "a,b\n0,1\n0.5,1\n"),
        ("empty.svm", ""),
        ("gap.svm", "1 1:2\n1 2:nan\n"),
        ("word.svm", "1 1:2\n1 two\n"),
        ("negative.svm", "1 -1:2\n"),
        ("twice.svm", "1 3:2 3:1\n"),
        ("zero.svm", "1 1:1\n1\n"),
        ("rows.svm", SVM),
        ("ragged.csv", "a,b\n1\n"),
    ]);
    folder.write("latin.csv", b"word\nna\xefve\n");
    folder.write("broken.npz", b"PK\x03\x04 nothing");
    for (args, parts) in [
        ("latin.csv --metric levenshtein", &["line 2, column `word`", "not UTF-8"][..]),
        ("words.csv --metric levenshtein", &["name the column that holds the texts", "id, word"]),
        ("words.csv --metric levenshtein --columns nothing", &["no column `nothing`"]),
        ("tags.csv --metric jaccard --columns tags", &["--separator"]),
        ("half.csv --metric jaccard", &["row 2, column `a` is 0.5"]),
        ("tags.csv --metric jaccard --id post", &["no numeric column", "holds the sets, name it"]),
        ("nothing.csv --metric jaccard", &["nothing.csv: no such file"]),
        ("words.csv --metric l2 --separator ;", &["--separator is for sets"]),
        ("gap.csv --metric gower", &["row 2, column `age`: the value is missing"]),
        (
            "people.csv --metric gower --categories nothing",
            &["none of the columns", "age, town, zip"],
        ),
        ("people.csv --categories zip", &["--categories is for --metric gower"]),
        ("people.csv --metric gower --skip-missing", &["--skip-missing"]),
        ("people.csv --metric gower --sites words.csv", &["--sites is for rows of numbers"]),
        ("ragged.csv --metric gower", &["line 2 has 1 columns"]),
        ("negative.svm", &["line 1: the column `-1` is negative"]),
        ("twice.svm", &["line 1: has column 3 twice; add them up"]),
        ("gap.svm", &["line 2: `nan` is not a finite number; fill it in"]),
        ("word.svm", &["line 2: `two` is no `column:value`; write entries so"]),
        ("empty.svm", &["the file is empty"]),
        ("zero.svm --metric cosine", &["item 1 is all zeros", "such as l2"]),
        ("rows.svm --metric linf", &["sparse rows have no metric linf"]),
        ("rows.svm --metric gower", &["sparse rows have no metric gower"]),
        ("rows.svm --id x", &["leave out --columns and --id"]),
        ("broken.npz", &["no zip archive"]),
        ("words.csv --metric cosin", &["did you mean cosine?"]),
    ] {
        refused(&folder, &format!("fit {args} -k 1 --centers c.csv"), parts);
        assert!(!folder.names().contains(&"c.csv".to_owned()), "{args}");
    }
}
