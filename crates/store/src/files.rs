//! The file system as the writer uses it: everything that it changes on disk goes through [`Files`], so a test can make any one of these
//! calls fail. Paths are relative to the recording's directory.

use pagetide_dir::{Dir, temporary};
use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

/// The changes that the writer makes to a file system.
pub(crate) trait Files: Debug + Send + Sync {
    /// Makes a folder and those above it.
    fn make_folder(&self, dir: &Dir, path: &Path) -> io::Result<()>;
    /// Creates an empty file, replacing an existing one.
    fn create(&self, dir: &Dir, path: &Path) -> io::Result<Box<dyn Output>>;
    /// Renames a file to its final name, replacing an existing one.
    fn rename(&self, dir: &Dir, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, dir: &Dir, path: &Path) -> io::Result<()>;
    /// Removes a folder if it is empty.
    fn remove_empty_folder(&self, dir: &Dir, path: &Path) -> io::Result<()>;
    /// Waits until a folder's entries are on the device (fsync).
    fn sync_folder(&self, dir: &Dir, path: &Path) -> io::Result<()>;
}

/// A file that is being written.
pub(crate) trait Output: Debug + Send {
    /// Writes all of `bytes` at `offset`.
    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Truncates the file to `length`.
    fn cut(&mut self, length: u64) -> io::Result<()>;
    /// Waits until the content is on the device (fsync).
    fn sync(&mut self) -> io::Result<()>;
    /// Whether it was removed: what is written to it then has no name.
    fn is_removed(&self) -> bool;
}

/// The real file system.
#[derive(Debug)]
pub(crate) struct System;

impl Files for System {
    fn make_folder(&self, dir: &Dir, path: &Path) -> io::Result<()> {
        dir.make_dir(path)
    }

    fn create(&self, dir: &Dir, path: &Path) -> io::Result<Box<dyn Output>> {
        dir.remove_if_there(path)?;
        Ok(Box::new(dir.create_new(path)?))
    }

    fn rename(&self, dir: &Dir, from: &Path, to: &Path) -> io::Result<()> {
        dir.rename(from, to)
    }

    fn remove(&self, dir: &Dir, path: &Path) -> io::Result<()> {
        dir.remove(path)
    }

    fn remove_empty_folder(&self, dir: &Dir, path: &Path) -> io::Result<()> {
        match dir.remove_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => Err(error),
            _ => Ok(()),
        }
    }

    fn sync_folder(&self, dir: &Dir, path: &Path) -> io::Result<()> {
        dir.sync(path)
    }
}

impl Output for File {
    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.write_all_at(bytes, offset)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    fn is_removed(&self) -> bool {
        self.metadata().is_ok_and(|file| file.nlink() == 0)
    }
}

/// Writes a whole file so that after a crash either the old or the new content is there, never a part.
pub(crate) fn replace(files: &dyn Files, dir: &Dir, path: &Path, content: &[u8]) -> io::Result<()> {
    let temporary = temporary(path);
    let mut file = files.create(dir, &temporary)?;
    let written =
        file.write_at(content, 0).and_then(|()| file.sync()).and_then(|()| files.rename(dir, &temporary, path));
    if let Err(error) = written {
        // The error is what matters; the name begins with a dot.
        let _ = files.remove(dir, &temporary);
        return Err(error);
    }
    path.parent().map_or(Ok(()), |folder| files.sync_folder(dir, folder))
}
