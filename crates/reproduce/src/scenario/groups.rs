//! Control groups of the scenario, and how their limits change.

use super::draft::Draft;
use super::toml::{per_second, seconds, size};
use crate::load::CommandLoad;
use crate::recorded::disk::DiskModel;
use crate::recorded::{group, whole};
use pagetide_core::{GroupSpec, Table, plain_name};
use std::fmt::Write;

/// The control group of a load.
pub(super) fn of(draft: &Draft<'_>, load: &CommandLoad, at: i64) -> Option<String> {
    load.command.group.as_deref().and_then(|path| at_moment(draft, path, at))
}

/// A control group with the limits that it had at a moment.
fn at_moment(draft: &Draft<'_>, path: &str, at: i64) -> Option<String> {
    let name = group::name(path)?;
    let limits = group::limits(&draft.facts.trouble, &draft.facts.throttled, path, at);
    let mut fields = format!("{{ name = \"{name}\"");
    // Writing to a string does not fail.
    for (limit, key) in [(limits.memory_max, "memory_max"), (limits.memory_high, "memory_high")] {
        if let Some(limit) = limit {
            let _ = write!(fields, ", {key} = {}", size(limit));
        }
    }
    if let Some(cpus) = limits.cpu_max {
        let (least, most) = GroupSpec::CPU_MAX.into_inner();
        let _ = write!(fields, ", cpu_max = {:.3}", cpus.clamp(least, most));
    }
    let of_disks: Vec<String> = draft.facts.disks.iter().filter_map(|disk| io_max(disk, &limits.io)).collect();
    if !of_disks.is_empty() {
        let _ = write!(fields, ", io_max = [{}]", of_disks.join(", "));
    }
    Some(fields + " }")
}

/// Parts that hold the memory of groups, and parts that change a group's limits where they changed: what begins in a group sets them.
pub(super) fn parts(draft: &Draft<'_>, length: f64) -> Vec<String> {
    let mut parts = Vec::new();
    for (at, (path, bytes)) in draft.facts.group_memory.iter().enumerate() {
        let first =
            draft.facts.trouble.recording.series(Table::Cgroup, path, "current").and_then(|all| all.points().next());
        let from = first.map_or(draft.facts.calm.from, |(at, _)| at.max(draft.facts.calm.from));
        if let Some(group) = at_moment(draft, path, from) {
            let (bytes, time) = (size(*bytes), seconds(length));
            let late = from - draft.facts.calm.from;
            let delay = if late > 0 { format!(", delay = {}", seconds(late as f64 / 1e9)) } else { String::new() };
            parts.push(format!(
                "{{ name = \"held_{at}\", grow = {{ size = {bytes}, fill = \"random\", hold_for = {time} }}, background = true{delay}, cgroup = {group} }}"
            ));
        }
    }
    let mut paths: Vec<&str> = draft.facts.loads.iter().filter_map(|load| load.command.group.as_deref()).collect();
    paths.extend(draft.facts.group_memory.iter().map(|(path, _)| path.as_str()));
    paths.sort_unstable();
    paths.dedup();
    for path in paths {
        let moments = draft.facts.trouble.recording.stamps().iter().map(|stamp| stamp.boot_ns);
        let mut was = at_moment(draft, path, draft.facts.calm.from);
        for moment in moments.filter(|at| *at > draft.facts.calm.from && *at < draft.facts.trouble.to) {
            let is = at_moment(draft, path, moment);
            if is != was
                && let Some(group) = &is
            {
                // A page more: the model reclaims to a limit when something is charged, and the kernel when it is set.
                let delay = seconds((moment - draft.facts.calm.from) as f64 / 1e9);
                let name = format!("limit_{}", parts.len());
                parts.push(format!(
                    "{{ name = \"{name}\", grow = {{ size = \"4KiB\", fill = \"random\", hold_for = \"1ms\" }}, delay = {delay}, cgroup = {group} }}"
                ));
            }
            was = is;
        }
    }
    parts
}

/// The limits of a group's IO on a disk.
fn io_max(disk: &DiskModel, limits: &[(String, [Option<f64>; 4])]) -> Option<String> {
    let (_, limits) = limits.iter().find(|(name, _)| *name == disk.name)?;
    let keys = ["read", "write", "read_iops", "write_iops"];
    let limit = |(limit, key): (&Option<f64>, &str)| {
        let limit = (*limit)?;
        Some(if key.ends_with("iops") {
            format!("{key} = {}", whole(limit.max(1.0)))
        } else {
            format!("{key} = {}", per_second(limit))
        })
    };
    let limits: Vec<String> = limits.iter().zip(keys).filter_map(limit).collect();
    Some(format!("{{ disk = \"{}\", {} }}", plain_name(&disk.name), limits.join(", ")))
}
