//! What a step of a scenario measured.

use crate::figure::{Figure, Figures};
use crate::quantity::Quantity;
use serde::{Deserialize, Serialize};

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did all of its work.
    Done,
    /// It was killed, by the OOM killer or by a signal.
    Killed,
    /// Its time limit ended it before it was done. What has no other end, such as random reads, is done then.
    TimedOut,
    /// It could not be started, or failed.
    Refused,
}

/// What one step measured. In JSON the figures stand beside the other fields, with their units in their keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepResult {
    /// The step's id in the scenario.
    pub id: String,
    /// The kind of the step: `fio`, `hold`, `sleep`, …
    pub kind: String,
    /// Its title.
    pub title: String,
    /// When it began, ns on the recording's axis (`CLOCK_BOOTTIME`).
    pub started_ns: i64,
    /// When it ended, ns on the recording's axis.
    pub ended_ns: i64,
    /// How it ended.
    pub outcome: Outcome,
    /// Remarks, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What was measured.
    #[serde(flatten)]
    pub figures: Figures,
}

impl StepResult {
    /// A figure's number in its own unit.
    pub fn get(&self, figure: Figure) -> Option<f64> {
        self.figures.get(figure)
    }

    /// A figure with its unit.
    pub fn quantity(&self, figure: Figure) -> Option<Quantity> {
        self.figures.quantity(figure)
    }
}
