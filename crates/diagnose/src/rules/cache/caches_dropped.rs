//! `caches-dropped`: a program wrote to drop_caches, or dropped pages in a way that no counter shows.

use crate::actors::{kernel_log, process};
use crate::evidence::{EvidenceBuilder, advise, measured};
use crate::measure::amount::{Amount, Count, Limit, Per, Rate};
use crate::measure::cache_fall::{self, RECLAIMED};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{STOLEN, Window, intervals};
use crate::rules::contract::{EffectKind, Rule, Suspicion, leads, subsumes};
use pagetide_core::{Bytes, Cleared, Finding, Ratio, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "dropped caches",
    loss: None,
    leads_to: &[
        leads(
            EffectKind::CacheLost,
            "Cached pages go at once, and no reclaim counts them: clean ones of all files by drop_caches, those of one file or device by a program that \
             drops or deletes it.",
            "fs/drop_caches.c: drop_pagecache_sb; mm/fadvise.c: generic_fadvise; mm/truncate.c: invalidate_mapping_pages, truncate_inode_pages_range",
        ),
        leads(
            EffectKind::Reads,
            "Reads that would have been cache hits go to the devices.",
            "mm/filemap.c: filemap_read",
        ),
    ],
    subsumes: &[
        subsumes(EffectKind::Reads, &[RuleId::ColdCache, RuleId::ReadAheadWaste]),
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
        subsumes(EffectKind::Refaults, &[RuleId::WorkingSetExceedsCache]),
        subsumes(EffectKind::CacheLost, &[RuleId::OverReclaim]),
    ],
    clears: Some(clears),
    scenarios: &["second-read"],
    deciding_test: "drop_pagecache of /proc/vmstat, and the kernel log: `journalctl -k --grep drop_caches` names the process that wrote.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::CachesDropped,
            title: "A program dropped the page cache",
            meaning: "A program wrote 1 or 3 to /proc/sys/vm/drop_caches, or dropped the pages of files or a device that others use \
                (posix_fadvise with POSIX_FADV_DONTNEED, blockdev --flushbufs). Later reads go to the devices, however much memory is free.",
            evidence: "drop_pagecache of /proc/vmstat rises; the kernel log says who wrote to drop_caches. A file cache that shrinks by more than reclaim frees supports it. Without that counter: \
                Cached or Buffers falls, reclaim frees next to none of it, and a program that ran before reads from the devices what it hardly read.",
            metrics: &[
                "drop_pagecache",
                "Cached",
                "Buffers",
                "Shmem",
                "pgsteal_kswapd",
                "pgsteal_direct",
                "reads",
                "read_bytes",
            ],
            thresholds: &[FALL.doc(), AMOUNT.doc(), RECLAIMED.doc(), READS.doc(), MORE.doc()],
            why: "Scripts do this to free memory, or to start a benchmark with a cold cache. The kernel never does it on its own.",
            alternatives: "Kernels before 3.14 do not count it. There, a file cache that shrinks without scanning may also be a deleted file.",
            advice: "Find the script (cron job, container hook), or the program that drops or deletes files. Clean cache needs no freeing: the kernel reclaims it on demand.",
            mglru: "drop_pagecache counts the same. Dropped pages leave no shadow entries, so reading them again does not count as refaults, with or without MGLRU.",
            kernel: "Linux 6.12: fs/drop_caches.c: drop_caches_sysctl_handler, count_vm_event(DROP_PAGECACHE).",
        },
        examine,
    )
};

const FALL: Limit<Ratio> = Limit::new(
    "fall of the file cache, or of Buffers, relative to its size, where no counter shows why",
    0.2,
    "A program that drops what it has read itself takes less.",
    "judgement",
);
const AMOUNT: Limit<Ratio> =
    Limit::new("the same as a share of memory", 0.02, "Less is read again within a second or two.", "judgement");
const READS: Limit<Per<Count>> =
    Limit::new("reads of all devices afterwards", 20.0, "Nobody notices fewer.", "judgement");
const MORE: Limit<Count> = Limit::new(
    "reads afterwards relative to before, of the devices and of the program that reads most",
    3.0,
    "Ordinary load varies by less.",
    "judgement",
);
/// Intervals before a stretch in which the cache may have fallen: its first effect is a wait.
const EARLIER: u64 = 5;

fn examine(window: &Window<'_>) -> Option<Finding> {
    counted(window).or_else(|| uncounted(window))
}

/// Reads per second of all devices.
fn reads(window: &Window<'_>) -> Option<Rate<Count>> {
    let rates = window.disks().into_iter().filter_map(|disk| window.rate::<Count>(Table::Disk, disk, "reads"));
    rates.reduce(|sum, rate| sum + rate)
}

/// A cache that fell without reclaim, where a program that ran before reads from the devices what it did not.
fn uncounted(window: &Window<'_>) -> Option<Finding> {
    if window.host_rate(&["drop_pagecache"]).is_some_and(Amount::is_positive) {
        return None;
    }
    let earlier = window.span.from.earlier(intervals(window.recording, EARLIER));
    let around = window.over(Span { from: earlier, ..window.span });
    ["Cached", "Buffers"].into_iter().find_map(|metric| fell(window, &around, metric))
}

fn fell(window: &Window<'_>, around: &Window<'_>, metric: &'static str) -> Option<Finding> {
    let fall = cache_fall::of(around, metric)?;
    let (size, lost) = (fall.host_level::<Bytes>(metric)?.most, -fall.host_change(metric)?);
    // Pages of a tmpfs count as cached, and go with its files.
    let shared = -fall.host_change("Shmem").filter(|change| change.get() < 0.0).unwrap_or(Amount::ZERO);
    let large = lost >= size * FALL.get() && lost >= window.memory()? * AMOUNT.get();
    if !large || shared > lost * RECLAIMED.get() || !cache_fall::without_reclaim(&fall, lost) {
        return None;
    }
    let whole = Window::whole(window.recording, window.episodes)?;
    let before = whole.over(Span { from: whole.span.from, to: fall.span.from });
    let after = whole.over(Span { from: fall.span.to, to: window.span.to });
    let (then, now) = (reads(&before)?, reads(&after)?);
    if now < READS.value() || now < then * MORE.get() {
        return None;
    }
    let reader = process::fastest_for_itself::<Bytes>(&after, &["read_bytes"])?;
    let ran = process::together::<Count>(&before, reader.comm, &["utime", "stime"]).is_positive();
    let usual = process::together::<Bytes>(&before, reader.comm, &["read_bytes"]);
    if !ran || reader.amount < usual * MORE.get() {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.span(Span { from: fall.span.from, to: window.span.to });
    let what = format!("fall of {metric} in {}", fall.span.length());
    found.compare(1.5, what, metric, lost, Relation::Above, size * FALL.get()).range = fall.span;
    let freed = fall.host_amount(&STOLEN).unwrap_or(Amount::ZERO);
    found
        .compare(1.0, "bytes that reclaim freed meanwhile", "pgsteal * page size", freed, Relation::Below, lost)
        .range = fall.span;
    found.compare(0.5, "reads of all devices afterwards", "reads", now, Relation::Above, then);
    let what = format!("bytes that {} reads afterwards", reader.words());
    found.compare(0.5, what, "read_bytes", reader.amount, Relation::Above, usual);
    // Who drops pages has read or written them before, mostly.
    let done = process::fastest::<Bytes>(&fall, &["rchar", "wchar"]).filter(|done| done.comm != reader.comm);
    let done = done.filter(|done| fall.length().is_some_and(|length| done.amount.over(length) >= lost * FALL.get()));
    let who = done.map_or(String::new(), |done| {
        found.origin(done.actor(window));
        found.add(0.5, format!("bytes that {} read and wrote meanwhile", done.words()), "rchar + wchar", done.amount);
        format!(" {} read and wrote {} meanwhile.", done.words(), done.amount)
    });
    let of = if metric == "Cached" { "The file cache" } else { "The cache of block devices (Buffers)" };
    let how =
        if metric == "Cached" { "posix_fadvise(POSIX_FADV_DONTNEED)" } else { "blockdev --flushbufs (BLKFLSBUF)" };
    let statement = format!(
        "{of} fell by {lost} in {}, of which reclaim freed {freed}: a program dropped it ({how}), or deleted files. {} reads {} from the devices since \
         ({usual} before).{who}",
        fall.span.length(),
        reader.words(),
        reader.amount,
    );
    let advice = advise(FIND, Some(if metric == "Cached" { OF_FILES } else { OF_DEVICES }), AT_NEXT, None);
    found.finish(RuleId::CachesDropped, statement, vec![advice])
}

const FIND: &str = "Look in logs, timers and cron for what ran at that moment: a backup or a copy tool, often with an option to drop pages, or a program that \
                    replaced or deleted its files. If it comes again, see who does it.";
const OF_FILES: &str = "bpftrace -e 'tracepoint:syscalls:sys_enter_fadvise64 /args->advice == 4/ { @dropped[comm, pid] = count(); } kprobe:vfs_unlink \
                        { @deleted[comm, pid] = count(); }'";
/// BLKFLSBUF, `include/uapi/linux/fs.h`.
const OF_DEVICES: &str =
    "bpftrace -e 'tracepoint:syscalls:sys_enter_ioctl /args->cmd == 0x1261/ { @flushed[comm, pid] = count(); }'";
const AT_NEXT: &str =
    "The command only reads, and counts calls until Ctrl-C. It has to run when the pages are dropped the next time.";

/// Writes to drop_caches.
fn counted(window: &Window<'_>) -> Option<Finding> {
    let times: Amount<Count> =
        window.rise(Table::Host, "", "drop_pagecache").filter(|times: &Amount<Count>| times.is_positive())?;
    let mut found = EvidenceBuilder::new(window);
    let when = window.when(SignalSpec::host(&["drop_pagecache"]));
    found.span(when);
    found.add(3.0, "writes to drop_caches", "drop_pagecache", times);
    let change = window.host_change("Cached");
    if let Some(change) = change {
        let freed = -window.host_amount(&STOLEN).unwrap_or(Amount::ZERO);
        // It may have filled again before the end.
        let weight = if change < freed { 1.0 } else { 0.0 };
        found.compare(weight, "change of the file cache", "Cached", change, Relation::Below, freed);
    }
    let lost = change.filter(|change| change.get() < 0.0);
    let lost = lost.map_or(String::new(), |change| format!(", and the file cache fell by {}", -change));
    let often = match times.get() {
        times if times < 1.5 => "once".to_owned(),
        times if times < 2.5 => "twice".to_owned(),
        times => format!("{times:.0} times"),
    };
    let who = kernel_log::dropped_pages(window, when);
    who.iter().for_each(|who| found.origin(who.actor()));
    let by = who.first().map_or_else(|| "A program".to_owned(), kernel_log::Named::words);
    let statement = format!("{by} dropped the page cache {often}{lost}.");
    let advice = advise(
        "Find what writes to drop_caches, and remove it.",
        Some("grep -rs drop_caches /etc/cron* /etc/systemd /usr/local"),
        "Reads come from memory again. Nothing is lost: the kernel reclaims clean cache when memory is needed.",
        None,
    );
    found.finish(RuleId::CachesDropped, statement, vec![advice])
}

fn clears(suspicion: Suspicion<'_>) -> Option<Cleared> {
    let rate = suspicion.during.host_rate(&["drop_pagecache"]).filter(|rate| rate.get() == 0.0)?;
    let times = Amount::<Count>::new(rate.get());
    Some(Cleared {
        rule: RuleId::CachesDropped,
        statement: "Not drop_caches: no program wrote to it.".to_owned(),
        evidence: vec![measured(suspicion.during.span, "writes to drop_caches", "drop_pagecache", times)],
    })
}
