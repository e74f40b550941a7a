//! Records with raw coordinates, and tables of several files, through the command: one record more
//! changes one count by one, or none, and nothing else that anybody can see.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use std::fs;

use common::{Folder, gzip, refused, stops, without_noise};
use serde_json::Value;

/// All that a run leaves but for the noise: exit code, standard error, the names of the files, and
/// what is printed.
type Ending = (Option<i32>, String, Vec<String>, Value);

/// What is released of every node of the tree: its parent and its noisy count.
type Nodes = Vec<(Value, i64)>;

/// How a run over some files ends, and what it releases. Noise is seeded, so it is the same in all
/// runs, and counts differ by what the records change.
fn ending(files: &[(&str, Vec<u8>)], args: &str) -> (Ending, Nodes) {
    let folder = Folder::with(&[("stops.csv", &stops(60))]);
    folder.write("globe.csv", stops(60).replace("stop,x,y", "stop,lat,lon"));
    fs::create_dir_all(folder.path("parts/more")).unwrap();
    for (name, content) in files {
        folder.write(name, content);
    }
    // With a public number of records there is one tree.
    let run = folder.run(&format!(
        "private --id stop -k 2 --epsilon 1 --demand-size 10 --json --release r.json \
         --seeded-noise-not-private 3 {args}"
    ));
    let nodes = fs::read_to_string(folder.path("r.json")).map_or(Vec::new(), |text| {
        let release: Value = serde_json::from_str(&text).unwrap();
        let nodes = &release["release"]["nodes"];
        let parents = nodes["parents"].as_array().unwrap().iter().cloned();
        let counts = nodes["noisy_counts"].as_array().unwrap().iter();
        parents.zip(counts.map(|count| count.as_i64().unwrap())).collect()
    });
    ((run.code, run.stderr, folder.names(), without_noise(&run.stdout)), nodes)
}

/// Checks that two runs end alike, and that the counts of the second are those of the first, with
/// one more on a single way from the root to a leaf, or none. Says whether a count has changed.
fn one_more_at_most(before: &(Ending, Nodes), after: &(Ending, Nodes), what: &str) -> bool {
    assert_eq!(before.0, after.0, "{what}");
    assert_eq!((before.0.0, before.0.1.as_str()), (Some(0), ""), "{what}");
    assert!(before.1.len() > 10 && before.1.len() == after.1.len(), "{what}");
    let mut parents = Vec::new();
    for ((parent, before), (_, after)) in before.1.iter().zip(&after.1) {
        assert!((0..=1).contains(&(after - before)), "{what}: from {before} to {after}");
        if after > before {
            assert!(!parents.contains(&parent), "{what}: two children of {parent} have changed");
            parents.push(parent);
        }
    }
    !parents.is_empty()
}

const ODD: [&[u8]; 14] = [
    b"s1,u1\n",
    b"\"nice place\ns7,u9000\ns7,u9001\ns7,u9002\",u1\n",
    b"s1;;;,u1\n",
    b"stop,user\n",
    b"s1\n",
    b"s1,u1,u1,u1\n",
    b"PAR1,u1\n",
    b"PK\x03\x04,u1\n",
    b"\x1f\x8b\x08,u1\n",
    b"s1\0,u1\n",
    b"\xff\xfe,nan\n",
    b"\xef\xbb\xbfs1,1.0\n",
    b"\n\n",
    b"s1,\"open",
];

/// In any file of a folder, of which one has no records, and one is compressed.
#[test]
fn a_record_in_any_file_changes_one_count() {
    for (header, args) in [
        ("stop,user\n", "--key stop"),
        ("\u{feff}stop,user\n", "--key stop --unit user --max-per-unit 2"),
        ("", "--key 0 --demand-header no"),
        ("\u{feff}", "--key 0 --demand-header no --unit 1 --max-per-unit 2"),
    ] {
        let files = |place: usize, odd: &[u8]| -> Vec<(&'static str, Vec<u8>)> {
            let records = [&b"s1,u1\ns2,u2\n"[..], b"", b"s3,u3\ns4,u4\n\"s5\",5\n"];
            let names = ["parts/a.csv", "parts/b.csv", "parts/more/c.csv.gz"];
            let table = |at: usize| {
                // A quote that is never closed ends with its file, so it comes last.
                let (first, last) =
                    if odd.ends_with(b"open") { (&b""[..], odd) } else { (odd, &b""[..]) };
                let (first, last) = if at == place { (first, last) } else { (&b""[..], &b""[..]) };
                let text = [header.as_bytes(), first, records[at], last].concat();
                (names[at], if names[at].ends_with(".gz") { gzip(text) } else { text })
            };
            (0..3).map(table).collect()
        };
        let args = format!("stops.csv --columns x,y --demand parts {args}");
        let plain = ending(&files(9, b""), &args);
        let mut changed = 0;
        for odd in ODD {
            for place in 0..3 {
                let what = format!("{args}: {} in file {place}", String::from_utf8_lossy(odd));
                let found = ending(&files(place, odd), &args);
                changed += u32::from(one_more_at_most(&plain, &found, &what));
            }
        }
        assert!(changed > 0, "{args}: no record counts");
    }
}

/// Whatever the coordinates are: no numbers, far too large, between two items, or too far.
#[test]
fn a_record_with_any_coordinates_changes_one_count() {
    let places: [&[u8]; 20] = [
        b"40,40",
        b"40.5,39.5",
        b"nan,1",
        b"inf,-inf",
        b"1e308,-1e308",
        b"-1.7976931348623157e308,1.7976931348623157e308",
        b"1e400,1",
        b"5e-324,-0",
        b",",
        b"x,y",
        b"0x10,1_000",
        b"1 ,\t2",
        b"\"4\n40,40\n40,40\",1",
        b"\"40,5\",1",
        b"40",
        b"40,40,40",
        b"\xff\xfe,1",
        b"\xef\xbb\xbf40,40",
        "１,２".as_bytes(),
        b"40,40\0",
    ];
    let records = b"u1,40,41\nu2,3,4\nu3,70.5,12.25\n";
    for args in [
        "stops.csv --columns x,y",
        "stops.csv --columns x,y --snap-within 20",
        "stops.csv --columns x,y --unit user --max-per-unit 1 --metric l1",
        "stops.csv --columns x,y --metric angular",
        "globe.csv --columns lat,lon --metric haversine --snap-within 2000km",
    ] {
        let files = |record: &[u8]| {
            let text = [b"user,first,second\n", record, &records[..]].concat();
            [("trips.csv", text)]
        };
        let args = format!("{args} --demand trips.csv --snap 1,2");
        let plain = ending(&files(b""), &args);
        let mut changed = 0;
        for place in places {
            let what = format!("{args}: {}", String::from_utf8_lossy(place));
            let record = [b"u9,", place, b"\n"].concat();
            changed += u32::from(one_more_at_most(&plain, &ending(&files(&record), &args), &what));
        }
        assert!(changed > 0, "{args}: no record counts");
    }
}

/// Exactly between two items is at the first, wherever the record is and whatever is around it.
#[test]
fn a_tie_goes_to_the_first_item() {
    let folder = Folder::with(&[("items.csv", "id,x\na,0\nb,2\nc,4\n"), ("d.csv", "x\n1\n3\n3\n")]);
    let run = folder.run(
        "private items.csv --id id --columns x --demand d.csv --snap x -k 1 --epsilon 100 --nonprivate-diagnostics \
         --seeded-noise-not-private 1",
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("3 records: 3 counted"), "{run:?}");
    assert!(run.stdout.contains('b'), "{run:?}");
}

/// What a folder's layout shows to be wrong is refused before anything is spent, by names alone;
/// what is gone after that ends in the one message.
#[test]
fn a_folder_is_refused_for_its_layout_alone() {
    let folder = Folder::with(&[("stops.csv", &stops(60))]);
    fs::create_dir_all(folder.path("parts")).unwrap();
    folder.write("parts/a.csv", "stop,user\ns1,u1\n");
    let args = "private stops.csv --id stop --columns x,y -k 2 --epsilon 1 --demand parts --key stop --unit user \
                --max-per-unit 1";
    for (content, part) in [
        ("stop,owner\ns1,u1\n", "parts/b.csv: there is no column `user`"),
        ("stop,owner\n", "parts/b.csv: there is no column `user`"),
        ("", "parts/b.csv: the file is empty"),
        ("stop,\"user\ns1,u1\n", "parts/b.csv: a quote is open at the end of its first line"),
    ] {
        folder.write("parts/b.csv", content);
        refused(&folder, args, &[part]);
    }
    fs::remove_file(folder.path("parts/b.csv")).unwrap();
    fs::hard_link(folder.path("parts/a.csv"), folder.path("parts/b.csv")).unwrap();
    refused(
        &folder,
        args,
        &["parts/b.csv: is the same file as `parts/a.csv`, and would be counted twice"],
    );
    fs::remove_file(folder.path("parts/b.csv")).unwrap();
    // Another order of the columns, and more of them, is fine.
    folder.write("parts/b.csv", "when,user,stop\n7,u1,s1\n");
    assert_eq!(folder.run(args).code, Some(0));
}
