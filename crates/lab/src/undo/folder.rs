//! Where journals and the lock are.

use pagetide_core::Error;
use pagetide_dir::Dir;
use std::path::{Path, PathBuf};

/// Root's folder. It is on a disk, because what a run leaves on disks outlives a reboot, and its path has no part that another user
/// can write to.
const OF_ROOT: &str = "/var/lib/pagetide-lab";

/// The folder for journals and the lock: `/var/lib/pagetide-lab` of root, `$XDG_RUNTIME_DIR/pagetide-lab` of another user.
///
/// # Errors
/// The user is not root and has no `XDG_RUNTIME_DIR`.
pub fn folder() -> Result<PathBuf, Error> {
    if rustix::process::geteuid().is_root() {
        return Ok(PathBuf::from(OF_ROOT));
    }
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    runtime.map(|path| path.join("pagetide-lab")).ok_or_else(|| {
        Error::system(
            "no folder for the undo journal: XDG_RUNTIME_DIR is not set",
            "log in by a session that sets it, or run as root",
        )
    })
}

/// The folder at `path`, made when it is missing, which its owner alone can enter.
pub(super) fn private(path: &Path) -> Result<Dir, Error> {
    let opened = Dir::own(path, None).and_then(|dir| dir.make_private().map(|()| dir));
    opened.map_err(|error| {
        Error::system(
            format!("the folder of the undo journal {}: {error}", path.display()),
            "remove it if it is not yours, and run as root",
        )
    })
}
