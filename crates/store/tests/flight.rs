//! A recording that goes on for days: segments, restarts, retention, and readers beside the writer.

use pagetide_core::{Bytes, Entity, Manifest, Nanos, Sample, Schema, Selection, Sink, Source, Stamp, Table};
use pagetide_store::{Keep, Reader, Writer};
use std::path::{Path, PathBuf};

const SECOND: i64 = 1_000_000_000;
const HOUR: i64 = 3600 * SECOND;
/// 2026-11-22T00:00:00Z.
const MIDNIGHT: i64 = 1_795_305_600 * SECOND;

struct Host {
    schema: Schema,
    sample: Sample,
    manifest: Manifest,
}

impl Host {
    fn new(boot_id: &str) -> Self {
        let mut schema = Schema::default();
        schema.push_entity(Table::Host, Entity::new("", ""));
        schema.column(Table::Host, "pgmajfault");
        let manifest = Manifest { boot_id: boot_id.into(), interval: Nanos::new(1_000_000_000), ..Manifest::default() };
        Self { schema, sample: Sample::default(), manifest }
    }

    fn sample(&mut self, writer: &mut Writer, wall_ns: i64, boot_ns: i64, value: i64) {
        self.sample.clear();
        self.sample.stamp = Stamp { wall_ns, mono_ns: boot_ns, boot_ns };
        let host = self.schema.find_entity(Table::Host, "").unwrap();
        self.sample.row(Table::Host, host, 1)[0] = Some(value);
        writer.sample(&self.schema, &self.sample).unwrap();
    }
}

fn values(folder: &Path, selection: &Selection) -> Vec<i64> {
    let recording = Reader::open(folder).unwrap().load(selection).unwrap();
    recording.host("pgmajfault").map_or(Vec::new(), |series| series.points().map(|(_, value)| value).collect())
}

fn sealed(folder: &Path, table: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut look = vec![folder.join(table)];
    while let Some(folder) = look.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() { look.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

#[test]
fn segments_end_with_the_hour_when_they_are_worth_it_and_always_with_the_day() {
    let scratch = tempfile::tempdir().unwrap();
    let mut host = Host::new("b");
    let mut writer = Writer::create(scratch.path()).unwrap();
    writer.begin(&host.manifest).unwrap();
    // Ten minutes before 22:00: once a second, then once a minute over two hours and midnight.
    let times = (0..1200).map(|at| MIDNIGHT - 2 * HOUR - 600 * SECOND + at * SECOND);
    let times: Vec<i64> = times.chain((0..150).map(|at| MIDNIGHT - 90 * 60 * SECOND + at * 60 * SECOND)).collect();
    for (at, wall_ns) in (0i64..).zip(&times) {
        host.sample(&mut writer, *wall_ns, at * SECOND, at);
    }
    writer.finish(&host.manifest).unwrap();
    let names: Vec<String> =
        sealed(scratch.path(), "host").iter().map(|path| path.to_string_lossy().into_owned()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    for (name, begin) in names.iter().zip([
        "date=2026-11-21/20261121T215000Z-00000001-",
        "date=2026-11-21/20261121T220000Z-00000002-",
        "date=2026-11-21/20261121T230000Z-00000003-",
        "date=2026-11-22/20261122T000000Z-00000004-",
    ]) {
        assert!(name.contains(begin), "{name}");
    }
    let all: Vec<i64> = (0i64..).take(times.len()).collect();
    assert_eq!(values(scratch.path(), &Selection::default()), all);
    let part = Selection {
        from_wall_ns: Some(times[700]),
        to_wall_ns: Some(times[1210]),
        tables: vec![Table::Host],
        ..Selection::default()
    };
    assert_eq!(values(scratch.path(), &part), all[700..=1210]);
    assert!(values(scratch.path(), &Selection { tables: vec![Table::Disk], ..Selection::default() }).is_empty());
}

#[test]
fn what_is_too_old_or_too_much_is_removed_oldest_first() {
    let scratch = tempfile::tempdir().unwrap();
    let write = |folder: &Path, keep, hours: i64| {
        let mut host = Host::new("b");
        let mut writer = Writer::open_or_continue(folder, keep).unwrap();
        writer.begin(&host.manifest).unwrap();
        for at in 0..hours * 720 {
            host.sample(&mut writer, MIDNIGHT + at * 5 * SECOND, at * 5 * SECOND, at);
        }
        writer.finish(&host.manifest).unwrap();
    };
    let aged = scratch.path().join("aged");
    write(&aged, Keep { age: Some(Nanos::new(3 * HOUR.unsigned_abs())), size: None }, 30);
    let left = values(&aged, &Selection::default());
    let newest = 30 * 720 - 1;
    assert_eq!(left.last(), Some(&newest));
    assert!((3 * 720..=5 * 720).contains(&i64::try_from(left.len()).unwrap()), "{}", left.len());
    assert!(!aged.join("host/host=unknown/date=2026-11-22").exists(), "no empty folders are left");

    let small = scratch.path().join("small");
    write(&small, Keep { age: None, size: Some(Bytes::new(40_000)) }, 10);
    let left = values(&small, &Selection::default());
    assert!(left.last() == Some(&(10 * 720 - 1)) && left.len() < 9 * 720, "{}", left.len());
    let tables = ["sample", "host"].map(|table| sealed(&small, table));
    let size: u64 = tables.iter().flatten().map(|path| path.metadata().unwrap().len()).sum();
    assert!(size <= 40_000, "{size}");
    assert_eq!(tables[0].len(), tables[1].len(), "segments go whole");
}

#[test]
fn a_recording_goes_on_over_a_kill_and_a_restart_of_the_host() {
    let scratch = tempfile::tempdir().unwrap();
    for (run, boot) in [("first", 0), ("first", 100), ("second", 0)].into_iter().zip([1000, 1100, 7]) {
        let (boot_id, offset) = run;
        let mut host = Host::new(boot_id);
        let mut writer = Writer::open_or_continue(scratch.path(), Keep::default()).unwrap();
        writer.begin(&host.manifest).unwrap();
        let start = MIDNIGHT + if boot_id == "first" { offset * SECOND } else { 300 * SECOND };
        for at in 0..20 {
            host.sample(&mut writer, start + at * SECOND, (boot + at) * SECOND, at);
        }
        // Dropped without an end, as after a kill.
    }
    let reader = Reader::open(scratch.path()).unwrap();
    assert_eq!(reader.manifest().boot_id, "second");
    let recording = reader.load(&Selection::default()).unwrap();
    let boots: Vec<i64> = recording.stamps().iter().map(|stamp| stamp.boot_ns / SECOND).collect();
    assert_eq!(boots.len(), 60);
    assert_eq!((boots[40], boots[59]), (7, 26), "the last run keeps its times");
    assert_eq!(boots[40] - boots[39], 300 - 119, "the pause on the wall clock");
    assert_eq!(boots[39] - boots[0], 119);
    assert_eq!(recording.marks.len(), 1);
    assert_eq!(recording.host("pgmajfault").unwrap().rise(i64::MIN, i64::MAX), Some(19 * 3), "counters begin anew");
}

#[test]
fn a_clock_that_is_set_costs_no_sample_and_bends_no_axis() {
    let scratch = tempfile::tempdir().unwrap();
    let mut host = Host::new("b");
    // A day is too old, so the days that the clock jumps over would take what was sealed before with them.
    let keep = Keep { age: Some(Nanos::new(86_400_000_000_000)), ..Keep::default() };
    let mut writer = Writer::open_or_continue(scratch.path(), keep).unwrap();
    writer.begin(&host.manifest).unwrap();
    // Forward by an hour, back by two, forward over midnight by ten days, back again.
    let noon = MIDNIGHT - 12 * HOUR;
    for at in 0..3000i64 {
        let set = match at / 600 {
            0 => 0,
            1 => HOUR,
            2 => -HOUR,
            3 => 240 * HOUR,
            _ => 0,
        };
        host.sample(&mut writer, noon + set + at * SECOND, at * SECOND, at);
    }
    let open = Reader::open(scratch.path()).unwrap().load(&Selection::default()).unwrap();
    writer.finish(&host.manifest).unwrap();
    drop(writer);
    let recording = Reader::open(scratch.path()).unwrap().load(&Selection::default()).unwrap();
    let values: Vec<i64> = recording.host("pgmajfault").unwrap().points().map(|(_, value)| value).collect();
    // Two segments at most may go with each seal for their age; here that is none of those that hold the last two days.
    assert_eq!(values.last(), Some(&2999));
    assert!(values.windows(2).all(|pair| pair[1] == pair[0] + 1), "nothing is lost in the middle");
    let rates = recording.host("pgmajfault").unwrap().rates();
    assert!(rates.iter().all(|(_, _, rate)| (rate - 1.0).abs() < 1e-9), "the wall clock is no part of a rate");
    assert!(recording.stamps().is_sorted_by(|a, b| a.boot_ns < b.boot_ns));
    let open: Vec<i64> = open.host("pgmajfault").unwrap().points().map(|(_, value)| value).collect();
    assert!(open.ends_with(&values), "and sealing changed nothing");
    assert!(values.len() >= 1800, "{} of 3000 are left", values.len());
}

#[test]
fn readers_see_a_beginning_of_the_recording_while_it_is_written_and_sealed() {
    let scratch = tempfile::tempdir().unwrap();
    let mut host = Host::new("b");
    let mut writer = Writer::create(scratch.path()).unwrap();
    writer.begin(&host.manifest).unwrap();
    let folder = scratch.path().to_owned();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let reader = std::thread::spawn(move || {
        let (mut seen, mut reads) = (0, 0);
        while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            let values = values(&folder, &Selection::default());
            assert!(values.len() >= seen, "{} after {seen}", values.len());
            assert!(values.iter().zip(0..).all(|(value, at)| *value == at));
            seen = values.len();
            reads += 1;
        }
        reads
    });
    for at in 0..30_000 {
        host.sample(&mut writer, MIDNIGHT + at * 5 * SECOND, at * 5 * SECOND, at);
    }
    writer.finish(&host.manifest).unwrap();
    drop(stop);
    assert!(reader.join().unwrap() > 1);
    assert_eq!(values(scratch.path(), &Selection::default()).len(), 30_000);
}

#[test]
fn errors_name_the_cause_and_a_hint() {
    let scratch = tempfile::tempdir().unwrap();
    let check = |error: pagetide_core::Error, words: &[&str]| {
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)) && !text.contains('\n'), "{text}");
    };
    let none = scratch.path().join("none");
    check(Reader::open(&none).unwrap_err(), &["none", "not a recording", "pagetide record"]);
    let file = scratch.path().join("file");
    std::fs::write(&file, "x").unwrap();
    check(Reader::open(&file).unwrap_err(), &["not a recording"]);
    check(Writer::create(&file).unwrap_err(), &["file", "in the way"]);
    let folder = scratch.path().join("r");
    let mut writer = Writer::create(&folder).unwrap();
    check(Writer::create(&folder).unwrap_err(), &["another process is recording there"]);
    writer.begin(&Manifest::default()).unwrap();
    check(Writer::open_or_continue(&folder, Keep::default()).unwrap_err(), &["another process is recording there"]);
    drop(writer);
    check(Writer::create(&folder).unwrap_err(), &["already holds a recording", "another folder"]);
    let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
    let this = format!("\"schema_version\": {}", pagetide_store::FORMAT_VERSION);
    let newer = manifest.replace(&this, "\"schema_version\": 99");
    std::fs::write(folder.join("manifest.json"), newer).unwrap();
    check(Reader::open(&folder).unwrap_err(), &["format version 99", "newer pagetide"]);
}

#[test]
fn a_log_that_is_removed_is_counted_and_the_recording_goes_on() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("r");
    let mut host = Host::new("b");
    let mut writer = Writer::create(&folder).unwrap();
    writer.begin(&host.manifest).unwrap();
    let mut take = |writer: &mut Writer, range: std::ops::Range<i64>| {
        range.for_each(|at| host.sample(writer, MIDNIGHT + at * SECOND, at * SECOND, at));
    };
    take(&mut writer, 0..10);
    assert_eq!(writer.take_lost(), 0);
    std::fs::remove_dir_all(folder.join("open")).unwrap();
    take(&mut writer, 10..20);
    assert_eq!((writer.take_lost(), writer.take_lost()), (10, 0));
    let recording = Reader::open(&folder).unwrap().load(&Selection::default()).unwrap();
    let marks = format!("{:?}", recording.marks);
    assert!(marks.contains("somebody removed the open segment; its 10 samples are lost"), "{marks}");
    assert_eq!(values(&folder, &Selection::default()), (10..20).collect::<Vec<_>>());
    // Moved away: all of it stays there, and what follows is where the recording should be.
    let moved = scratch.path().join("moved");
    std::fs::rename(&folder, &moved).unwrap();
    take(&mut writer, 20..30);
    assert_eq!(writer.take_lost(), 0);
    assert_eq!(values(&moved, &Selection::default()), (10..20).collect::<Vec<_>>());
    assert_eq!(values(&folder, &Selection::default()), (20..30).collect::<Vec<_>>());
    // And back, over the new one.
    std::fs::rename(&folder, scratch.path().join("other")).unwrap();
    std::fs::rename(&moved, &folder).unwrap();
    take(&mut writer, 30..40);
    writer.finish(&Manifest::default()).unwrap();
    assert_eq!(values(&folder, &Selection::default()), (10..20).chain(30..40).collect::<Vec<_>>());
}

#[test]
fn a_low_limit_makes_short_segments_so_that_little_more_is_kept() {
    let scratch = tempfile::tempdir().unwrap();
    let minutes = |minutes: u64| Nanos::new(minutes * 60_000_000_000);
    let keep = Keep { age: Some(minutes(16)), size: None };
    let mut host = Host::new("b");
    let mut writer = Writer::open_or_continue(scratch.path(), keep).unwrap();
    writer.begin(&host.manifest).unwrap();
    for at in 0..3000 {
        host.sample(&mut writer, MIDNIGHT + at * SECOND, at * SECOND, at);
    }
    writer.finish(&host.manifest).unwrap();
    let left = values(scratch.path(), &Selection::default());
    // Segments of two minutes: 16 minutes, and up to two of the segments.
    assert!(left.last() == Some(&2999) && (960..=960 + 240).contains(&left.len()), "{}", left.len());
}
