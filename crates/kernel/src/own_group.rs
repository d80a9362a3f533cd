//! The control groups that this process is in.

use crate::Root;
use std::path::{Path, PathBuf};

/// The folder of a group that contains this process, directly or in a group below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnGroup {
    pub(crate) folder: PathBuf,
    /// Whether it is one of cgroup v2.
    pub(crate) is_v2: bool,
}

impl Root {
    /// This process's group and those above it up to the top, in the hierarchies that may have a controller: that of v2, and the one of v1
    /// with its name. Where a hierarchy is mounted from this group on, as in containers, only its top is there to read.
    pub(crate) fn own_groups(&self, controller: &str) -> Vec<OwnGroup> {
        let lines = self.read("/proc/self/cgroup").unwrap_or_default();
        let of_line = |line: &str| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            let is_v2 = controllers.is_empty();
            if !is_v2 && !controllers.split(',').any(|one| one == controller) {
                return None;
            }
            let top = Path::new("/sys/fs/cgroup").join(controllers);
            let groups = Path::new(path.trim_start_matches('/')).ancestors();
            Some(groups.map(|group| OwnGroup { folder: top.join(group), is_v2 }).collect::<Vec<_>>())
        };
        lines.lines().filter_map(of_line).flatten().collect()
    }
}
