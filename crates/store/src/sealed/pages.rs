//! What the pages of a column say that they take when they are decompressed, from their headers: the parquet crate believes a header, and
//! decompresses up to 2 GiB of it, before it sees how many values there are.
//!
//! A header is a struct of Thrift's compact protocol (`PageHeader` in parquet.thrift): its field 2 is the uncompressed size, 3 the compressed.

use super::error::SealedError;
use crate::varint;
use parquet::file::metadata::ColumnChunkMetaData;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// A header is no longer: it has the smallest and the largest value of its page, of which a writer keeps 64 bytes each.
const LONGEST_HEADER: u64 = 64 << 10;
/// One without them, as pagetide writes it, is shorter.
const SHORT_HEADER: u64 = 64;
/// Structs in structs in a header.
const MAX_NESTING: usize = 8;

fn damaged(what: &str) -> SealedError {
    SealedError::Damaged(what.to_owned())
}

/// The length of the table of contents at the end of a file; 0 where it has none, which the parquet crate says.
pub(super) fn footer_length(file: &File) -> Result<u64, SealedError> {
    let Some(at) = file.metadata()?.len().checked_sub(8) else { return Ok(0) };
    let mut length = [0; 4];
    file.read_exact_at(&mut length, at)?;
    Ok(u64::from(u32::from_le_bytes(length)))
}

/// Bytes of all pages of a column of a row group once they are decompressed; at most what the row group states.
pub(super) fn uncompressed(file: &File, chunk: &ColumnChunkMetaData) -> Result<u64, SealedError> {
    let stated = u64::try_from(chunk.uncompressed_size()).map_err(|_| damaged("the size of a column is negative"))?;
    let (Some(start), Ok(length)) = (chunk_start(chunk), u64::try_from(chunk.compressed_size())) else {
        return Err(damaged("a column is outside of the file"));
    };
    let (mut at, mut sum) = (0u64, 0u64);
    let mut bytes = Vec::new();
    while at < length {
        let (header, size) = [SHORT_HEADER, LONGEST_HEADER]
            .into_iter()
            .find_map(|longest| {
                bytes.resize(usize::try_from((length - at).min(longest)).unwrap_or(0), 0);
                let read = match file.read_at(&mut bytes, start.saturating_add(at)) {
                    Ok(read) => read,
                    Err(error) => return Some(Err(error)),
                };
                let mut rest = &bytes[..read];
                let header = header(&mut rest)?;
                Some(Ok((header, (read - rest.len()) as u64)))
            })
            .ok_or_else(|| damaged("cannot read the header of a page"))??;
        sum = sum.saturating_add(header.uncompressed);
        if sum > stated {
            return Err(damaged("its pages are larger than their column"));
        }
        at = at.saturating_add(size).saturating_add(header.compressed);
    }
    Ok(sum)
}

fn chunk_start(chunk: &ColumnChunkMetaData) -> Option<u64> {
    u64::try_from(chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset())).ok()
}

/// The sizes in a page's header.
#[derive(Debug, Default)]
struct Header {
    uncompressed: u64,
    compressed: u64,
}

/// Takes a header off the front of `input`.
fn header(input: &mut &[u8]) -> Option<Header> {
    let mut header = Header::default();
    fields(input, MAX_NESTING, &mut |field, value| match field {
        2 => header.uncompressed = u64::try_from(value).unwrap_or(u64::MAX),
        3 => header.compressed = u64::try_from(value).unwrap_or(u64::MAX),
        _ => {}
    })?;
    Some(header)
}

/// Passes over the fields of a struct and gives `whole` those that are whole numbers.
fn fields(input: &mut &[u8], deeper: usize, whole: &mut dyn FnMut(i64, i64)) -> Option<()> {
    let mut field = 0i64;
    loop {
        let head = take(input, 1)?[0];
        if head == 0 {
            return Some(());
        }
        let step = i64::from(head >> 4);
        field = if step == 0 { varint::unzigzag(varint::take(input)?) } else { field.checked_add(step)? };
        match head & 0x0f {
            // Booleans are in their head.
            1 | 2 => {}
            3 => drop(take(input, 1)?),
            4..=6 => whole(field, varint::unzigzag(varint::take(input)?)),
            7 => drop(take(input, 8)?),
            8 => {
                let length = varint::take_len(input)?;
                take(input, length)?;
            }
            12 => fields(input, deeper.checked_sub(1)?, &mut |_, _| {})?,
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
