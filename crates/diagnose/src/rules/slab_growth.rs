//! `slab-growth`: the kernel's own objects take memory.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::Window;
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "slab-growth",
        title: "The kernel's slab caches grow",
        meaning: "Objects of the kernel (inodes, directory entries, buffers, a driver's own) take memory from everybody. Reclaimable ones are given back under \
                  pressure; unreclaimable ones are not, and may be a leak in the kernel.",
        evidence: "Slab grew by at least 5 % of memory. Which part of it (SReclaimable, SUnreclaim) grew more is said. That it grew more than anonymous memory \
                   did, and that the page cache fell or reclaim ran, speaks for it.",
        why: "Walking many files fills the caches of inodes and directory entries; they are freed by shrinkers, more reluctantly than file pages \
              (vm.vfs_cache_pressure).",
        otherwise: "After a cold start these caches fill once and stay: harmless while they are reclaimable and memory is left.",
        advice: "See which cache it is with slabtop. Reclaimable ones can be given back faster; for unreclaimable ones the owner has to be found.",
        kernel: "mm/slub.c: allocate_slab; mm/shrinker.c: shrink_slab; fs/dcache.c: d_alloc; fs/inode.c: alloc_inode.",
    },
    name: "growth of slab",
    role: Role::Cause,
    scope: Scope::Whole,
    shown_by: &[],
    decides: "slabtop over the same time: which cache grows.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() {
        return None;
    }
    let memory = window.memory()?;
    let during = window.when(Of::host_growth("Slab"));
    let grown = window.host_change("Slab")?;
    if grown < memory * 0.05 {
        return None;
    }
    let reclaimable = window.host_change("SReclaimable").unwrap_or(0.0);
    let fixed = window.host_change("SUnreclaim").unwrap_or(0.0);
    let bytes = |value| Quantity::new(value, Unit::Bytes);
    let mut case = Case::new(RULE.doc.id, window);
    case.during(during);
    case.weigh(1.0 + grade(grown / memory, 0.05, 0.15), case.measured("growth of slab", "Slab", bytes(grown)));
    case.note(case.measured("of it reclaimable", "SReclaimable", bytes(reclaimable)));
    case.note(case.measured("of it not reclaimable", "SUnreclaim", bytes(fixed)));
    if let Some(anonymous) = window.host_change("AnonPages") {
        let evidence =
            case.held("growth of anonymous memory", "AnonPages", bytes(anonymous), Relation::Below, bytes(grown));
        case.weigh(if anonymous > grown { -1.5 } else { 0.5 }, evidence);
    }
    if let Some(cache) = window.host_change("Cached") {
        let evidence = case.measured("change of the file cache", "Cached", bytes(cache));
        case.weigh(if cache < -grown * 0.2 { 1.0 } else { 0.0 }, evidence);
    }
    if let Some((free, ..)) = window.host_gauge("MemFree") {
        let evidence = case.measured("free memory at least", "MemFree", bytes(free));
        case.weigh(if free > memory * 0.3 { -0.5 } else { 0.5 }, evidence);
    }
    if let Some(who) = process::fastest(window, &["stime"]) {
        case.blame("process", who.comm);
    }
    let kind = if fixed > reclaimable { "cannot be reclaimed" } else { "can be reclaimed" };
    let part = bytes(fixed.max(reclaimable));
    let statement = format!("Slab grew by {}, {part} of it of a kind that {kind}.", bytes(grown));
    let advice = if fixed > reclaimable {
        advise(
            "Find the cache and its owner.",
            Some("slabtop -o -s c | head -20"),
            "Only reads. A driver or a kernel that leaks needs an update; only a restart gives the memory back.",
            None,
        )
    } else {
        advise(
            "Have the kernel give inodes and directory entries back sooner.",
            Some("sysctl -w vm.vfs_cache_pressure=200"),
            "File pages are kept rather than these caches; walking the same files again reads more from the devices.",
            Some("sysctl -w vm.vfs_cache_pressure=100"),
        )
    };
    case.close(statement, vec![advice])
}
