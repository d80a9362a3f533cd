//! The ring of a perf event: the kernel writes records, this process reads them (`include/uapi/linux/perf_event.h`).
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Offsets in `struct perf_event_mmap_page`.
const DATA_HEAD: usize = 1024;
const DATA_TAIL: usize = 1032;

/// `struct perf_event_header`: type, misc, size.
const HEADER: usize = 8;

/// A mapped ring.
#[derive(Debug)]
pub(crate) struct Ring {
    start: NonNull<u8>,
    page: usize,
    data: usize,
}

// SAFETY: the mapping belongs to this value alone; the kernel's side is reached through atomics only.
unsafe impl Send for Ring {}

impl Ring {
    /// Maps the ring of an event: `bytes`, a power of two of pages, and one page of control.
    pub(crate) fn map(event: &OwnedFd, bytes: usize) -> io::Result<Self> {
        let page = rustix::param::page_size();
        // SAFETY: a new shared mapping at an address of the kernel's choice; nothing else is touched.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                page + bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                event.as_raw_fd(),
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::InvalidData)?;
        Ok(Self { start, page, data: bytes })
    }

    fn position(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: both offsets are 8-byte aligned numbers in the control page, which is mapped as long as `self` lives; the kernel
        // writes the head and reads the tail concurrently, which atomics allow.
        unsafe { AtomicU64::from_ptr(self.start.as_ptr().add(offset).cast()) }
    }

    /// Hands out all records there are: type and body. Gives back whether the ring was so full that records may be lost.
    pub(crate) fn drain(&mut self, scratch: &mut Vec<u8>, mut take: impl FnMut(u32, &[u8])) -> bool {
        // The head is written after the records (smp_wmb): acquire makes them visible.
        let head = self.position(DATA_HEAD).load(Ordering::Acquire);
        let mut tail = self.position(DATA_TAIL).load(Ordering::Relaxed);
        let used = usize::try_from(head.wrapping_sub(tail)).unwrap_or(usize::MAX);
        while tail != head {
            scratch.clear();
            self.copy(tail, HEADER, scratch);
            let kind = u32::from_ne_bytes([scratch[0], scratch[1], scratch[2], scratch[3]]);
            let size = usize::from(u16::from_ne_bytes([scratch[6], scratch[7]]));
            if size < HEADER || size as u64 > head.wrapping_sub(tail) {
                tail = head; // Not a record: nothing after it can be trusted.
                break;
            }
            scratch.clear();
            self.copy(tail, size, scratch);
            take(kind, &scratch[HEADER..]);
            tail = tail.wrapping_add(size as u64);
        }
        // Release: the kernel may overwrite the records only after they were read.
        self.position(DATA_TAIL).store(tail, Ordering::Release);
        used.saturating_add(self.page) > self.data
    }

    /// Appends `length` bytes from ring position `from` to `out`.
    #[expect(clippy::cast_possible_truncation, reason = "a position modulo the ring's length")]
    fn copy(&self, from: u64, length: usize, out: &mut Vec<u8>) {
        let begin = (from % self.data as u64) as usize;
        let first = length.min(self.data - begin);
        for (begin, length) in [(begin, first), (0, length - first)] {
            // SAFETY: `begin + length` is at most `self.data`, so the bytes are inside the mapping; the kernel does not write between
            // tail and head, where they lie.
            out.extend_from_slice(unsafe {
                std::slice::from_raw_parts(self.start.as_ptr().add(self.page + begin), length)
            });
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what `map` mapped; no reference into it outlives `self`.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.page + self.data) };
    }
}
