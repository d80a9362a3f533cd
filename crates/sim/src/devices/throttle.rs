//! Limits of a control group's IO on a device (`io.max`; `block/blk-throttle.c`).
//!
//! A request beyond a limit of its group, or of a group above, waits here: it is in no queue of the device, and `/proc/diskstats` does
//! not count it yet. Reads and writes have limits and queues of their own.

use crate::devices::device::IoKind;
use crate::devices::queue::Request;
use crate::tick::{HZ, JIFFY};
use pagetide_core::BytesPerSecond;
use std::collections::VecDeque;

/// The length of a slice in ticks (`DFL_THROTL_SLICE_HD`, for all devices without `CONFIG_BLK_DEV_THROTTLING_LOW`).
const SLICE: u64 = HZ / 10;

/// What a group may do on a device in a second; without limit where absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IoLimits {
    /// Bytes read (`rbps`).
    pub read: Option<BytesPerSecond>,
    /// Bytes written (`wbps`).
    pub write: Option<BytesPerSecond>,
    /// Reads (`riops`).
    pub reads: Option<u64>,
    /// Writes (`wiops`).
    pub writes: Option<u64>,
}

/// Reads or writes of a group on a device. Times are ticks.
#[derive(Debug, Default)]
struct Lane {
    bytes_per_second: Option<u64>,
    per_second: Option<u64>,
    /// Since when, and until when at least, what was sent is held against the limits.
    slice_start: u64,
    slice_end: u64,
    bytes: u64,
    requests: u64,
    waiting: VecDeque<Request>,
    /// When the first that waits may go.
    due: u64,
}

/// Up to when a slice that has lasted `elapsed` counts: whole slices.
const fn rounded(elapsed: u64) -> u64 {
    elapsed.div_ceil(SLICE) * SLICE
}

fn allowed(per_second: u64, ticks: u64) -> u64 {
    u64::try_from(u128::from(per_second) * u128::from(ticks) / u128::from(HZ)).unwrap_or(u64::MAX)
}

impl Lane {
    /// Ticks that a request of `size` has to wait; 0 when it may go (`tg_may_dispatch`).
    fn wait(&mut self, now: u64, size: u64) -> u64 {
        if self.bytes_per_second.is_none() && self.per_second.is_none() {
            return 0;
        }
        if now > self.slice_end && self.waiting.is_empty() {
            *self = Self {
                slice_start: now,
                slice_end: now + SLICE,
                bytes: 0,
                requests: 0,
                waiting: std::mem::take(&mut self.waiting),
                ..*self
            };
        } else {
            self.slice_end = self.slice_end.max(now + SLICE);
        }
        let elapsed = now.saturating_sub(self.slice_start);
        let by_bytes = self.bytes_per_second.map_or(0, |limit| {
            let whole = rounded(elapsed.max(1));
            let surplus = (self.bytes + size).saturating_sub(allowed(limit, whole));
            let time = (u128::from(surplus) * u128::from(HZ) / u128::from(limit.max(1))) as u64;
            if surplus == 0 { 0 } else { time.max(1) + whole - elapsed }
        });
        let by_requests = self.per_second.map_or(0, |limit| {
            let whole = rounded(elapsed + 1);
            if self.requests < allowed(limit, whole) { 0 } else { whole - elapsed }
        });
        let wait = by_bytes.max(by_requests);
        self.slice_end = self.slice_end.max(now + wait);
        wait
    }

    /// Holds what goes now against the limits (`throtl_charge_bio`), and forgets slices that are over (`throtl_trim_slice`).
    fn charge(&mut self, now: u64, size: u64) {
        self.bytes += size;
        self.requests += 1;
        if now > self.slice_end {
            return;
        }
        self.slice_end = now + SLICE;
        let whole = now.saturating_sub(self.slice_start) / SLICE * SLICE;
        if whole == 0 {
            return;
        }
        self.bytes = self.bytes.saturating_sub(self.bytes_per_second.map_or(0, |limit| allowed(limit, whole)));
        self.requests = self.requests.saturating_sub(self.per_second.map_or(0, |limit| allowed(limit, whole)));
        self.slice_start += whole;
    }

    /// Sends a request if it may go now and none waits before it.
    fn pass(&mut self, now: u64, request: Request) -> Option<Request> {
        if self.waiting.is_empty() {
            let wait = self.wait(now, request.length);
            if wait == 0 {
                self.charge(now, request.length);
                return Some(request);
            }
            self.due = now + wait;
        }
        self.waiting.push_back(request);
        None
    }

    /// The first that waits, if it may go now.
    fn next(&mut self, now: u64) -> Option<Request> {
        let size = self.waiting.front()?.length;
        if self.due > now {
            return None;
        }
        let wait = self.wait(now, size);
        if wait > 0 {
            self.due = now + wait;
            return None;
        }
        self.charge(now, size);
        self.waiting.pop_front()
    }
}

/// The limits of one group on one device.
#[derive(Debug)]
struct Throttle {
    group: usize,
    device: usize,
    limits: IoLimits,
    lanes: [Lane; 2],
}

/// The limits of all groups.
#[derive(Debug, Default)]
pub(crate) struct Throttles(Vec<Throttle>);

const fn direction(kind: IoKind) -> usize {
    match kind {
        IoKind::Read => 0,
        IoKind::Write | IoKind::Flush => 1,
    }
}

impl Throttles {
    /// Sets the limits of a group. What waits goes by the new ones.
    pub(crate) fn set(&mut self, group: usize, device: usize, limits: IoLimits, now: u64) {
        let known = self.0.iter().position(|throttle| throttle.group == group && throttle.device == device);
        if known.is_none() && limits == IoLimits::default() {
            return;
        }
        let at = known.unwrap_or_else(|| {
            self.0.push(Throttle { group, device, limits, lanes: [Lane::default(), Lane::default()] });
            self.0.len() - 1
        });
        self.0[at].limits = limits;
        let rates = [(limits.read, limits.reads), (limits.write, limits.writes)];
        for (lane, (bytes, requests)) in self.0[at].lanes.iter_mut().zip(rates) {
            let waiting = std::mem::take(&mut lane.waiting);
            *lane = Lane {
                bytes_per_second: bytes.map(BytesPerSecond::get),
                per_second: requests,
                slice_start: now / JIFFY,
                slice_end: now / JIFFY + SLICE,
                waiting,
                due: now / JIFFY,
                ..Lane::default()
            };
        }
        // Groups are numbered from above: one that is below others comes first.
        self.0.sort_by_key(|throttle| std::cmp::Reverse(throttle.group));
    }

    /// The limits of a group on a device.
    pub(crate) fn of(&self, group: usize, device: usize) -> IoLimits {
        let found = self.0.iter().find(|throttle| throttle.group == group && throttle.device == device);
        found.map_or_else(IoLimits::default, |throttle| throttle.limits)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives a request that may go to its device now. `path` is its group and those above it, in this order.
    pub(crate) fn pass(&mut self, path: &[usize], device: usize, request: Request, now: u64) -> Option<Request> {
        let lane = direction(request.kind);
        let mut request = request;
        for group in path {
            let found = self.0.iter_mut().find(|throttle| throttle.group == *group && throttle.device == device);
            if let Some(throttle) = found {
                request = throttle.lanes[lane].pass(now / JIFFY, request)?;
            }
        }
        Some(request)
    }

    /// When the first request that waits may go.
    pub(crate) fn next_event(&self) -> Option<u64> {
        let lanes = self.0.iter().flat_map(|throttle| &throttle.lanes);
        lanes.filter(|lane| !lane.waiting.is_empty()).map(|lane| lane.due * JIFFY).min()
    }

    /// The next request that has waited long enough in a group: its device, the group, and the request. It has still to pass
    /// the groups above.
    pub(crate) fn next(&mut self, now: u64) -> Option<(usize, usize, Request)> {
        self.0.iter_mut().find_map(|throttle| {
            let (device, group) = (throttle.device, throttle.group);
            let request = throttle.lanes.iter_mut().find_map(|lane| lane.next(now / JIFFY))?;
            Some((device, group, request))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::queue::Payload;
    use proptest::prelude::*;

    fn request(length: u64) -> Request {
        let payload = Payload::Flush { task: 0 };
        Request {
            kind: IoKind::Read,
            offset: 0,
            length,
            sync: true,
            swap: false,
            apart: false,
            group: 1,
            since: 0,
            payload,
        }
    }

    /// Bytes and requests that a lane lets go within `ticks`, of requests that come at these times.
    fn sent(lane: &mut Lane, coming: &[(u64, u64)], ticks: u64) -> (u64, u64) {
        let (mut bytes, mut requests) = (0, 0);
        let mut coming = coming.iter().peekable();
        for now in 0..ticks {
            let mut gone = Vec::new();
            while let Some(request) = lane.next(now) {
                gone.push(request);
            }
            while let Some((_, size)) = coming.next_if(|(at, _)| *at <= now) {
                gone.extend(lane.pass(now, request(*size)));
            }
            bytes += gone.iter().map(|request| request.length).sum::<u64>();
            requests += gone.len() as u64;
        }
        (bytes, requests)
    }

    #[test]
    fn a_group_gets_its_limit_and_not_more() {
        let all: Vec<(u64, u64)> = (0..10_000).map(|_| (0, 8192)).collect();
        let mut bytes = Lane { bytes_per_second: Some(1_000_000), ..Lane::default() };
        let (got, _) = sent(&mut bytes, &all, 10 * HZ);
        assert!(got.abs_diff(10_000_000) <= 110_000, "{got} bytes in 10 s of 1 MB/s");
        let mut count = Lane { per_second: Some(90), ..Lane::default() };
        let (_, got) = sent(&mut count, &all, 10 * HZ);
        assert!(got.abs_diff(900) <= 9, "{got} requests in 10 s of 90/s");
    }

    #[test]
    fn the_stricter_group_decides() {
        let mut throttles = Throttles::default();
        let limits = |bytes| IoLimits { read: Some(BytesPerSecond::new(bytes)), ..IoLimits::default() };
        throttles.set(1, 0, limits(1_000_000), 0);
        throttles.set(2, 0, limits(50_000_000), 0);
        let mut got = 0;
        for _ in 0..500 {
            got += throttles.pass(&[2, 1, 0], 0, request(10_000), 0).map_or(0, |request| request.length);
        }
        for tick in 0..2 * HZ {
            while let Some((_, group, request)) = throttles.next(tick * JIFFY) {
                let above: &[usize] = if group == 2 { &[1, 0] } else { &[0] };
                got += throttles.pass(above, 0, request, tick * JIFFY).map_or(0, |request| request.length);
            }
        }
        assert!(got.abs_diff(2_000_000) <= 110_000, "{got}");
    }

    proptest! {
        #[test]
        fn no_limit_is_exceeded_and_nothing_is_lost(
            coming in prop::collection::vec((0u64..2_000, 1u64..200_000), 1..300),
            limit in 100_000u64..10_000_000,
            count in 10u64..2_000,
        ) {
            let mut coming = coming;
            coming.sort_unstable();
            let mut lane =
                Lane { bytes_per_second: Some(limit), per_second: Some(count), ..Lane::default() };
            let (bytes, requests) = sent(&mut lane, &coming, 2_000);
            // 8 s, and the slice in which it began.
            let ticks = 2_000 + 2 * SLICE;
            let largest = coming.iter().map(|(_, size)| *size).max().unwrap_or_default();
            prop_assert!(bytes <= allowed(limit, ticks) + largest, "{bytes} at {limit}/s");
            prop_assert!(requests <= allowed(count, ticks) + 1, "{requests} at {count}/s");
            let all: u64 = coming.iter().map(|(_, size)| *size).sum();
            let (mut rest, mut left) = (0, 0);
            while !lane.waiting.is_empty() {
                if let Some(request) = lane.next(lane.due.max(2_000)) {
                    rest += request.length;
                    left += 1;
                }
            }
            prop_assert_eq!((bytes + rest, requests + left), (all, coming.len() as u64));
        }
    }
}
