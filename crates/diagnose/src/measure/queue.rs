//! A queue that lasts at a device, and whether the device is at its limit of requests.

use crate::measure::amount::{Amount, Count, Limit, Per, Rate};
use crate::measure::episodes::SignalSpec;
use crate::measure::signal::Signal;
use crate::measure::window::{Window, intervals, joined};
use pagetide_core::derived;
use pagetide_core::{Bytes, Nanos, Ratio, Recording, Span, Table};

/// Requests in flight at which they begin to wait for each other.
pub(crate) const DEPTH: Limit<Count> =
    Limit::new("requests in flight", 2.0, "With fewer, no request waits for another.", "Little's law");
/// What a service had in flight that sends one request at a time since.
pub(crate) const SEVERAL: Limit<Count> = Limit::new(
    "requests in flight while the disk was busy, at least, of a service that sends one at a time since",
    1.5,
    "With fewer it sent one at a time before, and is asked for less now.",
    "Little's law",
);
/// How evenly a device at its limit completes requests.
pub(crate) const EVEN: Limit<Ratio> = Limit::new(
    "median deviation of requests per second while the queue lasts, as a share of their median, at most",
    0.1,
    "Load varies by more; a limit of a cloud volume or of a disk's seeks does not.",
    "judgement",
);
/// How busy a device with a full queue is.
pub(crate) const MIN_BUSY_OF_FULL: Limit<Ratio> = Limit::new(
    "share of time that a device with a full queue is busy, at least",
    0.5,
    "Flushes and barriers leave pauses in which a device has no request; between short bursts of writeback it rests for longer.",
    "judgement",
);
/// Requests in flight of a device at its limit.
pub(crate) const FULL: Limit<Count> = Limit::new(
    "requests in flight at a device that has reached its limit",
    4.0,
    "With fewer, the load sets the rate.",
    "Little's law",
);
/// Intervals between two bursts.
const PAUSE: u64 = 3;
/// Intervals for which a queue in a longer stretch lasts, …
const INTERVALS: u64 = 5;
/// … or this time in at least two intervals, where they are of some seconds.
const TIME: Nanos = Nanos::new(5_000_000_000);

/// How long a queue in a longer stretch lasts, at least. The mean of a long interval does not tell a queue that lasts from a short deep one.
pub(crate) fn least(recording: &Recording) -> Nanos {
    let all = intervals(recording, INTERVALS);
    let some = TIME.max(intervals(recording, 2));
    if recording.manifest.interval > TIME { all } else { all.min(some) }
}

/// The longest time in a window in which requests wait for each other at a disk: without a pause, or in bursts that leave a queue on average. Those
/// who wait for a burst send nothing meanwhile, and so the next one is some intervals away.
pub(crate) fn longest_backlog(window: &Window<'_>, disk: &str) -> Option<Span> {
    let held = window.all_held(SignalSpec::disk(disk, &derived::QUEUE_DEPTH), DEPTH.value());
    let least = least(window.recording);
    let mut bursts = joined(held.clone(), intervals(window.recording, PAUSE));
    bursts.retain(|span| {
        span.length() >= Nanos::new(least.get().saturating_mul(2))
            && window.over(*span).queue(disk).is_some_and(|queue| queue >= DEPTH)
    });
    let longest = held.into_iter().filter(|span| span.length() >= least).max_by_key(|span| span.length());
    longest.or_else(|| bursts.into_iter().max_by_key(|span| span.length()))
}

/// Request size above which a device reaches its bandwidth limit before its IOPS limit.
const LARGE: Limit<Bytes> = Limit::new(
    "request size above which an even rate is a bandwidth limit",
    131_072.0,
    "Cloud volumes and disks move hundreds of megabytes a second in such requests before they reach an IOPS limit.",
    "judgement",
);

/// What the limit of a device looks like, as a sentence: large requests at an even rate are no limit of requests.
pub(crate) fn ceiling_words(window: &Window<'_>, disk: &str, rate: Rate<Count>) -> String {
    match large_requests(window, disk, rate) {
        Some((size, bytes)) => format!(
            " It completes {bytes} in requests of {size} however long its queue is: this looks like a bandwidth limit, not an IOPS limit."
        ),
        None => format!(" It completes {rate} however long its queue is: this looks like an IOPS limit."),
    }
}

/// The size of the requests that a device completes at this rate, and what it transfers, where they are so large that their rate is a limit of bandwidth.
pub(crate) fn large_requests(
    window: &Window<'_>,
    disk: &str,
    rate: Rate<Count>,
) -> Option<(Amount<Bytes>, Rate<Bytes>)> {
    let bytes = window.moved(disk)?;
    let size = Amount::<Bytes>::new(bytes.get() / rate.get().max(1.0));
    (size >= LARGE).then_some((size, bytes))
}

/// The requests per second at which a disk with a full queue stays, whatever the queue: its limit.
pub(crate) fn iops_ceiling(window: &Window<'_>, disk: &str) -> Option<Rate<Count>> {
    window.queue(disk).filter(|queue| *queue >= FULL)?;
    let (rate, spread) =
        Signal::derived(window.recording, Table::Disk, disk, &derived::TPS)?.middle::<Per<Count>>(window.span)?;
    (spread <= rate * EVEN && rate.get() >= 1.0).then_some(Amount::new(rate.get().round()))
}

/// Whether a disk with a queue of large requests transfers as many bytes a second whatever the queue: its limit of bandwidth.
pub(crate) fn at_bandwidth_limit(window: &Window<'_>, disk: &str) -> bool {
    let requests = window.derived::<Per<Count>>(Table::Disk, disk, &derived::TPS).filter(|rate| rate.is_positive());
    let large = window.moved(disk).zip(requests).is_some_and(|(bytes, rate)| bytes.get() / rate.get() >= LARGE.get());
    let even = || {
        let ways = [&derived::READ_BANDWIDTH, &derived::WRITE_BANDWIDTH];
        let most = ways.into_iter().max_by(|a, b| {
            let of = |way| window.disk_bytes(disk, way).unwrap_or(Amount::ZERO);
            of(a).total_cmp(&of(b))
        })?;
        let signal = Signal::derived(window.recording, Table::Disk, disk, most)?;
        let (rate, spread): (Rate<Bytes>, Rate<Bytes>) = signal.middle(window.span)?;
        Some(rate.is_positive() && spread <= rate * EVEN)
    };
    large && window.queue(disk).is_some_and(|queue| queue >= DEPTH) && even().unwrap_or(false)
}
