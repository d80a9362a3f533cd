//! `pagetide help`: the pages of the book.

mod terminal;

use super::Outcome;
use crate::output;
use pagetide_core::{Error, suggest};
use pagetide_view::text::Style;
use serde_json::json;
use std::fmt::Write;

/// Print a page of the documentation, which this program contains; without a name, list the pages.
///
/// With --json, the page is Markdown, as it was written.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide help                list the pages
  pagetide help slow-reads     a tutorial: from a recording to a decision
  pagetide help format | less  the format of recordings
The options of a command: pagetide COMMAND --help")]
pub(crate) struct Arguments {
    /// The page, or a command, whose --help is printed.
    name: Option<String>,
}

/// The book's list of pages.
const SUMMARY: &str = include_str!("../../docs/SUMMARY.md");

macro_rules! pages {
    ($($path:literal),* $(,)?) => {
        /// The pages by their path, as build.rs has compressed them.
        const PAGES: &[(&str, &[u8])] = &[$(($path, include_bytes!(concat!(env!("OUT_DIR"), "/", $path)))),*];
    };
}

pages! {
    "tutorials/slow-reads.md",
    "tutorials/swap.md",
    "tutorials/memory.md",
    "tutorials/fio.md",
    "tutorials/container.md",
    "tutorials/fleet-host.md",
    "how-to/databases.md",
    "how-to/sre.md",
    "SERVICE.md",
    "how-to/kubernetes.md",
    "SHARING.md",
    "IMPORT.md",
    "SAR.md",
    "TOP.md",
    "SERVE.md",
    "FLEET.md",
    "how-to/storage.md",
    "LAB.md",
    "SCENARIOS.md",
    "PLAN.md",
    "REPRODUCE.md",
    "TRACE.md",
    "explanation/page-cache.md",
    "ARCHITECTURE.md",
    "COMMANDS.md",
    "RULES.md",
    "GLOSSARY.md",
    "FORMAT.md",
    "JSON.md",
    "SCORE.md",
    "PEERS.md",
    "COMPARE-SAR.md",
    "CONFORMANCE.md",
    "RELIABILITY.md",
    "THIRD-PARTY.md",
}

/// The pages that say more about a command than its --help, by the command's name.
const SEE_ALSO: &[(&str, &[&str])] = &[
    ("doctor", &["lab"]),
    ("mem", &["glossary", "page-cache"]),
    ("hold", &["lab"]),
    ("record", &["service", "trace"]),
    ("import", &["import", "sar"]),
    ("show", &["sar", "glossary"]),
    ("top", &["top"]),
    ("serve", &["serve"]),
    ("diagnose", &["slow-reads", "rules"]),
    ("explain", &["rules", "glossary"]),
    ("lab", &["lab", "scenarios"]),
    ("plan", &["plan", "memory"]),
    ("reproduce", &["reproduce"]),
    ("cache", &["page-cache"]),
    ("evictions", &["trace"]),
    ("mrc", &["memory", "trace"]),
    ("fleet", &["fleet", "fleet-host"]),
    ("check", &["format"]),
    ("cut", &["sharing"]),
    ("undo", &["lab"]),
    ("trace-helper", &["service"]),
    ("help", &["commands"]),
    ("completions", &["commands"]),
    ("man", &["commands"]),
];

/// The command line, with the book's pages below the help of each command.
pub(crate) fn with_pages(root: clap::Command) -> clap::Command {
    SEE_ALSO.iter().fold(root, |root, (name, pages)| match root.find_subcommand(name) {
        Some(_) => root.mut_subcommand(name, |command| see_also(command, pages)),
        None => root,
    })
}

/// The same for a command and those below it.
fn see_also(command: clap::Command, pages: &[&str]) -> clap::Command {
    let below: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let command =
        below.into_iter().fold(command, |command, name| command.mut_subcommand(name, |inner| see_also(inner, pages)));
    let pages: Vec<String> = pages.iter().map(|page| format!("pagetide help {page}")).collect();
    let pages = format!("See also: {}", pages.join(", "));
    let text = match command.get_after_help() {
        Some(before) => format!("{before}\n\n{pages}"),
        None => pages,
    };
    command.after_help(text)
}

/// A page as it was written.
fn text(compressed: &[u8]) -> String {
    let bytes = miniz_oxide::inflate::decompress_to_vec(compressed).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The name of a page: `slow-reads` for `tutorials/slow-reads.md`.
fn name(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.trim_end_matches(".md").to_ascii_lowercase()
}

/// The command that prints the page to which a link leads; the book's first page lists them.
fn command_of(target: &str) -> Option<String> {
    let file = target.split('#').next().unwrap_or(target).rsplit('/').next().unwrap_or(target);
    match PAGES.iter().find(|(path, _)| path.rsplit('/').next() == Some(file)) {
        Some((path, _)) => Some(format!("pagetide help {}", name(path))),
        None => (file == "README.md").then(|| "pagetide help".to_owned()),
    }
}

/// The parts of the book: a heading, or a page's title and path.
fn contents() -> impl Iterator<Item = Result<&'static str, (&'static str, &'static str)>> {
    SUMMARY.lines().skip(1).filter_map(|line| {
        if let Some(heading) = line.strip_prefix("# ") {
            return Some(Ok(heading));
        }
        let (_, link) = line.split_once('[')?;
        let (title, path) = link.split_once("](")?;
        Some(Err((title, path.strip_suffix(')')?)))
    })
}

pub(crate) fn run(arguments: &Arguments, json: bool, mut root: clap::Command) -> Result<Outcome, Error> {
    let Some(wanted) = &arguments.name else {
        let listed = contents().filter_map(Result::err).filter(|(_, path)| PAGES.iter().any(|(page, _)| page == path));
        if json {
            let pages: Vec<_> = listed.map(|(title, path)| json!({ "name": name(path), "title": title })).collect();
            output::print_json(&json!({ "pages": pages }))?;
            return Ok(Outcome::Done);
        }
        let width = listed.map(|(_, path)| name(path).len()).max().unwrap_or(0);
        let mut text =
            String::from("pagetide help PAGE prints a page; pagetide COMMAND --help, the options of a command.\n");
        for part in contents() {
            let _ = match part {
                Ok(heading) => writeln!(text, "\n{heading}"),
                Err((title, path)) if PAGES.iter().any(|(page, _)| *page == path) => {
                    writeln!(text, "  {:width$}  {title}", name(path))
                }
                Err(_) => Ok(()),
            };
        }
        output::print(&text)?;
        return Ok(Outcome::Done);
    };
    let page = PAGES.iter().find(|(path, _)| name(path) == name(wanted));
    if let Some((path, compressed)) = page {
        let text = text(compressed);
        if json {
            output::print_json(&json!({ "name": name(path), "text": text }))?;
        } else {
            let style = Style { colour: output::colour(), width: output::width().min(100) };
            output::print(&terminal::text(&text, style, &command_of))?;
        }
        return Ok(Outcome::Done);
    }
    root.build();
    if let Some(command) = root.find_subcommand_mut(wanted) {
        let text = command.render_long_help().to_string();
        if json {
            output::print_json(&json!({ "name": wanted, "text": text }))?;
        } else {
            output::print(&text)?;
        }
        return Ok(Outcome::Done);
    }
    let known: Vec<String> = PAGES.iter().map(|(path, _)| name(path)).collect();
    let commands = root.get_subcommands().map(clap::Command::get_name);
    let hint = suggest::hint(wanted, known.iter().map(String::as_str).chain(commands));
    Err(Error::input(format!("no page and no command `{wanted}`{hint}"), "`pagetide help` lists the pages"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the order of the book; its first page says what it is, and is for GitHub.
    #[test]
    fn every_page_of_the_book_is_here_by_a_name_of_its_own() {
        let listed: Vec<&str> = contents().filter_map(Result::err).map(|(_, path)| path).collect();
        let here: Vec<&str> = PAGES.iter().map(|(path, _)| *path).collect();
        assert_eq!(listed[0], "README.md");
        assert_eq!(listed[1..], here);
        let mut names: Vec<String> = here.iter().map(|path| name(path)).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), here.len());
        for (path, compressed) in PAGES {
            let written = std::fs::read_to_string(format!("docs/{path}")).unwrap();
            assert_eq!(text(compressed), written, "{path}");
        }
    }

    #[test]
    fn no_page_prints_a_table_or_a_link_as_markdown() {
        for (path, compressed) in PAGES {
            let shown = terminal::text(&text(compressed), Style { colour: false, width: 100 }, &command_of);
            for line in shown.lines().filter(|line| !line.starts_with("    ")) {
                let is_raw = line.starts_with('|') || line.contains("](") && !line.contains('`');
                assert!(!is_raw, "{path}: {line}");
                // Licences have long addresses, and the matrix of causes has a column for each of them.
                let is_wide = ["THIRD-PARTY.md", "SCORE.md"].contains(path);
                assert!(is_wide || line.chars().count() <= 130, "{path}: {line}");
            }
        }
        assert_eq!(command_of("../RULES.md#healthy").as_deref(), Some("pagetide help rules"));
        assert_eq!(command_of("tutorials/slow-reads.md").as_deref(), Some("pagetide help slow-reads"));
        assert_eq!(command_of("images/live.png"), None);
    }

    #[test]
    fn the_help_of_every_command_leads_to_pages_that_are_there() {
        let names: Vec<String> = PAGES.iter().map(|(path, _)| name(path)).collect();
        for page in SEE_ALSO.iter().flat_map(|(_, pages)| *pages) {
            assert!(names.iter().any(|name| name == page), "{page}");
        }
        let mut root = crate::cli::Arguments::definition();
        root.build();
        for command in root.get_subcommands_mut().filter(|command| !command.is_hide_set()) {
            let help = command.render_long_help().to_string();
            assert!(help.contains("See also: pagetide help "), "{help}");
        }
    }
}
