//! `anonymous-growth-takes-cache`: programs' own memory grows into the file cache.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::{SCANNED, Window};
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "anonymous-growth-takes-cache",
        title: "Anonymous memory grows at the expense of the page cache",
        meaning: "Programs allocate memory, and the kernel makes room by reclaiming file cache. What was cached has to be read again later.",
        evidence: "AnonPages and swap in use together grew by at least 5 % of memory, at their most, and by then the file cache had fallen by half of what was not free before, and by 5 % of memory or half of the growth. Reclaim (pgscan) speaks for it; free memory \
                   that fell by more than the cache did speaks against it. The process whose RssAnon grew most is named where processes were recorded.",
        why: "Clean file pages are the cheapest to reclaim, so that growth of anonymous memory is paid by the file cache first, and by swap after that.",
        otherwise: "Both may change for reasons of their own: a file deleted while a program starts. Shared memory counts as Cached and not as AnonPages.",
        advice: "See whether the growth ends: a leak does not. Limit the program, or add memory for the working set of files.",
        kernel: "mm/memory.c: do_anonymous_page; mm/vmscan.c: get_scan_count.",
    },
    name: "growth of anonymous memory",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &[],
    decides: "RssAnon of each process over the same time shows whose memory grew.",
    examine,
};

/// How much the programs' own memory grew. What comes back from swap was theirs before.
fn own_memory(window: &Window<'_>) -> Option<f64> {
    let swapped = window.host_ends("SwapTotal").zip(window.host_ends("SwapFree"));
    let swapped = swapped.map_or(0.0, |(total, free)| (total.1 - free.1) - (total.0 - free.0));
    Some(window.host_change("AnonPages")? + swapped)
}

/// When the programs' own memory was most.
fn most(window: &Window<'_>) -> Option<i64> {
    let host = |metric: &str| Some(window.recording.host(metric)?.around(window.from, window.to));
    let (total, free) = (host("SwapTotal"), host("SwapFree"));
    let swapped = |at: i64| Some(total.as_ref()?.at(at)?.saturating_sub(free.as_ref()?.at(at)?));
    let own = host("AnonPages")?.within(window.from, window.to);
    own.max_by_key(|(at, anonymous)| anonymous.saturating_add(swapped(*at).unwrap_or(0))).map(|(at, _)| at)
}

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() || window.host_rate(&["drop_pagecache"]).is_some_and(|rate| rate > 0.0) {
        return None;
    }
    // A program that has ended took the cache all the same.
    let window = &Window { to: most(window)?, ..*window };
    let grown = own_memory(window)?;
    let lost = -window.host_change("Cached")?;
    let total = window.host_gauge("MemTotal").map(|(.., most)| most);
    let total = total.or_else(|| Some(window.recording.manifest.memory_total.as_f64())).filter(|total| *total > 0.0)?;
    // What free memory gave nobody had to give up.
    let paid = grown - window.host_change("MemFree").map_or(0.0, |free| (-free).clamp(0.0, grown));
    if grown < total * 0.05 || lost < (total * 0.05).min(grown * 0.5) || lost < paid * 0.5 {
        return None;
    }
    let bytes = |value| Quantity::new(value, Unit::Bytes);
    let mut case = Case::new(RULE.doc.id, window);
    case.during(window.when(Of::host_growth("AnonPages")));
    case.weigh(
        0.5 + 1.5 * grade(lost / paid, 0.4, 0.8),
        case.held("anonymous memory gained", "AnonPages against Cached", bytes(grown), Relation::Near, bytes(lost)),
    );
    case.weigh(
        grade(grown / total, 0.03, 0.2),
        case.measured("the same as part of memory", "AnonPages / MemTotal", Quantity::ratio(grown / total)),
    );
    if let Some(scanned) = window.host_rate(SCANNED) {
        let evidence =
            case.measured("pages scanned", "pgscan_kswapd + pgscan_direct", Quantity::new(scanned, Unit::PerSecond));
        case.weigh(if scanned > 0.0 { 1.0 } else { -1.5 }, evidence);
    }
    if let Some(free) = window.host_change("MemFree").filter(|free| *free > grown) {
        case.against(1.5, case.measured("free memory gained", "MemFree", bytes(free)));
    }
    let process = process::grower(window).filter(|who| who.amount >= grown * 0.4);
    let who = process.map_or(String::new(), |who| {
        case.weigh(0.5, case.measured(&format!("growth of {}", who.words()), "RssAnon or rss", bytes(who.amount)));
        case.blame("process", who.comm);
        format!(", most of it by {}", who.words())
    });
    let statement =
        format!("Anonymous memory grew by {}{who}, and the file cache fell by {}.", bytes(grown), bytes(lost));
    let advice = advise(
        "See which process grows and whether it ends; limit it if it does not.",
        Some("ps -eo pid,rss,comm --sort=-rss | head"),
        "A limit keeps the file cache for the others; the limited program may be killed at it.",
        None,
    );
    case.close(statement, vec![advice])
}
