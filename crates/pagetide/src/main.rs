//! `pagetide`: what the page cache does to this host's IO, with evidence, and what would change it.
//!
//! This crate parses arguments, wires the other crates together, prints and exits; nothing else. One file per command.

mod cli;
mod command;
mod habits;
mod interrupt;
mod live_trace;
mod measured;
mod output;
mod programs;
mod progress;
mod recordings;
mod remaining;
mod reports;
mod runs;
mod sampling;
mod silence;

use pagetide_core::ErrorKind;
use pagetide_kernel::Root;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(bytes) = Root::host().spare_memory() {
        pagetide_store::limit_memory(bytes);
    }
    match cli::Arguments::typed().run() {
        Ok(command::Outcome::Done) => ExitCode::SUCCESS,
        Ok(command::Outcome::Failed) => ExitCode::from(1),
        Ok(command::Outcome::OfCommand(code)) => ExitCode::from(code),
        Err(error) => {
            output::complain(&error);
            ExitCode::from(match error.kind {
                ErrorKind::OutputClosed => 0,
                ErrorKind::Input | ErrorKind::TooNew => 2,
                ErrorKind::System | ErrorKind::Killed => 3,
                ErrorKind::Interrupted => 130,
            })
        }
    }
}
