//! What the reports of a log say by leaving rows out, and logs that were written at different intervals.

use pagetide_core::{Entity, Kind, Nanos, Recording, Table};
use pagetide_store::import::{Input, Options, import};
use pagetide_view::show::{Topic, show};

const SECOND: i64 = 1_000_000_000;

fn read(logs: &[&str]) -> Recording {
    let inputs: Vec<Input> = logs.iter().map(|log| Input::bytes("log", *log)).collect();
    import(&inputs, &Options::default()).unwrap().recording
}

/// Six reports of `iostat -xz` or `pidstat -d`, 10 s apart; only `rare` is left out of some.
fn reports(banner: &str, header: &str, row: impl Fn(&str, &str) -> String) -> String {
    let mut text = format!("Linux 6.1.0 (h1) \t2026-11-30 \t_x86_64_\t(2 CPU)\n\n{banner}");
    for nth in 1..=6 {
        let at = format!("10:0{}:{}0", nth / 6, nth % 6);
        text += &format!(
            "{}\n{}\n",
            header.replace("TIME", &format!("10:00:{}0", nth - 1)).replace("AT", &at),
            row(&at, "often")
        );
        if [3, 5].contains(&nth) {
            text += &(row(&at, "rare") + "\n");
        }
        text.push('\n');
    }
    text
}

fn pidstat() -> String {
    let row = |at: &str, name: &str| {
        format!("{at}        0       {}   1000.00      0.00      0.00       0  {name}", name.len() * 100)
    };
    reports("", "TIME      UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command", row)
}

fn sar(interval: i64, rows: i64, from: i64) -> String {
    let time = |at: i64| format!("{:02}:{:02}:{:02}", 10 + at / 3600, at % 3600 / 60, at % 60);
    let mut text = "Linux 6.1.0 (h1) \t2026-11-30 \t_x86_64_\t(2 CPU)\n\n".to_owned();
    text += &format!("{}        CPU     %user     %nice   %system   %iowait    %steal     %idle\n", time(from));
    for nth in 1..=rows {
        let at = time(from + nth * interval);
        text += &format!("{at}        all     {}.00      0.00      1.00      1.00      0.00     50.00\n", nth % 50);
    }
    text
}

fn average(recording: &Recording, topic: Topic, entity: &str, column: &str) -> f64 {
    let shown = show(recording, topic, true, (i64::MIN, i64::MAX), None);
    let at = shown.headings().position(|heading| heading.name == column).unwrap();
    shown.averages().find(|row| row.name == entity).unwrap().cells[at].unwrap()
}

fn points(recording: &Recording, table: Table, entity: &str, metric: &str) -> Vec<i64> {
    recording.series(table, entity, metric).unwrap().points().map(|(_, value)| value).collect()
}

#[test]
fn what_a_tool_leaves_out_because_it_is_zero_is_zero() {
    let idle = read(&[&pidstat()]);
    let read_by_rare = points(&idle, Table::Process, "400@0", "read_bytes");
    assert_eq!(read_by_rare, [1000 * 1024 * 1_000_000, 0, 1000 * 1024 * 1_000_000], "from its first row to its last");
    let rate = average(&idle, Topic::Processes, "400@0", "read/s");
    assert!((rate - 1000.0 * 1024.0 / 3.0).abs() < 1e-6, "{rate}");
    assert!((average(&idle, Topic::Processes, "500@0", "read/s") - 1000.0 * 1024.0).abs() < 1e-6);

    let row = |_: &str, name: &str| format!("{name}       100.00      400.00      0.00      0.00    9.00   90.00");
    let header = "11/30/2026 AT AM\nDevice            r/s     rkB/s     w/s     wkB/s   r_await   %util";
    let text = reports("", header, row).replace("\t2026-11-30 ", "\t11/30/2026 ");
    let options = Options { first_report: pagetide_store::import::FirstReport::Interval, ..Options::default() };
    let idle = import(&[Input::bytes("log", text)], &options).unwrap().recording;
    assert_eq!(points(&idle, Table::Disk, "rare", "reads").len(), 6);
    let (reads, util) = (average(&idle, Topic::Disk, "rare", "tps"), average(&idle, Topic::Disk, "rare", "util"));
    assert!((reads - 100.0 / 3.0).abs() < 1e-6 && (util - 0.3).abs() < 1e-6, "{reads} {util}");
    assert!((average(&idle, Topic::Disk, "rare", "r_await") - 9e6).abs() < 1e-3, "of its own requests");
}

/// What a file that was cut off or damaged does not say is not 0.
#[test]
fn no_zero_is_made_of_a_row_that_may_be_missing() {
    let header = "Linux 6.1.0 (h1) \t2026-11-30 \t_x86_64_\t(2 CPU)\n\n10:00:00        DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util\n";
    let row = |at: &str, disk: &str| {
        format!("{at}        {disk}      1.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00\n")
    };
    let both = |at: &str| row(at, "sda") + &row(at, "sdb");
    let of_sdb = |text: String| points(&read(&[&text]), Table::Disk, "sdb", "reads_writes").len();
    let cut = format!("{header}{}{}", both("10:00:10"), row("10:00:20", "sda"));
    assert_eq!(of_sdb(cut.clone()), 1, "sdb's row may have come next");
    assert_eq!(of_sdb(cut.clone() + "\n"), 2, "the table ended");
    assert_eq!(of_sdb(cut + &both("10:00:30")), 3);
    let damaged = format!("{header}{}{}", row("10:00:20", "sda"), row("10:00:20", "sdb").replace("1.00", "1.x0"));
    assert_eq!(of_sdb(header.to_owned() + &both("10:00:10") + &damaged[header.len()..] + &both("10:00:30")), 2);
}

#[test]
fn a_process_that_runs_another_program_is_another_entity() {
    let rows = |names: [&str; 3]| {
        let mut text = "Linux 6.1.0 (h1) \t2026-11-30 \t_x86_64_\t(2 CPU)\n\n".to_owned();
        for (at, name) in (1..).zip(names) {
            text += &format!(
                "10:00:{}0      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n\
                 10:00:{at}0        0       100   50.00    0.00    0.00    0.00   50.00     0  {name}\n\n",
                at - 1
            );
        }
        text
    };
    let named = |text: &str| {
        let recording = read(&[text]);
        recording.entities(Table::Process).map(|(name, label)| Entity::new(name, label)).collect::<Vec<_>>()
    };
    let both = [Entity::new("100@0", "sh"), Entity::new("100@0/java", "java")];
    assert_eq!(named(&rows(["sh", "java", "java"])), both);
    assert_eq!(
        named(&rows(["kworker/0:1-events", "kworker/0:1-mm", "kworker/0:1"])),
        [Entity::new("100@0", "kworker/0:1-events")]
    );
    let words = "/usr/bin/java -jar x";
    assert_eq!(
        named(&rows(["java", words, "java"])),
        [Entity::new("100@0", "java")],
        "pidstat -l prints the command line"
    );
    // Two logs of the same processes: what was first in any of them has the id alone.
    let later = rows(["java"; 3]).replace("%usr", "kB_rd/s").replace("%system", "kB_wr/s");
    let recording = read(&[&later.replace("10:0", "10:1"), &rows(["sh", "java", "java"])]);
    assert_eq!(
        recording.entities(Table::Process).map(|(name, label)| Entity::new(name, label)).collect::<Vec<_>>(),
        both
    );
}

#[test]
fn logs_of_different_intervals_keep_their_own() {
    let disks = |from: i64, rows: i64| {
        let header = sar(10, rows, from)
            .replace("CPU     %user     %nice   %system   %iowait    %steal     %idle", "DEV       tps     %util");
        header
            .lines()
            .map(|line| match line.split_once("all ") {
                Some((time, _)) => format!("{time}sda    10.00     50.00\n"),
                None => format!("{line}\n"),
            })
            .collect::<String>()
    };
    let both = read(&[&sar(600, 6, 0), &(disks(0, 61) + &disks(1030, 61))]);
    assert_eq!(both.manifest.interval, Nanos::new(10_000_000_000));
    assert_eq!(both.manifest.interval_of(Table::Host, "cpu_user_share"), Nanos::new(600_000_000_000));
    let gaps: Vec<i64> = both.gaps().iter().map(|gap| (gap.to_ns - gap.from_ns) / SECOND).collect();
    assert_eq!(gaps, [430], "sar's rows every 600 s fill no gap of the disks, and are none themselves");
    let rows = |topic: Topic, every: i64| -> Vec<i64> {
        let shown = show(&both, topic, false, (i64::MIN, i64::MAX), Some(every * SECOND));
        let start = both.stamps()[0].wall_ns / SECOND;
        shown.rows().map(|row| row.wall_ns / SECOND - start + 10).collect()
    };
    assert_eq!(rows(Topic::Cpu, 60), [610, 1220, 1800, 2400, 3000, 3600]);
    assert_eq!(rows(Topic::Cpu, 1200), [1210, 2400, 3600]);
    assert_eq!(rows(Topic::Disk, 300), [300, 600, 1040, 1340, 1640]);
    let user = both.host("cpu_user_share").unwrap();
    assert_eq!((user.column().kind, user.rates()[1].1 - user.rates()[1].0), (Kind::Rate, 600 * SECOND));
}

#[test]
fn two_stamps_a_round_are_no_gaps() {
    let mut text = String::new();
    for second in 0..20 {
        text += &format!(
            "2026-11-30T10:00:{second:02}.000Z\nMemFree: 1000 kB\n2026-11-30T10:00:{second:02}.055Z\npgscan_kswapd {second}\n"
        );
    }
    let log = read(&[&text]);
    assert_eq!((log.manifest.interval, log.gaps().len()), (Nanos::new(SECOND.unsigned_abs()), 0));
}
