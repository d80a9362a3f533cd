//! Moments and stretches of time on a recording's axis.

use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// A moment on a recording's axis: nanoseconds of `CLOCK_BOOTTIME`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(i64);

impl Moment {
    /// The moment at `ns` nanoseconds.
    pub const fn new(ns: i64) -> Self {
        Self(ns)
    }

    /// When a process started, by its name in the process table: its id, `@`, and its start in ticks of 1/100 s after boot
    /// (`fs/proc/array.c:do_task_stat`, 6.12); what follows a `/` tells what it became by exec(2). Absent if the name does not say.
    pub fn of_start(process: &str) -> Option<Self> {
        const TICK_NS: i64 = 10_000_000;
        process.split_once('@')?.1.split('/').next()?.parse::<i64>().ok()?.checked_mul(TICK_NS).map(Self)
    }

    /// In nanoseconds.
    pub const fn ns(self) -> i64 {
        self.0
    }

    /// The moment that much earlier.
    pub fn earlier(self, by: Nanos) -> Self {
        Self(self.0.saturating_sub_unsigned(by.get()))
    }

    /// The moment that much later.
    pub fn later(self, by: Nanos) -> Self {
        Self(self.0.saturating_add_unsigned(by.get()))
    }

    /// The time from an earlier moment to this one; 0 when that moment is later.
    pub fn since(self, earlier: Self) -> Nanos {
        Nanos::new(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

/// A stretch of time. JSON prints it as `[from, to]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(from = "(Moment, Moment)", into = "(Moment, Moment)")]
pub struct Span {
    /// Where it begins.
    pub from: Moment,
    /// Where it ends.
    pub to: Moment,
}

impl Span {
    /// All of time.
    pub const ALL: Self = Self { from: Moment(i64::MIN), to: Moment(i64::MAX) };

    /// From one moment to another, both in nanoseconds.
    pub const fn new(from: i64, to: i64) -> Self {
        Self { from: Moment(from), to: Moment(to) }
    }

    /// Its length.
    pub fn length(self) -> Nanos {
        self.to.since(self.from)
    }

    /// Whether the two have more in common than an end.
    pub fn overlaps(self, other: Self) -> bool {
        self.from < other.to && self.to > other.from
    }

    /// Whether a moment lies within, ends included.
    pub fn contains(self, at: Moment) -> bool {
        (self.from..=self.to).contains(&at)
    }

    /// The smallest span that covers both.
    pub fn union(self, other: Self) -> Self {
        Self { from: self.from.min(other.from), to: self.to.max(other.to) }
    }
}

impl From<(Moment, Moment)> for Span {
    fn from((from, to): (Moment, Moment)) -> Self {
        Self { from, to }
    }
}

impl From<Span> for (Moment, Moment) {
    fn from(span: Span) -> Self {
        (span.from, span.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_two_numbers_in_json() {
        let span = Span::new(-5, 20);
        assert_eq!(serde_json::to_string(&span).unwrap(), "[-5,20]");
        assert_eq!(serde_json::from_str::<Span>("[-5,20]").unwrap(), span);
        assert_eq!((span.length(), Span::new(9, 2).length()), (Nanos::new(25), Nanos::new(0)));
    }

    #[test]
    fn a_process_says_when_it_started() {
        let at = |name: &str| Moment::of_start(name).map(Moment::ns);
        assert_eq!((at("7@250"), at("7@250/portal")), (Some(2_500_000_000), Some(2_500_000_000)));
        assert_eq!((at("7"), at("7@"), at("7@x/1")), (None, None, None));
    }

    #[test]
    fn moments_stay_on_the_axis() {
        let end = Moment::new(i64::MAX);
        assert_eq!(
            (end.later(Nanos::new(u64::MAX)), end.since(Moment::new(i64::MIN))),
            (end, Nanos::new(i64::MAX as u64))
        );
    }
}
