//! The freerun ceiling, above which the kernel lets writers sleep, of the host or of a control group.

use crate::evidence::EvidenceBuilder;
use crate::measure::amount::{Amount, Count, Limit, grade};
use pagetide_core::{Bytes, Moment, Ratio, Relation};

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

/// The peak as evidence.
pub(super) fn add_peak(found: &mut EvidenceBuilder, peak: Amount<Bytes>, ceiling: Amount<Bytes>, source: &str) {
    let weight = 2.0 * grade(peak / ceiling, 0.9, 1.05);
    found.compare(weight, "peak of dirty and writeback memory", source, peak, Relation::Above, ceiling);
}
