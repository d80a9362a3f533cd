//! The weighing of evidence.
//!
//! A rule adds each measured value with a weight and finishes. Weights are natural logarithms of likelihood ratios: evidence of
//! weight 2 is about seven times likelier when the rule is right than when it is wrong. The confidence follows from two thirds of
//! the sum, so evidence against a finding lowers it by as much as the same evidence for it raises it.

pub(crate) mod advice;
pub(crate) mod threshold;
pub(crate) mod traced;

use crate::measure::amount::{Amount, Measure};
use crate::measure::window::Window;
use pagetide_core::{Actor, Actors, Advice, Confidence, Evidence, Finding, Quantity, Relation, RuleId, Span};

/// The evidence for and against one finding.
#[derive(Debug, Clone)]
pub(crate) struct EvidenceBuilder {
    span: Span,
    origins: Actors,
    step: Option<String>,
    log_odds: f64,
    /// No sum of weights is worth more.
    most: f64,
    evidence: Vec<Evidence>,
    contradictions: Vec<Evidence>,
}

/// Findings that are likelier wrong than right are not findings.
const MIN_CONFIDENCE: f64 = 0.5;
/// The natural logarithm of 100: weights are judgements, and no sum of them is worth more than 100 to 1.
const MOST_LOG_ODDS: f64 = 4.605;
/// The most of moderate evidence: with [`TEMPER`] a confidence of 0.89.
const MODERATE_LOG_ODDS: f64 = 3.2;
/// Weights are judged one by one and are not independent: of the causes that the sum alone called 98 % sure, 95 % were right on
/// recordings that the rules were not built on (the first held half, `corpus/README.md`).
const TEMPER: f64 = 2.0 / 3.0;

/// One measured value.
pub(crate) fn measured<M: Measure>(
    span: Span,
    what: impl Into<String>,
    source: impl Into<String>,
    value: Amount<M>,
) -> Evidence {
    Evidence { what: what.into(), source: source.into(), range: span, value: value.quantity(), against: None }
}

/// How a value compares with another: as expected, or as the values do.
pub(crate) fn compared<M: Measure>(value: Amount<M>, expected: Relation, other: Amount<M>) -> (Relation, Quantity) {
    let (value, other) = (value.quantity(), other.quantity());
    (expected.or_true(value, other), other)
}

impl EvidenceBuilder {
    /// Starts at even odds.
    pub(crate) fn new(window: &Window<'_>) -> Self {
        let step = window.step.map(|step| step.id.clone());
        let (evidence, contradictions) = (Vec::new(), Vec::new());
        Self {
            span: window.span,
            origins: Actors::default(),
            step,
            log_odds: 0.0,
            most: MOST_LOG_ODDS,
            evidence,
            contradictions,
        }
    }

    /// Sets the time of the finding, where it is known better than the window. Evidence that is added later is of that time.
    pub(crate) fn span(&mut self, span: Span) {
        self.span = span;
    }

    /// Takes its evidence for moderate at most, whatever it adds up to.
    pub(crate) fn at_most_moderate(&mut self) {
        self.most = MODERATE_LOG_ODDS;
    }

    /// Adds an origin. The first one is the nearest.
    pub(crate) fn origin(&mut self, actor: Actor) {
        self.origins.add(actor);
    }

    /// Adds a value of a weight: above 0 it supports the finding, below 0 it contradicts it.
    pub(crate) fn add<M: Measure>(
        &mut self,
        weight: f64,
        what: impl Into<String>,
        source: impl Into<String>,
        value: Amount<M>,
    ) -> &mut Evidence {
        self.log_odds += weight;
        let list = if weight < 0.0 { &mut self.contradictions } else { &mut self.evidence };
        list.push(measured(self.span, what, source, value));
        let last = list.len() - 1;
        &mut list[last]
    }

    /// Adds a value together with the one that it is compared with. The values decide the relation that is printed: a value that should lie below
    /// or above the other and does not contradicts the finding with the same weight. The weight of one that should be near grades the distance.
    pub(crate) fn compare<M: Measure>(
        &mut self,
        weight: f64,
        what: impl Into<String>,
        source: impl Into<String>,
        value: Amount<M>,
        expected: Relation,
        other: impl Into<Option<Amount<M>>>,
    ) -> &mut Evidence {
        let against = other.into().map(|other| compared(value, expected, other));
        let holds = expected == Relation::Near || against.is_none_or(|(relation, _)| relation == expected);
        let evidence = self.add(if holds { weight } else { -weight.abs() }, what, source, value);
        evidence.against = against;
        evidence
    }

    /// Adds a value that belongs to the picture and has no weight.
    pub(crate) fn note<M: Measure>(&mut self, what: impl Into<String>, source: impl Into<String>, value: Amount<M>) {
        self.add(0.0, what, source, value);
    }

    /// Adds a value that contradicts the finding.
    pub(crate) fn contradict<M: Measure>(
        &mut self,
        weight: f64,
        what: impl Into<String>,
        source: impl Into<String>,
        value: Amount<M>,
    ) -> &mut Evidence {
        self.add(-weight.abs(), what, source, value)
    }

    /// The finding, when it is likelier right than wrong.
    pub(crate) fn finish(self, rule: RuleId, statement: String, advice: Vec<Advice>) -> Option<Finding> {
        let confidence = 1.0 / (1.0 + (-TEMPER * self.log_odds.min(self.most)).exp());
        (confidence > MIN_CONFIDENCE).then(|| Finding {
            rule,
            statement,
            origins: self.origins,
            step: self.step,
            range: self.span,
            confidence: Confidence::new((confidence * 1000.0).round() / 1000.0),
            evidence: self.evidence,
            contradictions: self.contradictions,
            advice,
        })
    }
}

/// A name that others choose as one word of a command, which a user may paste into a shell. A name that no word can hold (with a NUL)
/// is left to the user.
pub(crate) fn word(name: &str) -> String {
    shlex::try_quote(name).map_or_else(|_| "NAME".to_owned(), std::borrow::Cow::into_owned)
}

/// What to do about a service of which a part sends the load: a limit, or a lower priority, would slow all that it serves.
pub(crate) fn advise_service(comm: &str) -> Advice {
    advise(
        &format!("Find the query or job of {comm} that does this. Run it off-peak or in smaller batches."),
        Some("pidstat -d 1 5"),
        "The command only reads. A limit or a lower priority would slow down the whole service.",
        None,
    )
}

/// Advice: what to do, the command, what it brings and costs, how to undo it.
pub(crate) fn advise(action: &str, command: Option<&str>, effect: &str, undo: Option<&str>) -> Advice {
    Advice {
        action: action.to_owned(),
        command: command.map(str::to_owned),
        effect: effect.to_owned(),
        undo: undo.map(str::to_owned),
        scenario: None,
        gives_back_ns: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word_of_a_command() {
        assert_eq!(word("/sys/fs/cgroup/db.slice/memory.max"), "/sys/fs/cgroup/db.slice/memory.max");
        for name in
            ["a; reboot", "$(reboot)", "`reboot`", "a'b", "a\nreboot", "a b", "db\\x2d1.service", "> /etc/passwd", ""]
        {
            assert_eq!(shlex::split(&word(name)), Some(vec![name.to_owned()]), "{name}");
        }
        assert_eq!(word("a\0b"), "NAME");
    }
}
