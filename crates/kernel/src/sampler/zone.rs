//! One row per zone: `/proc/zoneinfo` and `/proc/buddyinfo`.

use super::kernel_file::{KernelFile, Text};
use super::pass::Pass;
use super::position_cache::PositionCache;
use super::row::Row;
use crate::error::Error;
use crate::root::Root;
use pagetide_core::{ColumnId, Entity, EntityId, Schema, Table};
use pagetide_proctext::Problem;
use pagetide_proctext::buddyinfo;
use pagetide_proctext::text::lines;
use pagetide_proctext::zoneinfo::{Item, protection, walk};

/// Orders that have a column from the start. Larger ones get a column of unknown kind.
const ORDERS: [&str; 11] =
    ["order0", "order1", "order2", "order3", "order4", "order5", "order6", "order7", "order8", "order9", "order10"];

/// A zone that was seen: its name in the two files, its entity, its row.
#[derive(Debug)]
struct Zone {
    node: u32,
    name: String,
    entity: EntityId,
    row: Row,
    seen: bool,
}

#[derive(Debug)]
pub(crate) struct Zones {
    zoneinfo: Option<KernelFile>,
    buddyinfo: Option<KernelFile>,
    columns: PositionCache<ColumnId>,
    reserve: Option<ColumnId>,
    orders: Vec<ColumnId>,
    zones: Vec<Zone>,
}

impl Zones {
    pub(crate) fn open(root: &Root) -> Result<Self, Error> {
        Ok(Self {
            zoneinfo: KernelFile::open(root.join("/proc/zoneinfo"), Text::Records)?,
            buddyinfo: KernelFile::open(root.join("/proc/buddyinfo"), Text::Records)?,
            columns: PositionCache::default(),
            reserve: None,
            orders: Vec::new(),
            zones: Vec::new(),
        })
    }

    pub(crate) fn sample(&mut self, pass: &mut Pass<'_>) -> Result<(), Error> {
        for zone in &mut self.zones {
            zone.row.clear();
            zone.seen = false;
        }
        let watermarks = self.read_zoneinfo(pass);
        let blocks = self.read_buddyinfo(pass);
        for zone in self.zones.iter().filter(|zone| zone.seen) {
            zone.row.put(pass.schema, pass.sample, Table::Zone, zone.entity);
        }
        watermarks.and(blocks)
    }

    fn read_zoneinfo(&mut self, pass: &mut Pass<'_>) -> Result<(), Error> {
        let Self { zoneinfo: Some(kept), columns, reserve, zones, .. } = self else { return Ok(()) };
        let reserve = *reserve.get_or_insert_with(|| pass.schema.column(Table::Zone, "reserve_max"));
        let done = kept.with(pass.buffer, |text| {
            let mut current = None;
            walk(text, |at, item| {
                if let Item::Zone { node, name } = item {
                    current = Some(find(zones, pass.schema, node, name));
                    return Ok(());
                }
                let zone = current.and_then(|current| zones.get_mut(current)).ok_or(Problem::Foreign)?;
                match item {
                    Item::Amount(name, value) | Item::Counter(name, value) => {
                        zone.row.set(columns.at(at - 1, name, |name| pass.schema.column(Table::Zone, name)), value);
                    }
                    Item::Protection(list) => {
                        let mut largest = 0;
                        for pages in protection(list) {
                            largest = largest.max(pages?);
                        }
                        zone.row.set(reserve, largest);
                    }
                    // A node's counters are parts of vmstat's; the trailer has settings.
                    Item::NodeCounter(..) | Item::Trailer(..) | Item::Zone { .. } => {}
                }
                Ok(())
            })?;
            Ok(())
        });
        if done.is_err() {
            zones.iter_mut().for_each(|zone| zone.row.clear());
        }
        done.map(|_| ())
    }

    fn read_buddyinfo(&mut self, pass: &mut Pass<'_>) -> Result<(), Error> {
        let Self { buddyinfo: Some(kept), orders: ids, zones, .. } = self else { return Ok(()) };
        if ids.is_empty() {
            ids.extend(ORDERS.map(|name| pass.schema.column(Table::Zone, name)));
        }
        kept.with(pass.buffer, |text| {
            for (at, line) in lines("/proc/buddyinfo", text)? {
                let wrong = |problem| Error::line("/proc/buddyinfo", at, problem);
                let (node, name, blocks) = buddyinfo::parse_line(line).map_err(wrong)?;
                let zone = find(zones, pass.schema, node, name);
                for (order, blocks) in blocks.enumerate() {
                    while order >= ids.len() {
                        ids.push(pass.schema.column(Table::Zone, &format!("order{}", ids.len())));
                    }
                    zones[zone].row.set(ids[order], blocks.map_err(wrong)?);
                }
            }
            Ok(())
        })?;
        Ok(())
    }
}

/// The zone's index in `zones`; a new zone is added.
fn find(zones: &mut Vec<Zone>, schema: &mut Schema, node: u32, name: &str) -> usize {
    let at = zones.iter().position(|zone| zone.node == node && zone.name == name).unwrap_or_else(|| {
        let entity = Entity::new(format!("node{node}/{name}"), name);
        let entity = schema.push_entity(Table::Zone, entity);
        zones.push(Zone { node, name: name.to_owned(), entity, row: Row::default(), seen: false });
        zones.len() - 1
    });
    zones[at].seen = true;
    at
}
