//! One thing that a machine has or lacks.

use serde::Serialize;
use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// What was found about one thing.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    pub(super) name: &'static str,
    /// Whether it is there.
    pub(super) there: bool,
    /// Whether experiments on this host cannot do without it.
    pub(super) needed: bool,
    /// What it is for.
    pub(super) purpose: &'static str,
    pub(super) found: String,
    /// The command that fixes it; empty when nothing is to be fixed.
    pub(super) hint: String,
}

/// The first line that a program prints with `arguments`; absent when it cannot be run.
pub(super) fn first_line(program: impl AsRef<OsStr>, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned())
}
