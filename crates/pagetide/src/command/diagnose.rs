//! `pagetide diagnose`: what happened in a recording, with evidence.

use super::Outcome;
use crate::{measured, output, recordings, reports};
use pagetide_core::{
    CutDiagnosis, Diagnosis, Error, LazyRecording, MarkKind, MeasuredEffects, Recording, Report, Span, is_log_entry,
};
use serde::Serialize;

mod arguments;
mod compare;
mod part;
mod watch;

pub(crate) use arguments::Arguments;

/// What is printed with --json.
#[derive(Serialize)]
struct Diagnosed<'a> {
    #[serde(flatten)]
    diagnosis: &'a Diagnosis,
    /// For a file of `pagetide cut`: the diagnosis stored when it was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_diagnosis: Option<&'a CutDiagnosis>,
    /// What an imported log says between its numbers: comments of sadc, and that the host was started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    log_entries: Vec<LogEntry<'a>>,
    /// What each advice did to a reproduction of the incident, where `pagetide reproduce --keep` kept that.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<&'a MeasuredEffects>,
}

/// A comment or a restart.
#[derive(Serialize)]
struct LogEntry<'a> {
    time: String,
    text: &'a str,
}

/// Those of a recording, in order of time.
fn log_entries(recording: &Recording) -> Vec<LogEntry<'_>> {
    let entries = recording.marks.iter().filter_map(|mark| match &mark.kind {
        MarkKind::Note { text } if is_log_entry(text) => {
            Some(LogEntry { time: recordings::timestamp(mark.stamp.wall_ns), text })
        }
        _ => None,
    });
    entries.collect()
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    if arguments.watch {
        return watch::run(arguments, json);
    }
    if !arguments.compare.is_empty() {
        return compare::run(arguments, json);
    }
    let part = part::range(arguments)?;
    let (from_wall_ns, to_wall_ns) = part.unzip();
    // What the lab knows of a run holds for all of it.
    let run = if part.is_some() { None } else { recordings::result(&arguments.recording)? };
    let reader = recordings::open(&arguments.recording)?;
    let damage = reader.damage();
    let mut recording = LazyRecording::open(reader, from_wall_ns, to_wall_ns)?;
    let step = arguments.step.as_deref().and_then(|id| pagetide_diagnose::step_span(recording.recording(), id));
    if arguments.step.is_some() {
        recording.drop_marks();
    }
    let shown = if json && arguments.html.is_none() { Vec::new() } else { pagetide_view::metrics() };
    let stretch = step.unwrap_or_else(|| match &recording.recording().manifest.cut {
        // What is around it is there for the baseline.
        Some(cut) if part.is_none() => cut.span(recording.recording().stamps()),
        _ => Span::ALL,
    });
    let mut diagnosis = pagetide_diagnose::diagnose_within(&mut recording, &shown, stretch)?;
    diagnosis.damaged = damage.lines();
    let mut recording = recording.into_recording();
    let scenario = run.as_ref().map(|run| reports::scenario(&arguments.recording, run)).transpose()?.flatten();
    recordings::set_zone(&mut recording.manifest, arguments.utc);
    let steps = match &run {
        Some(_) if !json || arguments.html.is_some() => {
            pagetide_diagnose::diagnose_steps(&recordings::open(&arguments.recording)?, &recording)?
        }
        _ => Vec::new(),
    };
    let measured = measured::read(&arguments.recording, &diagnosis)?;
    let report = Report { scenario, run, diagnosis, steps, measured, recording };
    if let Some(file) = &arguments.html {
        reports::write_html(&report, file)?;
        output::say(&format!("wrote {}", file.display()));
    }
    if json {
        let cut_diagnosis = report.recording.manifest.cut_diagnosis.as_ref();
        output::print_json(&Diagnosed {
            diagnosis: &report.diagnosis,
            cut_diagnosis,
            log_entries: log_entries(&report.recording),
            measured: report.measured.as_ref(),
        })?;
    } else {
        reports::print_text(&report)?;
    }
    Ok(if report.diagnosis.damaged.is_empty() { Outcome::Done } else { Outcome::Failed })
}
