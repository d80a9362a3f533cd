//! What is wrong with a text: which file, which line, why.

use std::fmt;
use std::path::{Path, PathBuf};

/// A text that does not read as the kernel writes it.
#[derive(Debug, thiserror::Error)]
#[error("{}:{line}: {problem}", path.display())]
pub struct Error {
    /// The file, as it is called on a running system.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: Problem,
}

impl Error {
    /// The complaint about a line of a file, counted from 1.
    pub fn line(file: &str, line: usize, problem: Problem) -> Self {
        Self { path: PathBuf::from(file), line, problem }
    }

    /// The same error about the file that was really read.
    pub fn at(self, real: &Path) -> Self {
        Self { path: real.to_owned(), ..self }
    }
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
