//! Writes Apache Parquet, with Snappy, the compression that every reader knows.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::{Column, Values};

/// The bytes of a Parquet file with these columns, none of which is nullable.
pub(crate) fn encode(columns: &[Column]) -> Result<Vec<u8>, ParquetError> {
    let arrays: Vec<ArrayRef> = columns.iter().map(|column| array(&column.values)).collect();
    let fields: Vec<Field> = columns
        .iter()
        .map(|column| Field::new(&column.name, data_type(&column.values), false))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), arrays)?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties))?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(bytes)
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
