//! Control groups by their paths.

use pagetide_core::{Recording, Table};

/// Whether a group is below another, by their paths.
pub(crate) fn below(parent: &str, group: &str) -> bool {
    group.strip_prefix(parent).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a group is another, or below it.
pub(crate) fn within(parent: &str, group: &str) -> bool {
    group == parent || below(parent, group)
}

/// The kernel's number of a group, or of the group that a process is in.
pub(crate) fn number(recording: &Recording, table: Table, name: &str) -> Option<i64> {
    recording.series(table, name, "cgroup_id")?.points().next_back().map(|(_, id)| id)
}

/// The groups of a recording without others in them.
pub(crate) fn innermost(recording: &Recording) -> Vec<&str> {
    let all: Vec<&str> = recording.entities(Table::Cgroup).map(|(group, _)| group).collect();
    all.iter().copied().filter(|group| !all.iter().any(|other| below(group, other))).collect()
}
