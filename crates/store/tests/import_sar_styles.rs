//! sar and iostat as older versions print them, several days in one file, clocks that are set, and lines that are no rows.

use pagetide_core::{Recording, Table};
use pagetide_store::import::{DateOrder, Import, Input, Options, import};

fn read_with(text: &str, options: &Options) -> Import {
    import(&[Input::bytes("log", text)], options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn read(text: &str) -> Import {
    read_with(text, &Options::default())
}

fn values(recording: &Recording, table: Table, entity: &str, metric: &str) -> Vec<(i64, i64)> {
    let series = recording.series(table, entity, metric).unwrap_or_else(|| panic!("{metric}"));
    series.points().map(|(at, value)| (at / 1_000_000_000, value)).collect()
}

#[test]
fn columns_of_sysstat_9_to_12_mean_the_same() {
    let disk = |header: &str, row: &str| {
        let text = format!("12:00:01 AM       DEV {header}\n12:10:01 AM  dev8-0 {row}\n");
        let import = read(&text);
        let column = |name| import.recording.disk("dev8-0", name).map(|series| series.points().next().unwrap().1);
        ["reads_writes", "read_sectors", "write_sectors", "queue_depth", "await_ms", "util", "request_sectors"]
            .map(column)
    };
    let expected = [33_450_000, 2_000_000, 1_734_500_000, 3_040_000, 90_820_000, 202_800, 51_860_000].map(Some);
    // sysstat 9 and 10; 11; 12
    let nine = "tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util";
    assert_eq!(disk(nine, "33.45 2.00 1734.50 51.86 3.04 90.82 6.06 20.28"), expected);
    let eleven = "tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     svctm     %util";
    assert_eq!(disk(eleven, "33.45 1.00 867.25 25.93 3.04 90.82 6.06 20.28"), expected);
    let twelve = "tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util";
    assert_eq!(disk(twelve, "33.45 1.00 867.25 0.00 25.93 3.04 90.82 20.28"), expected);

    // sysstat 9 prints swap with memory.
    let old = read(
        "12:00:01 AM kbmemfree kbmemused  %memused kbbuffers  kbcached kbswpfree kbswpused  %swpused  kbswpcad\n\
         12:10:01 AM    270568  65567256     99.59    212804  13413548  50331000       644      0.00       100\n",
    );
    let host = |name| values(&old.recording, Table::Host, "", name)[0].1;
    assert_eq!(host("SwapTotal"), 50_331_644 << 10);
    assert_eq!(host("SwapFree"), 50_331_000 << 10);
    assert_eq!(host("SwapCached"), 100 << 10);
    assert_eq!(host("kbmemused"), 65_567_256 << 10);
    assert!(old.recording.host("MemTotal").is_none(), "what is used means something else in each version");

    let all = read(
        "00:00:01  CPU %usr %nice %sys %iowait %steal %irq %soft %guest %gnice %idle\n\
         00:00:02  all 10.00 1.00 5.00 2.00 0.00 0.50 1.50 4.00 0.50 75.50\n\
         00:00:02    0 59.00 1.00 5.00 2.00 0.00 0.50 1.50 4.00 0.50 26.50\n",
    );
    let share = |name| values(&all.recording, Table::Host, "", name);
    assert_eq!(share("cpu_user_share"), [(2, 140_000)], "the kernel counts guest time as user time");
    assert_eq!(share("cpu_system_share"), [(2, 70_000)]);
    assert_eq!(share("cpu_nice_share"), [(2, 15_000)]);
    assert_eq!(values(&all.recording, Table::Cpu, "0", "cpu_user_share"), [(2, 630_000)], "CPU 0 is not the host");
}

#[test]
fn stall_percentages_become_the_counters_rise() {
    let import = read(
        "Linux 6.1 (h) \t2026-11-21 \t_x86_64_\t(2 CPU)\n\n\
         00:00:01     %sio-10   %sio-60  %sio-300      %sio   %fio-10   %fio-60  %fio-300      %fio\n\
         00:00:02        0.22      0.12      0.17      5.25      0.05      0.04      0.14      1.00\n",
    );
    let series = import.recording.host("psi_io_some").unwrap();
    assert_eq!(series.points().next().unwrap().1, 52_500_000_000, "52 500 us a second, in millionths");
    let average = import.recording.host("psi_io_full_avg300").unwrap();
    assert_eq!((average.points().next().unwrap().1, average.unit()), (14, pagetide_core::Unit::BasisPoints));
    let known = pagetide_core::metric::find(Table::Host, "psi_io_some").unwrap();
    assert_eq!(series.unit(), known.unit);
}

const TWO_DAYS: &str = "Linux 2.6.32 (h) \t09/10/2016 \t_x86_64_\t(24 CPU)\n\n\
    11:40:01 PM  pswpin/s pswpout/s\n\
    11:50:01 PM      1.00      0.00\n\
    12:00:01 AM      2.00      0.00\n\
    Average:         1.50      0.00\n\n\
    12:00:05 AM       LINUX RESTART\n\n\
    12:10:01 AM  pswpin/s pswpout/s\n\
    12:20:01 AM      3.00      0.00\n\
    Linux 2.6.32 (h) \t09/12/2016 \t_x86_64_\t(24 CPU)\n\n\
    12:00:01 AM  pswpin/s pswpout/s\n\
    12:10:01 AM      4.00      0.00\n";

#[test]
fn several_days_and_restarts_in_one_file() {
    let import = read(TWO_DAYS);
    let file = &import.report.files[0];
    assert_eq!(file.skipped_lines, 0, "{file:#?}");
    let midnight = 1_473_552_000; // 2016-09-11
    let expected = [
        (midnight - 599, 1_000_000),
        (midnight + 1, 2_000_000),
        (midnight + 1201, 3_000_000),
        (midnight + 87_001, 4_000_000),
    ];
    assert_eq!(values(&import.recording, Table::Host, "", "pswpin"), expected);
    let restart = import.recording.marks.iter().find(|mark| format!("{mark:?}").contains("was started")).unwrap();
    assert_eq!(restart.stamp.wall_ns, (midnight + 5) * 1_000_000_000);
    assert!(file.notes.iter().any(|note| note.contains("the order of day and month is a guess")), "{:?}", file.notes);
    let other = read_with(TWO_DAYS, &Options { date_order: Some(DateOrder::DayFirst), ..Options::default() });
    assert_eq!(other.recording.stamps()[0].wall_ns / 86_400_000_000_000, 17_083, "9 October 2016");
}

#[test]
fn lines_before_the_first_date_are_on_an_unknown_day() {
    let cut = TWO_DAYS.split_once('\n').unwrap().1;
    let import = read(cut);
    assert_eq!(values(&import.recording, Table::Host, "", "pswpin").len(), 1);
    let file = &import.report.files[0];
    assert!(file.notes.iter().any(|note| note == "lines 1 to 12 come before the first date"), "{:?}", file.notes);
    let told = read_with(cut, &Options { day: Some("2016-09-10".parse().unwrap()), ..Options::default() });
    assert_eq!(values(&told.recording, Table::Host, "", "pswpin").len(), 4);
}

#[test]
fn a_clock_that_is_set_back_gives_no_time_twice() {
    let import = read(
        "Linux 6.1 (h) \t2026-10-25 \t_x86_64_\t(2 CPU)\n\n\
         02:40:01     pswpin/s pswpout/s\n\
         02:50:01         1.00      0.00\n\
         02:00:01         2.00      0.00\n\
         02:10:01         3.00      0.00\n\
         03:00:01         4.00      0.00\n",
    );
    let file = &import.report.files[0];
    assert_eq!((file.skipped_lines, file.skipped[0].from_line, file.skipped[0].to_line), (2, 5, 6), "{file:#?}");
    assert!(file.skipped[0].reason.contains("the clock was set back"));
    let read: Vec<i64> = values(&import.recording, Table::Host, "", "pswpin").iter().map(|(_, value)| *value).collect();
    assert_eq!(read, [1_000_000, 4_000_000]);
}

#[test]
fn what_cannot_be_read_is_listed_by_line() {
    let import = read(
        "00:00:01     pswpin/s pswpout/s\n\
         00:00:02         1.00      0.00\n\
         00:00:03         x.00      0.00\n\
         00:00:04         1.00\n\
         00:00:05         1.00      0.00      7.00\n\
         something else\n\
         00:00:06        IFACE   rxpck/s\n\
         00:00:07         eth0      1.00\n\
         00:00:07           lo      1.00\n\
         00:00:08     pswpin/s pswpout/s\n\
         00:00:09         2.00      0.00",
    );
    let file = &import.report.files[0];
    let skipped: Vec<(u64, &str)> =
        file.skipped.iter().map(|skipped| (skipped.from_line, skipped.reason.as_str())).collect();
    assert_eq!(
        skipped,
        [
            (3, "`x.00` is not a number (column pswpin/s)"),
            (4, "fewer values than columns"),
            (5, "more values than columns"),
            (6, "neither a row, a header nor an average of sar"),
            (
                11,
                "the last line has no newline, so its last number may be cut off (add a newline if the line is complete)"
            ),
        ]
    );
    assert_eq!((file.lines, file.left_out[0].lines, file.left_out[0].first_line), (11, 2, 8));
    assert_eq!(values(&import.recording, Table::Host, "", "pswpin"), [(2, 1_000_000)]);
}

#[test]
fn two_values_for_one_moment_are_counted_and_the_first_is_kept() {
    let import = read(
        "00:00:01     pswpin/s pswpout/s\n\
         00:00:02         1.00      0.00\n\
         00:00:02         9.00      0.00\n",
    );
    assert_eq!(import.report.files[0].conflicts, 1);
    assert_eq!(values(&import.recording, Table::Host, "", "pswpin"), [(2, 1_000_000)]);
}

#[test]
fn an_indented_excerpt_with_carriage_returns_is_read() {
    let import = read("\u{feff}    12:00:01 AM  pswpin/s pswpout/s\r\n    02:30:01 AM      1.00      0.25\r\n");
    assert_eq!(values(&import.recording, Table::Host, "", "pswpout"), [(9001, 250_000)]);
    assert_eq!(import.report.files[0].skipped_lines, 0);
}

#[test]
fn iostat_of_sysstat_9_is_read() {
    let import = read(
        "Linux 2.6.32 (h) \t09/10/2016 \t_x86_64_\t(24 CPU)\n\n\
         avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           1.00    0.00    1.00    0.00    0.00   98.00\n\n\
         Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n\
         sda               0.00     1.00    2.00    3.00    40.00    50.00     8.00     0.10    1.50   0.50   0.25\n\n\
         avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           2.00    0.00    1.00    0.00    0.00   97.00\n\n\
         Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n\
         sda               0.00     7.00    8.00    9.00    10.00    11.00     8.00     0.10    1.50   0.50  12.50\n",
    );
    assert_eq!(import.report.files[0].skipped_lines, 0, "{:#?}", import.report.files[0]);
    for (metric, value) in
        [("reads", 8_000_000), ("write_merges", 7_000_000), ("write_sectors", 11_000_000), ("util", 125_000)]
    {
        let values = values(&import.recording, Table::Disk, "sda", metric);
        assert_eq!((values.len(), values[0].1), (1, value), "{metric}");
    }
}
