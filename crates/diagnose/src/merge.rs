//! One incident is one finding, however many stretches it is seen in.

use pagetide_core::{Finding, Recording};

/// Findings of one rule and one origin that lie close together become one: its range is theirs, and what it says is what the
/// surest of them says. Findings of steps stay as they are.
pub(crate) fn merged(recording: &Recording, findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::new();
    let mut ordered = findings;
    ordered.sort_by_key(|finding| finding.range);
    for finding in ordered {
        let same = |known: &&mut Finding| {
            known.rule == finding.rule
                && known.step.is_none()
                && finding.step.is_none()
                && known.origins.first() == finding.origins.first()
                && near(recording, known.range, finding.range)
        };
        match merged.iter_mut().find(same) {
            Some(known) => {
                let range = (known.range.0.min(finding.range.0), known.range.1.max(finding.range.1));
                if finding.confidence > known.confidence {
                    *known = finding;
                }
                known.range = range;
            }
            None => merged.push(finding),
        }
    }
    merged
}

/// Whether the pause between two stretches is no longer than the longer of them, or than ten samples.
fn near(recording: &Recording, first: (i64, i64), second: (i64, i64)) -> bool {
    let pause = second.0.saturating_sub(first.1);
    let longer = first.1.saturating_sub(first.0).max(second.1.saturating_sub(second.0));
    pause <= longer.max(crate::signal::interval(recording).saturating_mul(10))
}
