//! The pool of huge pages (`vm.nr_hugepages`): where it takes its memory, and when it stops.

mod lab;

use lab::{Lab, MIB, Stream};
use pagetide_core::{Bytes, BytesPerSecond, Nanos};
use pagetide_sim::workload::Script;
use pagetide_sim::{MachineSpec, Op};

/// MiB in the pool, in the page cache and free, and tasks that were killed, after the pool was set to these sizes one after the other.
fn pools(sizes: &[u64]) -> [u64; 4] {
    let spec = MachineSpec::new(1, Bytes::new(256 << 20));
    let device = lab::disk(Nanos::new(100_000), None, Some(BytesPerSecond::new(400_000_000)));
    let mut lab = Lab::new(spec, device);
    let file = lab.file(150 * MIB);
    lab.run(Stream::new(file));
    for size in sizes {
        lab.run(Script::new([Op::ResizePool { pages: size * MIB }]));
    }
    let counters = lab.counters();
    let of = |metric: &str| counters[metric] >> 20;
    [of("Hugetlb"), of("Cached"), of("MemFree"), counters["oom_kill"]]
}

#[test]
fn a_pool_takes_free_memory_first_and_then_that_of_the_cache() {
    let [_, cached, free, _] = pools(&[]);
    let [pool, left, ..] = pools(&[free / 2]);
    assert_eq!((pool, left), (free / 2, cached), "there was room");
    let [pool, left, _, killed] = pools(&[free + 60]);
    assert_eq!((pool, killed), (free + 60, 0));
    assert!(left <= cached - 60, "{left} of {cached} MiB are left in the cache");
}

#[test]
fn a_pool_gets_what_there_is_and_gives_back_what_it_does_not_need() {
    let [pool, left, _, killed] = pools(&[4096]);
    assert!((180..256).contains(&pool) && left < 20, "{pool} MiB in the pool, {left} in the cache");
    assert_eq!(killed, 0, "nobody is killed for it");
    let [pool, _, free, _] = pools(&[128, 16]);
    assert!(pool == 16 && free >= 100, "{pool} MiB in the pool, {free} free");
}
