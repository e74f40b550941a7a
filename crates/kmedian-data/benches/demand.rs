//! How fast private CSV is counted: ours, the `csv` crate that only splits the same file into
//! cells, and the `csv` crate with a hash map that counts keys.
//!
//! `cargo bench -p kmedian-data` prints a table: seconds, the best of five, and our speed as a part
//! of that of splitting alone.

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use kmedian_data::{DemandOptions, ItemKeys, read_demand};
use rand::rngs::ChaCha12Rng;
use rand::{RngExt, SeedableRng};

const RECORDS: usize = 5_000_000;
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    println!("| items | csv crate | with a hash map | ours | speed of splitting alone |");
    println!("|---|---|---|---|---|");
    let folder = tempfile::tempdir()?;
    for items in [100, 1_000, 10_000, 100_000] {
        let path = folder.path().join("demand.csv");
        let ids: Vec<String> = (0..items).map(|item| format!("stop-{item}")).collect();
        write(&path, &ids)?;
        let keys = ItemKeys::named(Path::new("items.csv"), &ids)?;
        let mut best = [Duration::MAX; 3];
        for _ in 0..ROUNDS {
            let ways: [&dyn Fn() -> Result<u64, Box<dyn Error>>; 3] =
                [&|| split(&path), &|| split_and_count(&path), &|| ours(&path, &keys)];
            for (best, way) in best.iter_mut().zip(ways) {
                let start = Instant::now();
                assert_eq!(black_box(way()?), RECORDS as u64);
                *best = start.elapsed().min(*best);
            }
        }
        let [split, counted, ours] = best.map(|time| time.as_secs_f64());
        println!("| {items} | {split:.2} | {counted:.2} | {ours:.2} | {:.2} |", split / ours);
    }
    Ok(())
}

/// Records of a stop, an owner and a time, the stops drawn alike.
fn write(path: &Path, ids: &[String]) -> Result<(), Box<dyn Error>> {
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "stop,owner,time")?;
    for record in 0..RECORDS {
        let stop = &ids[rng.random_range(0..ids.len())];
        writeln!(file, "{stop},{},{}", record % 977_777, 1_700_000_000 + record)?;
    }
    file.flush()?;
    Ok(())
}

fn split(path: &Path) -> Result<u64, Box<dyn Error>> {
    let mut reader = csv::Reader::from_path(path)?;
    let mut record = csv::ByteRecord::new();
    let mut records = 0;
    while reader.read_byte_record(&mut record)? {
        records += 1;
    }
    Ok(records)
}

fn split_and_count(path: &Path) -> Result<u64, Box<dyn Error>> {
    let mut reader = csv::Reader::from_path(path)?;
    let mut record = csv::ByteRecord::new();
    let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
    while reader.read_byte_record(&mut record)? {
        match counts.get_mut(&record[0]) {
            Some(count) => *count += 1,
            None => {
                counts.insert(record[0].to_vec(), 1);
            }
        }
    }
    Ok(counts.values().sum())
}

fn ours(path: &Path, keys: &ItemKeys<'_>) -> Result<u64, Box<dyn Error>> {
    let options = DemandOptions { key: Some("stop".into()), ..DemandOptions::default() };
    let mut rng = ChaCha12Rng::seed_from_u64(2);
    let demand = read_demand(path, keys, &options, &mut rng)?;
    Ok(demand.counts.iter().sum())
}
