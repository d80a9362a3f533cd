//! Which reports of a file were read whole, so that a row which is not there was not printed.

use pagetide_core::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Which reports of a file are known to be whole.
#[derive(Debug, Default)]
pub(super) struct Whole {
    /// By table, the moment of the row that came last: more may have followed in a file that was cut off.
    last: BTreeMap<Table, u32>,
    /// Moments beside lines that could not be read, which may have been rows.
    unsure: BTreeSet<u32>,
    /// Such lines that were seen.
    skipped: u64,
}

impl Whole {
    /// A row of a table at a moment, in a file of which so many lines could not be read.
    pub(super) fn row(&mut self, table: Table, moment: u32, skipped: u64) {
        let before = self.last.insert(table, moment);
        if self.skipped != skipped {
            self.skipped = skipped;
            self.unsure.extend([before.unwrap_or(moment), moment]);
        }
    }

    /// Nothing follows the rows that were read.
    pub(super) fn end(&mut self) {
        self.last.clear();
    }

    /// Whether all rows of a table at a moment were read.
    pub(super) fn is(&self, table: Table, moment: u32) -> bool {
        self.last.get(&table) != Some(&moment) && !self.unsure.contains(&moment)
    }
}
