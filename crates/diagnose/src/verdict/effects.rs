//! What happens on a host, as the links of a chain: each effect with its onset, its amount and its numbers.

use crate::evidence::threshold::{FAULTS, GROWTH, STALL_RATE, TURNOVER};
use crate::evidence::{compared, measured};
use crate::ledger::waits;
use crate::measure::amount::{Amount, Count, Per, Rate};
use crate::measure::episodes::SignalSpec;
use crate::measure::signal::Signal;
use crate::measure::window::{REFAULTED, SCANNED, STOLEN, Window, stored};
use crate::rules::contract::EffectKind;
use pagetide_core::derived;
use pagetide_core::{Bytes, Evidence, Kind, Moment, Nanos, Ratio, Relation, Span, Table, on_all_cores};
use std::sync::Arc;

/// An effect in a recording.
#[derive(Debug, Clone)]
pub(crate) struct Effect {
    pub(crate) kind: EffectKind,
    /// The disk on which it happens.
    pub(crate) disk: Option<String>,
    pub(crate) words: String,
    pub(crate) span: Span,
    /// How exactly its onset is known.
    pub(crate) resolution: Nanos,
    /// The bytes that it moves.
    pub(crate) flow: Option<Rate<Bytes>>,
    pub(crate) evidence: Vec<Evidence>,
    /// Whether it happened at another time than the cause, in a part of the recording that has other metrics.
    pub(crate) elsewhere: bool,
}

impl Effect {
    fn new(kind: EffectKind, words: String, (span, resolution): (Span, Nanos), evidence: Vec<Evidence>) -> Self {
        Self { kind, disk: None, words, span, resolution, flow: None, evidence, elsewhere: false }
    }
}

/// Share of time for which tasks wait that people notice.
const WAITING: f64 = 0.05;
/// What follows the time of a request.
pub(crate) const PER_REQUEST: &str = " per request";
/// Share of time for which a device is busy that makes others wait.
const BUSY: f64 = 0.7;

/// What effects read beside what windows read.
pub(crate) const METRICS: &[&str] = &["Slab", "Active(file)"];

/// All effects in a window, in the order of [`EffectKind`].
pub(crate) fn all(window: &Window<'_>) -> Vec<Effect> {
    let of_disks = on_all_cores(&window.disks(), |disk| of_disk(window, disk));
    let mut effects: Vec<Effect> = of_disks.into_iter().flatten().collect();
    effects.extend(growth(window, EffectKind::AnonGrows, "AnonPages", "anonymous memory"));
    effects.extend(growth(window, EffectKind::SlabGrows, "Slab", "slab memory"));
    effects.extend(reclaim(window));
    effects.extend(cache_lost(window));
    effects.extend(counted(window));
    effects.extend(waits(window));
    effects.sort_by_key(|effect| effect.kind);
    effects
}

/// A signal, when it is far above its baseline within a window, and how exactly that is known.
fn placed(window: &Window<'_>, spec: SignalSpec<'_>) -> Option<(Arc<Signal>, (Span, Nanos))> {
    let signal = window.episodes.signal(window.recording, spec)?;
    let span = window.when(spec);
    let resolution = signal.resolution(span.from);
    Some((signal, (span, resolution)))
}

/// Whether a rate of bytes matters to what is cached.
fn matters(window: &Window<'_>, rate: Rate<Bytes>) -> bool {
    rate.is_positive() && rate.per_minute() >= window.memory().unwrap_or(Amount::ZERO) * TURNOVER
}

fn of_disk(window: &Window<'_>, disk: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    let moved = [
        (EffectKind::Reads, &derived::READ_BANDWIDTH, "reads", "read_sectors"),
        (EffectKind::Writes, &derived::WRITE_BANDWIDTH, "writes", "write_sectors"),
    ];
    for (kind, derived, verb, source) in moved {
        let Some((signal, place)) = placed(window, SignalSpec::disk(disk, derived)) else { continue };
        let Some(rate) = signal.mean::<Per<Bytes>>(place.0) else { continue };
        if !matters(window, rate) {
            continue;
        }
        let source = format!("{source} of {disk}");
        let evidence = vec![measured(place.0, "bytes per second", source, rate)];
        let effect = Effect::new(kind, format!("{disk} {verb} {rate}"), place, evidence);
        effects.push(Effect { disk: Some(disk.to_owned()), flow: Some(rate), ..effect });
    }
    let Some((_, place)) = placed(window, SignalSpec::disk(disk, &derived::BUSY)) else { return effects };
    let during = window.over(place.0);
    let Some(share) = during.busy(disk).filter(|share| share.get() >= BUSY) else { return effects };
    // What was counted late counts in the next interval.
    let share = share.min(Amount::new(1.0));
    let mut words = format!("{disk} is busy {share} of the time");
    let mut evidence = vec![measured(place.0, "share of time busy", format!("io_ms or util of {disk}"), share)];
    if let Some(queue) = during.queue(disk) {
        let source = format!("weighted_io_ms or queue_depth of {disk}");
        evidence.push(measured(place.0, "requests in flight", source, queue));
    }
    if let Some(time) = during.disk_await(disk) {
        words += &format!(", {time}{PER_REQUEST}");
        let source = format!("read_ms + write_ms per request, or await_ms of {disk}");
        evidence.push(measured(place.0, "time per request, queue included", source, time));
    }
    let flow = during.moved(disk);
    effects.push(Effect {
        disk: Some(disk.to_owned()),
        flow,
        ..Effect::new(EffectKind::DiskBusy, words, place, evidence)
    });
    effects
}

fn growth(window: &Window<'_>, kind: EffectKind, metric: &'static str, name: &str) -> Option<Effect> {
    let grown = window.host_change(metric)?;
    if grown < window.memory()? * GROWTH {
        return None;
    }
    let (_, place) = placed(window, SignalSpec::host_growth(metric))?;
    let length = Some(place.0.length()).filter(|length| length.get() > 0);
    let evidence = vec![measured(place.0, "growth", metric, grown)];
    let effect = Effect::new(kind, format!("{name} grows by {grown}"), place, evidence);
    Some(Effect { flow: length.map(|length| grown.per(length)), ..effect })
}

fn reclaim(window: &Window<'_>) -> Option<Effect> {
    let (signal, place) = placed(window, SignalSpec::derived(&SCANNED))?;
    let scanned = signal.mean(place.0).filter(|rate: &Rate<Count>| rate.is_positive())?;
    let during = window.over(place.0);
    let freed = during.host_bytes(&STOLEN)?;
    if freed.per_minute() < window.memory().unwrap_or(Amount::ZERO) * TURNOVER {
        return None;
    }
    let evidence = vec![
        measured(place.0, "pages scanned", "pgscan_kswapd + pgscan_direct", scanned),
        measured(place.0, "bytes freed", "pgsteal * page size", freed),
    ];
    let direct = during.host(&derived::SCANNED_DIRECT).is_some_and(|direct| direct > scanned * 0.5);
    let words = if direct { format!("direct reclaim frees {freed}") } else { format!("kswapd reclaims {freed}") };
    Some(Effect { flow: Some(freed), ..Effect::new(EffectKind::Reclaim, words, place, evidence) })
}

fn cache_lost(window: &Window<'_>) -> Option<Effect> {
    let series = window.series(Table::Host, "", "Cached").filter(|series| series.column().kind == Kind::Gauge)?;
    let points: Vec<(i64, i64)> = series.points().filter(|(at, _)| *at <= window.span.to.ns()).collect();
    // The deepest fall from any earlier value.
    let with_highest = points.iter().scan(i64::MIN, |highest, (at, value)| {
        *highest = (*highest).max(*value);
        Some((*at, *value, *highest))
    });
    let (low_at, low, high) = with_highest.max_by_key(|(_, value, highest)| highest.saturating_sub(*value))?;
    let lost: Amount<Bytes> = stored(high.saturating_sub(low));
    if lost < (window.memory()? * 0.02).max(stored::<Bytes>(high) * 0.1) {
        return None;
    }
    // From the last value near the top to the first one near the bottom.
    let near_top = |value: i64| value.saturating_sub(low) as f64 >= lost.get() * 0.95;
    let (from, _) = points.iter().copied().rfind(|(at, value)| *at <= low_at && near_top(*value))?;
    let near_bottom = |(at, value): &&(i64, i64)| *at > from && (*value - low) as f64 <= lost.get() * 0.05;
    let to = points.iter().find(near_bottom).map_or(low_at, |point| point.0);
    let (span, low_at) = (Span::new(from, to), Moment::new(low_at));
    let words = format!("the file cache shrinks by {lost} in {}", span.length());
    let at = |at: Moment| Span { from: at, to: at };
    let mut evidence = vec![
        measured(at(span.from), "file cache before", "Cached", stored::<Bytes>(high)),
        measured(at(low_at), "file cache after", "Cached", stored::<Bytes>(low)),
    ];
    if let Some(active) = window.recording.host("Active(file)")
        && let Some((before, after)) = active.at(from).zip(active.at(low_at.ns()))
    {
        let (before, after) = (stored::<Bytes>(before), stored::<Bytes>(after));
        let left = measured(Span { from: span.from, to: low_at }, "active file pages left", "Active(file)", after);
        let against = Some(compared(after, Relation::Below, before));
        evidence.push(Evidence { against, ..left });
    }
    let interval = points.windows(2).find(|pair| pair[0].0 == from);
    let resolution = interval
        .map_or(window.recording.manifest.interval, |pair| Moment::new(pair[1].0).since(Moment::new(pair[0].0)));
    let length = Some(span.length()).filter(|length| length.get() > 0);
    let effect = Effect::new(EffectKind::CacheLost, words, (span, resolution), evidence);
    Some(Effect { flow: length.map(|length| lost.per(length)), ..effect })
}

/// A counter of the host, and from which rate on it matters.
struct Counter {
    kind: EffectKind,
    spec: SignalSpec<'static>,
    /// Events per second, at least, to matter; for pages, [`TURNOVER`] decides.
    least: Option<f64>,
    before: &'static str,
    after: &'static str,
    source: &'static str,
}

#[rustfmt::skip]
const COUNTERS: [Counter; 6] = [
    Counter { kind: EffectKind::Compaction, spec: SignalSpec::host(&["compact_stall"]), least: Some(STALL_RATE.get()), before: "", after: " direct compactions", source: "compact_stall" },
    Counter { kind: EffectKind::DirectReclaim, spec: SignalSpec::derived(&derived::DIRECT_RECLAIMS), least: Some(STALL_RATE.get()), before: "", after: " direct reclaims", source: "allocstall, all zones" },
    Counter { kind: EffectKind::SwapOut, spec: SignalSpec::derived(&derived::SWAP_OUT), least: None, before: "reclaim swaps out ", after: "", source: "pswpout * page size" },
    Counter { kind: EffectKind::SwapIn, spec: SignalSpec::derived(&derived::SWAP_IN), least: None, before: "tasks swap in ", after: "", source: "pswpin * page size" },
    Counter { kind: EffectKind::Refaults, spec: SignalSpec::derived(&REFAULTED), least: None, before: "evicted file pages refault at ", after: "", source: "workingset_refault_file * page size" },
    Counter { kind: EffectKind::MajorFaults, spec: SignalSpec::derived(&derived::MAJOR_FAULTS), least: Some(FAULTS.get()), before: "", after: " major faults", source: "pgmajfault" },
];

/// What the kernel counts.
fn counted(window: &Window<'_>) -> Vec<Effect> {
    let effect = |counter: &Counter| {
        let (signal, place) = placed(window, counter.spec)?;
        let rate: Rate<Count> = signal.mean(place.0)?;
        let what = format!("{}{}", counter.before, counter.after).trim().to_owned();
        let words = |amount: String| format!("{}{amount}{}", counter.before, counter.after);
        match counter.least {
            Some(least) => (rate.get() >= least).then(|| {
                let evidence = vec![measured(place.0, what, counter.source, rate)];
                Effect::new(counter.kind, words(rate.to_string()), place, evidence)
            }),
            None => {
                let flow = Some(window.bytes_per_second(rate)).filter(|flow| matters(window, *flow))?;
                let evidence = vec![measured(place.0, what, counter.source, flow)];
                Some(Effect { flow: Some(flow), ..Effect::new(counter.kind, words(flow.to_string()), place, evidence) })
            }
        }
    };
    COUNTERS.iter().filter_map(effect).collect()
}

/// Which tasks wait, by pressure stall information, else by what older tools print.
fn waits(window: &Window<'_>) -> Vec<Effect> {
    let mut effects: Vec<Effect> = Vec::new();
    let kinds = [
        (EffectKind::CpuWaits, &derived::PSI_CPU_SOME, "tasks wait for a CPU"),
        (EffectKind::MemoryWaits, &derived::PSI_MEMORY_SOME, "tasks wait for memory"),
        (EffectKind::IoWaits, &derived::PSI_IO_SOME, "tasks wait for IO"),
        (EffectKind::IoWaits, &derived::CPU_IOWAIT, "CPUs are in iowait"),
    ];
    for (kind, derived, name) in kinds {
        if effects.iter().any(|effect| effect.kind == kind) {
            continue;
        }
        let Some((signal, place)) = placed(window, SignalSpec::derived(derived)) else { continue };
        let share: Option<Amount<Ratio>> = signal.mean(place.0);
        // The reclaim of kswapd counts as a wait for memory, and no program waits for it.
        let own = if kind == EffectKind::MemoryWaits { waits::kswapd_share(window, place.0) } else { Amount::ZERO };
        let source = match kind {
            _ if own.is_positive() => format!("{} - CPU time of kswapd", derived.name),
            EffectKind::CpuWaits => window.source_of_cpu_waits(None).to_owned(),
            _ => derived.name.to_owned(),
        };
        let Some(share) = share.map(|share| share - own).filter(|share| share.get() >= WAITING) else { continue };
        let evidence = vec![measured(place.0, "share of time", source, share)];
        effects.push(Effect::new(kind, format!("{name} {share} of the time"), place, evidence));
    }
    effects
}
