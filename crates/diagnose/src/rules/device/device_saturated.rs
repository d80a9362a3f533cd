//! `device-saturated`: a device has more requests than it completes, as a cause or as a victim.

use crate::actors::newcomer;
use crate::actors::process::ProcessShare;
use crate::actors::stream;
use crate::evidence::advice;
use crate::evidence::threshold::SATURATED;
use crate::evidence::{EvidenceBuilder, advise, word};
use crate::ledger::disk_load::{self, DiskLoad, OWNS};
use crate::measure::amount::{Amount, Count, Limit, Per, Rate, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::queue::{self, DEPTH, EVEN};
use crate::measure::window::{REFAULTED, Window};
use crate::rules::contract::{EffectKind, Role, Rule, subsumes};
use pagetide_core::derived;
use pagetide_core::{Actor, Bytes, Finding, Nanos, Ratio, Relation, RuleDoc, RuleId, Table};

pub(crate) const RULE: Rule = Rule {
    name: "a saturated device",
    role: Role::Effect,
    effect: Some(EffectKind::DiskBusy),
    reports: Some(EffectKind::DiskBusy),
    subsumes: &[subsumes(EffectKind::DiskBusy, &[RuleId::LatencyBound])],
    scenarios: &["ssd-stream-starves-raid"],
    deciding_test: "The device's rate at a longer queue: if it grows, the device was below its limit.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::DeviceSaturated,
            title: "A device is busy all the time and requests queue",
            meaning: "The device always has work and more requests are waiting, so each takes longer than the device needs for it. The device is \
                a victim when it only reads back what something else evicted.",
            evidence: "The device is busy (rate of io_ms, or util) with a queue (rate of weighted_io_ms, or queue_depth), or completes no more \
                requests however many there are at once, or has requests \
                that have become larger and take longer. It is a victim if \
                another device's stream evicts pages at the same time, or if much of what it reads refaults.",
            metrics: &[
                "io_ms",
                "util",
                "weighted_io_ms",
                "queue_depth",
                "read_sectors",
                "write_sectors",
                "workingset_refault_file",
                "read_bytes",
                "write_bytes",
            ],
            thresholds: &[
                SATURATED.doc(),
                DEPTH.doc(),
                DEEP.doc(),
                EVEN.doc(),
                VICTIM.doc(),
                MIN_SHARE_OF_READS.doc(),
                OWNS.doc(),
                SLOWER.doc(),
                PACED.doc(),
                LARGER.doc(),
                COPIES.doc(),
                ON_TOP.doc(),
            ],
            why: "Requests arrive faster than the device completes them. Latency is then the queue divided by the rate (Little's law).",
            alternatives: "A device that serves requests in parallel (SSD, RAID) is busy all the time long before its limit: check whether its \
                rate grows with the queue. A program that has just started and waits only for its own requests is not an incident, as long as no \
                group that ran before waits. A cloud volume at its limit looks like a slow device.",
            advice: "For a victim, stop what evicts its pages. For a cause, send fewer or larger requests, or use a faster device.",
            mglru: "The device decides. Refaults, which identify a victim, are counted since Linux 6.5 for the group that lost the page.",
            kernel: "Linux 6.12: block/blk-core.c: update_io_ticks; block/genhd.c: diskstats_show.",
        },
        examine,
    )
};

const DEEP: Limit<Count> = Limit::new(
    "requests in flight that make a queue even if the device is not always busy",
    8.0,
    "Each request waits for seven others; flushes and barriers leave pauses in which the device has none.",
    "Little's law, and judgement",
);
const VICTIM: Limit<Ratio> = Limit::new(
    "refaulted bytes per byte read of a victim",
    0.5,
    "With less, most reads are new and not caused by eviction.",
    "judgement",
);

const SLOWER: Limit<Count> = Limit::new(
    "time per request relative to its baseline, of a device with a short queue and a constant rate of requests",
    3.0,
    "Below its limit, a device takes no longer than its baseline.",
    "block/blk-throttle.c: tg_dispatch_iops_time (6.12), and judgement",
);

const LARGER: Limit<Count> = Limit::new(
    "size of a request, relative to its baseline, of a device that larger requests keep busy",
    4.0,
    "A different mix of requests changes it by less.",
    "judgement",
);
const MIN_SHARE_OF_READS: Limit<Ratio> = Limit::new(
    "bytes read per byte that a victim of eviction reads or writes, at least",
    0.5,
    "With less, the disk mostly writes, which no eviction makes it do.",
    "judgement",
);
const COPIES: Limit<Count> = Limit::new(
    "bytes that a device transfers per byte that a device on it is asked for, at least, where a layer between them copies",
    4.0,
    "Parity and a journal write each byte two or three times.",
    "drivers/md/dm-thin.c: schedule_copy (6.12), and judgement",
);
const ON_TOP: Limit<Ratio> = Limit::new(
    "share of time that the device on it is busy then",
    0.5,
    "With less, nobody waits long for the copies.",
    "judgement",
);
const PACED: Limit<Ratio> = Limit::new(
    "share of time that such a device is busy",
    0.5,
    "The device rests while its only program processes what it read.",
    "judgement",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    let found = window.disks().into_iter().filter_map(|disk| of_disk(window, disk));
    found.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()))
}

fn of_disk(window: &Window<'_>, disk: &str) -> Option<Finding> {
    let saturated = |window: &Window<'_>| {
        let (busy, queue) = (window.busy(disk)?, window.queue(disk)?);
        (busy >= SATURATED && queue >= DEPTH).then_some((busy, queue))
    };
    // A device is judged while it has a queue, and not by the mean over a stretch with pauses.
    let held = || {
        let span = queue::longest_backlog(window, disk)?;
        let during = window.over(span);
        // One that completes as many requests, or bytes, whatever its queue is at its limit, even if it rests between them.
        let limited = || queue::iops_ceiling(&during, disk).is_some() || queue::at_bandwidth_limit(&during, disk);
        let deep = || Some((during.busy(disk)?, during.queue(disk)?)).filter(|(_, queue)| *queue >= DEEP || limited());
        saturated(&during).or_else(deep).map(|found| (found, span))
    };
    let whole = saturated(window).map(|found| (found, window.when(SignalSpec::disk(disk, &derived::BUSY))));
    // A limit of requests lets those of one program pass one by one: each takes as long as the limit asks, and far longer than below it.
    let throttled = || {
        // The stretch first: what was before it may be a day.
        let now = (window.busy(disk).filter(|busy| *busy >= PACED)?, window.queue(disk)?);
        let usual = window.baseline().median::<Nanos>(SignalSpec::disk_await(disk));
        let before = window.baseline().median::<Per<Count>>(SignalSpec::disk(disk, &derived::TPS))?;
        let (rate, spread) =
            window.episodes.signal(window.recording, SignalSpec::disk(disk, &derived::TPS))?.middle(window.span)?;
        let time = window.disk_await(disk)?;
        // Of a disk that was idle nobody knows how long a request takes below its limit: there have to be several at once.
        let longer = usual.map_or(now.1 >= DEPTH, |usual| time >= usual * SLOWER.get());
        (longer && rate >= before && spread <= rate * EVEN).then_some((now, window.span))
    };
    // Larger requests take longer on a disk of limited bandwidth, and each waits for it, however few there are.
    let larger = || {
        let now = (window.busy(disk)?, window.queue(disk)?);
        if now.0 < SATURATED && copied_for(window, disk).is_none() {
            return None;
        }
        let usual = window.baseline().median::<Nanos>(SignalSpec::disk_await(disk))?;
        (larger_requests(window, disk).is_some() && window.disk_await(disk)? >= usual * SLOWER.get())
            .then_some((now, window.span))
    };
    let ((busy, queue), span) = whole.or_else(held).or_else(throttled).or_else(larger)?;
    let mut found = EvidenceBuilder::new(window);
    // It was busy before requests began to wait for each other.
    found.span(window.onset(span).at_episode_of(SignalSpec::disk(disk, &derived::BUSY)));
    found.origin(Actor::disk(disk));
    let of = |what: &str| format!("{what} of {disk}");
    found.add(1.0 + grade(busy, 0.9, 0.98), "share of time busy", of("rate of io_ms, or util"), busy);
    let source = of("rate of weighted_io_ms, or queue_depth");
    found.compare(1.5 * grade(queue, 1.5, 6.0), "requests in flight", source, queue, Relation::Above, Amount::new(1.0));
    if let Some(baseline) = window.baseline().quiet().and_then(|quiet| quiet.busy(disk)) {
        let weight = grade(baseline / busy, 0.9, 0.4);
        found.compare(weight, "share of time busy before", of("busy"), baseline, Relation::Below, busy);
    }
    let stream = stream::of(window).filter(|stream| stream.disk != disk);
    let read = window.disk_bytes(disk, &derived::READ_BANDWIDTH);
    let refaulted = window.host_bytes(&REFAULTED);
    // Of a disk that mostly writes, the writes are the load, whatever its few reads bring back.
    let reads = read.filter(|read| window.moved(disk).is_some_and(|all| *read >= all * MIN_SHARE_OF_READS));
    let user = user(&window.over(span), disk);
    // What a program reads that has just started nobody evicted from under it.
    let reads = reads.filter(|_| user.is_none_or(|user| !user.new));
    let victim = stream.is_some() || reads.zip(refaulted).is_some_and(|(read, refaulted)| refaulted >= read * VICTIM);
    let swaps = window.swap_disks().contains(&disk) && disk_load::swapped(window, disk).is_positive();
    let part = match (stream, reads, refaulted) {
        (Some(stream), ..) => {
            let what = format!("bytes read from {} meanwhile", stream.disk);
            found.compare(0.0, what, "read_sectors", stream.rate, Relation::Above, read);
            format!("It is a victim of the stream from {}.", stream.disk)
        }
        (None, Some(read), Some(refaulted)) if refaulted >= read * VICTIM => {
            found.compare(0.0, "refaulted bytes", "workingset_refault_file", refaulted, Relation::Near, read);
            "It is a victim of eviction: it mostly reads back pages that were cached before.".to_owned()
        }
        _ if swaps => "What fills it are pages that memory has no room for.".to_owned(),
        _ => "The recording shows no eviction that would make it a victim.".to_owned(),
    };
    let who = user.filter(|_| !victim).map_or(String::new(), |user| {
        let what = format!("bytes that {} reads and writes", user.process.words());
        found.compare(0.0, what, "read_bytes + write_bytes", user.process.amount, Relation::Above, user.before);
        found.origin(user.process.actor(window));
        let before = user.before.map_or(String::new(), |before| format!(" ({before} before)"));
        format!(
            " {} reads and writes {}{before}, most of the traffic of {disk}.",
            user.process.words(),
            user.process.amount
        )
    });
    let during = window.over(span);
    let ceiling = queue::iops_ceiling(&during, disk);
    if let Some(rate) = ceiling {
        found.add(0.5, "requests per second at any queue length", of("reads + writes"), rate);
    }
    let requests = || during.derived::<Per<Count>>(Table::Disk, disk, &derived::TPS);
    let by_bandwidth = ceiling.is_none() && queue::at_bandwidth_limit(&during, disk);
    // An even rate of large requests is a limit of bandwidth too.
    let larger_do_not_help =
        by_bandwidth || ceiling.is_some_and(|rate| queue::large_requests(&during, disk, rate).is_some());
    let even = ceiling.or_else(|| by_bandwidth.then(requests).flatten());
    let limit = even.map_or(String::new(), |rate| queue::ceiling_words(&during, disk, rate));
    let grown = if ceiling.is_none() { larger_requests(window, disk) } else { None };
    let larger = grown.map_or(String::new(), |(size, before)| {
        found.compare(0.5, "bytes per request", of("sectors per request"), size, Relation::Above, before);
        format!(" Its requests have become larger: {size} each ({before} before).")
    });
    let copies = copied_for(window, disk).map_or(String::new(), |above| {
        format!(
            " No program sends most of that: a layer between {above}, which lies on {disk}, and {disk} copies blocks."
        )
    });
    let statement = format!(
        "{disk} is saturated: busy {busy} of the time with {:.1} requests in flight.{limit}{larger}{copies}{who} {part}",
        queue.get()
    );
    // What a service that ran before needs is not limited: a program that came is.
    let new = user.filter(|user| user.new);
    let advice = match new {
        _ if victim => advise(
            "Stop what evicts the pages that it reads.",
            None,
            "Its reads come from memory again. A faster device treats the symptom and leaves the cause.",
            None,
        ),
        Some(user) => advice::less_io(
            window.recording,
            &format!(
                "Limit the IO of {} on {disk}, or run it when no other program needs the device.",
                user.process.comm
            ),
            disk_load::limitable(&during, disk, user.process.comm),
            Some(disk_load::job(&during, disk, &user.process)),
        ),
        None if swaps => advise(
            "Run less at the same time, or add memory.",
            Some("vmstat 1 5"),
            "The command only reads. A faster swap device makes each wait shorter, and memory ends them.",
            None,
        ),
        None if (grown.is_some() || larger_do_not_help) && writes(&during, disk) => advise(
            &format!("Limit the rate of what writes to {disk}, or raise the bandwidth limit of the device."),
            Some("iostat -x 1 5; pidstat -d 1 5"),
            "The commands only read. Where bandwidth is the limit, all requests wait less when fewer bytes are written.",
            None,
        ),
        None if grown.is_some() || larger_do_not_help => advise(
            &format!(
                "Read less from {disk} with each request (readahead, block size, mapped files), or raise the bandwidth limit of the device."
            ),
            Some(&format!("cat {}", word(&format!("/sys/block/{disk}/queue/read_ahead_kb")))),
            "The command only reads. Smaller requests take less time each where bandwidth is the limit.",
            None,
        ),
        None => advise(
            &format!("Send {disk} fewer or larger requests, or use a device with a higher limit."),
            Some("iostat -x 1 5; pidstat -d 1 5"),
            "The commands only read. The IOPS limit of a cloud volume can be raised.",
            None,
        ),
    };
    found.finish(RuleId::DeviceSaturated, statement, vec![advice])
}

/// The disk that lies on a disk and is busy while it is asked for a small part of what the disk below transfers, and no program sends the rest: a
/// layer between them copies, as a thin volume does before the first write to a block after a snapshot.
fn copied_for<'a>(window: &Window<'a>, disk: &str) -> Option<&'a str> {
    let waits = |layer: &str| {
        let asked =
            window.moved(layer).zip(window.moved(disk)).is_some_and(|(asked, sent)| asked * COPIES.get() <= sent);
        asked && window.busy(layer).is_some_and(|busy| busy >= ON_TOP)
    };
    let above = window.above(disk).into_iter().find(|layer| waits(layer))?;
    // Beside a volume on the same disk that a program fills, others only wait.
    let load = DiskLoad::of(window, disk)?;
    (load.remainder >= load.moved * OWNS).then_some(above)
}

/// Whether a disk writes more bytes than it reads.
fn writes(during: &Window<'_>, disk: &str) -> bool {
    let read = during.disk_bytes(disk, &derived::READ_BANDWIDTH).unwrap_or(Amount::ZERO);
    during.disk_bytes(disk, &derived::WRITE_BANDWIDTH).is_some_and(|written| written > read)
}

/// The command that moves most of what a disk transfers.
#[derive(Debug, Clone, Copy)]
struct User<'a> {
    process: ProcessShare<'a, Per<Bytes>>,
    before: Option<Rate<Bytes>>,
    /// Whether no process of the command ran before.
    new: bool,
}

/// The size of a request to a disk now, and what it was before; absent where it has not become much larger.
fn larger_requests(window: &Window<'_>, disk: &str) -> Option<(Amount<Bytes>, Amount<Bytes>)> {
    let size = |window: &Window<'_>| {
        let requests = window.derived::<Per<Count>>(Table::Disk, disk, &derived::TPS)?;
        Some(Amount::new(window.moved(disk)?.get() / requests.get())).filter(|_| requests.is_positive())
    };
    let (now, before) = (size(window)?, size(&window.baseline().all()?)?);
    (now >= before * LARGER.get()).then_some((now, before))
}

fn user<'a>(during: &Window<'a>, disk: &str) -> Option<User<'a>> {
    let process = disk_load::owner(during, disk)?;
    let before = during.baseline().all().map(|before| disk_load::part(&before, disk, process.comm));
    Some(User { process, before, new: newcomer::started(during, process.comm) })
}
