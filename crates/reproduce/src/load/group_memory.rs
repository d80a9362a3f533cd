//! What groups with limits hold beside their loads.

use super::command_load::CommandLoad;
use crate::recorded::{Stretch, group};
use pagetide_core::Table;

/// What a control group that has a limit holds beside its files and what its loads bring: anonymous memory at the onset, and what the kernel charges it
/// for page tables, stacks and slab (`obj_cgroup_charge`). By a little of that a full group is above memory.high, which decides how long it sleeps.
pub(crate) fn group_memory(calm: &Stretch<'_>, trouble: &Stretch<'_>, loads: &[CommandLoad]) -> Vec<(String, f64)> {
    let recording = trouble.recording;
    let at = |group: &str, metric: &str| trouble.value_at(Table::Cgroup, group, metric, calm.to);
    let groups = recording.entities(Table::Cgroup).map(|(group, _)| group);
    // Their loads bring some of it.
    let brought = |group: &str| -> f64 {
        let own = loads.iter().filter(|load| load.command.group.as_deref() == Some(group));
        own.map(|load| load.brings(calm)).sum()
    };
    let kernel = |group: &str| {
        let end = |metric: &str| trouble.ends(Table::Cgroup, group, metric).map(|ends| ends.1);
        Some((end("current")? - end("anon")? - end("file")?).max(0.0))
    };
    // Less than this is the error of samples that are not taken at one moment.
    let more_than = |least: f64| move |bytes: &f64| *bytes > least;
    let held = groups.filter(|group| group::has_limit(calm, trouble, group)).map(|group| {
        let anon = at(group, "anon").map(|anon| anon - brought(group)).filter(more_than(4e6));
        (group.to_owned(), anon.unwrap_or(0.0) + kernel(group).filter(more_than(64e3)).unwrap_or(0.0))
    });
    held.filter(|(_, bytes)| *bytes > 0.0).collect()
}
