//! What a rule found: a statement with typed evidence, what contradicts it, and what to do.

use crate::actor::Actors;
use crate::quantity::Quantity;
use crate::rule::RuleId;
use crate::span::Span;
use serde::{Deserialize, Serialize};

/// How a value compares with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// About the same.
    Near,
    /// Below.
    Below,
    /// Above.
    Above,
}

/// The larger of two values that are near, per unit of the smaller, at most.
const NEAR: f64 = 1.5;

impl Relation {
    /// Whether one value compares with another in this way. Values that print alike are near: neither is above the other to a reader. Others
    /// are near if the larger is at most half as much again as the smaller.
    pub fn holds(self, value: Quantity, other: Quantity) -> bool {
        let alike = value.to_string() == other.to_string();
        let (least, most) = (value.value.abs().min(other.value.abs()), value.value.abs().max(other.value.abs()));
        let one_sign = value.value.signum() == other.value.signum();
        match self {
            Self::Near => alike || one_sign && most <= least * NEAR,
            Self::Below => !alike && value.value < other.value,
            Self::Above => !alike && value.value > other.value,
        }
    }

    /// This relation where it holds, else the one that does.
    pub fn or_true(self, value: Quantity, other: Quantity) -> Self {
        let all = [self, Self::Below, Self::Above];
        all.into_iter().find(|relation| relation.holds(value, other)).unwrap_or(Self::Near)
    }
}

/// One measured value that speaks for or against a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What was measured, in a few words.
    pub what: String,
    /// Where it comes from: a metric's name with its entity, a figure's name, or the formula over them.
    pub source: String,
    /// The time over which it was measured.
    pub range: Span,
    /// The value.
    pub value: Quantity,
    /// What it is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<(Relation, Quantity)>,
}

/// What to do about a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// What to do, in one sentence.
    pub action: String,
    /// The exact command or setting, when there is one.
    pub command: Option<String>,
    /// What it will do, and what it costs or risks.
    pub effect: String,
    /// How to take it back, when that takes anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// The command that reproduces the effect in a VM, where the catalogue has a scenario for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// The lost time that it can give back at most, ns: what is booked to the account of its cause. Absent where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gives_back_ns: Option<u64>,
}

/// A number from 0 to 1: of a finding, how strong its evidence is by the weights of its rule, which orders findings and is no frequency; of a
/// cause, how often causes of its grade are right.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Confidence(f64);

impl Confidence {
    /// A confidence, brought into 0 to 1. A value that is not a number counts as 0.
    pub fn new(value: f64) -> Self {
        Self(if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) })
    }

    /// From 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// In thousandths, for an order.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1000")]
    pub fn thousandths(self) -> u16 {
        (self.0 * 1000.0).round() as u16
    }
}

/// What a rule found in a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule that found it.
    pub rule: RuleId,
    /// The statement, in one sentence that names the numbers that matter.
    pub statement: String,
    /// Where it comes from, the nearest first.
    #[serde(flatten, skip_serializing_if = "Actors::is_empty")]
    pub origins: Actors,
    /// The step it is about, when it is about one.
    pub step: Option<String>,
    /// The time that it is about.
    pub range: Span,
    /// How strong its evidence is.
    pub confidence: Confidence,
    /// What speaks for it.
    pub evidence: Vec<Evidence>,
    /// What speaks against it.
    pub contradictions: Vec<Evidence>,
    /// What to do.
    pub advice: Vec<Advice>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::Unit;

    #[test]
    fn a_relation_is_that_of_the_values_as_they_are_printed() {
        let share = Quantity::ratio;
        assert_eq!(Relation::Below.or_true(share(0.252), share(0.1)), Relation::Above);
        assert_eq!(Relation::Below.or_true(share(0.09), share(0.1)), Relation::Below);
        let rate = |mib: f64| Quantity::new(mib * 1024.0 * 1024.0, Unit::BytesPerSecond);
        assert_eq!(Relation::Above.or_true(rate(2.61), rate(2.64)), Relation::Below);
        assert_eq!(Relation::Above.or_true(rate(2.640_001), rate(2.64)), Relation::Near, "both print 2.64 MiB/s");
        assert_eq!(Relation::Near.or_true(rate(2.61), rate(2.64)), Relation::Near);
        assert_eq!(Relation::Near.or_true(rate(4.0), rate(1.0)), Relation::Above);
        assert_eq!(Relation::Near.or_true(rate(0.0), rate(1.0)), Relation::Below);
        assert_eq!(Relation::Near.or_true(rate(-1.0), rate(1.0)), Relation::Below);
        assert_eq!(Relation::Above.or_true(rate(0.0), rate(0.0)), Relation::Near);
    }
}
