//! The stretch of a recording that a rule examines, with the step's figures when it is a step of a lab run.

use crate::measure::amount::{Amount, Count, PageSize, Rate};
use crate::measure::episodes::{Episodes, SignalSpec};
use crate::measure::signal::{Signal, merged_span};
use pagetide_core::derived::{self, Derived};
pub(crate) use pagetide_core::derived::{
    FREED_FOR_HOST as STOLEN, REFAULTS_FILE as REFAULTED, SCANNED_FOR_HOST as SCANNED,
};
use pagetide_core::{
    Bytes, Figure, Kind, Moment, Nanos, Pages, Quantity, Ratio, Recording, Series, Span, StepResult, Table,
};

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
        let (from, to) = episodes.span(recording)?;
        Some(Self { recording, episodes, span: Span::new(from, to), step: None, quiet: None })
    }

    /// The same over another stretch.
    pub(crate) fn over(&self, span: Span) -> Self {
        Self { span, ..*self }
    }

    /// When a signal is far above its baseline within this stretch.
    pub(crate) fn unusual(&self, signal: SignalSpec<'_>) -> Option<Span> {
        merged_span(&self.episodes.of(self.recording, signal), self.span)
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

    /// From the first to the last sample of a process in this stretch.
    pub(crate) fn sampled(&self, process: &str) -> Option<Span> {
        let series = self.series(Table::Process, process, "utime")?;
        let mut points = series.points();
        let first = points.next()?.0;
        Some(Span::new(first, points.next_back().map_or(first, |(last, _)| last)))
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
        self.episodes.mean(self.recording, (table, entity), derived, self.span).map(Amount::new)
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

    /// The share of CPU time for which CPUs idle, whether they wait for IO or not.
    pub(crate) fn idle(&self) -> Option<Amount<Ratio>> {
        Some(self.share(&derived::CPU_IDLE)? + self.share(&derived::CPU_IOWAIT).unwrap_or(Amount::ZERO))
    }

    /// By what the waits of a group, or of the host, for a CPU are measured.
    pub(crate) fn source_of_cpu_waits(&self, group: Option<&str>) -> &'static str {
        self.episodes.source_of_cpu_waits(self.recording, group)
    }

    /// The share of time for which nobody but processes of low priority waits for a CPU, in a group or on the host.
    pub(crate) fn gives_way(&self, group: Option<&str>) -> Amount<Ratio> {
        let given = self.episodes.given_way(self.recording, group, self.span);
        given.unwrap_or(Amount::ZERO)
    }

    /// The size of a page; 4 KiB when the recording does not say.
    pub(crate) fn page_size(&self) -> PageSize {
        let size = self.recording.manifest.page_size;
        PageSize::new(if size.get() > 0 { size } else { Bytes::new(4096) })
    }
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
