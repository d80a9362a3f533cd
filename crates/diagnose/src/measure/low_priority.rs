//! Processes that were told to give way to others that want a CPU, and the waits for a CPU that are no lost time because they are theirs.
//!
//! A process with a nice value above 0, or with the policy SCHED_IDLE, is meant to run on what others leave (`kernel/sched/syscalls.c:
//! set_user_nice, __setscheduler_params`, 6.12). Pressure stall information counts its waits as those of any other (`kernel/sched/psi.c:
//! psi_task_change`, 6.12). How long it waited is in its own counters (`kernel/sched/stats.h: sched_info_arrive`, 6.12). So the waits of a group, or of
//! the host, that are lost are those that tasks of a usual priority are known to wait, and those that the others do not explain.
//!
//! This is the only place that takes waits off: rules, ledger and losses ask [`crate::measure::episodes::Episodes`] for the signal.

use crate::measure::amount::{Amount, Count};
use crate::measure::group_path::{innermost, number, within};
use crate::measure::signal::Signal;
use pagetide_core::derived::{self, Interval};
use pagetide_core::{EndedName, Ratio, Recording, Span, Table};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What this module reads.
pub(crate) const METRICS: &[&str] = &[
    "nice",
    "policy",
    "run_delay",
    "cpu_delay_total",
    "num_threads",
    "rss",
    "state",
    "utime",
    "stime",
    "cgroup_id",
    "ppid",
];

/// `SCHED_*` of include/uapi/linux/sched.h, 6.12.
const SCHED_OTHER: i64 = 0;
const SCHED_BATCH: i64 = 3;
const SCHED_IDLE: i64 = 5;

/// The state of a task that runs or waits for a CPU (fs/proc/array.c: task_state_array, 6.12).
pub(crate) const RUNNING: i64 = b'R' as i64;

/// The part of the CPU time of a group, or of the host, that a process of low priority with several threads uses, at least, for the waits to be its
/// own: of its threads the first alone is counted.
const MOST_OF_CPU_TIME: f64 = 0.5;

/// Whether the scheduler was told that a process gives way. A real-time policy ignores the nice value.
const fn gives_way(nice: Option<i64>, policy: Option<i64>) -> bool {
    match (policy, nice) {
        (Some(SCHED_IDLE), _) => true,
        (None | Some(SCHED_OTHER | SCHED_BATCH), Some(nice)) => nice > 0,
        _ => false,
    }
}

/// What the scheduler was told of a process, over time; false where that was not recorded.
fn told<'r>(recording: &'r Recording, process: &str) -> impl FnMut(i64) -> bool + use<'r> {
    let [mut nice, mut policy] = ["nice", "policy"]
        .map(|metric| recording.series(Table::Process, process, metric).map(|series| series.follow()));
    move |at| gives_way(nice.as_mut().and_then(|nice| nice(at)), policy.as_mut().and_then(|policy| policy(at)))
}

/// Whether a process was of low priority at the end of a stretch, or when it ended.
pub(crate) fn is_low(recording: &Recording, process: &str, during: Span) -> bool {
    told(recording, process)(during.to.ns())
}

/// Whether a process ever was.
fn was_low(recording: &Recording, process: &str) -> bool {
    // Of most, a look at either column tells.
    let ever = |metric: &str, low: fn(i64) -> bool| {
        let series = recording.series(Table::Process, process, metric);
        series.is_some_and(|series| series.points().any(|(_, told)| low(told)))
    };
    let moments = |metric: &str| recording.series(Table::Process, process, metric).map(|series| series.points());
    (ever("policy", |policy| policy == SCHED_IDLE) || ever("nice", |nice| nice > 0))
        && ["nice", "policy"]
            .into_iter()
            .filter_map(moments)
            .any(|points| points.map(|(at, _)| at).any(told(recording, process)))
}

/// A process of a recording in which some are of low priority.
#[derive(Debug)]
struct Known {
    name: String,
    /// Whether it ever was of low priority.
    low: bool,
    /// The group that it is in.
    group: Option<String>,
}

/// The processes of a recording in which some are of low priority.
#[derive(Debug, Default)]
pub(crate) struct LowPriority {
    processes: Vec<Known>,
    /// The groups without others in them.
    innermost: Vec<String>,
}

/// Whether a group is a place or below it. The host is the place of all.
fn is_in(place: Option<&str>, group: Option<&str>) -> bool {
    place.is_none_or(|place| group.is_some_and(|group| within(place, group)))
}

impl LowPriority {
    /// Empty where no process was of low priority, or that was not recorded.
    pub(crate) fn of(recording: &Recording) -> Self {
        let low = |(name, _)| (name, was_low(recording, name));
        let all: Vec<(&str, bool)> = recording.entities(Table::Process).map(low).collect();
        if !all.iter().any(|(_, low)| *low) {
            return Self::default();
        }
        let groups = recording
            .entities(Table::Cgroup)
            .filter_map(|(name, _)| Some((number(recording, Table::Cgroup, name)?, name)));
        let groups: BTreeMap<i64, &str> = groups.collect();
        let pids = all.iter().filter_map(|(name, _)| Some((name.split_once('@')?.0, *name)));
        let pids: BTreeMap<&str, &str> = pids.collect();
        let group = |name: &str| {
            // Those that no sample saw are in the group of who started them.
            let parent = || {
                let parent = name.parse::<EndedName>().ok()?.parent?.to_string();
                number(recording, Table::Process, pids.get(parent.as_str())?)
            };
            groups.get(&number(recording, Table::Process, name).or_else(parent)?).map(|group| (*group).to_owned())
        };
        let known = |(name, low): &(&str, bool)| Known { name: (*name).to_owned(), low: *low, group: group(name) };
        Self {
            processes: all.iter().map(known).collect(),
            innermost: innermost(recording).into_iter().map(str::to_owned).collect(),
        }
    }

    /// Whether a process of a group, or of the host, was of low priority.
    pub(crate) fn concerns(&self, place: Option<&str>) -> bool {
        self.processes.iter().any(|process| process.low && is_in(place, process.group.as_deref()))
    }

    /// The waits of a place for a CPU without those of low priority: `all` of them, and of the groups in it `counted`, and what is left of them, `lost`.
    pub(crate) fn taken_off(
        &self,
        recording: &Recording,
        place: Option<&str>,
        all: Signal,
        counted: impl Fn(&str) -> Option<Signal>,
        lost: impl Fn(&str) -> Option<Arc<Signal>>,
    ) -> Signal {
        if !self.concerns(place) {
            return all;
        }
        let groups = self.innermost.iter().map(String::as_str);
        let groups = groups.filter(|group| is_in(place, Some(group)) && Some(*group) != place);
        let groups: Vec<(&str, Arc<Signal>)> = groups.filter_map(|group| Some((group, lost(group)?))).collect();
        let own = |process: &&Known| {
            let group = process.group.as_deref();
            is_in(place, group) && !groups.iter().any(|(known, _)| group == Some(*known))
        };
        let spans: Vec<Span> = all.intervals().map(|(span, _)| span).collect();
        let mut waits = Waits::none(spans.len());
        for process in self.processes.iter().filter(own) {
            waits.add(recording, &spans, process);
        }
        for (group, lost) in groups.iter().filter(|(group, _)| self.concerns(Some(group))) {
            let Some(counted) = counted(group) else { continue };
            for (low, span) in waits.low.iter_mut().zip(&spans) {
                *low += (mean(&counted, *span) - mean(lost, *span)).max(0.0);
            }
        }
        let used = used(recording, place);
        let all_used =
            |span: Span| used.as_ref().and_then(|used| used.mean::<Count>(span)).map_or(f64::INFINITY, Amount::get);
        all.mapped(|at, share| {
            let (low, uncounted) = (waits.low[at], waits.uncounted[at]);
            if low <= 0.0 && uncounted <= 0.0 {
                return share;
            }
            let own = uncounted > 0.0 && uncounted >= all_used(spans[at]) * MOST_OF_CPU_TIME;
            let rest = if own { 0.0 } else { (share - low).max(0.0) };
            let others = waits.others[at] + groups.iter().map(|(_, lost)| mean(lost, spans[at])).sum::<f64>();
            rest.max(others.min(share))
        })
    }
}

/// The mean share of a span; 0 where it was not recorded.
fn mean(share: &Signal, span: Span) -> f64 {
    share.mean::<Ratio>(span).map_or(0.0, Amount::get)
}

/// The CPUs that a group, or the host, uses over time.
fn used(recording: &Recording, place: Option<&str>) -> Option<Signal> {
    match place {
        Some(group) => Signal::derived(recording, Table::Cgroup, group, &derived::CPUS),
        None => {
            let ticks = Signal::rate(recording, Table::Host, "", &["cpu_user", "cpu_nice", "cpu_system"])?;
            // Ticks of 1/100 s.
            Some(ticks.mapped(|_, ticks| ticks / 100.0))
        }
    }
}

/// What is known of the waits of processes for a CPU, in some intervals.
struct Waits {
    /// The shares for which those of low priority wait, added up, …
    low: Vec<f64>,
    /// … and the others.
    others: Vec<f64>,
    /// CPUs that those of low priority use of which the waits of all threads are not known.
    uncounted: Vec<f64>,
}

impl Waits {
    fn none(intervals: usize) -> Self {
        let [low, others, uncounted] = [(); 3].map(|()| vec![0.0; intervals]);
        Self { low, others, uncounted }
    }

    /// Adds those of a process. A thread of the kernel that waits keeps nobody waiting by that alone, and has no memory.
    fn add(&mut self, recording: &Recording, spans: &[Span], process: &Known) {
        let Known { name, low, .. } = process;
        let rss = recording.series(Table::Process, name, "rss");
        if !low && rss.is_some_and(|rss| rss.points().all(|(_, pages)| pages == 0)) {
            return;
        }
        let mut told = told(recording, name);
        let counted = Counted::of(recording, name);
        for (from, to, share) in counted.as_ref().map_or(&[][..], |counted| &counted.shares) {
            let sums = if *low && told(*to) { &mut self.low } else { &mut self.others };
            spread(sums, spans, (*from, *to), *share);
        }
        if !low || counted.is_some_and(|counted| counted.of_all_threads) {
            return;
        }
        let mut told = self::told(recording, name);
        let threads = recording.series(Table::Process, name, "num_threads");
        let mut threads = threads.map(|series| series.follow());
        let known = recording.series(Table::Process, name, "run_delay").is_some();
        for Interval { from, to, value } in derived::CPUS.intervals(recording, Table::Process, name) {
            let one = threads.as_mut().and_then(|threads| threads(to)).is_some_and(|threads| threads == 1);
            if told(to) && !(known && one) {
                spread(&mut self.uncounted, spans, (from, to), value);
            }
        }
    }
}

/// Adds a rate of a stretch to the intervals that it lies in.
fn spread(sums: &mut [f64], spans: &[Span], (from, to): (i64, i64), rate: f64) {
    let first = spans.partition_point(|span| span.to.ns() <= from);
    for (sum, span) in sums.iter_mut().zip(spans).skip(first).take_while(|(_, span)| span.from.ns() < to) {
        let inside = span.to.ns().min(to).saturating_sub(span.from.ns().max(from));
        *sum += rate * inside as f64 / span.length().as_f64().max(1.0);
    }
}

/// How long a process waited for a CPU, by its own counters.
struct Counted {
    /// From, to, and the share of that for which it waited, its threads added up.
    shares: Vec<(i64, i64, f64)>,
    of_all_threads: bool,
}

impl Counted {
    /// Absent where neither counter was recorded.
    fn of(recording: &Recording, process: &str) -> Option<Self> {
        let series = |metric| recording.series(Table::Process, process, metric);
        let all = series("cpu_delay_total");
        let of_all_threads = all.is_some();
        let rates = all.or_else(|| series("run_delay"))?.rates().into_iter();
        let mut shares: Vec<(i64, i64, f64)> = rates.map(|(from, to, rate)| (from, to, rate / 1e9)).collect();
        // A row of those that ended is of any number of them.
        if !EndedName::is(process) {
            let threads = series("num_threads").filter(|_| of_all_threads);
            let threads = threads.and_then(|threads| threads.points().map(|(_, threads)| threads).max());
            waits_on(recording, process, &mut shares);
            carry_back(&mut shares, threads.unwrap_or(1).max(1) as f64);
        }
        Some(Self { shares, of_all_threads })
    }
}

/// The kernel counts a wait when it ends, with all of its length: what a process cannot have waited in an interval it waited before.
fn carry_back(shares: &mut [(i64, i64, f64)], most: f64) {
    let mut before = (0.0, i64::MAX);
    for (from, to, share) in shares.iter_mut().rev() {
        let length = to.saturating_sub(*from) as f64;
        let (carried, next) = before;
        if *to == next {
            *share += carried / length;
        }
        before = ((*share - most).max(0.0) * length, *from);
        *share = share.min(most);
    }
}

/// A process that can run and did not to the end of its samples waits: no counter has that yet.
fn waits_on(recording: &Recording, process: &str, shares: &mut [(i64, i64, f64)]) {
    let series = |metric| recording.series(Table::Process, process, metric);
    let used = |at| Some(series("utime")?.at(at)?.saturating_add(series("stime")?.at(at)?));
    let Some(state) = series("state") else { return };
    let waits = |(from, to, share): &&mut (i64, i64, f64)| {
        *share <= 0.0 && state.at(*to) == Some(RUNNING) && used(*from).is_some() && used(*from) == used(*to)
    };
    shares.iter_mut().rev().take_while(waits).for_each(|(.., share)| *share = 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Column, Kind, Manifest, RecordingBuilder, Stamp, Unit};

    /// A process with a row in each second, by its state, ticks of CPU time and ns of `run_delay`.
    fn recorded(rows: &[(u8, i64, i64)]) -> Recording {
        let mut builder = RecordingBuilder::new(Manifest::default());
        for ((state, ticks, delay), at) in rows.iter().zip(0..) {
            builder.stamp(Stamp { boot_ns: at * 1_000_000_000, ..Stamp::default() });
            let mut value = |name: &str, kind, value| {
                let column = Column { name: name.to_owned(), kind, unit: Unit::Count };
                builder.value(Table::Process, "7@7", &column, value);
            };
            value("state", Kind::Gauge, i64::from(*state));
            value("utime", Kind::Counter, *ticks);
            value("stime", Kind::Counter, 0);
            value("run_delay", Kind::Counter, *delay);
        }
        builder.finish()
    }

    fn shares(rows: &[(u8, i64, i64)]) -> Vec<f64> {
        let counted = Counted::of(&recorded(rows), "7@7").expect("run_delay");
        counted.shares.into_iter().map(|(.., share)| share).collect()
    }

    #[test]
    fn a_wait_that_the_kernel_counts_when_it_ends_is_of_the_time_before() {
        let told = shares(&[(b'R', 5, 0), (b'R', 5, 0), (b'R', 5, 0), (b'R', 15, 2_500_000_000)]);
        assert_eq!(told, [0.5, 1.0, 1.0]);
        assert_eq!(shares(&[(b'R', 5, 0), (b'R', 15, 5_000_000_000)]), [1.0], "it began before the recording");
    }

    #[test]
    fn who_can_run_and_does_not_to_the_end_waits() {
        let told =
            |state: u8, ticks: i64| shares(&[(b'R', 5, 0), (b'R', 25, 200_000_000), (state, ticks, 200_000_000)]);
        assert_eq!(told(b'R', 25), [0.2, 1.0]);
        assert_eq!(told(b'S', 25), [0.2, 0.0], "it sleeps");
        assert_eq!(told(b'R', 60), [0.2, 0.0], "it runs");
    }

    #[test]
    fn a_nice_value_counts_for_the_policies_that_have_regard_to_it() {
        let low = [(Some(1), None), (Some(19), Some(0)), (Some(1), Some(3)), (Some(0), Some(5)), (None, Some(5))];
        assert!(low.into_iter().all(|(nice, policy)| gives_way(nice, policy)));
        let usual = [
            (None, None),
            (None, Some(0)),
            (Some(0), Some(0)),
            (Some(-20), None),
            (Some(19), Some(1)),
            (Some(19), Some(6)),
        ];
        assert!(!usual.into_iter().any(|(nice, policy)| gives_way(nice, policy)));
    }

    #[test]
    fn a_rate_is_spread_over_the_intervals_that_it_lies_in() {
        let spans = [Span::new(0, 10), Span::new(10, 20), Span::new(30, 40)];
        let mut sums = [0.0; 3];
        spread(&mut sums, &spans, (5, 35), 0.5);
        assert_eq!(sums, [0.25, 0.5, 0.25]);
        spread(&mut sums, &spans, (40, 50), 0.5);
        assert_eq!(sums, [0.25, 0.5, 0.25]);
    }
}
