//! `code-thrash`: the pages of running programs are evicted because nothing else may be.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::{REFAULTED, SCANNED, Window};
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "code-thrash",
        title: "Running programs lose their own code, because anonymous memory cannot be swapped out",
        meaning: "Memory is full of anonymous pages that reclaim cannot or may not take: there is no swap, it is full, or vm.swappiness is near 0. What is left to take are \
                  clean file pages, and the last of those are the code and data that running programs have mapped. They are read again at once.",
        evidence: "Anonymous and shared memory take at least half of memory. File pages refault at more than 1 % of memory a minute, with at least ten major faults \
                   a second. Swap is absent, full, or takes less than a tenth of what refaults. The refaulted bytes are no more than 2 MiB per major \
                   fault, so that it is faults, and not read calls, that bring them back.",
        why: "get_scan_count takes only file pages when there is no swap, and next to only file pages when vm.swappiness is near 0.",
        otherwise: "A program that maps a file larger than memory faults just so with little anonymous memory: then the file is what does not fit.",
        advice: "Give anonymous memory a place to go: swap or zram, and vm.swappiness of 60 or more. Or end what holds the memory.",
        kernel: "mm/vmscan.c: get_scan_count, can_reclaim_anon_pages, shrink_folio_list; mm/filemap.c: filemap_fault; mm/workingset.c: workingset_refault.",
    },
    name: "thrashing of mapped files",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &["swap-off"],
    decides: "Add swap (zram) on one host: the refaults of files end when anonymous memory was what left no room.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() {
        return None;
    }
    let memory = window.memory()?;
    let page = window.page_size();
    // Most stretches are told from the stretch alone, without a look at the whole recording.
    if window.host_rate(REFAULTED)? <= 0.0 || window.host_gauge("AnonPages")?.2 < memory * 0.3 {
        return None;
    }
    let during = window.when(Of::host(REFAULTED));
    let at_it = Window { from: during.0, to: during.1, ..*window };
    let refaulted = at_it.host_rate(REFAULTED)? * page;
    let faults = at_it.host_rate(&["pgmajfault"])?;
    let anonymous = at_it.host_gauge("AnonPages")?.2 + at_it.host_gauge("Shmem").map_or(0.0, |(.., most)| most);
    let swapped = at_it.host_rate(&["pswpout"]).unwrap_or(0.0) * page;
    let total = at_it.host_gauge("SwapTotal").map(|(.., most)| most);
    if refaulted * 60.0 < memory * 0.01
        || faults < 10.0
        || anonymous < memory * 0.5
        || swapped > refaulted * 0.1
        || refaulted / faults > 2.0 * 1024.0 * 1024.0
    {
        return None;
    }
    let bytes = |value| Quantity::new(value, Unit::Bytes);
    let rate = |value| Quantity::new(value, Unit::BytesPerSecond);
    let mut case = Case::new(RULE.doc.id, window);
    case.during(window.led_up_to(during, Of::host_growth("AnonPages")));
    case.weigh(
        0.5 + grade(anonymous / memory, 0.5, 0.8),
        case.held("anonymous and shared memory", "AnonPages + Shmem", bytes(anonymous), Relation::Near, bytes(memory)),
    );
    case.weigh(
        0.5 + grade(refaulted * 60.0 / memory, 0.01, 0.2),
        case.measured("file pages read back after eviction", "workingset_refault_file * page size", rate(refaulted)),
    );
    case.weigh(
        grade(faults, 10.0, 100.0),
        case.measured("major faults", "pgmajfault", Quantity::new(faults, Unit::PerSecond)),
    );
    let swappiness = window.recording.manifest.sysctls.get("vm.swappiness").and_then(|value| value.parse::<f64>().ok());
    let full = at_it.host_gauge("SwapFree").zip(total).is_some_and(|((free, ..), total)| free < total * 0.02);
    let why = match (total, swappiness) {
        (Some(total), _) if total <= 0.0 => "there is no swap",
        _ if full => "swap is full",
        (_, Some(swappiness)) if swappiness <= 10.0 => "vm.swappiness is near 0",
        _ => "hardly anything goes to swap",
    };
    if let Some(total) = total {
        case.weigh(if total <= 0.0 || full { 1.0 } else { 0.0 }, case.measured("swap", "SwapTotal", bytes(total)));
    }
    if let Some(swappiness) = swappiness.filter(|_| total.is_none_or(|total| total > 0.0)) {
        let evidence = case.measured("vm.swappiness", "manifest", Quantity::count(swappiness));
        case.weigh(if swappiness <= 10.0 { 1.0 } else { -1.0 }, evidence);
    }
    if let Some(scanned) = at_it.host_rate(SCANNED) {
        case.weigh(
            if scanned > 0.0 { 0.5 } else { -2.0 },
            case.measured("pages scanned", "pgscan_kswapd + pgscan_direct", Quantity::new(scanned, Unit::PerSecond)),
        );
    }
    let holder = largest(&at_it);
    let who = holder.map_or(String::new(), |who| {
        case.note(case.measured(&format!("anonymous memory of {}", who.words()), "RssAnon", bytes(who.amount)));
        case.blame("process", who.comm);
        format!(", most of it by {}", who.words())
    });
    process::blame_faults(&mut case, &at_it);
    let statement = format!(
        "{} of anonymous memory cannot be swapped out ({why}){who}, so running programs lose mapped file pages and read {} of them back, with {} major faults.",
        bytes(anonymous),
        rate(refaulted),
        Quantity::new(faults, Unit::PerSecond)
    );
    case.close(
        statement,
        vec![advise(
            "Give anonymous memory a place to go.",
            Some("modprobe zram; zramctl --find --size 2G; mkswap /dev/zram0; swapon -p 100 /dev/zram0; sysctl -w vm.swappiness=60"),
            "Cold anonymous pages leave memory and the programs' code stays. zram costs CPU and helps as far as the data compress.",
            Some("swapoff /dev/zram0; zramctl --reset /dev/zram0"),
        )],
    )
}

/// The process with most anonymous memory.
fn largest<'a>(window: &Window<'a>) -> Option<process::Who<'a>> {
    let held = process::present(window).filter_map(|(name, comm)| {
        let of = |metric: &str, unit: f64| {
            let series = window.recording.series(Table::Process, name, metric)?.around(window.from, window.to);
            Some(series.summary(window.from, window.to)?.2 as f64 * unit)
        };
        let shared = of("RssShmem", 1.0).unwrap_or(0.0);
        let amount = of("RssAnon", 1.0).map(|anon| anon + shared).or_else(|| of("rss", window.page_size()))?;
        Some(process::Who { name, comm, amount })
    });
    held.max_by(|a, b| a.amount.total_cmp(&b.amount))
}
