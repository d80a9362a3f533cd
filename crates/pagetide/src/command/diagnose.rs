//! `pagetide diagnose`: what happened in a recording, with evidence.

use super::Outcome;
use crate::{output, recordings, reports};
use pagetide_core::{Refusal, Report, Selection};
use std::path::PathBuf;

/// Say what happened in a recording: findings with evidence, what contradicts them, and what to do.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide diagnose rec
  pagetide diagnose run/buffered-read --html report.html
  pagetide diagnose rec --json")]
pub(crate) struct Arguments {
    /// The recording: its folder, or a run's folder.
    recording: PathBuf,
    /// Write the page with its plots to this file as well.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Refusal> {
    let recording = recordings::load(&arguments.recording, &Selection::default())?;
    let run = recordings::result(&arguments.recording)?;
    let scenario = run.as_ref().map(|run| reports::scenario(&arguments.recording, run)).transpose()?.flatten();
    let diagnosis = pagetide_diagnose::diagnose(&recording);
    let report = Report { scenario, run, diagnosis, recording };
    if let Some(file) = &arguments.html {
        reports::write_html(&report, file)?;
        output::say(&format!("wrote {}", file.display()));
    }
    if json {
        output::print_json(&report.diagnosis)?;
    } else {
        reports::print_text(&report)?;
    }
    Ok(Outcome::Done)
}
