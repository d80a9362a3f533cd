//! Two ranges of time compared: what differs is reported with its interval, what does not is not.

use crate::story::Story;
use pagetide_core::{ChangeVerdict, ComparedValue, RangeComparison, Table};
use pagetide_diagnose::compare;

/// A host whose tasks wait for so many microseconds of each second, more or less, at a disk that completes so many requests.
fn host(samples: usize, waits: f64, requests: f64) -> Story {
    let noise = |at: f64, salt: f64| 0.8 + 0.4 * ((at * 12.9898 + salt).sin() * 43_758.545_3).fract().abs();
    Story::new(samples, 1.0)
        .counter(Table::Host, "", "psi_io_some", move |at| waits * noise(at, 1.0))
        .counter(Table::Host, "", "psi_cpu_some", move |at| 20_000.0 * noise(at, 2.0))
        .counter(Table::Host, "", "pgmajfault", move |at| 100.0 * noise(at, 3.0))
        .counter(Table::Disk, "sda", "reads", move |at| requests * noise(at, 4.0))
        .counter(Table::Disk, "sda", "writes", |_| 0.0)
        .counter(Table::Disk, "sda", "write_ms", |_| 0.0)
        .counter(Table::Disk, "sda", "read_ms", move |at| requests * waits / 50_000.0 * noise(at, 5.0))
        .counter(Table::Disk, "sda", "read_sectors", move |at| requests * 8.0 * noise(at, 4.0))
}

fn compared(before: Story, after: Story) -> RangeComparison {
    compare(&before.tell(), &after.tell())
}

fn value<'a>(comparison: &'a RangeComparison, source: &str) -> &'a ComparedValue {
    comparison.values.iter().find(|value| value.source == source).unwrap_or_else(|| panic!("{source}: {comparison:#?}"))
}

#[test]
fn a_change_that_helped_is_printed_with_amounts() {
    let comparison = compared(host(120, 300_000.0, 100.0), host(90, 60_000.0, 100.0));
    assert_eq!(comparison.verdict, ChangeVerdict::Better, "{}", comparison.summary);
    let waits = value(&comparison, "psi_io_some");
    assert!(waits.differs && waits.harm && (0.2..0.26).contains(&-waits.difference.value), "{waits:?}");
    assert!(waits.low.value < waits.difference.value && waits.difference.value < waits.high.value, "{waits:?}");
    assert!(!value(&comparison, "major_faults").differs && !value(&comparison, "psi_cpu_some").differs);
    assert!(value(&comparison, "await").differs);
    assert_eq!((comparison.before.samples, comparison.after.samples), (120, 90));
    let worse = compared(host(90, 60_000.0, 100.0), host(120, 300_000.0, 100.0));
    assert_eq!(worse.verdict, ChangeVerdict::Worse, "{}", worse.summary);
}

#[test]
fn noise_is_no_difference() {
    let comparison = compared(host(120, 300_000.0, 100.0), host(97, 300_000.0, 100.0));
    assert_eq!(comparison.verdict, ChangeVerdict::NoDifference, "{}", comparison.summary);
    assert_eq!(comparison.values.iter().filter(|value| value.differs || !value.equal).count(), 0, "{comparison:#?}");
}

#[test]
fn another_load_is_reported() {
    let comparison = compared(host(120, 300_000.0, 100.0), host(120, 60_000.0, 20.0));
    assert!(comparison.summary.contains("The load of sda differs"), "{}", comparison.summary);
    assert!(comparison.summary.contains(" requests/s ("), "{}", comparison.summary);
}

/// The host with programs that read so many bytes a second.
fn with_programs(story: Story, reads: &[(&str, &'static str, f64)]) -> Story {
    reads.iter().fold(story, |story, (process, comm, rate)| {
        let story = story.counter(Table::Process, process, "read_bytes", |_| *rate);
        story.counter(Table::Process, process, "utime", |_| 30.0).command(process, comm)
    })
}

#[test]
fn programs_that_came_and_went_are_named() {
    let database = ("7@2", "postgres", 20e6);
    let before = with_programs(host(60, 60_000.0, 100.0), &[database, ("8@2", "rsync", 3e6)]);
    let after = with_programs(host(60, 300_000.0, 130.0), &[database, ("9@3", "tar", 15.0 * 1024.0 * 1024.0)]);
    let comparison = compared(before, after);
    assert_eq!(comparison.verdict, ChangeVerdict::Worse);
    assert!(comparison.summary.contains("tar reads 15 MiB/s (0 B/s before)."), "{}", comparison.summary);
    let load: Vec<_> = comparison.load.iter().map(|load| format!("{} {} {}", load.of, load.what, load.after)).collect();
    assert!(!load.iter().any(|load| load.contains("postgres")), "it does what it did: {load:?}");
    assert!(load.contains(&"process:tar reads 15 MiB/s".to_owned()), "{load:?}");
    let same = compared(
        with_programs(host(60, 300_000.0, 100.0), &[database]),
        with_programs(host(60, 300_000.0, 100.0), &[database]),
    );
    assert_eq!((same.load.as_slice(), same.summary.contains("postgres")), (&[][..], false));
    let unrecorded = compared(host(60, 300_000.0, 100.0), with_programs(host(60, 300_000.0, 100.0), &[database]));
    assert!(unrecorded.load.is_empty(), "nobody knows what ran before: {:?}", unrecorded.load);
}

#[test]
fn a_load_that_noise_may_hide_is_said_and_no_rate_falls_below_zero() {
    // Few samples, with requests in the second range alone.
    let bursts = |at: f64| if at % 4.0 < 2.0 { 0.0 } else { 250.0 };
    let other = host(26, 300_000.0, 100.0).counter(Table::Disk, "sdb", "reads", bursts);
    let idle = host(26, 60_000.0, 100.0).counter(Table::Disk, "sdb", "reads", |_| 0.0);
    let of = |story: Story| story.counter(Table::Disk, "sdb", "writes", |_| 0.0);
    let comparison = compared(of(idle), of(other));
    assert!(comparison.summary.contains("The load of sdb may differ"), "{}", comparison.summary);
    let requests = comparison.values.iter().find(|value| value.of == "disk:sdb").unwrap();
    assert!(requests.low.value >= 0.0 && !requests.differs, "{requests:?}");
}

#[test]
fn a_large_difference_wins_over_few_samples_and_what_noise_hides_is_no_answer() {
    let few = compared(host(120, 300_000.0, 100.0), host(6, 20_000.0, 100.0));
    assert_eq!(few.verdict, ChangeVerdict::Better, "{}", few.summary);
    // The waits begin in the middle of the range, and nobody knows how often they do.
    let begins = |samples: usize, share: f64| {
        let waits = move |at: f64| if at > samples as f64 * 0.4 { share } else { 50.0 };
        host(samples, 50.0, 100.0).counter(Table::Host, "", "psi_io_some", waits)
    };
    let changes = compared(host(90, 50.0, 100.0), begins(90, 970_000.0));
    assert_eq!(changes.verdict, ChangeVerdict::Worse, "{}", changes.summary);
    let short = compared(host(12, 50.0, 100.0), begins(12, 400_000.0));
    assert_eq!(short.verdict, ChangeVerdict::CannotTell, "{}", short.summary);
    assert!(
        short.summary.contains("These may differ: the share of time lost to waits for IO by "),
        "{}",
        short.summary
    );
    let waits = value(&short, "psi_io_some");
    assert!(!waits.differs && !waits.equal && waits.difference.value > 0.2, "{waits:?}");
}

#[test]
fn ranges_that_are_too_short_or_lack_the_time_lost_tell_nothing() {
    let short = compared(host(120, 300_000.0, 100.0), host(4, 60_000.0, 20.0));
    assert_eq!(short.verdict, ChangeVerdict::CannotTell);
    assert!(short.summary.contains("4 samples"), "{}", short.summary);
    let faults = || Story::new(60, 1.0).counter(Table::Host, "", "pgmajfault", |_| 5.0);
    let blind = compared(faults(), faults());
    assert_eq!(blind.verdict, ChangeVerdict::CannotTell);
    assert!(blind.unknown.iter().any(|why| why.contains("waits for IO")), "{:?}", blind.unknown);
}

#[test]
fn what_noise_hides_is_told_once() {
    let short = compared(host(12, 50.0, 100.0), host(12, 400_000.0, 100.0));
    let told = short.unknown.iter().filter(|one| one.contains("hides it")).count();
    assert!(told <= 1, "{:?}", short.unknown);
}
