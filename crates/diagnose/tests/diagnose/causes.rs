//! Causes that come from a device, the kernel or one process: each beside what looks like it and is not.

use crate::live::GIB;
use crate::story::{MIB, Story, finding, whole};
use crate::verdict::quiet;
use pagetide_core::{Actor, Bytes, Disk, Finding, Grade, KernelMessage, SettingChange, Span, Table};
use pagetide_diagnose::diagnose;

fn during(at: f64) -> bool {
    at > 60.0 && at <= 90.0
}

fn progress(at: f64) -> f64 {
    ((at - 60.0) / 30.0).clamp(0.0, 1.0)
}

/// A host of 8 GiB with two CPUs.
fn host() -> Story {
    Story::new(120, 1.0).manifest(|manifest| manifest.memory_total = Bytes::new(8 << 30)).gauge(
        Table::Host,
        "",
        "MemTotal",
        |_| 8.0 * GIB,
    )
}

/// A counter of the host per second: usually, and from second 60 to 90.
fn counts(story: Story, metric: &str, usual: f64, then: f64) -> Story {
    story.counter(Table::Host, "", metric, move |at| if during(at) { then } else { usual })
}

/// A disk: reads per second, ms of each, writes per second, ms of each; all of 64 KiB.
fn disk(story: Story, usual: (f64, f64, f64, f64), then: (f64, f64, f64, f64)) -> Story {
    let at = move |at: f64| if during(at) { then } else { usual };
    let busy = move |now: f64| {
        let (reads, read_ms, writes, write_ms) = at(now);
        reads * read_ms + writes * write_ms
    };
    story
        .counter(Table::Disk, "sda", "reads", move |now| at(now).0)
        .counter(Table::Disk, "sda", "read_sectors", move |now| at(now).0 * 128.0)
        .counter(Table::Disk, "sda", "read_ms", move |now| at(now).0 * at(now).1)
        .counter(Table::Disk, "sda", "writes", move |now| at(now).2)
        .counter(Table::Disk, "sda", "write_sectors", move |now| at(now).2 * 128.0)
        .counter(Table::Disk, "sda", "write_ms", move |now| at(now).2 * at(now).3)
        .counter(Table::Disk, "sda", "io_ms", move |now| busy(now).min(1000.0))
        .counter(Table::Disk, "sda", "weighted_io_ms", busy)
}

/// The rule of the cause.
fn diagnosed(recording: &pagetide_core::Recording) -> String {
    pagetide_diagnose::diagnose(recording).cause.map_or_else(String::new, |cause| cause.rule.to_string())
}

#[test]
fn a_service_whose_threads_each_wait_for_one_request_as_fast_as_before_is_bound_by_latency() {
    let told = |ms: f64, waits: f64, reads: i32, started: i64| {
        let story = counts(
            disk(host(), (15.0, 17.0, 0.0, 0.0), (f64::from(reads), ms, 0.0, 0.0)),
            "psi_io_some",
            130_000.0,
            waits,
        );
        let read = move |at: i64| 65_536 * (15 * at + (i64::from(reads) - 15) * (at - 60).clamp(0, 30));
        let story = story
            .counter(Table::Cgroup, "/app", "psi_io_some", move |at| if during(at) { waits } else { 130_000.0 })
            .counter(Table::Cgroup, "/app", "cpu_usage", |_| 50_000.0)
            .command("7@7", "files")
            .line(Table::Process, "1@1", "utime", (0..120).map(Some).collect())
            .line(Table::Process, "7@7", "utime", (0..120).map(|at| (at >= started).then_some(at)).collect())
            .line(Table::Process, "7@7", "read_bytes", (0..120).map(|at| (at >= started).then(|| read(at))).collect());
        finding(&story.tell(), "latency-bound").map(|found| (found.statement, found.origins.names()))
    };
    let (statement, origins) = told(17.5, 750_000.0, 110, 0).expect("two threads, one request each");
    assert!(
        statement.contains("1.9 requests in flight") && statement.contains("17.5 ms each (17 ms before)"),
        "{statement}"
    );
    assert_eq!(origins[0], "process:files");
    for (why, other) in [
        ("each takes longer: the device is the limit", told(30.0, 750_000.0, 110, 0)),
        ("it has time for more", told(17.5, 350_000.0, 110, 0)),
        ("more in flight than a few threads send", told(17.5, 750_000.0, 400, 0)),
        ("a job came and does its work", told(17.5, 750_000.0, 110, 58)),
    ] {
        assert_eq!(other, None, "{why}");
    }
}

#[test]
fn writes_that_come_to_wait_for_each_other_are_bound_by_latency_and_not_those_of_before() {
    // Eight threads write in 77 ms each, 2.5 in flight; then one after the other.
    let of = |(usual, busy): (f64, f64), since: f64, ms: f64, each: f64| {
        let at = |usual: f64, now: f64| move |at: f64| if at > 60.0 { now } else { usual };
        let story = host()
            .counter(Table::Host, "", "psi_io_some", at(700_000.0, 550_000.0))
            .counter(Table::Disk, "sda", "reads", |_| 0.0)
            .counter(Table::Disk, "sda", "read_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "read_ms", |_| 0.0)
            .counter(Table::Disk, "sda", "writes", at(usual, since))
            .counter(Table::Disk, "sda", "write_sectors", at(usual * 8.0, since * 8.0))
            .counter(Table::Disk, "sda", "write_ms", at(usual * 77.0, since * ms))
            .counter(Table::Disk, "sda", "io_ms", at(busy, 990.0))
            .counter(Table::Disk, "sda", "weighted_io_ms", at(usual * 77.0, since * ms))
            .counter(Table::Cgroup, "/app", "psi_io_some", at(700_000.0, 550_000.0))
            .counter(Table::Cgroup, "/app", "cpu_usage", at(70_000.0, 40_000.0))
            .gauge(Table::Cgroup, "/app", "cgroup_id", |_| 43.0)
            .gauge(Table::Process, "7@7", "cgroup_id", |_| 43.0)
            .counter(Table::Process, "7@7", "syscr", |_| 0.0)
            .counter(Table::Process, "7@7", "syscw", at(usual, each))
            .counter(Table::Process, "7@7", "read_bytes", |_| 0.0)
            .counter(Table::Process, "7@7", "write_bytes", at(usual * 4096.0, since * 4096.0));
        story.tell()
    };
    let told = |since: f64, ms: f64, each: f64| of((33.0, 940.0), since, ms, each);
    let locked = told(13.0, 77.0, 13.0);
    let found = finding(&locked, "latency-bound").expect("one after the other");
    assert_eq!(found.origins.names(), ["process:7@7", "disk:sda"], "{}", found.statement);
    assert!(found.statement.contains("Before, it had 2.7 in flight and completed 33/s"), "{}", found.statement);
    let answer = diagnose(&locked);
    assert_eq!(diagnosed(&locked), "latency-bound", "{}", answer.summary);
    assert_eq!(answer.incidents.len(), 1, "what it did before is no incident");
    assert_eq!(finding(&told(13.0, 150.0, 13.0), "latency-bound"), None, "two in flight");
    assert_eq!(finding(&told(6.0, 165.0, 6.0), "latency-bound"), None, "each takes longer: the device is slow");
    assert_ne!(diagnosed(&told(13.0, 77.0, 33.0)), "latency-bound", "it gets as much done");
    // The disk had nothing to do for a third of the time: what it did while it had counts.
    assert_eq!(diagnosed(&of((28.0, 650.0), 15.8, 62.0, 9.0)), "latency-bound");
    assert_ne!(diagnosed(&of((28.0, 990.0), 15.8, 62.0, 9.0)), "latency-bound", "it did no more");
}

#[test]
fn a_device_that_takes_longer_for_the_same_work_is_slow() {
    let waits = |story| counts(story, "psi_io_some", 1000.0, 700_000.0);
    let slow = waits(disk(host(), (100.0, 2.0, 0.0, 0.0), (80.0, 40.0, 0.0, 0.0)));
    let found = finding(&slow.tell(), "device-slow").unwrap();
    assert_eq!(
        (found.origins.names(), found.range),
        (vec!["disk:sda".to_owned()], Span::new(60_000_000_000, 90_000_000_000))
    );
    let more = waits(disk(host(), (100.0, 2.0, 0.0, 0.0), (900.0, 40.0, 0.0, 0.0)));
    assert_eq!(finding(&more.tell(), "device-slow"), None, "it was asked for more");
    let few = waits(disk(host(), (5.0, 2.0, 0.0, 0.0), (5.0, 15.0, 0.0, 0.0)));
    assert_eq!(finding(&few.tell(), "device-slow"), None, "busy 7.5 % of the time, while tasks wait 70 %");
    let faster = waits(disk(host(), (100.0, 2.0, 0.0, 0.0), (80.0, 3.0, 0.0, 0.0))).tell();
    assert_eq!(finding(&faster, "device-slow"), None, "hardly slower");
    assert_eq!(finding(&faster, "device-saturated"), None, "busy for a fourth of the time");
    // What queues up meanwhile takes so much longer at the end that the rest of the time stands out no more.
    let burst = |slow: f64| {
        let time = move |at: f64| {
            if !during(at) {
                2.0
            } else if at > 86.0 {
                4000.0
            } else {
                slow
            }
        };
        let story = counts(host(), "psi_io_some", 1000.0, 700_000.0)
            .counter(Table::Disk, "sda", "reads", |_| 0.0)
            .counter(Table::Disk, "sda", "read_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "read_ms", |_| 0.0)
            .counter(Table::Disk, "sda", "writes", |at| if during(at) { 8.0 } else { 50.0 })
            .counter(Table::Disk, "sda", "write_sectors", |at| if during(at) { 160.0 } else { 1000.0 })
            .counter(Table::Disk, "sda", "write_ms", move |at| time(at) * if during(at) { 8.0 } else { 50.0 })
            .counter(Table::Disk, "sda", "io_ms", move |at| (time(at) * 8.0).min(1000.0))
            .counter(Table::Disk, "sda", "weighted_io_ms", move |at| time(at) * 8.0);
        finding(&story.tell(), "device-slow").map(|found| found.range.from.ns() / 1_000_000_000)
    };
    assert_eq!(burst(120.0), Some(60));
    assert_eq!(burst(2.0), None, "4 s of a burst");
    let hardly = |before: f64| {
        let hardly = waits(disk(host(), (before, 2.0, 0.0, 0.0), (16.0, 60.0, 0.0, 0.0)));
        finding(&hardly.tell(), "device-slow")
    };
    assert!(hardly(1.9).is_none(), "a disk that was idle has more to do");
    assert!(hardly(0.0).is_none(), "it had nothing to do at all");
    assert!(hardly(16.0).is_some(), "it had as much before");
    // An array on another disk, to which each of its writes sends so many.
    let below = |sent: f64| {
        let sent = move |at: f64| if during(at) { sent } else { 100.0 };
        let array = Disk { name: "sda".to_owned(), below: vec!["sdb".to_owned()], ..Disk::default() };
        let story = waits(disk(host(), (0.0, 0.0, 100.0, 2.0), (0.0, 0.0, 80.0, 40.0)))
            .manifest(move |manifest| manifest.disks = vec![array.clone()])
            .counter(Table::Disk, "sdb", "reads", |_| 0.0)
            .counter(Table::Disk, "sdb", "read_sectors", |_| 0.0)
            .counter(Table::Disk, "sdb", "read_ms", |_| 0.0)
            .counter(Table::Disk, "sdb", "writes", sent)
            .counter(Table::Disk, "sdb", "write_sectors", move |at| sent(at) * 8.0)
            .counter(Table::Disk, "sdb", "write_ms", move |at| sent(at) * 4.0)
            .counter(Table::Disk, "sdb", "io_ms", move |at| (sent(at) * 4.0).min(1000.0))
            .counter(Table::Disk, "sdb", "weighted_io_ms", move |at| sent(at) * 4.0);
        finding(&story.tell(), "device-slow").map(|found| found.origins.names())
    };
    assert_eq!(below(80.0), Some(vec!["disk:sda".to_owned()]));
    assert_eq!(below(240.0), None, "it writes a bitmap with each of them");
}

#[test]
fn a_load_that_grew_step_by_step_is_no_slow_device() {
    // Readers join until the disk is at its limit of 150 a second, where their requests wait.
    let ramp = |from: f64| {
        let rate = move |at: f64| (14.0 + (at - from).max(0.0) * 9.0).min(150.0);
        let time = |at: f64| if during(at) { 25.0 } else { 0.8 };
        let busy = move |at: f64| (rate(at) * time(at)).min(930.0);
        let story = counts(host(), "psi_io_some", 1000.0, 800_000.0)
            .counter(Table::Disk, "sda", "reads", rate)
            .counter(Table::Disk, "sda", "read_sectors", move |at| rate(at) * 8.0)
            .counter(Table::Disk, "sda", "read_ms", move |at| rate(at) * time(at))
            .counter(Table::Disk, "sda", "writes", |_| 0.0)
            .counter(Table::Disk, "sda", "write_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
            .counter(Table::Disk, "sda", "io_ms", busy)
            .counter(Table::Disk, "sda", "weighted_io_ms", move |at| rate(at) * time(at));
        finding(&story.tell(), "device-slow")
    };
    assert_eq!(ramp(46.0), None, "the last step of a ramp");
    assert!(ramp(-60.0).is_some(), "the load was there for a minute");
}

#[test]
fn what_grows_all_the_time_leaks_and_what_stops_does_not() {
    let grows = |anon: fn(f64) -> f64| {
        let story = host().gauge(Table::Host, "", "AnonPages", move |at| GIB + anon(at)).gauge(
            Table::Host,
            "",
            "MemAvailable",
            |_| GIB,
        );
        story
            .gauge(Table::Process, "7@7", "RssAnon", anon)
            .gauge(Table::Process, "8@8", "RssAnon", |_| 300.0 * MIB)
            .tell()
    };
    let leak = finding(&grows(|at| at * 12.0 * MIB), "memory-leak").unwrap();
    assert_eq!(leak.origins.names(), ["process:7@7"]);
    assert!(leak.statement.contains("at 12 MiB/s"), "{}", leak.statement);
    assert_eq!(leak.advice[0].command, None, "its service is not known");
    assert_eq!(leak.advice[1].command.as_deref(), Some("heaptrack -p 7"));
    for (name, other) in [
        ("taken at once and kept", grows(|at| 1400.0 * MIB * progress(at))),
        ("a little", grows(|at| at * 0.5 * MIB)),
        ("up and down", grows(|at| (at % 40.0) * 40.0 * MIB)),
        ("fills up and stops", grows(|at| (at * 30.0).min(1500.0) * MIB)),
    ] {
        assert_eq!(finding(&other, "memory-leak"), None, "{name}");
    }
}

#[test]
fn what_leaks_is_limited_where_its_service_is_known_and_had_no_limit() {
    let limited = |group: &'static str, version: &str, high: Option<f64>| {
        let grows = |at: f64| at * 12.0 * MIB;
        let story = host()
            .gauge(Table::Host, "", "AnonPages", move |at| GIB + grows(at))
            .gauge(Table::Host, "", "MemAvailable", |_| 100.0 * MIB)
            .gauge(Table::Process, "7@7", "RssAnon", grows)
            .gauge(Table::Process, "7@7", "cgroup_id", |_| 42.0)
            .gauge(Table::Cgroup, group, "cgroup_id", |_| 42.0)
            .gauge(Table::Cgroup, group, "current", |_| 1450.0 * MIB);
        let story =
            if let Some(high) = high { story.gauge(Table::Cgroup, group, "high", move |_| high) } else { story };
        let mut recording = story.tell();
        recording.manifest.capabilities = vec![version.to_owned()];
        let advice = finding(&recording, "memory-leak").unwrap().advice.remove(0);
        [advice.command, advice.undo].map(Option::unwrap_or_default)
    };
    let (unit, plain) = ("/sys/fs/cgroup/system.slice/app.service", "/sys/fs/cgroup/app");
    assert_eq!(
        limited(unit, "cgroup2", None),
        [
            "systemctl set-property --runtime app.service MemoryHigh=1500M",
            "systemctl set-property --runtime app.service MemoryHigh="
        ]
    );
    assert_eq!(
        limited(plain, "cgroup2", None),
        ["echo 1572864000 > /sys/fs/cgroup/app/memory.high", "echo max > /sys/fs/cgroup/app/memory.high"]
    );
    assert_eq!(limited(unit, "cgroup1", None), ["", ""], "control groups v1 have no memory.high");
    assert_eq!(limited(unit, "cgroup2", Some(2.0 * GIB)), ["", ""], "it has a limit, which somebody chose");
}

#[test]
fn a_program_that_has_just_started_loads_and_leaks_only_after_a_minute() {
    let grows = |from: i64| {
        let own = move |at: i64| (at > from).then_some((at - from) * (20 << 20));
        let anon = move |at: f64| GIB + (at - from as f64).max(0.0) * 20.0 * MIB;
        host()
            .gauge(Table::Host, "", "AnonPages", anon)
            .gauge(Table::Host, "", "Cached", move |at| 5.0 * GIB - (anon(at) - GIB))
            .gauge(Table::Host, "", "MemFree", |_| 0.2 * GIB)
            .counter(Table::Process, "1@1", "utime", |_| 1.0)
            .line(Table::Process, "7@7", "RssAnon", (0..120).map(own).collect())
            .tell()
    };
    assert_eq!(finding(&grows(75), "memory-leak"), None, "45 s");
    let service = |freed: f64| {
        let anon = |at: f64| GIB + (at - 30.0).max(0.0) * 20.0 * MIB;
        let story = Story::new(70, 1.0).manifest(|manifest| manifest.memory_total = Bytes::new(8 << 30));
        let story = counts(story, "pgsteal_kswapd", freed, freed)
            .gauge(Table::Host, "", "MemTotal", |_| 8.0 * GIB)
            .gauge(Table::Host, "", "AnonPages", anon)
            .gauge(Table::Host, "", "MemFree", |_| 3.0 * GIB)
            .gauge(Table::Process, "7@7", "RssAnon", move |at| anon(at) - GIB + MIB)
            .tell();
        finding(&story, "memory-leak").is_some()
    };
    assert!(service(5000.0), "40 s, of a program that ran before, while the kernel frees 20 MiB/s for it");
    assert!(!service(0.0), "memory is free for it: a cache that fills");
    assert!(finding(&grows(20), "memory-leak").is_some(), "100 s");
}

#[test]
fn writeback_that_readers_wait_behind_saturates_a_disk() {
    let write = |reads: f64, wait: f64, flushed: f64| {
        let story = disk(host(), (20.0, 1.0, 1.0, 1.0), (reads, wait, 800.0, 30.0));
        counts(story, "nr_written", 10.0, flushed)
            .counter(Table::Process, "7@7", "write_bytes", |at| if during(at) { 50.0 * MIB } else { 0.0 })
            .tell()
    };
    let found = finding(&write(15.0, 60.0, 12_000.0), "writeback-saturates-disk").unwrap();
    assert_eq!(found.origins.names(), ["process:7@7", "disk:sda"]);
    assert_eq!(finding(&write(0.0, 0.0, 12_000.0), "writeback-saturates-disk"), None, "nobody reads");
    assert_eq!(finding(&write(15.0, 1.2, 12_000.0), "writeback-saturates-disk"), None, "readers do not wait");
    assert_eq!(finding(&write(15.0, 60.0, 10.0), "writeback-saturates-disk"), None, "direct writes");
}

#[test]
fn writeback_of_less_than_a_second_is_no_strong_evidence() {
    // The same samples, an interval apart.
    let write = |interval: f64| {
        let at = |usual: f64, then: f64| move |at: f64| if during(at / interval) { then } else { usual };
        let story = Story::new(120, interval)
            .manifest(|manifest| manifest.memory_total = Bytes::new(8 << 30))
            .counter(Table::Disk, "sda", "reads", at(200.0, 150.0))
            .counter(Table::Disk, "sda", "read_sectors", at(25_600.0, 19_200.0))
            .counter(Table::Disk, "sda", "read_ms", at(200.0, 9000.0))
            .counter(Table::Disk, "sda", "writes", at(50.0, 8000.0))
            .counter(Table::Disk, "sda", "write_sectors", at(6400.0, 1_024_000.0))
            .counter(Table::Disk, "sda", "write_ms", at(50.0, 240_000.0))
            .counter(Table::Disk, "sda", "io_ms", at(200.0, 1000.0))
            .counter(Table::Disk, "sda", "weighted_io_ms", at(250.0, 249_000.0))
            .counter(Table::Host, "", "nr_written", at(100.0, 120_000.0))
            .counter(Table::Host, "", "psi_io_some", at(1000.0, 800_000.0));
        finding(&story.tell(), "writeback-saturates-disk").expect("readers wait behind it")
    };
    let (long, brief) = (write(1.0), write(0.02));
    assert!(Grade::of(brief.confidence) < Grade::Strong && brief.confidence.get() < long.confidence.get(), "{long:?}");
    assert!(long.statement.starts_with("Programs write ") && long.statement.contains("of the time"), "{long:?}");
    assert!(brief.statement.contains("Their writeback keeps sda busy 100 % of 600 ms;"), "{}", brief.statement);
}

#[test]
fn a_writer_whose_disk_nobody_else_waits_for_is_throttled_and_no_neighbour() {
    let told = |reads: f64, flushes: f64, dirty: f64| {
        let used = disk(host(), (reads, 1.0, 3.0, 5.0), (reads, 1.0, 90.0, 400.0));
        let story = counts(counts(used, "nr_written", 10.0, 1400.0), "psi_io_some", 1000.0, 900_000.0)
            .counter(Table::Disk, "sda", "flushes", move |_| flushes)
            .gauge(Table::Host, "", "nr_dirty", move |at| if during(at) { dirty } else { 100.0 })
            .gauge(Table::Host, "", "nr_writeback", |_| 0.0)
            .gauge(Table::Host, "", "nr_dirty_threshold", |_| 20_000.0)
            .gauge(Table::Host, "", "nr_dirty_background_threshold", |_| 10_000.0)
            .counter(Table::Process, "7@7", "write_bytes", |at| if during(at) { 5.5 * MIB } else { 0.0 })
            .counter(Table::Process, "8@8", "write_bytes", |_| 0.2 * MIB)
            .counter(Table::Process, "8@8", "utime", |_| 5.0);
        diagnosed(&story.tell())
    };
    assert_eq!(told(0.0, 0.1, 17_000.0), "dirty-throttled");
    assert_eq!(told(0.0, 20.0, 17_000.0), "noisy-neighbour", "8@8 syncs what it writes");
    assert_eq!(told(0.0, 0.1, 8000.0), "noisy-neighbour", "below the ceiling nobody sleeps");
}

#[test]
fn a_thread_of_the_kernel_that_reads_while_it_writes_back_is_no_victim() {
    let back = |reader: &str, freed: f64| {
        let reads = |at: f64| if during(at) { 130.0 * 1024.0 } else { 0.0 };
        let story = disk(host(), (0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 400.0, 1.0));
        let story = counts(counts(story, "nr_written", 10.0, 6400.0), "pgsteal_kswapd", 0.0, freed)
            .command("3@3", reader)
            .counter(Table::Process, "3@3", "read_bytes", reads)
            .counter(Table::Process, "7@7", "write_bytes", |at| if during(at) { 25.0 * MIB } else { 0.0 });
        finding(&story.tell(), "writeback-saturates-disk").map(|found| found.statement)
    };
    let found = back("lookup", 6000.0).expect("it lost its pages");
    assert!(found.contains("lookup reads 130 KiB/s back from devices"), "{found}");
    assert_eq!(back("kworker/u8:3-flush-254:16", 6000.0), None);
    assert_eq!(back("lookup", 10.0), None, "the kernel freed hardly a page: it reads what it had not read yet");
}

#[test]
fn a_copy_within_a_device_makes_programs_reclaim() {
    let copy = |reads: f64, stalls: f64, waited: f64| {
        let story = disk(host(), (20.0, 1.0, 1.0, 1.0), (reads, 1.0, 400.0, 1.0));
        let story = counts(counts(story, "nr_written", 10.0, 6400.0), "allocstall_normal", 0.0, stalls);
        let story = counts(counts(story, "pgscan_direct", 0.0, stalls * 500.0), "pgscan_kswapd", 0.0, 20_000.0);
        let story = counts(counts(story, "pgsteal_kswapd", 0.0, 12_000.0), "psi_memory_some", 0.0, waited);
        let story = counts(story, "psi_io_some", 1000.0, 200_000.0);
        story.counter(Table::Process, "7@7", "write_bytes", |at| if during(at) { 25.0 * MIB } else { 0.0 }).tell()
    };
    let found = finding(&copy(450.0, 20.0, 100_000.0), "writeback-saturates-disk").expect("as many reads as writes");
    assert_eq!(found.origins.names(), ["process:7@7", "disk:sda"]);
    assert!(found.statement.contains("programs reclaim memory themselves 20"), "{}", found.statement);
    assert_eq!(finding(&copy(450.0, 20.0, 10_000.0), "writeback-saturates-disk"), None, "nobody waits for memory");
    assert_eq!(finding(&copy(450.0, 0.1, 100_000.0), "writeback-saturates-disk"), None, "nobody reclaims");
    assert_eq!(finding(&copy(2000.0, 20.0, 100_000.0), "writeback-saturates-disk"), None, "it mostly reads");
    let stalls = finding(&copy(2000.0, 20.0, 100_000.0), "direct-reclaim-stalls").expect("reclaim");
    assert_eq!(stalls.origins.names(), ["process:7@7"], "{}", stalls.statement);
}

#[test]
fn a_storm_of_commits_is_of_the_program_that_writes_more_than_before() {
    let story = |dirty: f64| {
        let written = |at: f64| if during(at) { 250.0 } else { 50.0 };
        let more = |at: f64| if during(at) { 0.5 * MIB } else { 0.0 };
        disk(host(), (0.0, 0.0, 50.0, 1.0), (0.0, 0.0, 250.0, 30.0))
            .counter(Table::Disk, "sda", "write_sectors", move |at| written(at) * 16.0)
            .gauge(Table::Host, "", "nr_dirty", move |_| dirty)
            .gauge(Table::Host, "", "nr_dirty_background_threshold", |_| 10_000.0)
            .counter(Table::Process, "1@1", "write_bytes", |_| 0.6 * MIB)
            .counter(Table::Process, "7@7", "write_bytes", more)
    };
    let storm = |dirty: f64| story(dirty).tell();
    let found = finding(&storm(100.0), "fsync-storm").expect("small writes queue");
    assert_eq!(found.origins.names(), ["process:7@7", "disk:sda"], "{}", found.statement);
    assert_eq!(finding(&storm(9000.0), "fsync-storm"), None, "the flusher writes");
    // Somebody lowers the threshold ten seconds into it: most of the time dirty memory is far above it.
    let threshold = |lowered: f64| {
        let at = move |at: f64| if at > 70.0 { lowered } else { 10_000.0 };
        story(400.0).gauge(Table::Host, "", "nr_dirty_background_threshold", at).tell()
    };
    assert_eq!(finding(&threshold(100.0), "fsync-storm"), None, "the flusher writes what is above the threshold");
    assert!(finding(&threshold(9000.0), "fsync-storm").is_some(), "dirty memory stays far below it");
    // A service that wrote as much before, and syncs it now: what the recorder writes elsewhere is new, and too little.
    let synced = disk(host(), (0.0, 0.0, 5.0, 1.0), (0.0, 0.0, 250.0, 30.0))
        .counter(Table::Disk, "sda", "write_sectors", |at| if during(at) { 4000.0 } else { 80.0 })
        .gauge(Table::Host, "", "nr_dirty", |_| 100.0)
        .gauge(Table::Host, "", "nr_dirty_background_threshold", |_| 10_000.0)
        .counter(Table::Process, "1@1", "write_bytes", |_| 0.6 * MIB)
        .counter(Table::Process, "9@9", "write_bytes", |at| if during(at) { 1500.0 } else { 1000.0 });
    assert_eq!(finding(&synced.tell(), "fsync-storm").expect("small writes queue").origins.names(), ["disk:sda"]);
    let flushes = |before: f64, now: f64| {
        let flushes = move |at: f64| if during(at) { now } else { before };
        finding(&story(100.0).counter(Table::Disk, "sda", "flushes", flushes).tell(), "fsync-storm").is_some()
    };
    assert!(flushes(20.0, 60.0), "each commit flushes");
    assert!(!flushes(20.0, 2.0), "one sync sends 125 writes, and then flushes");
    assert!(flushes(0.0, 0.0), "a disk without a cache of its own never flushes");
    // The group of the database writes so much of what the disk does; the program is in none.
    let beside = |group: f64| {
        let written = move |at: f64| if during(at) { group * MIB } else { 0.3 * MIB };
        let story = story(100.0)
            .gauge(Table::Cgroup, "/db", "cgroup_id", |_| 20.0)
            .counter(Table::CgroupDisk, "/db\tsda", "wbytes", written)
            .gauge(Table::Process, "1@1", "cgroup_id", |_| 20.0)
            .gauge(Table::Process, "7@7", "cgroup_id", |_| 1.0);
        finding(&story.tell(), "fsync-storm").expect("small writes queue").origins.names()
    };
    assert_eq!(beside(0.6), ["process:7@7", "disk:sda"]);
    assert_eq!(beside(1.6), ["disk:sda"], "the program writes to another disk");
}

#[test]
fn all_kills_of_a_program_that_is_started_again_and_again_are_counted() {
    let killed = |times: &'static [f64]| {
        let kills = move |at: f64| if times.iter().any(|time| at > *time && at <= time + 1.0) { 1.0 } else { 0.0 };
        let story = host()
            .gauge(Table::Host, "", "MemFree", |_| 50.0 * MIB)
            .counter(Table::Host, "", "oom_kill", kills)
            .gauge(Table::Process, "7@7", "RssAnon", |at| 4.0 * GIB * progress(at));
        finding(&story.tell(), "oom-kill").expect("a kill").statement
    };
    assert!(killed(&[80.0]).starts_with("The OOM killer ended one process:"), "{}", killed(&[80.0]));
    let again = killed(&[70.0, 79.0, 88.0, 97.0]);
    assert!(again.starts_with("The OOM killer ended 4 processes within 28 s: the host"), "{again}");
    let apart = killed(&[40.0, 110.0]);
    assert!(apart.starts_with("The OOM killer ended one process:"), "more than a minute apart: {apart}");
}

#[test]
fn each_kill_for_the_host_counts_in_its_group_and_as_long_as_its_program_did_not_run() {
    // A service is killed at 60, 75 and 90 s and is started again after 5 s, a batch job once at 70 s.
    let told = |service: &'static [i64], batch: &'static [i64]| {
        let kills = |times: Vec<i64>| {
            move |at: f64| {
                if times.iter().any(|time| at > *time as f64 && at <= *time as f64 + 1.0) { 1.0 } else { 0.0 }
            }
        };
        let ran = |from: i64, to: i64, mib: i64| -> Vec<Option<i64>> {
            (0..=120).map(|at| (from..=to).contains(&at).then_some(mib << 20)).collect()
        };
        let all: Vec<i64> = service.iter().chain(batch).copied().collect();
        let mut story = host()
            .gauge(Table::Host, "", "MemFree", |_| 50.0 * MIB)
            .counter(Table::Host, "", "oom_kill", kills(all))
            .counter(Table::Cgroup, "/app", "events_oom_kill", kills(service.to_vec()))
            .counter(Table::Cgroup, "/fit", "events_oom_kill", kills(batch.to_vec()));
        let mut from = 0;
        for (number, to) in service.iter().chain(&[120]).enumerate() {
            let name = format!("{number}0@{number}");
            story = story.line(Table::Process, &name, "RssAnon", ran(from, *to, 235)).line(
                Table::Process,
                &name,
                "utime",
                ran(from, *to, 0),
            );
            from = to + 6;
        }
        for (number, to) in batch.iter().enumerate() {
            story = story.line(Table::Process, &format!("{number}7@7"), "RssAnon", ran(0, *to, 78));
        }
        let app = ["00@0", "10@1", "20@2", "30@3"];
        let story = app.iter().take(service.len() + 1).fold(story, |story, name| story.command(name, "app"));
        finding(&story.tell(), "oom-kill").expect("kills").statement
    };
    let all = told(&[60, 75, 90], &[70]);
    assert!(all.starts_with("The OOM killer ended 4 processes within 31 s (3 in /app, 1 in /fit): the host"), "{all}");
    assert!(all.contains(" app ended with 235 MiB of anonymous memory. Killed: app 3 times, 07@7 once."), "{all}");
    assert!(all.contains(" app did not run for 15 s in all: an outage that no wait counts."), "{all}");
    let once = told(&[60], &[]);
    assert!(once.starts_with("The OOM killer ended one process: the host"), "{once}");
    assert!(once.contains(" app did not run for 5 s in all") && !once.contains("Killed:"), "{once}");
}

#[test]
fn who_is_killed_for_the_host_was_not_at_a_limit_of_its_group() {
    let killed = |limit: Option<f64>, failed: Option<f64>| {
        let once = |at: f64| if at > 80.0 && at <= 81.0 { 1.0 } else { 0.0 };
        let story = host()
            .gauge(Table::Host, "", "MemFree", |_| 50.0 * MIB)
            .counter(Table::Host, "", "oom_kill", once)
            .counter(Table::Cgroup, "/db", "events_oom_kill", once)
            .gauge(Table::Process, "7@7", "RssAnon", |at| 4.0 * GIB * progress(at))
            .gauge(Table::Process, "8@8", "RssAnon", |_| 30.0 * MIB);
        let story = match limit {
            Some(limit) => story.gauge(Table::Cgroup, "/db", "max", move |_| limit),
            None => story,
        };
        match failed {
            Some(failed) => story.counter(Table::Cgroup, "/db", "events_oom", move |at| once(at) * failed).tell(),
            None => story.tell(),
        }
    };
    let host = finding(&killed(None, None), "oom-kill").expect("a kill");
    assert!(host.statement.contains("the host ran out of memory"), "{}", host.statement);
    assert_eq!(host.origins.first().map(ToString::to_string).as_deref(), Some("process:7@7"), "{}", host.statement);
    assert_eq!(host.advice[0].action, "Find out why 7@7 grew. Limit it, or give the host more memory.");
    let group = finding(&killed(Some(64.0 * MIB), None), "oom-kill").expect("a kill");
    assert!(group.statement.contains("/db was at its limit"), "{}", group.statement);
    assert!(
        group.advice[0].action.contains("raise the limit of /db; otherwise limit 7@7."),
        "{}",
        group.advice[0].action
    );
    assert_eq!(group.origins.first().map(ToString::to_string).as_deref(), Some("cgroup:/db"), "{}", group.statement);
    let victim = |limit| diagnose(&killed(limit, None)).incidents.first().and_then(|incident| incident.victim.clone());
    assert_eq!(victim(Some(64.0 * MIB)), Some(Actor::group("/db")), "who is killed loses no time, and suffers");
    assert_eq!(victim(None), None, "the host's tasks were");
    let stated = |failed| finding(&killed(Some(64.0 * MIB), Some(failed)), "oom-kill").map(|found| found.statement);
    assert!(stated(1.0).is_some_and(|text| text.contains("/db was at its limit")));
    assert!(stated(0.0).is_some_and(|text| text.contains("the host ran out")), "no allocation failed at the limit");
    let grows = self::host().gauge(Table::Host, "", "MemFree", |at| 50.0 * MIB * (1.0 - progress(at)));
    let grows = grows.counter(Table::Host, "", "oom_kill", |_| 0.0).tell();
    assert_eq!(finding(&grows, "oom-kill"), None, "memory is used up and nobody is killed");
}

#[test]
fn a_kill_in_a_pod_is_of_the_group_whose_limit_was_reached() {
    let told = |failed: [f64; 2]| {
        let once = |at: f64| if at > 80.0 && at <= 81.0 { 1.0 } else { 0.0 };
        let story = ["/pod", "/pod/db"].into_iter().zip(failed).fold(host(), |story, (group, failed)| {
            story.counter(Table::Cgroup, group, "events_oom_kill", once).counter(
                Table::Cgroup,
                group,
                "events_oom",
                move |at| once(at) * failed,
            )
        });
        let story =
            story
                .gauge(Table::Host, "", "MemFree", |_| 50.0 * MIB)
                .gauge(Table::Process, "7@7", "RssAnon", |at| 4.0 * GIB * progress(at));
        finding(&story.tell(), "oom-kill").expect("a kill")
    };
    let pod = told([1.0, 0.0]);
    assert!(pod.statement.contains("the control group /pod was at its limit"), "{}", pod.statement);
    assert_eq!(pod.origins.first().map(ToString::to_string).as_deref(), Some("cgroup:/pod"));
    let own = told([1.0, 1.0]).statement;
    assert!(own.contains("the control group /pod/db was at its limit"), "{own}");
}

#[test]
fn a_program_that_was_first_sampled_after_its_start_is_the_cause_from_its_start_on() {
    let begun = |process: &str| {
        let there =
            |value: fn(i64) -> i64| (0..=120).map(|at| (61..=75).contains(&at).then(|| value(at - 61))).collect();
        let story = host()
            .gauge(Table::Host, "", "MemFree", |_| 50.0 * MIB)
            .counter(Table::Host, "", "oom_kill", |at| if at > 75.0 && at <= 76.0 { 1.0 } else { 0.0 })
            .line(Table::Process, process, "RssAnon", there(|seconds| seconds * (40 << 20)))
            .line(Table::Process, process, "utime", there(|seconds| seconds * 90))
            .line(Table::Process, process, "stime", there(|seconds| seconds * 5));
        finding(&story.tell(), "oom-kill").expect("a kill").range.from.ns()
    };
    assert_eq!(begun("7@6040"), 60_400_000_000);
    assert_eq!(begun("7@3000"), 61_000_000_000, "what was idle for half a minute began with its work");
}

#[test]
fn of_several_that_were_killed_the_one_that_held_most_is_named() {
    let once = |at: f64| if at > 80.0 && at <= 81.0 { 2.0 } else { 0.0 };
    // Its last sample found the larger one dying.
    let held = |most: i64, last: i64| (0..81).map(|at| Some(if at == 80 { last } else { most << 20 })).collect();
    let killed = |named: &[(&str, u32)]| {
        let story = host()
            .gauge(Table::Host, "", "MemFree", |_| 50.0 * MIB)
            .counter(Table::Host, "", "oom_kill", once)
            .line(Table::Process, "70@7", "RssAnon", held(250, 0))
            .line(Table::Process, "71@7", "RssAnon", held(60, 60 << 20));
        let message = |(command, pid): &(&str, u32)| {
            KernelMessage::OomKill { command: (*command).to_owned(), pid: *pid, group: None }.note()
        };
        let story = named.iter().fold(story, |story, one| story.note(81.0, message(one)));
        finding(&story.tell(), "oom-kill").expect("a kill").statement
    };
    let both = killed(&[("java", 70), ("sh", 71)]);
    assert!(both.contains(" java (pid 70) ended with 250 MiB of anonymous memory."), "{both}");
    let unknown = killed(&[("perl", 72), ("ruby", 73)]);
    assert!(unknown.contains(" ruby (pid 73) was ended."), "of those of which nothing is known the last: {unknown}");
    let unnamed = killed(&[]);
    assert!(unnamed.contains(" 70@7 ended with 250 MiB"), "{unnamed}");
}

#[test]
fn files_in_tmpfs_that_filled_memory_before_a_kill_are_its_beginning() {
    let killed_as = |tmpfs: f64, logged: Option<(&str, f64)>| {
        let once = |at: f64| if at > 80.0 && at <= 81.0 { 1.0 } else { 0.0 };
        let at = |rate: f64| move |at: f64| if (60.0..=80.0).contains(&at) { rate * MIB } else { 0.0 };
        let story = host()
            .gauge(Table::Host, "", "MemFree", |_| 50.0 * MIB)
            .gauge(Table::Host, "", "Shmem", move |at| ((at - 60.0).clamp(0.0, 20.0)) * tmpfs * MIB)
            .counter(Table::Host, "", "oom_kill", once)
            .counter(Table::Process, "9@9", "wchar", at(tmpfs))
            .counter(Table::Process, "9@9", "write_bytes", at(0.0))
            .line(Table::Process, "7@7", "RssAnon", (0..81).map(|_| Some(130 << 20)).collect());
        let story = match logged {
            Some((command, at)) => {
                let message = KernelMessage::OomKill { command: command.to_owned(), pid: 70, group: None };
                story.note(at, message.note())
            }
            None => story,
        };
        finding(&story.tell(), "oom-kill").expect("a kill")
    };
    let stated = |logged| killed_as(13.0, logged).statement;
    assert!(stated(None).contains(" 7@7 ended with 130 MiB of anonymous memory."), "{}", stated(None));
    let log = stated(Some(("java", 81.5)));
    assert!(log.contains(" java (pid 70) was ended.") && !log.contains("7@7"), "the kernel says whom it chose: {log}");
    assert_eq!(stated(Some(("java", 20.0))), stated(None), "that was another kill");
    let killed = |tmpfs| killed_as(tmpfs, None);
    let filled = killed(13.0);
    assert_eq!(filled.origins.first().map(ToString::to_string).as_deref(), Some("process:9@9"), "{}", filled.statement);
    assert!(filled.range.from.ns() <= 62_000_000_000, "{:?}", filled.range);
    let little = killed(0.5);
    assert!(little.range.from.ns() >= 79_000_000_000, "10 MiB did not fill memory: {:?}", little.range);
}

#[test]
fn a_parent_did_not_do_what_an_ended_child_added_to_its_counts() {
    // The child writes until second 85; the kernel adds all that it ever wrote to the parent's count when the parent waits for it.
    let wrote = |child: &str| {
        let written = |at: f64| whole(GIB + (at - 60.0).clamp(0.0, 25.0) * 50.0 * MIB);
        let values = (0..120).map(|at| (at <= 85).then(|| written(f64::from(at)))).collect();
        let told = move |at: f64| if at == 86.0 { GIB + 25.0 * 50.0 * MIB } else { 1000.0 };
        let story = disk(host(), (20.0, 1.0, 1.0, 1.0), (15.0, 60.0, 800.0, 30.0));
        counts(story, "nr_written", 10.0, 12_000.0)
            .counter(Table::Process, "1@1", "write_bytes", told)
            .line(Table::Process, child, "write_bytes", values)
            .tell()
    };
    let found = finding(&wrote("7@7"), "writeback-saturates-disk").unwrap();
    assert_eq!(found.origins.names(), ["process:7@7", "disk:sda"]);
}

#[test]
fn what_short_lived_processes_did_is_not_their_parents() {
    // Each of them is too short for a sample; the kernel adds what it did to the shell that waits for it.
    let wrote = |children: f64| {
        let written = move |at: f64| if during(at) { 50.0 * MIB } else { 0.0 };
        let story = disk(host(), (20.0, 1.0, 1.0, 1.0), (15.0, 60.0, 800.0, 30.0));
        counts(story, "nr_written", 10.0, 12_000.0)
            .counter(Table::Process, "5@5", "write_bytes", move |at| 1000.0 + written(at))
            .counter(Table::Process, "ended/5.0@6000", "write_bytes", move |at| written(at) * children)
            .tell()
    };
    let found = finding(&wrote(1.0), "writeback-saturates-disk").unwrap();
    assert_eq!(found.origins.names(), ["process:ended/5.0@6000", "disk:sda"], "{}", found.statement);
    assert!(found.statement.contains("(short-lived processes of pid 5)"), "{}", found.statement);
    let part = finding(&wrote(0.7), "writeback-saturates-disk").unwrap();
    assert!(part.statement.contains("writes 35 MiB/s of the 50 MiB/s that sda writes"), "{}", part.statement);
    let own = finding(&wrote(0.1), "writeback-saturates-disk").unwrap();
    assert_eq!(own.origins.names(), ["process:5@5", "disk:sda"], "the shell wrote most of it itself");
}

#[test]
fn programs_lose_their_code_when_anonymous_memory_may_not_leave() {
    let thrash = |anon: f64, swap: f64, out: f64, faults: f64| {
        let story = host()
            .gauge(Table::Host, "", "AnonPages", move |_| anon * GIB)
            .gauge(Table::Host, "", "SwapTotal", move |_| swap * GIB)
            .gauge(Table::Host, "", "SwapFree", move |_| swap * GIB);
        let story = counts(counts(story, "workingset_refault_file", 0.0, 6000.0), "pgmajfault", 0.5, faults);
        counts(counts(story, "pgscan_kswapd", 0.0, 90_000.0), "pswpout", 0.0, out)
            .counter(Table::Process, "7@7", "majflt", move |at| if during(at) { faults } else { 0.0 })
            .gauge(Table::Process, "8@8", "RssAnon", move |_| anon * 0.9 * GIB)
            .tell()
    };
    let found = finding(&thrash(7.0, 0.0, 0.0, 400.0), "code-thrash").unwrap();
    assert!(found.statement.contains("there is no swap"), "{}", found.statement);
    assert_eq!(found.origins.names(), ["process:8@8", "process:7@7"]);
    assert_eq!(finding(&thrash(7.0, 4.0, 8000.0, 400.0), "code-thrash"), None, "it goes to swap");
    assert_eq!(finding(&thrash(1.0, 0.0, 0.0, 400.0), "code-thrash"), None, "the files are what does not fit");
    assert_eq!(finding(&thrash(7.0, 0.0, 0.0, 2.0), "code-thrash"), None, "read calls and no faults");
}

#[test]
fn writeback_with_a_full_queue_saturates_a_disk_that_rests_between_flushes() {
    // 24 writes/s of 448 KiB, as a limit of 10.5 MiB/s lets pass, beside a few reads, some of which refault.
    let story = |busy: f64, queue: f64| {
        let rates = |at: f64, usual: f64, then: f64| if during(at) { then } else { usual };
        let story = counts(host(), "nr_written", 10.0, 2700.0);
        let story = counts(counts(story, "nr_dirtied", 10.0, 2700.0), "workingset_refault_file", 0.0, 20.0);
        let story = counts(story, "psi_io_some", 10_000.0, 720_000.0);
        [
            ("reads", 15.0, 14.0),
            ("read_sectors", 240.0, 224.0),
            ("read_ms", 15.0, 1500.0),
            ("writes", 1.0, 24.0),
            ("write_sectors", 8.0, 21_500.0),
            ("write_ms", 1.0, 6000.0),
            ("io_ms", 16.0, busy * 1000.0),
            ("weighted_io_ms", 16.0, queue * 1000.0),
        ]
        .into_iter()
        .fold(story, |story, (metric, usual, then)| {
            story.counter(Table::Disk, "sda", metric, move |at| rates(at, usual, then))
        })
        .counter(Table::Process, "7@7", "write_bytes", move |at| rates(at, 1000.0, 10.4 * MIB))
    };
    let full = story(0.88, 7.5).tell();
    let found = finding(&full, "writeback-saturates-disk").unwrap();
    assert_eq!(found.origins.names(), ["process:7@7", "disk:sda"], "{}", found.statement);
    assert_eq!(finding(&story(0.88, 1.5).tell(), "writeback-saturates-disk"), None, "no request waits for another");
    assert_eq!(finding(&story(0.3, 7.5).tell(), "writeback-saturates-disk"), None, "short bursts");
    let always = finding(&story(0.95, 7.5).tell(), "device-saturated").unwrap();
    assert!(!always.statement.contains("victim of eviction"), "it mostly writes: {}", always.statement);
}

#[test]
fn a_copy_that_has_just_started_has_no_working_set() {
    // A log that somebody had cached is copied: each page refaults once.
    let copied = |first: usize| {
        let rate = |at: f64| if during(at) { 9.0 * MIB } else { 0.0 };
        let story = disk(host(), (15.0, 1.0, 0.0, 0.0), (150.0, 6.0, 150.0, 6.0));
        let story = counts(counts(story, "pgpgin", 10.0, 9500.0), "workingset_refault_file", 0.0, 2300.0);
        let story = counts(counts(story, "pgsteal_kswapd", 0.0, 4800.0), "pgscan_kswapd", 0.0, 5000.0);
        let story = ["read_bytes", "write_bytes"].into_iter().fold(story, |story, metric| {
            let mut sum = 0.0;
            let value = |at: usize| {
                sum += rate(at as f64);
                (at >= first).then_some(whole(sum))
            };
            let values: Vec<Option<i64>> = (0..120).map(value).collect();
            story.line(Table::Process, "7@7", metric, values)
        });
        finding(&story.tell(), "working-set-exceeds-cache")
    };
    assert!(copied(0).is_some(), "a program that was there");
    assert_eq!(copied(61), None);
}

#[test]
fn a_service_that_reads_a_sequence_longer_than_the_cache_again_and_again_misses_it() {
    // No page of a loop is activated: it is evicted long before its turn comes.
    let told = |first: usize| {
        let story = counts(counts(host(), "pgpgin", 10.0, 14_600.0), "workingset_refault_file", 0.0, 3600.0);
        let story = counts(counts(story, "pgsteal_kswapd", 0.0, 3650.0), "pgscan_kswapd", 0.0, 3700.0);
        let story = counts(counts(story, "workingset_activate_file", 0.0, 0.0), "psi_io_some", 1000.0, 550_000.0);
        let disks = [("reads", 1.0, 57.0), ("read_ms", 1.0, 1600.0), ("read_sectors", 512.0, 29_200.0)];
        let story = disks.into_iter().fold(story, |story, (metric, usual, then)| {
            story.counter(Table::Disk, "sda", metric, move |at| if during(at) { then } else { usual })
        });
        let there = (0..120).map(|at| (at >= first).then_some(whole(at as f64))).collect();
        let read = |at: f64| if during(at) { 14.0 * MIB } else { 0.0 };
        let mut sum = 0.0;
        let read = (0..120).map(|at| {
            sum += read(at as f64);
            (at >= first).then_some(whole(sum))
        });
        let story =
            story.line(Table::Process, "7@7", "utime", there).line(Table::Process, "7@7", "read_bytes", read.collect());
        finding(&story.tell(), "working-set-exceeds-cache")
    };
    let found = told(0).expect("it sent them from the cache before");
    assert_eq!(found.origins.names(), ["process:7@7"], "{}", found.statement);
    assert_eq!(told(59), None, "a job that reads once more what was evicted long ago");
}

#[test]
fn random_reads_beside_memory_that_grows_are_no_working_set() {
    // A database reads around the cache, while reclaim makes room for what a program puts into tmpfs.
    let reads = |tmpfs: f64| {
        let story = host()
            .gauge(Table::Host, "", "Cached", |_| 6.0 * GIB)
            .gauge(Table::Host, "", "AnonPages", |_| GIB)
            .gauge(Table::Host, "", "Shmem", move |at| progress(at) * 30.0 * tmpfs * MIB);
        let story = counts(counts(story, "pgpgin", 10.0, 20_000.0), "workingset_refault_file", 0.0, 10.0);
        let story = counts(counts(story, "pgsteal_kswapd", 0.0, 5000.0), "pgscan_kswapd", 0.0, 6000.0);
        let disk = |metric: &str, usual: f64, then: f64| (metric.to_owned(), usual, then);
        let disks = [disk("reads", 1.0, 1250.0), disk("read_ms", 1.0, 900.0), disk("read_sectors", 16.0, 40_000.0)];
        let story = disks.into_iter().fold(story, |story, (metric, usual, then)| {
            story.counter(Table::Disk, "sda", &metric, move |at| if during(at) { then } else { usual })
        });
        let read = |at: f64| if during(at) { 19.0 * MIB } else { 0.0 };
        finding(&story.counter(Table::Process, "7@7", "read_bytes", read).tell(), "working-set-exceeds-cache")
    };
    assert!(reads(0.0).unwrap().statement.contains("at random from the devices"));
    assert_eq!(reads(15.0), None);
}

#[test]
fn workers_hold_together_what_a_single_larger_program_does_not() {
    let story = host()
        .gauge(Table::Host, "", "AnonPages", |_| 7.0 * GIB)
        .gauge(Table::Host, "", "SwapTotal", |_| 0.0)
        .gauge(Table::Host, "", "SwapFree", |_| 0.0);
    let story = counts(counts(story, "workingset_refault_file", 0.0, 6000.0), "pgmajfault", 0.5, 400.0);
    let story = counts(story, "pgscan_kswapd", 0.0, 90_000.0).gauge(Table::Process, "9@9", "RssAnon", |_| 0.5 * GIB);
    let story = (10..30).fold(story, |story, pid| {
        let name = format!("{pid}@{pid}");
        let story = story.command(&name, "worker").gauge(Table::Process, &name, "RssShmem", |_| GIB);
        story.gauge(Table::Process, &name, "RssAnon", move |_| if pid == 12 { 0.35 * GIB } else { 0.25 * GIB })
    });
    let told = finding(&story.tell(), "code-thrash").unwrap().statement;
    assert!(told.contains("6.10 GiB of it in worker (20 processes)"), "{told}");
}

#[test]
fn free_pages_that_do_not_lie_together_are_fragmented() {
    let pieces = |large: f64, stalls: f64, free: f64| {
        let zone =
            |story: Story, metric: &str, value: f64| story.gauge(Table::Zone, "node0/Normal", metric, move |_| value);
        let story = zone(zone(host(), "free", free), "high", 20_000.0);
        let story = zone(zone(story, "order0", free * (1.0 - large)), "order4", free * large / 16.0);
        counts(counts(story, "compact_stall", 0.0, stalls), "compact_fail", 0.0, stalls * 0.9).tell()
    };
    let found = finding(&pieces(0.02, 40.0, 200_000.0), "memory-fragmentation").unwrap();
    assert_eq!(found.range, Span::new(60_000_000_000, 90_000_000_000));
    assert_eq!(finding(&pieces(0.02, 0.0, 200_000.0), "memory-fragmentation"), None, "nobody asks for large blocks");
    let whole = counts(
        host()
            .gauge(Table::Zone, "node0/Normal", "free", |_| 2e5)
            .gauge(Table::Zone, "node0/Normal", "high", |_| 2e4)
            .gauge(Table::Zone, "node0/Normal", "order10", |_| 195.0),
        "compact_stall",
        0.0,
        40.0,
    );
    assert_eq!(
        finding(&whole.tell(), "memory-fragmentation"),
        None,
        "large blocks are there, and compaction makes them"
    );
}

#[test]
fn slab_growth_names_its_kind() {
    let with_free = |free: f64, reclaimable: f64, fixed: f64| {
        host()
            .gauge(Table::Host, "", "Slab", move |at| (0.3 + (reclaimable + fixed) * progress(at)) * GIB)
            .gauge(Table::Host, "", "SReclaimable", move |at| (0.2 + reclaimable * progress(at)) * GIB)
            .gauge(Table::Host, "", "SUnreclaim", move |at| (0.1 + fixed * progress(at)) * GIB)
            .gauge(Table::Host, "", "AnonPages", |_| GIB)
            .gauge(Table::Host, "", "Cached", move |at| (5.0 - (reclaimable + fixed) * progress(at)) * GIB)
            .gauge(Table::Host, "", "MemFree", move |_| free * GIB)
            // It frees what others take.
            .counter(Table::Process, "kswapd0", "stime", |_| 60.0)
            .counter(Table::Process, "find", "stime", |_| 40.0)
            .tell()
    };
    let slab = |reclaimable, fixed| with_free(0.2, reclaimable, fixed);
    assert_eq!(finding(&with_free(4.0, 1.0, 0.1), "slab-growth"), None, "what is looked up fills free memory");
    assert!(finding(&with_free(4.0, 0.1, 1.0), "slab-growth").is_some(), "a leak does so, too");
    let inodes = finding(&slab(1.0, 0.1), "slab-growth").unwrap();
    assert!(inodes.origins.iter().all(|origin| origin.as_command() == Some("find")), "{:?}", inodes.origins);
    assert!(!inodes.origins.is_empty());
    assert!(inodes.statement.ends_with("can be reclaimed."), "{}", inodes.statement);
    let leak = finding(&slab(0.1, 1.0), "slab-growth").unwrap();
    assert!(leak.statement.ends_with("cannot be reclaimed."), "{}", leak.statement);
    assert!(leak.advice[0].effect.contains("What a program holds"), "a reboot is not the only way to free it");
    assert_eq!(finding(&slab(0.1, 0.1), "slab-growth"), None);
}

#[test]
fn page_tables_that_take_the_cache_are_named_with_who_is_charged() {
    let told = |tables: f64, slab: f64, charged: f64| {
        let grown = tables + slab;
        let story = host()
            .gauge(Table::Host, "", "PageTables", move |at| (0.01 + tables * progress(at)) * GIB)
            .gauge(Table::Host, "", "Slab", move |at| (0.3 + slab * progress(at)) * GIB)
            .gauge(Table::Host, "", "SReclaimable", move |at| (0.2 + slab * progress(at)) * GIB)
            .gauge(Table::Host, "", "AnonPages", |_| GIB)
            .gauge(Table::Host, "", "Cached", move |at| (5.0 - grown * progress(at)) * GIB)
            .gauge(Table::Host, "", "MemFree", |_| 0.2 * GIB)
            .gauge(Table::Cgroup, "/broker", "pagetables", move |at| charged * progress(at) * GIB)
            .gauge(Table::Cgroup, "/db", "pagetables", |_| 0.001 * GIB);
        finding(&story.tell(), "slab-growth")
    };
    let broker = told(1.0, 0.1, 0.9).expect("a gibibyte");
    assert!(
        broker.statement.starts_with("Page tables grew by 1 GiB, 922 MiB of it charged to /broker, and"),
        "{broker:?}"
    );
    assert_eq!(broker.origins.names(), ["cgroup:/broker"]);
    assert!(told(1.0, 0.1, 0.2).is_some_and(|many| many.origins.is_empty()), "of many groups none is named");
    assert!(told(0.1, 1.0, 0.1).is_some_and(|slab| slab.statement.starts_with("Slab grew by 1 GiB")));
    assert_eq!(told(0.1, 0.1, 0.1), None);
}

#[test]
fn a_device_that_is_slow_in_the_first_seconds_only_writes_what_was_written_before() {
    let told = |seconds: f64| {
        let first = move |then: f64, else_: f64| move |at: f64| if at <= seconds { then } else { else_ };
        let story = host()
            .counter(Table::Host, "", "psi_io_some", first(700_000.0, 1000.0))
            .counter(Table::Disk, "sda", "reads", first(10.0, 10.0))
            .counter(Table::Disk, "sda", "read_sectors", first(1280.0, 1280.0))
            .counter(Table::Disk, "sda", "read_ms", first(900.0, 5.0))
            .counter(Table::Disk, "sda", "writes", |_| 0.0)
            .counter(Table::Disk, "sda", "write_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
            .counter(Table::Disk, "sda", "io_ms", first(900.0, 5.0))
            .counter(Table::Disk, "sda", "weighted_io_ms", first(900.0, 5.0));
        finding(&story.tell(), "device-slow")
    };
    assert!(told(30.0).is_some());
    assert_eq!(told(8.0), None);
}

#[test]
fn readahead_is_wasted_when_the_device_reads_what_nobody_asks_for() {
    let story = |asked: f64, device: f64| {
        let story = disk(host(), (1.0, 1.0, 0.0, 0.0), (device * 16.0, 1.0, 0.0, 0.0));
        let at = |rate: f64| move |at: f64| if during(at) { rate * MIB } else { 0.0 };
        story.counter(Table::Process, "7@7", "read_bytes", at(device)).counter(
            Table::Process,
            "7@7",
            "rchar",
            at(asked),
        )
    };
    let read = |asked: f64, device: f64| story(asked, device).tell();
    let found = finding(&read(2.0, 60.0), "read-ahead-waste").unwrap();
    assert_eq!(found.origins.names(), ["process:7@7", "disk:sda"]);
    assert_eq!(finding(&read(59.0, 60.0), "read-ahead-waste"), None, "a sequential reader");
    assert_eq!(finding(&read(300.0, 60.0), "read-ahead-waste"), None, "most comes from the cache");
    let called = |calls: f64| {
        let known = Disk { name: "sda".to_owned(), read_ahead: Some(Bytes::new(131_072)), ..Default::default() };
        let story = story(0.002, 60.0).manifest(|manifest| manifest.disks = vec![known.clone()]);
        finding(
            &story.counter(Table::Process, "7@7", "syscr", move |at| if during(at) { calls } else { 0.0 }).tell(),
            "read-ahead-waste",
        )
    };
    let undo = |found: &Finding| found.advice[0].undo.clone();
    let found = called(500.0).expect("it reads ahead");
    assert_eq!(undo(&found).as_deref(), Some("blockdev --setra 256 /dev/sda"));
    // Somebody set it at the onset: what is undone is that.
    let change = SettingChange { name: "sda.queue.read_ahead_kb", from: "64", to: "2048" };
    let set = finding(&story(2.0, 60.0).note(62.0, change.note()).tell(), "read-ahead-waste").expect("it reads ahead");
    assert_eq!(undo(&set).as_deref(), Some("blockdev --setra 4096 /dev/sda"));
    assert_eq!(set.advice[0].command.as_deref(), Some("blockdev --setra 128 /dev/sda"), "what it was before");
    assert!(set.advice[0].action.contains("back to 64 KiB"), "{}", set.advice[0].action);
    let of_device = set.evidence.iter().find(|one| one.what == "readahead of the device").expect("it is known");
    assert_eq!(of_device.value.to_string(), "2 MiB");
    assert_eq!(called(2.0), None, "two calls a second do not read 60 MiB ahead: asynchronous reads");
    // What is raised after 90 s is no reason before, and the cause since.
    let raised = |at| finding(&story(2.0, 60.0).note(at, change.note()).tell(), "read-ahead-waste");
    let from = raised(90.0).map(|found| found.range.from.ns());
    assert_eq!(from, Some(80_000_000_000), "a change is noted up to 10 s later");
    assert_eq!(raised(115.0), None, "the reads were over");
}

#[test]
fn what_a_program_fetches_in_advance_and_does_not_read_is_wasted() {
    // Read calls of 30 KiB/s, for which the devices read that, and then 4 MiB/s; or asynchronous reads, which are no calls before either.
    let told = |called: f64, calls: f64| {
        let known = Disk { name: "sda".to_owned(), read_ahead: Some(Bytes::new(131_072)), ..Default::default() };
        let at = |usual: f64, then: f64| move |at: f64| if during(at) { then } else { usual };
        let story = disk(host(), (4.0, 1.0, 0.0, 0.0), (64.0, 15.0, 0.0, 0.0))
            .manifest(|manifest| manifest.disks = vec![known.clone()])
            .counter(Table::Process, "7@7", "read_bytes", at(30_000.0, 4.0 * MIB))
            .counter(Table::Process, "7@7", "rchar", at(called, called / 2.0))
            .counter(Table::Process, "7@7", "syscr", at(calls, calls / 2.0));
        finding(&story.tell(), "read-ahead-waste")
    };
    let found = told(30_000.0, 8.0).expect("the program fetches it");
    assert!(found.statement.contains("it has the kernel fetch data"), "{}", found.statement);
    assert!(found.advice[0].command.as_deref().is_some_and(|command| command.starts_with("strace")), "{found:?}");
    assert_eq!(told(500.0, 8.0), None, "asynchronous reads");
    let window = told(30_000.0, 200.0).expect("readahead of 100 calls");
    assert!(!window.statement.contains("fetch data"), "{}", window.statement);
}

#[test]
fn readahead_is_wasted_when_it_reads_more_than_faults_can_map() {
    // 20 faults a second that read 110 KiB around them each, of which a fault maps 64 KiB at most.
    let told = |major: f64, minor: f64, bytes: f64| {
        let at = |rate: f64| move |at: f64| if during(at) { rate } else { 0.0 };
        let story = disk(host(), (1.0, 1.0, 0.0, 0.0), (bytes * 16.0, 1.0, 0.0, 0.0))
            .counter(Table::Process, "7@7", "read_bytes", at(bytes * MIB))
            .counter(Table::Process, "7@7", "rchar", |_| 0.0)
            .counter(Table::Process, "7@7", "majflt", at(major))
            .counter(Table::Process, "7@7", "minflt", at(minor));
        finding(&story.tell(), "read-ahead-waste")
    };
    let found = told(500.0, 50.0, 60.0).expect("faults map 34.4 MiB of it");
    assert!(
        found.statement.contains("can have mapped 34.4 MiB/s of it: readahead reads 1.7 times as much"),
        "{}",
        found.statement
    );
    assert_eq!(
        told(500.0, 600.0, 60.0),
        None,
        "a program that goes through its file faults on the pages that were read ahead"
    );
    assert_eq!(told(0.2, 0.0, 60.0), None, "somebody else reads for it");
}

#[test]
fn a_node_that_is_short_beside_one_that_is_not_is_an_imbalance() {
    let nodes = |short: f64, other: f64| {
        let zone = |story: Story, name: &str, free: f64| {
            [("free", free), ("low", 10_000.0), ("high", 12_000.0), ("managed", 1e6)]
                .into_iter()
                .fold(story, |story, (metric, value)| story.gauge(Table::Zone, name, metric, move |_| value))
        };
        let story = zone(zone(host(), "node0/Normal", short), "node1/Normal", other);
        counts(counts(story, "pgscan_kswapd", 0.0, 50_000.0), "pgsteal_kswapd", 0.0, 40_000.0).tell()
    };
    let found = finding(&nodes(10_500.0, 700_000.0), "zone-imbalance").unwrap();
    assert!(found.statement.starts_with("node0/Normal is short"), "{}", found.statement);
    assert_eq!(finding(&nodes(10_500.0, 11_000.0), "zone-imbalance"), None, "both are short");
    assert_eq!(finding(&nodes(600_000.0, 700_000.0), "zone-imbalance"), None, "neither is");
}

#[test]
fn a_group_that_waits_for_idle_cpus_is_at_its_own_limit() {
    let of = |group: &str, waited: f64, user: f64| {
        let story = counts(counts(host(), "cpu_nice", 0.0, 0.0), "cpu_system", 0.0, 0.0);
        let story = counts(counts(story, "cpu_user", 40.0, user), "cpu_idle", 160.0, 200.0 - user);
        let story = counts(counts(story, "cpu_iowait", 0.0, 0.0), "psi_cpu_some", 10_000.0, waited);
        let story = counts(story, "psi_memory_some", 0.0, 0.0);
        story.counter(Table::Cgroup, group, "psi_cpu_some", move |at| if during(at) { waited } else { 10_000.0 })
    };
    let story = |waited: f64, user: f64| of("/db", waited, user);
    let told = |waited: f64, user: f64| story(waited, user).tell();
    let found = finding(&told(950_000.0, 4.0), "cpu-bound").expect("a limit");
    assert_eq!(found.origins.names(), ["cgroup:/db"], "{}", found.statement);
    assert!(found.statement.contains("a limit of the group or of a parent"), "{}", found.statement);
    let root = finding(&of("/sys/fs/cgroup", 950_000.0, 4.0).tell(), "cpu-bound");
    assert_eq!(root, None, "the root has no limit");
    let throttled = story(950_000.0, 4.0)
        .counter(Table::Cgroup, "/db", "cpu_periods", |_| 10.0)
        .counter(Table::Cgroup, "/db", "cpu_throttled", |at| if during(at) { 9.0 } else { 0.0 })
        .gauge(Table::Cgroup, "/db", "cpu_max", |_| 250_000.0)
        .tell();
    let found = finding(&throttled, "cpu-bound").expect("a limit");
    assert!(found.statement.contains("its limit of 0.25 CPUs (cpu.max)"), "{}", found.statement);
    let ran = |before: f64, throttled: f64| {
        let story = story(950_000.0, 4.0)
            .counter(Table::Cgroup, "/db", "cpu_usage", move |at| if during(at) { 250_000.0 } else { before })
            .counter(Table::Cgroup, "/db", "cpu_periods", |_| 10.0)
            .counter(Table::Cgroup, "/db", "cpu_throttled", move |at| if during(at) { throttled } else { 0.0 });
        finding(&story.tell(), "cpu-bound").is_some()
    };
    assert!(ran(50_000.0, 9.0), "a service");
    assert!(!ran(0.0, 9.0), "a job that starts below its own limit");
    assert!(ran(0.0, 0.0), "the limit is a parent's, and others wait below it");
    let busy = |throttled: f64| {
        let story = story(900_000.0, 110.0)
            .counter(Table::Cgroup, "/db", "cpu_usage", |at| if during(at) { 500_000.0 } else { 100_000.0 })
            .counter(Table::Cgroup, "/db", "cpu_periods", |_| 10.0)
            .counter(Table::Cgroup, "/db", "cpu_throttled", move |at| if during(at) { throttled } else { 0.0 });
        finding(&story.tell(), "cpu-bound").is_some()
    };
    assert!(busy(9.0), "others use half of the CPUs, and nearly one is free");
    assert!(!busy(0.0), "nobody is known to hold it");
    assert_eq!(finding(&told(300_000.0, 4.0), "cpu-bound"), None, "short waits");
    let full = finding(&told(950_000.0, 198.0), "cpu-bound").expect("no idle CPU");
    assert!(!full.statement.contains("cpu.max"), "{}", full.statement);
}

#[test]
fn tasks_that_wait_for_a_full_cpu_beside_an_idle_one_are_bound_to_it() {
    let told = |waited: f64, first: f64, second: f64, throttled: f64| {
        let cpu = |story: Story, name: &str, user: f64| {
            let user = move |at: f64| if during(at) { user } else { 20.0 };
            story
                .counter(Table::Cpu, name, "cpu_user", user)
                .counter(Table::Cpu, name, "cpu_nice", |_| 0.0)
                .counter(Table::Cpu, name, "cpu_system", |_| 0.0)
                .counter(Table::Cpu, name, "cpu_idle", move |at| 100.0 - user(at))
                .counter(Table::Cpu, name, "cpu_iowait", |_| 0.0)
        };
        let story = counts(counts(host(), "cpu_nice", 0.0, 0.0), "cpu_system", 0.0, 0.0);
        let both = first + second;
        let story = counts(counts(story, "cpu_user", 40.0, both), "cpu_idle", 160.0, 200.0 - both);
        let story = counts(counts(story, "cpu_iowait", 0.0, 0.0), "psi_cpu_some", 10_000.0, waited);
        let group = |story: Story, metric: &str, then: f64, usual: f64| {
            story.counter(Table::Cgroup, "/app", metric, move |at| if during(at) { then } else { usual })
        };
        let story = group(
            group(group(story, "psi_cpu_some", waited, 10_000.0), "cpu_periods", 10.0, 10.0),
            "cpu_throttled",
            throttled,
            0.0,
        );
        cpu(cpu(counts(story, "psi_memory_some", 0.0, 0.0), "0", first), "1", second).tell()
    };
    let found = finding(&told(900_000.0, 99.0, 20.0, 0.0), "cpu-bound").expect("bound to CPU 0");
    assert_eq!(found.origins.names(), ["cgroup:/app"], "{}", found.statement);
    assert!(found.statement.contains("CPU 0 is full, while CPU 1 is idle"), "{}", found.statement);
    let bound = |recording| finding(&recording, "cpu-bound").is_some_and(|found| found.statement.contains("affinity"));
    assert!(!bound(told(900_000.0, 99.0, 98.0, 0.0)), "all CPUs are full");
    assert!(!bound(told(300_000.0, 99.0, 20.0, 0.0)), "short waits: the scheduler moves them");
    assert!(!bound(told(900_000.0, 60.0, 40.0, 0.0)), "no CPU is full");
    assert!(!bound(told(900_000.0, 99.0, 20.0, 8.0)), "it is throttled at cpu.max");
}

#[test]
fn a_program_that_mostly_waited_and_now_computes_on_one_cpu_is_bound_to_its_thread() {
    let told = |before: f64, then: f64, rss: f64| {
        let idle = move |at: f64| 200.0 - if during(at) { then } else { before };
        counts(counts(counts(host(), "cpu_nice", 0.0, 0.0), "cpu_system", 0.0, 0.0), "cpu_user", before, then)
            .counter(Table::Host, "", "cpu_idle", idle)
            .counter(Table::Cpu, "0", "cpu_user", |_| 0.0)
            .counter(Table::Cpu, "1", "cpu_user", |_| 0.0)
            .counter(Table::Process, "7@7", "utime", move |at| if during(at) { then } else { before })
            .counter(Table::Process, "7@7", "stime", |_| 0.0)
            .gauge(Table::Process, "7@7", "rss", move |_| rss)
            .tell()
    };
    let busy = told(3.0, 99.0, MIB);
    let answer = pagetide_diagnose::diagnose(&busy).summary;
    assert!(
        answer.contains("A single thread cannot use the others") && !answer.contains("waiting for a CPU"),
        "{answer}"
    );
    let found = finding(&busy, "cpu-bound").expect("one thread");
    assert!(found.statement.contains("it uses 0.99 CPUs (0.03 before)"), "{}", found.statement);
    let bound = |before, then, rss| finding(&told(before, then, rss), "cpu-bound").is_some();
    assert!(!bound(3.0, 70.0, MIB), "the thread rests");
    assert!(!bound(3.0, 150.0, MIB), "it has several threads");
    assert!(!bound(60.0, 99.0, MIB), "it mostly computed before");
    assert!(!bound(2.0, 99.0, MIB), "it was at rest before: a job");
    assert!(!bound(3.0, 99.0, 0.0), "a thread of the kernel");
}

#[test]
fn a_host_is_not_surely_well_while_a_program_that_was_at_rest_computes_all_the_time() {
    let told = |before: f64, then: f64| {
        let idle = move |at: f64| 200.0 - if during(at) { then } else { before };
        let story = quiet(120)
            .counter(Table::Host, "", "cpu_user", move |at| if during(at) { then } else { before })
            .counter(Table::Host, "", "cpu_nice", |_| 0.0)
            .counter(Table::Host, "", "cpu_system", |_| 0.0)
            .counter(Table::Host, "", "cpu_idle", idle)
            .counter(Table::Process, "7@7", "utime", move |at| if during(at) { then } else { before })
            .counter(Table::Process, "7@7", "stime", |_| 0.0)
            .gauge(Table::Process, "7@7", "rss", |_| MIB);
        finding(&story.tell(), "healthy").expect("nobody waits")
    };
    let woken = told(1.0, 99.0);
    assert_ne!(Grade::of(woken.confidence), Grade::Strong, "{}", woken.statement);
    assert!(woken.statement.contains("has kept one CPU busy, and was idle before"), "{}", woken.statement);
    for calm in [told(1.0, 60.0), told(99.0, 99.0)] {
        assert_eq!(Grade::of(calm.confidence), Grade::Strong, "{}", calm.statement);
    }
}

#[test]
fn a_thread_that_computes_all_the_time_harms_its_group_whoever_starts_beside_it() {
    let told = |group: f64| {
        let waits = |now: f64| move |at: f64| if during(at) { now } else { 0.0 };
        counts(counts(counts(host(), "cpu_nice", 0.0, 0.0), "cpu_system", 0.0, 0.0), "cpu_user", 10.0, 99.0)
            .counter(Table::Host, "", "cpu_idle", |at| if during(at) { 101.0 } else { 190.0 })
            .counter(Table::Host, "", "psi_cpu_some", waits(100_000.0))
            .counter(Table::Cgroup, "/copy", "psi_cpu_some", waits(100_000.0))
            .counter(Table::Cgroup, "/copy", "cpu_usage", waits(20_000.0))
            .gauge(Table::Cgroup, "/copy", "cgroup_id", |_| 44.0)
            .counter(Table::Cgroup, "/chat", "psi_cpu_some", |_| 10_000.0)
            .counter(Table::Cgroup, "/chat", "cpu_usage", |at| if during(at) { 990_000.0 } else { 100_000.0 })
            .gauge(Table::Cgroup, "/chat", "cgroup_id", |_| 43.0)
            .counter(Table::Process, "7@7", "utime", |at| if during(at) { 99.0 } else { 10.0 })
            .counter(Table::Process, "7@7", "stime", |_| 0.0)
            .gauge(Table::Process, "7@7", "cgroup_id", move |_| group)
            .gauge(Table::Process, "7@7", "rss", |_| MIB)
            .tell()
    };
    let answer = diagnose(&told(43.0));
    let incident = answer.incidents.first().expect("requests wait inside of the thread");
    assert_eq!(incident.cause.as_ref().map(|cause| cause.rule.as_str()), Some("cpu-bound"), "{}", answer.summary);
    assert_eq!(incident.victim, Some(Actor::group("/chat")), "the copy waits for its own work");
    assert_ne!(diagnose(&told(1.0)).incidents.first().and_then(|one| one.victim.clone()), Some(Actor::group("/chat")));
}

#[test]
fn a_thread_that_always_computed_and_comes_to_answer_far_less_is_bound_to_its_thread() {
    let told = |before: f64, calls: f64| {
        counts(counts(counts(host(), "cpu_nice", 0.0, 0.0), "cpu_system", 0.0, 0.0), "cpu_user", before, 99.0)
            .counter(Table::Host, "", "cpu_idle", move |at| 200.0 - if during(at) { 99.0 } else { before })
            .counter(Table::Process, "7@7", "utime", move |at| if during(at) { 99.0 } else { before })
            .counter(Table::Process, "7@7", "stime", |_| 0.0)
            .counter(Table::Process, "7@7", "syscr", move |at| if during(at) { calls } else { 200.0 })
            .counter(Table::Process, "7@7", "syscw", |_| 0.0)
            .gauge(Table::Process, "7@7", "rss", |_| MIB)
            .tell()
    };
    let found = finding(&told(70.0, 10.0), "cpu-bound").expect("each request costs many times as much");
    assert!(found.statement.contains("It calls read and write 10/s (200/s before)"), "{}", found.statement);
    assert!(finding(&told(70.0, 90.0), "cpu-bound").is_some(), "each costs three times as much");
    assert!(finding(&told(70.0, 120.0), "cpu-bound").is_none(), "it answers about as many");
    let waited = finding(&told(20.0, 10.0), "cpu-bound").expect("it mostly waited before");
    assert!(!waited.statement.contains("calls read and write"), "{}", waited.statement);
}

#[test]
fn a_service_that_computes_all_the_time_on_the_only_cpu_is_bound_to_it() {
    let told = |before: f64, waits: f64| {
        let idle = move |at: f64| 100.0 - if during(at) { 98.0 } else { before };
        let story =
            counts(counts(counts(host(), "cpu_nice", 0.0, 0.0), "cpu_system", 0.0, 0.0), "cpu_user", before, 98.0)
                .manifest(|manifest| manifest.cpus = 1)
                .counter(Table::Host, "", "cpu_idle", idle)
                .counter(Table::Host, "", "cpu_iowait", |_| 0.0)
                .counter(Table::Host, "", "psi_cpu_some", |_| 5000.0)
                .counter(Table::Host, "", "psi_io_some", move |at| if at < 60.0 { waits } else { 0.0 })
                .counter(Table::Process, "7@7", "utime", move |at| if during(at) { 98.0 } else { before })
                .counter(Table::Process, "7@7", "stime", |_| 0.0)
                .gauge(Table::Process, "7@7", "rss", |_| MIB);
        finding(&story.tell(), "cpu-bound").map(|found| found.statement)
    };
    let found = told(10.0, 1000.0).expect("nobody waits for the CPU, and yet the service is late");
    assert!(found.contains("it uses 0.98 CPUs (0.10 before), all that there is"), "{found}");
    assert_eq!(told(10.0, 300_000.0), None, "it waited for a device until then: it gets more done");
    assert_eq!(told(70.0, 1000.0), None, "it mostly computed before");
}

#[test]
fn a_worker_that_replaced_another_is_compared_with_it() {
    let told = |command: &str, before: f64, then: f64, other: f64| {
        // What it uses varies, as on an emulated host.
        let varies = move |at: f64| if at % 4.0 < 1.0 { then - 15.0 } else { then + 5.0 };
        let spent = |from: usize, to: usize, rate: &dyn Fn(f64) -> f64| -> Vec<Option<i64>> {
            let mut sum = 0.0;
            let at = |at: usize| {
                sum += rate(at as f64);
                (from..=to).contains(&at).then(|| whole(sum))
            };
            (0..120).map(at).collect()
        };
        let idle = move |at: f64| if during(at) { 200.0 - then - other } else { 200.0 - before };
        let story = counts(counts(counts(host(), "cpu_nice", 0.0, 0.0), "cpu_system", 0.0, 0.0), "cpu_user", 3.0, 99.0)
            .counter(Table::Host, "", "cpu_idle", idle)
            .counter(Table::Cpu, "0", "cpu_user", |_| 0.0)
            .counter(Table::Cpu, "1", "cpu_user", |_| 0.0)
            .command("7@7", "nginx")
            .command("9@60", command)
            .line(Table::Process, "7@7", "utime", spent(0, 60, &|_| before))
            .line(Table::Process, "9@60", "utime", spent(61, 90, &varies))
            .line(Table::Process, "7@7", "stime", spent(0, 60, &|_| 0.0))
            .line(Table::Process, "9@60", "stime", spent(61, 90, &|_| 0.0));
        let rss = |from: i32, to: i32| (0..120).map(|at| (from..=to).contains(&at).then_some(1 << 20)).collect();
        let story =
            story.line(Table::Process, "7@7", "rss", rss(0, 60)).line(Table::Process, "9@60", "rss", rss(61, 90));
        finding(&story.tell(), "cpu-bound").map(|found| found.statement)
    };
    let found = told("nginx", 10.0, 97.0, 0.0).expect("a reload");
    assert!(found.contains("it uses 0.97 CPUs (0.10 before)"), "{found}");
    assert_eq!(told("gzip", 10.0, 97.0, 0.0), None, "a job that came");
    assert_eq!(told("nginx", 70.0, 97.0, 0.0), None, "the one before computed as well");
    assert_eq!(told("nginx", 10.0, 80.0, 0.0), None, "it rests");
    assert_eq!(told("nginx", 10.0, 97.0, 95.0), None, "no other CPU is free");
}

#[test]
fn a_service_that_comes_to_wait_on_cpus_that_were_always_full_is_short_of_them() {
    let told = |waited: f64, ran: f64, user: f64| {
        let at = |usual: f64, then: f64| move |at: f64| if during(at) { then } else { usual };
        let story = counts(counts(host(), "cpu_nice", 0.0, 0.0), "cpu_system", 0.0, 0.0);
        let story = counts(counts(story, "cpu_user", user, user), "cpu_idle", 200.0 - user, 200.0 - user);
        let story = counts(counts(story, "cpu_iowait", 0.0, 0.0), "psi_cpu_some", 990_000.0, 990_000.0);
        let story = counts(story, "psi_memory_some", 0.0, 0.0)
            .counter(Table::Cgroup, "/jobs", "psi_cpu_some", |_| 990_000.0)
            .counter(Table::Cgroup, "/jobs", "cpu_usage", |_| 1_900_000.0)
            .counter(Table::Cgroup, "/app", "psi_cpu_some", at(10_000.0, waited))
            .counter(Table::Cgroup, "/app", "cpu_usage", at(ran, 100_000.0));
        finding(&story.tell(), "cpu-bound").map(|found| found.statement)
    };
    let found = told(700_000.0, 100_000.0, 198.0).expect("its jobs go first now");
    assert!(found.starts_with("CPU-bound: tasks waited for a CPU 99 % of the time"), "{found}");
    assert_eq!(told(100_000.0, 100_000.0, 198.0), None, "it waits hardly more");
    assert_eq!(told(700_000.0, 0.0, 198.0), None, "it waits since it came");
    assert_eq!(told(700_000.0, 100_000.0, 120.0), None, "CPUs are free");
}

#[test]
fn a_host_that_waits_for_its_cpus_is_cpu_bound() {
    let busy = |user: f64, iowait: f64, cpu: f64, memory: f64| {
        let story = counts(counts(host(), "cpu_nice", 0.0, 0.0), "cpu_system", 0.0, 0.0);
        let story = counts(counts(story, "cpu_user", 20.0, user), "cpu_idle", 180.0, 200.0 - user - iowait);
        let story = counts(counts(story, "cpu_iowait", 0.0, iowait), "psi_cpu_some", 1000.0, cpu);
        counts(story, "psi_memory_some", 0.0, memory)
            .counter(Table::Process, "7@7", "utime", move |at| if during(at) { user } else { 1.0 })
            .tell()
    };
    let found = finding(&busy(198.0, 0.0, 700_000.0, 0.0), "cpu-bound").unwrap();
    assert!(found.statement.contains("7@7 (pid 7) uses 2.0 of 2 CPUs"), "{}", found.statement);
    assert!(found.advice[0].action.starts_with("Find what 7@7 computes"), "it ran before: {}", found.advice[0].action);
    assert_eq!(finding(&busy(60.0, 135.0, 10_000.0, 0.0), "cpu-bound"), None, "it waits for a device");
    assert_eq!(finding(&busy(195.0, 0.0, 10_000.0, 0.0), "cpu-bound"), None, "nobody waits");
    let hungry = finding(&busy(198.0, 0.0, 300_000.0, 600_000.0), "cpu-bound");
    assert!(hungry.is_none_or(|hungry| !hungry.contradictions.is_empty()), "they wait for memory");
}

#[test]
fn programs_that_started_at_the_onset_are_counted_and_their_waits_added_up() {
    let story = counts(counts(host(), "cpu_nice", 0.0, 0.0), "cpu_system", 0.0, 0.0);
    let story = counts(counts(story, "cpu_user", 20.0, 198.0), "cpu_idle", 180.0, 2.0);
    let story = counts(counts(story, "psi_cpu_some", 1000.0, 700_000.0), "psi_memory_some", 0.0, 0.0);
    let story = ["7@6050", "8@6000", "9@6100"].into_iter().fold(story, |story, name| {
        let from_60_s = |rate: i64| (0..120).map(|at| (at >= 60).then(|| (at - 60).min(30) * rate)).collect();
        let story = story.command(name, "gzip").line(Table::Process, name, "utime", from_60_s(66));
        story.line(Table::Process, name, "cpu_delay_total", from_60_s(900_000_000))
    });
    let told = diagnose(&story.tell()).summary;
    assert!(told.contains("Near its onset: 3 processes of gzip started (the first: pid 8)."), "{told}");
    assert!(told.contains("gzip waited 2.70 s of each second for a CPU, its tasks added up (none before)."), "{told}");
    assert!(told.contains("First step: Run fewer processes of gzip at a time"), "{told}");
}

#[test]
fn writers_of_a_group_are_throttled_at_the_ceiling_of_its_own_memory() {
    // Of 110 MiB of files at a limit of 120 MiB the ceiling is 16.5 MiB: half of what 20 and 10 % are together.
    let told_of = |group: &str, dirty: f64, limit: Option<f64>, waits: f64| {
        let at = |usual: f64, then: f64| move |at: f64| if during(at) { then } else { usual };
        let set = [("vm.dirty_ratio", "20"), ("vm.dirty_background_ratio", "10")];
        let story = disk(host(), (5.0, 1.0, 20.0, 2.0), (5.0, 1.0, 60.0, 100.0))
            .manifest(|manifest| {
                manifest.sysctls = set.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
            })
            .counter(Table::Cgroup, group, "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, group, "psi_io_some", at(10_000.0, waits * 1e6))
            .gauge(Table::Cgroup, group, "cgroup_id", |_| 70.0)
            .gauge(Table::Cgroup, group, "file", |_| 110.0 * MIB)
            .gauge(Table::Cgroup, group, "current", |_| 120.0 * MIB)
            .gauge(Table::Cgroup, group, "file_dirty", at(2.0 * MIB, dirty * MIB))
            .gauge(Table::Cgroup, group, "file_writeback", at(0.0, 12.0 * MIB))
            .gauge(Table::Process, "7@7", "cgroup_id", |_| 70.0)
            .counter(Table::Process, "7@7", "write_bytes", at(0.0, 4.0 * MIB));
        let story = match limit {
            Some(limit) => story.gauge(Table::Cgroup, group, "max", move |_| limit * MIB),
            None => story,
        };
        finding(&story.tell(), "dirty-throttled")
    };
    let told = |dirty, limit, waits| told_of("/pod", dirty, limit, waits);
    let found = told(6.0, Some(120.0), 0.8).expect("18 MiB are dirty or under writeback");
    assert_eq!(found.origins.names(), ["process:7@7", "cgroup:/pod"], "{}", found.statement);
    assert!(found.statement.contains("its own freerun ceiling is 16.5 MiB"), "{}", found.statement);
    assert_eq!(told(2.0, Some(120.0), 0.8), None, "14 MiB");
    assert_eq!(told(6.0, Some(4096.0), 0.8), None, "the group may hold far more");
    assert_eq!(told(6.0, None, 0.8), None, "it has no limit");
    assert_eq!(told(6.0, Some(120.0), 0.02), None, "nobody waits");
    let hostile = told_of("/pod;reboot", 6.0, Some(120.0), 0.8).expect("a name that somebody else chose");
    let command = hostile.advice[0].command.as_deref().unwrap_or_default();
    assert_eq!(command, "cat '/pod;reboot/memory.max' '/pod;reboot/memory.stat'");
}

#[test]
fn who_commits_behind_a_bulk_write_waits_for_its_writeback() {
    let at = |usual: f64, then: f64| move |at: f64| if during(at) { then } else { usual };
    let told =
        |waits: f64, throttled: Option<&str>, reads: f64| {
            let slept = (0..120).map(|at| during(f64::from(at)).then_some(1)).collect();
            let story = disk(host(), (0.0, 0.0, 10.0, 1.0), (0.0, 0.0, 800.0, 30.0));
            let story =
                counts(counts(story, "nr_written", 10.0, 12_000.0), "psi_io_some", 1000.0, 700_000.0)
                    .gauge(Table::Host, "", "nr_dirty", at(100.0, 80_000.0))
                    .gauge(Table::Host, "", "nr_writeback", |_| 0.0)
                    .gauge(Table::Host, "", "nr_dirty_threshold", |_| 100_000.0)
                    .gauge(Table::Host, "", "nr_dirty_background_threshold", |_| 50_000.0)
                    .counter(Table::Process, "7@7", "write_bytes", at(0.0, 46.0 * MIB))
                    .gauge(Table::Process, "7@7", "cgroup_id", |_| 80.0)
                    .gauge(Table::Process, "5@5", "cgroup_id", |_| 70.0)
                    .gauge(Table::Cgroup, "/batch", "cgroup_id", |_| 80.0)
                    .gauge(Table::Cgroup, "/db", "cgroup_id", |_| 70.0)
                    // A burst at the start is not what it usually waits.
                    .counter(Table::Cgroup, "/db", "psi_io_some", move |now| {
                        if now < 10.0 { 9e5 } else { at(2e4, waits * 1e6)(now) }
                    })
                    .counter(Table::CgroupDisk, "/db\tsda", "rbytes", move |_| reads * MIB)
                    .counter(Table::CgroupDisk, "/db\tsda", "wbytes", |_| 0.5 * MIB)
                    .counter(Table::CgroupDisk, "/batch\tsda", "rbytes", |_| 0.0)
                    .counter(Table::CgroupDisk, "/batch\tsda", "wbytes", at(0.0, 46.0 * MIB));
            let story = match throttled {
                Some(process) => story.line(Table::Process, process, "wchan_balance_dirty_pages", slept),
                None => story,
            };
            let story = story.tell();
            let of = |rule| finding(&story, rule).map(|found| found.statement);
            (of("writeback-saturates-disk"), of("dirty-throttled").is_some())
        };
    let (found, throttled) = told(0.7, Some("7@7"), 0.0);
    let found = found.expect("/db waits");
    assert!(found.contains("tasks of /db wait for IO 70 % of the time by PSI (2 % before)"), "{found}");
    assert!(!throttled, "only the writer is throttled, and /db does not wait for that");
    assert_eq!(told(0.05, Some("7@7"), 0.0), (None, true), "nobody waits notably longer");
    assert!(told(0.7, Some("5@5"), 0.0).1, "/db is throttled too");
    assert!(told(0.7, None, 0.0).1, "/db writes, and where it sleeps is not known");
    assert!(!told(0.7, None, 1.0).1, "/db mostly reads");
}

#[test]
fn a_writer_that_is_throttled_below_the_ceiling_has_a_device_with_a_ceiling_of_its_own() {
    let told = |dirty: f64, every: i32, function: &str| {
        let at = |usual: f64, then: f64| move |at: f64| if during(at) { then } else { usual };
        let slept = (0..120).map(|at| (during(f64::from(at)) && at % every == 0).then_some(1)).collect();
        let story = counts(disk(host(), (0.0, 0.0, 10.0, 1.0), (0.0, 0.0, 80.0, 30.0)), "psi_io_some", 1e3, 5e5)
            .gauge(Table::Host, "", "nr_dirty", at(100.0, dirty))
            .gauge(Table::Host, "", "nr_writeback", |_| 0.0)
            .gauge(Table::Host, "", "nr_dirty_threshold", |_| 100_000.0)
            .gauge(Table::Host, "", "nr_dirty_background_threshold", |_| 50_000.0)
            .gauge(Table::Process, "5@5", "state", |_| f64::from(b'S'))
            .line(Table::Process, "5@5", function, slept);
        finding(&story.tell(), "dirty-throttled")
    };
    let found = told(5000.0, 3, "wchan_balance_dirty_pages").expect("10 of 31 samples");
    assert_eq!(found.origins.names(), ["process:5@5", "disk:sda"], "{}", found.statement);
    assert!(found.statement.contains("in balance_dirty_pages in 32.3 % of its samples"), "{}", found.statement);
    let of_host = told(80_000.0, 3, "wchan_balance_dirty_pages").expect("above the ceiling of the host");
    assert!(!of_host.statement.contains("in balance_dirty_pages"), "{}", of_host.statement);
    assert_eq!(told(5000.0, 8, "wchan_balance_dirty_pages"), None, "4 of 31");
    assert_eq!(told(5000.0, 3, "wchan_folio_wait_bit_common"), None, "it waits for a page");
}

#[test]
fn who_takes_the_disk_of_others_is_a_noisy_neighbour() {
    let beside = |took: f64, usual: f64, service: f64, others: f64| {
        let waits = |story| counts(story, "psi_io_some", 1000.0, 700_000.0);
        let elsewhere = move |at: f64| if during(at) { others * 400.0 * MIB } else { 0.0 };
        waits(disk(host(), (service, 2.0, 0.0, 0.0), (900.0, 40.0, 0.0, 0.0)))
            .counter(Table::Process, "1@1", "read_bytes", move |at| {
                if during(at) { others * service * 65_536.0 } else { service * 65_536.0 }
            })
            .counter(Table::Process, "7@7", "read_bytes", move |at| if during(at) { took * MIB } else { usual * MIB })
            // No disk of the recording writes: what this program writes goes elsewhere.
            .counter(Table::Process, "9@9", "write_bytes", elsewhere)
            .tell()
    };
    let neighbour = |took: f64, usual: f64, service: f64| beside(took, usual, service, 1.0);
    let found = finding(&neighbour(50.0, 0.0, 50.0), "noisy-neighbour").expect("most bytes are of one program");
    assert_eq!(found.origins.names(), ["process:7@7", "disk:sda"], "{}", found.statement);
    assert_eq!(finding(&neighbour(5.0, 0.0, 50.0), "noisy-neighbour"), None, "it moves a tenth of the bytes");
    assert_eq!(finding(&neighbour(50.0, 40.0, 50.0), "noisy-neighbour"), None, "it did so before");
    assert_eq!(finding(&neighbour(50.0, 0.0, 0.0), "noisy-neighbour"), None, "nobody else used the disk");
    assert_eq!(finding(&beside(50.0, 0.0, 50.0, 0.0), "noisy-neighbour"), None, "nobody else reads or writes by then");
}

#[test]
fn who_takes_a_full_disk_of_others_is_a_noisy_neighbour_although_it_does_hardly_more() {
    // A service sends 90 requests/s before; of what the disk does then, 7@7 gets two thirds.
    let neighbour = |now: f64, ms: f64, busy: f64| {
        let service = move |at: f64| if during(at) { now / 3.0 } else { 90.0 } * 65_536.0;
        let other = move |at: f64| if during(at) { now * 2.0 / 3.0 } else { 0.0 } * 65_536.0;
        let io_ms = move |at: f64| if during(at) { busy } else { 500.0 };
        let waits = counts(host(), "psi_io_some", 1000.0, 700_000.0);
        let told = disk(waits, (90.0, 2.0, 0.0, 0.0), (now, ms, 0.0, 0.0))
            .counter(Table::Disk, "sda", "io_ms", io_ms)
            .counter(Table::Process, "1@1", "read_bytes", service)
            .counter(Table::Process, "7@7", "read_bytes", other)
            .tell();
        finding(&told, "noisy-neighbour")
    };
    let found = neighbour(120.0, 60.0, 1000.0).expect("the disk does a third more, and 7@7 takes most of it");
    assert_eq!(found.origins.names(), ["process:7@7", "disk:sda"], "{}", found.statement);
    assert_eq!(neighbour(60.0, 120.0, 1000.0), None, "the disk does less than before: it is slow");
    assert_eq!(neighbour(120.0, 60.0, 500.0), None, "it is not full");
}

#[test]
fn a_copy_to_another_disk_does_not_load_the_one_that_others_wait_for() {
    let user = |copied: f64| {
        let at = |then: f64| move |at: f64| if during(at) { then * MIB } else { 0.0 };
        // The copy ends, and the shell that waited for it has its bytes, too.
        let copy = |at: f64| whole((at - 60.0).max(0.0) * copied * MIB);
        let copy = (60..90).map(|at| Some(copy(f64::from(at)))).collect::<Vec<_>>();
        let copy = (0..60).map(|_| None).chain(copy).chain((90..120).map(|_| None)).collect();
        let story = counts(disk(host(), (0.0, 0.0, 20.0, 2.0), (0.0, 0.0, 160.0, 40.0)), "psi_io_some", 1e3, 7e5)
            .counter(Table::Disk, "sdb", "reads", |_| 0.0)
            .counter(Table::Disk, "sdb", "read_sectors", |_| 0.0)
            .counter(Table::Disk, "sdb", "writes", at(80.0 / MIB))
            .counter(Table::Disk, "sdb", "write_sectors", at(40.0 / 512.0))
            .counter(Table::Disk, "sdb", "io_ms", at(100.0 / MIB))
            .counter(Table::Disk, "sdb", "weighted_io_ms", at(100.0 / MIB))
            .counter(Table::Process, "5@5", "write_bytes", |at| if at == 90.0 { copied * 29.0 * MIB } else { 0.0 })
            .counter(Table::Process, "6@6", "write_bytes", at(6.0))
            .line(Table::Process, "7@7", "write_bytes", copy);
        let told = finding(&story.tell(), "device-saturated").expect("a full queue");
        (told.origins.names(), told.statement)
    };
    let (origins, statement) = user(40.0);
    assert_eq!(origins, ["disk:sda", "process:6@6"], "{statement}");
    assert!(statement.contains("6@6 (pid 6) reads and writes 6 MiB/s"), "{statement}");
    let (origins, statement) = user(10.0);
    assert_eq!(origins, ["disk:sda", "process:7@7"], "others write most of the 40 MiB/s of sdb: {statement}");
}

#[test]
fn a_service_that_waits_more_has_a_noisy_neighbour_although_each_request_takes_hardly_longer() {
    let told = |waits: f64, sent: f64, its_group: f64| {
        let at = |usual: f64, then: f64| move |at: f64| if during(at) { then } else { usual };
        let group = |story: Story, name: &str, id: f64| story.gauge(Table::Cgroup, name, "cgroup_id", move |_| id);
        let story = counts(disk(host(), (50.0, 8.0, 0.0, 0.0), (500.0, 12.0, 0.0, 0.0)), "psi_io_some", 2e5, 9e5)
            .counter(Table::Process, "7@7", "read_bytes", at(0.0, 28.0 * MIB))
            .gauge(Table::Process, "7@7", "cgroup_id", move |_| its_group)
            .counter(Table::Cgroup, "/sys/fs/cgroup/app", "psi_io_some", at(2e5, waits * 1e6))
            .counter(Table::CgroupDisk, "/sys/fs/cgroup/app\tsda", "rbytes", move |_| sent * MIB)
            .counter(Table::CgroupDisk, "/sys/fs/cgroup/app\tsda", "wbytes", |_| 0.0)
            // The root counts what all do.
            .gauge(Table::Cgroup, "/sys/fs/cgroup", "cgroup_id", |_| 1.0)
            .counter(Table::CgroupDisk, "/sys/fs/cgroup\tsda", "rbytes", at(3.0 * MIB, 31.0 * MIB))
            .counter(Table::CgroupDisk, "/sys/fs/cgroup\tsda", "wbytes", |_| 0.0);
        finding(&group(group(story, "/sys/fs/cgroup/app", 70.0), "/sys/fs/cgroup/job", 80.0).tell(), "noisy-neighbour")
    };
    let found = told(0.7, 3.0, 80.0).expect("/app waits half of the time more");
    assert!(
        found.evidence.iter().any(|one| one.what == "share of time that /sys/fs/cgroup/app waits for IO"),
        "{:?}",
        found.evidence
    );
    assert!(told(0.7, 3.0, 1.0).is_some(), "it runs in no group of its own");
    assert_eq!(told(0.25, 3.0, 80.0), None, "it waits hardly more");
    assert_eq!(told(0.7, 20.0, 80.0), None, "it sends most of it");
    assert_eq!(told(0.7, 3.0, 70.0), None, "they are its own requests");
}

#[test]
fn a_cold_cache_is_of_who_waits_for_its_reads_and_not_of_who_reads_most() {
    let told = |time: f64| {
        let (own, other) = (320_000.0, 20.0 * MIB);
        let story = counts(counts(host(), "workingset_refault_file", 0.0, 0.0), "pgsteal_kswapd", 0.0, 0.0)
            .gauge(Table::Host, "", "Cached", move |at| GIB + progress(at) * 30.0 * (own + other))
            .counter(Table::Host, "", "psi_io_some", |at| if during(at) { 900_000.0 } else { 1000.0 })
            .counter(Table::Disk, "sda", "reads", move |at| if during(at) { own / 8192.0 } else { 0.0 })
            .counter(Table::Disk, "sda", "read_sectors", move |at| if during(at) { own / 512.0 } else { 0.0 })
            .counter(Table::Disk, "sda", "read_ms", move |at| if during(at) { time } else { 0.0 })
            .counter(Table::Disk, "sda", "io_ms", move |at| if during(at) { time } else { 0.0 })
            .counter(Table::Disk, "sdb", "reads", move |at| if during(at) { 80.0 } else { 0.0 })
            .counter(Table::Disk, "sdb", "read_sectors", move |at| if during(at) { other / 512.0 } else { 0.0 })
            .counter(Table::Disk, "sdb", "read_ms", |at| if during(at) { 160.0 } else { 0.0 })
            .counter(Table::Disk, "sdb", "io_ms", |at| if during(at) { 160.0 } else { 0.0 })
            .counter(Table::Process, "7@7", "utime", |_| 5.0)
            .counter(Table::Process, "7@7", "read_bytes", move |at| if during(at) { own } else { 0.0 })
            .counter(Table::Process, "8@8", "utime", |_| 5.0)
            .counter(Table::Process, "8@8", "read_bytes", move |at| if during(at) { other } else { 0.0 });
        finding(&story.tell(), "cold-cache").expect("two programs read anew").origins.names()
    };
    assert_eq!(told(900.0), ["process:7@7", "disk:sda"], "few reads that take long");
    assert_eq!(told(90.0), ["process:8@8", "disk:sdb"], "few reads that take no time");
}

#[test]
fn large_requests_at_an_even_rate_of_bytes_are_a_saturated_disk() {
    let told = |size: f64, jitter: f64| {
        // 20 to 30 requests a second, two or three in flight for eight tenths of the time.
        let wave = |at: f64| 1.0 + jitter * (at * 2.6).sin();
        let requests = |at: f64| 25.0 + 5.0 * (at * 1.7).sin();
        let then = |then: f64, usual: f64, at: f64| if during(at) { then } else { usual };
        let story = counts(host(), "psi_io_some", 1000.0, 800_000.0)
            .counter(Table::Disk, "sda", "reads", move |at| then(requests(at), 25.0, at))
            .counter(Table::Disk, "sda", "read_sectors", move |at| {
                then(25.0 * size * wave(at), 25.0 * 8192.0, at) / 512.0
            })
            .counter(Table::Disk, "sda", "read_ms", move |at| then(2600.0, 100.0, at))
            .counter(Table::Disk, "sda", "writes", |_| 0.0)
            .counter(Table::Disk, "sda", "write_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
            .counter(Table::Disk, "sda", "io_ms", move |at| then(800.0, 100.0, at))
            .counter(Table::Disk, "sda", "weighted_io_ms", move |at| then(2600.0, 100.0, at));
        finding(&story.tell(), "device-saturated")
    };
    assert!(told(400_000.0, 0.0).is_some(), "10 MB a second, however many requests");
    assert_eq!(told(400_000.0, 0.6), None, "the load varies, and no limit shows");
    assert_eq!(told(16_000.0, 0.0), None, "small requests at an uneven rate have no limit");
}

#[test]
fn a_program_that_asks_for_no_more_and_misses_the_cache_reads_other_data_than_before() {
    struct Told {
        before: f64,
        missed: f64,
        refaults: f64,
        held: f64,
        kind: &'static str,
    }
    let told = |told: Told| {
        let asked = move |at: f64| if during(at) { 300_000.0 } else { told.before };
        let read = move |at: f64| if during(at) { 240_000.0 } else { told.missed };
        let cached = move |at: f64| GIB + progress(at) * 7_200_000.0 + if at > 60.0 { 0.0 } else { told.held };
        let story = counts(counts(host(), "workingset_refault_file", 0.0, told.refaults), "pgsteal_kswapd", 0.0, 0.0)
            .gauge(Table::Host, "", if told.kind == "Cached" { "Buffers" } else { "Cached" }, |_| GIB)
            .gauge(Table::Host, "", told.kind, cached)
            .counter(Table::Host, "", "psi_io_some", |at| if during(at) { 900_000.0 } else { 1000.0 })
            .counter(Table::Disk, "sda", "reads", move |at| read(at) / 4096.0)
            .counter(Table::Disk, "sda", "read_sectors", move |at| read(at) / 512.0)
            .counter(Table::Disk, "sda", "read_ms", move |at| if during(at) { 2800.0 } else { 1.0 })
            .counter(Table::Disk, "sda", "writes", |_| 0.0)
            .counter(Table::Disk, "sda", "io_ms", move |at| if during(at) { 990.0 } else { 1.0 })
            .counter(Table::Disk, "sda", "weighted_io_ms", move |at| if during(at) { 2800.0 } else { 1.0 })
            .counter(Table::Process, "7@7", "utime", |_| 5.0)
            .counter(Table::Process, "7@7", "rchar", asked)
            .counter(Table::Process, "7@7", "read_bytes", read);
        story.tell()
    };
    let moved = Told { before: 400_000.0, missed: 0.0, refaults: 0.0, held: 0.0, kind: "Cached" };
    let moved_to = told(Told { ..moved });
    assert_eq!(diagnose(&moved_to).cause.as_ref().map(|cause| cause.rule.as_str()), Some("changed-working-set"));
    let found = finding(&moved_to, "changed-working-set").expect("it reads what was not cached");
    assert_eq!(found.origins.names(), ["process:7@7", "disk:sda"]);
    let cause = |case: Told| finding(&told(case), "changed-working-set");
    assert!(cause(Told { kind: "Buffers", ..moved }).is_some(), "it reads a device without a file system");
    assert_eq!(cause(Told { before: 200_000.0, ..moved }), None, "it asks for more");
    assert_eq!(cause(Told { missed: 100_000.0, ..moved }), None, "it missed the cache before");
    assert_eq!(cause(Told { refaults: 50.0, ..moved }), None, "what it reads was evicted");
    assert_eq!(cause(Told { held: 500.0 * MIB, ..moved }), None, "the cache was dropped");
    let cold =
        |case: Told| finding(&told(case), "cold-cache").filter(|found| found.statement.contains("of cached files"));
    let deleted = cold(Told { held: 500.0 * MIB, ..moved }).expect("its files went, and it reads others");
    assert!(deleted.statement.contains("500 MiB of cached files were deleted"), "{}", deleted.statement);
    assert_eq!(cold(Told { before: 200_000.0, held: 500.0 * MIB, ..moved }), None, "it asks for more");
    assert_eq!(cold(moved), None, "nothing was deleted");
}

#[test]
fn a_program_that_ran_before_and_reads_what_nobody_has_read_meets_a_cold_cache() {
    // 40 reads a second, one at a time: 10 MiB in all, a thousandth of memory.
    let full = |usual: f64, queue: f64, grown: f64, freed: f64, swapped: f64| {
        let bytes = move |at: f64| if during(at) { 320_000.0 } else { usual };
        let read = move |at: f64| bytes(at) / 8192.0;
        let story = counts(counts(host(), "workingset_refault_file", 0.0, 0.0), "pgsteal_kswapd", 0.0, freed);
        counts(counts(story, "pswpin", 0.0, swapped), "pswpout", 0.0, 0.0)
            .gauge(Table::Host, "", "Cached", move |at| GIB + progress(at) * grown)
            .counter(Table::Host, "", "psi_io_some", |at| if during(at) { 900_000.0 } else { 1000.0 })
            .counter(Table::Disk, "sda", "reads", read)
            .counter(Table::Disk, "sda", "read_sectors", move |at| bytes(at) / 512.0)
            .counter(Table::Disk, "sda", "read_ms", move |at| if during(at) { 900.0 * queue } else { 1.0 })
            .counter(Table::Disk, "sda", "io_ms", move |at| if during(at) { 900.0 } else { 1.0 })
            .counter(Table::Disk, "sda", "weighted_io_ms", move |at| if during(at) { 900.0 * queue } else { 1.0 })
            .counter(Table::Process, "7@7", "utime", |_| 5.0)
            .counter(Table::Process, "7@7", "read_bytes", bytes)
            .tell()
    };
    let told = |usual: f64, queue: f64| full(usual, queue, 9_600_000.0, 0.0, 0.0);
    let found = finding(&told(0.0, 1.0), "cold-cache").expect("it reads anew");
    assert!(found.origins.names().contains(&"process:7@7".to_owned()), "{:?}", found.origins.names());
    assert_eq!(finding(&told(100_000.0, 1.0), "cold-cache"), None, "it read as much before");
    assert_eq!(finding(&told(0.0, 8.0), "cold-cache"), None, "the disk has more to do than it can");
    // 78 pages a second are read.
    assert!(finding(&full(0.0, 1.0, 0.0, 70.0, 0.0), "cold-cache").is_some(), "the cache is full: they replace others");
    assert_eq!(finding(&full(0.0, 1.0, 0.0, 0.0, 0.0), "cold-cache"), None, "they bypass the cache");
    assert_eq!(finding(&full(0.0, 1.0, 0.0, 70.0, 60.0), "cold-cache"), None, "they come back from swap");
}

#[test]
fn a_neighbour_that_was_there_before_the_recording_is_found_by_who_sends_and_who_waits() {
    let told = |took: f64, service: f64, waited: f64, queue: f64| {
        host()
            .counter(Table::Host, "", "psi_io_some", |_| 990_000.0)
            .counter(Table::Host, "", "pgscan_kswapd", |_| 0.0)
            .counter(Table::Host, "", "pgsteal_kswapd", |_| 0.0)
            .counter(Table::Disk, "sda", "reads", |_| 100.0)
            .counter(Table::Disk, "sda", "read_sectors", move |_| (took + service) * MIB / 512.0)
            .counter(Table::Disk, "sda", "read_ms", move |_| queue * 1000.0)
            .counter(Table::Disk, "sda", "writes", |_| 0.0)
            .counter(Table::Disk, "sda", "write_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
            .counter(Table::Disk, "sda", "io_ms", |_| 995.0)
            .counter(Table::Disk, "sda", "weighted_io_ms", move |_| queue * 1000.0)
            .counter(Table::Cgroup, "/db", "cpu_usage", |_| 20_000.0)
            .counter(Table::Cgroup, "/db", "psi_io_some", move |_| waited * 1e6)
            .counter(Table::Cgroup, "/db", "io_rbytes", move |_| service * MIB)
            .counter(Table::Cgroup, "/db", "io_wbytes", |_| 0.0)
            .counter(Table::Cgroup, "/db", "io_rios", move |_| service * 8.0)
            .counter(Table::Process, "1@1", "read_bytes", move |_| service * MIB)
            .counter(Table::Process, "7@7", "read_bytes", move |_| took * MIB)
            .tell()
    };
    let found = finding(&told(12.0, 0.4, 0.95, 1.98), "noisy-neighbour").expect("dd was there before");
    assert_eq!(found.origins.names(), ["process:7@7", "disk:sda"], "{}", found.statement);
    assert_eq!(diagnosed(&told(12.0, 0.4, 0.95, 1.98)), "noisy-neighbour");
    assert_eq!(finding(&told(0.2, 12.0, 0.95, 1.98), "noisy-neighbour"), None, "the service sends most itself");
    assert_eq!(finding(&told(12.0, 0.4, 0.2, 1.98), "noisy-neighbour"), None, "the service hardly waits");
    assert_eq!(finding(&told(12.0, 0.4, 0.95, 1.0), "noisy-neighbour"), None, "one request at a time");
}

/// Swap in compressed memory from 60 to 90 s: so many pages a second out and in, waits for memory, what kswapd uses of a CPU, and what the service
/// loses to swap-ins, each as a share of time.
fn zram(came: f64, waited: f64, kswapd: f64, delay: f64) -> pagetide_core::Recording {
    let story = counts(counts(host(), "pswpin", 0.0, came), "pswpout", 0.0, 20_000.0);
    let story = counts(counts(story, "workingset_refault_anon", 0.0, came * 0.8), "pgmajfault", 1.0, came);
    let story = counts(counts(story, "pgscan_kswapd", 0.0, 60_000.0), "pgsteal_kswapd", 0.0, 20_000.0);
    let story = counts(counts(story, "psi_memory_some", 0.0, waited * 1e6), "psi_io_some", 0.0, 0.0);
    let share = move |value: f64| move |at: f64| if during(at) { value } else { 0.0 };
    story
        .manifest(|manifest| {
            manifest.swaps = vec![pagetide_core::Swap { path: "/dev/zram0".to_owned(), size: Bytes::new(4 << 30) }];
        })
        .counter(Table::Disk, "zram0", "reads", share(came))
        .counter(Table::Disk, "zram0", "read_sectors", share(came * 8.0))
        .counter(Table::Disk, "zram0", "read_ms", share(0.0))
        .counter(Table::Disk, "zram0", "writes", share(20_000.0))
        .counter(Table::Disk, "zram0", "write_sectors", share(160_000.0))
        .counter(Table::Disk, "zram0", "write_ms", share(0.0))
        .counter(Table::Disk, "zram0", "io_ms", share(0.0))
        .counter(Table::Disk, "zram0", "weighted_io_ms", share(0.0))
        .counter(Table::Process, "kswapd0", "utime", |_| 0.0)
        .counter(Table::Process, "kswapd0", "stime", share(kswapd * 100.0))
        .counter(Table::Process, "9@9", "majflt", share(came))
        .counter(Table::Process, "9@9", "utime", |_| 20.0)
        .counter(Table::Process, "9@9", "swapin_delay_total", share(delay * 1e9))
        .gauge(Table::Process, "9@9", "rss", |_| 1e5)
        .tell()
}

#[test]
fn thrash_in_compressed_memory_is_found_by_waits_for_memory_and_delays_without_any_queue() {
    assert_eq!(diagnosed(&zram(18_000.0, 0.6, 0.1, 0.5)), "swap-thrash");
    assert_eq!(
        diagnosed(&zram(18_000.0, 0.95, 0.95, 0.5)),
        "swap-thrash",
        "what kswapd uses does not hide what programs lose"
    );
    assert_ne!(diagnosed(&zram(18_000.0, 0.95, 0.95, 0.0)), "swap-thrash", "kswapd waits alone");
    assert_eq!(finding(&zram(100.0, 0.6, 0.1, 0.5), "swap-thrash"), None, "it moves in one direction");
}

#[test]
fn a_group_above_memory_high_is_throttled_where_its_tasks_wait() {
    let group = |hits: f64, used: f64, waited: f64| {
        host()
            .counter(Table::Cgroup, "/g", "events_high", move |at| if during(at) { hits } else { 0.0 })
            .counter(Table::Cgroup, "/g", "psi_memory_some", move |at| if during(at) { waited } else { 0.0 })
            .gauge(Table::Cgroup, "/g", "current", move |_| used * GIB)
            .gauge(Table::Cgroup, "/g", "high", |_| GIB)
            .tell()
    };
    let found = finding(&group(50.0, 1.0, 300_000.0), "memory-high-throttle").expect("it waits at memory.high");
    assert_eq!(found.origins.names(), ["cgroup:/g"], "{}", found.statement);
    assert_eq!(finding(&group(50.0, 1.0, 5000.0), "memory-high-throttle"), None, "its tasks hardly wait");
    assert_eq!(finding(&group(50.0, 0.5, 300_000.0), "memory-high-throttle"), None, "it is far below");
    assert_eq!(finding(&group(0.1, 1.0, 300_000.0), "memory-high-throttle"), None, "it is full and asks for no more");
}

#[test]
fn a_group_that_is_soon_below_a_lowered_memory_high_has_no_strong_evidence() {
    let grade = |until: f64| {
        let inside = move |at: f64| at > 60.0 && at <= until;
        let story = host()
            .counter(Table::Cgroup, "/g", "events_high", move |at| if inside(at) { 80.0 } else { 0.0 })
            .counter(Table::Cgroup, "/g", "psi_memory_some", move |at| if inside(at) { 600_000.0 } else { 0.0 })
            .counter(Table::Host, "", "psi_memory_some", move |at| if inside(at) { 600_000.0 } else { 0.0 })
            .gauge(Table::Cgroup, "/g", "current", |_| GIB)
            .gauge(Table::Cgroup, "/g", "high", |_| GIB);
        finding(&story.tell(), "memory-high-throttle").map(|found| Grade::of(found.confidence))
    };
    assert_eq!(grade(63.0), Some(Grade::Moderate), "it slept for 3 s, and no more");
    assert_eq!(grade(85.0), Some(Grade::Strong));
}

#[test]
fn kernel_memory_that_came_at_once_grows_no_more() {
    let told = |until: f64| {
        let grown = move |at: f64| 2.0 * ((at - 60.0) / (until - 60.0)).clamp(0.0, 1.0) + at * 0.0002;
        let story = host()
            .gauge(Table::Host, "", "MemTotal", |_| 8.0 * GIB)
            .gauge(Table::Host, "", "MemFree", move |at| (4.5 - grown(at)) * GIB)
            .gauge(Table::Host, "", "Cached", |_| 2.0 * GIB)
            .gauge(Table::Host, "", "AnonPages", |_| GIB)
            .gauge(Table::Host, "", "Slab", |_| 0.3 * GIB);
        finding(&story.tell(), "slab-growth").expect("2 GiB").range.to.ns() / 1_000_000_000
    };
    assert!(told(64.0) <= 66, "{}", told(64.0));
    assert!(told(115.0) >= 112, "{}", told(115.0));
}

#[test]
fn kernel_memory_that_no_counter_names_is_named_as_such() {
    let taken = |grown: f64, slab: f64, back: bool| {
        let progress = move |at: f64| if back && at > 95.0 { 0.0 } else { progress(at) };
        host()
            .gauge(Table::Host, "", "MemTotal", |_| 8.0 * GIB)
            .gauge(Table::Host, "", "MemFree", move |at| (1.5 - (grown + slab).min(1.2) * progress(at)) * GIB)
            .gauge(Table::Host, "", "Cached", move |at| (5.0 - (grown + slab - 1.2).max(0.0) * progress(at)) * GIB)
            .gauge(Table::Host, "", "AnonPages", |_| GIB)
            .gauge(Table::Host, "", "Slab", move |at| (0.3 + slab * progress(at)) * GIB)
            .gauge(Table::Host, "", "SUnreclaim", move |at| (0.1 + slab * progress(at)) * GIB)
            .tell()
    };
    let sockets = finding(&taken(2.0, 0.1, false), "slab-growth").unwrap();
    assert!(sockets.statement.contains("no counter of /proc/meminfo names grew by 2 GiB"), "{}", sockets.statement);
    let slab = finding(&taken(0.1, 2.0, false), "slab-growth").unwrap();
    assert!(slab.statement.starts_with("Slab grew by 2 GiB"), "{}", slab.statement);
    assert_eq!(finding(&taken(0.1, 0.1, false), "slab-growth"), None);
    assert_eq!(finding(&taken(2.0, 0.1, true), "slab-growth"), None, "it was given back");
}

#[test]
fn pages_that_are_freed_at_once_are_no_memory_that_nobody_names() {
    // A group gives back a gibibyte of cache: a part of it stays in the lists of the CPUs.
    let freed =
        |free: f64, reclaimed: Option<f64>| {
            let story = host();
            let story =
                match reclaimed {
                    Some(bytes) => {
                        let pages = bytes * GIB / 4096.0 / 30.0;
                        story.counter(Table::Host, "", "pgsteal_kswapd", move |at| {
                            if at > 60.0 && at <= 90.0 { pages } else { 0.0 }
                        })
                    }
                    None => story,
                };
            story
                .gauge(Table::Host, "", "MemTotal", |_| 8.0 * GIB)
                .gauge(Table::Host, "", "MemFree", move |at| (1.5 + free * progress(at)) * GIB)
                .gauge(Table::Host, "", "Cached", move |at| (5.0 - (0.6 + free) * progress(at)) * GIB)
                .gauge(Table::Host, "", "AnonPages", |_| GIB)
                .gauge(Table::Host, "", "Slab", |_| 0.3 * GIB)
                .tell()
        };
    assert_eq!(finding(&freed(0.5, None), "slab-growth"), None);
    // As much was allocated meanwhile as left the lists.
    assert_eq!(finding(&freed(0.0, Some(0.0)), "slab-growth"), None, "a file that was deleted");
    for reclaimed in [None, Some(0.6)] {
        let taken = finding(&freed(0.0, reclaimed), "slab-growth").expect("no page became free");
        assert!(taken.statement.contains("no counter of /proc/meminfo names"), "{}", taken.statement);
    }
}

#[test]
fn a_file_in_tmpfs_belongs_to_the_program_that_wrote_it() {
    let filled = |wrote: f64, stored: f64| {
        let at = |rate: f64| move |at: f64| if during(at) { rate * MIB } else { 0.0 };
        let story = host()
            .gauge(Table::Host, "", "MemTotal", |_| 8.0 * GIB)
            .gauge(Table::Host, "", "MemFree", |_| 0.2 * GIB)
            .gauge(Table::Host, "", "AnonPages", |_| GIB)
            .gauge(Table::Host, "", "Shmem", |at| 2.0 * progress(at) * GIB)
            .gauge(Table::Host, "", "Cached", |_| 5.0 * GIB)
            .counter(Table::Host, "", "pgscan_kswapd", |at| if during(at) { 20_000.0 } else { 0.0 });
        let story = story.counter(Table::Process, "9@9", "wchar", at(wrote)).counter(
            Table::Process,
            "9@9",
            "write_bytes",
            at(stored),
        );
        let story = story.counter(Table::Process, "8@8", "wchar", at(1.0)).counter(
            Table::Process,
            "8@8",
            "read_bytes",
            at(1.0),
        );
        finding(&story.tell(), "anonymous-growth-takes-cache").unwrap()
    };
    let dd = filled(2048.0 / 30.0, 0.0);
    assert!(dd.statement.contains("(pid 9) wrote"), "{}", dd.statement);
    // A program that ended, and the shell that waited for it and has its counts.
    let wrote =
        |at: f64| Some(whole((at - 60.0).max(0.0) * 2048.0 / 30.0 * MIB)).filter(|_| (61.0..90.0).contains(&at));
    let story = host()
        .gauge(Table::Host, "", "MemFree", |_| 0.2 * GIB)
        .gauge(Table::Host, "", "AnonPages", |_| GIB)
        .gauge(Table::Host, "", "Shmem", |at| 2.0 * progress(at) * GIB)
        .gauge(Table::Host, "", "Cached", |_| 5.0 * GIB)
        .counter(Table::Host, "", "pgscan_kswapd", |at| if during(at) { 20_000.0 } else { 0.0 })
        .counter(Table::Process, "5@5", "wchar", |at| if at == 90.0 { 29.0 * 2048.0 / 30.0 * MIB } else { 0.0 })
        .line(Table::Process, "9@9", "wchar", (0..120).map(|at| wrote(f64::from(at))).collect());
    let found = finding(&story.tell(), "anonymous-growth-takes-cache").unwrap();
    assert_eq!(found.origins.names(), ["process:9@9"], "{}", found.statement);
    assert!(dd.advice[0].action.starts_with("Let 9@9 write to a disk"), "{}", dd.advice[0].action);
    let command = dd.advice[0].command.as_deref().unwrap_or_default();
    assert!(
        command.starts_with("df -h -t tmpfs") && !command.contains("rss"),
        "no process has it in its RSS: {command}"
    );
    assert!(!filled(2048.0 / 30.0, 2048.0 / 30.0).statement.contains("(pid 9)"), "it wrote to a device");
    let unknown = filled(2e5 / 30.0, 0.0);
    assert!(!unknown.statement.contains("(pid 9)"), "that is what a proxy passes on");
    assert!(!unknown.statement.contains("(pid 8)"), "1 MiB/s from devices is not 2 GiB in 30 s");
}

#[test]
fn a_file_in_tmpfs_that_no_process_wrote_belongs_to_the_group_that_is_charged() {
    let charged = |share: f64| {
        let group = |story: Story, name: &str, share: f64| {
            story.counter(Table::Cgroup, name, "cpu_usage", |_| 50_000.0).gauge(
                Table::Cgroup,
                name,
                "shmem",
                move |at| share * 2.0 * progress(at) * GIB,
            )
        };
        let story = host()
            .gauge(Table::Host, "", "MemFree", |_| 0.2 * GIB)
            .gauge(Table::Host, "", "AnonPages", |_| GIB)
            .gauge(Table::Host, "", "Shmem", |at| 2.0 * progress(at) * GIB)
            .gauge(Table::Host, "", "Cached", |_| 5.0 * GIB)
            .counter(Table::Host, "", "pgscan_kswapd", |at| if during(at) { 20_000.0 } else { 0.0 });
        let story = group(group(story, "/column", share), "/db", 0.1);
        finding(&story.tell(), "anonymous-growth-takes-cache").expect("it grew")
    };
    let found = charged(0.9);
    assert_eq!(found.origins.names(), ["cgroup:/column"]);
    assert!(found.statement.contains("1.80 GiB of it charged to /column"), "{}", found.statement);
    assert!(found.advice[0].action.starts_with("Find the files in tmpfs."), "{}", found.advice[0].action);
    assert!(charged(0.2).origins.names().is_empty(), "several groups hold a part each");
}

#[test]
fn what_many_small_processes_take_belongs_to_their_group() {
    let grown = |share: f64, one: f64| {
        let story = host()
            .gauge(Table::Host, "", "MemFree", |_| 0.2 * GIB)
            .gauge(Table::Host, "", "AnonPages", |at| GIB + 2.0 * progress(at) * GIB)
            .gauge(Table::Host, "", "Shmem", |_| 0.0)
            .gauge(Table::Host, "", "Cached", |at| 5.0 * GIB - 2.0 * progress(at) * GIB)
            .counter(Table::Host, "", "pgscan_kswapd", |at| if during(at) { 20_000.0 } else { 0.0 })
            .gauge(Table::Cgroup, "/checks", "anon", move |at| share * 2.0 * progress(at) * GIB)
            .gauge(Table::Cgroup, "/db", "anon", |_| GIB)
            .gauge(Table::Process, "9@9", "RssAnon", move |at| one * 2.0 * progress(at) * GIB);
        let found = finding(&story.tell(), "anonymous-growth-takes-cache").expect("it grew");
        (found.origins.names(), found.statement)
    };
    let (origins, statement) = grown(0.9, 0.01);
    assert_eq!(origins, ["cgroup:/checks"], "{statement}");
    assert!(statement.contains("1.80 GiB of it charged to /checks"), "{statement}");
    assert_eq!(grown(0.9, 0.8).0, ["process:9@9"], "one process grew by most of it");
    assert!(grown(0.2, 0.01).0.is_empty(), "it is charged to many");
}

#[test]
fn what_the_worker_of_a_loop_device_sends_is_of_who_writes_to_that_device() {
    let of = |thread: &str, other: &str, computes: f64| {
        let sent = |at: f64| if during(at) { 50.0 * MIB } else { 0.0 };
        let story = counts(disk(host(), (0.0, 0.0, 20.0, 2.0), (0.0, 0.0, 800.0, 40.0)), "psi_io_some", 1e3, 7e5)
            .command("5@5", "kworker/u4:0-loop1")
            .command("6@6", thread)
            .command("8@8", other)
            .gauge(Table::Process, "8@8", "rss", |_| 0.0)
            .command("7@7", "db")
            .counter(Table::Process, "5@5", "write_bytes", sent)
            .gauge(Table::Process, "6@6", "rss", |_| 0.0)
            // Ticks of 1/100 s.
            .counter(Table::Process, "6@6", "utime", |_| 0.0)
            .counter(Table::Process, "6@6", "stime", move |at| if during(at) { computes } else { 0.0 })
            .counter(Table::Process, "7@7", "write_bytes", |_| 20.0 * 65_536.0);
        finding(&story.tell(), "noisy-neighbour").map(|found| found.origins.names())
    };
    let sender = |computes: f64| of("md7_resync", "md7_raid1", computes);
    assert_eq!(sender(5.0), Some(vec!["process:md7_resync".to_owned(), "disk:sda".to_owned()]));
    // It sends what is written to the array, and parity, unless the array is synchronised.
    let parity = |other: &str| of("md7_raid5", other, 5.0).is_some_and(|names| names[0] == "process:md7_raid5");
    assert!(!parity("md7") && !parity("md8_resync"));
    assert!(parity("md7_resync"));
    assert_eq!(sender(0.0), None, "no thread of the kernel works");
    let of_nobody = of("kdamond.0", "kdamond.0", 5.0);
    assert!(of_nobody.is_none_or(|names| names == ["disk:sda"]), "a thread that sends no requests computes");
}

#[test]
fn a_service_that_alone_uses_a_disk_is_no_neighbour_of_itself_where_no_group_tells() {
    let told = |other: f64, comm: &str| {
        let waits = |story| counts(story, "psi_io_some", 1000.0, 700_000.0);
        let story = waits(disk(host(), (50.0, 2.0, 0.0, 0.0), (900.0, 40.0, 0.0, 0.0)))
            .counter(Table::Process, "7@7", "read_bytes", |at| if during(at) { 50.0 * MIB } else { 3.0 * MIB })
            .counter(Table::Process, "8@8", "read_bytes", move |_| other)
            .command("8@8", comm);
        finding(&story.tell(), "noisy-neighbour")
    };
    assert!(told(65_536.0, "db").is_some(), "db shares the disk");
    assert_eq!(told(2048.0, "db"), None, "a line of a log now and then");
    assert_eq!(told(65_536.0, "pagetide"), None, "the recorder");
}

#[test]
fn where_no_group_tells_a_job_waits_for_itself_on_a_disk_that_nobody_else_needs() {
    // 300 direct reads of 64 KiB a second, three at a time, by a program that starts at second 60.
    let told = |reads_before: f64, others: f64| {
        let job: Vec<Option<i64>> =
            (0..120).map(|at| (60..=90).contains(&at).then(|| whole(f64::from(at - 60) * 300.0 * 65_536.0))).collect();
        let used = disk(host(), (reads_before, 2.0, 0.0, 0.0), (300.0, 10.0, 0.0, 0.0));
        let story = counts(used, "psi_io_some", 1000.0, 900_000.0)
            .line(Table::Process, "7@6000", "read_bytes", job)
            .counter(Table::Process, "8@8", "utime", |_| 10.0)
            .counter(Table::Process, "8@8", "read_bytes", move |_| others);
        diagnosed(&story.tell())
    };
    assert_eq!(told(0.0, 0.0), "", "a job reads for itself");
    assert_eq!(told(50.0, 0.0), "device-saturated", "the disk served somebody before");
    assert_ne!(told(0.0, 40_960.0), "", "somebody who ran before reads from a disk");
}

#[test]
fn without_pressure_a_growth_costs_nobody_time_while_cpus_idle_and_nobody_reads_more() {
    // A program that starts at second 60 takes 2 GiB of the cache in 30 s. Somebody who ran before reads from second 95 on.
    let told = |idle: f64, others: f64| {
        let reads = move |at: f64| if at > 95.0 { others } else { 0.0 };
        let grown = |at: u32| (60..=120).contains(&at).then(|| whole(progress(f64::from(at)) * 2.0 * GIB));
        let story = counts(counts(host(), "cpu_nice", 0.0, 0.0), "cpu_system", 0.0, 0.0)
            .gauge(Table::Host, "", "MemFree", |_| 0.2 * GIB)
            .gauge(Table::Host, "", "AnonPages", |at| (1.0 + 2.0 * progress(at)) * GIB)
            .gauge(Table::Host, "", "Cached", |at| (6.0 - 2.0 * progress(at)) * GIB)
            .counter(Table::Host, "", "pgscan_kswapd", |at| if during(at) { 20_000.0 } else { 0.0 })
            .counter(Table::Host, "", "pgsteal_kswapd", |at| if during(at) { 18_000.0 } else { 0.0 })
            .counter(Table::Host, "", "allocstall_normal", |_| 0.0)
            .counter(Table::Host, "", "workingset_refault_file", move |at| reads(at) / 4096.0)
            .counter(Table::Host, "", "pgmajfault", |_| 0.0)
            .counter(Table::Host, "", "cpu_user", move |_| 200.0 - idle)
            .counter(Table::Host, "", "cpu_iowait", move |at| if reads(at) > 0.0 { idle / 2.0 } else { 0.0 })
            .counter(Table::Host, "", "cpu_idle", move |at| if reads(at) > 0.0 { idle / 2.0 } else { idle })
            .line(Table::Process, "7@6000", "RssAnon", (0..120).map(grown).collect())
            .counter(Table::Process, "8@8", "utime", |_| 10.0)
            .counter(Table::Process, "8@8", "read_bytes", reads)
            .counter(Table::Disk, "sda", "reads", move |at| reads(at) / 65_536.0)
            .counter(Table::Disk, "sda", "read_sectors", move |at| reads(at) / 512.0)
            .counter(Table::Disk, "sda", "read_ms", move |at| reads(at) / 8192.0)
            .counter(Table::Disk, "sda", "io_ms", move |at| reads(at) / 8192.0);
        diagnosed(&story.tell())
    };
    assert_eq!(told(150.0, 0.0), "healthy", "CPUs idle, and nobody reads again");
    assert_eq!(told(2.0, 0.0), "anonymous-growth-takes-cache", "tasks may wait for a CPU while it is reclaimed");
    assert_eq!(told(150.0, 4.0 * MIB), "anonymous-growth-takes-cache", "the cache is missed afterwards");
}

#[test]
fn a_service_that_reads_more_each_time_is_no_neighbour_of_itself() {
    // 50 reads a second of 4 KiB become 15 of 92 KiB, on a disk of 1.4 MiB/s.
    let story = |written: f64, others_wait: f64, (size, queue): (f64, f64), misses: f64| {
        let at = |usual: f64, then: f64| move |at: f64| if during(at) { then } else { usual };
        let bytes = at(misses * 4096.0, 15.0 * size * (1.0 - written));
        let group = |story: Story, name: &str, id: f64, waits: (f64, f64)| {
            story
                .gauge(Table::Cgroup, name, "cgroup_id", move |_| id)
                .counter(Table::Cgroup, name, "cpu_usage", |_| 50_000.0)
                .counter(Table::Cgroup, name, "psi_io_some", at(waits.0 * 1e6, waits.1 * 1e6))
        };
        let story = counts(counts(host(), "workingset_refault_file", 0.0, 0.0), "pgsteal_kswapd", 0.0, 0.0)
            .gauge(Table::Host, "", "Cached", move |at| GIB + progress(at) * 30.0 * 15.0 * size)
            .counter(Table::Host, "", "psi_io_some", at(50_000.0, 960_000.0))
            .counter(Table::Disk, "sda", "reads", at(misses, 15.0))
            .counter(Table::Disk, "sda", "read_sectors", move |at| bytes(at) / 512.0)
            .counter(Table::Disk, "sda", "read_ms", at(misses, queue * 1000.0))
            .counter(Table::Disk, "sda", "writes", |_| 0.0)
            .counter(Table::Disk, "sda", "write_sectors", at(0.0, 15.0 * size * written / 512.0))
            .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
            .counter(Table::Disk, "sda", "io_ms", at(misses, 965.0))
            .counter(Table::Disk, "sda", "weighted_io_ms", at(misses, queue * 1000.0))
            .gauge(Table::Process, "7@7", "cgroup_id", |_| 70.0)
            .counter(Table::Process, "7@7", "utime", |_| 5.0)
            .counter(Table::Process, "7@7", "read_bytes", bytes);
        group(group(story, "/app", 70.0, (0.05, 0.95)), "/db", 80.0, (0.0, others_wait))
    };
    let told_of = |written, others_wait, size, misses| story(written, others_wait, size, misses).tell();
    let told = |others_wait, size, misses| told_of(0.0, others_wait, size, misses);
    let (large, small) = ((92.0 * 1024.0, 1.3), (6.0 * 1024.0, 1.3));
    let alone = told(0.0, large, 50.0);
    assert_eq!(finding(&alone, "noisy-neighbour"), None, "only its own group waits");
    let found = finding(&alone, "device-saturated").expect("its requests take the disk");
    assert!(found.statement.contains("larger: 92 KiB each (4 KiB before)"), "{}", found.statement);
    assert!(found.origins.names().contains(&"process:7@7".to_owned()), "{:?}", found.origins.names());
    assert!(found.advice[0].action.starts_with("Read less from sda"), "{}", found.advice[0].action);
    let writer = finding(&told_of(0.9, 0.0, large, 50.0), "device-saturated").expect("its requests take the disk");
    assert_eq!(
        writer.advice[0].action,
        "Limit the rate of what writes to sda, or raise the bandwidth limit of the device."
    );
    assert!(finding(&told(0.4, large, 50.0), "noisy-neighbour").is_some(), "another group waits for it");
    let sends_to = |disk: &str| {
        let story = story(0.0, 0.4, large, 50.0).counter(Table::Disk, "sdb", "reads", |_| 10.0);
        finding(
            &story.counter(Table::CgroupDisk, &format!("/db\t{disk}"), "rbytes", |_| 40_960.0).tell(),
            "noisy-neighbour",
        )
    };
    assert!(sends_to("sda").is_some(), "the other group waits for this disk");
    assert_eq!(sends_to("sdb"), None, "it waits for another disk");
    let beside = |written: f64| {
        let story = story(0.0, 0.0, large, 50.0)
            .gauge(Table::Process, "8@8", "cgroup_id", |_| 70.0)
            .counter(Table::Process, "8@8", "utime", |_| 1.0)
            .counter(Table::Process, "8@8", "write_bytes", move |_| written);
        finding(&story.tell(), "noisy-neighbour")
    };
    assert!(beside(16_384.0).is_some(), "another program of its group waits for the disk");
    assert_eq!(beside(124.0), None, "a line of a log a second");
    assert_eq!(finding(&told(0.0, small, 50.0), "device-saturated"), None, "the requests are as large as before");
    let limited =
        finding(&told(0.0, (512.0 * 1024.0, 3.0), 50.0), "device-saturated").expect("a queue of three").statement;
    assert!(
        limited.contains("this looks like a bandwidth limit, not an IOPS limit. Its requests have become larger"),
        "{limited}"
    );
    assert!(!found.statement.contains("limit"), "one request at a time shows none: {}", found.statement);
}

#[test]
fn reads_that_missed_the_cache_before_meet_no_cold_cache() {
    // 1.4 MiB/s are read for the first time, 480 MiB in all: 15 reads a second, where so many were before.
    let told = |before: f64| {
        let at = |usual: f64, then: f64| move |at: f64| if during(at) { then } else { usual };
        counts(counts(host(), "workingset_refault_file", 0.0, 0.0), "pgsteal_kswapd", 0.0, 0.0)
            .gauge(Table::Host, "", "Cached", |at| GIB + progress(at) * 480.0 * MIB)
            .counter(Table::Host, "", "psi_io_some", at(1000.0, 900_000.0))
            .counter(Table::Disk, "sda", "reads", at(before, 160.0))
            .counter(Table::Disk, "sda", "read_sectors", at(before * 8.0, 16.0 * MIB / 512.0))
            .counter(Table::Disk, "sda", "read_ms", at(before, 900.0))
            .counter(Table::Disk, "sda", "io_ms", at(before, 900.0))
            .counter(Table::Disk, "sda", "weighted_io_ms", at(before, 900.0))
            .counter(Table::Process, "7@7", "read_bytes", at(before * 4096.0, 16.0 * MIB))
            .tell()
    };
    assert!(finding(&told(1.0), "cold-cache").is_some(), "it hardly read before");
    assert_eq!(finding(&told(120.0), "cold-cache"), None, "most of its reads missed before, too");
}

#[test]
fn who_reads_around_the_cache_meets_no_cold_cache() {
    // It reads a quarter of 16 MiB/s and then all of it, and asked for `asked` bytes per byte read before; the cache grows by what a tar reads.
    let told = |asked: f64, before: f64| {
        let at = |usual: f64, then: f64| move |at: f64| if during(at) { then } else { usual };
        counts(counts(host(), "workingset_refault_file", 0.0, 0.0), "pgsteal_kswapd", 0.0, 0.0)
            .gauge(Table::Host, "", "Cached", |at| GIB + progress(at) * 480.0 * MIB)
            .counter(Table::Host, "", "psi_io_some", at(1000.0, 900_000.0))
            .counter(Table::Disk, "sda", "reads", at(160.0 * before, 160.0))
            .counter(Table::Disk, "sda", "read_sectors", at(16.0 * before * MIB / 512.0, 16.0 * MIB / 512.0))
            .counter(Table::Disk, "sda", "read_ms", at(10.0, 900.0))
            .counter(Table::Disk, "sda", "io_ms", at(10.0, 900.0))
            .counter(Table::Disk, "sda", "weighted_io_ms", at(10.0, 900.0))
            .counter(Table::Process, "7@7", "rchar", at(16.0 * before * asked * MIB, 16.0 * MIB))
            .counter(Table::Process, "7@7", "read_bytes", at(16.0 * before * MIB, 16.0 * MIB))
            .tell()
    };
    assert_eq!(
        finding(&told(1.0, 0.25), "cold-cache"),
        None,
        "nothing of what it read came from the cache before, either"
    );
    assert!(finding(&told(4.0, 0.25), "cold-cache").is_some(), "three quarters of it did");
    assert!(finding(&told(1.0, 0.01), "cold-cache").is_some(), "it hardly read before");
}

#[test]
fn a_disk_that_was_idle_is_at_its_limit_where_more_at_once_do_not_get_more() {
    // Two bursts of several readers, and one reader between them: 60 reads a second all the time.
    let told = |burst: f64, rate: f64| {
        let depth = move |at: f64| match at {
            _ if !during(at) => 0.0,
            _ if at % 12.0 < 3.0 => burst,
            _ => 0.9,
        };
        let reads = move |at: f64| match at {
            _ if !during(at) => 0.0,
            _ if at % 12.0 < 3.0 => rate,
            _ => 60.0,
        };
        let story = counts(host(), "psi_io_some", 1000.0, 700_000.0)
            .counter(Table::Disk, "sda", "reads", reads)
            .counter(Table::Disk, "sda", "read_sectors", move |at| reads(at) * 8.0)
            .counter(Table::Disk, "sda", "read_ms", move |at| depth(at) * 1000.0)
            .counter(Table::Disk, "sda", "writes", |_| 0.0)
            .counter(Table::Disk, "sda", "write_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
            .counter(Table::Disk, "sda", "io_ms", move |at| if during(at) { 870.0 } else { 0.0 })
            .counter(Table::Disk, "sda", "weighted_io_ms", move |at| depth(at) * 1000.0);
        finding(&story.tell(), "device-saturated").is_some()
    };
    assert!(told(13.0, 60.0));
    assert!(!told(0.9, 60.0), "one request at a time: its latency sets the rate");
}
