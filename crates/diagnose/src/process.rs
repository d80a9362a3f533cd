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

/// The processes that may have done anything in a window: name and command.
pub(crate) fn present<'a>(window: &Window<'a>) -> impl Iterator<Item = (&'a str, &'a str)> {
    window.recording.entities_within(Table::Process, window.from, window.to)
}

/// The process in which a counter rose fastest, per second.
pub(crate) fn fastest<'a>(window: &Window<'a>, metrics: &[&str]) -> Option<Who<'a>> {
    let rates = present(window).filter_map(|(name, comm)| {
        let amount = window.rates(Table::Process, name, metrics)?;
        Some(Who { name, comm, amount })
    });
    let mut rates: Vec<Who<'a>> = rates.filter(|who| who.amount > 0.0).collect();
    rates.sort_by(|a, b| b.amount.total_cmp(&a.amount));
    let parent = |who: &Who<'_>| metrics.iter().any(|metric| inherits(window, who, metric));
    let index = rates.iter().position(|who| !parent(who))?;
    Some(rates.swap_remove(index))
}

/// Counters of IO that rules look at; the kernel adds them to the parent's when a process is waited for (`wait_task_zombie` in kernel/exit.c).
const INHERITED: [&str; 3] = ["read_bytes", "write_bytes", "rchar"];

/// Whether most of what a process did is what another had done that ended: its own is the rest.
fn inherits(window: &Window<'_>, who: &Who<'_>, metric: &str) -> bool {
    let series = |name: &str| window.recording.series(Table::Process, name, metric);
    let Some(own) = series(who.name).filter(|_| INHERITED.contains(&metric)) else { return false };
    let own = own.around(window.from, window.to);
    let Some(all) = own.rise(window.from, window.to).map(|rise| rise as f64) else { return false };
    let points: Vec<(i64, i64)> = own.points().collect();
    let rise = |pair: &[(i64, i64)]| (pair[0].0, pair[1].0, pair[1].1.saturating_sub(pair[0].1) as f64);
    let Some((from, to, jump)) = points.windows(2).map(rise).max_by(|a, b| a.2.total_cmp(&b.2)) else { return false };
    // Its last sample is of the interval before, and what it did after that comes on top.
    let ended = |name: &str| {
        let (at, value) = series(name)?.points().next_back()?;
        (at <= from && at >= from.saturating_sub(to.saturating_sub(from).saturating_mul(2))).then_some(value as f64)
    };
    let others = window.recording.entities(Table::Process).filter(|(name, _)| *name != who.name);
    jump >= all * 0.5 && others.filter_map(|(name, _)| ended(name)).any(|value| value >= jump * 0.5)
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
    let grown = present(window).filter_map(|(name, comm)| {
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
