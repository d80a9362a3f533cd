//! The report of a run: its results, the verdict on every claim, the findings.

use crate::diagnosis::Diagnosis;
use crate::finding::Finding;
use crate::recording::Recording;
use crate::rule::RuleId;
use crate::scenario::{Scale, Scenario};
use crate::step::StepResult;
use serde::{Deserialize, Serialize};

/// The result of a claim's check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimStatus {
    /// The claim holds.
    #[serde(rename = "yes")]
    Holds,
    /// It does not hold.
    #[serde(rename = "no")]
    Fails,
    /// It does not hold, and something on this host outside of the run changed what it measures; the evidence says what and by how much.
    Disturbed,
    /// It could not be computed; the evidence has the reason.
    Unknown,
}

/// The verdict on one claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The claim's id.
    pub id: String,
    /// The claim in words.
    pub text: String,
    /// The expression that was checked.
    pub check: String,
    /// Whether it holds.
    pub holds: ClaimStatus,
    /// The values of its figures, or why it could not be computed.
    pub evidence: String,
}

/// The result of one run: `result.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// The scenario's id.
    pub scenario: String,
    /// `host`, `vm` or `sim`.
    pub backend: String,
    /// By how much the scenario was scaled.
    pub scale: Scale,
    /// The machine it ran on, one line each.
    pub machine: Vec<String>,
    /// How this run differs from the scenario's machine, and what was changed to come near it; one sentence each.
    pub differences: Vec<String>,
    /// The kernel's release.
    pub kernel: String,
    /// Version of pagetide.
    pub tool_version: String,
    /// The seed of everything that was chosen at random; `--seed` repeats it.
    pub seed: u64,
    /// When it began, nanoseconds since 1970-01-01 UTC.
    pub started_wall_ns: i64,
    /// What each step measured, in order.
    pub steps: Vec<StepResult>,
    /// The verdict on each claim; empty until they have been checked.
    pub claims: Vec<Verdict>,
    /// What the rules saw in its recording, surest first; empty until they have been asked.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

impl RunResult {
    /// Bytes of a `result.json` at most: a step takes 1 KiB. Two of texts without a letter take 1 GB of memory where they are compared.
    pub const LARGEST_FILE: u64 = 16 << 20;
}

/// What the rules make of one step of a run, without what the lab knows of it.
#[derive(Debug, Clone, PartialEq)]
pub struct StepDiagnosis {
    /// The step's id.
    pub step: String,
    /// The diagnosis of the time from the begin of the step before to the end of this one.
    pub diagnosis: Diagnosis,
}

/// An advice whose effect was measured on a reproduction of the incident.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredAdvice {
    /// What was changed.
    pub what: String,
    /// Tasks that waited on average for IO, reclaim or a CPU beyond what they did before the incident; 1 is one task all the time.
    pub lost: f64,
    /// The command that applies it, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply: Option<String>,
    /// The command that takes it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

/// What `pagetide reproduce --keep` measured on a reproduction of a recording's incident.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredEffects {
    /// The cause of the incident, and when it began on the recording's axis, ns: what was measured holds for no other one.
    pub cause: RuleId,
    /// See `cause`.
    pub from_ns: i64,
    /// What was lost without a change, as in [`MeasuredAdvice::lost`].
    pub unchanged: f64,
    /// Each advice: the one with which least time was lost first.
    pub advice: Vec<MeasuredAdvice>,
}

impl MeasuredEffects {
    /// Bytes of the file that holds it at most: an advice takes 300.
    pub const LARGEST_FILE: u64 = 1 << 20;

    /// Whether it was measured on this incident.
    pub fn is_of(&self, diagnosis: &Diagnosis) -> bool {
        diagnosis
            .explained_incident()
            .is_some_and(|(incident, cause)| incident.range.from.ns() == self.from_ns && cause.rule == self.cause)
    }
}

/// Everything that views draw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The scenario as it was run (scaled) with its published figures (not scaled); absent for a recording that is not a run.
    pub scenario: Option<Scenario>,
    /// The run; absent for a recording that is not one.
    pub run: Option<RunResult>,
    /// What the rules make of it.
    pub diagnosis: Diagnosis,
    /// What they make of each step of a run alone, read as a live host is read; empty where that was not asked.
    pub steps: Vec<StepDiagnosis>,
    /// What each advice did to a reproduction of its incident; absent where nobody kept one.
    pub measured: Option<MeasuredEffects>,
    /// What was recorded.
    pub recording: Recording,
}
