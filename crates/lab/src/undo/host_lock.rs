//! The lock that lets one run at a time change this system.

use super::{folder, refuse};
use pagetide_core::Error;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

const NAME: &str = "lab.lock";

/// The right to change this system, which one run has at a time. It lies where only its user can open it: who can open a file can
/// lock it.
#[derive(Debug)]
pub struct HostLock {
    _file: File,
}

impl HostLock {
    /// Takes the lock of the runs that keep it in the same folder.
    ///
    /// # Errors
    /// Another run has it, or the lock cannot be written.
    pub fn acquire_in(folder: &Path) -> Result<Self, Error> {
        let file = file(folder)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { _file: file }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(Error::system(
                "another lab run is active on this host",
                "wait until it has ended: two would disturb each other",
            )),
            Err(error) => Err(refuse("lock", &folder.join(NAME), &error.into())),
        }
    }

    /// Waits for the lock.
    ///
    /// # Errors
    /// The lock cannot be written.
    pub fn wait() -> Result<Self, Error> {
        let folder = folder()?;
        let file = file(&folder)?;
        flock(&file, FlockOperation::LockExclusive)
            .map_err(|error| refuse("lock", &folder.join(NAME), &error.into()))?;
        Ok(Self { _file: file })
    }
}

fn file(path: &Path) -> Result<File, Error> {
    let (dir, name) = (folder::private(path)?, Path::new(NAME));
    let opened = match dir.create_new(name) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => dir.file(name, 0),
        made => made,
    };
    opened.map_err(|error| refuse("open", &path.join(NAME), &error))
}
