//! What a disk writes back for whom, and who waits behind it.

use crate::actors::process::ProcessShare;
use crate::actors::victim::{self, Victim};
use crate::ledger::disk_load;
use crate::ledger::slowed::{self, Slowed};
use crate::ledger::stalls;
use crate::measure::amount::{Amount, Count, Limit, Per, Rate};
use crate::measure::episodes::SignalSpec;
use crate::measure::freerun;
use crate::measure::window::Window;
use pagetide_core::{Bytes, Nanos, Ratio, Span, derived};

pub(crate) const WRITES: Limit<Ratio> = Limit::new(
    "share of the device's bytes that are writes",
    0.66,
    "With less, reads fill the queue as well.",
    "judgement",
);
/// Reads per byte written of a disk that nobody reads from, at most.
const UNREAD: f64 = 0.01;
pub(crate) const COPIES: Limit<Ratio> = Limit::new(
    "share of the device's bytes that are writes, where one program writes most of them",
    0.4,
    "A program that copies within a device, vacuums or sorts writes as much as it reads.",
    "judgement",
);
pub(crate) const FLUSHED: Limit<Ratio> = Limit::new(
    "bytes written back per byte that the device writes",
    0.3,
    "With less, the writes are direct or synchronous.",
    "judgement",
);
pub(crate) const SLOWER: Limit<Count> = Limit::new(
    "time of a read, relative to its baseline",
    3.0,
    "A different mix of requests changes it by less.",
    "judgement",
);
pub(crate) const MIN_READ_AWAIT: Limit<Nanos> =
    Limit::new("time of a read", 1e6, "Nobody notices a shorter wait.", "latency of SSDs");
pub(crate) const PART: Limit<Ratio> = Limit::new(
    "bytes of the largest writer per byte that the device writes, to name it",
    0.1,
    "With less, other programs write most of it.",
    "judgement",
);
pub(crate) const SLOW: Limit<Nanos> = Limit::new(
    "time of a read, where there is no baseline",
    10e6,
    "A disk needs 10 ms for a seek and a rotation.",
    "physics of disks",
);

/// How a disk writes back over a stretch.
pub(crate) struct Writeback<'a> {
    pub(crate) disk: &'a str,
    pub(crate) span: Span,
    pub(crate) busy: Amount<Ratio>,
    pub(crate) written: Rate<Bytes>,
    read: Rate<Bytes>,
    pub(crate) flushed: Rate<Bytes>,
    /// Whether the disk has all it can do.
    saturated: bool,
    /// The time of a read, now and before.
    pub(crate) time: Option<Amount<Nanos>>,
    pub(crate) baseline: Option<Amount<Nanos>>,
    /// The process that writes most.
    pub(crate) writer: Option<ProcessShare<'a, Per<Bytes>>>,
    pub(crate) victims: Vec<Victim<'a>>,
    /// The group that waits longer for the disk.
    pub(crate) slowed: Option<Slowed<'a>>,
    /// Direct reclaims for which tasks wait.
    pub(crate) stalls: Option<Rate<Count>>,
}

impl<'a> Writeback<'a> {
    /// That of the disk which writes most; absent where much of its load is none.
    pub(crate) fn of(window: &Window<'a>) -> Option<Self> {
        let (disk, _) = window.busiest(|disk| window.disk_bytes(disk, &derived::WRITE_BANDWIDTH))?;
        // Most stretches need no look at the whole recording.
        if !window.host(&derived::WRITTEN_BACK)?.is_positive() {
            return None;
        }
        let span = window.when(SignalSpec::disk(disk, &derived::WRITE_BANDWIDTH));
        let during = window.over(span);
        // What reclaim swaps out is written back too, and no program wrote it.
        let swapped = disk_load::swapped_out(&during, disk);
        let written = (during.disk_bytes(disk, &derived::WRITE_BANDWIDTH)? - swapped).max(Amount::ZERO);
        let read = during.disk_bytes(disk, &derived::READ_BANDWIDTH)?;
        let flushed = (window.bytes_per_second(during.host(&derived::WRITTEN_BACK)?) - swapped).max(Amount::ZERO);
        if !written.is_positive() || written < (written + read) * COPIES || flushed < written * FLUSHED {
            return None;
        }
        let writer = disk_load::writer(&during, disk);
        let writer = writer.filter(|writer| writer.amount >= written * PART);
        let history = window.baseline().until(span.from);
        Some(Self {
            disk,
            span,
            busy: during.busy(disk)?,
            written,
            read,
            flushed,
            saturated: disk_load::saturated(&during, disk),
            time: during.read_await(disk),
            baseline: history.and_then(|quiet| quiet.read_await(disk)),
            writer,
            victims: victim::all(&during, writer.map(|writer| writer.name)),
            slowed: writer.and_then(|writer| slowed::of(&during, disk, writer.comm)),
            stalls: stalls::direct(&during),
        })
    }

    /// Whether a read takes far longer than before.
    pub(crate) fn slow(&self) -> bool {
        self.time.is_some_and(|time| {
            self.baseline.map_or(time >= SLOW, |baseline| time >= baseline * SLOWER && time >= MIN_READ_AWAIT)
        })
    }

    /// Whether writeback keeps the disk so busy that others wait behind it.
    pub(crate) fn saturates(&self) -> bool {
        let waits = self.slow() || self.slowed.is_some();
        self.saturated && self.written >= (self.written + self.read) * WRITES && waits
    }

    /// Whether nobody can wait for the disk but who writes to it and sleeps at the dirty thresholds: nobody reads from it or synced to it before, and no
    /// other group waits longer.
    pub(crate) fn only_throttles(&self, window: &Window<'_>) -> bool {
        let unread = self.read < self.written * UNREAD && self.slowed.is_none();
        unread && !slowed::is_synced(window, self.disk) && freerun::is_reached(window)
    }
}
