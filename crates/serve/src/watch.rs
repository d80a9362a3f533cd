//! The findings that hold at the end of what is sampled, as `diagnose --watch` reports them.

use crate::number::ms;
use pagetide_core::{Diagnosis, Error, Finding, LazyRecording, Recording, RuleId, Source};
use serde::Serialize;
use std::collections::BTreeMap;

/// How much of the end the rules look at; it also gives the baseline.
const OVER_NS: i64 = 15 * 60 * 1_000_000_000;
/// A finding that was seen so short before the end still holds.
const SLACK_NS: i64 = 20_000_000_000;

/// A rule and the disk or group that it names: the process that does most of it may change within one incident.
pub(crate) type Key = (RuleId, Option<String>);

/// A finding that holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Holding {
    pub(crate) rule: RuleId,
    pub(crate) statement: String,
    pub(crate) origins: Vec<String>,
    /// Whether it is the cause of the others.
    pub(crate) cause: bool,
    pub(crate) confidence: f64,
    pub(crate) onset_ms: i64,
    /// When it was last seen.
    pub(crate) end_ms: i64,
}

/// Has the rules look at the end of a source whose last sample is at `last`.
///
/// # Errors
/// Those of the source.
pub(crate) fn look(source: &dyn Source, last: i64) -> Result<BTreeMap<Key, Holding>, Error> {
    let mut recording = LazyRecording::open(source, Some(last.saturating_sub(OVER_NS)), None)?;
    let diagnosis = pagetide_diagnose::diagnose_lazy(&mut recording, &[])?;
    Ok(holding(recording.recording(), &diagnosis))
}

fn holding(recording: &Recording, diagnosis: &Diagnosis) -> BTreeMap<Key, Holding> {
    let Some((_, last)) = recording.span() else { return BTreeMap::new() };
    let interval = i64::try_from(recording.manifest.interval.get()).unwrap_or(i64::MAX);
    let slack = SLACK_NS.max(interval.saturating_mul(2));
    let root = diagnosis.cause.as_ref().map(|cause| (cause.rule, &cause.origins));
    let lasts = |finding: &&Finding| {
        pagetide_diagnose::alarming(finding) && finding.range.to.ns() >= last.saturating_sub(slack)
    };
    // The strongest come first, and of several with one key the last is kept.
    let holding = diagnosis.findings.iter().filter(lasts).rev().map(|finding| {
        let place = finding.origins.iter().find(|origin| !origin.starts_with("process:")).cloned();
        let wall = |at: i64| ms(recording.wall_ns(at).unwrap_or(0));
        let holding = Holding {
            rule: finding.rule,
            statement: finding.statement.clone(),
            origins: finding.origins.clone(),
            cause: root == Some((finding.rule, &finding.origins)),
            confidence: finding.confidence.get(),
            onset_ms: wall(finding.range.from.ns()),
            end_ms: wall(finding.range.to.ns()),
        };
        ((finding.rule, place), holding)
    });
    holding.collect()
}
