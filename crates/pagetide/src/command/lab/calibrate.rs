//! `pagetide lab calibrate`: what a disk can do, as a block for a scenario.

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::ProgressDisplay;
use pagetide_core::{Bytes, Error, Nanos};
use pagetide_lab::calibrate::{Calibrated, CalibrationRequest, calibrate};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

/// Measure what a disk can do, and print it as the `[[machine.disk]]` block of a scenario.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide lab calibrate /var/tmp                     two minutes, with a file of 1 GiB
  pagetide lab calibrate /srv/db --name db > disk.toml
  pagetide lab calibrate /dev/nvme1n1 --time 30s      a block device is only read

It reads and writes past the page cache (O_DIRECT), 1 to 32 requests at once, and slows other users
of the disk meanwhile. The file has no name, so nothing stays behind. A disk with burst credits shows its burst rate: measure for longer than the burst lasts.")]
pub(crate) struct Arguments {
    /// A folder on the disk, or a block device, which is only read.
    #[arg(value_name = "DISK")]
    place: PathBuf,
    /// The disk's name in the block.
    #[arg(long, default_value = "data", value_name = "NAME")]
    name: String,
    /// Size of the test file: larger than the disk's own cache, and at most half of the free space.
    #[arg(value_parser = Bytes::typed, long, default_value = "1GiB", value_name = "SIZE")]
    size: Bytes,
    /// How long to measure, not counting the time to write the file.
    #[arg(value_parser = Nanos::typed, long, default_value = "2min", value_name = "TIME")]
    time: Nanos,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let mut progress = ProgressDisplay::new(Interrupt::catch()?, false);
    let Arguments { place, name, size, time } = arguments;
    let request = CalibrationRequest { place: place.clone(), name: name.clone(), size: *size, time: *time };
    let found = calibrate(&request, &mut progress)?;
    drop(progress);
    if json {
        output::print_json(&json!({
            "disk": found.disk,
            "block": found.block(),
            "points": found.points,
            "notes": found.notes,
        }))?;
    } else {
        output::print(&text(&found))?;
    }
    Ok(Outcome::Done)
}

/// The block, with what was measured in comments.
fn text(found: &Calibrated) -> String {
    let mut text = String::from("#           requests  at once    a second    median       p99\n");
    for point in &found.points {
        // Writing to a text does not fail.
        let _ = writeln!(
            text,
            "# {:>14} {:>5} {:>7} {:>11.0} {:>9} {:>9}",
            point.work.name(),
            point.size,
            point.depth,
            point.per_second,
            point.median,
            point.p99
        );
    }
    for note in &found.notes {
        let _ = writeln!(text, "# {note}");
    }
    text + found.block().as_str()
}
