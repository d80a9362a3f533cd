//! What may be called after a fork of a program with threads: system calls and memory of its own. `unsafe`: mmap and pointers.
#![allow(unsafe_code)]

use super::counters::Counters;
use pagetide_core::Fill;
use pagetide_sim::workload::next_random;
use std::os::fd::RawFd;
use std::ptr;

/// Nanoseconds of a second.
pub(crate) const SECOND: u64 = 1_000_000_000;
/// Bytes of memory that are filled between two looks at the clock.
#[expect(clippy::cast_possible_truncation, reason = "1 MiB")]
pub(crate) const STRETCH: usize = pagetide_sim::workload::STRETCH.get() as usize;

/// Monotonic time, ns.
pub(crate) fn clock() -> u64 {
    time_of(libc::CLOCK_MONOTONIC)
}

fn time_of(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to a value of ours.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    u64::try_from(time.tv_sec).unwrap_or(0) * SECOND + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// Uses a CPU for so many nanoseconds, however long it must wait for one.
pub(crate) fn compute(nanos: u64) {
    if nanos == 0 {
        return;
    }
    let used = || time_of(libc::CLOCK_THREAD_CPUTIME_ID);
    let until = used().saturating_add(nanos);
    let mut state = 1;
    while used() < until {
        // Some microseconds.
        for _ in 0..2_000 {
            state = next_random(state);
        }
        std::hint::black_box(state);
    }
}

/// The error number of the last system call.
pub(crate) fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

/// Sleeps until a moment, but looks every 20 ms whether it is told to stop. False when it is.
pub(crate) fn sleep_until(moment: u64, counters: &Counters) -> bool {
    loop {
        if counters.stopped() {
            return false;
        }
        let now = clock();
        if now >= moment {
            return true;
        }
        let nanos = (moment - now).min(20_000_000);
        let time = libc::timespec { tv_sec: 0, tv_nsec: libc::c_long::try_from(nanos).unwrap_or(0) };
        // SAFETY: reads a value of ours; waking early does no harm.
        unsafe { libc::nanosleep(&raw const time, ptr::null_mut()) };
    }
}

/// Whether the work is to end: its time is over, or it is told to stop.
pub(crate) fn over(began: u64, time: u64, counters: &Counters) -> bool {
    if time > 0 && clock().saturating_sub(began) >= time {
        counters.set_timed_out();
        return true;
    }
    counters.stopped()
}

/// Maps memory: of a file, else anonymous.
pub(crate) fn map(size: usize, rights: libc::c_int, flags: libc::c_int, file: Option<RawFd>) -> Result<*mut u8, i32> {
    let flags = flags | if file.is_some() { 0 } else { libc::MAP_ANONYMOUS };
    // SAFETY: a new mapping at an address of the kernel's choice.
    let memory =
        unsafe { libc::mmap(ptr::null_mut(), size.max(1), rights, flags | libc::MAP_NORESERVE, file.unwrap_or(-1), 0) };
    if memory == libc::MAP_FAILED { Err(errno()) } else { Ok(memory.cast()) }
}

/// Maps new anonymous memory.
pub(crate) fn memory(size: usize, flags: libc::c_int) -> Result<*mut u8, i32> {
    map(size, libc::PROT_READ | libc::PROT_WRITE, flags, None)
}

/// Writes every page from `offset` on: a zero, or words that are all different and do not compress.
///
/// # Safety
/// `length` bytes from `memory` are writable and used by nothing else; `memory` is aligned to a word.
pub(crate) unsafe fn fill(memory: *mut u8, length: usize, offset: usize, fill: Fill) {
    match fill {
        Fill::Zero => {
            for at in (0..length).step_by(rustix::param::page_size()) {
                // SAFETY: within the range. Volatile, or the compiler may leave out what nothing reads.
                unsafe { memory.add(at).write_volatile(0) };
            }
        }
        Fill::Random => {
            // One multiplication a word, so that a page costs little more than its fault.
            const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
            let first = (offset / 8) as u64 + 1;
            for word in 0..length / 8 {
                let value = (first + word as u64).wrapping_mul(ODD);
                // SAFETY: within the range, and aligned.
                unsafe { memory.cast::<u64>().add(word).write_volatile(value) };
            }
            for byte in length / 8 * 8..length {
                // SAFETY: within the range.
                unsafe { memory.add(byte).write_volatile(1) };
            }
        }
    }
}
