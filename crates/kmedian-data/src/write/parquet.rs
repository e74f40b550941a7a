//! Writes Apache Parquet, with Snappy, the compression that every reader knows.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::{Column, Values};

/// The rows of a row group, which a writer keeps in memory: as many as Parquet has by default.
const ROWS_OF_GROUP: usize = 1 << 20;

/// A Parquet file that is being written, of columns none of which is nullable.
pub(crate) struct Writer<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: SchemaRef,
}

impl<W: Write + Send> Writer<W> {
    /// Begins a file with columns of these names and types.
    pub(crate) fn new(out: W, columns: &[Column]) -> Result<Self, ParquetError> {
        let fields =
            columns.iter().map(|column| Field::new(&column.name, data_type(&column.values), false));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<Field>>()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(ROWS_OF_GROUP))
            .build();
        let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties))?;
        Ok(Self { writer, schema })
    }

    /// Writes further rows.
    pub(crate) fn write(&mut self, columns: &[Column]) -> Result<(), ParquetError> {
        let arrays: Vec<ArrayRef> = columns.iter().map(|column| array(&column.values)).collect();
        self.writer.write(&RecordBatch::try_new(self.schema.clone(), arrays)?)
    }

    /// Writes what comes after the last row.
    pub(crate) fn finish(self) -> Result<(), ParquetError> {
        self.writer.close().map(|_| ())
    }
}

fn array(values: &Values) -> ArrayRef {
    match values {
        Values::Integers(values) => Arc::new(Int64Array::from(values.clone())),
        Values::Numbers(values) => Arc::new(Float64Array::from(values.clone())),
        Values::Text(values) => Arc::new(StringArray::from_iter_values(values)),
    }
}

fn data_type(values: &Values) -> DataType {
    match values {
        Values::Integers(_) => DataType::Int64,
        Values::Numbers(_) => DataType::Float64,
        Values::Text(_) => DataType::Utf8,
    }
}
