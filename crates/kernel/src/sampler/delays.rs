//! Delays of the watched processes (taskstats), where the kernel accounts them.

use super::row::{Row, columns};
use crate::error::Error;
use crate::root::Root;
use crate::taskstats::{Delays, Taskstats};
use pagetide_core::{ColumnId, Schema, Table};

/// The source of delays. Without one, nothing is added; [`crate::taskstats::source`] says why.
#[derive(Debug)]
pub(crate) struct DelaySource {
    taskstats: Option<Taskstats>,
    columns: Option<[ColumnId; Delays::NAMES.len()]>,
}

impl DelaySource {
    pub(crate) fn open(root: &Root) -> Self {
        Self { taskstats: Taskstats::open(root).ok(), columns: None }
    }

    /// The delays of a process. Call it before reading the process's stat from a kept file: if the process is alive then, the id was still its
    /// own here, and so are the delays.
    pub(crate) fn read(&mut self, pid: u32) -> Result<Option<Delays>, Error> {
        let Some(taskstats) = &mut self.taskstats else { return Ok(None) };
        let failed = |source| Error::Read { path: format!("taskstats of process {pid}").into(), source };
        taskstats.read(pid).map_err(failed)
    }

    /// Adds delays to the row of their process.
    pub(crate) fn put(&mut self, delays: &Delays, schema: &mut Schema, row: &mut Row) {
        let columns = self.columns.get_or_insert_with(|| columns(schema, Table::Process, Delays::NAMES));
        for (column, total) in columns.iter().zip(delays.totals()) {
            if let Some(total) = total {
                row.set(*column, *total);
            }
        }
    }
}
