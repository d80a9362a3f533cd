//! `working-set-exceeds-cache`: what programs read again is larger than the memory that can hold it.

use crate::actors::stream::{self, COPIES, FAULTING, RANDOM, USED};
use crate::actors::{newcomer, process};
use crate::evidence::threshold::{REFAULT_RATE, TURNOVER};
use crate::evidence::traced::{self, Traced};
use crate::evidence::{EvidenceBuilder, advise, measured};
use crate::measure::amount::{Amount, Count, Limit, Per, Rate, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::readahead::WHOLE;
use crate::measure::watermarks::{self, FAR};
use crate::measure::window::{REFAULTED, STOLEN, Window};
use crate::rules::contract::{EffectKind, Rule, Suspicion, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{
    Advice, Bytes, Cleared, Figure, Finding, Moment, Pages, Ratio, Relation, RuleDoc, RuleId, Span, Table,
};

pub(crate) const RULE: Rule = Rule {
    name: "a working set larger than the cache",
    reports: Some(EffectKind::Refaults),
    leads_to: &[
        leads(
            EffectKind::Reclaim,
            "Each page that is read again replaces one that is needed soon.",
            "mm/filemap.c: filemap_add_folio; mm/vmscan.c: balance_pgdat",
        ),
        leads(
            EffectKind::Refaults,
            "What does not fit is evicted before programs read it again.",
            "mm/workingset.c: workingset_refault",
        ),
    ],
    subsumes: &[
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
        subsumes(EffectKind::DirectReclaim, &[RuleId::DirectReclaim]),
        subsumes(EffectKind::Refaults, &[RuleId::ColdCache]),
    ],
    clears: Some(clears),
    scenarios: &["buffered-read"],
    deciding_test: "Refaults of the group or process that reads. If its working set does not fit, most of its reads refault.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::WorkingSetExceedsCache,
            title: "What programs read again does not fit in the page cache",
            meaning: "Pages are evicted and then read again, because the working set is larger than the memory available for cache.",
            evidence: "A large part of what the device reads refaults (workingset_refault_file x page size). Where few refaults are counted, \
                small random reads or major faults of one process count too, if they replace cached pages and do not become fewer. They do not \
                count if writes wait longer than reads (write_ms, read_ms). Of a step also: the file is larger than available memory, and the \
                hit ratio is about the cached part of the file. A step that began with almost none of its file cached and read no more than the \
                file once is a cold start. Memory that stays free, far above the high watermarks, excludes it.",
            metrics: &[
                "workingset_refault_file",
                "workingset_refault",
                "pgpgin",
                "reads",
                "read_ms",
                "write_ms",
                "Cached",
                "pgsteal_kswapd",
                "pgsteal_direct",
                "read_bytes",
                "majflt",
                "MemFree",
                "AnonPages",
                "Shmem",
                "Slab",
            ],
            thresholds: &[
                AGAIN.doc(),
                REFAULT_RATE.doc(),
                OUTPUT.doc(),
                COPIES.doc(),
                USED.doc(),
                WHOLE.doc(),
                FREED.doc(),
                RANDOM.doc(),
                FAULTING.doc(),
                LASTS.doc(),
                COLD.doc(),
                FAR.doc(),
            ],
            why: "The page cache takes the memory that programs leave. Once it is full, each page read evicts another. When a program needs the \
                evicted page again, the device has to read it again.",
            alternatives: "A cold start reads much and refaults nothing. Replaying one sequence (replayed-sequence) defeats a cache that would \
                serve random access. A stream that is read once evicts other programs' pages.",
            advice: "Give the page cache more memory, or reduce the working set. If a stream takes the cache, let it drop its pages behind itself.",
            mglru: "Since Linux 6.5 a refault counts when the group that lost the page reads it back. Linux 6.1 to 6.4 count only those of the \
                newest evicted generation. There, small random reads of one process stand in, if they replace cached pages and do not become \
                fewer.",
            kernel: "Linux 6.12: mm/workingset.c: workingset_eviction, workingset_refault; mm/vmscan.c: shrink_inactive_list.",
        },
        examine,
    )
};

const AGAIN: Limit<Ratio> =
    Limit::new("refaulted bytes per byte read", 0.1, "With less, most reads are new.", "judgement");
const OUTPUT: Limit<Ratio> = Limit::new(
    "refaulted bytes per byte read, of a program that copies",
    0.5,
    "A program that writes as much as it reads is copying, and may reread its own output once. With less, it does not reuse the same pages.",
    "judgement",
);
const COLD: Limit<Ratio> = Limit::new(
    "cached part of the file before the step, of a cold start",
    0.05,
    "The pages that a start leaves behind.",
    "judgement",
);

const FREED: Limit<Ratio> = Limit::new(
    "bytes freed per byte read, beyond what anonymous, shared and slab memory grew by, where few refaults are counted",
    0.5,
    "With less, the cache was not full.",
    "mm/filemap.c: filemap_add_folio (6.12)",
);
const LASTS: Limit<Ratio> = Limit::new(
    "bytes read in the second half of the stretch, per byte in the first",
    0.5,
    "A working set that fits is read once, and then its reads become fewer.",
    "judgement",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() { of_step(window) } else { of_host(window) }
}

fn of_step(window: &Window<'_>) -> Option<Finding> {
    let positive = |figure| window.figure::<Bytes>(figure).filter(|value| value.is_positive());
    let hits: Amount<Ratio> = window.figure(Figure::CacheHitRatio)?;
    let (read, size) = (positive(Figure::DiskReadBytes)?, positive(Figure::FileBytes)?);
    let available = positive(Figure::AvailableBefore)?;
    let cached = window.figure::<Bytes>(Figure::CachedBefore).map(|cached| cached / size);
    let asked = positive(Figure::Processed);
    let once = asked.is_none_or(|asked| asked <= size * 1.05);
    if hits.get() > 0.95 || cached.is_some_and(|cached| cached < COLD) && once {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let refaults = window.figure::<Pages>(Figure::Refaults).map(|pages| pages * window.page_size());
    // The device's reads may be those of others; refaults, in a control group, are not.
    let one = Amount::<Ratio>::new(1.0);
    let again = refaults.zip(asked).map_or(one - hits, |(refaulted, asked)| (refaulted / asked).min(one));
    let hits = hits.max(one - again);
    match refaults {
        Some(refaulted) if refaulted < read * AGAIN => return None,
        Some(refaulted) => {
            let weight = 2.5 * grade(refaulted / read, 0.05, 0.5);
            found.compare(weight, "refaulted bytes", "refaults * page size", refaulted, Relation::Near, read);
        }
        // Without refaults only a cache that held much of the file tells a second reading from a first.
        None if cached.is_none_or(|cached| cached.get() < 0.2) => return None,
        None => {}
    }
    let weight = if size < available { -2.5 } else { 1.0 + grade(size / available, 1.0, 1.2) };
    let source = "file_size compared with available_before";
    found.compare(weight, "size of the file", source, size, Relation::Above, available);
    if let Some(cached) = cached {
        let below = hits < cached * 0.6;
        let weight = if below { -0.5 } else { grade((hits - cached).abs(), 0.3, 0.1) };
        let relation = if below { Relation::Below } else { Relation::Near };
        let source = "1 - refaults * page size / processed compared with cached_before / file_size";
        found.compare(weight, "share of the requested bytes that the cache served", source, hits, relation, cached);
    }
    let statement = format!(
        "The file of {size} does not fit in the {available} of available memory: {again} of the requested bytes had been evicted and were read \
         again."
    );
    let more = window.figure::<Bytes>(Figure::MoreMemory);
    found.finish(RuleId::WorkingSetExceedsCache, statement, advice(more))
}

fn of_host(window: &Window<'_>) -> Option<Finding> {
    let again = stream::missed(window)?;
    let read_rate: Rate<Bytes> = window.derived(Table::Host, "", &derived::PAGED_IN)?;
    if !read_rate.is_positive() || watermarks::stays_far_above(window) {
        return None;
    }
    if again < read_rate * AGAIN || window.host(&REFAULTED)? < REFAULT_RATE {
        return unseen(window, read_rate);
    }
    let reader = process::fastest::<Bytes>(window, &["read_bytes"]);
    let copies = reader.is_some_and(|reader| {
        let written = process::together::<Bytes>(window, reader.comm, &["write_bytes"]);
        written > reader.amount * COPIES.get()
    });
    // A copy that has just started reads each page once, whoever had it cached before.
    let once = copies && reader.is_some_and(|reader| newcomer::started(window, reader.comm));
    if once || copies && again < read_rate * OUTPUT {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let missed = window.when(SignalSpec::derived(&REFAULTED));
    found.span(missed);
    let weight = 2.5 * grade(again / read_rate, 0.05, 0.5);
    let source = "rate of workingset_refault_file * page size";
    found.compare(weight, "refaulted bytes per second", source, again, Relation::Near, read_rate);
    if let Some(freed) = window.host_bytes(&STOLEN) {
        let weight = if freed < again * 0.1 { -1.5 } else { 0.5 };
        found.add(weight, "bytes freed", "pgsteal * page size", freed);
    }
    if let Some(process) = reader.filter(|process| process.amount >= read_rate * 0.5) {
        found.note(format!("bytes that {} read", process.words()), "read_bytes", process.amount);
        found.origin(process.actor(window));
        let reads = SignalSpec::rate(Table::Process, process.name, &["read_bytes"]);
        found.span(window.onset(window.onset(missed).at_episode_of(reads)).without_pause_of(reads));
    }
    let traced = Traced::of(window);
    let more = traced.as_ref().and_then(|traced| traced.more_memory(None));
    let evictor = traced.as_ref().and_then(Traced::host_evictor);
    let by = evictor.map_or(String::new(), |evictor| {
        // A working set that does not fit evicts its own pages.
        let own = evictor.own / (evictor.own + evictor.others);
        let what = format!("share of the pages evicted for {} that are its own", evictor.comm());
        found.add(2.0 * grade(own, 0.3, 0.7) - 1.0, what, "eviction.pages", own);
        evictor.add_to(&mut found, None)
    });
    let statement = format!(
        "The devices read {read_rate}, and {again} of that refaults: it was cached before and evicted. The working set does not fit.{by}"
    );
    found.finish(RuleId::WorkingSetExceedsCache, statement, advice(more))
}

/// Random reads that go on and replace cached pages, while the kernel counts few refaults: the reads are of a set far larger than memory,
/// or MGLRU of Linux 6.1 to 6.4 counts only those of the newest evicted generation.
fn unseen(window: &Window<'_>, read: Rate<Bytes>) -> Option<Finding> {
    let freed = window.host_bytes(&STOLEN)?;
    let reader = process::fastest::<Bytes>(window, &["read_bytes"]).filter(|process| process.amount >= read * 0.5)?;
    let requests = |metric: &str| window.all_disks(|disk| window.rate::<Count>(Table::Disk, disk, metric));
    let reads = requests("reads").filter(|reads| reads.is_positive())?;
    let size = Amount::<Bytes>::new(read.get() / reads.get());
    // What a fault of a mapped file reads is as large as readahead, also where a program touches it at random.
    let faulting = process::together::<Count>(window, reader.comm, &["majflt"]) / reads > FAULTING.value();
    let middle = Moment::new(window.span.from.ns().midpoint(window.span.to.ns()));
    let rate = |span: Span| window.over(span).derived::<Per<Bytes>>(Table::Host, "", &derived::PAGED_IN);
    let first = rate(Span { to: middle, ..window.span })?;
    let second = rate(Span { from: middle, ..window.span })?;
    let grown = window.host_change("Cached")?;
    let all = read.over(window.length()?);
    let dropped = window.host_rate(&["drop_pagecache"]).is_some_and(Amount::is_positive);
    // Where writes wait longer than reads, the reads are slow for them, and few of them may be random.
    let waited = |metric: &str| window.all_disks(|disk| window.rate::<Count>(Table::Disk, disk, metric));
    let behind_writes = waited("read_ms").zip(waited("write_ms")).is_some_and(|(read, written)| read < written);
    // Reclaim frees memory for programs that grow as well, and a program that reads around the cache needs none.
    let growth = ["AnonPages", "Shmem", "Slab"].into_iter().filter_map(|metric| window.host_change(metric));
    let growth = growth.filter(|change| change.is_positive()).fold(Amount::ZERO, |sum, change| sum + change);
    if freed - growth.per(window.length()?) < read * FREED
        || size > RANDOM.value() && !faulting
        || second < first * LASTS
        || grown > all * FREED
        || all < window.memory()? * TURNOVER
        || window.swapped().is_some_and(|swapped| swapped > read * 0.3)
        || dropped
        || behind_writes
    {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let span = window.when(SignalSpec::derived(&derived::PAGED_IN));
    found.span(window.onset(span).at_rise_of(SignalSpec::rate(Table::Process, reader.name, &["read_bytes"])));
    found.compare(
        0.5 + grade(freed / read, 0.5, 0.9),
        "bytes freed",
        "pgsteal * page size",
        freed,
        Relation::Near,
        read,
    );
    found.compare(0.5, "bytes read in the second half", "pgpgin", second, Relation::Near, first);
    found.add(0.5 * grade(size, RANDOM.get(), 8192.0), "size of a read", "pgpgin / reads of all disks", size);
    found.note(format!("bytes that {} read", reader.words()), "read_bytes", reader.amount);
    found.origin(reader.actor(window));
    let statement = format!(
        "{} reads {read} at random from the devices, {size} at a time, and reclaim frees {freed} to make room. The reads do not taper off: its \
         working set does not fit, or it is read for the first time.",
        reader.words()
    );
    found.finish(RuleId::WorkingSetExceedsCache, statement, advice(None))
}

fn advice(more: Option<Amount<Bytes>>) -> Vec<Advice> {
    vec![advise(
        &format!(
            "Give the page cache as much memory as the working set needs, or reduce the working set.{}",
            traced::amount(more)
        ),
        None,
        "Reads that refault now then come from memory. Memory beyond the working set adds nothing.",
        None,
    )]
}

fn clears(suspicion: Suspicion<'_>) -> Option<Cleared> {
    let during = suspicion.during;
    let refaulted = during.host_bytes(&REFAULTED)?;
    let read: Rate<Bytes> = during.derived(Table::Host, "", &derived::PAGED_IN)?;
    let confirmed = suspicion.confirmed(&[RuleId::WorkingSetExceedsCache, RuleId::CodeThrash]);
    let share = refaulted / read;
    (!confirmed && read.is_positive() && refaulted < read * AGAIN).then(|| Cleared {
        rule: RuleId::WorkingSetExceedsCache,
        statement: format!("Not a working set larger than the cache: only {share} of the bytes read refault."),
        evidence: vec![measured(
            during.span,
            "share of the bytes read that refault",
            "workingset_refault_file * page size / pgpgin",
            share,
        )],
    })
}
