//! `pagetide man`: man pages.

use super::Outcome;
use crate::output;
use pagetide_core::{Error, suggest};
use pagetide_dir::Dir;
use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Print a man page, or write all of them into a folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pagetide man | man -l -\n  pagetide man --out /usr/local/share/man/man1")]
pub(crate) struct Arguments {
    /// Command whose page to print, such as `diagnose` or `lab run` [default: pagetide].
    command: Vec<String>,
    /// Write every page into this folder.
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

/// Writes the pages of a command and its subcommands under their usual names, readable by everybody. A link of another user is
/// replaced, not followed.
fn write_pages(command: &clap::Command, folder: &Dir) -> io::Result<()> {
    // clap's own `help COMMAND` says what `COMMAND --help` does; `pagetide help` is a command of ours.
    let is_ours = |below: &clap::Command| below.get_name() != "help" || command.is_disable_help_subcommand_set();
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && is_ours(below)) {
        write_pages(below, folder)?;
    }
    let name = PathBuf::from(clap_mangen::Man::new(command.clone()).get_filename());
    folder.remove_if_there(&name)?;
    let mut file = folder.create_new(&name)?;
    file.set_permissions(Permissions::from_mode(0o644))?;
    render(command, &mut file)
}

/// What each exit code means, as `main` gives them.
const EXIT_STATUS: &str = "\
0    done
1    a claim or a check failed, or what was looked for is not there
2    wrong use or input: the message names the place and a hint
3    the system refused: a right, a file, a kernel feature
130  interrupted";

/// Writes the page of a command. Clap's own would justify examples and versions as running text.
fn render(command: &clap::Command, page: &mut impl Write) -> io::Result<()> {
    let clap = clap_mangen::Man::new(command.clone());
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_uppercase();
    // No date: the same sources give the same page.
    writeln!(page, ".TH \"{name}\" 1 \"\" \"pagetide {}\" \"pagetide\"", env!("CARGO_PKG_VERSION"))?;
    clap.render_name_section(page)?;
    clap.render_synopsis_section(page)?;
    clap.render_description_section(page)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        clap.render_options_section(page)?;
    }
    if command.has_subcommands() {
        clap.render_subcommands_section(page)?;
    }
    let after = command.get_after_long_help().or_else(|| command.get_after_help());
    for (section, text) in sections(&after.map(ToString::to_string).unwrap_or_default()) {
        let wrap = section == "NOTES";
        write_lines(section, &text, wrap, page)?;
    }
    write_lines("EXIT STATUS", EXIT_STATUS, false, page)?;
    if let Some(version) = command.get_long_version().or_else(|| command.get_version()) {
        write_lines("VERSION", version, false, page)?;
    }
    if command.get_display_name().is_some_and(|name| name != "pagetide") {
        writeln!(page, ".SH \"SEE ALSO\"\n.BR pagetide (1)")?;
    }
    Ok(())
}

/// The sections of a text below a command's help, whose paragraphs are examples or something else.
fn sections(text: &str) -> Vec<(&'static str, String)> {
    let paragraph = |text: &str| match text.trim_matches('\n').split_once('\n') {
        Some((head, examples)) if head.starts_with("Example") => ("EXAMPLES", examples.to_owned()),
        _ => ("NOTES", text.trim_matches('\n').to_owned()),
    };
    let mut sections: Vec<(&str, String)> = Vec::new();
    for (section, text) in text.split("\n\n").filter(|text| !text.trim().is_empty()).map(paragraph) {
        match sections.last_mut().filter(|(last, _)| *last == section) {
            Some((_, all)) => *all += &format!("\n\n{text}"),
            None => sections.push((section, text)),
        }
    }
    sections
}

/// Writes a section whose lines stay apart. Long ones are wrapped only if `wrap`.
fn write_lines(section: &str, text: &str, wrap: bool, page: &mut impl Write) -> io::Result<()> {
    writeln!(page, ".SH \"{section}\"{}", if wrap { "" } else { "\n.nf" })?;
    for line in text.lines() {
        let line = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq").replace('`', "\\(ga");
        // A line that begins with a dot would be a request.
        let guard = if line.starts_with('.') { "\\&" } else { "" };
        writeln!(page, "{guard}{line}{}", if wrap { "\n.br" } else { "" })?;
    }
    if wrap { Ok(()) } else { writeln!(page, ".fi") }
}

/// The command of a name below another one; `lab-run`, as its page's file is called, is `run` below `lab`.
fn below<'a>(command: &'a clap::Command, name: &str) -> Option<&'a clap::Command> {
    let of_page = || {
        let (first, rest) = name.split_once('-')?;
        below(command.find_subcommand(first)?, rest)
    };
    command.find_subcommand(name).or_else(of_page)
}

pub(crate) fn run(arguments: &Arguments, mut root: clap::Command) -> Result<Outcome, Error> {
    root.build();
    if let Some(folder) = &arguments.out {
        let written = Dir::for_output(folder, true).and_then(|folder| write_pages(&root, &folder));
        written.map_err(|error| Error::unwritable(folder, &error, "name a writable folder"))?;
        return Ok(Outcome::Done);
    }
    let mut page = &root;
    for word in &arguments.command {
        page = below(page, word).ok_or_else(|| {
            let hint = suggest::hint(word, page.get_subcommands().map(clap::Command::get_name));
            Error::input(format!("no command `{word}`{hint}"), "`pagetide --help` lists the commands")
        })?;
    }
    let mut text = Vec::new();
    render(page, &mut text).map_err(|error| Error::system(error.to_string(), ""))?;
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_and_versions_keep_their_lines() {
        let mut command = clap::Command::new("pagetide")
            .version("1")
            .long_version("1\ncommit    abc")
            .after_help("Examples:\n  pagetide record --for 5s    'a' note\n  ./x\n\nExit code 1: it failed.");
        command.build();
        let mut page = Vec::new();
        render(&command, &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        let examples = ".SH \"EXAMPLES\"\n.nf\n  pagetide record \\-\\-for 5s    \\(aqa\\(aq note\n  ./x\n.fi\n";
        for part in [examples, ".SH \"NOTES\"\nExit code 1: it failed.\n.br\n", ".nf\n1\ncommit    abc\n.fi\n"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let title = format!(".TH \"PAGETIDE\" 1 \"\" \"pagetide {}\" \"pagetide\"\n", env!("CARGO_PKG_VERSION"));
        assert!(page.starts_with(&title) && page.contains(".SH \"EXIT STATUS\""), "{page}");
    }
}
