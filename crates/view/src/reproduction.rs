//! The page of a reproduction: a recorded incident, the same on a model, and with each advice, on one time axis.

use crate::measure::Measure;
use crate::page::{Block, Page};
use crate::table::Table;
use crate::timeline::{Band, Line, Plot, Shape, Spread, Stretch, Timeline};
use pagetide_core::{Recording, Table as Rows};

/// Intervals into which the time is cut, ns.
const INTERVAL: i64 = 1_000_000_000;
/// The colours of the incidents, in order.
const HUES: [&str; 5] = ["read", "write", "write2", "psicpu", "read2"];

/// One of the incidents that are drawn.
#[derive(Debug, Clone)]
pub struct ShownIncident<'a> {
    /// What it is.
    pub name: String,
    /// What was recorded of it.
    pub recording: &'a Recording,
    /// When what is drawn begins on the recording's axis, ns.
    pub from: i64,
    /// When it ends.
    pub to: i64,
}

/// What the page says beside the plots.
#[derive(Debug, Clone, Default)]
pub struct ReproductionTexts {
    /// The answer in a sentence.
    pub answer: String,
    /// What was compared of the incident and its reproduction.
    pub compared: Table,
    /// What each advice did; without rows when none was tried.
    pub advice: Table,
    /// What the recording does not show, a sentence each.
    pub guesses: Vec<String>,
    /// When the incident begins, ns after the begin of what is drawn.
    pub onset: i64,
}

/// The page.
pub fn reproduction(texts: ReproductionTexts, incidents: &[ShownIncident<'_>]) -> Page {
    let mut blocks = vec![Block::Table(texts.compared)];
    if !texts.advice.rows.is_empty() {
        blocks.push(Block::Heading("What each advice does".to_owned()));
        blocks.push(Block::Table(texts.advice));
    }
    blocks.push(Block::Heading("The incident, its reproduction, and the advice".to_owned()));
    blocks.push(Block::Timeline(Box::new(timeline(incidents, texts.onset))));
    if !texts.guesses.is_empty() {
        blocks.push(Block::Heading("What the recording does not show".to_owned()));
        blocks.push(Block::List(texts.guesses));
    }
    blocks.push(Block::Paragraph(
        "All but the recording was computed by a model; docs/CONFORMANCE.md lists how far it is from real kernels."
            .to_owned(),
    ));
    Page { title: "An incident, reproduced".to_owned(), headline: texts.answer, blocks, ..Page::default() }
}

/// A value of an incident in an interval on its recording's axis.
type Value = fn(&Recording, i64, i64) -> Option<f64>;

/// How much a counter rose per second.
fn rate(recording: &Recording, (table, entity): (Rows, &str), metric: &str, (from, to): (i64, i64)) -> Option<f64> {
    let rise = recording.series(table, entity, metric)?.around(from, to).rise(from, to)?;
    (to > from).then(|| rise as f64 * 1e9 / (to - from) as f64)
}

/// The disk that is busy for most of an interval.
fn busiest(recording: &Recording, from: i64, to: i64) -> Option<(f64, &str)> {
    let disks = recording.entities(Rows::Disk);
    let busy =
        disks.filter_map(|(disk, _)| Some((rate(recording, (Rows::Disk, disk), "io_ms", (from, to))? / 1e3, disk)));
    busy.max_by(|one, other| one.0.total_cmp(&other.0))
}

fn waits(recording: &Recording, from: i64, to: i64) -> Option<f64> {
    let of = |metric| rate(recording, (Rows::Host, ""), metric, (from, to));
    let both = of("psi_io_some").into_iter().chain(of("psi_memory_some"));
    both.reduce(f64::max).map(|micros| (micros / 1e6).min(1.0))
}

fn busy(recording: &Recording, from: i64, to: i64) -> Option<f64> {
    busiest(recording, from, to).map(|(busy, _)| busy.min(1.0))
}

fn request(recording: &Recording, from: i64, to: i64) -> Option<f64> {
    let (_, disk) = busiest(recording, from, to)?;
    let of = |metric| rate(recording, (Rows::Disk, disk), metric, (from, to));
    let requests = of("reads")? + of("writes")?;
    (requests > 0.0).then_some((of("read_ms")? + of("write_ms")?) / requests)
}

fn refaults(recording: &Recording, from: i64, to: i64) -> Option<f64> {
    let of = |metric| rate(recording, (Rows::Host, ""), metric, (from, to));
    let kinds = ["workingset_refault_file", "workingset_refault_anon", "workingset_refault"];
    kinds.into_iter().filter_map(of).reduce(|sum, more| sum + more)
}

const PLOTS: [(&str, &str, &str, Measure, Value); 4] = [
    (
        "pressure",
        "Tasks wait for IO or memory, including those that caused it",
        "/proc/pressure, some",
        Measure::Share,
        waits,
    ),
    ("disk", "The busiest disk is busy", "/proc/diskstats, io_ms", Measure::Share, busy),
    (
        "await",
        "Time of a request on it, ms",
        "/proc/diskstats, read_ms and write_ms per request",
        Measure::Count,
        request,
    ),
    ("reclaim", "Refaulted pages", "/proc/vmstat, workingset_refault", Measure::PagesPerSecond, refaults),
];

fn timeline(incidents: &[ShownIncident<'_>], onset: i64) -> Timeline {
    let span_ns = incidents.iter().map(|one| one.to.saturating_sub(one.from)).max().unwrap_or(0).max(1);
    let steps = (0..span_ns).step_by(usize::try_from(INTERVAL).unwrap_or(usize::MAX));
    let edges: Vec<i64> = steps.chain([span_ns]).collect();
    let plot = |(id, title, source, measure, value): (&'static str, &str, &str, Measure, Value)| {
        let line = |(one, hue): (&ShownIncident<'_>, &'static str)| {
            let values = edges.windows(2).map(|edge| {
                let (from, to) = (one.from.saturating_add(edge[0]), one.from.saturating_add(edge[1]));
                (to <= one.to).then(|| value(one.recording, from, to)).flatten().map(Spread::of)
            });
            Line { name: one.name.clone(), hue, values: values.collect() }
        };
        let lines = incidents.iter().zip(HUES).map(line).filter(|line| line.values.iter().any(Option::is_some));
        let shape = Shape::Rates { log: false, lines: lines.collect(), levels: None };
        Plot { id, title: title.to_owned(), source: source.to_owned(), measure, shape }
    };
    let plots = PLOTS.into_iter().map(plot).collect();
    let band = |id: &str, title: &str, from, to| Band { id: id.to_owned(), title: title.to_owned(), from, to };
    Timeline {
        stretches: vec![Stretch { from: 0, to: span_ns, start_local_ns: 0, start_ns: 0 }],
        span_ns,
        steps: vec![band("before", "the incident", 0, onset), band("incident", "", onset, span_ns)],
        edges,
        plots,
        ..Timeline::default()
    }
}
