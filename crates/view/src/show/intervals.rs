//! The stretches of time that the rows of a table are of.

use super::topic::Topic;
use pagetide_core::{Kind, Recording, Stamp, Table};

/// Which rows are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    /// By their wall clock.
    pub(super) range: (i64, i64),
    /// One for so long; one for each sample when absent.
    pub(super) every: Option<i64>,
    pub(super) last: LastRow,
    /// How long before the first sample it speaks of: see [`reach`].
    pub(super) reach: i64,
}

/// What becomes of samples behind the last whole row. At the end of the range they are a row that is shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastRow {
    /// They are a row that is shorter.
    Short,
    /// They wait for more.
    Waits,
}

/// How long before the first sample the columns of a topic may speak of: their interval.
pub(super) fn reach(recording: &Recording, topic: Topic) -> i64 {
    let metrics = topic.selection(true).metrics;
    let longest = metrics.iter().map(|metric| recording.manifest.interval_of(topic.table(), metric)).max();
    i64::try_from(longest.unwrap_or(recording.manifest.interval).get()).unwrap_or(i64::MAX)
}

/// Where each row begins, and the sample at its end: the first begins at the last sample before the range. `stored_rates`: the first sample has averages that another tool printed.
pub(super) fn of(recording: &Recording, rows: Rows, stored_rates: bool) -> Vec<(i64, Stamp)> {
    let stamps = recording.stamps();
    let Rows { range, every, last, reach } = rows;
    let first = stamps.first().map_or(0, |stamp| stamp.boot_ns);
    // The first sample speaks for an interval before it: a row of its own, or part of the first of several, which is an interval longer
    // where rows begin at the first sample.
    let interval = i64::try_from(recording.manifest.interval.get()).unwrap_or(i64::MAX).max(1);
    let single = last == LastRow::Short && stamps.len() == 1;
    let alone = every.is_none_or(|every| every <= interval) || single;
    let whole = alone || stored_rates;
    let mut before = first.saturating_sub(if whole { reach.max(1) } else { reach });
    let mut begin = if whole { before } else { first };
    let within = |stamp: &Stamp| (range.0..=range.1).contains(&stamp.wall_ns);
    let mut intervals = Vec::new();
    for (at, stamp) in stamps.iter().enumerate() {
        let (from, to) = (before, stamp.boot_ns);
        if within(stamp) {
            let next = stamps.get(at + 1);
            let is_last = next.map_or(last == LastRow::Short, |next| !within(next));
            // Samples are not exactly an interval apart: a row ends with the sample that is nearest to its length.
            let goes_on = |every: i64| {
                let short = every.saturating_sub(to - begin);
                short > interval / 2 && next.is_none_or(|next| next.boot_ns - begin - every < short)
            };
            if every.is_some_and(goes_on) && !is_last {
                continue;
            }
            if to > from {
                intervals.push((from, *stamp));
            }
        }
        (before, begin) = (to, to);
    }
    intervals
}

/// Whether the first sample of a recording has averages that another tool printed.
pub(super) fn has_stored_rates(recording: &Recording, table: Table) -> bool {
    let mut columns = recording.entities(table).flat_map(|(entity, _)| recording.columns(table, entity));
    columns.any(|(column, values)| column.kind == Kind::Rate && values.first() == 0 && !values.is_empty())
}
