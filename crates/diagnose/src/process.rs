//! Which process it was.

use crate::case::Case;
use crate::window::Window;
use pagetide_core::{Quantity, Table, Unit};

/// A process and how much it did.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Who<'a> {
    /// Its name in the process table: id and start time.
    pub(crate) name: &'a str,
    /// What it is called (`comm`).
    pub(crate) comm: &'a str,
    pub(crate) amount: f64,
}

impl Who<'_> {
    /// The process as a reader knows it.
    pub(crate) fn words(&self) -> String {
        format!("{} ({})", self.comm, self.name)
    }
}

/// The process in which a counter rose fastest, per second.
pub(crate) fn fastest<'a>(window: &Window<'a>, metrics: &[&str]) -> Option<Who<'a>> {
    let rates = window.recording.entities(Table::Process).filter_map(|(name, comm)| {
        let amount = window.rates(Table::Process, name, metrics)?;
        Some(Who { name, comm, amount })
    });
    rates.filter(|who| who.amount > 0.0).max_by(|a, b| a.amount.total_cmp(&b.amount))
}

/// Names the process with most major faults in a case, with how many a second.
pub(crate) fn blame_faults(case: &mut Case, window: &Window<'_>) {
    if let Some(who) = fastest(window, &["majflt"]) {
        case.note(case.measured(
            &format!("major faults of {}", who.words()),
            "majflt",
            Quantity::new(who.amount, Unit::PerSecond),
        ));
        case.blame("process", who.comm);
    }
}

/// The process whose anonymous memory, swapped or resident, grew most, in bytes.
pub(crate) fn grower<'a>(window: &Window<'a>) -> Option<Who<'a>> {
    let grown = window.recording.entities(Table::Process).filter_map(|(name, comm)| {
        let of = |metric: &str| growth(window, name, metric);
        let resident = of("RssAnon").or_else(|| of("rss").map(|pages| pages * window.page_size()))?;
        Some(Who { name, comm, amount: resident + of("VmSwap").unwrap_or(0.0) })
    });
    grown.filter(|who| who.amount > 0.0).max_by(|a, b| a.amount.total_cmp(&b.amount))
}

/// How much a gauge of a process grew. One that came within the stretch, after the first sample, grew from nothing.
fn growth(window: &Window<'_>, process: &str, metric: &str) -> Option<f64> {
    let series = window.recording.series(Table::Process, process, metric)?;
    let (first_at, _) = series.points().next()?;
    let recorded = window.recording.stamps().first()?.boot_ns;
    let near = series.around(window.from, window.to);
    let mut values = near.within(window.from, window.to).map(|(_, value)| value as f64);
    let first = values.next()?;
    let last = values.next_back().unwrap_or(first);
    let before = near.at(window.from).map(|value| value as f64);
    let start = if first_at > window.from && first_at > recorded { 0.0 } else { before.unwrap_or(first) };
    Some(last - start)
}
