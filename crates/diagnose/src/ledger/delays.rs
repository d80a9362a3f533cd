//! The time that single programs lose, by the delays that the kernel accounts for each task (taskstats).
//!
//! Few recordings have them: `kernel.task_delayacct` is 0 unless somebody sets it. Without them harm is stated of the host, its groups and
//! devices, and no program is said to lose time.

use crate::actors::newcomer;
use crate::actors::process;
use crate::ledger::harm::NOTICED;
use crate::ledger::waits::{Harm, MIN_LOST_TIME};
use crate::measure::amount::{Amount, Rate};
use crate::measure::window::{Window, intervals};
use pagetide_core::{Actor, EndedName, Nanos, Ratio, Recording, Resource, Span, Table, TimeLost};
use std::collections::BTreeMap;

/// The delays that are waits for a resource.
const WAITS: [(Resource, &[&str]); 3] = [
    (Resource::Io, &["blkio_delay_total"]),
    (
        Resource::Memory,
        &["swapin_delay_total", "freepages_delay_total", "thrashing_delay_total", "compact_delay_total"],
    ),
    (Resource::Cpu, &["cpu_delay_total"]),
];

/// What this module reads.
pub(crate) const METRICS: &[&str] = &[
    "blkio_delay_total",
    "swapin_delay_total",
    "freepages_delay_total",
    "thrashing_delay_total",
    "compact_delay_total",
    "cpu_delay_total",
    "rss",
];

/// Programs that are named of each resource.
const NAMED: usize = 3;
/// Intervals that show what a program lost before.
const BASELINE: u64 = 5;

/// The share of time that a process waits for a resource in a window. Who was told to give way to others loses no time while it waits for a CPU.
fn share(window: &Window<'_>, process: &str, (resource, metrics): (Resource, &[&str])) -> Option<Amount<Ratio>> {
    if resource == Resource::Cpu && process::is_of_low_priority(window, process) {
        return window.series(Table::Process, process, metrics[0]).map(|_| Amount::ZERO);
    }
    let rate: Rate<Nanos> = window.rates(Table::Process, process, metrics)?;
    Some(Amount::new(rate.get() / 1e9))
}

/// Whether delays of processes were recorded while they ran. The rows of those that ended always have them: waits for a CPU as they were, and 0 of all
/// others where `kernel.task_delayacct` is 0.
fn are_recorded(recording: &Recording, metrics: &[&str]) -> bool {
    let mut running = recording.entities(Table::Process).filter(|(name, _)| !EndedName::is(name));
    running.any(|(name, _)| metrics.iter().any(|metric| recording.series(Table::Process, name, metric).is_some()))
}

/// How long programs that ran before a stretch waited in it for a resource, all together; absent where no delay was recorded. Threads of the kernel are
/// no programs, and what a program that started waits for its own requests is no harm.
pub(crate) fn of_programs(whole: &Window<'_>, span: Span, resource: Resource) -> Option<Amount<Ratio>> {
    let during = whole.over(span);
    let (_, metrics) = WAITS.into_iter().find(|(of, _)| *of == resource)?;
    if !are_recorded(whole.recording, metrics) {
        return None;
    }
    let programs = process::present(&during).filter(|(name, _)| !process::is_kernel_thread(&during, name));
    let waits = programs.filter_map(|(name, comm)| {
        let share = share(&during, name, (resource, metrics))?;
        Some(if newcomer::started(&during, comm) { Amount::ZERO } else { share })
    });
    waits.reduce(|sum, share| sum + share)
}

/// The programs that lost time in a stretch, those called the same together; by resource, the largest loss first.
pub(crate) fn losses(whole: &Window<'_>, span: Span) -> Vec<TimeLost> {
    let during = whole.over(span);
    let before = whole.over(Span { from: whole.span.from, to: span.from });
    let known = before.span.length() >= intervals(whole.recording, BASELINE);
    let ran = process::present(&during).filter(|(name, _)| !process::is_kernel_thread(&during, name));
    let ran: Vec<(&str, &str)> = ran.collect();
    let mut all = Vec::new();
    for (resource, metrics) in WAITS {
        let mut programs: BTreeMap<&str, Harm> = BTreeMap::new();
        for (name, comm) in ran.iter().copied() {
            let Some(now) = share(&during, name, (resource, metrics)) else { continue };
            let earlier = if known { share(&before, name, (resource, metrics)) } else { None }.unwrap_or(Amount::ZERO);
            let own = Harm::new(now, earlier, span);
            programs.entry(comm).and_modify(|sum| *sum = sum.and(own)).or_insert(own);
        }
        let lost = programs.into_iter().filter(|(_, harm)| harm.lost() >= MIN_LOST_TIME);
        let mut lost: Vec<(&str, Harm)> = lost.collect();
        lost.sort_by(|a, b| b.1.lost().total_cmp(&a.1.lost()));
        all.extend(lost.into_iter().take(NAMED).map(|(comm, harm)| TimeLost {
            victim: Actor::command(comm),
            resource,
            by_cause: false,
            busier: false,
            disk: None,
            share: harm.share.get(),
            before: harm.before.get(),
            lost_ns: harm.lost().nanos().get(),
            source: metrics.join(" + "),
        }));
    }
    all
}

/// Whether the delays show that only programs lost time to IO and memory in a stretch which started with it: swapoff, a job that reads. False where
/// nobody lost any, or delays were not recorded.
pub(crate) fn of_newcomers(whole: &Window<'_>, span: Span) -> bool {
    let during = whole.over(span);
    let lost: Vec<TimeLost> = losses(whole, span).into_iter().filter(|one| one.resource != Resource::Cpu).collect();
    let started = |one: &TimeLost| one.victim.as_command().is_some_and(|comm| newcomer::started(&during, comm));
    !lost.is_empty() && lost.iter().all(started)
}

/// Whether the delays show that nobody who ran before a stretch waits notably longer in it for a CPU, but programs that started with it do.
pub(crate) fn newcomers_wait_for_a_cpu(whole: &Window<'_>, span: Span) -> bool {
    let during = whole.over(span);
    let mut lost = losses(whole, span).into_iter().filter(|one| one.resource == Resource::Cpu).peekable();
    let started = |one: &TimeLost| one.victim.as_command().is_some_and(|comm| newcomer::started(&during, comm));
    are_recorded(whole.recording, &["cpu_delay_total"])
        && lost.peek().is_some()
        && lost.all(|one| started(&one) || one.share - one.before < NOTICED.get())
}

/// Why no program is said to lose time, and what to do about it; absent where delays were recorded, and where no processes were.
pub(crate) fn missing(recording: &Recording) -> Option<String> {
    recording.entities(Table::Process).next()?;
    // What the recorder could not read is said of the recorder.
    let said = recording.manifest.unreadable.iter().any(|missing| missing.source == "taskstats");
    if said || are_recorded(recording, &METRICS[..1]) {
        return None;
    }
    let why =
        recording.manifest.process_delays.strip_prefix("none: ").unwrap_or("per-process delays were not recorded");
    Some(format!(
        "The programs that lost time are unknown: {}. To record them, run `sysctl -w kernel.task_delayacct=1` before the programs start.",
        why.split_once(": ").map_or(why, |(why, _)| why)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::episodes::Episodes;
    use pagetide_core::{Column, Kind, Manifest, Moment, RecordingBuilder, Stamp, Unit};

    const SECOND: i64 = 1_000_000_000;

    /// A minute in which a process ran from the 30th second on, and another one all the time, if that waits: for IO and for a CPU.
    fn recorded(came: &str, service: Option<i64>) -> Recording {
        let mut builder =
            RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() });
        for at in 0..=60 {
            builder.stamp(Stamp { boot_ns: at * SECOND, ..Stamp::default() });
            let mut counts = |process: &str, name: &str, value: i64| {
                let column = Column { name: name.to_owned(), kind: Kind::Counter, unit: Unit::Nanos };
                builder.value(Table::Process, process, &column, value);
            };
            counts("9@1", "utime", at);
            for (name, waits) in [("blkio_delay_total", 0), ("cpu_delay_total", SECOND / 2)] {
                if at >= 30 {
                    counts(came, name, (at - 30) * waits);
                }
                if let Some(waits) = service {
                    counts("9@1", name, (at - 30).max(0) * waits);
                }
            }
        }
        builder.finish()
    }

    #[test]
    fn rows_of_processes_that_ended_do_not_tell_that_nobody_waited() {
        let told = |came: &str, service: Option<i64>| {
            let recording = recorded(came, service);
            let episodes = Episodes::default();
            let whole = Window::whole(&recording, &episodes).expect("a minute");
            let span = Span { from: Moment::new(30 * SECOND), to: Moment::new(60 * SECOND) };
            (of_programs(&whole, span, Resource::Io).map(Amount::get), newcomers_wait_for_a_cpu(&whole, span))
        };
        assert_eq!(told("ended/0.1@3000", None), (None, false), "of those that run nothing is known");
        assert_eq!(told("7@3000", Some(0)), (Some(0.0), true), "nobody who ran before waits");
        let (waits, alone) = told("7@3000", Some(SECOND / 2));
        assert!(waits.is_some_and(|waits| (waits - 0.5).abs() < 0.05) && !alone, "{waits:?}");
    }
}
