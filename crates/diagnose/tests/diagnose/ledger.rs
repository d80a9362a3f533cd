//! The ledger: what services lose, to which account it goes, and what it decides.

use crate::story::Story;
use crate::verdict::quiet;
use pagetide_core::{Account, Conclusion, Diagnosis, Table};
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
fn a_device_that_works_longer_on_fewer_requests_is_slow_and_a_longer_queue_of_more_is_load() {
    let device = |requests: f64, busy: f64, queue: f64| {
        let story = waits(0.8)
            .counter(Table::Disk, "sda", "reads", from_to(requests, 100.0))
            .counter(Table::Disk, "sda", "read_ms", from_to(queue * 1000.0, 60.0))
            .counter(Table::Disk, "sda", "read_sectors", from_to(requests * 20.0, 2000.0))
            .counter(Table::Disk, "sda", "writes", |_| 0.0)
            .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
            .counter(Table::Disk, "sda", "write_sectors", |_| 0.0)
            .counter(Table::Disk, "sda", "weighted_io_ms", from_to(queue * 1000.0, 60.0))
            .counter(Table::Disk, "sda", "io_ms", from_to(busy * 1000.0, 60.0));
        diagnose(&story.tell())
    };
    let slow = device(80.0, 0.99, 3.0);
    assert!(booked(&slow, Account::Device) > 40.0, "{:?}", slow.ledger);
    let found: Vec<(String, String)> =
        slow.findings.iter().map(|one| (one.rule.to_string(), one.statement.clone())).collect();
    assert_eq!(slow.cause.unwrap().rule.as_str(), "device-slow", "{found:?}");
    let loaded = device(1000.0, 0.99, 12.0);
    assert_eq!(booked(&loaded, Account::Device), 0.0);
    assert!(booked(&loaded, Account::Load) + booked(&loaded, Account::OwnWork) > 40.0, "{:?}", loaded.ledger);
    assert_eq!(loaded.cause.unwrap().rule.as_str(), "device-saturated");
}
