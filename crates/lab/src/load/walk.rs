//! Touches memory and a mapped file page by page. `unsafe`: pointers into mappings.
#![allow(unsafe_code)]

use crate::worker::after_fork::{STRETCH, clock, compute, fill, map, memory, over, sleep_until};
use crate::worker::{Activity, Counters, Phase, Work};
use pagetide_core::{Fill, Order, Sharing};
use pagetide_sim::workload::{Sequence, due};
use std::os::fd::RawFd;
use std::ptr;

/// Memory and a mapped file. A time or rate of 0 means no limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    pub(super) file: Option<RawFd>,
    pub(super) code: usize,
    pub(super) executable: bool,
    pub(super) data: usize,
    pub(super) sharing: Sharing,
    pub(super) fill: Fill,
    pub(super) fill_rate: u64,
    pub(super) chunk: usize,
    pub(super) hot: usize,
    pub(super) iterations: u64,
    pub(super) order: Order,
    pub(super) seed: u64,
    pub(super) rate: u64,
    /// CPU time after each touch, ns.
    pub(super) compute: u64,
    pub(super) time: u64,
}

impl Work for Walk {
    fn files(&self) -> [RawFd; 2] {
        [self.file.unwrap_or(-1), -1]
    }

    fn run(&self, counters: &Counters) -> Result<(), i32> {
        walk(self, counters)
    }
}

fn walk(walk: &Walk, counters: &Counters) -> Result<(), i32> {
    let page = rustix::param::page_size();
    let began = clock();
    let data = fill_data(walk, began, counters)?;
    let code = map_code(walk, counters)?;
    if counters.stopped() || (walk.time > 0 && over(began, walk.time, counters)) {
        return Ok(());
    }
    counters.set_phase(Phase::Working);
    let walking = clock();
    let mut sequence = Sequence::new(walk.order, (walk.code / page) as u64, walk.seed);
    let (mut touches, mut at) = (0_u64, 0);
    for _ in 0..walk.iterations {
        for _ in 0..walk.chunk.div_ceil(page) {
            let start = clock();
            if walk.data > 0 {
                // SAFETY: within the mapping. Volatile, or it would not be read.
                unsafe { data.add(at).read_volatile() };
                at = (at + page) % walk.hot;
                counters.add_processed(page as u64);
            }
            if walk.code >= page {
                let offset = usize::try_from(sequence.draw()).unwrap_or(0) * page;
                // SAFETY: as above; the file is not made shorter while it is mapped.
                unsafe { code.add(offset).read_volatile() };
                counters.add_processed(page as u64);
            }
            counters.add_request(clock() - start);
            touches += 1;
            compute(walk.compute);
            if over(began, walk.time, counters) {
                return Ok(());
            }
            if walk.rate > 0 && !sleep_until(due(walking, touches, walk.rate), counters) {
                return Ok(());
            }
        }
        counters.add_iteration();
    }
    Ok(())
}

fn fill_data(walk: &Walk, began: u64, counters: &Counters) -> Result<*mut u8, i32> {
    counters.set_phase(Phase::Filling);
    counters.set_activity(Activity::Allocate);
    if walk.data == 0 {
        return Ok(ptr::null_mut());
    }
    let flags = if walk.sharing == Sharing::Shared { libc::MAP_SHARED } else { libc::MAP_PRIVATE };
    let data = memory(walk.data, flags)?;
    let mut done = 0;
    while done < walk.data && !over(began, walk.time, counters) {
        let length = STRETCH.min(walk.data - done);
        // SAFETY: within the mapping, which nothing else uses.
        unsafe { fill(data.add(done), length, done, walk.fill) };
        done += length;
        if walk.fill_rate > 0 && !sleep_until(due(began, done as u64, walk.fill_rate), counters) {
            break;
        }
    }
    Ok(data)
}

fn map_code(walk: &Walk, counters: &Counters) -> Result<*const u8, i32> {
    counters.set_activity(Activity::MapFile);
    let Some(file) = walk.file.filter(|_| walk.code > 0) else { return Ok(ptr::null()) };
    let rights = libc::PROT_READ | if walk.executable { libc::PROT_EXEC } else { 0 };
    map(walk.code, rights, libc::MAP_SHARED, Some(file)).map(<*mut u8>::cast_const)
}
