//! The open segment: an append-only log of records, each with its length and checksum.
//!
//! [`frame`] knows the bytes around a record, [`encode`] and [`decode`] those inside. Values are stored as
//! differences against the row before of the same entity, so a sample is small; the first sample of a log
//! is whole, because nothing comes before it.

mod decode;
mod encode;
mod frame;

pub(crate) use decode::{Event, LogError, LogReader, mark};
pub(crate) use encode::Encoder;
pub(crate) use frame::header;
use frame::kind;

use pagetide_core::{Manifest, SchemaGrowth, Table};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// The first record of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Start {
    /// The number of its first sample within the recording.
    pub(crate) first_sample: u64,
    /// The manifest as it was then.
    pub(crate) manifest: Manifest,
}

/// Tables, columns and entities that the next sample needs, in the order of their numbers.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Additions {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tables: Vec<String>,
    #[serde(flatten)]
    growth: SchemaGrowth<String>,
}

impl Additions {
    fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.growth.is_empty()
    }
}

/// Appends a record of any kind and content with a valid checksum, to see what the reader makes of it.
#[cfg(test)]
pub(crate) fn put_any(log: &mut Vec<u8>, kind: u8, content: &[u8]) {
    frame::put(log, 0, kind, |out| out.extend_from_slice(content));
}

/// Bytes that are hashed at most in the search for a record behind damage: of damage with nothing valid behind it, nearly every
/// place may look like the beginning of a long record.
const MOST_HASHED: u64 = 1 << 29;

/// Whether a valid record follows anywhere behind `offset`, where reading ended. A crash leaves a part of the last
/// write at most; a valid record behind it means that the log was damaged, and so does a part that is too large to be searched.
pub(crate) fn continues_behind(mut file: File, offset: u64) -> io::Result<bool> {
    file.seek(SeekFrom::Start(offset))?;
    let mut rest = Vec::new();
    file.read_to_end(&mut rest)?;
    let mut hashed = 0;
    for at in 1..rest.len() {
        let Some(content) = frame::content(&rest[at..]) else { continue };
        hashed += content.len() as u64;
        if hashed > MOST_HASHED || frame::starts(&rest[at..], offset + at as u64) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// [`continues_behind`] for a log that may be written meanwhile: what is valid at `offset` now has come since.
pub(crate) fn is_damaged_at(file: File, offset: u64) -> io::Result<bool> {
    let mut start = Vec::new();
    let mut beginning = file.try_clone()?;
    beginning.seek(SeekFrom::Start(offset))?;
    beginning.take(LONGEST_RECORD).read_to_end(&mut start)?;
    Ok(!start.is_empty() && !frame::starts(&start, offset) && continues_behind(file, offset)?)
}

/// Whether a log that could not be opened has valid records all the same. One whose first record has come since then can be opened now.
pub(crate) fn has_lost_its_beginning(mut file: File) -> io::Result<bool> {
    if !continues_behind(file.try_clone()?, 0)? {
        return Ok(false);
    }
    file.rewind()?;
    match LogReader::open(BufReader::new(file)) {
        Err(LogError::NotALog) => Ok(true),
        Err(LogError::Io(error)) => Err(error),
        Ok(_) | Err(LogError::Newer(_)) => Ok(false),
    }
}

/// A record has at most 64 MiB, and what frames it.
const LONGEST_RECORD: u64 = (64 << 20) + 64;

/// The tables of logs before version 3, whose numbers were fixed. Since then a log numbers those that it has.
const TABLES_BEFORE_3: [Table; 5] = [Table::Host, Table::Zone, Table::Disk, Table::Process, Table::Cgroup];
