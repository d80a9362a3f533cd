//! A live trace for `evictions` and `mrc`: for a time or until Ctrl-C, with progress.

use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::ProgressDisplay;
use crate::recordings;
use pagetide_core::{Bytes, Error, Nanos, PageSample, Progress, Recording, Selection, Table};
use pagetide_kernel::{DiskStats, Root};
use pagetide_trace::{
    File, Method, Missing, Names, Options, Session, Summary, TABLES, WARMING_PARTS, read_tables, unnamed,
};
use std::collections::BTreeMap;
use std::path::Path;

/// How a live trace is made.
#[derive(Debug, clap::Args)]
pub(crate) struct TraceArguments {
    /// Trace for this long. Ctrl-C stops early and prints the result so far.
    #[arg(value_parser = Nanos::typed_interval, long = "for", value_name = "TIME", default_value = "10s", conflicts_with = "recording")]
    length: Nanos,
    /// Sample one page in N, a power of two.
    #[arg(long, value_name = "1/N", default_value = "1/64", conflicts_with = "recording")]
    sample: PageSample,
    /// Sample with tracefs filters, without bpf(2).
    #[arg(long, conflicts_with = "recording")]
    no_bpf: bool,
    /// Print inode numbers instead of file names.
    #[arg(long)]
    pub(crate) no_names: bool,
    /// For a recording: start here, as for `pagetide show`.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, requires = "recording")]
    from: Option<String>,
    /// For a recording: end here.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, requires = "recording")]
    to: Option<String>,
    /// Read --from and --to as UTC.
    #[arg(long, requires = "recording")]
    utc: bool,
}

/// What a trace found, and what files are called.
#[derive(Debug)]
pub(crate) struct Traced {
    pub(crate) summary: Summary,
    pub(crate) names: Names,
    pub(crate) missing: Vec<Missing>,
    /// The names of the disks, by their device numbers (`8:16`).
    pub(crate) disks: BTreeMap<String, String>,
    /// The size of a page of the host that was traced.
    page: Bytes,
    /// What the block devices read during the trace.
    pub(crate) reads: DeviceReads,
    /// When the trace was on, by the clock, if it was not on all the time.
    stretches: Vec<(String, String)>,
}

/// Reads of all block devices. Partitions and stacked devices are counted in addition to the disks below them, which does not change the
/// mean.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct DeviceReads {
    pub(crate) sectors: u64,
    /// Time of all requests, in milliseconds.
    pub(crate) time_ms: u64,
}

impl DeviceReads {
    /// Those of these disks since the host booted.
    fn of_disks(disks: &[DiskStats]) -> Self {
        let sum = |field| disks.iter().filter_map(|disk| disk.get(field)).sum();
        Self { sectors: sum("read_sectors"), time_ms: sum("read_ms") }
    }

    fn since(self, earlier: Self) -> Self {
        Self {
            sectors: self.sectors.saturating_sub(earlier.sectors),
            time_ms: self.time_ms.saturating_sub(earlier.time_ms),
        }
    }

    /// Those of a recording between two moments of its axis.
    fn of(recording: &Recording, from: i64, to: i64) -> Self {
        let grown = |metric| -> u64 {
            let disks =
                recording.entities(Table::Disk).filter_map(|(disk, _)| recording.series(Table::Disk, disk, metric));
            let grown = disks.map(|series| {
                let mut values = series.points().filter(|(at, _)| (from..=to).contains(at)).map(|(_, value)| value);
                let first = values.next();
                first
                    .zip(values.next_back())
                    .map_or(0, |(first, last)| last.saturating_sub(first).max(0).unsigned_abs())
            });
            grown.sum()
        };
        Self { sectors: grown("read_sectors"), time_ms: grown("read_ms") }
    }
}

impl Traced {
    /// A trace on pages of 4 KiB that found nothing, for tests.
    #[cfg(test)]
    pub(crate) fn empty() -> Self {
        let (page, reads) = (Bytes::new(4096), DeviceReads::default());
        Self {
            summary: Summary::default(),
            names: Names::new(),
            missing: Vec::new(),
            disks: BTreeMap::new(),
            page,
            reads,
            stretches: Vec::new(),
        }
    }

    /// What a file is called: its path, else its inode.
    pub(crate) fn name(&self, file: File) -> String {
        self.names.get(&file).cloned().flatten().unwrap_or_else(|| unnamed(file, &self.disk(&device_number(file))))
    }

    /// What the device with a number is called: the disk, else the number. File systems without a disk of their own (btrfs, overlay)
    /// have a number that no disk has.
    pub(crate) fn disk(&self, number: &str) -> String {
        self.disks.get(number).map_or(number, String::as_str).to_owned()
    }

    /// Bytes of a number of pages.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    pub(crate) fn bytes(&self, pages: f64) -> Bytes {
        Bytes::new((pages * self.page.as_f64()).round() as u64)
    }

    /// How long reading so many bytes from the devices took, at the mean of all their reads; absent when they read nothing.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    pub(crate) fn waiting(&self, bytes: u64) -> Option<Nanos> {
        const SECTOR: f64 = 512.0;
        let DeviceReads { sectors, time_ms } = self.reads;
        (sectors > 0).then(|| Nanos::new((bytes as f64 / (sectors as f64 * SECTOR) * time_ms as f64 * 1e6) as u64))
    }

    /// When the trace was on, when that is not all of the time: `13:02:11 to 13:02:54, 13:20:01 to 13:21:07`.
    pub(crate) fn stretches_text(&self) -> Option<String> {
        const SHOWN: usize = 4;
        let shown: Vec<String> =
            self.stretches.iter().take(SHOWN).map(|(from, to)| format!("{from} to {to}")).collect();
        let more = self.stretches.len().checked_sub(SHOWN).filter(|more| *more > 0);
        let more = more.map_or_else(String::new, |more| format!(" and {more} times more"));
        (!shown.is_empty()).then(|| format!("{}{more}", shown.join(", ")))
    }

    /// Says on stderr what cannot be known here, and whether records were lost.
    pub(crate) fn say_gaps(&self) {
        if let Some(stretches) = self.stretches_text() {
            output::say(&format!("the trace was on from {stretches}; nothing is known about other times"));
        }
        for Missing { why, lost, hint } in &self.missing {
            output::say(&format!("{why}; unknown: {lost}"));
            if !hint.is_empty() {
                output::say(&format!("  hint: {hint}"));
            }
        }
        let lost = self.summary.coverage.lost_records;
        if lost > 0 {
            output::say(&format!(
                "incomplete: the kernel dropped {lost} trace records because this process read them too slowly"
            ));
            output::say("  hint: take a smaller sample, such as --sample 1/1024");
        }
    }
}

/// Traces this host.
pub(crate) fn run(arguments: &TraceArguments) -> Result<Traced, Error> {
    let interrupt = Interrupt::catch()?;
    let method = if arguments.no_bpf { Method::Filters } else { Method::Auto };
    let before = DeviceReads::of_disks(&disks_now()?);
    let mut session = Session::start(Options { shift: arguments.sample.shift, method })?;
    let mut progress = ProgressDisplay::new(interrupt, false);
    progress.step(1, 1, "trace", "page cache events");
    let length = arguments.length.get();
    let mut warmed = None;
    loop {
        session.step()?;
        let gone = session.elapsed_ns();
        if warmed.is_none() && gone >= length / WARMING_PARTS.unsigned_abs() {
            warmed = Some(session.summary());
        }
        if gone >= length || progress.interrupted() {
            break;
        }
        let left = Nanos::new(length - gone);
        progress.update(Some(gone as f64 / length as f64), Some(left), "Ctrl-C stops it and prints the result");
    }
    drop(progress);
    session.finish()?;
    let mut summary = session.summary();
    summary.settle(&warmed.unwrap_or_default());
    let names = if arguments.no_names { Names::new() } else { session.names(summary.files()).clone() };
    let page = Bytes::new(rustix::param::page_size() as u64);
    let disks = disks_now()?;
    let reads = DeviceReads::of_disks(&disks).since(before);
    let disks = disks.into_iter().map(|disk| (format!("{}:{}", disk.major, disk.minor), disk.name)).collect();
    Ok(Traced { summary, names, missing: session.missing().to_vec(), disks, page, reads, stretches: Vec::new() })
}

fn disks_now() -> Result<Vec<DiskStats>, Error> {
    Root::host().diskstats().map_err(|error| Error::system(error.to_string(), ""))
}

/// The number of a file's device, as `/proc/self/mountinfo` writes it.
pub(crate) fn device_number(file: File) -> String {
    format!("{}:{}", file.major(), file.minor())
}

/// What a recording's trace found, or this host's now.
pub(crate) fn read_or_run(recording: Option<&Path>, arguments: &TraceArguments) -> Result<Traced, Error> {
    let Some(path) = recording else { return run(arguments) };
    let selection = Selection { tables: TABLES.into_iter().chain([Table::Disk]).collect(), ..Selection::default() };
    let recording = recordings::load(path, &selection)?;
    let clock = recordings::clock(&recording.manifest, arguments.utc);
    let (from, to) = recordings::range(&recording, &clock, arguments.from.as_deref(), arguments.to.as_deref())?;
    let within =
        || recording.stamps().iter().filter(|stamp| (from..=to).contains(&stamp.wall_ns)).map(|stamp| stamp.boot_ns);
    let (Some(first), Some(last)) = (within().min(), within().max()) else {
        return Err(Error::input("the recording has no sample in that time", "`pagetide show` prints its times"));
    };
    let traced = read_tables(&recording, first, last).filter(|(summary, _)| summary.coverage.time_ns > 0);
    let Some((summary, names)) = traced else {
        if recording.manifest.capabilities.iter().any(|known| known == "trace") {
            let hint = "choose another time, or record with --trace, which is on all the time: --trace=auto is on while tasks wait";
            return Err(Error::input(format!("{}: the trace was off in that time", path.display()), hint));
        }
        let hint = "record with `pagetide record --trace`, or leave the recording out to trace this host now";
        return Err(Error::input(format!("{}: recorded without --trace", path.display()), hint));
    };
    let gaps = recording.manifest.unreadable.iter().filter_map(|gap| {
        let lost = gap.source.strip_prefix("trace: ")?.to_owned();
        Some(Missing { why: gap.reason.clone(), lost, hint: String::new() })
    });
    let missing = gaps.collect();
    let names = if arguments.no_names { Names::new() } else { names };
    let reads = DeviceReads::of(&recording, first, last);
    let page = recording.manifest.page_size;
    let stretches = partial_stretches(&summary, &recording, first, last)
        .map(|(from, to)| {
            let local = |at| recording.wall_ns(at).map_or_else(|| "?".to_owned(), |wall| clock.time(wall));
            (local(from), local(to))
        })
        .collect();
    let disks = recording.manifest.disks.iter();
    let disks = disks.filter_map(|disk| Some((disk.device_number.clone()?, disk.name.clone()))).collect();
    Ok(Traced { summary, names, missing, disks, page, reads, stretches })
}

/// The stretches in which the trace was on, unless it was on nearly all of the time.
fn partial_stretches(summary: &Summary, recording: &Recording, from: i64, to: i64) -> impl Iterator<Item = (i64, i64)> {
    let slack = 3 * i64::try_from(recording.manifest.interval.get()).unwrap_or(i64::MAX / 3).max(1_000_000_000);
    let whole = matches!(summary.stretches.as_slice(), [(begins, ends)] if *begins <= from.saturating_add(slack) && *ends >= to.saturating_sub(slack));
    let stretches = if whole { Vec::new() } else { summary.stretches.clone() };
    stretches.into_iter()
}

/// How much was traced, for JSON.
pub(crate) fn coverage(traced: &Traced) -> serde_json::Value {
    let coverage = &traced.summary.coverage;
    serde_json::json!({
        "time_ns": coverage.time_ns,
        "sample": format!("1/{}", coverage.scale),
        "complete": coverage.lost_records == 0,
        "lost_records": coverage.lost_records,
        "stretches": traced.summary.stretches.iter().map(|(from, to)| serde_json::json!({"from_ns": from, "to_ns": to})).collect::<Vec<_>>(),
        "missing": traced.missing.iter().map(|missing| serde_json::json!({
            "why": missing.why, "unknown": missing.lost, "hint": missing.hint,
        })).collect::<Vec<_>>(),
    })
}
