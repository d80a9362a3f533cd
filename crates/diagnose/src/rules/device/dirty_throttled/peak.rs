//! How high dirty memory came, as evidence.

use crate::evidence::EvidenceBuilder;
use crate::measure::amount::{Amount, grade};
use pagetide_core::{Bytes, Relation};

/// The peak of dirty and writeback memory beside the freerun ceiling.
pub(super) fn add_peak(found: &mut EvidenceBuilder, peak: Amount<Bytes>, ceiling: Amount<Bytes>, source: &str) {
    let weight = 2.0 * grade(peak / ceiling, 0.9, 1.05);
    found.compare(weight, "peak of dirty and writeback memory", source, peak, Relation::Above, ceiling);
}
