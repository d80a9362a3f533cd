//! A service that ends and is started again, over and over: a supervisor restarts what exits, crashes or fails a probe, and meanwhile nobody is served.

use crate::actors::group;
use crate::actors::process;
use crate::ledger::quieter::BEFORE;
use crate::measure::amount::{Amount, Limit};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::Window;
use pagetide_core::{Moment, Ratio, Span, derived};
use std::collections::BTreeMap;

/// Starts after the first end, at least: a program that is started once more was updated.
const STARTS: usize = 2;
/// How long its group rests.
pub(crate) const RESTS: Limit<Ratio> = Limit::new(
    "share of time that no task of a group runs after its program ended and was started again at least twice",
    0.2,
    "A service that is replaced by another process of it goes on serving.",
    "judgement",
);

/// A program whose processes follow each other from a moment on, each shorter than the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Restarted<'a> {
    pub(crate) group: &'a str,
    /// When the first one ended.
    pub(crate) at: Moment,
    comm: &'a str,
    starts: usize,
    rests: Amount<Ratio>,
}

impl Restarted<'_> {
    /// It as a sentence.
    pub(crate) fn words(&self, window: &Window<'_>) -> String {
        format!(
            "From {} into the recording on, {} of {} ended and was started again {} times, and no task of the group ran for {} of that time. The log of \
             what restarts it (systemd, Kubernetes) says why it ended.",
            self.at.since(window.span.from),
            self.comm,
            self.group,
            self.starts,
            self.rests,
        )
    }
}

/// The service that rests most between its starts.
pub(crate) fn of<'a>(window: &Window<'a>) -> Option<Restarted<'a>> {
    let mut runs: BTreeMap<&str, Vec<(&str, Span)>> = BTreeMap::new();
    for (name, comm) in process::present(window) {
        if let Some(span) = window.sampled(name) {
            runs.entry(comm).or_default().push((name, span));
        }
    }
    let groups = group::leaves(window.recording);
    let all = runs.into_iter().filter(|(_, runs)| runs.len() > STARTS).filter_map(|(comm, mut runs)| {
        runs.sort_by_key(|(_, span)| span.from);
        let (first, later) = runs.split_first()?;
        let follow = runs.windows(2).all(|pair| pair[0].1.to < pair[1].1.from);
        let shorter = later.iter().all(|(_, span)| span.length() < first.1.length());
        if !follow || !shorter || first.1.length().as_f64() < BEFORE.get() {
            return None;
        }
        let within = |group: &&&str| runs.iter().all(|(name, _)| group::contains(window, group, name));
        let group = *groups.iter().find(within)?;
        let after = Span { from: first.1.to, ..window.span };
        let rests = rests(window, group, after)?;
        let restarted = Restarted { group, at: after.from, comm, starts: later.len(), rests };
        (rests >= RESTS.value()).then_some(restarted)
    });
    all.max_by(|one, other| one.rests.total_cmp(&other.rests))
}

/// The share of a stretch in which no task of a group runs.
fn rests(window: &Window<'_>, group: &str, span: Span) -> Option<Amount<Ratio>> {
    let ran = window.episodes.signal(window.recording, SignalSpec::cgroup(group, &derived::CPUS))?;
    let idle: f64 = ran.intervals_in(span).filter(|(_, cpus)| *cpus <= 0.0).map(|(at, _)| at.length().as_f64()).sum();
    Some(Amount::new(idle / span.length().as_f64().max(1.0)))
}
