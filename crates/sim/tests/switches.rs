//! Each mechanism decides something: switched off, it moves a figure of one of these small scenarios by 2 % or more.

mod lab;

use lab::{Holder, Lab, MIB, Random, Script, Stream, Walk, dropper, shuffle};
use pagetide_core::{Bytes, BytesPerSecond, HugePages, Nanos};
use pagetide_sim::disk::Disk;
use pagetide_sim::{Access, DeviceId, FileId, FileSpec, GroupId, MachineSpec, Mechanisms, Op, QueueSpec};
use std::collections::BTreeMap;

const LONG: Nanos = Nanos::new(1 << 50);

fn disk(bandwidth: u64) -> Disk {
    lab::disk(Nanos::new(200_000), None, Some(BytesPerSecond::new(bandwidth)))
}

fn machine(mib: u64, mechanisms: Mechanisms) -> MachineSpec {
    let mut spec = MachineSpec::new(2, Bytes::new(mib * MIB * 4096));
    spec.mechanisms = mechanisms;
    spec.costs = spec.costs.times(10.0);
    spec
}

/// The figures that are compared.
fn figures(got: &BTreeMap<String, u64>) -> Vec<u64> {
    let names = [
        "elapsed_ms",
        "reads",
        "writes",
        "write_sectors",
        "pswpin",
        "pswpout",
        "pgscan_kswapd",
        "pgsteal_kswapd",
        "pgmajfault",
        "workingset_refault_file",
        "workingset_nodereclaim",
        "nr_dirtied",
    ];
    names.iter().map(|name| got[*name]).collect()
}

/// More memory and code than there is, with swap.
fn swapping(mechanisms: Mechanisms) -> Vec<u64> {
    let mut spec = machine(96, mechanisms);
    spec.huge_pages = HugePages::Never;
    let mut lab = Lab::new(spec, disk(500_000_000));
    lab.swap(128 * MIB);
    let code = lab.file(20 * MIB);
    figures(&lab.measure(Walk::new(code, 84 * MIB, 120_000), GroupId::ROOT, LONG))
}

/// A service that used its pages twice, beside a stream; then the service again.
fn neighbours(mechanisms: Mechanisms) -> Vec<u64> {
    let mut lab = Lab::new(machine(64, mechanisms), disk(400_000_000));
    let service = lab.sim.host_mut().add_group("service", GroupId::ROOT).unwrap();
    let backup = lab.sim.host_mut().add_group("backup", GroupId::ROOT).unwrap();
    let (index, everything) = (lab.file(32 * MIB), lab.file(160 * MIB));
    let mut all = Vec::new();
    for twice in [false, true] {
        lab.run(dropper());
        for _ in 0..1 + u64::from(twice) {
            let mut pass = Walk::new(index, 0, 32 * MIB);
            pass.shuffled = Some(shuffle(32 * MIB, 1));
            all.extend(figures(&lab.measure(pass, service, LONG)));
        }
        let mut stream = Stream::new(everything);
        stream.block = 16 << 10;
        all.extend(figures(&lab.measure(stream, backup, LONG)));
        all.push(lab.sim.host().cached_pages(index));
    }
    all
}

/// Random reads of more than memory, one page in each leaf of the index: shadows outnumber pages.
fn sparse(mechanisms: Mechanisms) -> Vec<u64> {
    let mut lab = Lab::new(machine(40, mechanisms), disk(400_000_000));
    let file = lab.file(4096 * MIB);
    let order: Vec<u64> = (0..16_384).map(|at| at * 32).collect();
    let got = lab.measure(Random::new(file, Access::Read, order), GroupId::ROOT, LONG);
    let mut all = figures(&got);
    all.push(lab.counters()["SReclaimable"]);
    all
}

/// Writers of a fast and of a slow disk, then half of the memory held and again.
fn writing(mechanisms: Mechanisms) -> Vec<u64> {
    let mut spec = machine(128, mechanisms);
    spec.sysctls.dirty_background_ratio = 3;
    let mut lab = Lab::new(spec, disk(60_000_000));
    let slow = lab.sim.add_device(Box::new(disk(4_000_000)), QueueSpec::new("vdb", Bytes::new(8 << 30)));
    let on = |lab: &mut Lab, device: DeviceId, blocks: u64, offset: u64| -> FileId {
        let size = Bytes::new(blocks * 8192);
        let spec = FileSpec { device, offset, size, allocated: true, block_device: false };
        lab.sim.host_mut().create_file(&spec).unwrap()
    };
    let mut all = Vec::new();
    for held in [0, 70 * MIB] {
        lab.run(dropper());
        lab.sim.host_mut().take_dirty_peak();
        if held > 0 {
            lab.sim.spawn(Box::new(Holder { pages: held, touched: false }), GroupId::ROOT);
            let until = Nanos::new(lab.sim.now().get() + 2_000_000_000);
            lab.sim.run(until);
        }
        let (fast_file, slow_file) = (lab.file(16_384), on(&mut lab, slow, 8_192, held << 12));
        let other = lab.sim.spawn(Box::new(Random::new(slow_file, Access::Write, shuffle(8_192, 2))), GroupId::ROOT);
        let writer = Random::new(fast_file, Access::Write, shuffle(8_192, 3));
        all.extend(figures(&lab.measure(writer, GroupId::ROOT, LONG)));
        while !lab.sim.exited(other) {
            lab.sim.run(LONG);
        }
        all.push(lab.sim.now().get() / 1_000_000);
        all.push(lab.sim.host_mut().take_dirty_peak());
    }
    all
}

/// A little that is dirty and left until it is old, beside commits that keep the device's share of the threshold up.
fn aging(mechanisms: Mechanisms) -> Vec<u64> {
    let mut lab = Lab::new(machine(128, mechanisms), disk(60_000_000));
    let (file, busy) = (lab.file(400), lab.file(1));
    let busy = lab.sim.host_mut().open(busy);
    let start = lab.sim.now().get();
    let each = |second: u64| {
        let wake = Op::SleepUntil(Nanos::new(start + second * 1_000_000_000));
        [Op::Write { handle: busy, offset: 0, length: 4096 }, Op::Fsync(busy), wake]
    };
    lab.run(Script((1..6).flat_map(each).collect()));
    lab.run(Random::new(file, Access::Write, shuffle(100, 4)));
    lab.run(Script((6..60).flat_map(each).collect()));
    vec![lab.counters()["nr_written"]]
}

type Probe = fn(Mechanisms) -> Vec<u64>;

const PROBES: [Probe; 5] = [aging, writing, neighbours, sparse, swapping];

#[test]
fn every_mechanism_decides_a_figure() {
    let base: Vec<Vec<u64>> = PROBES.iter().map(|probe| probe(Mechanisms::default())).collect();
    let mut idle = Vec::new();
    for name in Mechanisms::NAMES {
        let without = Mechanisms::without(name).unwrap();
        let moved = PROBES.iter().zip(&base).any(|(probe, base)| {
            let got = probe(without);
            got.iter().zip(base).any(|(got, base)| got.abs_diff(*base) * 50 > *base && got.abs_diff(*base) > 50)
        });
        if !moved {
            idle.push(*name);
        }
    }
    assert!(idle.is_empty(), "nothing shows these mechanisms: {idle:?}");
}
