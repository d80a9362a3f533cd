//! How many requests of writeback a device gets at once (`block/blk-wbt.c`, `block/blk-rq-qos.c`, 6.12).
//!
//! In windows of 100 ms the kernel looks at what reads and writes took. While only writes go on, or reads are fast, it doubles the limit,
//! up to three quarters of the queue; where even the fastest read took too long it halves it.

use crate::devices::device::IoKind;

/// Requests at the centre step (`RWB_DEF_DEPTH`).
const DEFAULT_DEPTH: u64 = 16;
/// A window, ns (`RWB_WINDOW_NSEC`).
const WINDOW: u64 = 100_000_000;
/// What a read may take, ns: the target of a disk that rotates, which virtual disks are to the kernel (`wbt_default_latency_nsec`).
const READ_TARGET: u64 = 75_000_000;
/// Writes in a window from which on they are compared with reads (`RWB_MIN_WRITE_SAMPLES`).
const MIN_WRITES: u64 = 3;
/// How long after a read writeback that is not urgent gets the least, ns (`close_io`).
const CLOSE: u64 = 100_000_000;
/// Windows without samples after which the limit goes a step back to the centre (`RWB_UNKNOWN_BUMP`).
const MAX_UNKNOWN: u32 = 5;

/// For whom writeback writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// Nobody waits for it (`REQ_BACKGROUND`).
    Background,
    /// Reclaim or `sync` asked for it.
    Normal,
    /// A writer slept for it in the last second, or it frees memory: writes of kswapd, and since 6.12 all writes to swap.
    Awaited,
}

/// The limit of a device (`struct rq_wb`).
#[derive(Debug, Clone)]
pub(crate) struct WritebackThrottle {
    /// Below 0 the limit is larger than at the centre, above it is smaller.
    step: i32,
    /// Whether the limit is as large as it may be (`scaled_max`).
    is_largest: bool,
    depth: u64,
    queue_depth: u64,
    /// When the window ends, if one is open, and what ended in it.
    ends: Option<u64>,
    reads: u64,
    writes: u64,
    fastest_read: u64,
    unknown: u32,
    /// When the last read came or ended.
    last_read: Option<u64>,
}

impl WritebackThrottle {
    pub(crate) fn new(queue_depth: u32) -> Self {
        let mut throttle = Self {
            step: 0,
            is_largest: false,
            depth: 0,
            queue_depth: u64::from(queue_depth.max(1)),
            ends: None,
            reads: 0,
            writes: 0,
            fastest_read: u64::MAX,
            unknown: 0,
            last_read: None,
        };
        throttle.set_depth();
        throttle
    }

    /// `rq_depth_calc_max_depth`.
    fn set_depth(&mut self) {
        let centre = DEFAULT_DEPTH.min(self.queue_depth);
        let most = (3 * self.queue_depth / 4).max(1);
        let shift = self.step.unsigned_abs().min(31);
        let depth = if self.step > 0 { 1 + ((centre - 1) >> shift) } else { 1 + ((centre - 1) << shift) };
        self.is_largest = self.queue_depth == 1 || self.step < 0 && depth > most;
        self.depth = if self.step < 0 { depth.min(most) } else { depth };
    }

    /// Requests at once from a moment on (`get_limit`).
    pub(crate) fn limit(&mut self, now: u64, urgency: Urgency) -> u64 {
        self.ends.get_or_insert(now + WINDOW);
        match urgency {
            Urgency::Normal if self.last_read.is_some_and(|at| now < at + CLOSE) => self.depth.div_ceil(4),
            Urgency::Background => self.depth.div_ceil(4),
            Urgency::Normal => self.depth.div_ceil(2).max(self.depth.min(2)),
            Urgency::Awaited => self.depth,
        }
    }

    /// A read has come or ended.
    pub(crate) fn saw_read(&mut self, now: u64) {
        self.last_read = Some(now);
    }

    /// A request has ended.
    pub(crate) fn count(&mut self, kind: IoKind, took: u64) {
        match kind {
            IoKind::Read => {
                self.reads += 1;
                self.fastest_read = self.fastest_read.min(took);
            }
            IoKind::Write => self.writes += 1,
            IoKind::Flush => {}
        }
    }

    /// Whether a window is over.
    pub(crate) fn is_due(&self, now: u64) -> bool {
        self.ends.is_some_and(|end| end <= now)
    }

    /// Ends the windows that are over (`wb_timer_fn`). `oldest_read` is when the oldest read in the device was sent.
    pub(crate) fn advance(&mut self, now: u64, in_flight: u64, oldest_read: Option<u64>) {
        while let Some(end) = self.ends.filter(|end| *end <= now) {
            self.end_window(end, in_flight, oldest_read);
            self.ends = (self.step != 0 || in_flight > 0).then(|| end + self.window());
            (self.reads, self.writes, self.fastest_read) = (0, 0, u64::MAX);
        }
    }

    /// A smaller limit is looked at more often (`rwb_arm_timer`).
    fn window(&self) -> u64 {
        if self.step > 0 { (WINDOW << 4) / (((self.step as u64 + 1) << 8).isqrt()) } else { WINDOW }
    }

    fn end_window(&mut self, end: u64, in_flight: u64, oldest_read: Option<u64>) {
        let waited = oldest_read.map_or(0, |since| end.saturating_sub(since));
        let is_slow = waited > self.window() || waited > READ_TARGET && self.reads == 0;
        let is_sampled = self.reads >= 1 && self.writes >= MIN_WRITES;
        if is_slow || is_sampled && self.fastest_read > READ_TARGET {
            self.scale_down(true);
        } else if is_sampled || self.writes > 0 || in_flight > 0 {
            self.scale_up();
        } else {
            self.unknown += 1;
            if self.unknown >= MAX_UNKNOWN && self.step > 0 {
                self.scale_up();
            } else if self.unknown >= MAX_UNKNOWN && self.step < 0 {
                self.scale_down(false);
            }
        }
    }

    fn scale_up(&mut self) {
        self.unknown = 0;
        if !self.is_largest {
            self.step -= 1;
            self.set_depth();
        }
    }

    fn scale_down(&mut self, at_once: bool) {
        self.unknown = 0;
        if self.depth > 1 {
            // Who was allowed more goes back to the centre first.
            self.step = if self.step < 0 && at_once { 0 } else { self.step + 1 };
            self.set_depth();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// The limit at a moment, of a device with so many requests.
    fn at(
        throttle: &mut WritebackThrottle,
        now: u64,
        urgency: Urgency,
        in_flight: u64,
        oldest_read: Option<u64>,
    ) -> u64 {
        throttle.advance(now, in_flight, oldest_read);
        throttle.limit(now, urgency)
    }

    /// The limit after so many windows in which these requests ended.
    fn after(windows: u64, reads: &[u64], writes: u64, in_flight: u64) -> u64 {
        let mut throttle = WritebackThrottle::new(128);
        let mut limit = at(&mut throttle, 0, Urgency::Awaited, in_flight, None);
        for window in 1..=windows {
            reads.iter().for_each(|took| throttle.count(IoKind::Read, *took));
            (0..writes).for_each(|_| throttle.count(IoKind::Write, 500 * MS));
            limit = at(&mut throttle, window * WINDOW, Urgency::Awaited, in_flight, None);
        }
        limit
    }

    #[test]
    fn writes_alone_get_three_quarters_of_the_queue() {
        assert_eq!([0, 1, 2, 3, 9].map(|windows| after(windows, &[], 10, 16)), [16, 31, 61, 96, 96]);
    }

    #[test]
    fn fast_reads_let_writes_have_more_and_slow_ones_less() {
        assert_eq!(after(2, &[2 * MS, 300 * MS], 10, 16), 61);
        assert_eq!(after(1, &[80 * MS, 300 * MS], 10, 16), 8);
    }

    #[test]
    fn a_read_that_waits_for_a_window_counts_before_it_ends() {
        let mut throttle = WritebackThrottle::new(128);
        at(&mut throttle, 0, Urgency::Awaited, 16, None);
        assert_eq!(at(&mut throttle, WINDOW, Urgency::Awaited, 16, Some(0)), 8);
        assert_eq!(at(&mut throttle, WINDOW, Urgency::Background, 16, Some(0)), 2);
    }

    #[test]
    fn an_idle_disk_comes_back_to_the_centre() {
        let mut throttle = WritebackThrottle::new(128);
        at(&mut throttle, 0, Urgency::Awaited, 16, None);
        at(&mut throttle, 3 * WINDOW, Urgency::Awaited, 16, None);
        assert_eq!(throttle.depth, 96);
        throttle.advance(60 * WINDOW, 0, None);
        assert_eq!((throttle.depth, throttle.ends), (16, None));
    }
}
