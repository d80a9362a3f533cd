//! Findings as they are shown.

use super::block::FindingCard;
use crate::clock;
use crate::table::{Cell, Table, Tone};
use pagetide_core::{Evidence, Finding, Grade, Quantity, Recording, Relation, Span, Unit};

/// The findings, in this order. Those of one rule with the same advice are one card: its first place, and the others.
pub(super) fn cards<'a>(findings: impl IntoIterator<Item = &'a Finding>, recording: &Recording) -> Vec<FindingCard> {
    let mut cards: Vec<FindingCard> = Vec::new();
    for finding in findings {
        let card = card(finding, recording);
        match cards.iter_mut().find(|first| first.rule == card.rule && first.advice == card.advice) {
            Some(first) => first.also.push(card),
            None => cards.push(card),
        }
    }
    cards
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
        evidence: table("evidence", &finding.evidence),
        contradictions: table("against it", &finding.contradictions),
        advice: finding.advice.clone(),
        also: Vec::new(),
    }
}

fn range(span: Span, recording: &Recording) -> String {
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

pub(super) fn table(head: &str, evidence: &[Evidence]) -> Table {
    let mut table = Table::new().left(head).right("measured").left("compared with").left("from");
    for item in evidence {
        let against = item.against.map_or_else(String::new, |(relation, value)| format!("{} {value}", word(relation)));
        table.row([
            item.what.as_str().into(),
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
