//! What is known without a kernel: uniform reads hit as often as the cache's share of the file, whatever the policy; and no policy
//! reads less than Belady's.

mod lab;

use lab::{Lab, Random};
use pagetide_core::{Bytes, Lru, Nanos};
use pagetide_sim::{Access, GroupId, MachineSpec, Rng};
use std::collections::{BTreeMap, BTreeSet};

fn machine(lru: Lru) -> Lab {
    let mut spec = MachineSpec::new(1, Bytes::new(64 << 20));
    spec.lru = lru;
    spec.mechanisms.readahead = false;
    Lab::new(spec, lab::disk(Nanos::new(100_000), None, None))
}

#[test]
fn uniform_reads_hit_as_often_as_the_cache_has_of_the_file() {
    for lru in [Lru::Classic, Lru::Mglru] {
        let mut lab = machine(lru);
        let blocks = 16_384;
        let file = lab.file(2 * blocks);
        let mut rng = Rng::new(11);
        let mut draw = |count: u64| -> Vec<u64> { (0..count).map(|_| rng.below(blocks)).collect() };
        lab.run(Random::new(file, Access::Read, draw(3 * blocks)));
        let cached = lab.sim.host().cached_pages(file);
        let count = 3 * blocks;
        let got = lab.measure(Random::new(file, Access::Read, draw(count)), GroupId::ROOT, Nanos::new(1 << 50));
        let misses = got["reads"] as f64 / count as f64;
        let theory = 1.0 - cached as f64 / (2 * blocks) as f64;
        assert!((misses - theory).abs() < 0.015, "{lru:?}: {misses} of reads miss, {theory} in theory");
    }
}

/// Misses of the policy that knows the future, with a cache of so many blocks.
fn belady(trace: &[u64], size: usize) -> u64 {
    let mut next = vec![usize::MAX; trace.len()];
    let mut seen = BTreeMap::new();
    for at in (0..trace.len()).rev() {
        if let Some(later) = seen.insert(trace[at], at) {
            next[at] = later;
        }
    }
    let mut cached: BTreeMap<u64, usize> = BTreeMap::new();
    let mut by_next: BTreeSet<(usize, u64)> = BTreeSet::new();
    let mut misses = 0;
    for (at, block) in trace.iter().enumerate() {
        if let Some(when) = cached.remove(block) {
            by_next.remove(&(when, *block));
        } else {
            misses += 1;
            if cached.len() == size
                && let Some((_, far)) = by_next.pop_last()
            {
                cached.remove(&far);
            }
        }
        cached.insert(*block, next[at]);
        by_next.insert((next[at], *block));
    }
    misses
}

#[test]
fn no_policy_beats_the_one_that_knows_the_future() {
    for lru in [Lru::Classic, Lru::Mglru] {
        let mut lab = machine(lru);
        let blocks = 16_384_u64;
        let file = lab.file(2 * blocks);
        let mut rng = Rng::new(12);
        // Skewed: the smaller of three draws.
        let trace: Vec<u64> = (0..4 * blocks).map(|_| (0..3).map(|_| rng.below(blocks)).min().unwrap()).collect();
        // The cache can hold all memory at most.
        let most = 64 * 256 / 2;
        let got = lab.measure(Random::new(file, Access::Read, trace.clone()), GroupId::ROOT, Nanos::new(1 << 50));
        let best = belady(&trace, most);
        assert!(got["reads"] >= best, "{lru:?}: {} reads, {best} at best", got["reads"]);
        assert!(got["reads"] < 4 * best, "{lru:?}: {} reads, {best} at best", got["reads"]);
    }
}
