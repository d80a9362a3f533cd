//! `pagetide record --status`: the state of the recording in a folder.

use crate::command::Outcome;
use crate::output;
use pagetide_core::{Bytes, Error, Nanos};
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
            let manifest = Reader::open(folder)?.manifest().clone();
            object["recording"] = json!(folder);
            object["samples"] = manifest.samples.into();
            object["late_samples"] = manifest.late_samples.into();
            object["lost_samples"] = manifest.lost_samples.into();
            object["cpu_ns"] = manifest.recorder_cpu.get().into();
        }
        output::print_json(&object)?;
    } else {
        let text = match &running {
            Some(status) => describe(status),
            None => {
                let samples = Reader::open(folder)?.manifest().samples;
                format!("{}: no recorder runs here\nlast run  {samples} samples\n", folder.display())
            }
        };
        output::print(&format!(
            "{text}on disk   {} in {} sealed and {} open segments\n",
            usage.size, usage.sealed, usage.open
        ))?;
    }
    Ok(if running.is_some() { Outcome::Done } else { Outcome::Failed })
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
         samples   {}, the last one {} ago; {} late, {} lost\n\
         written   {writes}\n\
         cost      {} of CPU ({per_sample} per sample), {} of memory (at most {})\n{blind}",
        status.recording.display(),
        status.pid,
        Nanos::new(status.running_ns),
        Nanos::new(status.interval_ns),
        status.samples,
        Nanos::new(status.last_sample_age_ns),
        status.late_samples,
        status.lost_samples,
        Nanos::new(status.cpu_ns),
        memory(status.resident_bytes),
        memory(status.peak_resident_bytes),
    )
}
