//! The command line. Help, man pages and shell completions come from these definitions.

use crate::command::*;
use crate::{habits, output};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use pagetide_core::Error;
use std::ffi::{OsStr, OsString};
use std::sync::LazyLock;

/// Find out what the page cache does to this host's IO, prove it, and see what would change it.
#[derive(Debug, Parser)]
#[command(name = "pagetide", version, long_version = VERSION.as_str(), disable_help_subcommand = true, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Print JSON (stable, documented in docs/JSON.md) instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  pagetide                                           this host in ten lines
  pagetide doctor                                    what this machine can do, and how to fix what it cannot
  pagetide mem                                       memory now, and the room until throttling
  pagetide record -o rec -- ./nightly.sh             record the host while a command runs
  pagetide diagnose rec                              name the cause of slow IO in that recording, with evidence
  pagetide show rec disk                             tables as sar prints them
  pagetide lab run buffered-read --scale 1/8         run an experiment and compare it with published figures
  pagetide plan database-memory                      how much memory is enough, by a model of the kernel
  pagetide help slow-reads                           a tutorial; `pagetide help` lists all pages

Exit codes: 0 done, 1 a claim or a check failed, 2 bad usage or input, 3 the system refused, 130 interrupted.";

/// What `--version` prints: the version on a line of its own, then what was built and which recordings it reads.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let features = [("fleet", cfg!(feature = "fleet")), ("tls", cfg!(feature = "tls"))];
    let features: Vec<&str> = features.into_iter().filter_map(|(name, is_on)| is_on.then_some(name)).collect();
    let features = if features.is_empty() { "none".to_owned() } else { features.join(", ") };
    let commit = option_env!("PAGETIDE_COMMIT").filter(|commit| !commit.is_empty());
    let commit = commit.unwrap_or("unknown: not built by make");
    let (version, format) = (env!("CARGO_PKG_VERSION"), pagetide_store::FORMAT_VERSION);
    format!(
        "{version}\ncommit    {commit}\nfeatures  {features}\nformat    writes recordings of version {format}, reads versions 1 to {format}"
    )
});

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
    Plan(Box<plan::Arguments>),
    Reproduce(reproduce::Arguments),
    Cache(cache::Arguments),
    Evictions(evictions::Arguments),
    Mrc(mrc::Arguments),
    #[cfg(feature = "fleet")]
    Fleet(fleet::Arguments),
    Check(check::Arguments),
    Cut(cut::Arguments),
    Undo(undo::Arguments),
    TraceHelper(trace_helper::Arguments),
    Help(help::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
    /// Run as the init of a virtual machine of `lab run --on vm`.
    #[command(hide = true)]
    Guest,
}

impl Arguments {
    /// The command line as derived above, with the pages that each command's help refers to.
    pub(crate) fn definition() -> clap::Command {
        help::with_pages(Self::command())
    }

    /// The parsed command line. Help, the version and wrong use end the program.
    pub(crate) fn typed() -> Self {
        let words = std::env::args_os().map(range_as_value);
        let mut matches = Self::definition()
            .try_get_matches_from(words)
            .unwrap_or_else(|error| Self::end(&habits::with_our_words(error)));
        Self::from_arg_matches_mut(&mut matches).unwrap_or_else(|error| error.format(&mut Self::definition()).exit())
    }

    /// Prints help, the version or what is wrong, and ends the program. Clap's own way does not say that nothing could be written.
    fn end(told: &clap::Error) -> ! {
        use std::io::Write;
        let printed = told.print().and_then(|()| std::io::stdout().flush());
        if let Err(error) = printed
            && !told.use_stderr()
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            output::complain(&Error::system(format!("stdout: {error}"), ""));
            std::process::exit(3);
        }
        std::process::exit(told.exit_code());
    }

    /// Runs the command. The commands of the lab first undo what a killed run left; the others report it.
    pub(crate) fn run(self) -> Result<Outcome, Error> {
        let json = self.json;
        let Some(command) = self.command else { return state::run(json) };
        match command {
            Command::Lab(_) => undo::before_a_run()?,
            // A guest has just booted: no run can have been killed in it.
            Command::Guest | Command::TraceHelper(_) | Command::Undo(_) => {}
            _ => undo::report_pending(),
        }
        match command {
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
            Command::Plan(arguments) => plan::run(&arguments, json),
            Command::Reproduce(arguments) => reproduce::run(&arguments, json),
            Command::Cache(arguments) => cache::run(&arguments, json),
            Command::Evictions(arguments) => evictions::run(&arguments, json),
            Command::Mrc(arguments) => mrc::run(&arguments, json),
            #[cfg(feature = "fleet")]
            Command::Fleet(arguments) => fleet::run(&arguments, json),
            Command::Help(arguments) => help::run(&arguments, json, Self::definition()),
            Command::Completions(arguments) => completions::run(&arguments, &mut Self::definition()),
            Command::Man(arguments) => man::run(&arguments, Self::definition()),
            Command::Check(arguments) => check::run(&arguments, json),
            Command::Cut(arguments) => cut::run(&arguments, json),
            Command::Undo(arguments) => undo::run(&arguments, json),
            Command::TraceHelper(arguments) => trace_helper::run(&arguments),
            Command::Guest => guest::run(),
        }
    }
}

/// The word of a command line, with a space before a range that begins with a minus sign (`-20min..-10min`), which clap takes for options.
/// (With `allow_hyphen_values`, `--compare` would also take an option that follows it.)
fn range_as_value(word: OsString) -> OsString {
    let is_range = |text: &str| {
        text.strip_prefix('-').is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit())) && text.contains("..")
    };
    if word.to_str().is_some_and(is_range) { [OsStr::new(" "), &word].into_iter().collect() } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::error::ErrorKind;
    use std::fmt::Write;
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

    /// The help of a command and of those below it, as docs/COMMANDS.md has it.
    fn reference(command: &mut clap::Command, text: &mut String) {
        let name = command.get_bin_name().unwrap_or("pagetide").to_owned();
        let help = command.render_long_help().to_string();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        let _ = write!(text, "\n## {name}\n\n```text\n{}\n```\n", help.join("\n").trim_end());
        for inner in command.get_subcommands_mut().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help") {
            reference(inner, text);
        }
    }

    #[test]
    fn commands_md_has_the_help_of_every_command() {
        let mut root = Arguments::definition().term_width(100);
        root.build();
        let mut text = "\n".to_owned();
        reference(&mut root, &mut text);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/COMMANDS.md");
        let page = std::fs::read_to_string(&path).unwrap();
        let (before, after) = page.split_once("<!-- commands: begin -->\n").unwrap();
        let (told, rest) = after.split_once("<!-- commands: end -->").unwrap();
        if told.trim() != text.trim() {
            assert!(
                std::env::var_os("UPDATE_DOCS").is_some(),
                "docs/COMMANDS.md is not what --help prints; UPDATE_DOCS=1 cargo test -p pagetide --bin pagetide commands_md fixes it"
            );
            std::fs::write(&path, format!("{before}<!-- commands: begin -->\n{text}\n<!-- commands: end -->{rest}"))
                .unwrap();
        }
    }

    /// The commands in a text, without placeholders: indented lines, lines after a prompt, and whole commands in backquotes.
    fn commands(text: &str) -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("  ").or_else(|| line.strip_prefix("$ ")));
        let lines = lines.map(|line| line.trim_start().trim_start_matches("$ "));
        let is_placeholder = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_whole = |code: &&str| !code.contains(['…', '[', '\n', '=']) && !code.split(' ').any(is_placeholder);
        let quoted = text.split('`').skip(1).step_by(2).filter(is_whole);
        lines.chain(quoted).filter_map(|command| command.strip_prefix("pagetide ").map(str::to_owned)).collect()
    }

    /// The words of a command as a shell splits them, without redirections and comments.
    fn words(command: &str) -> Vec<String> {
        let remark = command.find("  ").unwrap_or(command.len());
        let command = command[..remark]
            .split(" 2>")
            .next()
            .unwrap_or_default()
            .split([';', '|', '>', '#', '&'])
            .next()
            .unwrap_or_default();
        command.split_whitespace().map(|word| word.trim_matches(['\'', '"']).to_owned()).collect()
    }

    #[test]
    fn every_command_in_help_and_documents_is_one_that_is_taken() {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut texts = Vec::new();
        help(&mut Arguments::definition(), &mut texts);
        texts.push(("habits.rs".to_owned(), habits::texts()));
        let folders = ["", "tutorials", "how-to", "explanation"].map(|folder| top.join("docs").join(folder));
        let pages =
            folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|page| page.unwrap().path());
        for page in pages
            .chain([top.join("README.md"), top.join("SECURITY.md")])
            .filter(|page| page.extension().is_some_and(|end| end == "md") && !page.ends_with("COMMANDS.md"))
        {
            texts.push((page.display().to_string(), std::fs::read_to_string(&page).unwrap()));
        }
        let alerts = std::fs::read_to_string(top.join("packaging/prometheus-alerts.yml")).unwrap();
        assert_eq!(
            alerts.matches("pagetide diagnose").count(),
            commands(&alerts).iter().filter(|command| command.starts_with("diagnose")).count()
        );
        texts.push(("prometheus-alerts.yml".to_owned(), alerts));
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
                let words = std::iter::once("pagetide".to_owned()).chain(words);
                let read = Arguments::try_parse_from(words.map(|word| range_as_value(word.into())));
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
