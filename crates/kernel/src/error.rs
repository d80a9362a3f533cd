//! What goes wrong when the kernel's files are read: which file, which line, why.

use std::fmt;
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
    /// The file does not read as the kernel writes it.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: Problem,
    },
    /// A path does not lie on a block device.
    #[error("{}: lies on {on}, which has no block device of its own", path.display())]
    NoDevice {
        /// The path that was asked about.
        path: PathBuf,
        /// The kind of file system or the device number.
        on: String,
    },
}

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The file is empty.
    Empty,
    /// The text ends within a line: the last line has no line feed.
    Cut,
    /// Nothing in the file is what this file should hold.
    Foreign,
    /// A number is expected here.
    NotANumber,
    /// A field is missing.
    Short,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the file is empty",
            Self::Cut => "the text ends within this line",
            Self::Foreign => "this is not what the kernel writes to this file",
            Self::NotANumber => "a number is expected here",
            Self::Short => "a field is missing in this line",
        })
    }
}

impl Error {
    /// A parser's complaint about a line, counted from 1. Parsers name the file as it is on a running system.
    pub(crate) fn line(file: &str, line: usize, problem: Problem) -> Self {
        Self::Line { path: PathBuf::from(file), line, problem }
    }

    /// The same error about the file that was really read.
    pub(crate) fn at(self, real: &Path) -> Self {
        match self {
            Self::Line { line, problem, .. } => Self::Line { path: real.to_owned(), line, problem },
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
