//! How long CPU limits of control groups kept this process and its neighbours from running.

use crate::Root;
use pagetide_core::Nanos;

/// Time for which CPUs were throttled by the CPU limits of the groups that this process is in, added over CPUs and over the group and all above
/// it (`kernel/sched/core.c:cpu_extra_stat_show` and `cpu_cfs_stat_show`, 6.12); absent where none of them has a CPU controller.
pub fn throttled(root: &Root) -> Option<Nanos> {
    let times = root
        .own_groups("cpu")
        .into_iter()
        .filter_map(|group| throttled_time(&root.read(group.folder.join("cpu.stat")).ok()?));
    times.reduce(u64::saturating_add).map(Nanos::new)
}

/// In ns; v2 has µs.
fn throttled_time(cpu_stat: &str) -> Option<u64> {
    let of = |name: &str| cpu_stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    of("throttled_usec ").map(|us| us.saturating_mul(1000)).or_else(|| of("throttled_time "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn limits_of_both_versions_and_of_all_groups_above_count() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::new(folder.path());
        let write = |file: &str, text: &str| {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(throttled(&root), None);
        write("proc/self/cgroup", "3:cpu,cpuacct:/a\n2:cpuset:/b\n0::/x.slice/y.service\n");
        assert_eq!(throttled(&root), None, "no group says how long");
        write("sys/fs/cgroup/cpu.stat", "usage_usec 9\n");
        write("sys/fs/cgroup/x.slice/cpu.stat", "nr_throttled 1\nthrottled_usec 5\n");
        write("sys/fs/cgroup/x.slice/y.service/cpu.stat", "throttled_usec 2\n");
        assert_eq!(throttled(&root), Some(Nanos::new(7000)));
        write("sys/fs/cgroup/cpu,cpuacct/a/cpu.stat", "nr_periods 1\nthrottled_time 11\n");
        assert_eq!(throttled(&root), Some(Nanos::new(7011)));
    }
}
