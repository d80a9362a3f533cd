//! Findings as they are shown.

use super::block::FindingCard;
use crate::clock;
use crate::table::{Cell, Table, Tone};
use pagetide_core::{Advice, Evidence, Finding, Grade, Quantity, Recording, Relation, Span, Unit};

/// The findings, the strongest first. Those of one rule are one card: its strongest place, and the others in order of time.
pub(super) fn cards<'a>(findings: impl IntoIterator<Item = &'a Finding>, recording: &Recording) -> Vec<FindingCard> {
    let mut findings: Vec<&Finding> = findings.into_iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.confidence.thousandths()));
    let mut groups: Vec<(FindingCard, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        match groups.iter_mut().find(|(first, _)| first.rule == finding.rule.as_str()) {
            Some((first, others)) => {
                for advice in &finding.advice {
                    add(&mut first.advice, advice);
                }
                others.push(finding);
            }
            None => groups.push((card(finding, recording), Vec::new())),
        }
    }
    let cards = groups.into_iter().map(|(first, mut others)| {
        others.sort_by_key(|finding| finding.range.from.ns());
        FindingCard { also: others.into_iter().map(|other| card(other, recording)).collect(), ..first }
    });
    cards.collect()
}

/// Adds an advice to those of a card, unless that has it: what it gives back at one place and at another is one thing to do, worth the larger.
fn add(all: &mut Vec<Advice>, advice: &Advice) {
    match all.iter_mut().find(|known| is_same(known, advice)) {
        Some(known) => known.gives_back_ns = known.gives_back_ns.max(advice.gives_back_ns),
        None => all.push(advice.clone()),
    }
}

/// Whether two pieces of advice are one thing to do.
pub(super) fn is_same(one: &Advice, other: &Advice) -> bool {
    one.action == other.action && one.command == other.command
}

/// A finding. Its place is said in times of day where the recording is of other logs, as its reader knows them from there.
pub fn card(finding: &Finding, recording: &Recording) -> FindingCard {
    FindingCard {
        rule: finding.rule.to_string(),
        statement: finding.statement.clone(),
        place: match &finding.step {
            Some(step) => format!("step {step}"),
            None => range(finding.range, recording),
        },
        confidence: finding.confidence.get(),
        sureness: Grade::of(finding.confidence).words(),
        open: false,
        evidence: table("evidence", &finding.evidence),
        contradictions: table("against it", &finding.contradictions),
        advice: finding.advice.clone(),
        also: Vec::new(),
    }
}

/// A stretch in local times with their zone; in an experiment the times since its start.
pub(super) fn range(span: Span, recording: &Recording) -> String {
    let (from, to) = (span.from.ns(), span.to.ns());
    if let Some((from, to)) = local(from, recording).zip(local(to, recording)) {
        let zone = clock::of(recording).abbreviation(recording.wall_ns(0).unwrap_or(0));
        return clock::range(from, to, &zone);
    }
    format!("{} to {}", moment(from, recording), moment(to, recording))
}

/// The local time at a moment, ns since 1970-01-01 of the host's clock; absent in the recording of an experiment, whose steps give the time.
fn local(at: i64, recording: &Recording) -> Option<i64> {
    if recording.steps().next().is_some() {
        return None;
    }
    Some(clock::of(recording).local_ns(recording.wall_ns(at)?))
}

/// A moment: a local time, or in an experiment the time since its start.
pub(super) fn moment(at: i64, recording: &Recording) -> String {
    if let Some(local) = local(at, recording) {
        return clock::long(local);
    }
    let start = recording.span().map_or(0, |(from, _)| from);
    match at.saturating_sub(start) {
        after if after > 0 => Quantity::new(after as f64, Unit::Nanos).to_string(),
        _ => "the start".to_owned(),
    }
}

/// Of the second of two moments what is new: its time of day where the first is of the same day.
pub(super) fn later<'a>(from: &str, to: &'a str) -> &'a str {
    match (from.split_once(' '), to.split_once(' ')) {
        (Some((day, _)), Some((same, time))) if day == same && day.contains('-') => time,
        _ => to,
    }
}

pub(super) fn table(head: &str, evidence: &[Evidence]) -> Table {
    let mut table = Table::new().left(head).right("measured").left("compared with").left("from");
    for item in evidence {
        let against = item.against.map_or_else(String::new, |(relation, value)| format!("{} {value}", word(relation)));
        table.row([
            Cell::from(item.what.as_str()).over((item.range.from.ns(), item.range.to.ns())),
            Cell::toned(item.value.to_string(), Tone::Strong),
            against.into(),
            Cell::toned(item.source.as_str(), Tone::Dim),
        ]);
    }
    table
}

const fn word(relation: Relation) -> &'static str {
    match relation {
        Relation::Near => "near",
        Relation::Below => "below",
        Relation::Above => "above",
    }
}

#[cfg(test)]
mod tests {
    use super::{add, later};
    use pagetide_core::Advice;

    #[test]
    fn what_two_findings_of_a_rule_advise_is_one_thing_to_do() {
        let advice = |command: &str, gives_back_ns: Option<u64>| Advice {
            action: "Raise the limit.".to_owned(),
            command: Some(command.to_owned()),
            effect: String::new(),
            undo: None,
            scenario: None,
            gives_back_ns,
        };
        let mut all = vec![advice("echo 1", None)];
        add(&mut all, &advice("echo 1", Some(7)));
        add(&mut all, &advice("echo 2", None));
        assert_eq!(all, [advice("echo 1", Some(7)), advice("echo 2", None)]);
    }

    #[test]
    fn a_day_is_said_once() {
        assert_eq!(later("2026-11-28 01:44:44", "2026-11-28 01:45:17"), "01:45:17");
        assert_eq!(later("2026-11-28 23:59:58", "2026-11-29 00:00:17"), "2026-11-29 00:00:17");
        assert_eq!(later("01:44:44, day unknown", "01:45:17, day unknown"), "01:45:17, day unknown");
        assert_eq!(later("the start", "38.0 s"), "38.0 s");
        assert_eq!(later("38.0 s", "38.0 s"), "38.0 s");
    }
}
