//! `pagetide man`: man pages.

use super::Outcome;
use crate::output;
use pagetide_core::{Error, suggest};
use pagetide_dir::Dir;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Print a man page, or write all of them into a folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pagetide man | man -l -\n  pagetide man --out /usr/local/share/man/man1")]
pub(crate) struct Arguments {
    /// Command whose page to print [default: pagetide].
    command: Option<String>,
    /// Write every page into this folder.
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

/// Writes the pages of a command and its subcommands under their usual names, readable by everybody. A link of another user is
/// replaced, not followed.
fn write_pages(command: &clap::Command, folder: &Dir) -> io::Result<()> {
    // clap's own `help COMMAND` says what `COMMAND --help` does.
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help") {
        write_pages(below, folder)?;
    }
    let page = clap_mangen::Man::new(command.clone());
    let name = PathBuf::from(page.get_filename());
    folder.remove_if_there(&name)?;
    let mut file = folder.create_new(&name)?;
    file.set_permissions(Permissions::from_mode(0o644))?;
    page.render(&mut file)
}

pub(crate) fn run(arguments: &Arguments, mut root: clap::Command) -> Result<Outcome, Error> {
    root.build();
    if let Some(folder) = &arguments.out {
        let written = Dir::for_output(folder, true).and_then(|folder| write_pages(&root, &folder));
        written.map_err(|error| Error::system(format!("{}: {error}", folder.display()), "name a writable folder"))?;
        return Ok(Outcome::Done);
    }
    let page = match &arguments.command {
        None => root,
        Some(name) => {
            let known: Vec<String> = root.get_subcommands().map(|command| command.get_name().to_owned()).collect();
            root.find_subcommand(name).cloned().ok_or_else(|| {
                let hint = suggest::hint(name, known.iter().map(String::as_str));
                Error::input(format!("no command `{name}`{hint}"), "`pagetide --help` lists the commands")
            })?
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(|error| Error::system(error.to_string(), ""))?;
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Outcome::Done)
}
