//! The steps of a run, each with a verdict: the first finding of the step, where the rules knew what the lab measured of it; else what they
//! say when they read it as a live host.

use super::block::StepVerdict;
use super::words::step;
use crate::table::Tone;
use pagetide_core::{Conclusion, Diagnosis, Figure, Finding, Grade, Outcome, Quantity, Report, RunResult, StepResult};

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
    let alone = report.steps.iter().find(|step| step.step == result.id).map(|step| of(&step.diagnosis));
    let known = report.diagnosis.findings.iter().find(|finding| finding.step.as_ref() == Some(&result.id));
    // A finding of the step is bad where a live host would have had an incident.
    let tone =
        alone.as_ref().map_or(Tone::Plain, |(_, tone, _)| if *tone == Tone::Bad { Tone::Bad } else { Tone::Plain });
    let found = known.map(|finding| (named(finding), tone, finding.statement.clone())).or(alone);
    let (verdict, tone, statement) = match (ended(result.outcome), found) {
        (None, None) => ("not diagnosed".to_owned(), Tone::Dim, String::new()),
        (None, Some(found)) => found,
        // That nothing was wrong is news of work that its time ended, not of work that failed.
        (Some(ended), Some((verdict, tone, statement)))
            if matches!(tone, Tone::Bad | Tone::Plain) || result.outcome == Outcome::TimedOut =>
        {
            (format!("{ended}: {verdict}"), Tone::Bad, statement)
        }
        (Some(ended), _) => (ended.to_owned(), Tone::Bad, String::new()),
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

/// How a step ended that did not end well.
const fn ended(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Done => None,
        Outcome::Killed => Some("was killed"),
        Outcome::TimedOut => Some("timed out"),
        Outcome::Refused => Some("failed or could not start"),
    }
}

/// The rule of a finding, and how strong its evidence is.
fn named(finding: &Finding) -> String {
    format!("{} ({})", finding.rule, Grade::of(finding.confidence).words())
}

/// A diagnosis in a few words and in one sentence.
fn of(diagnosis: &Diagnosis) -> (String, Tone, String) {
    let first = diagnosis.findings.first();
    let statement = || first.map_or_else(|| diagnosis.summary.clone(), |finding| finding.statement.clone());
    match (diagnosis.verdict, first) {
        (Conclusion::Incident | Conclusion::Forecast, Some(finding)) => (named(finding), Tone::Bad, statement()),
        (Conclusion::Healthy, _) => ("healthy".to_owned(), Tone::Good, statement()),
        (_, Some(finding)) => (named(finding), Tone::Plain, statement()),
        (_, None) => ("cannot tell".to_owned(), Tone::Dim, diagnosis.summary.clone()),
    }
}
