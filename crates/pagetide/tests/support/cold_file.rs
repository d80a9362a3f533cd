//! A file whose reads reach the disk.

use std::fs::File;
use std::io::Write;
use std::path::Path;

/// A file on the disk that is not in the cache.
pub(crate) fn cold_file(path: &Path, mib: u64) {
    let mut file = File::create(path).unwrap();
    (0..mib).for_each(|_| file.write_all(&[0x5a; 1 << 20]).unwrap());
    file.sync_all().unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
}
