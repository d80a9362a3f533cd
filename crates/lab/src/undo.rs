//! The undo journal: what was changed on this system, written down before it is changed, and taken back whatever happens.
//!
//! A [`Journal`] is a file of one JSON record per line, each synced to the disk before the change it describes. It is played
//! backwards when the journal is undone or dropped (also while a panic unwinds), and by [`recover`] when the process that
//! wrote it was killed. A journal names its owner by process id and start time, so that [`recover`] never touches a run that
//! is on; a lock on the file lets one command at a time recover it.

mod change;
mod process;

pub use change::Change;
pub(crate) use change::read_sysctl;
pub use process::{Identity, kill};

use change::Undone;
use pagetide_core::Error;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Where journals are kept: the first that can be written.
const PLACES: [&str; 2] = ["/run/pagetide", "/var/tmp/pagetide"];

/// The first line of a journal.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    owner: Identity,
    boot_id: String,
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Locked while the journal is open. Its descriptor is closed on exec, so that no child keeps the lock for long.
    file: File,
    changes: Vec<Change>,
    closed: bool,
}

fn refuse(what: &str, path: &Path, error: &std::io::Error) -> Error {
    Error::system(format!("cannot {what} {}: {error}", path.display()), "run as root")
}

/// The folder for journals and locks, made when it is missing.
pub(crate) fn place() -> Result<PathBuf, Error> {
    let mut last = None;
    for place in PLACES.map(Path::new) {
        match fs::create_dir_all(place) {
            Ok(()) if rustix::fs::access(place, rustix::fs::Access::WRITE_OK).is_ok() => return Ok(place.to_owned()),
            Ok(()) => last = Some(refuse("write to", place, &ErrorKind::PermissionDenied.into())),
            Err(error) => last = Some(refuse("make", place, &error)),
        }
    }
    Err(last.unwrap_or_else(|| Error::system("no place for the undo journal", "")))
}

fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

impl Journal {
    /// Starts a journal in `/run/pagetide`, else in `/var/tmp/pagetide`.
    ///
    /// # Errors
    /// Neither folder can be written.
    pub fn open() -> Result<Self, Error> {
        Self::open_in(&place()?)
    }

    /// Starts a journal in a folder of the caller's.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn open_in(folder: &Path) -> Result<Self, Error> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let owner = Identity::own();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("undo-{}-{number}.jsonl", owner.pid));
        // The first record comes before the name: under its final name a journal always says whose it is.
        let unnamed = path.with_extension("new");
        let file = OpenOptions::new().create(true).truncate(true).write(true).open(&unnamed);
        let mut file = file.map_err(|error| refuse("write", &unnamed, &error))?;
        flock(&file, FlockOperation::LockExclusive).map_err(|error| refuse("lock", &unnamed, &error.into()))?;
        append(&mut file, &Head { owner, boot_id: boot_id() }, &path)?;
        fs::rename(&unnamed, &path).map_err(|error| refuse("write", &path, &error))?;
        sync_folder(folder);
        Ok(Self { path, state: Mutex::new(State { file, changes: Vec::new(), closed: false }) })
    }

    /// Writes down a change that is about to be made.
    ///
    /// # Errors
    /// The journal cannot be written; the change must not be made then.
    pub fn note(&self, change: Change) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        append(&mut state.file, &change, &self.path)?;
        state.changes.push(change);
        Ok(())
    }

    /// Sets a setting such as `vm.dirty_bytes`, to be set back later. Does nothing when it has that value already.
    ///
    /// # Errors
    /// There is no such setting, or the kernel refuses the value.
    pub fn set_sysctl(&self, name: &str, value: &str) -> Result<(), Error> {
        let Some(change) = Change::sysctl(name, value)? else { return Ok(()) };
        self.note(change)?;
        change::write_sysctl(name, value)
    }

    /// Makes a control group, to be removed later with every process in it killed.
    ///
    /// # Errors
    /// The group cannot be made.
    pub fn make_cgroup(&self, path: &Path) -> Result<(), Error> {
        self.note(Change::Cgroup { path: path.to_owned() })?;
        fs::create_dir(path).map_err(|error| refuse("make the control group", path, &error))
    }

    /// Makes a folder, to be removed later with all that is in it. Its name must begin with `pagetide-`.
    ///
    /// # Errors
    /// The name is another one, the folder is there already or cannot be made.
    pub fn make_folder(&self, path: &Path) -> Result<(), Error> {
        if !change::is_ours(path) {
            return Err(Error::input(format!("{} is not a name for a folder of the lab", path.display()), ""));
        }
        if path.exists() {
            return Err(Error::system(format!("{} is there already", path.display()), "remove it"));
        }
        self.note(Change::Folder { path: path.to_owned() })?;
        fs::create_dir(path).map_err(|error| refuse("make", path, &error))
    }

    /// Sets a device's limit in a file of the v1 blkio controller, to be set back later. `device` is `major:minor`.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn limit_device(&self, file: &Path, device: &str, limit: u64) -> Result<(), Error> {
        let change = Change::device_limit(file, device, limit).map_err(|error| refuse("read", file, &error))?;
        self.note(change)?;
        fs::write(file, format!("{device} {limit}")).map_err(|error| refuse("write", file, &error))
    }

    /// Takes everything back, the last change first, and says what could not be taken back or was left as somebody else set
    /// it; empty when all is as before.
    pub fn undo(self) -> Vec<String> {
        self.close()
    }

    fn close(&self) -> Vec<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return Vec::new();
        }
        state.closed = true;
        let changes = std::mem::take(&mut state.changes);
        let troubles = changes.iter().rev().filter_map(|change| change.undo().trouble()).collect();
        // The changes are gone, and so is the need for the file. When it cannot be removed, replaying it does no harm.
        let _ = fs::remove_file(&self.path);
        troubles
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.close();
    }
}

/// Makes the name of a new file last.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        // Not every file system syncs folders; the journal's own data is synced in any case.
        let _ = folder.sync_all();
    }
}

fn append(file: &mut File, record: &impl Serialize, path: &Path) -> Result<(), Error> {
    let mut line = serde_json::to_vec(record).map_err(|error| refuse("write", path, &error.into()))?;
    line.push(b'\n');
    file.write_all(&line).and_then(|()| file.sync_data()).map_err(|error| refuse("write", path, &error))
}

/// The complete records of a journal's text. A record without its line end was being written when its owner died, so its
/// change was never made.
fn complete(text: &str) -> Option<(Head, Vec<Change>)> {
    let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    let head = serde_json::from_str(lines.next()?).ok()?;
    Some((head, lines.map_while(|line| serde_json::from_str(line).ok()).collect()))
}

/// Takes back what killed runs have left behind, and says what that was, one line each. Runs that are on are let be. Every
/// command calls this first; it is quick when there is nothing to do.
///
/// # Errors
/// A journal is there that cannot be read: its run's changes are still in place.
pub fn recover() -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    for place in PLACES.map(Path::new) {
        lines.extend(recover_in(place)?);
    }
    Ok(lines)
}

/// [`recover`] for journals in one folder.
///
/// # Errors
/// See [`recover`].
pub fn recover_in(folder: &Path) -> Result<Vec<String>, Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(refuse("read", folder, &error)),
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("undo-") && name.ends_with(".jsonl")
    });
    paths.sort();
    let mut lines = Vec::new();
    for path in paths {
        lines.extend(recover_one(&path)?);
    }
    Ok(lines)
}

fn recover_one(path: &Path) -> Result<Vec<String>, Error> {
    let file = match File::open(path) {
        Ok(file) => file,
        // Its owner has just undone it, or another command has just recovered it.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(refuse("read", path, &error)),
    };
    if !lock_orphan(&file, path)? {
        return Ok(Vec::new());
    }
    // Read again under the lock and by name: who held the lock before may have removed the file.
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(refuse("read", path, &error)),
    };
    let mut lines = Vec::new();
    if let Some((head, changes)) = complete(&text) {
        let same_boot = head.boot_id == boot_id();
        for change in changes.iter().rev().filter(|change| same_boot || change.outlives_boot()) {
            lines.extend(match change.undo() {
                Undone::Restored(line) | Undone::Trouble(line) => Some(line),
                Undone::Nothing => None,
            });
        }
    }
    fs::remove_file(path).map_err(|error| refuse("remove", path, &error))?;
    Ok(lines)
}

/// Locks a journal whose owner is dead. Gives false when the owner lives, or when another command has recovered it meanwhile.
fn lock_orphan(file: &File, path: &Path) -> Result<bool, Error> {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        // The owner, not the lock, says whether a run is on: a child that was being started when its owner was killed holds the
        // lock for a moment longer, and so does another command that recovers.
        match fs::read_to_string(path).ok().and_then(|text| complete(&text)) {
            Some((head, _)) if head.owner.alive() => return Ok(false),
            None if !path.exists() => return Ok(false),
            Some(_) | None => {}
        }
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(error) if Instant::now() > end => return Err(refuse("lock", path, &error.into())),
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// The right to change this system, which one run has at a time.
#[derive(Debug)]
pub struct Turn {
    _file: File,
}

impl Turn {
    /// Takes the turn.
    ///
    /// # Errors
    /// Another run has it, or the lock cannot be written.
    pub fn take() -> Result<Self, Error> {
        Self::take_in(&place()?)
    }

    /// Takes the turn among those who keep their lock in the same folder.
    ///
    /// # Errors
    /// See [`Turn::take`].
    pub fn take_in(folder: &Path) -> Result<Self, Error> {
        let (file, path) = Self::file(folder)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { _file: file }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(Error::system(
                "another lab run is active on this host",
                "wait until it has ended: two would disturb each other",
            )),
            Err(error) => Err(refuse("lock", &path, &error.into())),
        }
    }

    /// Waits for the turn.
    ///
    /// # Errors
    /// The lock cannot be written.
    pub fn wait() -> Result<Self, Error> {
        let (file, path) = Self::file(&place()?)?;
        flock(&file, FlockOperation::LockExclusive).map_err(|error| refuse("lock", &path, &error.into()))?;
        Ok(Self { _file: file })
    }

    fn file(folder: &Path) -> Result<(File, PathBuf), Error> {
        let path = folder.join("lab.lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        Ok((file.map_err(|error| refuse("write", &path, &error))?, path))
    }
}

#[cfg(test)]
mod tests;
