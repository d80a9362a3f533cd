//! Rows as CSV and as Parquet, for other tools.

use crate::row::{COLUMNS, ColumnType, Row, Value};
use parquet::basic::{Compression, ConvertedType, Encoding, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

/// Rows of a row group: bounds what is held beside the rows.
const GROUP: usize = 1 << 16;
const ZSTD_LEVEL: i32 = 3;

/// Writes rows as CSV with a head line; what is absent is empty.
///
/// # Errors
///
/// Those of the writer.
pub fn csv(rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS.iter().map(|column| column.name))?;
    for row in rows {
        writer.write_record(row.values().map(|value| match value {
            Value::Text(value) => value.map_or_else(String::new, |text| text.to_string()),
            Value::Integer(value) => value.map_or_else(String::new, |number| number.to_string()),
            Value::Real(value) => value.map_or_else(String::new, |number| number.to_string()),
        }))?;
    }
    writer.flush()
}

/// Writes rows as one Parquet file.
///
/// # Errors
///
/// Those of the writer.
pub fn parquet(rows: &[Row], out: impl Write + Send) -> io::Result<()> {
    write_parquet(rows, out).map_err(io::Error::other)
}

fn write_parquet(rows: &[Row], out: impl Write + Send) -> Result<(), ParquetError> {
    let field = |column: &crate::row::ColumnDoc| {
        let (physical, converted) = match column.kind {
            ColumnType::Text => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
            ColumnType::Integer => (Physical::INT64, ConvertedType::NONE),
            ColumnType::Real => (Physical::DOUBLE, ConvertedType::NONE),
        };
        let field = Type::primitive_type_builder(column.name, physical).with_converted_type(converted);
        field.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
    };
    let fields: Vec<Arc<Type>> = COLUMNS.iter().map(field).collect::<Result<_, _>>()?;
    let schema = Arc::new(Type::group_type_builder("fleet").with_fields(fields).build()?);
    let properties = WriterProperties::builder()
        .set_created_by(concat!("pagetide ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_encoding(Encoding::PLAIN)
        .build();
    let mut file = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
    for rows in rows.chunks(GROUP) {
        let mut columns: Vec<Vec<Value>> = vec![Vec::with_capacity(rows.len()); COLUMNS.len()];
        for row in rows {
            columns.iter_mut().zip(row.values()).for_each(|(column, value)| column.push(value));
        }
        let mut group = file.next_row_group()?;
        for values in columns {
            let Some(mut column) = group.next_column()? else { break };
            let present: Vec<i16> = values.iter().map(|value| i16::from(is_present(value))).collect();
            match values.first() {
                Some(Value::Text(_)) => {
                    let bytes = values.iter().filter_map(|value| match value {
                        Value::Text(Some(text)) => Some(ByteArray::from(text.as_bytes().to_vec())),
                        _ => None,
                    });
                    column.typed::<ByteArrayType>().write_batch(&bytes.collect::<Vec<_>>(), Some(&present), None)?;
                }
                Some(Value::Real(_)) => {
                    let numbers =
                        values.iter().filter_map(|value| if let Value::Real(number) = value { *number } else { None });
                    column.typed::<DoubleType>().write_batch(&numbers.collect::<Vec<_>>(), Some(&present), None)?;
                }
                _ => {
                    let numbers = values
                        .iter()
                        .filter_map(|value| if let Value::Integer(number) = value { *number } else { None });
                    column.typed::<Int64Type>().write_batch(&numbers.collect::<Vec<_>>(), Some(&present), None)?;
                }
            }
            column.close()?;
        }
        group.close()?;
    }
    file.close()?;
    Ok(())
}

const fn is_present(value: &Value) -> bool {
    !matches!(value, Value::Text(None) | Value::Integer(None) | Value::Real(None))
}
