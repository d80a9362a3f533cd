//! The stretch of a recording that a rule examines, with the step's figures when it is a step of a lab run.

use crate::measure::amount::{Amount, Count, Limit, PageSize, Rate};
use crate::measure::episodes::{Episodes, SignalSpec};
use crate::measure::signal::{Signal, merged_span};
use pagetide_core::derived::{self, Derived};
pub(crate) use pagetide_core::derived::{
    REFAULTS_FILE as REFAULTED, SCANNED_FOR_HOST as SCANNED, STOLEN_FOR_HOST as STOLEN,
};
use pagetide_core::{
    Bytes, Disk, Figure, Kind, Moment, Nanos, Pages, Quantity, Ratio, Recording, Series, Span, StepResult, Table,
};
use std::path::Path;

/// What windows read for every rule, beside derived metrics.
pub(crate) const METRICS: &[&[&str]] = &[&[
    "MemTotal",
    "Cached",
    "AnonPages",
    "Shmem",
    "drop_pagecache",
    "compact_stall",
    "cpu_user",
    "cpu_nice",
    "cpu_system",
]];

/// The derived metrics that rules read.
pub(crate) const DERIVED: &[&Derived] = &[
    &SCANNED,
    &derived::SCANNED_KSWAPD,
    &derived::SCANNED_DIRECT,
    &derived::SCANNED_AT_LIMIT,
    &derived::DIRECT_RECLAIMS,
    &derived::WRITTEN_BACK,
    &derived::LIMIT_HITS,
    &STOLEN,
    &REFAULTED,
    &derived::REFAULTS_ANON,
    &derived::MAJOR_FAULTS,
    &derived::SWAP_IN,
    &derived::SWAP_OUT,
    &derived::PAGED_IN,
    &derived::TPS,
    &derived::READ_BANDWIDTH,
    &derived::WRITE_BANDWIDTH,
    &derived::QUEUE_DEPTH,
    &derived::AWAIT,
    &derived::READ_AWAIT,
    &derived::BUSY,
    &derived::CPU_IDLE,
    &derived::CPU_IOWAIT,
    &derived::CPU_THROTTLED,
    &derived::CPUS,
    &derived::PSI_CPU_SOME,
    &derived::PSI_IO_SOME,
    &derived::PSI_MEMORY_SOME,
];

/// The share of time lost above the baseline, at least, for a stretch to be examined.
const LOSES: Amount<Ratio> = Amount::new(0.3);
/// Intervals for which they do.
const LASTS: u64 = 5;

/// The time of a request at a disk that lies on others, from which on that disk delays requests itself.
pub(crate) const DELAYS: Limit<Count> = Limit::new(
    "time per request of a device that lies on others, relative to that of the slowest device below, at least",
    3.0,
    "A request that is split waits for the last of its parts, which takes twice their mean.",
    "block/blk-merge.c: __bio_split_to_limits (6.12)",
);
/// The least such delay.
pub(crate) const MIN_DELAY: Limit<Nanos> = Limit::new(
    "time per request that a device adds to that of the devices below it, at least",
    1e6,
    "Encryption and checksums take less.",
    "judgement",
);

/// A stretch of a recording.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window<'a> {
    /// The whole recording.
    pub(crate) recording: &'a Recording,
    /// When its signals are far above their baseline.
    pub(crate) episodes: &'a Episodes,
    /// The stretch.
    pub(crate) span: Span,
    /// What was measured, when the stretch is a step of a lab run.
    pub(crate) step: Option<&'a StepResult>,
    /// The quiet stretch before it, or the step before it.
    pub(crate) quiet: Option<Span>,
}

/// The values of a gauge over a stretch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level<M> {
    pub(crate) least: Amount<M>,
    pub(crate) mean: Amount<M>,
    pub(crate) most: Amount<M>,
}

/// Values of bytes, ns and counts are stored as whole numbers.
pub(crate) fn stored<M>(value: i64) -> Amount<M> {
    Amount::new(value as f64)
}

/// So many times the recording's interval.
pub(crate) fn intervals(recording: &Recording, times: u64) -> Nanos {
    Nanos::new(recording.manifest.interval.get().saturating_mul(times))
}

/// The moments of the samples in a stretch.
pub(crate) fn stamps(recording: &Recording, within: Span) -> impl Iterator<Item = i64> {
    let all = recording.stamps();
    let from = all.partition_point(|stamp| stamp.boot_ns < within.from.ns());
    all[from..].iter().map(|stamp| stamp.boot_ns).take_while(move |at| within.contains(Moment::new(*at)))
}

impl<'a> Window<'a> {
    /// All of a recording; absent when it is empty.
    pub(crate) fn whole(recording: &'a Recording, episodes: &'a Episodes) -> Option<Self> {
        let (from, to) = recording.span()?;
        Some(Self { recording, episodes, span: Span::new(from, to), step: None, quiet: None })
    }

    /// The stretches in which something may have happened: the steps of a recording that has any, else its busy stretches, else
    /// all of it.
    pub(crate) fn all(recording: &'a Recording, episodes: &'a Episodes) -> Vec<Self> {
        // Steps are stretches with known bounds; what was before one is the time since the one before it began.
        let mut rest = recording.span().map_or(Moment::new(i64::MIN), |(from, _)| Moment::new(from));
        let of_step = |step: &'a StepResult| {
            let span = Span::new(step.started_ns, step.ended_ns);
            let quiet = (span.from > rest).then_some(Span { from: rest, to: span.from });
            rest = span.from;
            Self { recording, episodes, span, step: Some(step), quiet }
        };
        let steps: Vec<Self> = recording.steps().map(of_step).collect();
        if !steps.is_empty() {
            return steps;
        }
        let Some(whole) = Self::whole(recording, episodes) else { return Vec::new() };
        let busy = busy(recording, episodes);
        if busy.is_empty() {
            return vec![whole];
        }
        let mut rest = whole.span.from;
        let windows = busy.into_iter().map(|span| {
            let quiet = (span.from > rest).then_some(Span { from: rest, to: span.from });
            rest = span.to;
            Self { span, quiet, ..whole }
        });
        windows.collect()
    }

    /// The same over another stretch.
    pub(crate) fn over(&self, span: Span) -> Self {
        Self { span, ..*self }
    }

    /// The quiet stretch before this one, as a window of its own.
    pub(crate) fn before(&self) -> Option<Self> {
        Some(Self { step: None, quiet: None, ..self.over(self.quiet?) })
    }

    /// All of the recording before this stretch; absent when it begins with the recording.
    pub(crate) fn history(&self) -> Option<Self> {
        let (from, _) = self.episodes.span(self.recording)?;
        let from = Moment::new(from);
        (from < self.span.from).then(|| Self {
            step: None,
            quiet: None,
            ..self.over(Span { from, to: self.span.from })
        })
    }

    /// What a signal usually is on this host: its mean before this stretch, or its lower quartile over the recording where the pause
    /// before held an earlier part of what goes on. Absent when the recording begins with the stretch.
    pub(crate) fn usual<M>(&self, signal: SignalSpec<'_>) -> Option<Amount<M>> {
        let quiet = self.quiet?;
        let signal = self.episodes.signal(self.recording, signal)?;
        let before: Amount<M> = signal.mean(quiet)?;
        Some(signal.baseline().map_or(before, |usual| before.min(usual)))
    }

    /// The median of a signal before this stretch, which a burst there does not shift; absent with fewer than ten intervals.
    pub(crate) fn median_before<M>(&self, signal: SignalSpec<'_>) -> Option<Amount<M>> {
        let before = self.history()?.span;
        self.episodes.middle(self.recording, signal, before).map(|(median, _)| median)
    }

    /// What was before a moment of this stretch, with the quiet one before it; absent when nothing was.
    pub(crate) fn until(&self, at: Moment) -> Option<Self> {
        let from = self.quiet.map_or(self.span.from, |quiet| quiet.from);
        (from < at).then_some(Self { quiet: None, ..self.over(Span { from, to: at }) })
    }

    /// A harm with what led to it: from where its driver's signal left the baseline, if that lasted until the harm began. A cause
    /// begins when its driver does, and not when free memory is used up.
    pub(crate) fn led_up_to(&self, harm: Span, driver: SignalSpec<'_>) -> Span {
        let slack = intervals(self.recording, 2);
        let leads = |episode: &Span| episode.from <= harm.from && episode.to.later(slack) >= harm.from;
        let driven = self.episodes.of(self.recording, driver);
        let first = driven.iter().map(|(episode, _)| episode).find(|episode| leads(episode));
        first.map_or(harm, |episode| Span { from: episode.from, to: harm.to })
    }

    /// When a signal is far above its baseline within this stretch.
    pub(crate) fn unusual(&self, signal: SignalSpec<'_>) -> Option<Span> {
        merged_span(&self.episodes.of(self.recording, signal), self.span)
    }

    /// A harm with what led to it: back to where its driver's signal began to rise, over pauses of at most ten samples or of the length
    /// of what follows. A flood begins with the first reads into free memory, and not when that is used up.
    pub(crate) fn begun(&self, harm: Span, driver: SignalSpec<'_>) -> Span {
        let begun = self.back(harm, driver);
        driver.of_process().map_or(begun, |process| self.since_start(begun, process))
    }

    /// A harm with the work of a process that leads to it, where that process started within the recording: a program reads, computes
    /// and allocates before it hurts others. Back to where it began to use a CPU, or where the first of several that run one after
    /// another did.
    fn since_start(&self, harm: Span, process: &str) -> Span {
        let begun = self.since_one_start(harm, process);
        let all = || self.recording.entities(Table::Process);
        let Some((_, comm)) = all().find(|(name, _)| *name == process) else { return begun };
        let others = all().filter(|(name, other)| *other == comm && *name != process);
        let mut spans: Vec<Span> = others.filter_map(|(name, _)| self.lives(name)).collect();
        if spans
            .iter()
            .any(|span| self.episodes.span(self.recording).is_none_or(|(from, _)| span.from <= Moment::new(from)))
        {
            return begun;
        }
        spans.push(begun);
        let chains = joined(spans, intervals(self.recording, 2));
        chains
            .into_iter()
            .find(|chain| chain.contains(begun.from))
            .map_or(begun, |chain| Span { from: chain.from, ..begun })
    }

    fn since_one_start(&self, harm: Span, process: &str) -> Span {
        let work = SignalSpec::process(process, &derived::CPUS);
        let first = self.episodes.signal(self.recording, work).and_then(|signal| signal.first());
        let started =
            first.zip(self.episodes.span(self.recording)).is_some_and(|(first, (from, _))| first > Moment::new(from));
        if started { self.back(harm, work) } else { harm }
    }

    /// From the first to the last sample of a process.
    fn lives(&self, process: &str) -> Option<Span> {
        let mut points = self.recording.series(Table::Process, process, "utime")?.points();
        let first = points.next()?.0;
        Some(Span::new(first, points.next_back().map_or(first, |(last, _)| last)))
    }

    /// A harm with what leads to it without a pause: back over the time in which its driver's signal stays above a fiftieth of what it
    /// is during the harm. A driver that was there from the start of the recording leads to nothing: nobody knows when it began.
    pub(crate) fn without_pause(&self, harm: Span, driver: SignalSpec<'_>) -> Span {
        let Some(signal) = self.episodes.signal(self.recording, driver) else { return harm };
        let Some(mean) = signal.mean::<Count>(harm) else { return harm };
        let known = self.episodes.span(self.recording).map_or(harm.from, |(from, _)| Moment::new(from));
        let held = signal.held(mean * 0.02).into_iter().find(|span| span.contains(harm.from));
        held.filter(|held| held.from > known).map_or(harm, |held| Span { from: held.from.min(harm.from), ..harm })
    }

    /// A harm with the growth that led to it and ended at most ten samples before it: what does not fit grew before anybody missed it.
    pub(crate) fn grown(&self, harm: Span, growth: SignalSpec<'_>) -> Span {
        let slack = intervals(self.recording, 10);
        let episodes = self.episodes.of(self.recording, growth);
        let near = |span: &Span| span.from <= harm.from && span.to.later(slack) >= harm.from;
        let last = episodes.iter().map(|(episode, _)| *episode).rfind(near);
        last.map_or(harm, |grew| self.begun(grew, growth).union(harm))
    }

    fn back(&self, harm: Span, driver: SignalSpec<'_>) -> Span {
        let first = self.episodes.span(self.recording).map_or(harm.from, |(from, _)| Moment::new(from));
        let signal = self.episodes.signal(self.recording, driver);
        signal.map_or(harm, |signal| signal.back_from(harm, first, intervals(self.recording, 10)))
    }

    /// The longest time in this stretch for which a signal stays at or above a value.
    pub(crate) fn held<M>(&self, signal: SignalSpec<'_>, least: Amount<M>) -> Option<Span> {
        self.all_held(signal, least).into_iter().max_by_key(|span| span.length())
    }

    /// The times in this stretch for which a signal stays at or above a value.
    pub(crate) fn all_held<M>(&self, signal: SignalSpec<'_>, least: Amount<M>) -> Vec<Span> {
        let held = self.episodes.held(self.recording, signal, least);
        let inside = held.iter().filter(|span| span.overlaps(self.span));
        inside.map(|span| Span { from: span.from.max(self.span.from), to: span.to.min(self.span.to) }).collect()
    }

    /// The same; all of the stretch when the signal has no episode in it.
    pub(crate) fn when(&self, signal: SignalSpec<'_>) -> Span {
        self.unusual(signal).unwrap_or(self.span)
    }

    /// All memory of the host.
    pub(crate) fn memory(&self) -> Option<Amount<Bytes>> {
        let total = Amount::new(self.recording.manifest.memory_total.as_f64());
        if total.is_positive() { Some(total) } else { Some(self.host_level("MemTotal")?.most) }
    }

    /// The bytes that move in a minute, as a share of memory.
    pub(crate) fn turnover(&self, rate: Rate<Bytes>) -> Option<Amount<Ratio>> {
        Some(rate.per_minute() / self.memory()?)
    }

    /// The bytes of it a minute, as a share of memory.
    pub(crate) fn host_turnover(&self, derived: &'static Derived) -> Option<Amount<Ratio>> {
        self.host_bytes(derived).and_then(|rate| self.turnover(rate))
    }

    /// The length; absent when it is 0.
    pub(crate) fn length(&self) -> Option<Nanos> {
        Some(self.span.length()).filter(|length| length.get() > 0)
    }

    /// A figure of the step.
    pub(crate) fn figure<M>(&self, figure: Figure) -> Option<Amount<M>> {
        self.step?.get(figure).map(Amount::new)
    }

    /// A figure of the step with its unit.
    pub(crate) fn quantity(&self, figure: Figure) -> Option<Quantity> {
        self.step?.quantity(figure)
    }

    /// The part of a series that this stretch needs.
    pub(crate) fn series(&self, table: Table, entity: &str, metric: &str) -> Option<Series<'a>> {
        Some(self.recording.series(table, entity, metric)?.around(self.span.from.ns(), self.span.to.ns()))
    }

    /// The points of a series within this stretch, ends included.
    pub(crate) fn points<'s, M>(
        &self,
        series: &'s Series<'a>,
    ) -> impl DoubleEndedIterator<Item = (Moment, Amount<M>)> + use<'s, 'a, M> {
        let points = series.within(self.span.from.ns(), self.span.to.ns());
        points.map(|(at, value)| (Moment::new(at), stored(value)))
    }

    /// The smallest, mean and largest value of a gauge in this stretch.
    pub(crate) fn level<M>(&self, table: Table, entity: &str, metric: &str) -> Option<Level<M>> {
        let series = self.series(table, entity, metric)?;
        let (least, mean, most) = series.summary(self.span.from.ns(), self.span.to.ns())?;
        Some(Level { least: stored(least), mean: Amount::new(mean), most: stored(most) })
    }

    /// The same of the host.
    pub(crate) fn host_level<M>(&self, metric: &str) -> Option<Level<M>> {
        self.level(Table::Host, "", metric)
    }

    /// The first and the last value of a gauge of the host in this stretch, the first from just before it where there is one.
    pub(crate) fn host_ends(&self, metric: &str) -> Option<(Amount<Bytes>, Amount<Bytes>)> {
        let series = self.series(Table::Host, "", metric)?;
        let near = Nanos::new(self.recording.manifest.interval.get().max(1));
        let from = self.span.from;
        let mut within = self.points(&series);
        let first = series.last_within(from.earlier(near).ns(), from.ns()).map(stored);
        let first = first.or_else(|| self.points(&series).next().map(|(_, value)| value))?;
        Some((first, within.next_back()?.1))
    }

    /// How much a gauge of the host changed: from the last value before the stretch, or the first in it, to the last in it.
    pub(crate) fn host_change(&self, metric: &str) -> Option<Amount<Bytes>> {
        self.host_ends(metric).map(|(first, last)| last - first)
    }

    /// The part of this stretch in which a gauge of the host rises most, from a low to a later high.
    pub(crate) fn highest_rise(&self, metric: &str) -> Option<Span> {
        let series = self.series(Table::Host, "", metric)?;
        greatest_rise(self.points(&series)).map(|(_, span)| span)
    }

    /// How much a gauge of the host differs at most over the time in which it was recorded, and that time.
    pub(crate) fn range_of(&self, metric: &str) -> Option<(Amount<Bytes>, Span)> {
        let series = self.recording.host(metric)?;
        let (first, last) = (series.points().next()?.0, series.points().next_back()?.0);
        let (least, _, most) = series.summary(first, last)?;
        (last > first).then(|| (stored::<Bytes>(most) - stored(least), Span::new(first, last)))
    }

    /// How much a counter rose in this stretch; of a stored rate, its mean over the stretch times its length.
    pub(crate) fn rise<M>(&self, table: Table, entity: &str, metric: &str) -> Option<Amount<M>> {
        let series = self.series(table, entity, metric)?;
        match series.column().kind {
            Kind::Counter => series.rise(self.span.from.ns(), self.span.to.ns()).map(stored),
            Kind::Rate => Some(self.rate(table, entity, metric)?.over(self.length()?)),
            Kind::Gauge | Kind::Unknown => None,
        }
    }

    /// The mean rate per second of a counter, or of a stored rate, in this stretch.
    pub(crate) fn rate<M>(&self, table: Table, entity: &str, metric: &str) -> Option<Rate<M>> {
        self.rates(table, entity, &[metric])
    }

    /// The mean of the sum of those rates that exist; absent when none does.
    pub(crate) fn rates<M>(&self, table: Table, entity: &str, metrics: &[&str]) -> Option<Rate<M>> {
        Signal::rate_within(self.recording, table, entity, metrics, self.span)?.mean(self.span)
    }

    /// The same for the host.
    pub(crate) fn host_rate(&self, metrics: &[&str]) -> Option<Rate<Count>> {
        self.rates(Table::Host, "", metrics)
    }

    /// A derived metric of an entity.
    pub(crate) fn derived<M>(&self, table: Table, entity: &str, derived: &'static Derived) -> Option<Amount<M>> {
        let span = (self.span.from.ns(), self.span.to.ns());
        derived.over(self.recording, table, entity, span).map(Amount::new)
    }

    /// A derived metric of events or pages of the host.
    pub(crate) fn host(&self, derived: &'static Derived) -> Option<Rate<Count>> {
        self.derived(Table::Host, "", derived)
    }

    /// A derived metric of pages of the host, in bytes.
    pub(crate) fn host_bytes(&self, derived: &'static Derived) -> Option<Rate<Bytes>> {
        Some(self.bytes_per_second(self.host(derived)?))
    }

    /// The bytes of it over the stretch.
    pub(crate) fn host_amount(&self, derived: &'static Derived) -> Option<Amount<Bytes>> {
        Some(self.host_bytes(derived)?.over(self.length()?))
    }

    /// Swap-in and swap-out together; absent when neither was recorded.
    pub(crate) fn swapped(&self) -> Option<Rate<Bytes>> {
        let both = [&derived::SWAP_IN, &derived::SWAP_OUT].map(|derived| self.host_bytes(derived));
        both.into_iter().flatten().reduce(|one, other| one + other)
    }

    /// A rate of pages in bytes.
    pub(crate) fn bytes_per_second(&self, pages: Rate<Count>) -> Rate<Bytes> {
        Amount::new((Amount::<Pages>::new(pages.get()) * self.page_size()).get())
    }

    /// The bandwidth of a disk.
    pub(crate) fn disk_bytes(&self, disk: &str, derived: &'static Derived) -> Option<Rate<Bytes>> {
        self.derived(Table::Disk, disk, derived)
    }

    /// The bytes that a disk reads and writes.
    pub(crate) fn moved(&self, disk: &str) -> Option<Rate<Bytes>> {
        Some(self.disk_bytes(disk, &derived::READ_BANDWIDTH)? + self.disk_bytes(disk, &derived::WRITE_BANDWIDTH)?)
    }

    /// The share of time for which tasks wait, or CPUs are idle.
    pub(crate) fn share(&self, derived: &'static Derived) -> Option<Amount<Ratio>> {
        self.derived(Table::Host, "", derived)
    }

    /// The disks that requests wait for: those that do the IO themselves, and of those that pass it on the ones that delay it. Of a lab run,
    /// the disk that the run used.
    pub(crate) fn disks(&self) -> Vec<&'a str> {
        let all = self.recording.entities(Table::Disk).map(|(name, _)| name);
        match &self.recording.manifest.workload_disk {
            Some(only) => all.filter(|name| name == only).collect(),
            None => all.filter(|name| self.stacked(name).is_none_or(|disk| self.delays(disk))).collect(),
        }
    }

    /// Whether a disk does the IO itself: not a partition, md or dm, which pass it on. Of a lab run, the disk that the run used.
    pub(crate) fn is_leaf(&self, name: &str) -> bool {
        self.recording.manifest.workload_disk.is_some() || self.stacked(name).is_none()
    }

    /// Whether a disk that lies on others delays requests itself: one takes much longer there than on any disk below it. The elevator may
    /// merge its requests, and split one into several, so their number says nothing.
    fn delays(&self, disk: &Disk) -> bool {
        // A partition is a part of its disk.
        if disk.below.iter().any(|below| disk.name.starts_with(below.as_str())) {
            return false;
        }
        let time = |name: &str| self.disk_await(name).unwrap_or(Amount::ZERO);
        let below = disk.below.iter().map(|below| time(below)).fold(Amount::ZERO, Amount::max);
        let own = time(&disk.name);
        own >= below * DELAYS.get() && own - below >= MIN_DELAY
    }

    /// The disk that does most of something, and how much.
    pub(crate) fn busiest<M>(&self, amount: impl Fn(&str) -> Option<Amount<M>>) -> Option<(&'a str, Amount<M>)> {
        let amounts = self.disks().into_iter().filter_map(|disk| Some((disk, amount(disk)?)));
        amounts.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, most)| most.is_positive())
    }

    /// The sum over all disks that do the IO themselves; absent when none has it.
    pub(crate) fn all_disks<M>(&self, amount: impl Fn(&str) -> Option<Amount<M>>) -> Option<Amount<M>> {
        self.disks().into_iter().filter(|disk| self.is_leaf(disk)).filter_map(amount).reduce(|sum, one| sum + one)
    }

    /// The disks that swap lies on: of a device what does its IO, of a file what its file system lies on; none where the recording
    /// does not say.
    pub(crate) fn swap_disks(&self) -> Vec<&'a str> {
        let manifest = &self.recording.manifest;
        let device = |path: &'a str| {
            let within = |mount: &&String| Path::new(path).starts_with(mount);
            let mounted =
                || manifest.mounts.iter().filter(|(mount, _)| within(mount)).max_by_key(|(mount, _)| mount.len());
            if path.starts_with("/dev/") { Some(path) } else { mounted().map(|(_, device)| device.as_str()) }
        };
        let paths = manifest.swaps.iter().filter_map(|swap| device(&swap.path));
        let mut names: Vec<&str> = paths.filter_map(|path| path.rsplit('/').next()).collect();
        let mut at = 0;
        while let Some(name) = names.get(at).copied() {
            // Each once: a spoiled recording may have them lie on each other.
            let below = self.stacked(name).into_iter().flat_map(|disk| &disk.below);
            below.for_each(|below| {
                if !names.contains(&below.as_str()) {
                    names.push(below)
                }
            });
            at += 1;
        }
        names.retain(|name| self.stacked(name).is_none());
        names.sort_unstable();
        names.dedup();
        names
    }

    /// A disk that passes its IO on to those that it lies on; absent when it does it itself.
    fn stacked(&self, name: &str) -> Option<&'a Disk> {
        self.recording.manifest.disks.iter().find(|disk| disk.name == name && !disk.below.is_empty())
    }

    /// The share of time for which a disk has a request in flight.
    pub(crate) fn busy(&self, disk: &str) -> Option<Amount<Ratio>> {
        self.derived(Table::Disk, disk, &derived::BUSY)
    }

    /// The mean number of requests in flight at a disk.
    pub(crate) fn queue(&self, disk: &str) -> Option<Amount<Count>> {
        self.derived(Table::Disk, disk, &derived::QUEUE_DEPTH)
    }

    /// The mean time of a request at a disk with its queue.
    pub(crate) fn disk_await(&self, disk: &str) -> Option<Amount<Nanos>> {
        self.derived(Table::Disk, disk, &derived::AWAIT)
    }

    /// The mean time of a read at a disk with its queue, where there is at least one a second.
    pub(crate) fn read_await(&self, disk: &str) -> Option<Amount<Nanos>> {
        self.rate::<Count>(Table::Disk, disk, "reads").filter(|reads| reads.get() >= 1.0)?;
        self.derived(Table::Disk, disk, &derived::READ_AWAIT)
    }

    /// The size of a page; 4 KiB when the recording does not say.
    pub(crate) fn page_size(&self) -> PageSize {
        let size = self.recording.manifest.page_size;
        PageSize::new(if size.get() > 0 { size } else { Bytes::new(4096) })
    }
}

/// The stretches in which any signal of them is far above its baseline, overlapping ones joined, in order of time.
fn busy(recording: &Recording, episodes: &Episodes) -> Vec<Span> {
    let mut signals = vec![
        SignalSpec::derived(&SCANNED),
        SignalSpec::derived(&REFAULTED),
        SignalSpec::derived(&derived::MAJOR_FAULTS),
        SignalSpec::host(&["pswpin", "pswpout"]),
        SignalSpec::host(&["drop_pagecache"]),
        SignalSpec::host(&["oom_kill"]),
        SignalSpec::derived(&derived::PSI_MEMORY_SOME),
        SignalSpec::derived(&derived::PSI_IO_SOME),
        SignalSpec::host(&["cpu_iowait_share"]),
        SignalSpec::derived(&derived::PSI_CPU_SOME),
        SignalSpec::host(&["cpu_user", "cpu_nice", "cpu_system"]),
        SignalSpec::host(&["compact_stall"]),
        SignalSpec::host_fall("Cached"),
        SignalSpec::host_growth("AnonPages"),
    ];
    for (disk, _) in recording.entities(Table::Disk) {
        let moved = [&derived::READ_BANDWIDTH, &derived::WRITE_BANDWIDTH];
        signals.extend(moved.map(|derived| SignalSpec::disk(disk, derived)));
        signals.push(SignalSpec::disk_await(disk));
    }
    let all = signals.into_iter().flat_map(|signal| episodes.of(recording, signal).to_vec());
    let all = joined(all.map(|(span, _)| span).collect(), Nanos::new(0));
    let more = losing(recording, episodes).into_iter().filter(|span| !all.iter().any(|known| known.overlaps(*span)));
    joined(all.iter().copied().chain(more).collect(), Nanos::new(0))
}

/// The stretches in which tasks wait for a CPU clearly more than they usually do, though not times as much: a load that doubles on a busy host.
fn losing(recording: &Recording, episodes: &Episodes) -> Vec<Span> {
    let waits = SignalSpec::derived(&derived::PSI_CPU_SOME);
    let usual = episodes.signal(recording, waits).and_then(|signal| signal.baseline::<Ratio>());
    let held = usual.map_or_else(Vec::new, |usual| episodes.held(recording, waits, usual + LOSES).to_vec());
    // What lasts from the start has no time before that it is more than.
    let first =
        recording.span().map_or(Span::ALL.from, |(from, _)| Moment::new(from).later(intervals(recording, LASTS)));
    let lasting = |span: &Span| span.length() >= intervals(recording, LASTS) && span.from >= first;
    joined(held, intervals(recording, 2)).into_iter().filter(lasting).collect()
}

/// How much a value rises most, from a low to a later high, and between which moments.
pub(crate) fn greatest_rise(
    mut points: impl Iterator<Item = (Moment, Amount<Bytes>)>,
) -> Option<(Amount<Bytes>, Span)> {
    let mut low = points.next()?;
    let mut most: Option<(Amount<Bytes>, Span)> = None;
    for (at, value) in points {
        if value < low.1 {
            low = (at, value);
        } else if most.is_none_or(|(rise, _)| value - low.1 > rise) {
            most = Some((value - low.1, Span { from: low.0, to: at }));
        }
    }
    most
}

/// Spans in order of time, those joined that overlap or lie no further apart than `gap`.
pub(crate) fn joined(mut spans: Vec<Span>, gap: Nanos) -> Vec<Span> {
    spans.sort_unstable();
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.from <= last.to.later(gap) => *last = last.union(span),
            _ => joined.push(span),
        }
    }
    joined
}
