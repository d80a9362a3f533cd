//! Thresholds that several rules and effects share.

use crate::measure::amount::{Count, Limit, Per};
use pagetide_core::{Nanos, Ratio};

/// Bytes moved a minute, as a share of memory.
pub(crate) const TURNOVER: Limit<Ratio> = Limit::new(
    "bytes moved per minute, as a share of memory",
    0.01,
    "Less traffic changes the cache only over hours.",
    "judgement",
);
/// Major faults per second.
pub(crate) const FAULTS: Limit<Per<Count>> = Limit::new(
    "major faults",
    10.0,
    "Each one waits 0.1 to 10 ms for a device, so ten a second cost a program up to a tenth of its time.",
    "latency of SSDs and disks",
);
/// Growth of a kind of memory, as a share of all.
pub(crate) const GROWTH: Limit<Ratio> =
    Limit::new("growth, as a share of memory", 0.05, "Every host varies by less.", "judgement");
/// Pages that refault per second, of a live recording.
pub(crate) const REFAULT_RATE: Limit<Per<Count>> = Limit::new(
    "refaults, of a live recording",
    100.0,
    "100 pages are 400 KiB/s, which any device serves.",
    "judgement",
);
/// Direct reclaims per second.
pub(crate) const STALL_RATE: Limit<Per<Count>> =
    Limit::new("direct reclaims", 1.0, "Every host with full memory has an occasional direct reclaim.", "judgement");
/// Share of time for which a device has a request.
pub(crate) const SATURATED: Limit<Ratio> = Limit::new(
    "share of time with a request in flight",
    0.9,
    "A device that idles more than a tenth of the time has capacity left.",
    "judgement",
);
/// Requests in flight while a device is busy, of which each waits behind another.
pub(crate) const BEHIND: Limit<Count> = Limit::new(
    "requests in flight while the device is busy, from start to end",
    1.5,
    "Of two programs that each wait for one request, one waits behind the other.",
    "Little's law",
);
/// CPUs that are full.
pub(crate) const IDLE: Limit<Ratio> = Limit::new(
    "share of CPU time idle or in iowait, at most",
    0.1,
    "With more idle time, a task finds a CPU at once.",
    "judgement",
);
/// Share of time for which tasks wait for memory on a host at rest.
pub(crate) const PRESSURE: Limit<Ratio> = Limit::new(
    "share of time that tasks wait for memory, at most",
    0.01,
    "A calm host with a full cache stays below this.",
    "control recordings of docs/SCORE.md",
);
/// Time per request that is slow whatever it was before.
pub(crate) const MECHANICAL: Limit<Nanos> = Limit::new(
    "time per request, where there is no baseline",
    50e6,
    "A full-stroke seek plus one rotation at 5400 rpm takes at most 30 ms.",
    "physics of disks",
);
