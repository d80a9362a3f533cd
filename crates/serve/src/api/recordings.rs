//! The recordings in the folders.

use super::source::is_growing;
use crate::library::Place;
use crate::number;
use crate::reply::{Answer, json};
use crate::shared::Shared;
use axum::extract::State;
use pagetide_core::{Error, Origin};
use serde::Serialize;
use std::sync::Arc;

#[derive(Serialize)]
struct List {
    recordings: Vec<Listed>,
    /// Whether there are more than were looked at.
    cut: bool,
}

#[derive(Serialize)]
struct Listed {
    id: String,
    name: String,
    folder: String,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    found: Option<Found>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

#[derive(Serialize)]
struct Found {
    host: String,
    kernel: String,
    origin: Origin,
    from_ms: i64,
    to_ms: i64,
    interval_ms: u64,
    growing: bool,
}

/// Why something cannot be shown.
#[derive(Serialize)]
pub(super) struct Problem {
    what: String,
    hint: String,
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self { what: error.what, hint: error.hint }
    }
}

pub(super) async fn list(State(shared): State<Arc<Shared>>) -> Answer {
    let inner = Arc::clone(&shared);
    let list = move || {
        let contents = inner.library.contents();
        Ok(List { recordings: contents.recordings.iter().map(listed).collect(), cut: contents.cut })
    };
    json(shared.work.run(list).await?)
}

fn listed(place: &Place) -> Listed {
    let folder = place.folder();
    // The recording of a run is known by the run.
    let named = if folder.ends_with("recording") { folder.parent().unwrap_or(&folder) } else { &folder };
    let last = named.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into());
    let (found, problem) = match find(place) {
        Ok(found) => (Some(found), None),
        Err(error) => (None, Some(error.into())),
    };
    let name = match &found {
        Some(found) if place.is_host() => found.host.clone(),
        _ => last,
    };
    Listed { id: place.id.clone(), name, folder: folder.display().to_string(), found, problem }
}

fn find(place: &Place) -> Result<Found, Error> {
    let reader = place.open()?;
    let span = reader.span()?;
    let (from, to) =
        span.ok_or_else(|| Error::input("the recording has no sample yet", "wait for its first sample"))?;
    let manifest = reader.manifest();
    Ok(Found {
        host: manifest.host.clone(),
        kernel: manifest.kernel.clone(),
        origin: manifest.origin,
        from_ms: number::ms(from),
        to_ms: number::ms(to),
        interval_ms: manifest.interval.get() / 1_000_000,
        growing: is_growing(&reader, span),
    })
}
