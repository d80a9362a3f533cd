//! The id of the control group of a process.

use super::kernel_file::Buffer;
use super::task_files::Files;
use crate::cgroup::{directory, trees};
use crate::error::Error;
use crate::root::Root;
use pagetide_proctext::process::memory_group;

/// Finds groups in the hierarchy with memory accounting.
#[derive(Debug)]
pub(crate) struct GroupFinder {
    /// The mount point of the hierarchy, followed by the path of the group that was looked up last.
    path: String,
    mount: usize,
}

impl GroupFinder {
    /// Without such a hierarchy nothing is found.
    pub(crate) fn open(root: &Root) -> Self {
        let tree = trees(root).ok().and_then(|trees| trees.into_iter().next());
        let mount = tree.as_deref().and_then(|tree| tree.parent()).map(|point| directory(root, point));
        let path = mount.and_then(|mount| mount.to_str().map(str::to_owned)).unwrap_or_default();
        Self { mount: path.len(), path }
    }

    /// The id of the group that a process is in now (`cgroup_id`: the inode of its directory). `None` if the process is gone, or the group is
    /// outside the recorder's cgroup namespace.
    pub(crate) fn of(&mut self, files: &mut Files<'_>, buffer: &mut Buffer) -> Result<Option<u64>, Error> {
        if self.mount == 0 {
            return Ok(None);
        }
        let Some(text) = files.read("cgroup", None, buffer)? else { return Ok(None) };
        let Some(group) = memory_group(text).filter(|group| !group.starts_with("/..")) else { return Ok(None) };
        self.path.truncate(self.mount);
        self.path.push_str(group);
        Ok(rustix::fs::stat(self.path.as_str()).ok().map(|stat| stat.st_ino))
    }
}
