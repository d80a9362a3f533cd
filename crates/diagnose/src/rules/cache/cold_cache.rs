//! `cold-cache`: the page cache fills for the first time.

use crate::actors::newcomer;
use crate::actors::process;
use crate::actors::served::{self, AGAIN, LOST, Served};
use crate::actors::stream::{self, SWAP_MOST};
use crate::evidence::{EvidenceBuilder, advise};
use crate::ledger::disk_load;
use crate::measure::amount::{Amount, Count, Limit, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::queue;
use crate::measure::window::{REFAULTED, STOLEN, Window};
use crate::rules::contract::{EffectKind, Rule, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{Actor, Advice, Bytes, Figure, Finding, Pages, Ratio, Relation, RuleDoc, RuleId, Table};

pub(crate) const RULE: Rule = Rule {
    name: "a cold cache",
    effect: Some(EffectKind::Reads),
    leads_to: &[leads(EffectKind::DiskBusy, "All reads go to the device.", "mm/filemap.c: filemap_read")],
    subsumes: &[
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
        subsumes(EffectKind::DirectReclaim, &[RuleId::DirectReclaim]),
    ],
    scenarios: &["buffered-read"],
    deciding_test: "Run the same work again: if the cache was only cold, its reads come from memory.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::ColdCache,
            title: "The page cache fills for the first time",
            meaning: "No program has read these files yet, so they are not cached; memory is not short. The reads end once everything has been read.",
            evidence: "The devices read, and the file cache grows by a large part of that: memory was free, or the cache is still filling. Or a program \
                that ran before, and hardly read then, keeps a disk busy with reads that replace other pages. Or a program whose reads came from the cache, and which asks for no more, reads \
                from a device since cached files were deleted, or a file system was unmounted. \
                Little of it refaults. Reclaim frees no more than is read, or little where refaults were not recorded. A device at its IOPS \
                limit excludes it: while a cache warms up, reads become fewer. So does a device that had about as many reads before, of which each \
                brings more now.",
            metrics: &[
                "reads",
                "read_sectors",
                "read_ms",
                "Cached",
                "Buffers",
                "workingset_refault_file",
                "pgsteal_kswapd",
                "pgsteal_direct",
                "read_bytes",
                "rchar",
            ],
            thresholds: &[
                KEPT.doc(),
                READ.doc(),
                MIN_READ.doc(),
                USUAL.doc(),
                BUSY.doc(),
                ALONE.doc(),
                AGAIN.doc(),
                FREED.doc(),
                FULL.doc(),
                SWAP_MOST.doc(),
                queue::EVEN.doc(),
                MISSED.doc(),
                UNCACHED.doc(),
                FORMER.doc(),
                LOST.doc(),
                newcomer::ONCE.doc(),
            ],
            why: "After boot, a program start or drop_caches, the files are not in the page cache.",
            alternatives: "A stream read once fills the cache the same way while memory is free. A second read tells them apart.",
            advice: "Wait, or read the files before they are needed.",
            mglru: "Nothing is evicted, so MGLRU changes nothing here.",
            kernel: "Linux 6.12: mm/filemap.c: filemap_add_folio; mm/workingset.c: workingset_refault.",
        },
        examine,
    )
};

const KEPT: Limit<Ratio> = Limit::new(
    "growth of the cache per byte read",
    0.5,
    "O_DIRECT reads do not fill the cache, and a full cache replaces what it held.",
    "judgement",
);
const READ: Limit<Ratio> =
    Limit::new("bytes read, as a share of memory", 0.05, "Any program start reads less.", "judgement");
const MIN_READ: Limit<Bytes> = Limit::new(
    "bytes read by a program that hardly read before",
    1_048_576.0,
    "Any change reads a little.",
    "judgement",
);
const USUAL: Limit<Ratio> = Limit::new(
    "what it read per second before, as a share of that, at most",
    0.01,
    "With more, it missed the cache before.",
    "judgement",
);
const FORMER: Limit<Ratio> = Limit::new(
    "bytes that such a program read per second before, as a share of now, at least",
    0.1,
    "With less, what it read before says little.",
    "judgement",
);
const BUSY: Limit<Ratio> =
    Limit::new("share of time that a disk is busy meanwhile", 0.5, "An idle disk delays nobody.", "judgement");
const ALONE: Limit<Count> = Limit::new(
    "requests in flight while that disk is busy, at most",
    1.5,
    "With more, the disk has more to do than it can: that decides, and not what is cached.",
    "Little's law",
);
const FREED: Limit<Ratio> = Limit::new(
    "bytes freed per byte read, at most, where refaults are not recorded",
    0.2,
    "With more, the cache replaces pages that a program may miss.",
    "judgement",
);

const FULL: Limit<Ratio> = Limit::new(
    "bytes freed per byte read, at most, where refaults are recorded",
    1.0,
    "The cache was full, so reads replace other pages.",
    "mm/vmscan.c (6.12)",
);

const MISSED: Limit<Ratio> = Limit::new(
    "reads a second before, per read a second now, at most",
    0.5,
    "With more, programs missed the cache before as well.",
    "judgement",
);

const UNCACHED: Limit<Ratio> = Limit::new(
    "share of the bytes that a program asks for which come from devices, before and now, of one that the cache never served",
    0.9,
    "With less, the cache serves it.",
    "judgement",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() { of_step(window) } else { of_free_memory(window).or_else(|| of_deleted(window)) }
}

/// A program whose files were replaced: what was cached of the old ones went with them.
fn of_deleted(window: &Window<'_>) -> Option<Finding> {
    let served = served::until_now(window).filter(Served::lost_its_files)?;
    let mut found = served.evidence(window);
    let Served { reader, read_before, read, lost, .. } = served;
    let what = format!("bytes that {} reads from devices, and before", reader.words());
    found.compare(1.5, what, "read_bytes", reader.amount, Relation::Above, read_before);
    found.add(1.0, "bytes that the cache lost without reclaim", "Cached + Buffers, pgsteal", lost);
    // What is dropped of some files alone is not counted.
    let dropped = |window: Window<'_>| window.host_rate(&["drop_pagecache"]).is_some_and(Amount::is_positive);
    let dropped = dropped(*window) || window.baseline().all().is_some_and(dropped);
    let went = if dropped { "dropped" } else { "deleted, dropped, or went with a file system" };
    let statement = format!(
        "{} reads files that are not cached, {read} for the first time: {lost} of cached files were {went} before.",
        reader.words()
    );
    found.finish(RuleId::ColdCache, statement, vec![advice()])
}

fn of_free_memory(window: &Window<'_>) -> Option<Finding> {
    let sectors = |disk: &str| window.rise::<Bytes>(Table::Disk, disk, "read_sectors");
    let read = window.all_disks(sectors)? * 512.0;
    let grown = window.host_change("Cached")?;
    let refaulted = window.host_amount(&REFAULTED);
    let freed = window.host_amount(&STOLEN);
    // Without either, growth of the cache does not tell what it held before. What replaces other pages is no cold cache: it was full.
    let is_little = read < window.memory()? * READ;
    if refaulted.is_none() && freed.is_none()
        || is_little && read < MIN_READ
        || grown < read * KEPT && !(replaces(window, grown, read) && reads_anew(window))
        || refaulted.is_some_and(|bytes| bytes > read * AGAIN)
        || freed.is_some_and(|bytes| bytes > read * if refaulted.is_none() { FREED } else { FULL })
        || is_little && !reads_anew(window)
        || stream::harms(window)
    {
        return None;
    }
    // Who waits is told by the time that reads take: few reads at random from one disk may take more of it than many in sequence from another.
    let waited = |disk: &str| window.rise::<Count>(Table::Disk, disk, "read_ms");
    let busiest = window.busiest(waited).or_else(|| window.busiest(sectors).map(|(disk, _)| (disk, Amount::ZERO)));
    // What waits for a device at its limit is not over once a part of the files is cached: the rate of misses has not fallen.
    if busiest.is_some_and(|(disk, _)| {
        at_limit(window, disk) || misses_as_before(window, disk) || is_never_served(window, disk)
    }) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let disk = busiest.map(|(disk, _)| disk);
    if let Some(disk) = disk {
        found.span(window.when(SignalSpec::disk(disk, &derived::READ_BANDWIDTH)));
    }
    let reader = disk.and_then(|disk| disk_load::reader(window, disk));
    if let Some(process) = reader.or_else(|| process::fastest::<Bytes>(window, &["read_bytes"])) {
        found.origin(process.actor(window));
    }
    disk.into_iter().for_each(|disk| found.origin(Actor::disk(disk)));
    let weight = 1.0 + grade(grown / read, 0.5, 0.9);
    let source = "Cached compared with read_sectors";
    found.compare(weight, "growth of the file cache", source, grown, Relation::Near, read);
    for (what, source, amount) in
        [("refaulted bytes", "workingset_refault_file", refaulted), ("bytes freed", "pgsteal", freed)]
    {
        if let Some(amount) = amount {
            found.compare(grade(amount / read, 0.2, 0.02), what, source, amount, Relation::Below, read);
        }
    }
    finish(found, read)
}

/// Whether most of what is read replaces other pages: the cache is full. What bypasses it, and what comes back from swap, does not.
fn replaces(window: &Window<'_>, grown: Amount<Bytes>, read: Amount<Bytes>) -> bool {
    let freed = window.host_amount(&STOLEN).unwrap_or(Amount::ZERO);
    let swapped = window.host_amount(&derived::SWAP_IN).unwrap_or(Amount::ZERO);
    grown.max(Amount::ZERO) + freed >= read * KEPT && swapped < read * SWAP_MOST
}

/// Whether a program that ran before and hardly read then is what keeps a disk busy with reads: it needs what it had not read yet.
fn reads_anew(window: &Window<'_>) -> bool {
    let anew = || {
        let reader = process::fastest::<Bytes>(window, &["read_bytes"])?;
        let before = window.baseline().all()?;
        let ran = process::present(&before).any(|(name, _)| name == reader.name);
        let usual = process::together::<Bytes>(&before, reader.comm, &["read_bytes"]);
        let waits = |disk: &&str| {
            let busy = window.busy(disk).filter(|busy| *busy >= BUSY);
            busy.zip(window.queue(disk)).is_some_and(|(busy, queue)| queue.get() <= busy.get() * ALONE.get())
        };
        Some(ran && usual <= reader.amount * USUAL && window.disks().iter().any(waits))
    };
    anew().unwrap_or(false)
}

/// Whether a disk has a full queue and completes the same number of requests each second, to the end of the stretch.
fn at_limit(window: &Window<'_>, disk: &str) -> bool {
    queue::longest_backlog(window, disk).is_some_and(|span| queue::iops_ceiling(&window.over(span), disk).is_some())
}

/// Whether a disk had about as many reads a second before: programs missed the cache then, too, and what each read brings has grown.
fn misses_as_before(window: &Window<'_>, disk: &str) -> bool {
    let reads = |window: &Window<'_>| window.rate::<Count>(Table::Disk, disk, "reads");
    // What is read more of may begin long after a stretch that is the whole recording.
    let span = window.when(SignalSpec::disk(disk, &derived::READ_BANDWIDTH));
    let usual = window.baseline().until(span.from).and_then(|before| reads(&before));
    usual.zip(reads(&window.over(span))).is_some_and(|(usual, now)| usual.is_positive() && usual >= now * MISSED)
}

/// Whether the cache never served the program that reads most from a disk: it reads around the cache, or each file once. It reads more now, and
/// missed the cache before as well.
fn is_never_served(window: &Window<'_>, disk: &str) -> bool {
    let never = || {
        let reader = disk_load::reader(window, disk)?;
        let before = window.baseline().all()?;
        let read = |window: &Window<'_>| {
            let of = |metric: &str| process::together::<Bytes>(window, reader.comm, &[metric]);
            let (asked, read) = (of("rchar"), of("read_bytes"));
            // What is mapped is read without a call.
            (read >= asked * UNCACHED && read * UNCACHED <= asked).then_some(read)
        };
        let (usual, now) = (read(&before)?, read(window)?);
        Some(usual >= now * FORMER)
    };
    never().unwrap_or(false)
}

fn of_step(window: &Window<'_>) -> Option<Finding> {
    let hits: Amount<Ratio> = window.figure(Figure::CacheHitRatio)?;
    let read: Amount<Bytes> = window.figure(Figure::DiskReadBytes)?;
    let size = window.figure(Figure::FileBytes).filter(|size: &Amount<Bytes>| size.is_positive())?;
    let before = window.figure(Figure::CachedBefore)?;
    let grown = window.figure(Figure::CachedAfter)? - before;
    let refaulted = window.figure::<Pages>(Figure::Refaults)? * window.page_size();
    if hits.get() > 0.5 || before > size * 0.05 || grown < size * 0.2 || refaulted > read * AGAIN {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.compare(2.0, "cached bytes of the file before", "cached_before", before, Relation::Below, size);
    let weight = grade(refaulted / read, 0.1, 0.01);
    found.compare(weight, "refaulted bytes", "refaults * page size", refaulted, Relation::Below, read);
    found.note("growth of the file's cached bytes", "cached_after - cached_before", grown);
    finish(found, grown)
}

fn finish(found: EvidenceBuilder, read: Amount<Bytes>) -> Option<Finding> {
    let statement =
        format!("The cache was cold: {read} were read for the first time, and almost nothing was read twice.");
    found.finish(RuleId::ColdCache, statement, vec![advice()])
}

fn advice() -> Advice {
    advise(
        "Wait until the files are cached. Before the next start, read them while the device is idle.",
        Some("cat FILE > /dev/null"),
        "Later reads come from memory if the files fit. While the device is busy, this delays other programs' reads.",
        None,
    )
}
