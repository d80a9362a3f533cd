//! One clear line when something fails: what failed, where, and the hint that fixes it.

use std::fmt;

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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if !self.hint.is_empty() {
            write!(f, " ({})", self.hint)?;
        }
        Ok(())
    }
}
