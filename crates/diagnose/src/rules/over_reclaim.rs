//! `over-reclaim`: reclaim goes on although far more is free than it is to reach.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::window::{SCANNED, Window};
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "over-reclaim",
        title: "Free memory is far above the high watermarks, and still the file cache is reclaimed",
        meaning: "kswapd is to stop when a zone has as much free as its high watermark. Here many times that is free after the file cache was \
                  lost, so that shortage is not the reason for reclaim.",
        evidence: "The file cache fell by at least half and free memory rose by at least half of what it lost, to more than four times the sum of the high \
                   watermarks (of the same stretch, else the nearest recorded; without any, 5 % of memory). Dropping caches by hand is \
                   excluded where drop_pagecache was recorded, and otherwise named as the other explanation. Pages scanned in another part of the \
                   recording count less than in the same one.",
        why: "Known reasons: requests for blocks of high order, which single free pages cannot meet; one zone or node that stays below its \
              watermark while others are far above; reclaim at high priority that frees in proportion to the lists and not to what is missing.",
        otherwise: "A process that ended or truncated a large file frees its cache at once, without scanning. Someone dropped the caches.",
        advice: "Record zoneinfo and buddyinfo while it lasts, and kswapd's order (tracepoint vmscan:mm_vmscan_kswapd_wake): free per zone shows \
                 imbalance, blocks per order show fragmentation, the order shows who asks for it.",
        kernel: "mm/vmscan.c: balance_pgdat, pgdat_balanced, kswapd_shrink_node; mm/page_alloc.c: __zone_watermark_ok.",
    },
    name: "reclaim far above the watermarks",
    role: Role::Effect,
    scope: Scope::Busy,
    shown_by: &[],
    decides: "/proc/buddyinfo and the order for which kswapd is woken.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() || window.host_rate(&["drop_pagecache"]).is_some_and(|rate| rate > 0.0) {
        return None;
    }
    let window = &fall(window)?;
    let lost = -window.host_change("Cached")?;
    let gained = window.host_change("MemFree")?;
    let (_, free) =
        window.recording.host("MemFree")?.around(window.from, window.to).within(window.from, window.to).next_back()?;
    let (_, left) =
        window.recording.host("Cached")?.around(window.from, window.to).within(window.from, window.to).next_back()?;
    let (free, left) = (free as f64, left as f64);
    let marks = high_watermarks(window);
    let total = window.recording.manifest.memory_total.as_f64();
    let goal = marks.map_or(total * 0.05 / 4.0, |(pages, _)| pages * window.page_size());
    if lost <= 0.0 || left > lost || gained < lost * 0.5 || free < goal * 4.0 || goal <= 0.0 {
        return None;
    }
    let bytes = |value| Quantity::new(value, Unit::Bytes);
    let mut case = Case::new(RULE.doc.id, window);
    let mut above = case.held(
        "free memory at the end",
        "MemFree against the sum of high",
        bytes(free),
        Relation::Above,
        bytes(goal),
    );
    if let Some((_, at)) = marks {
        above.range = (at.min(window.from), at.max(window.to));
    }
    case.weigh(1.5 * grade((free / goal).ln(), 1.0, 3.0), above);
    case.weigh(
        grade(gained / lost, 0.3, 0.9),
        case.held("free memory gained", "MemFree against Cached", bytes(gained), Relation::Near, bytes(lost)),
    );
    if let Some(change) = window.host_change("AnonPages") {
        let evidence =
            case.held("change of anonymous memory", "AnonPages", bytes(change), Relation::Below, bytes(lost));
        case.weigh(0.5 * grade(change.abs() / lost, 0.3, 0.05), evidence);
    }
    if let Some(used) = window.host_change("SwapFree") {
        case.note(case.measured("change of free swap", "SwapFree", bytes(used)));
    }
    weigh_scans(window, &mut case);
    let took = Quantity::new((window.to - window.from) as f64, Unit::Nanos);
    let statement = format!(
        "The file cache fell by {} in {took} and free memory rose by {} to {}, far above the high watermarks ({}): shortage does not explain this reclaim.",
        bytes(lost),
        bytes(gained),
        bytes(free),
        if marks.is_some() { format!("{} in all", bytes(goal)) } else { "not recorded".to_owned() },
    );
    case.close(
        statement,
        vec![advise(
            "Record free blocks by order and by zone, and the order for which kswapd is woken, while it lasts.",
            Some("perf trace -e vmscan:mm_vmscan_kswapd_wake -a sleep 10; cat /proc/buddyinfo /proc/zoneinfo"),
            "Free memory in one node only means imbalance; few blocks of the order asked for mean fragmentation. Reading these costs little.", None)],
    )
}

/// The part of a window in which the file cache fell: from the last moment at which nearly all of it was there to the first
/// at which nearly all that goes was gone.
fn fall<'a>(window: &Window<'a>) -> Option<Window<'a>> {
    let series = window.recording.host("Cached")?.around(window.from, window.to);
    let points: Vec<(i64, i64)> = series.within(window.from, window.to).collect();
    let most = points.iter().map(|(_, value)| *value).max()? as f64;
    let least = points.iter().map(|(_, value)| *value).min()? as f64;
    let near = (most - least) * 0.03;
    let end = points.iter().position(|(_, value)| *value as f64 <= least + near)?;
    let (from, _) = *points[..end].iter().rfind(|(_, value)| *value as f64 >= most - near)?;
    Some(Window { from, to: points[end].0, ..*window })
}

/// Free memory now against the sum of the high watermarks, both in bytes, wherever in the recording zones were looked at,
/// and when; absent unless it is more than four times as much.
pub(super) fn far_above(window: &Window<'_>) -> Option<(f64, f64, i64)> {
    let (pages, at) = high_watermarks(window)?;
    let zones = window.recording.entities(Table::Zone);
    let free = zones.filter_map(|(zone, _)| window.recording.series(Table::Zone, zone, "free")?.at(at));
    let free = free.reduce(i64::saturating_add)? as f64;
    (free > pages * 4.0).then(|| (free * window.page_size(), pages * window.page_size(), at))
}

/// The sum of the high watermarks in pages, at the last moment before the end of the window or the first after, and that moment.
fn high_watermarks(window: &Window<'_>) -> Option<(f64, i64)> {
    let zones: Vec<&str> = window.recording.entities(Table::Zone).map(|(name, _)| name).collect();
    let marks = zones.into_iter().filter_map(|zone| {
        let series = window.recording.series(Table::Zone, zone, "high")?;
        let before = series.points().rfind(|(at, _)| *at <= window.to);
        before.or_else(|| series.points().next())
    });
    marks.map(|(at, pages)| (pages as f64, at)).reduce(|a, b| (a.0 + b.0, a.1.max(b.1)))
}

fn weigh_scans(window: &Window<'_>, case: &mut Case) {
    let scans = |rate| Quantity::new(rate, Unit::PerSecond);
    if let Some(rate) = window.host_rate(SCANNED) {
        let evidence = case.measured("pages scanned", "pgscan_kswapd + pgscan_direct", scans(rate));
        case.weigh(if rate > 0.0 { 1.5 } else { -2.5 }, evidence);
        return;
    }
    // Of another stretch: the same host reclaims, though not at the moment that memory was looked at.
    let Some((from, to)) = window.recording.span() else { return };
    let whole = Window { from, to, quiet: None, ..*window };
    let signal = whole.host_rate(SCANNED);
    match signal.filter(|rate| *rate > 0.0) {
        Some(rate) => {
            let mut evidence = case.measured(
                "pages scanned at other times of the recording",
                "pgscan_kswapd + pgscan_direct",
                scans(rate),
            );
            evidence.range = (from, to);
            case.weigh(0.5, evidence);
        }
        None => case.against(
            1.0,
            case.measured(
                "scans recorded: without them, caches dropped by hand or a file truncated would look the same",
                "pgscan_kswapd",
                Quantity::count(0.0),
            ),
        ),
    }
}
