//! `memory-fragmentation`: enough is free, but not in blocks as large as allocations need.

use crate::actors::process;
use crate::evidence::threshold::{STALL_RATE, TURNOVER};
use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, Count, Limit, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::Window;
use crate::rules::contract::{EffectKind, Rule, leads, subsumes};
use pagetide_core::{Finding, Pages, Ratio, Relation, RuleDoc, RuleId, Table};

pub(crate) const RULE: Rule = Rule {
    name: "fragmented memory",
    leads_to: &[leads(
        EffectKind::Compaction,
        "Free pages are scattered, so the kernel moves other pages to form a block.",
        "mm/compaction.c: try_to_compact_pages",
    )],
    subsumes: &[subsumes(
        EffectKind::DirectReclaim,
        &[RuleId::DirectReclaim, RuleId::OverReclaim, RuleId::AnonymousGrowth],
    )],
    deciding_test: "/proc/buddyinfo and /sys/kernel/debug/extfrag/extfrag_index while it lasts: an index near 1 means fragmentation, near 0 lack of memory.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::MemoryFragmentation,
            title: "Free memory is scattered in small blocks, and compaction has to form larger ones",
            meaning: "A program or the kernel needs contiguous blocks of pages (huge pages, network buffers, kernel stacks). Enough pages are \
                free but not adjacent. The kernel moves others out of the way, and reclaims more than it would need to.",
            evidence: "Direct compaction runs (compact_stall), or compaction scans much of memory. More than the high watermarks is free. Little \
                of the free memory is in blocks of 2^4 pages or more (/proc/buddyinfo), or many direct compactions fail.",
            metrics: &[
                "compact_stall",
                "compact_fail",
                "compact_migrate_scanned",
                "compact_free_scanned",
                "thp_fault_fallback",
                "free",
                "high",
                "compact_delay_total",
                "minflt",
                "Hugetlb",
                "order0",
                "order1",
                "order2",
                "order3",
                "order4",
                "order5",
                "order6",
                "order7",
                "order8",
                "order9",
                "order10",
            ],
            thresholds: &[STALL_RATE.doc(), TURNOVER.doc(), LARGE.doc(), FAILED.doc()],
            why: "Pages that cannot move (slab, page tables, buffers) are scattered among others, and each one breaks up a block.",
            alternatives: "Compaction also runs where it succeeds at once and no task waits: transparent huge pages with `defrag=always` on a \
                full host. A growing huge page pool (Hugetlb) compacts memory for each page.",
            advice: "Make programs request smaller blocks, or let compaction start earlier, in the background.",
            mglru: "Compaction works the same. Aging does not form blocks of pages.",
            kernel: "Linux 6.12: mm/compaction.c: try_to_compact_pages, kcompactd_do_work; mm/vmstat.c: fragmentation_index; mm/page_alloc.c: __alloc_pages_direct_compact.",
        },
        examine,
    )
};

const LARGE: Limit<Ratio> = Limit::new(
    "share of free memory in blocks of 2^4 pages or more",
    0.2,
    "With more, a request of that size succeeds at once.",
    "mm/page_alloc.c: __zone_watermark_ok (6.12), and judgement",
);
const FAILED: Limit<Ratio> =
    Limit::new("share of direct compactions that fail", 0.5, "Compaction that succeeds finds room.", "judgement");

const SCANS: &[&str] = &["compact_migrate_scanned", "compact_free_scanned"];

fn examine(window: &Window<'_>) -> Option<Finding> {
    window.memory()?;
    let stalls = window.host_rate(&["compact_stall"])?;
    let scanned = window.host_rate(SCANS).map_or(Amount::ZERO, |pages| window.bytes_per_second(pages));
    if stalls < STALL_RATE && window.turnover(scanned)? < TURNOVER {
        return None;
    }
    let failed = window.host_rate(&["compact_fail"]).filter(|_| stalls.is_positive()).map(|failed| failed / stalls);
    // Each huge page of a pool that grows is a block that compaction makes, in fragmented memory or not.
    if window.host_change("Hugetlb").is_some_and(Amount::is_positive) {
        return None;
    }
    let large = large_part(window);
    let in_pieces = large.is_some_and(|share| share < LARGE);
    if !in_pieces && (stalls < STALL_RATE || failed.is_none_or(|failed| failed < FAILED)) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.span(window.when(SignalSpec::host(&["compact_stall"])));
    found.add(0.5 + grade(stalls, 0.5, 20.0), "direct compactions", "compact_stall", stalls);
    if let Some(failed) = failed {
        found.add(grade(failed, 0.3, 0.8), "share of them that fail", "compact_fail / compact_stall", failed);
    }
    if let Some(large) = large {
        let weight = if in_pieces { 0.5 + grade(large, 0.2, 0.05) } else { -0.5 };
        let what = "share of free memory in blocks of 2^4 pages or more";
        found.compare(weight, what, "order4 and above of /proc/buddyinfo", large, Relation::Below, LARGE.value());
    }
    let (free, high) = (sum(window, "free")?, sum(window, "high")?);
    let weight = if free > high { 1.0 } else { -1.5 };
    found.compare(weight, "free pages", "free compared with high of all zones", free, Relation::Above, high);
    if let Some(fallback) = window.host_rate(&["thp_fault_fallback"]).filter(|rate| rate.is_positive()) {
        found.note("huge pages that could not be allocated", "thp_fault_fallback", fallback);
    }
    let process = process::fastest::<Count>(window, &["compact_delay_total"]);
    if let Some(process) = process.or_else(|| process::fastest(window, &["minflt"])) {
        found.origin(process.actor(window));
    }
    let block = Amount::<Pages>::new(16.0) * window.page_size();
    let failing = failed.filter(|failed| *failed >= FAILED);
    let failing = failing.map_or(String::new(), |failed| format!(", and {failed} of the compactions fail"));
    let pieces = large.map_or(String::new(), |share| format!(", {share} of it in blocks of {block} or more"));
    let free = free * window.page_size();
    let statement =
        format!("{free} are free{pieces}. Programs compact memory {stalls} to form larger blocks{failing}.");
    let advice = advise(
        "Let the kernel build huge pages in the background instead of during the fault.",
        Some(
            "echo defer+madvise > /sys/kernel/mm/transparent_hugepage/defrag; sysctl -w vm.compaction_proactiveness=40",
        ),
        "Faults no longer wait for compaction, but programs get their huge pages later. Background compaction costs some CPU.",
        Some("echo madvise > /sys/kernel/mm/transparent_hugepage/defrag; sysctl -w vm.compaction_proactiveness=20"),
    );
    found.finish(RuleId::MemoryFragmentation, statement, vec![advice])
}

/// The mean over a window of a gauge, summed over all zones.
fn sum(window: &Window<'_>, metric: &str) -> Option<Amount<Pages>> {
    let zones = window.recording.entities(Table::Zone);
    let means = zones.filter_map(|(zone, _)| window.level(Table::Zone, zone, metric).map(|level| level.mean));
    means.reduce(|a, b| a + b)
}

/// The share of free memory in blocks of 2^4 pages or more.
fn large_part(window: &Window<'_>) -> Option<Amount<Ratio>> {
    const ORDERS: [&str; 11] =
        ["order0", "order1", "order2", "order3", "order4", "order5", "order6", "order7", "order8", "order9", "order10"];
    let blocks = (0u32..).zip(ORDERS);
    let pages = blocks.map(|(order, name)| sum(window, name).unwrap_or(Amount::ZERO) * f64::from(1u32 << order));
    let pages: Vec<Amount<Pages>> = pages.collect();
    let total = |pages: &[Amount<Pages>]| pages.iter().fold(Amount::ZERO, |sum, one| sum + *one);
    let all = total(&pages);
    all.is_positive().then(|| total(&pages[4..]) / all)
}
