//! Recordings on disk. FORMAT.md describes the files; no other crate knows their format.
//!
//! A [`Writer`] takes samples as a [`pagetide_core::Sink`] and appends them to the open segment, a log with a
//! checksum per record. A finished segment is sealed: turned into Parquet files that any engine reads. A
//! [`Reader`] gives a recording back as a [`pagetide_core::Source`], whether it is finished or still being written.

mod budget;
#[cfg(test)]
mod crash;
pub mod cut;
mod file_error;
mod files;
pub mod import;
mod layout;
mod log;
pub mod naming;
mod pyramid;
mod reader;
mod retention;
mod seal;
mod sealed;
mod sealer;
#[cfg(test)]
mod test_support;
mod usage;
mod varint;
mod writer;

pub use budget::{limit_memory, share_memory};
pub use layout::OPEN as OPEN_FOLDER;
pub use pyramid::{Bucket, Buckets, Curve, Level, plotted_metrics};
pub use reader::{CLOCK_WENT_BACK, Damage, Day, Reader, hosts};
pub use retention::Keep;
pub use usage::Usage;
pub use writer::Writer;

/// Factor for rates of recordings before version 3, which stored thousandths of the unit.
const RATE_FACTOR_BEFORE_3: i64 = pagetide_core::metric::RATE_SCALE / 1000;

/// The version of the format that this crate writes, and the newest one that it reads.
pub const FORMAT_VERSION: u32 = 3;
