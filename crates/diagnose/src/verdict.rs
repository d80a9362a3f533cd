//! What the findings come to: the verdict, its summary, what is cleared, what contradicts it.

use crate::chain;
use crate::coverage;
use crate::rules::{self, Role};
use crate::window::{REFAULTED, Window};
use pagetide_core::{
    Cleared, Conclusion, Contradiction, Diagnosis, Evidence, Finding, Link, Quantity, Recording, Unit,
};

/// The diagnosis that findings come to.
pub(crate) fn reach(
    recording: &Recording,
    whole: Option<Window<'_>>,
    windows: &[Window<'_>],
    mut findings: Vec<Finding>,
) -> Diagnosis {
    if recording.steps().next().is_some() {
        let summary = "The recording is of an experiment; what the rules saw is told by step.".to_owned();
        return Diagnosis { verdict: Conclusion::Experiment, summary, findings, ..Diagnosis::default() };
    }
    let unknown = coverage::gaps(recording);
    if let Some(root) = chain::root(recording, &findings) {
        let root = findings.remove(root);
        findings.insert(0, root);
        findings.retain(|finding| finding.rule != "healthy");
        return blame(recording, whole, windows, findings, unknown);
    }
    // What looks like trouble and is none is named by what it is.
    let named = |rule: &str| findings.iter().position(|finding| finding.rule == rule);
    let healthy = named("healthy").or_else(|| named("swap-in-use-harmless"));
    match healthy.filter(|_| unknown.is_empty()) {
        Some(index) => {
            let healthy = findings.remove(index);
            let summary = healthy.statement.clone();
            let cause = Some(chain::cause(recording, &healthy));
            findings.insert(0, healthy);
            Diagnosis { verdict: Conclusion::Healthy, summary, cause, findings, ..Diagnosis::default() }
        }
        None => cannot_tell(whole, findings, unknown),
    }
}

fn cannot_tell(whole: Option<Window<'_>>, findings: Vec<Finding>, mut unknown: Vec<String>) -> Diagnosis {
    if unknown.is_empty() {
        unknown.push(
            whole.and_then(waits).unwrap_or_else(|| {
                "No rule found a cause, and the numbers do not show a healthy host either.".to_owned()
            }),
        );
    }
    let summary = format!("What happened cannot be told from this recording, because: {}", unknown.join(" "));
    Diagnosis { verdict: Conclusion::CannotTell, summary, unknown, findings, ..Diagnosis::default() }
}

/// That tasks wait for memory and no rule says why.
fn waits(whole: Window<'_>) -> Option<String> {
    let part = whole.host_rate(&["psi_memory_some"])? / 1e6;
    (part >= 0.01)
        .then(|| format!("Tasks waited for memory {} of the time, and no rule found the cause.", Quantity::ratio(part)))
}

/// The diagnosis with a cause: the first of the findings.
fn blame(
    recording: &Recording,
    whole: Option<Window<'_>>,
    windows: &[Window<'_>],
    findings: Vec<Finding>,
    unknown: Vec<String>,
) -> Diagnosis {
    let root = &findings[0];
    let links = chain::links(recording, windows, root);
    let contradictions = contradictions(&findings);
    let summary = summary(root, &links, &contradictions);
    Diagnosis {
        verdict: Conclusion::Cause,
        summary,
        unknown,
        cause: Some(chain::cause(recording, root)),
        chain: links,
        rivals: chain::rivals(recording, &findings, 0),
        cleared: whole.map(|whole| cleared(&whole, &findings)).unwrap_or_default(),
        contradictions,
        findings,
    }
}

/// The first paragraph: the cause, what followed from it, what does not fit, what to do.
fn summary(root: &Finding, links: &[Link], contradictions: &[Contradiction]) -> String {
    let mut sentences = vec![root.statement.clone()];
    let mut effects: Vec<&str> = links.iter().map(|link| link.effect.as_str()).collect();
    effects.dedup();
    if !effects.is_empty() {
        sentences.push(format!("What followed: {}.", effects.join("; ")));
    }
    let victims: Vec<&str> = links
        .iter()
        .filter(|link| link.rule.as_deref() == Some("device-saturated"))
        .filter_map(|link| link.effect.split_once(' ').map(|(disk, _)| disk))
        .filter(|disk| !root.origins.contains(&format!("disk:{disk}")))
        .collect();
    if !victims.is_empty() {
        let are = if victims.len() == 1 { "is a victim" } else { "are victims" };
        sentences.push(format!("{} {are} and not the cause.", victims.join(" and ")));
    }
    if let Some(contradiction) = contradictions.first() {
        sentences.push(format!("One thing does not fit: {}", contradiction.statement));
    }
    if let Some(advice) = root.advice.first() {
        sentences.push(format!("What to do first: {}", advice.action));
    }
    sentences.join(" ")
}

/// Findings that no cause explains and that are no cause either: reclaim that goes on although much is free.
fn contradictions(findings: &[Finding]) -> Vec<Contradiction> {
    let against = findings.iter().skip(1).filter(|finding| finding.rule == "over-reclaim");
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

/// What a reader might suspect and the numbers clear. Anonymous memory is judged over the whole recording when it was not
/// recorded during the cause.
fn cleared(whole: &Window<'_>, findings: &[Finding]) -> Vec<Cleared> {
    let (from, to) = findings.first().map_or((whole.from, whole.to), |root| root.range);
    let at_it = &Window { from, to, ..*whole };
    let blamed = |rules: &[&str]| findings.iter().any(|finding| rules.contains(&finding.rule.as_str()));
    let page = at_it.page_size();
    let mut cleared = Vec::new();
    let memory = whole.memory();
    let change = |metric: &str| {
        let during = at_it.host_change(metric).map(|change| (change, (at_it.from, at_it.to)));
        during.or_else(|| span(whole, metric))
    };
    if let (Some((change, range)), Some(memory)) = (change("AnonPages"), memory)
        && !blamed(&["anonymous-growth-takes-cache", "memory-leak", "swap-thrash"])
        && change.abs() < memory * 0.02
    {
        cleared.push(Cleared {
            rule: "anonymous-growth-takes-cache".to_owned(),
            statement: format!(
                "It is not the programs' own memory: anonymous memory changed by {}, {} of all.",
                Quantity::new(change, Unit::Bytes),
                Quantity::ratio(change.abs() / memory)
            ),
            evidence: vec![evidence(
                range,
                "change of anonymous memory",
                "AnonPages",
                Quantity::new(change, Unit::Bytes),
            )],
        });
    }
    let swapped = at_it.host_rate(&["pswpin", "pswpout"]).map(|pages| {
        let rate = Quantity::new(pages * page, Unit::BytesPerSecond);
        (pages * page * 60.0, evidence((at_it.from, at_it.to), "swapped", "pswpin + pswpout", rate))
    });
    let swapped = swapped.or_else(|| {
        let (change, range) = change("SwapFree")?;
        Some((change.abs(), evidence(range, "change of free swap", "SwapFree", Quantity::new(change, Unit::Bytes))))
    });
    if let (Some((moved, evidence)), Some(memory)) = (swapped, memory)
        && !blamed(&["swap-thrash"])
        && moved < memory * 0.01
    {
        cleared.push(Cleared {
            rule: "swap-thrash".to_owned(),
            statement: format!("It is not swap: {} {}.", evidence.what, evidence.value),
            evidence: vec![evidence],
        });
    }
    if at_it.host_rate(&["drop_pagecache"]).is_some_and(|rate| rate == 0.0) {
        let none =
            evidence((at_it.from, at_it.to), "times that caches were dropped", "drop_pagecache", Quantity::count(0.0));
        cleared.push(Cleared {
            rule: "caches-dropped".to_owned(),
            statement: "Nobody dropped the caches.".to_owned(),
            evidence: vec![none],
        });
    }
    if let Some(refaulted) = at_it.host_rate(REFAULTED)
        && let Some(read) = at_it.host_rate(&["pgpgin"]).map(|kib| kib * 1024.0)
        && !blamed(&["working-set-exceeds-cache", "code-thrash"])
        && read > 0.0
        && refaulted * page < read * 0.1
    {
        let part = Quantity::ratio(refaulted * page / read);
        cleared.push(Cleared {
            rule: "working-set-exceeds-cache".to_owned(),
            statement: format!("What is read is not read again: {part} of it had been evicted before."),
            evidence: vec![evidence(
                (at_it.from, at_it.to),
                "part of what was read that had been evicted",
                "workingset_refault_file * page size / pgpgin",
                part,
            )],
        });
    }
    cleared
}

/// How much a gauge differs at most over a recording that has it only at other times.
fn span(whole: &Window<'_>, metric: &str) -> Option<(f64, (i64, i64))> {
    let series = whole.recording.host(metric)?;
    let (first, _) = series.points().next()?;
    let (last, _) = series.points().next_back()?;
    let (least, _, most) = series.summary(first, last)?;
    (last > first).then_some(((most as f64) - (least as f64), (first, last)))
}

fn evidence(range: (i64, i64), what: &str, source: &str, value: Quantity) -> Evidence {
    Evidence { what: what.to_owned(), source: source.to_owned(), range, value, against: None }
}

/// Fills in which scenarios show the effect of an advice.
pub(crate) fn with_scenarios(mut findings: Vec<Finding>) -> Vec<Finding> {
    for finding in &mut findings {
        let shown_by = rules::by_id(&finding.rule).map_or(&[][..], |rule| rule.shown_by);
        if let (Some(advice), Some(scenario)) = (finding.advice.first_mut(), shown_by.first()) {
            advice.scenario = Some(format!("pagetide lab run {scenario} --on vm"));
        }
    }
    findings
}

/// Whether a finding means that something is wrong.
pub(crate) fn alarming(finding: &Finding) -> bool {
    rules::by_id(&finding.rule).is_some_and(|rule| rule.role <= Role::Effect)
}
