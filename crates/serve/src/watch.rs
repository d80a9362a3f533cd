//! The findings that hold at the end of what is sampled, as `diagnose --watch` reports them.

use crate::number::ms;
use pagetide_core::{Actors, Error, LazyRecording, Moment, Nanos, Recording, RuleId, Source};
use pagetide_diagnose::{Lasting, LastingKey};
use serde::Serialize;
use std::collections::BTreeMap;

/// How much of the end the rules look at; it also gives the baseline.
const OVER_NS: i64 = 15 * 60 * 1_000_000_000;

/// A finding that holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Holding {
    pub(crate) rule: RuleId,
    pub(crate) statement: String,
    #[serde(flatten)]
    pub(crate) origins: Actors,
    /// Whether it is the cause of the others.
    pub(crate) cause: bool,
    pub(crate) confidence: f64,
    pub(crate) onset_ms: i64,
    /// When it was last seen.
    pub(crate) end_ms: i64,
}

/// Has the rules look at the end of a source whose last sample is at `last`; they look each `every`.
///
/// # Errors
/// Those of the source.
pub(crate) fn look(source: &dyn Source, last: i64, every: Nanos) -> Result<BTreeMap<LastingKey, Holding>, Error> {
    let mut recording = LazyRecording::open(source, Some(last.saturating_sub(OVER_NS)), None)?;
    let diagnosis = pagetide_diagnose::diagnose_lazy(&mut recording, &[])?;
    let recording = recording.recording();
    let lasting = pagetide_diagnose::lasting(recording, &diagnosis, every);
    Ok(lasting.into_iter().map(|(key, lasting)| (key, holding(recording, lasting))).collect())
}

fn holding(recording: &Recording, Lasting { finding, cause }: Lasting) -> Holding {
    let wall = |at: Moment| ms(recording.wall_ns(at.ns()).unwrap_or(0));
    Holding {
        rule: finding.rule,
        statement: finding.statement,
        origins: finding.origins,
        cause,
        confidence: finding.confidence.get(),
        onset_ms: wall(finding.range.from),
        end_ms: wall(finding.range.to),
    }
}
