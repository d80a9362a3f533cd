//! Where the programs are that the lab starts.

use pagetide_core::Error;
use std::path::{Path, PathBuf};

/// The program file for a name such as `fio`.
///
/// # Errors
/// There is no such program.
pub(crate) fn find_program(name: &Path, hint: &str) -> Result<PathBuf, Error> {
    // Without PATH, where execvp(3) looks.
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    // mkfs lies where only root's PATH looks.
    let folders = std::env::split_paths(&path).chain(["/usr/sbin", "/sbin"].map(PathBuf::from));
    let mut candidates = if name.components().count() > 1 {
        vec![name.to_owned()]
    } else {
        folders.map(|folder| folder.join(name)).collect()
    };
    candidates.retain(|file| file.is_file());
    candidates.into_iter().next().ok_or_else(|| Error::system(format!("{} was not found", name.display()), hint))
}
