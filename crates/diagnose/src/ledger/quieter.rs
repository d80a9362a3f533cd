//! A service that does much less from one moment on: it waits for something that the kernel does not count, or nobody asks it.
//!
//! What a service does is best told by its read and write calls: it reads requests and writes answers and logs. Linux 6.12: fs/read_write.c:
//! inc_syscr, inc_syscw; a service that calls recv(2) and send(2) alone has none, and is told by its CPU time or its requests to disks.

use crate::actors::group;
use crate::actors::process::{self, CALLS};
use crate::ledger::harm::NOTICED;
use crate::ledger::lost_time::{Activity, median};
use crate::ledger::suspended;
use crate::measure::amount::{Amount, Count, Limit, Per, Rate};
use crate::measure::episodes::SignalSpec;
use crate::measure::step;
use crate::measure::window::{Window, intervals};
use pagetide_core::{Moment, Nanos, Ratio, Span, Table, derived};
use std::collections::BTreeMap;

/// A group, and what it did before and after a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Quieter<'a> {
    pub(crate) group: &'a str,
    pub(crate) at: Moment,
    did: Did,
}

/// What a group did before, and what after.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Did {
    /// Read and write calls of the process that makes most of them.
    Called(Rate<Count>, Rate<Count>),
    /// The share of a CPU that it used.
    Computed(Amount<Ratio>, Amount<Ratio>),
    /// Requests that it sent to disks.
    Sent(Rate<Count>, Rate<Count>),
}

impl Did {
    /// How many times as much it did before.
    fn fewer(self) -> f64 {
        let (before, after) = match self {
            Self::Computed(before, after) => (before.get(), after.get()),
            Self::Called(before, after) | Self::Sent(before, after) => (before.get(), after.get()),
        };
        before / after.max(f64::MIN_POSITIVE)
    }
}

impl Quieter<'_> {
    /// It as a sentence.
    pub(crate) fn words(&self, window: &Window<'_>) -> String {
        let did = match self.did {
            Did::Called(before, after) => format!("called read and write {after} ({before} before)"),
            Did::Computed(before, after) => format!("used {after} of a CPU ({before} before)"),
            Did::Sent(before, after) => format!("sent {after} requests to disks ({before} before)"),
        };
        format!(
            "From {} into the recording on, tasks of {} {did}, while nobody waited longer for memory or a device: they had fewer requests, or waited \
             for a lock or another host, which the kernel does not count.",
            self.at.since(window.span.from),
            self.group,
        )
    }

    /// How many times as much it did before.
    pub(crate) fn fewer(&self) -> Amount<Count> {
        Amount::new(self.did.fewer())
    }

    /// Whether that is too little to be called healthy.
    pub(crate) fn hardly_works(&self) -> bool {
        matches!(self.did, Did::Called(..)) || self.fewer() >= FEWER
    }
}

/// How much less of a service that may be healthy all the same.
pub(crate) const HALF: Limit<Count> = Limit::new(
    "calls, CPU time, or requests to disks, of a group before, relative to those after, that argue against a healthy host",
    2.0,
    "On some 120 real hosts that were well, no service came to make less than 0.6 of its calls.",
    "judgement",
);
/// How much less CPU time, or requests, of a service that nobody can call healthy: what it computes varies more than what it is asked.
pub(crate) const FEWER: Limit<Count> = Limit::new(
    "CPU time, or requests to disks, of a group before, relative to those after",
    3.0,
    "The load of a service that is asked as often varies by less.",
    "judgement",
);
pub(crate) const USED: Limit<Ratio> = Limit::new(
    "share of a CPU that such a group used before",
    0.02,
    "With less, a few requests more or less are a third of it.",
    "judgement",
);
pub(crate) const SENT: Limit<Per<Count>> =
    Limit::new("requests to disks that such a group sent before", 5.0, "Of fewer, a burst is a third.", "judgement");

pub(crate) const CALLED: Limit<Per<Count>> = Limit::new(
    "read and write calls of a process before, for them to tell what its group does",
    5.0,
    "Of fewer, the lines of a log are a third.",
    "judgement",
);

/// How long before, at least.
pub(crate) const BEFORE: Limit<Nanos> = Limit::new(
    "time before a group came to do less, at least",
    20e9,
    "What has just started does more at first: it fills its caches and compiles.",
    "judgement",
);

/// The service that came to do least of what it did, at once, and half of it at most.
pub(crate) fn of<'a>(window: &Window<'a>) -> Option<Quieter<'a>> {
    let callers = callers(window);
    let all = group::leaves(window.recording).into_iter().filter_map(|group| {
        let calls = group::number(window.recording, Table::Cgroup, group)
            .and_then(|number| calls(window, callers.get(&number)?));
        let (at, did) = match calls {
            Some(values) => fall(&values, CALLED).map(|(at, before, after)| (at, Did::Called(before, after)))?,
            None => {
                let computed = values(window, SignalSpec::cgroup(group, &derived::CPUS))
                    .and_then(|values| fall(&values, USED))
                    .map(|(at, before, after)| (at, Did::Computed(before, after)));
                let sent = || {
                    let values = values(window, SignalSpec::rate(Table::Cgroup, group, group::REQUESTS))?;
                    fall(&values, SENT).map(|(at, before, after)| (at, Did::Sent(before, after)))
                };
                computed.or_else(sent)?
            }
        };
        if suspended::is_suspended(window, group, at) {
            return None;
        }
        // Who was told to give way does less while others want the CPU.
        let [before, since] =
            [(window.span.from, at), (at, window.span.to)].map(|(from, to)| window.over(Span { from, to }));
        if since.gives_way(Some(group)) - before.gives_way(Some(group)) >= NOTICED.value() {
            return None;
        }
        // A job that is over does less as well, and so does one that came meanwhile and has what it came for.
        let activity = Activity::of(window.recording, window.episodes, group);
        let early = window.span.from.later(BEFORE.value().nanos());
        (activity.before(early) && activity.before(at)).then_some(Quieter { group, at, did })
    });
    all.max_by(|a, b| a.did.fewer().total_cmp(&b.did.fewer()))
}

/// Whether a wait that lasts from the start is the work of a service which comes to do less where it ends: it waits less then, and gets less done.
pub(crate) fn ends_its_work(whole: &Window<'_>, wait: Span) -> bool {
    let slack = intervals(whole.recording, SETTLED);
    let ends = |at: Moment| at >= wait.to.earlier(slack) && at <= wait.to.later(slack);
    wait.from <= whole.span.from.later(slack) && of(whole).is_some_and(|service| ends(service.at))
}

/// Intervals in which a wait is seen to begin or end.
const SETTLED: u64 = 8;

/// Of each group, by its number, the process that made most read and write calls.
fn callers<'a>(window: &Window<'a>) -> BTreeMap<i64, &'a str> {
    let mut most: BTreeMap<i64, (&str, Amount<Count>)> = BTreeMap::new();
    for (name, _) in process::present(window) {
        let Some(group) = group::number(window.recording, Table::Process, name) else { continue };
        let made = CALLS.iter().filter_map(|metric| window.rise::<Count>(Table::Process, name, metric));
        let made = made.fold(Amount::ZERO, |sum, made| sum + made);
        let best = most.entry(group).or_insert((name, made));
        if made > best.1 {
            *best = (name, made);
        }
    }
    most.into_iter().map(|(group, (name, _))| (group, name)).collect()
}

/// The read and write calls of a process in each interval; absent where it made few from the beginning, or was not recorded throughout.
fn calls(window: &Window<'_>, process: &str) -> Option<Vec<(Span, f64)>> {
    let values = values(window, SignalSpec::rate(Table::Process, process, CALLS))?;
    let start = values.first()?.0.from;
    let first = values.iter().take_while(|(span, _)| span.to.since(start).as_f64() <= BEFORE.get());
    let (made, time) = first.fold((0.0, 0.0), |(made, time), (span, value)| {
        let length = span.length().as_f64();
        (made + value * length, time + length)
    });
    let often = made >= CALLED.get() * time && time > 0.0;
    let known: f64 = values.iter().map(|(span, _)| span.length().as_f64()).sum();
    (often && known >= window.span.length().as_f64() * RECORDED).then_some(values)
}

/// The part of a window in which a process was recorded, at least: the processes of long recordings are read where something happens alone.
const RECORDED: f64 = 0.9;

/// What this module reads beside what groups do.
pub(crate) const METRICS: &[&str] = CALLS;

/// A signal in each interval of a window; absent where it was not recorded.
fn values(window: &Window<'_>, spec: SignalSpec<'_>) -> Option<Vec<(Span, f64)>> {
    Some(window.episodes.signal(window.recording, spec)?.intervals_in(window.span).collect())
}

/// When values fell at once and stayed, and their means before, which have to be enough, and after.
fn fall<M>(values: &[(Span, f64)], enough: Limit<M>) -> Option<(Moment, Amount<M>, Amount<M>)> {
    let step::Step { at, before, after } = step::fall(&values.iter().map(|(_, value)| *value).collect::<Vec<_>>())?;
    if values[at].0.from.since(values[0].0.from).as_f64() < BEFORE.get() {
        return None;
    }
    let works = values[at..].iter().any(|(_, value)| *value > 0.0);
    // A few bursts are no service's load.
    let [often, seldom] = [&values[..at], &values[at..]].map(|side| median(side.iter().map(|(_, value)| *value)));
    let fewer = before >= enough.get() && before >= after * HALF.get() && often >= seldom * HALF.get();
    (works && fewer).then(|| (values[at].0.from, Amount::new(before), Amount::new(after)))
}
