//! The findings that last at the end of what was recorded, for those who look again and again.

use crate::measure::window::intervals;
use pagetide_core::{Actor, Diagnosis, Finding, Moment, Nanos, Recording, RuleId};
use std::collections::BTreeMap;

/// Time between two looks at a recording that grows, unless a command's options say otherwise.
pub const LOOK_INTERVAL: Nanos = Nanos::new(10 * 1_000_000_000);
/// How far back a look goes, unless a command's options say otherwise; it also gives the baseline.
pub const LOOK_BACK: Nanos = Nanos::new(15 * 60 * 1_000_000_000);

/// A rule and the disk or group that it names. The process that does most of it may change within one incident.
pub type LastingKey = (RuleId, Option<Actor>);

/// A finding that lasts.
#[derive(Debug, Clone, PartialEq)]
pub struct Lasting {
    /// The finding.
    pub finding: Finding,
    /// Whether it is the cause of the others.
    pub cause: bool,
}

/// The problems that a diagnosis found at the end of a recording: those that were there in one of the last two samples, or since the look
/// before the last one, where looks are `every` so long. A pause of one sample or one look ends none.
pub fn lasting(recording: &Recording, diagnosis: &Diagnosis, every: Nanos) -> BTreeMap<LastingKey, Lasting> {
    let Some((_, last)) = recording.span() else { return BTreeMap::new() };
    let two_looks = Nanos::new(every.get().saturating_mul(2));
    let since = Moment::new(last).earlier(intervals(recording, 2).max(two_looks));
    let root = diagnosis.cause.as_ref().map(|cause| (cause.rule, &cause.origins));
    let lasts = |finding: &&Finding| crate::alarming(finding) && finding.range.to >= since;
    // The strongest come first, and of several with one key the last is kept.
    let lasting = diagnosis.findings.iter().filter(lasts).rev().map(|finding| {
        let place = finding.origins.iter().find(|origin| origin.as_command().is_none()).cloned();
        let cause = root == Some((finding.rule, &finding.origins));
        ((finding.rule, place), Lasting { finding: finding.clone(), cause })
    });
    lasting.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Confidence, Manifest, RecordingBuilder, Span, Stamp};

    const SECOND: i64 = 1_000_000_000;

    fn finding(rule: RuleId, to: i64, origins: &[&str], confidence: f64) -> Finding {
        Finding {
            rule,
            statement: String::new(),
            origins: origins.iter().map(|origin| origin.parse::<Actor>().unwrap()).collect::<Vec<_>>().into(),
            step: None,
            range: Span::new(0, to * SECOND),
            confidence: Confidence::new(confidence),
            evidence: Vec::new(),
            contradictions: Vec::new(),
            advice: Vec::new(),
        }
    }

    #[test]
    fn what_was_seen_within_two_samples_or_two_looks_lasts() {
        let manifest = Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() };
        let mut recording = RecordingBuilder::new(manifest);
        (0..=100).for_each(|at| recording.stamp(Stamp { boot_ns: at * SECOND, ..Stamp::default() }));
        let recording = recording.finish();
        let findings = vec![
            finding(RuleId::SwapThrash, 98, &["process:java"], 0.9),
            finding(RuleId::DeviceSaturated, 97, &["disk:vda"], 0.9),
            finding(RuleId::DeviceSaturated, 97, &["disk:vda", "process:java"], 0.6),
            finding(RuleId::SwapInUse, 100, &[], 0.9),
        ];
        let diagnosis = Diagnosis { findings, ..Diagnosis::default() };
        let keys = |every| lasting(&recording, &diagnosis, Nanos::new(every)).into_keys().collect::<Vec<_>>();
        assert_eq!(keys(0), [(RuleId::SwapThrash, None)], "what is benign is no problem");
        let saturated = (RuleId::DeviceSaturated, Some(Actor::disk("vda")));
        assert_eq!(keys(10_000_000_000), [saturated.clone(), (RuleId::SwapThrash, None)]);
        let strongest = &lasting(&recording, &diagnosis, Nanos::new(10_000_000_000))[&saturated];
        assert_eq!(strongest.finding.confidence, Confidence::new(0.9));
    }
}
