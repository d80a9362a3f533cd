//! `writeback-saturates-disk`: the flusher keeps a device so busy that reads wait behind it.

use crate::amount::{Amount, Count, Limit, Per, Rate, grade, grade_log};
use crate::effect::EffectKind;
use crate::episodes::SignalSpec;
use crate::evidence::{EvidenceBuilder, Origin, advise};
use crate::limits::{SATURATED, STALL_RATE, TURNOVER};
use crate::process::{self, ProcessShare};
use crate::settings;
use crate::stalls;
use crate::rule::{Rule, leads, subsumes};
use crate::victim::{self, Victim};
use crate::window::Window;
use pagetide_core::derived;
use pagetide_core::{Bytes, Finding, Nanos, Pages, Ratio, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "writeback",
    is: Some(EffectKind::Writes),
    leads_to: &[leads(
        EffectKind::DiskBusy,
        "The flusher keeps the device's queue full, and reads wait behind it.",
        "fs/fs-writeback.c: wb_writeback; block/blk-wbt.c: wbt_wait",
    )],
    subsumes: &[
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
        subsumes(EffectKind::DirectReclaim, &[RuleId::DirectReclaim]),
        subsumes(EffectKind::Refaults, &[RuleId::WorkingSetExceedsCache]),
        subsumes(EffectKind::CacheLost, &[RuleId::ColdCache]),
    ],
    scenarios: &["buffered-write"],
    decides: "The queue of the device by kind of request: `perf trace -e block:block_rq_issue`: most are writes of the kernel's flusher threads.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::WritebackSaturates,
            title: "A bulk write: other programs wait behind its writeback, or lose pages to it",
            meaning: "One program writes or copies much through the page cache. The flusher sends its dirty pages to the device in bursts, and tasks that read from \
                      the same device wait in the same queue. The pages that it writes, and those that it copies, replace cached pages of other programs.",
            evidence: "Most of the device's bytes are writes, and much of that is writeback (nr_written). Either the device is busy and a read \
                       takes a multiple of the time before (read_ms per read), or longer than an idle disk when no time before is known. Or one process writes most of it, \
                       far more than before, and other processes read from devices what they did not before, at no more requests, or programs reclaim memory themselves.",
            metrics: &["write_sectors", "read_sectors", "io_ms", "nr_written", "nr_dirtied", "read_ms", "reads", "write_bytes", "read_bytes", "syscr", "allocstall", "psi_memory_some", "nr_dirty_threshold"],
            thresholds: &[SATURATED.doc(), WRITES.doc(), COPIES.doc(), FLUSHED.doc(), SLOWER.doc(), LEAST.doc(), SLOW.doc(), MOST.doc(), NEW.doc(), TURNOVER.doc(), victim::LEAST.doc(), STALL_RATE.doc(), stalls::WAITED.doc(), DIRTY.doc()],
            why: "The flusher has many requests in flight and a reader has one. A device that serves them in turn serves the reader at the end of a long queue.",
            otherwise: "Direct or synchronous writes fill the queue in the same way and are no writeback: nr_written then stays below the writes of the device.",
            advice: "Let less be dirty at a time, or put the writer's files on another device.",
            mglru: "Not used: writeback does not depend on the kind of lists. kswapd leaves dirty pages to the flusher threads and moves them to a younger generation.",
            kernel: "Linux 6.12: fs/fs-writeback.c: wb_writeback, writeback_chunk_size; block/blk-wbt.c: wbt_wait; mm/page-writeback.c: wb_over_bg_thresh.",
        },
        examine,
    )
};

const WRITES: Limit<Ratio> =
    Limit::new("share of the device's bytes that are writes", 0.66, "With less, reads fill the queue as well.", "judgement");
const COPIES: Limit<Ratio> = Limit::new(
    "share of the device's bytes that are writes, where one program writes most of them",
    0.4,
    "A program that copies within a device, vacuums or sorts writes as much as it reads.",
    "judgement",
);
const FLUSHED: Limit<Ratio> = Limit::new(
    "bytes written back per byte that the device writes",
    0.3,
    "With less, the writes are direct or synchronous.",
    "judgement",
);
const SLOWER: Limit<Count> =
    Limit::new("time of a read, times the time before", 3.0, "Smaller changes follow the mix of requests.", "judgement");
const LEAST: Limit<Nanos> = Limit::new("time of a read", 1e6, "No task notices less.", "latency of SSDs");
const MOST: Limit<Ratio> = Limit::new(
    "bytes that one process dirties per byte that the device writes",
    0.5,
    "With less, no single writer is the origin.",
    "judgement",
);
const DIRTY: Limit<Bytes> = Limit::new(
    "dirty memory that is advised, at most",
    256.0 * 1024.0 * 1024.0,
    "A disk writes it in some seconds.",
    "judgement",
);
const NEW: Limit<Count> =
    Limit::new("bytes that the device writes, times those before", 4.0, "A rate that varies by less is the host's load.", "judgement");
const SLOW: Limit<Nanos> = Limit::new(
    "time of a read, where no time before is known",
    10e6,
    "A seek and a turn of a disk take 10 ms.",
    "physics of disks",
);

/// How a disk writes back over a stretch.
struct Writeback<'a> {
    disk: &'a str,
    busy: Amount<Ratio>,
    written: Rate<Bytes>,
    flushed: Rate<Bytes>,
    /// The time of a read, now and before.
    time: Option<Amount<Nanos>>,
    baseline: Option<Amount<Nanos>>,
    /// The process that writes most.
    writer: Option<ProcessShare<'a, Per<Bytes>>>,
    victims: Vec<Victim<'a>>,
    /// Direct reclaims for which tasks wait.
    stalls: Option<Rate<Count>>,
}

impl Writeback<'_> {
    /// Whether a read takes far longer than before.
    fn slow(&self) -> bool {
        self.time.is_some_and(|time| {
            self.baseline.map_or(time >= SLOW, |baseline| time >= baseline * SLOWER && time >= LEAST)
        })
    }
}

fn examine(window: &Window<'_>) -> Option<Finding> {
    let (disk, _) = window.busiest(|disk| window.disk_bytes(disk, &derived::WRITE_BANDWIDTH))?;
    // Most stretches need no look at the whole recording.
    if !window.host(&derived::WRITTEN_BACK)?.is_positive() {
        return None;
    }
    let signal = SignalSpec::disk(disk, &derived::WRITE_BANDWIDTH);
    let span = window.when(signal);
    let during = window.over(span);
    let (written, read) = (during.disk_bytes(disk, &derived::WRITE_BANDWIDTH)?, during.disk_bytes(disk, &derived::READ_BANDWIDTH)?);
    let flushed = window.bytes_per_second(during.host(&derived::WRITTEN_BACK)?);
    if written < (written + read) * COPIES || flushed < written * FLUSHED {
        return None;
    }
    let writer = process::fastest::<Bytes>(&during, &["write_bytes"]);
    let history = window.until(span.from);
    let writeback = Writeback {
        disk,
        busy: during.busy(disk)?,
        written,
        flushed,
        time: during.read_await(disk),
        baseline: history.and_then(|quiet| quiet.read_await(disk)),
        writer,
        victims: victim::all(&during, writer.map(|writer| writer.name)),
        stalls: stalls::direct(&during),
    };
    let saturated = written >= (written + read) * WRITES && writeback.busy >= SATURATED && writeback.slow();
    // Without a full queue it takes one writer, and others that read back what its pages replaced, or programs that reclaim memory themselves.
    let bulk = || {
        let most = writer.is_some_and(|writer| writer.amount >= written * MOST);
        let new = window.usual(signal).is_none_or(|usual: Rate<Bytes>| written >= usual * NEW);
        let much = window.turnover(written).is_some_and(|share| share >= TURNOVER);
        most && new && much && (!writeback.victims.is_empty() || writeback.stalls.is_some())
    };
    if !saturated && !bulk() {
        return None;
    }
    let begun = writer.map_or_else(
        || window.led_up_to(span, SignalSpec::host(&["nr_dirtied"])),
        |writer| window.begun(span, SignalSpec::rate(Table::Process, writer.name, &["write_bytes"])),
    );
    finish(window, begun, &writeback)
}

fn finish(window: &Window<'_>, span: Span, writeback: &Writeback<'_>) -> Option<Finding> {
    let Writeback { disk, busy, written, flushed, time, baseline, writer, victims, stalls } = writeback;
    let mut found = EvidenceBuilder::new(window);
    found.span(span);
    let who = writer.map_or_else(
        || "Programs".to_owned(),
        |process| {
            found.note(format!("bytes that {} dirtied", process.words()), "write_bytes", process.amount);
            found.origin(Origin::Process(process.comm));
            process.words()
        },
    );
    found.origin(Origin::Disk(disk));
    let weight = 1.0 + grade(*flushed / *written, 0.3, 0.9);
    found.compare(weight, "bytes written back", "nr_written * page size", *flushed, Relation::Near, *written);
    found.add(grade(*busy, 0.9, 0.98), "share of time busy", format!("io_ms of {disk}"), *busy);
    let mut waits = Vec::new();
    if let Some(time) = time.filter(|_| writeback.slow()) {
        let weight = baseline.map_or(0.5, |baseline| 0.5 + 1.5 * grade_log(time / baseline, 3.0, 20.0));
        found.compare(weight, "time of a read", format!("read_ms / reads of {disk}"), time, Relation::Above, *baseline);
        waits.push(format!("a read takes {time}{}", baseline.map_or(String::new(), |before| format!(" ({before} before)"))));
    }
    if let Some(most) = victims.first() {
        let what = format!("bytes that {} reads from devices", most.comm);
        found.compare(1.0, what, "read_bytes", most.read, Relation::Above, most.before);
        waits.push(victim::words(victims));
    }
    if let Some(stalls) = stalls {
        found.add(0.5, "direct reclaims", "allocstall, all zones", *stalls);
        waits.push(format!("programs reclaim memory themselves {stalls}"));
    }
    let statement = format!(
        "{who} writes {written} to {disk}. Its writeback keeps {disk} busy {busy} of the time; {}.",
        waits.join("; ")
    );
    // Below what is allowed now, whatever the size of memory.
    let threshold = window.host_level::<Pages>("nr_dirty_threshold").map(|level| level.least * window.page_size());
    let most = threshold.map_or(DIRTY.value(), |threshold| (threshold / 2.0).min(DIRTY.value())).get();
    let advice = advise(
        "Limit the rate of the writer, or let less be dirty at a time, so that the flusher's bursts are short.",
        Some(&format!("sysctl -w vm.dirty_background_bytes={:.0} vm.dirty_bytes={most:.0}", most / 4.0)),
        "Reads wait less. The kernel throttles writers earlier, to the speed of the device.",
        Some(&settings::restore(&window.recording.manifest, &["dirty_background_ratio", "dirty_ratio"])),
    );
    found.finish(RuleId::WritebackSaturates, statement, vec![advice])
}
