//! A file to read.

use std::fs;
use std::io::Write;
use std::path::Path;

/// Makes a file of so many bytes that is on the disk.
pub(crate) fn make_file(path: &Path, bytes: u64) {
    let mut file = fs::File::create(path).unwrap();
    (0..bytes >> 20).for_each(|_| file.write_all(&[7; 1 << 20]).unwrap());
    file.sync_all().unwrap();
}
