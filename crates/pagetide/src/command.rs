//! The commands, one file each.

pub(crate) mod cache;
pub(crate) mod completions;
pub(crate) mod diagnose;
pub(crate) mod doctor;
pub(crate) mod evictions;
pub(crate) mod explain;
pub(crate) mod guest;
pub(crate) mod hold;
pub(crate) mod import;
pub(crate) mod lab;
pub(crate) mod man;
pub(crate) mod mem;
pub(crate) mod mrc;
pub(crate) mod record;
pub(crate) mod show;
pub(crate) mod undo;

use crate::cli::{Arguments, Command};
use pagetide_core::Error;

/// How a command ended, short of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It did what it was to do (exit 0).
    Done,
    /// A claim or a check failed (exit 1).
    Failed,
}

/// Runs the command. The commands of the lab first undo what a killed run left; the others report it.
pub(crate) fn run(arguments: Arguments) -> Result<Outcome, Error> {
    match arguments.command {
        Command::Lab(_) => undo::before_a_run()?,
        // A guest has just booted: no run can have been killed in it.
        Command::Guest | Command::Undo(_) => {}
        _ => undo::report_pending(),
    }
    let json = arguments.json;
    match arguments.command {
        Command::Doctor(arguments) => doctor::run(&arguments, json),
        Command::Mem(arguments) => mem::run(&arguments, json),
        Command::Hold(arguments) => hold::run(&arguments, json),
        Command::Record(arguments) => record::run(&arguments, json),
        Command::Import(arguments) => import::run(&arguments, json),
        Command::Show(arguments) => show::run(&arguments, json),
        Command::Diagnose(arguments) => diagnose::run(&arguments, json),
        Command::Explain(arguments) => explain::run(&arguments, json),
        Command::Lab(command) => lab::run(&command, json),
        Command::Cache(arguments) => cache::run(&arguments, json),
        Command::Evictions(arguments) => evictions::run(&arguments, json),
        Command::Mrc(arguments) => mrc::run(&arguments, json),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
        Command::Undo(arguments) => undo::run(&arguments, json),
        Command::Guest => guest::run(),
    }
}
