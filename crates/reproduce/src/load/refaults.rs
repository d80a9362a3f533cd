//! What a command read again after it was evicted.

use crate::recorded::{Command, PAGE, Stretch, group};
use pagetide_core::Table;

/// Bytes per second that a command read again after they were evicted: its part of what its group refaulted, or all that no group did.
pub(super) fn rate(trouble: &Stretch<'_>, command: &Command, commands: &[Command]) -> f64 {
    let of = |table, row: &str| {
        let metrics = ["workingset_refault_file", "workingset_refault"];
        metrics.iter().find_map(|metric| trouble.rate(table, row, metric)).unwrap_or(0.0) * PAGE
    };
    let bytes = match &command.group {
        Some(path) => of(Table::Cgroup, path),
        None => {
            let paths: Vec<&str> = group::below_root(trouble).collect();
            let is_top = |path: &&&str| {
                !paths.iter().any(|other| path.strip_prefix(other).is_some_and(|rest| rest.starts_with('/')))
            };
            of(Table::Host, "") - paths.iter().filter(is_top).map(|path| of(Table::Cgroup, path)).sum::<f64>()
        }
    };
    // What comes back from swap is not of files.
    if command.trouble.is_swapped_in() {
        return 0.0;
    }
    let own = commands.iter().filter(|other| other.group == command.group && !other.trouble.is_swapped_in());
    let read: f64 = own.map(|other| other.trouble.read * other.ran[1]).sum();
    (bytes * command.trouble.read / read.max(1.0)).clamp(0.0, command.trouble.read)
}
