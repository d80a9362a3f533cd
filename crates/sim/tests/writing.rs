//! Random writes that outrun a slow disk, as in the scenario `buffered-write` at 1/16: against runs of it in a virtual machine with
//! Linux 6.1, A7 on an idle host: the load of the host moves its time by half.

mod lab;

use lab::{Holder, Lab, Random, dropper, shuffle};
use pagetide_core::{Bytes, BytesPerSecond, Nanos};
use pagetide_sim::{Access, GroupId, MachineSpec, Mechanisms, PlainDevice};

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
    let device = PlainDevice::new(Nanos::new(5_920_000), Some(187), Some(BytesPerSecond::new(7_812_500)));
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
