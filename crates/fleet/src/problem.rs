//! Why a recording, or an hour of it, gives no verdict.

use crate::row::Row;
use pagetide_core::{Error, ErrorKind};

/// Why there is no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// It cannot be opened or read.
    Unreadable,
    /// It has no sample.
    Empty,
    /// It has samples, and none in the range: nothing is wrong with it.
    OutOfRange,
    /// Files are missing, cut short or changed: a copy that was interrupted, a bad disk.
    Damaged,
    /// A newer pagetide wrote it.
    TooNew,
    /// Its clock was not set, was set while it was recorded, or is ahead.
    ClockSkewed,
    /// Another recording of a host of this name has the same hours.
    DuplicateHost,
    /// The worker that read it ended before it was done.
    Crashed,
}

impl Problem {
    /// All of them, in the order in which they are reported.
    pub const ALL: [Self; 8] = [
        Self::Unreadable,
        Self::Empty,
        Self::OutOfRange,
        Self::Damaged,
        Self::TooNew,
        Self::ClockSkewed,
        Self::DuplicateHost,
        Self::Crashed,
    ];

    /// Its name in rows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Empty => "empty",
            Self::OutOfRange => "out-of-range",
            Self::Damaged => "damaged",
            Self::TooNew => "too-new",
            Self::ClockSkewed => "clock-skewed",
            Self::DuplicateHost => "duplicate-host",
            Self::Crashed => "crashed",
        }
    }

    pub(crate) fn of(error: &Error) -> Self {
        if error.kind == ErrorKind::TooNew { Self::TooNew } else { Self::Unreadable }
    }

    /// The row that says so.
    pub fn row(self, recording: &str, host: Option<&str>, text: &str) -> Row {
        Row {
            host: host.map(Into::into),
            problem: Some(self.name().into()),
            problem_text: Some(text.into()),
            ..Row::new(recording)
        }
    }
}
