//! The page: what a report says, in which order, with every number worked out. Views draw it and add nothing.

use crate::clock;
use crate::timeline::{self, Timeline};
use pagetide_core::{Actor, ClaimStatus, Conclusion, Origin, Report, RunResult};

pub(crate) mod batch;
mod block;
pub(crate) mod chain;
pub(crate) mod comparison;
pub(crate) mod findings;
mod machine;
pub(crate) mod range_comparison;
mod steps;
mod story;
mod verdicts;
pub(crate) mod words;

pub use block::*;
use words::{capital, count, tally};

/// The page of a report.
pub fn page(report: &Report) -> Page {
    let mut blocks = Vec::new();
    let stages = chain::path(chain::stages(&report.diagnosis, &report.recording));
    let ledger = report.diagnosis.ledger.as_ref();
    let cause = report.diagnosis.cause.as_ref();
    let disk = cause.and_then(|cause| cause.origins.iter().find_map(Actor::as_disk));
    let timeline = timeline::timeline(&report.recording, report.run.as_ref(), &stages, ledger, disk);
    let facts = machine::facts(report, timeline.as_ref());
    if let Some(run) = &report.run {
        run_blocks(report, run, timeline, &mut blocks);
    } else if matches!(report.diagnosis.verdict, Conclusion::Incident | Conclusion::Forecast) {
        // A reader of an incident first wants to know what happened, then see it, then check it.
        story::incidents(report, &mut blocks);
        plots(timeline, &mut blocks);
        story::chain(report, stages, &mut blocks);
        story::after(report, &mut blocks);
    } else {
        finding_blocks(report, &mut blocks);
        plots(timeline, &mut blocks);
        story::unknown(report, &mut blocks);
    }
    if report.run.is_none() && report.recording.manifest.origin == Origin::Import {
        let jobs = steps::all_figures(report.recording.steps());
        if !jobs.rows.is_empty() {
            blocks.push(Block::Heading("Jobs of fio".to_owned()));
            blocks.push(Block::Table(jobs));
        }
    }
    story::when_cut(report, &mut blocks);
    blocks.push(Block::Heading("Machine".to_owned()));
    blocks.push(Block::Facts(facts));
    if let Some(run) = report.run.as_ref().filter(|run| !run.differences.is_empty()) {
        blocks.push(Block::Heading("How this run differs from the scenario's machine".to_owned()));
        blocks.push(Block::List(run.differences.clone()));
    }
    about(report, &mut blocks);
    if let Some(run) = &report.run {
        let table = steps::all_figures(run.steps.iter());
        if !table.rows.is_empty() {
            blocks.push(Block::More { summary: "All figures of all steps".to_owned(), table });
        }
    }
    let (culprits, victims) = crate::parties::parties(&report.diagnosis, &report.recording).names();
    Page {
        title: title(report),
        damaged: report.diagnosis.damaged.iter().map(|line| format!("Damaged: {line}.")).collect(),
        headline: headline(report),
        lead: if report.run.is_none() { story::lead(report) } else { Vec::new() },
        outcome: outcome(report),
        blocks,
        culprits,
        victims,
    }
}

/// What a run measured, beside what was published, and what the rules say.
fn run_blocks(report: &Report, run: &RunResult, timeline: Option<Timeline>, blocks: &mut Vec<Block>) {
    let scenario = report.scenario.as_ref();
    let verdicts = verdicts::steps(report, run);
    if !verdicts.is_empty() {
        blocks.push(Block::Heading("Steps, each with its diagnosis".to_owned()));
        blocks.push(Block::Steps(verdicts));
    }
    if !run.claims.is_empty() {
        blocks.push(Block::Heading("Claims".to_owned()));
        blocks.push(Block::Claims(run.claims.clone()));
    }
    finding_blocks(report, blocks);
    plots(timeline, blocks);
    story::unknown(report, blocks);
    let published =
        vec![Block::Heading(steps::heading(scenario).to_owned()), Block::Table(steps::table(run, scenario))];
    // Published figures come before the claims about them; without them the table is a detail.
    let place = if steps::any_published(scenario) {
        blocks.iter().position(|block| matches!(block, Block::Heading(text) if text == "Claims")).unwrap_or(0)
    } else {
        blocks.len()
    };
    blocks.splice(place..place, published);
    let notes = steps::notes(run);
    if !notes.is_empty() {
        blocks.push(Block::Heading("Notes on the steps".to_owned()));
        blocks.push(Block::List(notes));
    }
}

fn finding_blocks(report: &Report, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading("Findings".to_owned()));
    if report.diagnosis.findings.is_empty() {
        blocks.push(Block::Paragraph("No finding.".to_owned()));
    }
    let cards = findings::cards(&report.diagnosis.findings, &report.recording);
    blocks.extend(cards.into_iter().map(|card| Block::Finding(Box::new(card))));
}

fn plots(timeline: Option<Timeline>, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading("Timeline".to_owned()));
    match timeline {
        Some(timeline) => blocks.push(Block::Timeline(Box::new(timeline))),
        None => blocks.push(Block::Paragraph("Nothing was recorded.".to_owned())),
    }
}

/// What the scenario is about, and who published its figures.
fn about(report: &Report, blocks: &mut Vec<Block>) {
    let Some(scenario) = &report.scenario else { return };
    // Its author broke the lines where they fitted the file.
    let about: Vec<&str> = scenario.about.split_whitespace().collect();
    let about = Some(about.join(" ")).filter(|about| !about.is_empty());
    let source = Some(format!("Source: {}.", scenario.source)).filter(|_| !scenario.source.is_empty());
    let paragraphs: Vec<String> = about.into_iter().chain(source).collect();
    if !paragraphs.is_empty() {
        blocks.push(Block::Heading("About the scenario".to_owned()));
        blocks.extend(paragraphs.into_iter().map(Block::Paragraph));
    }
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

/// The answer: of a run the scenario's own sentence with its figures, else its first claim that fails, else its first that holds; of a
/// recording what the diagnosis says.
fn headline(report: &Report) -> String {
    match (&report.run, &report.scenario) {
        (Some(run), Some(scenario)) => {
            let of = |step: &str, figure| run.steps.iter().find(|result| result.id == step)?.quantity(figure);
            scenario.headline.fill(of).unwrap_or_else(|| claimed(run))
        }
        (Some(run), None) => claimed(run),
        (None, _) => story::headline(report),
    }
}

/// What the claims of a run say; empty without any that could be computed.
fn claimed(run: &RunResult) -> String {
    let first =
        |status| run.claims.iter().find(|claim| claim.holds == status).map(|claim| claim.text.trim_end_matches('.'));
    match (first(ClaimStatus::Fails), first(ClaimStatus::Holds)) {
        (Some(text), _) => format!("Does not hold: {text}."),
        (None, Some(text)) => format!("{text}."),
        (None, None) => String::new(),
    }
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
        return format!("{}{when}; {findings}.", count(stamps.len(), "sample"));
    };
    let mut parts = tally(&run.claims.iter().collect::<Vec<_>>());
    parts.push(findings);
    format!("{}.", capital(&parts.join(", ")))
}
