//! Where the kernel's files are: `/` of this machine, or a tree of files from another one.

use crate::error::Error;
use std::path::{Path, PathBuf};

/// A folder that holds `proc` and `sys`. Every reader works below one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    path: PathBuf,
}

impl Root {
    /// The tree of files below `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// This machine.
    pub fn host() -> Self {
        Self::new("/")
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether this is the machine that pagetide runs on, so that system calls speak of the same kernel.
    pub fn is_host(&self) -> bool {
        self.path == Path::new("/")
    }

    /// The real path of a kernel file, given as it is on a running system: `/proc/meminfo`.
    pub fn join(&self, file: impl AsRef<Path>) -> PathBuf {
        let file = file.as_ref();
        self.path.join(file.strip_prefix("/").unwrap_or(file))
    }

    /// The text of a kernel file. Bytes that are not UTF-8 (a process may call itself anything) are replaced.
    pub fn read(&self, file: impl AsRef<Path>) -> Result<String, Error> {
        let path = self.join(file);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(source) => Err(Error::Read { path, source }),
        }
    }

    /// Reads and parses a file.
    pub(crate) fn parsed<T>(
        &self,
        file: impl AsRef<Path>,
        parse: impl FnOnce(&str) -> Result<T, pagetide_proctext::Error>,
    ) -> Result<T, Error> {
        let text = self.read(&file)?;
        parse(&text).map_err(|error| error.at(&self.join(&file)).into())
    }

    /// The text of a kernel file that may not exist, trimmed.
    pub(crate) fn optional(&self, file: impl AsRef<Path>) -> Result<Option<String>, Error> {
        match self.read(file) {
            Ok(text) => Ok(Some(text.trim_ascii().to_owned())),
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error),
        }
    }
}
