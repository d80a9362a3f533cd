//! `pagetide cut`: a stretch of a recording as one file, to give to another user.

mod context;

use super::Outcome;
use crate::{output, recordings, reports};
use pagetide_core::{CutDiagnosis, Error, Quantity, Selection, Source, printable};
use pagetide_store::cut;
use serde::Serialize;
use std::path::PathBuf;

/// Write a time range of a recording to one file, which every command that takes a recording can open.
///
/// The file contains the samples of that range, and the diagnosis as text. Whoever opens it sees a diagnosis and a page computed
/// from the samples; nothing in the file is executed. If the diagnosis needs a baseline from before the range, those samples are
/// in the file too, marked as context.
///
/// With --redact, pseudonyms replace the names of hosts, processes, groups, disks and mounts. A name keeps its pseudonym throughout the file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide cut rec --from 12:20 --to 12:40 -o incident.pagetide
  pagetide cut rec --from -10min -o incident.pagetide --redact      without the names of this host
  pagetide diagnose incident.pagetide --html incident.html          on the receiver's side")]
pub(crate) struct Arguments {
    /// The recording: its folder, or a run's folder.
    recording: PathBuf,
    /// Start of the range: `12:20`, `12:20:30`, `2026-11-21T12:20:30`, or `-10min` before the end.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    from: Option<String>,
    /// End of the range.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    to: Option<String>,
    /// Read times as UTC, not in the time zone of the recorded host.
    #[arg(long)]
    utc: bool,
    /// The file to write.
    #[arg(short, long, value_name = "FILE", value_parser = reports::new_file())]
    out: PathBuf,
    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,
    /// Replace names with pseudonyms, and drop notes, labels and fields that pagetide does not know.
    #[arg(long)]
    redact: bool,
}

#[derive(Serialize)]
struct Written {
    file: String,
    bytes: usize,
    samples: usize,
    /// Those of them around the stretch that was asked for.
    context_samples: u64,
    redacted: bool,
    /// What the file still says about the host.
    remains: Vec<&'static str>,
    /// What the rules make of it.
    summary: String,
    /// What could not be read from the recording.
    damaged: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let file = &arguments.out;
    if !arguments.force && file.symlink_metadata().is_ok() {
        return Err(Error::input(
            format!("{}: already exists", file.display()),
            "--force overwrites it; or name another file with -o",
        ));
    }
    let reader = recordings::open(&arguments.recording)?;
    let times = reader.times(&Selection::default())?;
    let clock = recordings::clock(&times.manifest, arguments.utc);
    let (from, to) = recordings::range(&times, &clock, arguments.from.as_deref(), arguments.to.as_deref())?;
    let mut recording = context::around(&reader, &times, (from, to))?;
    if arguments.redact {
        recording = cut::redact(&recording);
    }
    let content = recording.manifest.cut.unwrap_or_default();
    // Diagnoses the content of the file, which may have pseudonyms.
    let diagnosis = pagetide_diagnose::diagnose_stretch(&recording, content.span(recording.stamps()));
    recording.manifest.cut_diagnosis = Some(CutDiagnosis::new(&diagnosis, env!("CARGO_PKG_VERSION")));
    let bytes = cut::write(&recording)?;
    pagetide_dir::write_file(file, &bytes).map_err(|error| {
        Error::system(format!("{}: {error}", file.display()), "name a new file in a writable folder")
    })?;
    let damaged = reader.damage().lines();
    let written = Written {
        file: file.display().to_string(),
        bytes: bytes.len(),
        samples: recording.stamps().len(),
        context_samples: content.context_samples,
        redacted: arguments.redact,
        remains: if arguments.redact { cut::REMAINS.to_vec() } else { Vec::new() },
        summary: diagnosis.summary,
        damaged,
    };
    if json {
        output::print_json(&written)?;
    } else {
        let samples = Quantity::count(written.samples as f64);
        let bytes = pagetide_core::Bytes::new(written.bytes as u64);
        output::print(&format!("{}: {samples} samples, {bytes}\n", printable(&written.file)))?;
        output::print(&format!("diagnosis: {}\n", printable(&written.summary)))?;
        if written.context_samples > 0 {
            output::print(&format!(
                "context: {} of the samples are from before or after the range; the diagnosis takes its baseline from them\n",
                written.context_samples
            ))?;
        }
        for line in &written.remains {
            output::print(&format!("still in the file: {line}\n"))?;
        }
        for line in &written.damaged {
            output::print(&format!("damaged: {}\n", printable(line)))?;
        }
    }
    Ok(if written.damaged.is_empty() { Outcome::Done } else { Outcome::Failed })
}
