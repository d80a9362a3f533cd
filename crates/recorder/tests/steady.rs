//! Once it is warm, the sampling thread allocates nothing and faults no page in.
#![allow(unsafe_code, reason = "an allocator that counts, and getrusage")]

use pagetide_core::{Error, Manifest, Mark, Nanos, Sample, Schema, Sink};
use pagetide_kernel::{Processes, Root, Sampler, Watch};
use pagetide_recorder::{Probe, Protection, Recorder};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    ALLOCATIONS.with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: every call is handed on to the system's allocator as it is; the count is a plain cell of the thread.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is the one that is asked for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What the thread has used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Used {
    allocations: u64,
    page_faults: i64,
}

fn used() -> Used {
    // SAFETY: zeroes are a valid rusage, and the call writes to nothing else.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage), 0);
        usage
    };
    Used { allocations: ALLOCATIONS.with(Cell::get), page_faults: usage.ru_minflt + usage.ru_majflt }
}

/// The kernel's sampler, which notes before each sample what its thread has used.
struct Watched {
    sampler: Sampler,
    log: Arc<Mutex<Vec<Used>>>,
}

impl Probe for Watched {
    fn sample(&mut self, schema: &mut Schema, sample: &mut Sample) -> Result<(), Error> {
        self.log.lock().unwrap().push(used());
        self.sampler.sample(schema, sample).map_err(|error| Error::system(error.to_string(), ""))
    }
    fn renew(&mut self) -> Result<(), Error> {
        Ok(())
    }
    fn watch_pid(&mut self, _: u32) {}
    fn watch_cgroup(&mut self, _: &Path) {}
}

/// Takes everything and keeps the text of the marks.
struct Marks(Arc<Mutex<Vec<Mark>>>);

impl Sink for Marks {
    fn begin(&mut self, _: &Manifest) -> Result<(), Error> {
        Ok(())
    }
    fn sample(&mut self, _: &Schema, _: &Sample) -> Result<(), Error> {
        Ok(())
    }
    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        self.0.lock().unwrap().push(mark.clone());
        Ok(())
    }
    fn finish(&mut self, _: &Manifest) -> Result<(), Error> {
        Ok(())
    }
}

const WARM: usize = 10;
const WINDOW: usize = 50;
const WINDOWS: usize = 4;

/// One test in this binary: memory is locked for the process as a whole.
#[test]
fn a_warm_sampling_thread_neither_allocates_nor_faults() {
    let (log, marks) = (Arc::new(Mutex::new(Vec::with_capacity(1000))), Arc::new(Mutex::new(Vec::new())));
    let made = {
        let log = Arc::clone(&log);
        let processes = Processes::Tree(vec![std::process::id()]);
        let watch = Watch { processes, ..Watch::default() };
        move || Ok(Watched { sampler: Sampler::new(&Root::host(), watch).unwrap(), log })
    };
    // On the schedule as well as on request: both paths are taken.
    let manifest = Manifest { interval: Nanos::new(2_000_000), ..Manifest::default() };
    let sink = Box::new(Marks(Arc::clone(&marks)));
    let recorder = Recorder::with_probe(made, manifest, Protection::default(), sink).unwrap();
    while log.lock().unwrap().len() <= WARM + WINDOWS * WINDOW {
        recorder.sample_now();
    }
    let locked = locked_memory();
    recorder.finish().unwrap();
    assert_eq!(*marks.lock().unwrap(), [], "everything that was asked for was granted: run as root");
    assert!(locked > 0, "memory is locked");

    let log = log.lock().unwrap();
    let windows: Vec<_> = (0..WINDOWS).map(|at| (log[WARM + at * WINDOW], log[WARM + (at + 1) * WINDOW])).collect();
    for (before, after) in &windows {
        assert_eq!(before.allocations, after.allocations, "allocations: {windows:#?}");
    }
    // The kernel may move a page while it is being touched (compaction), which counts as a fault: one window may have that.
    let still = windows.iter().filter(|(before, after)| before.page_faults == after.page_faults).count();
    assert!(still >= WINDOWS - 1, "page faults: {windows:#?}");
}

/// `VmLck` of this process in kB.
fn locked_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmLck:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}
