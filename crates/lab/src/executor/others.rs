//! What processes outside of this run read from disks and wrote to files.

use pagetide_core::Bytes;
use pagetide_kernel::{Root, parse_process_stat};
use std::collections::BTreeMap;

/// The bytes of each process that does not descend from this one, until now, by its id and start.
#[derive(Debug, Clone, Default)]
pub(super) struct OtherProcesses(BTreeMap<(u32, u64), Bytes>);

impl OtherProcesses {
    /// None, as on a machine that is not this one.
    pub(super) const NONE: Self = Self(BTreeMap::new());

    /// Reads `/proc/PID/io`, which root may of all processes and others of their own. Kernel threads have none of their own: what
    /// they write back was counted when it was written to a file.
    pub(super) fn read(root: &Root) -> Self {
        let mut parents: BTreeMap<u32, u32> = BTreeMap::new();
        let mut started: Vec<(u32, u64)> = Vec::new();
        for pid in root.pids().unwrap_or_default() {
            let Ok(text) = root.read(format!("/proc/{pid}/stat")) else { continue };
            let Ok(stat) = parse_process_stat(&text) else { continue };
            parents.insert(pid, stat.parent);
            started.push((pid, stat.starttime));
        }
        let this = std::process::id();
        let others = started.into_iter().filter(|(pid, _)| !descends(*pid, this, &parents));
        Self(others.filter_map(|process| Some((process, bytes(root, process.0)?))).collect())
    }

    /// What the processes that are there at both ends moved up to a later reading; a process that began between them moved all of
    /// its bytes since. One that began and ended between them is not seen.
    pub(super) fn until(&self, later: &Self) -> Bytes {
        let moved = later
            .0
            .iter()
            .map(|(process, bytes)| bytes.saturating_sub(self.0.get(process).copied().unwrap_or(Bytes::ZERO)).get());
        Bytes::new(moved.fold(0, u64::saturating_add))
    }
}

fn bytes(root: &Root, pid: u32) -> Option<Bytes> {
    let io = root.process_io(pid).ok()?;
    Some(Bytes::new(io.get("read_bytes")?.saturating_add(io.get("write_bytes")?)))
}

/// Whether `pid` is `ancestor` or comes from it.
fn descends(pid: u32, ancestor: u32, parents: &BTreeMap<u32, u32>) -> bool {
    let mut at = pid;
    // A chain is at most as long as there are processes; ids that are reused during the read can make it a ring.
    for _ in 0..=parents.len() {
        if at == ancestor {
            return true;
        }
        match parents.get(&at) {
            Some(parent) if *parent != at => at = *parent,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_part_of_the_run_however_deep_and_a_ring_of_parents_ends() {
        let parents = BTreeMap::from([(10, 1), (11, 10), (12, 11), (20, 1), (30, 31), (31, 30)]);
        let own: Vec<u32> = parents.keys().copied().filter(|pid| descends(*pid, 10, &parents)).collect();
        assert_eq!(own, [10, 11, 12]);
    }

    #[test]
    fn only_what_rose_counts_and_an_ended_process_takes_nothing_back() {
        let of = |processes: &[(u32, u64, u64)]| {
            OtherProcesses(processes.iter().map(|(pid, began, bytes)| ((*pid, *began), Bytes::new(*bytes))).collect())
        };
        let before = of(&[(1, 5, 1000), (2, 5, 300), (3, 5, 7)]);
        // 1 moved 24 more, 2 ended and its id was given to another, 3 ended, 4 is new.
        assert_eq!(before.until(&of(&[(1, 5, 1024), (2, 9, 50), (4, 9, 100)])), Bytes::new(174));
    }

    #[test]
    fn this_process_and_its_children_are_not_among_the_others() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let seen = OtherProcesses::read(&Root::host());
        let pids: Vec<u32> = seen.0.keys().map(|(pid, _)| *pid).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!pids.contains(&std::process::id()) && !pids.contains(&child.id()));
    }
}
