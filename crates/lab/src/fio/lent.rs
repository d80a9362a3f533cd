//! Files that are the sandbox's user's while fio runs.

use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

/// A folder with what is directly in it, and a file. When dropped, it gives that user's regular files back to the caller and removes
/// everything else of that user, so that a later step that opens files there by name follows no planted link.
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

    /// Removes what a user owns here and is not a regular file; fio creates no such thing. A folder that is not empty stays.
    fn remove_irregular(&self, user: u32) -> io::Result<()> {
        for entry in rustix::fs::Dir::read_from(&self.folder)? {
            let entry = entry?;
            let found = rustix::fs::statat(&self.folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
            let how = match rustix::fs::FileType::from_raw_mode(found.st_mode) {
                rustix::fs::FileType::RegularFile => continue,
                rustix::fs::FileType::Directory => AtFlags::REMOVEDIR,
                _ => AtFlags::empty(),
            };
            if found.st_uid == user && !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                let _ = rustix::fs::unlinkat(&self.folder, entry.file_name(), how);
            }
        }
        Ok(())
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(user) = self.user {
            // The folder first, so that nothing can be added. If this fails, root can still read and remove the files.
            let root = rustix::process::geteuid();
            let _ = rustix::fs::fchown(&self.folder, Some(root), Some(rustix::process::getegid()));
            let _ = self.remove_irregular(user);
            let _ = self.give(user, root.as_raw());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, chown, lchown, symlink};

    #[test]
    fn what_a_sandbox_leaves_is_its_files_and_no_links() {
        const USER: u32 = 61_184;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        if chown(folder.path(), Some(USER), None).is_err() {
            // Only root has a sandbox with a user of its own.
            return;
        }
        chown(folder.path(), Some(0), None).unwrap();
        std::fs::write(at("precious"), "precious").unwrap();
        symlink(at("precious"), at("own")).unwrap();
        let lent = Lent::to(Some(USER), folder.path(), &tempfile::tempfile().unwrap()).unwrap();
        std::fs::write(at("data"), "data").unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("fifo"), Mode::RWXU).unwrap();
        for name in ["data", "folder", "fifo", "precious"] {
            chown(at(name), Some(USER), Some(USER)).unwrap();
        }
        symlink("/etc/passwd", at("planted")).unwrap();
        lchown(at("planted"), Some(USER), Some(USER)).unwrap();
        drop(lent);
        let mut left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["data", "own", "precious"]);
        assert!(left.iter().all(|name| folder.path().join(name).symlink_metadata().unwrap().uid() == 0));
        assert_eq!(folder.path().metadata().unwrap().uid(), 0);
    }
}
