//! `pagetide record --status`: the state of the recording in a folder.

use crate::command::Outcome;
use crate::output;
use pagetide_core::{Bytes, Error, Nanos, Selection, Source};
use pagetide_service::Status;
use pagetide_store::{Reader, Usage};
use serde_json::json;
use std::path::Path;

pub(super) fn run(folder: &Path, json: bool) -> Result<Outcome, Error> {
    let usage = Usage::of(folder)?;
    let running = pagetide_service::query(folder)?;
    if json {
        let mut object = running.as_ref().map_or_else(|| json!({}), |status| json!(status));
        object["running"] = running.is_some().into();
        object["sealed_segments"] = usage.sealed.into();
        object["open_segments"] = usage.open.into();
        object["disk_bytes"] = usage.size.get().into();
        if running.is_none() {
            let reader = Reader::open(folder)?;
            let manifest = reader.manifest();
            object["recording"] = folder.display().to_string().into();
            let last = last_run(&reader)?;
            object["samples"] = last.samples.into();
            let finished = last.day.is_none();
            object["finished"] = finished.into();
            // A recorder that could not finish could not write these either.
            let known = |count: u64| finished.then_some(count);
            object["late_samples"] = known(manifest.late_samples).into();
            object["missed_samples"] = known(manifest.missed_samples).into();
            object["lost_samples"] = known(manifest.lost_samples).into();
            object["cpu_ns"] = known(manifest.recorder_cpu.get()).into();
        }
        output::print_json(&object)?;
    } else {
        let text = match &running {
            Some(status) => describe(status),
            None => {
                let LastRun { samples, day } = last_run(&Reader::open(folder)?)?;
                let what = match day {
                    None => format!("{samples} samples"),
                    Some(day) => format!("was killed or had no room; {samples} samples of {day} (UTC) are there"),
                };
                format!("{}: no recorder runs here\nlast run  {what}\n", folder.display())
            }
        };
        output::print(&format!(
            "{text}on disk   {} in {} sealed and {} open segments\n",
            usage.size, usage.sealed, usage.open
        ))?;
    }
    Ok(if running.is_some() { Outcome::Done } else { Outcome::Failed })
}

/// What the last recorder of a folder left.
struct LastRun {
    samples: u64,
    /// The day that these samples are of, where the recorder could not write how many it took: it was killed, or had no room.
    day: Option<String>,
}

fn last_run(reader: &Reader) -> Result<LastRun, Error> {
    let known = LastRun { samples: reader.manifest().samples, day: None };
    if known.samples > 0 {
        return Ok(known);
    }
    // All samples of a year would take a gigabyte.
    let Some(last) = reader.days()?.pop() else { return Ok(known) };
    let samples = reader.of_day(&last.date).times(&Selection::default())?.stamps().len() as u64;
    Ok(LastRun { samples, day: (samples > 0).then_some(last.date) })
}

fn describe(status: &Status) -> String {
    let per_sample = Nanos::new(status.cpu_ns / status.samples.max(1));
    let memory = |bytes: Option<u64>| bytes.map_or_else(|| "-".to_owned(), |bytes| Bytes::new(bytes).to_string());
    let writes = match &status.refused {
        None => "yes".to_owned(),
        Some(why) => format!("no: {why}; {} wait in memory", status.waiting),
    };
    let blind: String = status.blind.iter().map(|line| format!("blind     {line}\n")).collect();
    format!(
        "{}: process {} has recorded for {}, every {}\n\
         samples   {}, the last one {} ago; {} late, {} not taken, {} lost\n\
         written   {writes}\n\
         cost      {} of CPU ({per_sample} per sample), {} of memory (at most {})\n{blind}",
        status.recording,
        status.pid,
        Nanos::new(status.running_ns),
        Nanos::new(status.interval_ns),
        status.samples,
        Nanos::new(status.last_sample_age_ns),
        status.late_samples,
        status.missed_samples,
        status.lost_samples,
        Nanos::new(status.cpu_ns),
        memory(status.resident_bytes),
        memory(status.peak_resident_bytes),
    )
}
