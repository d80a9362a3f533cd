//! The first requests of a step, while the cache is still about what the step found.

use crate::measure::amount::Amount;
use crate::measure::window::{Window, stored};
use pagetide_core::memory::Memory;
use pagetide_core::{Bytes, Pages, Ratio, Series, Span, Table};

/// The beginning of a step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Opening<'a> {
    /// The process that read.
    pub(super) process: &'a str,
    /// The part of the step's requests that it covers.
    pub(super) part: Amount<Ratio>,
    /// By what the misses were counted.
    pub(super) source: &'static str,
    /// The part of the requested bytes that had to be read in it.
    pub(super) misses: Amount<Ratio>,
    pub(super) span: Span,
}

/// The most of a step that is still its beginning.
const MAX_PART_READ: f64 = 0.2;
/// The least that is worth a ratio.
const MIN_RATIO: f64 = 0.01;

/// The longest beginning that samples allow: it ends at the last sample before a fifth of the bytes was read, else at the first
/// one if that lies within the first two fifths. Absent when no process's reads were recorded.
pub(super) fn of<'a>(window: &Window<'a>) -> Option<Opening<'a>> {
    let processes = window.recording.entities(Table::Process);
    let (process, reads) = processes
        .filter_map(|(name, _)| {
            Some((name, requested(&window.recording.series(Table::Process, name, "rchar")?, window)))
        })
        .max_by_key(|(_, reads)| reads.last().map_or(0, |(_, bytes)| *bytes))?;
    let total = reads.last().map(|(_, bytes)| *bytes).filter(|bytes| *bytes > 0)?;
    let part = |bytes: i64| bytes as f64 / total as f64;
    let within = |most: f64| move |(_, bytes): &&(i64, i64)| (MIN_RATIO..=most).contains(&part(*bytes));
    let (at, bytes) =
        *reads.iter().rfind(within(MAX_PART_READ)).or_else(|| reads.iter().find(within(2.0 * MAX_PART_READ)))?;
    let (read, source) = read_until(window, at)?;
    let misses = (read / stored(bytes)).min(Amount::new(1.0));
    let span = Span::new(window.span.from.ns(), at);
    Some(Opening { process, source, part: Amount::new(part(bytes)), misses, span })
}

/// Bytes read again after eviction since the window began, by refaults where they are counted, else all that the disks read.
fn read_until(window: &Window<'_>, at: i64) -> Option<(Amount<Bytes>, &'static str)> {
    let refaults = Memory::of(window.recording).refaults.and_then(|series| series.rise(window.span.from.ns(), at));
    if let Some(pages) = refaults {
        return Some((stored::<Pages>(pages) * window.page_size(), "refaults * page size"));
    }
    let disks = window.disks().into_iter();
    let sectors = disks.filter_map(|disk| window.recording.disk(disk, "read_sectors")?.rise(window.span.from.ns(), at));
    Some((stored::<Bytes>(sectors.reduce(|sum, rise| sum.saturating_add(rise))?) * 512.0, "read_sectors * 512"))
}

/// What a process had requested at each sample of a window, in bytes since the window began. A process that started within it
/// had requested nothing before.
fn requested(rchar: &Series<'_>, window: &Window<'_>) -> Vec<(i64, i64)> {
    let base = rchar.at(window.span.from.ns()).unwrap_or(0);
    let inside = rchar.within(window.span.from.ns(), window.span.to.ns());
    inside.map(|(at, bytes)| (at, bytes.saturating_sub(base))).take_while(|(_, bytes)| *bytes >= 0).collect()
}
