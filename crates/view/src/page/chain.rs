//! The causal chain as it is shown.

use super::findings;
use crate::stage::Stage;
use crate::table::{Cell, Table, Tone};
use pagetide_core::{Diagnosis, Evidence, Link, Quantity, Recording, Unit};

/// The stages of a diagnosis, the cause first; none when there is no chain.
pub fn stages(diagnosis: &Diagnosis, recording: &Recording) -> Vec<Stage> {
    let (Some(cause), Some(first)) = (&diagnosis.cause, diagnosis.chain.first()) else { return Vec::new() };
    let mut stages = vec![Stage {
        words: first.cause.clone(),
        after: None,
        when: findings::moment(cause.onset_ns, recording),
        lag: String::new(),
        amounts: String::new(),
        how: "The cause: nothing recorded accounts for it.".to_owned(),
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
    if way.len() > STEPS {
        way.drain(2..way.len() - (STEPS - 2));
    }
    let mut kept: Vec<Stage> = Vec::new();
    for (at, stage) in stages.into_iter().enumerate().filter(|(at, _)| way.contains(at)) {
        let after = way.iter().position(|place| *place == at).and_then(|place| place.checked_sub(1));
        kept.push(Stage { after, ..stage });
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
    use pagetide_core::Bytes;

    #[test]
    fn a_flow_that_arrives_as_it_began_is_one_number() {
        let of = |bytes| Quantity::bytes(Bytes::new(bytes));
        assert_eq!(between(of(4096), of(4096)), "4 KiB");
        assert_eq!(between(of(4096), of(8192)), "4 KiB to 8 KiB");
    }
}
