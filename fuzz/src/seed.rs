//! Files of the repository to begin with.

use std::path::{Path, PathBuf};

/// All files below a folder of the repository, if it is there, whose names end with one of `ends`, in order.
pub(crate) fn files(name: &str, ends: &[&str]) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name), &mut paths);
    paths.retain(|path| ends.iter().any(|end| path.to_string_lossy().ends_with(end)));
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a file of the repository")).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            collect(&entry.path(), paths);
        } else {
            paths.push(entry.path());
        }
    }
}

/// A folder that is gone when the value is. In memory where that can be had: syncing files to a disk would be most of the time.
pub(crate) fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a temporary folder")
}
