//! Files that are the sandbox's user's while fio runs.

use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

/// A folder with what is directly in it, and a file. Dropped, what is that user's in it is the caller's again.
#[derive(Debug)]
pub(super) struct Lent {
    user: Option<u32>,
    folder: OwnedFd,
    file: File,
}

impl Lent {
    /// Lends them to a user; nothing changes without one.
    ///
    /// # Errors
    /// The folder is a link or not there, or the file system has no owners.
    pub(super) fn to(user: Option<u32>, folder: &Path, file: &File) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::open(folder, flags, Mode::empty())?;
        let lent = Self { user, folder, file: file.try_clone()? };
        if let Some(user) = user {
            lent.give(rustix::process::geteuid().as_raw(), user)?;
        }
        Ok(lent)
    }

    /// The folder.
    pub(super) fn folder(&self) -> io::Result<OwnedFd> {
        self.folder.try_clone()
    }

    /// Gives regular files of one user to another.
    fn give(&self, from: u32, to: u32) -> io::Result<()> {
        let (owner, group) = (Some(Uid::from_raw(to)), Some(Gid::from_raw(to)));
        for entry in rustix::fs::Dir::read_from(&self.folder)? {
            let entry = entry?;
            let found = rustix::fs::statat(&self.folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
            let regular = rustix::fs::FileType::from_raw_mode(found.st_mode) == rustix::fs::FileType::RegularFile;
            if regular && found.st_uid == from {
                rustix::fs::chownat(&self.folder, entry.file_name(), owner, group, AtFlags::SYMLINK_NOFOLLOW)?;
            }
        }
        rustix::fs::fchown(&self.folder, owner, group)?;
        Ok(rustix::fs::fchown(&self.file, owner, group)?)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(user) = self.user {
            // The folder first, so that nothing can be added. What fails leaves files that root can read and remove all the same.
            let root = rustix::process::geteuid();
            let _ = rustix::fs::fchown(&self.folder, Some(root), Some(rustix::process::getegid()));
            let _ = self.give(user, root.as_raw());
        }
    }
}
