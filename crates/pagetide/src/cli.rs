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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::error::ErrorKind;
    use std::path::Path;

    /// The help of a command and of those below it.
    fn help(command: &mut clap::Command, texts: &mut Vec<(String, String)>) {
        let long = command.render_long_help().to_string();
        let examples = long.split_once("Examples:\n").map_or("", |(_, examples)| examples);
        texts.push((format!("pagetide {} --help", command.get_name()), examples.to_owned()));
        for inner in command.get_subcommands_mut() {
            help(inner, texts);
        }
    }

    /// The commands in a text: indented lines, lines behind a prompt, and what stands whole within backquotes, without a placeholder.
    fn commands(text: &str) -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("  ").or_else(|| line.strip_prefix("$ ")));
        let lines = lines.map(|line| line.trim_start().trim_start_matches("$ "));
        let is_placeholder = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_whole = |code: &&str| !code.contains(['…', '[', '\n', '=']) && !code.split(' ').any(is_placeholder);
        let quoted = text.split('`').skip(1).step_by(2).filter(is_whole);
        lines.chain(quoted).filter_map(|command| command.strip_prefix("pagetide ").map(str::to_owned)).collect()
    }

    /// The words of a command as a shell takes them: not what it does with the output, and not the remark beside it.
    fn words(command: &str) -> Vec<String> {
        let remark = command.find("  ").unwrap_or(command.len());
        let command = command[..remark].split([';', '|', '>', '#', '&']).next().unwrap_or_default();
        command.split_whitespace().map(|word| word.trim_matches(['\'', '"']).to_owned()).collect()
    }

    #[test]
    fn every_command_in_help_and_documents_is_one_that_is_taken() {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut texts = Vec::new();
        help(&mut Arguments::command(), &mut texts);
        let pages = std::fs::read_dir(top.join("docs")).unwrap().map(|page| page.unwrap().path());
        for page in pages
            .chain([top.join("README.md"), top.join("SECURITY.md")])
            .filter(|page| page.extension().is_some_and(|end| end == "md"))
        {
            texts.push((page.display().to_string(), std::fs::read_to_string(&page).unwrap()));
        }
        let mut refused = Vec::new();
        let mut taken = 0;
        for (origin, text) in texts {
            for command in commands(&text) {
                use ErrorKind::{
                    DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion, MissingRequiredArgument,
                };
                let words = words(&command);
                // The name of a command alone is a mention of it.
                let is_mention = words.len() <= 2;
                let read = Arguments::try_parse_from(std::iter::once("pagetide".to_owned()).chain(words));
                match read.map_err(|error| error.kind()) {
                    Ok(_) | Err(DisplayHelp | DisplayVersion) => taken += 1,
                    Err(MissingRequiredArgument | DisplayHelpOnMissingArgumentOrSubcommand) if is_mention => {}
                    Err(kind) => refused.push(format!("{origin}: pagetide {command}: {kind}")),
                }
            }
        }
        assert!(refused.is_empty(), "{}", refused.join("\n"));
        assert!(taken > 100, "{taken} commands were found");
    }
}
