//! Random writes that outrun a slow disk, as in the scenario `buffered-write` at 1/16: against runs of it in a virtual machine with
//! Linux 6.1, A7 on an idle host: the load of the host moves its time by half.

mod lab;

use lab::{Holder, Lab, MIB, Random, Script, dropper, shuffle};
use pagetide_core::{Bytes, BytesPerSecond, Nanos};
use pagetide_sim::{Access, GroupId, MachineSpec, Mechanisms, Op, Rng};

/// Time in ms, writes, pages written and peak of dirty and writeback pages.
type Figures = [u64; 4];

struct Steps {
    a7: Figures,
    settled: Figures,
    a10: Figures,
}

fn write(lab: &mut Lab, blocks: u64) -> Figures {
    let file = lab.file(blocks * 2);
    lab.run(dropper());
    lab.sim.host_mut().take_dirty_peak();
    let writer = Random::new(file, Access::Write, shuffle(blocks, 3));
    let got = lab.measure(writer, GroupId::ROOT, Nanos::new(1 << 50));
    [got["elapsed_ms"], got["writes"], got["write_sectors"] / 8, lab.sim.host_mut().take_dirty_peak()]
}

fn steps(mechanisms: Mechanisms) -> Steps {
    let mut spec = MachineSpec::new(2, Bytes::new(114_630 * 4096));
    spec.system_files = Bytes::new(34_599 * 4096);
    spec.sysctls.dirty_ratio = 30;
    // A write of 8 KiB below the background threshold took 285 us.
    spec.costs = spec.costs.times(75.0);
    spec.mechanisms = mechanisms;
    let device = lab::disk(Nanos::new(5_920_000), Some(187), Some(BytesPerSecond::new(7_812_500)));
    let mut lab = Lab::new(spec, device);
    // 46 884 pages are free; the dirty limit is that of the boot, when more was free.
    lab.sim.host_mut().take_memory(Bytes::new((114_630 - 34_599 - 46_884) * 4096)).unwrap();
    let a7 = write(&mut lab, 16_384);
    lab.sim.spawn(Box::new(Holder { pages: 32_000, touched: false }), GroupId::ROOT);
    let until = Nanos::new(lab.sim.now().get() + 10_000_000_000);
    lab.sim.run(until);
    // While the limit falls.
    write(&mut lab, 16_384);
    write(&mut lab, 8_192);
    let settled = write(&mut lab, 8_192);
    let a10 = write(&mut lab, 4_000);
    Steps { a7, settled, a10 }
}

fn near(step: &str, model: Figures, vm: Figures, percents: [u64; 4]) {
    for ((model, vm), percent) in model.iter().zip(vm).zip(percents) {
        assert!(model.abs_diff(vm) * 100 <= vm * percent, "{step}: {model} against {vm}");
    }
}

#[test]
fn writers_are_throttled_as_in_the_virtual_machine() {
    let steps = steps(Mechanisms::default());
    // More requests at once are shorter ones.
    near("A9_settled", steps.settled, [24_532, 4_128, 14_381, 3_166], [10, 15, 10, 10]);
    near("A10", steps.a10, [6_390, 1_182, 5_899, 2_487], [20; 4]);
    // The stored runs have 1 062 and 1 460 writes.
    near("A7", steps.a7, [8_890, 1_261, 13_573, 20_443], [20; 4]);
    assert!(steps.a7[3] > 13_683, "the old limit lets A7 exceed its threshold");
}

#[test]
fn the_limit_of_the_boot_lets_a_writer_exceed_its_threshold() {
    let steps = steps(Mechanisms::without("slow_dirty_limit").unwrap());
    assert!(steps.a7[3] < 15_000, "{:?}", steps.a7);
}

#[test]
fn a_sync_waits_for_pages_that_are_under_writeback_and_writes_those_that_are_dirty_again() {
    let mut spec = MachineSpec::new(2, Bytes::new(256 * MIB * 4096));
    spec.sysctls.set("vm.dirty_background_ratio", 1).unwrap();
    let device = lab::disk(Nanos::new(2_000_000), Some(300), Some(BytesPerSecond::new(20_000_000)));
    let mut lab = Lab::new(spec, device);
    let file = lab.file(16 * MIB);
    let handle = lab.sim.host_mut().open(file);
    let mut rng = Rng::new(1);
    let mut ops = Vec::new();
    for _ in 0..4 {
        let write = |_| Op::Write { handle, offset: rng.below(16 * MIB) * 4096, length: 4096 };
        ops.extend((0..32 * MIB).map(write));
        ops.push(Op::Fsync(handle));
    }
    let task = lab.sim.spawn(Box::new(Script(ops)), GroupId::ROOT);
    assert!(lab.sim.run_task_to_end(task, Nanos::new(600_000_000_000)), "the last fsync returns");
    let after = lab.counters();
    assert_eq!((after["nr_dirty"], after["nr_writeback"], after["in_flight"]), (0, 0, 0));
}

#[test]
fn a_flusher_sleeps_while_all_that_is_dirty_is_on_its_way() {
    let mut spec = MachineSpec::new(2, Bytes::new(64 * MIB * 4096));
    // Nobody is throttled, and the flusher is above its threshold all the time.
    spec.sysctls.set("vm.dirty_background_bytes", 1 << 16).unwrap();
    spec.sysctls.set("vm.dirty_bytes", 32 << 20).unwrap();
    let mut lab = Lab::new(spec, lab::disk(Nanos::new(100_000), None, Some(BytesPerSecond::new(125_000_000))));
    let file = lab.file(2 * MIB);
    let handle = lab.sim.host_mut().open(file);
    let mut rng = Rng::new(1);
    let writes = 20_000;
    let ops = (0..writes).map(|_| Op::Write { handle, offset: rng.below(2 * MIB) * 4096, length: 4096 }).collect();
    let before = lab.sim.steps();
    let got = lab.measure(Script(ops), GroupId::ROOT, Nanos::new(60_000_000_000));
    // It looked for pages again in every nanosecond.
    let steps = lab.sim.steps() - before;
    assert!(steps < writes, "{steps} steps in {} ms", got["elapsed_ms"]);
    assert!(got["nr_dirtied"] > 2 * MIB, "pages were dirtied on their way to the disk: {got:?}");
    lab.sim.run(lab.sim.now().saturating_add(Nanos::new(60_000_000_000)));
    let after = lab.counters();
    assert_eq!((after["nr_dirty"], after["nr_writeback"]), (0, 0));
}
