//! A log, or a file of `pagetide cut`, as its records: a mutated input gets its lengths and checksums here (docs/FORMAT.md), or nothing
//! but the first record would ever be looked into.
//!
//! The first byte of an input says what the rest is: 0 the log as it is, anything else the version of the format and then records, each as
//! kind, length of its content (u16, little-endian) and content.

const HEADER: usize = 16;
const PREFIX: usize = 9;

/// The inputs that stand for a log: itself, and its records.
pub(super) fn inputs(log: &[u8]) -> [Vec<u8>; 2] {
    let (mut records, mut at) = (vec![log[8]], HEADER);
    while let Some(prefix) = log.get(at..at + PREFIX) {
        let length = u32::from_le_bytes([prefix[0], prefix[1], prefix[2], prefix[3]]) as usize;
        let content = &log[at + PREFIX..at + PREFIX + length];
        records.push(prefix[8]);
        records.extend(u16::try_from(length).expect("a short record").to_le_bytes());
        records.extend(content);
        at += PREFIX + length;
    }
    [[&[0], log].concat(), records]
}

/// The log that an input stands for.
pub(super) fn log(input: &[u8]) -> Vec<u8> {
    match input.split_first() {
        None => Vec::new(),
        Some((0, rest)) => rest.to_vec(),
        Some((version, rest)) => framed(*version, rest),
    }
}

/// Puts records into the form of a log.
fn framed(version: u8, mut records: &[u8]) -> Vec<u8> {
    let mut split = Vec::new();
    while let Some((&[kind, low, high], rest)) = records.split_first_chunk() {
        let (content, rest) = rest.split_at(usize::from(u16::from_le_bytes([low, high])).min(rest.len()));
        records = rest;
        split.push((kind, content));
    }
    log_of(version, split)
}

/// A log of version 3 that has these records.
pub(crate) fn of(records: &[(u8, Vec<u8>)]) -> Vec<u8> {
    log_of(3, records.iter().map(|(kind, content)| (*kind, content.as_slice())))
}

fn log_of<'a>(version: u8, records: impl IntoIterator<Item = (u8, &'a [u8])>) -> Vec<u8> {
    let mut log = b"pagetide".to_vec();
    log.extend(u32::from(version).to_le_bytes());
    log.extend(crc32fast::hash(&log).to_le_bytes());
    for (kind, content) in records {
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&(log.len() as u64).to_le_bytes());
        checksum.update(&(content.len() as u64).to_le_bytes());
        checksum.update(&[kind]);
        checksum.update(content);
        log.extend(u32::try_from(content.len()).expect("a record is shorter").to_le_bytes());
        log.extend(checksum.finalize().to_le_bytes());
        log.push(kind);
        log.extend(content);
    }
    log
}
