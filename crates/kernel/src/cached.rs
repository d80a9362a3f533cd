//! How much of a file is in the page cache: `cachestat(2)` since Linux 6.5, else `mincore(2)`.

mod call;

pub use call::CachedPages;

use pagetide_core::Bytes;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io;
use std::path::Path;

/// The part of a file that is in the page cache.
pub fn bytes(path: &Path) -> io::Result<Bytes> {
    let file = open(path)?;
    match call::cachestat(&file)? {
        Some(pages) => part(&file, pages.cached.get()),
        None => part(&file, call::resident_pages(&file)?),
    }
}

/// The same as [`bytes`] by `mincore(2)`, which every kernel has. It maps the file, so it costs more, and it answers only
/// for files that the caller may write or owns: of others it calls every page resident (134fca9063ad, "mm/mincore.c: make
/// mincore() more conservative", 5.2).
pub fn resident_bytes(path: &Path) -> io::Result<Bytes> {
    let file = open(path)?;
    part(&file, call::resident_pages(&file)?)
}

/// Pages in bytes. The last page of a file is cached whole but only a part of it belongs to the file.
fn part(file: &File, pages: u64) -> io::Result<Bytes> {
    Ok(Bytes::new(pages.saturating_mul(rustix::param::page_size() as u64).min(file.metadata()?.len())))
}

/// What the page cache holds and remembers of a file; `None` when the kernel lacks `cachestat(2)` (before Linux 6.5:
/// cf264e1329fb, "cachestat: implement cachestat syscall") or it cannot be asked about this file.
pub fn pages(path: &Path) -> io::Result<Option<CachedPages>> {
    call::cachestat(&open(path)?)
}

/// Opens a regular file. A FIFO is refused at once.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}
