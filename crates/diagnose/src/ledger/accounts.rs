//! To which account the lost time of a group goes, and to which account each rule belongs.

use crate::actors::victim::{self, Victim};
use crate::actors::{group, job, newcomer};
use crate::ledger::lost_time::{Pressure, median};
use crate::measure::amount::{Amount, Count, Limit, Per};
use crate::measure::episodes::SignalSpec;
use crate::measure::signal::Signal;
use crate::measure::window::{REFAULTED, STOLEN, Window};
use pagetide_core::derived;
use pagetide_core::{Account, Nanos, Pages, RuleId, Span, Table, Threshold};

/// The account of a rule; absent of what makes nobody wait, or of what is known without waits: a killed process, a blind spot.
pub(crate) const fn of_rule(rule: RuleId) -> Option<Account> {
    match rule {
        RuleId::WorkingSetExceedsCache
        | RuleId::ReplayedSequence
        | RuleId::StreamFloodsCache
        | RuleId::OverReclaim
        | RuleId::AnonymousGrowth
        | RuleId::CachesDropped
        | RuleId::DirectReclaim
        | RuleId::CgroupLimit
        | RuleId::SwapThrash
        | RuleId::CodeThrash
        | RuleId::MemoryLeak
        | RuleId::SlabGrowth
        | RuleId::MemoryFragmentation
        | RuleId::ZoneImbalance
        | RuleId::MemoryHigh => Some(Account::ReadAgain),
        RuleId::LatencyBound
        | RuleId::DirtyThrottled
        | RuleId::DeviceSaturated
        | RuleId::WritebackSaturates
        | RuleId::ReadAheadWaste
        | RuleId::ChangedWorkingSet
        | RuleId::ColdCache
        | RuleId::FsyncStorm
        | RuleId::NoisyNeighbour => Some(Account::Load),
        RuleId::DeviceSlow => Some(Account::Device),
        RuleId::CpuBound => Some(Account::Cpu),
        RuleId::IoLimit => Some(Account::Unexplained),
        RuleId::ServedFromCache | RuleId::SwapInUse | RuleId::BlindSpot | RuleId::OomKill | RuleId::Healthy => None,
    }
}

/// Requests per second, relative to the highest rate before, above which a device has more to do.
const MORE: Limit<Count> = Limit::new(
    "requests per second of a slow device, relative to its calm rate, at most",
    1.25,
    "Under more load a longer queue is expected.",
    "Little's law",
);
/// Busy time per request, times that before, of a slow device.
pub(crate) const SLOWER: Limit<Count> = Limit::new(
    "busy time per request of a slow device, scaled by request size, relative to its calm time",
    1.5,
    "A different mix of requests changes it by less.",
    "judgement",
);
/// Requests of a kind that show how long one takes.
const KNOWN: Limit<Per<Count>> = Limit::new(
    "requests per second of a calm device, to measure its time per request",
    1.0,
    "A mean over fewer requests is noise.",
    "judgement",
);

/// The numbers that split the time lost.
pub(crate) const THRESHOLDS: [Threshold; 3] = [MORE.doc(), SLOWER.doc(), KNOWN.doc()];

/// How the waits for a disk are split.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Split<'a> {
    /// The disk of the group, or the one whose queue grew most.
    pub(crate) disk: Option<&'a str>,
    pub(crate) read_again: f64,
    pub(crate) device: f64,
    pub(crate) own: f64,
    pub(crate) load: f64,
    /// Whether the group waits for jobs that began in it, and nobody else does: its waits for memory are their own work as well.
    jobs: bool,
}

/// Requests of one kind at a disk.
#[derive(Debug, Clone, Copy, Default)]
struct Requests {
    /// Per second.
    rate: f64,
    /// The time of one with its queue, s.
    time: f64,
    /// Bytes per second.
    bytes: f64,
}

impl Requests {
    fn of(window: &Window<'_>, disk: &str, reads: bool) -> Self {
        let (count, time, bytes) = if reads {
            ("reads", &derived::READ_AWAIT, &derived::READ_BANDWIDTH)
        } else {
            ("writes", &derived::WRITE_AWAIT, &derived::WRITE_BANDWIDTH)
        };
        let rate = window.rate::<Count>(Table::Disk, disk, count).map_or(0.0, Amount::get);
        let time = window.derived::<Nanos>(Table::Disk, disk, time).map_or(0.0, Amount::get) / 1e9;
        Self { rate, time, bytes: window.disk_bytes(disk, bytes).map_or(0.0, Amount::get) }
    }

    /// Requests in flight (Little's law).
    fn queue(self) -> f64 {
        self.rate * self.time
    }
}

/// A disk in a stretch, and when it was calm.
struct At<'a, 'g> {
    disk: &'a str,
    /// Whose waits are split; absent of the host.
    group: Option<&'g str>,
    during: Window<'a>,
    calm: Option<Window<'a>>,
    now: [Requests; 2],
    before: [Requests; 2],
}

impl<'a, 'g> At<'a, 'g> {
    fn of((during, group): (Window<'a>, Option<&'g str>), calm: Option<Window<'a>>, disk: &'a str) -> Self {
        let now = [true, false].map(|reads| Requests::of(&during, disk, reads));
        let before =
            [true, false].map(|reads| calm.map_or(Requests::default(), |calm| Requests::of(&calm, disk, reads)));
        Self { disk, group, during, calm, now, before }
    }

    /// By how much the queue of reads and of writes grew.
    fn grown(&self) -> [f64; 2] {
        let grown = [0, 1].map(|kind| (self.now[kind].queue() - self.before[kind].queue()).max(0.0));
        if grown[0] + grown[1] > 0.0 { grown } else { self.now.map(Requests::queue) }
    }

    fn all(&self) -> f64 {
        self.grown().iter().sum()
    }

    /// The share of the reads that bring back what was evicted or swapped out.
    fn read_again(&self) -> f64 {
        let rate = |derived| self.during.host_bytes(derived).map_or(0.0, Amount::get);
        let usual = |derived| self.calm.and_then(|calm| calm.host_bytes(derived)).map_or(0.0, Amount::get);
        // What a program reads that has just started it reads for the first time, whoever had it cached before: its requests are load.
        let first = newcomer::transfers(&self.during, &["read_bytes"]).map_or(0.0, Amount::get);
        let refaulted = (rate(&REFAULTED) - usual(&REFAULTED)).min(self.now[0].bytes - first).max(0.0);
        let victims = victim::all(&self.during, None);
        let sum = |of: fn(&Victim<'_>) -> f64| victims.iter().map(of).sum::<f64>();
        // For each page that they read reclaim frees one: what is evicted beyond that somebody else took from them. The rest are first reads into a
        // full cache, but for those that refault.
        let by_others = (self.evicted() - sum(|one| one.read.get())).max(0.0);
        let lost = sum(|one| (one.read - one.before).get()).min(by_others);
        let swapped = if self.swaps() { rate(&derived::SWAP_IN) } else { 0.0 };
        share(refaulted.max(lost).min(self.evicted()) + swapped, self.now[0].bytes)
    }

    /// The bytes that were evicted from shortly before the stretch on, per second of it: no more can be read again. Without end where caches were
    /// dropped, which counts as no reclaim, or where reclaim was not recorded.
    fn evicted(&self) -> f64 {
        let span = self.during.span;
        let lead = self.during.over(Span { from: span.from.earlier(span.length()), ..span });
        let dropped = lead.rise::<Count>(Table::Host, "", "drop_pagecache").is_some_and(Amount::is_positive);
        // What a group evicts at its own limit is no reclaim of the host's.
        let own = self.group.and_then(|group| lead.rise::<Pages>(Table::Cgroup, group, "pgsteal"));
        let own = own.map_or(Amount::ZERO, |pages| pages * lead.page_size());
        match lead.host_amount(&STOLEN) {
            Some(freed) if !dropped => (freed + own).get() / (span.length().as_f64() / 1e9).max(f64::MIN_POSITIVE),
            _ => f64::INFINITY,
        }
    }

    /// The share of the new requests that bring back what was evicted, or swap out: the queue of what is read again is the evictor's, and that of
    /// others is theirs.
    fn again(&self) -> f64 {
        let [reads, writes] = [0, 1].map(|kind| (self.now[kind].rate - self.before[kind].rate).max(0.0));
        share(reads * self.read_again() + writes * self.swapped_out(), reads + writes)
    }

    /// The share of the writes that are swapped out.
    fn swapped_out(&self) -> f64 {
        let written = self.during.host_bytes(&derived::SWAP_OUT).map_or(0.0, Amount::get);
        if self.swaps() { share(written, self.now[1].bytes) } else { 0.0 }
    }

    fn swaps(&self) -> bool {
        self.during.swap_disks().contains(&self.disk)
    }

    /// Whether the device itself became slower: it has no more to do than at times before, and works longer on each request.
    fn slow(&self) -> bool {
        let Some(calm) = &self.calm else { return false };
        let kind = usize::from(self.grown()[1] > self.grown()[0]);
        let rates = |all: &[Requests; 2]| all.iter().map(|one| one.rate).sum::<f64>();
        let bytes = |all: &[Requests; 2]| all.iter().map(|one| one.bytes).sum::<f64>();
        let busy = |window: &Window<'_>| window.busy(self.disk).map_or(0.0, Amount::get);
        let usual = |derived| {
            let middle = calm.episodes.middle::<Count>(calm.recording, SignalSpec::disk(self.disk, derived), calm.span);
            middle.map_or(0.0, |(median, _)| median.get())
        };
        let (now, before) = (rates(&self.now), rates(&self.before));
        let known = self.before[kind].rate >= KNOWN.get() && now > 0.0;
        let more =
            now > usual(&derived::TPS).max(before) * MORE.get() || bytes(&self.now) > bytes(&self.before) * MORE.get();
        let size =
            (bytes(&self.now) / now.max(f64::MIN_POSITIVE)) / (bytes(&self.before) / before.max(f64::MIN_POSITIVE));
        let longer = (busy(&self.during) / now) / (busy(calm) / before).max(f64::MIN_POSITIVE);
        known && !more && longer >= SLOWER.get() * size.max(1.0) && self.now[kind].time > self.before[kind].time
    }

    /// The part of a group's waits at a disk that comes of more requests of its own, at the speed when calm. They wait for no longer than their
    /// requests take: a few more requests are not what a group waits for that waits all the time.
    fn own(&self, group: Option<&str>, waited: f64) -> f64 {
        let calm = self.calm.as_ref();
        let of_group = |metric: &str| {
            let rate = |window: &Window<'_>| window.rate::<Count>(Table::Cgroup, group?, metric).map(Amount::get);
            Some((rate(&self.during)?, calm.and_then(rate).unwrap_or(0.0)))
        };
        let of_disk = |window: &Window<'_>| {
            let all = window.derived::<Per<Count>>(Table::Disk, self.disk, &derived::TPS);
            all.map_or(0.0, Amount::get)
        };
        // The same bytes in more requests are flushed by somebody else (sync, a journal commit): they are no more work of the group.
        let writes = of_group("io_wios").map(|(now, before)| {
            let bytes = of_group("io_wbytes").filter(|(_, before)| *before > 0.0);
            (bytes.map_or(now, |(bytes, usual)| now.min(before * (bytes / usual).max(1.0))), before)
        });
        let own = of_group("io_rios").into_iter().chain(writes).reduce(|a, b| (a.0 + b.0, a.1 + b.1));
        let (now, before) = own.unwrap_or_else(|| (of_disk(&self.during), calm.map_or(0.0, of_disk)));
        let time = |window: &Window<'_>| window.disk_await(self.disk).map_or(0.0, |time| time.get() / 1e9);
        let busy = self.during.busy(self.disk).map_or(0.0, Amount::get);
        let requests = self.now.iter().map(|one| one.rate).sum::<f64>();
        let known = self.before.iter().map(|one| one.rate).sum::<f64>() >= KNOWN.get();
        // Nobody sent requests before: the device works on each for its busy time at most.
        let usual = calm.filter(|_| known).map(time).unwrap_or_else(|| busy / requests.max(f64::MIN_POSITIVE));
        let took = time(&self.during);
        let more = (now - before).max(0.0) * usual.min(took);
        share(more, more + now * (took - usual).max(0.0)).min(share(more, waited))
    }
}

fn share(part: f64, all: f64) -> f64 {
    if all > 0.0 { (part / all).min(1.0) } else { 0.0 }
}

impl<'a> Split<'a> {
    /// How the waits of a group for IO in a stretch are split.
    pub(crate) fn of(whole: &Window<'a>, pressure: &Pressure<'_>, stretch: Span, calm: Option<Span>) -> Self {
        let group = pressure.group;
        let during = Window { quiet: calm, ..whole.over(stretch) };
        let calm = calm.map(|calm| whole.over(calm));
        let own = group.and_then(|name| group::of_group(&during, name));
        let at = own.map(|disk| At::of((during, group), calm, disk));
        let most = || {
            let all = during.disks().into_iter().map(|disk| At::of((during, group), calm, disk));
            all.max_by(|a, b| a.all().total_cmp(&b.all()))
        };
        let Some(at) = at.or_else(most).filter(|at| at.all() > 0.0) else {
            return Self { load: 1.0, ..Self::default() };
        };
        if group.is_some_and(|group| job::waits_alone(&during, group)) {
            return Self { disk: Some(at.disk), own: 1.0, jobs: true, ..Self::default() };
        }
        let read_again = at.again();
        let rest = 1.0 - read_again;
        let device = if at.slow() { rest } else { 0.0 };
        let own = if device > 0.0 { 0.0 } else { rest * at.own(group, pressure.mean_excess(stretch)) };
        Self { disk: Some(at.disk), read_again, device, own, load: (rest - device - own).max(0.0), jobs: false }
    }
}

/// The time that a disk spends to flush its cache, ms: flushes are no requests to the kernel's counters.
pub(crate) const FLUSHES: &[&str] = &["flush_ms"];
/// What this module reads of disks and groups beside derived metrics.
pub(crate) const METRICS: [&[&str]; 2] = [FLUSHES, &["io_rios", "io_wios", "io_wbytes", "pgsteal"]];

/// The share of each interval in which a device had a request or flushed its cache: nobody waits for one that has none. Of the disk of the group,
/// where a journal may write for it, and of those that it sent requests to in that interval; of all where neither is known.
pub(crate) fn in_flight(whole: &Window<'_>, own: Option<&str>, pressure: &Pressure<'_>) -> Vec<f64> {
    let sent: Vec<(&str, Signal)> = pressure.group.map_or_else(Vec::new, |group| {
        let others = whole.disks().into_iter().filter(|disk| Some(*disk) != own);
        others.filter_map(|disk| Some((disk, group::sent(whole, group, disk)?))).collect()
    });
    let others = sent.iter().map(|(disk, sent)| (*disk, Some(sent)));
    let mut disks: Vec<(&str, Option<&Signal>)> = own.map(|own| (own, None)).into_iter().chain(others).collect();
    if disks.is_empty() {
        disks.extend(whole.disks().into_iter().map(|disk| (disk, None)));
    }
    let mut shares = vec![0.0_f64; pressure.spans.len()];
    for (disk, sent) in disks {
        let mut of_disk = vec![0.0_f64; pressure.spans.len()];
        for derived in [&derived::BUSY, &derived::QUEUE_DEPTH] {
            let Some(signal) = whole.episodes.signal(whole.recording, SignalSpec::disk(disk, derived)) else {
                continue;
            };
            let mut within = pressure.within_each();
            for (span, value) in signal.intervals() {
                of_disk[within(span)].iter_mut().for_each(|share| *share = share.max(value.min(1.0)));
            }
        }
        let flushes = SignalSpec::rate(Table::Disk, disk, FLUSHES);
        if let Some(signal) = whole.episodes.signal(whole.recording, flushes) {
            let mut within = pressure.within_each();
            for (span, millis) in signal.intervals() {
                of_disk[within(span)].iter_mut().for_each(|share| *share = (*share + millis / 1e3).min(1.0));
            }
        }
        let mut within = pressure.within_each();
        for (span, _) in sent.into_iter().flat_map(Signal::intervals).filter(|(_, rate)| *rate <= 0.0) {
            of_disk[within(span)].fill(0.0);
        }
        shares.iter_mut().zip(of_disk).for_each(|(share, one)| *share = share.max(one));
    }
    shares
}

/// What a group usually waits for IO while no device has a request: the median of its calm time.
pub(crate) fn usually_unexplained(pressure: &Pressure<'_>, calm: Option<Span>, in_flight: &[f64]) -> f64 {
    let calm = calm.map_or(0..0, |calm| pressure.within(calm));
    median(calm.map(|at| (pressure.waits(at)[0] - in_flight[at]).max(0.0)))
}

/// The bookings of an interval, in the order of [`Account::ALL`]. What a group waits beyond the time for which devices have requests is
/// unexplained, but for what it usually waits so.
pub(crate) fn booked(
    pressure: &Pressure<'_>,
    at: usize,
    split: &Split<'_>,
    (in_flight, usual): (f64, f64),
) -> [f64; 6] {
    let [io, memory, cpu] = pressure.excess(at);
    let stalled = io.max(memory);
    let waited = stalled - memory;
    let unexplained = (pressure.waits(at)[0] - in_flight - usual).clamp(0.0, waited);
    let waited = waited - unexplained;
    let [reclaim, of_jobs] = if split.jobs { [0.0, memory] } else { [memory, 0.0] };
    let booked = [
        reclaim + waited * split.read_again,
        waited * split.load,
        waited * split.device,
        cpu,
        waited * split.own + of_jobs,
        unexplained,
    ];
    let sum: f64 = booked.iter().sum();
    let scale = if sum > 0.0 { pressure.lost(at) / sum } else { 0.0 };
    booked.map(|share| share * scale)
}
