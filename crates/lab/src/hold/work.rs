//! What the worker of a hold does: allocates memory, waits, fills it. `unsafe`: mlock and pointers into a mapping.
#![allow(unsafe_code)]

use crate::worker::after_fork::{STRETCH, clock, errno, fill, map, sleep_until};
use crate::worker::{Activity, Counters, Phase, Work};
use pagetide_core::{Fill, HoldKind};
use std::os::fd::RawFd;

/// Memory to hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct HoldWork {
    pub(super) size: usize,
    pub(super) touch: usize,
    pub(super) kind: HoldKind,
    /// Time between allocating and filling, ns.
    pub(super) after: u64,
    pub(super) file: Option<RawFd>,
}

impl Work for HoldWork {
    fn files(&self) -> [RawFd; 2] {
        [self.file.unwrap_or(-1), -1]
    }

    /// Every page gets content of its own, so that neither the kernel (zero page, KSM, compressed swap) can hold it in less.
    fn run(&self, counters: &Counters) -> Result<(), i32> {
        counters.set_activity(Activity::Allocate);
        let memory = self.allocate()?;
        sleep_until(clock().saturating_add(self.after), counters);
        counters.set_began(clock());
        counters.set_phase(Phase::Filling);
        let mut done = 0;
        while done < self.touch {
            let length = STRETCH.min(self.touch - done);
            // SAFETY: `done + length` is within the mapping of `size` bytes.
            let stretch = unsafe { memory.add(done) };
            if self.kind == HoldKind::Mlock {
                counters.set_activity(Activity::Lock);
                // SAFETY: the range is within the mapping.
                check(unsafe { libc::mlock(stretch.cast(), length) })?;
            }
            // SAFETY: the range is within the mapping, which is writable and which nothing else uses.
            unsafe { fill(stretch, length, done, Fill::Random) };
            done += length;
            counters.add_processed(length as u64);
        }
        if let Some(file) = self.file {
            counters.set_activity(Activity::Sync);
            // What is held is cache, not dirty memory.
            // SAFETY: the descriptor is open.
            check(unsafe { libc::fsync(file) })?;
        }
        Ok(())
    }
}

impl HoldWork {
    fn allocate(&self) -> Result<*mut u8, i32> {
        let flags = match self.kind {
            HoldKind::Anon | HoldKind::Mlock => libc::MAP_PRIVATE,
            HoldKind::Shared | HoldKind::File => libc::MAP_SHARED,
        };
        if let Some(file) = self.file {
            let size = libc::off_t::try_from(self.size).map_err(|_| libc::EFBIG)?;
            // Room on the disk now, not a SIGBUS later.
            // SAFETY: the descriptor is open.
            match unsafe { libc::posix_fallocate(file, 0, size) } {
                0 => {}
                error => return Err(error),
            }
        }
        map(self.size, libc::PROT_READ | libc::PROT_WRITE, flags, self.file)
    }
}

fn check(result: libc::c_int) -> Result<(), i32> {
    if result == 0 { Ok(()) } else { Err(errno()) }
}
