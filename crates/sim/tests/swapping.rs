//! A program with more memory and code than the machine has, as step D2 of the scenario `swap-off` at 1/16: counts against one run
//! of it in a virtual machine with Linux 6.1, by each LRU.

mod lab;

use lab::{Lab, MIB, Random, Walk, shuffle};
use pagetide_core::{Bytes, BytesPerSecond, HugePages, Lru, Nanos};
use pagetide_sim::workload::{Grow, Tally};
use pagetide_sim::{Access, GroupId, MachineSpec, Mechanisms, Release};
use std::collections::BTreeMap;

fn machine(lru: Lru) -> MachineSpec {
    // An initramfs of 135 MiB, and 947 MiB available.
    let mut spec = MachineSpec::new(2, Bytes::new(1186 * MIB * 4096));
    spec.system_files = Bytes::new(135 * MIB * 4096);
    spec.system = Bytes::new(32 * MIB * 4096);
    spec.huge_pages = HugePages::Madvise;
    spec.lru = lru;
    // CPUs that are emulated in software.
    spec.costs = spec.costs.times(20.0);
    spec
}

fn d2(spec: MachineSpec) -> BTreeMap<String, u64> {
    let device = lab::disk(Nanos::new(250_000), None, Some(BytesPerSecond::new(500_000_000)));
    let mut lab = Lab::new(spec, device);
    lab.swap(1024 * MIB);
    let code = lab.file(192 * MIB);
    let mut got = lab.measure(Walk::new(code, 896 * MIB, 11 * 64 * MIB), GroupId::ROOT, Nanos::new(240_000_000_000));
    got.insert("scanned".to_owned(), got["pgscan_kswapd"] + got["pgscan_direct"]);
    got.insert("stolen".to_owned(), got["pgsteal_kswapd"] + got["pgsteal_direct"]);
    got
}

/// Whether counts are within some per mille of the virtual machine's.
fn near(got: &BTreeMap<String, u64>, vm: &[(&str, u64)], per_mille: u64) {
    for (name, vm) in vm {
        let model = got[*name];
        assert!(model.abs_diff(*vm) * 1000 <= vm * per_mille, "{name}: {model} against {vm}");
    }
}

#[test]
fn the_classic_lists_swap_and_refault_as_in_the_virtual_machine() {
    let vm = [
        ("reads", 74_070),
        ("pswpin", 176_475),
        ("pswpout", 213_308),
        ("scanned", 879_698),
        ("stolen", 334_992),
        ("workingset_refault_file", 121_630),
    ];
    near(&d2(machine(Lru::Classic)), &vm, 30);
}

#[test]
fn generations_swap_and_refault_as_in_the_virtual_machine() {
    let vm = [("reads", 25_307), ("pswpin", 176_114), ("pswpout", 214_565), ("stolen", 220_335)];
    let got = d2(machine(Lru::Mglru));
    near(&got, &vm, 50);
    // A few of the pages that are read: two runs of 6.12 have 10 993 and 12 581.
    near(&got, &[("workingset_refault_file", 8_751)], 700);
}

#[test]
fn zeros_are_swapped_without_being_written_since_6_12() {
    for (release, zeros, written) in
        [(Release::V6_12, true, false), (Release::V6_12, false, true), (Release::V6_1, true, true)]
    {
        let mut spec = MachineSpec::new(1, Bytes::new(64 * MIB * 4096));
        spec.release = release;
        let mut lab = Lab::new(spec, lab::disk(Nanos::new(100_000), None, None));
        lab.swap(128 * MIB);
        let grow = Grow::new(96 * MIB, 0, Nanos::ZERO, zeros, Tally::shared());
        let got = lab.measure(grow, GroupId::ROOT, Nanos::new(240_000_000_000));
        let anon = got["pgsteal_anon"];
        assert!(anon > 16 * MIB, "{release:?}: {anon} pages left memory");
        assert_eq!(got["pswpout"] > 0, written, "{release:?} zeros {zeros}: {} pages written", got["pswpout"]);
    }
}

#[test]
fn without_shadows_it_thrashes() {
    let mut spec = machine(Lru::Classic);
    spec.mechanisms = Mechanisms::without("shadows").unwrap();
    let got = d2(spec);
    assert!(got["reads"] > 3 * 74_070 || got["reads"] * 3 < 74_070, "{} reads", got["reads"]);
}

/// The most requests in flight, and the fewest reads in a second, while a program grows to twice the memory beside one that reads the disk to which it is
/// swapped.
fn burst(lru: Lru, release: Release) -> (u64, u64) {
    let mut spec = MachineSpec::new(2, Bytes::new(512 * MIB * 4096));
    spec.system = Bytes::new(100 * MIB * 4096);
    (spec.lru, spec.release) = (lru, release);
    let device = lab::disk(Nanos::new(370_000), Some(3000), Some(BytesPerSecond::new(125_000_000)));
    let mut lab = Lab::new(spec, device);
    let file = lab.file(1024 * MIB);
    lab.swap(1024 * MIB);
    let reads = Random::new(file, Access::Read, shuffle(512 * MIB, 1));
    lab.sim.spawn(Box::new(reads), GroupId::ROOT);
    let grow = Grow::new(1024 * MIB, 0, Nanos::ZERO, false, Tally::shared());
    let grows = lab.sim.spawn(Box::new(grow), GroupId::ROOT);
    let (mut deepest, mut fewest, mut before) = (0, u64::MAX, 0);
    for tenth in 1..100 {
        lab.sim.run_task_to_end(grows, Nanos::new(tenth * 100_000_000));
        if lab.sim.exited(grows) {
            break;
        }
        let now = lab.counters();
        deepest = deepest.max(now["in_flight"]);
        if tenth % 10 == 0 {
            fewest = fewest.min(now["reads"] - before);
            before = now["reads"];
        }
    }
    assert!(before > 0, "it took a second at least");
    (deepest, fewest)
}

#[test]
fn reclaim_waits_until_the_disk_takes_what_it_swaps() {
    for (lru, release) in [
        (Lru::Classic, Release::V6_1),
        (Lru::Classic, Release::V6_12),
        (Lru::Mglru, Release::V6_1),
        (Lru::Mglru, Release::V6_12),
    ] {
        let (deepest, fewest) = burst(lru, release);
        assert!(deepest <= 256, "{lru:?} {release:?}: {deepest} in flight");
        // Writeback is throttled so that a read takes 75 ms, and learns that in steps.
        assert!(fewest >= 4, "{lru:?} {release:?}: {fewest} reads in a second");
    }
}

#[test]
fn generations_that_are_on_their_way_to_swap_keep_the_cpus_busy() {
    let mut spec = MachineSpec::new(2, Bytes::new(96 * MIB * 4096));
    spec.system = Bytes::new(32 * MIB * 4096);
    spec.lru = Lru::Mglru;
    let device = lab::disk(Nanos::new(370_000), Some(3000), Some(BytesPerSecond::new(125_000_000)));
    let mut lab = Lab::new(spec, device);
    lab.swap(256 * MIB);
    let grow = Grow::new(128 * MIB, 0, Nanos::ZERO, false, Tally::shared());
    lab.measure(grow, GroupId::ROOT, Nanos::new(10_000_000_000));
    // A step moves thousands of pages, at 60 ns each.
    let steps = lab.sim.steps();
    assert!(steps < 6_000, "{steps} steps in {}", lab.sim.now());
}
