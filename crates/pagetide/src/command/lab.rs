//! `pagetide lab`: experiments.

mod calibrate;
mod compare;
mod conformance;
mod list;
mod run;
mod show;

use super::Outcome;
use pagetide_core::Error;

/// Run experiments: scenarios with steps, published figures and claims.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Examples:
  pagetide lab list
  pagetide lab show buffered-read
  pagetide lab run buffered-read --on host --scale 1/8
  pagetide lab run all --on vm --scale 1/16
  pagetide lab compare run/one run/other
  pagetide lab conformance buffered-read
  pagetide lab calibrate /var/tmp")]
pub(crate) enum Command {
    List(list::Arguments),
    Show(show::Arguments),
    Run(Box<run::Arguments>),
    Compare(compare::Arguments),
    Conformance(conformance::Arguments),
    Calibrate(calibrate::Arguments),
}

pub(crate) fn run(command: &Command, json: bool) -> Result<Outcome, Error> {
    match command {
        Command::List(_) => list::run(json),
        Command::Show(arguments) => show::run(arguments, json),
        Command::Run(arguments) => run::run(arguments, json),
        Command::Compare(arguments) => compare::run(arguments, json),
        Command::Conformance(arguments) => conformance::run(arguments, json),
        Command::Calibrate(arguments) => calibrate::run(arguments, json),
    }
}
