//! Waits for memory that contradict that nothing is wrong.

use crate::actors::newcomer::newcomer;
use crate::evidence::threshold::PRESSURE;
use crate::ledger::waits::{Harm, MIN_LOST_TIME, kswapd_share};
use crate::measure::amount::Amount;
use crate::measure::window::Window;
use pagetide_core::derived;
use pagetide_core::{Nanos, Ratio, Span};

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
/// that a service notices it, and not only of a newcomer.
pub(crate) fn troubling(window: &Window<'_>) -> Option<Amount<Ratio>> {
    let share = memory_waits(window).filter(|share| *share >= PRESSURE && brief(*share, window.span).is_none())?;
    let own = newcomer(window, &derived::PSI_MEMORY_SOME).is_some_and(|newcomer| newcomer.others < PRESSURE);
    (!own).then_some(share)
}
