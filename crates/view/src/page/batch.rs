//! The page of several runs: what became of each, and every claim with its verdict and its numbers.

use super::block::{Block, Page};
use super::words::{capital, count, tally};
use crate::claim::sign_word_tone;
use crate::clock;
use crate::table::{Cell, Table, Tone};
use pagetide_core::{Attempt, AttemptOutcome, Batch, ClaimStatus, LocalClock, Outcome, Verdict};
use std::collections::BTreeSet;

/// The page of several runs. Its links lead to files below the batch's own folder.
pub fn batch(batch: &Batch) -> Page {
    let runs = batch.runs.len();
    let mut blocks = vec![Block::Heading("Runs".to_owned()), Block::Table(runs_table(batch))];
    if batch.runs.iter().any(|attempt| attempt.result().is_some()) {
        blocks.push(Block::Heading("Claims".to_owned()));
        blocks.push(Block::Table(claims_table(batch)));
    }
    let mut kernels: Vec<String> = batch
        .runs
        .iter()
        .filter_map(Attempt::result)
        .map(|run| format!("{}: Linux {}", run.backend, run.kernel))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    kernels.push(format!("began {}", LocalClock::utc().date_time(batch.started_wall_ns)));
    blocks.push(Block::Heading("Machine".to_owned()));
    blocks.push(Block::List(kernels));
    Page {
        title: format!("{} at scale {}", count(runs, "run"), batch.scale),
        lead: Vec::new(),
        outcome: outcome(batch),
        blocks,
        ..Page::default()
    }
}

/// What came out of all of them, in one sentence.
fn outcome(batch: &Batch) -> String {
    let word = |outcome: &AttemptOutcome| match outcome {
        AttemptOutcome::Ran(_) => "",
        AttemptOutcome::Refused { .. } => "refused",
        AttemptOutcome::Interrupted => "interrupted",
        AttemptOutcome::NotBegun => "not begun",
    };
    let how_many = |wanted: &str| batch.runs.iter().filter(|attempt| word(&attempt.outcome) == wanted).count();
    let mut parts = vec![format!("{} of {} complete", how_many(""), count(batch.runs.len(), "run"))];
    let others = ["refused", "interrupted", "not begun"].map(|word| (how_many(word), word));
    parts.extend(others.into_iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")));
    let claims: Vec<&Verdict> = batch.runs.iter().filter_map(Attempt::result).flat_map(|run| &run.claims).collect();
    parts.extend(tally(&claims));
    format!("{}; {} in total.", capital(&parts.join(", ")), clock::length(batch.took))
}

fn runs_table(batch: &Batch) -> Table {
    let mut table = Table::new()
        .left("scenario")
        .left("on")
        .right("hold")
        .right("fail")
        .right("disturbed")
        .right("unknown")
        .right("took")
        .left("report");
    let compared = batch.runs.iter().any(|attempt| attempt.comparison.is_some());
    if compared {
        table = table.left("side by side");
    }
    for attempt in &batch.runs {
        let cells = match &attempt.outcome {
            AttemptOutcome::Ran(run) => {
                let count = |holds, bad| {
                    let n = run.claims.iter().filter(|claim| claim.holds == holds).count();
                    let tone = if n == 0 { Tone::Dim } else { bad };
                    Cell::toned(n.to_string(), tone)
                };
                let report = format!("{}/report.html", attempt.folder);
                [
                    count(ClaimStatus::Holds, Tone::Good),
                    count(ClaimStatus::Fails, Tone::Bad),
                    count(ClaimStatus::Disturbed, Tone::Strong),
                    count(ClaimStatus::Unknown, Tone::Strong),
                    clock::length(attempt.took).into(),
                    Cell::linked(&report, &report),
                ]
            }
            AttemptOutcome::Refused { what, hint } => {
                let hint = if hint.is_empty() { String::new() } else { format!(" ({hint})") };
                let took = clock::length(attempt.took).into();
                [dash(), dash(), dash(), dash(), took, Cell::toned(format!("refused: {what}{hint}"), Tone::Bad)]
            }
            AttemptOutcome::Interrupted => [
                dash(),
                dash(),
                dash(),
                dash(),
                clock::length(attempt.took).into(),
                Cell::toned("interrupted", Tone::Bad),
            ],
            AttemptOutcome::NotBegun => [dash(), dash(), dash(), dash(), dash(), Cell::toned("not begun", Tone::Dim)],
        };
        let first = [attempt.scenario.as_str().into(), attempt.backend.as_str().into()];
        let beside = attempt.comparison.as_ref().map(|file| Cell::linked(file, file));
        table.row(first.into_iter().chain(cells).chain(beside));
    }
    table
}

/// Every claim of every run with its numbers, those that do not hold with the expression that was checked.
fn claims_table(batch: &Batch) -> Table {
    let mut table = Table::new().left("").left("claim").left("why");
    for (attempt, run) in batch.runs.iter().filter_map(|attempt| attempt.result().map(|run| (attempt, run))) {
        table.group(format!("{} on {}", attempt.scenario, attempt.backend), &attempt.title);
        // A step whose time was over is as a scenario with time limits wants it.
        for step in run.steps.iter().filter(|step| matches!(step.outcome, Outcome::Killed | Outcome::Refused)) {
            let why = step.notes.join("; ");
            table.row([Cell::toned("!", Tone::Bad), format!("step {} failed", step.id).into(), why.into()]);
        }
        for claim in &run.claims {
            let (sign, word, tone) = sign_word_tone(claim.holds);
            let why = match claim.holds {
                ClaimStatus::Holds => claim.evidence.clone(),
                ClaimStatus::Fails | ClaimStatus::Disturbed | ClaimStatus::Unknown => {
                    format!("{}: {}", claim.check, claim.evidence)
                }
            };
            table.row([Cell::toned(format!("{sign} {word}"), tone), claim.id.as_str().into(), why.into()]);
        }
    }
    table
}

fn dash() -> Cell {
    Cell::toned("-", Tone::Dim)
}
