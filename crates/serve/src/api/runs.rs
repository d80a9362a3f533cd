//! Runs of the lab, and their reports.

use super::recordings::{Problem, guarded};
use crate::library::Place;
use crate::number;
use crate::reply::{self, Answer, Failure, json};
use crate::shared::Shared;
use axum::extract::{Path, State};
use pagetide_core::{ClaimStatus, Error, LazyRecording, Recording, Report, RunResult, Source};
use pagetide_view::Page;
use serde::Serialize;
use std::sync::Arc;

#[derive(Serialize)]
struct List {
    runs: Vec<Listed>,
    /// Whether there are more than were looked at.
    cut: bool,
}

#[derive(Serialize)]
struct Listed {
    id: String,
    folder: String,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    found: Option<Found>,
    recording_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

#[derive(Serialize)]
struct Found {
    scenario: String,
    title: String,
    backend: String,
    scale: String,
    kernel: String,
    started_ms: i64,
    took_ms: u64,
    steps: usize,
    claims: Claims,
    findings: usize,
}

#[derive(Serialize, Default)]
struct Claims {
    yes: usize,
    no: usize,
    disturbed: usize,
    unknown: usize,
}

pub(super) async fn list(State(shared): State<Arc<Shared>>) -> Answer {
    let inner = Arc::clone(&shared);
    let list = move || {
        let contents = inner.library.contents();
        let listed = |place: &Place| {
            let inner = place.folder().join("recording");
            let recording = contents.recordings.iter().find(|recording| recording.folder() == inner);
            let (found, problem) = match guarded(|| find(place)) {
                Ok(found) => (Some(found), None),
                Err(error) => (None, Some(error.into())),
            };
            Listed {
                id: place.id.clone(),
                folder: place.folder().display().to_string(),
                found,
                recording_id: recording.map(|recording| recording.id.clone()),
                problem,
            }
        };
        Ok(List { runs: contents.runs.iter().map(listed).collect(), cut: contents.cut })
    };
    json(shared.work.run(list).await?)
}

fn find(place: &Place) -> Result<Found, Error> {
    let run = place.result()?;
    let mut claims = Claims::default();
    for claim in &run.claims {
        *match claim.holds {
            ClaimStatus::Holds => &mut claims.yes,
            ClaimStatus::Fails => &mut claims.no,
            ClaimStatus::Disturbed => &mut claims.disturbed,
            ClaimStatus::Unknown => &mut claims.unknown,
        } += 1;
    }
    let begin = run.steps.iter().map(|step| step.started_ns).min().unwrap_or(0);
    let end = run.steps.iter().map(|step| step.ended_ns).max().unwrap_or(begin);
    Ok(Found {
        title: place.scenario().ok().flatten().map_or_else(|| run.scenario.clone(), |scenario| scenario.title),
        scenario: run.scenario,
        backend: run.backend,
        scale: run.scale.to_string(),
        kernel: run.kernel,
        started_ms: number::ms(run.started_wall_ns),
        took_ms: u64::try_from(end.saturating_sub(begin) / 1_000_000).unwrap_or(0),
        steps: run.steps.len(),
        claims,
        findings: run.findings.len(),
    })
}

fn place(shared: &Shared, id: &str) -> Result<Place, Failure> {
    shared.library.run(id).ok_or_else(|| Failure::not_found("no run has this id"))
}

#[derive(Serialize)]
struct Run {
    id: String,
    #[serde(flatten)]
    result: RunResult,
}

pub(super) async fn result(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let inner = Arc::clone(&shared);
    let read = move || {
        let result = place(&inner, &id)?.result()?;
        Ok(Run { id, result })
    };
    json(shared.work.run(read).await?)
}

/// The report of a run, rebuilt: the server does not serve a report.html that it finds next to the run.
pub(super) async fn report(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let inner = Arc::clone(&shared);
    reply::report(shared.work.run(move || draw(&place(&inner, &id)?)).await)
}

fn draw(place: &Place) -> Result<Page, Failure> {
    let run = place.result()?;
    let scenario = place.scenario()?.map(|scenario| scenario.scaled(run.scale));
    let (diagnosis, steps, recording) = match place.open_inner()? {
        Some(reader) => {
            let damage = reader.damage();
            let source: &dyn Source = &reader;
            let mut lazy = LazyRecording::open(source, None, None)?;
            let mut diagnosis = pagetide_diagnose::diagnose_lazy(&mut lazy, &pagetide_view::metrics())?;
            diagnosis.damaged = damage.lines();
            let recording = lazy.into_recording();
            (diagnosis, pagetide_diagnose::diagnose_steps(source, &recording)?, recording)
        }
        None => (pagetide_diagnose::diagnose(&Recording::default()), Vec::new(), Recording::default()),
    };
    Ok(pagetide_view::page(&Report { scenario, run: Some(run), diagnosis, steps, measured: None, recording }))
}
