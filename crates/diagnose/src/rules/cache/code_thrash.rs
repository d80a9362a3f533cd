//! `code-thrash`: reclaim evicts the pages of running programs because it can take nothing else.

use crate::actors::process;
use crate::evidence::advice;
use crate::evidence::threshold::{FAULTS, TURNOVER};
use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, Count, Limit, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{REFAULTED, SCANNED, Window};
use crate::rules::contract::{EffectKind, Rule, When, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{Bytes, Finding, Ratio, Relation, RuleDoc, RuleId};

pub(crate) const RULE: Rule = Rule {
    name: "thrashing of mapped files",
    leads_to: &[
        leads(
            EffectKind::Refaults,
            "Reclaim cannot take anonymous pages, so it takes clean pages of running programs, which need them right away.",
            "mm/vmscan.c: get_scan_count, shrink_folio_list; mm/workingset.c: workingset_refault",
        ),
        leads(EffectKind::MajorFaults, "The next instruction is no longer in memory.", "mm/filemap.c: filemap_fault"),
    ],
    subsumes: &[
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
        subsumes(EffectKind::Refaults, &[RuleId::DirectReclaim, RuleId::WorkingSetExceedsCache, RuleId::ColdCache]),
        subsumes(EffectKind::Refaults, &[RuleId::ZoneImbalance]).when(When::OtherProcess),
        subsumes(EffectKind::Refaults, &[RuleId::AnonymousGrowth]).when(When::SameProcess),
    ],
    scenarios: &["swap-off"],
    deciding_test: "Add swap (zram) on one host. If file refaults stop, anonymous memory had left no room.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::CodeThrash,
            title: "Running programs lose their own code, because anonymous memory cannot be swapped out",
            meaning: "Anonymous pages fill memory, and reclaim cannot or may not swap them out: swap is absent or full, or vm.swappiness is near \
                0. Reclaim takes clean file pages instead. In the end it takes the mapped code and data of running programs, which fault them \
                back in at once.",
            evidence: "Anonymous and shared memory fill much of memory. File pages refault, with major faults. Little is swapped out compared \
                with the refaults. Few bytes refault per major fault, so faults bring them back, not read calls.",
            metrics: &[
                "AnonPages",
                "Shmem",
                "workingset_refault_file",
                "pgmajfault",
                "pswpout",
                "SwapTotal",
                "SwapFree",
                "pgscan_kswapd",
                "RssAnon",
                "RssShmem",
                "rss",
                "majflt",
            ],
            thresholds: &[HELD.doc(), TURNOVER.doc(), FAULTS.doc(), SWAPPED.doc(), PER_FAULT.doc()],
            why: "get_scan_count scans only file pages when there is no swap, and nearly only file pages when vm.swappiness is near 0.",
            alternatives: "A program that maps a file larger than memory faults the same way with little anonymous memory. Then the file does not fit.",
            advice: "Add swap or zram and set vm.swappiness to 60 or more, or end the program that holds the memory.",
            mglru: "Refaults and major faults are counted. MGLRU finds used pages in page tables and keeps mapped pages longer, so thrashing starts later and more suddenly.",
            kernel: "Linux 6.12: mm/vmscan.c: get_scan_count, can_reclaim_anon_pages, shrink_folio_list; mm/filemap.c: filemap_fault; mm/workingset.c: workingset_refault.",
        },
        examine,
    )
};

const HELD: Limit<Ratio> = Limit::new(
    "anonymous and shared memory, as a share of memory",
    0.5,
    "With less, file cache fills memory.",
    "judgement",
);
const SWAPPED: Limit<Ratio> = Limit::new(
    "bytes swapped out per refaulted byte, at most",
    0.1,
    "With more, reclaim does swap out anonymous pages.",
    "judgement",
);
const PER_FAULT: Limit<Bytes> = Limit::new(
    "refaulted bytes per major fault, at most",
    2.0 * 1024.0 * 1024.0,
    "A fault reads at most one readahead window around itself; read calls bring back more.",
    "mm/filemap.c: do_sync_mmap_readahead (6.12)",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    let memory = window.memory()?;
    // Most stretches need no look at the whole recording.
    if !window.host(&REFAULTED)?.is_positive() || window.host_level("AnonPages")?.most < memory * 0.3 {
        return None;
    }
    let span = window.when(SignalSpec::derived(&REFAULTED));
    let during = window.over(span);
    let refaulted = during.host_bytes(&REFAULTED)?;
    let faults = during.host(&derived::MAJOR_FAULTS)?;
    let shared = during.host_level("Shmem").map_or(Amount::ZERO, |shared| shared.most);
    let anonymous = during.host_level("AnonPages")?.most + shared;
    let swapped = during.host_bytes(&derived::SWAP_OUT).unwrap_or(Amount::ZERO);
    let total = during.host_level::<Bytes>("SwapTotal").map(|total| total.most);
    let share = window.turnover(refaulted)?;
    if share < TURNOVER
        || faults < FAULTS
        || anonymous < memory * HELD
        || swapped > refaulted * SWAPPED
        || Amount::<Bytes>::new(refaulted.get() / faults.get()) > PER_FAULT.value()
    {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.span(window.onset(span).at_episode_of(SignalSpec::host_growth("AnonPages")));
    let weight = 0.5 + grade(anonymous / memory, 0.5, 0.8);
    found.compare(weight, "anonymous and shared memory", "AnonPages + Shmem", anonymous, Relation::Near, memory);
    found.add(0.5 + grade(share, 0.01, 0.2), "refaulted bytes", "workingset_refault_file * page size", refaulted);
    found.add(grade(faults, 10.0, 100.0), "major faults", "pgmajfault", faults);
    let swappiness = window.recording.manifest.sysctls.get("vm.swappiness").and_then(|value| value.parse::<f64>().ok());
    let free = during.host_level::<Bytes>("SwapFree");
    let full = free.zip(total).is_some_and(|(free, total)| free.least < total * 0.02);
    let none = total.is_some_and(|total| !total.is_positive());
    let why = match swappiness {
        _ if none => "there is no swap",
        _ if full => "swap is full",
        Some(swappiness) if swappiness <= 10.0 => "vm.swappiness is near 0",
        _ => "reclaim swaps out almost nothing",
    };
    if let Some(total) = total {
        found.add(if none || full { 1.0 } else { 0.0 }, "swap", "SwapTotal", total);
    }
    if let Some(swappiness) = swappiness.filter(|_| !none) {
        let weight = if swappiness <= 10.0 { 1.0 } else { -1.0 };
        found.add(weight, "vm.swappiness", "manifest", Amount::<Count>::new(swappiness));
    }
    if let Some(scanned) = during.host(&SCANNED) {
        let weight = if scanned.is_positive() { 0.5 } else { -2.0 };
        found.add(weight, "pages scanned", "pgscan_kswapd + pgscan_direct", scanned);
    }
    let who = process::holder(&during).map_or(String::new(), |holder| {
        // Processes share pages, and have most at other times: a part is no larger than the whole.
        let part = holder.amount.min(anonymous);
        found.note(format!("anonymous and shared memory of {}", holder.words()), "RssAnon + RssShmem", part);
        found.origin(holder.actor(window));
        format!(", {part} of it in {}", holder.words())
    });
    process::name_faulting(&mut found, &during);
    let statement = format!(
        "Reclaim cannot swap out {anonymous} of anonymous and shared memory ({why}){who}. Running programs lose mapped file pages: \
         {refaulted} refault with {faults} major faults."
    );
    // Swap that has room helps once the kernel may use it.
    let manifest = &window.recording.manifest;
    let unused = advise(
        "Let the kernel swap out anonymous pages: raise vm.swappiness.",
        Some("sysctl -w vm.swappiness=60"),
        "Cold anonymous pages move to the existing swap, and the programs' code stays in memory.",
        Some(&advice::restore(manifest, &["swappiness"])),
    );
    // A host that hardly swaps needs to be told to.
    let unwilling = swappiness.is_some_and(|swappiness| swappiness <= 10.0);
    let refused = !none && !full && unwilling;
    let raised = if unwilling { "; sysctl -w vm.swappiness=60" } else { "" };
    let lowered = if unwilling { format!("; {}", advice::restore(manifest, &["swappiness"])) } else { String::new() };
    // Half of memory: data that do not compress then still leave the other half.
    let size = (manifest.memory_total.get() >> 21).clamp(64, 8192);
    let advice = advise(
        "Add swap, so that anonymous pages can leave memory.",
        Some(&format!(
            "modprobe zram && dev=$(zramctl --find --size {size}M) && mkswap $dev && swapon -p 100 $dev{raised}"
        )),
        "Cold anonymous pages leave memory, and the programs' code stays. zram costs CPU and helps only as far as the data compress. Removing it \
         later takes that much free memory.",
        Some(&format!("swapoff $dev && zramctl --reset $dev{lowered}")),
    );
    found.finish(RuleId::CodeThrash, statement, vec![if refused { unused } else { advice }])
}
