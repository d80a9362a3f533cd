//! What tasks do: fio jobs and the lab's own loads, as programs of the model.
//!
//! A program gives one operation after the other and counts what they took in a [`Tally`], which its owner shares. The order in
//! which a load uses pages or blocks ([`Sequence`]), when its next piece is due ([`due`]) and how latencies are kept
//! ([`Latencies`]) are the same code that the lab runs on a real kernel; fio's blocks are those of fio 3.33, one by one.

pub mod fio;
mod grow;
mod hold;
mod latency;
mod lookups;
mod pace;
mod script;
mod sequence;
mod spin;
mod tally;
mod transfer;
mod walk;

pub use grow::Grow;
pub use hold::{Hold, HoldMemory};
pub use latency::{BUCKETS, Latencies, bucket};
pub use lookups::Lookups;
pub use pace::{due, next_random};
pub use script::Script;
pub use sequence::Sequence;
pub use spin::Spin;
pub use tally::{SharedTally, Tally};
pub use transfer::{Stored, Transfer, TransferPlan};
pub use walk::{Walk, WalkPlan};

use pagetide_core::Bytes;

/// Bytes of memory that a load fills between two looks at the clock. A multiple of every page size.
pub const STRETCH: Bytes = Bytes::new(1 << 20);

/// Bytes that a load with [`pagetide_core::Caching::DontNeed`] reads or writes between two drops.
pub const DROP_BEHIND: Bytes = Bytes::new(8 << 20);
