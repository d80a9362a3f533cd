//! Processes of the running host: who they are, and which of them is kswapd.

use crate::actor::{Identity, Processes};
use std::collections::BTreeSet;
use std::fs;

/// Processes as `/proc` shows them.
#[derive(Debug, Default)]
pub struct HostProcesses;

impl Processes for HostProcesses {
    fn identity(&mut self, pid: u32) -> Option<Identity> {
        let comm = fs::read(format!("/proc/{pid}/comm")).ok()?;
        let comm = String::from_utf8_lossy(&comm).trim_end_matches('\n').to_owned();
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
        Some(Identity { comm, group: memory_group(&groups).unwrap_or("/").to_owned() })
    }
}

/// The path of the memory control group in `/proc/PID/cgroup`: of v1's memory controller, else of v2.
fn memory_group(text: &str) -> Option<&str> {
    let rows = || {
        text.lines().filter_map(|line| {
            let (_, rest) = line.split_once(':')?;
            rest.split_once(':')
        })
    };
    let v1 = rows().find(|(controllers, _)| controllers.split(',').any(|controller| controller == "memory"));
    v1.or_else(|| rows().find(|(controllers, _)| controllers.is_empty())).map(|(_, path)| path)
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
