//! `pagetide diagnose`: what happened in a recording, with evidence.

use super::Outcome;
use crate::{output, recordings, reports};
use pagetide_core::{Error, LazyRecording, Nanos, Report};
use std::path::PathBuf;

mod part;
mod watch;

/// Report what happened in a recording: the cause, its evidence and effects, what contradicts it, and what to do.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide diagnose rec
  pagetide diagnose run/buffered-read --html report.html
  pagetide diagnose rec --from 12:20 --to 12:40                a stretch of time
  pagetide diagnose run/ssd-stream-starves-raid --step B1      one step, as on a live host
  pagetide diagnose rec --json
  pagetide diagnose rec --watch --json     one line for each finding that begins or ends

With --watch the exit code is 1 if a problem began meanwhile, else 0.")]
pub(crate) struct Arguments {
    /// The recording: its folder, or a run's folder.
    recording: PathBuf,
    /// Start here: `12:20`, `12:20:30`, `2026-11-21T12:20:30`, or `-10min` before the end.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with = "watch")]
    from: Option<String>,
    /// End here.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with = "watch")]
    to: Option<String>,
    /// Print and read times in UTC, not in the time zone of the recorded host.
    #[arg(long)]
    utc: bool,
    /// Only this step of a run, compared with the step before it, without what the lab knows of it.
    #[arg(long, value_name = "ID", conflicts_with_all = ["from", "to", "watch"])]
    step: Option<String>,
    /// Also write the report with its plots to this file.
    #[arg(long, value_name = "FILE", conflicts_with = "watch")]
    html: Option<PathBuf>,
    /// Follow a recording that grows, and print one line for each finding that begins or ends.
    #[arg(long)]
    watch: bool,
    /// With --watch: time between two looks.
    #[arg(long, value_name = "TIME", default_value = "10s", requires = "watch")]
    every: Nanos,
    /// With --watch: how much of the end of the recording to examine; it also gives the baseline.
    #[arg(long, value_name = "TIME", default_value = "15min", requires = "watch")]
    over: Nanos,
    /// With --watch: how long to watch. Without it, until a signal.
    #[arg(long = "for", value_name = "TIME", requires = "watch")]
    lasts: Option<Nanos>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    if arguments.watch {
        return watch::run(arguments, json);
    }
    let part = part::range(arguments)?;
    let (from_wall_ns, to_wall_ns) = part.unzip();
    // What the lab knows of a run holds for all of it.
    let run = if part.is_some() { None } else { recordings::result(&arguments.recording)? };
    let reader = recordings::open(&arguments.recording)?;
    let damage = reader.damage();
    let mut recording = LazyRecording::open(reader, from_wall_ns, to_wall_ns)?;
    if arguments.step.is_some() {
        recording.drop_marks();
    }
    let shown = if json && arguments.html.is_none() { Vec::new() } else { pagetide_view::metrics() };
    let mut diagnosis = pagetide_diagnose::diagnose_lazy(&mut recording, &shown)?;
    diagnosis.damaged = damage.lines();
    let mut recording = recording.into_recording();
    let scenario = run.as_ref().map(|run| reports::scenario(&arguments.recording, run)).transpose()?.flatten();
    recordings::set_zone(&mut recording.manifest, arguments.utc);
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
    Ok(if report.diagnosis.damaged.is_empty() { Outcome::Done } else { Outcome::Failed })
}
