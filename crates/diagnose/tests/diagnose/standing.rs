//! What lasts from the start of a recording to its end: nothing before stands beside it, so others' doing is told from a service's own.

use crate::story::Story;
use crate::verdict::quiet;
use pagetide_core::{Actor, Conclusion, Diagnosis, Grade, Table};
use pagetide_diagnose::diagnose;

/// A disk throughout: requests in flight, requests a second, and KiB of each.
fn disk(story: Story, (queue, rate, size): (f64, f64, f64)) -> Story {
    story
        .counter(Table::Disk, "sda", "reads", move |_| rate)
        .counter(Table::Disk, "sda", "read_ms", move |_| queue * 1000.0)
        .counter(Table::Disk, "sda", "read_sectors", move |_| rate * size * 2.0)
        .counter(Table::Disk, "sda", "writes", |_| 0.0)
        .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
        .counter(Table::Disk, "sda", "write_sectors", |_| 0.0)
        .counter(Table::Disk, "sda", "weighted_io_ms", move |_| queue * 1000.0)
        .counter(Table::Disk, "sda", "io_ms", move |_| queue.min(0.98) * 1000.0)
}

/// A group that waits for so much of the time and sends so many requests a second, throughout.
fn group(story: Story, name: &str, waits: f64, sends: f64) -> Story {
    let at_disk = format!("{name}\tsda");
    story
        .counter(Table::Cgroup, name, "cpu_usage", |_| 50_000.0)
        .counter(Table::Cgroup, name, "psi_io_some", move |at| waits * 1e6 * (1.0 + 0.1 * (at % 3.0 - 1.0)))
        .counter(Table::CgroupDisk, &at_disk, "rios", move |_| sends)
        .counter(Table::CgroupDisk, &at_disk, "rbytes", move |_| sends * 4096.0)
}

fn cause(diagnosis: &Diagnosis) -> &str {
    diagnosis.cause.as_ref().map_or("-", |cause| cause.rule.as_str())
}

#[test]
fn a_service_behind_the_requests_of_another_from_the_start_is_harmed() {
    let told = |own: f64, others: f64, queue: f64| {
        let story = quiet(60).counter(Table::Host, "", "psi_io_some", |_| 600_000.0);
        let story = group(group(story, "/db", 0.4, own), "/batch", if others > 0.0 { 0.6 } else { 0.0 }, others);
        diagnose(&disk(story, (queue, own + others, 4.0)).tell())
    };
    let behind = told(10.0, 150.0, 6.0);
    assert_eq!((behind.verdict, cause(&behind)), (Conclusion::Incident, "noisy-neighbour"), "{}", behind.summary);
    let named = behind.cause.as_ref().unwrap();
    assert!(named.grade < Grade::Strong, "nobody knows what was before: {named:?}");
    assert_eq!(named.origins.first(), Some(&Actor::group("/batch")));
    let ledger = behind.ledger.as_ref().unwrap();
    assert_eq!(ledger.by, "cgroup:/db");
    assert!((ledger.share - 0.4 * 150.0 / 160.0).abs() < 0.02, "{ledger:?}");
    let alone = told(150.0, 3.0, 6.0);
    assert_eq!(alone.verdict, Conclusion::Incident, "the batch is behind the database: {}", alone.summary);
    assert_eq!(alone.cause.as_ref().and_then(|cause| cause.origins.first()), Some(&Actor::group("/db")));
    assert_ne!(cause(&told(10.0, 150.0, 1.0)), "noisy-neighbour", "no request waits behind another");
    assert_ne!(cause(&told(150.0, 0.0, 6.0)), "noisy-neighbour", "its own requests fill the disk");
}

#[test]
fn a_disk_that_takes_longer_than_any_seek_from_the_start_is_slow() {
    let told = |waits: f64, rate: f64, size: f64| {
        let story = quiet(60).counter(Table::Host, "", "psi_io_some", move |_| waits * 1e6);
        diagnose(&disk(group(story, "/db", waits, rate / 2.0), (0.98, rate, size)).tell())
    };
    let slow = told(0.25, 12.0, 6.0);
    assert_eq!((slow.verdict, cause(&slow)), (Conclusion::Incident, "device-slow"), "{}", slow.summary);
    assert_eq!(told(0.25, 90.0, 6.0).verdict, Conclusion::Healthy, "11 ms are a seek");
    assert_ne!(cause(&told(0.25, 12.0, 512.0)), "device-slow", "512 KiB take that long");
    assert_ne!(cause(&told(0.05, 12.0, 6.0)), "device-slow", "hardly anybody waits");
}

#[test]
fn a_service_that_waits_for_cpus_that_others_use_from_the_start_is_harmed() {
    let told = |waits: f64, own: f64, others: f64| {
        let idle = (2.0 - own - others).max(0.0);
        let story = quiet(60)
            .counter(Table::Host, "", "psi_cpu_some", |_| 900_000.0)
            .counter(Table::Host, "", "cpu_user", move |_| (own + others) * 100.0)
            .counter(Table::Host, "", "cpu_nice", |_| 0.0)
            .counter(Table::Host, "", "cpu_system", |_| 0.0)
            .counter(Table::Host, "", "cpu_iowait", |_| 0.0)
            .counter(Table::Host, "", "cpu_idle", move |_| idle * 100.0)
            .counter(Table::Process, "9@9", "utime", move |_| others * 100.0)
            .counter(Table::Cgroup, "/db", "cpu_usage", move |_| own * 1e6)
            .counter(Table::Cgroup, "/db", "psi_cpu_some", move |_| waits * 1e6)
            .counter(Table::Cgroup, "/job", "cpu_usage", move |_| others * 1e6)
            .counter(Table::Cgroup, "/job", "psi_cpu_some", |_| 100_000.0);
        diagnose(&story.tell())
    };
    let short = told(0.7, 0.2, 1.78);
    assert_eq!((short.verdict, cause(&short)), (Conclusion::Incident, "cpu-bound"), "{}", short.summary);
    assert!(short.summary.contains("From start to end /db waits for a CPU 70 % of the time"), "{}", short.summary);
    assert_eq!(told(0.7, 1.78, 0.2).verdict, Conclusion::Healthy, "it uses them itself");
    assert_eq!(told(0.7, 0.2, 1.2).verdict, Conclusion::Healthy, "a CPU is free");
    assert_eq!(told(0.2, 0.2, 1.78).verdict, Conclusion::Healthy, "short waits are common");
}
