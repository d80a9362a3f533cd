//! Processes of the running host: who they are, and which of them is kswapd.

use crate::actor::{Identity, Processes};
use crate::replay::PlaceMemory;
use std::collections::BTreeSet;
use std::fs;

/// Processes as `/proc` shows them.
#[derive(Debug)]
pub struct HostProcesses {
    /// The number of the hierarchy of memory control groups.
    hierarchy: Option<u32>,
}

impl Default for HostProcesses {
    fn default() -> Self {
        let groups = fs::read("/proc/self/cgroup").unwrap_or_default();
        Self { hierarchy: memory_row(&String::from_utf8_lossy(&groups)).map(|(hierarchy, _)| hierarchy) }
    }
}

impl Processes for HostProcesses {
    fn identity(&mut self, pid: u32) -> Option<Identity> {
        let comm = fs::read(format!("/proc/{pid}/comm")).ok()?;
        let comm = String::from_utf8_lossy(&comm).trim_end_matches('\n').to_owned();
        // The name of a group may be any bytes: that must not hide its processes.
        let groups = fs::read(format!("/proc/{pid}/cgroup")).ok()?;
        let groups = String::from_utf8_lossy(&groups);
        let status = fs::read(format!("/proc/{pid}/status")).ok();
        let uid = status.and_then(|status| effective_user(&String::from_utf8_lossy(&status)));
        Some(Identity { comm, group: memory_group(&groups).unwrap_or("/").to_owned(), uid })
    }

    fn is_memory_hierarchy(&self, hierarchy: u32) -> bool {
        self.hierarchy == Some(hierarchy)
    }
}

/// The effective user in `/proc/PID/status`.
fn effective_user(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_whitespace().nth(1)?.parse().ok()
}

/// The path of the memory control group in `/proc/PID/cgroup`.
fn memory_group(text: &str) -> Option<&str> {
    memory_row(text).map(|(_, path)| path)
}

/// Hierarchy and path of v1's memory controller, else of v2.
fn memory_row(text: &str) -> Option<(u32, &str)> {
    let rows = || {
        text.lines().filter_map(|line| {
            let mut parts = line.splitn(3, ':');
            Some((parts.next()?.parse::<u32>().ok()?, parts.next()?, parts.next()?))
        })
    };
    let v1 = rows().find(|(_, controllers, _)| controllers.split(',').any(|controller| controller == "memory"));
    v1.or_else(|| rows().find(|(_, controllers, _)| controllers.is_empty()))
        .map(|(hierarchy, _, path)| (hierarchy, path))
}

/// The memory of this host, or of a control group by its path.
pub fn memory(group: Option<&str>) -> Option<PlaceMemory> {
    let page = rustix::param::page_size() as u64;
    let Some(group) = group else {
        let vmstat = fs::read_to_string("/proc/vmstat").ok()?;
        let number = |key| number_of(&vmstat, key);
        let file_pages = number("nr_active_file")? + number("nr_inactive_file")?;
        return Some(PlaceMemory { file_pages, other_pages: None });
    };
    // For a process outside of this control-group namespace the path leads upwards.
    if group.split('/').any(|part| part == "..") {
        return None;
    }
    let trees = [
        ("/sys/fs/cgroup/memory", "total_active_file", "total_inactive_file", "memory.usage_in_bytes"),
        ("/sys/fs/cgroup", "active_file", "inactive_file", "memory.current"),
    ];
    trees.into_iter().find_map(|(tree, active, inactive, usage)| {
        let stat = fs::read_to_string(format!("{tree}{group}/memory.stat")).ok()?;
        let file_pages = (number_of(&stat, active)? + number_of(&stat, inactive)?) / page;
        let usage = fs::read_to_string(format!("{tree}{group}/{usage}")).ok();
        let usage: Option<u64> = usage.and_then(|text| text.trim().parse().ok());
        Some(PlaceMemory { file_pages, other_pages: usage.map(|usage| (usage / page).saturating_sub(file_pages)) })
    })
}

/// The number of a line `key number`.
fn number_of(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok())
}

/// The process ids of the kernel's reclaim threads: called kswapd, and children of kthreadd, as no program of a user is.
pub fn kswapd() -> BTreeSet<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return BTreeSet::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| {
        fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
            let Some((name, rest)) = stat.rsplit_once(") ") else { return false };
            name.contains("(kswapd") && rest.split(' ').nth(1) == Some("2")
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_group_is_found_in_both_versions() {
        assert_eq!(memory_group("0::/system.slice/db.service\n"), Some("/system.slice/db.service"));
        assert_eq!(memory_group("9:name=systemd:/x\n4:cpu,memory:/batch:a\n0::/\n"), Some("/batch:a"));
        assert_eq!(memory_group("9:name=systemd:/x\n"), None);
    }
}
