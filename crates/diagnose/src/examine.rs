//! What the rules find in the stretches of a recording; one incident is one finding.

pub(crate) mod cost;
pub(crate) mod stretches;

use crate::examine::stretches::Stretches;
use crate::measure::window::{Window, intervals};
use crate::rules;
use crate::rules::contract::{Role, Scope};
use pagetide_core::{Finding, Nanos, Recording, Span, on_all_cores};

/// All findings, the ones with the strongest evidence first.
pub(crate) fn all(recording: &Recording, stretches: &Stretches<'_>) -> Vec<Finding> {
    let busy = stretches.windows.iter().map(|window| (*window, Scope::Busy));
    let asked = stretches.whole.map(|whole| stretches.asked_of(&whole));
    let all: Vec<(Window<'_>, Scope)> = busy.chain(asked.map(|whole| (whole, Scope::Whole))).collect();
    let found = on_all_cores(&all, |(window, scope)| examined(window, *scope).collect::<Vec<_>>());
    let mut found: Vec<Finding> = found.into_iter().flatten().collect();
    // The stretch in which a service lost most is examined by itself where no cause or effect was found in it.
    if let Some(worst) = stretches.worst.filter(|worst| !found.iter().any(|one| explains(one, worst))) {
        found.extend(examined(&worst, Scope::Busy));
    }
    let mut findings = merged(recording, found);
    findings.retain(|finding| stretches.holds(recording, finding));
    for finding in &mut findings {
        let scenario = rules::by_id(finding.rule).scenarios.first();
        if let (Some(advice), Some(scenario)) = (finding.advice.first_mut(), scenario) {
            advice.scenario = Some(format!("pagetide lab run {scenario} --on vm"));
        }
    }
    // Of a step, what another finding of it accounts for comes last.
    let accounted = |finding: &Finding| {
        let of_step = |other: &&Finding| finding.step.is_some() && other.step == finding.step;
        findings.iter().filter(of_step).any(|other| rules::subsumes(recording, other, finding))
    };
    let last: Vec<bool> = findings.iter().map(accounted).collect();
    let mut findings: Vec<(bool, Finding)> = last.into_iter().zip(findings).collect();
    findings.sort_by(|(a_last, a), (b_last, b)| {
        let stronger = b.confidence.get().total_cmp(&a.confidence.get());
        let stronger = a_last.cmp(b_last).then(stronger);
        stronger.then(a.range.cmp(&b.range)).then_with(|| a.rule.as_str().cmp(b.rule.as_str()))
    });
    findings.into_iter().map(|(_, finding)| finding).collect()
}

/// Whether a finding that can be a root lies in a stretch.
fn explains(finding: &Finding, worst: &Window<'_>) -> bool {
    rules::role(finding) <= Role::Effect && finding.range.overlaps(worst.span)
}

/// What the rules of a scope find in a stretch.
fn examined(window: &Window<'_>, scope: Scope) -> impl Iterator<Item = Finding> {
    let rules = rules::RULES.iter().filter(move |rule| rule.scope == scope);
    rules.filter_map(move |rule| (rule.examine)(window))
}

/// Findings of one rule and one origin, or one disk or group, that lie close together become one: its range is theirs, and its text is that
/// of the one with the strongest evidence. Findings of steps stay as they are.
fn merged(recording: &Recording, mut findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::new();
    findings.sort_by_key(|finding| finding.range);
    for finding in findings {
        let same = |known: &&mut Finding| {
            known.rule == finding.rule
                && known.step.is_none()
                && finding.step.is_none()
                && (same_first(known, &finding) || one_place(known, &finding))
                && near(recording, known.range, finding.range)
        };
        match merged.iter_mut().find(same) {
            Some(known) => {
                let range = known.range.union(finding.range);
                if finding.confidence > known.confidence {
                    *known = finding;
                }
                known.range = range;
            }
            None => merged.push(finding),
        }
    }
    merged
}

/// Whether two findings name one disk or group: the process that does most may change within one incident.
fn one_place(one: &Finding, other: &Finding) -> bool {
    one.origins.iter().filter(|origin| origin.as_command().is_none()).any(|origin| other.origins.has(origin))
}

/// Whether two findings have the same nearest origin, or none.
fn same_first(one: &Finding, other: &Finding) -> bool {
    match (one.origins.first(), other.origins.first()) {
        (Some(one), Some(other)) => one.is_same(other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Whether the pause between two stretches is no longer than the longer of them, or than ten samples.
fn near(recording: &Recording, first: Span, second: Span) -> bool {
    let longest: Nanos = first.length().max(second.length()).max(intervals(recording, 10));
    second.from.since(first.to) <= longest
}
