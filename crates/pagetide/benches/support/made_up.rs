//! A made-up recording of a host with 200 processes, for benchmarks of long recordings.

use pagetide_core::{Bytes, Entity, EntityId, Kind, Manifest, Nanos, Sample, Schema, Sink, Stamp, Table, metric};
use pagetide_store::Writer;
use std::path::Path;

const DAY: i64 = 86_400;
const SECOND: i64 = 1_000_000_000;
/// 2026-11-21 00:00 UTC.
const MIDNIGHT: i64 = 1_795_219_200;
const PROCESSES: usize = 200;
const AT_A_TIME: usize = 30;
const MIB: i64 = 1 << 20;

/// An entity with its values.
struct Moving {
    table: Table,
    id: EntityId,
    values: Vec<i64>,
}

fn during(second: i64) -> bool {
    (DAY / 2..DAY / 2 + 1800).contains(&second)
}

/// How much a metric changes in a second.
fn step(table: Table, name: &str, entity: usize, second: i64, random: &mut fastrand::Rng) -> i64 {
    let stream = during(second);
    let page = 4096;
    match (table, name) {
        (Table::Disk, "read_sectors") if entity == 0 && stream => 400 * MIB / 512 + random.i64(0..2000),
        (Table::Disk, "read_sectors") => 300 + random.i64(0..200),
        (Table::Disk, "reads") if entity == 0 && stream => 3200,
        (Table::Disk, "reads" | "writes") => 5 + random.i64(0..5),
        (Table::Disk, "io_ms" | "read_ms") => 20 + random.i64(0..30),
        (Table::Host, "pgscan_kswapd") if stream => 130_000,
        (Table::Host, "pgsteal_kswapd") if stream => 400 * MIB / page,
        (Table::Host, "pgmajfault") if stream => 400 + random.i64(0..50),
        (Table::Host, "psi_memory_some") if stream => 120_000,
        (Table::Host, name)
            if name.starts_with("pgscan") || name.starts_with("pgsteal") || name.starts_with("allocstall") =>
        {
            0
        }
        (Table::Host, "psi_memory_some" | "pswpin" | "pswpout" | "drop_pagecache" | "workingset_refault_file") => 0,
        (Table::Host, "oom_kill" | "compact_stall" | "MemTotal" | "SwapTotal" | "Hugetlb") => 0,
        (Table::Host, name) if name.starts_with("cpu_") => 5 + random.i64(0..5),
        (Table::Process, "read_bytes") if entity == 0 && stream => 400 * MIB,
        (Table::Process, "RssAnon" | "rss" | "VmSwap") => random.i64(0..3) - 1,
        _ => {
            random.i64(0..40)
                - if metric::find(table, name).is_some_and(|known| known.kind == Kind::Gauge) { 20 } else { 0 }
        }
    }
}

/// Records so many days at one sample a second.
pub(crate) fn recording(folder: &Path, days: i64) {
    let mut schema = Schema::default();
    let mut moving = Vec::new();
    let mut random = fastrand::Rng::with_seed(1);
    for table in [Table::Host, Table::Zone, Table::Disk, Table::Process] {
        for known in metric::all(table) {
            schema.column(table, known.name);
        }
        let names: Vec<(String, String)> = match table {
            Table::Host => vec![(String::new(), String::new())],
            Table::Zone => ["node0/DMA32", "node0/Normal"].map(|name| (name.to_owned(), name.to_owned())).into(),
            Table::Disk => ["nvme0n1", "nvme1n1", "sda", "sdb"].map(|name| (name.to_owned(), name.to_owned())).into(),
            _ => (0..PROCESSES).map(|at| (format!("{}@{}", at + 100, at + 900), format!("process{at}"))).collect(),
        };
        for (name, label) in names {
            let id = schema.push_entity(table, Entity::new(name, label));
            let values = metric::all(table).iter().map(|_| 1_000_000_000 + random.i64(0..1_000_000)).collect();
            moving.push(Moving { table, id, values });
        }
    }
    let first = moving.iter().position(|one| one.table == Table::Process).expect("processes");
    let mut writer = Writer::create(folder).expect("a new folder");
    let manifest = Manifest {
        origin: pagetide_core::Origin::Host,
        host: "bench".to_owned(),
        cpus: 8,
        page_size: Bytes::new(4096),
        memory_total: Bytes::new(16 << 30),
        interval: Nanos::new(1_000_000_000),
        ..Manifest::default()
    };
    writer.begin(&manifest).expect("a manifest");
    let mut sample = Sample::default();
    for second in 0..days * DAY {
        sample.clear();
        let ns = second * SECOND;
        sample.stamp = Stamp { wall_ns: MIDNIGHT * SECOND + ns, mono_ns: ns, boot_ns: ns };
        // The first process always has its row; the others take turns of ten minutes.
        let turn = usize::try_from(second / 600).expect("small") * AT_A_TIME;
        let rows =
            |at: usize| at <= first || (0..AT_A_TIME).any(|one| at == first + 1 + (turn + one) % (PROCESSES - 1));
        for (at, one) in moving.iter_mut().enumerate().filter(|(at, _)| rows(*at)) {
            let entity = if one.table == Table::Process { at - first } else { one.id.0 as usize };
            let known = metric::all(one.table);
            for (value, known) in one.values.iter_mut().zip(known) {
                *value += step(one.table, known.name, entity, second, &mut random);
            }
            let row = sample.row(one.table, one.id, known.len());
            row.iter_mut().zip(&one.values).for_each(|(cell, value)| *cell = Some(*value));
        }
        writer.sample(&schema, &sample).expect("room");
    }
    writer.finish(&manifest).expect("sealed");
}
