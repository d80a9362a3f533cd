//! The buckets of a recording are the numbers of its tables: the same metric over the same time, falls and gaps as they count there.

use pagetide_core::derived::{self, Derived};
use pagetide_core::{
    Entity, EntityId, Manifest, Nanos, Recording, Sample, Schema, Selection, Sink, Source, Stamp, Table,
};
use pagetide_store::{Bucket, Curve, Keep, Level, Reader, Writer};
use pagetide_view::show::{self, Topic};
use proptest::prelude::*;
use std::path::Path;

const SECOND: i64 = 1_000_000_000;
/// 2026-11-21 00:00 UTC, a multiple of all levels.
const MIDNIGHT: i64 = 1_795_219_200 * SECOND;

/// The day before; the host's clocks began then.
const FIRST: i64 = MIDNIGHT - 86_400 * SECOND;

const HOST: [&str; 6] = ["MemFree", "pgscan_kswapd", "pgsteal_kswapd", "pgmajfault", "nr_dirty", "psi_io_some"];
const DISK: [&str; 8] =
    ["reads", "writes", "read_ms", "write_ms", "read_sectors", "write_sectors", "io_ms", "weighted_io_ms"];
const PROCESS: [&str; 4] = ["utime", "stime", "rss", "read_bytes"];

/// What the made-up host does.
#[derive(Clone, Copy)]
struct Nature {
    /// Samples come late, are missing, counters fall, processes come and leave.
    rough: bool,
    samples: i64,
    segments: i64,
    /// When it begins, in seconds after [`MIDNIGHT`].
    begin: i64,
}

fn record(folder: &Path, seed: u64, nature: Nature) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut schema = Schema::default();
    let host = schema.push_entity(Table::Host, Entity::new("", ""));
    HOST.iter().for_each(|name| _ = schema.column(Table::Host, name));
    let disks: Vec<EntityId> =
        ["vda", "vdb"].map(|name| schema.push_entity(Table::Disk, Entity::new(name, name))).into();
    DISK.iter().for_each(|name| _ = schema.column(Table::Disk, name));
    let process = schema.push_entity(Table::Process, Entity::new("7@1", "dd"));
    let short = schema.push_entity(Table::Process, Entity::new("8@2", "true"));
    PROCESS.iter().for_each(|name| _ = schema.column(Table::Process, name));
    let mut values = vec![1_000_000_i64; HOST.len() + 2 * DISK.len() + PROCESS.len()];
    let manifest = Manifest {
        host: "h".into(),
        interval: Nanos::new(1_000_000_000),
        page_size: pagetide_core::Bytes::new(1),
        ..Manifest::default()
    };
    let mut writer = Writer::create(folder).unwrap();
    writer.begin(&manifest).unwrap();
    let (mut wall, mut sample) = (MIDNIGHT + nature.begin * SECOND, Sample::default());
    for at in 0..nature.samples {
        let falls = nature.rough && random.i64(0..400) == 0;
        for (place, value) in values.iter_mut().enumerate() {
            let gauge = [0, 4].contains(&place) || place == values_at_rss();
            if gauge {
                *value = random.i64(0..1 << 20);
            } else if falls && (HOST.len()..HOST.len() + DISK.len()).contains(&place) {
                *value = random.i64(0..10);
            } else {
                *value += if random.i64(0..3) == 0 { 0 } else { random.i64(0..5000) };
            }
        }
        sample.clear();
        sample.stamp = Stamp { wall_ns: wall, mono_ns: wall - FIRST, boot_ns: wall - FIRST };
        let mut cells = values.iter();
        let mut fill = |row: &mut [Option<i64>]| {
            row.iter_mut().for_each(|cell| *cell = cells.next().copied());
        };
        fill(sample.row(Table::Host, host, HOST.len()));
        disks.iter().for_each(|disk| fill(sample.row(Table::Disk, *disk, DISK.len())));
        if !nature.rough || (at / 90) % 3 != 1 {
            fill(sample.row(Table::Process, process, PROCESS.len()));
        }
        // It lives within one bucket of 10 s, which stands for all longer ones.
        if (701..706).contains(&at) {
            let mut cells = values[values.len() - PROCESS.len()..].iter();
            let row = sample.row(Table::Process, short, PROCESS.len());
            row.iter_mut().for_each(|cell| *cell = cells.next().copied());
        }
        writer.sample(&schema, &sample).unwrap();
        if (at + 1) % (nature.samples / nature.segments) == 0 {
            writer.end_segment();
        }
        wall += SECOND;
        if nature.rough {
            wall += random.i64(0..20_000_000);
            // A gap, not at the edge of a segment. All of them together do not reach the end of the hour, which ends a segment.
            if at % 97 == 50 && random.i64(0..4) == 0 {
                wall += (3 + random.i64(0..40)) * SECOND;
            }
        }
    }
    writer.finish(&manifest).unwrap();
}

const fn values_at_rss() -> usize {
    HOST.len() + 2 * DISK.len() + 2
}

fn curves() -> Vec<Curve> {
    let curve = |table: Table, name: &str, entity: &str| Curve {
        table,
        entity: entity.to_owned(),
        metric: derived::of_table(table, name).unwrap_or_else(|| panic!("{name}")),
    };
    vec![
        curve(Table::Host, "MemFree", ""),
        curve(Table::Host, "scanned_kswapd", ""),
        curve(Table::Host, "efficiency", ""),
        curve(Table::Host, "major_faults", ""),
        curve(Table::Host, "psi_io_some", ""),
        curve(Table::Disk, "tps", "vda"),
        curve(Table::Disk, "await", "vda"),
        curve(Table::Disk, "busy", "vdb"),
        curve(Table::Disk, "request_size", "vdb"),
        curve(Table::Process, "cpus", "7@1"),
        curve(Table::Process, "rss", "7@1"),
        curve(Table::Process, "read_bytes", "7@1"),
        curve(Table::Process, "cpus", "8@2"),
        curve(Table::Process, "rss", "8@2"),
    ]
}

/// The stretches of a level by the stamps of the whole recording: end of the bucket, and the samples at its ends.
fn cells(recording: &Recording, level: Level) -> Vec<(i64, i64, i64)> {
    let mut cells: Vec<(i64, i64, i64)> = Vec::new();
    let mut before = recording.stamps()[0].boot_ns - SECOND;
    for stamp in recording.stamps() {
        let end = (stamp.wall_ns - 1).div_euclid(level.ns()) * level.ns() + level.ns();
        match cells.last_mut().filter(|cell| cell.0 == end) {
            Some(cell) => cell.2 = stamp.boot_ns,
            None => cells.push((end, before, stamp.boot_ns)),
        }
        before = stamp.boot_ns;
    }
    cells
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 2e-6 * one.abs().max(other.abs()).max(1e-3)
}

/// Compares all buckets with the metric over the same time of the whole recording; those that two segments share only where `shared`.
fn compare(recording: &Recording, reader: &Reader, edges: &[i64], shared: bool) -> usize {
    let all = (i64::MIN / 4, i64::MAX / 4);
    let mut compared = 0;
    for level in Level::ALL {
        let buckets = reader.buckets(None, all, level, &curves()).unwrap();
        for (curve, buckets) in curves().iter().zip(&buckets.curves) {
            let metric: &'static Derived = curve.metric;
            let intervals = metric.intervals(recording, curve.table, &curve.entity);
            for (end, from, to) in cells(recording, level) {
                let is_shared = edges.iter().any(|edge| (from + 1..to).contains(edge));
                if is_shared && !shared {
                    continue;
                }
                let expected = metric.over(recording, curve.table, &curve.entity, (from, to));
                let found = buckets.iter().find(|bucket| bucket.end_ns == end);
                let what =
                    format!("{} {} of {} at {end}: {expected:?} {found:?}", level.name(), metric.name, curve.entity);
                assert_eq!(expected.is_some(), found.is_some(), "{what}");
                let Some((expected, found)) = expected.zip(found) else { continue };
                assert!(near(expected, found.mean), "{what}");
                let inside = || intervals.iter().filter(|interval| interval.from >= from && interval.to <= to);
                let least = inside().map(|interval| interval.value).fold(expected, f64::min);
                let most = inside().map(|interval| interval.value).fold(expected, f64::max);
                // Of a bound eight bits are kept, of a level's eight bits of its distance from the mean.
                let is_level = ["MemFree", "rss"].contains(&metric.name);
                let bound = |exact: f64, found: f64| {
                    let size = if is_level { exact - expected } else { exact };
                    near(exact, found) || (exact - found).abs() <= size.abs() / 64.0
                };
                assert!(is_shared || (bound(least, found.min) && bound(most, found.max)), "{what}: {least} {most}");
                compared += 1;
            }
        }
    }
    compared
}

/// The last sample of each segment but the last one, on the axis.
fn edges(recording: &Recording, nature: Nature) -> Vec<i64> {
    let length = nature.samples / nature.segments;
    let last = |segment: i64| recording.stamps()[usize::try_from(segment * length - 1).unwrap()].boot_ns;
    (1..nature.segments).map(last).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, ..ProptestConfig::default() })]

    #[test]
    fn buckets_are_the_metric_over_their_time(seed in any::<u64>()) {
        let scratch = tempfile::tempdir().unwrap();
        let nature = Nature { rough: true, samples: 2400, segments: 3, begin: 0 };
        record(scratch.path(), seed, nature);
        let reader = Reader::open(scratch.path()).unwrap();
        let recording = reader.load(&Selection::default()).unwrap();
        let edges = edges(&recording, nature);
        let kept = compare(&recording, &reader, &edges, false);
        prop_assert!(kept > 2000, "{kept}");
        // The same without the files: computed from the samples of each segment.
        std::fs::remove_dir_all(scratch.path().join("pyramid")).unwrap();
        prop_assert_eq!(compare(&recording, &reader, &edges, false), kept);
        prop_assert_eq!(reader.make_pyramid(None, &|| false).unwrap(), 3);
        prop_assert_eq!(compare(&recording, &reader, &edges, false), kept);
        prop_assert_eq!(reader.make_pyramid(None, &|| false).unwrap(), 0, "they are there");
    }
}

#[test]
fn buckets_that_segments_share_are_put_together() {
    let scratch = tempfile::tempdir().unwrap();
    let nature = Nature { rough: false, samples: 2331, segments: 3, begin: 0 };
    record(scratch.path(), 5, nature);
    let reader = Reader::open(scratch.path()).unwrap();
    let recording = reader.load(&Selection::default()).unwrap();
    let kept = compare(&recording, &reader, &edges(&recording, nature), true);
    assert!(kept > 2000, "{kept}");
    let rss = curves().pop().unwrap();
    for level in Level::ALL {
        let all = (i64::MIN / 4, i64::MAX / 4);
        let buckets = reader.buckets(None, all, level, std::slice::from_ref(&rss)).unwrap();
        assert_eq!(buckets.curves[0].len(), 1, "{}", level.name());
    }
}

#[test]
fn buckets_are_the_rows_of_show_every() {
    let scratch = tempfile::tempdir().unwrap();
    record(scratch.path(), 9, Nature { rough: false, samples: 1801, segments: 1, begin: 0 });
    let reader = Reader::open(scratch.path()).unwrap();
    let recording = reader.load(&Selection::default()).unwrap();
    for (topic, column, curve) in [
        (Topic::Paging, "pgscank/s", 1),
        (Topic::Paging, "majflt/s", 3),
        (Topic::Memory, "free", 0),
        (Topic::Disk, "await", 6),
        (Topic::Processes, "cpu", 9),
        (Topic::Processes, "rss", 10),
    ] {
        for level in [Level::TenSeconds, Level::TwoMinutes, Level::HalfHour] {
            let table = show::show(&recording, topic, true, (i64::MIN, i64::MAX), Some(level.ns()));
            let at = table.headings().position(|heading| heading.name == column).unwrap();
            let curve = curves()[curve].clone();
            let buckets = reader.buckets(None, (MIDNIGHT, i64::MAX / 4), level, std::slice::from_ref(&curve)).unwrap();
            let rows: Vec<(i64, f64)> = table
                .rows()
                .filter(|row| row.name == curve.entity)
                .filter_map(|row| Some((row.wall_ns, row.cells[at]?)))
                .collect();
            assert!(!rows.is_empty(), "{column}");
            // In the first row of a gauge is also its first sample, which stands for time before any bucket.
            let longer = usize::from(["free", "rss"].contains(&column));
            for (wall_ns, value) in rows.into_iter().skip(longer) {
                let bucket: Option<&Bucket> = buckets.curves[0].iter().find(|bucket| bucket.end_ns == wall_ns);
                assert!(
                    bucket.is_some_and(|bucket| near(bucket.mean, value)),
                    "{column} {}: {value} {bucket:?}",
                    level.name()
                );
            }
        }
    }
}

#[test]
fn a_file_of_other_samples_or_with_a_damaged_byte_is_not_believed() {
    let scratch = tempfile::tempdir().unwrap();
    record(scratch.path(), 3, Nature { rough: false, samples: 1200, segments: 1, begin: 0 });
    let reader = Reader::open(scratch.path()).unwrap();
    let all = (i64::MIN / 4, i64::MAX / 4);
    let before = reader.buckets(None, all, Level::TenSeconds, &curves()).unwrap();
    assert_eq!(before.missing, 0);
    let folder = scratch.path().join("pyramid/host=h/date=2026-11-21");
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::fs::write(&file, bytes).unwrap();
    let after = reader.buckets(None, all, Level::TenSeconds, &curves()).unwrap();
    assert_eq!(after.missing, 1, "it counts as missing");
    for (one, other) in before.curves.iter().flatten().zip(after.curves.iter().flatten()) {
        assert!(one.end_ns == other.end_ns && near(one.mean, other.mean));
    }
    assert!(Reader::open(scratch.path()).unwrap().load(&Selection::default()).is_ok(), "and no harm to the recording");
}

#[test]
fn a_day_that_is_over_has_its_longer_buckets_in_one_file() {
    let scratch = tempfile::tempdir().unwrap();
    // Two segments in the first day, of which the second is too short for a file of its own, and one in the next day.
    record(scratch.path(), 11, Nature { rough: false, samples: 1500, segments: 2, begin: -800 });
    let reader = Reader::open(scratch.path()).unwrap();
    let all = (i64::MIN / 4, i64::MAX / 4);
    let long = [Level::HalfHour, Level::SixHours];
    let curves: Vec<Curve> = curves().into_iter().filter(|curve| curve.table != Table::Process).collect();
    let read = |level| reader.buckets(None, all, level, &curves).unwrap();
    let same = |one: &[Vec<Bucket>], other: &[Vec<Bucket>]| {
        assert_eq!(one.len(), other.len());
        for (one, other) in one.iter().zip(other) {
            assert_eq!(one.len(), other.len());
            let near = |one: &Bucket, other: &Bucket| {
                let bound = |one: f64, other: f64| (one - other).abs() <= one.abs().max(other.abs()) / 32.0;
                near(one.mean, other.mean)
                    && near(one.weight, other.weight)
                    && bound(one.min, other.min)
                    && bound(one.max, other.max)
            };
            assert!(
                one.iter().zip(other).all(|(one, other)| one.end_ns == other.end_ns && near(one, other)),
                "{one:?} {other:?}"
            );
        }
    };
    let folder = |kind: &str| scratch.path().join(kind).join("host=h");
    let names = |folder: &Path| -> Vec<String> {
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        files.collect()
    };
    assert_eq!(names(&folder("pyramid-day")), ["date=2026-11-20"], "of the day that is over alone");
    let with = long.map(read);
    assert!(with.iter().all(|buckets| buckets.missing == 0));
    // The files of its segments are not read for it.
    let segments = folder("pyramid").join("date=2026-11-20");
    let first = segments.join(&names(&segments)[0]);
    let content = std::fs::read(&first).unwrap();
    std::fs::write(&first, "no longer").unwrap();
    for (level, with) in long.into_iter().zip(&with) {
        let alone = read(level);
        assert_eq!(alone.missing, 0, "{}", level.name());
        same(&with.curves, &alone.curves);
    }
    std::fs::write(&first, content).unwrap();
    // Without it the files of the segments tell the same, it is missing, and it is made anew.
    std::fs::remove_dir_all(folder("pyramid-day")).unwrap();
    for (level, with) in long.into_iter().zip(&with) {
        let without = read(level);
        assert_eq!(without.missing, 1, "{}", level.name());
        same(&with.curves, &without.curves);
    }
    assert_eq!(reader.make_pyramid(None, &|| false).unwrap(), 1);
    assert_eq!(reader.make_pyramid(None, &|| false).unwrap(), 0, "it is there");
    // What a crash leaves of such a file is gone when the recording goes on.
    let left = folder("pyramid-day").join("date=2026-11-20/.20261120T234640Z-00000001.parquet.tmp");
    std::fs::write(&left, "half of it").unwrap();
    drop(Writer::open_or_continue(scratch.path(), Keep::default()).unwrap());
    assert!(!left.exists());
    // It is not believed once a segment of its day is gone.
    let day = folder("sample").join("date=2026-11-20");
    let first = names(&day).into_iter().min().unwrap();
    std::fs::remove_file(day.join(first)).unwrap();
    let rest = read(Level::SixHours);
    let weight = |buckets: &[Vec<Bucket>]| buckets[0].iter().map(|bucket| bucket.weight).sum::<f64>();
    assert!(weight(&rest.curves) < weight(&with[1].curves) - 500.0, "{rest:?}");
}
