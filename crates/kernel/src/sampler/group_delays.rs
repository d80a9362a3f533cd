//! Delays of each control group: sums over the processes that the survey looks at.

use super::row::{Row, columns};
use crate::taskstats::Delays;
use pagetide_core::{ColumnId, Schema, Table};
use std::collections::HashMap;

/// Sums by group id, over the group's own processes and not those of groups below it. What a process waited after its last look is missing.
#[derive(Debug, Default)]
pub(crate) struct GroupDelays {
    sums: HashMap<u64, [Option<u64>; Delays::NAMES.len()]>,
    columns: Option<[ColumnId; Delays::NAMES.len()]>,
}

impl GroupDelays {
    /// Adds what a process of the group waited between two looks. After its first look the sum counts as known.
    pub(crate) fn add(&mut self, group: u64, before: &Delays, now: &Delays) {
        let sums = self.sums.entry(group).or_default();
        for ((sum, before), now) in sums.iter_mut().zip(before.totals()).zip(now.totals()) {
            if let Some(now) = now {
                let rise = now.saturating_sub(before.unwrap_or(0));
                *sum = Some(sum.unwrap_or(0).saturating_add(rise));
            }
        }
    }

    /// Sets the sums of a group in its row.
    pub(crate) fn put(&mut self, group: u64, schema: &mut Schema, row: &mut Row) {
        let Some(sums) = self.sums.get(&group) else { return };
        let columns = self.columns.get_or_insert_with(|| columns(schema, Table::Cgroup, Delays::NAMES));
        for (column, sum) in columns.iter().zip(sums) {
            if let Some(sum) = sum {
                row.set(*column, *sum);
            }
        }
    }
}
