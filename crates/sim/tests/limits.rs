//! Limits of a group's IO, flushes of a device and commits of a journal, against what their definitions say.

mod lab;

use lab::{Holder, Lab, MIB, Random, Script, Stream, dropper, shuffle};
use pagetide_core::{Bytes, BytesPerSecond, Nanos};
use pagetide_sim::disk::{Disk, Limits};
use pagetide_sim::{
    Access, AreaId, CpuLimit, DeviceId, Done, FileSpec, GroupId, GroupLimits, Host, IoLimits, MachineSpec, Op, Program,
    QueueSpec, TaskId,
};
use std::collections::BTreeMap;

const LONG: Nanos = Nanos::new(1 << 50);
const MB: u64 = 1_000_000;

fn lab() -> Lab {
    Lab::new(
        MachineSpec::new(2, Bytes::new(512 * MIB * 4096)),
        lab::disk(Nanos::new(100_000), None, Some(BytesPerSecond::new(400 * MB))),
    )
}

fn group(lab: &mut Lab, name: &str, limits: IoLimits) -> GroupId {
    let group = lab.sim.host_mut().add_group(name, GroupId::ROOT).unwrap();
    lab.sim.host_mut().set_io_limits(group, lab.disk, limits);
    group
}

fn rate(bytes: u64) -> Option<BytesPerSecond> {
    Some(BytesPerSecond::new(bytes))
}

/// What a group has transferred, by the names of `io.stat`.
fn io_of(lab: &Lab, group: &str) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    lab.sim.counters(&mut |table, row, metric, value| {
        if table == pagetide_core::Table::CgroupDisk && row == format!("{group}\tvda") {
            all.insert(metric.to_owned(), value.cast_unsigned());
        }
    });
    all
}

#[test]
fn reads_of_a_group_take_their_limit_and_its_neighbour_does_not() {
    let mut lab = lab();
    let limited = group(&mut lab, "limited", IoLimits { read: rate(10 * MB), ..IoLimits::default() });
    let other = group(&mut lab, "other", IoLimits::default());
    let (mine, theirs) = (lab.file(10_000), lab.file(50_000));
    let slow = lab.sim.spawn(Box::new(Stream::new(mine)), limited);
    let got = lab.measure(Stream::new(theirs), other, LONG);
    // 205 MB at 400 MB/s, less what the limited group takes.
    assert!((500..620).contains(&got["elapsed_ms"]), "{got:?}");
    assert!(lab.sim.run_task_to_end(slow, LONG));
    // 41 MB at 10 MB/s.
    let took = lab.sim.now().get() / 1_000_000;
    assert!((3_900..4_300).contains(&took), "{took} ms");
    assert_eq!(io_of(&lab, "limited")["max_rbps"], 10 * MB);
    assert!(!io_of(&lab, "other").contains_key("max_rbps"));
}

#[test]
fn requests_of_a_group_are_counted_by_its_limit() {
    let mut lab = lab();
    let limited = group(&mut lab, "limited", IoLimits { reads: Some(100), ..IoLimits::default() });
    let file = lab.file(4_000);
    let got = lab.measure(Random::new(file, Access::Read, shuffle(500, 3)), limited, LONG);
    assert!((4_700..5_200).contains(&got["elapsed_ms"]), "500 reads at 100/s: {got:?}");
    assert!(got["read_ms"] < 500, "a request that waits for its limit is in no queue of the device: {got:?}");
}

#[test]
fn buffered_writes_are_held_against_the_group_that_wrote() {
    let mut lab = lab();
    let limited = group(&mut lab, "limited", IoLimits { write: rate(5 * MB), ..IoLimits::default() });
    let file = lab.file(5_000);
    // Less than the dirty thresholds: the writer does not wait, its sync does.
    let got = lab.measure(Random::new(file, Access::Write, shuffle(2_500, 3)), limited, LONG);
    assert!(got["elapsed_ms"] < 300, "{got:?}");
    let handle = lab.sim.host_mut().open(file);
    // The root's sync writes pages of the group.
    let got = lab.measure(Script(vec![Op::Fsync(handle)]), GroupId::ROOT, LONG);
    assert!((3_900..4_300).contains(&got["elapsed_ms"]), "20.5 MB at 5 MB/s: {got:?}");
    assert_eq!(io_of(&lab, "limited")["wbytes"], 20_480_000);
}

#[test]
fn a_writer_beyond_the_dirty_threshold_is_as_slow_as_its_limit() {
    let mut lab = lab();
    let limited = group(&mut lab, "limited", IoLimits { write: rate(8 * MB), ..IoLimits::default() });
    let file = lab.file(100_000);
    let got = lab.measure(Random::new(file, Access::Write, shuffle(50_000, 3)), limited, LONG);
    let written = got["write_sectors"] * 512;
    let rate = written * 1000 / got["elapsed_ms"];
    assert!(rate < 9 * MB, "{rate} B/s");
    assert!(got["elapsed_ms"] > 30_000, "410 MB less what may be dirty, at 8 MB/s: {got:?}");
}

#[test]
fn a_limit_above_holds_for_all_below() {
    let mut lab = lab();
    let above = group(&mut lab, "above", IoLimits { read: rate(10 * MB), ..IoLimits::default() });
    let host = lab.sim.host_mut();
    let [one, other] = ["above/one", "above/other"].map(|name| host.add_group(name, above).unwrap());
    let (mine, theirs) = (lab.file(5_000), lab.file(5_000));
    let first = lab.sim.spawn(Box::new(Stream::new(mine)), one);
    lab.measure(Stream::new(theirs), other, LONG);
    lab.sim.run_task_to_end(first, LONG);
    let took = lab.sim.now().get() / 1_000_000;
    assert!((3_900..4_300).contains(&took), "41 MB at 10 MB/s together: {took} ms");
}

#[test]
fn a_limit_that_is_taken_away_lets_go_what_waits() {
    let mut lab = lab();
    let limited = group(&mut lab, "limited", IoLimits { read: rate(MB), ..IoLimits::default() });
    let file = lab.file(20_000);
    let reader = lab.sim.spawn(Box::new(Stream::new(file)), limited);
    lab.sim.run(Nanos::new(2_000_000_000));
    let disk = lab.disk;
    lab.sim.host_mut().set_io_limits(limited, disk, IoLimits::default());
    assert!(lab.sim.run_task_to_end(reader, Nanos::new(3_000_000_000)));
}

#[test]
fn a_group_above_its_share_of_a_cpu_waits_for_the_next_period() {
    let mut lab = lab();
    let host = lab.sim.host_mut();
    let above = host.add_group("above", GroupId::ROOT).unwrap();
    let below = host.add_group("above/below", above).unwrap();
    let limit = CpuLimit { quota: Nanos::new(20_000_000), period: Nanos::new(100_000_000) };
    host.set_cpu_limit(above, Some(limit));
    let work = || Script(vec![Op::Compute(Nanos::new(1_000_000_000))]);
    let held = lab.sim.spawn(Box::new(work()), below);
    let got = lab.measure(work(), GroupId::ROOT, LONG);
    assert!((1_000..1_050).contains(&got["elapsed_ms"]), "nobody is held but the group: {got:?}");
    assert!(lab.sim.run_task_to_end(held, LONG));
    let took = lab.sim.now().get() / 1_000_000;
    assert!((4_800..5_200).contains(&took), "1 s at a fifth of a CPU: {took} ms");
    let mut all = BTreeMap::new();
    lab.sim.counters(&mut |table, row, metric, value| {
        if table == pagetide_core::Table::Cgroup {
            all.insert(format!("{row} {metric}"), value);
        }
    });
    assert_eq!(all["above cpu_max"], 200_000);
    assert!((47..=50).contains(&all["above cpu_throttled"]) && all["above cpu_periods"] <= 50, "{all:?}");
    let waited = all["above/below psi_cpu_some"];
    assert!((3_800_000..4_200_000).contains(&waited), "{waited} of 5 s");
    assert!((waited - all["above cpu_throttled_time"]).abs() < 100_000, "{all:?}");
}

#[test]
fn who_waits_longest_for_a_cpu_has_it_next() {
    let mut lab = lab();
    let second = || Script(vec![Op::Compute(Nanos::new(1_000_000_000))]);
    let all: Vec<_> = (0..4).map(|_| lab.sim.spawn(Box::new(second()), GroupId::ROOT)).collect();
    // 2 ms of work every 20 ms, four times.
    let sleeps =
        (0..4).flat_map(|nth| [Op::SleepUntil(Nanos::new(nth * 20_000_000)), Op::Compute(Nanos::new(2_000_000))]);
    let got = lab.measure(Script(sleeps.collect()), GroupId::ROOT, LONG);
    assert!((62..70).contains(&got["elapsed_ms"]), "it waits for a slice of others, not for their end: {got:?}");
    // Four seconds of work on two CPUs: all end together, and none before the others have done as much.
    for one in all {
        assert!(lab.sim.run_task_to_end(one, LONG));
        let took = lab.sim.now().get() / 1_000_000;
        assert!((1_980..2_020).contains(&took), "{took} ms");
    }
}

/// A machine with a disk whose flushes take `flush`, and file systems on it.
fn flushing(flush: u64) -> (Lab, DeviceId) {
    let mut lab = lab();
    let spec = pagetide_core::DiskSpec {
        name: "d".to_owned(),
        size: Bytes::new(8 << 30),
        iops: None,
        bandwidth: None,
        latency: Some(Nanos::new(200_000)),
        write_latency: None,
        flush: Some(Nanos::new(flush)),
        filesystem: pagetide_core::FileSystem::Ext4,
        read_ahead: None,
        burst: None,
        reads_apart: false,
    };
    let (disk, _) = Disk::new(Limits::of(&spec));
    let disk = lab.sim.add_device(Box::new(disk), QueueSpec::new("vdb", spec.size));
    (lab, disk)
}

fn file_on(lab: &mut Lab, device: DeviceId, offset: u64, pages: u64, allocated: bool) -> pagetide_sim::HandleId {
    let spec = FileSpec { device, offset, size: Bytes::new(pages * 4096), allocated, block_device: false };
    let file = lab.sim.host_mut().create_file(&spec).unwrap();
    lab.sim.host_mut().open(file)
}

/// Writes a page and syncs it, so many times.
fn syncs(handle: pagetide_sim::HandleId, times: u64, sync: fn(pagetide_sim::HandleId) -> Op) -> impl Program {
    Script((0..times).flat_map(|at| [Op::Write { handle, offset: at * 4096, length: 4096 }, sync(handle)]).collect())
}

#[test]
fn a_sync_takes_its_data_and_a_commit_with_two_flushes() {
    const FLUSH: u64 = 5;
    let (mut lab, disk) = flushing(FLUSH * 1_000_000);
    let handle = file_on(&mut lab, disk, 0, 100, true);
    let got = lab.measure(syncs(handle, 100, Op::Fsync), GroupId::ROOT, LONG);
    // Data, blocks of the journal, flush, record, flush: 3 requests of 200 us and two flushes.
    assert!((1_060..1_080).contains(&got["elapsed_ms"]), "{got:?}");
    // Blocks that are there already need no commit for their data: one flush.
    let got = lab.measure(syncs(handle, 100, Op::Fdatasync), GroupId::ROOT, LONG);
    assert!((520..540).contains(&got["elapsed_ms"]), "{got:?}");
    // New blocks do.
    let new = file_on(&mut lab, disk, 1 << 20, 100, false);
    let got = lab.measure(syncs(new, 100, Op::Fdatasync), GroupId::ROOT, LONG);
    assert!((1_060..1_090).contains(&got["elapsed_ms"]), "{got:?}");
}

#[test]
fn tasks_that_sync_at_once_share_commits() {
    let (mut lab, disk) = flushing(5_000_000);
    let before = lab.sim.now();
    let tasks: Vec<_> = (0..16)
        .map(|at| {
            let handle = file_on(&mut lab, disk, at << 20, 64, true);
            lab.sim.spawn(Box::new(syncs(handle, 20, Op::Fsync)), GroupId::ROOT)
        })
        .collect();
    for task in tasks {
        assert!(lab.sim.run_task_to_end(task, LONG));
    }
    // 320 syncs one after the other would take 3.4 s; at most two commits serve all that wait.
    let took = (lab.sim.now().get() - before.get()) / 1_000_000;
    assert!((205..700).contains(&took), "{took} ms");
}

#[test]
fn what_is_written_is_committed_after_a_while_and_then_all_is_quiet() {
    let (mut lab, disk) = flushing(5_000_000);
    let handle = file_on(&mut lab, disk, 0, 64, true);
    lab.run(Script(vec![Op::Write { handle, offset: 0, length: 4096 }]));
    let writes = |lab: &Lab| {
        let mut found = 0;
        lab.sim.counters(&mut |_, row, metric, value| {
            if row == "vdb" && metric == "writes" {
                found = value;
            }
        });
        found
    };
    lab.sim.run(Nanos::new(4_000_000_000));
    assert_eq!(writes(&lab), 0);
    lab.sim.run(Nanos::new(6_000_000_000));
    assert_eq!(writes(&lab), 3, "blocks and record of one commit, and the page");
    lab.sim.run(Nanos::new(100_000_000_000));
    assert_eq!(writes(&lab), 3);
    lab.run(dropper());
    assert_eq!(writes(&lab), 4, "the flush of a sync is a write of nothing");
}

#[test]
fn limits_of_memory_and_io_work_together() {
    let mut lab = lab();
    let limited = group(&mut lab, "limited", IoLimits { read: rate(20 * MB), ..IoLimits::default() });
    let max = Some(Bytes::new(16 << 20));
    lab.sim.host_mut().set_group_limits(limited, &GroupLimits { max, ..GroupLimits::default() });
    let file = lab.file(10_000);
    let got = lab.measure(Stream::new(file), limited, LONG);
    assert!((1_900..2_300).contains(&got["elapsed_ms"]), "41 MB at 20 MB/s: {got:?}");
    assert!(lab.sim.host().cached_pages(file) <= 4096);
}

/// Pressure of memory of a group, in ms, and how often it was above `memory.high`.
fn memory_of(lab: &Lab, group: &str) -> (i64, i64) {
    let (mut waits, mut above) = (0, 0);
    lab.sim.counters(&mut |table, row, metric, value| {
        if table == pagetide_core::Table::Cgroup && row == group {
            match metric {
                "psi_memory_some" => waits = value / 1_000,
                "events_high" => above = value,
                _ => {}
            }
        }
    });
    (waits, above)
}

/// Takes so many pages of anonymous memory, which there is no swap for, in a group with a `memory.high` of 1000 pages.
fn grown_above_high(pages: u64) -> (u64, i64, i64) {
    let mut lab = lab();
    let group = lab.sim.host_mut().add_group("g", GroupId::ROOT).unwrap();
    let high = Some(Bytes::new(1_000 * 4096));
    lab.sim.host_mut().set_group_limits(group, &GroupLimits { high, ..GroupLimits::default() });
    let took = lab.measure(Holder { pages, touched: false }, group, Nanos::new(100_000_000_000));
    let (waits, above) = memory_of(&lab, "g");
    (took["elapsed_ms"], waits, above)
}

#[test]
fn who_takes_memory_above_high_that_cannot_be_reclaimed_sleeps_for_each_batch_of_64_pages() {
    // Fifteen batches.
    assert_eq!(grown_above_high(960).1, 0);
    // `calculate_high_delay` where the sixteenth is 24 pages of 1000 above it: 0.024^2 * 2^20 / 2^14 * 250 Hz are 9 ticks of 4 ms, after 17 tries.
    let (_, waits, above) = grown_above_high(1_000);
    assert!((36..=39).contains(&waits) && above == 17, "{waits} ms, {above}");
    // At 88 pages 123 ticks more.
    let (_, waits, above) = grown_above_high(1_070);
    assert!((525..=540).contains(&waits) && above == 34, "{waits} ms, {above}");
    // At 152 pages 369 ticks; at 216 it would be 746, and is 2 s at most.
    let (_, waits, above) = grown_above_high(1_198);
    assert!((3_980..=4_080).contains(&waits) && above == 68, "{waits} ms, {above}");
}

/// Takes 900 pages of anonymous memory, and then 50 more, one in each 10 ms.
#[derive(Debug, Default)]
struct Dripper {
    area: Option<AreaId>,
    taken: u64,
    slept: bool,
}

impl Program for Dripper {
    fn next(&mut self, host: &mut Host, me: TaskId, now: Nanos, _: Done) -> Op {
        let area = *self.area.get_or_insert_with(|| host.map_anon(me, 950, false).unwrap());
        if self.taken == 950 {
            return Op::Exit;
        }
        self.slept = !self.slept;
        if !self.slept {
            return Op::SleepUntil(now.saturating_add(Nanos::new(10_000_000)));
        }
        let (page, count) = (self.taken, if self.taken == 0 { 900 } else { 1 });
        self.taken += count;
        Op::Touch { area, page, count, access: Access::Write }
    }
}

#[test]
fn who_shares_a_cpu_with_another_group_charges_a_batch_for_each_page() {
    let above = |others: usize| {
        let machine = MachineSpec::new(1, Bytes::new(512 * MIB * 4096));
        let mut lab = Lab::new(machine, lab::disk(Nanos::new(100_000), None, None));
        let group = lab.sim.host_mut().add_group("g", GroupId::ROOT).unwrap();
        let other = lab.sim.host_mut().add_group("other", GroupId::ROOT).unwrap();
        let high = Some(Bytes::new(1_000 * 4096));
        lab.sim.host_mut().set_group_limits(group, &GroupLimits { high, ..GroupLimits::default() });
        for _ in 0..others {
            lab.sim.spawn(Box::new(Dripper::default()), other);
        }
        lab.measure(Dripper::default(), group, Nanos::new(10_000_000_000));
        memory_of(&lab, "g").1
    };
    assert_eq!(above(0), 0, "fifteen batches are 960 pages");
    assert!(above(1) > 0, "the CPU's stock is that of who ran last");
}

#[test]
fn a_group_at_a_limit_whose_cache_can_go_reclaims_and_does_not_sleep() {
    let limited = |limits: &dyn Fn(Option<Bytes>) -> GroupLimits| {
        let mut lab = lab();
        let group = lab.sim.host_mut().add_group("g", GroupId::ROOT).unwrap();
        lab.sim.host_mut().set_group_limits(group, &limits(Some(Bytes::new(1_000 * 4096))));
        let file = lab.file(20_000);
        let got = lab.measure(Stream::new(file), group, LONG);
        (got["elapsed_ms"], memory_of(&lab, "g"))
    };
    let high = limited(&|high| GroupLimits { high, ..GroupLimits::default() });
    let max = limited(&|max| GroupLimits { max, ..GroupLimits::default() });
    let none = limited(&|_| GroupLimits::default());
    assert!(high.1.1 > 50, "{high:?}");
    // As long as reclaim frees something nobody sleeps (`mem_cgroup_handle_over_high`: `nr_reclaimed || nr_retries--`).
    assert!(high.0 < none.0 + 50, "{high:?} {none:?}");
    // The CPU time of the reclaim of a group is pressure (`try_charge_memcg`: `psi_memstall_enter`), and only that.
    for limit in [high, max] {
        assert!((1..50).contains(&limit.1.0), "{limit:?}");
    }
    assert_eq!(none.1.0, 0);
}
