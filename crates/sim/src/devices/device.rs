//! Block devices: what a machine asks of them.

use pagetide_core::{Bytes, Nanos};
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
        }
    }
}
