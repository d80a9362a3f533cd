//! The two system calls that say what is cached. `unsafe`: rustix has neither `cachestat` nor `mincore`.
#![allow(unsafe_code)]

use pagetide_core::Pages;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// The pages of a file, as `cachestat(2)` counts them (`mm/filemap.c:filemap_cachestat`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CachedPages {
    /// In the page cache.
    pub cached: Pages,
    /// Waiting to be written.
    pub dirty: Pages,
    /// Being written.
    pub writeback: Pages,
    /// Reclaimed, and still remembered.
    pub evicted: Pages,
    /// Reclaimed so recently that reading it again counts as part of the working set.
    pub recently_evicted: Pages,
}

/// `__NR_cachestat`, the same on every architecture but alpha (which pagetide does not support).
const SYS_CACHESTAT: libc::c_long = 451;

/// How much of a file `mincore` is asked about at once: bounds the mapping and the answer.
const WINDOW_BYTES: u64 = 1 << 30;

/// `struct cachestat_range`; a length of 0 means up to the end.
#[repr(C)]
struct Range {
    offset: u64,
    length: u64,
}

/// `struct cachestat`.
#[repr(C)]
#[derive(Default)]
struct Counts {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// Asks `cachestat(2)` about a whole file; `None` when the kernel has no such call or refuses it for this file.
pub(super) fn cachestat(file: &File) -> io::Result<Option<CachedPages>> {
    let range = Range { offset: 0, length: 0 };
    let mut counts = Counts::default();
    // SAFETY: both pointers are to live structs with the kernel's layout; the call writes one `struct cachestat`.
    let result =
        unsafe { libc::syscall(SYS_CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut counts, 0 as libc::c_uint) };
    if result == 0 {
        let Counts { cached, dirty, writeback, evicted, recently_evicted } = counts;
        return Ok(Some(CachedPages {
            cached: Pages::new(cached),
            dirty: Pages::new(dirty),
            writeback: Pages::new(writeback),
            evicted: Pages::new(evicted),
            recently_evicted: Pages::new(recently_evicted),
        }));
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        // Not there, forbidden by a seccomp filter, not for this kind of file, not for a file one may not write.
        Some(libc::ENOSYS | libc::EPERM | libc::EOPNOTSUPP) => Ok(None),
        _ => Err(error),
    }
}

/// Counts the pages of a file that `mincore(2)` calls resident.
pub(super) fn resident_pages(file: &File) -> io::Result<u64> {
    let size = file.metadata()?.len();
    let page = rustix::param::page_size() as u64;
    let mut resident = 0;
    let mut answer = vec![0u8; to_usize(size.min(WINDOW_BYTES).div_ceil(page))?];
    let mut offset = 0;
    while offset < size {
        let length = (size - offset).min(WINDOW_BYTES);
        let pages = to_usize(length.div_ceil(page))?;
        window(file, offset, to_usize(length)?, &mut answer[..pages])?;
        resident += answer[..pages].iter().filter(|page| **page & 1 == 1).count() as u64;
        offset += length;
    }
    Ok(resident)
}

fn to_usize(value: u64) -> io::Result<usize> {
    usize::try_from(value).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))
}

/// Asks about `length` bytes from `offset`, one byte of answer for each page.
fn window(file: &File, offset: u64, length: usize, answer: &mut [u8]) -> io::Result<()> {
    let offset = libc::off_t::try_from(offset).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    // SAFETY: a fresh mapping that nobody reads or writes (PROT_NONE); the kernel chooses the address.
    let start = unsafe {
        libc::mmap(std::ptr::null_mut(), length, libc::PROT_NONE, libc::MAP_SHARED, file.as_raw_fd(), offset)
    };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the range is the mapping made above, and `answer` has a byte for each of its pages.
    let result = match unsafe { libc::mincore(start, length, answer.as_mut_ptr()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    };
    // SAFETY: unmaps exactly the mapping made above; nothing refers to it.
    unsafe { libc::munmap(start, length) };
    result
}
