//! What the trace of a recording adds to the rules: measured pairs, amounts, and who waited.

use crate::live::{GIB, stream};
use crate::story::{MIB, Story, finding, whole};
use pagetide_core::Table;

fn busy(at: f64) -> bool {
    at > 60.0 && at <= 90.0
}

/// One page of so many is traced.
const SAMPLED_OF: f64 = 64.0;

/// A counter of the trace: 0 at the beginning, and so much more with each second.
fn counts(story: Story, table: Table, entity: &str, name: &str, rate: impl Fn(f64) -> f64) -> Story {
    let mut sum = 0.0;
    let values = (0..120u32).map(|at| {
        sum += rate(f64::from(at));
        Some(whole(sum))
    });
    story.line(table, entity, name, values.collect())
}

fn during(rate: f64) -> impl Fn(f64) -> f64 {
    move |at| if busy(at) { rate } else { 0.0 }
}

/// A trace that loses so many records a second while it is busy.
fn losing(story: Story, lost: f64) -> Story {
    let story = story.gauge(Table::Trace, "trace", "sampled_of", |_| SAMPLED_OF);
    let story = counts(story, Table::Trace, "trace", "traced_ns", |_| 1e9);
    counts(story, Table::Trace, "trace", "lost_records", during(lost))
}

fn traced(story: Story) -> Story {
    losing(story, 0.0)
}

/// Evictions of a file of a program, for another, in pages per second.
fn evictions(story: Story, mechanism: &str, group: &str, evictor: &str, user: &str, rate: f64) -> Story {
    let name = format!("{mechanism}\t{group}\t{evictor}\t266338304\t12\t{group}\t{user}");
    let story = counts(story, Table::Eviction, &name, "pages", during(rate));
    counts(story, Table::Eviction, &name, "read_again", during(rate / 2.0))
}

#[test]
fn a_stream_has_its_evictor_and_its_victim_from_the_trace() {
    let recording = evictions(traced(stream()), "kswapd", "/", "9@9", "db", 100_000.0).tell();
    let flood = finding(&recording, "stream-floods-cache").unwrap();
    assert!(
        flood
            .statement
            .contains("Trace: 9@9 evicted 11.4 GiB of page cache of db, and 5.72 GiB of that was read again."),
        "{}",
        flood.statement
    );
    assert!(flood.origins.has(&pagetide_core::Actor::command("9@9")), "{:?}", flood.origins);
    let without = finding(&stream().tell(), "stream-floods-cache").unwrap();
    assert!(!without.statement.contains("Trace:"));

    // The trace says that the memory went to another program than the one that reads.
    let other = evictions(traced(stream()), "kswapd", "/", "hog", "db", 100_000.0).tell();
    let doubted = finding(&other, "stream-floods-cache");
    assert!(doubted.is_none_or(
        |doubted| doubted.confidence.get() <= without.confidence.get() && !doubted.contradictions.is_empty()
    ));
}

#[test]
fn too_few_evictions_or_lost_records_say_nothing() {
    let few = evictions(traced(stream()), "kswapd", "/", "hog", "db", 100.0).tell();
    let lost = evictions(losing(stream(), 3.0), "kswapd", "/", "hog", "db", 100_000.0).tell();
    for recording in [few, lost] {
        let flood = finding(&recording, "stream-floods-cache").unwrap();
        assert!(!flood.statement.contains("Trace:"), "{}", flood.statement);
    }
}

#[test]
fn the_finding_says_how_much_more_a_group_needs() {
    let group =
        |story: Story| {
            story
                .counter(Table::Cgroup, "/sys/fs/cgroup/g", "failcnt", |at| if busy(at) { 300.0 } else { 0.0 })
                .gauge(Table::Cgroup, "/sys/fs/cgroup/g", "current", |_| 0.999 * GIB)
                .gauge(Table::Cgroup, "/sys/fs/cgroup/g", "max", |_| GIB)
                .counter(Table::Cgroup, "/sys/fs/cgroup/g", "workingset_refault_file", |at| {
                    if busy(at) { 900.0 } else { 0.0 }
                })
        };
    let mut story = evictions(traced(group(Story::new(120, 1.0))), "group", "/g", "reader", "reader", 1000.0);
    // All misses have a rank of 2048 sampled pages: 2048 * 64 pages are 512 MiB.
    for part in 0..8 {
        let name = format!("ranked_{part}");
        story = counts(story, Table::Ghost, "/g\t/g\t2048", &name, during(10.0));
    }
    let limited = finding(&story.tell(), "cgroup-limit-reclaim").unwrap();
    assert!(limited.statement.contains("Trace: reader evicted 117 MiB of its own pages"), "{}", limited.statement);
    let action = &limited.advice[0].action;
    assert!(action.contains("more memory would have served 90 % of the misses"), "{action}");
    let amount: f64 = action.split_once(". ").unwrap().1.split_once(" MiB").unwrap().0.parse().unwrap();
    assert!((512.0..=545.0).contains(&amount), "{action}: within the bucket of the rank");
}

#[test]
fn a_throttled_writer_is_named_with_its_wait() {
    let writes = || {
        Story::new(120, 1.0)
            .gauge(Table::Host, "", "nr_dirty", |at| if busy(at) { 80_000.0 } else { 100.0 })
            .gauge(Table::Host, "", "nr_writeback", |at| if busy(at) { 5000.0 } else { 0.0 })
            .gauge(Table::Host, "", "nr_dirty_threshold", |_| 100_000.0)
            .gauge(Table::Host, "", "nr_dirty_background_threshold", |_| 50_000.0)
            .counter(Table::Disk, "sda", "write_sectors", |at| if busy(at) { 200_000.0 } else { 10.0 })
            .counter(Table::Disk, "sda", "io_ms", |at| if busy(at) { 0.5 * MIB } else { 0.0 })
    };
    let pauses = |story: Story| {
        let story = counts(story, Table::Throttle, "/\ttar\t8:0", "pauses", during(10.0));
        counts(story, Table::Throttle, "/\ttar\t8:0", "throttled_ns", during(4e8))
    };
    let inferred = finding(&writes().tell(), "dirty-throttled").unwrap();
    let measured = finding(&pauses(traced(writes())).tell(), "dirty-throttled").unwrap();
    assert!(measured.statement.ends_with("Trace: tar waited 12 s for 8:0."), "{}", measured.statement);
    assert!(measured.confidence.get() > inferred.confidence.get());
    let nobody = finding(&traced(writes()).tell(), "dirty-throttled");
    assert!(nobody.is_none_or(|nobody| nobody.confidence.get() < inferred.confidence.get()));
}
