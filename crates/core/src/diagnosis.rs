//! What the rules together make of a recording: the cause, the chain from it to those who suffer, and what else it could be.

use crate::finding::{Confidence, Evidence, Finding};
use crate::quantity::Quantity;
use serde::{Deserialize, Serialize};

/// What a diagnosis comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Something is wrong and its cause was found.
    Cause,
    /// Nothing is wrong, and enough was recorded to say so.
    Healthy,
    /// The recording does not say, for the reasons in [`Diagnosis::unknown`].
    #[default]
    CannotTell,
    /// The recording is of an experiment: the findings are of its steps, whose causes are known.
    Experiment,
}

/// What the rules together make of a recording.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Diagnosis {
    /// What it comes to.
    pub verdict: Conclusion,
    /// What happened, in a few sentences for somebody who has no time.
    pub summary: String,
    /// What cannot be told, and because of what; a sentence each.
    pub unknown: Vec<String>,
    /// The cause that explains most; of a healthy host the rule `healthy` with its confidence.
    pub cause: Option<Cause>,
    /// How the cause comes to those who suffer, from the cause on.
    pub chain: Vec<Link>,
    /// Other causes that fit what was recorded.
    pub rivals: Vec<Rival>,
    /// What one might suspect and the numbers clear.
    pub cleared: Vec<Cleared>,
    /// What does not fit the cause, with what would settle it.
    pub contradictions: Vec<Contradiction>,
    /// What the rules saw, the cause first, then surest first.
    pub findings: Vec<Finding>,
}

/// The cause of what went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// The rule that found it.
    pub rule: String,
    /// Where it comes from, the nearest first: `disk:NAME`, `process:COMM`, `cgroup:PATH`. Empty when nobody knows.
    pub origins: Vec<String>,
    /// When it began, ns on the recording's axis.
    pub onset_ns: i64,
    /// When it ended, or the recording did.
    pub end_ns: i64,
    /// How far off `onset_ns` may be: the time between the samples around it.
    pub resolution_ns: i64,
    /// How sure it is.
    pub confidence: Confidence,
}

/// One step from a cause to an effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// What causes, in a few words.
    pub cause: String,
    /// What follows from it, in a few words.
    pub effect: String,
    /// The rule that saw the effect by itself, when one did.
    pub rule: Option<String>,
    /// How one leads to the other, in one sentence.
    pub how: String,
    /// The kernel's functions in which it happens.
    pub kernel: String,
    /// When the effect was seen, ns on the recording's axis.
    pub range: (i64, i64),
    /// How long after its cause the effect began; absent when the two were not recorded at the same time.
    pub lag_ns: Option<i64>,
    /// How far off the lag may be.
    pub resolution_ns: i64,
    /// The amounts of cause and effect in the same unit, where both can be had.
    pub amounts: Option<(Quantity, Quantity)>,
    /// What was measured of the effect.
    pub evidence: Vec<Evidence>,
}

/// Another cause that fits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rival {
    /// The rule that found it.
    pub rule: String,
    /// Where it comes from, as of [`Cause::origins`].
    pub origins: Vec<String>,
    /// What it says.
    pub statement: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// The observation that would decide between it and the cause.
    pub decides: String,
}

/// Something that one might suspect and that the numbers clear.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cleared {
    /// The rule that would have blamed it.
    pub rule: String,
    /// Why it is not that, in one sentence.
    pub statement: String,
    /// The numbers.
    pub evidence: Vec<Evidence>,
}

/// Something that was measured and does not fit the cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contradiction {
    /// What does not fit, in one sentence.
    pub statement: String,
    /// The numbers.
    pub evidence: Vec<Evidence>,
    /// What to record, and what it would show.
    pub settles: String,
    /// The command that records it.
    pub command: Option<String>,
}
