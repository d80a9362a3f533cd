//! What can be seen to happen on a host, as the links of a chain: each with its onset, its amount and its numbers.

use crate::episodes::Of;
use crate::signal::{Signal, interval};
use crate::window::{REFAULTED, SCANNED, STALLS, STOLEN, Window};
use pagetide_core::{Evidence, Kind, Quantity, Table, Unit};

/// A kind of thing that happens. The order is the one in which effects follow from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    Reads,
    Writes,
    AnonGrows,
    SlabGrows,
    Compaction,
    Reclaim,
    DirectReclaim,
    CacheLost,
    SwapOut,
    SwapIn,
    Refaults,
    MajorFaults,
    DiskBusy,
    MemoryWaits,
    IoWaits,
    CpuWaits,
}

/// Something that happened.
#[derive(Debug, Clone)]
pub(crate) struct Effect {
    pub(crate) what: What,
    /// The disk, of what happens to one.
    pub(crate) disk: Option<String>,
    pub(crate) words: String,
    pub(crate) range: (i64, i64),
    /// How exactly its onset is known.
    pub(crate) resolution: i64,
    /// Bytes per second that it moved, when it moved any.
    pub(crate) flow: Option<f64>,
    pub(crate) evidence: Vec<Evidence>,
    /// Whether it was seen at another time than the cause, in a part of the recording that has other metrics.
    pub(crate) elsewhere: bool,
}

/// Major faults per second that a program notices: each waits for a device, for 0.1 to 10 ms.
const FAULTS: f64 = 10.0;
/// Part of the time that tasks wait which people notice.
const WAITING: f64 = 0.05;
/// Part of memory below which a change of it is noise.
const CHANGE: f64 = 0.01;

/// All that happens in a window, in the order of [`What`].
pub(crate) fn all(window: &Window<'_>) -> Vec<Effect> {
    let mut effects = Vec::new();
    for disk in window.disks() {
        effects.extend(of_disk(window, disk));
    }
    effects.extend(growth(window, What::AnonGrows, "AnonPages", "anonymous memory"));
    effects.extend(growth(window, What::SlabGrows, "Slab", "slab"));
    effects.extend(reclaim(window));
    effects.extend(cache_lost(window));
    effects.extend(rates(window));
    effects.extend(waits(window));
    effects.sort_by_key(|effect| effect.what);
    effects
}

fn evidence(range: (i64, i64), what: &str, source: &str, value: Quantity) -> Evidence {
    Evidence { what: what.to_owned(), source: source.to_owned(), range, value, against: None }
}

fn per_second(value: f64) -> Quantity {
    Quantity::new(value, Unit::PerSecond)
}

fn flow(value: f64) -> Quantity {
    Quantity::new(value, Unit::BytesPerSecond)
}

/// A signal, where it is unusual within a window, and how exactly that is known.
fn placed(window: &Window<'_>, of: Of<'_>) -> Option<(Signal, (i64, i64), i64)> {
    let signal = of.signal(window.recording)?;
    let range = window.when(of);
    let resolution = signal.resolution(range.0);
    Some((signal, range, resolution))
}

fn of_disk(window: &Window<'_>, disk: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    let signal = |metrics| placed(window, Of::disk(disk, metrics));
    let base = |what, range, resolution, words: String| {
        let disk = Some(disk.to_owned());
        Effect { what, disk, words, range, resolution, flow: None, evidence: Vec::new(), elsewhere: false }
    };
    const MOVED: [(What, &[&str], &str); 2] =
        [(What::Reads, &["read_sectors"], "is read"), (What::Writes, &["write_sectors"], "is written")];
    for (what, metrics, verb) in MOVED {
        let Some((signal, range, resolution)) = signal(metrics) else { continue };
        let Some(rate) = signal.mean(range.0, range.1).map(|sectors| sectors * 512.0) else { continue };
        // A block now and then is no event: it needs a hundredth of memory a minute to matter.
        if rate * 60.0 < window.memory().unwrap_or(0.0) * CHANGE || rate <= 0.0 {
            continue;
        }
        let mut effect = base(what, range, resolution, format!("{disk} {verb} at {}", flow(rate)));
        effect.flow = Some(rate);
        let source = format!("{} of {disk}", metrics.concat());
        effect.evidence.push(evidence(range, "bytes per second", &source, flow(rate)));
        effects.push(effect);
    }
    let Some((_, range, resolution)) = signal(&["io_ms"]).or_else(|| signal(&["util"])) else { return effects };
    let at_it = Window { from: range.0, to: range.1, ..*window };
    let Some(part) = at_it.busy(disk).filter(|part| *part >= 0.7) else { return effects };
    let mut effect =
        base(What::DiskBusy, range, resolution, format!("{disk} is busy {} of the time", Quantity::ratio(part)));
    effect.evidence.push(evidence(
        range,
        "part of the time busy",
        &format!("io_ms or util of {disk}"),
        Quantity::ratio(part),
    ));
    if let Some(queue) = at_it.queue(disk) {
        effect.evidence.push(evidence(
            range,
            "requests in flight",
            &format!("weighted_io_ms or queue_depth of {disk}"),
            Quantity::count(queue),
        ));
    }
    if let Some(wait) = at_it.wait(disk) {
        effect.words += &format!(", {} per request", Quantity::new(wait, Unit::Nanos));
        effect.evidence.push(evidence(
            range,
            "time of a request with its queue",
            &format!("read_ms + write_ms per request, or await_ms of {disk}"),
            Quantity::new(wait, Unit::Nanos),
        ));
    }
    effect.flow = at_it.rate(Table::Disk, disk, "read_sectors").map(|sectors| sectors * 512.0);
    effects.push(effect);
    effects
}

fn growth(window: &Window<'_>, what: What, metric: &'static str, name: &str) -> Option<Effect> {
    let (first, last) = window.host_ends(metric)?;
    let grown = last - first;
    if grown < window.memory()? * 0.05 {
        return None;
    }
    let (_, range, resolution) = placed(window, Of::host_growth(metric))?;
    let seconds = (range.1 - range.0) as f64 / 1e9;
    let bytes = Quantity::new(grown, Unit::Bytes);
    Some(Effect {
        what,
        disk: None,
        words: format!("{name} grows by {bytes}"),
        range,
        resolution,
        flow: (seconds > 0.0).then(|| grown / seconds),
        evidence: vec![evidence(range, "growth", metric, bytes)],
        elsewhere: false,
    })
}

fn reclaim(window: &Window<'_>) -> Option<Effect> {
    let (signal, range, resolution) = placed(window, Of::host(SCANNED))?;
    let scanned = signal.mean(range.0, range.1).filter(|rate| *rate > 0.0)?;
    let at_it = Window { from: range.0, to: range.1, ..*window };
    let freed = at_it.host_rate(STOLEN).map(|pages| pages * window.page_size());
    if freed? * 60.0 < window.memory().unwrap_or(0.0) * CHANGE {
        return None;
    }
    let mut all = vec![evidence(range, "pages scanned", "pgscan_kswapd + pgscan_direct", per_second(scanned))];
    all.extend(freed.map(|freed| evidence(range, "bytes freed", "pgsteal * page size", flow(freed))));
    let who = if at_it.host_rate(&["pgscan_direct"]).is_some_and(|direct| direct > scanned * 0.5) {
        "programs themselves reclaim"
    } else {
        "kswapd reclaims"
    };
    let words = format!("{who} {}", flow(freed?));
    Some(Effect {
        what: What::Reclaim,
        disk: None,
        words,
        range,
        resolution,
        flow: freed,
        evidence: all,
        elsewhere: false,
    })
}

fn cache_lost(window: &Window<'_>) -> Option<Effect> {
    let series = window.recording.host("Cached").filter(|series| series.column().kind == Kind::Gauge)?;
    let near = series.around(window.from, window.to);
    let points: Vec<(i64, i64)> = near.points().filter(|(at, _)| *at <= window.to).collect();
    let before = |at: i64| points.iter().filter(move |(then, _)| *then <= at).map(|(_, value)| *value).max();
    // The deepest fall from anything that was there before.
    let (low_at, low) = points.iter().copied().max_by_key(|(at, value)| before(*at).unwrap_or(*value) - value)?;
    let high = before(low_at)?;
    let lost = (high - low) as f64;
    if lost < (window.memory()? * 0.02).max(high as f64 * 0.1) {
        return None;
    }
    // Nearly all was still there then, and nearly all that goes had gone.
    let near_top = |value: i64| (value - low) as f64 >= lost * 0.95;
    let (from, _) = points.iter().copied().rfind(|(at, value)| *at <= low_at && near_top(*value))?;
    let to = points
        .iter()
        .find(|(at, value)| *at > from && (*value - low) as f64 <= lost * 0.05)
        .map_or(low_at, |point| point.0);
    let seconds = (to - from) as f64 / 1e9;
    let took = Quantity::new((to - from) as f64, Unit::Nanos);
    let bytes = |value: i64| Quantity::new(value as f64, Unit::Bytes);
    let words = format!("the file cache loses {} in {took}", Quantity::new(lost, Unit::Bytes));
    let mut all = vec![
        evidence((from, from), "file cache before", "Cached", bytes(high)),
        evidence((low_at, low_at), "file cache after", "Cached", bytes(low)),
    ];
    if let Some(active) = window.recording.host("Active(file)") {
        let active = active.at(from).zip(active.at(low_at));
        all.extend(active.map(|(before, after)| {
            let against = Some((pagetide_core::Relation::Below, bytes(before)));
            Evidence { against, ..evidence((from, low_at), "active file pages left", "Active(file)", bytes(after)) }
        }));
    }
    let resolution = points
        .windows(2)
        .find(|pair| pair[0].0 == from)
        .map_or(interval(window.recording), |pair| pair[1].0 - pair[0].0);
    let flow = (seconds > 0.0).then(|| lost / seconds);
    Some(Effect {
        what: What::CacheLost,
        disk: None,
        words,
        range: (from, to),
        resolution,
        flow,
        evidence: all,
        elsewhere: false,
    })
}

/// A counter of the host, and from which rate on it matters.
struct Counted {
    what: What,
    metrics: &'static [&'static str],
    least: f64,
    /// Whether it counts pages that were moved, and not events.
    moves: bool,
    words: &'static str,
    source: &'static str,
}

/// What the kernel counts. What moves pages matters from a hundredth of memory a minute on.
fn rates(window: &Window<'_>) -> Vec<Effect> {
    let page = window.page_size();
    let pages = window.memory().unwrap_or(0.0) * CHANGE / 60.0 / page;
    let moves = |what, metrics, words, source| Counted { what, metrics, least: pages, moves: true, words, source };
    let events = |what, metrics, least, words, source| Counted { what, metrics, least, moves: false, words, source };
    let kinds = [
        events(What::Compaction, &["compact_stall"], 1.0, "direct compactions", "compact_stall"),
        events(What::DirectReclaim, STALLS, 1.0, "direct reclaims", "allocstall, all zones"),
        moves(What::SwapOut, &["pswpout"], "swap takes in", "pswpout * page size"),
        moves(What::SwapIn, &["pswpin"], "memory comes back from swap at", "pswpin * page size"),
        moves(What::Refaults, REFAULTED, "evicted file pages are read back at", "workingset_refault_file * page size"),
        events(What::MajorFaults, &["pgmajfault"], FAULTS, "major faults", "pgmajfault"),
    ];
    let seen = kinds.into_iter().filter_map(|kind| {
        let (signal, range, resolution) = placed(window, Of::host(kind.metrics))?;
        let rate = signal.mean(range.0, range.1).filter(|rate| *rate >= kind.least && *rate > 0.0)?;
        let (value, words) = if kind.moves {
            (flow(rate * page), format!("{} {}", kind.words, flow(rate * page)))
        } else {
            (per_second(rate), format!("{} {}", per_second(rate), kind.words))
        };
        Some(Effect {
            what: kind.what,
            disk: None,
            words,
            range,
            resolution,
            flow: kind.moves.then_some(rate * page),
            evidence: vec![evidence(range, kind.words, kind.source, value)],
            elsewhere: false,
        })
    });
    seen.collect()
}

/// Who waits, by pressure stall information, else by what older tools print.
fn waits(window: &Window<'_>) -> Vec<Effect> {
    let mut effects = Vec::new();
    const KINDS: [(What, &[&str], f64, &str); 4] = [
        (What::CpuWaits, &["psi_cpu_some"], 1e6, "tasks wait for a CPU"),
        (What::MemoryWaits, &["psi_memory_some"], 1e6, "tasks wait for memory"),
        (What::IoWaits, &["psi_io_some"], 1e6, "tasks wait for IO"),
        (What::IoWaits, &["cpu_iowait_share"], 1.0, "CPUs idle for IO"),
    ];
    for (what, metrics, unit, name) in KINDS {
        if effects.iter().any(|effect: &Effect| effect.what == what) {
            continue;
        }
        let Some((signal, range, resolution)) = placed(window, Of::host(metrics)) else { continue };
        let Some(part) = signal.mean(range.0, range.1).map(|rate| rate / unit).filter(|part| *part >= WAITING) else {
            continue;
        };
        let words = format!("{name} {} of the time", Quantity::ratio(part));
        let evidence = vec![evidence(range, "part of the time", &metrics.concat(), Quantity::ratio(part))];
        effects.push(Effect { what, disk: None, words, range, resolution, flow: None, evidence, elsewhere: false });
    }
    effects
}
