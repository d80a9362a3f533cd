//! The seam to the file system: everything that the writer changes on disk goes through [`Files`], so that a test
//! can let any one of these calls fail. Paths are relative to the recording's directory.

use pagetide_dir::{Dir, temporary};
use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What the writer does to a file system.
pub(crate) trait Files: Debug + Send + Sync {
    /// Makes a folder and those above it.
    fn make_folder(&self, dir: &Dir, path: &Path) -> io::Result<()>;
    /// Makes an empty file, in place of one that may be there.
    fn create(&self, dir: &Dir, path: &Path) -> io::Result<Box<dyn Output>>;
    /// Gives a file its final name, in place of one that may be there.
    fn rename(&self, dir: &Dir, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, dir: &Dir, path: &Path) -> io::Result<()>;
    /// Removes a folder if there is nothing in it.
    fn remove_empty_folder(&self, dir: &Dir, path: &Path) -> io::Result<()>;
    /// Waits until the names in a folder are on the device.
    fn sync_folder(&self, dir: &Dir, path: &Path) -> io::Result<()>;
}

/// A file that is being written.
pub(crate) trait Output: Debug + Send {
    /// Writes all of `bytes` at `offset`.
    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Cuts the file to `length`.
    fn cut(&mut self, length: u64) -> io::Result<()>;
    /// Waits until the content is on the device.
    fn sync(&mut self) -> io::Result<()>;
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
}

/// Writes a whole file so that after a crash either the old or the new content is there, never a part.
pub(crate) fn replace(files: &dyn Files, dir: &Dir, path: &Path, content: &[u8]) -> io::Result<()> {
    let temporary = temporary(path);
    let mut file = files.create(dir, &temporary)?;
    file.write_at(content, 0)?;
    file.sync()?;
    files.rename(dir, &temporary, path)?;
    path.parent().map_or(Ok(()), |folder| files.sync_folder(dir, folder))
}
