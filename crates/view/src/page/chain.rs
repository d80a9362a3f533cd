//! The causal chain as it is shown.

use super::findings;
use crate::stage::Stage;
use crate::table::{Cell, Table, Tone};
use pagetide_core::{Cause, Diagnosis, Evidence, Incident, Link, Quantity, Recording, Unit};

/// The stages of a diagnosis, the cause first; none when there is no chain.
pub fn stages(diagnosis: &Diagnosis, recording: &Recording) -> Vec<Stage> {
    let (Some(cause), Some(first)) = (&diagnosis.cause, diagnosis.chain.first()) else { return Vec::new() };
    let mut stages = vec![Stage {
        words: first.cause.clone(),
        after: None,
        when: findings::moment(cause.onset_ns, recording),
        lag: String::new(),
        amounts: String::new(),
        how: why(diagnosis, cause),
        kernel: String::new(),
        range: (cause.onset_ns, cause.end_ns),
        source: sources(diagnosis.findings.first().map_or(&[][..], |finding| &finding.evidence)),
    }];
    for link in &diagnosis.chain {
        let after = stages.iter().position(|stage| stage.words == link.cause);
        stages.push(Stage {
            words: link.effect.clone(),
            after: Some(after.unwrap_or(0)),
            when: findings::moment(link.range.from.ns(), recording),
            lag: lag(link),
            amounts: link.amounts.map_or_else(String::new, |(cause, effect)| between(cause, effect)),
            how: link.how.clone(),
            kernel: link.kernel.clone(),
            range: (link.range.from.ns(), link.range.to.ns()),
            source: sources(&link.evidence),
        });
    }
    stages
}

/// What accounts for the cause itself: what changed near its onset, where that was recorded.
fn why(diagnosis: &Diagnosis, cause: &Cause) -> String {
    let own = |incident: &&Incident| {
        let of = incident.cause.as_ref();
        of.is_some_and(|of| of.rule == cause.rule && of.onset_ns == cause.onset_ns)
    };
    let changes = diagnosis.incidents.iter().find(own).map_or(&[][..], |incident| &incident.changes);
    if changes.is_empty() {
        return "The cause. What started it is not in the recording.".to_owned();
    }
    let changes: Vec<&str> = changes.iter().map(|change| change.what.trim_end_matches('.')).collect();
    format!("The cause. Near its onset: {}.", changes.join("; "))
}

/// The stages that a reader follows from the cause to the harm, at most.
const STEPS: usize = 5;

/// The way from the cause to the last effect, which is the harm: its first steps and its last ones. Branches are only in JSON.
pub(super) fn path(stages: Vec<Stage>) -> Vec<Stage> {
    let mut way: Vec<usize> = Vec::new();
    let mut next = stages.len().checked_sub(1);
    while let Some(at) = next.filter(|at| !way.contains(at)) {
        way.push(at);
        next = stages.get(at).and_then(|stage| stage.after);
    }
    way.reverse();
    let left_out = way.len().saturating_sub(STEPS);
    if left_out > 0 {
        way.drain(2..2 + left_out);
    }
    let mut kept: Vec<Stage> = Vec::new();
    for (at, stage) in stages.into_iter().enumerate().filter(|(at, _)| way.contains(at)) {
        let after = way.iter().position(|place| *place == at).and_then(|place| place.checked_sub(1));
        // What is said of the way to it is about the step before, which is left out.
        let lag = if left_out > 0 && kept.len() == 2 {
            format!("with {left_out} step{} between", if left_out == 1 { "" } else { "s" })
        } else {
            stage.lag
        };
        kept.push(Stage { after, lag, ..stage });
    }
    kept
}

/// The metrics of the evidence, the first first.
fn sources(evidence: &[Evidence]) -> String {
    evidence.iter().map(|item| item.source.as_str()).collect::<Vec<_>>().join("; ")
}

fn lag(link: &Link) -> String {
    let time = |ns: i64| Quantity::new(ns as f64, Unit::Nanos);
    match link.lag_ns {
        None => "recorded at another time, so the order is known only from the kernel".to_owned(),
        Some(lag) if lag < link.resolution_ns => format!("within {}", time(link.resolution_ns)),
        Some(lag) => format!("{} later, \u{b1} {}", time(lag), time(link.resolution_ns)),
    }
}

/// What was measured of each stage but the cause.
pub(super) fn evidence(diagnosis: &Diagnosis) -> Table {
    let mut table = Table::new().left("of").left("evidence").right("measured").left("from");
    for link in &diagnosis.chain {
        for (index, item) in link.evidence.iter().enumerate() {
            table.row([
                Cell::toned(if index == 0 { link.effect.as_str() } else { "" }, Tone::Plain),
                Cell::from(item.what.as_str()).over((item.range.from.ns(), item.range.to.ns())),
                Cell::toned(item.value.to_string(), Tone::Strong),
                Cell::toned(item.source.as_str(), Tone::Dim),
            ]);
        }
    }
    table
}

/// What flows from a cause to its effect; once where both numbers are the same.
fn between(cause: Quantity, effect: Quantity) -> String {
    let (cause, effect) = (cause.to_string(), effect.to_string());
    if cause == effect { cause } else { format!("{cause} to {effect}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Bytes, Change, RuleId};

    #[test]
    fn the_cause_is_accounted_for_by_what_changed_near_its_onset() {
        let cause = Cause {
            rule: RuleId::CgroupLimit,
            origins: pagetide_core::Actors::default(),
            onset_ns: 7,
            end_ns: 9,
            resolution_ns: 1,
            grade: pagetide_core::Grade::Strong,
            observed: pagetide_core::HitRate::default(),
            confidence: pagetide_core::Confidence::new(0.9),
        };
        let told = |onset_ns: i64, what: &[&str]| {
            let incident = Incident {
                range: pagetide_core::Span::new(7, 9),
                ongoing: false,
                cause: Some(Cause { onset_ns, ..cause.clone() }),
                statement: String::new(),
                losses: Vec::new(),
                victim: None,
                changes: what.iter().map(|what| Change { at_ns: 7, what: (*what).to_owned() }).collect(),
            };
            why(&Diagnosis { incidents: vec![incident], ..Diagnosis::default() }, &cause)
        };
        let changed = ["memory.max of /app changed from 200 MiB to 44 MiB.", "tar (pid 7) started."];
        assert_eq!(
            told(7, &changed),
            "The cause. Near its onset: memory.max of /app changed from 200 MiB to 44 MiB; tar (pid 7) started."
        );
        assert_eq!(told(7, &[]), "The cause. What started it is not in the recording.");
        assert_eq!(
            told(70, &changed),
            "The cause. What started it is not in the recording.",
            "that is another incident"
        );
    }

    #[test]
    fn a_step_behind_those_that_are_left_out_tells_no_time_after_another() {
        let kept = |steps: usize| {
            let stage = |at: usize| Stage {
                words: at.to_string(),
                after: at.checked_sub(1),
                when: String::new(),
                lag: format!("after {at}"),
                amounts: String::new(),
                how: String::new(),
                kernel: String::new(),
                range: (0, 0),
                source: String::new(),
            };
            path((0..steps).map(stage).collect()).into_iter().map(|stage| (stage.words, stage.lag)).collect::<Vec<_>>()
        };
        let all = |kept: &[(String, String)]| kept.iter().map(|(words, _)| words.clone()).collect::<String>();
        assert_eq!((all(&kept(5)).as_str(), kept(5)[2].1.as_str()), ("01234", "after 2"));
        let seven = kept(7);
        assert_eq!(
            (all(&seven).as_str(), seven[2].1.as_str(), seven[3].1.as_str()),
            ("01456", "with 2 steps between", "after 5")
        );
    }

    #[test]
    fn a_flow_that_arrives_as_it_began_is_one_number() {
        let of = |bytes| Quantity::bytes(Bytes::new(bytes));
        assert_eq!(between(of(4096), of(4096)), "4 KiB");
        assert_eq!(between(of(4096), of(8192)), "4 KiB to 8 KiB");
    }
}
