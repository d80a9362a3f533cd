//! `slab-growth`: the kernel's own objects, page tables and pages take memory.

use crate::actors::{group, process};
use crate::evidence::advice;
use crate::evidence::threshold::GROWTH;
use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, Count, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{STOLEN, Window, greatest_rise, stamps};
use crate::rules::contract::{EffectKind, Rule, Scope, subsumes};
use pagetide_core::memory::{Split, SplitFields};
use pagetide_core::{Actor, Bytes, Finding, Moment, Relation, RuleDoc, RuleId, Series, Span, Table};
use std::collections::BTreeMap;

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
            title: "The kernel's own memory grows: slab caches, page tables, or pages that no counter names",
            meaning: "Kernel objects (inodes, dentries, buffers, objects of drivers) take memory. The kernel frees reclaimable ones under \
                pressure. Unreclaimable ones stay, and may be a leak in the kernel. Page tables take 4 KiB for each 2 MiB of addresses in which a process uses a \
                page, and stacks 16 KiB for each thread: they are free when it unmaps or ends. Pages that the kernel takes without slab (data in sockets, \
                buffers of drivers and of perf, the ARC of ZFS, a hypervisor's balloon) appear in no line of /proc/meminfo.",
            evidence: "Slab grows. The rule names the part that grows more (SReclaimable or SUnreclaim). Slab growth above that of anonymous \
                memory, a shrinking page cache, and little free memory support it. Where page tables, stacks or memory for each CPU grow more, they are \
                named instead, with the control group that is charged for most of it. Where more grows that no counter names (MemTotal minus free, \
                anonymous, cache, slab, page tables, stacks and pools) and was not given back, that is named instead.",
            metrics: &[
                "Slab",
                "SReclaimable",
                "SUnreclaim",
                "AnonPages",
                "Cached",
                "MemFree",
                "stime",
                "MemTotal",
                "Shmem",
                "Buffers",
                "SwapCached",
                "PageTables",
                "SecPageTables",
                "KernelStack",
                "Percpu",
                "Hugetlb",
                "HardwareCorrupted",
                "Unaccepted",
                "pagetables",
                "sec_pagetables",
                "kernel_stack",
                "percpu",
            ],
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

/// What /proc/meminfo names of the memory that is neither free, anonymous nor cache.
const NAMED: [&str; 9] = [
    "Slab",
    "SwapCached",
    "PageTables",
    "SecPageTables",
    "KernelStack",
    "Percpu",
    "Hugetlb",
    "HardwareCorrupted",
    "Unaccepted",
];
/// The kernel's own memory beside slab that a program makes it take.
struct Own {
    /// Its line of /proc/meminfo.
    host: &'static str,
    /// The same of a control group (memory.stat).
    group: &'static str,
    words: &'static str,
    /// What makes it less, and a command that shows who has most.
    advice: (&'static str, &'static str),
}

const OWN: [Own; 4] = [
    Own {
        host: "PageTables",
        group: "pagetables",
        words: "Page tables",
        advice: (
            "Let the program map less at a time, or what it uses nearer together, or use huge pages for memory that many processes share.",
            "grep -H VmPTE /proc/[0-9]*/status | sort -n -k 2 | tail -5",
        ),
    },
    Own {
        host: "SecPageTables",
        group: "sec_pagetables",
        words: "Page tables of devices and virtual machines",
        advice: ("Run fewer or smaller virtual machines, or give them huge pages.", "grep SecPageTables /proc/meminfo"),
    },
    Own {
        host: "KernelStack",
        group: "kernel_stack",
        words: "Kernel stacks",
        advice: ("Let the program start fewer threads or processes.", "ps -eo nlwp,pid,comm --sort=nlwp | tail -5"),
    },
    Own {
        host: "Percpu",
        group: "percpu",
        words: "Memory that the kernel has for each CPU",
        advice: (
            "Remove control groups that are no longer needed: each takes some for each CPU.",
            "cat /proc/cgroups; find /sys/fs/cgroup -type d | wc -l",
        ),
    },
];

/// Free memory, as a share of all, of which nobody is short.
const AMPLE: f64 = 0.3;
/// The part of what grew that a control group is charged for, to be named.
const CHARGED: f64 = 0.5;
/// Moments at which memory is summed up, at most: growth that matters lasts.
const MOMENTS: usize = 512;

fn examine(window: &Window<'_>) -> Option<Finding> {
    let grown = |metric: &str| {
        let rise = window.highest_rise(metric)?;
        Some((window.over(rise).host_change(metric)?, rise))
    };
    let slab = grown("Slab").map(|(slab, _)| slab);
    let own = OWN.iter().filter_map(|own| grown(own.host).map(|(grown, rise)| (own, grown, rise)));
    let own = own.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, own, _)| slab.is_none_or(|slab| slab < *own));
    let named = own.as_ref().map(|(_, own, _)| *own).or(slab);
    match (unnamed(window), own) {
        (Some((grown, rise)), _) if named.is_none_or(|named| named < grown) && !freed(&window.over(rise), grown) => {
            of_unnamed(&window.over(rise), grown, slab)
        }
        (_, Some((own, grown, rise))) => of_own(&window.over(rise), own, grown),
        _ => of_slab(window),
    }
}

/// Page tables, stacks, and memory for each CPU.
fn of_own(window: &Window<'_>, own: &Own, grown: Amount<Bytes>) -> Option<Finding> {
    let memory = window.memory()?;
    if grown < memory * GROWTH {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.span(window.when(SignalSpec::host_growth(own.host)));
    found.add(1.0 + grade(grown / memory, 0.05, 0.15), format!("growth of {}", own.host), own.host, grown);
    let charged = group::grower(window, own.group).filter(|(_, amount)| *amount >= grown * CHARGED);
    let by = charged.map_or(String::new(), |(group, amount)| {
        found.note(format!("of it charged to {group}"), own.group, amount);
        format!(", {amount} of it charged to {group}")
    });
    let paid = surroundings(&mut found, window, grown);
    if let Some((group, _)) = charged {
        found.origin(Actor::group(group));
    }
    let (action, command) = own.advice;
    let effect = "The command only reads. The kernel frees this memory with what it belongs to: a mapping, a thread, a virtual machine or a control group.";
    let statement = format!("{} grew by {grown}{by}{paid}.", own.words);
    found.finish(RuleId::SlabGrowth, statement, vec![advise(action, Some(command), effect, None)])
}

/// How much the memory grew that no counter names, from its lowest value to the highest after it; absent where a sum is not known, or where
/// it was given back.
fn unnamed(window: &Window<'_>) -> Option<(Amount<Bytes>, Span)> {
    let host = |metric: &str| window.series(Table::Host, "", metric);
    let (fields, named) = (SplitFields::HOST, NAMED.map(host));
    // Kernels without a counter have no such memory, or do not name it; slab they all name.
    named[0].as_ref()?;
    let known: BTreeMap<&str, Series<'_>> = fields.names().filter_map(|name| Some((name, host(name)?))).collect();
    let moments: Vec<i64> = stamps(window.recording, window.span).collect();
    let sum = |at: &i64| {
        let split = Split::new(fields, |name| Some(known.get(name)?.at(*at)? as f64))?;
        let named: f64 = named.iter().flatten().filter_map(|series| Some(series.at(*at)? as f64)).sum();
        Some((Moment::new(*at), Amount::new((split.other? - named).max(0.0))))
    };
    let every = moments.len().div_ceil(MOMENTS).max(1);
    let points: Vec<(Moment, Amount<Bytes>)> = moments.iter().step_by(every).filter_map(sum).collect();
    let (grown, rise) = greatest_rise(points.iter().copied())?;
    // A tenth of the way up is not growth yet.
    let inside = || points.iter().filter(|(at, _)| rise.contains(*at));
    let low = inside().next()?.1;
    // The kernel soon returns what it takes in passing: pages in lists of each CPU, or on their way into the cache.
    points.last().filter(|(_, last)| *last >= low + grown * 0.5)?;
    let from = inside().rfind(|(_, value)| *value <= low + grown * 0.1).map_or(rise.from, |(at, _)| *at);
    // Nor is what still comes where nearly all came in the first two thirds.
    let nearly = inside().find(|(_, value)| *value >= low + grown * 0.95).map_or(rise.to, |(at, _)| *at);
    let rise = Span { from, to: rise.to };
    let stopped = nearly.since(from).as_f64() <= rise.length().as_f64() * 2.0 / 3.0;
    Some((grown, Span { to: if stopped { nearly } else { rise.to }, ..rise }))
}

/// Whether the memory is rather what was just freed: MemFree grew meanwhile, or more of files and programs went than reclaim took. Pages that are
/// freed many at once stay in the lists of each CPU, which no counter names and which may hold an eighth of a zone (`mm/page_alloc.c: nr_pcp_high,
/// zone_highsize`, 6.7 and newer).
fn freed(window: &Window<'_>, grown: Amount<Bytes>) -> bool {
    let half = grown * 0.5;
    let gone = || {
        let [cached, anonymous] = ["Cached", "AnonPages"].map(|metric| window.host_change(metric));
        Some(-(cached? + anonymous?) - window.host_amount(&STOLEN)?)
    };
    window.host_change("MemFree").is_some_and(|free| free >= half) || gone().is_some_and(|gone| gone >= half)
}

fn of_unnamed(window: &Window<'_>, grown: Amount<Bytes>, slab: Option<Amount<Bytes>>) -> Option<Finding> {
    let memory = window.memory()?;
    if grown < memory * GROWTH {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.span(window.span);
    let source =
        "MemTotal - MemFree - AnonPages - Cached - Buffers - Slab - PageTables - KernelStack - Percpu - Hugetlb";
    found.add(1.0 + grade(grown / memory, 0.05, 0.15), "growth of memory that no counter names", source, grown);
    if let Some(slab) = slab {
        found.note("growth of slab", "Slab", slab);
    }
    let paid = surroundings(&mut found, window, grown);
    let statement = format!(
        "Kernel memory that no counter of /proc/meminfo names grew by {grown}{paid}: data in sockets, buffers of drivers and of perf, or a hypervisor's balloon."
    );
    let advice = advise(
        "Find its owner: socket queues, a driver, perf, the ARC of ZFS, or the balloon of the hypervisor.",
        Some("ss -amn; cat /proc/net/sockstat; lsmod | grep -i balloon; cat /proc/vmallocinfo"),
        "The commands only read. A program that leaves data in sockets frees them when it reads or ends.",
        None,
    );
    found.finish(RuleId::SlabGrowth, statement, vec![advice])
}

/// What else memory does while the kernel's grows, and who works in the kernel; what the file cache paid, in words.
fn surroundings(found: &mut EvidenceBuilder, window: &Window<'_>, grown: Amount<Bytes>) -> String {
    let memory = window.memory().unwrap_or(Amount::ZERO);
    if let Some(anonymous) = window.host_change("AnonPages") {
        let weight = if anonymous > grown { -1.5 } else { 0.5 };
        found.compare(weight, "growth of anonymous memory", "AnonPages", anonymous, Relation::Below, grown);
    }
    if let Some(cache) = window.host_change("Cached") {
        let weight = if cache < grown * -0.2 { 1.0 } else { 0.0 };
        found.add(weight, "change of the file cache", "Cached", cache);
    }
    if let Some(free) = window.host_level::<Bytes>("MemFree") {
        let weight = if free.least > memory * AMPLE { -0.5 } else { 0.5 };
        found.add(weight, "lowest free memory", "MemFree", free.least);
    }
    if let Some(process) = process::fastest_for_itself::<Count>(window, &["stime"]) {
        found.origin(process.actor(window));
    }
    let fallen = window.host_change("Cached").map(|change| -change).filter(|fallen| *fallen >= memory * GROWTH);
    fallen.map_or(String::new(), |fallen| format!(", and the file cache fell by {fallen}"))
}

fn of_slab(window: &Window<'_>) -> Option<Finding> {
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
    let paid = surroundings(&mut found, window, grown);
    let leak = fixed > reclaimable;
    // What programs look up fills free memory, as files do, and goes when it is needed.
    let ample = window.host_level::<Bytes>("MemFree").is_some_and(|free| free.least > memory * AMPLE);
    if !leak && ample && !window.host_amount(&STOLEN).is_some_and(Amount::is_positive) {
        return None;
    }
    let kind = if leak { "cannot be reclaimed" } else { "can be reclaimed" };
    let statement = format!("Slab grew by {grown}{paid}; {} of it {kind}.", fixed.max(reclaimable));
    let manifest = &window.recording.manifest;
    let pressure = advice::value(manifest, "vfs_cache_pressure");
    let advice = if leak {
        advise(
            "Find the slab cache that grew, and what fills it.",
            Some("slabtop -o -s c | head -20"),
            "The command only reads. What a program holds (mappings, sockets, open files) is free when it ends. What a driver or the kernel leaks is \
             free after a reboot: it needs an update.",
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
