//! What the rules say of a range.

use super::source::{self, Opened};
use crate::number::{ms, ms_up};
use crate::query::Query;
use crate::reply::{Answer, Failure, json};
use crate::shared::Shared;
use axum::extract::{Path, RawQuery, State};
use pagetide_core::{
    Account, Actor, Actors, Advice, Conclusion, CutDiagnosis, Error, Evidence, Finding, LazyRecording, Ledger,
    Recording, Relation, Source, Span,
};
use pagetide_view::Parties;
use serde::Serialize;
use std::sync::Arc;

/// The longest range that is diagnosed for a page, without its long gaps.
const LONGEST_NS: i64 = 24 * 3_600_000_000_000;

#[derive(Serialize)]
struct Diagnosed {
    from_ms: i64,
    to_ms: i64,
    verdict: Conclusion,
    /// What could not be read because it is damaged; the verdict is about the rest.
    damaged: Vec<String>,
    summary: String,
    unknown: Vec<String>,
    /// Time lost in the worst stretch by the group that lost most.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost_ms: Option<i64>,
    /// The same over the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<Lost>,
    /// For a file of `pagetide cut`: the diagnosis stored when it was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_diagnosis: Option<InFile>,
    /// Where the cause comes from, and where its effects are.
    culprits: Vec<Actor>,
    victims: Vec<Actor>,
    incidents: Vec<Incident>,
    chain: Vec<Stage>,
    findings: Vec<Found>,
}

/// Lost time over the range: the first plot.
#[derive(Serialize)]
struct Lost {
    title: String,
    /// The ends of the intervals.
    at_ms: Vec<i64>,
    accounts: Vec<LostTo>,
}

/// What is booked to an account, as shares of the intervals.
#[derive(Serialize)]
struct LostTo {
    account: Account,
    name: String,
    shares: Vec<Option<f64>>,
}

impl Lost {
    /// Absent where no task lost time.
    fn of(ledger: &Ledger, times: &Times<'_>) -> Option<Self> {
        let accounts = pagetide_view::lost_time(ledger, &times.0.gaps()).into_iter();
        let accounts = accounts.map(|(account, layer)| LostTo { account, name: layer.name, shares: layer.values });
        let accounts: Vec<LostTo> = accounts.collect();
        let at_ms = ledger.over_time.iter().map(|point| times.ms(point.at_ns)).collect();
        (!accounts.is_empty()).then(|| Self { title: pagetide_view::lost_time_title(ledger), at_ms, accounts })
    }
}

#[derive(Serialize)]
struct InFile {
    #[serde(flatten)]
    diagnosis: CutDiagnosis,
    /// Whether this server's diagnosis is the same.
    same: bool,
}

#[derive(Serialize)]
struct Incident {
    from_ms: i64,
    to_ms: i64,
    ongoing: bool,
    statement: String,
    cause: Option<IncidentCause>,
}

#[derive(Serialize)]
struct IncidentCause {
    rule: String,
    #[serde(flatten)]
    origins: Actors,
    onset_ms: i64,
    confidence: f64,
}

#[derive(Serialize)]
struct Stage {
    words: String,
    after: Option<usize>,
    how: String,
    lag: String,
    amounts: String,
    kernel: String,
    /// The finding of the same rule at the same time, by its place in the list.
    finding: Option<usize>,
    role: &'static str,
    #[serde(flatten)]
    origins: Actors,
    evidence: Vec<Measured>,
    from_ms: i64,
    to_ms: i64,
}

#[derive(Serialize)]
struct Found {
    id: usize,
    rule: String,
    statement: String,
    #[serde(flatten)]
    origins: Actors,
    step: Option<String>,
    from_ms: i64,
    to_ms: i64,
    confidence: f64,
    sureness: &'static str,
    role: &'static str,
    evidence: Vec<Measured>,
    contradictions: Vec<Measured>,
    advice: Vec<Advice>,
}

#[derive(Serialize)]
struct Measured {
    what: String,
    source: String,
    value: String,
    against: Option<String>,
    from_ms: i64,
    to_ms: i64,
}

pub(super) async fn diagnosis(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let mut query = Query::parse(query.as_deref());
    let range = query.range()?;
    query.done(&["from", "to"])?;
    let inner = Arc::clone(&shared);
    json(shared.work.run(move || read(&source::open(&inner, &id)?, range)).await?)
}

fn read(opened: &Opened, range: (Option<i64>, Option<i64>)) -> Result<Diagnosed, Failure> {
    let (from, to) = opened.range(range)?;
    if opened.sampled((from, to))? > LONGEST_NS {
        return Err(Error::input("a range with more than 24 h of samples", "choose a shorter range").into());
    }
    let source: &dyn Source = &*opened.source;
    let mut lazy = LazyRecording::open(source, Some(from), Some(to))?;
    let diagnosis = pagetide_diagnose::diagnose_lazy(&mut lazy, &[])?;
    let recording = lazy.recording();
    let times = Times(recording);
    let found = |(id, finding): (usize, &Finding)| {
        let card = pagetide_view::finding_card(finding, recording);
        let is_cause = diagnosis.causes().any(|cause| cause.rule == finding.rule && cause.origins == finding.origins);
        let role = if is_cause {
            "cause"
        } else if pagetide_diagnose::alarming(finding) {
            "effect"
        } else {
            "other"
        };
        Found {
            id,
            rule: card.rule,
            statement: card.statement,
            origins: finding.origins.clone(),
            step: finding.step.clone(),
            from_ms: times.ms(finding.range.from.ns()),
            to_ms: times.ms(finding.range.to.ns()),
            confidence: card.confidence,
            sureness: card.sureness,
            role,
            evidence: times.measured(&finding.evidence),
            contradictions: times.measured(&finding.contradictions),
            advice: finding.advice.clone(),
        }
    };
    let incidents = diagnosis.incidents.iter().map(|incident| Incident {
        from_ms: times.span(incident.range).0,
        to_ms: times.span(incident.range).1,
        ongoing: incident.ongoing,
        statement: incident.statement.clone(),
        cause: incident.cause.as_ref().map(|cause| IncidentCause {
            rule: cause.rule.to_string(),
            origins: cause.origins.clone(),
            onset_ms: times.ms(cause.onset_ns),
            confidence: cause.confidence.get(),
        }),
    });
    let findings = &diagnosis.findings;
    // The first stage is the cause, the others are the links in order.
    let finding_of = |place: usize| match place.checked_sub(1) {
        None => findings.iter().position(|finding| {
            diagnosis.cause.as_ref().is_some_and(|cause| cause.rule == finding.rule && cause.origins == finding.origins)
        }),
        Some(link) => {
            let link = diagnosis.chain.get(link)?;
            findings.iter().position(|finding| Some(finding.rule) == link.rule && finding.range.overlaps(link.range))
        }
    };
    let stage = |(place, stage): (usize, pagetide_view::Stage)| {
        let finding = finding_of(place);
        let own = finding.and_then(|at| findings.get(at));
        let evidence = match place.checked_sub(1) {
            None => own.map(|finding| times.measured(&finding.evidence)),
            Some(link) => diagnosis.chain.get(link).map(|link| times.measured(&link.evidence)),
        };
        Stage {
            words: stage.words,
            after: stage.after,
            how: stage.how,
            lag: stage.lag,
            amounts: stage.amounts,
            kernel: stage.kernel,
            finding,
            role: if place == 0 { "cause" } else { "effect" },
            origins: own.map(|finding| finding.origins.clone()).unwrap_or_default(),
            evidence: evidence.unwrap_or_default(),
            from_ms: times.ms(stage.range.0),
            to_ms: times.ms(stage.range.1),
        }
    };
    let chain: Vec<Stage> = pagetide_view::chain(&diagnosis, recording).into_iter().enumerate().map(stage).collect();
    let Parties { culprits, victims } = pagetide_view::parties(&diagnosis, recording);
    Ok(Diagnosed {
        from_ms: ms(from),
        to_ms: ms_up(to),
        verdict: diagnosis.verdict,
        damaged: opened.damaged(),
        summary: diagnosis.summary.clone(),
        unknown: diagnosis.unknown.clone(),
        lost: diagnosis.ledger.as_ref().and_then(|ledger| Lost::of(ledger, &times)),
        lost_ms: diagnosis.ledger.as_ref().map(|ledger| ms(i64::try_from(ledger.lost_ns).unwrap_or(i64::MAX))),
        cut_diagnosis: recording
            .manifest
            .cut_diagnosis
            .as_ref()
            .map(|cut| InFile { same: cut.is_same(&diagnosis), diagnosis: cut.clone() }),
        incidents: incidents.collect(),
        culprits,
        victims,
        chain,
        findings: diagnosis.findings.iter().enumerate().map(found).collect(),
    })
}

/// Moments of a recording's axis as wall clock.
struct Times<'a>(&'a Recording);

impl Times<'_> {
    fn ms(&self, at: i64) -> i64 {
        let (first, last) = self.0.span().unwrap_or((at, at));
        ms(self.0.wall_ns(at.clamp(first, last)).unwrap_or(0))
    }

    fn span(&self, span: Span) -> (i64, i64) {
        (self.ms(span.from.ns()), self.ms(span.to.ns()))
    }

    fn measured(&self, evidence: &[Evidence]) -> Vec<Measured> {
        let measured = |one: &Evidence| Measured {
            what: one.what.clone(),
            source: one.source.clone(),
            value: one.value.to_string(),
            against: one.against.map(|(relation, quantity)| {
                let relation = match relation {
                    Relation::Near => "near",
                    Relation::Below => "below",
                    Relation::Above => "above",
                };
                format!("{relation} {quantity}")
            }),
            from_ms: self.span(one.range).0,
            to_ms: self.span(one.range).1,
        };
        evidence.iter().map(measured).collect()
    }
}
