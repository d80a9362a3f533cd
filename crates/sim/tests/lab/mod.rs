//! A machine with one disk, and programs that tests run on it.
#![allow(
    dead_code,
    unreachable_pub,
    missing_debug_implementations,
    missing_docs,
    reason = "each test uses a part of it"
)]

use pagetide_core::{Bytes, BytesPerSecond, Nanos};
use pagetide_sim::disk::{Disk, Limits};
use pagetide_sim::{
    Access, Advice, AreaId, DeviceId, Done, FileId, FileSpec, GroupId, HandleId, Host, MachineSpec, Op, Program,
    QueueSpec, Rng, Sim, TaskId,
};
use std::collections::BTreeMap;

/// Pages of a MiB.
pub const MIB: u64 = 256;

/// A disk with a latency, and limits of requests and bytes a second.
pub fn disk(latency: Nanos, iops: Option<u64>, bandwidth: Option<BytesPerSecond>) -> Disk {
    Disk::new(Limits::new(latency, iops, bandwidth, Nanos::ZERO)).0
}

pub struct Lab {
    pub sim: Sim,
    pub disk: DeviceId,
    next: u64,
}

impl Lab {
    pub fn new(spec: MachineSpec, device: Disk) -> Self {
        let mut sim = Sim::new(spec).unwrap();
        let disk = sim.add_device(Box::new(device), QueueSpec::new("vda", Bytes::new(64 << 30)));
        Self { sim, disk, next: 0 }
    }

    /// A file of so many pages.
    pub fn file(&mut self, pages: u64) -> FileId {
        let spec = FileSpec {
            device: self.disk,
            offset: self.next,
            size: Bytes::new(pages * 4096),
            allocated: true,
            block_device: false,
        };
        self.next += pages * 4096;
        self.sim.host_mut().create_file(&spec).unwrap()
    }

    /// Swap of so many pages.
    pub fn swap(&mut self, pages: u64) {
        let (disk, at) = (self.disk, self.next);
        self.next += pages * 4096;
        self.sim.host_mut().swap_on_disk(disk, at, Bytes::new(pages * 4096), -2).unwrap();
    }

    /// All counters of the host and of the disk.
    pub fn counters(&self) -> BTreeMap<String, u64> {
        let mut all = BTreeMap::new();
        self.sim.counters(&mut |table, _, metric, value| {
            if matches!(table, pagetide_core::Table::Host | pagetide_core::Table::Disk) {
                all.insert(metric.to_owned(), value.cast_unsigned());
            }
        });
        all
    }

    /// Runs a program to its end, or for `limit` at most, and gives what the counters rose by.
    pub fn measure(&mut self, program: impl Program + 'static, group: GroupId, limit: Nanos) -> BTreeMap<String, u64> {
        let before = self.counters();
        let task = self.sim.spawn(Box::new(program), group);
        let until = self.sim.now().saturating_add(limit);
        if !self.sim.run_task_to_end(task, until) {
            self.sim.kill(task);
        }
        let mut after = self.counters();
        for (name, value) in &mut after {
            *value = value.wrapping_sub(before[name]);
        }
        after.insert("elapsed_ms".to_owned(), (self.sim.now().get() - (until.get() - limit.get())) / 1_000_000);
        after
    }

    pub fn run(&mut self, program: impl Program + 'static) {
        self.measure(program, GroupId::ROOT, Nanos::new(1 << 50));
    }
}

/// Does some operations and ends.
#[derive(Debug)]
pub struct Script(pub Vec<Op>);

impl Program for Script {
    fn next(&mut self, _: &mut Host, _: TaskId, _: Nanos, _: Done) -> Op {
        if self.0.is_empty() { Op::Exit } else { self.0.remove(0) }
    }
}

/// Drops the page cache.
pub fn dropper() -> Script {
    Script(vec![Op::SyncAll, Op::DropCaches { pages: true, slab: true }])
}

/// Holds anonymous memory until it is killed.
#[derive(Debug)]
pub struct Holder {
    pub pages: u64,
    pub touched: bool,
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

/// Fills memory, then walks it and touches a random page of a mapped file at each step.
#[derive(Debug)]
pub struct Walk {
    pub code: FileId,
    pub data: u64,
    pub hot: u64,
    pub touches: u64,
    pub rng: Rng,
    pub shuffled: Option<Vec<u64>>,
    pub rate: Option<u64>,
    pub state: Option<(Option<AreaId>, AreaId)>,
    pub at: u64,
    pub filled: bool,
    pub code_next: bool,
    pub slept: bool,
}

impl Walk {
    pub fn new(code: FileId, data: u64, touches: u64) -> Self {
        Self {
            code,
            data,
            hot: data.max(1),
            touches,
            rng: Rng::new(5),
            shuffled: None,
            rate: None,
            state: None,
            at: 0,
            filled: false,
            code_next: false,
            slept: false,
        }
    }
}

impl Program for Walk {
    fn next(&mut self, host: &mut Host, me: TaskId, now: Nanos, _: Done) -> Op {
        let pages = host.size(self.code).get() / 4096;
        let (data, code) = *self.state.get_or_insert_with(|| {
            let data = (self.data > 0).then(|| host.map_anon(me, self.data, false).unwrap());
            (data, host.map_file(me, self.code, 0, pages, false))
        });
        if !std::mem::replace(&mut self.filled, true)
            && let Some(data) = data
        {
            return Op::Touch { area: data, page: 0, count: self.data, access: Access::Write };
        }
        if self.at >= self.touches {
            return Op::Exit;
        }
        if let Some(rate) = self.rate
            && !std::mem::replace(&mut self.slept, true)
        {
            return Op::SleepUntil(Nanos::new(now.get() + 1_000_000_000 / rate));
        }
        if let Some(data) = data
            && !std::mem::replace(&mut self.code_next, true)
        {
            return Op::Touch { area: data, page: self.at % self.hot, count: 1, access: Access::Read };
        }
        self.code_next = false;
        self.slept = false;
        let page = match &self.shuffled {
            Some(order) => order[usize::try_from(self.at).unwrap() % order.len()],
            None => self.rng.below(pages),
        };
        self.at += 1;
        Op::Touch { area: code, page, count: 1, access: Access::Read }
    }
}

/// Each page once, in random order.
pub fn shuffle(pages: u64, seed: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..pages).collect();
    let mut rng = Rng::new(seed);
    for at in (1..order.len()).rev() {
        order.swap(at, usize::try_from(rng.below(at as u64 + 1)).unwrap());
    }
    order
}

/// Reads a file in order by large requests.
#[derive(Debug)]
pub struct Stream {
    pub file: FileId,
    pub block: u64,
    pub handle: Option<HandleId>,
    pub at: u64,
}

impl Stream {
    pub fn new(file: FileId) -> Self {
        Self { file, block: 1 << 20, handle: None, at: 0 }
    }
}

impl Program for Stream {
    fn next(&mut self, host: &mut Host, _: TaskId, _: Nanos, _: Done) -> Op {
        let handle = *self.handle.get_or_insert_with(|| host.open(self.file));
        let offset = self.at;
        if offset >= host.size(self.file).get() {
            return Op::Exit;
        }
        self.at += self.block;
        Op::Read { handle, offset, length: self.block }
    }
}

/// Writes or reads blocks of 8 KiB at random.
#[derive(Debug)]
pub struct Random {
    pub file: FileId,
    pub access: Access,
    pub order: Vec<u64>,
    pub handle: Option<HandleId>,
    pub at: usize,
}

impl Random {
    pub fn new(file: FileId, access: Access, order: Vec<u64>) -> Self {
        Self { file, access, order, handle: None, at: 0 }
    }
}

impl Program for Random {
    fn next(&mut self, host: &mut Host, _: TaskId, _: Nanos, _: Done) -> Op {
        let handle = *self.handle.get_or_insert_with(|| {
            let handle = host.open(self.file);
            host.advise(handle, Advice::Random);
            handle
        });
        let Some(block) = self.order.get(self.at) else { return Op::Exit };
        self.at += 1;
        let (offset, length) = (block * 8192, 8192);
        match self.access {
            Access::Read => Op::Read { handle, offset, length },
            Access::Write => Op::Write { handle, offset, length },
        }
    }
}
