//! `pagetide cut`: a stretch of a recording as one file, to give to another user.

use super::Outcome;
use crate::{output, recordings};
use pagetide_core::{CutDiagnosis, Error, Quantity, Selection, Source, printable};
use pagetide_store::cut;
use serde::Serialize;
use std::path::PathBuf;

/// Write a stretch of a recording into one file, which every command that takes a recording opens.
///
/// The file holds the numbers of that stretch and the diagnosis as text. Whoever opens it computes the diagnosis and the page anew from the
/// numbers: nothing in the file is run or followed.
/// With --redact the names of hosts, processes, groups, disks and mounts are replaced, each by the same pseudonym throughout the file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide cut rec --from 12:20 --to 12:40 -o incident.pagetide
  pagetide cut rec --from -10min -o incident.pagetide --redact      without the names of this host
  pagetide diagnose incident.pagetide --html incident.html          what the receiver does")]
pub(crate) struct Arguments {
    /// The recording: its folder, or a run's folder.
    recording: PathBuf,
    /// Start here: `12:20`, `12:20:30`, `2026-11-21T12:20:30`, or `-10min` before the end.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    from: Option<String>,
    /// End here.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    to: Option<String>,
    /// Read times in UTC, not in the time zone of the recorded host.
    #[arg(long)]
    utc: bool,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Replace the file if it is there.
    #[arg(long)]
    force: bool,
    /// Replace names by pseudonyms, and leave out notes, labels, traces and fields that pagetide does not know.
    #[arg(long)]
    redact: bool,
}

#[derive(Serialize)]
struct Written {
    file: String,
    bytes: usize,
    samples: usize,
    redacted: bool,
    /// What the file still tells of the host.
    remains: Vec<&'static str>,
    /// What the rules make of it.
    summary: String,
    /// What of the recording could not be read.
    damaged: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let file = &arguments.out;
    if !arguments.force && file.symlink_metadata().is_ok() {
        return Err(Error::input(
            format!("{}: is there already", file.display()),
            "--force replaces it, or name another file with -o",
        ));
    }
    let reader = recordings::open(&arguments.recording)?;
    let times = reader.times(&Selection::default())?;
    let clock = recordings::clock(&times.manifest, arguments.utc);
    let (from, to) = recordings::range(&times, &clock, arguments.from.as_deref(), arguments.to.as_deref())?;
    let part = Selection { from_wall_ns: Some(from), to_wall_ns: Some(to), ..Selection::default() };
    let mut recording = reader.load(&part)?;
    if arguments.redact {
        recording = cut::redact(&recording);
    }
    // Of what the file has: with pseudonyms, too.
    let diagnosis = pagetide_diagnose::diagnose(&recording);
    recording.manifest.cut_diagnosis = Some(CutDiagnosis::new(&diagnosis, env!("CARGO_PKG_VERSION")));
    let content = cut::write(&recording)?;
    pagetide_dir::write_file(file, &content).map_err(|error| {
        Error::system(format!("{}: {error}", file.display()), "name a new file in a folder that can be written")
    })?;
    let damaged = reader.damage().lines();
    let written = Written {
        file: file.display().to_string(),
        bytes: content.len(),
        samples: recording.stamps().len(),
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
        for line in &written.remains {
            output::print(&format!("still in the file: {line}\n"))?;
        }
        for line in &written.damaged {
            output::print(&format!("damaged: {}\n", printable(line)))?;
        }
    }
    Ok(if written.damaged.is_empty() { Outcome::Done } else { Outcome::Failed })
}
