//! `pagetide cut`: a stretch of a recording as one file, to give to another user.

mod context;

use super::Outcome;
use crate::{output, recordings, reports};
use pagetide_core::{CutDiagnosis, Error, Selection, Source, printable};
use pagetide_store::cut;
use serde::Serialize;
use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};

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
  ssh web1 pagetide cut /var/lib/pagetide --from -1h -o - > web1.pagetide
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
    /// The file to write, or - for stdout; what is said of the file then goes to stderr.
    #[arg(short, long, value_name = "FILE")]
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
    /// Columns that a redacted file lacks, because pagetide does not know them.
    columns_left_out: usize,
    /// What the file still says about the host.
    remains: Vec<&'static str>,
    /// What the rules make of it.
    summary: String,
    /// What could not be read from the recording.
    damaged: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let file = &arguments.out;
    let streams = file == Path::new("-");
    if streams && (json || stdout().is_terminal()) {
        let what = if json { "--json prints to stdout, too" } else { "stdout is a terminal" };
        return Err(Error::input(format!("-o -: {what}"), "name a file, or redirect stdout: -o - > FILE"));
    }
    if !streams && !arguments.force && file.symlink_metadata().is_ok() {
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
    let mut columns_left_out = 0;
    if arguments.redact {
        let redacted = cut::redact(&recording);
        (recording, columns_left_out) = (redacted.recording, redacted.columns_left_out);
    }
    let content = recording.manifest.cut.unwrap_or_default();
    // Diagnoses the content of the file, which may have pseudonyms.
    let diagnosis = pagetide_diagnose::diagnose_stretch(&recording, content.span(recording.stamps()));
    recording.manifest.cut_diagnosis = Some(CutDiagnosis::new(&diagnosis, env!("CARGO_PKG_VERSION")));
    let damaged = reader.damage().lines();
    recording.manifest.damaged = match damaged.len() {
        // Their paths have names.
        count @ 1.. if arguments.redact => vec![format!("{count} of the recording's files")],
        _ => damaged.clone(),
    };
    let bytes = cut::write(&recording)?;
    if streams {
        output::print_bytes(&bytes)?;
    } else {
        reports::write_file(file, &bytes)?;
    }
    let written = Written {
        file: file.display().to_string(),
        bytes: bytes.len(),
        samples: recording.stamps().len(),
        context_samples: content.context_samples,
        redacted: arguments.redact,
        columns_left_out,
        remains: if arguments.redact { cut::REMAINS.to_vec() } else { Vec::new() },
        summary: diagnosis.summary,
        damaged,
    };
    if json {
        output::print_json(&written)?;
    } else {
        let lines = lines(&written);
        if streams {
            lines.iter().for_each(|line| output::say(line));
        } else {
            output::print(&lines.iter().flat_map(|line| [line, "\n"]).collect::<String>())?;
        }
    }
    Ok(if written.damaged.is_empty() { Outcome::Done } else { Outcome::Failed })
}

/// What is said of the file, in lines.
fn lines(written: &Written) -> Vec<String> {
    let samples = output::samples(written.samples);
    let bytes = pagetide_core::Bytes::new(written.bytes as u64);
    let file = if written.file == "-" { "stdout" } else { &written.file };
    let mut lines =
        vec![format!("{}: {samples}, {bytes}", printable(file)), format!("diagnosis: {}", printable(&written.summary))];
    if written.context_samples > 0 {
        lines.push(format!(
            "context: {} of the samples are from before or after the range; the diagnosis takes its baseline from them",
            written.context_samples
        ));
    }
    lines.extend(written.remains.iter().map(|line| format!("still in the file: {line}")));
    match written.columns_left_out {
        0 => {}
        1 => lines.push("left out: the numbers of 1 column that pagetide does not know".to_owned()),
        many => lines.push(format!("left out: the numbers of {many} columns that pagetide does not know")),
    }
    lines.extend(written.damaged.iter().map(|line| format!("damaged: {}", printable(line))));
    lines
}
