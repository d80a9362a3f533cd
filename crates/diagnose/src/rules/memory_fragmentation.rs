//! `memory-fragmentation`: enough is free, but not in blocks as large as are asked for.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::Window;
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "memory-fragmentation",
        title: "Free memory lies in pieces that are too small, and compaction has to make larger ones",
        meaning: "Somebody asks for blocks of many pages (huge pages, network buffers, kernel stacks). Enough pages are free and do not lie together, so that the kernel \
                  moves others out of the way, and reclaims what it would not need to.",
        evidence: "Direct compaction runs (compact_stall of at least one a second), or the compaction thread scans at least 1 % of memory a minute. More than the \
                   high watermarks is free. Of the free memory less than a fifth lies in blocks of 2^4 pages or more (/proc/buddyinfo), or at least half \
                   of the direct compactions fail.",
        why: "Pages that cannot be moved (slab, page tables, buffers) lie scattered between others; each of them breaks up a block.",
        otherwise: "Compaction also runs where it succeeds at once and nobody waits: transparent huge pages with `defrag=always` on a full host.",
        advice: "Ask for smaller blocks, or make compaction start earlier and in the background.",
        kernel: "mm/compaction.c: try_to_compact_pages, kcompactd_do_work, fragmentation_index; mm/page_alloc.c: __alloc_pages_direct_compact.",
    },
    name: "fragmented memory",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &[],
    decides: "/proc/buddyinfo and /sys/kernel/debug/extfrag/extfrag_index while it lasts: an index near 1 means fragmentation, near 0 lack of memory.",
    examine,
};

const SCANS: &[&str] = &["compact_migrate_scanned", "compact_free_scanned"];

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() {
        return None;
    }
    let memory = window.memory()?;
    let stalls = window.host_rate(&["compact_stall"])?;
    let scanned = window.host_rate(SCANS).unwrap_or(0.0) * window.page_size();
    if stalls < 1.0 && scanned * 60.0 < memory * 0.01 {
        return None;
    }
    let mut case = Case::new(RULE.doc.id, window);
    case.during(window.when(Of::host(&["compact_stall"])));
    let failed = window.host_rate(&["compact_fail"]).filter(|_| stalls > 0.0).map(|failed| failed / stalls);
    let large = large_part(window);
    let in_pieces = large.is_some_and(|part| part < 0.2);
    if !in_pieces && failed.is_none_or(|failed| failed < 0.5) {
        return None;
    }
    let per_second = |value| Quantity::new(value, Unit::PerSecond);
    case.weigh(
        0.5 + grade(stalls, 0.5, 20.0),
        case.measured("direct compactions", "compact_stall", per_second(stalls)),
    );
    if let Some(failed) = failed {
        case.weigh(
            grade(failed, 0.3, 0.8),
            case.measured("part of them that failed", "compact_fail / compact_stall", Quantity::ratio(failed)),
        );
    }
    if let Some(large) = large {
        let evidence = case.held(
            "part of free memory in blocks of 2^4 pages or more",
            "order4 and above of /proc/buddyinfo",
            Quantity::ratio(large),
            Relation::Below,
            Quantity::ratio(0.2),
        );
        case.weigh(if in_pieces { 0.5 + grade(large, 0.2, 0.05) } else { -0.5 }, evidence);
    }
    let (free, high) = (sum(window, "free")?, sum(window, "high")?);
    let pages = |value| Quantity::new(value, Unit::Pages);
    let evidence = case.held("free pages", "free against high of all zones", pages(free), Relation::Above, pages(high));
    case.weigh(if free > high { 1.0 } else { -1.5 }, evidence);
    if let Some(fallback) = window.host_rate(&["thp_fault_fallback"]).filter(|rate| *rate > 0.0) {
        case.note(case.measured("huge pages that could not be had", "thp_fault_fallback", per_second(fallback)));
    }
    if let Some(who) =
        process::fastest(window, &["compact_delay_total"]).or_else(|| process::fastest(window, &["minflt"]))
    {
        case.blame("process", who.comm);
    }
    let pieces = large
        .map_or(String::new(), |part| format!(", of which {} lie in blocks of 64 KiB or more", Quantity::ratio(part)));
    let statement = format!(
        "{} are free{pieces}: compaction runs {} times a second to make larger ones.",
        Quantity::new(free * window.page_size(), Unit::Bytes),
        Quantity::count(stalls)
    );
    case.close(
        statement,
        vec![advise(
            "Let huge pages be made in the background and not in the fault.",
            Some("echo defer+madvise > /sys/kernel/mm/transparent_hugepage/defrag; sysctl -w vm.compaction_proactiveness=40"),
            "Faults no longer wait for compaction; programs get their huge pages later. Background compaction costs some CPU.",
            Some("echo madvise > /sys/kernel/mm/transparent_hugepage/defrag; sysctl -w vm.compaction_proactiveness=20"),
        )],
    )
}

/// The mean over a window of a gauge, summed over all zones.
fn sum(window: &Window<'_>, metric: &str) -> Option<f64> {
    let zones = window.recording.entities(Table::Zone);
    let means = zones.filter_map(|(zone, _)| {
        let series = window.recording.series(Table::Zone, zone, metric)?;
        Some(series.around(window.from, window.to).summary(window.from, window.to)?.1)
    });
    means.reduce(|a, b| a + b)
}

/// The part of free memory that lies in blocks of 2^4 pages or more.
fn large_part(window: &Window<'_>) -> Option<f64> {
    const ORDERS: [&str; 11] =
        ["order0", "order1", "order2", "order3", "order4", "order5", "order6", "order7", "order8", "order9", "order10"];
    let pages: Vec<f64> =
        (0u32..).zip(ORDERS).map(|(order, name)| sum(window, name).unwrap_or(0.0) * f64::from(1u32 << order)).collect();
    let all: f64 = pages.iter().sum();
    (all > 0.0).then(|| pages[4..].iter().sum::<f64>() / all)
}
