//! What a disk does with requests: a delay for each, so many a second, so many bytes a second, credit for bursts, and the time that
//! a flush of its cache takes.
//!
//! [`Limits`] is a pure function of virtual time: nanoseconds come in with each request and go out with its completion. The lab's
//! VM serves its disks with it in real time; [`Disk`] is the same as a device of the model.

use crate::{Device, IoKind, IoRequest, RequestId};

use pagetide_core::{Bytes, BytesPerSecond, DiskSpec, Nanos};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::rc::Rc;

/// One rate, as a virtual schedule (the generic cell rate algorithm): each request moves the moment at which the device
/// would be free again; a request may start before that moment by as much as there is credit.
#[derive(Debug, Clone, Copy)]
struct Rate {
    /// Nanoseconds that one unit takes, exact as a fraction.
    per_second: u64,
    /// How far ahead of its schedule the device may be.
    credit_ns: u64,
    /// When all that was accepted is paid for, in nanoseconds.
    paid_at: u64,
}

impl Rate {
    fn new(per_second: u64, credit: Nanos) -> Self {
        Self { per_second: per_second.max(1), credit_ns: credit.get(), paid_at: 0 }
    }

    /// When `units` that come at `now` may start.
    fn start(&mut self, now: u64, units: u64) -> u64 {
        let cost = u128::from(units) * 1_000_000_000 / u128::from(self.per_second);
        let free = self.paid_at.max(now);
        self.paid_at = free.saturating_add(u64::try_from(cost).unwrap_or(u64::MAX));
        free.saturating_sub(self.credit_ns).max(now)
    }
}

/// A disk with a delay and limits.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time that a read takes.
    latency: u64,
    /// Time that a write takes.
    write: u64,
    /// Time that a flush takes.
    flush: u64,
    requests: Option<Rate>,
    bytes: Option<Rate>,
    /// When the last request that was accepted is done.
    idle_at: u64,
}

impl Limits {
    /// A device that takes `latency` for each request and does at most so many requests and bytes a second; `credit` is
    /// the time by which it may be ahead of its limits after it was idle.
    pub fn new(latency: Nanos, iops: Option<u64>, bandwidth: Option<BytesPerSecond>, credit: Nanos) -> Self {
        Self {
            latency: latency.get(),
            write: latency.get(),
            flush: latency.get(),
            requests: iops.map(|iops| Rate::new(iops, credit)),
            bytes: bandwidth.map(|bandwidth| Rate::new(bandwidth.get(), credit)),
            idle_at: 0,
        }
    }

    /// The disk that a scenario describes: without a burst its limits hold from the first request on. A write and a flush take as long as a
    /// read, unless the disk says otherwise.
    pub fn of(disk: &DiskSpec) -> Self {
        let latency = disk.latency.unwrap_or_default();
        let limits = Self::new(latency, disk.iops, disk.bandwidth, disk.burst.unwrap_or_default());
        let or_latency = |time: Option<Nanos>| time.unwrap_or(latency).get();
        Self { write: or_latency(disk.write_latency), flush: or_latency(disk.flush), ..limits }
    }

    /// The same device with a delay that is shorter by `by`, for those who serve it through something slow of its own.
    #[must_use]
    pub fn sooner(self, by: Nanos) -> Self {
        let [latency, write, flush] = [self.latency, self.write, self.flush].map(|time| time.saturating_sub(by.get()));
        Self { latency, write, flush, ..self }
    }

    /// When a request of `size` that comes at `now` is done; a flush after all that came before it, and it counts for no limit. Requests come in
    /// order of time.
    pub fn done_at(&mut self, now: Nanos, kind: IoKind, size: Bytes) -> Nanos {
        let now = now.get();
        let latency = match kind {
            IoKind::Read => self.latency,
            IoKind::Write => self.write,
            IoKind::Flush => return Nanos::new(self.idle_at.max(now.saturating_add(self.flush))),
        };
        let by_count = self.requests.as_mut().map_or(now, |rate| rate.start(now, 1));
        let by_bytes = self.bytes.as_mut().map_or(now, |rate| rate.start(now, size.get()));
        let done = by_count.max(by_bytes).saturating_add(latency);
        self.idle_at = self.idle_at.max(done);
        Nanos::new(done)
    }

    /// When its limits let the next request start.
    pub fn free_at(&self) -> Nanos {
        let paid = |rate: Option<Rate>| rate.map_or(0, |rate| rate.paid_at.saturating_sub(rate.credit_ns));
        Nanos::new(paid(self.requests).max(paid(self.bytes)))
    }
}

/// A disk with limits that its owner can change while it runs.
#[derive(Debug, Clone)]
pub struct Disk {
    limits: Rc<RefCell<Limits>>,
    /// When each request ends, the next first.
    in_flight: BinaryHeap<Reverse<(Nanos, RequestId)>>,
    /// Reads, and writes, that wait until the limits let them start, served in turn; none where all wait in one queue.
    apart: Option<Apart>,
}

/// Two queues of one disk.
#[derive(Debug, Clone, Default)]
struct Apart {
    waiting: [VecDeque<IoRequest>; 2],
    /// The queue whose turn it is.
    turn: usize,
    /// When the last request came: what waits starts later, also where the limits change.
    came: Nanos,
}

impl Apart {
    fn is_empty(&self) -> bool {
        self.waiting.iter().all(VecDeque::is_empty)
    }

    /// The next request, of the other queue than the last one if there is one.
    fn take(&mut self) -> Option<IoRequest> {
        let queue = if self.waiting[self.turn].is_empty() { 1 - self.turn } else { self.turn };
        self.turn = 1 - queue;
        self.waiting[queue].pop_front()
    }
}

impl Disk {
    /// A disk with these limits, and the limits to change.
    pub fn new(limits: Limits) -> (Self, Rc<RefCell<Limits>>) {
        let limits = Rc::new(RefCell::new(limits));
        (Self { limits: Rc::clone(&limits), in_flight: BinaryHeap::new(), apart: None }, limits)
    }

    /// The disk that a scenario describes, and its limits to change.
    pub fn of(disk: &DiskSpec) -> (Self, Rc<RefCell<Limits>>) {
        let (own, limits) = Self::new(Limits::of(disk));
        (Self { apart: disk.reads_apart.then(Apart::default), ..own }, limits)
    }

    /// Starts what waits, as far as the limits let it up to `now`.
    fn start_waiting(&mut self, now: Nanos) {
        let Some(apart) = &mut self.apart else { return };
        let mut limits = self.limits.borrow_mut();
        while limits.free_at() <= now
            && let Some(request) = apart.take()
        {
            let started = limits.free_at().max(apart.came);
            let ended = limits.done_at(started, request.kind, Bytes::new(request.length));
            self.in_flight.push(Reverse((ended, request.id)));
        }
    }
}

impl Device for Disk {
    fn submit(&mut self, now: Nanos, request: IoRequest) {
        self.start_waiting(now);
        let mut limits = self.limits.borrow_mut();
        if let Some(apart) = self.apart.as_mut().filter(|apart| limits.free_at() > now || !apart.is_empty()) {
            let queue = match request.kind {
                IoKind::Read => Some(0),
                IoKind::Write => Some(1),
                // It waits for those that have started, and no limit holds for it.
                IoKind::Flush => None,
            };
            if let Some(queue) = queue {
                apart.came = now;
                apart.waiting[queue].push_back(request);
                return;
            }
        }
        let ended = limits.done_at(now, request.kind, Bytes::new(request.length));
        self.in_flight.push(Reverse((ended, request.id)));
    }

    fn next_event(&self) -> Option<Nanos> {
        let ended = self.in_flight.peek().map(|Reverse((ended, _))| *ended);
        let waits = self.apart.as_ref().is_some_and(|apart| !apart.is_empty());
        let started = waits.then(|| self.limits.borrow().free_at());
        ended.into_iter().chain(started).min()
    }

    fn advance(&mut self, now: Nanos, ended: &mut Vec<RequestId>) {
        self.start_waiting(now);
        while self.in_flight.peek().is_some_and(|Reverse((at, _))| *at <= now) {
            ended.extend(self.in_flight.pop().map(|Reverse((_, id))| id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: u64 = 1_000_000_000;

    fn gp3(credit: Nanos) -> Limits {
        Limits::new(Nanos::new(370_000), Some(3000), Some(BytesPerSecond::new(125_000_000)), credit)
    }

    /// Requests of `size` done in a second with `depth` in flight.
    fn rate(mut device: Limits, depth: usize, size: u64) -> usize {
        let mut in_flight = vec![0; depth];
        let mut done = 0;
        loop {
            let next = in_flight.iter().enumerate().min_by_key(|(_, at)| **at).map_or(0, |(index, _)| index);
            let now = in_flight[next];
            if now >= SECOND {
                return done;
            }
            in_flight[next] = device.done_at(Nanos::new(now), IoKind::Read, Bytes::new(size)).get();
            done += 1;
        }
    }

    #[test]
    fn one_at_a_time_it_is_latency_bound_and_many_meet_the_limits() {
        assert_eq!(rate(gp3(Nanos::ZERO), 1, 8192), 2703, "1 s / 370 us");
        assert_eq!(rate(gp3(Nanos::ZERO), 32, 8192), 3000 + 31, "those that are still in flight were accepted");
        assert_eq!(rate(gp3(Nanos::ZERO), 32, 1 << 20), 119 + 33, "125 MB/s");
    }

    #[test]
    fn credit_is_spent_once() {
        let credit = Nanos::new(SECOND / 10);
        let (without, with) = (rate(gp3(Nanos::ZERO), 64, 8192), rate(gp3(credit), 64, 8192));
        assert!((299..=301).contains(&(with - without)), "a tenth of a second at 3000 IOPS: {with} - {without}");
    }

    #[test]
    fn a_flush_waits_for_what_came_before() {
        let mut device = gp3(Nanos::ZERO);
        assert_eq!(device.done_at(Nanos::new(5), IoKind::Flush, Bytes::ZERO), Nanos::new(370_005));
        let written = device.done_at(Nanos::new(5), IoKind::Write, Bytes::new(125 << 20));
        let after = device.done_at(Nanos::new(5), IoKind::Write, Bytes::new(1));
        assert!(after > written && device.done_at(Nanos::new(6), IoKind::Flush, Bytes::ZERO) == after);
    }

    #[test]
    fn reads_apart_do_not_wait_for_all_writes_before_them() {
        let spec = |reads_apart| DiskSpec {
            name: "d".to_owned(),
            size: Bytes::new(1 << 30),
            iops: Some(100),
            bandwidth: None,
            latency: Some(Nanos::new(1_000_000)),
            write_latency: None,
            flush: None,
            filesystem: pagetide_core::FileSystem::Ext4,
            read_ahead: None,
            burst: None,
            reads_apart,
        };
        // A hundred writes, then a read: when each ends.
        let ends = |reads_apart| {
            let (mut disk, _) = Disk::of(&spec(reads_apart));
            for id in 0..=100 {
                let kind = if id < 100 { IoKind::Write } else { IoKind::Read };
                disk.submit(Nanos::ZERO, IoRequest { id: RequestId(id), kind, offset: 0, length: 4096, sync: true });
            }
            let mut ends = vec![0; 101];
            while let Some(at) = disk.next_event() {
                let mut ended = Vec::new();
                disk.advance(at, &mut ended);
                ended.iter().for_each(|id| ends[id.0 as usize] = at.get() / 1_000_000);
            }
            ends
        };
        let (together, apart) = (ends(false), ends(true));
        assert_eq!((together[0], together[99], together[100]), (1, 991, 1001));
        // In turn: second, after the one that had started, and the last write gets its place.
        assert_eq!((apart[0], apart[100], apart[99]), (1, 11, 1001));
    }

    #[test]
    fn a_flush_takes_its_own_time() {
        let disk = |flush: Option<u64>| DiskSpec {
            name: "d".to_owned(),
            size: Bytes::new(1 << 30),
            iops: None,
            bandwidth: None,
            latency: Some(Nanos::new(100_000)),
            write_latency: None,
            flush: flush.map(Nanos::new),
            filesystem: pagetide_core::FileSystem::Ext4,
            read_ahead: None,
            burst: None,
            reads_apart: false,
        };
        let now = Nanos::new(1_000);
        let flushed = |mut limits: Limits| limits.done_at(now, IoKind::Flush, Bytes::ZERO);
        assert_eq!(flushed(Limits::of(&disk(None))), Nanos::new(101_000));
        let slow = Limits::of(&disk(Some(8_000_000)));
        assert_eq!(flushed(slow), Nanos::new(8_001_000));
        assert_eq!(flushed(slow.sooner(Nanos::new(50_000))), Nanos::new(7_951_000));
        // Drives with a battery have nothing to flush.
        assert_eq!(flushed(Limits::of(&disk(Some(0)))), now);
    }

    #[test]
    fn a_write_takes_its_own_time() {
        let of = |write_latency: Option<u64>| {
            let spec = DiskSpec {
                name: "d".to_owned(),
                size: Bytes::new(1 << 30),
                iops: None,
                bandwidth: None,
                latency: Some(Nanos::new(100_000)),
                write_latency: write_latency.map(Nanos::new),
                flush: None,
                filesystem: pagetide_core::FileSystem::Ext4,
                read_ahead: None,
                burst: None,
                reads_apart: false,
            };
            let mut limits = Limits::of(&spec);
            [IoKind::Read, IoKind::Write].map(|kind| limits.done_at(Nanos::ZERO, kind, Bytes::new(4096)).get())
        };
        assert_eq!((of(Some(5_000_000)), of(None)), ([100_000, 5_000_000], [100_000, 100_000]));
    }

    proptest! {
        #[test]
        fn no_limit_is_ever_exceeded_and_time_advances(
            requests in prop::collection::vec((0u64..2_000_000, 1u64..1 << 20), 1..200),
            credit in 0u64..50_000_000,
        ) {
            let mut device = gp3(Nanos::new(credit));
            let (mut now, mut bytes, mut first) = (0, 0u64, None);
            for (at, (pause, size)) in requests.iter().enumerate() {
                now += pause;
                let from = *first.get_or_insert(now);
                let done = device.done_at(Nanos::new(now), IoKind::Read, Bytes::new(*size)).get();
                prop_assert!(done >= now + 370_000);
                // What was accepted before this request took its time, less the credit.
                let started = u128::from(done - 370_000 - from + credit) + 1;
                prop_assert!(started * 3000 >= at as u128 * u128::from(SECOND) - at as u128 * 3000);
                prop_assert!(started * 125_000_000 + u128::from(SECOND) * (at as u128 + 1) >= u128::from(bytes) * u128::from(SECOND));
                bytes += size;
            }
        }
    }
}
