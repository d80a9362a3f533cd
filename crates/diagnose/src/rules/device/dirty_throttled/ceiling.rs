//! The freerun ceiling, above which the kernel lets writers sleep, of the host or of a control group.

use crate::evidence::EvidenceBuilder;
use crate::measure::amount::{Amount, Count, Limit, grade};
use crate::measure::window::{Window, stored};
use pagetide_core::{Bytes, Moment, Pages, Ratio, Relation, Span};

pub(super) const CEILING: Limit<Ratio> = Limit::new(
    "dirty and writeback memory, as a share of the freerun ceiling",
    0.95,
    "A sample rarely catches the peak.",
    "mm/page-writeback.c: dirty_freerun_ceiling (6.12)",
);
pub(super) const SAMPLES: Limit<Count> =
    Limit::new("samples at the ceiling, of a live recording", 2.0, "A single one may be chance.", "judgement");

/// Dirty and writeback memory at a sample, with the freerun ceiling and the dirty threshold then.
#[derive(Clone, Copy)]
pub(super) struct Level {
    pub(super) at: Moment,
    pub(super) dirty: Amount<Bytes>,
    pub(super) ceiling: Amount<Bytes>,
    pub(super) threshold: Amount<Bytes>,
}

impl Level {
    pub(super) fn above(&self) -> bool {
        self.dirty >= self.ceiling * CEILING
    }
}

/// Those of the host in a stretch; absent where they were not recorded.
pub(super) fn levels<'a>(window: &Window<'a>, span: Span) -> Option<impl Iterator<Item = Level> + use<'a>> {
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

/// The peak as evidence.
pub(super) fn add_peak(found: &mut EvidenceBuilder, peak: Amount<Bytes>, ceiling: Amount<Bytes>, source: &str) {
    let weight = 2.0 * grade(peak / ceiling, 0.9, 1.05);
    found.compare(weight, "peak of dirty and writeback memory", source, peak, Relation::Above, ceiling);
}
