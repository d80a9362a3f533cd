//! What goes wrong when the kernel's files are read: which file, which line, why.

use pagetide_proctext::Problem;
use std::io;
use std::path::{Path, PathBuf};

/// Why a kernel file, or a fact about the system, could not be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("{}: cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file does not read as the kernel writes it.
    #[error(transparent)]
    Text(#[from] pagetide_proctext::Error),
    /// A path does not lie on a block device.
    #[error("{}: lies on {on}, which has no block device of its own", path.display())]
    NoDevice {
        /// The path that was asked about.
        path: PathBuf,
        /// The kind of file system or the device number.
        on: String,
    },
}

impl Error {
    /// A parser's complaint about a line, counted from 1. Parsers name the file as it is on a running system.
    pub(crate) fn line(file: &str, line: usize, problem: Problem) -> Self {
        pagetide_proctext::Error::line(file, line, problem).into()
    }

    /// The same error about the file that was really read.
    pub(crate) fn at(self, real: &Path) -> Self {
        match self {
            Self::Text(error) => error.at(real).into(),
            other => other,
        }
    }

    /// Whether the file does not exist (an older kernel, a feature that is off, a process that has ended).
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Read { source, .. } if absent(source))
    }
}

/// Whether an error of reading means that the thing does not exist here and now. The kernel says `ESRCH` when a
/// process has ended, `ENODEV` when a control group has been removed, and `EOPNOTSUPP` when PSI is switched off.
pub(crate) fn absent(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
        || matches!(error.raw_os_error(), Some(libc::ESRCH | libc::ENODEV | libc::EOPNOTSUPP))
}
