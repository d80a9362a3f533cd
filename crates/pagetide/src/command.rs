//! The commands, one file each.

pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod cut;
pub(crate) mod diagnose;
pub(crate) mod doctor;
pub(crate) mod evictions;
pub(crate) mod explain;
#[cfg(feature = "fleet")]
pub(crate) mod fleet;
pub(crate) mod guest;
pub(crate) mod help;
pub(crate) mod hold;
pub(crate) mod import;
pub(crate) mod lab;
pub(crate) mod man;
pub(crate) mod mem;
pub(crate) mod mrc;
pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod reproduce;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod state;
pub(crate) mod top;
pub(crate) mod trace_helper;
pub(crate) mod undo;

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a command ended, short of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It did what it was asked to do (exit 0).
    Done,
    /// A claim or a check failed (exit 1).
    Failed,
    /// What the recorded command ended with, as a shell tells it.
    OfCommand(u8),
}

impl Outcome {
    /// That of a command: its exit code, or 128 and the number of the signal that ended it.
    fn of_command(status: ExitStatus) -> Self {
        let code = status.code().or_else(|| Some(128 + status.signal()?));
        Self::OfCommand(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
    }
}
