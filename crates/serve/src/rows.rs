//! Rows of processes, groups, disks and zones, as responses have them.

use crate::number::{rounded, shown};
use pagetide_core::{Recording, Unit};
use pagetide_view::show::{self, Topic};
use serde::Serialize;

/// Rows of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Rows {
    columns: Vec<Column>,
    rows: Vec<Row>,
    /// Rows that there are, with those that are left out.
    total: usize,
    /// The column by which they are sorted.
    sort: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Column {
    name: &'static str,
    unit: Unit,
    meaning: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Row {
    /// Its name in the recording, for a series of it.
    entity: String,
    /// Its name for people.
    label: String,
    cells: Vec<Option<f64>>,
}

/// Which rows come first, and how many there are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    /// The column by which they are sorted.
    pub(crate) sort: &'static str,
    pub(crate) limit: usize,
}

/// The column by which rows are sorted when nothing else is asked for.
pub(crate) const fn usual_sort(topic: Topic) -> &'static str {
    match topic {
        Topic::Disk => "util",
        Topic::Zones => "managed",
        Topic::Cgroups => "current",
        _ => "cpu",
    }
}

/// The largest rows of a range of wall clock: over all of it, or of each sample.
pub(crate) fn rows(
    recording: &Recording,
    topic: Topic,
    range: (i64, i64),
    averages: bool,
    Order { sort, limit }: Order,
) -> Rows {
    let table = show::show(recording, topic, true, range, None);
    let page = recording.manifest.page_size.as_f64();
    let headings: Vec<_> = table.headings().collect();
    let units: Vec<(Unit, f64)> = headings.iter().map(|heading| shown(heading.unit, page)).collect();
    let row = |row: show::Row<'_>| Row {
        entity: row.name.to_owned(),
        label: row.entity.unwrap_or_default().to_owned(),
        cells: row.cells.iter().zip(&units).map(|(cell, unit)| rounded((*cell)? * unit.1)).collect(),
    };
    let mut rows: Vec<Row> =
        if averages { table.averages().map(row).collect() } else { table.rows().map(row).collect() };
    let total = rows.len();
    let by = headings.iter().position(|heading| heading.name == sort).unwrap_or(0);
    let value = |row: &Row| row.cells.get(by).copied().flatten().unwrap_or(f64::NEG_INFINITY);
    rows.sort_by(|one, other| value(other).total_cmp(&value(one)).then_with(|| one.entity.cmp(&other.entity)));
    rows.truncate(limit);
    let column = |(heading, unit): (&show::Heading, &(Unit, f64))| Column {
        name: heading.name,
        unit: unit.0,
        meaning: heading.meaning,
    };
    Rows { columns: headings.iter().zip(&units).map(column).collect(), rows, total, sort }
}
