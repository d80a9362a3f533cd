//! `working-set-exceeds-cache`: what is read again and again is larger than the memory that can hold it.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::{REFAULTED, Window};
use pagetide_core::{Figure, Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "working-set-exceeds-cache",
        title: "What is read again does not fit in the page cache",
        meaning: "Pages are evicted and then read again, because what the workload uses is larger than the memory available \
                  for cache.",
        evidence: "Refaults (workingset_refault_file x page size) make up at least a tenth of what the device reads. Of a step also: \
                   the file is larger than available memory, and the hit ratio is about the part of the file that was cached. A step \
                   that began with under 5 % of its file cached and asked for no more than the file once is a cold start, \
                   whatever it refaults.",
        why: "The page cache takes what is left over. Once it is full, each page read evicts another; when the evicted one is \
              asked for again the device has to read it again.",
        otherwise: "A cold start reads much and refaults nothing. Replaying one sequence (replayed-sequence) makes a cache \
                    useless that a random access would profit from. A stream that is read only once evicts others' pages.",
        advice: "Give it more memory, or take some from those who hold it without need; make the working set smaller; if a \
                 stream that is read once takes the cache, let it drop its pages behind itself.",
        kernel: "mm/workingset.c: workingset_eviction, workingset_refault; mm/vmscan.c: shrink_inactive_list.",
    },
    name: "a working set larger than the cache",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &["buffered-read"],
    decides: "Refaults of the group or process that reads: they are most of what it reads when its working set does not fit.",
    examine,
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() { of_step(window) } else { of_host(window) }
}

fn of_step(window: &Window<'_>) -> Option<Finding> {
    let hits = window.figure(Figure::CacheHitRatio)?;
    let read = window.figure(Figure::DiskReadBytes).filter(|read| *read > 0.0)?;
    let size = window.figure(Figure::FileBytes).filter(|size| *size > 0.0)?;
    let available = window.figure(Figure::AvailableBefore).filter(|available| *available > 0.0)?;
    let cached = window.figure(Figure::CachedBefore).map(|cached| cached / size);
    let asked = window.figure(Figure::Processed).filter(|asked| *asked > 0.0);
    let passes = asked.map(|asked| asked / size);
    let cold = cached.is_some_and(|cached| cached < 0.05) && passes.is_none_or(|passes| passes <= 1.05);
    if hits > 0.95 || cold {
        return None;
    }
    let mut case = Case::new(RULE.doc.id, window);
    let refaults = window.figure(Figure::Refaults).map(|pages| pages * window.page_size());
    // The device's reads may be those of others; refaults, in a control group, are not.
    let again = refaults.zip(asked).map_or(1.0 - hits, |(refaulted, asked)| (refaulted / asked).min(1.0));
    let hits = hits.max(1.0 - again);
    match refaults {
        Some(refaulted) if refaulted < 0.1 * read => return None,
        Some(refaulted) => case.weigh(
            2.5 * grade(refaulted / read, 0.05, 0.5),
            case.held(
                "bytes read back after they had been evicted",
                "refaults * page size",
                Quantity::new(refaulted, Unit::Bytes),
                Relation::Near,
                Quantity::new(read, Unit::Bytes),
            ),
        ),
        // Without refaults only a cache that held much of the file tells a second reading from a first.
        None if cached.is_none_or(|cached| cached < 0.2) => return None,
        None => {}
    }
    let fits = case.held(
        "size of the file",
        "file_size against available_before",
        Quantity::new(size, Unit::Bytes),
        Relation::Above,
        Quantity::new(available, Unit::Bytes),
    );
    case.weigh(if size < available { -2.5 } else { 1.0 + grade(size / available, 1.0, 1.2) }, fits);
    if let Some(cached) = cached {
        let evidence = case.held(
            "part of the requested bytes that the cache served",
            "1 - refaults * page size / processed against cached_before / file_size",
            Quantity::ratio(hits),
            if hits < cached * 0.6 { Relation::Below } else { Relation::Near },
            Quantity::ratio(cached),
        );
        case.weigh(if hits < cached * 0.6 { -0.5 } else { grade((hits - cached).abs(), 0.3, 0.1) }, evidence);
    }
    let statement = format!(
        "The file of {} does not fit in the {} available: {} of what was asked for had been evicted and was read again.",
        Quantity::new(size, Unit::Bytes),
        Quantity::new(available, Unit::Bytes),
        Quantity::ratio(again),
    );
    case.close(statement, advice())
}

fn of_host(window: &Window<'_>) -> Option<Finding> {
    let seconds = window.seconds()?;
    let refaults =
        window.host_rise(&["workingset_refault_file"]).or_else(|| window.host_rise(&["workingset_refault"]))?;
    // The host's counter is in KiB.
    let read = window.host_rise(&["pgpgin"]).map(|kib| kib * 1024.0).filter(|read| *read > 0.0)?;
    let refaulted = refaults * window.page_size();
    if refaulted < 0.1 * read || refaults / seconds < 100.0 {
        return None;
    }
    let mut case = Case::new(RULE.doc.id, window);
    let missed = window.when(Of::host(REFAULTED));
    case.during(missed);
    case.weigh(
        2.5 * grade(refaulted / read, 0.05, 0.5),
        case.held(
            "bytes per second read back after they had been evicted",
            "rate of workingset_refault_file * page size",
            Quantity::new(refaulted / seconds, Unit::BytesPerSecond),
            Relation::Near,
            Quantity::new(read / seconds, Unit::BytesPerSecond),
        ),
    );
    if let Some(stolen) = window.host_rise(&["pgsteal_kswapd", "pgsteal_direct"]) {
        let evidence =
            case.measured("pages reclaimed", "pgsteal_kswapd + pgsteal_direct", Quantity::new(stolen, Unit::Pages));
        case.weigh(if stolen < refaults * 0.1 { -1.5 } else { 0.5 }, evidence);
    }
    if let Some(who) = process::fastest(window, &["read_bytes"]).filter(|who| who.amount * seconds >= read * 0.5) {
        let bytes = Quantity::new(who.amount, Unit::BytesPerSecond);
        case.note(case.measured(&format!("bytes that {} had read", who.words()), "read_bytes", bytes));
        case.blame("process", who.comm);
        let reads = Of::rate(Table::Process, who.name, &["read_bytes"]);
        case.during(window.led_up_to(missed, reads));
    }
    let statement = format!(
        "{} of the {} that the devices read per second had been in the page cache before and was evicted: the working set does not fit.",
        Quantity::new(refaulted / seconds, Unit::BytesPerSecond),
        Quantity::new(read / seconds, Unit::BytesPerSecond),
    );
    case.close(statement, advice())
}

fn advice() -> Vec<pagetide_core::Advice> {
    vec![advise(
        "Give the page cache as much memory as the working set needs, or make the working set smaller.",
        None,
        "Reads that refault now come from memory; more memory than the working set brings nothing further.",
        None,
    )]
}
