//! A frame: what a page shows of one sample, written once for all pages.

use crate::number::{ms, rounded, shown};
use crate::reply;
use crate::rows::{Order, Rows, rows, usual_sort};
use pagetide_core::derived::{Derived, Term};
use pagetide_core::memory::{Split, SplitFields};
use pagetide_core::{Error, Nanos, Recording, Selection, Source, Stamp, Table, Unit};
use pagetide_view::show::Topic;
use serde::Serialize;
use std::collections::BTreeMap;

/// Rows of a table in a frame.
const ROWS: usize = 50;

/// What a page shows of one sample.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) wall_ns: i64,
    /// The document.
    pub(crate) json: String,
}

#[derive(Serialize)]
struct Document {
    at_ms: i64,
    span_ms: i64,
    total_bytes: Option<f64>,
    memory: Vec<Part>,
    host: BTreeMap<&'static str, Option<f64>>,
    disks: Rows,
    processes: Rows,
    cgroups: Rows,
}

/// A part of memory.
#[derive(Serialize)]
struct Part {
    name: &'static str,
    title: &'static str,
    bytes: f64,
}

const TOPICS: [Topic; 3] = [Topic::Disk, Topic::Processes, Topic::Cgroups];

/// The metrics of the host in a frame: those that the plots of a recording have.
fn host_metrics() -> impl Iterator<Item = &'static Derived> {
    pagetide_store::plotted_metrics(Table::Host)
}

/// The units of the host's metrics in a frame.
pub(crate) fn columns() -> BTreeMap<&'static str, Unit> {
    host_metrics().map(|metric| (metric.name, shown(metric.unit, 1.0).0)).collect()
}

/// The tables and metrics that a frame needs.
fn selection() -> Selection {
    let mut selection = Selection { tables: vec![Table::Host], ..Selection::default() };
    for (table, name) in host_metrics().flat_map(|metric| metric.formula.terms()).flat_map(Term::needs) {
        selection.tables.extend(table);
        selection.metrics.push(name.to_owned());
    }
    selection.metrics.extend(SplitFields::HOST.names().map(str::to_owned));
    for topic in TOPICS {
        let wanted = topic.selection(true);
        selection.tables.extend(wanted.tables);
        selection.metrics.extend(wanted.metrics);
    }
    selection.tables.sort_unstable();
    selection.tables.dedup();
    selection.metrics.sort_unstable();
    selection.metrics.dedup();
    selection
}

/// The frame of a source's newest sample; absent if there is none after `seen`, ns since 1970-01-01 UTC.
///
/// # Errors
/// Those of the source.
pub(crate) fn newest(source: &dyn Source, interval: Nanos, seen: i64) -> Result<Option<Frame>, Error> {
    let interval = i64::try_from(interval.get()).unwrap_or(i64::MAX);
    let begin = pagetide_recorder::now().wall_ns.saturating_sub(interval.saturating_mul(4).max(5_000_000_000));
    let recording = source.load(&Selection { from_wall_ns: Some(begin), ..selection() })?;
    let [earlier @ .., last] = recording.stamps() else { return Ok(None) };
    // A recording that is followed may have several samples since the frame before.
    let before = earlier.iter().rev().find(|stamp| stamp.wall_ns <= seen).or(earlier.last());
    let Some(before) = before.filter(|_| last.wall_ns > seen) else { return Ok(None) };
    Ok(Some(Frame { wall_ns: last.wall_ns, json: reply::text(document(&recording, before, last))? }))
}

/// What is shown of the time after one sample up to another.
fn document(recording: &Recording, before: &Stamp, last: &Stamp) -> Document {
    let (from, to, wall_ns) = (before.boot_ns, last.boot_ns, last.wall_ns);
    let page = recording.manifest.page_size.as_f64();
    let host = |metric: &'static Derived| {
        let value = metric.over(recording, Table::Host, "", (from, to));
        (metric.name, value.and_then(|value| rounded(value * shown(metric.unit, page).1)))
    };
    let gauge = |name: &str| recording.host(name)?.last_within(from, to).map(|value| value as f64);
    let walls = (before.wall_ns.saturating_add(1), wall_ns);
    let rows = |topic: Topic| rows(recording, topic, walls, true, Order { sort: usual_sort(topic), limit: ROWS });
    Document {
        at_ms: ms(wall_ns),
        span_ms: to.saturating_sub(from) / 1_000_000,
        total_bytes: gauge("MemTotal"),
        memory: Split::new(SplitFields::HOST, gauge).map(parts).unwrap_or_default(),
        host: host_metrics().map(host).collect(),
        disks: rows(Topic::Disk),
        processes: rows(Topic::Processes),
        cgroups: rows(Topic::Cgroups),
    }
}

fn parts(split: Split) -> Vec<Part> {
    let part = |name, title, bytes: Option<f64>| bytes.map(|bytes| Part { name, title, bytes });
    let parts = [
        part("anonymous", "anonymous and shared memory", Some(split.anonymous)),
        part("other", "kernel and huge pages", split.other),
        part("dirty", "dirty cache", Some(split.dirty)),
        part("clean", "clean cache", Some(split.clean)),
        part("free", "free", split.free),
    ];
    parts.into_iter().flatten().collect()
}
