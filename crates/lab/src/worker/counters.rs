//! The counters that a worker shares with the lab. `unsafe`: mmap.
#![allow(unsafe_code)]

use pagetide_core::{Bytes, Figures, Nanos};
use pagetide_sim::workload::{BUCKETS, Latencies, Tally, bucket};
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How far a worker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Waiting,
    Filling,
    Working,
    Done,
}

/// What a worker is doing, for the message when it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    Start,
    Allocate,
    Lock,
    MapFile,
    Read,
    Write,
    Sync,
    DropCache,
    LookUp,
}

/// Each activity as the end of "failed to …", in the order of the enum.
const ACTIVITIES: [&str; 9] = [
    "start",
    "get memory",
    "lock memory",
    "map the file",
    "read",
    "write",
    "sync what it wrote",
    "drop what it read or wrote from the cache",
    "look up a name",
];

/// Stands for the end of a file where an error number would.
pub(crate) const END_OF_FILE: i32 = 9999;

/// The counters. The worker writes and the lab reads, but for `stop`, which the lab writes.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Counters {
    phase: AtomicU64,
    processed: AtomicU64,
    requests: AtomicU64,
    /// Time of all requests together, ns.
    waited: AtomicU64,
    iterations: AtomicU64,
    began: AtomicU64,
    ended: AtomicU64,
    error: AtomicU64,
    activity: AtomicU64,
    timed_out: AtomicU64,
    stop: AtomicU64,
    latency: [AtomicU64; BUCKETS],
}

impl Counters {
    pub(crate) fn set_phase(&self, phase: Phase) {
        self.phase.store(phase as u64, Relaxed);
    }
    pub(crate) fn set_began(&self, now: u64) {
        self.began.store(now, Relaxed);
    }
    pub(crate) fn set_ended(&self, now: u64) {
        self.ended.store(now, Relaxed);
    }
    pub(crate) fn add_processed(&self, bytes: u64) {
        self.processed.fetch_add(bytes, Relaxed);
    }
    pub(crate) fn add_iteration(&self) {
        self.iterations.fetch_add(1, Relaxed);
    }
    /// Counters a request that took `nanos`.
    pub(crate) fn add_request(&self, nanos: u64) {
        self.requests.fetch_add(1, Relaxed);
        self.waited.fetch_add(nanos, Relaxed);
        self.latency[bucket(nanos)].fetch_add(1, Relaxed);
    }
    pub(crate) fn set_activity(&self, activity: Activity) {
        self.activity.store(activity as u64, Relaxed);
    }
    pub(crate) fn set_error(&self, error: i32) {
        self.error.store(u64::try_from(error).unwrap_or(1), Relaxed);
    }
    pub(crate) fn set_timed_out(&self) {
        self.timed_out.store(1, Relaxed);
    }
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Relaxed) != 0
    }
}

/// The counters on a page that the lab and its workers share.
#[derive(Debug)]
pub(crate) struct SharedCounters(NonNull<Counters>);

// SAFETY: it points to atomics only, which any thread may use, in a mapping that lives as long as this does.
unsafe impl Send for SharedCounters {}

impl SharedCounters {
    /// A new page of zeros, which forked children share.
    pub(crate) fn new() -> io::Result<Self> {
        let (size, both) = (size_of::<Counters>(), libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: a new mapping at an address of the kernel's choice.
        let page =
            unsafe { libc::mmap(std::ptr::null_mut(), size, both, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1, 0) };
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(page.cast()).map(Self).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    pub(crate) fn get(&self) -> &Counters {
        // SAFETY: the mapping is as large as the counters, zeros are valid for them, and it lives as long as this does.
        unsafe { self.0.as_ref() }
    }

    pub(crate) fn phase(&self) -> Phase {
        match self.get().phase.load(Relaxed) {
            0 => Phase::Waiting,
            1 => Phase::Filling,
            2 => Phase::Working,
            _ => Phase::Done,
        }
    }
    pub(crate) fn stop(&self) {
        self.get().stop.store(1, Relaxed);
    }
    pub(crate) fn stopped(&self) -> bool {
        self.get().stopped()
    }
    pub(crate) fn processed(&self) -> Bytes {
        Bytes::new(self.get().processed.load(Relaxed))
    }
    pub(crate) fn iterations(&self) -> u64 {
        self.get().iterations.load(Relaxed)
    }
    pub(crate) fn timed_out(&self) -> bool {
        self.get().timed_out.load(Relaxed) != 0
    }
    /// The time from its start to its end; none while it runs.
    pub(crate) fn elapsed(&self) -> Option<Nanos> {
        let counters = self.get();
        let ended = counters.ended.load(Relaxed);
        (ended > 0).then(|| Nanos::new(ended.saturating_sub(counters.began.load(Relaxed))))
    }
    /// Why it failed: "failed to read: no space left".
    pub(crate) fn failure(&self) -> Option<String> {
        let error = i32::try_from(self.get().error.load(Relaxed)).unwrap_or(libc::EIO);
        let why = match error {
            0 => return None,
            END_OF_FILE => "unexpected end of file".to_owned(),
            number => io::Error::from_raw_os_error(number).to_string(),
        };
        let activity = usize::try_from(self.get().activity.load(Relaxed)).unwrap_or(0);
        Some(format!("failed to {}: {why}", ACTIVITIES.get(activity).copied().unwrap_or_default()))
    }

    /// Sets the figures that were counted.
    pub(crate) fn figures(&self, figures: &mut Figures) {
        let counters = self.get();
        let get = |count: &AtomicU64| count.load(Relaxed);
        let began = Nanos::new(get(&counters.began));
        Tally {
            processed: get(&counters.processed),
            requests: get(&counters.requests),
            waited: get(&counters.waited),
            latencies: Latencies::of(counters.latency.iter().map(get)),
            iterations: get(&counters.iterations),
            began: Some(began),
            ended: self.elapsed().map(|elapsed| began.saturating_add(elapsed)),
            timed_out: self.timed_out(),
            stop: self.stopped(),
        }
        .figures(figures);
    }
}

impl Drop for SharedCounters {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`, which nobody uses any more.
        unsafe { libc::munmap(self.0.as_ptr().cast(), size_of::<Counters>()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Figure;

    #[test]
    fn counts_become_figures() {
        let shared = SharedCounters::new().unwrap();
        let counters = shared.get();
        counters.set_began(1_000);
        for nanos in [100, 100, 100, 10_000] {
            counters.add_processed(4096);
            counters.add_request(nanos);
        }
        counters.set_ended(1_000_001_000);
        let mut figures = Figures::default();
        shared.figures(&mut figures);
        assert_eq!(figures.get(Figure::Elapsed), Some(1e9));
        assert_eq!(figures.get(Figure::Bandwidth), Some(16384.0));
        assert_eq!((figures.get(Figure::Iops), figures.get(Figure::ClatMean)), (Some(4.0), Some(2575.0)));
        assert!(figures.get(Figure::ClatP50).unwrap() < 110.0 && figures.get(Figure::ClatP99).unwrap() > 9000.0);
    }
}
