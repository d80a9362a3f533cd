//! Writing one Parquet file.

use super::{BUCKET_COLUMNS, Content, DESCRIPTION, Description, TIME_COLUMNS};
use crate::files::Output;
use pagetide_core::Unit;
use parquet::basic::{Compression, ConvertedType, Encoding, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};
use std::io::{self, Write};
use std::sync::Arc;

/// Rows of a data page, at most. Large pages cost nothing, while each small one adds a header.
const PAGE_ROWS: usize = 1 << 20;

/// From this level on zstd compares several matches, and finds rows that repeat those of another entity or time. Higher levels take twice
/// the time and save 1 % more.
const ZSTD_LEVEL: i32 = 6;

/// The level for buckets, which are a tenth of the data.
const BUCKET_ZSTD_LEVEL: i32 = 12;

/// Writes one sealed file, a row group at a time.
pub(crate) struct FileWriter {
    parquet: SerializedFileWriter<Summed>,
}

/// One row group, a column at a time, in the order of the columns.
pub(crate) struct RowGroup<'a> {
    parquet: SerializedRowGroupWriter<'a, Summed>,
}

impl FileWriter {
    /// Starts a file with columns of required integers, required strings and metrics, in this order. `moving` says of each metric whether most
    /// values of an entity differ from the one before.
    pub(crate) fn new(
        output: Box<dyn Output>,
        numbers: &[&str],
        strings: &[&str],
        (metrics, moving): (&[String], &[bool]),
        description: &Description,
    ) -> io::Result<Self> {
        let number = |name: &str, repetition| {
            Type::primitive_type_builder(name, Physical::INT64).with_repetition(repetition).build().map(Arc::new)
        };
        let string = |name: &str| {
            let string = Type::primitive_type_builder(name, Physical::BYTE_ARRAY);
            string.with_repetition(Repetition::REQUIRED).with_converted_type(ConvertedType::UTF8).build().map(Arc::new)
        };
        let required = numbers.iter().map(|name| number(name, Repetition::REQUIRED));
        let named = strings.iter().map(|name| string(name));
        let measured = metrics.iter().map(|name| number(name, Repetition::OPTIONAL));
        let fields: Result<Vec<_>, _> = required.chain(named).chain(measured).collect();
        let schema = Type::group_type_builder("pagetide").with_fields(fields.map_err(failed)?).build();
        let text = serde_json::to_string(description)?;
        // The values of a single entity differ little from sample to sample. Of many entities most did nothing, and all have the same times: those
        // bytes repeat, and bit-packed differences would hide it from zstd.
        let encoding = if strings.is_empty() { Encoding::DELTA_BINARY_PACKED } else { Encoding::PLAIN };
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("pagetide ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL).map_err(failed)?))
            .set_dictionary_enabled(false)
            .set_encoding(encoding)
            .set_column_encoding(ColumnPath::from(TIME_COLUMNS[0]), Encoding::DELTA_BINARY_PACKED)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true)
            .set_data_page_row_count_limit(PAGE_ROWS)
            .set_key_value_metadata(Some(vec![KeyValue::new(DESCRIPTION.to_owned(), text)]));
        for name in numbers {
            // The smallest and the largest time let a reader skip a segment.
            properties = properties.set_column_statistics_enabled(ColumnPath::from(*name), EnabledStatistics::Chunk);
        }
        for (name, _) in metrics.iter().zip(moving).filter(|(_, moving)| **moving) {
            // Where nearly nothing repeats, zstd would take the bytes apart number by number.
            let column = ColumnPath::from(name.as_str());
            properties = properties.set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
        }
        for (name, _) in metrics.iter().zip(&description.metrics).filter(|(_, metric)| metric.unit == Unit::Bytes) {
            // Amounts of memory are whole pages: their low bytes are always zero.
            properties = properties.set_column_encoding(ColumnPath::from(name.as_str()), Encoding::PLAIN);
        }
        for name in strings {
            let column = ColumnPath::from(*name);
            properties = properties
                .set_column_encoding(column.clone(), Encoding::PLAIN)
                .set_column_dictionary_enabled(column, true);
        }
        let sink = Summed { output, offset: 0, checksum: crc32fast::Hasher::new() };
        let schema = Arc::new(schema.map_err(failed)?);
        let parquet = SerializedFileWriter::new(sink, schema, Arc::new(properties.build())).map_err(failed)?;
        Ok(Self { parquet })
    }

    /// Starts a file of buckets.
    pub(crate) fn of_buckets(output: Box<dyn Output>, description: &Description) -> io::Result<Self> {
        let (number, strings, floats) = BUCKET_COLUMNS;
        let field = |name: &str, physical, repetition, converted| {
            let field = Type::primitive_type_builder(name, physical).with_repetition(repetition);
            field.with_converted_type(converted).build().map(Arc::new)
        };
        let ends = field(number, Physical::INT64, Repetition::REQUIRED, ConvertedType::NONE);
        let named = strings.map(|name| field(name, Physical::BYTE_ARRAY, Repetition::REQUIRED, ConvertedType::UTF8));
        let values = floats.map(|name| field(name, Physical::FLOAT, Repetition::OPTIONAL, ConvertedType::NONE));
        let fields: Result<Vec<_>, _> = std::iter::once(ends).chain(named).chain(values).collect();
        let schema = Type::group_type_builder("pagetide").with_fields(fields.map_err(failed)?).build();
        let text = serde_json::to_string(description)?;
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("pagetide ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(BUCKET_ZSTD_LEVEL).map_err(failed)?))
            .set_dictionary_enabled(false)
            // All metrics have the same times: long runs of bytes repeat.
            .set_encoding(Encoding::PLAIN)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true)
            .set_data_page_row_count_limit(PAGE_ROWS)
            .set_key_value_metadata(Some(vec![KeyValue::new(DESCRIPTION.to_owned(), text)]));
        for name in strings {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(name), true);
        }
        for name in floats {
            // Amounts and weights repeat as whole numbers. Of the others only the high bytes are alike.
            if !["amount", "weight"].contains(&name) {
                properties = properties.set_column_encoding(ColumnPath::from(name), Encoding::BYTE_STREAM_SPLIT);
            }
        }
        let sink = Summed { output, offset: 0, checksum: crc32fast::Hasher::new() };
        let schema = Arc::new(schema.map_err(failed)?);
        let parquet = SerializedFileWriter::new(sink, schema, Arc::new(properties.build())).map_err(failed)?;
        Ok(Self { parquet })
    }

    /// Starts a row group.
    pub(crate) fn row_group(&mut self) -> io::Result<RowGroup<'_>> {
        Ok(RowGroup { parquet: self.parquet.next_row_group().map_err(failed)? })
    }

    /// Ends the file, waits until it is on the device, and returns its size and checksum.
    pub(crate) fn finish(self) -> io::Result<Content> {
        let mut sink = self.parquet.into_inner().map_err(failed)?;
        sink.output.sync()?;
        Ok(Content { size: sink.offset, crc32: sink.checksum.finalize() })
    }
}

impl RowGroup<'_> {
    /// Writes a column of integers that are always there.
    pub(crate) fn numbers(&mut self, values: &[i64]) -> io::Result<()> {
        let mut column = self.parquet.next_column().map_err(failed)?.ok_or_else(too_many)?;
        column.typed::<Int64Type>().write_batch(values, None, None).map_err(failed)?;
        column.close().map_err(failed)
    }

    /// Writes a column of strings.
    pub(crate) fn strings(&mut self, values: &[ByteArray]) -> io::Result<()> {
        let mut column = self.parquet.next_column().map_err(failed)?.ok_or_else(too_many)?;
        column.typed::<ByteArrayType>().write_batch(values, None, None).map_err(failed)?;
        column.close().map_err(failed)
    }

    /// Writes a column of numbers that may be absent.
    pub(crate) fn floats(&mut self, values: impl Iterator<Item = Option<f32>>) -> io::Result<()> {
        let (mut present, mut known) = (Vec::new(), Vec::new());
        for value in values {
            present.push(i16::from(value.is_some()));
            known.extend(value);
        }
        let mut column = self.parquet.next_column().map_err(failed)?.ok_or_else(too_many)?;
        column.typed::<FloatType>().write_batch(&known, Some(&present), None).map_err(failed)?;
        column.close().map_err(failed)
    }

    /// Writes a metric: the present values, and for each row 1 or 0 for whether it has one.
    pub(crate) fn metric(&mut self, values: &[i64], present: &[i16]) -> io::Result<()> {
        let mut column = self.parquet.next_column().map_err(failed)?.ok_or_else(too_many)?;
        column.typed::<Int64Type>().write_batch(values, Some(present), None).map_err(failed)?;
        column.close().map_err(failed)
    }

    /// Ends the row group.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.parquet.close().map(|_| ()).map_err(failed)
    }
}

fn too_many() -> io::Error {
    io::Error::other("more columns than the schema has")
}

/// The IO error inside, if there is one, so that its kind (a full disk) is kept.
fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        other => io::Error::other(other),
    }
}

/// A file that is written front to back, and the checksum of its bytes.
struct Summed {
    output: Box<dyn Output>,
    offset: u64,
    checksum: crc32fast::Hasher,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write_at(bytes, self.offset)?;
        self.offset += bytes.len() as u64;
        self.checksum.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Files, System};
    use crate::sealed::ENTITY_COLUMNS;
    use pagetide_core::{Column, Kind};
    use pagetide_dir::Dir;
    use parquet::file::reader::FileReader;
    use parquet::file::serialized_reader::SerializedFileReader;
    use std::fs::File;

    #[test]
    fn moving_counts_are_stored_as_differences_and_neither_calm_ones_nor_amounts_of_memory() {
        let home = tempfile::tempdir().unwrap();
        let output = System.create(&Dir::own(home.path(), None).unwrap(), "one.parquet".as_ref()).unwrap();
        let metric = |name: &str, unit| Column { name: name.into(), kind: Kind::Counter, unit };
        let metrics =
            vec![metric("reads", Unit::Count), metric("errors", Unit::Count), metric("read_bytes", Unit::Bytes)];
        let names: Vec<String> = metrics.iter().map(|metric| metric.name.clone()).collect();
        let description = Description { metrics, ..Description::default() };
        let moving = [true, false, true];
        let mut writer = FileWriter::new(output, &[], &ENTITY_COLUMNS, (&names, &moving), &description).unwrap();
        let mut group = writer.row_group().unwrap();
        ENTITY_COLUMNS.iter().for_each(|_| group.strings(&["a".into(), "a".into()]).unwrap());
        names.iter().for_each(|_| group.metric(&[1, 4096], &[1, 1]).unwrap());
        group.finish().unwrap();
        writer.finish().unwrap();
        let file = SerializedFileReader::new(File::open(home.path().join("one.parquet")).unwrap()).unwrap();
        let group = file.metadata().row_group(0);
        let differences =
            [2, 3, 4].map(|column| group.column(column).encodings().any(|one| one == Encoding::DELTA_BINARY_PACKED));
        assert_eq!(differences, [true, false, false]);
    }
}
