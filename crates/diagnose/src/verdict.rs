//! The conclusion from all findings: the verdict, its summary, what is cleared, what contradicts it.

use crate::harm::NOTICED;
use crate::limits::TURNOVER;
use crate::process;
use crate::rule::{Loss, Role, Suspicion};
use crate::stretches::Stretches;
use crate::window::Window;
use crate::{chain, changes, coverage, incident, newcomer, rules, waits};
use pagetide_core::{
    Change, Cleared, Conclusion, Confidence, Contradiction, Diagnosis, Finding, Link, Recording, RuleId,
};

/// The diagnosis that findings lead to, with what the recorder could not see.
pub(crate) fn reach(recording: &Recording, stretches: &Stretches<'_>, findings: Vec<Finding>) -> Diagnosis {
    let mut diagnosis = conclude(recording, stretches, findings);
    if diagnosis.verdict != Conclusion::Experiment {
        diagnosis.unknown.extend(coverage::blind_spots(recording));
    }
    diagnosis
}

fn conclude(recording: &Recording, stretches: &Stretches<'_>, mut findings: Vec<Finding>) -> Diagnosis {
    if recording.steps().next().is_some() {
        let summary = "Experiment recording: findings are listed per step below.".to_owned();
        return Diagnosis { verdict: Conclusion::Experiment, summary, findings, ..Diagnosis::default() };
    }
    let unknown = coverage::gaps(recording);
    let roots = chain::roots(recording, stretches, &findings);
    // Which cause is named first does not depend on what the recording shows of harm; how sure it is does.
    for finding in findings.iter_mut().filter(|finding| !shown(stretches, finding)) {
        finding.confidence = Confidence::new(finding.confidence.get().min(UNSEEN));
    }
    let incidents = incident::all(recording, stretches, &findings, &roots);
    let root = roots.first().copied();
    if let Some(root) = root.filter(|root| !incident::harmless(recording, stretches, &findings[*root])) {
        let root = findings.remove(root);
        findings.insert(0, root);
        findings.retain(|finding| finding.rule != RuleId::Healthy);
        return Diagnosis { incidents, ..with_cause(recording, stretches, findings, unknown) };
    }
    let lost = incidents.first().map(|incident| incident.statement.clone());
    // What looks like trouble and is none is named by what it is.
    let named = |rule| findings.iter().position(|finding| finding.rule == rule);
    let healthy = root.or_else(|| named(RuleId::Healthy)).or_else(|| named(RuleId::SwapInUse));
    let healthy = healthy.or_else(|| named(RuleId::ChangedWorkingSet));
    let asked = stretches.whole.map(|whole| stretches.asked_of(&whole));
    let waits = asked.as_ref().and_then(newcomer::troubling);
    // Whatever looks benign, a host whose tasks notably wait is not called healthy.
    let calm = unknown.is_empty() && lost.is_none() && waits.is_none_or(|share| share < NOTICED);
    let diagnosis = match healthy.filter(|_| calm) {
        Some(index) => {
            let healthy = findings.remove(index);
            let waits = waits.map_or(String::new(), |share| format!(" Tasks waited for memory {share} of the time."));
            let summary = healthy.statement.clone() + &waits;
            let cause = Some(chain::cause(recording, &healthy));
            findings.insert(0, healthy);
            Diagnosis { verdict: Conclusion::Healthy, summary, cause, findings, ..Diagnosis::default() }
        }
        None => cannot_tell(asked.as_ref().and_then(unexplained_waits), findings, lost, unknown),
    };
    Diagnosis { incidents, ..diagnosis }
}

/// The most that evidence counts of a finding whose harm the recording does not show: moderate.
const UNSEEN: f64 = 0.899;

/// Whether the recording shows that tasks lost time while a finding lasts, where its rule makes tasks wait; or that they lost none, where it
/// says so.
fn shown(stretches: &Stretches<'_>, finding: &Finding) -> bool {
    let rule = rules::by_id(finding.rule);
    if finding.rule == RuleId::Healthy {
        let wait = |window: &Window<'_>| newcomer::others_wait_more(window).is_some_and(|more| more >= NOTICED);
        return stretches.losses.measured(Loss::Stalls) && !stretches.windows.iter().any(wait);
    }
    let waits = rule.role <= Role::Effect && matches!(rule.loss, Some(Loss::Stalls | Loss::Cpu));
    !waits || stretches.whole.as_ref().is_some_and(|whole| stretches.losses.shown(whole, finding))
}

fn cannot_tell(
    waits: Option<String>,
    mut findings: Vec<Finding>,
    lost: Option<String>,
    mut unknown: Vec<String>,
) -> Diagnosis {
    if let Some(lost) = lost {
        findings.retain(|finding| finding.rule != RuleId::Healthy);
        unknown.insert(0, lost);
    }
    if unknown.is_empty() {
        // What was found, though the recording does not show that tasks lost time by it.
        let found = findings.iter().find(|finding| rules::by_id(finding.rule).role == Role::Cause);
        let found = found.map(|found| format!("No task is shown to lose time by what was found: {}", found.statement));
        unknown.push(
            waits.or(found).unwrap_or_else(|| {
                "No rule found a cause, and the numbers do not show a healthy host either.".to_owned()
            }),
        );
    }
    let summary = format!("The recording does not show what happened: {}", unknown.join(" "));
    Diagnosis { verdict: Conclusion::CannotTell, summary, unknown, findings, ..Diagnosis::default() }
}

/// That tasks wait for memory or devices and no rule explains it.
fn unexplained_waits(whole: &Window<'_>) -> Option<String> {
    let Some(share) = newcomer::troubling(whole) else {
        let (share, disk, time) = waits::throughout(whole)?;
        return Some(format!(
            "Tasks waited for IO {share} of the time from its start to its end, and a request of {disk} took {time}. There is no time before to \
             compare that with: record this host while it is well."
        ));
    };
    let grower =
        process::grower(whole).zip(whole.memory()).filter(|(grower, memory)| grower.amount >= *memory * TURNOVER);
    let grower =
        grower.map_or(String::new(), |(grower, _)| format!(" {} grew by {} meanwhile.", grower.words(), grower.amount));
    Some(format!("Tasks waited for memory {share} of the time, and no rule found the cause.{grower}"))
}

/// The diagnosis with a cause: the first of the findings.
fn with_cause(
    recording: &Recording,
    stretches: &Stretches<'_>,
    findings: Vec<Finding>,
    mut unknown: Vec<String>,
) -> Diagnosis {
    unknown.extend(stretches.losses.unknown(recording));
    let root = &findings[0];
    let links = chain::links(recording, &stretches.windows, root);
    let contradictions = contradictions(recording, &findings);
    let cost = stretches.whole.as_ref().and_then(|whole| {
        let cost = stretches.losses.sentence(whole, root)?;
        Some(stretches.losses.of_group(whole, root).map_or(cost.clone(), |group| format!("{cost} {group}")))
    });
    let changes = changes::near(recording, root);
    let summary = summary(root, cost, &changes, &links, &contradictions);
    let forecast = incident::grows(recording, stretches, root);
    Diagnosis {
        verdict: if forecast { Conclusion::Forecast } else { Conclusion::Incident },
        summary,
        unknown,
        damaged: Vec::new(),
        cause: Some(chain::cause(recording, root)),
        chain: links,
        rivals: chain::rivals(recording, &findings, 0),
        cleared: stretches.whole.as_ref().map(|whole| cleared(whole, &findings)).unwrap_or_default(),
        contradictions,
        incidents: Vec::new(),
        findings,
    }
}

/// The first paragraph: the cause, its effects, what contradicts it, what to do.
fn summary(
    root: &Finding,
    cost: Option<String>,
    changes: &[Change],
    links: &[Link],
    contradictions: &[Contradiction],
) -> String {
    let mut sentences = vec![root.statement.clone()];
    sentences.extend(cost);
    let changes: Vec<&str> = changes.iter().map(|change| change.what.trim_end_matches('.')).collect();
    if !changes.is_empty() {
        sentences.push(format!("Near its onset: {}.", changes.join("; ")));
    }
    let mut effects: Vec<&str> = links.iter().map(|link| link.effect.as_str()).collect();
    effects.dedup();
    if !effects.is_empty() {
        sentences.push(format!("Effects: {}.", effects.join("; ")));
    }
    let saturated = links.iter().filter(|link| link.rule == Some(RuleId::DeviceSaturated));
    let disks = saturated.filter_map(|link| link.effect.split_once(' ').map(|(disk, _)| disk));
    let victims: Vec<&str> = disks.filter(|disk| !root.origins.contains(&format!("disk:{disk}"))).collect();
    match victims.as_slice() {
        [] => {}
        [victim] => sentences.push(format!("{victim} is a victim, not the cause.")),
        victims => sentences.push(format!("{} are victims, not the cause.", victims.join(" and "))),
    }
    if let Some(contradiction) = contradictions.first() {
        sentences.push(format!("This contradicts it: {}", contradiction.statement));
    }
    if let Some(advice) = root.advice.first() {
        sentences.push(format!("Do first: {}", advice.action));
    }
    sentences.join(" ")
}

/// Findings that no cause explains and that are no cause either: reclaim that continues although much is free.
fn contradictions(recording: &Recording, findings: &[Finding]) -> Vec<Contradiction> {
    let Some((root, others)) = findings.split_first() else { return Vec::new() };
    let accounted = |finding: &&Finding| chain::subsumes(recording, root, finding);
    let against = others.iter().filter(|finding| finding.rule == RuleId::OverReclaim && !accounted(finding));
    let of = |finding: &Finding| {
        let advice = finding.advice.first();
        Contradiction {
            statement: finding.statement.clone(),
            evidence: finding.evidence.clone(),
            settles: advice.map_or(String::new(), |advice| format!("{} {}", advice.action, advice.effect)),
            command: advice.and_then(|advice| advice.command.clone()),
        }
    };
    against.map(of).collect()
}

/// Suspects that the numbers clear.
fn cleared(whole: &Window<'_>, findings: &[Finding]) -> Vec<Cleared> {
    let during = &whole.over(findings.first().map_or(whole.span, |root| root.range));
    let suspicion = Suspicion { whole, during, findings };
    rules::RULES.iter().filter_map(|rule| (rule.clears?)(suspicion)).collect()
}
