//! How much memory this process can have.

use crate::Root;
use crate::own_group::OwnGroup;
use rustix::process::{Resource, getrlimit};

impl Root {
    /// Half of the memory that this process can have, in bytes: the least of what the host has available, the limits of its control groups,
    /// and its limit of address space. Absent if the kernel reports none of them.
    pub fn spare_memory(&self) -> Option<u64> {
        let available = self.meminfo().ok().and_then(|meminfo| meminfo.get("MemAvailable")).map(|bytes| bytes.get());
        let address_space = getrlimit(Resource::As).current;
        Some(available.into_iter().chain(self.own_group_limit()).chain(address_space).min()? / 2)
    }

    /// The lowest memory limit of this process's control group and of those above it, bytes: `memory.max`, or `memory.limit_in_bytes` under
    /// cgroup v1.
    fn own_group_limit(&self) -> Option<u64> {
        let limit = |group: OwnGroup| {
            let file = if group.is_v2 { "memory.max" } else { "memory.limit_in_bytes" };
            self.read(group.folder.join(file)).ok()?.trim_ascii().parse().ok()
        };
        self.own_groups("memory").into_iter().filter_map(limit).min()
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
