//! What is known of a recording before its values are read.

use super::recordings::host_from_folder;
use super::source::{self, Opened};
use crate::number::ms;
use crate::query::Query;
use crate::reply::{Answer, Failure, json};
use crate::shared::Shared;
use axum::extract::{Path, RawQuery, State};
use pagetide_core::{HostTimeZone, Nanos, Origin, Selection, Table};
use serde::Serialize;
use std::sync::Arc;

#[derive(Serialize)]
struct Info {
    id: String,
    name: String,
    host: String,
    kernel: String,
    cpus: u32,
    memory_bytes: u64,
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

/// What the last samples have rows of.
#[derive(Serialize, Default)]
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

/// Stretches without samples that are shorter are not listed: half a day.
const SHORTEST_GAP: Nanos = Nanos::new(12 * 3_600_000_000_000);
/// The end of a recording whose rows are counted.
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
    let disks = manifest.disks.iter().map(|disk| Disk { name: disk.name.clone(), model: disk.model.clone() }).collect();
    Ok(Info {
        host: manifest.host.clone(),
        kernel: manifest.kernel.clone(),
        cpus: manifest.cpus,
        memory_bytes: manifest.memory_total.get(),
        origin: manifest.origin,
        time_zone: manifest.time_zone.clone(),
        from_ms: ms(from),
        to_ms: ms(to),
        interval_ms: opened.interval() / 1_000_000,
        growing: opened.growing,
        disks,
        entities: entities(&opened, to)?,
        gaps: gaps(&opened)?,
        id: opened.id,
        name: opened.name,
    })
}

fn gaps(opened: &Opened) -> Result<Vec<Gap>, Failure> {
    let Some(reader) = opened.reader() else { return Ok(Vec::new()) };
    let gaps = reader.gaps(SHORTEST_GAP)?;
    Ok(gaps.into_iter().map(|(from, to)| Gap { from_ms: ms(from), to_ms: ms(to) }).collect())
}

fn entities(opened: &Opened, to: i64) -> Result<Entities, Failure> {
    // One metric of each table: all that is wanted are the names.
    let metrics = ["reads", "tps", "free", "utime", "current", "usage_in_bytes"];
    let end = opened.source.load(&Selection {
        from_wall_ns: Some(to.saturating_sub(END_NS.max(opened.interval().saturating_mul(3)))),
        to_wall_ns: Some(to),
        tables: vec![Table::Disk, Table::Zone, Table::Process, Table::Cgroup],
        metrics: metrics.map(str::to_owned).to_vec(),
    })?;
    let named = |table: Table| {
        let entity = |(entity, label): (&str, &str)| Entity { entity: entity.to_owned(), label: label.to_owned() };
        end.entities(table).map(entity).collect()
    };
    Ok(Entities {
        disk: named(Table::Disk),
        zone: named(Table::Zone),
        cgroup_count: end.entities(Table::Cgroup).count(),
        process_count: end.entities(Table::Process).count(),
    })
}
