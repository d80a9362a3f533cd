//! `pagetide completions`: completions for a shell.

use super::Outcome;
use crate::output;
use clap::builder::PossibleValuesParser;
use pagetide_core::Error;
use std::collections::BTreeSet;

/// Print shell completions.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pagetide completions bash > /etc/bash_completion.d/pagetide")]
pub(crate) struct Arguments {
    /// The shell.
    shell: clap_complete::Shell,
}

pub(crate) fn run(arguments: &Arguments, root: &mut clap::Command) -> Result<Outcome, Error> {
    let mut text = Vec::new();
    let mut root = with_words(without_hidden(root));
    clap_complete::generate(arguments.shell, &mut root, "pagetide", &mut text);
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Outcome::Done)
}

/// The command line without its internal commands, which shells would offer as others.
fn without_hidden(root: &clap::Command) -> clap::Command {
    let commands = root.get_subcommands().filter(|command| !command.is_hide_set());
    clap::Command::new("pagetide")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(root.get_arguments())
        .subcommands(commands.cloned())
}

/// The command line with the words that a shell may offer where any text is taken: what can be explained, and the shipped scenarios.
fn with_words(root: clap::Command) -> clap::Command {
    let explained: BTreeSet<&'static str> = super::explain::names().filter(|name| !name.contains(' ')).collect();
    let explained = PossibleValuesParser::new(explained);
    let scenarios = || PossibleValuesParser::new(pagetide_lab::catalogue::ids().chain(["all"]).collect::<Vec<_>>());
    root.mut_subcommand("explain", |explain| explain.mut_arg("rule", |rule| rule.value_parser(explained)))
        .mut_subcommand("lab", |lab| {
            lab.mut_subcommand("run", |run| run.mut_arg("scenarios", |argument| argument.value_parser(scenarios())))
                .mut_subcommand("show", |show| show.mut_arg("scenario", |argument| argument.value_parser(scenarios())))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn shells_are_offered_scenarios_rules_topics_and_columns() {
        // The completions of clap for fish have the values of options only.
        for shell in [clap_complete::Shell::Bash, clap_complete::Shell::Zsh] {
            let mut text = Vec::new();
            let root = without_hidden(&crate::cli::Arguments::command());
            clap_complete::generate(shell, &mut with_words(root), "pagetide", &mut text);
            let text = String::from_utf8(text).unwrap();
            for word in ["buffered-read", "replayed-sequence", "hugepages", "pgscank/s", "vm.dirty_ratio"] {
                assert!(text.contains(word), "{shell}: {word}");
            }
            assert!(!text.contains("pagetide__subcmd__guest") && !text.contains("(guest)"), "{shell}");
        }
    }
}
