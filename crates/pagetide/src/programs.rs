//! Programs that the user names to be run.

use pagetide_core::Error;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Refuses a program that cannot be found, before anything depends on it.
pub(crate) fn is_there(program: &OsStr, hint: &str) -> Result<(), Error> {
    let runs = |path: &Path| path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0);
    let path = Path::new(program);
    let found = if path.components().count() > 1 || path.is_absolute() {
        runs(path)
    } else {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders).any(|folder| runs(&folder.join(path)))
    };
    if found {
        return Ok(());
    }
    let what = if path.is_file() { "not an executable" } else { "no such command" };
    Err(Error::input(format!("{}: {what}", program.display()), hint))
}
