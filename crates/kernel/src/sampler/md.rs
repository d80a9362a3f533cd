//! Resync, check and rebuild of md arrays.

use super::kernel_file::{KernelFile, Text};
use super::pass::Pass;
use super::row::{Row, columns};
use crate::error::Error;
use crate::root::Root;
use pagetide_core::{ColumnId, Schema, Table};
use pagetide_proctext::md::{sync_action, sync_completed, sync_speed};
use pagetide_proctext::text::number;

const COLUMNS: [&str; 5] = ["md_sync_action", "md_sync_completed", "md_sync_total", "md_sync_speed", "md_degraded"];

/// An array: its files and their last values.
#[derive(Debug)]
pub(crate) struct Array {
    action: KernelFile,
    completed: Option<KernelFile>,
    speed: Option<KernelFile>,
    degraded: Option<KernelFile>,
    values: [Option<u64>; COLUMNS.len()],
    columns: Option<[ColumnId; COLUMNS.len()]>,
}

impl Array {
    /// The array of this name; `None` for other disks, and for arrays without redundancy, which never sync.
    pub(crate) fn find(root: &Root, name: &str) -> Option<Self> {
        let file = |file: &str| {
            KernelFile::open(root.join(format!("/sys/block/{name}/md/{file}")), Text::Record).ok().flatten()
        };
        let action = name.starts_with("md").then(|| file("sync_action")).flatten()?;
        let [completed, speed, degraded] = ["sync_completed", "sync_speed", "degraded"].map(file);
        Some(Self { action, completed, speed, degraded, values: [None; COLUMNS.len()], columns: None })
    }

    /// Reads its files. What it does not do it is not asked about.
    pub(crate) fn read(&mut self, pass: &mut Pass<'_>) -> Result<(), Error> {
        self.values = [None; COLUMNS.len()];
        let Some(action) = self.action.with(pass.buffer, |text| Ok(sync_action(text)))? else { return Ok(()) };
        self.values[0] = Some(action);
        let mut read = |file: &Option<KernelFile>, parse: fn(&str) -> [Option<u64>; 2]| match file {
            Some(file) => Ok(file.with(pass.buffer, |text| Ok(parse(text)))?.unwrap_or_default()),
            None => Ok::<_, Error>([None; 2]),
        };
        if action > 0 {
            let progress = read(&self.completed, |text| {
                sync_completed(text).map(|(done, all)| [done, all].map(Some)).unwrap_or_default()
            })?;
            [self.values[1], self.values[2]] = progress;
            [self.values[3], _] = read(&self.speed, |text| [sync_speed(text), None])?;
        }
        [self.values[4], _] = read(&self.degraded, |text| [number(text.trim_ascii()), None])?;
        Ok(())
    }

    /// Sets what was read in the row of the disk.
    pub(crate) fn put(&mut self, schema: &mut Schema, row: &mut Row) {
        let ids = *self.columns.get_or_insert_with(|| columns(schema, Table::Disk, COLUMNS));
        for (column, value) in ids.into_iter().zip(self.values) {
            if let Some(value) = value {
                row.set(column, value);
            }
        }
    }
}
