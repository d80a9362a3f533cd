//! A control group whose programs started within a recording and wait for themselves: nobody who ran before waits with them.

use crate::amount::Amount;
use crate::limits::PRESSURE;
use crate::waits::{Harm, LEAST, kswapd_share};
use crate::window::{Window, intervals};
use pagetide_core::derived::{self, Derived};
use pagetide_core::{Nanos, Ratio, Span, Table};

/// Intervals at the start of a recording that show who ran then.
const EARLY: u64 = 5;
/// The part of the host's waits that a group accounts for.
const MOST: f64 = 0.8;

/// A group that did not run before a stretch and to which nearly all waits of the host belong.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Newcomer<'a> {
    pub(crate) group: &'a str,
    /// The most that a group waits which ran before, above what it waited then.
    pub(crate) others: Amount<Ratio>,
}

/// The newcomer of a stretch; absent where the groups do not show who ran before.
pub(crate) fn newcomer<'a>(window: &Window<'a>, derived: &'static Derived) -> Option<Newcomer<'a>> {
    let host = window.share(derived).filter(|share| share.is_positive())?;
    let start = window.history().map_or(window.span.from, |history| history.span.from);
    let early =
        window.over(Span { from: start, to: window.span.from.max(start.later(intervals(window.recording, EARLY))) });
    let share = |window: &Window<'_>, group: &str, derived| window.derived::<Ratio>(Table::Cgroup, group, derived);
    let ran = |group: &str| {
        let all = [&derived::PSI_CPU_SOME, &derived::PSI_IO_SOME, &derived::PSI_MEMORY_SOME];
        all.iter().any(|derived| share(&early, group, derived).is_some_and(Amount::is_positive))
    };
    let groups: Vec<&str> = window.recording.entities(Table::Cgroup).map(|(group, _)| group).collect();
    // What a group waits, its parents wait as well.
    let within = |parent: &str, group: &str| group.strip_prefix(parent).is_some_and(|rest| rest.starts_with('/'));
    let leaves = groups.iter().copied().filter(|group| !groups.iter().any(|other| within(group, other)));
    let (before, new): (Vec<&str>, Vec<&str>) = leaves.partition(|group| ran(group));
    let most = new.into_iter().filter_map(|group| Some((group, share(window, group, derived)?)));
    let (group, _) = most.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share >= host * MOST)?;
    let more = before.into_iter().filter_map(|group| {
        let usual = share(&early, group, derived).unwrap_or(Amount::ZERO);
        Some((share(window, group, derived)? - usual).max(Amount::ZERO))
    });
    Some(Newcomer { group, others: more.reduce(Amount::max)? })
}

/// The share of a stretch for which tasks wait for memory, without kswapd's own CPU time.
pub(crate) fn memory_waits(window: &Window<'_>) -> Option<Amount<Ratio>> {
    let share = window.share(&derived::PSI_MEMORY_SOME)?;
    Some((share - kswapd_share(window, window.span)).max(Amount::ZERO))
}

/// The time for which tasks wait for memory in all, at that share of a stretch, where no service notices it.
pub(crate) fn brief(share: Amount<Ratio>, span: Span) -> Option<Amount<Nanos>> {
    Some(Harm::new(share, Amount::ZERO, span).lost()).filter(|waited| *waited < LEAST)
}

/// The share of time for which tasks wait for memory, where it contradicts that nothing is wrong: more than a host at rest, for long enough
/// that a service notices it, and not only of a newcomer.
pub(crate) fn troubling(window: &Window<'_>) -> Option<Amount<Ratio>> {
    let share = memory_waits(window).filter(|share| *share >= PRESSURE && brief(*share, window.span).is_none())?;
    let own = newcomer(window, &derived::PSI_MEMORY_SOME).is_some_and(|newcomer| newcomer.others < PRESSURE);
    (!own).then_some(share)
}
