//! The other forms in which sysstat's tools and vmstat print: locales, colours, CSV, JSON, mpstat, pidstat, units.

use pagetide_core::{Error, Kind, LocalClock, Recording, Table};
use pagetide_store::import::{DateOrder, FileKind, FirstReport, Import, Input, Options, import};
use support::{fixture, values};

mod support;

fn input(name: &str) -> Input {
    Input::file(&fixture(&format!("import/{name}")))
}

fn form(name: &str) -> Import {
    import(&[input(&format!("sysstat-12.6.1/forms/{name}"))], &Options::default())
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn text(text: &str) -> Result<Import, Error> {
    import(&[Input::bytes("log", text)], &Options::default())
}

fn host(recording: &Recording, metric: &str) -> Vec<i64> {
    recording.host(metric).map(|series| series.points().map(|(_, value)| value).collect()).unwrap_or_default()
}

#[test]
fn locales_colours_csv_and_lines_give_the_same_numbers() {
    let expected = values(&form("sar.C.txt").recording);
    assert!(expected.len() > 120, "{}", expected.len());
    for (name, kind) in [
        ("sar.ko_KR.txt", FileKind::Sar),
        ("sar.el_GR.txt", FileKind::Sar),
        ("sar.en_IN.txt", FileKind::Sar),
        ("sar.zh_HK.txt", FileKind::Sar),
        ("sar.colours.txt", FileKind::Sar),
        ("sadf-d.csv", FileKind::SadfText),
        ("sadf-p.txt", FileKind::SadfText),
    ] {
        let import = form(name);
        let file = &import.report.files[0];
        assert_eq!((file.kind, file.skipped_lines, file.day_known), (Some(kind), 0, true), "{name}: {file:#?}");
        assert_eq!(values(&import.recording), expected, "{name}");
    }
    assert!(
        form("sar.C.txt").report.files[0]
            .notes
            .iter()
            .any(|note| note.contains("12.7.9 counts ordinary reclaim twice"))
    );
}

#[test]
fn shares_of_cpu_time_that_cannot_be_are_left_out() {
    let log = "Linux 6.1 (h) \t2026-11-21 \t_x86_64_\t(2 CPU)\n\n\
               10:00:00 CPU %user %nice %system %iowait %steal %idle\n\
               10:00:01 all 500.00 0.00 -1.00 2.00 0.00 98.00\n\
               10:00:02 all 1.00 0.00 1.00 0.00 0.00 100.01\n";
    let import = text(log).unwrap();
    let of = |metric| host(&import.recording, metric);
    assert_eq!((of("cpu_user_share"), of("cpu_system_share")), (vec![10_000], vec![10_000]));
    assert_eq!(of("cpu_idle_share"), [980_000, 1_000_100], "rounded");
    let left_out = |column| format!("left out: values of {column} below 0 or above 100 % of the CPU time");
    assert_eq!(import.report.files[0].notes[..2], ["%user", "%system"].map(left_out));
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    let refused = |name: &str| {
        import(&[input(&format!("sysstat-12.6.1/forms/{name}"))], &Options::default()).unwrap_err().to_string()
    };
    assert!(refused("sar.fa_IR.txt").contains("other digits than 0 to 9"));
    assert!(refused("pidstat-t.txt").contains("single threads (pidstat -t)"));
    assert!(refused("sadf-dh.csv").contains("run sadf without -h"));
    assert!(refused("sar0.txt").contains("averages since boot"), "{}", refused("sar0.txt"));
    let tape =
        "Linux 6.1 (h) \t2026-11-21 \t_x86_64_\t(2 CPU)\n\nTape:    r/s     w/s   kB_read/s   kB_wrtn/s\nst0 1 1 1 1\n";
    assert!(text(tape).unwrap_err().to_string().contains("tapestat"));
    assert!(text("<?xml version=\"1.0\"?>\n<sysstat>\n").unwrap_err().to_string().contains("XML"));
    let shares = "Linux 6.1 (h) \t06/01/20 \t_x86_64_\t(9 CPU)\n\n rB/s wB/s rops/s wops/s fo/s fc/s fd/s Filesystem\n";
    assert!(text(shares).unwrap_err().to_string().contains("cifsiostat"));
    let header = "System activity data file: sa21 (0x2175)\nFile created by sar/sadc from sysstat version 12.0.0\n";
    assert!(text(header).unwrap_err().to_string().contains("sadf -H"));
    for without_rows in [
        "Linux 6.1 (h) \t2026-11-21 \t_x86_64_\t(9 CPU)\n\n13:20:09     LINUX RESTART\t(9 CPU)\n",
        "h\t-1\t2026-11-21 13:20:09 UTC\tLINUX-RESTART\t(9 CPU)\n",
        "h;-1;2026-11-21 13:20:09 UTC;COM;a comment\n",
    ] {
        let refused = text(without_rows).unwrap_err().to_string();
        assert!(refused.contains("without a table"), "{refused}");
    }
    let header = text("00:00:01 CPU %user %nice %system %iowait %steal %idle\n").unwrap_err().to_string();
    assert!(header.contains("no row with values"), "{header}");
    let zone = text("# hostname;interval;timestamp;proc/s;cswch/s\nh;10;2026-11-21 13:20:09 ABC;1.00;2.00\n");
    assert!(zone.unwrap_err().to_string().contains("the zone `ABC` has no fixed offset"), "a zone without an offset");
    let nothing = text("00:00:01 IFACE rxpck/s\n00:00:02 eth0 1.00\n").unwrap_err().to_string();
    assert!(nothing.contains("line 2: not part of a recording: IFACE rxpck/s"), "{nothing}");
}

#[test]
fn an_interrupt_that_is_called_by_its_number_is_not_the_sum() {
    let rows = "00:00:01 CPU intr/s\n00:00:02 all 900.00\n00:00:02 0 500.00\n";
    let one = text(&format!("{rows}00:00:01 CPU 24/s\n00:00:02 0 7.00\n")).unwrap();
    assert_eq!(values(&one.recording), values(&text(rows).unwrap().recording));
    let file = &one.report.files[0];
    assert_eq!((file.skipped_lines, file.conflicts), (0, 0), "{file:#?}");
}

#[test]
fn a_node_of_mpstat_is_not_the_host() {
    for (name, rows) in [("mpstat-N.txt", 2), ("mpstat-T.txt", 2), ("mpstat.json", 2)] {
        let import = form(name);
        let file = &import.report.files[0];
        assert_eq!((file.skipped_lines, file.conflicts), (0, 0), "{name}: {file:#?}");
        assert_eq!(import.recording.host("cpu_user_share").unwrap().points().count(), rows, "{name}");
    }
    // Two nodes, of which one sleeps.
    let nodes = text(
        "00:00:01 NODE %usr %nice %sys %iowait %irq %soft %steal %guest %gnice %idle\n\
         00:00:02 all 40.00 0.00 5.00 0.00 0.00 0.00 0.00 0.00 0.00 55.00\n\
         00:00:02 0 80.00 0.00 10.00 0.00 0.00 0.00 0.00 0.00 0.00 10.00\n\
         00:00:02 1 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 100.00\n",
    )
    .unwrap();
    assert_eq!(host(&nodes.recording, "cpu_user_share"), [400_000]);
    assert_eq!(nodes.report.files[0].left_out[0].lines, 2);
}

#[test]
fn pidstat_becomes_processes() {
    for name in ["pidstat.txt", "pidstat-h.txt"] {
        let import = form(name);
        assert_eq!(import.report.files[0].skipped_lines, 0, "{name}: {:#?}", import.report.files[0]);
        assert!(import.recording.entities(Table::Process).count() > 3, "{name}");
    }
    let import = text(
        "00:00:01      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n\
         00:00:02        0      4107   46.08    1.96    2.00    7.84   50.04     1  qemu system\n\
         00:00:03      UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command\n\
         00:00:04        0      4107     10.50   1588.25      0.00       0  qemu system\n\
         00:00:05      UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command\n\
         00:00:06        0      4107    239.22      1.50 2223524  513588   2.08  qemu system\n",
    )
    .unwrap();
    assert_eq!(import.recording.entities(Table::Process).collect::<Vec<_>>(), [("4107@0", "qemu system")]);
    let last = |metric: &str| {
        let series = import.recording.series(Table::Process, "4107@0", metric).unwrap();
        (series.column().kind, series.points().last().unwrap().1)
    };
    assert_eq!(last("utime"), (Kind::Rate, 48_080_000), "ticks, guests included, as the kernel counts");
    assert_eq!(last("cpu_delay_total"), (Kind::Rate, 78_400_000 * 1_000_000), "ns waited for a CPU a second");
    assert_eq!(last("read_bytes"), (Kind::Rate, 10_752 * 1_000_000));
    assert_eq!(last("majflt"), (Kind::Rate, 1_500_000));
    assert_eq!(last("rss"), (Kind::Gauge, 513_588 / 4));
    assert_eq!(last("vsize"), (Kind::Gauge, 2_223_524 << 10));
}

/// pidstat -H stamps with seconds since 1970, and -h has one header for all columns.
#[test]
fn pidstat_with_seconds_since_1970_is_read_at_its_moments() {
    let banner = "Linux 6.1 (h) \t11/22/26 \t_x86_64_\t(2 CPU)\n\n";
    let columns = "UID PID %usr %system %guest %wait %CPU CPU Command";
    let rows = |first: &str, from: i64, to: i64| {
        format!(
            "{first} {columns}\n{from} 0 1 1.00 0.00 0.00 0.00 1.00 1 init\n{to} 0 1 3.00 0.00 0.00 0.00 1.00 1 init\n"
        )
    };
    let log = format!(
        "{banner}{}Average: 0 1 2.00 0.00 0.00 0.00 1.00 - init\n",
        rows("1795337983", 1_795_337_984, 1_795_337_986)
    );
    let all_columns = format!("{banner}{}", rows("# Time", 1_795_337_984, 1_795_337_986));
    for log in [log, all_columns] {
        let options = Options { utc_offset: Some(3_600_000_000_000), ..Options::default() };
        let import = import(&[Input::bytes("log", log)], &options).unwrap();
        let file = &import.report.files[0];
        assert_eq!((file.skipped_lines, file.day_known), (0, true), "{file:#?}");
        let points: Vec<(i64, i64)> = import
            .recording
            .series(Table::Process, "1@0", "utime")
            .unwrap()
            .points()
            .map(|(_, value)| (value, 0))
            .collect();
        assert_eq!(points, [(1_000_000, 0), (3_000_000, 0)]);
        let walls: Vec<i64> = import.recording.stamps().iter().map(|stamp| stamp.wall_ns).collect();
        assert_eq!(walls, [1_795_337_984_000_000_000, 1_795_337_986_000_000_000], "seconds since 1970 have no zone");
    }
    let since_boot = text(&format!("{banner}{}", rows("1795337984", 1_795_337_984, 1_795_337_984))).unwrap_err();
    assert!(since_boot.to_string().contains("since boot"), "{since_boot}");
}

/// `iostat 1` and `iostat -y 1` look the same, and so do `mpstat -o JSON` and `mpstat -o JSON 1 1`.
#[test]
fn a_first_report_that_may_be_of_the_time_since_boot_is_left_out_unless_told_otherwise() {
    let told = Options { first_report: FirstReport::Interval, ..Options::default() };
    let points = |log: &str, options: &Options, table: Table, entity: &str, metric: &str| {
        import(&[Input::bytes("log", log)], options)
            .ok()
            .and_then(|import| Some(import.recording.series(table, entity, metric)?.points().count()))
            .unwrap_or(0)
    };
    let banner = "Linux 6.1 (h) \t11/22/26 \t_x86_64_\t(2 CPU)\n\n";
    let iostat = format!(
        "{banner}Device tps kB_read/s kB_wrtn/s\nsda 1.00 1.00 1.00\n\nDevice tps kB_read/s kB_wrtn/s\nsda 2.00 1.00 1.00\n"
    );
    let vmstat = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
                  r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n \
                  1  0      0 137768  25980 7173356    0    0     2     3   10   20  1  2 97  0  0\n \
                  1  0      0 137768  25980 7173356    0    0     4     3   10   20  1  2 97  0  0\n";
    let mpstat = |samples: &[&str]| {
        let sample = |time: &&str| {
            format!(
                r#"{{"timestamp": "{time}", "cpu-load": [{{"cpu": "all", "usr": 44.78, "nice": 0.0, "sys": 10.1, "iowait": 0.7, "irq": 0.0, "soft": 0.2, "steal": 0.1, "guest": 0.0, "gnice": 0.0, "idle": 44.2}}]}}"#
            )
        };
        let samples: Vec<String> = samples.iter().map(sample).collect();
        format!(
            r#"{{"sysstat": {{"hosts": [{{"nodename": "h", "date": "11/22/26", "statistics": [{}]}}]}}}}"#,
            samples.join(",")
        )
    };
    let pidstat = format!(
        "{banner}# Time UID PID %usr %system %guest %wait %CPU CPU Command\n09:00:01 0 1 1.00 0.00 0.00 0.00 1.00 1 init\n"
    );
    let once = mpstat(&["09:00:23"]);
    let twice = mpstat(&["09:00:23", "09:00:24"]);
    let json = std::fs::read_to_string(fixture("import/sysstat-12.6.1/forms/iostat.json")).unwrap();
    for (log, (table, entity, metric), without, with) in [
        (iostat.as_str(), (Table::Disk, "sda", "reads_writes"), 1, 2),
        (json.as_str(), (Table::Disk, "vda", "util"), 1, 2),
        (vmstat, (Table::Host, "", "pgpgin"), 1, 2),
        (once.as_str(), (Table::Host, "", "cpu_idle_share"), 0, 1),
        (twice.as_str(), (Table::Host, "", "cpu_idle_share"), 2, 2),
        (pidstat.as_str(), (Table::Process, "1@0", "utime"), 0, 1),
    ] {
        let count = |options| points(log, options, table, entity, metric);
        assert_eq!((count(&Options::default()), count(&told)), (without, with), "{log}");
    }
}

#[test]
fn averages_since_boot_are_not_rates_of_a_moment() {
    let text = "Linux 6.1 (h) \t2026-11-21 \t_x86_64_\t(2 CPU)\n\n\
                10:00:00 kbmemfree kbbuffers\n10:00:00 1000 24\n\n\
                10:00:00 pgpgin/s pgpgout/s\n10:00:00 5000.00 1.00\n";
    let import = import(&[Input::bytes("sar0", text)], &Options::default()).unwrap();
    assert_eq!(host(&import.recording, "MemFree"), [1000 << 10], "what is now is now");
    assert_eq!(host(&import.recording, "pgpgin"), [0; 0]);
    let iostat = form("iostat.json");
    assert_eq!(iostat.recording.stamps().len(), 1, "the first report of two");
    assert_eq!(iostat.recording.disk("vda", "util").map(|series| series.points().count()), Some(1));
}

#[test]
fn the_zone_of_a_stamp_counts() {
    let sadf = |zone: &str, day: &str| {
        format!(
            r#"{{"sysstat": {{"hosts": [{{"nodename": "h", "statistics": [{{"timestamp":
            {{"date": "{day}", "time": "12:00:00", "tz": "{zone}", "interval": 60}}, "swap-pages": {{"pswpin": 1.00, "pswpout": 0.00}}}}]}}]}}}}"#
        )
    };
    let winter = "2026-01-21";
    let at =
        |zone| text(&sadf(zone, winter)).map(|import| LocalClock::utc().time(import.recording.stamps()[0].wall_ns));
    for (zone, utc) in [("UTC", "12:00:00"), ("CEST", "10:00:00"), ("CET", "11:00:00"), ("-03", "15:00:00")] {
        assert_eq!(at(zone).unwrap(), utc, "{zone}");
    }
    // sadf calls Paris CET in July, as it does Tunis, which has no summer time.
    for (zone, day) in [("CET", "2026-07-21"), ("GMT", "2026-07-21"), ("AEST", winter)] {
        let error = text(&sadf(zone, day)).unwrap_err().to_string();
        assert!(error.contains("summer time") && error.contains("--utc-offset"), "{zone} {day}: {error}");
        let csv = format!("# hostname;interval;timestamp;proc/s;cswch/s\nh;10;{day} 13:20:09 {zone};1.00;2.00\n");
        let error = text(&csv).unwrap_err().to_string();
        assert!(error.contains("summer time"), "{zone} {day}: {error}");
    }
    for (zone, day, utc) in
        [("UTC", "2026-07-21", "13:20:09"), ("AEST", "2026-07-21", "03:20:09"), ("CET", winter, "12:20:09")]
    {
        let csv = format!("# hostname;interval;timestamp;proc/s;cswch/s\nh;10;{day} 13:20:09 {zone};1.00;2.00\n");
        assert_eq!(LocalClock::utc().time(text(&csv).unwrap().recording.stamps()[0].wall_ns), utc, "{zone}");
    }
    let error = at("IST").unwrap_err().to_string();
    assert!(error.contains("--utc-offset"), "India, Israel or Ireland: {error}");
    let options = Options { utc_offset: Some(19_800_000_000_000), ..Options::default() };
    let india = import(&[Input::bytes("log", sadf("IST", winter))], &options).unwrap().recording;
    assert_eq!(LocalClock::utc().time(india.stamps()[0].wall_ns), "06:30:00");
    assert_eq!(
        LocalClock::of(&india.manifest).unwrap().time(india.stamps()[0].wall_ns),
        "12:00:00",
        "as the log has it"
    );
}

#[test]
fn dates_of_iostat_follow_the_given_order_and_a_guess_is_noted() {
    let log = "Linux 6.1 (h) \t05/06/2026 \t_x86_64_\t(2 CPU)\n\n\
               05/06/2026 10:00:00\nDevice tps kB_read/s kB_wrtn/s\nsda 1.00 1.00 1.00\n\n\
               05/06/2026 10:00:01\nDevice tps kB_read/s kB_wrtn/s\nsda 2.00 1.00 1.00\n";
    let day = |date_order| {
        let import = import(&[Input::bytes("log", log)], &Options { date_order, ..Options::default() }).unwrap();
        let guess = import.report.files[0].notes.iter().any(|note| note.contains("is a guess"));
        (LocalClock::utc().civil(import.recording.stamps()[0].wall_ns).date().to_string(), guess)
    };
    assert_eq!(day(Some(DateOrder::MonthFirst)), ("2026-05-06".to_owned(), false));
    assert_eq!(day(Some(DateOrder::DayFirst)), ("2026-06-05".to_owned(), false));
    assert_eq!(day(None), ("2026-06-05".to_owned(), true));
}

#[test]
fn vmstat_in_other_units_and_languages() {
    let read = |name: &str, options: &Options| import(&[input(name)], options).unwrap();
    let french = read("procps-4.0.2/vmstat.fr_FR.txt", &Options::default());
    assert_eq!(host(&french.recording, "MemFree").len(), 3);
    assert!(french.report.files[0].notes[0].contains("KiB, vmstat's default"), "{:?}", french.report.files[0].notes);
    let mib = read("procps-4.0.2/vmstat-S-M.txt", &Options::default());
    assert_eq!(host(&mib.recording, "MemFree"), [17_122 << 20; 3]);
    assert!(mib.report.files[0].notes[0].contains("MiB (-S M)"), "{:?}", mib.report.files[0].notes);
    let told = Options { vmstat_unit: Some("1MB".parse().unwrap()), ..Options::default() };
    assert_eq!(host(&read("procps-4.0.2/vmstat-S-M.txt", &told).recording, "MemFree"), [17_122_000_000; 3]);
}

#[test]
fn iostat_with_a_unit_in_the_header_and_another_in_the_number() {
    let import = form("iostat-m-h.txt");
    let read = import.recording.disk("vda", "read_sectors").unwrap().points().map(|(_, value)| value);
    assert_eq!(read.collect::<Vec<_>>(), [13_721_600_000], "6.7M under MB_read/s");
}

#[test]
fn single_cpus_and_the_sum_of_interrupts_are_imported() {
    let import = text(
        "Linux 6.1 (h) \t2026-11-21 \t_x86_64_\t(2 CPU)\n\n\
         00:00:01  CPU %user %nice %system %iowait %steal %idle\n\
         00:00:02  all 40.00 0.00 5.00 0.00 0.00 55.00\n\
         00:00:02    0 70.00 0.00 5.00 0.00 0.00 25.00\n\
         00:00:02    1 10.00 0.00 5.00 0.00 0.00 85.00\n\n\
         00:00:01  INTR all CPU0 CPU1\n\
         00:00:02  sum 30.00 10.00 20.00\n\
         00:00:02  24 3.00 1.00 2.00\n",
    )
    .unwrap();
    let cpu =
        |name: &str| import.recording.series(Table::Cpu, name, "cpu_user_share").unwrap().points().next().unwrap().1;
    assert_eq!((cpu("0"), cpu("1"), host(&import.recording, "cpu_user_share")), (700_000, 100_000, vec![400_000]));
    assert_eq!(host(&import.recording, "intr"), [30_000_000]);
    assert_eq!(import.report.files[0].left_out[0].what, "single interrupts (a recording has their sum)");
}

#[test]
fn json_of_pidstat_is_imported_by_process() {
    let json = r#"{"sysstat": {"hosts": [{"nodename": "h", "date": "2026-11-21", "statistics": [
        {"timestamp": "00:00:01", "io": [{"UID": "0", "PID": "42", "kB_rd/s": 100.00, "kB_wr/s": "20.50", "iodelay": 3, "Command": "fio"}]},
        {"timestamp": "00:00:02", "cpu": [{"PID": 42, "usr": 12.50, "system": 1.00, "cpu": 1, "Command": "fio"}],
            "threads": [{"PID": 42, "TID": 43, "usr": 99.0, "Command": "fio"}], "tape": [{"tape": "st0", "r/s": 1.0}]}]}]}}"#;
    let import = text(json).unwrap();
    let process = |metric: &str| {
        let series = import.recording.series(Table::Process, "42@0", metric);
        series.map(|series| series.points().map(|(_, value)| value).collect::<Vec<_>>())
    };
    assert_eq!(process("read_bytes"), Some(vec![102_400_000_000]));
    assert_eq!(process("write_bytes"), Some(vec![20_992_000_000]));
    assert_eq!(process("utime"), Some(vec![12_500_000]));
    assert_eq!(import.recording.entities(Table::Process).collect::<Vec<_>>(), [("42@0", "fio")]);
    let report = &import.report.files[0];
    let left: Vec<&str> = report.left_out.iter().map(|left| left.what.as_str()).collect();
    assert_eq!(left, ["not part of a recording: tape", "single threads (pidstat -t)"]);
    assert!(report.notes.iter().any(|note| note.contains("iodelay")), "{:?}", report.notes);
}

#[test]
fn raw_output_and_pictures_of_sadf_are_refused_by_name() {
    let raw = "02:59:19 UTC; CPU; -1; %user; 1570793; 1570922; %nice; 255006; 255069;\n";
    assert!(text(raw).unwrap_err().to_string().contains("raw output of sadf"));
    let svg = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<!DOCTYPE svg>\n<svg xmlns=\"x\">\n";
    assert!(text(svg).unwrap_err().to_string().contains("picture"));
}
