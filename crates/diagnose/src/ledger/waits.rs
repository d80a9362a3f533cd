//! The time that tasks lose while they wait, over time: of the host or a group, for IO, memory or a CPU.

use crate::actors::commits::Commits;
use crate::evidence::threshold::MECHANICAL;
use crate::ledger::accounts;
use crate::measure::amount::{Amount, Count, Limit};
use crate::measure::episodes::{Episodes, SignalSpec};
use crate::measure::signal::Signal;
use crate::measure::window::{Window, intervals};
use pagetide_core::derived::{self, Derived};
use pagetide_core::{Moment, Nanos, Ratio, Recording, Resource, Span, Table};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// New loss below which a finding is a remark.
pub(crate) const MIN_LOST_TIME: Limit<Nanos> = Limit::new(
    "lost time above the baseline",
    100e6,
    "Less shows in no timeout and no latency percentile.",
    "judgement",
);
/// The same as a share of time, on a host whose tasks waited before.
pub(crate) const RIPPLE: Limit<Ratio> = Limit::new(
    "rise of the share of time lost over its baseline, or the baseline itself if that is less",
    0.02,
    "A service that always waits varies by as much as its baseline.",
    "judgement",
);
/// The rise that anybody feels.
pub(crate) const MIN_RISE: Limit<Ratio> = Limit::new(
    "rise of the share of time lost over its baseline, at least",
    0.01,
    "Nobody notices a service that is a hundredth slower.",
    "judgement",
);
/// Tasks that wait for IO most of the time.
pub(crate) const THROUGHOUT: Limit<Ratio> = Limit::new(
    "share of time that tasks wait for IO throughout, with requests that no seek explains",
    0.5,
    "A program may wait for its own reads all the time; a slow device makes each wait longer.",
    "judgement",
);
/// Waits for IO for which no device worked.
pub(crate) const NO_REQUEST: Limit<Ratio> = Limit::new(
    "share of time that tasks wait for IO throughout, beyond the time for which devices have requests",
    0.3,
    "Several disks may be busy at different times, and a wait ends a moment after its request.",
    "judgement",
);
/// Intervals before an onset that it takes for a baseline.
const BASELINE: u64 = 5;

/// The derived metrics that measure the waits for a resource, the better first.
const fn measures(resource: Resource) -> &'static [&'static Derived] {
    const IO: &[&Derived] = &[&derived::PSI_IO_SOME, &derived::CPU_IOWAIT];
    const MEMORY: &[&Derived] = &[&derived::PSI_MEMORY_SOME];
    const CPU: &[&Derived] = &[&derived::PSI_CPU_SOME];
    match resource {
        Resource::Io => IO,
        Resource::Memory => MEMORY,
        Resource::Cpu => CPU,
    }
}

/// A share of time, over time, with its sums from the beginning of the recording.
#[derive(Debug)]
pub(crate) struct Share {
    pub(crate) signal: Arc<Signal>,
    sums: Vec<(f64, f64)>,
}

/// The time that the tasks of a host or a group lose by waits for one resource, over time.
#[derive(Debug)]
pub(crate) struct Waits {
    /// The group; absent of the host.
    pub(crate) group: Option<String>,
    pub(crate) resource: Resource,
    /// By what it was measured.
    pub(crate) source: &'static Derived,
    pub(crate) share: Share,
    /// The share of time in quiet times: an incident may last for more than half of a recording.
    pub(crate) usual: Amount<Ratio>,
    /// What counts as a wait and is none.
    excluded: Vec<Share>,
    /// What is one and does not count.
    commits: Option<Commits>,
    /// The losses that somebody asked for, by the beginning of the whole and the stretch: each finding is weighed several times.
    known: RefCell<BTreeMap<(Moment, Span), Option<Harm>>>,
}

/// Time that tasks lose in a stretch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Harm {
    pub(crate) share: Amount<Ratio>,
    /// The share before; 0 when the recording begins with it.
    pub(crate) before: Amount<Ratio>,
    pub(crate) length: Nanos,
    /// Whether the share is of CPUs that idled while tasks waited, which is less than the time for which tasks waited.
    pub(crate) idle_alone: bool,
}

impl Harm {
    pub(crate) fn new(share: Amount<Ratio>, before: Amount<Ratio>, span: Span) -> Self {
        Self { share, before, length: span.length(), idle_alone: false }
    }

    /// The time that tasks lose beyond the rate before.
    pub(crate) fn lost(self) -> Amount<Nanos> {
        Amount::new((self.share - self.before).get().max(0.0) * self.length.as_f64())
    }

    /// Whether a service notices it: enough in total, a hundredth of the time, and more than the normal variation of a host that always waits.
    pub(crate) fn matters(self) -> bool {
        let least = if self.idle_alone { Amount::ZERO } else { MIN_RISE.value() };
        self.lost() >= MIN_LOST_TIME && self.share - self.before >= self.before.min(RIPPLE.value()).max(least)
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self { share: self.share + other.share, before: self.before + other.before, ..self }
    }
}

impl Share {
    fn of(recording: &Recording, episodes: &Episodes, spec: SignalSpec<'_>) -> Option<Self> {
        let signal = episodes.signal(recording, spec)?;
        let sums = signal.sums(Moment::new(recording.span()?.0));
        Some(Self { signal, sums })
    }

    fn mean(&self, span: Span) -> Option<Amount<Ratio>> {
        self.signal.mean(span)
    }

    fn mean_until(&self, to: Moment) -> Option<Amount<Ratio>> {
        self.signal.mean_until(&self.sums, to)
    }
}

/// The CPU time of kswapd. It counts as a task that waits for memory while it reclaims (`balance_pgdat` in mm/vmscan.c enters
/// psi_memstall), and no program waits for it.
fn kswapd(recording: &Recording, episodes: &Episodes) -> Vec<Share> {
    let threads = recording.entities(Table::Process).filter(|(_, comm)| comm.starts_with("kswapd"));
    let cpus = |(name, _)| Share::of(recording, episodes, SignalSpec::process(name, &derived::CPUS));
    threads.filter_map(cpus).collect()
}

/// The share of a stretch for which kswapd ran; 0 where it was not recorded.
pub(crate) fn kswapd_share(window: &Window<'_>, span: Span) -> Amount<Ratio> {
    let shares = kswapd(window.recording, window.episodes);
    shares.iter().filter_map(|share| share.mean(span)).fold(Amount::ZERO, |sum, share| sum + share)
}

impl Waits {
    pub(crate) fn of(
        recording: &Recording,
        episodes: &Episodes,
        group: Option<&str>,
        resource: Resource,
    ) -> Option<Self> {
        let place = if group.is_some() { Table::Cgroup } else { Table::Host };
        let mut measures = measures(resource).iter().filter(|derived| derived.tables.contains(&place));
        let (source, share) = measures.find_map(|derived| {
            Some((*derived, Share::of(recording, episodes, SignalSpec::of_group(group, derived))?))
        })?;
        let usual = share.signal.baseline()?;
        let of_host = resource == Resource::Memory && group.is_none();
        let excluded = if of_host { kswapd(recording, episodes) } else { Vec::new() };
        let commits =
            group.filter(|_| resource == Resource::Io).and_then(|group| Commits::of(recording, episodes, group));
        let known = RefCell::default();
        Some(Self { group: group.map(str::to_owned), resource, source, share, usual, excluded, commits, known })
    }

    /// The loss in a stretch.
    pub(crate) fn harm(&self, whole: &Window<'_>, span: Span) -> Option<Harm> {
        *self.known.borrow_mut().entry((whole.span.from, span)).or_insert_with(|| self.find_harm(whole, span))
    }

    fn find_harm(&self, whole: &Window<'_>, span: Span) -> Option<Harm> {
        let lost = |mean: &dyn Fn(&Share) -> Option<Amount<Ratio>>| {
            let excluded = self.excluded.iter().filter_map(mean);
            Some(excluded.fold(mean(&self.share)?, |share, other| share - other).max(Amount::ZERO))
        };
        let before = Span { from: whole.span.from, to: span.from };
        let long = before.length() >= intervals(whole.recording, BASELINE);
        let before = if long { lost(&|share| share.mean_until(before.to)) } else { None };
        let before = before.map_or(Amount::ZERO, |before| before.min(self.usual));
        let idle_alone = self.source.name == derived::CPU_IOWAIT.name;
        let in_commits = self.commits.map_or(Amount::ZERO, |commits| commits.share(span));
        let share = (lost(&|share| share.mean(span))? + in_commits).min(Amount::new(1.0));
        Some(Harm { idle_alone, ..Harm::new(share, before, span) })
    }
}

/// The share of time for which tasks wait for IO, where they wait in most intervals: waits that begin within a recording have a time before.
fn from_start_to_end(window: &Window<'_>) -> Option<Amount<Ratio>> {
    let signal = window.episodes.signal(window.recording, SignalSpec::derived(&derived::PSI_IO_SOME))?;
    signal.baseline().filter(|usual: &Amount<Ratio>| *usual >= THROUGHOUT)?;
    window.share(&derived::PSI_IO_SOME).filter(|share| *share >= THROUGHOUT)
}

/// The share of time for which tasks wait for IO, with the slowest disk and its time per request, where both are too much for a host that is well:
/// what lasts from the start of a recording to its end has no time before that it stands out of.
pub(crate) fn throughout<'a>(window: &Window<'a>) -> Option<(Amount<Ratio>, &'a str, Amount<Nanos>)> {
    let share = from_start_to_end(window)?;
    let (disk, time) = window.busiest(|disk| window.disk_await(disk)).filter(|(_, time)| *time >= MECHANICAL)?;
    Some((share, disk, time))
}

/// The share of time for which tasks wait for IO from start to end, and the share for which devices have requests or flush their cache, where that is
/// far less: a limit of a group or a file system of another host keeps them waiting.
pub(crate) fn without_requests(window: &Window<'_>) -> Option<(Amount<Ratio>, Amount<Ratio>)> {
    let share = from_start_to_end(window)?;
    let works = window.all_disks(|disk| works(window, disk))?;
    (share - works >= NO_REQUEST.value()).then_some((share, works))
}

/// The share of time for which a disk has requests or flushes its cache: nobody waits for it longer.
pub(crate) fn works(window: &Window<'_>, disk: &str) -> Option<Amount<Ratio>> {
    let flushes = window.rates::<Count>(Table::Disk, disk, accounts::FLUSHES).map_or(0.0, |rate| rate.get() / 1e3);
    Some(window.busy(disk)? + Amount::new(flushes))
}

/// The derived metrics that measure harm.
pub(crate) fn derived() -> impl Iterator<Item = &'static Derived> {
    let all = [Resource::Io, Resource::Memory, Resource::Cpu].into_iter().flat_map(measures).copied();
    all.chain(std::iter::once(&derived::CPUS))
}

/// The share of time that the tasks of the host or of a group lose by waits for a resource, in each interval with its length in ns; and
/// by what it was measured.
pub(crate) fn waits(
    recording: &Recording,
    group: Option<&str>,
    resource: Resource,
) -> Option<(&'static Derived, Vec<(i64, f64)>)> {
    let waits = Waits::of(recording, &Episodes::default(), group, resource)?;
    let share = |(span, share): (Span, f64)| {
        let excluded = waits.excluded.iter().filter_map(|other| other.mean(span)).map(Amount::get);
        let length = i64::try_from(span.length().get()).unwrap_or(i64::MAX);
        (length, (share - excluded.sum::<f64>()).max(0.0))
    };
    let shares = waits.share.signal.intervals().map(share).collect();
    Some((waits.source, shares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_matters_from_a_hundredth_of_the_time_on() {
        let span = Span::new(0, 40_000_000_000);
        let harm = |share: f64, before: f64| Harm::new(Amount::new(share), Amount::new(before), span);
        assert!(!harm(0.009, 0.003).matters(), "0.24 s of 40 s");
        assert!(harm(0.015, 0.003).matters());
        assert!(!harm(0.0009, 0.0).matters(), "36 ms");
        assert!(!harm(0.41, 0.395).matters(), "a service that always waits");
        let idle = Harm { idle_alone: true, ..harm(0.009, 0.003) };
        assert!(idle.matters(), "tasks may have waited for longer than CPUs idled");
    }
}
