//! `fsync-storm`: programs wait for small writes that they request to be durable.

use crate::amount::{Amount, Count, Limit, Per, Rate, grade, grade_log};
use crate::effect::EffectKind;
use crate::episodes::SignalSpec;
use crate::evidence::{EvidenceBuilder, Origin, advise};
use crate::process::{self, ProcessShare};
use crate::queue;
use crate::rule::{Rule, leads, subsumes};
use crate::window::Window;
use pagetide_core::derived;
use pagetide_core::{Bytes, Finding, Nanos, Pages, Ratio, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "synchronous writes",
    leads_to: &[leads(
        EffectKind::DiskBusy,
        "Each fsync sends its pages and the journal's, and waits for all of them.",
        "fs/ext4/fsync.c: ext4_sync_file; fs/jbd2/journal.c: jbd2_log_wait_commit; block/blk-flush.c: blkdev_issue_flush",
    )],
    subsumes: &[subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound, RuleId::WritebackSaturates])],
    decides: "The time of fsync in the program: `perf trace -s -e fsync,fdatasync,sync_file_range`.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::FsyncStorm,
            title: "Synchronous writes queue at a device",
            meaning: "Programs call fsync, or write with O_SYNC: a commit of a database, a journal, a checkpoint. Each such call waits until the device has written. \
                      The device has more of these small writes than it completes, so each commit waits for those before it.",
            evidence: "A queue of writes, or a sequence of cache flushes, lasts at a device, and each write takes a multiple of the time before. Dirty memory stays far below the background threshold, \
                       so the flusher has no reason to write: programs request it. The one whose write calls, or written bytes, exceed those before by most is the origin. Cache flushes of the device support it. A rate of requests \
                       that stays the same whatever the queue looks like a limit of requests per second.",
            metrics: &["writes", "write_sectors", "write_ms", "reads", "weighted_io_ms", "io_ms", "flushes", "nr_dirty", "nr_writeback", "nr_written", "nr_dirty_background_threshold", "write_bytes", "syscw"],
            thresholds: &[queue::DEPTH.doc(), WRITES.doc(), SMALL.doc(), SCATTERED.doc(), DIRTY.doc(), SLOWER.doc(), LEAST.doc(), PART.doc(), LESS.doc(), CACHED.doc(), COMMITS.doc(), queue::EVEN.doc(), FLUSHES.doc(), MORE.doc(), SURGE.doc(), BUSY.doc(), BEGAN.doc()],
            why: "Durability costs a round trip to the device. Many commits at a time, or a checkpoint that syncs many files, send more than it takes.",
            otherwise: "Writes with O_DIRECT queue in the same way without any fsync: few of their bytes are pages written back, and few flushes follow them. The writeback of one writer above the background threshold is a bulk write.",
            advice: "Group commits, spread the checkpoint over time, or put the journal on a device of its own.",
            mglru: "Not used: the rule reads devices and processes only.",
            kernel: "Linux 6.12: fs/sync.c: do_fsync; fs/jbd2/commit.c: jbd2_journal_commit_transaction; block/blk-flush.c: blk_insert_flush.",
        },
        examine,
    )
};

const WRITES: Limit<Ratio> =
    Limit::new("share of the device's requests that are writes", 0.66, "With less, reads fill the queue as well.", "judgement");
const SMALL: Limit<Bytes> = Limit::new(
    "size of a write, at most",
    262_144.0,
    "The flusher sends larger requests of one file.",
    "fs/fs-writeback.c: writeback_chunk_size (6.12), and judgement",
);
const SCATTERED: Limit<Bytes> = Limit::new(
    "size of a write, above which a storm has to flush more than before",
    65_536.0,
    "A commit writes some blocks, and a checkpoint scattered pages. With ordered data a commit of one program writes what another has written.",
    "fs/jbd2/commit.c: journal_submit_data_buffers (6.12)",
);
const DIRTY: Limit<Ratio> = Limit::new(
    "dirty and writeback memory, as a share of the background threshold, at most",
    0.5,
    "Above the background threshold the flusher writes by itself.",
    "fs/fs-writeback.c: wb_check_background_flush (6.12)",
);
const SLOWER: Limit<Count> =
    Limit::new("time of a write, times the time before", 3.0, "Smaller changes follow the mix of requests.", "judgement");
const LEAST: Limit<Nanos> = Limit::new("time of a write", 5e6, "No commit is late by less.", "latency of disks");

const PART: Limit<Ratio> = Limit::new(
    "bytes of the program with most new write calls, per byte that the device writes",
    0.05,
    "A commit of one page writes several blocks of the journal beside it. With less, its calls write to something else.",
    "fs/jbd2/commit.c: jbd2_journal_commit_transaction (6.12), and judgement",
);
const LESS: Limit<Count> = Limit::new(
    "writes and bytes per second, times those before, below which the device is slow",
    0.8,
    "A storm sends more than before, and a device at its limit completes as much.",
    "judgement",
);
const CACHED: Limit<Ratio> = Limit::new(
    "pages written back, as a share of the bytes that the device writes, below which most go around the page cache",
    0.25,
    "The data of an fsync are pages that are written back; the blocks of the journal beside them are not counted.",
    "fs/ext4/fsync.c: ext4_sync_file; mm/page-writeback.c: __folio_end_writeback (6.12)",
);
const COMMITS: Limit<Ratio> = Limit::new(
    "cache flushes per write, below which writes around the page cache are no commits",
    0.2,
    "A commit sends its data, some blocks of the journal, and a flush.",
    "fs/jbd2/commit.c: jbd2_journal_commit_transaction (6.12), and judgement",
);
const BEGAN: Limit<Ratio> = Limit::new(
    "bytes of one program per byte that the device writes, from which on its beginning is the storm's",
    0.25,
    "A commit writes the journal and metadata beside the data, each in a block of its own.",
    "fs/jbd2/commit.c: jbd2_journal_commit_transaction (6.12), and judgement",
);
const FLUSHES: Limit<Per<Count>> = Limit::new(
    "cache flushes, where no queue lasts",
    10.0,
    "Each is an fsync or a commit of the journal. The kernel's own commits come every 5 s.",
    "fs/jbd2/journal.c: kjournald2 (6.12)",
);
const MORE: Limit<Count> =
    Limit::new("the same, times those before", 1.5, "A service that always commits flushes all the time.", "judgement");
const SURGE: Limit<Count> = Limit::new(
    "the same, times those before, from which on commits wait for flushes however fast each write is",
    4.0,
    "A flush is counted apart from the writes, and every commit waits for its own.",
    "block/blk-flush.c: blk_insert_flush (6.12), and judgement",
);
const BUSY: Limit<Ratio> = Limit::new(
    "share of time with a request in flight, where no queue lasts",
    0.66,
    "With less, the device rests between commits.",
    "judgement",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    let found = window.disks().into_iter().filter_map(|disk| of_disk(window, disk));
    found.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()))
}

/// The longest time in which flushes follow each other at a disk that has work for most of it. Few requests are in flight then: a flush
/// is a barrier, and those who commit wait for it before they send more.
fn flushing(window: &Window<'_>, disk: &str) -> Option<Span> {
    let flushes = SignalSpec::rate(Table::Disk, disk, &["flushes"]);
    window.held(flushes, FLUSHES.value())?;
    let usual: Rate<Count> = window.usual(flushes).unwrap_or(Amount::ZERO);
    let span = window.held(flushes, (usual * MORE).max(FLUSHES.value()))?;
    let busy = window.over(span).busy(disk)?;
    (span.length() >= queue::least(window.recording) && busy >= BUSY).then_some(span)
}

/// Whether a disk flushes several times as often as before, and has work for most of the time: commits wait for its flushes, and not in a queue of writes.
fn surges(during: &Window<'_>, disk: &str) -> bool {
    let flushes = during.rate::<Count>(Table::Disk, disk, "flushes").filter(|flushes| *flushes >= FLUSHES);
    let before: Option<Rate<Count>> = during.median_before(SignalSpec::rate(Table::Disk, disk, &["flushes"]));
    let more = flushes.zip(before).is_some_and(|(flushes, before)| flushes >= before * SURGE);
    more && during.busy(disk).is_some_and(|busy| busy >= BUSY)
}

/// Who commits more than before: by its write calls, one before each fsync, or by the bytes where calls were not recorded.
fn writer<'a>(during: &Window<'a>, bytes: Rate<Bytes>) -> Option<ProcessShare<'a, Per<Bytes>>> {
    let caller = process::fastest_new::<Count>(during, &["syscw"]);
    let caller = caller.and_then(|caller| process::of_command::<Bytes>(during, caller.comm, &["write_bytes"]));
    // Write calls to sockets and terminals write nothing to a device.
    caller.filter(|caller| caller.amount >= bytes * PART).or_else(|| process::fastest_new(during, &["write_bytes"]))
}

/// Whether the writes of a disk are direct ones: few of their bytes are pages written back, and few flushes follow them. A disk that never flushes shows
/// no commit.
fn direct(window: &Window<'_>, disk: &str, bytes: Rate<Bytes>) -> bool {
    let written = window.host_rate(&["nr_written"]).map(|pages| window.bytes_per_second(pages));
    let rate = |metric: &str| window.rate::<Count>(Table::Disk, disk, metric);
    let commits = rate("flushes").filter(|flushes| flushes.is_positive()).zip(rate("writes"));
    written.is_some_and(|written| written < bytes * CACHED) && commits.is_some_and(|(flushes, writes)| flushes < writes * COMMITS)
}

/// Whether a disk completes clearly fewer writes and bytes than before: then it is slow, and no storm came.
fn does_less(window: &Window<'_>, disk: &str, writes: Rate<Count>, bytes: Rate<Bytes>) -> bool {
    let before = window.median_before::<Per<Count>>(SignalSpec::rate(Table::Disk, disk, &["writes"]));
    let earlier = window.median_before::<Per<Bytes>>(SignalSpec::disk(disk, &derived::WRITE_BANDWIDTH));
    before.zip(earlier).is_some_and(|(before, earlier)| writes < before * LESS.get() && bytes < earlier * LESS.get())
}

/// Dirty and writeback memory as a share of the background threshold.
fn dirty(window: &Window<'_>) -> Option<Amount<Ratio>> {
    let mean = |metric: &str| window.host_level::<Pages>(metric).map(|level| level.mean);
    Some((mean("nr_dirty")? + mean("nr_writeback").unwrap_or(Amount::ZERO)) / mean("nr_dirty_background_threshold")?)
}

/// Whether large writes come with no more cache flushes than before: the data of one writer, which the commits of others wait for because the
/// journal writes it first.
fn bulk(during: &Window<'_>, disk: &str, size: Amount<Bytes>) -> bool {
    let flushes = during.rate::<Count>(Table::Disk, disk, "flushes");
    let before = during.median_before::<Per<Count>>(SignalSpec::rate(Table::Disk, disk, &["flushes"]));
    size > SCATTERED.value() && flushes.zip(before).is_some_and(|(flushes, before)| flushes < before * MORE)
}

fn of_disk(window: &Window<'_>, disk: &str) -> Option<Finding> {
    let spans = [queue::lasts(window, disk), flushing(window, disk)].into_iter().flatten();
    let span = spans.max_by_key(|span| span.length())?;
    let during = window.over(span);
    let rate = |metric: &str| during.rate::<Count>(Table::Disk, disk, metric);
    let (reads, writes) = (rate("reads")?, rate("writes")?);
    let bytes = during.disk_bytes(disk, &derived::WRITE_BANDWIDTH)?;
    let size = Amount::<Bytes>::new(bytes.get() / writes.get());
    let dirty = dirty(&during)?;
    let time: Amount<Nanos> = during.derived(Table::Disk, disk, &derived::WRITE_AWAIT)?;
    let surges = surges(&during, disk);
    if writes < (reads + writes) * WRITES || size > SMALL.value() || dirty > DIRTY.value() || time < LEAST && !surges || direct(&during, disk, bytes) || bulk(&during, disk, size) {
        return None;
    }
    // What was before may be a day.
    let mean = |history: Window<'_>| history.derived(Table::Disk, disk, &derived::WRITE_AWAIT);
    let before: Option<Amount<Nanos>> = window
        .median_before(SignalSpec::disk(disk, &derived::WRITE_AWAIT))
        .or_else(|| window.history().or_else(|| window.over(span).history()).and_then(mean));
    if before.is_some_and(|before| time < before * SLOWER) && !surges || does_less(window, disk, writes, bytes) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    // A service that always commits writes all the time: the program that writes more than before is what began.
    let writer = writer(&during, bytes);
    let begun = writer.filter(|writer| writer.amount >= bytes * BEGAN).map_or_else(
        || window.begun(span, SignalSpec::disk(disk, &derived::WRITE_BANDWIDTH)),
        |writer| window.begun(span, SignalSpec::rate(Table::Process, writer.name, &["write_bytes"])),
    );
    found.span(begun);
    let queue = during.queue(disk)?;
    let of = |what: &str| format!("{what} of {disk}");
    found.compare(0.5 + grade_log(queue, 2.0, 16.0), "requests in flight", of("weighted_io_ms"), queue, Relation::Above, Amount::new(1.0));
    let weight = before.map_or(0.5, |before| 0.5 + 1.5 * grade_log(time / before, 3.0, 20.0));
    found.compare(weight, "time of a write", of("write_ms / writes"), time, Relation::Above, before);
    let what = "dirty and writeback memory, as a share of the background threshold";
    found.compare(grade(dirty, 0.5, 0.1), what, "nr_dirty + nr_writeback", dirty, Relation::Below, DIRTY.value());
    if let Some(flushes) = rate("flushes").filter(|flushes| flushes.is_positive()) {
        found.add(0.5, "cache flushes of the device", of("flushes"), flushes);
    }
    let limit = queue::limit(&during, disk).map_or(String::new(), |rate| {
        found.note("requests per second, whatever the queue", of("reads + writes"), rate);
        format!(" It completes {rate} whatever its queue: it looks like a limit of requests per second.")
    });
    let who = writer.map_or(String::new(), |process| {
        found.note(format!("bytes that {} writes", process.words()), "write_bytes", process.amount);
        found.origin(Origin::Process(process.comm));
        format!(", most of the new ones of {}", process.words())
    });
    found.origin(Origin::Disk(disk));
    let was = before.map_or(String::new(), |before| format!(" ({before} before)"));
    let statement = format!(
        "Synchronous writes queue at {disk}{who}: {writes} of {size} with {:.1} in flight, and each takes {time}{was}.{limit}",
        queue.get()
    );
    let advice = advise(
        "Spread the writes over time (checkpoint_completion_target, fewer and larger commits), or move the journal to a device of its own.",
        None,
        "Commits wait for fewer other writes. Larger groups of commits lose more on a crash where the program trades durability for them.",
        None,
    );
    found.finish(RuleId::FsyncStorm, statement, vec![advice])
}
