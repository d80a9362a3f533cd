//! The pages of a column of a row group.
//!
//! The parquet crate can read pages, too. But it allocates the decompressed size that a page's header states, up to 2 GiB, before it looks
//! at the number of values. And it allocates its buffers and its decompressor again for each column, of which a day has thousands.
//!
//! A header is a struct of Thrift's compact protocol (`PageHeader` in parquet.thrift).

use super::error::SealedError;
use crate::varint;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::ColumnChunkMetaData;
use std::fs::File;
use std::os::unix::fs::FileExt;
use zstd::bulk::Decompressor;

/// Nesting of structs in a header, at most.
const MAX_NESTING: usize = 8;

fn damaged(what: &str) -> SealedError {
    SealedError::Damaged(what.to_owned())
}

/// The length of the table of contents at the end of a file (the footer); 0 if there is none, an error that the parquet crate reports.
pub(super) fn footer_length(file: &File) -> Result<u64, SealedError> {
    let Some(at) = file.metadata()?.len().checked_sub(8) else { return Ok(0) };
    let mut length = [0; 4];
    file.read_exact_at(&mut length, at)?;
    Ok(u64::from(u32::from_le_bytes(length)))
}

/// The pages of a column of a row group, as they are in the file.
pub(super) struct Pages {
    bytes: Vec<u8>,
    compression: Compression,
    /// The header of each, and the end of its page in `bytes`.
    headers: Vec<(Header, usize)>,
}

impl Pages {
    /// Reads the pages from a file of some length. Before it allocates, it calls `charge` with their bytes, and with their bytes once decompressed: at most what the row
    /// group states.
    pub(super) fn read(
        (file, file_length): (&File, u64),
        chunk: &ColumnChunkMetaData,
        charge: impl Fn(u64) -> Result<(), SealedError>,
    ) -> Result<Self, SealedError> {
        let stated =
            u64::try_from(chunk.uncompressed_size()).map_err(|_| damaged("the size of a column is negative"))?;
        let start = u64::try_from(chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset()));
        let (Ok(start), Ok(length)) = (start, u64::try_from(chunk.compressed_size())) else {
            return Err(damaged("a column is outside of the file"));
        };
        if start.checked_add(length).is_none_or(|end| end > file_length) {
            return Err(damaged("a column is outside of the file"));
        }
        charge(length)?;
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| damaged("a column is outside of the file"))?];
        file.read_exact_at(&mut bytes, start)?;
        let (mut headers, mut sum) = (Vec::new(), 0u64);
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let header = Header::take(&mut rest).ok_or_else(|| damaged("cannot read the header of a page"))?;
            sum = sum.saturating_add(header.uncompressed as u64);
            if sum > stated {
                return Err(damaged("its pages are larger than their column"));
            }
            let end = bytes.len() - rest.len();
            take(&mut rest, header.compressed).ok_or_else(|| damaged("a page is outside of its column"))?;
            headers.push((header, end));
        }
        charge(sum)?;
        Ok(Self { bytes, compression: chunk.compression(), headers })
    }

    /// Decompresses them.
    pub(super) fn decompressed(&self, zstd: &mut Decompressor<'_>) -> Result<DecompressedPages, SealedError> {
        let page = |(header, start): &(Header, usize)| {
            header.page(&self.bytes[*start..start + header.compressed], self.compression, zstd)
        };
        Ok(DecompressedPages(self.headers.iter().map(page).collect::<Result<Vec<_>, _>>()?.into_iter()))
    }
}

/// Pages for the parquet crate to decode.
pub(super) struct DecompressedPages(std::vec::IntoIter<Page>);

impl Iterator for DecompressedPages {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(Ok)
    }
}

impl PageReader for DecompressedPages {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        Ok(self.0.next())
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        Ok(self.0.as_slice().first().map(|page| PageMetadata {
            num_rows: None,
            num_levels: Some(page.num_values() as usize),
            is_dict: matches!(page, Page::DictionaryPage { .. }),
        }))
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        self.0.next();
        Ok(())
    }
}

/// What the header of a page says.
#[derive(Debug, Default)]
struct Header {
    kind: i64,
    uncompressed: usize,
    compressed: usize,
    values: u32,
    nulls: u32,
    rows: u32,
    encoding: i64,
    /// Encodings of the levels; their lengths in data pages of version 2.
    levels: [i64; 2],
    /// Data pages of version 2: whether the values after the levels are uncompressed.
    plain: bool,
}

/// Kinds of pages.
const DATA: i64 = 0;
const DICTIONARY: i64 = 2;
const DATA_V2: i64 = 3;

impl Header {
    /// Reads a header from the front of `input`.
    fn take(input: &mut &[u8]) -> Option<Self> {
        let mut header = Self::default();
        let mut sizes = true;
        let size = |value: i64| usize::try_from(value).ok();
        let count = |value: i64| u32::try_from(value).unwrap_or(u32::MAX);
        fields(input, MAX_NESTING, 0, &mut |within, field, value| match (within, field) {
            (0, 1) => header.kind = value,
            (0, 2) => (header.uncompressed, sizes) = size(value).map_or((0, false), |size| (size, sizes)),
            (0, 3) => (header.compressed, sizes) = size(value).map_or((0, false), |size| (size, sizes)),
            (5 | 7 | 8, 1) => header.values = count(value),
            (5 | 7, 2) | (8, 4) => header.encoding = value,
            (5, 3) | (8, 5) => header.levels[0] = value,
            (5, 4) | (8, 6) => header.levels[1] = value,
            (8, 2) => header.nulls = count(value),
            (8, 3) => header.rows = count(value),
            (8, 7) => header.plain = value == 0,
            _ => {}
        })?;
        sizes.then_some(header)
    }

    /// The page with its bytes.
    fn page(&self, bytes: &[u8], compression: Compression, zstd: &mut Decompressor<'_>) -> Result<Page, SealedError> {
        let num_values = self.values;
        let mut decompress = |levels: usize, plain: bool| {
            let (before, content) =
                bytes.split_at_checked(levels).ok_or_else(|| damaged("the levels of a page are longer than it is"))?;
            let wanted = self.uncompressed.checked_sub(levels);
            let wanted = wanted.ok_or_else(|| damaged("the levels of a page are longer than it is"))?;
            let content = match compression {
                _ if plain || content.is_empty() => content.to_vec(),
                Compression::UNCOMPRESSED => content.to_vec(),
                Compression::ZSTD(_) => {
                    zstd.decompress(content, wanted).map_err(|error| damaged(&error.to_string()))?
                }
                other => return Err(SealedError::Damaged(format!("its pages are compressed by {other}"))),
            };
            if content.len() != wanted {
                return Err(damaged("a page has another length than it says"));
            }
            Ok(if before.is_empty() { content } else { [before, &content].concat() })
        };
        Ok(match self.kind {
            DATA => Page::DataPage {
                buf: decompress(0, false)?.into(),
                num_values,
                encoding: encoding(self.encoding)?,
                def_level_encoding: encoding(self.levels[0])?,
                rep_level_encoding: encoding(self.levels[1])?,
                statistics: None,
            },
            DICTIONARY => Page::DictionaryPage {
                buf: decompress(0, false)?.into(),
                num_values,
                encoding: encoding(self.encoding)?,
                is_sorted: false,
            },
            DATA_V2 => {
                let [def, rep] = self
                    .levels
                    .map(|length| u32::try_from(length).map_err(|_| damaged("the length of levels is negative")));
                let (def_levels_byte_len, rep_levels_byte_len) = (def?, rep?);
                let levels = def_levels_byte_len.saturating_add(rep_levels_byte_len) as usize;
                Page::DataPageV2 {
                    buf: decompress(levels, self.plain)?.into(),
                    num_values,
                    encoding: encoding(self.encoding)?,
                    num_nulls: self.nulls,
                    num_rows: self.rows,
                    def_levels_byte_len,
                    rep_levels_byte_len,
                    is_compressed: !self.plain,
                    statistics: None,
                }
            }
            _ => return Err(damaged("a page is of an unknown kind")),
        })
    }
}

/// An encoding by its number in parquet.thrift.
fn encoding(number: i64) -> Result<Encoding, SealedError> {
    Ok(match number {
        0 => Encoding::PLAIN,
        2 => Encoding::PLAIN_DICTIONARY,
        3 => Encoding::RLE,
        5 => Encoding::DELTA_BINARY_PACKED,
        6 => Encoding::DELTA_LENGTH_BYTE_ARRAY,
        7 => Encoding::DELTA_BYTE_ARRAY,
        8 => Encoding::RLE_DICTIONARY,
        9 => Encoding::BYTE_STREAM_SPLIT,
        _ => return Err(damaged("a page has an unknown encoding")),
    })
}

/// Walks the fields of a struct, which is field `within` of the header, and calls `whole` for integers and booleans.
fn fields(input: &mut &[u8], deeper: usize, within: i64, whole: &mut dyn FnMut(i64, i64, i64)) -> Option<()> {
    let mut field = 0i64;
    loop {
        let head = take(input, 1)?[0];
        if head == 0 {
            return Some(());
        }
        let step = i64::from(head >> 4);
        field = if step == 0 { varint::unzigzag(varint::take(input)?) } else { field.checked_add(step)? };
        match head & 0x0f {
            // A boolean's value is in its field header.
            boolean @ (1 | 2) => whole(within, field, i64::from(boolean == 1)),
            3 => drop(take(input, 1)?),
            4..=6 => whole(within, field, varint::unzigzag(varint::take(input)?)),
            7 => drop(take(input, 8)?),
            8 => {
                let length = varint::take_len(input)?;
                take(input, length)?;
            }
            // Deeper structs, the statistics of a page, are not needed.
            12 => fields(input, deeper.checked_sub(1)?, if within == 0 { field } else { -1 }, whole)?,
            // A header has no lists, sets and maps.
            _ => return None,
        }
    }
}

fn take<'a>(input: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = input.split_at_checked(count)?;
    *input = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::basic::{Repetition, Type as Physical, ZstdLevel};
    use parquet::column::reader::{ColumnReader, get_column_reader};
    use parquet::data_type::Int64Type;
    use parquet::file::properties::{WriterProperties, WriterVersion};
    use parquet::file::reader::FileReader;
    use parquet::file::serialized_reader::SerializedFileReader;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::types::Type;
    use proptest::prelude::*;
    use std::cell::Cell;
    use std::sync::Arc;

    /// A file with one column of numbers.
    fn written(values: &[Option<i64>], properties: WriterProperties) -> File {
        let file = tempfile::tempfile().unwrap();
        let column = Type::primitive_type_builder("x", Physical::INT64).with_repetition(Repetition::OPTIONAL);
        let fields = vec![Arc::new(column.build().unwrap())];
        let schema = Arc::new(Type::group_type_builder("test").with_fields(fields).build().unwrap());
        let output = file.try_clone().unwrap();
        let mut writer = SerializedFileWriter::new(output, schema, Arc::new(properties)).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
        let known: Vec<i64> = values.iter().flatten().copied().collect();
        column.typed::<Int64Type>().write_batch(&known, Some(&levels), None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
        file
    }

    fn decoded(reader: ColumnReader, rows: usize) -> (Vec<i64>, Vec<i16>) {
        let ColumnReader::Int64ColumnReader(mut reader) = reader else { panic!("another type") };
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        assert_eq!(reader.read_records(rows, Some(&mut levels), None, &mut values).unwrap().0, rows);
        (values, levels)
    }

    proptest! {
        /// Every way to write integers in Parquet: both versions of data pages, with and without dictionary and compression.
        #[test]
        fn a_column_is_what_the_parquet_crate_reads(
            values in proptest::collection::vec(proptest::option::weighted(0.8, -50..50_i64), 1..300),
            second in any::<bool>(),
            compressed in any::<bool>(),
            dictionary in any::<bool>(),
            page_rows in 1..100_usize,
        ) {
            let version = if second { WriterVersion::PARQUET_2_0 } else { WriterVersion::PARQUET_1_0 };
            let zstd = Compression::ZSTD(ZstdLevel::try_new(1).unwrap());
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_compression(if compressed { zstd } else { Compression::UNCOMPRESSED })
                .set_dictionary_enabled(dictionary)
                .set_write_batch_size(1)
                .set_data_page_row_count_limit(page_rows);
            let file = written(&values, properties.build());
            let parquet = SerializedFileReader::new(file.try_clone().unwrap()).unwrap();
            let chunk = parquet.metadata().row_group(0).column(0);
            let charged = Cell::new(0);
            let whole = (&file, file.metadata().unwrap().len());
            let pages = Pages::read(whole, chunk, |bytes| { charged.set(charged.get() + bytes); Ok(()) }).unwrap();
            let sizes: usize = pages.headers.iter().map(|(header, _)| header.uncompressed).sum();
            prop_assert_eq!(charged.get(), u64::try_from(chunk.compressed_size()).unwrap() + sizes as u64);
            let pages = pages.decompressed(&mut Decompressor::new().unwrap()).unwrap();
            let own = decoded(get_column_reader(chunk.column_descr_ptr(), Box::new(pages)), values.len());
            let theirs = parquet.get_row_group(0).unwrap().get_column_reader(0).unwrap();
            prop_assert_eq!(own, decoded(theirs, values.len()));
        }
    }
}
