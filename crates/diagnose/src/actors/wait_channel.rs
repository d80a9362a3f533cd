//! In which functions of the kernel a process sleeps: its wait channel (`wchan`), at each sample that finds it in uninterruptible sleep.
//!
//! Linux up to 5.15 names none on x86 (`get_wchan` of arch/x86/kernel/process.c found none in a kernel with the ORC unwinder).

use crate::actors::process;
use crate::measure::amount::Count;
use crate::measure::window::Window;
use pagetide_core::{Moment, Table};

/// What this module reads.
pub(crate) const METRICS: &[&str] = &["wchan_*"];
/// What the metrics of functions in which tasks wait begin with.
const WCHAN: &str = "wchan_";

/// A writer sleeps here while too much memory is dirty (mm/page-writeback.c).
pub(crate) const BALANCE_DIRTY_PAGES: &str = "balance_dirty_pages";

/// Whether the functions in which processes wait were recorded in a window.
pub(crate) fn are_recorded(window: &Window<'_>) -> bool {
    process::present(window).any(|(name, _)| functions(window, name).next().is_some())
}

/// Samples that found a process in a function.
pub(crate) fn samples_in(window: &Window<'_>, process: &str, function: &str) -> usize {
    moments_in(window, process, function).len()
}

/// When they did.
pub(crate) fn moments_in(window: &Window<'_>, process: &str, function: &str) -> Vec<Moment> {
    let series = window.series(Table::Process, process, &format!("{WCHAN}{function}"));
    series.map_or_else(Vec::new, |series| window.points::<Count>(&series).map(|(at, _)| at).collect())
}

/// The function in which most samples of a process found it waiting.
pub(crate) fn most<'a>(window: &Window<'a>, process: &str) -> Option<&'a str> {
    functions(window, process).max_by_key(|function| samples_in(window, process, function))
}

fn functions<'a>(window: &Window<'a>, process: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    let columns = window.recording.columns(Table::Process, process);
    columns.filter_map(|(column, _)| column.name.strip_prefix(WCHAN))
}
