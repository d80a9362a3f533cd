//! What the process of a load does. Only system calls and its own memory: it is a fork of a program with threads. `unsafe`:
//! mmap, read, write.
#![allow(unsafe_code)]

use super::board::{Counts, Phase};
use super::child::{Move, Plan, Walk, early};
use pagetide_core::{Caching, Fill, Order, Sharing};
use std::os::fd::RawFd;
use std::ptr;

const SECOND: u64 = 1_000_000_000;
/// So much is moved before it is dropped from the cache.
const BEHIND: u64 = 8 << 20;
/// So much memory is filled between two looks at the clock. A multiple of every page size.
const STRETCH: usize = 1 << 20;

type Done = Result<(), i32>;

/// Monotonic time, ns.
pub(super) fn clock() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to a value of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    u64::try_from(time.tv_sec).unwrap_or(0) * SECOND + u64::try_from(time.tv_nsec).unwrap_or(0)
}

fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

/// Does it.
pub(super) fn work(plan: &Plan, counts: &Counts) -> Done {
    match *plan {
        Plan::Move(plan) => carry(&plan, counts),
        Plan::Walk(walk) => stroll(&walk, counts),
        Plan::Grow { size, rate, fill, linger } => grow(size, rate, fill, linger, counts),
        Plan::Spin { time } => spin(time, counts),
        Plan::Names { folder, count, rate, linger } => names(folder, count, rate, linger, counts),
    }
}

/// Sleeps until a moment, but looks every 20 ms whether it is to stop. False when it is.
fn sleep_until(moment: u64, counts: &Counts) -> bool {
    loop {
        if counts.stopped() {
            return false;
        }
        let now = clock();
        if now >= moment {
            return true;
        }
        let nanos = (moment - now).min(20_000_000);
        let time = libc::timespec { tv_sec: 0, tv_nsec: libc::c_long::try_from(nanos).unwrap_or(0) };
        // SAFETY: reads a value of ours; being woken early does no harm.
        unsafe { libc::nanosleep(&raw const time, ptr::null_mut()) };
    }
}

/// When `amount` may have been done at a rate that began at `began`.
fn due(began: u64, amount: u64, rate: u64) -> u64 {
    let nanos = u128::from(amount) * u128::from(SECOND) / u128::from(rate.max(1));
    began.saturating_add(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// Whether the work is to end: its time is over or it was told to.
fn over(began: u64, time: u64, counts: &Counts) -> bool {
    if time > 0 && clock().saturating_sub(began) >= time {
        counts.time_out();
        return true;
    }
    counts.stopped()
}

/// New anonymous memory.
fn memory(size: usize, flags: libc::c_int) -> Result<*mut u8, i32> {
    let (both, flags) = (libc::PROT_READ | libc::PROT_WRITE, flags | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
    // SAFETY: a new mapping at an address of the kernel's choice.
    let memory = unsafe { libc::mmap(ptr::null_mut(), size.max(1), both, flags, -1, 0) };
    if memory == libc::MAP_FAILED { Err(errno()) } else { Ok(memory.cast()) }
}

fn carry(plan: &Move, counts: &Counts) -> Done {
    counts.doing(1);
    let buffer = memory(plan.bs, libc::MAP_PRIVATE)?;
    let began = clock();
    counts.phase(Phase::Working);
    let (mut done, mut dropped) = (0, 0);
    let blocks = plan.size / (plan.bs as u64).max(1);
    let mut draw = Draw { order: Order::Random, pages: blocks, state: 0x2545_F491_4F6C_DD1D ^ began };
    while (done < plan.size || plan.random) && !over(began, plan.time, counts) {
        let rest = if plan.random { plan.size } else { plan.size - done };
        let length = plan.bs.min(usize::try_from(rest).unwrap_or(plan.bs));
        let start = clock();
        counts.doing(3);
        if plan.random {
            seek(plan.from, draw.page() * plan.bs as u64, libc::SEEK_SET)?;
        } else if plan.stride > 0 && done > 0 && done.is_multiple_of(plan.stride) {
            seek(plan.from, plan.skip, libc::SEEK_CUR)?;
        }
        let mut got = 0;
        while got < length {
            // SAFETY: the rest of the buffer is ours to write to.
            match unsafe { libc::read(plan.from, buffer.add(got).cast(), length - got) } {
                0 => return Err(early()),
                -1 if errno() == libc::EINTR => {}
                -1 => return Err(errno()),
                count => got += usize::try_from(count).unwrap_or(0),
            }
        }
        if let Some(to) = plan.to {
            counts.doing(4);
            put(to, buffer, length)?;
        }
        counts.request(clock() - start);
        counts.process(length as u64);
        done += length as u64;
        if plan.caching == Caching::DontNeed && done - dropped >= BEHIND {
            drop_behind(plan, dropped, done, counts)?;
            dropped = done;
        }
        if plan.rate > 0 && !sleep_until(due(began, done, plan.rate), counts) {
            break;
        }
    }
    if plan.caching == Caching::DontNeed {
        // To the end: also what was read ahead.
        drop_behind(plan, dropped, 0, counts)?;
    }
    if plan.sync
        && let Some(to) = plan.to.filter(|_| plan.stored)
    {
        counts.doing(5);
        // SAFETY: the descriptor is open.
        if unsafe { libc::fdatasync(to) } != 0 {
            return Err(errno());
        }
    }
    Ok(())
}

fn seek(file: RawFd, offset: u64, whence: libc::c_int) -> Done {
    // SAFETY: the descriptor is open.
    let at = unsafe { libc::lseek64(file, libc::off64_t::try_from(offset).unwrap_or(0), whence) };
    if at < 0 { Err(errno()) } else { Ok(()) }
}

fn put(to: RawFd, buffer: *const u8, length: usize) -> Done {
    let mut put = 0;
    while put < length {
        // SAFETY: the rest of the buffer is ours to read.
        match unsafe { libc::write(to, buffer.add(put).cast(), length - put) } {
            -1 if errno() == libc::EINTR => {}
            -1 => return Err(errno()),
            count => put += usize::try_from(count).unwrap_or(0),
        }
    }
    Ok(())
}

/// Drops what was moved from `start` to `end` (0: all to the end) from the cache, written first where it was written.
fn drop_behind(plan: &Move, start: u64, end: u64, counts: &Counts) -> Done {
    counts.doing(6);
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

fn grow(size: usize, rate: u64, fill: Fill, linger: u64, counts: &Counts) -> Done {
    counts.doing(1);
    let memory = memory(size, libc::MAP_PRIVATE)?;
    let began = clock();
    counts.phase(Phase::Working);
    let mut done = 0;
    while done < size {
        let length = STRETCH.min(size - done);
        // SAFETY: within the mapping, which is nobody else's.
        unsafe { write(memory.add(done), length, done, fill) };
        done += length;
        counts.process(length as u64);
        if counts.stopped() || (rate > 0 && !sleep_until(due(began, done as u64, rate), counts)) {
            return Ok(());
        }
    }
    sleep_until(clock().saturating_add(linger), counts);
    Ok(())
}

fn spin(time: u64, counts: &Counts) -> Done {
    let began = clock();
    counts.phase(Phase::Working);
    let mut state = began | 1;
    while !over(began, time, counts) {
        for _ in 0..100_000 {
            state = next(state);
        }
        std::hint::black_box(state);
        counts.iterate();
    }
    Ok(())
}

/// Looks up names that are not there, each another.
fn names(folder: RawFd, count: u64, rate: u64, linger: u64, counts: &Counts) -> Done {
    counts.doing(7);
    let began = clock();
    counts.phase(Phase::Working);
    let mut name = *b"pagetide-no-such-file-0000000000000000\0";
    let digits = name.len() - 17;
    for number in 0..count {
        for (at, digit) in name[digits..digits + 16].iter_mut().enumerate() {
            *digit = b"0123456789abcdef"[usize::try_from(number >> (60 - 4 * at) & 15).unwrap_or(0)];
        }
        let start = clock();
        // SAFETY: the name ends with a zero byte, and the descriptor is open.
        let found = unsafe { libc::faccessat(folder, name.as_ptr().cast(), libc::F_OK, 0) };
        if found != 0 && errno() != libc::ENOENT {
            return Err(errno());
        }
        counts.request(clock() - start);
        if counts.stopped() || (rate > 0 && !sleep_until(due(began, number + 1, rate), counts)) {
            return Ok(());
        }
    }
    sleep_until(clock().saturating_add(linger), counts);
    Ok(())
}

/// Writes every page: a zero, or numbers that do not compress.
///
/// # Safety
/// `length` bytes from `memory` are writable and nobody else's; both are of whole words.
unsafe fn write(memory: *mut u8, length: usize, offset: usize, fill: Fill) {
    let page = rustix::param::page_size();
    match fill {
        Fill::Zero => {
            for at in (0..length).step_by(page) {
                // SAFETY: within the range. Volatile, or nothing would be written that nobody reads.
                unsafe { memory.add(at).write_volatile(0) };
            }
        }
        Fill::Random => {
            let mut state = (offset as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
            for word in 0..length / 8 {
                state = next(state);
                // SAFETY: within the range, and aligned: mappings and stretches begin at whole pages.
                unsafe { memory.cast::<u64>().add(word).write_volatile(state) };
            }
        }
    }
}

/// The next of a sequence that looks random (xorshift64).
fn next(mut state: u64) -> u64 {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    state
}

/// Draws pages of a file.
struct Draw {
    order: Order,
    pages: u64,
    state: u64,
}

impl Draw {
    fn page(&mut self) -> u64 {
        match self.order {
            Order::Random => {
                self.state = next(self.state);
                // The upper bits are the better ones.
                u64::try_from((u128::from(self.state) * u128::from(self.pages)) >> 64).unwrap_or(0)
            }
            // A full cycle of the numbers below the next power of two (Hull and Dobell), those beyond the pages left out.
            Order::Shuffled => loop {
                let mask = self.pages.next_power_of_two() - 1;
                self.state =
                    self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) & mask;
                if self.state < self.pages {
                    return self.state;
                }
            },
        }
    }
}

fn stroll(walk: &Walk, counts: &Counts) -> Done {
    let page = rustix::param::page_size();
    let began = clock();
    let data = fill_data(walk, began, counts)?;
    let code = map_code(walk, counts)?;
    if counts.stopped() || (walk.time > 0 && over(began, walk.time, counts)) {
        return Ok(());
    }
    counts.phase(Phase::Working);
    let walking = clock();
    let mut draw = Draw { order: walk.order, pages: (walk.code / page) as u64, state: 0x2545_F491_4F6C_DD1D };
    let (mut touches, mut at) = (0_u64, 0);
    for _ in 0..walk.iterations {
        for _ in 0..walk.chunk.div_ceil(page) {
            let start = clock();
            if walk.data > 0 {
                // SAFETY: within the mapping. Volatile, or it would not be read.
                unsafe { data.add(at).read_volatile() };
                at = (at + page) % walk.walked;
                counts.process(page as u64);
            }
            if draw.pages > 0 {
                let offset = usize::try_from(draw.page()).unwrap_or(0) * page;
                // SAFETY: as above; the file is not made shorter while it is mapped.
                unsafe { code.add(offset).read_volatile() };
                counts.process(page as u64);
            }
            counts.request(clock() - start);
            touches += 1;
            if over(began, walk.time, counts) {
                return Ok(());
            }
            if walk.rate > 0 && !sleep_until(due(walking, touches, walk.rate), counts) {
                return Ok(());
            }
        }
        counts.iterate();
    }
    Ok(())
}

fn fill_data(walk: &Walk, began: u64, counts: &Counts) -> Result<*mut u8, i32> {
    counts.phase(Phase::Filling);
    counts.doing(1);
    if walk.data == 0 {
        return Ok(ptr::null_mut());
    }
    let flags = if walk.sharing == Sharing::Shared { libc::MAP_SHARED } else { libc::MAP_PRIVATE };
    let data = memory(walk.data, flags)?;
    let mut done = 0;
    while done < walk.data && !over(began, walk.time, counts) {
        let length = STRETCH.min(walk.data - done);
        // SAFETY: within the mapping, which is nobody else's.
        unsafe { write(data.add(done), length, done, walk.fill) };
        done += length;
        counts.fill(length as u64);
    }
    Ok(data)
}

fn map_code(walk: &Walk, counts: &Counts) -> Result<*const u8, i32> {
    counts.doing(2);
    let Some(file) = walk.file.filter(|_| walk.code > 0) else { return Ok(ptr::null()) };
    let rights = libc::PROT_READ | if walk.executable { libc::PROT_EXEC } else { 0 };
    // SAFETY: a new mapping at an address of the kernel's choice.
    let code = unsafe { libc::mmap(ptr::null_mut(), walk.code, rights, libc::MAP_SHARED, file, 0) };
    if code == libc::MAP_FAILED { Err(errno()) } else { Ok(code.cast_const().cast()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffled_pass_has_every_page_once() {
        for pages in [1_u64, 2, 3, 100, 4096, 5000] {
            let mut draw = Draw { order: Order::Shuffled, pages, state: 0x2545_F491_4F6C_DD1D };
            for _ in 0..2 {
                let mut seen: Vec<u64> = (0..pages).map(|_| draw.page()).collect();
                seen.sort_unstable();
                assert_eq!(seen, (0..pages).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn random_pages_spread_like_draws_with_replacement() {
        let mut draw = Draw { order: Order::Random, pages: 10_000, state: 0x2545_F491_4F6C_DD1D };
        let mut seen: Vec<u64> = (0..10_000).map(|_| draw.page()).collect();
        seen.sort_unstable();
        seen.dedup();
        let distinct = seen.len() as f64 / 10_000.0;
        assert!((distinct - (1.0 - (-1.0_f64).exp())).abs() < 0.02, "{distinct}");
        assert!(seen.iter().all(|page| *page < 10_000));
    }

    #[test]
    fn a_rate_says_when_an_amount_is_due() {
        assert_eq!(due(5, 50, 100), 5 + SECOND / 2);
        assert_eq!(due(0, u64::MAX, 1), u64::MAX);
    }
}
