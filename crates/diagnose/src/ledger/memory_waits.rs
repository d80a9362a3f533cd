//! Waits for memory that contradict that nothing is wrong.

use crate::actors::newcomer::{MIN_SHARE_OF_WAITS, newcomer};
use crate::actors::{group, job};
use crate::evidence::threshold::PRESSURE;
use crate::ledger::waits::{Harm, MIN_LOST_TIME, kswapd_share};
use crate::measure::amount::Amount;
use crate::measure::episodes::SignalSpec;
use crate::measure::window::Window;
use pagetide_core::derived;
use pagetide_core::{Nanos, Ratio, Span, Table};

/// The share of a stretch for which tasks wait for memory, without kswapd's own CPU time.
pub(crate) fn memory_waits(window: &Window<'_>) -> Option<Amount<Ratio>> {
    let share = window.share(&derived::PSI_MEMORY_SOME)?;
    Some((share - kswapd_share(window, window.span)).max(Amount::ZERO))
}

/// The total time that tasks wait for memory, at that share of a stretch, where no service notices it.
pub(crate) fn brief(share: Amount<Ratio>, span: Span) -> Option<Amount<Nanos>> {
    Some(Harm::new(share, Amount::ZERO, span).lost()).filter(|waited| *waited < MIN_LOST_TIME)
}

/// The share of time for which tasks wait for memory, where it contradicts that nothing is wrong: more than a host at rest, for long enough
/// that a service notices it, and not only of a newcomer, or of jobs in the group of a service that wait for their own work.
pub(crate) fn troubling(window: &Window<'_>) -> Option<Amount<Ratio>> {
    let share = memory_waits(window).filter(|share| *share >= PRESSURE && brief(*share, window.span).is_none())?;
    let own = newcomer(window, &derived::PSI_MEMORY_SOME).is_some_and(|newcomer| newcomer.others < PRESSURE);
    (!own && !of_jobs(window)).then_some(share)
}

/// Whether nearly all waits for memory are those of one group, in which only jobs wait that began with them.
fn of_jobs(window: &Window<'_>) -> bool {
    let during = window.over(window.when(SignalSpec::of_group(None, &derived::PSI_MEMORY_SOME)));
    let Some(all) = during.share(&derived::PSI_MEMORY_SOME) else { return false };
    let waits = |group: &&str| {
        let share: Option<Amount<Ratio>> = during.derived(Table::Cgroup, group, &derived::PSI_MEMORY_SOME);
        share.is_some_and(|share| share >= all * MIN_SHARE_OF_WAITS)
    };
    group::leaves(window.recording).into_iter().filter(waits).any(|group| job::waits_alone(&during, group))
}
