//! `zone-imbalance`: one zone or node is short of memory while others are not.

use crate::actors::process;
use crate::evidence::threshold::TURNOVER;
use crate::evidence::{EvidenceBuilder, advise, word};
use crate::measure::amount::{Amount, Count, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::watermarks::{self, FAR, FREE, Imbalance, SHORT, SIZE};
use crate::measure::window::{SCANNED, STOLEN, Window, intervals};
use crate::rules::contract::{EffectKind, Rule, When, leads, subsumes};
use pagetide_core::{Bytes, Finding, Pages, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "a zone imbalance",
    leads_to: &[leads(
        EffectKind::Reclaim,
        "kswapd reclaims the zone or node that is short, however much is free in others.",
        "mm/vmscan.c: balance_pgdat, pgdat_balanced",
    )],
    subsumes: &[
        subsumes(EffectKind::DirectReclaim, &[RuleId::DirectReclaim]),
        subsumes(EffectKind::Reclaim, &[RuleId::OverReclaim]),
        subsumes(EffectKind::Reclaim, &[RuleId::OomKill]).when(When::SameProcess),
        subsumes(
            EffectKind::Reclaim,
            &[RuleId::AnonymousGrowth, RuleId::MemoryLeak, RuleId::StreamFloodsCache, RuleId::SwapThrash],
        )
        .when(When::SameProcess),
        subsumes(EffectKind::Refaults, &[RuleId::WorkingSetExceedsCache, RuleId::ReadAheadWaste]),
        subsumes(EffectKind::MajorFaults, &[RuleId::CodeThrash]).when(When::SameProcess),
    ],
    deciding_test: "`numastat -m` and numa_maps of the largest processes: where they are bound and what is free there.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::ZoneImbalance,
            title: "One zone or node is short of memory while others are not",
            meaning: "Reclaim works per zone or NUMA node, not per host. When a node's memory is full, its programs lose their cache, however \
                much another node has free.",
            evidence: "A large zone is below a multiple of its low watermark while the others have much memory free, far above their high \
                watermarks. Reclaim runs. Allocations that went to another node (numa_miss) support it.",
            metrics: &[
                "oom_kill",
                "RssAnon",
                "free",
                "low",
                "high",
                "managed",
                "pgscan_kswapd",
                "pgsteal_kswapd",
                "numa_miss",
            ],
            thresholds: &[SIZE.doc(), SHORT.doc(), FREE.doc(), FAR.doc(), TURNOVER.doc()],
            why: "A process bound to a node, or a policy that prefers it (mempolicy, cpuset, zone_reclaim_mode), allocates there. A driver that needs low memory allocates from DMA32.",
            alternatives: "Shortly after a large program exits on one node, memory is uneven as well, but nothing is reclaimed for it.",
            advice: "Spread what is bound to one node, and leave vm.zone_reclaim_mode at 0.",
            mglru: "Watermarks belong to zones, generations to nodes. Reclaim for one zone skips the pages of other zones and moves them to a younger generation, which costs scanning (pgscan_skip).",
            kernel: "Linux 6.12: mm/vmscan.c: balance_pgdat, pgdat_balanced, node_reclaim; mm/page_alloc.c: get_page_from_freelist, zone_watermark_fast.",
        },
        examine,
    )
};

/// The part of what was freed by which a program grows meanwhile, so that it is named.
const GREW: f64 = 0.5;

fn examine(window: &Window<'_>) -> Option<Finding> {
    let bytes = |pages: Amount<Pages>| pages * window.page_size();
    // Most stretches need no look at the whole recording.
    if !window.host(&STOLEN)?.is_positive() || window.recording.entities(Table::Zone).count() < 2 {
        return None;
    }
    let wide = window.when(SignalSpec::derived(&SCANNED));
    // The last sample shows what reclaim, or a program that ended, left behind.
    let last = wide.to.earlier(intervals(window.recording, 1));
    let span = if last > wide.from.later(intervals(window.recording, 1)) { Span { to: last, ..wide } } else { wide };
    let during = window.over(span);
    let freed = during.host_bytes(&STOLEN)?;
    if window.turnover(freed)? < TURNOVER {
        return None;
    }
    let Imbalance { short, free, high } = watermarks::imbalance(&during)?;
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
    let killed = window.over(wide).rise::<Count>(Table::Host, "", "oom_kill").filter(|killed| killed.is_positive());
    let killed = killed.map_or("", |killed| {
        found.add(1.5, "processes that the OOM killer ended meanwhile", "oom_kill", killed);
        " The OOM killer ended a process although others had memory: it was bound to that node (numactl, cpuset)."
    });
    // What fills the zone begins before reclaim does.
    let all: Amount<Bytes> = freed.over(during.length()?);
    let grower = process::grower(&window.over(window.when(SignalSpec::host_growth("AnonPages"))));
    let grower = grower.filter(|process| process.amount >= all * GREW);
    let grew = grower.map_or(String::new(), |process| {
        found.note(format!("growth of {}", process.words()), "RssAnon + VmSwap", process.amount);
        found.span(window.onset(span).at_rise_of(SignalSpec::growth(Table::Process, process.name, "RssAnon")));
        found.origin(process.actor(window));
        format!(" {} grew by {} meanwhile.", process.words(), process.amount)
    });
    let statement = format!(
        "{} is short of memory ({} free), and kswapd reclaims {freed} from it while the other zones have {} free.{grew}{killed}",
        short.name,
        bytes(short.free),
        bytes(free)
    );
    let interleaved =
        grower.map_or(String::new(), |process| format!("; numactl --interleave=all -- {} …", word(process.comm)));
    let advice = advise(
        "Find which programs are bound to which node, and interleave the memory of the largest.",
        Some(&format!("numastat -m{interleaved}")),
        "Both nodes fill evenly. Some accesses go to the remote node and take about half as long again.",
        None,
    );
    found.finish(RuleId::ZoneImbalance, statement, vec![advice])
}
