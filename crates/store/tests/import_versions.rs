//! What versions of sysstat print that 12.6 does not, pages of vmstat, and clocks that are set back.

use pagetide_core::{Kind, Recording, Table};
use pagetide_store::import::{FileReport, Import, Input, Options, import};

const HOUR: i64 = 3_600_000_000_000;

fn read(text: &str) -> Import {
    import(&[Input::bytes("log", text)], &Options::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn points(recording: &Recording, table: Table, entity: &str, metric: &str) -> Vec<i64> {
    let series = recording.series(table, entity, metric);
    series.map(|series| series.points().map(|(_, value)| value).collect()).unwrap_or_default()
}

fn whole(value: i64) -> i64 {
    value * 1_000_000
}

const VMSTAT: &str = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
                      r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n";

fn vmstat_row(read: i64) -> String {
    format!(" 1  0      0 137768  25980 7173356    0    0 {read}     3  100  200  1  2 97  0  0\n")
}

/// `vmstat 1` into a file prints its header again after each 21 rows.
#[test]
fn a_header_that_vmstat_repeats_costs_no_row() {
    let mut text = String::from(VMSTAT);
    text.push_str(&vmstat_row(7));
    for second in 1..60 {
        if second % 21 == 0 {
            text.push_str(VMSTAT);
        }
        text.push_str(&vmstat_row(1000 * second));
    }
    let import = read(&text);
    let expected: Vec<i64> = (1..60).map(|second| whole(1000 * second)).collect();
    assert_eq!(points(&import.recording, Table::Host, "", "pgpgin"), expected);
    assert_eq!(import.report.files[0].left_out[0].lines, 1, "the averages since boot: {:?}", import.report.files[0]);
}

#[test]
fn a_second_run_of_vmstat_begins_with_averages_since_boot() {
    let run = |from: i64, rows: i64| {
        let rows: String = (0..rows).map(|row| vmstat_row(from + row * 500)).collect();
        format!("{VMSTAT}{}{rows}", vmstat_row(7))
    };
    // After 11 rows, which may be a page: the row below is that of the first run again. After 4 rows, which are none.
    for rows in [10, 3] {
        let import = read(&format!("{}{}", run(1000, rows), run(50_000, 3)));
        let read = points(&import.recording, Table::Host, "", "pgpgin");
        assert_eq!(read.len(), usize::try_from(rows).unwrap() + 3, "{rows}: {read:?}");
        assert!(!read.contains(&whole(7)), "{rows}: {read:?}");
    }
}

/// The same times again, as at the end of summer time, in every form with its own clock: nothing of the second 02:00 is taken, what comes
/// behind the last time is.
#[test]
fn rows_under_a_clock_that_was_set_back_are_left_out_and_told() {
    let seconds = ["01:59:00", "02:58:00", "02:00:00", "02:30:00", "03:00:00"];
    let rows = |row: &dyn Fn(&str, usize) -> String| {
        seconds.iter().enumerate().map(|(at, time)| row(time, at + 1)).collect::<String>()
    };
    let list = |row: &dyn Fn(&str, usize) -> String| {
        seconds.iter().enumerate().map(|(at, time)| row(time, at + 1)).collect::<Vec<_>>().join(",")
    };
    let csv = format!(
        "# hostname;interval;timestamp;proc/s;cswch/s\n{}",
        rows(&|time, at| format!("h;60;2026-10-25 {time};{at}.00;1.00\n"))
    );
    let lines = rows(&|time, at| format!("h\t60\t2026-10-25 {time}\t-\tproc/s\t{at}.00\n"));
    let json = |samples: String| {
        format!(r#"{{"sysstat": {{"hosts": [{{"nodename": "h", "date": "2026-10-25", "statistics": [{samples}]}}]}}}}"#)
    };
    let sadf = json(list(&|time, at| {
        format!(
            r#"{{"timestamp": {{"date": "2026-10-25", "time": "{time}", "interval": 60}}, "process-and-context-switch": {{"proc": {at}.00, "cswch": 1.00}}}}"#
        )
    }));
    let mpstat = json(list(&|time, at| {
        format!(
            r#"{{"timestamp": "{time}", "cpu-load": [{{"cpu": "all", "usr": {at}.00, "nice": 0.00, "sys": 0.00, "iowait": 0.00, "irq": 0.00, "soft": 0.00, "steal": 0.00, "guest": 0.00, "gnice": 0.00, "idle": 1.00}}]}}"#
        )
    }));
    let banner = "Linux 6.1 (h) \t2026-10-25 \t_x86_64_\t(2 CPU)\n\n";
    let iostat = format!(
        "{banner}2026-10-25 01:58:00\nDevice tps\nsda 9.00\n\n{}",
        rows(&|time, at| format!("2026-10-25 {time}\nDevice tps\nsda {at}.00\n\n"))
    );
    let iostat_json = json(format!(
        r#"{{"timestamp": "2026-10-25 01:58:00", "disk": [{{"disk_device": "sda", "tps": 9.00}}]}},{}"#,
        list(&|time, at| {
            format!(r#"{{"timestamp": "2026-10-25 {time}", "disk": [{{"disk_device": "sda", "tps": {at}.00}}]}}"#)
        })
    ));
    let vmstat = format!(
        " r  b swpd free buff cache si so bi bo in cs us sy id wa st                CEST\n 1 0 0 4 4 4 0 0 9 0 1 1 1 1 97 0 0 2026-10-25 01:58:00\n{}",
        rows(&|time, at| format!(" 1 0 0 4 4 4 0 0 {at} 0 1 1 1 1 97 0 0 2026-10-25 {time}\n"))
    );
    let meminfo = rows(&|time, at| format!("2026-10-25 {time} MemFree: {at} kB\n"));
    let pidstat = format!(
        "{banner}#      Time UID PID kB_rd/s Command\n{}",
        [1_792_886_340_i64, 1_792_889_880, 1_792_886_400, 1_792_888_200, 1_792_890_000]
            .iter()
            .zip(1..)
            .map(|(time, at)| format!(" {time} 0 1 {at}.00 init\n"))
            .collect::<String>()
    );
    let host = (Table::Host, "");
    let disk = (Table::Disk, "sda");
    for (form, text, (table, entity), metric, unit) in [
        ("sadf -d", csv, host, "processes", 1_000_000),
        ("sadf -p", lines, host, "processes", 1_000_000),
        ("sadf -j", sadf, host, "processes", 1_000_000),
        ("mpstat -o JSON", mpstat, host, "cpu_user_share", 10_000),
        ("iostat -t", iostat, disk, "reads_writes", 1_000_000),
        ("iostat -t -o JSON", iostat_json, disk, "reads_writes", 1_000_000),
        ("vmstat -t", vmstat, host, "pgpgin", 1_000_000),
        ("meminfo", meminfo, host, "MemFree", 1024),
        ("pidstat -h", pidstat, (Table::Process, "1@0"), "read_bytes", 1_024_000_000),
    ] {
        let import = read(&text);
        let file = &import.report.files[0];
        assert_eq!(
            points(&import.recording, table, entity, metric),
            [1, 2, 5].map(|at| at * unit),
            "{form}: {file:#?}"
        );
        assert!(
            file.skipped.iter().any(|skipped| skipped.reason.contains("the clock was set back")),
            "{form}: {file:#?}"
        );
        assert_eq!(file.skipped_lines, if form == "sadf -p" { 2 } else { file.skipped_lines }, "{form}");
        let stamps = import.recording.stamps();
        assert!(stamps.windows(2).all(|pair| pair[1].wall_ns - pair[0].wall_ns <= HOUR), "{form}");
    }
}

fn told(file: &FileReport, what: &str) -> bool {
    file.left_out.iter().any(|left| left.what.contains(what)) || file.notes.iter().any(|note| note.contains(what))
}

#[test]
fn a_group_of_iostat_is_no_disk() {
    let banner = "Linux 6.1 (h) \t2026-11-21 \t_x86_64_\t(2 CPU)\n\n";
    let report = |tps: i64| {
        format!(
            "Device             tps    kB_read/s\nvda             {tps}.00    1.00\n grp            {tps}.00    1.00\n\n"
        )
    };
    let names_last =
        |tps: i64| format!("      tps    kB_read/s Device\n   {tps}.00     1.0k vda\n   {tps}.00     1.0k  grp\n\n");
    let indented = |tps: i64| report(tps).lines().map(|line| format!("    {line}\n")).collect::<String>();
    let json = |tps: i64| {
        format!(
            r#"{{"disk": [{{"disk_device": "vda", "tps": {tps}.00}}, {{"disk_device": " grp", "tps": {tps}.00}}]}}"#
        )
    };
    let json =
        format!(r#"{{"sysstat": {{"hosts": [{{"nodename": "h", "statistics": [{}, {}]}}]}}}}"#, json(1), json(2));
    let text = |report: &dyn Fn(i64) -> String| format!("{banner}{}{}", report(1), report(2));
    for log in [text(&report), text(&names_last), text(&indented), json] {
        let import = read(&log);
        let disks: Vec<&str> = import.recording.entities(Table::Disk).map(|(name, _)| name).collect();
        assert_eq!(disks, ["vda"], "{log}");
        assert_eq!(points(&import.recording, Table::Disk, "vda", "reads_writes"), [whole(2)], "{log}");
        assert!(told(&import.report.files[0], "groups of disks (iostat -g)"), "{:#?}", import.report.files[0]);
    }
}

/// sysstat 10.0.1 to 11.6 print the name in a line of its own; 12.1 has a last table of `aqu-sz` and `%util`.
#[test]
fn iostat_h_of_old_versions_keeps_its_disks_and_columns() {
    let banner = "Linux 6.1 (h) \t2026-11-21 \t_x86_64_\t(2 CPU)\n\n";
    let old = |tps: i64| {
        format!(
            "Device:            tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\nsda\n                  {tps}.00         8.00         3.00          1          1\nmapper-with-a-long-name\n                  {tps}.50         8.00         3.00          1          1\n\n"
        )
    };
    let import = read(&format!("{banner}{}{}", old(1), old(2)));
    assert_eq!(import.report.files[0].skipped_lines, 0, "{:#?}", import.report.files[0]);
    assert_eq!(points(&import.recording, Table::Disk, "sda", "reads_writes"), [whole(2)]);
    assert_eq!(points(&import.recording, Table::Disk, "mapper-with-a-long-name", "reads_writes"), [2_500_000]);
    let newer = |tps: i64| {
        format!(
            "     r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device\n  {tps}.00     15.7M    44.91   6.4%    7.72    24.3k vda\n\n\
             \x20    w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz Device\n   38.64     34.0M   335.30  89.7%   13.72   901.7k vda\n\n  \
             aqu-sz  %util Device\n    5.65  23.0% vda\n\n"
        )
    };
    let import = read(&format!("{banner}{}{}", newer(1), newer(2)));
    assert_eq!(import.report.files[0].skipped_lines, 0, "{:#?}", import.report.files[0]);
    assert_eq!(points(&import.recording, Table::Disk, "vda", "reads"), [whole(2)]);
    assert_eq!(points(&import.recording, Table::Disk, "vda", "util"), [230_000]);
    assert_eq!(points(&import.recording, Table::Disk, "vda", "queue_depth"), [5_650_000]);
}

#[test]
fn discarded_blocks_and_sums_of_interrupts_have_metrics() {
    let banner = "Linux 6.1 (h) \t2026-11-21 \t_x86_64_\t(2 CPU)\n\n";
    for column in ["Blk_dscd/s", "dsec/s"] {
        let text = format!("{banner}Device tps {column}\nsda 1.00 1.00\n\nDevice tps {column}\nsda 1.00 16.00\n");
        assert_eq!(points(&read(&text).recording, Table::Disk, "sda", "discard_sectors"), [whole(16)], "{column}");
    }
    let json = r#"{"sysstat": {"hosts": [{"nodename": "h", "date": "11/23/26", "statistics": [
        {"timestamp": "04:58:08", "sum-interrupts": [{"cpu": "all", "intr": 300.50}, {"cpu": "0", "intr": 100.25}]},
        {"timestamp": "04:58:09", "sum-interrupts": [{"cpu": "all", "intr": 301.50}, {"cpu": "0", "intr": 101.25}]}]}]}}"#;
    let import = read(json);
    assert_eq!(points(&import.recording, Table::Host, "", "intr"), [300_500_000, 301_500_000]);
    assert_eq!(points(&import.recording, Table::Cpu, "0", "intr"), [100_250_000, 101_250_000]);
}

/// In en_US mpstat's clock has 12 hours and its dates begin with the month. 11.7.4 calls all CPUs `-1`.
#[test]
fn mpstat_s_json_is_read_by_its_clock_and_its_names() {
    let json = |time: &str, cpu: &str| {
        format!(
            r#"{{"sysstat": {{"hosts": [{{"nodename": "h", "date": "03/04/2026", "statistics": [
            {{"timestamp": "{time}", "cpu-load": [{{"cpu": "{cpu}", "usr": 1.00, "nice": 0.00, "sys": 0.00, "iowait": 0.00, "irq": 0.00, "soft": 0.00, "steal": 0.00, "guest": 0.00, "gnice": 0.00, "idle": 1.00}}]}},
            {{"timestamp": "{time}", "cpu-load": [{{"cpu": "{cpu}", "usr": 1.00, "nice": 0.00, "sys": 0.00, "iowait": 0.00, "irq": 0.00, "soft": 0.00, "steal": 0.00, "guest": 0.00, "gnice": 0.00, "idle": 1.00}}]}}]}}]}}}}"#
        )
    };
    let options = Options { first_report: pagetide_store::import::FirstReport::Interval, ..Options::default() };
    let at = |text: &str| {
        let import = import(&[Input::bytes("log", text)], &options).unwrap();
        assert!(!points(&import.recording, Table::Host, "", "cpu_user_share").is_empty(), "{text}");
        import.recording.stamps()[0].wall_ns / (24 * HOUR)
    };
    let march_4 = 20_516;
    assert_eq!(at(&json("04:05:06 PM", "all")), march_4);
    assert_eq!(at(&json("16:05:06", "-1")), march_4 + 30, "April 3");
}

/// The breaks of sysstat's own tickets 12, 90, 128, 130 and 163, put together.
#[test]
fn broken_json_of_sadf_and_iostat_is_put_right_and_told() {
    let json = r#"{"sysstat": {"sysdata-version": 3.1, "hosts": [{"nodename": "h", "number-of-cpus": 4,
        "file-date": "2016-10-19"
        "file-utc-time": "08:05:01",
        "statistics": [
        ,
        {"timestamp": {"date": "2016-10-19", "time": "08:15:01", "utc": 1, "interval": 600},
         "paging": {"pgpgin": 4,97, "pgpgout": 7,53}
         "network": {"net-dev": [{"iface": "lo", "rxpck": 0,00}]
         "fchosts": [ ]
        },
        {"timestamp": {"date": "2016-10-19", "time": "08:25:01", "utc": 1, "interval": 600},
         "paging": {"pgpgin": 5,97, "pgpgout": 7,53}
         "network": {"net-dev": [{"iface": "lo", "rxpck": 0,00}]
         "fchosts": [ ]
        }
        ],
        "restarts": [ ]}]}}"#;
    let import = read(json);
    let file = &import.report.files[0];
    assert_eq!(points(&import.recording, Table::Host, "", "pgpgin"), [4_970_000, 5_970_000], "{file:#?}");
    assert_eq!(import.recording.host("pgpgin").unwrap().column().kind, Kind::Rate);
    assert!(told(file, "repaired its JSON in"), "{file:#?}");
    assert_eq!(file.skipped_lines, 0, "{file:#?}");
    let cut = &json[..json.find("\"time\": \"08:25").unwrap()];
    let import = read(cut);
    assert_eq!(points(&import.recording, Table::Host, "", "pgpgin"), [4_970_000]);
    let reason = &import.report.files[0].skipped[0].reason;
    assert!(reason.contains("incomplete") && reason.contains("sadf -d"), "{reason}");
}

#[test]
fn raw_output_of_every_version_is_refused_by_name() {
    for raw in [
        "02:59:19 UTC; CPU; -1; %user; 1570793; 1570922; %nice; 255006; 255069;\n",
        "02:59:19;CPU;-1;1570793;1570922;255006;255069\n",
    ] {
        let error = import(&[Input::bytes("log", raw)], &Options::default()).unwrap_err().to_string();
        assert!(error.contains("raw output of sadf"), "{error}");
    }
}

/// `sar -H` and what `sadf -j` and `-d` make of it; `show hugepages` reads the same derived metrics.
#[test]
fn the_pool_of_huge_pages_has_its_place() {
    let sar = "Linux 6.1.0 (h) \t11/21/2026 \t_x86_64_\t(1 CPU)\n\n\
        10:00:01 AM kbhugfree kbhugused  %hugused kbhugrsvd kbhugsurp\n\
        10:00:11 AM      2048      6144     75.00      1024       512\n\
        10:00:21 AM      2048      6144     75.00      1024       512\n";
    let row =
        r#""hugepages": {"hugfree": 2048, "hugused": 6144, "hugused-percent": 75.00, "hugrsvd": 1024, "hugsurp": 512}"#;
    let at = |second: u64| {
        format!(r#"{{"timestamp": {{"date": "2026-11-21","time": "10:00:{second}","utc": 1,"interval": 10}},{row}}}"#)
    };
    let json = format!(
        r#"{{"sysstat": {{"hosts": [{{"nodename": "h","sysname": "Linux","release": "6.1","machine": "x86_64","number-of-cpus": 1,"file-date": "2026-11-21","file-utc-time": "10:00:00","statistics": [{}, {}]}}]}}}}"#,
        at(11),
        at(21)
    );
    let csv = "# hostname;interval;timestamp;kbhugfree;kbhugused;%hugused;kbhugrsvd;kbhugsurp\n\
        h;10;2026-11-21 10:00:11 UTC;2048;6144;75.00;1024;512\n\
        h;10;2026-11-21 10:00:21 UTC;2048;6144;75.00;1024;512\n";
    for text in [sar, json.as_str(), csv] {
        let import = read(text);
        let host = |derived: &'static pagetide_core::derived::Derived| {
            let (from, to) = import.recording.span().unwrap();
            derived.over(&import.recording, Table::Host, "", (from, to))
        };
        use pagetide_core::derived as of;
        assert_eq!(
            [&of::HUGE_FREE, &of::HUGE_USED, &of::HUGE_RESERVED, &of::HUGE_SURPLUS].map(&host),
            [2048.0, 6144.0, 1024.0, 512.0].map(|kib| Some(kib * 1024.0)),
            "{text}"
        );
        assert_eq!(host(&of::HUGE_USED_SHARE), Some(0.75), "{text}");
    }
}
