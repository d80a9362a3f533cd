//! `latency-bound`: one request at a time, each as fast as the device answers.

use crate::actors::process::ProcessShare;
use crate::actors::{group, io_limit, newcomer};
use crate::evidence::{EvidenceBuilder, advise};
use crate::ledger::disk_load::{self, OWNS};
use crate::measure::amount::{Amount, Count, Limit, Per, Rate, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::queue::SEVERAL;
use crate::measure::step;
use crate::measure::window::{Window, intervals};
use crate::rules::contract::{Role, Rule};
use pagetide_core::derived;
use pagetide_core::{
    Actor, Advice, Bytes, Figure, Finding, Nanos, Ratio, Relation, RuleDoc, RuleId, Span, StepResult, Table,
};

pub(crate) const RULE: Rule = Rule {
    name: "one request at a time",
    role: Role::Effect,
    scenarios: &["buffered-read"],
    deciding_test: "The device's rate with more requests in flight.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::LatencyBound,
            title: "The workload waits for one request at a time; the device could do more",
            meaning: "The program sends one request at a time and waits for it. The rate is one second divided by the latency. The device \
                reaches neither its IOPS limit nor its bandwidth.",
            evidence: "Of a step: IOPS x mean completion latency is near 1 s/s, the device is busy, and its mean queue (rate of weighted_io_ms) \
                is near 1; larger requests, and a group that uses up its IO limit, exclude it. Of a disk alone: small reads, a busy device, and weighted_io_ms no larger than io_ms; or a few in flight, each as fast as \
                before, for which a service that ran before comes to wait most of the time. Or one request is in flight all \
                the time, reads or writes, where several were, and half as many complete, each as fast. Either harms a service that had several in flight and comes to do half \
                as much, whatever it waits. A higher request rate elsewhere in the recording \
                supports it.",
            metrics: &[
                "reads",
                "writes",
                "read_sectors",
                "read_ms",
                "write_ms",
                "io_ms",
                "weighted_io_ms",
                "read_bytes",
                "write_bytes",
                "psi_io_some",
            ],
            thresholds: &[
                TOLERANCE.doc(),
                DEVICE_SHARE.doc(),
                READS.doc(),
                BUSY.doc(),
                QUEUE.doc(),
                SMALL.doc(),
                FEW.doc(),
                AS_FAST.doc(),
                WAITS.doc(),
                MORE.doc(),
                SEVERAL.doc(),
                HALF.doc(),
            ],
            why: "A synchronous read returns when the data has arrived. With one thread and no readahead, the device never has a second request, \
                so every request pays the full latency.",
            alternatives: "A device limited to this rate that delays each answer looks the same in one step; a step with more requests in flight \
                tells them apart. In a warm run IOPS x latency is also 1, but it does no device IO.",
            advice: "Send more requests at once (threads, asynchronous IO, readahead for sequential access), read more per request, or make the \
                data fit in the page cache. A device with lower latency helps; one with more IOPS does not.",
            mglru: "Not used: the rule reads devices and processes only.",
            kernel: "Linux 6.12: mm/filemap.c: filemap_read waits for each missing folio; block/genhd.c: \
                     part_stat_show gives io_ms and weighted_io_ms; Documentation/admin-guide/iostats.rst.",
        },
        examine,
    )
};

const DEVICE_SHARE: Limit<Ratio> = Limit::new(
    "requests that reach the device, of a step",
    0.05,
    "Below this, the device does not set the rate.",
    "judgement",
);
const TOLERANCE: Limit<Ratio> = Limit::new(
    "distance of IOPS x latency from 1, of a step",
    0.15,
    "The latency excludes the time that fio spends between two requests.",
    "measured with fio",
);
const READS: Limit<crate::measure::amount::Per<Count>> =
    Limit::new("reads of a disk", 20.0, "Below this rate the disk is not the limit.", "judgement");
const BUSY: Limit<Ratio> =
    Limit::new("share of time busy, of a disk", 0.7, "An idle device does not set the rate.", "judgement");
const QUEUE: Limit<Count> = Limit::new(
    "requests in flight while busy, at most",
    1.15,
    "One at a time, plus a few requests of other programs.",
    "Little's law",
);
const SMALL: Limit<Bytes> = Limit::new(
    "size of a read, at most",
    65_536.0,
    "Transferring a larger read at 100 MB/s takes longer than a fast disk's latency.",
    "bandwidth and latency of disks",
);

const FEW: Limit<Count> = Limit::new(
    "requests in flight while busy, at most, of a service with several threads that each send one at a time",
    4.0,
    "With more, a device with one queue may be the limit.",
    "Little's law",
);
const AS_FAST: Limit<Ratio> = Limit::new(
    "time of a request, relative to the baseline, at most",
    1.25,
    "At its limit a device takes longer for each.",
    "Little's law",
);
const WAITS: Limit<Ratio> = Limit::new(
    "share of time that a group waits for IO then, at least",
    0.5,
    "With less, it has time for more requests.",
    "judgement",
);
const MORE: Limit<Ratio> = Limit::new(
    "the same above what it was before, at least",
    0.3,
    "A service that always waits for its requests varies by less.",
    "judgement",
);

const HALF: Limit<Count> = Limit::new(
    "requests of a disk in the time in which it had any before, relative to those of one at a time since, at least",
    1.8,
    "As many threads as had a request in flight each wait for one of them now.",
    "Little's law",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() { of_step(window) } else { of_disks(window) }
}

fn of_step(window: &Window<'_>) -> Option<Finding> {
    let iops: Rate<Count> = window.figure(Figure::Iops)?;
    let latency: Amount<Nanos> = window.figure(Figure::ClatMean)?;
    let depth = Amount::<Count>::new(iops.get() * latency.get() / 1e9);
    let off = (depth - Amount::new(1.0)).abs();
    let requests = |figure| window.figure::<Count>(figure).unwrap_or(Amount::ZERO);
    let device = requests(Figure::DiskReads).max(requests(Figure::DiskWrites));
    let share = device / window.figure(Figure::Issued).filter(|issued: &Amount<Count>| issued.is_positive())?;
    if off.get() > TOLERANCE.get() || share < DEVICE_SHARE || reaches_a_limit(window) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let one = Amount::<Count>::new(1.0);
    let what = "requests in flight at the workload: IOPS x mean completion latency";
    found.compare(2.0 * grade(off, TOLERANCE.get(), 0.03), what, "iops * clat_mean", depth, Relation::Near, one);
    let queues = window.disks().into_iter().filter_map(|disk| queue(window, disk));
    let busiest = queues.max_by(|a, b| a.depth.total_cmp(&b.depth));
    let busy = window.figure(Figure::DiskUtil).or_else(|| busiest.as_ref().map(|queue| queue.busy));
    if let Some(busy) = busy {
        if busy.get() < 0.5 && share.get() < 0.5 {
            return None;
        }
        let weight = if busy.get() < 0.5 { -1.0 } else { grade(busy, 0.5, 0.9) };
        found.add(weight, "share of time that the device was busy", "disk_util", busy);
    }
    if let Some(queue) = busiest.filter(|queue| queue.busy.is_positive()) {
        let depth = queue.while_busy();
        // A longer queue of a disk that rests comes from others: it weakens the finding and does not refute it.
        let weight = if depth.get() > 1.5 { -1.5 * grade(depth, 1.5, 3.0) } else { grade(depth, 1.5, 1.1) };
        let source = format!("weighted_io_ms / io_ms of {}", queue.disk);
        found.compare(weight, "requests in flight at the device while it was busy", source, depth, Relation::Near, one);
    }
    add_other_steps(window, &mut found);
    let statement = format!(
        "The workload sends one request at a time: {iops} x {latency} per request = {:.2} s/s. The latency of the device, not one of its limits, \
         sets the rate.",
        depth.get(),
    );
    found.finish(RuleId::LatencyBound, statement, advice())
}

/// Whether something else than one request at a time sets the rate: each workload that waits for its requests has one of its own in flight, also where
/// the device has several of the kernel's readahead or of others, where the transfer takes most of the time, and where a group waits at its IO limit.
fn reaches_a_limit(window: &Window<'_>) -> bool {
    let is_large = |disk: &str| {
        let requests = window.rates::<Count>(Table::Disk, disk, &["reads", "writes"]);
        let size = window.moved(disk).zip(requests).map(|(moved, requests)| moved.get() / requests.get());
        size.is_some_and(|size| size > SMALL.get())
    };
    let queues = window.disks().into_iter().filter_map(|disk| queue(window, disk));
    let busiest = queues.filter(|queue| queue.busy >= BUSY).max_by(|a, b| a.depth.total_cmp(&b.depth));
    busiest.is_some_and(|queue| queue.while_busy() > QUEUE.value() || is_large(queue.disk))
        || !io_limit::used_up(window).is_empty()
}

/// Another step that got more out of the same device shows that this one did not reach its limit.
fn add_other_steps(window: &Window<'_>, found: &mut EvidenceBuilder) {
    let rate = |step: &StepResult| {
        let requests = step.get(Figure::DiskReads)? + step.get(Figure::DiskWrites).unwrap_or(0.0);
        let elapsed = step.get(Figure::Elapsed).filter(|elapsed| *elapsed > 0.0)?;
        Some(Rate::<Count>::new(requests / (elapsed / 1e9)))
    };
    let Some(own) = window.step.and_then(rate) else { return };
    let best = window.recording.steps().filter_map(|step| Some((step, rate(step)?))).max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((step, best)) = best.filter(|(_, best)| *best > own * 1.3) {
        let weight = 0.6 * grade(best / own, 1.0, 2.0);
        let what = format!("requests that the device completed in step {}", step.id);
        found.compare(weight, what, "(disk_reads + disk_writes) / elapsed", best, Relation::Above, own);
    }
}

/// How a disk was used over a window.
struct Queue<'a> {
    disk: &'a str,
    /// Mean requests in flight.
    depth: Amount<Count>,
    /// Share of time with at least one.
    busy: Amount<Ratio>,
}

impl Queue<'_> {
    fn while_busy(&self) -> Amount<Count> {
        Amount::new(self.depth.get() / self.busy.get())
    }
}

fn queue<'a>(window: &Window<'_>, disk: &'a str) -> Option<Queue<'a>> {
    Some(Queue { disk, depth: window.queue(disk)?, busy: window.busy(disk)? })
}

fn of_disks(window: &Window<'_>) -> Option<Finding> {
    let found = window.disks().into_iter().filter_map(|disk| of_disk(window, disk));
    found.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()))
}

fn of_disk(window: &Window<'_>, disk: &str) -> Option<Finding> {
    if let Some(found) = one_after_the_other(window, disk) {
        return Some(found);
    }
    let queue = queue(window, disk)?;
    let reads: Rate<Count> = window.rate(Table::Disk, disk, "reads")?;
    let writes = window.rate(Table::Disk, disk, "writes").unwrap_or(Amount::ZERO);
    let depth = queue.while_busy();
    let bytes = window.disk_bytes(disk, &derived::READ_BANDWIDTH)?;
    let size = Amount::<Bytes>::new(bytes.get() / reads.get());
    if reads < READS || queue.busy < BUSY || writes > reads * 0.1 || size > SMALL.value() {
        return None;
    }
    // Several threads of a service send one each.
    let before =
        if depth <= QUEUE.value() { None } else { Some(as_fast(window, disk).filter(|_| depth <= FEW.value())?) };
    let latency = Amount::<Nanos>::new(queue.depth.get() / (reads + writes).get() * 1e9);
    let mut found = EvidenceBuilder::new(window);
    found.span(window.when(SignalSpec::disk(disk, &derived::BUSY)));
    // The device is as it was: who waits for each request before the next one is the cause.
    let reader = most_of(window, disk, true);
    let served = || reader.is_some_and(|reader| newcomer::serves(window, reader.comm));
    if before.is_some() && !(served() && comes_to_wait(window)) {
        return None;
    }
    if let Some(process) = reader {
        found.origin(process.actor(window));
    }
    found.origin(Actor::disk(disk));
    let of = |what: &str| format!("{what} of {disk}");
    let what = "share of time that the device is busy";
    found.add(2.0 * grade(queue.busy, 0.5, 0.95), what, of("rate of io_ms"), queue.busy);
    let source = of("weighted_io_ms / io_ms");
    let what = "requests in flight while busy";
    if let Some(before) = before {
        found.compare(0.5, what, source, depth, Relation::Below, FEW.value());
        found.compare(1.5, "time of a request", of("read_ms + write_ms per request"), latency, Relation::Near, before);
    } else {
        found.compare(2.0 * grade(depth, QUEUE.get(), 1.0), what, source, depth, Relation::Near, Amount::new(1.0));
    }
    let most = window.recording.disk(disk, "reads")?.rates().into_iter().map(|(.., rate)| rate).fold(0.0, f64::max);
    let most = Rate::<Count>::new(most);
    if most > reads * 1.3 {
        let what = "highest rate of reads in this recording";
        found.compare(grade(most / reads, 1.3, 3.0), what, of("rate of reads"), most, Relation::Above, reads);
    }
    let who = reader.map_or(String::new(), |reader| format!(", mostly of {}", reader.words()));
    let statement = before.map_or_else(
        || format!("{disk} has one request in flight at a time{who}: {reads} of {latency} each. Its latency, not one of its limits, sets the rate."),
        |before| {
            format!(
                "{disk} has {:.1} requests in flight{who}: {reads} of {latency} each ({before} before), one after the other of each thread. Its latency, \
                 not one of its limits, sets the rate.",
                depth.get()
            )
        },
    );
    found.finish(RuleId::LatencyBound, statement, advice())
}

/// The program to which most belongs of what a disk reads, or else writes.
fn most_of<'a>(window: &Window<'a>, disk: &str, reads: bool) -> Option<ProcessShare<'a, Per<Bytes>>> {
    let (sender, bytes) = if reads {
        (disk_load::reader(window, disk), &derived::READ_BANDWIDTH)
    } else {
        (disk_load::writer(window, disk), &derived::WRITE_BANDWIDTH)
    };
    let least = window.disk_bytes(disk, bytes)? * OWNS;
    sender.filter(|sender| sender.amount >= least)
}

/// Intervals between a stretch and such a change, at most: where the change ends it.
const NEAR: u64 = 5;

/// A disk that comes to have one request in flight all the time, where it had several, and completes half as many, each as fast as before: who sends
/// them waits for each before the next one, as for a lock.
fn one_after_the_other(window: &Window<'_>, disk: &str) -> Option<Finding> {
    let whole = Window::whole(window.recording, window.episodes)?;
    let in_flight = |window: &Window<'_>| Some(queue(window, disk)?).filter(|queue| queue.busy.is_positive());
    // It lasts: most busy stretches end, and need no look at the whole recording.
    let rest = whole.over(Span { from: window.span.from, ..whole.span });
    if window.busy(disk)? < BUSY || rest.busy(disk)? < BUSY {
        return None;
    }
    let depth = SignalSpec::disk(disk, &derived::QUEUE_DEPTH);
    let values: Vec<(Span, f64)> = whole.episodes.signal(whole.recording, depth)?.intervals_in(whole.span).collect();
    let fall = step::fall(&values.iter().map(|(_, value)| *value).collect::<Vec<_>>())?;
    let at = values.get(fall.at)?.0.from;
    let (before, since) = (whole.over(Span { to: at, ..whole.span }), whole.over(Span { from: at, ..whole.span }));
    let (earlier, busy) = (in_flight(&before)?.while_busy(), since.busy(disk)?);
    // A write of a journal beside it now and then does not shift the median.
    let (depth, _) = whole.episodes.middle::<Count>(whole.recording, depth, since.span)?;
    let near = window.span.to.later(intervals(window.recording, NEAR)) >= at;
    if !near || busy < BUSY || depth > QUEUE.value() || earlier < SEVERAL {
        return None;
    }
    let requests = |window: &Window<'_>| window.derived::<Per<Count>>(Table::Disk, disk, &derived::TPS);
    let (now, then) = (requests(&since)?, requests(&before)?);
    let (time, usual): (Amount<Nanos>, Amount<Nanos>) = (since.disk_await(disk)?, before.disk_await(disk)?);
    // Of a disk that had nothing to do in between, what it did while it had.
    let while_busy = then / before.busy(disk)?.get();
    if while_busy < now / busy.get() * HALF.get() || time > usual * AS_FAST.get() {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.span(since.span);
    let rate = |metric| since.rate::<Count>(Table::Disk, disk, metric).unwrap_or(Amount::ZERO);
    let reads = rate("reads") >= rate("writes");
    let owner = most_of(&since, disk, reads);
    owner.into_iter().for_each(|owner| found.origin(owner.actor(window)));
    found.origin(Actor::disk(disk));
    let of = |what: &str| format!("{what} of {disk}");
    let what = "share of time that the device is busy";
    found.add(0.5 * grade(busy, 0.5, 0.95), what, of("rate of io_ms"), busy);
    let source = of("weighted_io_ms");
    found.compare(1.0, "requests in flight, the median", source, depth, Relation::Below, earlier);
    found.compare(0.5, "requests", of("reads + writes"), now, Relation::Below, then);
    found.compare(1.0, "time of a request", of("read_ms + write_ms per request"), time, Relation::Near, usual);
    let who = owner.map_or(String::new(), |owner| format!(", mostly of {}", owner.words()));
    let statement = format!(
        "{disk} has one request in flight at a time{who}: {now} of {time} each. Before, it had {:.1} in flight and completed {then}, each as fast: it could \
         do as much now, but each request is sent after the one before it, as behind a lock.",
        earlier.get()
    );
    let advice = advise(
        "Find what makes the requests wait for each other: a lock of the file (direct writes that extend it or are not aligned), one connection, one thread.",
        Some("cat /proc/PID/task/*/wchan"),
        "The command only reads. A faster disk helps as much as each request is faster; one with more IOPS does not.",
        None,
    );
    found.finish(RuleId::LatencyBound, statement, vec![advice])
}

/// The time that a request of a disk took before; absent where it takes longer now, or that is not known.
fn as_fast(window: &Window<'_>, disk: &str) -> Option<Amount<Nanos>> {
    let before: Amount<Nanos> = window.baseline().median(SignalSpec::disk_await(disk))?;
    window.disk_await(disk).filter(|now| *now <= before * AS_FAST.get()).map(|_| before)
}

/// Whether a group, or the host where none was recorded, comes to wait for IO most of the time.
fn comes_to_wait(window: &Window<'_>) -> bool {
    let groups: Vec<Option<&str>> = group::leaves(window.recording).into_iter().map(Some).collect();
    let all = if groups.is_empty() { vec![None] } else { groups };
    all.into_iter().any(|group| {
        let spec = SignalSpec::of_group(group, &derived::PSI_IO_SOME);
        let signal = window.episodes.signal(window.recording, spec);
        let now: Option<Amount<Ratio>> = signal.and_then(|signal| signal.mean(window.span));
        let before: Amount<Ratio> = window.baseline().mean(spec).unwrap_or(Amount::ZERO);
        now.is_some_and(|now| now >= WAITS && now - before >= MORE.value())
    })
}

fn advice() -> Vec<Advice> {
    vec![advise(
        "Make the data fit in the page cache. Send more requests at a time only if the device's limit is known and higher.",
        None,
        "The rate grows with the requests in flight up to the device's limit. Near it, each request takes longer.",
        None,
    )]
}
