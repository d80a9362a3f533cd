//! `zone-imbalance`: one zone or node is short while others have plenty.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::window::{SCANNED, STOLEN, Window};
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "zone-imbalance",
        title: "One zone or node is short of memory while others have plenty",
        meaning: "Reclaim works on a zone or a NUMA node and not on the host: a node whose memory is full is reclaimed, and its programs lose their cache, whatever is free on \
                  the other.",
        evidence: "A zone of at least a twentieth of memory lies below twice its low watermark (the mean of the stretch) while the others have at least a tenth of \
                   memory free, four times their high watermarks. Reclaim runs at 1 % of memory a minute or more. Allocations that had to go to another node \
                   (numa_miss, numa_foreign) speak for it.",
        why: "A process bound to a node, or a policy that prefers it (mempolicy, cpuset, zone_reclaim_mode), takes its pages there; a driver that needs low memory takes them from DMA32.",
        otherwise: "Shortly after a large program ended on one node memory is uneven as well, and nobody is reclaimed for it.",
        advice: "Spread what is bound to one node, and leave vm.zone_reclaim_mode at 0.",
        kernel: "mm/vmscan.c: balance_pgdat, pgdat_balanced, node_reclaim; mm/page_alloc.c: get_page_from_freelist, zone_watermark_fast.",
    },
    name: "an imbalance of zones",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &[],
    decides: "`numastat -m` and numa_maps of the largest processes: where they are bound and what is free there.",
    examine,
};

/// A zone over a window, in pages.
struct Zone<'a> {
    name: &'a str,
    free: f64,
    low: f64,
    high: f64,
    managed: f64,
}

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() {
        return None;
    }
    let memory = window.memory()?;
    let page = window.page_size();
    // Most stretches are told from the stretch alone, without a look at the whole recording.
    if window.host_rate(STOLEN)? <= 0.0 || window.recording.entities(Table::Zone).count() < 2 {
        return None;
    }
    let during = window.when(Of::host(SCANNED));
    let at_it = Window { from: during.0, to: during.1, ..*window };
    let freed = at_it.host_rate(STOLEN)? * page;
    if freed * 60.0 < memory * 0.01 {
        return None;
    }
    let zones: Vec<Zone<'_>> =
        window.recording.entities(Table::Zone).filter_map(|(name, _)| zone(&at_it, name)).collect();
    let large = zones.iter().filter(|zone| zone.managed * page >= memory * 0.05 && zone.low > 0.0);
    let short = large.min_by(|a, b| (a.free / a.low).total_cmp(&(b.free / b.low)))?;
    let others = || zones.iter().filter(|zone| zone.name != short.name);
    let free: f64 = others().map(|zone| zone.free).sum();
    let high: f64 = others().map(|zone| zone.high).sum();
    if short.free > short.low * 2.0 || free * page < memory * 0.1 || free < high * 4.0 {
        return None;
    }
    let pages = |value| Quantity::new(value, Unit::Pages);
    let mut case = Case::new(RULE.doc.id, window);
    case.during(during);
    case.weigh(
        1.0 + grade(short.free / short.low, 2.0, 1.0),
        case.held(
            &format!("free pages of {}", short.name),
            "free against low",
            pages(short.free),
            Relation::Near,
            pages(short.low),
        ),
    );
    case.weigh(
        0.5 + grade(free / high, 4.0, 12.0),
        case.held("free pages of the others", "free against high", pages(free), Relation::Above, pages(high)),
    );
    case.weigh(
        0.5,
        case.measured("bytes freed meanwhile", "pgsteal * page size", Quantity::new(freed, Unit::BytesPerSecond)),
    );
    if let Some(missed) = at_it.host_rate(&["numa_miss"]) {
        let evidence =
            case.measured("pages taken from another node", "numa_miss", Quantity::new(missed, Unit::PerSecond));
        case.weigh(grade(missed, 0.0, 100.0), evidence);
    }
    let statement = format!(
        "{} is short ({} free) and is reclaimed at {}, while {} are free in the other zones.",
        short.name,
        Quantity::new(short.free * page, Unit::Bytes),
        Quantity::new(freed, Unit::BytesPerSecond),
        Quantity::new(free * page, Unit::Bytes)
    );
    case.close(
        statement,
        vec![advise(
            "See who is bound where, and interleave the memory of the largest.",
            Some("numastat -p -c; numactl --interleave=all COMMAND"),
            "Both nodes fill evenly; some accesses go to the far node, which are slower by about a half.",
            Some("start COMMAND without numactl"),
        )],
    )
}

fn zone<'a>(window: &Window<'_>, name: &'a str) -> Option<Zone<'a>> {
    let mean = |metric: &str| {
        let series = window.recording.series(Table::Zone, name, metric)?.around(window.from, window.to);
        Some(series.summary(window.from, window.to)?.1)
    };
    Some(Zone { name, free: mean("free")?, low: mean("low")?, high: mean("high")?, managed: mean("managed")? })
}
