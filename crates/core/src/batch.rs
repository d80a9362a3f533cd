//! Several runs that were asked for at once, and what became of each.

use crate::error::Error;
use crate::report::{Holds, RunResult};
use crate::scenario::Scale;
use crate::units::Nanos;
use serde::Serialize;

/// What became of a run that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptOutcome {
    /// It ran to its end and has a result, whatever its claims say.
    Ran(Box<RunResult>),
    /// It was refused, or broke off.
    Refused {
        /// Why, in one line.
        what: String,
        /// The fix; empty when there is nothing to say.
        hint: String,
    },
    /// The user ended it.
    Interrupted,
    /// It was not begun, because the user ended the run before it.
    NotBegun,
}

impl From<Error> for AttemptOutcome {
    fn from(error: Error) -> Self {
        match error.kind {
            crate::ErrorKind::Interrupted | crate::ErrorKind::OutputClosed => Self::Interrupted,
            crate::ErrorKind::Input | crate::ErrorKind::System | crate::ErrorKind::Killed => {
                Self::Refused { what: error.what, hint: error.hint }
            }
        }
    }
}

fn as_number<S: serde::Serializer>(time: &Nanos, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(time.get())
}

/// One of the runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attempt {
    /// The scenario's id.
    pub scenario: String,
    /// The scenario in one line.
    pub title: String,
    /// `host` or `vm`.
    pub backend: String,
    /// Its folder, within that of the batch.
    pub folder: String,
    /// The file, within the batch's folder, that shows it beside the scenario's other runs.
    pub comparison: Option<String>,
    /// How long it took in all, from laying out its files to its report.
    #[serde(rename = "took_ns", serialize_with = "as_number")]
    pub took: Nanos,
    /// What became of it.
    pub outcome: AttemptOutcome,
}

impl Attempt {
    /// Its result, when it has one.
    pub fn result(&self) -> Option<&RunResult> {
        match &self.outcome {
            AttemptOutcome::Ran(result) => Some(result),
            AttemptOutcome::Refused { .. } | AttemptOutcome::Interrupted | AttemptOutcome::NotBegun => None,
        }
    }
}

/// All of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Batch {
    /// By how much every scenario was scaled.
    pub scale: Scale,
    /// When the first began, nanoseconds since 1970-01-01 UTC.
    pub started_wall_ns: i64,
    /// How long all took together.
    #[serde(rename = "took_ns", serialize_with = "as_number")]
    pub took: Nanos,
    /// The runs, in the order in which they were asked for.
    pub runs: Vec<Attempt>,
}

impl Batch {
    /// Whether every run came to its end and every claim holds.
    pub fn holds(&self) -> bool {
        let holds = |run: &RunResult| run.claims.iter().all(|claim| claim.holds == Holds::Yes);
        self.runs.iter().all(|attempt| attempt.result().is_some_and(holds))
    }
}
