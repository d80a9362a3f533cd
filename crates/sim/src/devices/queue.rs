//! Request queues of block devices: merging, depth and accounting (`block/blk-mq.c`, `block/blk-merge.c`).

use crate::PAGE_SIZE;
use crate::devices::device::{Device, IoKind, IoRequest, QueueSpec, RequestId};
use crate::devices::journal::Stage;
use crate::devices::wbt::{Urgency, WritebackThrottle};
use crate::page::PageId;
use pagetide_core::{Bytes, Nanos};
use std::collections::VecDeque;

/// What a request carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Payload {
    /// Pages with numbers in a row.
    Pages(PageId, u32),
    /// Pages, by their places in swap.
    Scattered(Vec<PageId>),
    /// A direct request of a task, by its tag.
    Direct { task: u32, tag: u64 },
    /// A flush that a task waits for.
    Flush { task: u32 },
    /// A part of a commit of the file system's journal.
    Journal(Stage),
}

/// A request that is being made, waits, or is in the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) kind: IoKind,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) sync: bool,
    /// Whether it reads or writes swap.
    pub(crate) swap: bool,
    /// Whether it is a write that is throttled apart from those of the flusher (`WBT_KSWAPD` of 6.1, `WBT_SWAP` of 6.12).
    pub(crate) apart: bool,
    /// The control group that it is for.
    pub(crate) group: usize,
    /// When it was made.
    pub(crate) since: u64,
    pub(crate) payload: Payload,
}

impl Request {
    /// Adds the bytes behind it, if they are in a row with it.
    fn merge(&mut self, next: &Self, largest: u64) -> bool {
        let fits = self.kind == next.kind
            && self.sync == next.sync
            && self.swap == next.swap
            && self.apart == next.apart
            && self.group == next.group
            && self.offset + self.length == next.offset
            && self.length + next.length <= largest;
        if !fits {
            return false;
        }
        match (&mut self.payload, &next.payload) {
            (Payload::Pages(first, count), Payload::Pages(other, more)) if *first + *count == *other => *count += more,
            (Payload::Scattered(pages), Payload::Scattered(more)) => pages.extend(more),
            _ => return false,
        }
        self.length += next.length;
        true
    }
}

/// Fields of `/proc/diskstats`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DiskCounters {
    pub(crate) requests: [u64; 3],
    pub(crate) merges: [u64; 2],
    pub(crate) sectors: [u64; 2],
    pub(crate) ns: [u64; 3],
    pub(crate) busy_ns: u64,
    /// Up to when the time before is counted.
    counted_to: u64,
}

/// A device and its queue.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) spec: QueueSpec,
    device: Box<dyn Device>,
    /// Requests that wait for a tag: they do not count as in flight yet.
    waiting: VecDeque<Request>,
    in_flight: Vec<(RequestId, Request)>,
    /// Requests that the device says have ended.
    ended: Vec<RequestId>,
    /// The flush in the device, since when, and for whom it is. Those that come meanwhile are the next (`block/blk-flush.c`).
    flushing: Option<(RequestId, u64, Vec<Request>)>,
    flushes: Vec<Request>,
    next_id: u64,
    pub(crate) counters: DiskCounters,
    /// Writes that nobody waits for, in the device or waiting: those of the flusher, and those apart from them (`rq_wait`).
    throttled: [u64; 2],
    throttle: WritebackThrottle,
}

impl Queue {
    pub(crate) fn new(spec: QueueSpec, device: Box<dyn Device>) -> Self {
        Self {
            throttle: WritebackThrottle::new(spec.depth),
            spec,
            device,
            waiting: VecDeque::new(),
            in_flight: Vec::new(),
            ended: Vec::new(),
            flushing: None,
            flushes: Vec::new(),
            next_id: 0,
            counters: DiskCounters::default(),
            throttled: [0; 2],
        }
    }

    /// Requests in it.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.len() + usize::from(self.flushing.is_some())
    }

    /// Adds a request.
    pub(crate) fn add(&mut self, now: u64, request: Request) {
        self.count_time(now);
        if request.kind == IoKind::Flush {
            self.flushes.push(request);
            self.flush(now);
            return;
        }
        match request.kind {
            IoKind::Read => self.throttle.saw_read(now),
            _ if request.sync => {}
            _ => self.throttled[usize::from(request.apart)] += 1,
        }
        self.waiting.push_back(request);
        self.dispatch(now);
    }

    /// Whether it takes one more request of writeback, when so many are made and not sent.
    pub(crate) fn has_room(&mut self, now: u64, urgency: Urgency, apart: bool, plugged: u64) -> bool {
        self.end_windows(now);
        self.throttled[usize::from(apart)] + plugged < self.throttle.limit(now, urgency)
    }

    /// Ends the windows of the throttle that are over.
    fn end_windows(&mut self, now: u64) {
        if self.throttle.is_due(now) {
            let reads = self.in_flight.iter().filter(|(_, request)| request.kind == IoKind::Read);
            let oldest = reads.map(|(_, request)| request.since).min();
            self.throttle.advance(now, self.throttled.iter().sum(), oldest);
        }
    }

    fn dispatch(&mut self, now: u64) {
        while self.in_flight.len() < self.spec.depth.max(1) as usize {
            let Some(mut request) = self.waiting.pop_front() else { return };
            // `rq->start_time_ns`
            request.since = request.since.max(now);
            let id = self.submit(now, &request);
            self.in_flight.push((id, request));
        }
    }

    /// Gives a request to the device.
    fn submit(&mut self, now: u64, request: &Request) -> RequestId {
        let id = RequestId(self.next_id);
        self.next_id += 1;
        let Request { kind, offset, length, sync, .. } = *request;
        self.device.submit(Nanos::new(now), IoRequest { id, kind, offset, length, sync });
        id
    }

    /// Begins a flush for all that want one, when none runs.
    fn flush(&mut self, now: u64) {
        if self.flushing.is_some() || self.flushes.is_empty() {
            return;
        }
        let requests = std::mem::take(&mut self.flushes);
        let id = self.submit(now, &requests[0]);
        self.flushing = Some((id, now, requests));
    }

    /// When something happens next.
    pub(crate) fn next_event(&self) -> Option<u64> {
        self.device.next_event().map(Nanos::get)
    }

    /// Goes on to `now` and adds the requests that ended.
    pub(crate) fn advance(&mut self, now: u64, ended: &mut Vec<Request>) {
        let mut ids = std::mem::take(&mut self.ended);
        self.device.advance(Nanos::new(now), &mut ids);
        self.count_time(now);
        for id in ids.drain(..) {
            if let Some((_, since, requests)) = self.flushing.take_if(|(flush, ..)| *flush == id) {
                self.counters.requests[IoKind::Flush as usize] += 1;
                self.counters.ns[IoKind::Flush as usize] += now.saturating_sub(since);
                requests.iter().for_each(|request| self.counters.count(now, request));
                ended.extend(requests);
                continue;
            }
            let Some(at) = self.in_flight.iter().position(|(sent, _)| *sent == id) else { continue };
            let (_, request) = self.in_flight.swap_remove(at);
            self.counters.count(now, &request);
            self.end_windows(now);
            self.throttle.count(request.kind, now.saturating_sub(request.since));
            match request.kind {
                IoKind::Read => self.throttle.saw_read(now),
                _ if request.sync => {}
                _ => self.throttled[usize::from(request.apart)] -= 1,
            }
            ended.push(request);
        }
        self.ended = ids;
        self.flush(now);
        self.dispatch(now);
    }

    /// The counters at a time, with the requests that are in flight.
    pub(crate) fn counters_at(&self, now: u64) -> DiskCounters {
        let mut counters = self.counters;
        counters.count_time(now, self.in_flight() > 0);
        counters
    }

    fn count_time(&mut self, now: u64) {
        let is_busy = self.in_flight() > 0;
        self.counters.count_time(now, is_busy);
    }
}

impl DiskCounters {
    /// Counts a request that has ended. A flush that a task asks for is a write of nothing; a commit's record is one write from the flush before
    /// it to the flush behind it (`block/blk-flush.c`: what is in a flush sequence is counted when the sequence ends).
    fn count(&mut self, now: u64, request: &Request) {
        if request.kind != IoKind::Flush {
            self.sectors[request.kind as usize] += request.length / 512;
        }
        let kind = match request.payload {
            Payload::Journal(Stage::FlushBefore | Stage::Record) => return,
            Payload::Journal(Stage::FlushBehind) | Payload::Flush { .. } => IoKind::Write,
            _ => request.kind,
        };
        self.requests[kind as usize] += 1;
        self.ns[kind as usize] += now.saturating_sub(request.since);
    }

    /// Counts the time until now.
    fn count_time(&mut self, now: u64, is_busy: bool) {
        if is_busy {
            self.busy_ns += now.saturating_sub(self.counted_to);
        }
        self.counted_to = now.max(self.counted_to);
    }
}

/// Requests that one operation makes before it sends them (`struct blk_plug`): those in a row are one.
#[derive(Debug, Default)]
pub(crate) struct Plug {
    requests: Vec<(usize, Request)>,
}

impl Plug {
    /// Adds a request to a device, or makes the last one longer. `merged` counts the latter.
    pub(crate) fn add(&mut self, device: usize, request: Request, queue: &mut Queue) {
        if let Some((last_device, last)) = self.requests.last_mut()
            && *last_device == device
            && last.merge(&request, queue.spec.max_request.get())
        {
            queue.counters.merges[request.kind as usize] += 1;
            return;
        }
        self.requests.push((device, request));
    }

    /// Takes back the last request, which may still get longer.
    pub(crate) fn pop(&mut self) -> Option<(usize, Request)> {
        self.requests.pop()
    }

    /// Goes on with a request that was taken back.
    pub(crate) fn resume(&mut self, request: Option<(usize, Request)>) {
        self.requests.extend(request);
    }

    /// Whether a page at a place of a device makes the last request longer, of which none is larger than `largest`.
    pub(crate) fn goes_on_at(&self, device: usize, place: u64, largest: Bytes) -> bool {
        self.requests.last().is_some_and(|(to, last)| {
            *to == device && last.offset + last.length == place && last.length + PAGE_SIZE <= largest.get()
        })
    }

    /// Requests to a device.
    pub(crate) fn count(&self, device: usize) -> u64 {
        self.requests.iter().filter(|(to, _)| *to == device).count() as u64
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    pub(crate) fn take(&mut self) -> Vec<(usize, Request)> {
        std::mem::take(&mut self.requests)
    }

    /// Gives back what was taken, empty, for the next requests.
    pub(crate) fn reuse(&mut self, requests: Vec<(usize, Request)>) {
        self.requests = requests;
    }
}
