//! `pagetide record --status`: how the recording in a folder goes.

use super::answer::{STATUS, Status};
use super::listen;
use crate::command::Outcome;
use crate::output;
use pagetide_core::{Bytes, Error, Nanos};
use pagetide_store::{Reader, Usage};
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::time::Duration;

/// A recorder that does not answer in this time hangs.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn run(folder: &Path, json: bool) -> Result<Outcome, Error> {
    let usage = Usage::of(folder)?;
    let running = ask(folder)?;
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
                let manifest = Reader::open(folder)?.manifest().clone();
                format!(
                    "{}: nothing is being recorded here\nlast run  {} samples\n",
                    folder.display(),
                    manifest.samples
                )
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
    format!(
        "{}: recorded by process {} for {}, every {}\n\
         samples   {}, the last one {} ago; {} late, {} lost\n\
         written   {writes}\n\
         cost      {} of CPU ({per_sample} a sample), {} of memory (at most {})\n",
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

/// Asks the recorder of a folder; absent when there is none.
fn ask(folder: &Path) -> Result<Option<Status>, Error> {
    let failed = |error: &dyn std::fmt::Display| {
        Error::system(
            format!("{}: the recorder does not answer: {error}", folder.display()),
            "run this as the user that records, or as root",
        )
    };
    let mut stream = match listen::connect(folder) {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    let mut answer = String::new();
    let asked = stream.set_read_timeout(Some(PATIENCE)).and_then(|()| {
        write!(stream, "GET {STATUS} HTTP/1.1\r\nHost: recorder\r\n\r\n")?;
        stream.read_to_string(&mut answer)
    });
    asked.map_err(|error| failed(&error))?;
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let value: Value = serde_json::from_str(body).map_err(|error| failed(&error))?;
    serde_json::from_value(value).map(Some).map_err(|error| failed(&error))
}
