//! The units of work: a day of a recording. What a unit says depends on nothing but the files of that day, so it can be computed
//! anywhere, again, and its rows be kept.

use crate::location;
use crate::problem::Problem;
use crate::row::Row;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use pagetide_core::{Error, Nanos};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An hour in ns.
pub(crate) const HOUR: i64 = 3_600_000_000_000;
/// A day in ns.
pub(crate) const DAY: i64 = 24 * HOUR;
/// How far ahead of the range's end a clock may be.
pub(crate) const CLOCK_TOLERANCE: i64 = 300_000_000_000;
/// The first day on which a clock that is set can be: no earlier kernel has what is recorded.
const FIRST_DAY: Date = jiff::civil::date(2000, 1, 1);

/// The stretch of time that is asked about: whole UTC hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeRange {
    /// The first hour, ns since 1970-01-01 UTC; all there is when absent.
    pub from_ns: Option<i64>,
    /// The moment at which the question is asked. Samples later than this come from a clock that is wrong.
    pub until_ns: i64,
}

impl TimeRange {
    /// The time before `until_ns`, from the start of its hour.
    pub fn last(since: Option<Nanos>, until_ns: i64) -> Self {
        let from = since.map(|since| until_ns.saturating_sub_unsigned(since.get()));
        Self { from_ns: from.map(|from| from.saturating_sub(from.rem_euclid(HOUR))), until_ns }
    }

    /// Whether a UTC day, such as `2026-11-21`, is asked about.
    pub fn has_day(self, date: &str) -> bool {
        let Some(begin) = begin_of(date) else { return false };
        // A day before the range may have the samples of a clock that is not set: its row says so.
        self.from_ns.is_none_or(|from| begin.saturating_add(DAY) > from) || !is_set(date)
    }
}

/// A day of a recording, or a recording without a readable day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The recording's name.
    pub recording: String,
    /// The UTC day, `2026-11-21`; absent when the whole recording has a problem.
    pub date: Option<String>,
    /// What its rows depend on: the day's files with their sizes and checksums. For those who keep rows.
    pub files: String,
}

impl Unit {
    fn whole(recording: &str) -> Self {
        Self { recording: recording.to_owned(), date: None, files: String::new() }
    }
}

/// The units of a recording within a range. A recording that cannot be read, or has nothing there, is one unit, whose row says so.
pub fn units(recording: &str, range: TimeRange) -> Vec<Unit> {
    // A panic while listing one recording does not affect the others.
    match catch_unwind(AssertUnwindSafe(|| list(recording, range))) {
        Ok(Ok(units)) if !units.is_empty() => units,
        _ => vec![Unit::whole(recording)],
    }
}

fn list(recording: &str, range: TimeRange) -> Result<Vec<Unit>, Error> {
    let days = location::open(recording)?.days()?.into_iter().filter(|day| range.has_day(&day.date));
    Ok(days.map(|day| Unit { recording: recording.to_owned(), date: Some(day.date), files: day.files }).collect())
}

/// Whether a clock that shows this day is set.
pub(crate) fn is_set(date: &str) -> bool {
    date.parse::<Date>().is_ok_and(|date| date >= FIRST_DAY)
}

/// When a UTC day begins, ns.
pub(crate) fn begin_of(date: &str) -> Option<i64> {
    let begin: Timestamp = date.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp();
    i64::try_from(begin.as_nanosecond()).ok()
}

/// Why a recording has no unit of a day.
pub(crate) fn problem(recording: &str) -> Row {
    match location::open(recording).and_then(|reader| Ok((reader.days()?.len(), reader))) {
        Err(error) => Problem::of(&error).row(recording, None, &error.to_string()),
        Ok((days, reader)) => {
            let (problem, text) = match days {
                0 => (Problem::Empty, "it has no samples"),
                _ => (Problem::OutOfRange, "it has no samples in the range"),
            };
            problem.row(recording, Some(&reader.manifest().host), text)
        }
    }
}
