//! `pagetide check`: reads all of a recording and names what is damaged.

use super::Outcome;
use crate::{output, recordings};
use pagetide_core::{Error, Selection, Source, Table};
use pagetide_store::Usage;
use serde_json::json;
use std::path::PathBuf;

/// Verify a recording: read every file of it against its checksum, and name what is damaged and what that costs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide check rec
  pagetide check rec --json

Exit code 1 when something is damaged.")]
pub(crate) struct Arguments {
    /// The folder of a recording or of a run.
    recording: PathBuf,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let reader = recordings::open(&arguments.recording)?;
    let mut samples = 0;
    // A table at a time: no more of a long recording is in memory.
    for table in Table::ALL {
        let selection = Selection { tables: vec![table], ..Selection::default() };
        samples = samples.max(reader.load(&selection)?.stamps().len());
    }
    let damaged = reader.damage().lines();
    let Usage { sealed, open, size } = Usage::of(reader.folder())?;
    if json {
        output::print_json(&json!({
            "recording": arguments.recording, "samples": samples, "sealed_segments": sealed, "open_segments": open,
            "disk_bytes": size.get(), "damaged": damaged,
        }))?;
    } else {
        let what = format!("{samples} samples in {sealed} sealed and {open} open segments, {size}");
        let lines = match damaged.len() {
            0 => format!("{}: whole ({what})\n", arguments.recording.display()),
            count => {
                let lines: String = damaged.iter().map(|line| format!("  {line}\n")).collect();
                format!("{}: {count} damaged ({what} can be read)\n{lines}", arguments.recording.display())
            }
        };
        output::print(&lines)?;
    }
    Ok(if damaged.is_empty() { Outcome::Done } else { Outcome::Failed })
}
