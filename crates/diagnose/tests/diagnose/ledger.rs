//! The ledger: what services lose, to which account it goes, and what it decides.

use crate::story::{Story, finding, whole};
use crate::verdict::{quiet, quiet_every};
use pagetide_core::{Account, Actor, Conclusion, Diagnosis, Grade, Table};
use pagetide_diagnose::diagnose;

/// What a group waits, µs of each second: this from 40 to 100 s, and that else.
fn from_to(then: f64, else_: f64) -> impl Fn(f64) -> f64 + Copy {
    move |at| if (40.0..100.0).contains(&at) { then } else { else_ }
}

/// A database in a group of its own that waits for IO from 40 to 100 s.
fn waits(share: f64) -> Story {
    quiet(120)
        .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
        .counter(Table::Cgroup, "/db", "psi_io_some", from_to(share * 1e6, 2000.0))
        .counter(Table::Host, "", "psi_io_some", from_to(share * 1e6, 2000.0))
}

fn booked(diagnosis: &Diagnosis, account: Account) -> f64 {
    diagnosis.ledger.as_ref().map_or(0.0, |ledger| ledger.booked(account) as f64 / 1e9)
}

#[test]
fn a_service_that_waits_for_io_while_no_device_has_a_request_is_never_healthy() {
    let limited = diagnose(&waits(0.9).tell());
    assert_eq!(limited.verdict, Conclusion::CannotTell);
    assert!(limited.summary.contains("check io.max"), "{}", limited.summary);
    let ledger = limited.ledger.as_ref().unwrap();
    assert_eq!((&*ledger.by, ledger.bookings[0].account), ("cgroup:/db", Account::Unexplained));
    assert!((ledger.lost_ns as f64 / 1e9 - 54.0).abs() < 1.0, "{ledger:?}");
    // The disk is busy 6 % of the time: so much of it may be a device's.
    assert!((booked(&limited, Account::Unexplained) - 50.4).abs() < 1.5, "{ledger:?}");
    let sum: u64 = ledger.bookings.iter().map(|booking| booking.lost_ns).sum();
    assert!(sum.abs_diff(ledger.lost_ns) < 10_000_000, "the bookings are all of what was lost");
    assert_eq!(diagnose(&waits(0.02).tell()).verdict, Conclusion::Healthy, "a hundredth of the time is no step");
}

#[test]
fn an_incident_lasts_for_as_long_as_services_lose_time_to_its_cause() {
    let told = |read_again: f64| {
        let grown = |at: f64| ((at - 40.0) / 12.0).clamp(0.0, 1.0) * 3e9;
        let growing = |rate: f64| move |at: f64| if (40.0..52.0).contains(&at) { rate } else { 0.0 };
        let later = |then: f64, else_: f64| move |at: f64| if (50.0..100.0).contains(&at) { then } else { else_ };
        let waits = later(850_000.0, 2000.0);
        let story = quiet(120)
            .gauge(Table::Host, "", "AnonPages", move |at| 2e9 + grown(at))
            .gauge(Table::Host, "", "Cached", move |at| 5e9 - 0.9 * grown(at))
            .gauge(Table::Process, "9@9", "RssAnon", move |at| 1e8 + grown(at))
            .counter(Table::Host, "", "pgscan_kswapd", growing(70_000.0))
            .counter(Table::Host, "", "pgsteal_kswapd", growing(60_000.0))
            .counter(Table::Host, "", "workingset_refault_file", later(read_again, 3.0))
            .counter(Table::Host, "", "psi_io_some", waits)
            .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/db", "psi_io_some", waits)
            .counter(Table::Disk, "sda", "reads", later(2000.0, 100.0))
            .counter(Table::Disk, "sda", "read_sectors", later(16_000.0, 800.0))
            .counter(Table::Disk, "sda", "read_ms", later(950.0, 60.0))
            .counter(Table::Disk, "sda", "io_ms", later(900.0, 60.0))
            .counter(Table::Disk, "sda", "weighted_io_ms", later(950.0, 60.0));
        diagnose(&story.tell())
    };
    let missed = told(2000.0);
    let cause = missed.cause.as_ref().unwrap_or_else(|| panic!("{missed:#?}"));
    assert_eq!(cause.rule.as_str(), "anonymous-growth-takes-cache");
    assert!(cause.end_ns < 60_000_000_000, "it grew for 12 s: {cause:?}");
    let incident = &missed.incidents[0];
    let (from, to) = (incident.range.from.ns(), incident.range.to.ns());
    assert_eq!(from, cause.onset_ns);
    assert!((to - 100_000_000_000).abs() <= 2_000_000_000, "its pages are missed until 100 s: {to}");
    let lost = incident.losses.iter().find(|loss| loss.victim == Actor::group("/db")).expect("it waits for IO");
    assert!((lost.lost_ns as f64 / 1e9 - 42.0).abs() < 2.0, "{lost:?}");
    assert!(missed.summary.starts_with("42.4 s lost in 50 s"), "{}", missed.summary);
    let before = "Before, the control group /db waited 2 ms of each second for IO of sda.";
    assert!(missed.summary.contains(before), "{}", missed.summary);
    assert!(!missed.summary.contains("Tasks lost"), "the same waits: {}", missed.summary);
    let first = told(0.0);
    let own = first
        .incidents
        .iter()
        .find(|one| one.cause.as_ref().is_some_and(|cause| cause.rule.as_str() == "anonymous-growth-takes-cache"));
    assert!(own.is_none_or(|own| own.range.to.ns() < 60_000_000_000), "it reads what it never had: {first:#?}");
}

#[test]
fn what_a_job_waits_for_its_own_requests_is_no_harm() {
    let job = |share: f64| {
        let story = waits(0.0).counter(Table::Cgroup, "/job", "cpu_usage", from_to(300_000.0, 0.0)).counter(
            Table::Cgroup,
            "/job",
            "psi_io_some",
            from_to(share * 1e6, 0.0),
        );
        diagnose(&story.tell())
    };
    let alone = job(0.9);
    assert_eq!(alone.verdict, Conclusion::Healthy, "{}", alone.summary);
    assert!(alone.ledger.is_none_or(|ledger| ledger.by == "cgroup:/db"), "a job is not whom it is about");
}

#[test]
fn what_the_kernel_writes_for_a_job_that_is_over_harms_nobody_who_does_not_wait() {
    // dd writes 60 MiB from 40 to 44 s; the disk takes until 60 s for them, and only `sync` waits.
    let told = |service_waits: f64, bytes: i64, group: Option<f64>| {
        let at = |from: f64, to: f64, rate: f64| move |at: f64| if (from..to).contains(&at) { rate } else { 0.0 };
        let of_dd = (0..120_i64).map(|second| (39..46).contains(&second).then_some((second - 40).clamp(0, 4) * bytes));
        let story = quiet(120)
            .counter(Table::Host, "", "psi_io_some", at(44.0, 60.0, 950_000.0))
            .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/db", "psi_cpu_some", |_| 1000.0)
            .counter(Table::Cgroup, "/db", "psi_io_some", at(44.0, 60.0, service_waits * 1e6))
            .counter(Table::Process, "1@1", "write_bytes", |_| 100.0)
            .line(Table::Process, "9@4000", "write_bytes", of_dd.collect())
            .counter(Table::Disk, "sda", "reads", |_| 3.0)
            .counter(Table::Disk, "sda", "read_ms", |_| 3.0)
            .counter(Table::Disk, "sda", "read_sectors", |_| 24.0)
            .counter(Table::Disk, "sda", "writes", at(44.0, 60.0, 6.0))
            .counter(Table::Disk, "sda", "write_ms", at(44.0, 60.0, 24_000.0))
            .counter(Table::Disk, "sda", "write_sectors", at(44.0, 60.0, 7680.0))
            .counter(Table::Disk, "sda", "io_ms", at(44.0, 60.0, 980.0))
            .counter(Table::Disk, "sda", "weighted_io_ms", at(44.0, 60.0, 24_000.0));
        // The group of dd, and since when it runs: it waits for a CPU first, and then for the disk.
        let story = group.into_iter().fold(story, |story, since| {
            story.counter(Table::Cgroup, "/desktop", "psi_cpu_some", at(since, 60.0, 5000.0)).counter(
                Table::Cgroup,
                "/desktop",
                "psi_io_some",
                at(44.0, 60.0, 900_000.0),
            )
        });
        diagnose(&story.tell()).verdict
    };
    assert_ne!(told(0.0, 15 << 20, None), Conclusion::Incident, "dd wrote it, and nobody else waits");
    assert_eq!(told(0.6, 15 << 20, None), Conclusion::Incident, "a service waits");
    assert_eq!(told(0.0, 3 << 20, None), Conclusion::Incident, "who wrote most is not known");
    assert_eq!(told(0.0, 15 << 20, Some(40.0)), Conclusion::Healthy, "its group is as old as it");
    assert_eq!(told(0.0, 15 << 20, Some(0.0)), Conclusion::Incident, "its group is a service");
}

#[test]
fn who_works_every_few_seconds_is_a_service_and_who_works_once_a_minute_is_none() {
    let lost = |every: f64| {
        let runs = move |at: f64| if at % every < 1.0 { 50_000.0 } else { 0.0 };
        let waited = from_to(0.8e6, 0.0);
        let story = quiet(120)
            .counter(Table::Cgroup, "/export", "cpu_usage", runs)
            .counter(Table::Cgroup, "/export", "psi_io_some", waited)
            .counter(Table::Host, "", "psi_io_some", waited);
        diagnose(&story.tell()).ledger.map_or_else(String::new, |ledger| ledger.by)
    };
    assert_eq!(lost(3.0), "cgroup:/export");
    assert_eq!(lost(30.0), "", "a task of a timer waits for its own requests");
}

#[test]
fn what_a_job_waits_for_at_a_limit_of_its_own_is_a_remark() {
    let told = |ran: f64, calls: f64| {
        let story = quiet(120)
            .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/db", "psi_io_some", |_| 2000.0)
            // A service waits a moment for a CPU as the job starts.
            .counter(Table::Cgroup, "/db", "psi_cpu_some", |at| if at == 41.0 { 600_000.0 } else { 1000.0 })
            .counter(Table::Host, "", "psi_io_some", from_to(402_000.0, 2000.0))
            .gauge(Table::Host, "", "MemAvailable", |_| 4e9)
            .counter(Table::Cgroup, "/job", "cpu_usage", from_to(50_000.0, ran))
            .counter(Table::Cgroup, "/job", "psi_io_some", from_to(400_000.0, 0.0))
            .counter(Table::Cgroup, "/job", "psi_memory_some", from_to(400_000.0, 0.0))
            .counter(Table::Cgroup, "/job", "events_max", from_to(50.0, 0.0))
            .counter(Table::Cgroup, "/job", "workingset_refault_file", from_to(500.0, 0.0))
            .gauge(Table::Cgroup, "/job", "current", from_to(64e6, 10e6))
            .gauge(Table::Cgroup, "/job", "max", |_| 64e6)
            .gauge(Table::Cgroup, "/job", "cgroup_id", |_| 43.0)
            .gauge(Table::Process, "9@9", "cgroup_id", |_| 43.0)
            .counter(Table::Process, "9@9", "freepages_delay_total", from_to(4e8, 0.0))
            .gauge(Table::Cgroup, "/db", "cgroup_id", |_| 42.0)
            .gauge(Table::Process, "7@7", "cgroup_id", |_| 42.0)
            .counter(Table::Process, "7@7", "syscr", move |at| if at < 40.0 { 40.0 } else { calls });
        diagnose(&story.tell())
    };
    let service = told(50_000.0, 40.0);
    let cause = service.cause.as_ref().unwrap_or_else(|| panic!("{service:#?}"));
    assert_eq!((cause.rule.as_str(), cause.grade), ("cgroup-limit-reclaim", Grade::Strong));
    assert_eq!(service.verdict, Conclusion::Incident);
    let job = told(0.0, 40.0);
    assert_eq!(job.verdict, Conclusion::Healthy, "it started with its waits: {}", job.summary);
    let cause = job.cause.as_ref().map(|cause| cause.rule.as_str());
    assert_eq!(cause, Some("healthy"), "what is well has no culprit");
    assert!(job.findings.iter().any(|finding| finding.rule.as_str() == "cgroup-limit-reclaim"), "it is still told");
    assert!(job.summary.contains("The control group /job reaches its limit"), "{}", job.summary);
    let beside = told(0.0, 5.0);
    assert_eq!(beside.verdict, Conclusion::CannotTell, "{}", beside.summary);
    assert!(beside.summary.contains("tasks of /db called read and write 5/s (40/s before)"), "{}", beside.summary);
}

#[test]
fn a_device_that_works_longer_on_fewer_requests_is_slow_and_a_longer_queue_of_more_is_load() {
    let story = |requests: f64, busy: f64, queue: f64| {
        waits(0.8)
            .counter(Table::Disk, "sda", "reads", from_to(requests, 100.0))
            .counter(Table::Disk, "sda", "read_ms", from_to(queue * 1000.0, 60.0))
            .counter(Table::Disk, "sda", "read_sectors", from_to(requests * 20.0, 2000.0))
            .counter(Table::Disk, "sda", "writes", |_| 0.0)
            .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
            .counter(Table::Disk, "sda", "write_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "weighted_io_ms", from_to(queue * 1000.0, 60.0))
            .counter(Table::Disk, "sda", "io_ms", from_to(busy * 1000.0, 60.0))
    };
    let device = |requests: f64, busy: f64, queue: f64| diagnose(&story(requests, busy, queue).tell());
    let slow = device(80.0, 0.99, 3.0);
    assert!(booked(&slow, Account::Device) > 40.0, "{:?}", slow.ledger);
    let found: Vec<(String, String)> =
        slow.findings.iter().map(|one| (one.rule.to_string(), one.statement.clone())).collect();
    assert_eq!(slow.cause.unwrap().rule.as_str(), "device-slow", "{found:?}");
    let loaded = device(1000.0, 0.99, 12.0);
    let sent = |share: f64| {
        let bytes = from_to(1000.0 * 20.0 * 512.0 * share, 100.0 * 20.0 * 512.0);
        diagnose(&story(1000.0, 0.99, 12.0).counter(Table::Process, "7@7", "read_bytes", bytes).tell()).summary
    };
    assert!(sent(1.0).contains("where 7@7 (pid 7) sends all 9.77 MiB/s"), "{}", sent(1.0));
    assert!(sent(0.8).contains("where 7@7 (pid 7) sends 7.81 MiB/s of 9.77 MiB/s"), "{}", sent(0.8));
    assert_eq!(booked(&loaded, Account::Device), 0.0);
    assert!(booked(&loaded, Account::Load) + booked(&loaded, Account::OwnWork) > 40.0, "{:?}", loaded.ledger);
    assert_eq!(loaded.cause.unwrap().rule.as_str(), "device-saturated");
}

#[test]
fn the_limit_that_a_group_reaches_is_the_one_that_advice_raises() {
    let told = |max: Option<f64>, high: Option<f64>| {
        let story = quiet(120)
            .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/db", "events_max", from_to(50.0, 0.0))
            .counter(Table::Cgroup, "/db", "workingset_refault_file", from_to(900.0, 0.0))
            .counter(Table::Cgroup, "/db", "psi_io_some", from_to(600_000.0, 2000.0))
            .gauge(Table::Cgroup, "/db", "current", |_| 64e6);
        let limits = [("max", max), ("high", high)].into_iter().filter_map(|(name, limit)| Some((name, limit?)));
        let story = limits.fold(story, |story, (name, limit)| story.gauge(Table::Cgroup, "/db", name, move |_| limit));
        let found = finding(&story.tell(), "cgroup-limit-reclaim").expect("it is at its limit");
        let advice = &found.advice[0];
        [&advice.command, &advice.undo].map(|text| text.clone().unwrap_or_default())
    };
    assert_eq!(told(Some(64e6), None), ["echo 80000000 > /db/memory.max", "echo 64000000 > /db/memory.max"]);
    assert_eq!(told(Some(90e6), Some(64e6)), ["echo 80000000 > /db/memory.high", "echo 64000000 > /db/memory.high"]);
}

#[test]
fn what_a_group_evicts_at_its_own_limit_is_read_again() {
    let told = |evicted: f64| {
        let story = Story::new(120, 1.0)
            .manifest(|manifest| manifest.memory_total = pagetide_core::Bytes::new(8 << 30))
            .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/db", "psi_io_some", from_to(900_000.0, 2000.0))
            .counter(Table::Cgroup, "/db", "pgsteal", from_to(evicted, 0.0))
            .counter(Table::Host, "", "psi_io_some", from_to(900_000.0, 2000.0))
            .counter(Table::Host, "", "pgsteal_kswapd", |_| 0.0)
            .counter(Table::Host, "", "workingset_refault_file", from_to(2000.0, 0.0));
        diagnose(
            &disk_of(story, (0.9, 2000.0), (0.01, 10.0))
                .counter(Table::Disk, "sda", "read_sectors", from_to(16_000.0, 80.0))
                .tell(),
        )
    };
    let own = told(2000.0);
    assert!(booked(&own, Account::ReadAgain) > 40.0, "{:?}", own.ledger);
    assert!(booked(&told(0.0), Account::ReadAgain) < 5.0, "nothing was evicted");
}

#[test]
fn a_group_waits_at_the_disk_where_its_requests_take_most_time_and_not_where_it_sends_most() {
    // Its few reads of sda take 31 ms each, its many of sdb 50 us.
    let told = |own: f64| {
        let story = disk_of(waits(0.9), (0.95, 30.0), (0.01, 1.0))
            .counter(Table::CgroupDisk, "/db\tsda", "rios", from_to(own, 0.0))
            .counter(Table::CgroupDisk, "/db\tsdb", "rios", from_to(1000.0, 0.0))
            .counter(Table::Disk, "sdb", "reads", from_to(1000.0, 0.0))
            .counter(Table::Disk, "sdb", "read_ms", from_to(50.0, 0.0))
            .counter(Table::Disk, "sdb", "read_sectors", from_to(8000.0, 0.0))
            .counter(Table::Disk, "sdb", "writes", |_| 0.0)
            .counter(Table::Disk, "sdb", "write_ms", |_| 0.0)
            .counter(Table::Disk, "sdb", "write_sectors", |_| 0.0)
            .counter(Table::Disk, "sdb", "weighted_io_ms", from_to(50.0, 0.0))
            .counter(Table::Disk, "sdb", "io_ms", from_to(50.0, 0.0));
        diagnose(&story.tell())
    };
    let at_sda = told(30.0);
    assert!(booked(&at_sda, Account::Unexplained) < 1.0, "{:?}", at_sda.ledger);
    let of_others = told(0.0);
    assert!(booked(&of_others, Account::Unexplained) > 40.0, "{:?}", of_others.ledger);
}

#[test]
fn a_burst_that_costs_a_service_less_than_two_seconds_is_a_remark() {
    let with = |seconds: f64, host: f64, story: Story| {
        let within =
            move |then: f64, else_: f64| move |at: f64| if (60.0..60.0 + seconds).contains(&at) { then } else { else_ };
        let story = story
            .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/db", "psi_io_some", within(150_000.0, 2000.0))
            .counter(Table::Host, "", "psi_io_some", within(host, 2000.0))
            .counter(Table::Disk, "sda", "reads", within(950.0, 60.0))
            .counter(Table::Disk, "sda", "read_ms", within(9500.0, 60.0))
            .counter(Table::Disk, "sda", "read_sectors", within(51.0 * 2048.0, 2048.0))
            .counter(Table::Disk, "sda", "writes", |_| 0.0)
            .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
            .counter(Table::Disk, "sda", "write_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "weighted_io_ms", within(9500.0, 60.0))
            .counter(Table::Disk, "sda", "io_ms", within(990.0, 60.0))
            .counter(Table::Process, "1@1", "read_bytes", |_| 1_048_576.0)
            .counter(Table::Process, "7@7", "read_bytes", within(50.0 * 1_048_576.0, 0.0));
        diagnose(&story.tell())
    };
    let told = |seconds| with(seconds, 150_000.0, quiet(120));
    // 0.3 s in all, and 1.2 s in all.
    for seconds in [2.0, 8.0] {
        let burst = told(seconds);
        assert_eq!(burst.verdict, Conclusion::Healthy, "{}", burst.summary);
        assert_eq!(burst.cause.as_ref().unwrap().rule.as_str(), "healthy");
        assert!(burst.summary.starts_with("No service lost notable time. 7@7 (pid 7) moves"), "{}", burst.summary);
        let with_kernel = with(seconds, 900_000.0, quiet(120));
        assert_eq!(with_kernel.verdict, Conclusion::Healthy, "jbd2 waits, and no service: {}", with_kernel.summary);
    }
    let longer = told(30.0);
    assert_eq!(longer.verdict, Conclusion::Incident, "{}", longer.summary);
    assert_eq!(longer.cause.unwrap().rule.as_str(), "noisy-neighbour");
    // What else goes on is the answer then.
    let killed = |at: f64| if (90.0..91.0).contains(&at) { 1.0 } else { 0.0 };
    let kill = with(2.0, 150_000.0, quiet(120).counter(Table::Host, "", "oom_kill", killed));
    assert_eq!(kill.verdict, Conclusion::Incident, "{}", kill.summary);
    assert_eq!(kill.cause.unwrap().rule.as_str(), "oom-kill");
    assert_eq!(kill.findings[0].advice[0].gives_back_ns, None, "who was killed did not wait");
}

#[test]
fn cpus_that_are_full_for_a_moment_cost_a_service_less_than_a_burst() {
    let told = |seconds: f64, share: f64| {
        let within =
            move |then: f64, else_: f64| move |at: f64| if (60.0..60.0 + seconds).contains(&at) { then } else { else_ };
        let story = quiet(120)
            .counter(Table::Host, "", "cpu_user", within(199.0, 20.0))
            .counter(Table::Host, "", "cpu_nice", |_| 0.0)
            .counter(Table::Host, "", "cpu_system", |_| 0.0)
            .counter(Table::Host, "", "cpu_iowait", |_| 0.0)
            .counter(Table::Host, "", "cpu_idle", within(1.0, 180.0))
            .counter(Table::Host, "", "psi_cpu_some", within(900_000.0, 5000.0))
            .counter(Table::Cgroup, "/cache", "cpu_usage", |_| 200_000.0)
            .counter(Table::Cgroup, "/cache", "psi_cpu_some", within(share * 1e6, 5000.0))
            .counter(Table::Cgroup, "/checks", "cpu_usage", within(1_700_000.0, 0.0))
            .counter(Table::Cgroup, "/checks", "psi_cpu_some", within(900_000.0, 0.0))
            .counter(Table::Process, "7@7", "utime", within(170.0, 0.0));
        diagnose(&story.tell())
    };
    let burst = told(12.0, 0.12);
    assert_eq!(burst.verdict, Conclusion::Healthy, "1.4 s in all: {}", burst.summary);
    assert!(burst.findings.iter().any(|finding| finding.rule.as_str() == "cpu-bound"), "it is a remark");
    let longer = told(30.0, 0.25);
    assert_eq!(longer.verdict, Conclusion::Incident, "{}", longer.summary);
    assert_eq!(longer.cause.unwrap().rule.as_str(), "cpu-bound");
}

#[test]
fn first_reads_that_nobody_waits_for_are_told_of_a_program_that_starts_and_not_of_a_backup() {
    let told = |called: i64| {
        let read = from_to(20.0 * 1_048_576.0, 0.0);
        let process = |rate: i64| {
            let sum = move |at: i64| rate * (at - 40);
            (0..120).map(|at| (40..100).contains(&at).then(|| sum(at))).collect::<Vec<_>>()
        };
        let grown = |at: f64| (at - 40.0).clamp(0.0, 60.0) * 20.0 * 1_048_576.0;
        let story = quiet(120)
            .gauge(Table::Host, "", "Cached", move |at| 4e9 + grown(at))
            .gauge(Table::Host, "", "MemFree", move |at| 3e9 - grown(at))
            .counter(Table::Disk, "sda", "reads", move |at| read(at) / 131_072.0)
            .counter(Table::Disk, "sda", "read_sectors", move |at| read(at) / 512.0)
            .counter(Table::Disk, "sda", "read_ms", from_to(300.0, 0.0))
            .counter(Table::Disk, "sda", "io_ms", from_to(300.0, 0.0))
            .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/db", "psi_io_some", from_to(30_000.0, 2000.0))
            .counter(Table::Host, "", "psi_io_some", from_to(50_000.0, 2000.0))
            .counter(Table::Cgroup, "/job", "cpu_usage", from_to(50_000.0, 0.0))
            .counter(Table::Cgroup, "/job", "psi_io_some", from_to(50_000.0, 0.0))
            .line(Table::Process, "7@7", "utime", (0..120).map(Some).collect())
            .line(Table::Process, "9@40", "read_bytes", process(20 * 1_048_576))
            .line(Table::Process, "9@40", "rchar", process(20 * 1_048_576 * called));
        let diagnosis = diagnose(&story.tell());
        assert_eq!(diagnosis.verdict, Conclusion::Healthy, "{}", diagnosis.summary);
        assert!(diagnosis.summary.contains("The cache was cold: 1.17 GiB"), "{}", diagnosis.summary);
        diagnosis.cause.unwrap().rule.as_str()
    };
    assert_eq!(told(1), "healthy", "each byte once: nobody will miss the cache");
    assert_eq!(told(0), "cold-cache", "it maps its files");
    assert_eq!(told(3), "cold-cache", "it reads the same again");
}

#[test]
fn first_reads_of_a_backup_are_no_cause_of_what_a_service_waits_for_at_another_disk() {
    let told = |own: bool| {
        let story = if own { disk_of(waits(0.9), (400.0, 2000.0), (40.0, 10.0)) } else { waits(0.9) };
        let read = from_to(20.0 * 1_048_576.0, 0.0);
        let grown = |at: f64| (at - 40.0).clamp(0.0, 60.0) * 20.0 * 1_048_576.0;
        let sum = |at: i64| (at - 40) * 20 * 1_048_576;
        let story = story
            .gauge(Table::Host, "", "Cached", move |at| 4e9 + grown(at))
            .gauge(Table::Host, "", "MemFree", move |at| 3e9 - grown(at))
            .counter(Table::Disk, "sdb", "reads", move |at| read(at) / 131_072.0)
            .counter(Table::Disk, "sdb", "read_sectors", move |at| read(at) / 512.0)
            .counter(Table::Disk, "sdb", "read_ms", from_to(100.0, 0.0))
            .counter(Table::Disk, "sdb", "io_ms", from_to(100.0, 0.0))
            .line(Table::Process, "7@7", "utime", (0..120).map(Some).collect())
            .line(
                Table::Process,
                "9@40",
                "read_bytes",
                (0..120).map(|at| (40..100).contains(&at).then(|| sum(at))).collect(),
            );
        let diagnosis = diagnose(&story.tell());
        (diagnosis.cause.map(|cause| cause.rule.to_string()), diagnosis.summary)
    };
    let elsewhere = told(false);
    assert_eq!(elsewhere.0, None, "{}", elsewhere.1);
    let (cause, summary) = told(true);
    assert_ne!(cause.as_deref(), Some("cold-cache"), "{summary}");
}

#[test]
fn a_group_that_evicts_a_little_at_its_limit_and_hardly_waits_is_a_remark() {
    let told = |waits: f64| {
        let story = quiet(120)
            .counter(Table::Host, "", "psi_io_some", from_to(waits * 1e6, 2000.0))
            .gauge(Table::Host, "", "MemAvailable", |_| 4e9)
            .counter(Table::Cgroup, "/job", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/job", "psi_io_some", from_to(waits * 1e6, 2000.0))
            .counter(Table::Cgroup, "/job", "psi_memory_some", from_to(waits * 1e6, 0.0))
            .counter(Table::Cgroup, "/job", "events_max", from_to(50.0, 0.0))
            .counter(Table::Cgroup, "/job", "workingset_refault_file", from_to(500.0, 0.0))
            .gauge(Table::Cgroup, "/job", "current", from_to(64e6, 10e6))
            .gauge(Table::Cgroup, "/job", "max", |_| 64e6);
        diagnose(&story.tell())
    };
    let little = told(0.007);
    assert_ne!(little.verdict, Conclusion::Incident, "0.4 s of a minute: {}", little.summary);
    let much = told(0.4);
    assert_eq!(much.verdict, Conclusion::Incident, "{}", much.summary);
}

#[test]
fn the_group_that_is_said_to_wait_ran_before_the_trouble() {
    let told = |usual: f64| {
        let story = disk_of(waits(0.3), (8.0, 2000.0), (0.01, 10.0))
            .counter(Table::Cgroup, "/web", "cpu_usage", from_to(50_000.0, usual))
            .counter(Table::Cgroup, "/web", "psi_io_some", from_to(800_000.0, 0.0));
        diagnose(&story.tell()).summary
    };
    let came = told(0.0);
    assert!(came.contains("the control group /db waited"), "{came}");
    let ran = told(50_000.0);
    assert!(ran.contains("the control group /web did not wait for IO"), "it lost most: {ran}");
}

/// A disk with so many reads in flight and so many a second, from 40 to 100 s and else.
fn disk_of(story: Story, then: (f64, f64), else_: (f64, f64)) -> Story {
    let pick = move |at: f64| if (40.0..100.0).contains(&at) { then } else { else_ };
    let busy = move |at: f64| pick(at).0.min(1.0) * 1000.0;
    story
        .counter(Table::Disk, "sda", "reads", move |at| pick(at).1)
        .counter(Table::Disk, "sda", "read_ms", move |at| pick(at).0 * 1000.0)
        .counter(Table::Disk, "sda", "read_sectors", move |at| pick(at).1 * 20.0)
        .counter(Table::Disk, "sda", "writes", |_| 0.0)
        .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
        .counter(Table::Disk, "sda", "write_sectors", |_| 0.0)
        .counter(Table::Disk, "sda", "weighted_io_ms", move |at| pick(at).0 * 1000.0)
        .counter(Table::Disk, "sda", "io_ms", busy)
}

/// Waits for IO from 40 to 100 s, µs of each second.
fn host_waits(then: f64, else_: f64) -> Story {
    quiet(120).counter(Table::Host, "", "psi_io_some", from_to(then * 1e6, else_ * 1e6))
}

#[test]
fn a_step_of_the_host_without_groups_and_without_a_queue_is_never_healthy() {
    let idle = (0.06, 100.0);
    let limited = diagnose(&disk_of(host_waits(0.66, 0.02), idle, idle).tell());
    assert_eq!(limited.verdict, Conclusion::CannotTell, "{}", limited.summary);
    assert!(limited.summary.contains("while no device had a queue: check io.max"), "{}", limited.summary);
    // A program that reads for itself waits as long as its requests are in flight.
    let reads = diagnose(&disk_of(host_waits(0.66, 0.02), (0.66, 1100.0), (0.02, 33.0)).tell());
    assert_eq!(reads.verdict, Conclusion::Healthy, "{}", reads.summary);
}

#[test]
fn a_disk_that_counts_none_of_the_requests_of_groups_is_named() {
    let told = |counted: (f64, f64)| {
        let story = disk_of(waits(0.9), counted, counted);
        let story = story.counter(Table::CgroupDisk, "/db\tsda", "rios", from_to(20.0, 20.0));
        diagnose(&story.counter(Table::CgroupDisk, "/db\tsda", "wios", |_| 0.0).tell()).summary
    };
    let silent = told((0.0, 0.0));
    assert!(silent.contains("control groups sent 20/s requests to sda, which counted none of them"), "{silent}");
    assert!(silent.contains("write 1 to /sys/block/sda/queue/iostats"), "{silent}");
    let counted = told((0.02, 20.0));
    assert!(counted.contains("check io.max"), "{counted}");
    let hangs = told((0.5, 0.0));
    assert!(!hangs.contains("iostats"), "it is busy and completes none: {hangs}");
}

#[test]
fn a_step_of_tasks_in_no_group_is_never_healthy() {
    let idle = (0.06, 100.0);
    let grouped = |story: Story, share: f64| {
        story.counter(Table::Cgroup, "/batch", "cpu_usage", |_| 50_000.0).counter(
            Table::Cgroup,
            "/batch",
            "psi_io_some",
            from_to(share * 1e6, 2000.0),
        )
    };
    let outside = diagnose(&disk_of(grouped(host_waits(0.66, 0.02), 0.002), idle, idle).tell());
    assert_eq!(outside.verdict, Conclusion::CannotTell, "{}", outside.summary);
    assert!(outside.summary.contains("Tasks of the host lost"), "{}", outside.summary);
}

#[test]
fn what_a_program_that_just_started_waits_for_memory_is_no_harm_where_delays_show_that_it_is_alone() {
    let told = |started: bool, delay: &'static str| {
        let all = |value: &dyn Fn(i64) -> i64| -> Vec<Option<i64>> {
            (0..120).map(|at| (!started || (40..100).contains(&at)).then(|| value(at))).collect()
        };
        let since = |rate: i64| move |at: i64| rate * (at - 40).max(0);
        let story = Story::new(120, 1.0)
            .gauge(Table::Host, "", "MemTotal", |_| 8e9)
            .counter(Table::Host, "", "psi_memory_some", from_to(350_000.0, 0.0))
            .counter(Table::Host, "", "psi_io_some", |_| 0.0)
            .counter(Table::Disk, "sda", "io_ms", |_| 1.0)
            .line(Table::Process, "7@4000", "utime", all(&since(1)))
            .line(Table::Process, "7@4000", "rss", all(&|_| 1 << 20))
            .line(Table::Process, "7@4000", delay, all(&since(350_000_000)));
        diagnose(&story.tell()).summary
    };
    let lost = "tasks lost 350 ms of each second waiting for memory";
    assert!(!told(true, "swapin_delay_total").contains(lost), "swapoff reads back what was swapped out");
    assert!(told(false, "swapin_delay_total").contains(lost), "it was there before");
    assert!(told(true, "cpu_delay_total").contains(lost), "nobody knows who waited for memory");
}

#[test]
fn what_a_program_that_just_started_waits_for_a_cpu_is_no_harm_where_nobody_else_waits() {
    let told = |started: bool, service: i64| {
        let since = |rate: i64, from: i64| move |at: i64| (at >= from).then_some(rate * (at - 40).max(0));
        let line = |value: &dyn Fn(i64) -> Option<i64>| (0..120).map(value).collect::<Vec<_>>();
        let from = if started { 40 } else { 0 };
        let story = Story::new(120, 1.0)
            .gauge(Table::Host, "", "MemTotal", |_| 8e9)
            .counter(Table::Host, "", "psi_cpu_some", from_to(400_000.0, 10_000.0))
            .counter(Table::Host, "", "psi_memory_some", |_| 0.0)
            .counter(Table::Host, "", "psi_io_some", |_| 0.0)
            .line(Table::Process, "7@4000", "utime", line(&since(40, from)))
            .line(Table::Process, "7@4000", "cpu_delay_total", line(&since(400_000_000, from)))
            .line(Table::Process, "9@1", "utime", line(&since(1, 0)))
            .line(Table::Process, "9@1", "cpu_delay_total", line(&since(service, 0)));
        diagnose(&story.tell()).summary
    };
    let lost = "waiting for a CPU";
    assert!(!told(true, 5_000_000).contains(lost), "{}", told(true, 5_000_000));
    assert!(told(true, 300_000_000).contains(lost), "a service waits as well");
    assert!(told(false, 5_000_000).contains(lost), "it was there before");
}

#[test]
fn a_step_is_found_whatever_part_of_the_recording_it_takes_and_however_the_waits_vary() {
    // From 20 s to the end.
    let lasts = |at: f64| if at >= 20.0 { 660_000.0 } else { 20_000.0 };
    let long = quiet(120)
        .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
        .counter(Table::Cgroup, "/db", "psi_io_some", lasts)
        .counter(Table::Host, "", "psi_io_some", lasts);
    let long = diagnose(&disk_of(long, (0.06, 100.0), (0.06, 100.0)).tell());
    assert_eq!(long.verdict, Conclusion::CannotTell, "{}", long.summary);
    let ledger = long.ledger.unwrap();
    assert!((ledger.range.from.ns() - 20_000_000_000).abs() <= 1_000_000_000, "{ledger:?}");
    assert!((ledger.lost_ns as f64 / 1e9 - 64.0).abs() < 2.0, "{ledger:?}");
    // A service on a slow disk waits from 10 to 50 % of the time, whatever happens; then up to all of it.
    let noise = |at: f64| (at * 12.9898).sin().mul_add(43_758.545, 0.0).fract().abs();
    let varies =
        move |at: f64| 1e6 * if (60.0..100.0).contains(&at) { 0.8 + 0.2 * noise(at) } else { 0.1 + 0.4 * noise(at) };
    let noisy = quiet(120)
        .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
        .counter(Table::Cgroup, "/db", "psi_io_some", varies)
        .counter(Table::Host, "", "psi_io_some", varies);
    let noisy = diagnose(&disk_of(noisy, (0.3, 100.0), (0.3, 100.0)).tell());
    assert_eq!(noisy.verdict, Conclusion::CannotTell, "{}", noisy.summary);
    let ledger = noisy.ledger.unwrap();
    assert!((ledger.range.from.ns() - 60_000_000_000).abs() <= 3_000_000_000, "{:?}", ledger.range);
}

#[test]
fn waits_for_a_cpu_are_booked_to_it_whoever_computes() {
    let told = |more: f64| {
        let story = host_waits(0.05, 0.05)
            .counter(Table::Host, "", "psi_cpu_some", from_to(500_000.0, 2000.0))
            .counter(Table::Cgroup, "/db", "cpu_usage", from_to(50_000.0 + more, 50_000.0))
            .counter(Table::Cgroup, "/db", "psi_io_some", from_to(50_000.0, 50_000.0))
            .counter(Table::Cgroup, "/db", "psi_cpu_some", from_to(500_000.0, 2000.0));
        diagnose(&story.tell())
    };
    for more in [0.0, 900_000.0] {
        let diagnosis = told(more);
        assert!((booked(&diagnosis, Account::Cpu) - 30.0).abs() < 1.0, "{more}: {:?}", diagnosis.ledger);
    }
}

#[test]
fn whether_a_service_that_does_a_third_at_once_is_well_cannot_be_told() {
    let then = |before: f64, after: f64| move |at: f64| if at < 60.0 { before } else { after };
    let told = |cpu: (f64, f64), requests: (f64, f64)| {
        let story = quiet(120)
            .counter(Table::Cgroup, "/db", "cpu_usage", then(cpu.0 * 1e6, cpu.1 * 1e6))
            .counter(Table::Cgroup, "/db", "io_rios", |_| 0.0)
            .counter(Table::Cgroup, "/db", "io_wios", then(requests.0, requests.1));
        let diagnosis = diagnose(&story.tell());
        let grade = diagnosis.cause.map(|cause| cause.grade);
        (diagnosis.verdict, diagnosis.summary, grade, diagnosis.incidents)
    };
    let half = told((0.05, 0.05), (40.0, 18.0));
    assert_eq!(half.0, Conclusion::Healthy, "half as many may be asked for: {}", half.1);
    assert_ne!(half.2, Some(Grade::Strong), "and half as many may be answered: {}", half.1);
    assert!(half.3.is_empty(), "{:?}", half.3);
    assert!(half.1.contains("tasks of /db sent 18/s requests to disks (40/s before)"), "{}", half.1);
    let most = told((0.05, 0.05), (40.0, 26.0));
    assert_eq!((most.0, most.2), (Conclusion::Healthy, Some(Grade::Strong)), "{}", most.1);
    for (cpu, requests, did) in [
        ((0.2, 0.02), (40.0, 40.0), "tasks of /db used 2.0 % of a CPU (20.0 % before)"),
        ((0.05, 0.05), (40.0, 8.0), "tasks of /db sent 8/s requests to disks (40/s before)"),
    ] {
        let (verdict, summary, _, incidents) = told(cpu, requests);
        assert_eq!(verdict, Conclusion::CannotTell, "{summary}");
        let [incident] = &incidents[..] else { panic!("who suffers is an incident without a cause: {incidents:?}") };
        assert_eq!((incident.victim.clone(), &incident.cause), (Some(Actor::group("/db")), &None));
        assert!((incident.range.from.ns() - 60_000_000_000).abs() <= 2_000_000_000, "{incident:?}");
        assert!(summary.contains(did) && summary.contains("they had fewer requests"), "{summary}");
    }
    let over = told((0.2, 0.0), (40.0, 0.0));
    assert_eq!(over.0, Conclusion::Healthy, "a job that is over: {}", over.1);
    let early = |at: f64| if at < 15.0 { 300_000.0 } else { 10_000.0 };
    let early = diagnose(&quiet(120).counter(Table::Cgroup, "/db", "cpu_usage", early).tell());
    assert_eq!(early.verdict, Conclusion::Healthy, "it had just started: {}", early.summary);
    let bursts = |at: f64| if at == 5.0 || at == 24.0 { 500_000.0 } else { 3000.0 };
    let bursts = diagnose(&quiet(120).counter(Table::Cgroup, "/db", "cpu_usage", bursts).tell());
    assert_eq!(bursts.verdict, Conclusion::Healthy, "two bursts are no load: {}", bursts.summary);
    let slowly = |at: f64| if at < 60.0 { 300_000.0 } else { 300_000.0 * (1.0 - (at - 60.0) / 60.0) };
    let slowly = diagnose(&quiet(120).counter(Table::Cgroup, "/db", "cpu_usage", slowly).tell());
    assert_eq!(slowly.verdict, Conclusion::Healthy, "{}", slowly.summary);
    let came = |from: i64| {
        let used = |at: i64| 200_000 * (at.min(60) - from) + 20_000 * (at - 60).max(0);
        let job = (0..120).map(|at| (at >= from).then(|| used(at))).collect();
        diagnose(&quiet(120).line(Table::Cgroup, "/job", "cpu_usage", job).tell())
    };
    assert_eq!(came(22).verdict, Conclusion::Healthy, "a job has what it came for: {}", came(22).summary);
    assert_eq!(came(0).verdict, Conclusion::CannotTell, "it was there before: {}", came(0).summary);
}

#[test]
fn a_service_that_is_started_again_and_again_is_not_well() {
    let told = |runs: &[(&str, std::ops::Range<i64>)], others: f64| {
        let runs = runs.to_vec();
        let works = runs.clone();
        let cpus = move |at: f64| {
            if works.iter().any(|(_, run)| (run.start as f64..run.end as f64).contains(&at)) {
                40_000.0
            } else {
                others
            }
        };
        let story = quiet(120).counter(Table::Cgroup, "/web", "cpu_usage", cpus).gauge(
            Table::Cgroup,
            "/web",
            "cgroup_id",
            |_| 42.0,
        );
        let story = runs.into_iter().fold(story, |story, (name, run)| {
            let line = |value: i64| (0..120).map(|at| run.contains(&at).then_some(value * (at - run.start))).collect();
            let group = (0..120).map(|at| run.contains(&at).then_some(42)).collect();
            story.command(name, "portal").line(Table::Process, name, "utime", line(4)).line(
                Table::Process,
                name,
                "cgroup_id",
                group,
            )
        });
        diagnose(&story.tell())
    };
    let runs = [("7@7", 0..40), ("8@4600", 46..60), ("9@6600", 66..80), ("10@8600", 86..100)];
    let again = told(&runs, 0.0);
    assert_eq!(again.verdict, Conclusion::CannotTell, "{}", again.summary);
    let said = "portal of /web ended and was started again 3 times, and no task of the group ran for";
    assert!(again.summary.contains(said), "{}", again.summary);
    assert_eq!(again.incidents[0].victim, Some(Actor::group("/web")));
    assert_eq!(told(&runs, 40_000.0).verdict, Conclusion::Healthy, "others of the group serve meanwhile");
    let updated = told(&[("7@7", 0..60), ("8@7000", 70..120)], 0.0);
    assert_eq!(updated.verdict, Conclusion::Healthy, "it was started once: {}", updated.summary);
    let job = told(&[("7@7", 0..10), ("8@4000", 40..50), ("9@7000", 70..80)], 0.0);
    assert_eq!(job.verdict, Conclusion::Healthy, "a job that runs now and then: {}", job.summary);
}

#[test]
fn what_a_service_does_is_told_by_its_read_and_write_calls() {
    let then = |before: f64, after: f64| move |at: f64| if at < 60.0 { before } else { after };
    let told = |cpu: (f64, f64), calls: (f64, f64)| {
        let story = quiet(120)
            .counter(Table::Cgroup, "/db", "cpu_usage", then(cpu.0 * 1e6, cpu.1 * 1e6))
            .gauge(Table::Cgroup, "/db", "cgroup_id", |_| 42.0)
            .gauge(Table::Process, "7@7", "cgroup_id", |_| 42.0)
            .counter(Table::Process, "7@7", "syscr", then(calls.0, calls.1))
            .counter(Table::Process, "7@7", "syscw", |_| 0.0)
            .gauge(Table::Process, "8@8", "cgroup_id", |_| 42.0)
            .counter(Table::Process, "8@8", "syscr", |_| 1.0)
            .counter(Table::Process, "8@8", "syscw", |_| 0.0);
        let diagnosis = diagnose(&story.tell());
        (diagnosis.verdict, diagnosis.summary, diagnosis.cause.map(|cause| cause.grade))
    };
    let fewer = told((0.2, 0.2), (40.0, 16.0));
    assert_eq!(fewer.0, Conclusion::CannotTell, "it computes as much for each: {}", fewer.1);
    assert!(fewer.1.contains("tasks of /db called read and write 16/s (40/s before)"), "{}", fewer.1);
    let cheaper = told((0.2, 0.02), (40.0, 36.0));
    assert_eq!((cheaper.0, cheaper.2), (Conclusion::Healthy, Some(Grade::Strong)), "as much work: {}", cheaper.1);
    let few = told((0.2, 0.02), (3.0, 3.0));
    assert_eq!(few.0, Conclusion::CannotTell, "3 calls a second are its log: {}", few.1);
    assert!(few.1.contains("used 2.0 % of a CPU"), "{}", few.1);
    // 14 samples, two seconds apart.
    let every_2_s = |from: f64| {
        let story = quiet_every(2.0, 34)
            .counter(Table::Cgroup, "/db", "cpu_usage", |_| 200_000.0)
            .gauge(Table::Cgroup, "/db", "cgroup_id", |_| 42.0)
            .gauge(Table::Process, "7@7", "cgroup_id", |_| 42.0)
            .counter(Table::Process, "7@7", "syscr", move |at| if at < from { 40.0 } else { 1.0 })
            .counter(Table::Process, "7@7", "syscw", |_| 0.0);
        diagnose(&story.tell()).verdict
    };
    assert_eq!(every_2_s(28.0), Conclusion::CannotTell);
    assert_eq!(every_2_s(14.0), Conclusion::Healthy, "it may have just started");
}

#[test]
fn a_few_more_requests_of_its_own_are_not_what_a_service_waits_for() {
    let group = |requests: f64| {
        let story = host_waits(0.66, 0.05)
            .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/db", "psi_io_some", from_to(660_000.0, 50_000.0))
            .counter(Table::Cgroup, "/db", "io_rios", from_to(requests, 100.0))
            .counter(Table::Cgroup, "/db", "io_wios", |_| 0.0);
        diagnose(&disk_of(story, (requests * 0.0006, requests), (0.06, 100.0)).tell())
    };
    let limited = group(120.0);
    assert_eq!(limited.verdict, Conclusion::CannotTell, "{}", limited.summary);
    assert!(booked(&limited, Account::Unexplained) > 30.0, "{:?}", limited.ledger);
    assert!(booked(&limited, Account::OwnWork) < 2.0, "{:?}", limited.ledger);
    let own = group(1100.0);
    assert_eq!(own.verdict, Conclusion::Healthy, "{}", own.summary);
    assert!(booked(&own, Account::OwnWork) > 30.0, "{:?}", own.ledger);
}

#[test]
fn waits_for_flushes_are_waits_for_a_device() {
    let story = waits(0.6).counter(Table::Disk, "sda", "flushes", from_to(60.0, 1.0)).counter(
        Table::Disk,
        "sda",
        "flush_ms",
        from_to(550.0, 5.0),
    );
    let flushes = diagnose(&disk_of(story, (0.06, 100.0), (0.06, 100.0)).tell());
    assert!(booked(&flushes, Account::Unexplained) < 2.0, "{:?}", flushes.ledger);
}

#[test]
fn the_limit_that_a_group_reaches_is_named_by_the_version_of_control_groups() {
    let idle = (0.06, 100.0);
    let told = |version: &'static str| {
        let story = disk_of(host_waits(0.66, 0.02), idle, idle)
            .manifest(|manifest| manifest.capabilities.push(version.to_owned()))
            .gauge(Table::CgroupDisk, "/db\tsda", "max_riops", |_| 20.0)
            .counter(Table::CgroupDisk, "/db\tsda", "rios", from_to(19.8, 15.0))
            .gauge(Table::CgroupDisk, "/web\tsda", "max_rbps", |_| 50e6)
            .counter(Table::CgroupDisk, "/web\tsda", "rbytes", |_| 4096.0);
        diagnose(&story.tell()).summary
    };
    let first = told("cgroup1");
    assert!(first.contains("limit: blkio.throttle allows 20 reads a second on sda, and it does 20"), "{first}");
    let second = told("cgroup2");
    assert!(second.contains("limit: io.max allows 20 reads a second on sda"), "{second}");
}

/// A database that waits for IO and sends so many reads a second, from 40 to 100 s and else, with a limit of 20 from 43 s on, which is when the recorder reads it.
fn limited(then: (f64, f64), else_: (f64, f64), disk: (f64, f64)) -> Story {
    let read = |at: f64| if (43.0..100.0).contains(&at) { Some(20) } else { None };
    let story = quiet(120)
        .counter(Table::Host, "", "psi_io_some", from_to(then.0 * 1e6, else_.0 * 1e6))
        .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
        .counter(Table::Cgroup, "/db", "psi_io_some", from_to(then.0 * 1e6, else_.0 * 1e6))
        .line(Table::CgroupDisk, "/db\tsda", "max_riops", (0..120).map(|at| read(f64::from(at))).collect())
        .counter(Table::CgroupDisk, "/db\tsda", "rios", from_to(then.1, else_.1));
    disk_of(story, disk, (0.06, 100.0))
}

#[test]
fn of_a_limit_of_requests_only_whole_ones_of_each_slice_count() {
    // 100 ms of 24 a second are 2.4 requests, of which 2 are sent; of 6 a second they are .6, so that each waits for two slices.
    let told = |limit: f64, rate: f64| {
        let story = quiet(120)
            .counter(Table::Host, "", "psi_io_some", from_to(970_000.0, 20_000.0))
            .counter(Table::Cgroup, "/pod", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/pod", "psi_io_some", from_to(970_000.0, 20_000.0))
            .gauge(Table::CgroupDisk, "/pod\tsda", "max_riops", move |_| limit)
            .counter(Table::CgroupDisk, "/pod\tsda", "rios", from_to(rate, limit / 4.0));
        finding(&disk_of(story, (0.06, 100.0), (0.06, 100.0)).tell(), "io-limit")
    };
    assert!(told(24.0, 18.2).is_some());
    assert!(told(24.0, 17.0).is_none(), "less than it may send");
    let half = told(6.0, 3.0).expect("its program does something else between two requests").statement;
    assert!(half.contains("and it does 3. It does less because each request waits for whole slices"), "{half}");
    assert!(told(6.0, 2.0).is_none(), "it asks for less");
}

#[test]
fn a_request_that_takes_seconds_at_its_limit_counts_in_the_seconds_in_which_it_waits() {
    // Writes of some MB every five seconds below a limit of 400 kB/s.
    let told = |size: f64| {
        let waits = |at: f64| from_to(970_000.0, 20_000.0)(at);
        let sends = move |at: f64| match at {
            at if !(40.0..100.0).contains(&at) => 45_000.0,
            at if at % 5.0 >= 4.0 => size,
            _ => 0.0,
        };
        let story = quiet(120)
            .counter(Table::Host, "", "psi_io_some", waits)
            .counter(Table::Cgroup, "/cache", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/cache", "psi_io_some", waits)
            .gauge(Table::CgroupDisk, "/cache\tsda", "max_wbps", |_| 400_000.0)
            .counter(Table::CgroupDisk, "/cache\tsda", "wbytes", sends)
            .counter(Table::CgroupDisk, "/cache\tsda", "wios", |_| 10.0)
            .counter(Table::CgroupDisk, "/cache\tsda", "rios", |_| 0.0);
        finding(&disk_of(story, (0.06, 100.0), (0.06, 100.0)).tell(), "io-limit")
    };
    let found = told(2e6).expect("each waits for five seconds");
    assert!(found.statement.contains("/cache uses up its IO limit"), "{}", found.statement);
    assert_eq!(told(1e6), None, "it sends half of what it may");
}

#[test]
fn a_group_that_waits_for_the_model_of_io_cost_is_at_a_limit_that_all_groups_share() {
    // Two groups are charged, from the moment on in which io.cost was switched on.
    let story = |charged: i64, disk: (f64, f64)| {
        // In microseconds of each second.
        let charge = |each: i64| (0..120).map(|at: i64| (at >= 40).then_some((at - 40).min(60) * each)).collect();
        let story = quiet(120)
            .counter(Table::Host, "", "psi_io_some", from_to(970_000.0, 20_000.0))
            .counter(Table::Cgroup, "/mail", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/mail", "psi_io_some", from_to(970_000.0, 20_000.0))
            .counter(Table::Cgroup, "/web", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/web", "psi_io_some", |_| 50_000.0)
            .counter(Table::CgroupDisk, "/mail\tsda", "rios", from_to(12.0, 30.0))
            .counter(Table::CgroupDisk, "/web\tsda", "rios", |_| 1.0)
            .line(Table::CgroupDisk, "/mail\tsda", "cost_usage", charge(charged))
            .line(Table::CgroupDisk, "/web\tsda", "cost_usage", charge(60_000));
        finding(&disk_of(story, disk, (0.06, 100.0)).tell(), "io-limit")
    };
    let found = story(900_000, (0.06, 100.0)).expect("96 % of what the model allows");
    let expected =
        "/mail waits for its share of a device: io.cost counts 96 % of the device time of sda as used, by its model.";
    assert!(found.statement.contains(expected), "{}", found.statement);
    let (command, undo) = (found.advice[0].command.as_deref(), found.advice[0].undo.as_deref());
    assert!(command.is_some_and(|command| command.contains("enable=0' > /sys/fs/cgroup/io.cost.qos")), "{command:?}");
    assert!(undo.is_some_and(|undo| undo.contains("enable=1")), "{undo:?}");
    assert_eq!(story(500_000, (0.06, 100.0)), None, "the model allows more");
    assert_eq!(story(900_000, (3.0, 100.0)), None, "the device is full, with or without the model");
}

#[test]
fn a_group_that_waits_at_its_io_limit_while_the_device_rests_is_a_cause_of_its_own() {
    let idle = (0.06, 100.0);
    let told = diagnose(&limited((0.66, 19.8), (0.02, 60.0), idle).tell());
    let cause = told.cause.as_ref().expect("a cause");
    assert_eq!(
        (cause.rule.as_str(), cause.origins.names()),
        ("io-limit", vec!["cgroup:/db".to_owned(), "disk:sda".to_owned()])
    );
    assert!((cause.onset_ns - 39_000_000_000).abs() <= 1_000_000_000, "from the first throttled second on: {cause:?}");
    let statement = &told.findings[0].statement;
    assert!(
        statement.contains("/db uses up its IO limit: io.max allows 20 reads a second on sda, and it does 20."),
        "{statement}"
    );
    assert!(!statement.contains("slices"), "{statement}");
    let words = &told.ledger.as_ref().expect("a loss").bookings[0].words;
    assert_eq!(
        words, "waiting for the IO limit (io.max of /db) while no device had a request in flight",
        "the numbers once"
    );
    let booking = &told.ledger.as_ref().expect("a loss").bookings[0];
    assert_eq!((booking.on.as_deref(), booking.name()), (Some("limit:io.max of /db"), "IO limit"));
    let none = |story: Story| finding(&story.tell(), "io-limit").is_none();
    assert!(
        !none(limited((0.66, 14.0), (0.02, 60.0), idle)),
        "it did 60, and 14 of 20 since: each request waits for a slice"
    );
    assert!(none(limited((0.66, 14.0), (0.02, 15.0), idle)), "it does 14 of 20, and never did more than that");
    assert!(none(limited((0.66, 8.0), (0.02, 60.0), idle)), "it does 8 of 20");
    assert!(none(limited((0.05, 19.8), (0.02, 60.0), idle)), "nobody waits for the limit");
    let job = quiet(120)
        .counter(Table::Cgroup, "/backup", "cpu_usage", from_to(50_000.0, 0.0))
        .counter(Table::Cgroup, "/backup", "psi_io_some", from_to(990_000.0, 0.0))
        .gauge(Table::CgroupDisk, "/backup\tsda", "max_riops", |_| 20.0)
        .counter(Table::CgroupDisk, "/backup\tsda", "rios", from_to(20.0, 0.0));
    assert!(none(disk_of(job, idle, idle)), "a job that starts below its limit");
    let of_v1 = |before: f64| {
        let story = quiet(120)
            .manifest(|manifest| manifest.capabilities.push("cgroup1".to_owned()))
            .counter(Table::Host, "", "psi_io_some", from_to(990_000.0, 2000.0))
            .gauge(Table::CgroupDisk, "/backup\tsda", "max_riops", |_| 20.0)
            .counter(Table::CgroupDisk, "/backup\tsda", "wios", |_| 0.0)
            .counter(Table::CgroupDisk, "/backup\tsda", "rios", from_to(20.0, before));
        disk_of(story, idle, idle)
    };
    assert!(none(of_v1(0.0)), "a job of v1, whose groups have no CPU time");
    assert!(!none(of_v1(10.0)), "a service of v1");
    // Other load takes its CPU for some seconds after the limit was set.
    let slow = |at: f64| if (40.0..46.0).contains(&at) { 12.0 } else { from_to(19.8, 60.0)(at) };
    let slowed = limited((0.66, 19.8), (0.02, 60.0), idle).counter(Table::CgroupDisk, "/db\tsda", "rios", slow);
    let onset = finding(&slowed.tell(), "io-limit").unwrap().range.from.ns();
    assert!((onset - 39_000_000_000).abs() <= 1_000_000_000, "{onset}");
    let full = limited((0.66, 19.8), (0.02, 60.0), (3.0, 100.0));
    assert!(none(full), "the device is full, with or without the limit");
}

#[test]
fn a_limit_that_holds_from_the_start_and_without_pressure_information_is_found() {
    let held = |rate: f64, delay: f64| {
        let story = quiet(120)
            .manifest(|manifest| manifest.capabilities.push("cgroup1".to_owned()))
            .manifest(|manifest| {
                // Somebody else may have written the recording.
                let device_number = Some("8:0'; reboot; '".to_owned());
                manifest.disks.push(pagetide_core::Disk {
                    name: "sda".to_owned(),
                    device_number,
                    ..Default::default()
                });
            })
            .gauge(Table::CgroupDisk, "/sys/fs/cgroup/memory/db\tsda", "max_wbps", |_| 1e6)
            .counter(Table::CgroupDisk, "/sys/fs/cgroup/memory/db\tsda", "wbytes", move |at| {
                rate * (1.0 + 0.1 * (at % 3.0 - 1.0))
            })
            .counter(Table::Cgroup, "/sys/fs/cgroup/memory/db", "blkio_delay_total", move |_| delay * 1e9);
        diagnose(&disk_of(story, (0.06, 100.0), (0.06, 100.0)).tell())
    };
    let told = held(1e6, 1.7);
    assert_eq!(told.cause.as_ref().map(|cause| cause.rule.as_str()), Some("io-limit"), "{}", told.summary);
    assert!(
        told.summary.contains(
            "The control group /sys/fs/cgroup/memory/db uses up its IO limit: blkio.throttle allows writes of 977 KiB/s on sda"
        ),
        "{}",
        told.summary
    );
    let added_up = "Its tasks, added up, waited for IO 1.70 s of each second, while sda was busy 6 % of the time.";
    assert!(told.summary.contains(added_up), "{}", told.summary);
    let command = told.findings[0].advice[0].command.clone().unwrap();
    assert_eq!(command, "echo 'MAJ:MIN 2000000' > /sys/fs/cgroup/blkio/db/blkio.throttle.write_bps_device");
    assert_eq!(held(1e6, 0.02).verdict, Conclusion::Healthy, "its tasks do not wait");
    assert_eq!(
        held(6e5, 1.7).cause.map(|cause| cause.rule.as_str().to_owned()),
        Some("healthy".to_owned()),
        "far below the limit"
    );
}

#[test]
fn waits_from_start_to_end_without_requests_are_not_healthy() {
    let told = |busy: f64| {
        let story = quiet(120).counter(Table::Host, "", "psi_io_some", |_| 700_000.0);
        diagnose(&disk_of(story, (busy, 100.0), (busy, 100.0)).tell())
    };
    let limited = told(0.05);
    assert_eq!(limited.verdict, Conclusion::CannotTell, "{}", limited.summary);
    assert!(limited.summary.contains("devices had requests 5 % of it: check io.max"), "{}", limited.summary);
    assert_eq!(told(0.68).verdict, Conclusion::Healthy, "it waits for its own reads");
    // A job that comes waits at its own limit, and the service does not.
    let job = waits(0.0)
        .counter(Table::Cgroup, "/job", "cpu_usage", from_to(5000.0, 0.0))
        .counter(Table::Cgroup, "/job", "psi_io_some", from_to(990_000.0, 0.0))
        .counter(Table::Host, "", "psi_io_some", from_to(990_000.0, 2000.0));
    let later = diagnose(&disk_of(job, (0.05, 100.0), (0.05, 100.0)).tell());
    assert_eq!(later.verdict, Conclusion::Healthy, "{}", later.summary);
    assert!(later.summary.starts_with("No rule found a problem with memory or devices: "), "{}", later.summary);
    assert!(later.summary.contains(" But tasks waited for IO "), "{}", later.summary);
    assert!(later.summary.contains(" of the time (0.200 % in quiet times)."), "{}", later.summary);
}

#[test]
fn a_step_is_found_in_samples_some_seconds_apart() {
    // Six samples before, of 5 s.
    let story = Story::new(24, 5.0)
        .manifest(|manifest| manifest.memory_total = pagetide_core::Bytes::new(8 << 30))
        .gauge(Table::Host, "", "MemTotal", |_| 8.0 * crate::live::GIB)
        .counter(Table::Host, "", "pgscan_kswapd", |_| 0.0)
        .counter(Table::Host, "", "psi_memory_some", |_| 90.0)
        .counter(Table::Host, "", "psi_io_some", |at| if at > 30.0 { 660_000.0 } else { 20_000.0 })
        .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
        .counter(Table::Cgroup, "/db", "psi_io_some", |at| if at > 30.0 { 660_000.0 } else { 20_000.0 });
    let limited = diagnose(&disk_of(story, (0.06, 100.0), (0.06, 100.0)).tell());
    assert_eq!(limited.verdict, Conclusion::CannotTell, "{}", limited.summary);
    assert!(limited.summary.contains("/db lost"), "{}", limited.summary);
}

#[test]
fn a_cause_to_which_nothing_is_booked_says_what_the_time_went_to() {
    // A program grows all the time, and the service waits for a CPU.
    let grown = |at: f64| at * 0.025 * crate::live::GIB;
    let story = quiet(120)
        .gauge(Table::Host, "", "AnonPages", move |at| crate::live::GIB + grown(at))
        .gauge(Table::Host, "", "Cached", move |at| 6.0 * crate::live::GIB - grown(at))
        .gauge(Table::Host, "", "MemAvailable", |_| crate::live::GIB)
        .gauge(Table::Process, "7@7", "RssAnon", grown)
        .counter(Table::Host, "", "psi_cpu_some", from_to(200_000.0, 2000.0))
        .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
        .counter(Table::Cgroup, "/db", "psi_cpu_some", from_to(200_000.0, 2000.0));
    let told = diagnose(&story.tell()).summary;
    assert!(told.contains("None of the lost time is booked to this cause"), "{told}");
    assert!(told.contains("by db, all of it waiting for a CPU."), "{told}");
}

#[test]
fn what_others_flush_of_a_service_is_no_work_of_its_own() {
    // The service writes, and waits; its requests become many. sync(1) writes each of its pages at once, or it writes more.
    let told = |bytes: f64| {
        let story = waits(0.5)
            .counter(Table::Cgroup, "/db", "io_wios", from_to(400.0, 20.0))
            .counter(Table::Cgroup, "/db", "io_wbytes", from_to(bytes, 20.0 * 16384.0))
            .counter(Table::Cgroup, "/db", "io_rios", |_| 0.0);
        let story = disk_of(story, (0.15, 100.0), (0.15, 100.0))
            .counter(Table::Disk, "sda", "writes", from_to(400.0, 20.0))
            .counter(Table::Disk, "sda", "write_ms", from_to(600.0, 30.0))
            .counter(Table::Disk, "sda", "io_ms", from_to(600.0, 180.0));
        diagnose(&story.tell())
    };
    let flushed = told(22.0 * 16384.0);
    assert_ne!(flushed.verdict, Conclusion::Healthy, "{}", flushed.summary);
    assert!(booked(&flushed, Account::OwnWork) < 3.0, "{:?}", flushed.ledger);
    let own = told(400.0 * 16384.0);
    assert!(booked(&own, Account::OwnWork) > 15.0, "{:?}", own.ledger);
    assert_eq!(own.verdict, Conclusion::Healthy, "{}", own.summary);
    assert_ne!(own.cause.unwrap().grade, pagetide_core::Grade::Strong, "it waits half of the time");
}

#[test]
fn who_waits_for_commits_of_a_journal_waits_for_the_disk_that_jbd2_writes_to() {
    let beside = |function: &str, before: i64, newcomers: usize, in_commits: bool| {
        let within = |at: f64| at >= 40.0;
        let found = (0..120).map(|at| {
            let rare = at % 5 >= before;
            (if within(at as f64) { at % 5 > 0 } else { !rare }).then_some(1)
        });
        let of = move |then: f64, else_: f64| move |at: f64| if within(at) { then } else { else_ };
        let story = waits(0.0)
            .gauge(Table::Cgroup, "/db", "cgroup_id", |_| 20.0)
            .gauge(Table::Process, "7@4", "cgroup_id", |_| 20.0)
            .command("7@4", "queued")
            .counter(Table::Process, "7@4", "write_bytes", of(40_000.0, 1000.0))
            .line(Table::Process, "7@4", function, found.collect())
            .gauge(Table::Host, "", "nr_dirty", |_| 1000.0)
            .gauge(Table::Host, "", "nr_dirty_background_threshold", |_| 1200.0)
            .counter(Table::Disk, "sda", "reads", |_| 0.0)
            .counter(Table::Disk, "sda", "read_ms", |_| 0.0)
            .counter(Table::Disk, "sda", "read_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "writes", of(30.0, 1.0))
            .counter(Table::Disk, "sda", "write_ms", of(880.0, 1.0))
            .counter(Table::Disk, "sda", "write_sectors", of(720.0, 24.0))
            .counter(Table::Disk, "sda", "weighted_io_ms", of(880.0, 1.0))
            .counter(Table::Disk, "sda", "io_ms", of(880.0, 1.0))
            .counter(Table::Disk, "sda", "flushes", of(30.0, 1.0));
        // Each is found in its commits less often than the service, all of them more often.
        let story = (0..newcomers).fold(story, |story, one| {
            let name = format!("{}@45", 20 + one);
            let later = |value: i64, at: i64| (at >= 40).then_some(value);
            let found = (0..120).map(|at| later(1, at).filter(|_| at % 3 == 0));
            let found = if in_commits { found.collect() } else { vec![None; 120] };
            story
                .command(&name, "greylist")
                .line(Table::Process, &name, "write_bytes", (0..120).map(|at| later((at - 40) * 60_000, at)).collect())
                .line(Table::Process, &name, "syscw", (0..120).map(|at| later((at - 40) * 6, at)).collect())
                .line(Table::Process, &name, function, found)
        });
        diagnose(&story.tell())
    };
    let told = |function: &str, before: i64| beside(function, before, 0, true);
    let storm = |newcomers: usize, in_commits: bool| {
        let cause = beside("wchan_jbd2_log_wait_commit", 0, newcomers, in_commits).cause.expect("many commits");
        assert_eq!(cause.rule.as_str(), "fsync-storm");
        cause.origins.names()
    };
    assert_eq!(storm(4, true), ["process:greylist", "disk:sda"], "they commit more than before");
    assert_eq!(storm(4, false), ["process:greylist", "disk:sda"], "they write most, with O_DSYNC");
    assert_eq!(storm(2, false), ["process:queued", "disk:sda"], "they write a third, and wait for no commit");
    let commits = told("wchan_jbd2_log_wait_commit", 0);
    let ledger = commits.ledger.as_ref().expect("found in commits for four fifths of the time");
    assert_eq!(ledger.by, "cgroup:/db");
    assert!((ledger.lost_ns as f64 / 1e9 - 64.0).abs() < 3.0, "{ledger:?}");
    let cause = commits.cause.as_ref().expect("small writes, each with a flush");
    assert_eq!(cause.rule.as_str(), "fsync-storm");
    assert_eq!(cause.origins.names(), ["process:queued", "disk:sda"]);
    let lost = |told: &Diagnosis| told.ledger.as_ref().is_some_and(|ledger| ledger.lost_ns > 1_000_000_000);
    assert!(!lost(&told("wchan_jbd2_log_wait_commit", 3)), "it is found there nearly as often before");
    assert!(!lost(&told("wchan_fanotify_handle_event", 0)), "that is no journal");
}

#[test]
fn a_service_that_sends_one_request_at_a_time_where_it_sent_several_loses_what_it_does_not_do() {
    let told = |in_flight: f64, served: f64| {
        let then = |before: f64, after: f64| move |at: f64| if at < 60.0 { before } else { after };
        let reads = then(60.0, served);
        let busy = then(650.0, 930.0);
        let story = quiet(120)
            .counter(Table::Host, "", "psi_io_some", then(740_000.0, 500_000.0))
            .counter(Table::Cgroup, "/db", "psi_io_some", then(740_000.0, 500_000.0))
            .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
            .gauge(Table::Cgroup, "/db", "cgroup_id", |_| 42.0)
            .gauge(Table::Process, "7@7", "cgroup_id", |_| 42.0)
            .counter(Table::Process, "7@7", "syscr", reads)
            .counter(Table::Process, "7@7", "syscw", |_| 0.0)
            .counter(Table::Process, "7@7", "read_bytes", move |at| reads(at) * 8192.0)
            .counter(Table::Disk, "sda", "reads", reads)
            .counter(Table::Disk, "sda", "read_sectors", move |at| reads(at) * 16.0)
            .counter(Table::Disk, "sda", "read_ms", then(650.0 * in_flight, 930.0))
            .counter(Table::Disk, "sda", "writes", |_| 0.0)
            .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
            .counter(Table::Disk, "sda", "io_ms", busy)
            .counter(Table::Disk, "sda", "weighted_io_ms", then(650.0 * in_flight, 930.0));
        diagnose(&story.tell())
    };
    let rule = |diagnosis: &Diagnosis| diagnosis.cause.as_ref().map(|cause| cause.rule.as_str());
    let one = told(3.4, 26.0);
    assert_eq!(rule(&one), Some("latency-bound"), "{}", one.summary);
    assert!(one.summary.contains("Tasks of /db did 2.3 times as much before"), "{}", one.summary);
    let lost = one.ledger.as_ref().map_or(0, |ledger| ledger.lost_ns);
    assert!(lost < 1_000_000_000, "what it waited before was its work: {:?}", one.ledger);
    let always = told(1.0, 26.0);
    assert_ne!(rule(&always), Some("latency-bound"), "it always sent one, and is asked for less: {}", always.summary);
    let as_much = told(3.4, 55.0);
    assert_ne!(as_much.verdict, Conclusion::Incident, "it does as much: {}", as_much.summary);
}

#[test]
fn a_service_that_is_deployed_anew_in_a_group_of_its_own_is_no_newcomer() {
    // A web service in /web1 until 60 s, and one of the same command, which waits for each of its first reads, in /web2 from 61 s on.
    let told = |command: &str, from: i64, to: i64, others: bool| {
        let story = quiet(120)
            .counter(Table::Host, "", "psi_io_some", |at| if at < 61.0 { 2000.0 } else { 900_000.0 })
            .counter(Table::Disk, "sda", "reads", |at| if at < 61.0 { 0.0 } else { 60.0 })
            .counter(Table::Disk, "sda", "read_sectors", |at| if at < 61.0 { 0.0 } else { 480.0 })
            .counter(Table::Disk, "sda", "read_ms", |at| if at < 61.0 { 0.0 } else { 2900.0 })
            .counter(Table::Disk, "sda", "io_ms", |at| if at < 61.0 { 0.0 } else { 990.0 })
            .counter(Table::Disk, "sda", "weighted_io_ms", |at| if at < 61.0 { 0.0 } else { 2900.0 })
            .counter(Table::Disk, "sda", "writes", |_| 0.0)
            .counter(Table::Disk, "sda", "write_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
            .counter(Table::Cgroup, "/db", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/db", "psi_cpu_some", |_| 1000.0)
            .counter(Table::Cgroup, "/db", "psi_io_some", |_| 0.0);
        let of =
            |story: Story, group: &str, id: i64, name: &str, command: &str, run: std::ops::Range<i64>, waits: i64| {
                let line =
                    |each: i64| (0..120).map(|at| run.contains(&at).then_some(each * (at - run.start))).collect();
                let number: Vec<_> = (0..120).map(|at| run.contains(&at).then_some(id)).collect();
                story
                    .line(Table::Cgroup, group, "cgroup_id", number.clone())
                    .line(Table::Cgroup, group, "cpu_usage", line(50_000))
                    .line(Table::Cgroup, group, "psi_cpu_some", line(1000))
                    .line(Table::Cgroup, group, "psi_io_some", line(waits))
                    .command(name, command)
                    .line(Table::Process, name, "cgroup_id", number)
                    .line(Table::Process, name, "utime", line(5))
                    .line(Table::Process, name, "read_bytes", line(if waits > 0 { 245_760 } else { 0 }))
                    .line(Table::Process, name, "write_bytes", line(0))
            };
        let story = of(story, "/web1", 41, "7@7", "shop", from..to, 0);
        let story = if others {
            let number = vec![Some(41); 120];
            story.command("5@5", "worker").line(Table::Process, "5@5", "cgroup_id", number).counter(
                Table::Process,
                "5@5",
                "utime",
                |_| 1.0,
            )
        } else {
            story
        };
        diagnose(&of(story, "/web2", 42, "8@6100", command, 61..120, 900_000).tell())
    };
    let by = |diagnosis: &Diagnosis| diagnosis.ledger.as_ref().map(|ledger| ledger.by.to_string());
    let deployed = told("shop", 0, 60, false);
    assert_eq!((deployed.verdict, by(&deployed).as_deref()), (Conclusion::Incident, Some("cgroup:/web2")));
    assert_eq!(told("report", 0, 60, false).verdict, Conclusion::Healthy, "a job of another command");
    let loses = |told: Diagnosis| by(&told).as_deref() == Some("cgroup:/web2");
    assert!(!loses(told("report", 0, 60, false)), "a job of another command waits for itself");
    assert!(!loses(told("shop", 0, 120, false)), "the service is still there");
    assert!(!loses(told("shop", 0, 60, true)), "its group is still there");
    let jobs = told("shop", 50, 60, false);
    assert_eq!(jobs.verdict, Conclusion::Healthy, "a job after a job: {}", jobs.summary);
}

#[test]
fn where_no_rule_names_a_cause_the_account_of_the_lost_time_is_named() {
    // The disk gets three times the requests and is busy half of the time: no queue, and no request at a time.
    let told = |busy: f64, requests: f64| diagnose(&disk_of(waits(0.7), (busy, requests), (0.06, 100.0)).tell());
    let loaded = told(0.5, 300.0);
    let cause = loaded.cause.as_ref().expect("most of the time was lost in one queue");
    assert_eq!((cause.rule.as_str(), cause.grade), ("device-saturated", Grade::Weak));
    assert_eq!(cause.origins.names(), ["disk:sda"]);
    assert!(
        loaded.summary.contains("No rule tells why, but most of the time was lost waiting for sda"),
        "{}",
        loaded.summary
    );
    assert!(booked(&loaded, Account::Load) > 20.0, "{:?}", loaded.ledger);
    let elsewhere = told(0.1, 100.0);
    assert_eq!(
        elsewhere.verdict,
        Conclusion::CannotTell,
        "most of it was lost without a request: {}",
        elsewhere.summary
    );
}

#[test]
fn dropped_caches_that_cost_a_service_less_than_a_burst_are_a_remark() {
    let told = |seconds: f64, share: f64| {
        let waits = move |at: f64| if (60.0..60.0 + seconds).contains(&at) { share * 1e6 } else { 0.0 };
        let story = quiet(120)
            .counter(Table::Host, "", "drop_pagecache", |at| if at > 60.0 && at <= 61.0 { 1.0 } else { 0.0 })
            .gauge(Table::Host, "", "Cached", |at| if at < 60.5 { 5e9 } else { 1e9 })
            .gauge(Table::Host, "", "MemFree", |at| if at < 60.5 { 0.3e9 } else { 4.3e9 })
            .counter(Table::Host, "", "psi_io_some", waits)
            .counter(Table::Cgroup, "/engine", "cpu_usage", |_| 50_000.0)
            .counter(Table::Cgroup, "/engine", "psi_io_some", waits);
        diagnose(&story.tell())
    };
    let brief = told(1.0, 0.3);
    assert_eq!(brief.verdict, Conclusion::Healthy, "{}", brief.summary);
    assert!(brief.summary.contains("dropped"), "{}", brief.summary);
    let felt = told(20.0, 0.8);
    assert_ne!(felt.verdict, Conclusion::Healthy, "{}", felt.summary);
}

#[test]
fn what_a_job_in_the_group_of_a_service_waits_for_its_own_reads_is_no_loss_of_the_service() {
    let told = |served: f64| {
        let late = |rate: f64| move |at: usize| (at >= 40).then_some((at as f64 - 40.0) * rate);
        let job = |story: Story, name: &str, value: &dyn Fn(usize) -> Option<f64>| {
            let values = (0..120).map(|at| value(at).map(whole)).collect();
            story.line(Table::Process, "11@4000", name, values)
        };
        let story = waits(0.5)
            .gauge(Table::Cgroup, "/db", "cgroup_id", |_| 7.0)
            .counter(Table::Disk, "vdb", "reads", from_to(100.0, 0.0))
            .counter(Table::Disk, "vdb", "read_sectors", from_to(25_600.0, 0.0))
            .counter(Table::Disk, "vdb", "read_ms", from_to(500.0, 0.0))
            .counter(Table::Disk, "vdb", "io_ms", from_to(500.0, 0.0))
            .counter(Table::Disk, "vdb", "write_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "write_sectors", |_| 0.0)
            .gauge(Table::Process, "9@1", "cgroup_id", |_| 7.0)
            .gauge(Table::Process, "9@1", "state", |_| f64::from(b'S'))
            .counter(Table::Process, "9@1", "utime", |_| 10.0)
            .counter(Table::Process, "9@1", "read_bytes", from_to(served, 0.0));
        let story = job(story, "cgroup_id", &|at| (at >= 40).then_some(7.0));
        let story = job(story, "utime", &late(5.0));
        diagnose(&job(story, "read_bytes", &late(13_107_200.0)).tell())
    };
    let alone = told(0.0);
    assert_eq!(alone.verdict, Conclusion::Healthy, "{}", alone.summary);
    let ledger = alone.ledger.as_ref().unwrap();
    assert_eq!((ledger.bookings.len(), ledger.bookings[0].account), (1, Account::OwnWork), "{ledger:?}");
    let both = told(65_536.0);
    assert_ne!(both.verdict, Conclusion::Healthy, "the service reads as well: {}", both.summary);
}
