//! Block devices: what a machine asks of them, and a plain one.

use pagetide_core::{Bytes, BytesPerSecond, Nanos};
use std::collections::VecDeque;
use std::fmt::Debug;

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IoKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Flushes the device's cache.
    Flush,
}

/// The number of a request, unique within a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// A request as the block layer sends it, merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoRequest {
    /// Its number.
    pub id: RequestId,
    /// What it does.
    pub kind: IoKind,
    /// Where on the device, in bytes.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
    /// A task waits for it (`REQ_SYNC`): reads, fsync, direct writes.
    pub sync: bool,
}

/// The timing of a device. The machine merges and counts requests and keeps at most [`QueueSpec::depth`] of them in the device.
pub trait Device: Debug {
    /// Takes a request. Times never fall from call to call.
    fn submit(&mut self, now: Nanos, request: IoRequest);
    /// When something happens in it next; none when it is idle.
    fn next_event(&self) -> Option<Nanos>;
    /// Goes on to `now` and appends the requests that have ended.
    fn advance(&mut self, now: Nanos, ended: &mut Vec<RequestId>);
}

/// What the block layer knows of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueSpec {
    /// Its name, such as `vda`.
    pub name: String,
    /// Its size.
    pub size: Bytes,
    /// How far it is read ahead (`read_ahead_kb`, 128 KiB unless set).
    pub read_ahead: Bytes,
    /// The largest request (`max_sectors_kb`, 1280 KiB unless the device says less).
    pub max_request: Bytes,
    /// What its driver says is best at once (`optimal_io_size`; `io_pages` of its readahead is the larger of both).
    pub optimal_request: Bytes,
    /// Requests in the device at once (`nr_requests`, or the driver's tags when they are fewer).
    pub depth: u32,
    /// Seeks cost time (`rotational`): swap is read ahead by position then.
    pub rotational: bool,
}

impl QueueSpec {
    /// A virtio disk as Linux sets it up.
    pub fn new(name: impl Into<String>, size: Bytes) -> Self {
        Self {
            name: name.into(),
            size,
            read_ahead: Bytes::new(128 << 10),
            max_request: Bytes::new(1280 << 10),
            optimal_request: Bytes::ZERO,
            depth: 256,
            rotational: false,
        }
    }
}

/// A device with a latency, and limits of requests and bytes per second. Each request takes the latency at least; requests beyond
/// a limit wait their turn, as with QEMU's `throttling.iops-total` and `bps-total` without bursts.
#[derive(Debug, Clone)]
pub struct PlainDevice {
    latency: u64,
    request_gap: u64,
    bytes_per_second: u64,
    /// When the limits allow the next request.
    free_at: u64,
    in_flight: VecDeque<(u64, RequestId)>,
}

impl PlainDevice {
    /// A device with these limits; none where absent.
    pub fn new(latency: Nanos, iops: Option<u64>, bandwidth: Option<BytesPerSecond>) -> Self {
        Self {
            latency: latency.get(),
            request_gap: iops.map_or(0, |iops| 1_000_000_000 / iops.max(1)),
            bytes_per_second: bandwidth.map_or(0, BytesPerSecond::get),
            free_at: 0,
            in_flight: VecDeque::new(),
        }
    }
}

impl Device for PlainDevice {
    fn submit(&mut self, now: Nanos, request: IoRequest) {
        let start = self.free_at.max(now.get());
        let transfer = if self.bytes_per_second == 0 {
            0
        } else {
            (u128::from(request.length) * 1_000_000_000 / u128::from(self.bytes_per_second)) as u64
        };
        if request.kind != IoKind::Flush {
            self.free_at = start + self.request_gap.max(transfer);
        }
        let end = start + self.latency;
        // A flush waits for what was sent before.
        let end =
            if request.kind == IoKind::Flush { end.max(self.in_flight.back().map_or(0, |last| last.0)) } else { end };
        let end = end.max(self.in_flight.back().map_or(0, |last| last.0));
        self.in_flight.push_back((end, request.id));
    }

    fn next_event(&self) -> Option<Nanos> {
        self.in_flight.front().map(|(end, _)| Nanos::new(*end))
    }

    fn advance(&mut self, now: Nanos, ended: &mut Vec<RequestId>) {
        while self.in_flight.front().is_some_and(|(end, _)| *end <= now.get()) {
            ended.extend(self.in_flight.pop_front().map(|(_, id)| id));
        }
    }
}
