//! `writeback-saturates-disk`: the flusher keeps a device so busy that reads wait behind it.

use crate::actors::victim;
use crate::evidence::advice;
use crate::evidence::threshold::{SATURATED, STALL_RATE, TURNOVER};
use crate::evidence::{EvidenceBuilder, advise};
use crate::ledger::harm::NOTICED;
use crate::ledger::slowed::{self, Slowed};
use crate::ledger::stalls;
use crate::ledger::writeback::{COPIES, FLUSHED, MIN_READ_AWAIT, PART, SLOW, SLOWER, WRITES, Writeback};
use crate::measure::amount::{Amount, Count, Limit, Rate, grade, grade_log};
use crate::measure::episodes::SignalSpec;
use crate::measure::queue::{FULL, MIN_BUSY_OF_FULL};
use crate::measure::window::{STOLEN, Window};
use crate::rules::contract::{EffectKind, Rule, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{Actor, Advice, Bytes, Finding, Nanos, Pages, Ratio, Relation, RuleDoc, RuleId, Span, Table};

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
                "nr_dirty",
                "nr_writeback",
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
                MOSTLY.doc(),
                BURST.doc(),
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
            advice: "Put back a setting of dirty memory that was changed near the onset. Else allow less dirty memory, if as much is dirty, \
                limit the writer, or put its files on another device.",
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
const MOSTLY: Limit<Ratio> = Limit::new(
    "bytes written back per byte that the device writes, at least, to say that writeback keeps it busy",
    0.7,
    "Journals and metadata are the rest. With less, programs write much of it synchronously.",
    "judgement",
);
const NEW: Limit<Count> = Limit::new(
    "bytes that the device writes, relative to its baseline",
    4.0,
    "Ordinary load varies by less.",
    "judgement",
);
const BURST: Limit<Nanos> = Limit::new(
    "duration of a burst of the flusher, at least, to be strong evidence",
    1e9,
    "A shorter one passes on any host, and is in a few samples.",
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
    let brief = span.length() < BURST.value().nanos();
    if brief {
        found.at_most_moderate();
    }
    let who = writer.map_or_else(
        || "Programs write".to_owned(),
        |process| {
            found.note(format!("bytes that {} dirtied", process.words()), "write_bytes", process.amount);
            found.origin(process.actor(window));
            format!("{} writes", process.words())
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
        waits.push(format!("tasks of {group} wait for IO {share} of the time by PSI ({before} before)"));
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
    let time = if brief { span.length().to_string() } else { "the time".to_owned() };
    let whose = if writer.is_some() { "Its" } else { "Their" };
    let load = match *flushed >= *written * MOSTLY {
        _ if *busy < SATURATED => format!("{disk} is busy {busy} of {time}"),
        true => format!("{whose} writeback keeps {disk} busy {busy} of {time}"),
        false => format!("These writes keep {disk} busy {busy} of {time}, {flushed} of them as writeback"),
    };
    let statement = format!("{who} {what}. {load}; {}.", waits.join("; "));
    // What is lost before the writer begins counts as well: a setting is changed, and later somebody waits.
    let changed = advice::put_back(window.recording, span.from, is_of_writeback);
    let advice = changed.unwrap_or_else(|| less_dirty(&window.over(span)));
    found.finish(RuleId::WritebackSaturates, statement, vec![advice])
}

/// Whether a setting decides when the flusher writes.
fn is_of_writeback(name: &str) -> bool {
    name.starts_with("vm.dirty")
}

/// Less dirty memory, where there is as much as the flusher would begin at; else only less to write helps.
fn less_dirty(during: &Window<'_>) -> Advice {
    let memory = |metric: &str| during.host_level::<Pages>(metric).map(|level| level.most * during.page_size());
    // Below what is allowed now, whatever the size of memory.
    let threshold = during.host_level::<Pages>("nr_dirty_threshold").map(|level| level.least * during.page_size());
    let most = threshold.map_or(DIRTY.value(), |threshold| (threshold / 2.0).min(DIRTY.value()));
    let background = most / 4.0;
    if memory("nr_dirty").is_some_and(|dirty| dirty + memory("nr_writeback").unwrap_or(Amount::ZERO) < background) {
        return advise(
            "Limit the writer's rate, or let it write when no other program needs the device.",
            Some("pidstat -d 1 5; iostat -x 1 5"),
            "The commands only read. Other requests wait less. Lower dirty thresholds change nothing: dirty memory stays far below them.",
            None,
        );
    }
    advise(
        "Limit the writer's rate, or allow less dirty memory, so that the flusher's bursts are short.",
        Some(&format!("sysctl -w vm.dirty_background_bytes={:.0} vm.dirty_bytes={:.0}", background.get(), most.get())),
        "Other requests wait less. The kernel throttles writers earlier, to the device's speed.",
        Some(&advice::restore(&during.recording.manifest, &["dirty_background_ratio", "dirty_ratio"])),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::episodes::Episodes;
    use pagetide_core::{Column, Kind, Manifest, RecordingBuilder, Stamp, Unit};

    #[test]
    fn thresholds_are_lowered_only_where_as_much_memory_is_dirty() {
        let command = |dirty: i64| {
            let manifest = Manifest { page_size: Bytes::new(4096), ..Manifest::default() };
            let mut builder = RecordingBuilder::new(manifest);
            for at in 0..30 {
                builder.stamp(Stamp { boot_ns: at * 1_000_000_000, ..Stamp::default() });
                for (name, value) in [("nr_dirty", dirty), ("nr_writeback", 10), ("nr_dirty_threshold", 32_000)] {
                    let column = Column { name: name.to_owned(), kind: Kind::Gauge, unit: Unit::Pages };
                    builder.value(Table::Host, "", &column, value);
                }
            }
            let (recording, episodes) = (builder.finish(), Episodes::default());
            less_dirty(&Window::whole(&recording, &episodes).unwrap()).command.unwrap_or_default()
        };
        assert_eq!(command(4_000), "sysctl -w vm.dirty_background_bytes=16384000 vm.dirty_bytes=65536000");
        assert!(!command(300).contains("sysctl"), "a threshold of 4000 pages is never reached");
    }
}
