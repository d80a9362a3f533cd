//! What is assumed where the files do not say.

use super::clock::{Date, DateOrder};
use super::day::Day;
use pagetide_core::{Bytes, Nanos};

/// What is assumed where the files do not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Offset of local time from UTC in nanoseconds ([`utc_offset`](super::utc_offset) reads it); UTC when absent, with a note.
    pub utc_offset: Option<i64>,
    /// The day on which files without a date begin, and the time of files without times.
    pub day: Option<Day>,
    /// Whether the day or the month comes first in dates such as `09/10/2016`; guessed when absent, with a note.
    pub date_order: Option<DateOrder>,
    /// Time between the samples of files without times; one second when absent, and then counters of such files are
    /// taken from the first copy only, because their rates would be invented.
    pub interval: Option<Nanos>,
    /// The unit of vmstat's sizes (`-S`), which it does not print; found out when absent, with a note.
    pub vmstat_unit: Option<Bytes>,
    /// What the first report of a run covers, where the text does not say.
    pub first_report: FirstReport,
}

/// What the first report of iostat, of vmstat, or the only one of mpstat's JSON and of `pidstat -h` covers: they look the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FirstReport {
    /// The time since boot, as without `-y`: its averages are left out.
    #[default]
    SinceBoot,
    /// An interval, as with `iostat -y` and `vmstat -y`.
    Interval,
}

impl Options {
    /// The day on which files without a date begin.
    pub(super) fn date(&self) -> Option<Date> {
        self.day.map(|day| day.date)
    }

    pub(super) fn offset(&self) -> i64 {
        self.utc_offset.unwrap_or(0)
    }

    pub(super) fn begins_since_boot(&self) -> bool {
        self.first_report == FirstReport::SinceBoot
    }

    pub(super) fn spacing(&self) -> Option<i64> {
        self.interval.and_then(|interval| i64::try_from(interval.get()).ok())
    }
}
