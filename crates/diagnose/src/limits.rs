//! Thresholds that several rules and effects share.

use crate::amount::{Count, Limit, Per};
use pagetide_core::{Nanos, Ratio};

/// Bytes moved a minute, as a share of memory.
pub(crate) const TURNOVER: Limit<Ratio> = Limit::new(
    "bytes moved a minute, as a share of memory",
    0.01,
    "Less than that changes what is cached only over hours.",
    "judgement",
);
/// Major faults per second.
pub(crate) const FAULTS: Limit<Per<Count>> = Limit::new(
    "major faults",
    10.0,
    "Each waits 0.1 to 10 ms for a device, so ten a second cost a program up to a tenth of its time.",
    "latency of SSDs and disks",
);
/// Growth of a kind of memory, as a share of all.
pub(crate) const GROWTH: Limit<Ratio> =
    Limit::new("growth, as a share of memory", 0.05, "Smaller changes are usual on every host.", "judgement");
/// Direct reclaims per second.
pub(crate) const STALL_RATE: Limit<Per<Count>> =
    Limit::new("direct reclaims", 1.0, "Single direct reclaims occur on every host whose memory is full.", "judgement");
/// Share of time for which a device has a request.
pub(crate) const SATURATED: Limit<Ratio> = Limit::new(
    "share of time with a request in flight",
    0.9,
    "A device that rests more than a tenth of the time has room.",
    "judgement",
);
/// Share of time for which tasks wait for memory on a host at rest.
pub(crate) const PRESSURE: Limit<Ratio> = Limit::new(
    "share of time for which tasks wait for memory, at most",
    0.01,
    "A host at rest with a full cache stays below it.",
    "control recordings of docs/SCORE.md",
);
/// Time per request that is slow whatever it was before.
pub(crate) const MECHANICAL: Limit<Nanos> = Limit::new(
    "time per request, where no time before is known",
    50e6,
    "A seek over the whole disk and a turn at 5400 rpm take 30 ms at most.",
    "physics of disks",
);
