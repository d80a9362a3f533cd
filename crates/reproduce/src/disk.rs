//! What a disk can do, by what it did.

use crate::guess::Guess;
use crate::stretch::Stretch;
use pagetide_core::{Recording, Table};

/// Bytes of a sector of `/proc/diskstats`.
pub(crate) const SECTOR: f64 = 512.0;
/// Requests of an interval from which their time is a mean.
const ENOUGH: f64 = 5.0;
/// Intervals that say what a device does.
const FEW: usize = 3;
/// A device that is busy for this share of an interval, with more than [`QUEUED`] requests, is at its limit.
const BUSY: f64 = 0.95;
const QUEUED: f64 = 1.5;
/// Requests of this size on average are limited by bandwidth.
const LARGE: f64 = 64.0 * 1024.0;

/// A disk as the machine of the scenario has it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DiskModel {
    pub(crate) name: String,
    /// Time of one request, ns.
    pub(crate) latency: f64,
    /// Time of a flush of its cache, ns; none where nobody asked for one.
    pub(crate) flush: Option<f64>,
    pub(crate) iops: Option<f64>,
    pub(crate) bandwidth: Option<f64>,
    /// Requests in it while it did as many as it can.
    pub(crate) depth: Option<f64>,
    /// Whether it was at its limit in the recording.
    pub(crate) is_limit_measured: bool,
    /// Bytes that files are read ahead.
    pub(crate) read_ahead: Option<f64>,
}

/// One interval of a disk.
struct Interval {
    requests: f64,
    bytes: f64,
    wait: f64,
    busy: f64,
    depth: f64,
    flushes: f64,
    flush_wait: f64,
    /// Whether it ends before the incident.
    is_calm: bool,
}

/// The disks that did something in the stretch: those that lie on no other device.
pub(crate) fn used(stretch: &Stretch<'_>) -> Vec<String> {
    let recording = stretch.recording;
    let lies_on_another =
        |name: &str| recording.manifest.disks.iter().any(|disk| disk.name == name && !disk.below.is_empty());
    let names = recording.entities(Table::Disk).map(|(name, _)| name.to_owned());
    let of_disk = |name: &str, metric| stretch.rate(Table::Disk, name, metric).unwrap_or(0.0);
    let mut busy: Vec<(f64, String)> = names
        .filter(|name| !lies_on_another(name) && !name.starts_with("loop") && !name.starts_with("zram"))
        .map(|name| (of_disk(&name, "read_sectors") + of_disk(&name, "write_sectors"), name))
        .filter(|(sectors, _)| *sectors > 0.0)
        .collect();
    busy.sort_by(|one, other| other.0.total_cmp(&one.0));
    // What moves less than a hundredth of all bytes has no part in it.
    let all: f64 = busy.iter().map(|(sectors, _)| sectors).sum();
    busy.into_iter().filter(|(sectors, _)| *sectors >= all / 100.0).map(|(_, name)| name).collect()
}

/// What a disk can do, by its intervals up to the end of the incident, which begins at `onset`. What no interval shows is a guess.
pub(crate) fn model(stretch: &Stretch<'_>, onset: i64, name: &str, guesses: &mut Vec<Guess>) -> DiskModel {
    let intervals = intervals(stretch, onset, name);
    // A request that does not queue takes what the device takes, which differs from moment to moment.
    let mean = |of: &[&Interval]| {
        let sum = |part: fn(&Interval) -> f64| of.iter().map(|one| part(one)).sum::<f64>();
        let requests = sum(|one| one.requests);
        (requests > 0.0).then(|| sum(|one| one.wait) / requests)
    };
    let mut alone: Vec<&Interval> =
        intervals.iter().filter(|one| one.depth <= QUEUED && one.requests >= ENOUGH).collect();
    // Before the incident nothing else delays it.
    if alone.iter().filter(|one| one.is_calm).count() >= FEW {
        alone.retain(|one| one.is_calm);
    }
    let flushed = |one: &Interval| (one.flushes > 0.0).then(|| one.flush_wait / one.flushes);
    let mut flushes: Vec<f64> = intervals.iter().filter_map(flushed).collect();
    flushes.sort_by(f64::total_cmp);
    let least = |all: &[f64]| all.get(all.len() / 4).copied();
    let latency = mean(&alone).unwrap_or_else(|| {
        let latency = mean(&intervals.iter().collect::<Vec<_>>()).unwrap_or(100_000.0);
        guesses.push(Guess::new(
            format!("a request of {name} takes {:.0} us on its own", latency / 1e3),
            "no interval of the recording has requests that did not queue: the mean of all",
        ));
        latency
    });
    let full: Vec<&Interval> =
        intervals.iter().filter(|one| one.busy >= BUSY && one.depth > QUEUED && one.requests >= ENOUGH).collect();
    let sum = |of: fn(&Interval) -> f64| full.iter().map(|one| of(one)).sum::<f64>();
    let median = |of: fn(&Interval) -> f64| {
        let mut all: Vec<f64> = full.iter().map(|one| of(one)).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied()
    };
    let (mut iops, mut bandwidth) = (None, None);
    if full.len() >= FEW {
        if sum(|one| one.bytes) / sum(|one| one.requests) >= LARGE {
            bandwidth = median(|one| one.bytes);
        } else {
            iops = median(|one| one.requests);
        }
    } else if !intervals.is_empty() {
        let most = intervals.iter().map(|one| one.bytes).fold(0.0, f64::max);
        bandwidth = Some((most * 2.0).max(1e6));
        guesses.push(Guess::new(
            format!("{name} can move {:.0} MB/s", (most * 2.0).max(1e6) / 1e6),
            "it never was at a limit: twice the most that it moved",
        ));
    }
    let told = stretch.recording.manifest.disks.iter().find(|disk| disk.name == name);
    let told = told.and_then(|disk| disk.read_ahead).map(|size| size.as_f64()).filter(|size| *size > 0.0);
    // Readahead ends with the file.
    let size = |part: f64, whole: f64| if whole >= ENOUGH { part / whole } else { f64::MAX };
    let rate = |metric| stretch.rate(Table::Disk, name, metric).unwrap_or(0.0);
    let seen = size(rate("read_sectors") * SECTOR, rate("reads"));
    let read_ahead = told.map(|told| {
        if seen > 0.7 * told {
            return told;
        }
        let shorter = (seen / 4096.0).ceil().max(1.0) * 4096.0;
        guesses.push(Guess::new(
            format!("files of {name} are read ahead by {:.0} KiB", shorter / 1024.0),
            format!(
                "its reads have this size, and its readahead is {:.0} KiB: files are small, or read at random",
                told / 1024.0
            ),
        ));
        shorter
    });
    DiskModel {
        name: name.to_owned(),
        latency: latency.clamp(1_000.0, 1e9),
        // A flush waits for what came before it: in the shortest ones that is little.
        flush: least(&flushes).map(|flush| flush.clamp(0.0, 1e10)),
        depth: median(|one| one.depth).filter(|_| iops.is_some()),
        iops: iops.map(|iops| iops.max(1.0)),
        bandwidth: bandwidth.map(|bytes| bytes.max(4096.0)),
        is_limit_measured: full.len() >= FEW,
        read_ahead,
    }
}

/// The intervals of a disk, per second.
fn intervals(stretch: &Stretch<'_>, onset: i64, name: &str) -> Vec<Interval> {
    let one = |part: &Stretch<'_>| {
        let rate = |metric| part.rate(Table::Disk, name, metric);
        let requests = rate("reads")? + rate("writes")?;
        Some(Interval {
            requests,
            bytes: (rate("read_sectors")? + rate("write_sectors")?) * SECTOR,
            // The kernel counts the time of a flush to the write that asked for it as well.
            wait: (rate("read_ms")? + rate("write_ms")? - rate("flush_ms").unwrap_or(0.0)).max(0.0) * 1e6,
            busy: rate("io_ms")? / 1e3,
            depth: (rate("weighted_io_ms").unwrap_or(0.0) - rate("flush_ms").unwrap_or(0.0))
                / rate("io_ms").unwrap_or(0.0).max(1e-9),
            is_calm: part.to <= onset,
            flushes: rate("flushes").unwrap_or(0.0),
            flush_wait: rate("flush_ms").unwrap_or(0.0) * 1e6,
        })
    };
    stretch.intervals().iter().filter_map(one).collect()
}

/// Bytes of a request of a disk on average, in a stretch; reads only.
pub(crate) fn read_size(stretch: &Stretch<'_>, recording: &Recording) -> Option<f64> {
    let of = |metric: &str| -> f64 {
        let disks = recording.entities(Table::Disk);
        disks.filter_map(|(disk, _)| stretch.rate(Table::Disk, disk, metric)).sum()
    };
    let reads = of("reads");
    (reads > 0.0).then(|| of("read_sectors") * SECTOR / reads)
}
