//! Maps a recording to rows: one for each hour, or one that says why there is none.

mod facts;
mod hour;

use crate::location;
use crate::problem::Problem;
use crate::row::{self, Row};
use crate::unit::{self, CLOCK_TOLERANCE, DAY, HOUR, TimeRange, Unit};
use jiff::Timestamp;
use pagetide_core::{Error, Selection, Source, Stamp};
use pagetide_store::Reader;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How far the wall clock may move against the clock since boot between two samples before the hours of a day are not to be trusted.
const CLOCK_STEP: i64 = 60_000_000_000;

/// The rows of a recording in a range: the same in every program that computes them.
pub fn map(recording: &str, range: TimeRange) -> Vec<Row> {
    let mut rows: Vec<Row> = unit::units(recording, range).iter().flat_map(|unit| map_unit(unit, range)).collect();
    row::sort(&mut rows);
    rows
}

/// The rows of a unit of work. Errors, and panics of the code that reads its files, become a row.
pub fn map_unit(unit: &Unit, range: TimeRange) -> Vec<Row> {
    catch_unwind(AssertUnwindSafe(|| try_map(unit, range))).unwrap_or_else(|_| {
        let text = format!("pagetide failed on {}", unit.date.as_deref().unwrap_or("it"));
        vec![Problem::Crashed.row(&unit.recording, None, &text)]
    })
}

fn try_map(unit: &Unit, range: TimeRange) -> Vec<Row> {
    let recording = &unit.recording;
    let Some(begin) = unit.date.as_deref().and_then(unit::begin_of) else {
        return vec![unit::problem(recording)];
    };
    let date = unit.date.as_deref().unwrap_or_default();
    match day(recording, (date, begin), range) {
        Ok(rows) => rows,
        Err(error) => vec![Problem::of(&error).row(recording, None, &error.to_string())],
    }
}

fn day(recording: &str, (date, begin): (&str, i64), range: TimeRange) -> Result<Vec<Row>, Error> {
    let reader = location::open(recording)?.of_day(date);
    let host = reader.manifest().host.clone();
    let times = reader.times(&Selection::default())?;
    let skewed = |text: String| Ok(vec![Problem::ClockSkewed.row(recording, Some(&host), &text)]);
    let at = |wall: i64| Timestamp::from_nanosecond(wall.into()).map_or_else(|_| wall.to_string(), |at| at.to_string());
    if !unit::is_set(date) {
        return skewed(format!("its clock was not set: it read {date}"));
    }
    if begin > range.until_ns.saturating_add(CLOCK_TOLERANCE) {
        return skewed(format!("its clock is ahead: it read {date}, which is in the future"));
    }
    if let Some(stamp) =
        times.stamps().iter().find(|stamp| stamp.wall_ns > range.until_ns.saturating_add(CLOCK_TOLERANCE))
    {
        return skewed(format!("its clock is ahead: it read {}, which is in the future", at(stamp.wall_ns)));
    }
    if let Some((step, stamp)) = times.stamps().windows(2).find_map(clock_step) {
        let seconds = step / 1_000_000_000;
        return skewed(format!("its clock was set by {seconds} s at {}", at(stamp.wall_ns)));
    }
    // Each hour reads the whole day, so a day has no more of them than a day has.
    if let Some(stamp) = times.stamps().iter().find(|stamp| !is_near_day(stamp.wall_ns, begin)) {
        let text =
            format!("its segments of {date} have a sample of {}: none goes beyond its UTC day", at(stamp.wall_ns));
        return Ok(vec![Problem::Damaged.row(recording, Some(&host), &text)]);
    }
    let from = range.from_ns.unwrap_or(i64::MIN);
    // A cut has all its days in one segment.
    let is_of_day = |hour: &i64| (begin..begin.saturating_add(DAY)).contains(hour);
    let hours = times.stamps().iter().map(|stamp| stamp.wall_ns - stamp.wall_ns.rem_euclid(HOUR));
    let mut hours: Vec<i64> = hours.filter(is_of_day).collect();
    hours.dedup();
    let mut rows = Vec::new();
    for hour in hours.into_iter().filter(|hour| *hour >= from) {
        // Its own reader, whose damage is that of this hour.
        rows.push(one_hour(recording, &reader.of_day(date), hour)?);
    }
    if rows.is_empty() {
        // Its files may be there and not be readable.
        let damaged = reader.damage().lines();
        let (problem, text) = match damaged.first() {
            Some(line) => (Problem::Damaged, line.as_str()),
            None if range.from_ns.is_some() => (Problem::OutOfRange, "it has no samples in the range"),
            None => (Problem::Empty, "it has no samples"),
        };
        rows.push(problem.row(recording, Some(&host), text));
    }
    Ok(rows)
}

/// Whether a moment is in the UTC day that begins at `begin`, or as near as a clock brings it that is set a little.
fn is_near_day(wall_ns: i64, begin: i64) -> bool {
    let from = begin.saturating_sub(CLOCK_STEP);
    (from..begin.saturating_add(DAY).saturating_add(CLOCK_STEP)).contains(&wall_ns)
}

/// By how much the wall clock was set between two samples, ns, when it was.
fn clock_step(pair: &[Stamp]) -> Option<(i64, Stamp)> {
    let wall = pair[1].wall_ns.saturating_sub(pair[0].wall_ns);
    let step = wall.saturating_sub(pair[1].boot_ns.saturating_sub(pair[0].boot_ns));
    (step.abs() > CLOCK_STEP || wall < -CLOCK_STEP).then_some((step, pair[1]))
}

/// The row of an hour with samples. An hour that cannot be read completely gets no verdict: the missing part may contain the incident.
fn one_hour(recording: &str, reader: &Reader, hour: i64) -> Result<Row, Error> {
    let mut row = hour::row(recording, reader, (hour, hour + HOUR - 1))?;
    let damaged = reader.damage().lines();
    if let Some(first) = damaged.first() {
        let text = format!("{} of its files are damaged: {first}", damaged.len());
        row = Problem::Damaged.row(recording, row.host.as_deref(), &text);
    }
    row.hour_ns = Some(hour);
    Ok(row)
}
