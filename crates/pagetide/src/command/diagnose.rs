//! `pagetide diagnose`: what happened in a recording, with evidence.

use super::Outcome;
use crate::{output, recordings, reports};
use pagetide_core::{Diagnosis, Error, Nanos, Recording, Report, Selection, Table};
use std::path::{Path, PathBuf};

mod part;
mod watch;

/// Say what happened in a recording: findings with evidence, what contradicts them, and what to do.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide diagnose rec
  pagetide diagnose run/buffered-read --html report.html
  pagetide diagnose rec --from 12:20 --to 12:40                a stretch of time
  pagetide diagnose run/ssd-stream-starves-raid --step B1      one step, as a host would have seen it
  pagetide diagnose rec --json
  pagetide diagnose rec --watch --json     a line for each finding that begins or ends

With --watch the exit code is 1 when anything that is wrong began while it watched, else 0.")]
pub(crate) struct Arguments {
    /// The recording: its folder, or a run's folder.
    recording: PathBuf,
    /// From this time on: `12:20`, `12:20:30`, `2026-11-21T12:20:30`, or `-10min` before the end.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with = "watch")]
    from: Option<String>,
    /// Up to this time.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with = "watch")]
    to: Option<String>,
    /// Print and read times in UTC, not in the time zone of the recorded host.
    #[arg(long)]
    utc: bool,
    /// Of a run only this step, with the one before it as what was usual, and nothing of what the lab knows about it.
    #[arg(long, value_name = "ID", conflicts_with_all = ["from", "to", "watch"])]
    step: Option<String>,
    /// Write the page with its plots to this file as well.
    #[arg(long, value_name = "FILE", conflicts_with = "watch")]
    html: Option<PathBuf>,
    /// Go on looking at the end of a recording that grows, and print a line for each finding that begins or ends.
    #[arg(long)]
    watch: bool,
    /// With --watch: how often to look.
    #[arg(long, value_name = "TIME", default_value = "10s", requires = "watch")]
    every: Nanos,
    /// With --watch: how much of the end to look at. What is usual is learned from it.
    #[arg(long, value_name = "TIME", default_value = "15min", requires = "watch")]
    over: Nanos,
    /// With --watch: how long to watch; until a signal when left out.
    #[arg(long = "for", value_name = "TIME", requires = "watch")]
    lasts: Option<Nanos>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    if arguments.watch {
        return watch::run(arguments, json);
    }
    let part = part::range(arguments)?;
    let (from_wall_ns, to_wall_ns) = part.unzip();
    let selection = Selection { from_wall_ns, to_wall_ns, ..selection(!json || arguments.html.is_some()) };
    // What the lab knows of a run holds for all of it.
    let run = if part.is_some() { None } else { recordings::result(&arguments.recording)? };
    let mut recording = but_processes(&arguments.recording, &selection)?;
    if arguments.step.is_some() {
        recording.marks.clear();
    }
    let scenario = run.as_ref().map(|run| reports::scenario(&arguments.recording, run)).transpose()?.flatten();
    let diagnosis = with_processes(&arguments.recording, &selection, &mut recording)?;
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

/// What the rules look at, and what a page shows when one is drawn.
fn selection(drawn: bool) -> Selection {
    let shown = pagetide_view::metrics();
    let shown = shown.iter().filter(|_| drawn);
    let metrics = pagetide_diagnose::metrics().iter().chain(shown).map(|name| (*name).to_owned()).collect();
    Selection { metrics, ..Selection::default() }
}

/// Samples up to which all is loaded at once: two hours at one a second.
const LONG: usize = 7200;

/// Loads all that is selected but the processes.
fn but_processes(path: &Path, selection: &Selection) -> Result<Recording, Error> {
    let tables = Table::ALL.into_iter().filter(|table| *table != Table::Process).collect();
    recordings::load(path, &Selection { tables, ..selection.clone() })
}

/// Loads the processes, of a long recording only around what happened, and says what happened.
fn with_processes(path: &Path, selection: &Selection, recording: &mut Recording) -> Result<Diagnosis, Error> {
    let selection = Selection { tables: vec![Table::Process], ..selection.clone() };
    if recording.stamps().len() <= LONG {
        recording.absorb(recordings::load(path, &selection)?);
        return Ok(pagetide_diagnose::diagnose(recording));
    }
    pagetide_diagnose::diagnose_loading(recording, |recording, (from, to)| {
        let inside = recording.stamps().iter().filter(|stamp| (from..=to).contains(&stamp.boot_ns));
        let walls: Vec<i64> = inside.map(|stamp| stamp.wall_ns).collect();
        let (from_wall_ns, to_wall_ns) = (walls.iter().min().copied(), walls.iter().max().copied());
        if from_wall_ns.is_none() {
            return Ok(Recording::default());
        }
        recordings::load(path, &Selection { from_wall_ns, to_wall_ns, ..selection.clone() })
    })
}
