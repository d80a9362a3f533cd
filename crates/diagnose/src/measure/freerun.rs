//! The freerun ceiling, above which the kernel lets writers sleep, of the host or of a control group.

use crate::measure::amount::{Amount, Count, Limit};
use crate::measure::window::{Window, stored};
use pagetide_core::{Bytes, Moment, Pages, Ratio, Span};

pub(crate) const CEILING: Limit<Ratio> = Limit::new(
    "dirty and writeback memory, as a share of the freerun ceiling",
    0.95,
    "A sample rarely catches the peak.",
    "mm/page-writeback.c: dirty_freerun_ceiling (6.12)",
);
pub(crate) const SAMPLES: Limit<Count> =
    Limit::new("samples at the ceiling, of a live recording", 2.0, "A single one may be chance.", "judgement");

/// Dirty and writeback memory at a sample, with the freerun ceiling and the dirty threshold then.
#[derive(Clone, Copy)]
pub(crate) struct Level {
    pub(crate) at: Moment,
    pub(crate) dirty: Amount<Bytes>,
    pub(crate) ceiling: Amount<Bytes>,
    pub(crate) threshold: Amount<Bytes>,
}

impl Level {
    pub(crate) fn above(&self) -> bool {
        self.dirty >= self.ceiling * CEILING
    }
}

/// Those of the host in a stretch; absent where they were not recorded.
pub(crate) fn levels<'a>(window: &Window<'a>, span: Span) -> Option<impl Iterator<Item = Level> + use<'a>> {
    let page = window.page_size();
    let host = |metric: &str| Some(window.recording.host(metric)?.around(span.from.ns(), span.to.ns()));
    let (dirty, writeback, threshold) = (host("nr_dirty")?, host("nr_writeback")?, host("nr_dirty_threshold")?);
    let background = host("nr_dirty_background_threshold")?;
    let (mut writeback, mut threshold, mut background) = (writeback.follow(), threshold.follow(), background.follow());
    let level = move |(at, dirty): (i64, i64)| {
        let bytes = |pages: Option<i64>| pages.map(|pages| stored::<Pages>(pages) * page);
        let (writeback, threshold, background) = (writeback(at), threshold(at), background(at));
        let (writeback, threshold, background) = (bytes(writeback)?, bytes(threshold)?, bytes(background)?);
        let ceiling = (threshold + background) / 2.0;
        let dirty = stored::<Pages>(dirty) * page + writeback;
        ceiling.is_positive().then_some(Level { at: Moment::new(at), dirty, ceiling, threshold })
    };
    Some(dirty.within(span.from.ns(), span.to.ns()).filter_map(level))
}

/// Whether dirty memory is at the ceiling in most samples of a stretch: who writes, sleeps. False where that was not recorded.
pub(crate) fn is_reached(window: &Window<'_>) -> bool {
    let Some(all) = levels(window, window.span) else { return false };
    let (mut above, mut samples) = (0, 0);
    for level in all {
        above += usize::from(level.above());
        samples += 1;
    }
    samples > 0 && above * 2 > samples
}
