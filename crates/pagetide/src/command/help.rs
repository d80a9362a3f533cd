//! `pagetide help`: the pages of the book.

use super::Outcome;
use crate::output;
use pagetide_core::{Error, suggest};
use serde_json::json;
use std::fmt::Write;

/// Print a page of the book, all of which this program has inside; without a name, list them.
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
        /// The pages by their path.
        const PAGES: &[(&str, &str)] = &[$(($path, include_str!(concat!("../../docs/", $path)))),*];
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

/// What a page is called here: `slow-reads` of `tutorials/slow-reads.md`.
fn name(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.trim_end_matches(".md").to_ascii_lowercase()
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
    if let Some((path, text)) = page {
        if json {
            output::print_json(&json!({ "name": name(path), "text": text }))?;
        } else {
            output::print(text)?;
        }
        return Ok(Outcome::Done);
    }
    root.build();
    if let Some(command) = root.find_subcommand_mut(wanted) {
        output::print(&command.render_long_help().to_string())?;
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
    }
}
