//! The recordings in the folders.

use super::source::is_growing;
use crate::library::{Library, Place};
use crate::number;
use crate::reply::{Answer, json};
use crate::shared::Shared;
use axum::extract::State;
use pagetide_core::{Error, Origin};
use pagetide_store::naming::{HostSpan, folder_names, hosts_told_apart};
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
    #[serde(skip)]
    boot_id: String,
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
        Ok(List { recordings: listed(&contents.recordings, inner.hosts_from_folders), cut: contents.cut })
    };
    json(shared.work.run(list).await?)
}

/// What recordings are called: no two by one name.
fn names(places: &[Place]) -> Vec<String> {
    let paths: Vec<String> = places.iter().map(Place::path).collect();
    let names = folder_names(&paths.iter().map(String::as_str).collect());
    paths.iter().map(|path| names[path.as_str()].clone()).collect()
}

/// The entries of recordings, with hosts of one name told apart.
fn listed(places: &[Place], hosts_from_folders: bool) -> Vec<Listed> {
    let names = names(places);
    let mut all: Vec<Listed> = places.iter().zip(&names).map(|(place, name)| entry(place, name)).collect();
    let hosts: Vec<Option<String>> = if hosts_from_folders {
        names.into_iter().map(Some).collect()
    } else {
        let paths: Vec<String> = places.iter().map(Place::path).collect();
        let spans: Vec<Option<HostSpan<'_>>> = all.iter().zip(&paths).map(|(entry, path)| entry.span(path)).collect();
        let apart = hosts_told_apart(&spans.iter().flatten().copied().collect::<Vec<_>>());
        spans.iter().map(|span| span.and_then(|span| apart.get(&(span.host, span.recording)).cloned())).collect()
    };
    for (entry, host) in all.iter_mut().zip(hosts) {
        if let Some((found, host)) = entry.found.as_mut().zip(host) {
            found.host = host;
        }
    }
    all
}

/// What the host of a recording is called where folders name hosts.
pub(super) fn host_from_folder(library: &Library, id: &str) -> Option<String> {
    let places = library.contents().recordings;
    places.iter().zip(names(&places)).find(|(place, _)| place.id == id).map(|(_, name)| name)
}

fn entry(place: &Place, name: &str) -> Listed {
    let folder = place.folder().display().to_string();
    let (found, problem) = match guarded(|| find(place)) {
        Ok(found) => (Some(found), None),
        Err(error) => (None, Some(error.into())),
    };
    let name = if name.is_empty() { folder.clone() } else { name.to_owned() };
    Listed { id: place.id.clone(), name, folder, found, problem }
}

impl Listed {
    /// Whose host it is of; absent when it cannot be read.
    fn span<'a>(&'a self, path: &'a str) -> Option<HostSpan<'a>> {
        let found = self.found.as_ref()?;
        let (recording, host, boot_id) = (path, found.host.as_str(), found.boot_id.as_str());
        Some(HostSpan { recording, host, boot_id, range: (found.from_ms, found.to_ms) })
    }
}

/// What is found in one recording or run. If reading its files fails or panics, the others are still listed.
pub(super) fn guarded<T>(find: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let crashed = |_| Err(Error::system("pagetide failed on it", "`pagetide check` on its folder may show why"));
    catch_unwind(AssertUnwindSafe(find)).unwrap_or_else(crashed)
}

fn find(place: &Place) -> Result<Found, Error> {
    let reader = place.open()?;
    let span = reader.span()?;
    let manifest = reader.manifest();
    let (from, to) = span.ok_or_else(|| match manifest.origin {
        Origin::Import => Error::input("the import has no sample", "import a log that was sampled over time"),
        _ => Error::input("the recording has no sample yet", "wait for its first sample"),
    })?;
    Ok(Found {
        host: manifest.host.clone(),
        boot_id: manifest.boot_id.clone(),
        kernel: manifest.kernel.clone(),
        origin: manifest.origin,
        from_ms: number::ms(from),
        to_ms: number::ms_up(to),
        interval_ms: manifest.interval.get() / 1_000_000,
        growing: is_growing(&reader, span),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// What is listed of the recording called `name`.
    fn entry_of(top: &Path, name: &str) -> String {
        let contents = Library::new(vec![top.to_owned()]).contents();
        let place = contents.recordings.iter().find(|place| place.folder().ends_with(name)).unwrap();
        serde_json::to_string(&listed(std::slice::from_ref(place), false)[0]).unwrap()
    }

    #[test]
    fn a_recording_that_cannot_be_read_changes_nothing_in_the_entry_of_another() {
        let scratch = tempfile::tempdir().unwrap();
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus/control-warm-1");
        std::os::unix::fs::symlink(fixture, scratch.path().join("link")).unwrap();
        let healthy = scratch.path().join("link").canonicalize().unwrap();
        let alone = entry_of(&healthy, "recording");
        assert!(alone.contains("\"host\""), "{alone}");
        let strangers = scratch.path().join("strangers");
        for (name, log) in [("a", "2026112\u{20ac}-1.log"), ("b", "20261121T100030Z-1.log"), ("c", "\u{20ac}-1.log")] {
            fs::create_dir_all(strangers.join(name).join("open")).unwrap();
            fs::write(strangers.join(name).join("manifest.json"), r#"{"schema_version": 1}"#).unwrap();
            fs::write(strangers.join(name).join("open").join(log), "x").unwrap();
        }
        let both = Library::new(vec![strangers, healthy.clone()]).contents();
        let entries: Vec<String> =
            listed(&both.recordings, false).iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
        assert_eq!(entries.len(), 4);
        assert!(entries[..3].iter().all(|entry| entry.contains("problem")), "{entries:?}");
        assert_eq!(entries[3], alone);
    }

    #[test]
    fn machines_of_one_name_have_entries_of_their_own() {
        let scratch = tempfile::tempdir().unwrap();
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus/control-warm-1/recording");
        let copied = |name: &str, boot: &str| {
            let to = scratch.path().join(name).join("recording");
            let _ = fs::remove_dir_all(&to);
            fs::create_dir_all(scratch.path().join(name)).unwrap();
            assert!(std::process::Command::new("cp").arg("-r").args([&fixture, &to]).status().unwrap().success());
            let manifest = fs::read_to_string(to.join("manifest.json")).unwrap();
            let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
            manifest["boot_id"] = boot.into();
            fs::write(to.join("manifest.json"), manifest.to_string()).unwrap();
            manifest["host"].as_str().unwrap().to_owned()
        };
        let host = copied("db1", "one");
        copied("db2", "two");
        let hosts = |from_folders: bool| {
            let places = Library::new(vec![scratch.path().to_owned()]).contents().recordings;
            let hosts = listed(&places, from_folders).into_iter().map(|entry| (entry.name, entry.found.unwrap().host));
            hosts.collect::<Vec<_>>()
        };
        let named =
            |host: &str| [("db1".to_owned(), host.replace('#', "db1")), ("db2".to_owned(), host.replace('#', "db2"))];
        assert_eq!(hosts(false), named(&format!("{host} (#)")));
        assert_eq!(hosts(true), named("#"));
        // A copy has the boot of what it was copied from.
        copied("db2", "one");
        assert_eq!(hosts(false), named(&host));
    }

    #[test]
    fn a_panic_is_the_problem_of_one() {
        let crashed = guarded::<()>(|| panic!("planted")).unwrap_err();
        assert_eq!(crashed.what, "pagetide failed on it");
        assert_eq!(guarded(|| Ok(1)).unwrap(), 1);
    }
}
