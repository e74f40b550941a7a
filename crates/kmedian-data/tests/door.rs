//! One record more changes one count, whatever it says, in every format; and how a table is read,
//! or fails to be, does not change at all. Readers that let a record decide more are convicted by
//! the same test.
//!
//! `cargo xtask property 1000000` runs a million cases.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

#[path = "door/cases.rs"]
mod cases;
#[path = "door/files.rs"]
mod files;
#[path = "door/mutants.rs"]
mod mutants;

use std::env;

use cases::{Case, Door, Row};
use files::Folder;
use kmedian_data::normalized;
use mutants::Mutant;
use rand::{SeedableRng, rngs::ChaCha20Rng};

/// A reader under test: the counts of a table, or why it could not be read.
type Reader<'a> = dyn Fn(&Case, &[Row]) -> Result<Vec<u64>, String> + 'a;

/// How often cases are drawn for each door in CI: with 18 doors, more than 10,000 in all.
const CASES: u64 = 600;

/// Checks the claim on one case.
fn check(case: &Case, read: &Reader<'_>) -> Result<(), String> {
    let (before, after) = (read(case, &case.rows), read(case, &case.with_one_more()));
    let (before, after) = match (before, after) {
        (Ok(before), Ok(after)) => (before, after),
        // It fails in the same way with and without the record.
        (Err(before), Err(after)) if before == after => return Ok(()),
        (before, after) => {
            return Err(format!("errors: {:?} before, {:?} after", before.err(), after.err()));
        }
    };
    let more = |from: &[u64], to: &[u64]| -> (u64, u64) {
        let pairs = || from.iter().zip(to);
        let gained = pairs().map(|(&from, &to)| to.saturating_sub(from)).sum();
        (gained, pairs().map(|(&from, &to)| from.saturating_sub(to)).sum())
    };
    let (gained, lost) = more(&before, &after);
    let Some(most) = case.most else {
        return if gained <= 1 && lost == 0 { Ok(()) } else { Err(format!("+{gained} −{lost}")) };
    };
    let most = u64::from(most.get());
    // An owner has at most `most` records before and after, and never fewer for having one more.
    if gained > most || lost > gained || gained - lost > 1 {
        return Err(format!("+{gained} −{lost} with at most {most} records an owner"));
    }
    // What a line says of its owner is known to the reader alone.
    if !case.door.has_cells() {
        return Ok(());
    }
    let Some(whose) = case.owner(&case.extra) else {
        return if gained + lost == 0 { Ok(()) } else { Err("an owner without a name".to_owned()) };
    };
    let of_others = |row: &&Row| case.owner(row).as_deref() != Some(&whose);
    let others: Vec<Row> = case.rows.iter().filter(of_others).cloned().collect();
    let others = read(case, &others).map_err(|error| format!("without the owner: {error}"))?;
    for with in [&before, &after] {
        let (gained, lost) = more(&others, with);
        if lost > 0 || gained > most {
            return Err(format!("the records of an owner: +{gained} −{lost}, not +{most} at most"));
        }
    }
    Ok(())
}

fn rng(door: usize, case: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64((door as u64) << 48 | case)
}

#[test]
fn one_record_more_changes_one_count() {
    let total = env::var("KMEDIAN_DOOR_CASES").ok().and_then(|cases| cases.parse::<u64>().ok());
    let each = total.map_or(CASES, |total| total.div_ceil(Door::ALL.len() as u64));
    let folder = Folder::new();
    for seed in 0..each {
        for (number, door) in Door::ALL.into_iter().enumerate() {
            let case = Case::draw(door, &mut rng(number, seed));
            let checked = check(&case, &|case, rows| {
                Ok(folder.read(case, rows).unwrap_or_else(|error| panic!("{error}: {case:?}")))
            });
            assert_eq!(checked, Ok(()), "case {seed}: {case:?}");
        }
        if (seed + 1) % 1000 == 0 || seed + 1 == each {
            println!("{} cases of each of {} doors", seed + 1, Door::ALL.len());
        }
    }
}

/// The test above sees counts that change, records that are dropped, and owners with more than the
/// bound.
#[test]
fn cases_are_of_all_kinds() {
    let folder = Folder::new();
    for (number, door) in Door::ALL.into_iter().enumerate() {
        let (mut changed, mut unchanged, mut bounded) = (0, 0, 0);
        for seed in 0..200 {
            let case = Case::draw(door, &mut rng(number, seed));
            let before = folder.read(&case, &case.rows).unwrap();
            let after = folder.read(&case, &case.with_one_more()).unwrap();
            if before == after {
                unchanged += 1;
            } else {
                changed += 1;
            }
            let free = Case { most: None, ..case.clone() };
            let all: u64 = folder.read(&free, &case.rows).unwrap().iter().sum();
            bounded += u64::from(case.most.is_some() && before.iter().sum::<u64>() < all);
        }
        assert!(changed > 30 && unchanged > 30, "{door:?}: {changed} changed, {unchanged} not");
        assert!(bounded > 15, "{door:?}: {bounded} bounded");
    }
}

/// Every reader that once let a record decide more than its count is found out.
#[test]
fn mutants_are_convicted() {
    let folder = Folder::new();
    for mutant in Mutant::ALL {
        let convicted = (0..20_000).find_map(|seed| {
            let case = mutant.case(&mut rng(99, seed));
            check(&case, &|case, rows| mutant.read(&folder, case, rows)).err()
        });
        let why = convicted.unwrap_or_else(|| panic!("{mutant:?} goes free"));
        println!("{mutant:?}: {why}");
    }
}

/// Names are normalized once and for all.
#[test]
fn a_normalized_name_is_normal() {
    for seed in 0..20_000 {
        let case = Case::draw(Door::Named, &mut rng(98, seed));
        for cell in case.rows.iter().chain([&case.extra]).flatten() {
            let Ok(text) = str::from_utf8(cell) else { continue };
            let Some(name) = normalized(text) else { continue };
            assert_eq!(normalized(&name), Some(name.clone()), "{text:?}");
        }
    }
}
