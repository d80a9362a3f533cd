//! `device-slow`: a device takes longer for the same work than before.

use crate::actors::kernel_log;
use crate::evidence::threshold::MECHANICAL;
use crate::evidence::{EvidenceBuilder, advice};
use crate::ledger::{accounts, waits};
use crate::measure::amount::{Amount, Count, Limit, Per, Rate, grade, grade_log};
use crate::measure::disks::{DELAYS, MIN_DELAY};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{Window, intervals};
use crate::rules::contract::{EffectKind, Rule, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{Actor, Bytes, Finding, Nanos, Ratio, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "a slow device",
    leads_to: &[leads(
        EffectKind::DiskBusy,
        "Each request takes longer, so the device always has one.",
        "block/blk-mq.c: blk_mq_end_request",
    )],
    subsumes: &[subsumes(
        EffectKind::DiskBusy,
        &[
            RuleId::DeviceSaturated,
            RuleId::DirtyThrottled,
            RuleId::WritebackSaturates,
            RuleId::LatencyBound,
            RuleId::ColdCache,
        ],
    )],
    deciding_test: "The device's own latency below the block layer at the same time: its health, and the metrics of the storage system or cloud volume.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::DeviceSlow,
            title: "A device takes longer for each request than before, at no higher load",
            meaning: "The device itself is the cause: it is worn, limited, rebuilding, or shared with another host. Everything that needs it waits.",
            evidence: "The time per request (read_ms + write_ms over reads + writes, or await) is a multiple of its baseline. The device \
                completes no more requests and no more bytes than before, and the requests are not larger. Without a baseline: a time per \
                request that no seek explains, a short queue, and tasks that wait for IO (psi_io_some). A device that lies on others (dm, md, \
                loop) counts where a request takes much longer there than on the devices below it.",
            metrics: &[
                "reads",
                "writes",
                "reads_writes",
                "read_sectors",
                "write_sectors",
                "read_ms",
                "write_ms",
                "await_ms",
                "io_ms",
                "weighted_io_ms",
                "psi_io_some",
            ],
            thresholds: &[
                SLOWER.doc(),
                MIN_AWAIT.doc(),
                MORE.doc(),
                LARGER.doc(),
                MECHANICAL.doc(),
                QUEUE.doc(),
                FEW.doc(),
                GREW.doc(),
                COMPLETED.doc(),
                LASTS.doc(),
                BEGINNING.doc(),
                MIN_SHARE_OF_WAITS.doc(),
                DELAYS.doc(),
                MIN_DELAY.doc(),
            ],
            why: "By Little's law the time per request is the queue divided by the rate. A queue that grows with the load comes with a higher \
                rate. If the queue grows while the rate falls, the device does less.",
            alternatives: "Other kinds of requests (small random ones after large sequential ones, flushes, discards) take longer on a healthy \
                device. A synchronous writer beside a reader may lengthen the queue while the rate of reads falls.",
            advice: "Check the device's health and limits, and who else uses the underlying storage.",
            mglru: "Not used: the rule reads devices only.",
            kernel: "Linux 6.12: block/blk-mq.c: blk_mq_end_request, blk_account_io_done; block/genhd.c: diskstats_show.",
        },
        examine,
    )
};

const SLOWER: Limit<Count> = Limit::new(
    "time per request, relative to its baseline",
    3.0,
    "A different mix of requests changes it by less.",
    "judgement",
);
const MIN_AWAIT: Limit<Nanos> =
    Limit::new("time per request", 1e6, "A device this fast is not slow, whatever its baseline.", "latency of SSDs");
const MORE: Limit<Count> = Limit::new(
    "requests or bytes per second, relative to the baseline, at most",
    1.2,
    "Under more load a longer queue is expected.",
    "Little's law",
);
const GREW: Limit<Count> = Limit::new(
    "requests per second, relative to those of a disk that had hardly any, at most",
    4.0,
    "A mean over few requests is noise, but not this much more.",
    "judgement",
);
const LARGER: Limit<Count> = Limit::new(
    "bytes per request, relative to the baseline, at most",
    2.0,
    "Larger requests take longer on a healthy device.",
    "judgement",
);
const QUEUE: Limit<Count> = Limit::new(
    "requests in flight while busy, at most, where there is no baseline",
    1.5,
    "A writeback burst is deep and short.",
    "Little's law",
);
const FEW: Limit<Per<Count>> = Limit::new("requests before", 2.0, "A mean over fewer requests is noise.", "judgement");
/// A device that hangs completes less than one a second.
const COMPLETED: Limit<Count> =
    Limit::new("requests completed while it is slow", 10.0, "A mean over fewer requests is noise.", "judgement");

const MIN_SHARE_OF_WAITS: Limit<Ratio> = Limit::new(
    "share of time for which the device has requests or flushes, per share for which tasks wait for IO, at least",
    0.25,
    "Nobody waits for a device that has no request: with less, most tasks wait for something else.",
    "Little's law, and judgement",
);

const LASTS: Limit<Nanos> = Limit::new(
    "time for which requests take longer",
    5e9,
    "The journal commits and the flusher wakes every 5 s. Anything shorter may be one of their bursts.",
    "fs/jbd2/journal.c: kjournald2; fs/fs-writeback.c: wb_wakeup_delayed (6.12)",
);

const BEGINNING: Limit<Nanos> = Limit::new(
    "the same, where there is no baseline",
    15e9,
    "The flusher writes what expires every 5 s, and its bursts follow each other while it catches up.",
    "fs/fs-writeback.c: wb_check_old_data_flush (6.12), and judgement",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    let found = window.disks().into_iter().filter_map(|disk| of_disk(window, disk));
    found.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()))
}

/// Whether a load that grew led up to a stretch: most of the time before it, over as long a time, a disk had less to do. A load that grows step by step
/// lengthens the queue only at its last step.
fn ramped_up(window: &Window<'_>, disk: &str, span: Span, requests: Rate<Count>) -> bool {
    let length = span.length().max(intervals(window.recording, 10));
    let before = Span { from: span.from.earlier(length), to: span.from };
    let usual = window.episodes.middle::<Per<Count>>(window.recording, SignalSpec::disk(disk, &derived::TPS), before);
    usual.is_some_and(|(usual, _)| requests > usual * MORE.get())
}

/// What a disk did over a stretch.
struct Work {
    time: Amount<Nanos>,
    requests: Rate<Count>,
    bytes: Rate<Bytes>,
}

impl Work {
    fn size(&self) -> Amount<Bytes> {
        Amount::new(self.bytes.get() / self.requests.get())
    }
}

fn requests(window: &Window<'_>, disk: &str) -> Option<Rate<Count>> {
    let both = window.rates(Table::Disk, disk, &["reads", "writes"]);
    both.or_else(|| window.rate(Table::Disk, disk, "reads_writes"))
}

fn work(window: &Window<'_>, disk: &str) -> Option<Work> {
    let requests = requests(window, disk).filter(|requests| requests.is_positive())?;
    let bytes =
        window.disk_bytes(disk, &derived::READ_BANDWIDTH)? + window.disk_bytes(disk, &derived::WRITE_BANDWIDTH)?;
    Some(Work { time: window.disk_await(disk)?, requests, bytes })
}

/// Whether a disk that lies on others sends them more than before, which is no fault of theirs: a bitmap, a journal or parity is written as well.
fn sends_more_below(window: &Window<'_>, disk: &str, span: Span) -> bool {
    let Some(before) = window.baseline().until(span.from) else { return false };
    let during = window.over(span);
    window.below(disk).into_iter().any(|below| {
        requests(&during, below).zip(requests(&before, below)).is_some_and(|(now, before)| now > before * MORE.get())
    })
}

/// Whether a disk works no longer on each request than before, and they take longer because more of them wait. A step of a run sends as many at once as it
/// is told to: at the limit of the device that makes its own queue, and costs nobody else any time.
fn only_queues(window: &Window<'_>, disk: &str, span: Span) -> bool {
    let per_request = |during: &Window<'_>| Some(during.busy(disk)?.get() / requests(during, disk)?.get());
    let before = window.baseline().until(span.from).and_then(|before| per_request(&before));
    per_request(&window.over(span)).zip(before).is_some_and(|(now, before)| now < before * accounts::SLOWER.get())
}

/// When requests take longer. A burst in that time, of what has queued up meanwhile, may stand out so far that the rest of it does not.
fn slow_span(window: &Window<'_>, disk: &str) -> Span {
    let spec = SignalSpec::disk_await(disk);
    let span = window.when(spec);
    if Amount::<Nanos>::new(span.length().as_f64()) >= LASTS {
        return span;
    }
    let usual = window.episodes.signal(window.recording, spec).and_then(|signal| signal.baseline::<Nanos>());
    let slow = usual.and_then(|usual| {
        let held = window.held(spec, usual * SLOWER.get());
        held.into_iter().find(|slow| slow.overlaps(span))
    });
    slow.unwrap_or(span)
}

fn of_disk<'a>(window: &Window<'a>, disk: &'a str) -> Option<Finding> {
    // Most stretches need no look at the whole recording.
    let before = window.baseline().quiet().and_then(|quiet| quiet.disk_await(disk));
    if window.disk_await(disk)? < before.map_or(MECHANICAL.value() * 0.2, |before| before * 1.2) {
        return None;
    }
    let span = slow_span(window, disk);
    if Amount::<Nanos>::new(span.length().as_f64()) < LASTS {
        return None;
    }
    let during = window.over(span);
    let now = work(&during, disk).filter(|now| now.requests.over(span.length()) >= COMPLETED)?;
    let mut found = EvidenceBuilder::new(window);
    found.span(span);
    found.origin(Actor::disk(disk));
    let source = format!("(read_ms + write_ms) / (reads + writes), or await, of {disk}");
    let baseline = window.baseline().until(span.from).and_then(|quiet| work(&quiet, disk));
    // Of a disk that had hardly a request before, or none, nobody knows how long one took; but that it has more now.
    let earlier = window.baseline().until(span.from).and_then(|before| requests(&before, disk));
    let usual = earlier.or_else(|| during.baseline().all().and_then(|before| requests(&before, disk)));
    if usual.is_some_and(|usual| usual < FEW && now.requests > usual * GREW.get()) {
        return None;
    }
    let baseline = baseline.filter(|before| before.requests >= FEW);
    let waited = during.share(&derived::PSI_IO_SOME);
    let works = waits::works(&during, disk);
    if waited.zip(works).is_some_and(|(waited, works)| works < waited * MIN_SHARE_OF_WAITS) {
        return None;
    }
    match &baseline {
        Some(baseline) => {
            let more = (now.requests / baseline.requests).max(now.bytes / baseline.bytes);
            let slower = now.time < baseline.time * SLOWER || now.time < MIN_AWAIT;
            if slower
                || more.get() > MORE.get()
                || ramped_up(window, disk, span, now.requests)
                || sends_more_below(window, disk, span)
                || (now.size() / baseline.size()).get() > LARGER.get()
                || window.step.is_some() && only_queues(window, disk, span)
            {
                return None;
            }
            let weight = 1.0 + 1.5 * grade_log(now.time / baseline.time, 3.0, 20.0);
            found.compare(weight, "time per request", &source, now.time, Relation::Above, baseline.time);
            let (weight, source) = (1.5 * grade(more, 1.2, 0.8), format!("reads + writes of {disk}"));
            found.compare(weight, "requests completed", source, now.requests, Relation::Near, baseline.requests);
        }
        None => {
            let queue = during.depth(disk)?;
            // What was written before the recording began may be written back in its first seconds.
            if Amount::<Nanos>::new(span.length().as_f64()) < BEGINNING {
                return None;
            }
            if now.time < MECHANICAL || queue > QUEUE.value() || waited.is_some_and(|waited| waited.get() < 0.01) {
                return None;
            }
            let weight = 1.0 + grade(now.time, MECHANICAL.get(), MECHANICAL.get() * 4.0);
            found.compare(weight, "time per request", &source, now.time, Relation::Above, MECHANICAL.value());
            found.add(0.5, "requests in flight while busy", format!("weighted_io_ms / io_ms of {disk}"), queue);
        }
    }
    if let Some(waited) = waited {
        let weight = if waited.get() < 0.01 { -1.0 } else { grade(waited, 0.01, 0.2) };
        found.add(weight, "share of time that tasks wait for IO", "psi_io_some", waited);
    }
    let before = baseline.map_or(String::new(), |baseline| {
        let (requests, before) = (now.requests.get(), baseline.requests.get());
        format!(" ({} before). It completes {requests:.0} requests/s ({before:.0}/s before)", baseline.time)
    });
    let errors = Some(kernel_log::io_errors(window, span, disk)).filter(|errors| *errors > 0);
    let errors = errors.map_or(String::new(), |errors| {
        found.add(1.0, "failed requests that the kernel reported", "kernel log", Amount::<Count>::new(errors as f64));
        format!(" The kernel log reports failed requests: {errors}.")
    });
    let statement = format!("{disk} slowed down: a request takes {}{before}. Its load did not grow.{errors}", now.time);
    found.finish(RuleId::DeviceSlow, statement, vec![advice::check_device(disk)])
}
