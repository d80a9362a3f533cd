//! `pagetide`: what the page cache does to this host's IO, whether that is really why, and what would change it.
//!
//! This crate parses arguments, wires the other crates together, prints and exits; nothing else. One file per command.

mod ahead;
mod cli;
mod command;
mod interrupt;
mod output;
mod progress;
mod recordings;
mod reports;

use clap::Parser;
use pagetide_core::RefusalKind;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = cli::Arguments::parse();
    let result = command::run(arguments);
    match result {
        Ok(command::Outcome::Done) => ExitCode::SUCCESS,
        Ok(command::Outcome::Failed) => ExitCode::from(1),
        Err(refusal) => {
            if refusal.what != output::CLOSED {
                output::complain(&refusal);
            }
            ExitCode::from(match refusal.kind {
                _ if refusal.what == output::CLOSED => 0,
                RefusalKind::Input => 2,
                RefusalKind::System => 3,
                RefusalKind::Interrupted => 130,
            })
        }
    }
}
