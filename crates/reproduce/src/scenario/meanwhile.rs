//! What becomes of the machine in the incident.

use super::draft::{Draft, UNUSED};
use super::toml::{per_second, seconds, size};
use crate::guess::Knob;
use crate::load::CommandLoad;
use crate::recorded::change::{Change, ChangeKind};
use crate::recorded::{group, whole};
use pagetide_core::plain_name;
use std::fmt::Write;

/// What becomes of the machine in the incident.
pub(super) fn changes(draft: &Draft<'_>) -> Vec<String> {
    let mut changes = Vec::new();
    let after = |at: i64| seconds(at.saturating_sub(draft.facts.calm.from) as f64 / 1e9);
    for disk in &draft.facts.disks {
        let Some(slower) = &disk.slower else { continue };
        let mut fields = format!("disk = \"{}\"", plain_name(&disk.name));
        let us = |time: f64| whole((time / 1e3 * draft.factors.of(Knob::Latency)).max(1.0));
        let limits = disk.factor_of_limits(&draft.factors);
        // Writing to a string does not fail.
        if let Some(latency) = slower.latency {
            let _ = write!(fields, ", latency = \"{}us\"", us(latency));
            // It is that of all requests.
            if disk.write_latency.is_some() {
                let _ = write!(fields, ", write_latency = \"{}us\"", us(latency));
            }
        }
        if let Some(iops) = slower.iops {
            let _ = write!(fields, ", iops = {}", whole((iops * limits).max(1.0)));
        }
        if let Some(bandwidth) = slower.bandwidth {
            let _ = write!(fields, ", bandwidth = {}", per_second(bandwidth * limits));
        }
        changes.push(format!("{{ after = {}, device = {{ {fields} }} }}", after(draft.facts.calm.to)));
    }
    for Change { at, what } in &draft.facts.changes {
        let fields = match what {
            ChangeKind::HugePages { count } => format!("sysctl = {{ \"vm.nr_hugepages\" = {count} }}"),
            ChangeKind::CachesDropped => "drop_caches = true".to_owned(),
            ChangeKind::Reclaimed { group, bytes } => {
                let is_in = |load: &CommandLoad| load.command.group.as_ref() == Some(group);
                if !draft.facts.loads.iter().any(is_in) {
                    continue;
                }
                let Some(name) = group::name(group) else { continue };
                format!("reclaim = {{ cgroup = \"{name}\", size = {} }}", size(*bytes))
            }
            ChangeKind::FilesDropped { bytes } => format!("drop_files = [{}]", dropped(draft, *bytes).join(", ")),
            ChangeKind::DirtyLimits { background, limit } => {
                format!("sysctl = {{ \"vm.dirty_background_bytes\" = {background}, \"vm.dirty_bytes\" = {limit} }}")
            }
        };
        changes.push(format!("{{ after = {}, {fields} }}", after(*at)));
    }
    changes
}

/// The files that left the cache when so many bytes did: those that are missed, and the others where that is not all.
fn dropped(draft: &Draft<'_>, bytes: f64) -> Vec<String> {
    const MORE: f64 = 1.1;
    let sets = draft.sets();
    let used = draft.facts.loads.iter().enumerate().filter(|(_, load)| load.kind.set().is_some());
    let mut files: Vec<String> = used.map(|(at, _)| format!("\"{}\"", draft.place(at))).collect();
    if bytes > MORE * sets && draft.unused() > 0.0 || files.is_empty() {
        files.push(format!("\"{UNUSED}\""));
    }
    files
}
