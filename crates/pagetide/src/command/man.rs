//! `pagetide man`: man pages.

use super::Outcome;
use crate::output;
use pagetide_core::{Error, suggest};
use std::path::PathBuf;

/// Print a man page, or write all of them into a folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pagetide man | man -l -\n  pagetide man --out /usr/local/share/man/man1")]
pub(crate) struct Arguments {
    /// The command whose page is printed; pagetide's own when left out.
    command: Option<String>,
    /// Write every page into this folder.
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, mut root: clap::Command) -> Result<Outcome, Error> {
    root.build();
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(root, folder)).map_err(|error| {
            Error::system(format!("{}: {error}", folder.display()), "name a folder that can be written")
        })?;
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
