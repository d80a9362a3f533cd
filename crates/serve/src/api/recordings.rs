//! The recordings in the folders.

use super::source::is_growing;
use crate::library::Place;
use crate::number;
use crate::reply::{Answer, json};
use crate::shared::Shared;
use axum::extract::State;
use pagetide_core::{Error, Origin};
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
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
    let (found, problem) = match guarded(|| find(place)) {
        Ok(found) => (Some(found), None),
        Err(error) => (None, Some(error.into())),
    };
    let name = match &found {
        Some(found) if place.is_host() => found.host.clone(),
        _ => last,
    };
    Listed { id: place.id.clone(), name, folder: folder.display().to_string(), found, problem }
}

/// What is found of one recording or run, whatever its files make of the code that reads them: the others are listed all the same.
pub(super) fn guarded<T>(find: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let crashed = |_| Err(Error::system("pagetide failed on it", "`pagetide check` on its folder may show why"));
    catch_unwind(AssertUnwindSafe(find)).unwrap_or_else(crashed)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;
    use std::fs;
    use std::path::Path;

    /// What is listed of the recording called `name`.
    fn entry(top: &Path, name: &str) -> String {
        let contents = Library::new(vec![top.to_owned()]).contents();
        let place = contents.recordings.iter().find(|place| place.folder().ends_with(name)).unwrap();
        serde_json::to_string(&listed(place)).unwrap()
    }

    #[test]
    fn a_recording_that_cannot_be_read_changes_nothing_in_the_entry_of_another() {
        let scratch = tempfile::tempdir().unwrap();
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus/control-warm-1");
        std::os::unix::fs::symlink(fixture, scratch.path().join("link")).unwrap();
        let healthy = scratch.path().join("link").canonicalize().unwrap();
        let alone = entry(&healthy, "recording");
        assert!(alone.contains("\"host\""), "{alone}");
        let strangers = scratch.path().join("strangers");
        for (name, log) in [("a", "2026112\u{20ac}-1.log"), ("b", "20261121T100030Z-1.log"), ("c", "\u{20ac}-1.log")] {
            fs::create_dir_all(strangers.join(name).join("open")).unwrap();
            fs::write(strangers.join(name).join("manifest.json"), r#"{"schema_version": 1}"#).unwrap();
            fs::write(strangers.join(name).join("open").join(log), "x").unwrap();
        }
        let both = Library::new(vec![strangers, healthy.clone()]).contents();
        let entries: Vec<String> =
            both.recordings.iter().map(|place| serde_json::to_string(&listed(place)).unwrap()).collect();
        assert_eq!(entries.len(), 4);
        assert!(entries[..3].iter().all(|entry| entry.contains("problem")), "{entries:?}");
        assert_eq!(entries[3], alone);
    }

    #[test]
    fn a_panic_is_the_problem_of_one() {
        let crashed = guarded::<()>(|| panic!("planted")).unwrap_err();
        assert_eq!(crashed.what, "pagetide failed on it");
        assert_eq!(guarded(|| Ok(1)).unwrap(), 1);
    }
}
