//! Random machines under random load: what must hold for any of them. The checks read counters only, as a recorder would.
//!
//! A failure names its seed: `SIM_SEED=N cargo test -p pagetide-sim --test scenarios` runs that one scenario,
//! `SIM_SCENARIOS=5000` with `--profile torture` thousands.

mod lab;

use lab::{Holder, Lab, Random, Script, Stream, Walk, shuffle};
use pagetide_core::{Bytes, BytesPerSecond, HugePages, Kind, Lru, Nanos, Table, metric};
use pagetide_sim::{
    Access, Done, FileId, GroupId, GroupLimits, HandleId, Host, IoLimits, MachineSpec, Op, Program, Release, Rng,
    TaskId,
};
use std::collections::BTreeMap;

/// Scenarios that a test runs, unless `SIM_SCENARIOS` says how many.
const SCENARIOS: u64 = 40;
const COUNT: Option<&str> = option_env!("SIM_SCENARIOS");
/// The one scenario that is to run, when there is one.
const SEED: Option<&str> = option_env!("SIM_SEED");

const SECOND: u64 = 1_000_000_000;

/// Host counters by name.
type Counters = BTreeMap<String, u64>;

/// What must hold at any time.
struct Checker {
    seed: u64,
    /// Pages that the system holds: all that is on no list and not free.
    held: Option<u64>,
    before: Counters,
    /// The highest dirty threshold so far. The limit falls slowly, so writers may come near it for long.
    limit: u64,
}

impl Checker {
    fn look(&mut self, lab: &Lab) {
        let now = lab.counters();
        let seed = self.seed;
        let pages = |name: &str| now[name] / 4096;
        // Every page is free, on a list, or held by the kernel; the kernel's own are counted.
        let known = pages("MemFree")
            + pages("Active")
            + pages("Inactive")
            + pages("Unevictable")
            + pages("SReclaimable")
            + pages("PageTables")
            + now["nr_zspages"];
        let held =
            pages("MemTotal").checked_sub(known).unwrap_or_else(|| panic!("seed {seed}: more pages than there are"));
        assert_eq!(
            *self.held.get_or_insert(held),
            held,
            "seed {seed}: pages were lost or made at {} ns",
            lab.sim.now().get()
        );
        // What is dirty stays below the limit and what writers may add before they look at it.
        self.limit = self.limit.max(now["nr_dirty_threshold"]);
        let dirty = now["nr_dirty"] + now["nr_writeback"];
        assert!(
            dirty <= self.limit + self.limit / 8 + 2048,
            "seed {seed}: {dirty} dirty pages with a limit of {}",
            self.limit
        );
        for (name, value) in &now {
            let table = if metric::find(Table::Host, name).is_some() { Table::Host } else { Table::Disk };
            let counter = metric::find(table, name).is_some_and(|metric| metric.kind == Kind::Counter);
            let before = self.before.get(name).copied().unwrap_or(0);
            assert!(!counter || *value >= before, "seed {seed}: {name} fell from {before} to {value}");
        }
        assert!(now["SwapFree"] <= now["SwapTotal"] && now["MemAvailable"] <= now["MemTotal"], "seed {seed}");
        assert!(
            now["pgsteal_kswapd"] + now["pgsteal_direct"] <= now["pgscan_kswapd"] + now["pgscan_direct"],
            "seed {seed}"
        );
        self.before = now;
    }
}

fn machine(rng: &mut Rng) -> MachineSpec {
    let mut spec = MachineSpec::new(1 + u32::try_from(rng.below(4)).unwrap(), Bytes::new((48 + rng.below(200)) << 20));
    spec.nodes = 1 + u32::try_from(rng.below(2)).unwrap();
    spec.system = Bytes::new(rng.below(8) << 20);
    spec.lru = if rng.below(2) == 0 { Lru::Classic } else { Lru::Mglru };
    spec.release = if rng.below(2) == 0 { Release::V6_1 } else { Release::V6_12 };
    spec.huge_pages = if rng.below(4) == 0 { HugePages::Always } else { HugePages::Never };
    spec.sysctls.swappiness = [0, 1, 60, 100, 200][usize::try_from(rng.below(5)).unwrap()];
    spec.sysctls.dirty_ratio = 5 + rng.below(50);
    spec.sysctls.dirty_background_ratio = rng.below(50);
    spec.costs = spec.costs.times(1.0 + 20.0 * rng.below(2) as f64);
    spec
}

/// Writes a page, syncs it, and so on.
#[derive(Debug)]
struct Syncer {
    file: FileId,
    handle: Option<HandleId>,
    left: u64,
    written: bool,
}

impl Program for Syncer {
    fn next(&mut self, host: &mut Host, _: TaskId, _: Nanos, _: Done) -> Op {
        let handle = *self.handle.get_or_insert_with(|| host.open(self.file));
        self.written = !self.written;
        if self.written {
            return Op::Write { handle, offset: self.left * 4096, length: 4096 };
        }
        self.left -= 1;
        match self.left {
            0 => Op::Exit,
            left if left.is_multiple_of(3) => Op::Fdatasync(handle),
            _ => Op::Fsync(handle),
        }
    }
}

fn load(rng: &mut Rng, files: &[FileId], pages: u64) -> Box<dyn Program> {
    let file = files[usize::try_from(rng.below(files.len() as u64)).unwrap()];
    let order = |rng: &mut Rng| {
        let mut order = shuffle(pages / 2, rng.next_u64());
        order.truncate(usize::try_from(200 + rng.below(pages / 2)).unwrap());
        order
    };
    match rng.below(7) {
        0 => Box::new(Stream::new(file)),
        1 => Box::new(Random::new(file, Access::Read, order(rng))),
        2 => Box::new(Random::new(file, Access::Write, order(rng))),
        3 => Box::new(Walk::new(file, 256 + rng.below(12_000), 2_000 + rng.below(8_000))),
        4 => Box::new(Holder { pages: rng.below(12_000), touched: false }),
        5 => Box::new(Syncer { file, handle: None, left: 1 + rng.below(400), written: false }),
        _ => Box::new(Script(vec![
            Op::SleepUntil(Nanos::new(rng.below(2 * SECOND))),
            Op::DropCaches { pages: true, slab: true },
            Op::SyncAll,
            Op::DontNeed { file, offset: 0, length: 0 },
            Op::Exit,
        ])),
    }
}

/// Runs a scenario with all checks, and gives its last counters.
fn run(seed: u64) -> Counters {
    let mut rng = Rng::new(seed);
    let spec = machine(&mut rng);
    let latency = Nanos::new(20_000 + rng.below(5_000_000));
    let bandwidth = BytesPerSecond::new((2 + rng.below(500)) * 1_000_000);
    let mut lab = Lab::new(spec, lab::disk(latency, None, Some(bandwidth)));
    match rng.below(3) {
        0 => lab.swap((8 + rng.below(200)) * lab::MIB),
        1 => lab.sim.host_mut().swap_on_zram(Bytes::new((8 + rng.below(64)) << 20), rng.below(101), 100).unwrap(),
        _ => {}
    }
    let pages = 2_000 + rng.below(40_000);
    let files: Vec<FileId> = (0..1 + rng.below(3)).map(|_| lab.file(pages)).collect();
    let group = lab.sim.host_mut().add_group("limited", GroupId::ROOT).unwrap();
    let limit = |pages: u64| Some(Bytes::new(pages * 4096));
    match rng.below(3) {
        0 => lab
            .sim
            .host_mut()
            .set_group_limits(group, &GroupLimits { max: limit(1_000 + rng.below(9_000)), ..GroupLimits::default() }),
        1 => lab
            .sim
            .host_mut()
            .set_group_limits(group, &GroupLimits { high: limit(1_000 + rng.below(9_000)), ..GroupLimits::default() }),
        _ => {}
    }
    if rng.below(3) == 0 {
        let rate = |rng: &mut Rng| (rng.below(2) == 0).then(|| BytesPerSecond::new((1 + rng.below(40)) * 1_000_000));
        let count = |rng: &mut Rng| (rng.below(3) == 0).then(|| 100 + rng.below(5_000));
        let limits =
            IoLimits { read: rate(&mut rng), write: rate(&mut rng), reads: count(&mut rng), writes: count(&mut rng) };
        let disk = lab.disk;
        lab.sim.host_mut().set_io_limits(group, disk, limits);
    }
    let mut checker = Checker { seed, held: None, before: Counters::new(), limit: 0 };
    checker.look(&lab);
    let mut tasks = Vec::new();
    for _ in 0..1 + rng.below(4) {
        let program = load(&mut rng, &files, pages);
        let group = if rng.below(2) == 0 { group } else { GroupId::ROOT };
        tasks.push(lab.sim.spawn(program, group));
    }
    for step in 1..=40 {
        lab.sim.run(Nanos::new(step * SECOND / 4));
        checker.look(&lab);
    }
    // The load stops.
    for task in tasks {
        lab.sim.kill(task);
    }
    checker.look(&lab);
    let mut until = lab.sim.now().get();
    // Pages expire after 30 s, are found 5 s later, and are written at the pace of the device.
    for _ in 0..60 {
        until += 10 * SECOND;
        while lab.sim.now().get() < until {
            lab.sim.run(Nanos::new(until));
        }
    }
    checker.look(&lab);
    let end = lab.counters();
    assert_eq!(
        (end["nr_dirty"], end["nr_writeback"], end["in_flight"]),
        (0, 0, 0),
        "seed {seed}: dirty pages do not drain"
    );
    let steps = lab.sim.steps();
    lab.sim.run(Nanos::new(until + 100 * SECOND));
    assert!(lab.sim.steps() <= steps + 50, "seed {seed}: something runs without load");
    assert_eq!(end["AnonPages"], 0, "seed {seed}: memory of tasks that are gone");
    assert_eq!(end["SwapFree"], end["SwapTotal"], "seed {seed}: swap of tasks that are gone");
    end
}

#[test]
fn pages_are_conserved_dirty_is_bounded_and_load_that_stops_drains() {
    match SEED {
        Some(seed) => drop(run(seed.parse().unwrap())),
        None => (0..COUNT.map_or(SCENARIOS, |count| count.parse().unwrap())).for_each(|seed| drop(run(seed))),
    }
}

#[test]
fn the_same_scenario_runs_the_same() {
    for seed in [3, 4, 5] {
        assert_eq!(run(seed), run(seed));
    }
}
