//! How much memory this process can have.

use crate::Root;
use rustix::process::{Resource, getrlimit};
use std::path::{Path, PathBuf};

impl Root {
    /// Half of the memory that this process can have, bytes: of what the host has available, of the limits of its control groups, and of its
    /// limit of address space. Absent where the kernel tells none of them.
    pub fn spare_memory(&self) -> Option<u64> {
        let available = self.meminfo().ok().and_then(|meminfo| meminfo.get("MemAvailable")).map(|bytes| bytes.get());
        let address_space = getrlimit(Resource::As).current;
        Some(available.into_iter().chain(self.own_group_limit()).chain(address_space).min()? / 2)
    }

    /// The lowest memory limit of this process's control group and of those above it, bytes: `memory.max`, or `memory.limit_in_bytes` under
    /// cgroup v1. Where the hierarchy is mounted from this group on, as in containers, that is its top.
    fn own_group_limit(&self) -> Option<u64> {
        let groups = self.read("/proc/self/cgroup").ok()?;
        let of_line = |line: &str| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/').to_owned());
            let (top, file) = match controllers {
                "" => ("/sys/fs/cgroup", "memory.max"),
                _ if controllers.split(',').any(|name| name == "memory") => {
                    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
                }
                _ => return None,
            };
            let folders: Vec<PathBuf> = Path::new(&path).ancestors().map(|group| Path::new(top).join(group)).collect();
            let limit = |folder: PathBuf| self.read(folder.join(file)).ok()?.trim_ascii().parse().ok();
            folders.into_iter().filter_map(limit).min()
        };
        groups.lines().filter_map(of_line).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let root = Root::new(folder.path());
        (folder, root)
    }

    #[test]
    fn the_lowest_limit_of_a_group_and_those_above_it_counts() {
        let (_folder, root) = tree(&[
            ("proc/self/cgroup", "0::/a.slice/b.service\n"),
            ("sys/fs/cgroup/a.slice/memory.max", "1073741824\n"),
            ("sys/fs/cgroup/a.slice/b.service/memory.max", "max\n"),
        ]);
        assert_eq!((root.own_group_limit(), root.spare_memory()), (Some(1 << 30), Some(1 << 29)));
        let (_folder, root) = tree(&[
            ("proc/self/cgroup", "5:cpu,cpuacct:/\n4:memory:/docker/0a\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n"),
        ]);
        assert_eq!(root.own_group_limit(), Some(256 << 20), "the group's path is that of the host");
        let (_folder, root) = tree(&[("proc/self/cgroup", "0::/../../etc\n")]);
        assert_eq!(root.own_group_limit(), None);
    }
}
