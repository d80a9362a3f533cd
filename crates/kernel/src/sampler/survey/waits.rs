//! Where in the kernel tasks wait.

use crate::error::Error;
use crate::sampler::pass::Pass;
use crate::sampler::task_files::Files;
use pagetide_core::{Column, ColumnId, Kind, Table, Unit};

/// Kernel functions that get a column, at most. In practice tasks wait in a few dozen.
const MOST_PLACES: usize = 128;

/// Where tasks wait. A kernel function is a column `wchan_FUNCTION`, set to 1 in the row of a task that waits in it. So a recording stores
/// each name once, and a task has one row wherever it waits.
#[derive(Debug, Default)]
pub(super) struct Waits {
    columns: Vec<(String, ColumnId)>,
}

impl Waits {
    /// The column of the function that a task waits in; `None` if the kernel does not say, or the task waits no longer.
    pub(super) fn column(
        &mut self,
        file: &str,
        files: &mut Files<'_>,
        pass: &mut Pass<'_>,
    ) -> Result<Option<ColumnId>, Error> {
        let Some(function) = files.read(file, None, pass.buffer)? else { return Ok(None) };
        let function = match function.trim_ascii() {
            "" | "0" => return Ok(None),
            function => function,
        };
        if let Some((_, column)) = self.columns.iter().find(|(known, _)| known == function) {
            return Ok(Some(*column));
        }
        let function = if self.columns.len() < MOST_PLACES { function } else { "elsewhere" };
        let name = format!("wchan_{function}");
        let column = pass.schema.find_column(Table::Process, &name).unwrap_or_else(|| {
            pass.schema.push_column(Table::Process, Column { name, kind: Kind::Gauge, unit: Unit::Count })
        });
        if self.columns.len() < MOST_PLACES {
            self.columns.push((function.to_owned(), column));
        }
        Ok(Some(column))
    }
}
