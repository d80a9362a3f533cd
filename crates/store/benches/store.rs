//! What a sample costs on disk and in time, beside the floor in the same run: the same numbers as 8 bytes each.
//!
//! The numbers are this host's own: /proc/meminfo, /proc/vmstat and /proc/diskstats, read every 20 ms. An hour of samples a
//! second apart is made by going on with the differences that were seen, in random order (a fixed seed), so that neither
//! their sizes nor their repetition are of our making. `cargo bench -p pagetide-store --bench store`

use pagetide_core::{Entity, EntityId, Manifest, Sample, Schema, Selection, Sink, Source, Stamp, Table};
use pagetide_store::{Reader, Writer};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const HOUR: usize = 3600;
const RUNS: usize = 5;
const SEEN: usize = 400;

/// One reading: the host's numbers, and those of each disk.
type Reading = (BTreeMap<String, i64>, BTreeMap<String, Vec<i64>>);

fn read() -> Reading {
    let mut host = BTreeMap::new();
    for file in ["/proc/meminfo", "/proc/vmstat"] {
        for line in fs::read_to_string(file).expect("procfs").lines() {
            let mut words = line.split_ascii_whitespace();
            let name = words.next().unwrap_or_default().trim_end_matches(':').to_owned();
            host.insert(name, words.next().and_then(|word| word.parse().ok()).unwrap_or(0));
        }
    }
    let mut disks = BTreeMap::new();
    for line in fs::read_to_string("/proc/diskstats").expect("procfs").lines() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let numbers: Vec<i64> = words[3..].iter().filter_map(|word| word.parse().ok()).collect();
        if numbers.iter().any(|number| *number != 0) {
            disks.insert(words[2].to_owned(), numbers);
        }
    }
    (host, disks)
}

/// An hour of samples.
fn samples() -> (Schema, Vec<Sample>) {
    let readings: Vec<Reading> = (0..SEEN)
        .map(|_| {
            std::thread::sleep(Duration::from_millis(20));
            read()
        })
        .collect();
    let (host, disks) = readings[0].clone();
    let mut schema = Schema::default();
    schema.push_entity(Table::Host, Entity::new("", ""));
    for name in host.keys() {
        schema.column(Table::Host, name);
    }
    for name in disks.keys() {
        schema.push_entity(Table::Disk, Entity::new(name.clone(), name.clone()));
    }
    let width = disks.values().map(Vec::len).max().unwrap_or(0);
    for at in 0..width {
        schema.column(Table::Disk, &format!("field{at}"));
    }
    let mut now: Vec<i64> = host.values().chain(disks.values().flatten()).copied().collect();
    let flat = |reading: &Reading| -> Vec<i64> {
        let disks = disks.keys().flat_map(|name| reading.1.get(name).cloned().unwrap_or_default());
        host.keys().map(|name| reading.0.get(name).copied().unwrap_or(0)).chain(disks).collect()
    };
    let steps: Vec<Vec<i64>> = readings
        .windows(2)
        .map(|pair| flat(&pair[1]).iter().zip(flat(&pair[0])).map(|(after, before)| after - before).collect())
        .collect();
    let mut random = fastrand::Rng::with_seed(1);
    let mut hour = Vec::with_capacity(HOUR);
    for at in 0..HOUR {
        for (value, step) in now.iter_mut().zip(&steps[random.usize(..steps.len())]) {
            *value += step;
        }
        let ns = i64::try_from(at).expect("small") * 1_000_000_000;
        // The jitter of a timer: tens of microseconds, and tens of nanoseconds between the clocks.
        let mut jitter = |most| random.i64(0..most);
        let boot_ns = ns + jitter(50_000);
        let stamp =
            Stamp { wall_ns: 1_795_305_600_000_000_000 + boot_ns + jitter(60), mono_ns: boot_ns + jitter(60), boot_ns };
        let mut sample = Sample::default();
        sample.stamp = stamp;
        let mut values = now.iter();
        let mut fill = |row: &mut [Option<i64>], count: usize| {
            row.iter_mut().zip(values.by_ref().take(count)).for_each(|(cell, value)| *cell = Some(*value));
        };
        fill(sample.row(Table::Host, EntityId(0), host.len()), host.len());
        for (number, disk) in (0u32..).zip(disks.values()) {
            fill(sample.row(Table::Disk, EntityId(number), width), disk.len());
        }
        hour.push(sample);
    }
    (schema, hour)
}

fn size(path: &Path) -> u64 {
    if path.is_file() {
        return path.metadata().map_or(0, |data| data.len());
    }
    fs::read_dir(path).into_iter().flatten().flatten().map(|entry| size(&entry.path())).sum()
}

/// Runs `work` some times and gives the median and the extremes, in seconds.
fn time(mut work: impl FnMut()) -> [f64; 3] {
    let mut seconds: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    [seconds[RUNS / 2], seconds[0], seconds[RUNS - 1]]
}

#[expect(clippy::print_stdout, reason = "a benchmark prints")]
fn report(what: &str, [median, least, most]: [f64; 3], cells: usize, floor: f64) {
    let per = |seconds: f64| seconds * 1e6 / HOUR as f64;
    println!(
        "{what:<34} {:>8.2} us/sample ({:.2} to {:.2})  {:>6.0} MB/s of numbers  {:>6.1} x raw",
        per(median),
        per(least),
        per(most),
        (cells * 8) as f64 / 1e6 / median,
        median / floor
    );
}

#[expect(clippy::print_stdout, reason = "a benchmark prints")]
fn main() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let folder = scratch.path().join("r");
    let (schema, hour) = samples();
    let cells: usize = hour
        .iter()
        .map(|sample| sample.tables().flat_map(|rows| rows.rows()).map(|(_, row)| row.len()).sum::<usize>())
        .sum();
    let numbers = |sample: &Sample, out: &mut Vec<u8>| {
        out.clear();
        for (_, row) in sample.tables().flat_map(|rows| rows.rows()) {
            row.iter().for_each(|value| out.extend_from_slice(&value.unwrap_or(0).to_le_bytes()));
        }
    };
    println!("{HOUR} samples of {} numbers of this host, {RUNS} runs: median (least to most)", cells / HOUR);

    let raw = scratch.path().join("raw");
    let raw_write = time(|| {
        use std::io::Write;
        let mut file = fs::File::create(&raw).expect("create");
        let mut bytes = Vec::new();
        for sample in &hour {
            numbers(sample, &mut bytes);
            file.write_all(&bytes).expect("write");
        }
    });
    let raw_read = time(|| {
        let bytes = fs::read(&raw).expect("read");
        let values: Vec<i64> = bytes.as_chunks().0.iter().map(|chunk| i64::from_le_bytes(*chunk)).collect();
        assert_eq!(std::hint::black_box(values).len(), cells);
    });
    let begin = || {
        let _ = fs::remove_dir_all(&folder);
        let mut writer = Writer::create(&folder).expect("create");
        writer.begin(&Manifest::default()).expect("begin");
        hour.iter().for_each(|sample| writer.sample(&schema, sample).expect("sample"));
        writer
    };
    let write = time(|| drop(begin()));
    let log = size(&folder.join("open"));
    let load =
        || drop(std::hint::black_box(Reader::open(&folder).expect("open").load(&Selection::default()).expect("load")));
    let read_open = time(load);
    let write_and_seal = time(|| begin().finish(&Manifest::default()).expect("finish"));
    let read_sealed = time(load);
    let disks = Selection { tables: vec![Table::Disk], ..Selection::default() };
    let read_disks =
        time(|| drop(std::hint::black_box(Reader::open(&folder).expect("open").load(&disks).expect("load"))));

    report("raw write, one call per sample", raw_write, cells, raw_write[0]);
    report("open log write", write, cells, raw_write[0]);
    report("open log write, then seal", write_and_seal, cells, raw_write[0]);
    report("raw read", raw_read, cells, raw_read[0]);
    report("read open", read_open, cells, raw_read[0]);
    report("read sealed", read_sealed, cells, raw_read[0]);
    report("read sealed, one table", read_disks, cells, raw_read[0]);
    let per_sample = |bytes: u64| bytes as f64 / HOUR as f64;
    println!("raw numbers                        {:>8.1} bytes/sample", per_sample(size(&raw)));
    println!("open log                           {:>8.1} bytes/sample", per_sample(log));
    for table in ["sample", "host", "disk"] {
        println!("sealed {table:<10}                  {:>8.1} bytes/sample", per_sample(size(&folder.join(table))));
    }
    println!("sealed, all                        {:>8.1} bytes/sample", per_sample(size(&folder)));
}
