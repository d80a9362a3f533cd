//! `writeback-saturates-disk`: the flusher keeps a device so busy that reads wait behind it.

use crate::actors::victim;
use crate::evidence::advice;
use crate::evidence::threshold::{SATURATED, STALL_RATE, TURNOVER};
use crate::evidence::{EvidenceBuilder, advise};
use crate::ledger::harm::NOTICED;
use crate::ledger::slowed::{self, Slowed};
use crate::ledger::stalls;
use crate::ledger::writeback::{COPIES, FLUSHED, MIN_READ_AWAIT, PART, SLOW, SLOWER, WRITES, Writeback};
use crate::measure::amount::{Count, Limit, Rate, grade, grade_log};
use crate::measure::episodes::SignalSpec;
use crate::measure::queue::{FULL, MIN_BUSY_OF_FULL};
use crate::measure::window::{STOLEN, Window};
use crate::rules::contract::{EffectKind, Rule, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{Actor, Bytes, Finding, Pages, Ratio, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "writeback",
    effect: Some(EffectKind::Writes),
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
    deciding_test: "The device's requests by kind: `perf trace -e block:block_rq_issue` shows mostly writes by the kernel's flusher threads.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::WritebackSaturates,
            title: "A bulk write: other programs wait behind its writeback, or lose pages to it",
            meaning: "One program writes or copies much data through the page cache. The flusher sends its dirty pages to the device in bursts, \
                and tasks that read from the same device wait in the same queue. The pages it writes or copies replace other programs' cached \
                pages.",
            evidence: "Most of the device's bytes are writes, and much of that is writeback (nr_written). Either the device is busy and a read \
                takes a multiple of its baseline (read_ms per read), or longer than on an idle disk if there is no baseline. Or one process \
                writes most of it, far more than before, and others pay: they read from devices what they did not before, at no more requests, \
                or programs reclaim memory themselves.",
            metrics: &[
                "write_sectors",
                "read_sectors",
                "io_ms",
                "nr_written",
                "nr_dirtied",
                "read_ms",
                "reads",
                "write_bytes",
                "read_bytes",
                "syscr",
                "allocstall",
                "psi_memory_some",
                "psi_io_some",
                "rbytes",
                "wbytes",
                "nr_dirty_threshold",
            ],
            thresholds: &[
                SATURATED.doc(),
                FULL.doc(),
                MIN_BUSY_OF_FULL.doc(),
                WRITES.doc(),
                COPIES.doc(),
                FLUSHED.doc(),
                SLOWER.doc(),
                MIN_READ_AWAIT.doc(),
                SLOW.doc(),
                MIN_SHARE_OF_WRITER.doc(),
                PART.doc(),
                WRITES_ALL.doc(),
                NEW.doc(),
                TURNOVER.doc(),
                victim::MIN_READS.doc(),
                STALL_RATE.doc(),
                stalls::WAITED.doc(),
                DIRTY.doc(),
                NOTICED.doc(),
                slowed::SYNCS.doc(),
            ],
            why: "The flusher keeps many requests in flight, and a reader has one. A device that serves them in turn serves the reader at the end of a long queue.",
            alternatives: "Direct or synchronous writes fill the queue the same way but are not writeback: nr_written then stays below the writes of the device.",
            advice: "Allow less dirty memory, or put the writer's files on another device.",
            mglru: "Not used: writeback does not depend on the LRU. kswapd leaves dirty pages to the flusher threads and moves them to a younger generation.",
            kernel: "Linux 6.12: fs/fs-writeback.c: wb_writeback, writeback_chunk_size; block/blk-wbt.c: wbt_wait; mm/page-writeback.c: wb_over_bg_thresh.",
        },
        examine,
    )
};

const MIN_SHARE_OF_WRITER: Limit<Ratio> = Limit::new(
    "bytes one process dirties per byte that the device writes",
    0.5,
    "With less, no single writer is the origin.",
    "judgement",
);
const DIRTY: Limit<Bytes> = Limit::new(
    "advised limit of dirty memory, at most",
    256.0 * 1024.0 * 1024.0,
    "A disk writes this much in a few seconds.",
    "judgement",
);
const WRITES_ALL: Limit<Ratio> = Limit::new(
    "bytes of the largest writer per byte that the device writes, to say that it writes all of them",
    0.8,
    "Journals, metadata and rounding are the rest.",
    "judgement",
);
const NEW: Limit<Count> = Limit::new(
    "bytes that the device writes, relative to its baseline",
    4.0,
    "Ordinary load varies by less.",
    "judgement",
);
fn examine(window: &Window<'_>) -> Option<Finding> {
    let writeback = Writeback::of(window)?;
    let Writeback { disk, span, written, writer, .. } = writeback;
    // Without a full queue it takes one writer, and others that read back what its pages replaced, or programs that reclaim memory themselves.
    let bulk = || {
        let most = writer.is_some_and(|writer| writer.amount >= written * MIN_SHARE_OF_WRITER);
        let new = window
            .baseline()
            .mean(SignalSpec::disk(disk, &derived::WRITE_BANDWIDTH))
            .is_none_or(|usual: Rate<Bytes>| written >= usual * NEW);
        let much = window.turnover(written).is_some_and(|share| share >= TURNOVER);
        // Nobody lost a page where the kernel freed none.
        let freed = window.over(span).host_turnover(&STOLEN).is_none_or(|share| share >= TURNOVER);
        most && new && much && freed && (!writeback.victims.is_empty() || writeback.stalls.is_some())
    };
    if !writeback.saturates() && !bulk() {
        return None;
    }
    let begun = writer.map_or_else(
        || window.onset(span).at_episode_of(SignalSpec::host(&["nr_dirtied"])),
        |writer| {
            let rise = window.onset(span).at_rise_of(SignalSpec::rate(Table::Process, writer.name, &["write_bytes"]));
            window.onset(rise).not_before_start_of(writer.comm)
        },
    );
    finish(window, begun, &writeback)
}

fn finish(window: &Window<'_>, span: Span, writeback: &Writeback<'_>) -> Option<Finding> {
    let Writeback { disk, busy, written, flushed, time, baseline, writer, victims, slowed, stalls, .. } = writeback;
    let mut found = EvidenceBuilder::new(window);
    found.span(span);
    let who = writer.map_or_else(
        || "Programs".to_owned(),
        |process| {
            found.note(format!("bytes that {} dirtied", process.words()), "write_bytes", process.amount);
            found.origin(process.actor(window));
            process.words()
        },
    );
    found.origin(Actor::disk(*disk));
    let weight = 1.0 + grade(*flushed / *written, 0.3, 0.9);
    found.compare(weight, "bytes written back", "nr_written * page size", *flushed, Relation::Near, *written);
    found.add(grade(*busy, 0.9, 0.98), "share of time busy", format!("io_ms of {disk}"), *busy);
    let mut waits = Vec::new();
    if let Some(time) = time.filter(|_| writeback.slow()) {
        let weight = baseline.map_or(0.5, |baseline| 0.5 + 1.5 * grade_log(time / baseline, 3.0, 20.0));
        found.compare(weight, "time of a read", format!("read_ms / reads of {disk}"), time, Relation::Above, *baseline);
        waits.push(format!(
            "a read takes {time}{}",
            baseline.map_or(String::new(), |before| format!(" ({before} before)"))
        ));
    }
    if let Some(Slowed { group, waits: share, before }) = slowed {
        let what = format!("share of time that {group} waits for IO");
        let weight = 0.5 + grade(*share - *before, 0.1, 0.4);
        found.compare(weight, what, "psi_io_some of the group", *share, Relation::Above, *before);
        waits.push(format!("{group} waits for it {share} of the time ({before} before)"));
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
    // Nobody writes more than was seen of them: short-lived programs are in few samples.
    let part = writer.map(|writer| writer.amount).filter(|amount| *amount < *written * WRITES_ALL);
    let what = part
        .map_or_else(|| format!("{written} to {disk}"), |part| format!("{part} of the {written} that {disk} writes"));
    let statement =
        format!("{who} writes {what}. Its writeback keeps {disk} busy {busy} of the time; {}.", waits.join("; "));
    // Below what is allowed now, whatever the size of memory.
    let threshold = window.host_level::<Pages>("nr_dirty_threshold").map(|level| level.least * window.page_size());
    let most = threshold.map_or(DIRTY.value(), |threshold| (threshold / 2.0).min(DIRTY.value())).get();
    let advice = advise(
        "Limit the writer's rate, or allow less dirty memory, so that the flusher's bursts are short.",
        Some(&format!("sysctl -w vm.dirty_background_bytes={:.0} vm.dirty_bytes={most:.0}", most / 4.0)),
        "Reads wait less. The kernel throttles writers earlier, to the device's speed.",
        Some(&advice::restore(&window.recording.manifest, &["dirty_background_ratio", "dirty_ratio"])),
    );
    found.finish(RuleId::WritebackSaturates, statement, vec![advice])
}
