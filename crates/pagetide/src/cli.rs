//! The command line. Help, man pages and shell completions come from these definitions.

use crate::command;
use clap::{Parser, Subcommand};

/// What the page cache does to this host's IO, whether that is really why, and what would change it.
#[derive(Debug, Parser)]
#[command(name = "pagetide", version, about, long_about = None, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Print JSON (stable, documented in docs/JSON.md) instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  pagetide doctor                                    what this machine can do, and the fix for what is missing
  pagetide mem                                       where memory stands, and how much may still be dirtied
  pagetide lab run buffered-read --scale 1/8         an experiment, with published figures beside the measured ones
  pagetide record -o rec -- tar cf /dev/null /usr    record the host while a command runs …
  pagetide diagnose rec                              … and say what happened

Exit codes: 0 done, 1 a claim or a check failed, 2 wrong use or input, 3 the system refused, 130 interrupted.";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Doctor(command::doctor::Arguments),
    Mem(command::mem::Arguments),
    Hold(command::hold::Arguments),
    Record(command::record::Arguments),
    Import(command::import::Arguments),
    Show(command::show::Arguments),
    Diagnose(command::diagnose::Arguments),
    Explain(command::explain::Arguments),
    #[command(subcommand)]
    Lab(command::lab::Command),
    Cache(command::cache::Arguments),
    Evictions(command::evictions::Arguments),
    Mrc(command::mrc::Arguments),
    Undo(command::undo::Arguments),
    Completions(command::completions::Arguments),
    Man(command::man::Arguments),
    /// Run as the init of a virtual machine of `lab run --on vm`.
    #[command(hide = true)]
    Guest,
}
