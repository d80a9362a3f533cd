//! The command line. Help, man pages and shell completions come from these definitions.

use crate::command::*;
use clap::{CommandFactory, Parser, Subcommand};
use pagetide_core::Error;

/// Find out what the page cache does to this host's IO, prove it with evidence and experiments, and see what would change it.
#[derive(Debug, Parser)]
#[command(name = "pagetide", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Print JSON (stable, documented in docs/JSON.md) instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  pagetide doctor                                    list what this machine can do, and the fix for what is missing
  pagetide mem                                       memory now, and the room until writers are throttled
  pagetide record -o rec -- tar cf /dev/null /usr    record the host while a command runs
  pagetide diagnose rec                              name the cause of slow IO in that recording, with evidence
  pagetide show rec disk                             tables as sar prints them
  pagetide lab run buffered-read --scale 1/8         run an experiment and compare it with published figures

Exit codes: 0 done, 1 a claim or a check failed, 2 wrong use or input, 3 the system refused, 130 interrupted.";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Doctor(doctor::Arguments),
    Mem(mem::Arguments),
    Hold(hold::Arguments),
    Record(record::Arguments),
    Import(import::Arguments),
    Show(show::Arguments),
    Top(top::Arguments),
    Serve(serve::Arguments),
    Diagnose(diagnose::Arguments),
    Explain(explain::Arguments),
    #[command(subcommand)]
    Lab(lab::Command),
    Cache(cache::Arguments),
    Evictions(evictions::Arguments),
    Mrc(mrc::Arguments),
    Fleet(fleet::Arguments),
    Check(check::Arguments),
    Cut(cut::Arguments),
    Undo(undo::Arguments),
    TraceHelper(trace_helper::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
    /// Run as the init of a virtual machine of `lab run --on vm`.
    #[command(hide = true)]
    Guest,
}

impl Arguments {
    /// Runs the command. The commands of the lab first undo what a killed run left; the others report it.
    pub(crate) fn run(self) -> Result<Outcome, Error> {
        match self.command {
            Command::Lab(_) => undo::before_a_run()?,
            // A guest has just booted: no run can have been killed in it.
            Command::Guest | Command::TraceHelper(_) | Command::Undo(_) => {}
            _ => undo::report_pending(),
        }
        let json = self.json;
        match self.command {
            Command::Doctor(arguments) => doctor::run(&arguments, json),
            Command::Mem(arguments) => mem::run(&arguments, json),
            Command::Hold(arguments) => hold::run(&arguments, json),
            Command::Record(arguments) => record::run(&arguments, json),
            Command::Import(arguments) => import::run(&arguments, json),
            Command::Show(arguments) => show::run(&arguments, json),
            Command::Top(arguments) => top::run(&arguments, json),
            Command::Serve(arguments) => serve::run(&arguments, json),
            Command::Diagnose(arguments) => diagnose::run(&arguments, json),
            Command::Explain(arguments) => explain::run(&arguments, json),
            Command::Lab(command) => lab::run(&command, json),
            Command::Cache(arguments) => cache::run(&arguments, json),
            Command::Evictions(arguments) => evictions::run(&arguments, json),
            Command::Mrc(arguments) => mrc::run(&arguments, json),
            Command::Fleet(arguments) => fleet::run(&arguments, json),
            Command::Completions(arguments) => completions::run(&arguments, &mut Self::command()),
            Command::Man(arguments) => man::run(&arguments, Self::command()),
            Command::Check(arguments) => check::run(&arguments, json),
            Command::Cut(arguments) => cut::run(&arguments, json),
            Command::Undo(arguments) => undo::run(&arguments, json),
            Command::TraceHelper(arguments) => trace_helper::run(&arguments),
            Command::Guest => guest::run(),
        }
    }
}
