//! Several runs of one command, and the outcome of each.

use crate::error::Error;
use crate::report::{ClaimStatus, RunResult};
use crate::scenario::Scale;
use crate::units::Nanos;
use serde::Serialize;

/// The outcome of a requested run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptOutcome {
    /// It ran and has a result, whether or not its claims hold.
    Ran(Box<RunResult>),
    /// It was refused, or failed.
    Refused {
        /// Why, in one line.
        what: String,
        /// The fix; empty when there is none.
        hint: String,
    },
    /// The user ended it.
    Interrupted,
    /// It did not begin, because the user ended an earlier run.
    NotBegun,
}

impl From<Error> for AttemptOutcome {
    fn from(error: Error) -> Self {
        match error.kind {
            crate::ErrorKind::Interrupted | crate::ErrorKind::OutputClosed => Self::Interrupted,
            crate::ErrorKind::Input
            | crate::ErrorKind::TooNew
            | crate::ErrorKind::System
            | crate::ErrorKind::Killed => Self::Refused { what: error.what, hint: error.hint },
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
    /// Its outcome.
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
    /// The runs, in the requested order.
    pub runs: Vec<Attempt>,
}

impl Batch {
    /// Whether every run has a result and every claim holds.
    pub fn holds(&self) -> bool {
        let holds = |run: &RunResult| run.claims.iter().all(|claim| claim.holds == ClaimStatus::Holds);
        self.runs.iter().all(|attempt| attempt.result().is_some_and(holds))
    }
}
