//! What FORMAT.md promises: every released format is read, and a copy that is not whole is known as such.

use pagetide_core::{LazyRecording, LocalClock, Recording, Selection, Source, Table};
use pagetide_store::{FORMAT_VERSION, Reader};
use std::fs;
use std::path::{Path, PathBuf};

mod support;

/// A recording of two segments, one sealed and one open, as the code of that version wrote it. All hold the same.
fn fixture(version: u32) -> PathBuf {
    support::fixture(&format!("format/v{version}"))
}

fn load(folder: &Path) -> Recording {
    Reader::open(folder).unwrap().load(&Selection::default()).unwrap()
}

fn points(recording: &Recording, table: Table, entity: &str, metric: &str) -> Vec<(i64, i64)> {
    recording.series(table, entity, metric).map(|series| series.points().collect()).unwrap_or_default()
}

fn notes(recording: &Recording) -> Vec<&str> {
    support::notes(recording).into_iter().filter(|text| text.starts_with("store:")).collect()
}

#[test]
fn every_released_format_is_read_and_its_numbers_mean_the_same() {
    let newest = load(&fixture(FORMAT_VERSION));
    for version in 1..=FORMAT_VERSION {
        let mut recording = load(&fixture(version));
        assert_eq!(recording.manifest.schema_version, version);
        let at = |sample: i64| sample * 1_000_000_000 + 7;
        let free = [0, 2, 3, 4, 5].map(|sample| (at(sample), 4096 * (100 - sample)));
        assert_eq!(points(&recording, Table::Host, "", "MemFree"), free, "version {version}");
        assert_eq!(points(&recording, Table::Disk, "vda", "reads")[5], (at(5), 50), "version {version}");
        assert_eq!(points(&recording, Table::Process, "7@1", "rss")[5], (at(5), 25), "version {version}");
        let shares: Vec<f64> = recording.host("cpu_user_share").unwrap().rates().iter().map(|rate| rate.2).collect();
        assert_eq!(shares, [0.25, 0.251, 0.252, 0.253, 0.254, 0.255], "version {version}: sealed and open");
        assert_eq!(recording.marks.len(), 6, "version {version}");
        recording.manifest = newest.manifest.clone();
        assert_eq!(recording, newest, "version {version}");
    }
}

#[test]
fn columns_are_read_on_first_use() {
    let whole = load(&fixture(FORMAT_VERSION));
    let mut lazy = LazyRecording::open(Reader::open(&fixture(FORMAT_VERSION)).unwrap(), None, None).unwrap();
    assert_eq!((lazy.recording().stamps(), &lazy.recording().marks), (whole.stamps(), &whole.marks));
    assert!(Table::ALL.into_iter().all(|table| lazy.recording().entities(table).next().is_none()));
    for table in Table::ALL {
        let names: Vec<String> = whole
            .entities(table)
            .flat_map(|(entity, _)| whole.metrics(table, entity).map(|column| column.name.clone()))
            .collect();
        for name in &names {
            lazy.columns(&[table], &[name]).unwrap();
        }
    }
    assert_eq!(lazy.into_recording(), whole, "column by column it is the same recording");
}

#[test]
fn the_manifest_keeps_the_time_zone_and_what_could_not_be_read() {
    let manifest = load(&fixture(FORMAT_VERSION)).manifest;
    assert_eq!(LocalClock::of(&manifest).unwrap().date_time(1_795_255_230_000_000_000), "2026-11-21 11:00:30 CET");
    assert_eq!(manifest.unreadable[0].source, "taskstats");
    assert_eq!(LocalClock::of(&load(&fixture(2)).manifest), None, "older recordings do not tell");
}

/// A copy of the newest fixture in which only the files that `keep` names are.
fn copy(keep: impl Fn(&Path) -> bool) -> tempfile::TempDir {
    fn all(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { all(&path, found) } else { found.push(path) }
        }
    }
    let from = fixture(FORMAT_VERSION);
    let scratch = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    all(&from, &mut files);
    for path in files {
        let within = path.strip_prefix(&from).unwrap();
        if keep(within) {
            let to = scratch.path().join(within);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(&path, to).unwrap();
        }
    }
    scratch
}

#[test]
fn a_segment_without_one_of_its_files_is_damaged() {
    assert_eq!(notes(&load(copy(|_| true).path())), [""; 0]);
    for missing in ["host", "disk", "process", "mark"] {
        let recording = load(copy(|path| !path.starts_with(missing)).path());
        let [note] = notes(&recording)[..] else { panic!("{missing}: {:?}", recording.marks) };
        assert_eq!(
            note,
            format!("store: segment 20261121T100030Z-00000001 is damaged: its file in {missing}/ is missing")
        );
        assert_eq!(recording.stamps().len(), 6, "the others are read");
        let first = recording.stamps().first().map(|stamp| stamp.boot_ns);
        assert_eq!(recording.span().map(|(from, _)| from), first, "{missing}: the axis does not begin at the boot");
    }
    let recording = load(copy(|path| path.starts_with("sample") || path.starts_with("open")).path());
    assert_eq!(notes(&recording).len(), 4, "a sample file alone is no whole segment");
}

#[test]
fn a_file_of_another_segment_is_not_taken_for_this_ones() {
    let scratch = copy(|path| !path.starts_with("disk"));
    let day = scratch.path().join("disk/host=fixture/date=2026-11-21");
    fs::create_dir_all(&day).unwrap();
    let other = fs::read_dir(fixture(2).join("disk/host=fixture/date=2026-11-21")).unwrap().next().unwrap().unwrap();
    for name in [other.file_name().into_string().unwrap(), "20261121T100030Z-00000001.parquet".to_owned()] {
        let path = day.join(name);
        fs::copy(other.path(), &path).unwrap();
        let recording = load(scratch.path());
        assert_eq!(notes(&recording).len(), 1, "{:?}", recording.marks);
        assert_eq!(points(&recording, Table::Disk, "vda", "reads").len(), 3, "only those of the open segment");
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn files_behind_a_whole_segment_without_their_sample_file_are_damaged() {
    let whole = copy(|_| true);
    let day = whole.path().join("disk/host=fixture/date=2026-11-21");
    fs::write(day.join("20261121T110030Z-00000003-00c0ffee.parquet"), "half of a copy").unwrap();
    let text = "store: segment 20261121T110030Z-00000003 is damaged: its file in sample/ is missing";
    assert_eq!(notes(&load(whole.path())), [text]);
}

#[test]
fn a_recording_without_its_sample_files_is_damaged_and_not_half_removed() {
    let lost = copy(|path| !path.starts_with("sample") && !path.starts_with("open"));
    let text = "store: segment 20261121T100030Z-00000001 is damaged: its file in sample/ is missing";
    assert_eq!(notes(&load(lost.path())), [text]);
    let removed = copy(|path| !path.starts_with("sample"));
    assert_eq!(notes(&load(removed.path())), [""; 0], "a later segment took its place");
}

#[test]
fn what_is_no_file_costs_what_it_stands_for_and_no_other_segment() {
    let whole = copy(|_| true);
    fs::create_dir(whole.path().join("open/20261121T120000Z-00000009.log")).unwrap();
    let large = fs::File::create(whole.path().join("open/20261121T120000Z-00000010.log")).unwrap();
    large.set_len(1 << 40).unwrap();
    let manifest = whole.path().join("manifest.json");
    fs::rename(&manifest, whole.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", &manifest).unwrap();
    let reader = Reader::open(whole.path()).unwrap();
    let recording = reader.load(&Selection::default()).unwrap();
    assert_eq!(recording.stamps().len(), load(copy(|_| true).path()).stamps().len());
    let damaged = reader.damage().lines();
    let expected = [
        "00000009.log is left out: not a regular file",
        "00000010.log is left out: 1099511627776 bytes",
        "manifest.json is left out",
    ];
    assert_eq!(damaged.len(), expected.len(), "{damaged:?}");
    for what in expected {
        assert!(damaged.iter().any(|line| line.contains(what)), "{what}: {damaged:?}");
    }
    assert!(reader.span().unwrap().is_some());
}
