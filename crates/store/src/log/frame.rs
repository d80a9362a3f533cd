//! The bytes around a record: length, checksum, kind.

use crate::FORMAT_VERSION;
use std::io::{self, Read};

/// The first eight bytes of a log.
pub(super) const MAGIC: [u8; 8] = *b"pagetide";
/// Length of the header: magic, version, checksum.
pub(crate) const HEADER: usize = 16;
/// Length of what precedes a record's content: content length, checksum, kind.
const PREFIX: usize = 9;
/// Longest content of a record. A greater length is damage.
const MAX_RECORD_BYTES: usize = 64 << 20;

/// The header of a log of the current version.
pub(crate) fn header() -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    let checksum = crc32fast::hash(&header[..12]);
    header[12..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// The version in a header; absent when these are not the bytes of one.
pub(super) fn version(header: &[u8; HEADER]) -> Option<u32> {
    let (start, checksum) = header.split_at(12);
    let valid = start[..8] == MAGIC && crc32fast::hash(start).to_le_bytes() == checksum;
    valid.then(|| u32::from_le_bytes([start[8], start[9], start[10], start[11]]))
}

/// The checksum of a record. It covers the offset, so a record is valid only where it was written.
fn checksum(offset: u64, kind: u8, content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&offset.to_le_bytes());
    hasher.update(&(content.len() as u64).to_le_bytes());
    hasher.update(&[kind]);
    hasher.update(content);
    hasher.finalize()
}

/// Appends a record to `out`, whose first byte goes to offset `base` of the file. `content` writes the record's content.
pub(super) fn put(out: &mut Vec<u8>, base: u64, kind: u8, content: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.resize(start + PREFIX, 0);
    content(out);
    let (prefix, content) = out[start..].split_at_mut(PREFIX);
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    prefix[..4].copy_from_slice(&length.to_le_bytes());
    prefix[4..8].copy_from_slice(&checksum(base + start as u64, kind, content).to_le_bytes());
    prefix[8] = kind;
}

/// Reads the record at `offset` into `content` and returns its kind; `None` if no complete, valid record follows.
pub(super) fn read(source: &mut impl Read, offset: u64, content: &mut Vec<u8>) -> io::Result<Option<u8>> {
    content.clear();
    source.by_ref().take(PREFIX as u64).read_to_end(content)?;
    let Ok(prefix) = <[u8; PREFIX]>::try_from(content.as_slice()) else { return Ok(None) };
    let [l0, l1, l2, l3, c0, c1, c2, c3, kind] = prefix;
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    if length > MAX_RECORD_BYTES {
        return Ok(None);
    }
    content.clear();
    source.by_ref().take(length as u64).read_to_end(content)?;
    let valid = content.len() == length && checksum(offset, kind, content) == u32::from_le_bytes([c0, c1, c2, c3]);
    Ok(valid.then_some(kind))
}

/// How many bytes a record takes whose content has `length`.
pub(super) fn size(length: usize) -> u64 {
    (PREFIX + length) as u64
}

/// Whether content of `length` bytes fits a record.
pub(super) fn fits(length: usize) -> bool {
    length <= MAX_RECORD_BYTES
}

/// The content of the record at the start of `bytes`, if its kind is known and its length fits. The checksum is not checked.
pub(super) fn content(bytes: &[u8]) -> Option<&[u8]> {
    let (&[l0, l1, l2, l3, _, _, _, _, kind], rest) = bytes.split_first_chunk()?;
    let content = rest.get(..u32::from_le_bytes([l0, l1, l2, l3]) as usize)?;
    (kind::START..=kind::MARK).contains(&kind).then_some(content)
}

/// Whether `bytes`, from `offset` of the file, start with a complete, valid record.
pub(super) fn starts(bytes: &[u8], offset: u64) -> bool {
    let Some(&[_, _, _, _, c0, c1, c2, c3, kind]) = bytes.first_chunk() else { return false };
    content(bytes).is_some_and(|content| checksum(offset, kind, content) == u32::from_le_bytes([c0, c1, c2, c3]))
}

/// Whether bytes where a record should be are none that a writer leaves, also where its writes failed: they do not begin as a record does, or
/// only zeros follow it, as after a power cut.
pub(super) fn is_foreign(bytes: &[u8]) -> bool {
    let Some(&[l0, l1, l2, l3, _, _, _, _, kind]) = bytes.first_chunk() else { return false };
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    let behind = bytes.get(PREFIX + length..).unwrap_or_default();
    kind == 0 || !fits(length) || !behind.is_empty() && behind.iter().all(|byte| *byte == 0)
}

/// The kinds of records, as their byte in the log.
pub(super) mod kind {
    /// JSON of [`super::super::Start`].
    pub(in crate::log) const START: u8 = 1;
    /// JSON of [`super::super::Additions`].
    pub(in crate::log) const SCHEMA: u8 = 2;
    /// A sample as differences against the one before.
    pub(in crate::log) const SAMPLE: u8 = 3;
    /// A sample as differences against nothing.
    pub(in crate::log) const WHOLE_SAMPLE: u8 = 4;
    /// JSON of a [`pagetide_core::Mark`].
    pub(in crate::log) const MARK: u8 = 5;
}
