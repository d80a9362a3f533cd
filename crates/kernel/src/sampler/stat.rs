//! `/proc/stat`, read once: the host's row gets the sums, and each online CPU a row of its own.

use super::disk::entity;
use super::kernel_file::{KernelFile, Text};
use super::pass::Pass;
use super::position_cache::PositionCache;
use super::row::{Row, columns};
use crate::error::Error;
use crate::root::Root;
use pagetide_core::{ColumnId, EntityId, Table};
use pagetide_proctext::stat::{CPU_FIELDS, FIELDS, each_cpu, values};

#[derive(Debug)]
pub(crate) struct StatFile {
    kept: KernelFile,
    columns: Option<([ColumnId; FIELDS.len()], [ColumnId; CPU_FIELDS])>,
    cpus: PositionCache<EntityId>,
    row: Row,
}

impl StatFile {
    pub(crate) fn open(root: &Root) -> Result<Option<Self>, Error> {
        let kept = KernelFile::open(root.join("/proc/stat"), Text::Record)?;
        Ok(kept.map(|kept| Self { kept, columns: None, cpus: PositionCache::default(), row: Row::default() }))
    }

    pub(crate) fn sample(&mut self, pass: &mut Pass<'_>, host: &mut Row) -> Result<(), Error> {
        let Self { kept, columns: ids, cpus, row } = self;
        kept.with(pass.buffer, |text| {
            let sums = values(text)?;
            let (of_host, of_cpu) = *ids.get_or_insert_with(|| {
                let mut cpu_names = [""; CPU_FIELDS];
                cpu_names.copy_from_slice(&FIELDS[..CPU_FIELDS]);
                (columns(pass.schema, Table::Host, FIELDS), columns(pass.schema, Table::Cpu, cpu_names))
            });
            fill(host, &of_host, &sums);
            each_cpu(text, |place, number, times| {
                row.clear();
                fill(row, &of_cpu, &times);
                let cpu = cpus.at(place, number, |number| entity(pass.schema, Table::Cpu, number));
                row.put(pass.schema, pass.sample, Table::Cpu, cpu);
            })?;
            Ok(())
        })?;
        Ok(())
    }
}

fn fill(row: &mut Row, columns: &[ColumnId], values: &[Option<u64>]) {
    for (column, value) in columns.iter().zip(values) {
        if let Some(value) = value {
            row.set(*column, *value);
        }
    }
}
