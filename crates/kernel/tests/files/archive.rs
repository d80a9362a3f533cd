//! The archives of kernel files, as trees on disk.

#[path = "../../../proctext/tests/support/archive.rs"]
mod text;

use tempfile::TempDir;
pub(crate) use text::names;

/// Writes the files of an archive below a temporary folder.
pub(crate) fn unpack(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in text::files(name) {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}
