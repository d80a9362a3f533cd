//! The page: what a report says, in which order, with every number worked out. Views draw it and add nothing.

use crate::clock;
use crate::timeline;
use pagetide_core::{Conclusion, Finding, Report};

pub(crate) mod batch;
mod block;
pub(crate) mod chain;
pub(crate) mod comparison;
pub(crate) mod findings;
mod machine;
pub(crate) mod range_comparison;
mod steps;
mod story;
mod words;

pub use block::*;
use words::{capital, count, tally};

/// The page of a report.
pub fn page(report: &Report) -> Page {
    let mut blocks = Vec::new();
    let stages = chain::stages(&report.diagnosis, &report.recording);
    let timeline = timeline::timeline(&report.recording, report.run.as_ref(), &stages);
    let facts = machine::facts(report, timeline.as_ref());
    let plots = |blocks: &mut Vec<Block>| {
        blocks.push(Block::Heading("Timeline".to_owned()));
        match timeline {
            Some(timeline) => blocks.push(Block::Timeline(Box::new(timeline))),
            None => blocks.push(Block::Paragraph("Nothing was recorded.".to_owned())),
        }
    };

    // Who reads about an incident wants to know what happened, then to see it, then to check it.
    if matches!(report.diagnosis.verdict, Conclusion::Incident | Conclusion::Forecast) {
        story::before(report, stages, &mut blocks);
        plots(&mut blocks);
        story::after(report, &mut blocks);
    } else {
        blocks.push(Block::Heading("Findings".to_owned()));
        if report.diagnosis.findings.is_empty() {
            blocks.push(Block::Paragraph("No finding.".to_owned()));
        }
        let cards = findings::cards(in_step_order(report), &report.recording);
        blocks.extend(cards.into_iter().map(|card| Block::Finding(Box::new(card))));
        if let Some(run) = report.run.as_ref().filter(|run| !run.claims.is_empty()) {
            blocks.push(Block::Heading("Claims".to_owned()));
            blocks.push(Block::Claims(run.claims.clone()));
        }
        plots(&mut blocks);
        story::unknown(report, &mut blocks);
    }
    if let Some(run) = &report.run {
        blocks.push(Block::Heading(steps::heading(report.scenario.as_ref()).to_owned()));
        blocks.push(Block::Table(steps::table(run, report.scenario.as_ref())));
        let notes = steps::notes(run);
        if !notes.is_empty() {
            blocks.push(Block::List(notes));
        }
    }
    blocks.push(Block::Heading("Machine".to_owned()));
    blocks.push(Block::Facts(facts));
    if let Some(run) = report.run.as_ref().filter(|run| !run.differences.is_empty()) {
        blocks.push(Block::Heading("How this run differs from the scenario's machine".to_owned()));
        blocks.push(Block::List(run.differences.clone()));
    }
    if let Some(run) = &report.run {
        let table = steps::all_figures(run);
        if !table.rows.is_empty() {
            blocks.push(Block::More { summary: "All figures of all steps".to_owned(), table });
        }
    }
    Page { title: title(report), lead: lead(report), outcome: outcome(report), blocks }
}

/// The findings of a run by their step, in the order of the steps, those of one step as they came: surest first. What is of
/// no step comes last; of a recording without steps all are as they came.
fn in_step_order(report: &Report) -> Vec<&Finding> {
    let steps = report.run.as_ref().map(|run| run.steps.as_slice()).unwrap_or_default();
    let place = |finding: &&Finding| {
        let step = steps.iter().position(|step| finding.step.as_ref() == Some(&step.id));
        step.unwrap_or(steps.len())
    };
    let mut findings: Vec<&Finding> = report.diagnosis.findings.iter().collect();
    findings.sort_by_key(place);
    findings
}

fn title(report: &Report) -> String {
    match (&report.scenario, &report.run) {
        (Some(scenario), _) if !scenario.title.is_empty() => scenario.title.clone(),
        (Some(scenario), _) => scenario.id.clone(),
        (None, Some(run)) => run.scenario.clone(),
        // The kernel's own name of a host that nobody named.
        (None, None) if ["", "(none)"].contains(&report.recording.manifest.host.as_str()) => "Recording".to_owned(),
        (None, None) => format!("Recording of {}", report.recording.manifest.host),
    }
}

fn lead(report: &Report) -> Vec<String> {
    // What is missing comes before what is said about the rest.
    let mut lead: Vec<String> = report.diagnosis.damaged.iter().map(|line| format!("Damaged: {line}.")).collect();
    if let Some(scenario) = &report.scenario {
        lead.extend(Some(scenario.about.trim().to_owned()).filter(|about| !about.is_empty()));
        lead.extend(Some(format!("Source: {}.", scenario.source)).filter(|_| !scenario.source.is_empty()));
    }
    if report.run.is_none() {
        lead.extend(story::summary(report));
    }
    lead
}

/// What came out, in one sentence.
fn outcome(report: &Report) -> String {
    let findings = match report.diagnosis.findings.len() {
        0 => "no finding".to_owned(),
        some => count(some, "finding"),
    };
    let Some(run) = &report.run else {
        let stamps = report.recording.stamps();
        let when = stamps
            .iter()
            .find(|stamp| clock::dated(stamp.wall_ns))
            .map(|stamp| format!(" from {}", clock::of(&report.recording).date_time(stamp.wall_ns)))
            .unwrap_or_default();
        return format!("{} samples{when}; {findings}.", stamps.len());
    };
    let mut parts = tally(&run.claims.iter().collect::<Vec<_>>());
    parts.push(findings);
    format!("{}.", capital(&parts.join(", ")))
}
