//! The source tree, for the tests that read it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The root of the source tree.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All Rust files below a folder.
pub(crate) fn rust_files(folder: &Path) -> BTreeSet<PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    let here = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    folders.iter().flat_map(|folder| rust_files(folder)).chain(here).collect()
}
