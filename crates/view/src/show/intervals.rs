//! The stretches of time that the rows of a table are of.

use pagetide_core::{Kind, Recording, Stamp, Table};

/// Which rows are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    /// By their wall clock.
    pub(super) range: (i64, i64),
    /// One for so long; one for each sample when absent.
    pub(super) every: Option<i64>,
    pub(super) last: LastRow,
}

/// What becomes of samples behind the last whole row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastRow {
    /// They are a row that is shorter.
    Short,
    /// They wait for more.
    Waits,
}

/// Where each row begins, and the sample at its end. `stored_rates`: the first sample has averages that another tool printed.
pub(super) fn of(recording: &Recording, rows: Rows, stored_rates: bool) -> Vec<(i64, Stamp)> {
    let stamps = recording.stamps();
    let Rows { range, every, last } = rows;
    let first = stamps.first().map_or(0, |stamp| stamp.boot_ns);
    // The first sample speaks for an interval before it: a row of its own, or part of the first of several.
    let interval = i64::try_from(recording.manifest.interval.get()).unwrap_or(i64::MAX).max(1);
    let single = last == LastRow::Short && stamps.len() == 1;
    let alone = every.is_none_or(|every| every <= interval) || single;
    let mut before = if alone || stored_rates { first.saturating_sub(interval) } else { first };
    let row = |(at, stamp): (usize, &Stamp)| {
        let (from, to) = (before, stamp.boot_ns);
        let is_last = last == LastRow::Short && at + 1 == stamps.len();
        // Samples are not exactly an interval apart: a row ends with the sample that is nearest to its length.
        if every.is_some_and(|every| to - from < every.saturating_sub(interval / 2) && !is_last) {
            return None;
        }
        before = to;
        ((range.0..=range.1).contains(&stamp.wall_ns) && to > from).then_some((from, *stamp))
    };
    stamps.iter().enumerate().filter_map(row).collect()
}

/// Whether the first sample of a recording has averages that another tool printed.
pub(super) fn has_stored_rates(recording: &Recording, table: Table) -> bool {
    let mut columns = recording.entities(table).flat_map(|(entity, _)| recording.columns(table, entity));
    columns.any(|(column, values)| column.kind == Kind::Rate && values.first() == 0 && !values.is_empty())
}
