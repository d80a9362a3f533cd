//! What groups tell of commands whose processes do not: which group they are in, and how long their threads waited.

use super::command::Command;
use super::did::Did;
use super::group::{self, Traffic};
use super::stretch::Stretch;
use pagetide_core::Table;

/// A group holds the memory of a command if both differ by this share at most, and are at least so large.
pub(super) const SAME_MEMORY: f64 = 0.15;
pub(super) const MIN_MEMORY: f64 = 8e6;

/// Finds the groups of commands whose processes were recorded without: those that read and wrote at the same times, or hold as much memory.
pub(super) fn find_groups(stretch: &Stretch<'_>, commands: &mut [Command]) {
    let recording = stretch.recording;
    let groups: Vec<&str> = group::below_root(stretch).collect();
    if groups.is_empty() || commands.iter().any(|command| command.group.is_some()) {
        return;
    }
    let disks: Vec<&str> = recording.entities(Table::CgroupDisk).map(|(row, _)| row).collect();
    let traffic = |path: &&str| {
        let own = disks.iter().filter(|row| row.split_once('\t').is_some_and(|(group, _)| group == *path));
        let rows: Vec<(Table, String)> = own.map(|row| (Table::CgroupDisk, (*row).to_owned())).collect();
        // Recordings before schema 4 have the sums over the disks.
        if rows.is_empty() {
            return Traffic::of(stretch, &[(Table::Cgroup, (*path).to_owned())], ["io_rbytes", "io_wbytes"]);
        }
        Traffic::of(stretch, &rows, ["rbytes", "wbytes"])
    };
    let of_groups: Vec<(&str, Traffic)> = groups.iter().map(|path| (*path, traffic(path))).collect();
    let held = |path: &str| stretch.ends(Table::Cgroup, path, "anon").map_or(0.0, |(_, to)| to);
    for command in commands {
        let rows: Vec<(Table, String)> =
            command.processes.iter().map(|process| (Table::Process, process.clone())).collect();
        let own = Traffic::of(stretch, &rows, ["read_bytes", "write_bytes"]);
        let holds = command.trouble.anon.1;
        let by_memory = || {
            let near = |path: &&&str| (held(path) / holds - 1.0).abs() < SAME_MEMORY;
            groups.iter().find(near).filter(|_| holds > MIN_MEMORY).copied()
        };
        command.group =
            group::of_traffic(&own, &of_groups, stretch.seconds()).or_else(by_memory).map(ToOwned::to_owned);
    }
}

/// Adds the waits of threads that no sample saw, where a group waited for longer than its processes, and the groups below it, were seen to: in
/// proportion to what its commands read and wrote.
pub(super) fn add_waits_of_threads(stretch: &Stretch<'_>, commands: &mut [Command], did: fn(&mut Command) -> &mut Did) {
    let mut paths: Vec<String> = commands.iter().filter_map(|command| command.group.clone()).collect();
    paths.sort();
    paths.dedup();
    for path in paths {
        let waits = |path: &str| stretch.rate(Table::Cgroup, path, "psi_io_some").map(|us| us / 1e6);
        let Some(waited) = waits(&path) else { continue };
        let below: f64 = group::next_below(stretch, &path).filter_map(waits).sum();
        let mut own: Vec<&mut Did> =
            commands.iter_mut().filter(|command| command.group.as_ref() == Some(&path)).map(did).collect();
        let missing = waited - below - own.iter().map(|did| did.waits).sum::<f64>();
        let moved: f64 = own.iter().map(|did| did.read + did.written).sum();
        for did in own.iter_mut().filter(|_| missing > 0.0 && moved > 0.0) {
            did.waits += missing * (did.read + did.written) / moved;
        }
    }
}
