//! Free memory against the high watermarks, at which kswapd stops.

use crate::amount::{Amount, Count, Limit};
use crate::window::{Window, stored};
use pagetide_core::{Bytes, Moment, Table};

/// Free memory that shortage cannot explain, in high watermarks.
pub(crate) const FAR: Limit<Count> = Limit::new(
    "free memory, in sums of the high watermarks",
    4.0,
    "kswapd stops at one; several zones and a burst of freeing explain two.",
    "mm/vmscan.c: pgdat_balanced (6.12), and judgement",
);

/// What watermarks are read from.
pub(crate) const METRICS: &[&str] = &["free", "high"];

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
    let free: Amount<Bytes> = stored::<Bytes>(free.reduce(i64::saturating_add)?) * window.page_size();
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
        let before = series.points().rfind(|(at, _)| *at <= window.span.to.ns());
        before.or_else(|| series.points().next())
    });
    let sum = marks.map(|(at, pages)| (pages as f64, at)).reduce(|a, b| (a.0 + b.0, a.1.max(b.1)));
    sum.map(|(pages, at)| (Amount::new(pages * window.page_size()), Moment::new(at)))
}
