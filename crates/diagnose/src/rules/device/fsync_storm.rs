//! `fsync-storm`: programs wait for small writes that they request to be durable.

use crate::actors::commits::{self, Commits};
use crate::actors::group;
use crate::actors::process::{self, ProcessShare};
use crate::evidence::{EvidenceBuilder, advise};
use crate::ledger::disk_load;
use crate::measure::amount::{Amount, Count, Limit, Per, Rate, grade, grade_log};
use crate::measure::episodes::SignalSpec;
use crate::measure::queue;
use crate::measure::window::{Window, stored};
use crate::rules::contract::{EffectKind, Rule, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{Actor, Bytes, Finding, Moment, Nanos, Pages, Ratio, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "synchronous writes",
    leads_to: &[leads(
        EffectKind::DiskBusy,
        "Each fsync writes its pages and the journal's, and waits for all of them.",
        "fs/ext4/fsync.c: ext4_sync_file; fs/jbd2/journal.c: jbd2_log_wait_commit; block/blk-flush.c: blkdev_issue_flush",
    )],
    subsumes: &[subsumes(
        EffectKind::DiskBusy,
        &[RuleId::DeviceSaturated, RuleId::LatencyBound, RuleId::WritebackSaturates],
    )],
    deciding_test: "The time of fsync in the program: `perf trace -s -e fsync,fdatasync,sync_file_range`.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::FsyncStorm,
            title: "Synchronous writes queue at a device",
            meaning: "Programs call fsync or write with O_SYNC: a database commit, a journal, a checkpoint. Each call waits until the device has \
                written. More of these small writes arrive than the device completes, so each commit waits for those before it.",
            evidence: "Writes queue at a device, or it flushes its cache again and again, or tasks of a group come to wait for commits of its journal, and \
                each write takes a multiple of its baseline. Dirty \
                memory stays far below the background threshold, so the flusher has no reason to write, or a flush comes with every few writes: programs request it. The program whose \
                write calls, or written bytes, rose most is the origin. Cache flushes of the device support it. A rate of requests that stays \
                the same at any queue length looks like an IOPS limit.",
            metrics: &[
                "writes",
                "write_sectors",
                "write_ms",
                "reads",
                "weighted_io_ms",
                "io_ms",
                "flushes",
                "nr_dirty",
                "nr_writeback",
                "nr_written",
                "nr_dirty_background_threshold",
                "write_bytes",
                "syscw",
                "wchan_*",
            ],
            thresholds: &[
                queue::DEPTH.doc(),
                WRITES.doc(),
                SMALL.doc(),
                SCATTERED.doc(),
                DIRTY.doc(),
                SLOWER.doc(),
                MIN_WRITE_AWAIT.doc(),
                PART.doc(),
                LESS.doc(),
                CACHED.doc(),
                COMMITS.doc(),
                SYNCED.doc(),
                queue::EVEN.doc(),
                FLUSHES.doc(),
                MORE.doc(),
                SURGE.doc(),
                BUSY.doc(),
                WAITED.doc(),
                BEGAN.doc(),
                MOSTLY.doc(),
            ],
            why: "Durability costs a round trip to the device. Many commits at once, or a checkpoint that syncs many files, send more than it completes.",
            alternatives: "O_DIRECT writes queue the same way without any fsync: few of their bytes are written back as pages, and few flushes \
                follow them. The writeback of one writer above the background threshold is a bulk write.",
            advice: "Batch the commits (group commit), spread the checkpoint over time, or put the journal on its own device.",
            mglru: "Not used: the rule reads devices and processes only.",
            kernel: "Linux 6.12: fs/sync.c: do_fsync; fs/jbd2/commit.c: jbd2_journal_commit_transaction; block/blk-flush.c: blk_insert_flush.",
        },
        examine,
    )
};

const WRITES: Limit<Ratio> = Limit::new(
    "share of the device's requests that are writes",
    0.66,
    "With less, reads fill the queue as well.",
    "judgement",
);
const SMALL: Limit<Bytes> = Limit::new(
    "size of a write, at most",
    262_144.0,
    "The flusher sends larger requests for a file.",
    "fs/fs-writeback.c: writeback_chunk_size (6.12), and judgement",
);
const SCATTERED: Limit<Bytes> = Limit::new(
    "size of a write above which a storm must also flush more than before",
    65_536.0,
    "A commit writes a few blocks, and a checkpoint writes scattered pages. With data=ordered, one program's commit also writes what another has \
     written.",
    "fs/jbd2/commit.c: journal_submit_data_buffers (6.12)",
);
const DIRTY: Limit<Ratio> = Limit::new(
    "dirty and writeback memory, as a share of the background threshold, at most",
    0.5,
    "Above the background threshold the flusher writes on its own.",
    "fs/fs-writeback.c: wb_check_background_flush (6.12)",
);
const SLOWER: Limit<Count> = Limit::new(
    "time of a write, relative to its baseline",
    3.0,
    "A different mix of requests changes it by less.",
    "judgement",
);
const MIN_WRITE_AWAIT: Limit<Nanos> =
    Limit::new("time of a write", 5e6, "A faster write makes no commit late.", "latency of disks");

const PART: Limit<Ratio> = Limit::new(
    "bytes of the program with the most new write calls, per byte that the device writes",
    0.05,
    "A one-page commit also writes several journal blocks. With less, its calls write elsewhere.",
    "fs/jbd2/commit.c: jbd2_journal_commit_transaction (6.12), and judgement",
);
const LESS: Limit<Count> = Limit::new(
    "writes and bytes per second, relative to the baseline, below which the device is slow",
    0.8,
    "A storm sends more than before, and a device at its limit still completes as much.",
    "judgement",
);
const CACHED: Limit<Ratio> = Limit::new(
    "pages written back, as a share of the bytes that the device writes, below which most bypass the page cache",
    0.25,
    "fsync writes back page cache. The journal blocks beside it are not counted.",
    "fs/ext4/fsync.c: ext4_sync_file; mm/page-writeback.c: __folio_end_writeback (6.12)",
);
const COMMITS: Limit<Ratio> = Limit::new(
    "cache flushes per write, below which writes that bypass the page cache are not commits",
    0.2,
    "A commit sends its data, a few journal blocks and a flush.",
    "fs/jbd2/commit.c: jbd2_journal_commit_transaction (6.12), and judgement",
);
const SYNCED: Limit<Ratio> = Limit::new(
    "cache flushes per write of a device that flushed as often before, below which its writes are those of one sync or of the flusher",
    0.05,
    "Each fsync ends with a flush, also that of a checkpoint, which writes a file at a time.",
    "block/blk-flush.c: blkdev_issue_flush; fs/ext4/fsync.c: ext4_sync_file (6.12), and judgement",
);
const BEGAN: Limit<Ratio> = Limit::new(
    "one program's bytes per byte that the device writes, at least, for its start to be the storm's",
    0.25,
    "A commit also writes journal and metadata, each in its own block.",
    "fs/jbd2/commit.c: jbd2_journal_commit_transaction (6.12), and judgement",
);
const MOSTLY: Limit<Ratio> = Limit::new(
    "one new program's bytes per byte that the device writes, at least, for the storm to be its own though it waits for no commit of a journal",
    0.5,
    "What it writes with O_DSYNC into the blocks that a file has needs no journal.",
    "fs/sync.c: generic_write_sync; fs/ext4/fsync.c: ext4_sync_file (6.12)",
);
const FLUSHES: Limit<Per<Count>> = Limit::new(
    "cache flushes, where no queue lasts",
    10.0,
    "Each one is an fsync or a journal commit. The kernel's own commits come every 5 s.",
    "fs/jbd2/journal.c: kjournald2 (6.12)",
);
const MORE: Limit<Count> = Limit::new(
    "the same, relative to the baseline",
    1.5,
    "A service that always commits flushes all the time.",
    "judgement",
);
const SURGE: Limit<Count> = Limit::new(
    "the same, relative to the baseline, at which commits wait for flushes however fast each write is",
    4.0,
    "Flushes are counted apart from writes, and every commit waits for its own.",
    "block/blk-flush.c: blk_insert_flush (6.12), and judgement",
);
const BUSY: Limit<Ratio> = Limit::new(
    "share of time with a request in flight, where no queue lasts",
    0.66,
    "With less, the device rests between commits.",
    "judgement",
);

const WAITED: Limit<Ratio> = Limit::new(
    "share of time that tasks wait for IO, where flushes surge and the device rests between them",
    0.3,
    "A committing task waits for the journal, for a CPU and for the flush in turn; the device rests meanwhile.",
    "fs/jbd2/commit.c: jbd2_journal_commit_transaction (6.12), and judgement",
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
    let usual: Rate<Count> = window.baseline().mean(flushes).unwrap_or(Amount::ZERO);
    let span = window.held(flushes, (usual * MORE).max(FLUSHES.value()))?;
    let busy = window.over(span).busy(disk)?;
    let works = busy >= BUSY || flushes_surge(&window.over(span), disk);
    (span.length() >= queue::least(window.recording) && works).then_some(span)
}

/// From when on tasks of some group wait for commits of a journal longer than before.
fn commits_begin(window: &Window<'_>) -> Option<Moment> {
    let groups = group::leaves(window.recording).into_iter();
    groups.filter_map(|group| Commits::of(window.recording, window.episodes, group)).map(|commits| commits.at).min()
}

/// The stretch in which a group waits for commits of a journal longer than before, at a disk that has work for most of it and flushes. What it commits may have
/// come to need more writes, and not to be more often.
fn waiting_for_commits(window: &Window<'_>, disk: &str) -> Option<Span> {
    let from = commits_begin(window)?.max(window.span.from);
    let span = Span { from, to: window.span.to.max(from) };
    let during = window.over(span);
    let works = during.busy(disk)? >= BUSY && during.rate::<Count>(Table::Disk, disk, "flushes")? >= FLUSHES;
    (span.length() >= queue::least(window.recording) && works).then_some(span)
}

/// Whether a disk flushes several times as often as before, and has work for most of the time: commits wait for its flushes, and not in a queue of writes.
fn flushes_surge(during: &Window<'_>, disk: &str) -> bool {
    let flushes = during.rate::<Count>(Table::Disk, disk, "flushes").filter(|flushes| *flushes >= FLUSHES);
    let works = || {
        during.busy(disk).is_some_and(|busy| busy >= BUSY)
            || during.share(&derived::PSI_IO_SOME).is_some_and(|share| share >= WAITED)
    };
    let before =
        || -> Option<Rate<Count>> { during.baseline().median(SignalSpec::rate(Table::Disk, disk, &["flushes"])) };
    flushes.is_some_and(|flushes| works() && before().is_some_and(|before| flushes >= before * SURGE))
}

/// Who commits more than before: by its write calls, one before each fsync, or by the bytes where calls were not recorded. Nobody where it is
/// groups of others that write most to the disk: it works on another one.
fn writer<'a>(during: &Window<'a>, disk: &str, bytes: Rate<Bytes>) -> Option<ProcessShare<'a, Per<Bytes>>> {
    let caller = process::fastest_new::<Count>(during, &["syscw"]);
    let caller = caller.and_then(|caller| process::of_command::<Bytes>(during, caller.comm, &["write_bytes"]));
    // Write calls to sockets and terminals write nothing to a device.
    let writes = |one: &ProcessShare<'_, Per<Bytes>>| one.amount >= bytes * PART;
    let writer = caller.filter(writes).or_else(|| process::fastest_new(during, &["write_bytes"]).filter(writes));
    // Where tasks came to wait for commits, it is known whose those are: who writes more than before, if it is one of them. Who opened its files with
    // O_DSYNC writes within them and waits for no commit of the journal.
    let committers = commits_begin(during).map(|_| commits::by_command(during)).unwrap_or_default();
    let commits = |one: &ProcessShare<'_, Per<Bytes>>| committers.iter().any(|(comm, _)| *comm == one.comm);
    let most = committers.iter().max_by_key(|(_, samples)| *samples);
    let known = most.and_then(|(comm, _)| process::of_command::<Bytes>(during, comm, &["write_bytes"]));
    let theirs = |one: &ProcessShare<'_, Per<Bytes>>| commits(one) || one.amount >= bytes * MOSTLY;
    let writer = writer.filter(theirs).or(known).or(writer);
    writer.filter(|writer| !disk_load::others_write_most(during, disk, writer.comm))
}

/// Whether the writes of a disk are direct ones: few of their bytes are pages written back, and few flushes follow them. A disk that never flushes shows
/// no commit.
fn direct(window: &Window<'_>, disk: &str, bytes: Rate<Bytes>) -> bool {
    let written = window.host_rate(&["nr_written"]).map(|pages| window.bytes_per_second(pages));
    let rate = |metric: &str| window.rate::<Count>(Table::Disk, disk, metric);
    let commits = rate("flushes").filter(|flushes| flushes.is_positive()).zip(rate("writes"));
    written.is_some_and(|written| written < bytes * CACHED)
        && commits.is_some_and(|(flushes, writes)| flushes < writes * COMMITS)
}

/// Whether a disk completes clearly fewer writes and bytes than before: then it is slow, and no storm came.
fn does_less(window: &Window<'_>, disk: &str, writes: Rate<Count>, bytes: Rate<Bytes>) -> bool {
    let before = window.baseline().median::<Per<Count>>(SignalSpec::rate(Table::Disk, disk, &["writes"]));
    let earlier = window.baseline().median::<Per<Bytes>>(SignalSpec::disk(disk, &derived::WRITE_BANDWIDTH));
    before.zip(earlier).is_some_and(|(before, earlier)| writes < before * LESS.get() && bytes < earlier * LESS.get())
}

/// Whether a disk flushes as often as commits do: its writes are theirs, however much memory is dirty for another disk.
fn commits_each(during: &Window<'_>, disk: &str, writes: Rate<Count>) -> bool {
    during.rate::<Count>(Table::Disk, disk, "flushes").is_some_and(|flushes| flushes >= writes * COMMITS.get())
}

/// Dirty and writeback memory as a share of the background threshold: the mean of the samples, as somebody may change the threshold meanwhile.
fn dirty(window: &Window<'_>) -> Option<Amount<Ratio>> {
    let series = |metric: &str| window.series(Table::Host, "", metric);
    let (dirty, threshold) = (series("nr_dirty")?, series("nr_dirty_background_threshold")?);
    let (mut threshold, mut writeback) = (threshold.follow(), series("nr_writeback").map(|series| series.follow()));
    let share = |(at, dirty): (Moment, Amount<Pages>)| {
        let writeback = writeback.as_mut().and_then(|writeback| writeback(at.ns())).map_or(Amount::ZERO, stored);
        let threshold = threshold(at.ns()).map(stored).filter(|threshold: &Amount<Pages>| threshold.is_positive())?;
        Some(((dirty + writeback) / threshold).get())
    };
    let shares: Vec<f64> = window.points(&dirty).filter_map(share).collect();
    (!shares.is_empty()).then(|| Amount::new(shares.iter().sum::<f64>() / shares.len() as f64))
}

/// Whether large writes, or very many of them, come with no more cache flushes than before: the data of one writer, which the commits of others
/// wait for because the journal writes it first, or what sync(2) and the flusher send at once.
fn is_bulk_write(during: &Window<'_>, disk: &str, size: Amount<Bytes>, writes: Rate<Count>) -> bool {
    let flushes = during.rate::<Count>(Table::Disk, disk, "flushes");
    let before = during.baseline().median::<Per<Count>>(SignalSpec::rate(Table::Disk, disk, &["flushes"]));
    flushes.zip(before).is_some_and(|(flushes, before)| {
        let no_commits = before.is_positive() && flushes < writes * SYNCED.get();
        flushes < before * MORE && (size > SCATTERED.value() || no_commits)
    })
}

fn of_disk(window: &Window<'_>, disk: &str) -> Option<Finding> {
    // A queue tells when commits begin to wait for each other; a service that commits may flush as often long before.
    let span = queue::longest_backlog(window, disk)
        .or_else(|| flushing(window, disk))
        .or_else(|| waiting_for_commits(window, disk))?;
    let during = window.over(span);
    let rate = |metric: &str| during.rate::<Count>(Table::Disk, disk, metric);
    let (reads, writes) = (rate("reads")?, rate("writes")?);
    let bytes = during.disk_bytes(disk, &derived::WRITE_BANDWIDTH)?;
    let size = Amount::<Bytes>::new(bytes.get() / writes.get());
    let dirty = dirty(&during)?;
    let time: Amount<Nanos> = during.derived(Table::Disk, disk, &derived::WRITE_AWAIT)?;
    let surges = flushes_surge(&during, disk);
    if writes < (reads + writes) * WRITES
        || size > SMALL.value()
        || dirty > DIRTY.value() && !commits_each(&during, disk, writes)
        || time < MIN_WRITE_AWAIT && !surges
        || direct(&during, disk, bytes)
        || is_bulk_write(&during, disk, size, writes)
    {
        return None;
    }
    // What was before may be a day.
    let mean = |history: Window<'_>| history.derived(Table::Disk, disk, &derived::WRITE_AWAIT);
    let before: Option<Amount<Nanos>> = window
        .baseline()
        .median(SignalSpec::disk(disk, &derived::WRITE_AWAIT))
        .or_else(|| window.baseline().all().or_else(|| window.over(span).baseline().all()).and_then(mean));
    if before.is_some_and(|before| time < before * SLOWER) && !surges || does_less(window, disk, writes, bytes) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    // A service that always commits writes all the time: the program that writes more than before is what began.
    let writer = writer(&during, disk, bytes);
    let begun = writer.filter(|writer| writer.amount >= bytes * BEGAN).map_or_else(
        || window.onset(span).at_rise_of(SignalSpec::disk(disk, &derived::WRITE_BANDWIDTH)),
        |writer| window.onset(span).at_rise_of(SignalSpec::rate(Table::Process, writer.name, &["write_bytes"])),
    );
    found.span(begun);
    let queue = during.queue(disk)?;
    let of = |what: &str| format!("{what} of {disk}");
    found.compare(
        0.5 + grade_log(queue, 2.0, 16.0),
        "requests in flight",
        of("weighted_io_ms"),
        queue,
        Relation::Above,
        Amount::new(1.0),
    );
    let weight = before.map_or(0.5, |before| 0.5 + 1.5 * grade_log(time / before, 3.0, 20.0));
    found.compare(weight, "time of a write", of("write_ms / writes"), time, Relation::Above, before);
    let what = "dirty and writeback memory, as a share of the background threshold";
    found.compare(grade(dirty, 0.5, 0.1), what, "nr_dirty + nr_writeback", dirty, Relation::Below, DIRTY.value());
    if let Some(flushes) = rate("flushes").filter(|flushes| flushes.is_positive()) {
        found.add(0.5, "cache flushes of the device", of("flushes"), flushes);
    }
    let limit = queue::iops_ceiling(&during, disk).map_or(String::new(), |rate| {
        found.note("requests per second at any queue length", of("reads + writes"), rate);
        queue::ceiling_words(&during, disk, rate)
    });
    let who = writer.map_or(String::new(), |process| {
        found.note(format!("bytes that {} writes", process.words()), "write_bytes", process.amount);
        found.origin(process.actor(window));
        format!(", mostly new ones by {}", process.words())
    });
    found.origin(Actor::disk(disk));
    let was = before.map_or(String::new(), |before| format!(" ({before} before)"));
    let statement = format!(
        "Synchronous writes queue at {disk}{who}: {writes} of {size} with {:.1} in flight, and each takes {time}{was}.{limit}",
        queue.get()
    );
    let how = writer.map_or("fewer and larger commits", |writer| fewer_syncs(writer.comm));
    let advice = advise(
        &format!("Spread the writes over time ({how}), or move the journal to a device of its own."),
        None,
        "Commits wait for fewer other writes. If the program trades durability for larger groups, it loses more in a crash.",
        None,
    );
    found.finish(RuleId::FsyncStorm, statement, vec![advice])
}

/// By which setting a program syncs less often.
fn fewer_syncs(comm: &str) -> &'static str {
    let is = |names: &[&str]| names.iter().any(|name| comm.starts_with(name));
    if is(&["postgres", "checkpointer"]) {
        "checkpoint_completion_target, commit_delay, fewer and larger commits"
    } else if is(&["mysqld", "mariadbd"]) {
        "innodb_flush_log_at_trx_commit, sync_binlog, fewer and larger commits"
    } else if is(&["redis-server", "valkey-server"]) {
        "appendfsync everysec"
    } else {
        "fewer and larger commits"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_database_has_the_settings_of_one() {
        assert!(fewer_syncs("postgres").contains("checkpoint_completion_target"));
        assert!(fewer_syncs("mariadbd").contains("innodb_flush_log_at_trx_commit"));
        assert_eq!(fewer_syncs("smbd"), "fewer and larger commits");
    }
}
