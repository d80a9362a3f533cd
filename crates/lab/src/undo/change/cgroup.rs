//! Control groups that the lab made.

use crate::undo::outcome::Undone;
use crate::undo::process::{Identity, kill};
use pagetide_core::Error;
use pagetide_kernel::Root;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A group's path below the mount of its hierarchy, such as `pagetide-12/pagetide-backup`. Every part has the lab's mark: no other
/// group can be named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Marked(String);

impl TryFrom<String> for Marked {
    type Error = String;
    fn try_from(path: String) -> Result<Self, String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let marked = |part: &str| part.starts_with("pagetide-") && part.chars().all(plain);
        if path.split('/').all(marked) {
            Ok(Self(path))
        } else {
            Err(format!("`{path}` is not a control group of the lab"))
        }
    }
}

impl From<Marked> for String {
    fn from(marked: Marked) -> Self {
        marked.0
    }
}

/// Where hierarchies of control groups are mounted.
fn mounts() -> Vec<PathBuf> {
    let mounts = Root::host().mounts().unwrap_or_default();
    mounts.into_iter().filter(|mount| mount.kind.starts_with("cgroup")).map(|mount| mount.point).collect()
}

impl Marked {
    /// The name of the group at `path`.
    ///
    /// # Errors
    /// It is not below a mount of control groups, or a part of its name lacks the mark.
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        let below = mounts().iter().filter_map(|mount| path.strip_prefix(mount).ok()).find_map(|below| below.to_str());
        let marked = below.unwrap_or_default().to_owned().try_into();
        marked.map_err(|_| {
            Error::system(
                format!("{} is not a name for a control group of the lab", path.display()),
                "give the group a name of letters, digits, _ and -",
            )
        })
    }

    /// Removes the groups of that name: ends their processes, has v1 give up their cache (it would stay charged to the removed group),
    /// and tries again while the kernel is still removing the processes.
    pub(super) fn undo(&self) -> Undone {
        let found: Vec<_> =
            mounts().into_iter().map(|mount| mount.join(&self.0)).filter(|path| path.is_dir()).collect();
        let mut outcome = Undone::Nothing;
        for path in found {
            match remove(&path) {
                Undone::Nothing => {}
                Undone::Restored(line) if outcome == Undone::Nothing => outcome = Undone::Restored(line),
                Undone::Restored(_) => {}
                trouble @ Undone::Trouble(_) => outcome = trouble,
            }
        }
        outcome
    }
}

fn remove(path: &Path) -> Undone {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        for pid in fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default().lines() {
            if let Some(process) = pid.parse().ok().filter(|pid| *pid != std::process::id()).and_then(Identity::of) {
                kill(process);
            }
        }
        // Absent under v2, and busy while a process is leaving.
        let _ = fs::write(path.join("memory.force_empty"), "0");
        match fs::remove_dir(path) {
            Ok(()) => return Undone::Restored(format!("removed the control group {}", path.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Undone::Nothing,
            Err(error) if Instant::now() > end => {
                return Undone::Trouble(format!("cannot remove the control group {}: {error}", path.display()));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_the_mark_is_no_group_of_the_lab() {
        for name in ["pagetide-12", "pagetide-12/pagetide-backup_2"] {
            assert_eq!(String::from(Marked::try_from(name.to_owned()).unwrap()), name);
        }
        for wrong in
            ["", "system.slice", "pagetide-12/..", "pagetide-12/x", "/pagetide-12", "../pagetide-1", "pagetide-1/"]
        {
            assert!(Marked::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
        assert!(Marked::of(Path::new("/tmp/pagetide-12")).is_err(), "not below a mount of control groups");
    }
}
