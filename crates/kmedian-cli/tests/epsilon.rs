//! An ε is one number, whether the mechanism or the ledger reads it.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, Lcg};
use kmedian::privacy::Epsilon;
use kmedian_ledger::Amount;

/// Text that both read has the same value for both, exactly.
fn agree(text: &str) -> bool {
    match (text.parse::<Epsilon>(), Amount::to_spend(text)) {
        (Ok(epsilon), Ok(amount)) => {
            assert_eq!(amount.to_string().parse(), Ok(epsilon), "{text}: {amount}");
            assert_eq!(Amount::to_allow(text).unwrap(), amount, "{text} is rounded");
            true
        }
        (Ok(epsilon), Err(error)) => panic!("{text} is {epsilon} for one, for the other {error}"),
        (Err(_), _) => false,
    }
}

#[test]
fn an_exponent_is_read_by_both() {
    for (text, fraction) in [
        ("1e-3", (1, 1000)),
        ("1E-3", (1, 1000)),
        ("1.e-3", (1, 1000)),
        ("0.0025e+2", (1, 4)),
        ("+.5", (1, 2)),
        (" 2.50 ", (5, 2)),
        ("1e2", (100, 1)),
        ("0000100.00", (100, 1)),
        ("0.1000000000000000", (1, 10)),
        ("123456789e-9", (123_456_789, 1_000_000_000)),
        ("1e-9", (1, 1_000_000_000)),
    ] {
        assert!(agree(text), "{text}");
        assert_eq!(text.parse::<Epsilon>().unwrap().fraction(), Some(fraction), "{text}");
    }
    for text in [
        "",
        ".",
        "e3",
        "1e",
        "1e-10",
        "1e3",
        "101",
        "100.000000001",
        "0",
        "0e5",
        "-1",
        "1e40000",
        "0x1",
    ] {
        assert!(!agree(text), "{text}");
    }
}

#[test]
fn any_text_has_one_value() {
    let mut random = Lcg::new(3);
    let mut read = 0;
    for _ in 0..50_000 {
        let length = 1 + random.below(9);
        let text: String =
            (0..length).map(|_| b"0012359.e-+E "[random.below(13) as usize] as char).collect();
        read += u32::from(agree(&text));
    }
    assert!(read > 1000, "only {read} texts are numbers");
}

#[test]
fn the_command_takes_it() {
    let folder = Folder::with(&[("p.csv", "x\n0\n1\n5\n"), ("d.csv", "item\n0\n")]);
    assert_eq!(folder.run("ledger create l.db --dataset d --budget 2e-3").code, Some(0));
    let args =
        "private p.csv --demand d.csv --key item --epsilon 1e-3 -k 1 --ledger l.db --dataset d";
    let run = folder.run(args);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.stdout.contains("ε = 0.001 ") && run.stdout.contains("0.001 of d spent"),
        "{run:?}"
    );
}
