//! `zone-imbalance`: one zone or node is short of memory while others are not.

use crate::amount::{Amount, Limit, Count, grade};
use crate::effect::EffectKind;
use crate::episodes::SignalSpec;
use crate::evidence::{EvidenceBuilder, advise};
use crate::limits::TURNOVER;
use crate::rule::{Rule, leads, subsumes};
use crate::watermarks::FAR;
use crate::window::{SCANNED, STOLEN, Window};
use pagetide_core::{Bytes, Finding, Pages, Ratio, Relation, RuleDoc, RuleId, Table};

pub(crate) const RULE: Rule = Rule {
    name: "an imbalance of zones",
    leads_to: &[leads(
        EffectKind::Reclaim,
        "kswapd reclaims the zone or node that is short, however much is free in others.",
        "mm/vmscan.c: balance_pgdat, pgdat_balanced",
    )],
    subsumes: &[
        subsumes(EffectKind::DirectReclaim, &[RuleId::DirectReclaim]),
        subsumes(EffectKind::Reclaim, &[RuleId::OverReclaim]),
    ],
    decides: "`numastat -m` and numa_maps of the largest processes: where they are bound and what is free there.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::ZoneImbalance,
            title: "One zone or node is short of memory while others are not",
            meaning: "Reclaim works on a zone or a NUMA node and not on the host. When the memory of a node is full, its programs lose their cache, however much is free on \
                      another node.",
            evidence: "A large zone is below a multiple of its low watermark while the others have much memory free, far above their high watermarks. Reclaim runs. \
                       Allocations that went to another node (numa_miss) support it.",
            metrics: &["free", "low", "high", "managed", "pgscan_kswapd", "pgsteal_kswapd", "numa_miss"],
            thresholds: &[SIZE.doc(), SHORT.doc(), FREE.doc(), FAR.doc(), TURNOVER.doc()],
            why: "A process bound to a node, or a policy that prefers it (mempolicy, cpuset, zone_reclaim_mode), allocates there. A driver that needs low memory allocates from DMA32.",
            otherwise: "Shortly after a large program ended on one node memory is uneven as well, and nothing is reclaimed for it.",
            advice: "Spread what is bound to one node, and leave vm.zone_reclaim_mode at 0.",
            mglru: "Watermarks are of zones, generations of nodes. Reclaim for one zone skips the pages of other zones and moves them to a younger generation, which costs scanning (pgscan_skip).",
            kernel: "Linux 6.12: mm/vmscan.c: balance_pgdat, pgdat_balanced, node_reclaim; mm/page_alloc.c: get_page_from_freelist, zone_watermark_fast.",
        },
        examine,
    )
};

const SIZE: Limit<Ratio> =
    Limit::new("size of the zone, as a share of memory", 0.05, "Smaller zones hold little that programs use.", "judgement");
const SHORT: Limit<Count> = Limit::new(
    "free pages of the zone, times its low watermark, at most",
    2.0,
    "kswapd starts at one; the mean of a stretch is above its lowest value.",
    "mm/page_alloc.c: wake_all_kswapds (6.12)",
);
const FREE: Limit<Ratio> =
    Limit::new("free memory of the others, as a share of memory", 0.1, "With less, the host is short.", "judgement");

/// A zone over a window.
struct Zone<'a> {
    name: &'a str,
    free: Amount<Pages>,
    low: Amount<Pages>,
    high: Amount<Pages>,
    managed: Amount<Pages>,
}

fn examine(window: &Window<'_>) -> Option<Finding> {
    let memory = window.memory()?;
    let bytes = |pages: Amount<Pages>| Amount::<Bytes>::new(pages.get() * window.page_size());
    // Most stretches need no look at the whole recording.
    if !window.host(&STOLEN)?.is_positive() || window.recording.entities(Table::Zone).count() < 2 {
        return None;
    }
    let span = window.when(SignalSpec::derived(&SCANNED));
    let during = window.over(span);
    let freed = during.host_bytes(&STOLEN)?;
    if window.turnover(freed)? < TURNOVER {
        return None;
    }
    let zones = window.recording.entities(Table::Zone).filter_map(|(name, _)| zone(&during, name));
    let zones: Vec<Zone<'_>> = zones.collect();
    let large = zones.iter().filter(|zone| bytes(zone.managed) >= memory * SIZE && zone.low.is_positive());
    let short = large.min_by(|a, b| (a.free / a.low).total_cmp(&(b.free / b.low)))?;
    let sum = |amount: fn(&Zone<'_>) -> Amount<Pages>| {
        let others = zones.iter().filter(|zone| zone.name != short.name);
        others.map(amount).fold(Amount::ZERO, |sum, one| sum + one)
    };
    let (free, high) = (sum(|zone| zone.free), sum(|zone| zone.high));
    if short.free > short.low * SHORT || bytes(free) < memory * FREE || free < high * FAR {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.span(span);
    let (weight, what) = (1.0 + grade(short.free / short.low, 2.0, 1.0), format!("free pages of {}", short.name));
    found.compare(weight, what, "free compared with low", short.free, Relation::Near, short.low);
    let weight = 0.5 + grade(free / high, 4.0, 12.0);
    found.compare(weight, "free pages of the others", "free compared with high", free, Relation::Above, high);
    found.add(0.5, "bytes freed meanwhile", "pgsteal * page size", freed);
    if let Some(missed) = during.host_rate(&["numa_miss"]) {
        found.add(grade(missed, 0.0, 100.0), "pages allocated on another node", "numa_miss", missed);
    }
    let statement = format!(
        "{} is short of memory ({} free), and kswapd reclaims {freed} from it while {} are free in the other zones.",
        short.name,
        bytes(short.free),
        bytes(free)
    );
    let advice = advise(
        "Find which programs are bound to which node, and interleave the memory of the largest.",
        Some("numastat -p -c; numactl --interleave=all COMMAND"),
        "Both nodes fill evenly. Some accesses go to the far node and take about half as long again.",
        Some("start COMMAND without numactl"),
    );
    found.finish(RuleId::ZoneImbalance, statement, vec![advice])
}

fn zone<'a>(window: &Window<'_>, name: &'a str) -> Option<Zone<'a>> {
    let mean = |metric: &str| window.level(Table::Zone, name, metric).map(|level| level.mean);
    Some(Zone { name, free: mean("free")?, low: mean("low")?, high: mean("high")?, managed: mean("managed")? })
}
