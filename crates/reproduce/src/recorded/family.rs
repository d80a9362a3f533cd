//! Whose children processes are, and when each was seen.

use super::stretch::Stretch;
use pagetide_core::{EndedName, Recording, Table};
use std::collections::BTreeMap;

/// What the kernel adds to a process when it reaps a child (`kernel/exit.c: wait_task_zombie`, `task_io_accounting_add`).
pub(super) const COUNTED_OF_CHILDREN: [&str; 7] =
    ["syscr", "rchar", "syscw", "wchar", "read_bytes", "write_bytes", "cancelled_write_bytes"];

/// Whose children the processes are.
pub(super) struct Family(BTreeMap<i64, Vec<(String, i64)>>);

impl Family {
    /// Each process that was seen, with when it was last, by its parent's id.
    pub(super) fn of_recording(recording: &Recording) -> Self {
        let mut all: BTreeMap<i64, Vec<(String, i64)>> = BTreeMap::new();
        for (process, _) in recording.entities(Table::Process) {
            let parent =
                recording.series(Table::Process, process, "ppid").and_then(|series| series.points().next_back());
            if let (Some((_, parent)), Some((_, last))) = (parent, seen(recording, process))
                && has_own_counters(recording, process)
            {
                all.entry(parent).or_default().push((process.to_owned(), last));
            }
        }
        Self(all)
    }

    /// The children of a process that ended in a stretch.
    pub(super) fn of(&self, stretch: &Stretch<'_>, process: &str) -> Vec<String> {
        let children = id(process).and_then(|id| self.0.get(&id)).into_iter().flatten();
        children.filter(|(_, last)| (stretch.from..stretch.to).contains(last)).map(|(child, _)| child.clone()).collect()
    }
}

/// The id of a process, by its row.
pub(super) fn id(process: &str) -> Option<i64> {
    process.split('@').next()?.parse().ok()
}

/// The id of the process that forked it.
pub(super) fn forked_by(recording: &Recording, process: &str) -> Option<i64> {
    recording.series(Table::Process, process, "ppid")?.points().next().map(|(_, id)| id)
}

/// Whether what the row counts is in no other: that of a thread is in its process's, and that of processes that no sample saw in their
/// parent's.
pub(super) fn has_own_counters(recording: &Recording, process: &str) -> bool {
    recording.series(Table::Process, process, "tgid").is_none() && !EndedName::is(process)
}

/// When a process was first and last seen.
pub(super) fn seen(recording: &Recording, process: &str) -> Option<(i64, i64)> {
    let of = |metric: &&str| {
        let mut points = recording.series(Table::Process, process, metric)?.points();
        let first = points.next()?.0;
        Some((first, points.next_back().map_or(first, |last| last.0)))
    };
    let all = ["utime", "rss", "read_bytes"];
    all.iter().filter_map(of).reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
}
