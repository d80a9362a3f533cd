//! One clear line when something fails: what failed, where, and the hint that fixes it.

use std::path::Path;
use std::{fmt, io};

/// What kind of failure it is. The kind decides the exit code of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Wrong use or wrong input (exit 2).
    Input,
    /// Input of a newer pagetide (exit 2).
    TooNew,
    /// The system refuses or lacks something (exit 3).
    System,
    /// A process that did the work was killed, by the OOM killer as a rule (exit 3).
    Killed,
    /// The user interrupted the command (exit 130).
    Interrupted,
    /// The reader of stdout has closed it (`pagetide … | head`); not a failure (exit 0).
    OutputClosed,
}

/// Why something was not done, and the hint that fixes it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Error {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// What is wrong and where, in one sentence without a full stop.
    pub what: String,
    /// The fix, as a command or an instruction; empty when there is none.
    pub hint: String,
}

impl Error {
    /// Wrong use or wrong input.
    pub fn input(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Input, what: what.into(), hint: hint.into() }
    }

    /// Input of a newer pagetide.
    pub fn too_new(what: impl Into<String>) -> Self {
        Self { kind: ErrorKind::TooNew, what: what.into(), hint: "use a newer pagetide".into() }
    }

    /// The system refuses or lacks something.
    pub fn system(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::System, what: what.into(), hint: hint.into() }
    }

    /// A file or a folder that cannot be read. `hint` is for a wrong path; rights are the system's to give.
    pub fn unreadable(path: &Path, error: &io::Error, hint: &str) -> Self {
        let what = format!("{}: {}", path.display(), os_text(error));
        match error.kind() {
            // What this program refuses itself has no number of the system.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_some() => {
                Self::system(what, "run it as a user who may read this, or as root")
            }
            _ => Self::input(what, hint),
        }
    }

    /// A file or a folder that cannot be made or written. `hint` is for a wrong path; no other path makes room on a file system.
    pub fn unwritable(path: &Path, error: &io::Error, hint: &str) -> Self {
        let what = format!("{}: {}", path.display(), os_text(error));
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::system(what, "make room on that file system")
            }
            _ => Self::system(what, hint),
        }
    }

    /// A process that did the work was killed.
    pub fn killed(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Killed, what: what.into(), hint: hint.into() }
    }

    /// The user interrupted the command.
    pub fn interrupted() -> Self {
        Self { kind: ErrorKind::Interrupted, what: "interrupted".into(), hint: String::new() }
    }

    /// The reader of stdout has closed it.
    pub fn output_closed() -> Self {
        Self { kind: ErrorKind::OutputClosed, what: "stdout was closed".into(), hint: String::new() }
    }
}

/// The text of an error of the system without Rust's `(os error 13)`.
pub fn os_text(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if !self.hint.is_empty() {
            write!(f, " ({})", self.hint)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_and_a_full_disk_are_the_systems_and_a_wrong_path_is_input() {
        let path = Path::new("/r");
        let refused = Error::unreadable(path, &errno(13), "name a file");
        assert_eq!((refused.kind, refused.what.as_str()), (ErrorKind::System, "/r: Permission denied"));
        assert!(refused.hint.contains("may read"), "{refused}");
        let missing = Error::unreadable(path, &errno(2), "name a file");
        assert_eq!((missing.kind, missing.hint.as_str()), (ErrorKind::Input, "name a file"));
        let full = Error::unwritable(path, &errno(28), "name a new file");
        assert_eq!((full.kind, full.hint.as_str()), (ErrorKind::System, "make room on that file system"));
        assert_eq!(Error::unwritable(path, &errno(13), "name a new file").hint, "name a new file");
    }

    fn errno(number: i32) -> io::Error {
        io::Error::from_raw_os_error(number)
    }
}
