//! The recordings and runs in the folders that the server was given. A request names one by its id and never by a path.

use pagetide_core::{Error, RunResult, Scenario};
use pagetide_dir::Dir;
use pagetide_store::{Reader, cut};
use std::io;
use std::path::{Path, PathBuf};

/// How deep below a given folder recordings are looked for.
const MAX_DEPTH: usize = 3;
/// Folders that are looked into: another user's tree must not keep the server busy.
const MOST_FOLDERS: usize = 4096;

/// The folders that the server was given.
#[derive(Debug)]
pub(crate) struct Library {
    folders: Vec<PathBuf>,
}

/// Where a recording or run is: below one of the given folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    top: PathBuf,
    below: PathBuf,
    kind: Kind,
    /// Its id in addresses.
    pub(crate) id: String,
}

/// What is at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// The folder of a recording.
    Recording,
    /// In a tree with several hosts' recordings: one host, as its partition is named.
    Host(String),
    /// A file of `pagetide cut`.
    File,
    /// The folder of a run.
    Run,
}

/// What is in the folders.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) recordings: Vec<Place>,
    pub(crate) runs: Vec<Place>,
    /// Whether the limit cut the search short.
    pub(crate) cut: bool,
}

impl Library {
    pub(crate) fn new(folders: Vec<PathBuf>) -> Self {
        Self { folders }
    }

    /// Looks into the folders. What cannot be read is left out here; opening a recording says why.
    pub(crate) fn contents(&self) -> Contents {
        let mut contents = Contents::default();
        let mut left = MOST_FOLDERS;
        for top in &self.folders {
            match Dir::open(top) {
                Ok(dir) => look(top, &dir, Path::new(""), MAX_DEPTH, &mut left, &mut contents),
                Err(_) if top.is_file() => contents.recordings.push(Place::new(top, Path::new(""), Kind::File)),
                Err(_) => {}
            }
        }
        contents.cut = left == 0;
        contents
    }

    /// The recording with an id.
    pub(crate) fn recording(&self, id: &str) -> Option<Place> {
        self.contents().recordings.into_iter().find(|place| place.id == id)
    }

    /// The run with an id.
    pub(crate) fn run(&self, id: &str) -> Option<Place> {
        self.contents().runs.into_iter().find(|place| place.id == id)
    }
}

impl Place {
    fn new(top: &Path, below: &Path, kind: Kind) -> Self {
        let host = if let Kind::Host(host) = &kind { host.as_str() } else { "" };
        let text = format!("{}\0{}\0{host}", top.display(), below.display());
        let word = if kind == Kind::Run { "run" } else { "rec" };
        let id = format!("{word}-{:016x}", hash(text.as_bytes()));
        Self { top: top.to_owned(), below: below.to_owned(), kind, id }
    }

    /// The folder or the file as people know it.
    pub(crate) fn folder(&self) -> PathBuf {
        if self.below.as_os_str().is_empty() { self.top.clone() } else { self.top.join(&self.below) }
    }

    /// The path that no other recording has: hosts of one tree share its folder.
    pub(crate) fn path(&self) -> String {
        let folder = self.folder().display().to_string();
        if let Kind::Host(host) = &self.kind { format!("{folder}/host={host}") } else { folder }
    }

    fn dir(&self) -> io::Result<Dir> {
        let top = Dir::open(&self.top)?;
        if self.below.as_os_str().is_empty() { Ok(top) } else { top.dir(&self.below) }
    }

    /// Opens the recording.
    ///
    /// # Errors It cannot be read, or no longer exists.
    pub(crate) fn open(&self) -> Result<Reader, Error> {
        let failed = |error: io::Error| self.unreadable(&error);
        match &self.kind {
            // The given path is the user's own: links in it are followed.
            Kind::File if self.below.as_os_str().is_empty() => Reader::open(&self.top),
            Kind::File => Reader::open_file(Dir::open(&self.top).map_err(failed)?, self.below.clone()),
            Kind::Host(host) => Reader::open_host(self.dir().map_err(failed)?, host),
            Kind::Recording | Kind::Run => Reader::open_in(self.dir().map_err(failed)?),
        }
    }

    /// Opens the recording of a run; absent when it has none.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn open_inner(&self) -> Result<Option<Reader>, Error> {
        let dir = self.dir().map_err(|error| self.unreadable(&error))?;
        match dir.dir(Path::new(RECORDING)) {
            Ok(inner) => Reader::open_in(inner).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.unreadable(&error)),
        }
    }

    /// The result of the run.
    ///
    /// # Errors
    /// The file cannot be read, or is not a result.
    pub(crate) fn result(&self) -> Result<RunResult, Error> {
        let text = self.file(RESULT, RunResult::LARGEST_FILE)?;
        serde_json::from_slice(&text).map_err(|error| {
            Error::input(format!("{}: {error}", self.folder().join(RESULT).display()), "run the scenario again")
        })
    }

    /// The scenario of the run, not scaled; absent when the folder has lost it.
    ///
    /// # Errors
    /// The file cannot be read, or is not a scenario.
    pub(crate) fn scenario(&self) -> Result<Option<Scenario>, Error> {
        let dir = self.dir().map_err(|error| self.unreadable(&error))?;
        if !dir.has(Path::new(SCENARIO)).unwrap_or(false) {
            return Ok(None);
        }
        let file = self.folder().join(SCENARIO).display().to_string();
        Scenario::parse(&String::from_utf8_lossy(&self.file(SCENARIO, Scenario::LARGEST_FILE)?), &file).map(Some)
    }

    fn file(&self, name: &str, largest: u64) -> Result<Vec<u8>, Error> {
        self.dir().and_then(|dir| dir.read(Path::new(name), largest)).map_err(|error| self.unreadable(&error))
    }

    fn unreadable(&self, error: &io::Error) -> Error {
        Error::input(
            format!("{}: {error}", self.folder().display()),
            "start the server as a user who may read the folder",
        )
    }
}

const RECORDING: &str = "recording";
const RESULT: &str = "result.json";
const SCENARIO: &str = "scenario.toml";

fn look(top: &Path, dir: &Dir, below: &Path, deeper: usize, left: &mut usize, contents: &mut Contents) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    let has = |name: &str| dir.has(Path::new(name)).unwrap_or(false);
    if has("manifest.json") || has("open") {
        contents.recordings.push(Place::new(top, below, Kind::Recording));
        return;
    }
    let hosts = dir.reopen().ok().and_then(|dir| pagetide_store::hosts(dir).ok()).unwrap_or_default();
    if !hosts.is_empty() {
        contents.recordings.extend(hosts.into_iter().map(|host| Place::new(top, below, Kind::Host(host))));
        return;
    }
    if has(RESULT) {
        contents.runs.push(Place::new(top, below, Kind::Run));
    }
    let mut names = dir.names(Path::new("")).unwrap_or_default();
    names.sort();
    for name in names.iter().filter(|name| !name.starts_with('.')) {
        // A link or a FIFO of that name does not count: `file` opens only regular files.
        if name.ends_with(cut::SUFFIX) && *left > 0 && dir.file(Path::new(name), u64::MAX).is_ok() {
            *left -= 1;
            contents.recordings.push(Place::new(top, &below.join(name), Kind::File));
        }
        if deeper == 0 {
            continue;
        }
        if let Ok(inner) = dir.dir(Path::new(name)) {
            look(top, &inner, &below.join(name), deeper - 1, left, contents);
        }
    }
}

/// FNV-1a: ids stay the same from one start to the next.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn recordings_and_runs_are_found_and_links_are_not_followed() {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().join("top");
        let other = scratch.path().join("other/rec");
        for folder in [top.join("a"), top.join("b/run/recording"), other.clone(), top.join("1/2/3/4")] {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("manifest.json"), "{}").unwrap();
        }
        fs::write(top.join("b/run/result.json"), "{}").unwrap();
        symlink(&other, top.join("link")).unwrap();
        symlink(scratch.path(), top.join("up")).unwrap();
        fs::write(top.join("b/it.pagetide"), "").unwrap();
        symlink(top.join("b/it.pagetide"), top.join("b/link.pagetide")).unwrap();
        let library = Library::new(vec![top.clone()]);
        let contents = library.contents();
        let folders = |places: &[Place]| places.iter().map(Place::folder).collect::<Vec<_>>();
        let found = [top.join("a"), top.join("b/it.pagetide"), top.join("b/run/recording")];
        assert_eq!(folders(&contents.recordings), found);
        assert!(contents.recordings[1].open().is_err(), "it is no cut");
        let given = Library::new(vec![top.join("b/it.pagetide")]).contents();
        assert_eq!(folders(&given.recordings), [top.join("b/it.pagetide")]);
        assert_eq!(folders(&contents.runs), [top.join("b/run")]);
        let id = contents.recordings[0].id.clone();
        assert_eq!(Library::new(vec![top.clone()]).recording(&id), Some(contents.recordings[0].clone()));
        for id in ["", "..", "../a", "rec-", "a", "rec-0000000000000000"] {
            assert_eq!(library.recording(id), None, "{id}");
        }
        assert!(Library::new(vec![scratch.path().join("none")]).contents().recordings.is_empty());
    }
}
