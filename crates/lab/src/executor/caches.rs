//! Dropping caches.

use pagetide_core::{Bytes, Error};
use pagetide_kernel::cached;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes what is dirty and drops the page cache, dentries and inodes of the whole machine (`fs/drop_caches.c`), and looks
/// whether the given files are really gone from it. Gives a note when they are not.
pub(super) fn drop_all(files: &[PathBuf]) -> Result<Option<String>, Error> {
    const FILE: &str = "/proc/sys/vm/drop_caches";
    let mut left = Bytes::ZERO;
    // Pages that another CPU is just adding to the lists escape the first time.
    for _ in 0..3 {
        // Dirty pages cannot be dropped.
        rustix::fs::sync();
        fs::write(FILE, "3").map_err(|error| Error::system(format!("cannot write {FILE}: {error}"), "run as root"))?;
        left = files
            .iter()
            .filter_map(|file| cached::bytes(file).ok())
            .fold(Bytes::ZERO, |sum, bytes| sum.checked_add(bytes).unwrap_or(sum));
        if left == Bytes::ZERO {
            return Ok(None);
        }
    }
    Ok(Some(format!("{left} of the data files stayed in the page cache after it was dropped")))
}

/// Drops the clean cached pages of a file (`POSIX_FADV_DONTNEED`).
pub(super) fn drop_file(path: &Path) -> Result<(), Error> {
    let refused = |error: std::io::Error| {
        Error::system(format!("cannot drop the pages of {}: {error}", path.display()), "run as root")
    };
    let file = fs::File::open(path).map_err(refused)?;
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).map_err(|error| refused(error.into()))
}
