//! Releases that somebody else wrote, with a checksum that is right: read or refused at once, and
//! never a text in them that reaches a terminal as it is.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use std::time::{Duration, Instant};

use kmedian::privacy::{Entropy, PrivateTree, Recipe};
use kmedian::{Metric, Run, Seed, TreeKind, Vectors};
use sha2::{Digest, Sha256};

fn release() -> PrivateTree {
    let space = Vectors::new(1, &[0.0, 1.0, 2.0, 10.0, 11.0, 13.0], Metric::L1).unwrap();
    let tree = Some(TreeKind::Fitted { branching: 2, levels: 2 });
    let recipe = Recipe { tree, seed: Seed(1), ..Recipe::new("1".parse().unwrap()) };
    PrivateTree::release(&space, &[3; 6], &recipe, &mut Entropy::system(), &mut Run::default())
        .unwrap()
}

/// The part of a document that the checksum is of.
fn body(document: &str) -> &str {
    let end = document.rfind(",\"checksum\":").unwrap();
    &document["{\"release\":".len()..end]
}

/// A document with the checksum of its content.
fn signed(body: &str) -> String {
    let digits: String =
        Sha256::digest(body.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{{\"release\":{body},\"checksum\":\"sha256:{digits}\"}}")
}

/// A document in which one text was replaced by another.
fn edited(from: &str, to: &str) -> String {
    let document = release().to_json();
    let body = body(&document);
    assert!(body.contains(from), "`{from}` is not in {body}");
    signed(&body.replacen(from, to, 1))
}

#[test]
fn what_was_not_edited_is_read() {
    let release = release();
    assert_eq!(PrivateTree::from_json(&signed(body(&release.to_json()))).unwrap(), release);
}

/// A tree like a comb: every second node is a leaf, one below the other.
#[test]
fn a_deep_tree_takes_no_time() {
    let nodes = 120_001usize;
    let parents: Vec<String> =
        (0..nodes).map(|node| (node.saturating_sub(1) / 2 * 2).to_string()).collect();
    let parents = parents.join(",");
    let counts = vec!["1"; nodes].join(",");
    let shares = vec!["1"; nodes / 2].join(",");
    for parents in [
        parents,
        // A path.
        (0..nodes).map(|node| node.saturating_sub(1).to_string()).collect::<Vec<_>>().join(","),
        // Two children for every second node.
        (0..nodes)
            .map(|node| (node.saturating_sub(1) / 2 * 2).saturating_sub(1).to_string())
            .collect::<Vec<_>>()
            .join(","),
    ] {
        let document = release().to_json();
        let body = body(&document);
        let nodes = body.find("\"nodes\":").unwrap();
        let split = body.find("\"shares\":[").unwrap() + "\"shares\":[".len();
        let after = split + body[split..].find(']').unwrap();
        let forged = format!(
            "{}{shares}{}\"nodes\":{{\"parents\":[{parents}],\"noisy_counts\":[{counts}],\
             \"leaf_of_item\":[1,1,1,1,1,1]}}}}",
            &body[..split],
            &body[after..nodes],
        );
        let started = Instant::now();
        let read = PrivateTree::from_json(&signed(&forged));
        assert!(read.is_err());
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    }
}

/// Every text of a release, with a character that clears the screen and one that turns text round.
#[test]
fn no_text_of_a_release_reaches_the_terminal() {
    let document = release().to_json();
    let hash = body(&document).split("\"sha256\":\"").nth(1).unwrap()[..64].to_owned();
    for (from, name) in [
        ("kmedian private tree", "format"),
        ("\"software\":\"kmedian", "software"),
        ("discrete laplace", "mechanism"),
        ("operating system", "entropy"),
        ("cube-root", "split"),
        ("\"kind\":\"fitted", "tree"),
        ("add-remove", "neighbours"),
        ("\"unit\":\"record", "unit"),
        (hash.as_str(), "hash"),
        ("\"version\":1", "version"),
        ("{\"format\"", "field"),
    ] {
        for evil in ["\\u001b[2J\\u0007", "\u{9b}2J", "\u{202e}"] {
            let to = match name {
                "version" => format!("\"version\":\"{evil}\""),
                "field" => format!("{{\"{evil}\":1,\"format\""),
                _ => format!("{from}{evil}"),
            };
            let error = PrivateTree::from_json(&edited(from, &to)).unwrap_err().to_string();
            let is_plain = |c: char| !c.is_control() && c != '\u{202e}';
            assert!(error.chars().all(is_plain), "{name}: {error:?}");
            assert!(error.len() < 1000, "{name}: {error}");
        }
    }
    for (from, to) in [
        ("operating system", "dice"),
        ("discrete laplace", "gauss"),
        ("cube-root", "auto"),
        ("\"max_per_unit\":1", "\"max_per_unit\":0"),
        ("\"max_per_unit\":1", "\"max_per_unit\":2"),
        // A share for the number of records is of version 2, and version 2 has one.
        ("\"version\":1", "\"version\":2"),
        ("\"shares\":", "\"total\":1,\"shares\":"),
        ("\"shares\":", "\"total\":18446744073709551615,\"shares\":"),
    ] {
        assert!(PrivateTree::from_json(&edited(from, to)).is_err(), "{from} as {to}");
    }
}

#[test]
fn what_says_that_it_is_not_private_is_not() {
    let disclaimed = edited("\"private\":true", "\"private\":false");
    let read = PrivateTree::from_json(&disclaimed).unwrap();
    assert!(!read.is_private());
    assert_eq!(read.to_json(), disclaimed);
    let seeded = edited("operating system", "seeded: NOT PRIVATE");
    let error = PrivateTree::from_json(&seeded).unwrap_err().to_string();
    assert!(error.contains("says that it is private, but not its noise"), "{error}");
}

/// Room for a release can be made before there is one.
#[test]
fn no_release_is_larger_than_its_bound() {
    use kmedian::privacy::PublicTree;
    let places: Vec<f32> = (0..300).map(|place| place as f32).collect();
    let space = Vectors::new(1, &places, Metric::L1).unwrap();
    for epsilon in ["0.000001", "1", "100"] {
        let recipe = Recipe::new(epsilon.parse().unwrap());
        let public = PublicTree::build(&space, &recipe, &mut Run::default()).unwrap();
        let room = public.largest_document();
        let release = public.release(&vec![u64::MAX; 300], &mut Entropy::system()).unwrap();
        let size = release.to_json().len();
        assert!(size <= room && room < 4 * size + 4096, "{size} bytes in room for {room}");
    }
}
