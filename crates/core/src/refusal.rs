//! One clear line when something cannot be done: what, where, and how to mend it.

use std::fmt;

/// Whose move it is, which decides the exit code of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// Wrong use or wrong input (exit 2).
    Input,
    /// The system refuses or lacks something (exit 3).
    System,
    /// The user interrupted it (exit 130).
    Interrupted,
}

/// Why something was not done, and what would mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Refusal {
    /// Whose move it is.
    pub kind: RefusalKind,
    /// What is wrong and where, in one sentence without a full stop.
    pub what: String,
    /// How to mend it, as a command or an instruction; empty when there is nothing to say.
    pub mend: String,
}

impl Refusal {
    /// Wrong use or wrong input.
    pub fn input(what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { kind: RefusalKind::Input, what: what.into(), mend: mend.into() }
    }

    /// The system refuses or lacks something.
    pub fn system(what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { kind: RefusalKind::System, what: what.into(), mend: mend.into() }
    }

    /// The user interrupted it.
    pub fn interrupted() -> Self {
        Self { kind: RefusalKind::Interrupted, what: "interrupted".into(), mend: String::new() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if !self.mend.is_empty() {
            write!(f, " ({})", self.mend)?;
        }
        Ok(())
    }
}
