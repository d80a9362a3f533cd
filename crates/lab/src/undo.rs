//! The undo journal: every change to this system is written down before it is made, and is always undone.
//!
//! A [`Journal`] is a file of one JSON record per line, each synced to the disk before the change it describes. It is played
//! backwards when the journal is undone or dropped (also while a panic unwinds), and by [`recover`] when the process that
//! wrote it was killed. A journal names its owner by process id and start time, so that [`recover`] never touches an active run.
//!
//! What a journal says is done as root, so it lies in a [`folder`] that only its user can enter, and each record is a [`Change`],
//! which holds no path or name that is used as it is.

mod change;
mod folder;
mod host_lock;
mod outcome;
mod process;
mod recovery;

pub(crate) use change::write_sysctl;
pub use change::{Change, Marked, Throttle};
pub(crate) use change::{blkio_root, read_sysctl};
pub use folder::folder;
pub use host_lock::HostLock;
pub use process::{Identity, kill};
pub use recovery::{Recovered, earlier_journal_folders, noted_by_this_process, pending, recover, recover_in};

use outcome::refuse;
use pagetide_core::Error;
use pagetide_dir::Dir;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// The first line of a journal.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    owner: Identity,
    boot_id: String,
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    dir: Dir,
    name: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Locked while the journal is open. Its descriptor is closed on exec, so that no child keeps the lock for long.
    file: File,
    changes: Vec<Change>,
    closed: bool,
}

fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

impl Journal {
    /// Starts a journal in the user's [`folder`].
    ///
    /// # Errors
    /// There is no such folder, it belongs to another user, or it cannot be written.
    pub fn open() -> Result<Self, Error> {
        Self::open_in(&folder()?)
    }

    /// Starts a journal in a folder of the caller's.
    ///
    /// # Errors
    /// The folder belongs to another user or cannot be written.
    pub fn open_in(path: &Path) -> Result<Self, Error> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let dir = folder::private(path)?;
        let owner = Identity::own();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = PathBuf::from(format!("undo-{}-{number}.jsonl", owner.pid));
        // The first record is written before the rename, so that a journal with its final name always names its owner.
        let unnamed = name.with_extension("new");
        let failed = |error: std::io::Error| refuse("write", &path.join(&unnamed), &error);
        let file = dir.remove_if_there(&unnamed).and_then(|()| dir.create_new(&unnamed));
        let mut file = file.map_err(failed)?;
        flock(&file, FlockOperation::LockExclusive).map_err(|error| failed(error.into()))?;
        append(&mut file, &Head { owner, boot_id: boot_id() }, path)?;
        dir.rename(&unnamed, &name).map_err(failed)?;
        // Not every file system syncs folders; the journal's own data is synced in any case.
        let _ = dir.sync(Path::new(""));
        Ok(Self { dir, name, state: Mutex::new(State { file, changes: Vec::new(), closed: false }) })
    }

    /// Writes down a change that is about to be made.
    ///
    /// # Errors
    /// The journal cannot be written; the change must not be made then.
    pub fn note(&self, change: Change) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        append(&mut state.file, &change, &self.dir.path().join(&self.name))?;
        state.changes.push(change);
        Ok(())
    }

    /// Sets a setting such as `vm.dirty_bytes`, to be set back later. Does nothing when it has that value already.
    ///
    /// # Errors
    /// It is not in the table of [`pagetide_core::Sysctl`], this kernel does not have it, or the kernel refuses the value.
    pub fn set_sysctl(&self, name: &str, value: i64) -> Result<(), Error> {
        let sysctl = change::host_sysctl(name)?;
        let Some(change) = Change::sysctl(sysctl, value)? else { return Ok(()) };
        self.note(change)?;
        write_sysctl(sysctl.name(), value)
    }

    /// Makes a control group, to be removed later with every process in it killed. It and the groups above it, up to the mount, have
    /// names that begin with `pagetide-`.
    ///
    /// # Errors
    /// It has another name, or the group cannot be made.
    pub fn make_cgroup(&self, path: &Path) -> Result<(), Error> {
        self.note(Change::cgroup(path)?)?;
        fs::create_dir(path).map_err(|error| refuse("make the control group", path, &error))
    }

    /// Makes a folder, to be removed later with all that is in it. Its name must begin with `pagetide-`.
    ///
    /// # Errors
    /// The name is another one, the folder exists already or cannot be made.
    pub fn make_folder(&self, path: &Path) -> Result<(), Error> {
        if !change::is_ours(path) {
            return Err(Error::input(
                format!("{} is not a name for a folder of the lab", path.display()),
                "use an absolute path whose last part begins with pagetide-",
            ));
        }
        if path.exists() {
            return Err(Error::system(format!("{} already exists", path.display()), "remove it"));
        }
        self.note(Change::Folder { path: path.to_owned() })?;
        fs::create_dir(path).map_err(|error| refuse("make", path, &error))
    }

    /// Sets a device's limit in the v1 blkio controller, to be set back later. `device` is `major:minor`.
    ///
    /// # Errors
    /// The controller is not mounted, or its file cannot be read or written.
    pub fn limit_device(&self, throttle: Throttle, device: (u32, u32), limit: u64) -> Result<(), Error> {
        self.note(Change::device_limit(throttle, device, limit)?)?;
        throttle.write(device, limit)
    }

    /// Undoes everything, the last change first, and says what could not be undone or was left as somebody else set
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
        // The changes are undone, so the file is not needed. If it cannot be removed, replaying it does no harm.
        let _ = self.dir.remove(&self.name);
        troubles
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.close();
    }
}

fn append(file: &mut File, record: &impl Serialize, path: &Path) -> Result<(), Error> {
    let mut line = serde_json::to_vec(record).map_err(|error| refuse("write", path, &error.into()))?;
    line.push(b'\n');
    file.write_all(&line).and_then(|()| file.sync_data()).map_err(|error| refuse("write", path, &error))
}

#[cfg(test)]
mod tests;
