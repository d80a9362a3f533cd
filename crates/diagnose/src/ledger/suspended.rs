//! Programs that somebody suspended: stopped by a signal until another one continues them (`kernel/signal.c: do_signal_stop`, 6.12), or in a frozen control
//! group (`kernel/cgroup/freezer.c: cgroup_enter_frozen`, 6.12). A batch scheduler does so for an urgent job, a container runtime to pause a
//! container. They want neither a CPU nor a device meanwhile, and lose nothing. A debugger (state t) and a profiler that stops a program for moments let
//! it run in between, and hold it up.

use crate::actors::group;
use crate::actors::process::{self, ProcessShare};
use crate::measure::amount::{Amount, Count, Rate};
use crate::measure::window::{Window, intervals};
use pagetide_core::{Moment, Series, Span, Table};

/// What this module reads.
pub(crate) const METRICS: &[&str] = &["state", "utime", "stime", "frozen", "cgroup_id"];

/// The state of a process that a signal stopped (fs/proc/array.c: task_state_array, 6.12).
const STOPPED: i64 = b'T' as i64;
/// Samples in a row in which a process is stopped and does not run in between, at least: a profiler's stops are shorter.
const SAMPLES: usize = 5;
/// The part of the CPU time of a group before that suspended processes used, for the group to be suspended with them.
const MOST_OF_ITS_WORK: f64 = 0.5;
/// Ticks of 1/100 s a second that a program used before it was stopped, at least: who was at rest may be stopped at a prompt of a shell.
pub(crate) const WORKED: f64 = 1.0;

/// When a process was suspended: from the first sample in which it was stopped to the first in which it was not, or to the end.
pub(crate) fn spans(window: &Window<'_>, process: &str) -> Vec<Span> {
    let series = |metric| window.recording.series(Table::Process, process, metric);
    let Some(states) = series("state") else { return Vec::new() };
    let used = |at| {
        let at = |series: Option<Series<'_>>| series.and_then(|series| series.at(at)).unwrap_or(0);
        at(series("utime")).saturating_add(at(series("stime")))
    };
    let (mut spans, mut run): (Vec<Span>, Vec<i64>) = (Vec::new(), Vec::new());
    let end = window.span.to.ns().saturating_add(1);
    for (at, state) in states.points().chain(std::iter::once((end, 0))) {
        let goes_on = state == STOPPED && run.last().is_none_or(|last| used(*last) == used(at));
        if goes_on {
            run.push(at);
            continue;
        }
        if run.len() >= SAMPLES {
            spans.push(Span::new(run[0], at.min(window.span.to.ns())));
        }
        run.clear();
        run.extend((state == STOPPED).then_some(at));
    }
    spans
}

/// When a group, or one above it, was frozen: its first and its last sample that says so.
fn frozen(window: &Window<'_>, group: &str) -> Option<Span> {
    let all = group::with_parents(window, group).filter_map(|group| {
        let series = window.recording.series(Table::Cgroup, group, "frozen")?;
        let mut points = series.points().filter(|(_, frozen)| *frozen == 1).map(|(at, _)| at);
        let first = points.next()?;
        Some(Span::new(first, points.next_back().unwrap_or(first)))
    });
    all.min_by_key(|span| span.from)
}

/// Whether a group does less from a moment on because it was suspended: it was frozen, or processes of it were stopped that did most of its work before.
pub(crate) fn is_suspended(window: &Window<'_>, group: &str, at: Moment) -> bool {
    let since = Span { from: at.earlier(intervals(window.recording, 1)), ..window.span };
    if frozen(window, group).is_some_and(|frozen| frozen.overlaps(since)) {
        return true;
    }
    let before = window.over(Span { to: at, ..window.span });
    let (mut all, mut suspended) = (Amount::<Count>::ZERO, Amount::ZERO);
    for (name, _) in process::present(window).filter(|(name, _)| group::contains(window, group, name)) {
        let worked = ["utime", "stime"].map(|metric| before.rise(Table::Process, name, metric));
        let worked = worked.into_iter().flatten().fold(Amount::ZERO, |sum, ticks| sum + ticks);
        all = all + worked;
        if spans(window, name).iter().any(|span| span.overlaps(since)) {
            suspended = suspended + worked;
        }
    }
    suspended.is_positive() && suspended >= all * MOST_OF_ITS_WORK
}

/// The program that used most CPU time before somebody stopped it, and the groups that were frozen, as sentences; empty where there is none.
pub(crate) fn words(window: &Window<'_>) -> String {
    let stopped = |(name, comm)| {
        let span = spans(window, name).into_iter().next()?;
        let before = window.over(Span { to: span.from, ..window.span });
        let worked: Rate<Count> = before.rates(Table::Process, name, &["utime", "stime"])?;
        let process = ProcessShare::of_one(name, comm, worked);
        (worked.get() >= WORKED).then_some((process, span))
    };
    let stopped = process::present(window).filter_map(stopped);
    let stopped = stopped.max_by(|a, b| a.0.amount.total_cmp(&b.0.amount)).map(|(process, span)| {
        let length = span.length();
        let from = span.from.since(window.span.from);
        let words = process.words();
        format!(" From {from} into the recording on, {words} was stopped by a signal (state T) for {length}, and did not want a CPU.")
    });
    let frozen = group::leaves(window.recording).into_iter().filter_map(|group| {
        let span = frozen(window, group)?;
        let from = span.from.since(window.span.from);
        Some(format!(" From {from} into the recording on, the control group {group} was frozen for {}.", span.length()))
    });
    stopped.into_iter().chain(frozen).collect()
}
