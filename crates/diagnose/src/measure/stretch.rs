//! The stretches of a recording in which something may have happened.

use crate::measure::amount::Amount;
use crate::measure::episodes::{Episodes, SignalSpec};
use crate::measure::window::{REFAULTED, SCANNED, Window, intervals, joined};
use pagetide_core::{Moment, Nanos, Ratio, Recording, Span, StepResult, Table};
use pagetide_core::{derived, on_all_cores};

/// Counts the processes that the OOM killer ended.
pub(crate) const KILLS: &str = "oom_kill";

/// The share of time lost above the baseline, at least, for a stretch to be examined.
const LOSES: Amount<Ratio> = Amount::new(0.3);
/// Intervals for which they do.
const LASTS: u64 = 5;

impl<'a> Window<'a> {
    /// The stretches in which something may have happened: the steps of a recording that has any, else its busy stretches, else
    /// all of it.
    pub(crate) fn all(recording: &'a Recording, episodes: &'a Episodes) -> Vec<Self> {
        // Steps are stretches with known bounds; what was before one is the time since the one before it began.
        let mut rest = recording.span().map_or(Moment::new(i64::MIN), |(from, _)| Moment::new(from));
        let of_step = |step: &'a StepResult| {
            let span = Span::new(step.started_ns, step.ended_ns);
            let quiet = (span.from > rest).then_some(Span { from: rest, to: span.from });
            rest = span.from;
            Self { recording, episodes, span, step: Some(step), quiet }
        };
        let steps: Vec<Self> = recording.steps().map(of_step).collect();
        if !steps.is_empty() {
            return steps;
        }
        let Some(whole) = Self::whole(recording, episodes) else { return Vec::new() };
        let busy = busy(recording, episodes);
        if busy.is_empty() {
            return vec![whole];
        }
        let mut rest = whole.span.from;
        let windows = busy.into_iter().map(|span| {
            let quiet = (span.from > rest).then_some(Span { from: rest, to: span.from });
            rest = span.to;
            Self { span, quiet, ..whole }
        });
        windows.collect()
    }
}

/// The signals of the host that tell when something may have happened.
const OF_HOST: [SignalSpec<'static>; 14] = [
    SignalSpec::derived(&SCANNED),
    SignalSpec::derived(&REFAULTED),
    SignalSpec::derived(&derived::MAJOR_FAULTS),
    SignalSpec::host(&["pswpin", "pswpout"]),
    SignalSpec::host(&["drop_pagecache"]),
    SignalSpec::host(&[KILLS]),
    SignalSpec::derived(&derived::PSI_MEMORY_SOME),
    SignalSpec::derived(&derived::PSI_IO_SOME),
    SignalSpec::host(&["cpu_iowait_share"]),
    SignalSpec::derived(&derived::PSI_CPU_SOME),
    SignalSpec::host(&["cpu_user", "cpu_nice", "cpu_system"]),
    SignalSpec::host(&["compact_stall"]),
    SignalSpec::host_fall("Cached"),
    SignalSpec::host_growth("AnonPages"),
];

/// Those of a disk.
const fn of_disk(disk: &str) -> [SignalSpec<'_>; 3] {
    [
        SignalSpec::disk(disk, &derived::READ_BANDWIDTH),
        SignalSpec::disk(disk, &derived::WRITE_BANDWIDTH),
        SignalSpec::disk_await(disk),
    ]
}

/// The metrics of these signals.
pub(crate) fn metrics() -> impl Iterator<Item = &'static str> {
    OF_HOST.into_iter().chain(of_disk("")).flat_map(SignalSpec::metrics)
}

/// The stretches in which any of these signals is far above its baseline, overlapping ones joined, in order of time.
fn busy(recording: &Recording, episodes: &Episodes) -> Vec<Span> {
    let of_disks = recording.entities(Table::Disk).flat_map(|(disk, _)| of_disk(disk));
    let signals: Vec<SignalSpec<'_>> = OF_HOST.into_iter().chain(of_disks).collect();
    let all = on_all_cores(&signals, |signal| episodes.of(recording, *signal));
    let all = all.iter().flat_map(|found| found.iter().map(|(span, _)| *span));
    let all = joined(all.collect(), Nanos::new(0));
    let more = losing(recording, episodes).into_iter().filter(|span| !all.iter().any(|known| known.overlaps(*span)));
    joined(all.iter().copied().chain(more).collect(), Nanos::new(0))
}

/// The stretches in which tasks wait for a CPU clearly more than they usually do, though not times as much: a load that doubles on a busy host.
fn losing(recording: &Recording, episodes: &Episodes) -> Vec<Span> {
    let waits = SignalSpec::derived(&derived::PSI_CPU_SOME);
    let usual = episodes.signal(recording, waits).and_then(|signal| signal.baseline::<Ratio>());
    let held = usual.map_or_else(Vec::new, |usual| episodes.held(recording, waits, usual + LOSES).to_vec());
    // What lasts from the start has no time before that it is more than.
    let first =
        recording.span().map_or(Span::ALL.from, |(from, _)| Moment::new(from).later(intervals(recording, LASTS)));
    let lasting = |span: &Span| span.length() >= intervals(recording, LASTS) && span.from >= first;
    joined(held, intervals(recording, 2)).into_iter().filter(lasting).collect()
}
