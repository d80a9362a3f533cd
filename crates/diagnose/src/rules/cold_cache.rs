//! `cold-cache`: the page cache is being filled for the first time.

use super::{Role, Rule, Scope, stream_floods_cache};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::{REFAULTED, STOLEN, Window};
use pagetide_core::{Figure, Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "cold-cache",
        title: "The page cache is filled for the first time",
        meaning: "What is read was not cached before, for lack of an earlier read and not for lack of memory. The reads of the devices end \
                  when everything has been read once.",
        evidence: "The devices read, and the file cache grows, or replaces what it held, by at least half of it. Hardly anything refaults (under a tenth of the bytes read); where \
                   refaults are not counted hardly anything is reclaimed (under a fifth). At least 1 % of memory was read.",
        why: "After a start of the host, of a program, or after caches were dropped, nothing is in the page cache yet.",
        otherwise: "A stream that is read once fills the cache just so while memory is left; what tells them apart is whether it is read again.",
        advice: "Wait, or warm the cache before it is needed by reading the files.",
        kernel: "mm/filemap.c: filemap_add_folio; mm/workingset.c: workingset_refault.",
    },
    name: "a cold cache",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &["buffered-read"],
    decides: "A second run of the same work: its reads come from memory when the cache was only cold.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() {
        return of_step(window);
    }
    let page = window.page_size();
    let sectors = window.disks().into_iter().filter_map(|disk| window.rise(Table::Disk, disk, "read_sectors"));
    let read = sectors.reduce(|sum, rise| sum + rise)? * 512.0;
    let grown = window.host_change("Cached")?;
    let total = window.recording.manifest.memory_total.as_f64();
    let total = if total > 0.0 { total } else { window.host_gauge("MemTotal")?.2 };
    let refaulted = window.host_rise(REFAULTED).map(|pages| pages * page);
    let freed = window.host_rise(STOLEN).map(|pages| pages * page);
    // Without either, growth of the cache says nothing about what was in it before.
    // What takes the place of others is new as well, as long as refaults say that nobody misses them.
    let replaced = freed.filter(|_| refaulted.is_some()).unwrap_or(0.0);
    if refaulted.is_none() && freed.is_none()
        || read < total * 0.01
        || grown + replaced < read * 0.5
        || refaulted.is_some_and(|bytes| bytes > read * 0.1)
        || refaulted.is_none() && freed.is_some_and(|bytes| bytes > read * 0.2)
        || stream_floods_cache::floods(window)
    {
        return None;
    }
    let bytes = |value| Quantity::new(value, Unit::Bytes);
    let mut case = Case::new(RULE.doc.id, window);
    let most =
        window.disks().into_iter().filter_map(|disk| Some((disk, window.rise(Table::Disk, disk, "read_sectors")?)));
    if let Some((disk, _)) = most.max_by(|a, b| a.1.total_cmp(&b.1)) {
        case.during(window.when(Of::disk(disk, &["read_sectors"])));
        case.blame("disk", disk);
    }
    if let Some(who) = process::fastest(window, &["read_bytes"]) {
        case.blame("process", who.comm);
    }
    case.weigh(
        1.0 + grade((grown + replaced) / read, 0.5, 0.9),
        case.held(
            "growth of the file cache and what it replaced",
            "Cached + pgsteal against read_sectors",
            bytes(grown + replaced),
            Relation::Near,
            bytes(read),
        ),
    );
    for (what, source, amount) in
        [("read back after eviction", "workingset_refault_file", refaulted), ("reclaimed", "pgsteal", freed)]
    {
        if let Some(amount) = amount {
            case.weigh(
                grade(amount / read, 0.2, 0.02),
                case.held(what, source, bytes(amount), Relation::Below, bytes(read)),
            );
        }
    }
    close(case, read)
}

fn of_step(window: &Window<'_>) -> Option<Finding> {
    let hits = window.figure(Figure::CacheHitRatio)?;
    let read = window.figure(Figure::DiskReadBytes)?;
    let size = window.figure(Figure::FileBytes).filter(|size| *size > 0.0)?;
    let before = window.figure(Figure::CachedBefore)?;
    let grown = window.figure(Figure::CachedAfter)? - before;
    let refaulted = window.figure(Figure::Refaults).map(|pages| pages * window.page_size())?;
    if hits > 0.5 || before > size * 0.05 || grown < size * 0.2 || refaulted > read * 0.1 {
        return None;
    }
    let bytes = |value| Quantity::new(value, Unit::Bytes);
    let mut case = Case::new(RULE.doc.id, window);
    case.weigh(
        2.0,
        case.held(
            "part of the file that was cached before",
            "cached_before",
            bytes(before),
            Relation::Below,
            bytes(size),
        ),
    );
    case.weigh(
        grade(refaulted / read, 0.1, 0.01),
        case.held("read back after eviction", "refaults * page size", bytes(refaulted), Relation::Below, bytes(read)),
    );
    case.note(case.measured("growth of the file's cached part", "cached_after - cached_before", bytes(grown)));
    close(case, grown)
}

fn close(case: Case, read: f64) -> Option<Finding> {
    let statement = format!(
        "The cache was cold: {} were read for the first time and hardly anything for a second time.",
        Quantity::new(read, Unit::Bytes)
    );
    let advice = advise(
        "Wait until it is warm, or read the files before they are needed.",
        Some("cat FILE > /dev/null"),
        "Later reads come from memory, as long as it suffices.",
        None,
    );
    case.close(statement, vec![advice])
}
