//! Demand streams through: memory depends on the items and the units, not on the rows.
//!
//! Each file is read by a process of its own, so that its peak can be told: this very test binary,
//! run again with `child` as the only test.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::env;
use std::fs;
use std::num::NonZeroU32;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use kmedian_data::{Column, DemandOptions, ItemKeys, UnitBound, Values, read_demand, write_table};
use rand::{SeedableRng, rngs::ChaCha20Rng};

const FILE: &str = "KMEDIAN_DEMAND_TEST_FILE";
const MOST: &str = "KMEDIAN_DEMAND_TEST_MOST";
const ITEMS: usize = 100_000;
const UNITS: i64 = 50_000;

/// The bytes that a process may need beyond its counts and its units, whatever the rows.
const ROOM: u64 = 32 << 20;

/// Reads the file that the environment names, and prints the peak memory of that.
#[test]
#[ignore = "run by the other tests, as a process of its own"]
fn child() {
    let file = env::var_os(FILE).expect("a file to read");
    let bound = env::var(MOST).ok().and_then(|most| most.parse::<NonZeroU32>().ok());
    let options = DemandOptions {
        key: Some("stop".into()),
        unit: bound.map(|most| UnitBound { column: "user".into(), most }),
        ..DemandOptions::default()
    };
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let started = Instant::now();
    let demand = read_demand(Path::new(&file), &ItemKeys::positions(ITEMS), &options, &mut rng);
    let demand = demand.ok().unwrap();
    let seconds = started.elapsed().as_secs_f64();
    let counted: u64 = demand.counts.iter().sum();
    println!("\nresult {counted} {} {seconds:.2}", peak_memory());
}

/// The largest resident size of this process so far, in bytes.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().unwrap();
    assert!(kib > 0, "no process needs no memory");
    1024 * kib
}

/// Reads a file in a process of its own: the records that count, and the peak of memory.
fn read(file: &Path, most: &str) -> (u64, u64) {
    let run = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "child", "--nocapture"])
        .env(FILE, file)
        .env(MOST, most)
        .output()
        .unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    let result = text.lines().find_map(|line| line.strip_prefix("result ")).expect(&text);
    let words: Vec<&str> = result.split(' ').collect();
    println!("{} MiB, {} s", words[1].parse::<u64>().unwrap() >> 20, words[2]);
    (words[0].parse().unwrap(), words[1].parse().unwrap())
}

/// Writes this many records, and reads them with and without a bound for units.
fn stream(rows: i64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits.parquet");
    // Multiplying by a large odd number scatters the rows over items and units.
    let scattered = |factor: i64, below: i64| -> Values {
        Values::Integers(
            (0..rows).map(|row| (row.wrapping_mul(factor) >> 20).rem_euclid(below)).collect(),
        )
    };
    let column = |name: &str, values| Column { name: name.to_owned(), values };
    let columns = [
        column("stop", scattered(6_364_136_223_846_793_005, ITEMS as i64)),
        column("user", scattered(2_862_933_555_777_941_757, UNITS)),
    ];
    write_table(&path, &columns).unwrap();
    drop(columns);

    let (counted, peak) = read(&path, "");
    assert_eq!(counted, rows.unsigned_abs());
    assert!(peak < ROOM, "{peak} bytes for {rows} rows");
    let most = 5;
    let (counted, peak) = read(&path, &most.to_string());
    assert!(counted <= UNITS.unsigned_abs() * most && counted > UNITS.unsigned_abs());
    // A name, a place in a table, and some records: well below 300 bytes a unit.
    assert!(peak < ROOM + 300 * UNITS.unsigned_abs(), "{peak} bytes for {rows} rows");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "peak memory is read from /proc")]
fn memory_does_not_depend_on_the_rows() {
    stream(1_000_000);
}

/// `cargo test -p kmedian-data --test demand_memory -- --ignored --nocapture`
#[test]
#[ignore = "by hand: writes ten million rows first; the test above does it with a million"]
fn ten_million_rows() {
    stream(10_000_000);
}
