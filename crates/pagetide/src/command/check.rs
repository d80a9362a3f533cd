//! `pagetide check`: reads a whole recording and lists what is damaged.

use super::Outcome;
use crate::{output, recordings};
use pagetide_core::{Error, LocalClock, MarkKind, Recording, Selection, Source, Table};
use pagetide_store::{CLOCK_WENT_BACK, Usage};
use serde_json::json;
use std::path::PathBuf;

/// Verify every file of a recording against its checksum, and list what is damaged and which samples are lost.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide check rec
  pagetide check rec --json

Exit code 1 if anything is damaged.")]
pub(crate) struct Arguments {
    /// The folder of a recording or of a run.
    recording: PathBuf,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let reader = recordings::open(&arguments.recording)?;
    let mut samples = 0;
    let mut went_back = Vec::new();
    // A table at a time: no more of a long recording is in memory.
    for table in Table::ALL {
        let selection = Selection { tables: vec![table], ..Selection::default() };
        let recording = reader.load(&selection)?;
        samples = samples.max(recording.stamps().len());
        went_back = clock_went_back(&recording);
    }
    let mut damaged = reader.damage().lines();
    let Usage { sealed, open, size } = Usage::of(reader.folder())?;
    if (sealed, open) == (0, 0) {
        damaged.push("it has no segment: nothing was recorded, or somebody removed it".to_owned());
    }
    let cut = reader.manifest().cut;
    if json {
        output::print_json(&json!({
            "recording": arguments.recording.display().to_string(), "samples": samples, "sealed_segments": sealed, "open_segments": open,
            "disk_bytes": size.get(), "damaged": damaged, "clock_went_back_wall_ns": went_back,
            "context_samples": cut.map(|cut| cut.context_samples),
        }))?;
    } else {
        let context = cut.map(|cut| cut.context_samples).filter(|context| *context > 0);
        let context = context.map_or(String::new(), |context| format!(" ({context} of them context around the cut)"));
        let segments = format!("{sealed} sealed and {open} open segments, {size}");
        let samples = output::samples(samples);
        let lines = match damaged.len() {
            0 => format!("{}: whole ({samples}{context} in {segments})\n", arguments.recording.display()),
            count => {
                let lines: String = damaged.iter().map(|line| format!("  {line}\n")).collect();
                // The size is that of what is there: how much of a damaged file can be read, nobody knows.
                let what = format!("{samples}{context} can be read, of {segments} on disk");
                format!("{}: {count} damaged ({what})\n{lines}", arguments.recording.display())
            }
        };
        let clock = LocalClock::of(reader.manifest()).unwrap_or_else(LocalClock::utc);
        let text = CLOCK_WENT_BACK.trim_start_matches("store: ");
        let notes: String = went_back.iter().map(|at| format!("  {}: {text}\n", clock.date_time(*at))).collect();
        output::print(&format!("{lines}{notes}"))?;
    }
    Ok(if damaged.is_empty() { Outcome::Done } else { Outcome::Failed })
}

/// When the boot clock went back, ns of the wall clock. Nothing is damaged by that, and no sample is left out.
fn clock_went_back(recording: &Recording) -> Vec<i64> {
    let marks = recording.marks.iter();
    let notes = marks.filter(|mark| matches!(&mark.kind, MarkKind::Note { text } if text == CLOCK_WENT_BACK));
    notes.map(|mark| mark.stamp.wall_ns).collect()
}
