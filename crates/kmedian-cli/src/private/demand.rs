//! The table of private records: found before ε is spent, read after.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use kmedian::privacy::Entropy;
use kmedian_data::{
    ColumnRef, DemandOptions, ErrorKind, ItemKeys, PrivateDemand, TableFormat, UnitBound,
    check_demand, read_demand,
};
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

use crate::args::PrivateArgs;
use crate::failure::Failure;
use crate::universe::Universe;

/// A table that could be counted, by its layout.
pub(super) struct DemandFile<'a> {
    path: &'a Path,
    keys: ItemKeys<'a>,
    options: DemandOptions,
}

impl<'a> DemandFile<'a> {
    /// Finds the file and its columns. They are public, the records are not: none is counted here, and a
    /// slip of the finger costs no ε. A pipe can be opened only once, and is not looked at.
    pub(super) fn find(args: &'a PrivateArgs, universe: &'a Universe) -> Result<Self, Failure> {
        let keys = universe.keys(&args.universe.universe)?;
        let path = args.demand.as_path();
        let mut candidates = key_columns(args).into_iter();
        let mut options = options(args, candidates.next().flatten());
        if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            check_pipe(args)?;
            return Ok(Self { path, keys, options });
        }
        while let Err(error) = check_demand(path, &options) {
            match candidates.next() {
                Some(key) if error.kind() == ErrorKind::Column => options.key = key,
                _ => return Err(error.into()),
            }
        }
        Ok(Self { path, keys, options })
    }

    /// Counts the records.
    pub(super) fn read(&self, entropy: &mut Entropy) -> Result<PrivateDemand, Failure> {
        Ok(read_demand(self.path, &self.keys, &self.options, &mut sampler(entropy)?)?)
    }
}

/// A pipe cannot be looked at before ε is spent, so all that would be found then has to be said.
fn check_pipe(args: &PrivateArgs) -> Result<(), Failure> {
    let path = args.demand.display();
    let text = [TableFormat::Csv, TableFormat::Tsv, TableFormat::Text];
    let extension = args.demand.extension().and_then(OsStr::to_str).unwrap_or_default();
    let format = args.demand_format.or_else(|| extension.parse().ok());
    if !format.is_some_and(|format| text.contains(&format)) {
        return Err(Failure::new(format!(
            "{path}: is a pipe, whose format cannot be seen beforehand; say --demand-format csv, tsv or text, or \
             write it to a file first"
        )));
    }
    if args.key.is_none() {
        let what = "is a pipe, whose columns cannot be seen beforehand; name the key's with --key";
        return Err(Failure::new(format!("{path}: {what}")));
    }
    Ok(())
}

/// Columns that may name the item, the best first: none stands for the only column that is left.
fn key_columns(args: &PrivateArgs) -> Vec<Option<ColumnRef>> {
    match (&args.key, &args.universe.space.id) {
        (Some(key), _) => vec![Some(key.clone())],
        // A position in one table says nothing about the other.
        (None, Some(ColumnRef::Name(name))) if name.parse::<usize>().is_err() => {
            vec![Some(ColumnRef::Name(name.clone())), None]
        }
        _ => vec![None],
    }
}

fn options(args: &PrivateArgs, key: Option<ColumnRef>) -> DemandOptions {
    let bound = args.unit.clone().zip(args.max_per_unit);
    DemandOptions {
        key,
        unit: bound.map(|(column, most)| UnitBound { column, most }),
        header: args.demand_header,
        format: args.demand_format,
    }
}

/// The generator that chooses which records of a unit are kept, from the same source as the noise.
fn sampler(entropy: &mut Entropy) -> Result<ChaCha20Rng, Failure> {
    let mut seed = [0; 32];
    for bytes in seed.as_chunks_mut::<8>().0 {
        *bytes = entropy.bits(u64::BITS)?.to_le_bytes();
    }
    Ok(ChaCha20Rng::from_seed(seed))
}
