//! Time that services lose and the kernel counts for no resource: what does the work sleeps, is stopped or is restarted, or a service does much less.

use crate::ledger::blocked;
use crate::ledger::quieter::{self, Quieter};
use crate::ledger::restarted;
use crate::measure::window::Window;
use pagetide_core::Moment;

/// From when on, in which group, and how it is known, as a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Uncounted<'a> {
    pub(crate) from: Moment,
    pub(crate) group: Option<&'a str>,
    pub(crate) words: String,
}

/// That a program sleeps, is stopped or is restarted, or a service does much less, for no reason that the kernel counts.
pub(crate) fn of<'a>(window: &Window<'a>) -> Option<Uncounted<'a>> {
    let blocked =
        blocked::of(window).map(|one| Uncounted { from: one.at, group: one.group(window), words: one.words(window) });
    let restarted = || {
        restarted::of(window).map(|one| Uncounted { from: one.at, group: Some(one.group), words: one.words(window) })
    };
    let quieter = || quieter::of(window).filter(Quieter::hardly_works);
    blocked
        .or_else(restarted)
        .or_else(|| quieter().map(|one| Uncounted { from: one.at, group: Some(one.group), words: one.words(window) }))
}
