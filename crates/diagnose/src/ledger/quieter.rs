//! A service that does much less from one moment on: it waits for something that the kernel does not count, or nobody asks it.

use crate::actors::group;
use crate::ledger::lost_time::Activity;
use crate::measure::amount::{Amount, Count, Limit, Per, Rate};
use crate::measure::episodes::SignalSpec;
use crate::measure::step;
use crate::measure::window::Window;
use pagetide_core::{Moment, Ratio, Span, Table, derived};

/// A group, and what it did before and after a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Quieter<'a> {
    group: &'a str,
    at: Moment,
    did: Did,
}

/// What a group did before, and what after.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Did {
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
            Self::Sent(before, after) => (before.get(), after.get()),
        };
        before / after.max(f64::MIN_POSITIVE)
    }
}

impl Quieter<'_> {
    /// It as a sentence.
    pub(crate) fn words(self, window: &Window<'_>) -> String {
        let did = match self.did {
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
}

/// How much less of a service that may be healthy all the same.
pub(crate) const HALF: Limit<Count> = Limit::new(
    "CPU time, or requests to disks, of a group before, relative to those after, that argue against a healthy host",
    2.0,
    "Of the services that did half and lost no time, as many were well as were not.",
    "judgement",
);
/// How much less of a service that nobody can call healthy.
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

/// Samples before, at least.
pub(crate) const BEFORE: Limit<Count> = Limit::new(
    "samples before a group came to do less, at least",
    20.0,
    "What has just started does more at first: it fills its caches and compiles.",
    "judgement",
);

/// The service that came to do least of what it did, at once, where that is too little to be called healthy.
pub(crate) fn hardly_works<'a>(window: &Window<'a>) -> Option<Quieter<'a>> {
    of(window).filter(|quieter| quieter.fewer() >= FEWER)
}

/// The service that came to do least of what it did, at once, and half of it at most.
pub(crate) fn of<'a>(window: &Window<'a>) -> Option<Quieter<'a>> {
    let groups = group::leaves(window.recording).into_iter();
    let all = groups.filter_map(|group| {
        let computed = fall(window, SignalSpec::cgroup(group, &derived::CPUS), USED.get())
            .map(|(at, before, after)| (at, Did::Computed(Amount::new(before), Amount::new(after))));
        let sent = || {
            fall(window, SignalSpec::rate(Table::Cgroup, group, group::REQUESTS), SENT.get())
                .map(|(at, before, after)| (at, Did::Sent(Amount::new(before), Amount::new(after))))
        };
        let (at, did) = computed.or_else(sent)?;
        // A job that is over does less as well.
        Activity::of(window.recording, window.episodes, group).before(at).then_some(Quieter { group, at, did })
    });
    all.max_by(|a, b| a.did.fewer().total_cmp(&b.did.fewer()))
}

/// When a signal fell at once and stayed, and its means before and after.
fn fall(window: &Window<'_>, spec: SignalSpec<'_>, enough: f64) -> Option<(Moment, f64, f64)> {
    let signal = window.episodes.signal(window.recording, spec)?;
    let values: Vec<(Span, f64)> = signal.intervals().filter(|(span, _)| window.span.overlaps(*span)).collect();
    let step::Step { at, before, after } = step::fall(&values.iter().map(|(_, value)| *value).collect::<Vec<_>>())?;
    if (at as f64) < BEFORE.get() {
        return None;
    }
    let works = values[at..].iter().any(|(_, value)| *value > 0.0);
    let fewer = before >= enough && before >= after * HALF.get();
    (works && fewer).then(|| (values[at].0.from, before, after))
}
