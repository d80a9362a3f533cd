//! Moves bytes from a file to another or nowhere: stream, dd and copy. `unsafe`: read and write.
#![allow(unsafe_code)]

use crate::worker::after_fork::{clock, compute, errno, memory, over, sleep_until};
use crate::worker::{Activity, Counters, END_OF_FILE, Phase, Work};
use pagetide_core::{Caching, Order};
use pagetide_sim::workload::{DROP_BEHIND, Sequence, due};
use std::os::fd::RawFd;

/// Bytes from one file to another or to nowhere. A time or rate of 0 means no limit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Transfer {
    pub(super) from: RawFd,
    pub(super) to: Option<RawFd>,
    /// Whether `to` is on a disk.
    pub(super) stored: bool,
    pub(super) size: u64,
    pub(super) bs: usize,
    pub(super) rate: u64,
    pub(super) caching: Caching,
    /// Whether each block is a random one.
    pub(super) random: bool,
    /// The share of those that are the most popular ones.
    pub(super) skew: Option<f64>,
    /// Whether it begins again at the end.
    pub(super) repeat: bool,
    pub(super) seed: u64,
    /// Bytes that are read before `skip` are skipped; 0 for all.
    pub(super) stride: u64,
    pub(super) skip: u64,
    pub(super) sync: bool,
    /// Bytes after which it syncs; 0 for never.
    pub(super) sync_every: u64,
    /// CPU time after each request, ns.
    pub(super) compute: u64,
    /// Time from the end of a request, and of what it computes, to the next one, ns.
    pub(super) think: u64,
    pub(super) time: u64,
}

impl Work for Transfer {
    fn files(&self) -> [RawFd; 2] {
        [self.from, self.to.unwrap_or(-1)]
    }

    fn run(&self, counters: &Counters) -> Result<(), i32> {
        transfer(self, counters)
    }
}

fn transfer(plan: &Transfer, counters: &Counters) -> Result<(), i32> {
    counters.set_activity(Activity::Allocate);
    let buffer = memory(plan.bs, libc::MAP_PRIVATE)?;
    let began = clock();
    counters.set_phase(Phase::Working);
    let (mut done, mut dropped, mut synced) = (0, 0, 0);
    let blocks = plan.size / (plan.bs as u64).max(1);
    if let Some(to) = plan.to.filter(|_| plan.stored && plan.random) {
        // A file system that cannot reserve its blocks finds them when they are written.
        // SAFETY: the descriptor is open.
        unsafe { libc::fallocate64(to, 0, 0, libc::off64_t::try_from(plan.size).unwrap_or(0)) };
    }
    let mut sequence = Sequence::new(Order::Random, blocks, plan.seed).skewed(plan.skew);
    while (done < plan.size || plan.random || plan.repeat) && !over(began, plan.time, counters) {
        let rest = if plan.random { plan.size } else { plan.size - done % plan.size };
        let length = plan.bs.min(usize::try_from(rest).unwrap_or(plan.bs));
        let start = clock();
        counters.set_activity(Activity::Read);
        if plan.random {
            let offset = sequence.draw() * plan.bs as u64;
            seek(plan.from, offset, libc::SEEK_SET)?;
            plan.to.filter(|_| plan.stored).map_or(Ok(()), |to| seek(to, offset, libc::SEEK_SET))?;
        } else if plan.stride > 0 && done > 0 && done.is_multiple_of(plan.stride) {
            seek(plan.from, plan.skip, libc::SEEK_CUR)?;
        } else if done > 0 && done.is_multiple_of(plan.size) {
            seek(plan.from, 0, libc::SEEK_SET)?;
        }
        let mut got = 0;
        while got < length {
            // SAFETY: the rest of the buffer is ours to write to.
            match unsafe { libc::read(plan.from, buffer.add(got).cast(), length - got) } {
                0 => return Err(END_OF_FILE),
                -1 if errno() == libc::EINTR => {}
                -1 => return Err(errno()),
                count => got += usize::try_from(count).unwrap_or(0),
            }
        }
        if let Some(to) = plan.to {
            counters.set_activity(Activity::Write);
            write_all(to, buffer, length)?;
        }
        counters.add_request(clock() - start);
        counters.add_processed(length as u64);
        done += length as u64;
        if plan.sync_every > 0 && done - synced >= plan.sync_every {
            sync(plan, counters)?;
            synced = done;
        }
        let ends = plan.repeat && done.is_multiple_of(plan.size);
        if plan.caching == Caching::DontNeed && (done - dropped >= DROP_BEHIND.get() || ends) {
            let start = dropped % plan.size;
            drop_behind(plan, start, start + done - dropped, counters)?;
            dropped = done;
        }
        compute(plan.compute);
        let paced = if plan.rate > 0 { due(began, done, plan.rate) } else { 0 };
        let thought = if plan.think > 0 { clock().saturating_add(plan.think) } else { 0 };
        if paced.max(thought) > 0 && !sleep_until(paced.max(thought), counters) {
            break;
        }
    }
    if plan.caching == Caching::DontNeed {
        // To the end: also what was read ahead.
        drop_behind(plan, dropped % plan.size.max(1), 0, counters)?;
    }
    if plan.sync { sync(plan, counters) } else { Ok(()) }
}

/// Waits until what was written is on the device.
fn sync(plan: &Transfer, counters: &Counters) -> Result<(), i32> {
    let Some(to) = plan.to.filter(|_| plan.stored) else { return Ok(()) };
    counters.set_activity(Activity::Sync);
    // SAFETY: the descriptor is open.
    if unsafe { libc::fdatasync(to) } == 0 { Ok(()) } else { Err(errno()) }
}

fn seek(file: RawFd, offset: u64, whence: libc::c_int) -> Result<(), i32> {
    // SAFETY: the descriptor is open.
    let at = unsafe { libc::lseek64(file, libc::off64_t::try_from(offset).unwrap_or(0), whence) };
    if at < 0 { Err(errno()) } else { Ok(()) }
}

fn write_all(to: RawFd, buffer: *const u8, length: usize) -> Result<(), i32> {
    let mut done = 0;
    while done < length {
        // SAFETY: the rest of the buffer is ours to read.
        match unsafe { libc::write(to, buffer.add(done).cast(), length - done) } {
            -1 if errno() == libc::EINTR => {}
            -1 => return Err(errno()),
            count => done += usize::try_from(count).unwrap_or(0),
        }
    }
    Ok(())
}

/// Drops the cache of the bytes from `start` to `end` (0: to the end of the file), synced first where they were written.
fn drop_behind(plan: &Transfer, start: u64, end: u64, counters: &Counters) -> Result<(), i32> {
    counters.set_activity(Activity::DropCache);
    let offset = |at: u64| libc::off64_t::try_from(at).unwrap_or(0);
    let length = end.saturating_sub(start);
    if let Some(to) = plan.to.filter(|_| plan.stored) {
        let all = libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
        // SAFETY: the descriptor is open.
        if unsafe { libc::sync_file_range(to, offset(start), offset(length), all) } != 0 {
            return Err(errno());
        }
        // SAFETY: as above.
        unsafe { libc::posix_fadvise64(to, offset(start), offset(length), libc::POSIX_FADV_DONTNEED) };
    }
    // SAFETY: the descriptor is open. /dev/zero takes the advice and does nothing.
    match unsafe { libc::posix_fadvise64(plan.from, offset(start), offset(length), libc::POSIX_FADV_DONTNEED) } {
        0 => Ok(()),
        error => Err(error),
    }
}
