//! What a disk can do, by what it did.

use super::group;
use super::stretch::{PAGE, Stretch};
use crate::guess::{Factors, Guess, Knob};
use pagetide_core::Table;

/// Bytes of a sector of `/proc/diskstats`.
pub(crate) const SECTOR: f64 = 512.0;
/// Requests of an interval from which their time is a mean.
const MIN_REQUESTS: f64 = 5.0;
/// Intervals that say what a device does.
const MIN_INTERVALS: usize = 3;
/// A device that is busy for this share of an interval, with more than [`MAX_DEPTH_ALONE`] requests, is at its limit.
const BUSY_AT_LIMIT: f64 = 0.95;
const MAX_DEPTH_ALONE: f64 = 1.5;
/// A disk is slower than before if it takes so many times as long, or does at most one by this of what it did, and nobody asks it for more
/// than this many times what they asked before.
const SLOWER_BY: f64 = 2.0;
const FEWER_BY: f64 = 1.3;
/// It does as much as before within this factor.
const AS_MUCH: f64 = 1.15;
/// A disk that is often busy, and whose requests take [`SLOWER_BY`] times what they take on their own, is at a limit if it does as many
/// requests, or bytes, in most intervals: within this share, and one request.
const MIN_BUSY_NEAR_LIMIT: f64 = 0.7;
const STEADY_WITHIN: f64 = 0.05;
/// A disk that was at its limit for so many times as long in the incident as before it came to it with the incident.
const MIN_TIMES_AS_LONG: usize = 10;
/// A disk with several requests at once, which come at random, rests now and then.
const MIN_BUSY_OF_PARALLEL: f64 = 0.5;
/// A disk that is busy for this share of the time has a part in an incident, however few bytes it moves.
const MIN_BUSY_OF_PART: f64 = 0.1;
/// Requests of this size on average are limited by bandwidth, where neither bytes nor requests are steadier.
const MIN_LARGE_REQUEST: f64 = 64.0 * 1024.0;
/// What hypervisors let through at once of a limit (QEMU's `util/throttle.c`: a tenth of a second), ns.
const HYPERVISOR_BURST: f64 = 1e8;
/// Reads and writes whose times on their own differ by this factor have one each.
const DIFFERENT_BY: f64 = 1.5;
/// A disk whose reads take so many times what its writes take, or the other way round, serves them apart.
const APART_BY: f64 = 3.0;

/// A disk as the machine of the scenario has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct DiskModel {
    pub(crate) name: String,
    /// Time of one request, ns; where writes take another time than reads, of a read.
    pub(crate) latency: f64,
    pub(crate) write_latency: Option<f64>,
    /// Time of a flush of its cache, ns; none where nobody asked for one.
    pub(crate) flush: Option<f64>,
    pub(crate) iops: Option<f64>,
    pub(crate) bandwidth: Option<f64>,
    /// Reads, and writes, in it at once while it did as many as it can.
    pub(crate) reads_at_once: Option<f64>,
    pub(crate) writes_at_once: Option<f64>,
    /// What it did for certain while it was at its limit, as a share of that; none where it never was at it.
    pub(crate) sustained: Option<f64>,
    /// Bytes that files are read ahead.
    pub(crate) read_ahead: Option<f64>,
    /// What it becomes when the incident begins, if it becomes slower.
    pub(crate) slower: Option<Slower>,
    /// Time by which it may be ahead of its limits, ns.
    pub(crate) burst: Option<f64>,
    /// Whether reads do not wait for writes, and writes not for reads, while it is at its limit.
    pub(crate) reads_apart: bool,
}

impl DiskModel {
    /// The range that the recording leaves open of its limits, as factors. A disk can do no less than what it did.
    pub(crate) fn range_of_limits(&self) -> (f64, f64) {
        self.sustained.map_or((0.5, 4.0), |share| (share, 1.5))
    }

    /// By how much its limits are multiplied.
    pub(crate) fn factor_of_limits(&self, factors: &Factors) -> f64 {
        let (from, to) = self.range_of_limits();
        factors.of(Knob::Limits).clamp(from, to)
    }
}

/// A disk that becomes slower: what it can do from then on.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Slower {
    pub(crate) latency: Option<f64>,
    pub(crate) iops: Option<f64>,
    pub(crate) bandwidth: Option<f64>,
}

/// One interval of a disk.
#[derive(Default)]
struct Interval {
    /// How long it is, s.
    seconds: f64,
    requests: f64,
    bytes: f64,
    wait: f64,
    /// Reads and their time, of it.
    reads: f64,
    read_wait: f64,
    busy: f64,
    depth: f64,
    flushes: f64,
    flush_wait: f64,
    /// Whether it ends before the incident.
    is_calm: bool,
}

impl Interval {
    /// Requests that have data for certain. The kernel counts a flush that a task asks for as a write of nothing, for which no limit holds
    /// (`block/blk-flush.c`). A sync sends that where it needs no commit, after at least one write of its own.
    fn with_data(&self) -> f64 {
        let writes = self.requests - self.reads;
        self.requests - self.flushes.min(writes - self.flushes).max(0.0)
    }

    /// Reads among the requests in it at once: their share of the time of all.
    fn reads_at_once(&self) -> f64 {
        self.depth * (self.read_wait / self.wait.max(1e-9)).min(1.0)
    }
}

/// The disks that did something in the stretch: those that lie on no other device, and in their place a device on top of them that takes
/// its time itself.
pub(crate) fn used(stretch: &Stretch<'_>) -> Vec<String> {
    let disks = &stretch.recording.manifest.disks;
    let lies_on_another = |name: &str| disks.iter().any(|disk| disk.name == name && !disk.below.is_empty());
    let late: Vec<_> = disks
        .iter()
        .filter(|disk| !disk.below.is_empty())
        .filter(|disk| takes_its_time(stretch, &disk.name, &disk.below) || group::limits_io(stretch, &disk.name))
        .collect();
    let is_late = |name: &str| late.iter().any(|disk| disk.name == name);
    let mut hidden: Vec<&str> = late.iter().flat_map(|disk| disk.below.iter().map(String::as_str)).collect();
    // What lies below a device that lies below another.
    let mut at = 0;
    while let Some(name) = hidden.get(at).copied() {
        let below =
            disks.iter().filter(|disk| disk.name == name).flat_map(|disk| disk.below.iter().map(String::as_str));
        let new: Vec<&str> = below.filter(|below| !hidden.contains(below)).collect();
        hidden.extend(new);
        at += 1;
    }
    let is_hidden = |name: &str| hidden.contains(&name);
    let names = stretch.recording.entities(Table::Disk).map(|(name, _)| name.to_owned());
    let mut busy: Vec<(f64, String)> = names
        .filter(|name| !is_hidden(name) && (is_late(name) || !lies_on_another(name)))
        .filter(|name| !name.starts_with("loop") && !name.starts_with("zram"))
        .map(|name| (moved(stretch, &name), name))
        .collect();
    // Where none did anything, the incident needs none: a machine has one.
    if busy.iter().any(|(sectors, _)| *sectors > 0.0) {
        busy.retain(|(sectors, _)| *sectors > 0.0);
    } else {
        busy.truncate(1);
    }
    busy.sort_by(|one, other| other.0.total_cmp(&one.0));
    // What moves less than a hundredth of all bytes, and has time to spare, has no part in it.
    let all: f64 = busy.iter().map(|(sectors, _)| sectors).sum();
    let works = |name: &str| stretch.rate(Table::Disk, name, "io_ms").is_some_and(|ms| ms / 1e3 >= MIN_BUSY_OF_PART);
    busy.retain(|(sectors, name)| *sectors >= all / 100.0 || works(name));
    busy.into_iter().map(|(_, name)| name).collect()
}

/// Whether requests to a device on top of others take several times what they take below it, where most of what is done below comes through it.
fn takes_its_time(stretch: &Stretch<'_>, name: &str, below: &[String]) -> bool {
    const MIN_SHARE_THROUGH: f64 = 0.5;
    let of = |name: &str, metric| stretch.rate(Table::Disk, name, metric).unwrap_or(0.0);
    let each = |names: &[String], metric| names.iter().map(|name| of(name, metric)).sum::<f64>();
    let time = |requests: f64, ms: f64| ms / requests.max(1e-9);
    let own = time(of(name, "reads") + of(name, "writes"), of(name, "read_ms") + of(name, "write_ms"));
    let requests = each(below, "reads") + each(below, "writes");
    let beneath = time(requests, each(below, "read_ms") + each(below, "write_ms"));
    let all: f64 = below.iter().map(|name| moved(stretch, name)).sum();
    requests > 0.0 && own > SLOWER_BY * beneath && moved(stretch, name) > MIN_SHARE_THROUGH * all
}

/// Flushes of a disk per second: of a device on top of others, whose flushes the kernel does not count, those of the ones below it.
pub(crate) fn flushes(stretch: &Stretch<'_>, name: &str) -> f64 {
    let own = stretch.rate(Table::Disk, name, "flushes").unwrap_or(0.0);
    let below = stretch.recording.manifest.disks.iter().filter(|disk| disk.name == name).flat_map(|disk| &disk.below);
    if own > 0.0 { own } else { below.map(|name| flushes(stretch, name)).fold(0.0, f64::max) }
}

/// Sectors that a disk reads and writes per second.
fn moved(stretch: &Stretch<'_>, name: &str) -> f64 {
    ["read_sectors", "write_sectors"].iter().filter_map(|metric| stretch.rate(Table::Disk, name, metric)).sum()
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
        intervals.iter().filter(|one| one.depth <= MAX_DEPTH_ALONE && one.requests >= MIN_REQUESTS).collect();
    // Before the incident nothing else delays it.
    if alone.iter().filter(|one| one.is_calm).count() >= MIN_INTERVALS {
        alone.retain(|one| one.is_calm);
    }
    if alone.is_empty() {
        // Few requests are better than none.
        alone =
            intervals.iter().filter(|one| one.is_calm && one.depth <= MAX_DEPTH_ALONE && one.requests > 0.0).collect();
    }
    let flushed = |one: &Interval| (one.flushes > 0.0).then(|| one.flush_wait / one.flushes);
    let mut flushes: Vec<f64> = intervals.iter().filter_map(flushed).collect();
    flushes.sort_by(f64::total_cmp);
    let least = |all: &[f64]| all.get(all.len() / 4).copied();
    let latency = mean(&alone).unwrap_or_else(|| {
        // With others in the queue before it, it takes so many times what it takes on its own.
        let waits: f64 = intervals.iter().map(|one| one.wait / one.depth.max(1.0)).sum();
        let requests: f64 = intervals.iter().map(|one| one.requests).sum();
        let latency = if waits > 0.0 { waits / requests.max(1e-9) } else { 100_000.0 };
        guesses.push(Guess::new(
            format!("a request of {name} takes {:.0} us on its own", latency / 1e3),
            "no interval of the recording has requests that did not queue: their mean time, by the requests in the queue",
        ));
        latency
    });
    let mut full: Vec<&Interval> = intervals
        .iter()
        .filter(|one| one.busy >= BUSY_AT_LIMIT && one.depth > MAX_DEPTH_ALONE && one.requests >= MIN_REQUESTS)
        .collect();
    if full.len() < MIN_INTERVALS {
        full = plateau(&intervals, latency);
    }
    let sum = |of: fn(&Interval) -> f64| full.iter().map(|one| of(one)).sum::<f64>();
    let median = |of: fn(&Interval) -> f64| median(&full, of);
    let (mut iops, mut bandwidth, mut sustained) = (None, None, None);
    if full.len() >= MIN_INTERVALS {
        let is_large = sum(|one| one.bytes) / sum(|one| one.requests) >= MIN_LARGE_REQUEST;
        // The limit is what does not vary.
        let (of_bytes, of_requests) = (spread(&full, |one| one.bytes), spread(&full, |one| one.requests));
        if of_bytes < 0.5 * of_requests || is_large && of_bytes <= of_requests {
            bandwidth = median(|one| one.bytes);
            sustained = usual_share(&full, |one| one.bytes);
        } else {
            iops = median(|one| one.requests);
            let with_data = sum(Interval::with_data) / sum(|one| one.requests);
            sustained = usual_share(&full, |one| one.requests).map(|share| share * with_data);
        }
    } else if !intervals.is_empty() {
        let most = intervals.iter().map(|one| one.bytes).fold(0.0, f64::max);
        let sum = |of: fn(&Interval) -> f64| intervals.iter().map(|one| of(one) * one.seconds).sum::<f64>();
        let if_busy = sum(|one| one.bytes) / sum(|one| one.busy).max(1e-3);
        let able = (most * 2.0).max(if_busy).max(1e6);
        bandwidth = Some(able);
        guesses.push(Guess::new(
            format!("{name} can move {:.0} MB/s", able / 1e6),
            "it never was at a limit: twice the most that it moved, or what it moved while it was busy",
        ));
    }
    let slower = slower(&intervals, &full, (iops, bandwidth));
    if let Some(slower) = &slower {
        // What it is then was no limit of it before; what it did as well before, while each request took less, is none.
        let is_limit = slower.latency.is_none() || full.is_empty();
        iops = iops.filter(|_| slower.iops.is_none() && is_limit);
        bandwidth = bandwidth.filter(|_| slower.bandwidth.is_none() && is_limit);
        guesses.push(Guess::new(
            format!("{name} becomes slower when the incident begins"),
            "it does less than before, or takes longer for as many requests of the same size",
        ));
    }
    let told = stretch.recording.manifest.disks.iter().find(|disk| disk.name == name);
    let told = told.and_then(|disk| disk.read_ahead).map(|size| size.as_f64()).filter(|size| *size > 0.0);
    // Readahead ends with the file.
    let size = |part: f64, whole: f64| if whole >= MIN_REQUESTS { part / whole } else { f64::MAX };
    let rate = |metric| stretch.rate(Table::Disk, name, metric).unwrap_or(0.0);
    let seen = size(rate("read_sectors") * SECTOR, rate("reads"));
    let read_ahead = told.map(|told| {
        if seen > 0.7 * told {
            return told;
        }
        let shorter = whole_pages(seen);
        guesses.push(Guess::new(
            format!("files of {name} are read ahead by {:.0} KiB", shorter / 1024.0),
            format!(
                "its reads have this size, and its readahead is {:.0} KiB: files are small, or read at random",
                told / 1024.0
            ),
        ));
        shorter
    });
    let limit = slower.and_then(|slower| slower.iops).or(iops);
    let burst = limit.is_some_and(|iops| latency < 0.5e9 / iops).then_some(HYPERVISOR_BURST);
    if burst.is_some() {
        guesses.push(Guess::new(
            format!("{name} may do {:.0} ms of its limit at once after it was idle", HYPERVISOR_BURST / 1e6),
            "a request on its own takes less than the time between two at its limit",
        ));
    }
    let (read, write) = apart(&alone, &intervals).unzip();
    DiskModel {
        burst,
        name: name.to_owned(),
        latency: read.unwrap_or(latency).clamp(1_000.0, 1e9),
        write_latency: write.map(|write| write.clamp(1_000.0, 1e9)),
        // A flush waits for what came before it: in the shortest ones that is little.
        flush: least(&flushes).map(|flush| flush.clamp(0.0, 1e10)),
        reads_at_once: median(Interval::reads_at_once).filter(|_| iops.is_some()),
        writes_at_once: median(|one| one.depth - one.reads_at_once()).filter(|_| iops.is_some()),
        iops: iops.map(|iops| iops.max(1.0)),
        bandwidth: bandwidth.map(|bytes| bytes.max(4096.0)),
        sustained,
        read_ahead,
        slower,
        reads_apart: reads_apart(&full),
    }
}

/// The times of a read and of a write on their own, where they differ. Of what hardly came in the intervals that say what a request takes, such as
/// reads of files that were cached before, the others in which nothing queued do. A few requests of one moment say nothing: the counters have ms.
fn apart(alone: &[&Interval], intervals: &[Interval]) -> Option<(f64, f64)> {
    let others: Vec<&Interval> = intervals.iter().filter(|one| one.depth <= MAX_DEPTH_ALONE).collect();
    let mean = |requests: fn(&Interval) -> f64, wait: fn(&Interval) -> f64| {
        let of = |all: &[&Interval]| {
            let sum = |part: fn(&Interval) -> f64| all.iter().map(|one| part(one) * one.seconds).sum::<f64>();
            let often = all.iter().filter(|one| requests(one) > 0.0).count() >= MIN_INTERVALS;
            (often && sum(requests) >= MIN_REQUESTS).then(|| sum(wait) / sum(requests))
        };
        of(alone).or_else(|| of(&others))
    };
    let read = mean(|one| one.reads, |one| one.read_wait)?;
    let write = mean(|one| one.requests - one.reads, |one| (one.wait - one.read_wait).max(0.0))?;
    (read.max(write) > DIFFERENT_BY * read.min(write)).then_some((read, write))
}

/// So many bytes in whole pages: with the nearest number as many requests read as much as those that were recorded.
fn whole_pages(bytes: f64) -> f64 {
    (bytes / PAGE).round().max(1.0) * PAGE
}

/// Whether reads take much longer than writes in these intervals, or writes much longer than reads.
fn reads_apart(full: &[&Interval]) -> bool {
    let sum = |of: fn(&Interval) -> f64| full.iter().map(|one| of(one)).sum::<f64>();
    let (reads, writes) = (sum(|one| one.reads), sum(|one| one.requests - one.reads));
    let (read_wait, write_wait) = (sum(|one| one.read_wait), sum(|one| one.wait - one.read_wait));
    if full.len() < MIN_INTERVALS || reads < MIN_REQUESTS || writes < MIN_REQUESTS {
        return false;
    }
    let (read, write) = (read_wait / reads, write_wait / writes);
    read > APART_BY * write || write > APART_BY * read
}

/// The intervals in which a disk did as much as in most others, while its requests took longer than they take on their own.
fn plateau(intervals: &[Interval], latency: f64) -> Vec<&Interval> {
    let often = |one: &&Interval| {
        one.busy >= MIN_BUSY_NEAR_LIMIT && one.requests >= MIN_REQUESTS && one.wait > SLOWER_BY * latency * one.requests
    };
    let often: Vec<&Interval> = intervals.iter().filter(often).collect();
    let calm: Vec<&Interval> = intervals.iter().filter(|one| one.is_calm && one.requests >= MIN_REQUESTS).collect();
    let of = |amount: fn(&Interval) -> f64| -> Option<Vec<&Interval>> {
        let usual = median(&often, amount)?;
        // As much as before is what somebody asks for, and no limit.
        if median(&calm, amount).is_some_and(|before| before < FEWER_BY * usual && usual < FEWER_BY * before) {
            return None;
        }
        let is_same = |one: &&&Interval| {
            let request = amount(one) / one.requests / one.seconds.max(1e-9);
            (amount(one) - usual).abs() <= STEADY_WITHIN * usual + request
        };
        let same: Vec<&Interval> = often.iter().filter(is_same).copied().collect();
        (same.len() * 3 >= often.len() * 2).then_some(same)
    };
    of(|one| one.requests)
        .or_else(|| of(|one| one.bytes))
        .filter(|same| same.len() >= MIN_INTERVALS)
        .unwrap_or_default()
}

/// How much an amount varies: the middle half of its values, by their median.
fn spread(all: &[&Interval], of: fn(&Interval) -> f64) -> f64 {
    let mut all: Vec<f64> = all.iter().map(|one| of(one)).collect();
    all.sort_by(f64::total_cmp);
    let at = |part: usize| all.get(all.len() * part / 4).copied().unwrap_or(0.0);
    (at(3) - at(1)) / at(2).max(1e-9)
}

/// What three of four intervals have at least, by the median.
fn usual_share(all: &[&Interval], of: fn(&Interval) -> f64) -> Option<f64> {
    /// Few intervals at a limit vary by more than it does.
    const MIN_SHARE: f64 = 0.7;
    let mut all: Vec<f64> = all.iter().map(|one| of(one)).collect();
    all.sort_by(f64::total_cmp);
    let share = all.get(all.len() / 4)? / all.get(all.len() / 2)?.max(1e-9);
    Some(share.clamp(MIN_SHARE, 1.0))
}

fn median(all: &[&Interval], of: fn(&Interval) -> f64) -> Option<f64> {
    let mut all: Vec<f64> = all.iter().map(|one| of(one)).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

/// What a disk becomes when the incident begins: its limit where it did more before, or the time of a request on its own.
fn slower(intervals: &[Interval], full: &[&Interval], (iops, bandwidth): (Option<f64>, Option<f64>)) -> Option<Slower> {
    let calm: Vec<&Interval> = intervals.iter().filter(|one| one.is_calm && one.requests >= MIN_REQUESTS).collect();
    // A disk that works on few requests all the time is slow.
    let tells = |one: &&Interval| {
        !one.is_calm && (one.requests >= MIN_REQUESTS || one.requests > 0.0 && one.busy >= BUSY_AT_LIMIT)
    };
    let trouble: Vec<&Interval> = intervals.iter().filter(tells).collect();
    if calm.len() < MIN_INTERVALS || trouble.len() < MIN_INTERVALS {
        return None;
    }
    // A burst of requests fills a disk for a moment, whatever it can do.
    let bursts = full.iter().filter(|one| one.is_calm).count();
    if full.len() >= MIN_INTERVALS && bursts < MIN_INTERVALS && bursts * MIN_TIMES_AS_LONG <= full.len() {
        // What it did in a usual interval before is more than it can do now.
        let is_less = |limit: Option<f64>, of: fn(&Interval) -> f64| {
            limit.filter(|limit| median(&calm, of).is_some_and(|usual| usual > FEWER_BY * limit))
        };
        let slower = Slower {
            latency: None,
            iops: is_less(iops, |one| one.requests),
            bandwidth: is_less(bandwidth, |one| one.bytes),
        };
        if slower != Slower::default() {
            return Some(slower);
        }
        return latency_of_parallel(&calm, &trouble);
    }
    let alone: Vec<&Interval> = trouble.iter().filter(|one| one.depth <= MAX_DEPTH_ALONE).copied().collect();
    let time: fn(&Interval) -> f64 = |one| one.wait / one.requests;
    let size: fn(&Interval) -> f64 = |one| one.bytes / one.requests;
    let ratio = |of: fn(&Interval) -> f64| Some(median(&alone, of)? / median(&calm, of)?.max(1e-9));
    // Where the disk has time to spare it is the CPU that is late.
    let is_slower = alone.len() * 2 > trouble.len()
        && median(&alone, |one| one.busy)? > MIN_BUSY_NEAR_LIMIT
        && ratio(time)? > SLOWER_BY
        && ratio(|one| one.requests)? < FEWER_BY
        && ratio(size)? < FEWER_BY;
    let slower = is_slower.then(|| Slower { latency: median(&alone, time), ..Slower::default() });
    slower.or_else(|| latency_of_parallel(&calm, &trouble))
}

/// What a disk becomes that had time to spare and does as much as before, with more in it at once: it works on each request for longer.
fn latency_of_parallel(calm: &[&Interval], trouble: &[&Interval]) -> Option<Slower> {
    let time: fn(&Interval) -> f64 = |one| one.wait / one.requests;
    let ratio = |of: fn(&Interval) -> f64| Some(median(trouble, of)? / median(calm, of)?.max(1e-9));
    let busy = |of: &[&Interval]| median(of, |one| one.busy);
    let is_longer = busy(calm)? < MIN_BUSY_NEAR_LIMIT
        && busy(trouble)? > MIN_BUSY_OF_PARALLEL
        && median(trouble, |one| one.depth)? > MAX_DEPTH_ALONE
        && (1.0 / AS_MUCH..AS_MUCH).contains(&ratio(|one| one.requests)?)
        && ratio(time)? > SLOWER_BY
        && ratio(|one| one.bytes / one.requests)? < FEWER_BY;
    is_longer.then(|| Slower { latency: median(trouble, time), ..Slower::default() })
}

/// The intervals of a disk, per second.
fn intervals(stretch: &Stretch<'_>, onset: i64, name: &str) -> Vec<Interval> {
    let one = |part: &Stretch<'_>| {
        let rate = |metric| part.rate(Table::Disk, name, metric);
        let requests = rate("reads")? + rate("writes")?;
        Some(Interval {
            seconds: part.seconds(),
            requests,
            reads: rate("reads")?,
            read_wait: rate("read_ms")? * 1e6,
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

/// Bytes of a read, or of a write, of the disks on average, in a stretch: what these counters of requests and of their sectors say.
pub(crate) fn request_size(stretch: &Stretch<'_>, requests: &str, sectors: &str) -> Option<f64> {
    let of = |metric: &str| -> f64 {
        let disks = stretch.recording.entities(Table::Disk);
        disks.filter_map(|(disk, _)| stretch.rate(Table::Disk, disk, metric)).sum()
    };
    let all = of(requests);
    (all > 0.0).then(|| of(sectors) * SECTOR / all)
}

/// How long a read of the disks took on average, s.
pub(crate) fn read_time(stretch: &Stretch<'_>) -> Option<f64> {
    let of = |metric: &str| -> f64 {
        let disks = stretch.recording.entities(Table::Disk);
        disks.filter_map(|(disk, _)| stretch.rate(Table::Disk, disk, metric)).sum()
    };
    let all = of("reads");
    (all > 0.0).then(|| of("read_ms") / 1e3 / all)
}

/// The share of the time in which the busiest disk was busy.
pub(crate) fn busiest(stretch: &Stretch<'_>) -> f64 {
    let disks = stretch.recording.entities(Table::Disk);
    disks.filter_map(|(disk, _)| stretch.rate(Table::Disk, disk, "io_ms")).fold(0.0, f64::max) / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Column, Kind, Manifest, Recording, RecordingBuilder, Stamp, Unit};

    const SECOND: i64 = 1_000_000_000;

    /// What a disk does in a second: reads and writes of 4 KiB, the time of one of each in ms, and how long it is busy in ms.
    #[derive(Clone, Copy)]
    struct Second {
        reads: i64,
        writes: i64,
        read_ms: i64,
        write_ms: i64,
        busy_ms: i64,
        flushes: i64,
    }

    /// A quiet second, and one at a limit of 40 requests per second.
    const CALM: Second = Second { reads: 10, writes: 10, read_ms: 1, write_ms: 1, busy_ms: 20, flushes: 0 };
    const FULL: Second = Second { reads: 20, writes: 20, read_ms: 4, write_ms: 200, busy_ms: 990, flushes: 0 };

    fn recorded(disks: &[(&str, &[Second])]) -> Recording {
        let mut made = RecordingBuilder::new(Manifest::default());
        let mut counters = vec![[0; 9]; disks.len()];
        let length = disks.iter().map(|(_, seconds)| seconds.len()).max().unwrap_or(0);
        for (at, moment) in (0..=length).zip(0..) {
            made.stamp(Stamp { boot_ns: moment * SECOND, ..Stamp::default() });
            for ((disk, seconds), counters) in disks.iter().zip(&mut counters) {
                let second = at.checked_sub(1).map(|at| seconds[at]);
                let waited = second.map_or((0, 0), |one| (one.reads * one.read_ms, one.writes * one.write_ms));
                let (reads, writes, busy) = second.map_or((0, 0, 0), |one| (one.reads, one.writes, one.busy_ms));
                let flushes = second.map_or(0, |one| one.flushes);
                let waits = waited.0 + waited.1;
                let rises = [reads, writes, reads * 8, writes * 8, waited.0, waited.1, busy, waits, flushes];
                for ((counter, rise), name) in counters.iter_mut().zip(rises).zip(NAMES) {
                    *counter += rise;
                    let column = Column { name: name.to_owned(), kind: Kind::Counter, unit: Unit::Count };
                    made.value(Table::Disk, disk, &column, *counter);
                }
            }
        }
        made.finish()
    }

    const NAMES: [&str; 9] = [
        "reads",
        "writes",
        "read_sectors",
        "write_sectors",
        "read_ms",
        "write_ms",
        "io_ms",
        "weighted_io_ms",
        "flushes",
    ];

    #[test]
    fn a_device_on_top_of_a_disk_stands_for_it_if_it_takes_the_time() {
        let used = |upper: Second, lower: Second| {
            let mut recording = recorded(&[("vdb", &[lower; 5]), ("dm-0", &[upper; 5])]);
            recording.manifest.disks =
                ["vdb", "dm-0"].map(|name| pagetide_core::Disk { name: name.to_owned(), ..Default::default() }).into();
            recording.manifest.disks[1].below = vec!["vdb".to_owned()];
            super::used(&Stretch { recording: &recording, from: 0, to: 5 * SECOND })
        };
        let slow = Second { read_ms: 50, write_ms: 50, ..CALM };
        assert_eq!(used(slow, CALM), ["dm-0"], "the device mapper delays");
        assert_eq!(used(slow, slow), ["vdb"], "the disk below does");
        let busy = Second { reads: 200, ..CALM };
        assert_eq!(used(slow, busy), ["vdb"], "others use the disk too");
    }

    #[test]
    fn a_disk_that_is_busy_has_a_part_however_little_it_moves() {
        let used = |busy_ms: i64| {
            let recording = recorded(&[
                ("vdb", &[Second { reads: 2, writes: 0, busy_ms, ..CALM }; 5]),
                ("vdc", &[Second { reads: 1000, ..CALM }; 5]),
            ]);
            super::used(&Stretch { recording: &recording, from: 0, to: 5 * SECOND })
        };
        assert_eq!(used(900), ["vdc", "vdb"]);
        assert_eq!(used(20), ["vdc"]);
    }

    #[test]
    fn a_device_on_which_a_group_is_limited_stands_for_all_that_lies_below_it() {
        let used = |limited: Option<&str>| {
            let below = [("vdb", None), ("loop0", Some("vdb")), ("dm-0", Some("loop0"))];
            let disk = |(name, below): (&str, Option<&str>)| pagetide_core::Disk {
                name: name.to_owned(),
                below: below.into_iter().map(ToOwned::to_owned).collect(),
                ..Default::default()
            };
            let mut made = RecordingBuilder::new(Manifest { disks: below.map(disk).into(), ..Manifest::default() });
            for moment in 0..=5 {
                made.stamp(Stamp { boot_ns: moment * SECOND, ..Stamp::default() });
                for disk in ["vdb", "loop0", "dm-0"] {
                    for (name, rise) in [("reads", 10), ("read_sectors", 80), ("read_ms", 10)] {
                        let column = Column { name: name.to_owned(), kind: Kind::Counter, unit: Unit::Count };
                        made.value(Table::Disk, disk, &column, moment * rise);
                    }
                }
                if let Some(disk) = limited {
                    let column = Column { name: "max_riops".to_owned(), kind: Kind::Gauge, unit: Unit::Count };
                    made.value(Table::CgroupDisk, &format!("/app\t{disk}"), &column, 5);
                }
            }
            let recording = made.finish();
            super::used(&Stretch { recording: &recording, from: 0, to: 5 * SECOND })
        };
        assert_eq!(used(Some("dm-0")), ["dm-0"]);
        assert_eq!(used(Some("vdb")), ["vdb"], "the limit is below");
        assert_eq!(used(None), ["vdb"]);
    }

    #[test]
    fn flushes_of_a_device_that_counts_none_are_those_below_it() {
        let mut made = RecordingBuilder::new(Manifest {
            disks: vec![pagetide_core::Disk {
                name: "dm-0".to_owned(),
                below: vec!["vdb".to_owned()],
                ..Default::default()
            }],
            ..Manifest::default()
        });
        let column = Column { name: "flushes".to_owned(), kind: Kind::Counter, unit: Unit::Count };
        for moment in 0..=1 {
            made.stamp(Stamp { boot_ns: moment * SECOND, ..Stamp::default() });
            for (disk, rise) in [("dm-0", 0), ("vdb", 7), ("vdc", 3)] {
                made.value(Table::Disk, disk, &column, moment * rise);
            }
        }
        let recording = made.finish();
        let of = |disk| flushes(&Stretch { recording: &recording, from: 0, to: SECOND }, disk);
        assert_eq!([of("dm-0"), of("vdb"), of("vdc")], [7.0, 7.0, 3.0]);
    }

    /// The disk of ten quiet seconds and ten of these.
    fn model_of(trouble: Second) -> DiskModel {
        let recording = recorded(&[("vdb", &[[CALM; 10], [trouble; 10]].concat())]);
        let stretch = Stretch { recording: &recording, from: 0, to: 20 * SECOND };
        model(&stretch, 10 * SECOND, "vdb", &mut Vec::new())
    }

    #[test]
    fn a_limit_shows_in_how_many_requests_it_lets_through_however_few_wait() {
        let one_at_a_time = model_of(Second { reads: 40, writes: 0, read_ms: 24, ..FULL });
        assert_eq!((one_at_a_time.iops, one_at_a_time.bandwidth), (Some(40.0), None));
        assert_eq!((one_at_a_time.latency, one_at_a_time.burst), (1e6, Some(HYPERVISOR_BURST)));
        // Whose requests take as long as ever is at no limit.
        let quick = model_of(Second { reads: 40, writes: 0, read_ms: 1, busy_ms: 900, ..FULL });
        assert_eq!((quick.iops, quick.sustained), (None, None));
    }

    #[test]
    fn a_disk_at_its_limit_can_do_no_less_than_it_did_in_most_of_that_time() {
        let at = |disk: &DiskModel, factor| disk.factor_of_limits(&Factors::FIRST.with(Knob::Limits, factor));
        let steady = model_of(FULL);
        assert_eq!([0.5, 1.2, 3.0].map(|factor| at(&steady, factor)), [1.0, 1.2, 1.5]);
        let never = model_of(Second { reads: 40, writes: 0, read_ms: 1, busy_ms: 900, ..FULL });
        assert_eq!(
            [0.3, 3.0, 9.0].map(|factor| at(&never, factor)),
            [0.5, 3.0, 4.0],
            "twice what it did is the first guess"
        );
        let uneven = DiskModel { sustained: Some(0.85), ..steady };
        assert_eq!(at(&uneven, 0.5), 0.85);
        // Half of its writes may be the flushes of the others.
        let synced = model_of(Second { flushes: 10, ..FULL });
        assert_eq!([0.5, 1.0].map(|factor| at(&synced, factor)), [0.75, 1.0]);
    }

    #[test]
    fn flushes_that_count_as_writes_are_left_out_of_what_a_disk_did_for_certain() {
        let with_data = |writes: f64, flushes: f64| {
            Interval { reads: 10.0, requests: 10.0 + writes, flushes, ..Interval::default() }.with_data()
        };
        assert_eq!(with_data(20.0, 10.0), 20.0, "ten writes, each with a flush");
        assert_eq!(with_data(30.0, 20.0), 30.0, "at most ten of them are");
        assert_eq!(with_data(20.0, 20.0), 30.0, "commits flush twice and write twice: none is a write of nothing");
        assert_eq!(with_data(20.0, 0.0), 30.0, "nobody syncs");
    }

    #[test]
    fn reads_and_writes_in_a_disk_at_its_limit_are_counted_apart() {
        // 80 and 4000 ms of them in 990 ms.
        let full = model_of(FULL);
        let [reads, writes] = [full.reads_at_once, full.writes_at_once].map(Option::unwrap_or_default);
        assert!((reads - 0.08).abs() < 0.01 && (writes - 4.04).abs() < 0.01, "{reads} {writes}");
    }

    #[test]
    fn a_read_and_a_write_take_what_they_take_on_their_own() {
        let times = |calm: Second, trouble: Second| {
            let recording = recorded(&[("vdb", &[[calm; 10], [trouble; 10]].concat())]);
            let stretch = Stretch { recording: &recording, from: 0, to: 20 * SECOND };
            let model = model(&stretch, 10 * SECOND, "vdb", &mut Vec::new());
            (model.latency, model.write_latency)
        };
        let writes = Second { reads: 0, write_ms: 7, busy_ms: 70, ..CALM };
        let reads = Second { reads: 30, busy_ms: 100, ..writes };
        assert_eq!(times(writes, reads), (1e6, Some(7e6)), "what was cached before was not read then");
        assert_eq!(times(writes, writes), (7e6, None), "nobody reads");
        assert_eq!(times(CALM, CALM), (1e6, None));
        let queued = Second { reads: 30, read_ms: 90, ..FULL };
        assert_eq!(times(writes, queued), (7e6, None), "what queues says nothing");
        // Six writes of two moments, which took less than the counters show.
        let few = |seconds: usize| {
            let moment = Second { reads: 10, writes: 3, write_ms: 0, ..CALM };
            let calm = [vec![Second { writes: 0, ..CALM }; 10 - seconds], vec![moment; seconds]].concat();
            let recording = recorded(&[("vdb", &[calm, vec![FULL; 10]].concat())]);
            let stretch = Stretch { recording: &recording, from: 0, to: 20 * SECOND };
            model(&stretch, 10 * SECOND, "vdb", &mut Vec::new()).write_latency
        };
        assert_eq!([few(2), few(3)], [None, Some(1_000.0)]);
    }

    #[test]
    fn as_many_pages_are_read_at_once_as_come_nearest_to_what_was() {
        assert_eq!([100.0, 4557.0, 8192.0, 11_000.0].map(whole_pages), [4096.0, 4096.0, 8192.0, 12_288.0]);
    }

    #[test]
    fn reads_that_do_not_wait_for_writes_have_a_queue_of_their_own() {
        assert!(model_of(FULL).reads_apart);
        assert!(!model_of(Second { read_ms: 150, ..FULL }).reads_apart);
    }

    #[test]
    fn a_disk_becomes_slower_if_it_does_less_than_before_or_takes_longer_for_as_much() {
        let less = model_of(Second { reads: 5, writes: 5, read_ms: 100, write_ms: 150, busy_ms: 1000, flushes: 0 });
        assert_eq!((less.iops, less.slower.and_then(|slower| slower.iops)), (None, Some(10.0)));
        let longer = model_of(Second { reads: 10, writes: 10, read_ms: 45, write_ms: 45, busy_ms: 900, flushes: 0 });
        assert!(longer.slower.is_some(), "{longer:?}");
        // Several at once, as many a second as before: a network volume takes longer for each.
        let parallel =
            model_of(Second { reads: 10, writes: 10, read_ms: 145, write_ms: 145, busy_ms: 1000, flushes: 0 });
        assert_eq!(parallel.slower.and_then(|slower| slower.latency), Some(145e6));
        assert_eq!((parallel.iops, parallel.bandwidth), (None, None), "what it does is what it is asked for");
        // So few that no interval has five of them: it is busy with them all the time, or it is asked for no more.
        let few = Second { reads: 4, writes: 0, read_ms: 248, write_ms: 0, busy_ms: 990, flushes: 0 };
        let once = Second { reads: 6, writes: 0, ..CALM };
        let of_few = |few: Second| {
            let recorded = recorded(&[("vdb", &[[once; 10], [few; 10]].concat())]);
            let stretch = Stretch { recording: &recorded, from: 0, to: 20 * SECOND };
            model(&stretch, 10 * SECOND, "vdb", &mut Vec::new()).slower
        };
        assert_eq!(of_few(few).and_then(|slower| slower.latency), Some(248e6));
        assert_eq!(of_few(Second { read_ms: 20, busy_ms: 80, ..few }), None);
        // It does more than before, or has time to spare.
        assert_eq!(model_of(FULL).slower, None);
        let idle = model_of(Second { reads: 10, writes: 10, read_ms: 5, write_ms: 5, busy_ms: 100, flushes: 0 });
        assert_eq!(idle.slower, None);
    }

    #[test]
    fn a_burst_before_the_incident_is_no_limit_that_was_there() {
        let slow = Second { reads: 5, writes: 5, read_ms: 200, write_ms: 200, busy_ms: 1000, flushes: 0 };
        let full_before = |seconds: usize| {
            let calm = [vec![CALM; 10 - seconds], vec![slow; seconds]].concat();
            let recording = recorded(&[("vdb", &[calm, vec![slow; 20]].concat())]);
            let stretch = Stretch { recording: &recording, from: 0, to: 30 * SECOND };
            let model = model(&stretch, 10 * SECOND, "vdb", &mut Vec::new());
            (model.iops, model.slower.and_then(|slower| slower.iops))
        };
        assert_eq!(full_before(1), (None, Some(10.0)));
        assert_eq!(full_before(4), (Some(10.0), None), "it often was at it");
    }

    #[test]
    fn a_machine_whose_disks_do_nothing_has_one_all_the_same() {
        const NOTHING: Second = Second { reads: 0, writes: 0, read_ms: 0, write_ms: 0, busy_ms: 0, flushes: 0 };
        let used = |second: Second| {
            let recording = recorded(&[("vdb", &[NOTHING; 5]), ("vdc", &[second; 5])]);
            super::used(&Stretch { recording: &recording, from: 0, to: 5 * SECOND })
        };
        assert_eq!(used(NOTHING).len(), 1);
        assert_eq!(used(CALM), ["vdc"]);
    }
}
