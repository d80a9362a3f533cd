//! What is known of a recording before its values are read.

use super::recordings::host_from_folder;
use super::source::{self, Opened};
use crate::number::{ms, ms_up};
use crate::query::Query;
use crate::reply::{Answer, Failure, json};
use crate::shared::Shared;
use axum::extract::{Path, RawQuery, State};
use pagetide_core::{HostTimeZone, Origin, Recording, Selection, Table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Serialize)]
struct Info {
    id: String,
    name: String,
    host: String,
    kernel: String,
    cpus: Option<u32>,
    memory_bytes: Option<u64>,
    origin: Origin,
    time_zone: Option<HostTimeZone>,
    from_ms: i64,
    to_ms: i64,
    interval_ms: i64,
    growing: bool,
    disks: Vec<Disk>,
    entities: Entities,
    /// The longest ones, of half a day or more: between recordings of several occasions.
    gaps: Vec<Gap>,
}

#[derive(Serialize)]
struct Disk {
    name: String,
    model: Option<String>,
}

/// What there are rows of in the last samples; of an import also the disks at the end of each occasion.
#[derive(Serialize)]
struct Entities {
    disk: Vec<Entity>,
    zone: Vec<Entity>,
    cgroup_count: usize,
    process_count: usize,
}

#[derive(Serialize)]
struct Entity {
    entity: String,
    label: String,
}

/// A stretch without samples.
#[derive(Serialize)]
struct Gap {
    from_ms: i64,
    to_ms: i64,
}

/// The end of an occasion whose rows are counted.
const END_NS: i64 = 15_000_000_000;

pub(super) async fn info(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    Query::parse(query.as_deref()).done(&[])?;
    let inner = Arc::clone(&shared);
    let info = move || {
        let info = of(source::open(&inner, &id)?)?;
        let host = inner.hosts_from_folders.then(|| host_from_folder(&inner.library, &id)).flatten();
        Ok::<_, Failure>(Info { host: host.unwrap_or(info.host), ..info })
    };
    json(shared.work.run(info).await?)
}

fn of(opened: Opened) -> Result<Info, Failure> {
    let (from, to) = opened.range((None, None))?;
    let manifest = &opened.manifest;
    let gaps = opened.gaps()?;
    let disks = manifest.disks.iter().map(|disk| Disk { name: disk.name.clone(), model: disk.model.clone() }).collect();
    Ok(Info {
        host: manifest.host.clone(),
        kernel: manifest.kernel.clone(),
        cpus: Some(manifest.cpus).filter(|cpus| *cpus > 0),
        memory_bytes: Some(manifest.memory_total.get()).filter(|bytes| *bytes > 0),
        origin: manifest.origin,
        time_zone: manifest.time_zone.clone(),
        from_ms: ms(from),
        to_ms: ms_up(to),
        interval_ms: opened.interval() / 1_000_000,
        growing: opened.growing,
        disks,
        entities: entities(&opened, &gaps, to)?,
        gaps: gaps.into_iter().map(|(from, to)| Gap { from_ms: ms(from), to_ms: ms(to) }).collect(),
        id: opened.id,
        name: opened.name,
    })
}

/// The names of what has rows at the end of a stretch: one metric of each table is enough.
fn end(opened: &Opened, to: i64, tables: &[Table]) -> Result<Recording, Failure> {
    let metrics = ["reads", "tps", "free", "utime", "current", "usage_in_bytes"];
    Ok(opened.source.load(&Selection {
        from_wall_ns: Some(to.saturating_sub(END_NS.max(opened.interval().saturating_mul(3)))),
        to_wall_ns: Some(to),
        tables: tables.to_vec(),
        metrics: metrics.map(str::to_owned).to_vec(),
    })?)
}

fn entities(opened: &Opened, gaps: &[(i64, i64)], to: i64) -> Result<Entities, Failure> {
    let named = |of: &Recording, table: Table| -> BTreeMap<String, String> {
        of.entities(table).map(|(entity, label)| (entity.to_owned(), label.to_owned())).collect()
    };
    let listed =
        |names: BTreeMap<String, String>| names.into_iter().map(|(entity, label)| Entity { entity, label }).collect();
    let last = end(opened, to, &[Table::Disk, Table::Zone, Table::Process, Table::Cgroup])?;
    // Files of several days need not be of the same machine.
    let mut disks = named(&last, Table::Disk);
    for (from, _) in gaps.iter().filter(|_| opened.manifest.origin == Origin::Import) {
        disks.extend(named(&end(opened, *from, &[Table::Disk])?, Table::Disk));
    }
    Ok(Entities {
        disk: listed(disks),
        zone: listed(named(&last, Table::Zone)),
        cgroup_count: last.entities(Table::Cgroup).count(),
        process_count: last.entities(Table::Process).count(),
    })
}
