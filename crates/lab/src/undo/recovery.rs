//! Undoing what killed runs have left.

use super::change::Change;
use super::outcome::Undone;
use super::{Head, boot_id, folder, refuse};
use pagetide_core::Error;
use pagetide_dir::Dir;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Size limit of a journal: a run makes a few hundred changes of a few hundred bytes each.
const MAX_JOURNAL_BYTES: u64 = 1 << 20;
/// How long another process may take to recover a journal.
const PATIENCE: Duration = Duration::from_secs(30);

/// What became of the changes that killed runs had left, one line each.
#[derive(Debug, Default, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Recovered {
    /// What was undone.
    pub undone: Vec<String>,
    /// What is still there, and why.
    pub left: Vec<String>,
}

impl Recovered {
    /// Whether there was nothing to do.
    pub fn is_empty(&self) -> bool {
        self.undone.is_empty() && self.left.is_empty()
    }
}

/// Undoes what killed runs of this user have left. Active runs are not touched.
///
/// # Errors
/// The folder or a journal cannot be read: its run's changes are still in place.
pub fn recover() -> Result<Recovered, Error> {
    match folder() {
        Ok(folder) => recover_in(&folder),
        // Without a folder no run of this user can have left a journal.
        Err(_) => Ok(Recovered::default()),
    }
}

/// [`recover`] for journals in one folder.
///
/// # Errors
/// See [`recover`].
pub fn recover_in(folder: &Path) -> Result<Recovered, Error> {
    let mut recovered = Recovered::default();
    if !folder.try_exists().map_err(|error| refuse("read", folder, &error))? {
        return Ok(recovered);
    }
    let dir = folder::private(folder)?;
    for name in journals(&dir).map_err(|error| refuse("read", folder, &error))? {
        recover_one(&dir, &name, &mut recovered)?;
    }
    Ok(recovered)
}

/// How many journals of this user's killed runs wait for [`recover`]. It does not block, and changes nothing.
pub fn pending() -> usize {
    let dir = folder().ok().filter(|folder| folder.exists()).and_then(|folder| Dir::open(&folder).ok());
    let Some(dir) = dir else { return 0 };
    let killed = |name: &PathBuf| matches!(read(&dir, name), Ok(Some(text)) if !owner_lives(&text));
    journals(&dir).unwrap_or_default().iter().filter(|name| killed(name)).count()
}

/// Where earlier versions kept journals. Other users can write to the second one, so nothing there is undone.
const EARLIER: [(&str, &str); 2] = [("/run", "pagetide"), ("/var/tmp", "pagetide")];

/// The folders with this user's journals of an earlier version, which this version does not read.
pub fn earlier_journal_folders() -> Vec<PathBuf> {
    let holds_one = |(above, name): &(&str, &str)| {
        let dir = Dir::open(Path::new(above)).and_then(|above| above.dir(Path::new(name)));
        let is_own =
            |dir: &Dir, name: &PathBuf| dir.owner(name).is_ok_and(|owner| owner == rustix::process::geteuid().as_raw());
        dir.is_ok_and(|dir| journals(&dir).unwrap_or_default().iter().any(|name| is_own(&dir, name)))
    };
    EARLIER.iter().filter(|place| holds_one(place)).map(|(above, name)| Path::new(above).join(name)).collect()
}

/// The changes in the journals of this process, which are not undone yet, in words.
pub fn noted_by_this_process() -> Vec<String> {
    let dir = folder().ok().and_then(|folder| Dir::open(&folder).ok());
    let Some(dir) = dir else { return Vec::new() };
    let names = journals(&dir).unwrap_or_default();
    let parsed = names.iter().filter_map(|name| parse(&read(&dir, name).ok()??));
    let own = parsed.filter(|journal| journal.head.owner == super::Identity::own());
    own.flat_map(|journal| journal.changes).map(|change| change.to_string()).collect()
}

fn journals(dir: &Dir) -> std::io::Result<Vec<PathBuf>> {
    let mut names = dir.names(Path::new(""))?;
    names.retain(|name| name.starts_with("undo-") && name.ends_with(".jsonl"));
    names.sort();
    Ok(names.into_iter().map(PathBuf::from).collect())
}

/// The text of a journal; absent when it is gone: its owner has just undone it, or another command has just recovered it.
fn read(dir: &Dir, name: &Path) -> std::io::Result<Option<String>> {
    match dir.read(name, MAX_JOURNAL_BYTES) {
        Ok(text) => Ok(Some(String::from_utf8_lossy(&text).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn owner_lives(text: &str) -> bool {
    parse(text).is_some_and(|journal| journal.head.owner.alive())
}

/// A journal's text, taken apart.
pub(super) struct Parsed {
    pub(super) head: Head,
    pub(super) changes: Vec<Change>,
    /// Whole lines that are no change that this program knows.
    pub(super) unknown: usize,
}

/// The complete records of a journal's text. A record without its line end was being written when its owner died, so its
/// change was never made.
pub(super) fn parse(text: &str) -> Option<Parsed> {
    let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    let head = serde_json::from_str(lines.next()?).ok()?;
    let mut parsed = Parsed { head, changes: Vec::new(), unknown: 0 };
    for line in lines {
        match serde_json::from_str(line) {
            Ok(change) => parsed.changes.push(change),
            Err(_) => parsed.unknown += 1,
        }
    }
    Some(parsed)
}

fn recover_one(dir: &Dir, name: &Path, recovered: &mut Recovered) -> Result<(), Error> {
    let path = dir.path().join(name);
    let file = match dir.file(name, MAX_JOURNAL_BYTES) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(refuse("read", &path, &error)),
    };
    if !lock_orphan(&file, dir, name)? {
        return Ok(());
    }
    // Read again under the lock and by name, because the previous holder may have removed the file.
    let Some(text) = read(dir, name).map_err(|error| refuse("read", &path, &error))? else { return Ok(()) };
    let Some(journal) = parse(&text) else {
        recovered.left.push(format!("left {}: it is not a journal of this version of pagetide", path.display()));
        return Ok(());
    };
    let same_boot = journal.head.boot_id == boot_id();
    for change in journal.changes.iter().rev().filter(|change| same_boot || change.outlives_boot()) {
        match change.undo() {
            Undone::Restored(line) => recovered.undone.push(line),
            Undone::Trouble(line) => recovered.left.push(line),
            Undone::Nothing => {}
        }
    }
    if journal.unknown > 0 {
        let (count, path) = (journal.unknown, path.display());
        recovered.left.push(format!("left {path}: this version of pagetide does not know {count} of its changes"));
        return Ok(());
    }
    dir.remove(name).map_err(|error| refuse("remove", &path, &error))
}

/// Locks a journal whose owner is dead. Returns false if the owner lives, or if another command has recovered it in the meantime.
fn lock_orphan(file: &File, dir: &Dir, name: &Path) -> Result<bool, Error> {
    let path = dir.path().join(name);
    let end = Instant::now() + PATIENCE;
    loop {
        // The owner, not the lock, says whether a run is active: a child that was being started when its owner was killed holds the
        // lock for a moment longer, and so does another command that recovers.
        match read(dir, name).map_err(|error| refuse("read", &path, &error))? {
            Some(text) if owner_lives(&text) => return Ok(false),
            None => return Ok(false),
            Some(_) => {}
        }
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(_) if Instant::now() > end => {
                return Err(Error::system(
                    format!("another process has locked {} for {} s", path.display(), PATIENCE.as_secs()),
                    format!("wait until it ends: fuser -v {}", path.display()),
                ));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}
