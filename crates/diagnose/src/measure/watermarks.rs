//! Free memory against the high watermarks, at which kswapd stops.

use crate::measure::amount::{Amount, Count, Limit};
use crate::measure::window::{Window, stored};
use pagetide_core::{Bytes, Moment, Pages, Ratio, Table};

/// Free memory that shortage cannot explain, in high watermarks.
pub(crate) const FAR: Limit<Count> = Limit::new(
    "free memory, in multiples of the sum of the high watermarks",
    4.0,
    "kswapd stops at one; several zones and a burst of freeing explain two.",
    "mm/vmscan.c: pgdat_balanced (6.12), and judgement",
);

/// Size of a zone that programs use.
pub(crate) const SIZE: Limit<Ratio> =
    Limit::new("zone size, as a share of memory", 0.05, "Programs use little of smaller zones.", "judgement");
/// Free pages of a zone that is short.
pub(crate) const SHORT: Limit<Count> = Limit::new(
    "free pages of the zone, in multiples of its low watermark, at most",
    2.0,
    "kswapd starts at one; the mean over a stretch is above its minimum.",
    "mm/page_alloc.c: wake_all_kswapds (6.12)",
);
/// Free memory of the zones that are not.
pub(crate) const FREE: Limit<Ratio> = Limit::new(
    "free memory of the other zones, as a share of memory",
    0.1,
    "With less, the whole host is short.",
    "judgement",
);

/// What watermarks are read from.
pub(crate) const METRICS: &[&str] = &["free", "low", "high", "managed"];

/// A zone over a window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Zone<'a> {
    /// `node0/Normal`.
    pub(crate) name: &'a str,
    pub(crate) free: Amount<Pages>,
    pub(crate) low: Amount<Pages>,
    pub(crate) high: Amount<Pages>,
    pub(crate) managed: Amount<Pages>,
}

impl Zone<'_> {
    /// The node that it belongs to.
    pub(crate) fn node(&self) -> &str {
        self.name.split('/').next().unwrap_or(self.name)
    }
}

/// A large zone that is short, and what the other zones have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Imbalance<'a> {
    pub(crate) short: Zone<'a>,
    pub(crate) free: Amount<Pages>,
    pub(crate) high: Amount<Pages>,
}

/// The zone that is shortest while much is free in the others; absent where all are short, or none.
pub(crate) fn imbalance<'a>(window: &Window<'a>) -> Option<Imbalance<'a>> {
    let memory = window.memory()?;
    let bytes = |pages: Amount<Pages>| pages * window.page_size();
    let zones = window.recording.entities(Table::Zone).filter_map(|(name, _)| zone(window, name));
    let zones: Vec<Zone<'_>> = zones.collect();
    let large = zones.iter().filter(|zone| bytes(zone.managed) >= memory * SIZE && zone.low.is_positive());
    let short = *large.min_by(|a, b| (a.free / a.low).total_cmp(&(b.free / b.low)))?;
    let others = || zones.iter().filter(|zone| zone.name != short.name);
    let free = others().fold(Amount::ZERO, |sum, zone| sum + zone.free);
    let high = others().fold(Amount::ZERO, |sum, zone| sum + zone.high);
    let balanced = short.free > short.low * SHORT || bytes(free) < memory * FREE || free < high * FAR;
    (!balanced).then_some(Imbalance { short, free, high })
}

fn zone<'a>(window: &Window<'_>, name: &'a str) -> Option<Zone<'a>> {
    let mean = |metric: &str| window.level(Table::Zone, name, metric).map(|level| level.mean);
    Some(Zone { name, free: mean("free")?, low: mean("low")?, high: mean("high")?, managed: mean("managed")? })
}

/// Free memory, the sum of the high watermarks, and when both were recorded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FarAbove {
    pub(crate) free: Amount<Bytes>,
    pub(crate) high: Amount<Bytes>,
    pub(crate) at: Moment,
}

/// Free memory and the high watermarks wherever in the recording zones were recorded; absent unless much more is free.
pub(crate) fn far_above(window: &Window<'_>) -> Option<FarAbove> {
    let (high, at) = high(window)?;
    let zones = window.recording.entities(Table::Zone);
    let free = zones.filter_map(|(zone, _)| window.recording.series(Table::Zone, zone, "free")?.at(at.ns()));
    let free: Amount<Bytes> = stored::<Pages>(free.reduce(i64::saturating_add)?) * window.page_size();
    (free > high * FAR).then_some(FarAbove { free, high, at })
}

/// Whether free memory stays far above the high watermarks: what is evicted meanwhile is not evicted because memory is short.
pub(crate) fn stays_far_above(window: &Window<'_>) -> bool {
    let free = window.host_level::<Bytes>("MemFree").map(|free| free.least);
    free.zip(high(window)).is_some_and(|(free, (high, _))| high.is_positive() && free > high * FAR)
}

/// The sum of the high watermarks, at the last moment before the end of the window or the first after, and that moment.
pub(crate) fn high(window: &Window<'_>) -> Option<(Amount<Bytes>, Moment)> {
    let marks = window.recording.entities(Table::Zone).filter_map(|(zone, _)| {
        let series = window.recording.series(Table::Zone, zone, "high")?;
        series.around(window.span.to.ns(), window.span.to.ns()).points().next()
    });
    let sum = marks.map(|(at, pages)| (pages as f64, at)).reduce(|a, b| (a.0 + b.0, a.1.max(b.1)));
    sum.map(|(pages, at)| (Amount::<Pages>::new(pages) * window.page_size(), Moment::new(at)))
}
