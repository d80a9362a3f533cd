//! What the worker of each kind of load does. A new kind is an arm of [`of`] and its [`Work`] here. `unsafe`: pointers into
//! mappings, faccessat.
#![allow(unsafe_code)]

use super::transfer::Transfer;
use super::walk::Walk;
use crate::worker::after_fork::{STRETCH, clock, compute, errno, fill, memory, over, sleep_until};
use crate::worker::{Activity, Counters, Phase, Work};
use pagetide_core::{Bytes, BytesPerSecond, Error, Fill, Load, Nanos, SpinSpec};
use pagetide_sim::workload::due;
use std::os::fd::RawFd;

/// The files of a load, and the seed of what it chooses at random.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inputs {
    /// The file it reads, or the folder it looks names up in.
    pub(super) from: Option<RawFd>,
    /// The file it writes.
    pub(super) to: Option<RawFd>,
    pub(super) seed: u64,
}

/// The work of a load.
///
/// # Errors
/// A size is larger than this machine's address space.
pub(super) fn of(load: &Load, inputs: Inputs) -> Result<Box<dyn Work>, Error> {
    let Inputs { from, to, seed } = inputs;
    let length = |size: Bytes| {
        usize::try_from(size.get())
            .map_err(|_| Error::input(format!("{size} is more than this machine can address"), ""))
    };
    let rate = |rate: Option<BytesPerSecond>| rate.map_or(0, BytesPerSecond::get);
    let time = |time: Option<Nanos>| time.map_or(0, |time| time.get().max(1));
    let source = from.unwrap_or(-1);
    Ok(match load {
        Load::Stream(stream) => Box::new(Transfer {
            from: source,
            size: stream.size.get(),
            bs: length(stream.bs)?,
            rate: rate(stream.rate),
            caching: stream.cache,
            random: stream.random,
            skew: stream.skew,
            repeat: stream.repeat,
            seed,
            stride: stream.stride.map_or(0, |stride| stride.read.get()),
            skip: stream.stride.map_or(0, |stride| stride.skip.get()),
            compute: stream.compute.map_or(0, Nanos::get),
            think: stream.think.map_or(0, Nanos::get),
            time: time(stream.time),
            ..Transfer::default()
        }),
        Load::Dd(dd) => Box::new(Transfer {
            from: source,
            to,
            stored: dd.to.stored(),
            size: dd.size.get(),
            bs: length(dd.bs)?,
            rate: rate(dd.rate),
            caching: dd.cache,
            random: dd.random,
            seed,
            sync: dd.sync,
            sync_every: dd.sync_every.map_or(0, Bytes::get),
            compute: dd.compute.map_or(0, Nanos::get),
            think: dd.think.map_or(0, Nanos::get),
            time: time(dd.time),
            ..Transfer::default()
        }),
        Load::Copy(copy) => Box::new(Transfer {
            from: source,
            to,
            stored: true,
            size: copy.size.get(),
            bs: length(copy.bs)?,
            caching: copy.cache,
            ..Transfer::default()
        }),
        Load::MapAndWalk(walk) => {
            let (code, data) = (length(walk.code)?, length(walk.data)?);
            let hot = walk.hot.map(length).transpose()?.unwrap_or(data);
            let whole = if data > 0 { hot } else { code };
            Box::new(Walk {
                file: from,
                code,
                executable: walk.executable,
                data,
                sharing: walk.sharing,
                fill: walk.fill,
                fill_rate: rate(walk.fill_rate),
                chunk: walk.chunk.map(length).transpose()?.unwrap_or(whole).min(whole),
                hot,
                iterations: walk.iterations,
                order: walk.order,
                seed,
                rate: walk.rate.unwrap_or(0),
                compute: walk.compute.map_or(0, Nanos::get),
                time: time(walk.time),
            })
        }
        Load::Grow(grow) => Box::new(Grow {
            size: length(grow.size)?,
            rate: rate(grow.rate),
            fill: grow.fill,
            hold_for: grow.hold_for.get(),
        }),
        Load::Spin(spin) => Box::new(Spin { time: time(spin.time), pause: spin.pause().get() }),
        Load::StatMissing(stat) => Box::new(StatMissing {
            folder: source,
            count: stat.count,
            rate: stat.rate.unwrap_or(0),
            hold_for: stat.hold_for.get(),
        }),
    })
}

/// Allocates and fills memory.
struct Grow {
    size: usize,
    rate: u64,
    fill: Fill,
    hold_for: u64,
}

impl Work for Grow {
    fn run(&self, counters: &Counters) -> Result<(), i32> {
        counters.set_activity(Activity::Allocate);
        let memory = memory(self.size, libc::MAP_PRIVATE)?;
        let began = clock();
        counters.set_phase(Phase::Working);
        let mut done = 0;
        while done < self.size {
            let length = STRETCH.min(self.size - done);
            // SAFETY: within the mapping, which nothing else uses.
            unsafe { fill(memory.add(done), length, done, self.fill) };
            done += length;
            counters.add_processed(length as u64);
            if counters.stopped() || (self.rate > 0 && !sleep_until(due(began, done as u64, self.rate), counters)) {
                return Ok(());
            }
        }
        sleep_until(clock().saturating_add(self.hold_for), counters);
        Ok(())
    }
}

/// Keeps a CPU busy.
struct Spin {
    time: u64,
    /// Time after each slice, ns.
    pause: u64,
}

impl Work for Spin {
    fn run(&self, counters: &Counters) -> Result<(), i32> {
        let began = clock();
        counters.set_phase(Phase::Working);
        while !over(began, self.time, counters) {
            compute(SpinSpec::SLICE.get());
            counters.add_iteration();
            if self.pause > 0 && !sleep_until(clock().saturating_add(self.pause), counters) {
                break;
            }
        }
        Ok(())
    }
}

/// Looks up names that do not exist, each another one.
struct StatMissing {
    folder: RawFd,
    count: u64,
    rate: u64,
    hold_for: u64,
}

impl Work for StatMissing {
    fn files(&self) -> [RawFd; 2] {
        [self.folder, -1]
    }

    fn run(&self, counters: &Counters) -> Result<(), i32> {
        counters.set_activity(Activity::LookUp);
        let began = clock();
        counters.set_phase(Phase::Working);
        let mut name = *b"pagetide-no-such-file-0000000000000000\0";
        let digits = name.len() - 17;
        for number in 0..self.count {
            for (at, digit) in name[digits..digits + 16].iter_mut().enumerate() {
                *digit = b"0123456789abcdef"[usize::try_from(number >> (60 - 4 * at) & 15).unwrap_or(0)];
            }
            let start = clock();
            // SAFETY: the name ends with a zero byte, and the descriptor is open.
            let found = unsafe { libc::faccessat(self.folder, name.as_ptr().cast(), libc::F_OK, 0) };
            if found != 0 && errno() != libc::ENOENT {
                return Err(errno());
            }
            counters.add_request(clock() - start);
            if counters.stopped() || (self.rate > 0 && !sleep_until(due(began, number + 1, self.rate), counters)) {
                return Ok(());
            }
        }
        sleep_until(clock().saturating_add(self.hold_for), counters);
        Ok(())
    }
}
