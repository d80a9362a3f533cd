//! Taking a sample allocates nothing once every line has been seen. A binary of its own: it counts every allocation.
#![allow(unsafe_code)]

use pagetide_core::{Sample, Schema};
use pagetide_kernel::{Processes, Root, Sampler, Watch};
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call goes on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are the ones that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above; the block came from the system's allocator.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(watch: Watch) -> u64 {
    let mut sampler = Sampler::new(&Root::host(), watch).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    for _ in 0..5 {
        sampler.sample(&mut schema, &mut sample).unwrap();
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    for _ in 0..100 {
        sampler.sample(&mut schema, &mut sample).unwrap();
    }
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

/// One test, so that no other thread allocates meanwhile.
#[test]
fn a_hundred_samples_allocate_nothing() {
    assert!(ALLOCATIONS.load(Ordering::Relaxed) > 0, "the allocator counts");
    // Other processes that come and go during a hundred samples cannot be helped: try again when they do.
    let cgroup = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"].into_iter().map(PathBuf::from);
    let watch = Watch {
        cgroups: cgroup.filter(|path| path.join("memory.stat").exists()).collect(),
        processes: Processes::Tree(vec![std::process::id()]),
    };
    let counts: Vec<u64> = (0..5).map(|_| count(watch.clone())).collect();
    assert!(counts.contains(&0), "allocations in 100 samples, five times: {counts:?}");
}
