//! `slab-growth`: the kernel's own objects take memory.

use crate::actors::process;
use crate::evidence::advice;
use crate::evidence::threshold::GROWTH;
use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::Window;
use crate::rules::contract::{EffectKind, Rule, Scope, subsumes};
use pagetide_core::{Bytes, Finding, Relation, RuleDoc, RuleId};

pub(crate) const RULE: Rule = Rule {
    name: "growth of slab",
    scope: Scope::Whole,
    loss: None,
    effect: Some(EffectKind::SlabGrows),
    subsumes: &[
        subsumes(EffectKind::DirectReclaim, &[RuleId::DirectReclaim]),
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
        subsumes(EffectKind::Refaults, &[RuleId::WorkingSetExceedsCache]),
        subsumes(EffectKind::MajorFaults, &[RuleId::CodeThrash]),
        subsumes(EffectKind::SwapIn, &[RuleId::SwapThrash]),
    ],
    deciding_test: "slabtop over the same time: which cache grows.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::SlabGrowth,
            title: "The kernel's slab caches grow",
            meaning: "Kernel objects (inodes, dentries, buffers, objects of drivers) take memory. The kernel frees reclaimable ones under \
                pressure. Unreclaimable ones stay, and may be a leak in the kernel.",
            evidence: "Slab grows. The rule names the part that grows more (SReclaimable or SUnreclaim). Slab growth above that of anonymous \
                memory, a shrinking page cache, and little free memory support it.",
            metrics: &["Slab", "SReclaimable", "SUnreclaim", "AnonPages", "Cached", "MemFree", "stime"],
            thresholds: &[GROWTH.doc()],
            why: "A program that opens many files fills the inode and dentry caches. Shrinkers free them, later than file pages \
                (vm.vfs_cache_pressure).",
            alternatives: "After a cold start these caches fill once and stay. They do no harm while they are reclaimable and memory is free.",
            advice: "Find the cache with slabtop. The kernel can free reclaimable ones sooner; for unreclaimable ones, find the owner.",
            mglru: "Slab has its own shrinkers, called in proportion to what reclaim scans, with or without MGLRU.",
            kernel: "Linux 6.12: mm/slub.c: allocate_slab; mm/shrinker.c: shrink_slab; fs/dcache.c: d_alloc; fs/inode.c: alloc_inode.",
        },
        examine,
    )
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    let memory = window.memory()?;
    // From its lowest value to the highest after it: it may have been freed again before the end.
    let rise = window.highest_rise("Slab")?;
    let window = &window.over(rise);
    let grown = window.host_change("Slab").filter(|grown| *grown >= memory * GROWTH)?;
    let reclaimable = window.host_change("SReclaimable").unwrap_or(Amount::ZERO);
    let fixed = window.host_change("SUnreclaim").unwrap_or(Amount::ZERO);
    let mut found = EvidenceBuilder::new(window);
    found.span(window.when(SignalSpec::host_growth("Slab")));
    found.add(1.0 + grade(grown / memory, 0.05, 0.15), "growth of slab", "Slab", grown);
    found.note("of it reclaimable", "SReclaimable", reclaimable);
    found.note("of it not reclaimable", "SUnreclaim", fixed);
    if let Some(anonymous) = window.host_change("AnonPages") {
        let weight = if anonymous > grown { -1.5 } else { 0.5 };
        found.compare(weight, "growth of anonymous memory", "AnonPages", anonymous, Relation::Below, grown);
    }
    if let Some(cache) = window.host_change("Cached") {
        let weight = if cache < grown * -0.2 { 1.0 } else { 0.0 };
        found.add(weight, "change of the file cache", "Cached", cache);
    }
    if let Some(free) = window.host_level::<Bytes>("MemFree") {
        let weight = if free.least > memory * 0.3 { -0.5 } else { 0.5 };
        found.add(weight, "lowest free memory", "MemFree", free.least);
    }
    if let Some(process) = process::fastest::<crate::measure::amount::Count>(window, &["stime"]) {
        found.origin(process.actor(window));
    }
    let leak = fixed > reclaimable;
    let kind = if leak { "cannot be reclaimed" } else { "can be reclaimed" };
    let fallen = window.host_change("Cached").map(|change| -change).filter(|fallen| *fallen >= memory * GROWTH);
    let paid = fallen.map_or(String::new(), |fallen| format!(", and the file cache fell by {fallen}"));
    let statement = format!("Slab grew by {grown}{paid}; {} of it {kind}.", fixed.max(reclaimable));
    let manifest = &window.recording.manifest;
    let pressure = advice::value(manifest, "vfs_cache_pressure");
    let advice = if leak {
        advise(
            "Find the cache and its owner.",
            Some("slabtop -o -s c | head -20"),
            "The command only reads. A driver or a kernel that leaks needs an update; only a reboot frees the memory.",
            None,
        )
    } else {
        advise(
            "Let the kernel free inodes and directory entries sooner.",
            Some(&format!("sysctl -w vm.vfs_cache_pressure={}", pressure.saturating_mul(2).clamp(200, 1000))),
            "The kernel keeps file pages rather than these caches. Reopening the same files reads more from the devices.",
            Some(&advice::restore(manifest, &["vfs_cache_pressure"])),
        )
    };
    found.finish(RuleId::SlabGrowth, statement, vec![advice])
}
