//! The table of private records: its layout is checked before ε is spent, its records are read
//! after.

use std::fs;
use std::path::Path;

use kmedian::privacy::Entropy;
use kmedian_data::{
    ColumnRef, DemandFormat, DemandLayout, DemandOptions, ErrorKind, ItemKeys, PrivateDemand,
    UnitBound, check_demand, read_demand,
};
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

use crate::advice::about_data;
use crate::args::PrivateArgs;
use crate::console::warn;
use crate::failure::Failure;
use crate::universe::Universe;

/// A private table whose records can be counted, judging by its layout.
pub(super) struct DemandFile<'a> {
    path: &'a Path,
    keys: ItemKeys<'a>,
    options: DemandOptions,
    /// The layout of the table; `None` for a pipe, which is not opened before ε is spent.
    pub(super) layout: Option<DemandLayout>,
    diagnostics: bool,
}

impl<'a> DemandFile<'a> {
    /// Finds the file and its columns, which are public. No record is counted here, so a mistyped
    /// option costs no ε. A pipe can be opened only once, so it is not looked at.
    pub(super) fn find(args: &'a PrivateArgs, universe: &'a Universe) -> Result<Self, Failure> {
        let keys = universe.keys(&args.universe.universe)?;
        let (path, diagnostics) = (args.demand.as_path(), args.nonprivate_diagnostics);
        let mut candidates = key_columns(args).into_iter();
        let mut options = options(args, candidates.next().flatten());
        if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            check_pipe(args)?;
            return Ok(Self { path, keys, options, layout: None, diagnostics });
        }
        loop {
            match (check_demand(path, &options), candidates.next()) {
                (Ok(layout), _) => {
                    return Ok(Self { path, keys, options, layout: Some(layout), diagnostics });
                }
                (Err(error), Some(key)) if error.kind() == ErrorKind::Column => options.key = key,
                (Err(error), _) => return Err(error.into()),
            }
        }
    }

    /// Counts the records, after ε was spent. Every failure has the same message, because what
    /// exactly is wrong could depend on a record.
    pub(super) fn read(&self, entropy: &mut Entropy) -> Result<PrivateDemand, Failure> {
        let mut sampler = entropy.sampler()?;
        read_demand(self.path, &self.keys, &self.options, &mut sampler).map_err(|error| {
            if self.diagnostics {
                let error = error.worded(about_data);
                warn(&format!("NOT PRIVATE, for the operator alone: {error}"));
            }
            let path = self.path.display();
            Failure::new(format!(
                "{path}: the demand could not be read to its end, so nothing is released; --dry-run says why, for \
                 the operator's eyes alone"
            ))
        })
    }

    /// Counts the records for the operator alone, and says what is wrong if they cannot be read.
    /// Nothing that is released may depend on the result.
    pub(super) fn try_out(&self) -> Result<PrivateDemand, Failure> {
        // The seed does not matter: it changes which records of a unit are drawn, not how many.
        let mut sampler = ChaCha20Rng::from_seed([0; 32]);
        Ok(read_demand(self.path, &self.keys, &self.options, &mut sampler)?)
    }
}

/// Checks the options for a pipe. It cannot be looked at before ε is spent, so its format and the
/// column of keys must be given.
fn check_pipe(args: &PrivateArgs) -> Result<(), Failure> {
    let path = args.demand.display();
    let format = args.demand_format.or_else(|| DemandFormat::of_name(&args.demand));
    if !format.is_some_and(DemandFormat::is_text) {
        return Err(Failure::new(format!(
            "{path}: is a pipe, through which text alone can be read; say --demand-format csv, tsv or text if it is \
             that, or write it to a file first"
        )));
    }
    if args.key.is_none() {
        let what = "is a pipe, whose columns cannot be seen beforehand; name the key's with --key";
        return Err(Failure::new(format!("{path}: {what}")));
    }
    Ok(())
}

/// The columns that may name the items, the best first. `None` stands for the only column that is
/// left.
fn key_columns(args: &PrivateArgs) -> Vec<Option<ColumnRef>> {
    match (&args.key, &args.universe.space.id) {
        (Some(key), _) => vec![Some(key.clone())],
        // A position in the table of items says nothing about the table of records.
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
        separator: args.demand_separator,
    }
}
