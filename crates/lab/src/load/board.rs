//! The page on which a load counts what it does, shared with the lab. `unsafe`: mmap.
#![allow(unsafe_code)]

use pagetide_core::{Bytes, Figure, Figures};
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where a load has got to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Waiting,
    Filling,
    Working,
    Done,
}

/// Buckets of latency: eight for each power of two of nanoseconds.
const BUCKETS: usize = 64 * 8;

/// The counters. The load writes, the lab reads; only `stop` goes the other way.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Counts {
    phase: AtomicU64,
    processed: AtomicU64,
    filled: AtomicU64,
    requests: AtomicU64,
    /// Time of all requests together, ns.
    waited: AtomicU64,
    iterations: AtomicU64,
    began: AtomicU64,
    ended: AtomicU64,
    error: AtomicU64,
    doing: AtomicU64,
    timed_out: AtomicU64,
    stop: AtomicU64,
    latency: [AtomicU64; BUCKETS],
}

/// What a load can fail to do.
pub(super) const DOING: [&str; 8] = [
    "begin",
    "get memory",
    "map the file",
    "read",
    "write",
    "sync what it wrote",
    "drop what it moved from the cache",
    "look up a name",
];

impl Counts {
    pub(super) fn phase(&self, phase: Phase) {
        self.phase.store(phase as u64, Relaxed);
    }
    pub(super) fn begin(&self, now: u64) {
        self.began.store(now, Relaxed);
    }
    pub(super) fn end(&self, now: u64) {
        self.ended.store(now, Relaxed);
    }
    pub(super) fn process(&self, bytes: u64) {
        self.processed.fetch_add(bytes, Relaxed);
    }
    pub(super) fn fill(&self, bytes: u64) {
        self.filled.fetch_add(bytes, Relaxed);
    }
    pub(super) fn iterate(&self) {
        self.iterations.fetch_add(1, Relaxed);
    }
    /// A request took `nanos`.
    pub(super) fn request(&self, nanos: u64) {
        self.requests.fetch_add(1, Relaxed);
        self.waited.fetch_add(nanos, Relaxed);
        self.latency[bucket(nanos)].fetch_add(1, Relaxed);
    }
    /// What it does now, by its place in [`DOING`].
    pub(super) fn doing(&self, what: u64) {
        self.doing.store(what, Relaxed);
    }
    pub(super) fn fail(&self, error: i32) {
        self.error.store(u64::try_from(error).unwrap_or(1), Relaxed);
    }
    pub(super) fn time_out(&self) {
        self.timed_out.store(1, Relaxed);
    }
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Relaxed) != 0
    }
}

fn bucket(nanos: u64) -> usize {
    let nanos = nanos.max(8);
    let power = nanos.ilog2();
    let eighth = (nanos >> (power - 3)) & 7;
    power as usize * 8 + usize::try_from(eighth).unwrap_or(0)
}

/// The middle of a bucket, ns.
fn middle(bucket: usize) -> f64 {
    let (power, eighth) = (bucket / 8, bucket % 8);
    let low = f64::from(u32::try_from(8 + eighth).unwrap_or(8));
    (low + 0.5) * 2f64.powi(i32::try_from(power).unwrap_or(0) - 3)
}

/// The page, in the lab's hands.
#[derive(Debug)]
pub(super) struct Board(NonNull<Counts>);

// SAFETY: it points to atomics only, which any thread may use, in a mapping that lives as long as this does.
unsafe impl Send for Board {}

impl Board {
    /// A new page of zeros, shared with children.
    pub(super) fn new() -> io::Result<Self> {
        let (size, both) = (size_of::<Counts>(), libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: a new mapping at an address of the kernel's choice.
        let page =
            unsafe { libc::mmap(std::ptr::null_mut(), size, both, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1, 0) };
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(page.cast()).map(Self).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    pub(super) fn counts(&self) -> &Counts {
        // SAFETY: the mapping is as large as the counters, zeros are valid for them, and it lives as long as this does.
        unsafe { self.0.as_ref() }
    }

    pub(super) fn phase(&self) -> Phase {
        match self.counts().phase.load(Relaxed) {
            0 => Phase::Waiting,
            1 => Phase::Filling,
            2 => Phase::Working,
            _ => Phase::Done,
        }
    }
    pub(super) fn stop(&self) {
        self.counts().stop.store(1, Relaxed);
    }
    pub(super) fn stopped(&self) -> bool {
        self.counts().stopped()
    }
    pub(super) fn processed(&self) -> Bytes {
        Bytes::new(self.counts().processed.load(Relaxed))
    }
    pub(super) fn filled(&self) -> Bytes {
        Bytes::new(self.counts().filled.load(Relaxed))
    }
    pub(super) fn iterations(&self) -> u64 {
        self.counts().iterations.load(Relaxed)
    }
    pub(super) fn timed_out(&self) -> bool {
        self.counts().timed_out.load(Relaxed) != 0
    }
    pub(super) fn doing(&self) -> &'static str {
        let doing = usize::try_from(self.counts().doing.load(Relaxed)).unwrap_or(0);
        DOING.get(doing).copied().unwrap_or_default()
    }
    /// Why it failed; an early end of what it reads has no number.
    pub(super) fn error(&self) -> Option<String> {
        match self.counts().error.load(Relaxed) {
            0 => None,
            EARLY => Some("there is no more of it".to_owned()),
            number => Some(io::Error::from_raw_os_error(i32::try_from(number).unwrap_or(0)).to_string()),
        }
    }

    /// Sets what was counted.
    pub(super) fn figures(&self, figures: &mut Figures) {
        let counts = self.counts();
        let get = |count: &AtomicU64| count.load(Relaxed) as f64;
        let (processed, requests) = (get(&counts.processed), get(&counts.requests));
        figures.set(Figure::Processed, processed);
        figures.set(Figure::Iterations, get(&counts.iterations));
        // One that was killed could not say when it ended; the step's own time stands then.
        if counts.ended.load(Relaxed) > 0 {
            let elapsed = get(&counts.ended) - get(&counts.began);
            figures.set(Figure::Elapsed, elapsed);
            figures.set(Figure::Bandwidth, processed / elapsed * 1e9);
            figures.set(Figure::Iops, requests / elapsed * 1e9);
        }
        if requests == 0.0 {
            return;
        }
        figures.set(Figure::Issued, requests);
        figures.set(Figure::ClatMean, get(&counts.waited) / requests);
        let shares =
            [(Figure::ClatP50, 0.5), (Figure::ClatP95, 0.95), (Figure::ClatP99, 0.99), (Figure::ClatP999, 0.999)];
        for (figure, share) in shares {
            let mut seen = 0.0;
            let at = counts.latency.iter().position(|bucket| {
                seen += get(bucket);
                seen >= share * requests
            });
            figures.set_some(figure, at.map(middle));
        }
    }
}

/// Stands for the end of a file where an error's number would.
pub(super) const EARLY: u64 = 9999;

impl Drop for Board {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`, which nobody uses any more.
        unsafe { libc::munmap(self.0.as_ptr().cast(), size_of::<Counts>()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_known_to_an_eighth() {
        for nanos in [8, 100, 1000, 54_321, 999_999, 1 << 40] {
            let middle = middle(bucket(nanos));
            assert!((middle / nanos as f64 - 1.0).abs() < 0.07, "{nanos}: {middle}");
        }
        assert!(bucket(u64::MAX) < BUCKETS && bucket(0) < BUCKETS);
    }

    #[test]
    fn what_is_counted_becomes_figures() {
        let board = Board::new().unwrap();
        let counts = board.counts();
        counts.begin(1_000);
        for nanos in [100, 100, 100, 10_000] {
            counts.process(4096);
            counts.request(nanos);
        }
        counts.end(1_000_001_000);
        let mut figures = Figures::default();
        board.figures(&mut figures);
        assert_eq!(figures.get(Figure::Elapsed), Some(1e9));
        assert_eq!(figures.get(Figure::Bandwidth), Some(16384.0));
        assert_eq!((figures.get(Figure::Iops), figures.get(Figure::ClatMean)), (Some(4.0), Some(2575.0)));
        assert!(figures.get(Figure::ClatP50).unwrap() < 110.0 && figures.get(Figure::ClatP99).unwrap() > 9000.0);
    }
}
