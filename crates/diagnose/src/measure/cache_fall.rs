//! When the file cache falls, and whether reclaim took its pages.

use crate::measure::amount::{Amount, Limit};
use crate::measure::window::{STOLEN, Window};
use pagetide_core::derived;
use pagetide_core::{Bytes, Pages, Ratio, Span, Table};

/// What reclaim frees at most where it is not why the cache falls.
pub(crate) const RECLAIMED: Limit<Ratio> = Limit::new(
    "bytes that reclaim freed per byte of cache lost, at most, where a program dropped it",
    0.2,
    "Every page that reclaim takes counts as stolen.",
    "mm/vmscan.c: shrink_folio_list, count_vm_events (6.12)",
);

/// The part of a window in which cached bytes (`Cached` or `Buffers`) fell: from the last moment near their largest value to the first near their
/// smallest.
pub(crate) fn of<'a>(window: &Window<'a>, metric: &str) -> Option<Window<'a>> {
    let points: Vec<_> = window.points::<Bytes>(&window.series(Table::Host, "", metric)?).collect();
    let most = points.iter().map(|(_, value)| *value).reduce(Amount::max)?;
    let least = points.iter().map(|(_, value)| *value).reduce(Amount::min)?;
    let near = (most - least) * 0.03;
    let end = points.iter().position(|(_, value)| *value <= least + near)?;
    let (from, _) = *points[..end].iter().rfind(|(_, value)| *value >= most - near)?;
    Some(window.over(Span { from, to: points[end].0 }))
}

/// Whether the recording shows that reclaim, for the host or for a group, did not take what the cache lost.
pub(crate) fn without_reclaim(fall: &Window<'_>, lost: Amount<Bytes>) -> bool {
    let most = lost * RECLAIMED.get();
    let of_group = |(group, _): (&str, _)| {
        let freed = fall.rise::<Pages>(Table::Cgroup, group, "pgsteal");
        freed.is_some_and(|freed| freed * fall.page_size() >= most)
    };
    let for_groups = fall.host(&derived::SCANNED_AT_LIMIT).is_some_and(Amount::is_positive)
        || fall.recording.entities(Table::Cgroup).any(of_group);
    !for_groups && fall.host_amount(&STOLEN).is_some_and(|freed| freed < most)
}
