//! Writes what `tools/bench-table` measures on. `cargo run --release -p pagetide --example made -- KIND PATH`:
//!
//! - `day PATH`: a day at one sample a second of this host, its zones and disks: some seconds of real samples, gone on with by the
//!   differences that were seen, in random order (a fixed seed);
//! - `processes PATH`: a made-up day of a host with 200 processes, of which 30 have a row at a time;
//! - `year PATH DAYS`: so many days at one sample a second of what the web page draws first;
//! - `sadc PATH INTERVAL DAYS`: sadc's files of so many days, a sample each INTERVAL seconds: a head that sadc wrote, and its records
//!   with the times of these days.
#![allow(clippy::print_stderr, clippy::exit, reason = "an example is a program of its own")]

#[path = "../benches/support/made_up.rs"]
mod made_up;

use pagetide_core::{Bytes, Entity, EntityId, Kind, Manifest, Nanos, Sample, Schema, Sink, Stamp, Table, metric};
use pagetide_kernel::{Root, Sampler, Watch};
use pagetide_store::Writer;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use std::{fs, io};

const DAY: i64 = 86_400;
/// Samples of this host that a day is made of.
const SEEN: usize = 100;
const SECOND: i64 = 1_000_000_000;
/// 2026-11-01 00:00 UTC.
const BEGIN: i64 = 1_793_491_200;
const SADC: &str = "/usr/lib/sysstat/sadc";
/// What the page draws first is made of these.
const DRAWN: [&str; 14] = [
    "MemTotal",
    "MemFree",
    "MemAvailable",
    "Cached",
    "Dirty",
    "AnonPages",
    "pgscan_kswapd",
    "pgsteal_kswapd",
    "pgmajfault",
    "workingset_refault_file",
    "psi_memory_some",
    "psi_io_some",
    "cpu_user",
    "cpu_iowait",
];

type Row = (Table, EntityId, Vec<Option<i64>>);

fn rows(sample: &Sample) -> Vec<Row> {
    let of_table = |rows: &pagetide_core::TableSample| {
        let table = rows.table();
        rows.rows().map(|(entity, values)| (table, entity, values.to_vec())).collect::<Vec<_>>()
    };
    sample.tables().flat_map(of_table).collect()
}

fn stamp(second: i64) -> Stamp {
    let ns = second * SECOND;
    Stamp { wall_ns: BEGIN * SECOND + ns, mono_ns: ns, boot_ns: ns }
}

/// A day of this host.
fn day(folder: &Path) {
    let root = Root::host();
    let mut sampler = Sampler::new(&root, Watch::default()).expect("the kernel's files");
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    let mut seen = Vec::new();
    for _ in 0..SEEN {
        sample.clear();
        sampler.sample(&mut schema, &mut sample).expect("a sample");
        let mut rows = rows(&sample);
        rows.retain(|(table, ..)| matches!(table, Table::Host | Table::Zone | Table::Disk));
        seen.push(rows);
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut writer = Writer::create(folder).expect("a new folder");
    let manifest =
        Manifest { interval: Nanos::new(1_000_000_000), ..pagetide_kernel::facts(&root).expect("facts of this host") };
    writer.begin(&manifest).expect("a manifest");
    let mut now = seen[0].clone();
    let mut random = fastrand::Rng::with_seed(1);
    for second in 0..DAY {
        let step = random.usize(..SEEN - 1);
        sample.clear();
        sample.stamp = stamp(second);
        for (row, (before, after)) in now.iter_mut().zip(seen[step].iter().zip(&seen[step + 1])) {
            for (cell, (before, after)) in row.2.iter_mut().zip(before.2.iter().zip(&after.2)) {
                if let (Some(cell), Some(before), Some(after)) = (cell.as_mut(), before, after) {
                    *cell += after - before;
                }
            }
            sample.row(row.0, row.1, row.2.len()).copy_from_slice(&row.2);
        }
        writer.sample(&schema, &sample).expect("room");
    }
    writer.finish(&manifest).expect("sealed");
}

/// A year of what is drawn first.
fn year(folder: &Path, days: i64) {
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    for name in DRAWN {
        schema.column(Table::Host, name);
    }
    let host = schema.push_entity(Table::Host, Entity::new("", ""));
    let mut random = fastrand::Rng::with_seed(1);
    let is_gauge = DRAWN.map(|name| metric::find(Table::Host, name).is_some_and(|known| known.kind == Kind::Gauge));
    let mut values = [1_000_000_000_i64; DRAWN.len()];
    let mut writer = Writer::create(folder).expect("a new folder");
    let manifest = Manifest {
        host: "year".to_owned(),
        cpus: 8,
        page_size: Bytes::new(4096),
        memory_total: Bytes::new(16 << 30),
        interval: Nanos::new(1_000_000_000),
        ..Manifest::default()
    };
    writer.begin(&manifest).expect("a manifest");
    for second in 0..days * DAY {
        sample.clear();
        sample.stamp = stamp(second);
        for (value, is_gauge) in values.iter_mut().zip(is_gauge) {
            *value += if is_gauge { 4096 * (random.i64(0..41) - 20) } else { random.i64(0..40) };
        }
        sample.row(Table::Host, host, DRAWN.len()).copy_from_slice(&values.map(Some));
        writer.sample(&schema, &sample).expect("room");
    }
    writer.finish(&manifest).expect("sealed");
}

/// sadc's files of some days.
fn sadc(folder: &Path, interval: i64, days: i64) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let wrote = |name: &str, count: &str| {
        let path = folder.join(name);
        let done = Command::new(SADC).args(["-S", "DISK", "1", count]).arg(&path).status()?;
        let bytes = fs::read(&path)?;
        fs::remove_file(&path)?;
        if done.success() { Ok(bytes) } else { Err(io::Error::other("sadc failed")) }
    };
    let (short, long) = (wrote("short", "2")?, wrote("long", "6")?);
    // What a record more adds; the rest is the head.
    let record = (long.len() - short.len()) / 4;
    let head = short.len() - 2 * record;
    let records: Vec<&[u8]> = long[head..].chunks(record).collect();
    let mut number = 0;
    for day in 0..days {
        let mut bytes = long[..head].to_vec();
        for second in (day * DAY..(day + 1) * DAY).step_by(usize::try_from(interval).unwrap_or(1)) {
            let mut record = records[number % records.len()].to_vec();
            // struct record_header (sysstat's sa.h): uptime in 1/100 s, then seconds since 1970, 8 bytes each.
            record[0..8].copy_from_slice(&((second + 1000) * 100).to_le_bytes());
            record[8..16].copy_from_slice(&(BEGIN + second).to_le_bytes());
            bytes.extend_from_slice(&record);
            number += 1;
        }
        fs::write(folder.join(format!("sa{:02}", day + 1)), bytes)?;
    }
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| -> i64 { text.parse().expect("a whole number") };
    match words[..] {
        ["day", path] => day(Path::new(path)),
        ["processes", path] => made_up::recording(Path::new(path), 1),
        ["year", path, days] => year(Path::new(path), number(days)),
        ["sadc", path, interval, days] => {
            sadc(Path::new(path), number(interval), number(days)).expect("sadc, and room for its files");
        }
        _ => {
            eprintln!("usage: made day PATH | processes PATH | year PATH DAYS | sadc PATH INTERVAL DAYS");
            std::process::exit(2);
        }
    }
}
