//! Pressure stall information of a program that waits for its disk.

mod lab;

use lab::{Lab, MIB, Random, shuffle};
use pagetide_core::{Bytes, Nanos};
use pagetide_sim::{Access, GroupId, MachineSpec};

/// The share of the time in which tasks waited for IO while a program reads alone, in thousandths.
fn io_some(cpus: u32) -> u64 {
    let mut lab =
        Lab::new(MachineSpec::new(cpus, Bytes::new(256 * MIB * 4096)), lab::disk(Nanos::new(370_000), None, None));
    let file = lab.file(64 * MIB);
    let some = |lab: &Lab| lab.counters()["psi_io_some"];
    let (began, before) = (lab.sim.now().get() / 1000, some(&lab));
    lab.measure(Random::new(file, Access::Read, shuffle(32 * MIB, 1)), GroupId::ROOT, Nanos::new(2_000_000_000));
    (some(&lab) - before) * 1000 / (lab.sim.now().get() / 1000 - began)
}

#[test]
fn one_reader_waits_as_long_with_any_number_of_cpus() {
    let one = io_some(1);
    assert!(one > 900, "{one}");
    assert_eq!([2, 16].map(io_some), [one; 2]);
}
