//! `pagetide lab compare`: runs of one scenario compared with each other and with the published figures.

use super::Outcome;
use crate::{output, recordings, reports};
use pagetide_core::{Candidate, Error, compare};
use std::path::{Path, PathBuf};

/// Compare runs of one scenario with each other and with the published figures.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide lab compare run/second-read-1 run/second-read-2
  pagetide lab compare run/before run/after --html compare.html      also as a page

Counts, amounts and shares are compared across machines. Times and rates are compared as ratios within their own run.")]
pub(crate) struct Arguments {
    /// Folders of the runs. Ratios are relative to the first run.
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Also write the comparison as a page to this file.
    #[arg(long, value_name = "FILE", value_parser = reports::new_file())]
    html: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let mut candidates = arguments.runs.iter().map(|folder| candidate(folder)).collect::<Result<Vec<_>, _>>()?;
    name(&mut candidates, &arguments.runs);
    let comparison = compare(&candidates)?;
    let page = pagetide_view::comparison(&comparison);
    if let Some(file) = &arguments.html {
        reports::write_page(&page, file)?;
        output::say(&format!("wrote {}", file.display()));
    }
    if json {
        output::print_json(&comparison)?;
    } else {
        reports::print_page(&page)?;
    }
    Ok(Outcome::Done)
}

fn candidate(folder: &Path) -> Result<Candidate, Error> {
    let result = recordings::result(folder)?.ok_or_else(|| {
        let why = if !folder.exists() {
            "no such folder"
        } else if folder.join("batch.json").exists() {
            "contains several runs: name one of its folders"
        } else {
            "is not a run: it has no result.json"
        };
        Error::input(format!("{}: {why}", folder.display()), "name folders that `pagetide lab run` wrote")
    })?;
    let scenario = reports::scenario_file(folder)?;
    Ok(Candidate { name: result.backend.clone(), result, scenario })
}

/// Names runs by their backends, or by their folders if two share a backend.
fn name(candidates: &mut [Candidate], folders: &[PathBuf]) {
    let alike = |at: usize, one: &str| candidates.iter().skip(at + 1).any(|other| other.name == one);
    if !candidates.iter().enumerate().any(|(at, one)| alike(at, &one.name)) {
        return;
    }
    let last = |folder: &PathBuf| folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let names: Vec<_> = folders.iter().map(|folder| last(folder).unwrap_or_default()).collect();
    let distinct = names.iter().enumerate().all(|(at, name)| !name.is_empty() && !names[..at].contains(name));
    for (at, candidate) in candidates.iter_mut().enumerate() {
        candidate.name = if distinct { names[at].clone() } else { folders[at].display().to_string() };
    }
}
