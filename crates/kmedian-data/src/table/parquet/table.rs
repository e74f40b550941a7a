//! An opened Parquet file, and its columns some rows at a time.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Type as Physical;
use parquet::errors::ParquetError;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::column::is_text;
use super::footer;
use super::pages;
use crate::error::{Error, ErrorKind, one_line};
use crate::input::{ABSURD_BYTES, ABSURD_RATIO};

/// The most rows of a batch: 32,768, a quarter of a megabyte for each column.
const BATCH: usize = 1 << 15;

/// About how many values a batch has at most, over all columns. With very many columns, a batch has
/// few rows.
const BATCH_VALUES: usize = 1 << 22;

/// About how many bytes of text a batch has at most, if its values are of any length: 16 MiB. Where
/// values are very long, a batch has few rows.
const BATCH_BYTES: u64 = 16 << 20;

/// The bytes of memory that the pages of any public table may need at once: 64 MiB. Eight bytes are
/// added for each byte of the file.
const PAGE_BYTES: u64 = 64 << 20;

/// Which columns are read, and how.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a> {
    /// The columns, ascending.
    pub(super) columns: &'a [usize],
    /// The columns whose text, if they hold text, is read as bytes.
    pub(super) texts: &'a [usize],
    /// Whether the table may be refused because of its values. A private one may not, because one
    /// record would then decide how a run ends.
    pub(super) public: bool,
}

/// An opened file of which the index has been read and checked.
pub(super) struct Table<'a> {
    path: &'a Path,
    file: File,
    length: u64,
    index: ArrowReaderMetadata,
}

impl<'a> Table<'a> {
    pub(super) fn open(path: &'a Path) -> Result<Self, Error> {
        let (file, length) = footer::open(path)?;
        let index = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
            .map_err(|error| refused(path, &error))?;
        footer::check_ranges(path, index.metadata(), length)?;
        Ok(Self { path, file, length, index })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        self.index.schema()
    }

    /// The number of rows, as the file claims it.
    pub(super) fn rows(&self) -> u64 {
        let groups = self.index.metadata().row_groups().iter();
        groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).sum()
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The columns of the plan in batches of rows, and the length of the file in bytes. All pages
    /// are checked before the first row is read.
    pub(super) fn batches(
        self,
        plan: Plan<'_>,
    ) -> Result<(impl Iterator<Item = Result<RecordBatch, Error>> + 'a, u64), Error> {
        let path = self.path;
        let refused = |error: ParquetError| refused(path, &error);
        let mask = ProjectionMask::roots(self.index.parquet_schema(), plan.columns.iter().copied());
        let leaves: Vec<usize> = (0..self.index.parquet_schema().num_columns())
            .filter(|&leaf| mask.leaf_included(leaf))
            .collect();
        let needs = pages::check(path, &self.file, self.length, self.index.metadata(), &leaves)?;
        if plan.public {
            self.check_needs(needs.values, needs.page_bytes)?;
        }
        let lengths = needs.check_lengths(path, &self.file)?;
        if plan.public {
            self.check_needs(lengths.all / size_of::<f32>() as u64, 0)?;
        }
        let index = match self.read_plainly(plan) {
            // The schema of some nested columns cannot be rebuilt. Public text may be read as text.
            Err(_) if plan.public => self.index.clone(),
            index => index.map_err(refused)?,
        };
        // A row group without rows has nothing to read, and its position in the file may be wrong.
        let groups = self.index.metadata().row_groups().iter().enumerate();
        let filled: Vec<usize> =
            groups.filter(|(_, group)| group.num_rows() > 0).map(|(at, _)| at).collect();
        let batch = (BATCH_VALUES / leaves.len().max(1)).clamp(64, BATCH);
        let short_enough = (BATCH_BYTES / lengths.longest.max(1)).max(1);
        let batch = batch.min(usize::try_from(short_enough).unwrap_or(BATCH));
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(self.file, index)
            .with_projection(mask)
            .with_row_groups(filled)
            .with_batch_size(batch)
            .build()
            .map_err(refused)?;
        let batches = reader.map(move |batch| batch.map_err(|error| self::refused(path, &error)));
        Ok((batches, self.length))
    }

    /// Refuses a file that needs far more memory than its length justifies: for so many values, and
    /// for so many bytes of pages at once.
    fn check_needs(&self, values: u64, page_bytes: u64) -> Result<(), Error> {
        let most = PAGE_BYTES.saturating_add(self.length.saturating_mul(8));
        let plain = values.saturating_mul(size_of::<f32>() as u64);
        let absurd = plain > ABSURD_BYTES && plain / ABSURD_RATIO > self.length;
        if page_bytes <= most && !absurd {
            return Ok(());
        }
        let what = format!(
            "holds {} bytes of values in a file of {} bytes, which is no table of measurements; \
             write it as CSV if it is meant",
            plain.max(page_bytes),
            self.length
        );
        Err(Error::new(ErrorKind::Format, self.path, what))
    }

    /// The index of this file, with some columns turned into others that are read one value at a
    /// time. The library refuses or cannot read a whole batch for one of its values, where
    ///
    /// - text is not UTF-8: it is read as bytes. These are not copied, so that a long value that
    ///   many rows share is in memory once;
    /// - a column of numbers was written as categories (a dictionary) whose codes are too few for
    ///   the numbers of a batch: it is read as numbers.
    fn read_plainly(&self, plan: Plan<'_>) -> Result<ArrowReaderMetadata, ParquetError> {
        let plain_type = |column: usize| match self.schema().field(column).data_type() {
            kind if plan.texts.contains(&column) && is_text(kind) => Some(DataType::BinaryView),
            DataType::Dictionary(_, value) if plan.columns.contains(&column) && !is_text(value) => {
                Some(value.as_ref().clone())
            }
            _ => None,
        };
        if !plan.columns.iter().chain(plan.texts).any(|&column| plain_type(column).is_some()) {
            return Ok(self.index.clone());
        }
        let root = self.index.parquet_schema().root_schema();
        let fields = root.get_fields().iter().enumerate();
        let plain: Vec<TypePtr> = fields
            .map(|(column, field)| match plain_type(column) {
                Some(DataType::BinaryView) => as_bytes(field),
                _ => Ok(field.clone()),
            })
            .collect::<Result<_, _>>()?;
        let root = Type::group_type_builder(root.name()).with_fields(plain).build()?;
        let fields = self.schema().fields().iter().enumerate();
        let plain: Vec<Field> = fields
            .map(|(column, field)| match plain_type(column) {
                Some(kind) => field.as_ref().clone().with_data_type(kind),
                None => field.as_ref().clone(),
            })
            .collect();
        let schema = Schema::new_with_metadata(plain, self.schema().metadata().clone());
        let options = ArrowReaderOptions::new()
            .with_parquet_schema(Arc::new(SchemaDescriptor::new(Arc::new(root))))
            .with_schema(Arc::new(schema));
        ArrowReaderMetadata::load(&self.file, options)
    }
}

/// The description of a column of text, changed to one of bytes.
fn as_bytes(field: &TypePtr) -> Result<TypePtr, ParquetError> {
    let info = field.get_basic_info();
    let id = info.has_id().then(|| info.id());
    let bytes = Type::primitive_type_builder(field.name(), Physical::BYTE_ARRAY)
        .with_repetition(info.repetition())
        .with_id(id)
        .build()?;
    Ok(Arc::new(bytes))
}

fn refused(path: &Path, error: &dyn std::fmt::Display) -> Error {
    footer::damaged(path, &one_line(&error.to_string(), 200))
}
