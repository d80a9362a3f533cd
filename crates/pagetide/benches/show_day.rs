//! `pagetide show paging` over a day at one sample a second, beside `sar -B` over sadc's file of the same length.
//!
//! The day is made from this host's own numbers: some seconds of real samples, gone on with by the differences that
//! were seen, in random order (a fixed seed). sadc's file is made likewise, from records that sadc wrote, each with the
//! next second's time. `cargo bench -p pagetide --bench show_day`

#![allow(clippy::print_stdout)]

use pagetide_core::{EntityId, Sample, Schema, Sink, Stamp, Table};
use pagetide_kernel::{Root, Sampler, Watch};
use pagetide_store::Writer;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const DAY: i64 = 86_400;
const SEEN: usize = 100;
const RUNS: usize = 3;
const SECOND: i64 = 1_000_000_000;
/// 2026-11-21 00:00 UTC.
const MIDNIGHT: i64 = 1_795_219_200;
const SADC: &str = "/usr/lib/sysstat/sadc";

type Row = (Table, EntityId, Vec<Option<i64>>);

fn rows(sample: &Sample) -> Vec<Row> {
    let of_table = |rows: &pagetide_core::TableSample| {
        let table = rows.table();
        rows.rows().map(|(entity, values)| (table, entity, values.to_vec())).collect::<Vec<_>>()
    };
    sample.tables().flat_map(of_table).collect()
}

/// Writes a day of samples and gives the size of a sample on disk.
fn recording(folder: &Path) -> f64 {
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
    let mut manifest = pagetide_kernel::facts(&root).expect("facts");
    manifest.interval = pagetide_core::Nanos::new(1_000_000_000);
    writer.begin(&manifest).expect("a manifest");
    let mut now = seen[0].clone();
    let mut random = fastrand::Rng::with_seed(1);
    for second in 0..DAY {
        let step = random.usize(..SEEN - 1);
        sample.clear();
        let ns = second * SECOND;
        sample.stamp = Stamp { wall_ns: MIDNIGHT * SECOND + ns, mono_ns: ns, boot_ns: ns };
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
    size(folder) as f64 / DAY as f64
}

fn size(path: &Path) -> u64 {
    if !path.is_dir() {
        return path.metadata().map_or(0, |data| data.len());
    }
    fs::read_dir(path).expect("a folder").map(|entry| size(&entry.expect("an entry").path())).sum()
}

/// Makes sadc's file of a day: its head, and its records with the times of the day.
fn sadc(folder: &Path) -> Option<std::path::PathBuf> {
    let write = |name: &str, count: &str| {
        let path = folder.join(name);
        let done = Command::new(SADC).args(["-S", "DISK", "1", count]).arg(&path).status().ok()?;
        done.success().then(|| fs::read(&path).ok()).flatten()
    };
    let (short, long) = (write("short", "2")?, write("long", "6")?);
    // What a record more adds; the rest is the head.
    let record = (long.len() - short.len()) / 4;
    let head = short.len() - 2 * record;
    let records: Vec<&[u8]> = long[head..].chunks(record).collect();
    let mut day = long[..head].to_vec();
    for second in 0..DAY {
        let at = usize::try_from(second).ok()?;
        let mut bytes = records[at % records.len()].to_vec();
        // struct record_header (sysstat's sa.h): uptime in 1/100 s, then seconds since 1970, 8 bytes each.
        bytes[0..8].copy_from_slice(&((second + 1000) * 100).to_le_bytes());
        bytes[8..16].copy_from_slice(&(MIDNIGHT + second).to_le_bytes());
        day.extend_from_slice(&bytes);
    }
    let path = folder.join("sa21");
    fs::write(&path, day).ok()?;
    Some(path)
}

/// The fastest of some runs, and lines printed.
fn fastest(mut command: Command) -> (Duration, usize) {
    let mut best = (Duration::MAX, 0);
    for _ in 0..RUNS {
        let began = Instant::now();
        let output = command.stderr(Stdio::inherit()).output().expect("runs");
        let took = began.elapsed();
        assert!(output.status.success());
        let lines = output.stdout.iter().filter(|byte| **byte == b'\n').count();
        best = best.min((took, lines));
    }
    best
}

fn main() {
    let scratch = tempfile::tempdir_in("/var/tmp").expect("a scratch folder");
    let folder = scratch.path().join("rec");
    let began = Instant::now();
    let bytes = recording(&folder);
    println!(
        "a day of samples written and sealed in {:.1} s, {bytes:.0} bytes a sample",
        began.elapsed().as_secs_f64()
    );
    let show = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pagetide"));
        command.args(["show"]).arg(&folder).args(words);
        command
    };
    for words in [&["paging"][..], &["paging", "--csv"], &["paging", "--every", "10min"], &["memory"], &["disk"]] {
        let (took, lines) = fastest(show(words));
        println!("pagetide show REC {:<24} {:>8.0} ms, {lines} lines", words.join(" "), took.as_secs_f64() * 1e3);
    }
    let Some(file) = sadc(scratch.path()) else {
        println!("no sadc at {SADC} (apt-get install sysstat): nothing to compare with");
        return;
    };
    for option in ["-B", "-r", "-d"] {
        let mut command = Command::new("sar");
        command.args([option, "-f"]).arg(&file).env("LC_ALL", "C");
        let (took, lines) = fastest(command);
        println!("sar {option} {:>33.0} ms, {lines} lines", took.as_secs_f64() * 1e3);
    }
}
