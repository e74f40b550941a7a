//! The table of private records: its layout is checked before ε is spent, its records are read
//! after.

use std::fs;
use std::path::{Path, PathBuf};

use kmedian::privacy::Entropy;
use kmedian_data::{
    ColumnRef, DemandFormat, DemandLayout, DemandOptions, ErrorKind, ItemKeys, PrivateDemand,
    UnitBound, check_demand, demand_files, read_demand_files,
};
use rand::rngs::ChaCha20Rng;
use rand::{Rng, SeedableRng};

use crate::advice::about_data;
use crate::args::PrivateArgs;
use crate::console::warn;
use crate::failure::Failure;
use crate::snap::Snapping;
use crate::universe::Universe;

/// A private table whose records can be counted, judging by its layout.
pub(super) struct DemandFile<'a> {
    /// What was asked for: a file, a folder or a pattern.
    path: &'a Path,
    files: Vec<PathBuf>,
    keys: Items<'a>,
    options: DemandOptions,
    /// The layout of the table; `None` for a pipe, which is not opened before ε is spent.
    pub(super) layout: Option<DemandLayout>,
    diagnostics: bool,
}

impl<'a> DemandFile<'a> {
    /// Finds the file and its columns, which are public. No record is counted here, so a mistyped
    /// option costs no ε. A pipe can be opened only once, so it is not looked at.
    pub(super) fn find(args: &'a PrivateArgs, universe: &'a Universe) -> Result<Self, Failure> {
        let keys = match Snapping::of(&args.snap, universe)? {
            Some(snapping) => Items::Snapped(Box::new(snapping)),
            None => Items::Named(universe.keys(&args.universe.universe)?),
        };
        let (path, diagnostics) = (args.demand.as_path(), args.nonprivate_diagnostics);
        let mut candidates = key_columns(args).into_iter();
        let mut options = options(args, candidates.next().flatten());
        options.places = keys.columns();
        let is_pipe = |data: fs::Metadata| !data.is_file() && !data.is_dir();
        if path.as_os_str() == "-" || fs::metadata(path).is_ok_and(is_pipe) {
            check_pipe(args)?;
            let files = vec![path.to_path_buf()];
            return Ok(Self { path, files, keys, options, layout: None, diagnostics });
        }
        let files = demand_files(path)?;
        loop {
            match (check_all(path, &files, &options, &keys), candidates.next()) {
                (Ok(layout), _) => {
                    let layout = Some(layout);
                    return Ok(Self { path, files, keys, options, layout, diagnostics });
                }
                (Err(Unfit::Data(error)), Some(key)) if error.kind() == ErrorKind::Column => {
                    options.key = key;
                }
                (Err(Unfit::Data(error)), _) => return Err(error.into()),
                (Err(Unfit::Other(failure)), _) => return Err(failure),
            }
        }
    }

    /// Whether records have coordinates, not keys.
    pub(super) fn is_snapped(&self) -> bool {
        matches!(self.keys, Items::Snapped(_))
    }

    /// Counts the records, after ε was spent. Every failure has the same message, because what
    /// exactly is wrong could depend on a record.
    pub(super) fn read(&self, entropy: &mut Entropy) -> Result<PrivateDemand, Failure> {
        let mut sampler = entropy.sampler()?;
        self.keys.count(&self.files, &self.options, &mut sampler).map_err(|error| {
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
        Ok(self.keys.count(&self.files, &self.options, &mut sampler)?)
    }
}

/// How records say which item they are of.
enum Items<'a> {
    Named(ItemKeys<'a>),
    Snapped(Box<Snapping>),
}

impl Items<'_> {
    /// Counts the records of all files.
    fn count(
        &self,
        files: &[PathBuf],
        options: &DemandOptions,
        sampler: &mut dyn Rng,
    ) -> Result<PrivateDemand, kmedian_data::Error> {
        match self {
            Self::Named(keys) => read_demand_files(files, keys, options, sampler),
            Self::Snapped(snapping) => {
                let keys = ItemKeys::snapped(snapping.items(), &**snapping);
                read_demand_files(files, &keys, options, sampler)
            }
        }
    }

    /// Refuses coordinates in the wrong order, as far as the names of their columns tell, which
    /// are those of the header or the schema.
    fn check_names(&self, file: &Path, names: &[String]) -> Result<(), Failure> {
        match self {
            Self::Named(_) => Ok(()),
            Self::Snapped(snapping) => snapping.check_order(file, names),
        }
    }

    /// The columns of coordinates; none if records have keys.
    fn columns(&self) -> Vec<ColumnRef> {
        match self {
            Self::Named(_) => Vec::new(),
            Self::Snapped(snapping) => snapping.columns().to_vec(),
        }
    }
}

/// Checks the layout of every file of a table, and returns that of the first. All must be of one
/// format.
fn check_all(
    path: &Path,
    files: &[PathBuf],
    options: &DemandOptions,
    keys: &Items<'_>,
) -> Result<DemandLayout, Unfit> {
    let mut first: Option<(&PathBuf, DemandLayout)> = None;
    for file in files {
        let layout = check_demand(file, options)?;
        keys.check_names(file, &layout.item_names).map_err(Unfit::Other)?;
        match &first {
            None => first = Some((file, layout)),
            Some((other, known)) if known.format != layout.format => {
                return Err(Unfit::Other(Failure::new(format!(
                    "{}: is of the format {}, but {} is of {}; the files of one table have one format",
                    file.display(),
                    layout.format,
                    other.display(),
                    known.format
                ))));
            }
            Some(_) => {}
        }
    }
    let none = || Unfit::Other(Failure::new(format!("{}: has no files", path.display())));
    first.map(|(_, layout)| layout).ok_or_else(none)
}

/// Why the records of files cannot be counted.
enum Unfit {
    Data(kmedian_data::Error),
    Other(Failure),
}

impl From<kmedian_data::Error> for Unfit {
    fn from(error: kmedian_data::Error) -> Self {
        Self::Data(error)
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
    if args.key.is_none() && args.snap.snap.is_none() {
        let what = "is a pipe, whose columns cannot be seen beforehand; name the key's with --key, or coordinates with --snap";
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
        (None, Some(id)) if id.name().is_some() => vec![Some(id.clone()), None],
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
        ..DemandOptions::default()
    }
}
