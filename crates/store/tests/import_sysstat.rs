//! Output of real tools: sysstat 12.6.1 and procps-ng 4.0.2 on Debian 12, copies of kernel files of Linux 6.18, fio 3.33.
//!
//! One binary file of sadc was printed in several locales, and as JSON: all of them must give the same numbers.

use pagetide_core::{Figure, Kind, Nanos, Recording, Table, Unit};
use pagetide_store::import::{FileKind, Import, Input, Options, import};
use support::{notes, values};

mod support;

fn fixture(name: &str) -> Input {
    Input::file(&support::fixture(&format!("import/{name}")))
}

fn one(name: &str) -> Import {
    import(&[fixture(name)], &Options::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn sar_in_every_locale_gives_the_same_recording() {
    let expected = one("sysstat-12.6.1/sar.C.txt");
    let file = &expected.report.files[0];
    assert_eq!((file.kind, file.skipped_lines, file.day_known), (Some(FileKind::Sar), 0, true), "{file:#?}");
    assert_eq!((expected.recording.manifest.host.as_str(), expected.recording.manifest.cpus), ("vm", 2));
    assert!(file.values > 500, "{file:#?}");
    for locale in ["en_US", "de_DE", "fr_FR", "ja_JP", "fi_FI", "ISO"] {
        let import = one(&format!("sysstat-12.6.1/sar.{locale}.txt"));
        assert_eq!(import.report.files[0].skipped_lines, 0, "{locale}: {:#?}", import.report.files[0]);
        assert_eq!(values(&import.recording), values(&expected.recording), "{locale}");
        let marks = |recording: &Recording| {
            recording.marks.iter().filter(|mark| !format!("{mark:?}").contains("imported")).cloned().collect::<Vec<_>>()
        };
        assert_eq!(marks(&import.recording), marks(&expected.recording), "{locale}");
    }
}

#[test]
fn a_date_that_is_not_understood_leaves_the_day_unknown_and_the_numbers_right() {
    let arabic = one("sysstat-12.6.1/sar.ar_EG.txt");
    let file = &arabic.report.files[0];
    assert_eq!((file.skipped_lines, file.day_known), (0, false), "{file:#?}");
    assert!(file.notes.iter().any(|note| note.contains("as a date")), "{:?}", file.notes);
    let day = Options { day: Some("2026-11-21".parse().unwrap()), ..Options::default() };
    let told = import(&[fixture("sysstat-12.6.1/sar.ar_EG.txt")], &day).unwrap();
    assert_eq!(values(&told.recording), values(&one("sysstat-12.6.1/sar.C.txt").recording));
}

#[test]
fn sar_and_sadf_agree() {
    for (text, json) in [("sar.C.txt", "sadf.json"), ("sar.midnight.en_US.txt", "sadf.midnight.json")] {
        let text = one(&format!("sysstat-12.6.1/{text}"));
        let json = one(&format!("sysstat-12.6.1/{json}"));
        assert_eq!(json.report.files[0].kind, Some(FileKind::Sadf));
        assert_eq!(json.report.files[0].skipped_lines, 0, "{:#?}", json.report.files[0]);
        assert_eq!(text.recording.stamps(), json.recording.stamps());
        let (text, json) = (values(&text.recording), values(&json.recording));
        assert!(text.keys().eq(json.keys()));
        for ((key, text), json) in text.iter().zip(json.values()) {
            // sadf gives sectors, of which sar prints half in KiB: both are rounded to two decimals.
            let tolerance = if key.2.ends_with("_sectors") { 20_000 } else { 0 };
            assert!((text - json).abs() <= tolerance, "{key:?}: {text} and {json}");
        }
    }
}

#[test]
fn a_night_is_passed() {
    let import = one("sysstat-12.6.1/sar.midnight.en_US.txt");
    let at: Vec<i64> = import.recording.stamps().iter().map(|stamp| stamp.wall_ns / 1_000_000_000).collect();
    assert_eq!(at, [1_793_491_197, 1_793_491_199, 1_793_491_201, 1_793_491_203, 1_793_491_205]);
    assert!(import.report.files[0].notes.iter().any(|note| note.contains("UTC")), "{:?}", import.report.files[0].notes);
}

#[test]
fn restarts_and_comments_are_marked() {
    let import = one("sysstat-12.6.1/sar.C.txt");
    let notes = notes(&import.recording);
    assert!(notes.contains(&"the host was started (2 CPU)"), "{notes:?}");
    assert!(notes.contains(&"comment: disk was added"), "{notes:?}");
}

#[test]
fn sar_for_people_is_read_with_its_rounding() {
    let exact = one("sysstat-12.6.1/sar.C.txt").recording;
    let human = one("sysstat-12.6.1/sar.human.txt");
    assert_eq!(human.report.files[0].skipped_lines, 0, "{:#?}", human.report.files[0]);
    for (table, entity, metric) in
        [(Table::Host, "", "MemFree"), (Table::Host, "", "Dirty"), (Table::Disk, "vda", "write_sectors")]
    {
        let exact: Vec<_> = exact.series(table, entity, metric).unwrap().points().collect();
        let human: Vec<_> = human.recording.series(table, entity, metric).unwrap().points().collect();
        assert_eq!(exact.len(), human.len());
        for (exact, human) in exact.iter().zip(&human) {
            // One decimal of a number below 1024 of its unit.
            let tolerance = (exact.1 / 20).max(if metric == "write_sectors" { 110_000 } else { 110 });
            assert!(exact.0 == human.0 && (exact.1 - human.1).abs() <= tolerance, "{metric}: {exact:?} {human:?}");
        }
    }
}

#[test]
fn iostat_is_read_without_its_averages_since_boot() {
    for (name, reports, dated) in [
        ("iostat.C.txt", 3, true),
        ("iostat.en_US.txt", 2, true),
        ("iostat.ISO.txt", 2, true),
        ("iostat.short.txt", 2, false),
        ("iostat.human.txt", 2, false),
    ] {
        let import = one(&format!("sysstat-12.6.1/{name}"));
        let file = &import.report.files[0];
        assert_eq!((file.kind, file.skipped_lines), (Some(FileKind::Iostat), 0), "{name}: {file:#?}");
        assert_eq!((file.samples, file.day_known), (reports, dated), "{name}: {file:#?}");
        let read = import.recording.disk("vda", "read_sectors").unwrap();
        assert_eq!((read.column().kind, read.points().count() as u64), (Kind::Rate, reports), "{name}");
        assert!(file.left_out.iter().any(|left| left.what.contains("since boot")), "{name}: {file:#?}");
    }
    let human = one("sysstat-12.6.1/iostat.human.txt").recording;
    for metric in ["write_await_ms", "discards", "flushes", "util", "queue_depth"] {
        assert_eq!(human.disk("vda", metric).map(|series| series.points().count()), Some(2), "{metric}");
    }
}

#[test]
fn vmstat_is_read_without_its_averages_since_boot() {
    let plain = one("procps-4.0.2/vmstat.txt");
    let file = &plain.report.files[0];
    assert_eq!((file.kind, file.skipped_lines, file.samples), (Some(FileKind::Vmstat), 0, 30), "{file:#?}");
    assert!(!file.day_known && file.notes.iter().any(|note| note.contains("no times")), "{:?}", file.notes);
    assert_eq!(plain.recording.host("MemFree").unwrap().points().count(), 30);
    assert_eq!(
        plain.recording.host("pgpgin").unwrap().points().count(),
        29,
        "the averages since boot have no rates, and the row below the second header has"
    );
    let stamped = one("procps-4.0.2/vmstat-t.txt");
    assert_eq!(stamped.recording.stamps()[0].wall_ns, 1_795_259_623_000_000_000);
    let free = stamped.recording.host("MemFree").unwrap();
    assert_eq!((free.points().next().unwrap().1, free.unit()), (23_648_536 << 10, Unit::Bytes));
    let read = stamped.recording.host("pgpgin").unwrap();
    assert_eq!(read.points().last().unwrap().1, 115_380_000_000);
    assert!(one("procps-4.0.2/vmstat-a.txt").recording.host("Inactive").is_some());
}

#[test]
fn copies_of_kernel_files_are_read_whole() {
    let import = one("kernel-files/all-date.log");
    let file = &import.report.files[0];
    assert_eq!((file.kind, file.skipped_lines, file.samples), (Some(FileKind::KernelFiles), 0, 3), "{file:#?}");
    let faults = import.recording.host("pgfault").unwrap();
    assert_eq!((faults.column().kind, faults.points().count()), (Kind::Counter, 3));
    for metric in ["free", "low", "managed", "reserve_max", "order0", "order10"] {
        let series = import.recording.series(Table::Zone, "node0/DMA32", metric);
        assert_eq!(series.map(|series| series.points().count()), Some(3), "{metric}");
    }
    let stamped = one("kernel-files/meminfo-ts.log");
    assert_eq!(stamped.report.files[0].samples, 3, "{:#?}", stamped.report.files[0]);
    assert_eq!(stamped.recording.manifest.memory_total.get(), 24_684_092 << 10);
    assert_eq!(one("kernel-files/buddyinfo-epoch.log").recording.stamps()[0].wall_ns, 1_795_259_703_497_150_398);
}

#[test]
fn kernel_files_without_names_of_fields_are_read_by_position() {
    let mut log = String::new();
    for second in 0..2 {
        log += &format!(
            "2026-11-30T10:00:0{second}Z\ncpu  {0} 1 2 3 4 5 6 7 8 9\ncpu0 {0} 1 2 3 4 5 6 7 8 9\nintr {0} 0 5\nctxt 7\nsoftirq 1 2\n\
             0.20 0.18 0.12 2/80 11206\n 254       0 vda {0} 1 2 3 4 5 6 7 0 9 10\n\
             ==> /proc/pressure/memory <==\nsome avg10=1.50 avg60=0.00 avg300=0.00 total={0}\n\
             full avg10=0.00 avg60=0.00 avg300=0.00 total=3\n/proc/pressure/io:some avg10=0.00 avg60=0.00 avg300=0.00 total={0}\n",
            100 + second
        );
    }
    let read = import(&[Input::bytes("log", log)], &Options::default()).unwrap();
    assert_eq!(read.report.files[0].skipped_lines, 0, "{:#?}", read.report.files);
    let points = |table, entity: &str, metric: &str| -> Vec<i64> {
        let series = read.recording.series(table, entity, metric).unwrap_or_else(|| panic!("{metric}"));
        series.points().map(|(_, value)| value).collect()
    };
    for metric in ["cpu_user", "intr", "psi_memory_some", "psi_io_some"] {
        assert_eq!(points(Table::Host, "", metric), [100, 101], "{metric}");
    }
    assert_eq!(points(Table::Cpu, "0", "cpu_user"), [100, 101]);
    assert_eq!(points(Table::Disk, "vda", "reads"), [100, 101]);
    assert_eq!(points(Table::Host, "", "load1"), [200; 2]);
    assert_eq!(points(Table::Host, "", "psi_memory_some_avg10"), [150; 2]);
    let nameless = "2026-11-30T10:00:00Z\nMemFree: 5 kB\nsome avg10=0.00 avg60=0.00 avg300=0.00 total=3\n";
    let read = import(&[Input::bytes("log", nameless)], &Options::default()).unwrap();
    assert!(read.report.files[0].left_out[0].what.contains("no line before it names the file"));
}

#[test]
fn counters_without_a_time_have_no_rates_until_somebody_says_the_interval() {
    let bare = one("kernel-files/vmstat-bare.log");
    let file = &bare.report.files[0];
    assert_eq!((file.samples, file.skipped_lines), (3, 0), "{file:#?}");
    assert!(file.left_out.iter().any(|left| left.what.contains("--interval")), "{file:#?}");
    assert_eq!(bare.recording.host("pgfault").unwrap().points().count(), 1);
    assert_eq!(bare.recording.host("nr_dirty").unwrap().points().count(), 3);
    let options = Options { interval: Some(Nanos::new(5_000_000_000)), ..Options::default() };
    let told = import(&[fixture("kernel-files/vmstat-bare.log")], &options).unwrap().recording;
    assert_eq!(told.host("pgfault").unwrap().rates().len(), 2);
    assert_eq!(told.stamps()[2].wall_ns, 10_000_000_000);
}

#[test]
fn jobs_of_fio_become_steps() {
    let import = one("fio-3.33/fio-read.json");
    let step = import.recording.steps().next().unwrap();
    assert_eq!((step.id.as_str(), step.title.as_str()), ("read", "randread 8k 16m"));
    assert_eq!(step.get(Figure::Issued), Some(2048.0));
    assert_eq!(step.get(Figure::Elapsed), Some(121e6));
    assert!(step.get(Figure::ClatP99).is_some() && step.get(Figure::ClatMean).is_some());
    assert_eq!(step.ended_ns, 1_795_259_732_486_000_000);
    let mix = one("fio-3.33/fio-mix.json").recording;
    assert_eq!(mix.steps().next().unwrap().get(Figure::ClatMean), None, "reads and writes have two latencies");
    assert_eq!(mix.steps().next().unwrap().get(Figure::Issued), Some(2048.0));
}

#[test]
fn of_the_reports_of_a_run_of_fio_the_last_counts() {
    let text = std::fs::read_to_string(support::fixture("import/fio-3.33/fio-read.json")).unwrap();
    let earlier = text.replace("\"total_ios\" : 2048", "\"total_ios\" : 1000");
    assert_ne!(earlier, text);
    let read = |log: String| import(&[Input::bytes("log", log)], &Options::default()).unwrap();
    let status = read(format!("fio: note\n{earlier}{text}"));
    let steps: Vec<Option<f64>> = status.recording.steps().map(|step| step.get(Figure::Issued)).collect();
    assert_eq!(steps, [Some(2048.0)]);
    let left: Vec<&str> = status.report.files[0].left_out.iter().map(|left| left.what.as_str()).collect();
    assert_eq!(left, ["lines before the JSON", "reports before the last (--status-interval)"]);
    let cut = read(format!("{earlier}{}", &text[..text.len() / 2]));
    assert_eq!(cut.recording.steps().next().unwrap().get(Figure::Issued), Some(1000.0), "what can be read");
    assert_eq!(cut.report.files[0].skipped_lines, 1);
}

#[test]
fn a_counter_and_a_rate_of_one_name_do_not_share_a_column() {
    let import =
        import(&[fixture("kernel-files/all-date.log"), fixture("sysstat-12.6.1/sar.C.txt")], &Options::default())
            .unwrap();
    assert_eq!(import.recording.host("pgfault").unwrap().column().kind, Kind::Counter);
    assert_eq!(import.recording.host("pgfault_rate").unwrap().column().kind, Kind::Rate);
    assert!(import.report.notes.iter().any(|note| note.contains("pgfault_rate")), "{:?}", import.report.notes);
}

#[test]
fn what_is_no_log_is_refused_with_what_to_do() {
    let refused = |bytes: &[u8]| import(&[Input::bytes("x", bytes)], &Options::default()).unwrap_err();
    assert!(refused(&[0x96, 0xd5, 0, 0]).hint.contains("sadf -j"));
    assert!(refused(&[0x1f, 0x8b, 8]).hint.contains("gunzip"));
    assert!(refused(b"hello\n").what.contains("looks like"));
    assert!(refused(b"").what.contains("x:"));
    let other = String::from_utf8(std::fs::read(support::fixture("import/sysstat-12.6.1/sar.C.txt")).unwrap()).unwrap();
    let other = other.replace("(vm)", "(db2)");
    let two = import(&[fixture("sysstat-12.6.1/sar.C.txt"), Input::bytes("other", other)], &Options::default());
    assert!(two.unwrap_err().what.contains("is from host vm, other from host db2"));
}
