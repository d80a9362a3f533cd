//! How a change, or its way back, went.

use pagetide_core::Error;
use std::path::Path;

/// How undoing went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Undone {
    /// It is as before, and this line says what was done.
    Restored(String),
    /// It was as before already.
    Nothing,
    /// It is not as before, and this line says why.
    Trouble(String),
}

impl Undone {
    pub(super) fn trouble(self) -> Option<String> {
        match self {
            Self::Trouble(line) => Some(line),
            Self::Restored(_) | Self::Nothing => None,
        }
    }
}

/// An error of the system about a path.
pub(super) fn refuse(what: &str, path: &Path, error: &std::io::Error) -> Error {
    Error::system(format!("cannot {what} {}: {error}", path.display()), "run as root")
}
