//! A service that does much less from one moment on: it waits for something that the kernel does not count, or nobody asks it.

use crate::actors::group;
use crate::ledger::lost_time::Activity;
use crate::measure::amount::{Amount, Count, Limit};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::Window;
use pagetide_core::{Moment, Ratio, Span, derived};

/// A group and the share of a CPU that it used before and after a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Quieter<'a> {
    pub(crate) group: &'a str,
    pub(crate) at: Moment,
    pub(crate) before: Amount<Ratio>,
    pub(crate) after: Amount<Ratio>,
}

/// How much less.
pub(crate) const FEWER: Limit<Count> = Limit::new(
    "CPU time of a group before, relative to that after",
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
/// Intervals on each side, …
const SIDE: usize = 10;
/// … and those next to the moment that are like their side.
const NEAR: usize = 3;

/// The service whose CPU time fell most, at once.
pub(crate) fn of<'a>(window: &Window<'a>) -> Option<Quieter<'a>> {
    let groups = group::leaves(window.recording).into_iter();
    let all = groups.filter_map(|group| {
        let found = fall(window, group)?;
        // A job that is over does less as well.
        Activity::of(window.recording, window.episodes, group).before(found.at).then_some(found)
    });
    all.max_by(|a, b| (a.before - a.after).total_cmp(&(b.before - b.after)))
}

fn fall<'a>(window: &Window<'a>, group: &'a str) -> Option<Quieter<'a>> {
    let signal = window.episodes.signal(window.recording, SignalSpec::cgroup(group, &derived::CPUS))?;
    let values: Vec<(Span, f64)> = signal.intervals().filter(|(span, _)| window.span.overlaps(*span)).collect();
    let sums: Vec<f64> = std::iter::once(0.0)
        .chain(values.iter().scan(0.0, |sum, (_, value)| {
            *sum += value;
            Some(*sum)
        }))
        .collect();
    let mean = |from: usize, to: usize| (sums[to] - sums[from]) / (to - from) as f64;
    let count = values.len();
    let apart = |at: usize| {
        let (before, after) = (mean(0, at), mean(at, count));
        // The variance between the two sides (N. Otsu, 1979), where it fell.
        (before - after).max(0.0).powi(2) * at as f64 * (count - at) as f64
    };
    let at = (SIDE..count.checked_sub(SIDE)? + 1).max_by(|a, b| apart(*a).total_cmp(&apart(*b)))?;
    let (before, after) = (mean(0, at), mean(at, count));
    let at_once = mean(at - NEAR, at) >= before / 2.0 && mean(at, at + NEAR) <= before / 2.0;
    let works = values[at..].iter().any(|(_, value)| *value > 0.0);
    let fewer = before >= USED.get() && before >= after * FEWER.get();
    (at_once && works && fewer).then(|| Quieter {
        group,
        at: values[at].0.from,
        before: Amount::new(before),
        after: Amount::new(after),
    })
}
