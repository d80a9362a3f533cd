//! Direct reclaim that makes programs wait: those that allocate free memory themselves.

use crate::evidence::threshold::STALL_RATE;
use crate::measure::amount::{Amount, Count, Limit, Rate};
use crate::measure::window::Window;
use pagetide_core::Ratio;
use pagetide_core::derived;

/// How long programs wait.
pub(crate) const WAITED: Limit<Ratio> = Limit::new(
    "share of time that tasks wait for memory, at least",
    0.05,
    "Heavy readers and writers reclaim some pages themselves, and lose less.",
    "judgement",
);

/// Direct reclaims per second, where they are notable and tasks wait for memory or the recording does not show whether they do.
pub(crate) fn direct(window: &Window<'_>) -> Option<Rate<Count>> {
    let stalls = window.host(&derived::DIRECT_RECLAIMS).filter(|stalls| *stalls >= STALL_RATE)?;
    let waited: Option<Amount<Ratio>> = window.share(&derived::PSI_MEMORY_SOME);
    waited.is_none_or(|waited| waited >= WAITED).then_some(stalls)
}
