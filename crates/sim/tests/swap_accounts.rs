//! What is counted of memory in swap: of a control group, of a process and of zram.

mod lab;

use lab::{Holder, Lab, MIB, Script};
use pagetide_core::{Bytes, BytesPerSecond, Nanos, Table};
use pagetide_sim::workload::{Grow, Tally};
use pagetide_sim::{Access, AreaId, Done, GroupId, Host, MachineSpec, Op, Program, Release, Rng, TaskId};
use std::collections::BTreeMap;

const SECOND: u64 = 1_000_000_000;

/// Fills memory, then touches random pages of it.
#[derive(Debug)]
struct Toucher {
    pages: u64,
    pause: Nanos,
    area: Option<AreaId>,
    rng: Rng,
    slept: bool,
}

impl Program for Toucher {
    fn next(&mut self, host: &mut Host, me: TaskId, now: Nanos, _: Done) -> Op {
        let Some(area) = self.area else {
            let area = *self.area.insert(host.map_anon(me, self.pages, false).unwrap());
            return Op::Touch { area, page: 0, count: self.pages, access: Access::Write };
        };
        self.slept = !self.slept;
        if self.slept {
            return Op::SleepUntil(now.saturating_add(self.pause));
        }
        let access = if self.rng.below(4) == 0 { Access::Write } else { Access::Read };
        Op::Touch { area, page: self.rng.below(self.pages), count: 1, access }
    }
}

/// The sum of some metrics in MiB, by row of a table.
fn mib(lab: &Lab, of: Table, metrics: &[&str]) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    lab.sim.counters(&mut |table, row, metric, value| {
        if table == of && metrics.contains(&metric) {
            *sums.entry(row.to_owned()).or_default() += value.cast_unsigned();
        }
    });
    sums.into_iter().map(|(row, sum): (_, u64)| (row, sum >> 20)).collect()
}

/// A machine of 128 MiB in which two control groups hold 90 MiB each.
fn crowded() -> (Lab, [TaskId; 2]) {
    let device = lab::disk(Nanos::new(100_000), None, Some(BytesPerSecond::new(400_000_000)));
    let mut lab = Lab::new(MachineSpec::new(2, Bytes::new(128 * MIB * 4096)), device);
    lab.swap(512 * MIB);
    let tasks = [("one", 10_000), ("two", 200_000)].map(|(name, pause)| {
        let group = lab.sim.host_mut().add_group(name, GroupId::ROOT).unwrap();
        let pause = Nanos::new(pause);
        let program = Toucher { pages: 90 * MIB, pause, area: None, rng: Rng::new(pause.get()), slept: false };
        lab.sim.spawn(Box::new(program), group)
    });
    (lab, tasks)
}

#[test]
fn the_swap_of_a_group_is_what_its_own_pages_take_and_nothing_once_they_are_gone() {
    let (mut lab, tasks) = crowded();
    lab.sim.run(Nanos::new(3 * SECOND));
    let counters = lab.counters();
    let used = (counters["SwapTotal"] - counters["SwapFree"]) >> 20;
    let swapped = |lab: &Lab| mib(lab, Table::Cgroup, &["swap"]);
    let of_groups: u64 = swapped(&lab).values().sum();
    assert!(used > 30 && used.abs_diff(of_groups) <= 1, "{used} MiB in swap, {of_groups} of the groups");
    lab.sim.kill(tasks[0]);
    assert_eq!(swapped(&lab)["one"], 0);
    lab.sim.kill(tasks[1]);
    assert_eq!(swapped(&lab)["two"], 0);
}

#[test]
fn memory_of_a_process_is_in_memory_or_in_swap() {
    let (mut lab, _) = crowded();
    for second in 2..12 {
        lab.sim.run(Nanos::new(second * SECOND));
        let mut held = mib(&lab, Table::Process, &["RssAnon", "VmSwap"]);
        held.retain(|row, _| row.ends_with("/program"));
        assert_eq!(held.into_values().collect::<Vec<_>>(), [90, 90], "at {second} s");
    }
}

#[test]
fn swapoff_maps_what_was_in_swap() {
    for compressed in [false, true] {
        let device = lab::disk(Nanos::new(100_000), None, None);
        let mut lab = Lab::new(MachineSpec::new(1, Bytes::new(128 * MIB * 4096)), device);
        if compressed {
            lab.sim.host_mut().swap_on_zram(Bytes::new(512 * MIB * 4096), 50, 100).unwrap();
        } else {
            lab.swap(512 * MIB);
        }
        let [_, large] = [60, 80].map(|mib| {
            let program = Holder { pages: mib * MIB, touched: false };
            lab.sim.spawn(Box::new(program), GroupId::ROOT)
        });
        lab.sim.run(Nanos::new(3 * SECOND));
        lab.sim.kill(large);
        let held = |lab: &Lab, metric| mib(lab, Table::Process, &[metric]).into_values().max();
        assert!(held(&lab, "VmSwap") > Some(0), "compressed: {compressed}");
        lab.run(Script(vec![Op::SwapOff]));
        assert_eq!((held(&lab, "VmSwap"), held(&lab, "RssAnon")), (Some(0), Some(60)), "compressed: {compressed}");
    }
}

#[test]
fn pages_of_zeros_that_leave_zram_free_no_memory_of_others() {
    for release in [Release::V6_1, Release::V6_12] {
        let mut spec = MachineSpec::new(1, Bytes::new(128 * MIB * 4096));
        spec.release = release;
        let mut lab = Lab::new(spec, lab::disk(Nanos::new(100_000), None, None));
        lab.sim.host_mut().swap_on_zram(Bytes::new(1024 * MIB * 4096), 50, 100).unwrap();
        lab.sim.spawn(Box::new(Holder { pages: 60 * MIB, touched: false }), GroupId::ROOT);
        lab.sim.run(Nanos::new(SECOND));
        let grow = Grow::new(400 * MIB, 0, Nanos::new(3_600 * SECOND), true, Tally::shared());
        let zeros = lab.sim.spawn(Box::new(grow), GroupId::ROOT);
        lab.sim.run(Nanos::new(3 * SECOND));
        let zspages = |lab: &Lab| lab.counters()["nr_zspages"];
        let before = zspages(&lab);
        assert!(before > 20 * MIB, "{release:?}: {before} pages");
        lab.sim.kill(zeros);
        assert_eq!(zspages(&lab), before, "{release:?}");
    }
}
