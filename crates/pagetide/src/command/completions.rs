//! `pagetide completions`: completions for a shell.

use super::Outcome;
use crate::output;
use pagetide_core::Error;

/// Print completions for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pagetide completions bash > /etc/bash_completion.d/pagetide")]
pub(crate) struct Arguments {
    /// The shell.
    shell: clap_complete::Shell,
}

pub(crate) fn run(arguments: &Arguments, root: &mut clap::Command) -> Result<Outcome, Error> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, root, "pagetide", &mut text);
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Outcome::Done)
}
