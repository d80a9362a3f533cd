//! Direct reclaim that makes programs wait: those that allocate free memory themselves.

use crate::amount::{Amount, Count, Limit, Rate};
use crate::limits::STALL_RATE;
use crate::window::Window;
use pagetide_core::Ratio;
use pagetide_core::derived;

/// How long programs wait.
pub(crate) const WAITED: Limit<Ratio> = Limit::new(
    "share of time for which tasks wait for memory, at least",
    0.05,
    "Programs that read or write much reclaim some of their own pages, and lose less.",
    "judgement",
);

/// Direct reclaims per second, where they are notable and tasks wait for memory or the recording does not show whether they do.
pub(crate) fn direct(window: &Window<'_>) -> Option<Rate<Count>> {
    let stalls = window.host(&derived::DIRECT_RECLAIMS).filter(|stalls| *stalls >= STALL_RATE)?;
    let waited: Option<Amount<Ratio>> = window.share(&derived::PSI_MEMORY_SOME);
    waited.is_none_or(|waited| waited >= WAITED).then_some(stalls)
}
