//! The weighing of evidence.
//!
//! A rule opens a [`Case`] with a prior, adds every measured value with the weight it deserves, and closes it. Weights
//! are natural logarithms of likelihood ratios: evidence of weight 2 is about seven times likelier when the rule is right
//! than when it is not. The confidence is what two thirds of the sum say, so evidence against a finding lowers it by as much as the same
//! evidence for it would raise it.

use crate::window::Window;
use pagetide_core::{Advice, Confidence, Evidence, Finding, Quantity, Relation};

/// What speaks for and against one finding, while it is being weighed.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    rule: &'static str,
    range: (i64, i64),
    origins: Vec<String>,
    step: Option<String>,
    log_odds: f64,
    evidence: Vec<Evidence>,
    contradictions: Vec<Evidence>,
}

/// Findings that are likelier wrong than right are not findings.
const LEAST: f64 = 0.5;
/// The natural logarithm of 100.
const MOST_LOG_ODDS: f64 = 4.605;
/// What is made of a sum of weights. They are judged one by one and are not independent: of the causes that the sum alone called
/// 98 % sure, 95 % were right on recordings that the rules were not built on (the first held half, `corpus/README.md`).
const TEMPER: f64 = 2.0 / 3.0;

impl Case {
    /// Opens a case about a window at even odds.
    pub(crate) fn new(rule: &'static str, window: &Window<'_>) -> Self {
        let step = window.step.map(|step| step.id.clone());
        Self {
            rule,
            range: (window.from, window.to),
            origins: Vec::new(),
            step,
            log_odds: 0.0,
            evidence: Vec::new(),
            contradictions: Vec::new(),
        }
    }

    /// Says when it was, more exactly than the window does. Evidence that is added later is of that time.
    pub(crate) fn during(&mut self, range: (i64, i64)) {
        self.range = range;
    }

    /// Says where it comes from: `disk`, `process` or `cgroup` and a name. What is said first is nearest.
    pub(crate) fn blame(&mut self, kind: &str, name: &str) {
        let origin = format!("{kind}:{name}");
        if !self.origins.contains(&origin) {
            self.origins.push(origin);
        }
    }

    /// Adds evidence of a weight: above 0 it speaks for the finding, below 0 against it.
    pub(crate) fn weigh(&mut self, weight: f64, evidence: Evidence) {
        self.log_odds += weight;
        if weight < 0.0 { self.contradictions.push(evidence) } else { self.evidence.push(evidence) }
    }

    /// Adds something that only belongs to the picture.
    pub(crate) fn note(&mut self, evidence: Evidence) {
        self.evidence.push(evidence);
    }

    /// Adds something that does not fit and that the reader must know, of a weight below 0.
    pub(crate) fn against(&mut self, weight: f64, evidence: Evidence) {
        self.weigh(-weight.abs(), evidence);
    }

    /// A measured value over the case's range.
    pub(crate) fn measured(&self, what: &str, source: &str, value: Quantity) -> Evidence {
        Evidence { what: what.to_owned(), source: source.to_owned(), range: self.range, value, against: None }
    }

    /// A measured value over the case's range, held against another.
    pub(crate) fn held(
        &self,
        what: &str,
        source: &str,
        value: Quantity,
        relation: Relation,
        against: Quantity,
    ) -> Evidence {
        Evidence { against: Some((relation, against)), ..self.measured(what, source, value) }
    }

    /// How sure it is by now, from 0 to 1. The weights are judgements, and no sum of them is worth more than 100 to 1.
    pub(crate) fn confidence(&self) -> f64 {
        1.0 / (1.0 + (-TEMPER * self.log_odds.min(MOST_LOG_ODDS)).exp())
    }

    /// Closes the case: a finding when it is likelier right than wrong.
    pub(crate) fn close(self, statement: String, advice: Vec<Advice>) -> Option<Finding> {
        let confidence = self.confidence();
        (confidence > LEAST).then(|| Finding {
            rule: self.rule.to_owned(),
            statement,
            origins: self.origins,
            step: self.step,
            range: self.range,
            confidence: Confidence::new((confidence * 1000.0).round() / 1000.0),
            evidence: self.evidence,
            contradictions: self.contradictions,
            advice,
        })
    }
}

/// How far `value` has come from `none` (0) to `full` (1), which may lie on either side of it.
pub(crate) fn grade(value: f64, none: f64, full: f64) -> f64 {
    let part = (value - none) / (full - none);
    if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) }
}

/// Advice: what to do, the command, what it brings and costs, how to take it back.
pub(crate) fn advise(action: &str, command: Option<&str>, effect: &str, undo: Option<&str>) -> Advice {
    Advice {
        action: action.to_owned(),
        command: command.map(str::to_owned),
        effect: effect.to_owned(),
        undo: undo.map(str::to_owned),
        scenario: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grade_runs_either_way_and_stays_within_its_ends() {
        assert_eq!(grade(5.0, 0.0, 10.0), 0.5);
        assert_eq!(grade(0.2, 0.4, 0.0), 0.5);
        assert_eq!(grade(99.0, 0.0, 10.0), 1.0);
        assert_eq!(grade(1.0, 1.0, 1.0), 0.0);
        assert_eq!(grade(f64::NAN, 0.0, 1.0), 0.0);
    }
}
