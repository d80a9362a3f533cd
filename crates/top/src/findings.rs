//! The findings of a diagnosis as lines.

use pagetide_core::{Actor, Diagnosis, Finding, Moment, Recording, RuleId, printable};
use pagetide_view::text::wrap;

/// What began at a moment, in order of time. That the host is healthy did not.
pub(crate) fn by_onset(diagnosis: &Diagnosis) -> Vec<&Finding> {
    let mut findings: Vec<&Finding> =
        diagnosis.findings.iter().filter(|finding| finding.rule != RuleId::Healthy).collect();
    findings.sort_by_key(|finding| finding.range.from);
    findings
}

/// Whether a finding is the cause of an incident.
fn is_cause(diagnosis: &Diagnosis, finding: &Finding) -> bool {
    diagnosis.causes().any(|cause| {
        let onset = Moment::new(cause.onset_ns);
        cause.rule == finding.rule && cause.origins == finding.origins && finding.range.contains(onset)
    })
}

/// A line for each finding, those that hold at a moment first, and whether it holds then.
pub(crate) fn brief(diagnosis: &Diagnosis, at: i64) -> Vec<(bool, String)> {
    let holds = |finding: &&Finding| finding.range.contains(Moment::new(at));
    let (now, other): (Vec<&Finding>, Vec<&Finding>) = diagnosis.findings.iter().partition(holds);
    let line = |holds: bool| {
        move |finding: &Finding| {
            let role = if is_cause(diagnosis, finding) { "cause: " } else { "" };
            (holds, printable(&format!("{role}{}: {}", finding.rule, finding.statement)).into_owned())
        }
    };
    now.into_iter().map(line(true)).chain(other.into_iter().map(line(false))).collect()
}

/// Who causes what holds at a moment: of the cause first.
pub(crate) fn culprits(diagnosis: &Diagnosis, at: i64) -> Vec<Actor> {
    let now = diagnosis.findings.iter().filter(|finding| finding.range.contains(Moment::new(at)));
    let mut now: Vec<&Finding> = now.collect();
    now.sort_by_key(|finding| !is_cause(diagnosis, finding));
    let mut culprits: Vec<Actor> = Vec::new();
    for actor in now.into_iter().flat_map(|finding| finding.origins.iter()) {
        if !culprits.iter().any(|known| known.is_same(actor)) {
            culprits.push(actor.clone());
        }
    }
    culprits
}

/// A line of the pane of findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FindingLine {
    pub(crate) text: String,
    /// Whether it names a finding, and is no detail of one.
    pub(crate) heading: bool,
    /// Whether the finding holds at the moment shown.
    pub(crate) now: bool,
}

/// Everything that the diagnosis says, wrapped: the summary, the chain from cause to effects, other incidents, each finding with its time and advice.
pub(crate) fn full(diagnosis: &Diagnosis, times: &Recording, at: i64, width: usize) -> Vec<FindingLine> {
    let mut lines = Vec::new();
    let mut push = |indent: usize, text: &str, heading: bool, now: bool| {
        for part in wrap(text, width.saturating_sub(indent).max(20)) {
            lines.push(FindingLine { text: format!("{}{part}", " ".repeat(indent)), heading, now });
        }
    };
    push(0, &diagnosis.summary, false, false);
    for (place, stage) in pagetide_view::chain(diagnosis, times).iter().enumerate() {
        let now = (stage.range.0..=stage.range.1).contains(&at);
        let arrow = if place == 0 { "cause" } else { "-> " };
        let lag = if stage.lag.is_empty() { String::new() } else { format!(" ({})", stage.lag) };
        push(2, &format!("{arrow} {}, from {}{lag}", stage.words, stage.when), true, now);
        if place > 0 {
            push(8, &stage.how, false, now);
        }
    }
    for incident in diagnosis.incidents.iter().skip(1) {
        push(0, &format!("also: {}", incident.statement), true, incident.range.contains(Moment::new(at)));
    }
    for finding in &diagnosis.findings {
        let card = pagetide_view::finding_card(finding, times);
        let now = finding.range.contains(Moment::new(at));
        push(0, &format!("{}, {}, {}", card.rule, card.place, card.sureness), true, now);
        push(4, &card.statement, false, now);
        for advice in &card.advice {
            push(4, &format!("to do: {} {}", advice.action, advice.effect), false, now);
        }
    }
    lines
}
