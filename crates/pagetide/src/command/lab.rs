//! `pagetide lab`: experiments.

mod list;
mod run;
mod show;

use super::Outcome;
use pagetide_core::Refusal;

/// Run experiments: scenarios with steps, published figures and claims.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Examples:
  pagetide lab list
  pagetide lab show buffered-read
  pagetide lab run buffered-read --on host --scale 1/8")]
pub(crate) enum Command {
    List(list::Arguments),
    Show(show::Arguments),
    Run(Box<run::Arguments>),
}

pub(crate) fn run(command: &Command, json: bool) -> Result<Outcome, Refusal> {
    match command {
        Command::List(_) => list::run(json),
        Command::Show(arguments) => show::run(arguments, json),
        Command::Run(arguments) => run::run(arguments, json),
    }
}
