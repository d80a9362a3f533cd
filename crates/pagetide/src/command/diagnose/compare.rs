//! `pagetide diagnose --compare`: whether a change helped, by two ranges of a recording or by two recordings.

use super::arguments::Arguments;
use crate::command::Outcome;
use crate::{output, recordings, reports};
use pagetide_core::{Error, LazyRecording, LocalClock, Recording, Table};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A range of time in a recording, ns since 1970-01-01 UTC.
struct Part {
    recording: PathBuf,
    range: Option<(i64, i64)>,
}

pub(super) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let (before, after) = match arguments.compare.as_slice() {
        [after] => (Part { recording: arguments.recording.clone(), range: None }, part(arguments, after)?),
        [before, after] => (part(arguments, before)?, part(arguments, after)?),
        _ => {
            return Err(Error::input(
                "--compare takes one or two parts",
                "for example `--compare 12:00..12:30 13:00..13:30`",
            ));
        }
    };
    let (before, mut after) = (load(&before)?, load(&after)?);
    if let Some(samples) = shared(&before, &after) {
        return Err(Error::input(
            format!("--compare: the two ranges have {samples} samples in common"),
            "name two ranges that do not overlap, for example `--compare 12:00..12:30 13:00..13:30`",
        ));
    }
    let comparison = pagetide_diagnose::compare(&before, &after);
    if json {
        output::print_json(&comparison)?;
    } else {
        recordings::set_zone(&mut after.manifest, arguments.utc);
        let clock = LocalClock::of(&after.manifest).unwrap_or_else(LocalClock::utc);
        reports::print_page(&pagetide_view::range_comparison(&comparison, &clock))?;
    }
    Ok(Outcome::Done)
}

/// The number of samples that two ranges of one host have in common; absent when none. What contains a range cannot show what differs from it.
fn shared(before: &Recording, after: &Recording) -> Option<usize> {
    let host = |recording: &Recording| (recording.manifest.host.clone(), recording.manifest.boot_id.clone());
    let known: BTreeSet<i64> = before.stamps().iter().map(|stamp| stamp.wall_ns).collect();
    let both = after.stamps().iter().filter(|stamp| known.contains(&stamp.wall_ns)).count();
    // One sample may end the first range and begin the second.
    (host(before) == host(after) && both > 1).then_some(both)
}

/// A part by its name: another recording, or `FROM..TO` in the given one, where either end may be left out.
fn part(arguments: &Arguments, name: &str) -> Result<Part, Error> {
    let name = name.trim_start();
    if Path::new(name).exists() {
        return Ok(Part { recording: PathBuf::from(name), range: None });
    }
    let Some((from, to)) = name.split_once("..") else {
        let hint = "for a range write FROM..TO, for example `12:00..12:30`; for a recording, its folder";
        return Err(Error::input(format!("--compare `{name}`: neither a range nor a recording"), hint));
    };
    let recording = recordings::times(&arguments.recording)?;
    let clock = recordings::clock(&recording.manifest, arguments.utc);
    let [from, to] = [from, to].map(|end| Some(end).filter(|end| !end.is_empty()));
    let range = recordings::range(&recording, &clock, from, to)?;
    Ok(Part { recording: arguments.recording.clone(), range: Some(range) })
}

fn load(part: &Part) -> Result<Recording, Error> {
    let (from_wall_ns, to_wall_ns) = part.range.unzip();
    let mut recording = LazyRecording::open(recordings::open(&part.recording)?, from_wall_ns, to_wall_ns)?;
    let tables = [Table::Host, Table::Cpu, Table::Disk, Table::Cgroup, Table::Process];
    recording.columns(&tables, &pagetide_diagnose::compared_metrics())?;
    Ok(recording.into_recording())
}
