//! One row per block device: `/proc/diskstats`.

use super::kernel_file::{Buffer, KernelFile, Text};
use super::position_cache::PositionCache;
use super::row::{Row, columns};
use crate::error::Error;
use crate::root::Root;
use pagetide_core::{ColumnId, Entity, EntityId, Sample, Schema, Table};
use pagetide_proctext::diskstats::{DiskLine, FIELDS};
use pagetide_proctext::text::lines;

#[derive(Debug)]
pub(crate) struct Disks {
    kept: Option<KernelFile>,
    columns: Option<[ColumnId; FIELDS.len()]>,
    entities: PositionCache<EntityId>,
    row: Row,
}

impl Disks {
    pub(crate) fn open(root: &Root) -> Result<Self, Error> {
        let kept = KernelFile::open(root.join("/proc/diskstats"), Text::Records)?;
        Ok(Self { kept, columns: None, entities: PositionCache::default(), row: Row::default() })
    }

    pub(crate) fn sample(
        &mut self,
        buffer: &mut Buffer,
        schema: &mut Schema,
        sample: &mut Sample,
    ) -> Result<(), Error> {
        let Self { kept: Some(kept), columns: ids, entities, row } = self else { return Ok(()) };
        let ids = *ids.get_or_insert_with(|| columns(schema, Table::Disk, FIELDS));
        kept.with(buffer, |text| {
            if text.is_empty() {
                return Ok(());
            }
            for (at, line) in lines("/proc/diskstats", text)? {
                // A driver that prints a line of its own costs that line, not the disks below it.
                let Ok(disk) = DiskLine::parse(line) else { continue };
                row.clear();
                for (column, value) in ids.into_iter().zip(disk.values) {
                    if let Some(value) = value {
                        row.set(column, value);
                    }
                }
                let entity = entities.at(at - 1, disk.name, |name| entity(schema, Table::Disk, name));
                // A disk that comes while the file is read may shift another one into it twice.
                let twice = sample.table(Table::Disk).is_some_and(|rows| rows.rows().any(|(known, _)| known == entity));
                if !twice {
                    row.put(schema, sample, Table::Disk, entity);
                }
            }
            Ok(())
        })?;
        Ok(())
    }
}

/// The entity called `name`, added when it is new.
pub(crate) fn entity(schema: &mut Schema, table: Table, name: &str) -> EntityId {
    schema
        .find_entity(table, name)
        .unwrap_or_else(|| schema.push_entity(table, Entity { name: name.to_owned(), label: name.to_owned() }))
}
