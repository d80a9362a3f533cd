//! The steps of a run, each with a verdict: what the rules say when they read it as a live host.

use super::block::StepVerdict;
use super::words::step;
use crate::table::Tone;
use pagetide_core::{Conclusion, Diagnosis, Figure, Grade, Outcome, Quantity, Report, RunResult, StepResult};

/// The steps that work, in order; none when the rules were not asked.
pub(super) fn steps(report: &Report, run: &RunResult) -> Vec<StepVerdict> {
    let works = |result: &&StepResult| {
        let known = step(report.scenario.as_ref(), &result.id);
        known.is_none_or(|step| step.action.spec().works())
    };
    if report.steps.is_empty() {
        return Vec::new();
    }
    run.steps.iter().filter(works).map(|result| verdict(report, result)).collect()
}

fn verdict(report: &Report, result: &StepResult) -> StepVerdict {
    let diagnosis = report.steps.iter().find(|step| step.step == result.id).map(|step| &step.diagnosis);
    let (verdict, tone, statement) = match (result.outcome, diagnosis) {
        (Outcome::Killed, _) => ("was killed".to_owned(), Tone::Bad, String::new()),
        (Outcome::TimedOut, _) => ("ran out of time".to_owned(), Tone::Bad, String::new()),
        (Outcome::Refused, _) => ("failed or could not start".to_owned(), Tone::Bad, String::new()),
        (Outcome::Done, None) => ("not diagnosed".to_owned(), Tone::Dim, String::new()),
        (Outcome::Done, Some(diagnosis)) => of(diagnosis),
    };
    StepVerdict {
        id: result.id.clone(),
        title: result.title.clone(),
        iops: result
            .get(Figure::Iops)
            .map_or_else(String::new, |iops| format!("{} IOPS", Quantity::count(iops.round()))),
        hit_ratio: result.get(Figure::CacheHitRatio),
        verdict,
        tone,
        statement,
    }
}

/// A diagnosis in a few words and in one sentence.
fn of(diagnosis: &Diagnosis) -> (String, Tone, String) {
    let first = diagnosis.findings.first();
    let statement = || first.map_or_else(|| diagnosis.summary.clone(), |finding| finding.statement.clone());
    match (diagnosis.verdict, first) {
        (Conclusion::Incident | Conclusion::Forecast, Some(finding)) => {
            (format!("{} ({})", finding.rule, Grade::of(finding.confidence).words()), Tone::Bad, statement())
        }
        (Conclusion::Healthy, _) => ("nothing wrong".to_owned(), Tone::Good, statement()),
        (_, Some(finding)) => {
            (format!("{} ({})", finding.rule, Grade::of(finding.confidence).words()), Tone::Plain, statement())
        }
        (_, None) => ("cannot tell".to_owned(), Tone::Dim, diagnosis.summary.clone()),
    }
}
