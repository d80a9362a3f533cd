//! The findings that hold at the end of what is sampled, as `diagnose --watch` reports them.

use crate::number::ms;
use pagetide_core::{Actors, Error, LazyRecording, Moment, Recording, RuleId, Source};
use pagetide_diagnose::{LOOK_BACK, LOOK_INTERVAL, Lasting, LastingKey};
use serde::Serialize;
use std::collections::BTreeMap;

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

/// Runs the rules on the end of a source whose last sample is at `last`.
///
/// # Errors
/// Those of the source.
pub(crate) fn look(source: &dyn Source, last: i64) -> Result<BTreeMap<LastingKey, Holding>, Error> {
    let back = i64::try_from(LOOK_BACK.get()).unwrap_or(i64::MAX);
    let mut recording = LazyRecording::open(source, Some(last.saturating_sub(back)), None)?;
    let diagnosis = pagetide_diagnose::diagnose_lazy(&mut recording, &[])?;
    let recording = recording.recording();
    let lasting = pagetide_diagnose::lasting(recording, &diagnosis, LOOK_INTERVAL);
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
