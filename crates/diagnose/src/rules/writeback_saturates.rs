//! `writeback-saturates-disk`: the flusher keeps a device so busy that reads wait behind it.

use crate::amount::{Count, Limit, grade, grade_log};
use crate::effect::EffectKind;
use crate::episodes::SignalSpec;
use crate::evidence::{EvidenceBuilder, Origin, advise};
use crate::limits::SATURATED;
use crate::process;
use crate::rule::{Rule, leads, subsumes};
use crate::window::Window;
use pagetide_core::derived;
use pagetide_core::{Bytes, Finding, Nanos, Ratio, Relation, RuleDoc, RuleId};

pub(crate) const RULE: Rule = Rule {
    name: "writeback",
    is: Some(EffectKind::Writes),
    leads_to: &[leads(
        EffectKind::DiskBusy,
        "The flusher keeps the device's queue full, and reads wait behind it.",
        "fs/fs-writeback.c: wb_writeback; block/blk-wbt.c: wbt_wait",
    )],
    subsumes: &[subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound])],
    scenarios: &["buffered-write"],
    decides: "The queue of the device by kind of request: `perf trace -e block:block_rq_issue`: most are writes of the kernel's flusher threads.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::WritebackSaturates,
            title: "Writeback keeps a device busy, and reads wait behind it",
            meaning: "The flusher sends dirty pages of one writer to the device as fast as it takes them. Tasks that read from the same device, or fault, wait in \
                      the same queue.",
            evidence: "The device is busy, most of its bytes are writes, and much of that is writeback (nr_written). \
                       Tasks read from it as well, and a read takes a multiple of the time before (read_ms per read), or \
                       longer than an idle disk when no time before is known.",
            metrics: &["write_sectors", "read_sectors", "io_ms", "nr_written", "nr_dirtied", "read_ms", "reads", "write_bytes"],
            thresholds: &[SATURATED.doc(), WRITES.doc(), FLUSHED.doc(), SLOWER.doc(), LEAST.doc(), SLOW.doc()],
            why: "The flusher has many requests in flight and a reader has one. A device that serves them in turn serves the reader at the end of a long queue.",
            otherwise: "Direct or synchronous writes fill the queue in the same way and are no writeback: nr_written then stays below the writes of the device.",
            advice: "Let less be dirty at a time, or put the writer's files on another device.",
            kernel: "Linux 6.12: fs/fs-writeback.c: wb_writeback, writeback_chunk_size; block/blk-wbt.c: wbt_wait; mm/page-writeback.c: wb_over_bg_thresh.",
        },
        examine,
    )
};

const WRITES: Limit<Ratio> =
    Limit::new("share of the device's bytes that are writes", 0.66, "With less, reads fill the queue as well.", "judgement");
const FLUSHED: Limit<Ratio> = Limit::new(
    "bytes written back per byte that the device writes",
    0.3,
    "With less, the writes are direct or synchronous.",
    "judgement",
);
const SLOWER: Limit<Count> =
    Limit::new("time of a read, times the time before", 3.0, "Smaller changes follow the mix of requests.", "judgement");
const LEAST: Limit<Nanos> = Limit::new("time of a read", 1e6, "No task notices less.", "latency of SSDs");
const SLOW: Limit<Nanos> = Limit::new(
    "time of a read, where no time before is known",
    10e6,
    "A seek and a turn of a disk take 10 ms.",
    "physics of disks",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    let (disk, _) = window.busiest(|disk| window.disk_bytes(disk, &derived::WRITE_BANDWIDTH))?;
    // Most stretches need no look at the whole recording.
    if window.busy(disk)?.get() < 0.3 || !window.host_rate(&["nr_written"])?.is_positive() {
        return None;
    }
    let span = window.when(SignalSpec::disk(disk, &derived::WRITE_BANDWIDTH));
    let during = window.over(span);
    let (written, read) = (during.disk_bytes(disk, &derived::WRITE_BANDWIDTH)?, during.disk_bytes(disk, &derived::READ_BANDWIDTH)?);
    let busy = during.busy(disk)?;
    let flushed = window.bytes_per_second(during.host_rate(&["nr_written"])?);
    let time = during.read_await(disk)?;
    let baseline = window.until(span.from).and_then(|quiet| quiet.read_await(disk));
    let slow = baseline.map_or(time >= SLOW, |baseline| time >= baseline * SLOWER && time >= LEAST);
    if busy < SATURATED || written < (written + read) * WRITES || flushed < written * FLUSHED || !slow {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.span(window.led_up_to(span, SignalSpec::host(&["nr_dirtied"])));
    if let Some(process) = process::fastest::<Bytes>(&during, &["write_bytes"]) {
        found.note(format!("bytes that {} dirtied", process.words()), "write_bytes", process.amount);
        found.origin(Origin::Process(process.comm));
    }
    found.origin(Origin::Disk(disk));
    let weight = 1.0 + grade(flushed / written, 0.3, 0.9);
    found.compare(weight, "bytes written back", "nr_written * page size", flushed, Relation::Near, written);
    found.add(grade(busy, 0.9, 0.98), "share of time busy", format!("io_ms of {disk}"), busy);
    let weight = baseline.map_or(0.5, |baseline| 0.5 + 1.5 * grade_log(time / baseline, 3.0, 20.0));
    found.compare(weight, "time of a read", format!("read_ms / reads of {disk}"), time, Relation::Above, baseline);
    let before = baseline.map_or(String::new(), |baseline| format!(" ({baseline} before)"));
    let statement =
        format!("Writeback of {flushed} keeps {disk} busy {busy} of the time, and a read takes {time}{before}.");
    let advice = advise(
        "Let less be dirty at a time, so that the flusher's bursts are short.",
        Some("sysctl -w vm.dirty_background_bytes=67108864 vm.dirty_bytes=268435456"),
        "Reads wait less. The kernel throttles writers earlier, to the speed of the device.",
        Some("sysctl -w vm.dirty_background_ratio=10 vm.dirty_ratio=20"),
    );
    found.finish(RuleId::WritebackSaturates, statement, vec![advice])
}
