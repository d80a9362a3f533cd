//! One row per block device: `/proc/diskstats`, and `/sys/block` when a device appears.

use super::kernel_file::{KernelFile, Text};
use super::md::Array;
use super::pass::Pass;
use super::position_cache::PositionCache;
use super::row::{Row, columns};
use crate::error::Error;
use crate::root::Root;
use pagetide_core::{ColumnId, Entity, EntityId, Schema, Table};
use pagetide_proctext::diskstats::{DiskLine, FIELDS};
use pagetide_proctext::text::lines;

#[derive(Debug)]
pub(crate) struct Disks {
    root: Root,
    kept: Option<KernelFile>,
    columns: Option<([ColumnId; FIELDS.len()], ColumnId)>,
    /// Each with whether it is a device of its own, see [`learn`].
    entities: PositionCache<(EntityId, bool)>,
    row: Row,
    /// md arrays by their entities.
    arrays: Vec<(EntityId, Array)>,
}

impl Disks {
    pub(crate) fn open(root: &Root) -> Result<Self, Error> {
        let kept = KernelFile::open(root.join("/proc/diskstats"), Text::Records)?;
        Ok(Self {
            root: root.clone(),
            kept,
            columns: None,
            entities: PositionCache::default(),
            row: Row::default(),
            arrays: Vec::new(),
        })
    }

    pub(crate) fn sample(&mut self, pass: &mut Pass<'_>) -> Result<(), Error> {
        let Self { root, kept: Some(kept), columns: ids, entities, row, arrays } = self else { return Ok(()) };
        let (ids, physical) = *ids.get_or_insert_with(|| {
            (columns(pass.schema, Table::Disk, FIELDS), pass.schema.column(Table::Disk, "physical"))
        });
        let mut read_arrays = Ok(());
        for (_, array) in arrays.iter_mut() {
            read_arrays = read_arrays.and(array.read(pass));
        }
        kept.with(pass.buffer, |text| {
            if text.is_empty() {
                return Ok(());
            }
            for (at, line) in lines("/proc/diskstats", text)? {
                // A line in a driver's own format is skipped, and the disks below it are read.
                let Ok(disk) = DiskLine::parse(line) else { continue };
                row.clear();
                for (column, value) in ids.into_iter().zip(disk.values) {
                    if let Some(value) = value {
                        row.set(column, value);
                    }
                }
                let (entity, own) = entities.at(at - 1, disk.name, |name| {
                    let (entity, own) = learn(root, pass.schema, name);
                    arrays.retain(|(known, _)| *known != entity);
                    arrays.extend(Array::find(root, name).map(|array| (entity, array)));
                    (entity, own)
                });
                row.set(physical, u64::from(own));
                if let Some((_, array)) = arrays.iter_mut().find(|(known, _)| *known == entity) {
                    array.put(pass.schema, row);
                }
                // A disk that appears during the read may make another one appear twice.
                if !pass.sample.has_row(Table::Disk, entity) {
                    row.put(pass.schema, pass.sample, Table::Disk, entity);
                }
            }
            Ok(())
        })?;
        read_arrays
    }
}

/// A disk, labelled with its device mapper name, and whether it is a device of its own: one with `/sys/block/NAME/device` (sysstat's
/// `is_device`), and no partition, loop or mapped device.
fn learn(root: &Root, schema: &mut Schema, name: &str) -> (EntityId, bool) {
    let folder = root.join(format!("/sys/block/{}", name.replace('/', "!")));
    let own = folder.join("device").exists();
    let id = schema.find_entity(Table::Disk, name).unwrap_or_else(|| {
        let label = std::fs::read_to_string(folder.join("dm/name")).unwrap_or_default();
        let label = Some(label.trim()).filter(|label| !label.is_empty()).unwrap_or(name);
        schema.push_entity(Table::Disk, Entity::new(name, label))
    });
    (id, own)
}

/// The entity called `name`, added when it is new.
pub(crate) fn entity(schema: &mut Schema, table: Table, name: &str) -> EntityId {
    schema.find_entity(table, name).unwrap_or_else(|| schema.push_entity(table, Entity::new(name, name)))
}
