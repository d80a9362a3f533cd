//! The open segment: an append-only log of records, each with its length and checksum.
//!
//! [`frame`] knows the bytes around a record, [`encode`] and [`decode`] those inside. A row is stored as its differences from the previous
//! row of the same entity, which makes samples small. The first sample of a log is stored whole.

mod damage;
mod decode;
mod encode;
mod frame;

pub(crate) use damage::{has_lost_its_beginning, is_damaged_at, is_damaged_behind};
pub(crate) use decode::{Event, LogError, LogReader, Position, mark};
pub(crate) use encode::Encoder;
pub(crate) use frame::header;
use frame::kind;

use pagetide_core::{Manifest, SchemaGrowth, Table};
use serde::{Deserialize, Serialize};

/// The first record of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Start {
    /// The number of its first sample within the recording.
    pub(crate) first_sample: u64,
    /// The manifest as it was then.
    pub(crate) manifest: Manifest,
}

/// Tables, columns and entities that are new with the next sample, in the order of their numbers.
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

/// The tables of logs before version 3, whose numbers were fixed. Since then a log numbers those that it has.
const TABLES_BEFORE_3: [Table; 5] = [Table::Host, Table::Zone, Table::Disk, Table::Process, Table::Cgroup];
