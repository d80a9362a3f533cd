//! Random reads of a file that is larger than memory, as in the scenario `buffered-read` at 1/16: counts against one run of it in a
//! virtual machine with Linux 6.1 (463 MiB of memory, of which 198 MiB were free).

use pagetide_core::{Bytes, Nanos};
use pagetide_sim::disk::{Disk, Limits};
use pagetide_sim::{
    Access, DeviceId, Done, FileId, FileSpec, GroupId, HandleId, Host, MachineSpec, Op, Program, QueueSpec, Rng, Sim,
    TaskId,
};

const BLOCK: u64 = 8192;

/// Reads blocks of a file in an order.
#[derive(Debug)]
struct Reader {
    file: FileId,
    handle: Option<HandleId>,
    order: Vec<u32>,
    at: usize,
    started: bool,
    drop: bool,
}

/// Pages that fio itself takes.
const FIO: u64 = 1990;

impl Program for Reader {
    fn next(&mut self, host: &mut Host, me: TaskId, _: Nanos, _: Done) -> Op {
        if std::mem::take(&mut self.drop) {
            return Op::DropCaches { pages: true, slab: true };
        }
        if !std::mem::replace(&mut self.started, true) {
            let area = host.map_anon(me, FIO, false).unwrap();
            return Op::Touch { area, page: 0, count: FIO, access: Access::Write };
        }
        let handle = *self.handle.get_or_insert_with(|| {
            let handle = host.open(self.file);
            host.advise(handle, pagetide_sim::Advice::Random);
            handle
        });
        let Some(block) = self.order.get(self.at) else { return Op::Exit };
        self.at += 1;
        Op::Read { handle, offset: u64::from(*block) * BLOCK, length: BLOCK }
    }
}

/// Holds anonymous memory for ever.
#[derive(Debug)]
struct Holder {
    pages: u64,
    touched: bool,
}

impl Program for Holder {
    fn next(&mut self, host: &mut Host, me: TaskId, _: Nanos, _: Done) -> Op {
        if std::mem::replace(&mut self.touched, true) {
            return Op::Wait;
        }
        let area = host.map_anon(me, self.pages, false).unwrap();
        Op::Touch { area, page: 0, count: self.pages, access: Access::Write }
    }
}

/// The blocks as fio draws them: each once, the next free one where the drawn one was read already.
fn shuffled(blocks: u32, draws: &[u32]) -> Vec<u32> {
    let mut next: Vec<u32> = (0..=blocks).collect();
    fn find(next: &mut [u32], at: u32) -> u32 {
        let mut root = at;
        while next[root as usize] != root {
            root = next[root as usize];
        }
        let mut walk = at;
        while next[walk as usize] != root {
            walk = std::mem::replace(&mut next[walk as usize], root);
        }
        root
    }
    draws
        .iter()
        .map(|draw| {
            let mut free = find(&mut next, *draw);
            if free == blocks {
                free = find(&mut next, 0);
            }
            next[free as usize] = free + 1;
            free
        })
        .collect()
}

fn draws(seed: u64, blocks: u32) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    (0..blocks).map(|_| u32::try_from(rng.below(u64::from(blocks))).unwrap()).collect()
}

struct Lab {
    sim: Sim,
    disk: DeviceId,
}

impl Lab {
    fn count(&self, name: &str) -> u64 {
        let mut found = 0;
        self.sim.counters(&mut |_, _, metric, value| {
            if metric == name {
                found = value.cast_unsigned();
            }
        });
        found
    }

    /// Reads of the device, pages scanned and stolen of one pass.
    fn read(&mut self, file: FileId, order: Vec<u32>, drop: bool) -> [u64; 4] {
        if drop {
            let dropper = Reader { file, handle: None, order: Vec::new(), at: 0, started: true, drop };
            let task = self.sim.spawn(Box::new(dropper), GroupId::ROOT);
            assert!(self.sim.run_task_to_end(task, Nanos::new(u64::MAX)));
        }
        let names = ["reads", "pgscan_kswapd", "pgsteal_kswapd", "workingset_refault_file"];
        let before = names.map(|name| self.count(name));
        let reader = Reader { file, handle: None, order, at: 0, started: false, drop: false };
        let task = self.sim.spawn(Box::new(reader), GroupId::ROOT);
        assert!(self.sim.run_task_to_end(task, Nanos::new(u64::MAX)));
        let mut result = names.map(|name| self.count(name));
        for (value, before) in result.iter_mut().zip(before) {
            *value -= before;
        }
        result
    }
}

fn lab() -> Lab {
    let mut spec = MachineSpec::new(2, Bytes::new(118_470 * 4096));
    // An initramfs, and what keeps 50 739 pages free before the first step.
    spec.system_files = Bytes::new(34_599 * 4096);
    spec.system = Bytes::new((118_470 - 34_599 - 50_739) * 4096);
    let mut sim = Sim::new(spec).unwrap();
    let (device, _) = Disk::new(Limits::new(Nanos::new(740_000), Some(1500), None, Nanos::ZERO));
    let disk = sim.add_device(Box::new(device), QueueSpec::new("vda", Bytes::new(1 << 30)));
    Lab { sim, disk }
}

fn file(lab: &mut Lab, offset: u64, size: u64) -> FileId {
    let spec = FileSpec { device: lab.disk, offset, size: Bytes::new(size), allocated: true, block_device: false };
    lab.sim.host_mut().create_file(&spec).unwrap()
}

/// Whether counts are within 5 % of the virtual machine's: another sequence of random numbers alone moves them by 1 %.
fn near(step: &str, model: [u64; 4], vm: [u64; 4]) {
    for (model, vm) in model.iter().zip(vm) {
        assert!(model.abs_diff(vm) * 20 <= vm, "{step}: {model} against {vm}");
    }
}

#[test]
fn reads_reach_the_disk_as_often_as_in_the_virtual_machine() {
    let mut lab = lab();
    let data = file(&mut lab, 0, 256 << 20);
    let blocks = 32_768;
    let replayed = draws(7, blocks);
    let a3 = lab.read(data, shuffled(blocks, &replayed), true);
    let a4 = lab.read(data, replayed, false);
    let fresh = lab.read(data, draws(8, blocks), false);
    near("A3", a3, [32_768, 18_326, 18_322, 0]);
    near("A4", a4, [20_080, 40_389, 40_388, 40_155]);
    near("A4_fresh", fresh, [9_125, 18_054, 18_042, 18_239]);
    let hold = Holder { pages: 32_000, touched: false };
    lab.sim.spawn(Box::new(hold), GroupId::ROOT);
    let until = lab.sim.now().get() + 2_000_000_000;
    lab.sim.run(Nanos::new(until));
    let small = file(&mut lab, 256 << 20, 128 << 20);
    let blocks = 16_384;
    let replayed = draws(7, blocks);
    let a5 = lab.read(small, shuffled(blocks, &replayed), true);
    let a6 = lab.read(small, replayed, false);
    let fresh = lab.read(small, draws(9, blocks), false);
    near("A5", a5, [16_384, 17_707, 17_701, 0]);
    near("A6", a6, [10_852, 21_567, 21_553, 21_661]);
    near("A6_fresh", fresh, [8_797, 17_785, 17_774, 17_581]);
}
