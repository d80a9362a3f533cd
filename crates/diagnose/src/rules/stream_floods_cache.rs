//! `stream-floods-cache`: one device's reads push everybody's pages out of the page cache.

use super::{Role, Rule, Scope, over_reclaim};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::{REFAULTED, SCANNED, STOLEN, Window};
use pagetide_core::{Evidence, Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "stream-floods-cache",
        title: "A stream of reads evicts everybody's pages from the page cache",
        meaning: "One device delivers data that are read once, faster than memory can take them in. Each page of the stream takes the \
                  place of another, so that reclaim runs at the rate of the stream and the other programs lose their cached files. \
                  The device of the stream is the origin although it does not suffer itself; devices that have to read \
                  back what was evicted are victims.",
        evidence: "Reclaim runs (pgscan, pgsteal). One device delivers at least half of all bytes read, at least four times what it did before. \
                   Reclaim frees 0.3 to 3 times the bytes of the stream. Somebody misses what was evicted: refaults of 1 % of memory a minute, \
                   ten major faults a second and four times the usual, or another device that got busy. Against it speak refaults of more than 60 % \
                   of the stream (it is then a working set that does not fit), anonymous memory that grew by half of what was reclaimed, \
                   and swap traffic of 30 % of the stream: with any of these the rule is silent, and so it is when caches were dropped.",
        why: "There is one page cache for all devices, and a page that is read enters it whether or not it will be used again. A fast device \
              can turn over all of memory in seconds, before slower ones have read anything a second time.",
        otherwise: "Readers that share one working set larger than memory look alike, except that their reads refault. A stream through O_DIRECT \
                    does not enter the cache; reclaim then has another cause.",
        advice: "Find who reads (read_bytes of /proc/PID/io), and have it read past the cache or drop its pages behind it. A control group \
                 with a limit makes a stream evict its own pages only.",
        kernel: "mm/filemap.c: filemap_add_folio; mm/vmscan.c: balance_pgdat, shrink_inactive_list, inactive_is_low; mm/fadvise.c: generic_fadvise.",
    },
    name: "a stream of reads",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &["ssd-stream-starves-raid", "backup-evicts-neighbour"],
    decides: "Bytes read per process (`pidstat -d 1`): one process reads at the rate of the device and never the same again.",
    examine,
};

/// The device from which a stream comes.
pub(super) struct Origin<'a> {
    pub(super) disk: &'a str,
    /// Bytes per second that it delivers, …
    pub(super) rate: f64,
    /// … and that reclaim frees.
    pub(super) freed: f64,
    usual: Option<f64>,
    refaulted: Option<f64>,
}

/// The origin of a flood, when there is one.
pub(super) fn origin<'a>(window: &Window<'a>) -> Option<Origin<'a>> {
    let page = window.page_size();
    let freed = window.host_rate(STOLEN)? * page;
    let read = |window: &Window<'_>, disk: &str| Some(window.rate(Table::Disk, disk, "read_sectors")? * 512.0);
    let all: Vec<(&str, f64)> =
        window.disks().into_iter().filter_map(|disk| Some((disk, read(window, disk)?))).collect();
    let (disk, rate) = *all.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let total: f64 = all.iter().map(|(_, rate)| rate).sum();
    let usual = window.before().and_then(|quiet| read(&quiet, disk));
    let refaulted = window.host_rate(REFAULTED).map(|pages| pages * page);
    let swapped = window.host_rate(&["pswpin", "pswpout"]).unwrap_or(0.0) * page;
    let grown = window.host_change("AnonPages").zip(window.seconds()).map_or(0.0, |(bytes, seconds)| bytes / seconds);
    let dropped = window.host_rate(&["drop_pagecache"]).unwrap_or(0.0) > 0.0;
    let floods = rate > 0.0
        && rate >= total * 0.5
        && (0.3..=3.0).contains(&(freed / rate))
        && usual.is_none_or(|usual| rate >= usual * 4.0)
        && refaulted.is_none_or(|refaulted| refaulted <= rate * 0.6)
        && swapped < rate * 0.3
        && grown < freed * 0.5
        && !dropped;
    floods.then_some(Origin { disk, rate, freed, usual, refaulted })
}

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() {
        return None;
    }
    let origin = origin(window).filter(|origin| harmful(window, origin))?;
    let mut case = Case::new(RULE.doc.id, window);
    case.during(window.when(Of::disk(origin.disk, &["read_sectors"])));
    let rate = |value| Quantity::new(value, Unit::BytesPerSecond);
    let reads = format!("read_sectors of {}", origin.disk);
    case.weigh(
        0.5 + 1.5 * grade((origin.freed / origin.rate).ln().abs(), 1.2, 0.2),
        case.held("reclaimed", "pgsteal * page size", rate(origin.freed), Relation::Near, rate(origin.rate)),
    );
    if let Some(usual) = origin.usual {
        case.weigh(
            1.5 * grade(origin.rate / usual.max(1.0), 2.0, 20.0),
            case.held("bytes read before it began", &reads, rate(usual), Relation::Below, rate(origin.rate)),
        );
    }
    if let Some(refaulted) = origin.refaulted {
        let evidence = case.held(
            "read back after eviction",
            "workingset_refault_file * page size",
            rate(refaulted),
            Relation::Below,
            rate(origin.rate),
        );
        case.weigh(1.5 * grade(refaulted / origin.rate, 0.6, 0.2), evidence);
    }
    if let Some(scanned) = window.host_rate(SCANNED) {
        case.note(case.measured(
            "pages scanned",
            "pgscan_kswapd + pgscan_direct",
            Quantity::new(scanned, Unit::PerSecond),
        ));
    }
    weigh_faults(window, &mut case);
    let victims = victims(window, &origin, &mut case);
    weigh_memory(window, &mut case);
    case.blame("disk", origin.disk);
    let process = process::fastest(window, &["read_bytes"]).filter(|who| who.amount >= origin.rate * 0.5);
    let who = process.map_or(String::new(), |who| {
        case.weigh(1.0, case.measured(&format!("bytes that {} had read", who.words()), "read_bytes", rate(who.amount)));
        case.blame("process", who.comm);
        format!(" by {}", who.words())
    });
    let suffer = match victims.as_slice() {
        [] => String::new(),
        names => format!("; {} read back what others lost", names.join(" and ")),
    };
    let statement = format!(
        "Reads of {} from {}{who} flood the page cache: reclaim frees {}, and what others had cached is lost{suffer}.",
        rate(origin.rate),
        origin.disk,
        rate(origin.freed),
    );
    case.close(
        statement,
        vec![
            advise(
                "Find who reads from the device; have it use O_DIRECT or POSIX_FADV_DONTNEED behind itself.",
                Some("pidstat -d 1"),
                "The stream no longer enters the cache, and the others keep their pages. It loses readahead with O_DIRECT.", None),
            advise(
                "Run it in a control group with a memory limit.",
                Some("systemd-run -p MemoryMax=1G …"),
                "It then evicts its own pages. Too low a limit makes it reclaim all the time.", Some("start it without systemd-run")),
        ],
    )
}

/// Whether a stream evicts what others miss.
pub(super) fn floods(window: &Window<'_>) -> bool {
    origin(window).is_some_and(|origin| harmful(window, &origin))
}

/// Whether anybody misses what was evicted: a change of working set evicts as well, and nobody asks for the old one again.
fn harmful(window: &Window<'_>, origin: &Origin<'_>) -> bool {
    let memory = window.memory().unwrap_or(f64::INFINITY);
    let missed = origin.refaulted.is_some_and(|bytes| bytes * 60.0 >= memory * 0.01);
    let faults = window.host_rate(&["pgmajfault"]).unwrap_or(0.0);
    let usual = window.before().and_then(|quiet| quiet.host_rate(&["pgmajfault"])).unwrap_or(0.0);
    missed || faults >= 10.0 && faults >= usual * 4.0 || !busier(window, origin).is_empty()
}

/// The other devices that are far busier than before while they deliver little: name, part of the time busy, and the same before.
fn busier<'a>(window: &Window<'a>, origin: &Origin<'_>) -> Vec<(&'a str, f64, Option<f64>)> {
    let others = window.disks().into_iter().filter(|disk| *disk != origin.disk);
    let busier = others.filter_map(|disk| {
        let (busy, read) = (window.busy(disk)?, window.rate(Table::Disk, disk, "read_sectors")?);
        let usual = window.before().and_then(|quiet| quiet.busy(disk));
        let victim = busy >= 0.7 && usual.is_none_or(|usual| usual <= busy * 0.6) && read * 512.0 <= origin.rate * 0.2;
        victim.then_some((disk, busy, usual))
    });
    busier.collect()
}

fn weigh_faults(window: &Window<'_>, case: &mut Case) {
    let Some(faults) = window.host_rate(&["pgmajfault"]) else { return };
    let usual = window.before().and_then(|quiet| quiet.host_rate(&["pgmajfault"]));
    let evidence = case.measured("major faults", "pgmajfault", Quantity::new(faults, Unit::PerSecond));
    let Some(usual) = usual else { return case.note(evidence) };
    let against = Some((Relation::Above, Quantity::new(usual, Unit::PerSecond)));
    case.weigh(grade(faults / usual.max(1.0), 2.0, 50.0), Evidence { against, ..evidence });
}

/// Weighs the devices that suffer, and gives their names.
fn victims<'a>(window: &Window<'a>, origin: &Origin<'_>, case: &mut Case) -> Vec<&'a str> {
    let mut victims = Vec::new();
    for (disk, busy, usual) in busier(window, origin) {
        let evidence = case.measured(
            &format!("part of the time in which {disk} was busy"),
            "io_ms or util",
            Quantity::ratio(busy),
        );
        let against = usual.map(|usual| (Relation::Above, Quantity::ratio(usual)));
        case.weigh(0.5, Evidence { against, ..evidence });
        victims.push(disk);
    }
    victims
}

/// What would speak for anonymous memory, and is not so.
fn weigh_memory(window: &Window<'_>, case: &mut Case) {
    if let Some(change) = window.host_change("AnonPages") {
        case.weigh(0.5, case.measured("change of anonymous memory", "AnonPages", Quantity::new(change, Unit::Bytes)));
    }
    if let Some((free, marks, at)) = over_reclaim::far_above(window) {
        let mut evidence = case.held(
            "free memory, which should have stopped reclaim",
            "sum of free against sum of high over all zones",
            Quantity::new(free, Unit::Bytes),
            Relation::Above,
            Quantity::new(marks, Unit::Bytes),
        );
        evidence.range = (at, at);
        case.against(0.5, evidence);
    }
    if let Some(swapped) = window.host_rate(&["pswpin", "pswpout"]) {
        case.weigh(0.5, case.measured("pages swapped", "pswpin + pswpout", Quantity::new(swapped, Unit::PerSecond)));
    }
}
