//! A row under construction: values by column, before it is known how many columns there are.

use pagetide_core::{ColumnId, EntityId, Sample, Schema, Table};
use pagetide_proctext::text::stored;

/// Values of one row. It is reused, so it allocates only in the first samples.
#[derive(Debug, Default)]
pub(crate) struct Row(Vec<Option<i64>>);

impl Row {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Sets a value. Counters beyond 63 bits saturate.
    pub(crate) fn set(&mut self, column: ColumnId, value: u64) {
        self.set_stored(column, stored(value));
    }

    /// Sets a value that may be negative.
    pub(crate) fn set_stored(&mut self, column: ColumnId, value: i64) {
        let at = column.0 as usize;
        if at >= self.0.len() {
            self.0.resize(at + 1, None);
        }
        self.0[at] = Some(value);
    }

    /// Overwrites the values that are set in another row.
    pub(crate) fn overlay(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), None);
        }
        for (cell, value) in self.0.iter_mut().zip(&other.0) {
            *cell = value.or(*cell);
        }
    }

    /// Whether nothing was set.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Copies the row into the sample.
    pub(crate) fn put(&self, schema: &Schema, sample: &mut Sample, table: Table, entity: EntityId) {
        let width = schema.columns(table).len();
        let row = sample.row(table, entity, width);
        row[..self.0.len()].copy_from_slice(&self.0);
    }
}

/// The columns of one table called `names`, in that order.
pub(crate) fn columns<const N: usize>(schema: &mut Schema, table: Table, names: [&str; N]) -> [ColumnId; N] {
    names.map(|name| schema.column(table, name))
}
