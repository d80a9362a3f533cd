//! A whole import: the curious case, as its operator's tools printed it.

use pagetide_core::{Kind, Recording, Table, Unit};
use pagetide_store::import::{Import, Input, Options, import};

mod support;

fn fixture(name: &str) -> Input {
    Input::bytes(name, std::fs::read(support::fixture(&format!("import/curious-case/{name}"))).unwrap())
}

const FILES: [&str; 7] =
    ["sar-u.txt", "sar-B.txt", "sar-d-onset.txt", "sar-r.txt", "sar-d-evening.txt", "meminfo.log", "zoneinfo.txt"];

fn curious_case() -> Import {
    import(&FILES.map(fixture), &Options::default()).unwrap()
}

fn values(recording: &Recording, table: Table, entity: &str, metric: &str) -> Vec<i64> {
    let series = recording.series(table, entity, metric).unwrap_or_else(|| panic!("{entity} {metric}"));
    series.points().map(|(_, value)| value).collect()
}

#[test]
fn every_line_is_read() {
    let import = curious_case();
    for file in &import.report.files {
        assert_eq!((file.skipped_lines, file.conflicts), (0, 0), "{}: {:?}", file.name, file.skipped);
    }
    let counts: Vec<(u64, u64, u64)> =
        import.report.files.iter().map(|file| (file.lines, file.samples, file.values)).collect();
    assert_eq!(
        counts,
        [(35, 32, 192), (9, 8, 72), (21, 7, 140), (7, 6, 42), (78, 11, 539), (172, 4, 172), (23, 1, 16)]
    );
    assert_eq!(import.recording.stamps().len(), 32 + (8 + 1) + 6 + 11 + 4 + 1);
}

#[test]
fn the_numbers_are_those_of_the_text() {
    let recording = curious_case().recording;
    let scanned = recording.host("pgscan_kswapd").unwrap();
    assert_eq!((scanned.column().kind, scanned.unit()), (Kind::Rate, Unit::Pages));
    assert_eq!(values(&recording, Table::Host, "", "pgscan_kswapd")[..4], [0, 0, 0, 375_196_370_000]);
    assert_eq!(values(&recording, Table::Host, "", "vmeff")[3], 478_800, "47.88 %");
    assert_eq!(values(&recording, Table::Host, "", "cpu_iowait_share")[4], 315_800, "31.58 %");
    assert_eq!(values(&recording, Table::Host, "", "cpu_idle_share")[4], 474_600, "47.46 %");
    assert!(values(&recording, Table::Disk, "vgca0", "read_sectors").contains(&1_363_553_940_000));
    assert!(values(&recording, Table::Disk, "sda", "util").contains(&1_003_400), "100.34 %");
    assert!(values(&recording, Table::Disk, "sdb", "await_ms").contains(&46_790_000));
    assert_eq!(values(&recording, Table::Zone, "node1/Normal", "free"), [2_732_324]);
    assert_eq!(values(&recording, Table::Zone, "node0/DMA32", "high"), [966]);
    let cached = values(&recording, Table::Host, "", "Cached");
    assert_eq!(cached.len(), 6 + 4);
    assert!(cached.contains(&(13_413_548 << 10)));
    assert_eq!(recording.manifest.memory_total.get(), 65_837_824 << 10);
    assert!((600_000_000_000..603_000_000_000).contains(&recording.manifest.interval.get()), "ten minutes, unevenly");
    let counters = Table::ALL.into_iter().flat_map(|table| {
        let entities: Vec<&str> = recording.entities(table).map(|(name, _)| name).collect();
        let recording = &recording;
        entities.into_iter().flat_map(move |entity| recording.metrics(table, entity))
    });
    assert!(counters.into_iter().all(|column| column.kind != Kind::Counter), "nothing here was a counter");
}

#[test]
fn files_of_unknown_days_are_kept_apart_unless_their_times_show_one_day() {
    let import = curious_case();
    let day = |metric: &str| {
        let series = import.recording.host(metric).unwrap();
        series.points().next().unwrap().0 / 86_400_000_000_000
    };
    let onset = import.recording.disk("vgca0", "util").unwrap();
    let onset_day = onset.points().next().unwrap().0 / 86_400_000_000_000;
    assert_eq!(day("pgscan_kswapd"), onset_day, "the night's paging and disks have the same uneven times");
    assert_ne!(day("cpu_iowait_share"), day("pgscan_kswapd"));
    assert_eq!(day("AnonPages"), 17_054, "the meminfo log says 2016-09-10");
    let names: Vec<String> = import.report.notes.clone();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names[0].starts_with("sar-B.txt and sar-d-onset.txt have no date but share uneven times (6"), "{names:?}");
    assert!(names[1].contains("1970-01-05 (not known): sar-r.txt"), "{names:?}");
    let marks = support::notes(&import.recording);
    assert_eq!(marks.len(), FILES.len(), "{marks:#?}");
    assert!(marks[0].contains("sar-u.txt") && marks[0].contains("1970-01-01 stands in for the unknown day"));
}

#[test]
fn the_order_of_the_files_does_not_change_a_value() {
    let forward = curious_case();
    let mut files = FILES.map(fixture);
    files.reverse();
    let backward = import(&files, &Options::default()).unwrap();
    for (table, entity, metric) in [
        (Table::Host, "", "pgsteal"),
        (Table::Host, "", "MemFree"),
        (Table::Disk, "vgca0", "queue_depth"),
        (Table::Zone, "node0/Normal", "low"),
    ] {
        let mut one = values(&forward.recording, table, entity, metric);
        let mut other = values(&backward.recording, table, entity, metric);
        one.sort_unstable();
        other.sort_unstable();
        assert_eq!(one, other, "{metric}");
    }
}

#[test]
fn a_day_that_is_given_is_used() {
    let options =
        Options { day: Some("2016-09-11".parse().unwrap()), utc_offset: Some(7_200_000_000_000), ..Options::default() };
    let import = import(&[fixture("sar-B.txt")], &options).unwrap();
    let first = import.recording.stamps()[0];
    // 02:30:01 in a zone two hours east of UTC.
    assert_eq!(first.wall_ns, 1_473_552_000_000_000_000 + 1_801_000_000_000);
    assert!(import.report.files[0].day_known && import.report.files[0].notes.is_empty(), "{:?}", import.report);
}

#[test]
fn files_without_a_date_beside_dated_ones_come_with_the_option_that_places_them() {
    let hint = |options: &Options, files: &[&str]| {
        let files: Vec<Input> = files.iter().map(|name| fixture(name)).collect();
        let import = import(&files, options).unwrap();
        let hint = import.report.notes.iter().find(|note| note.contains("--date")).cloned();
        let stamps = import.recording.stamps();
        (hint.unwrap_or_default(), (stamps.last().unwrap().wall_ns - stamps[0].wall_ns) / 1_000_000_000 / 86_400)
    };
    let usual = Options::default();
    let (text, days) = hint(&usual, &FILES);
    assert!(text.contains("`--date 2016-09-10`") && days > 16_000, "{text}, {days} days");
    let placed = Options { day: Some("2016-09-10".parse().unwrap()), ..usual };
    assert_eq!(hint(&placed, &FILES), (String::new(), 0), "the option does what the note says");
    // Its times are local: they are of this day in every zone.
    let ahead = Options { utc_offset: Some(14 * 3_600_000_000_000), ..usual };
    assert!(hint(&ahead, &FILES).0.contains("`--date 2016-09-10`"));
    let (text, _) = hint(&usual, &["sar-u.txt", "sar-r.txt"]);
    assert!(text.contains("`--date FILE=YYYY-MM-DD`"), "{text}");
}

#[test]
fn a_file_without_times_begins_when_it_is_told() {
    let vmstat = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
        r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n \
        1  0      0 180000  20000 300000    0    0    10    20  100  200  5  5 90  0  0\n \
        1  0      0 170000  20000 310000    0    0    11    21  101  201  5  5 90  0  0\n";
    let with = |day: &str| {
        let options =
            Options { day: Some(day.parse().unwrap()), utc_offset: Some(3_600_000_000_000), ..Options::default() };
        let import = import(&[Input::bytes("vmstat.txt", vmstat)], &options).unwrap();
        let report = &import.report.files[0];
        (import.recording.stamps()[0].wall_ns / 1_000_000_000, report.day_known, report.notes.join(" "))
    };
    const MIDNIGHT: i64 = 1_473_465_600; // 2016-09-10 UTC
    let (begin, known, notes) = with("2016-09-10 15:20:30");
    assert_eq!((begin, known), (MIDNIGHT + (14 * 60 + 20) * 60 + 30, true), "local time, an hour ahead of UTC");
    assert!(!notes.contains("midnight"), "{notes}");
    let (begin, known, notes) = with("2016-09-10");
    assert_eq!((begin, known), (MIDNIGHT - 3600, true));
    assert!(notes.contains("assumed to start at midnight; `--date '2016-09-10 HH:MM'` sets the start"), "{notes}");
    // Text with times of day keeps them.
    let options = Options { day: Some("2016-09-11 15:20".parse().unwrap()), ..Options::default() };
    let first = import(&[fixture("sar-B.txt")], &options).unwrap().recording.stamps()[0];
    assert_eq!(first.wall_ns / 1_000_000_000, MIDNIGHT + 86_400 + 2 * 3600 + 1801, "02:30:01");
}
