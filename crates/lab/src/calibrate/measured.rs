//! What is measured of a disk, and what of that is kept.

use pagetide_core::{Bytes, Nanos};
use serde::Serialize;

/// Bytes of a request that IOPS are measured with, and of one that bandwidth is.
pub(super) const SMALL: Bytes = Bytes::new(4 << 10);
pub(super) const LARGE: Bytes = Bytes::new(1 << 20);

/// What a measurement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Random reads past the page cache.
    Read,
    /// Random writes past the page cache.
    Write,
    /// As many reads as writes.
    Mixed,
    /// A write, then `fdatasync(2)`, which is timed.
    Flush,
}

impl Work {
    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Mixed => "read and write",
            Self::Flush => "flush",
        }
    }

    pub(super) const fn writes(self) -> bool {
        !matches!(self, Self::Read)
    }
}

/// What was measured with requests of one size, so many at once.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measured {
    /// What was done.
    pub work: Work,
    /// Bytes of a request.
    pub size: Bytes,
    /// Requests in flight.
    pub depth: u32,
    /// Requests a second.
    pub per_second: f64,
    /// The median time of a request.
    pub median: Nanos,
    /// The time that 99 of 100 requests did not exceed.
    pub p99: Nanos,
}

/// Work, size of requests and depths, in the order in which they are measured.
pub(super) const PLAN: &[(Work, Bytes, &[u32])] = &[
    (Work::Read, SMALL, &[1, 2, 4, 8, 16, 32]),
    (Work::Read, LARGE, &[1, 4, 16]),
    (Work::Write, SMALL, &[1, 8, 32]),
    (Work::Write, LARGE, &[1, 16]),
    (Work::Mixed, SMALL, &[16]),
    (Work::Flush, SMALL, &[1]),
];
