//! The rules on steps of lab runs. Figures marked as measured are from a host at scale 1/8 (limit 411 MiB, requests of 8 KiB).

use crate::story::{MIB, Story, finding, seen, step};
use pagetide_core::Figure::{self, *};
use pagetide_core::{StepResult, Table};

const LIMIT: f64 = 411.0 * MIB;

/// A step that reads `asked` bytes of a file of `size` in requests of 8 KiB; `missed` requests reached the device.
fn read(id: &str, size: f64, asked: f64, missed: f64, cached: (f64, f64), more: &[(Figure, f64)]) -> StepResult {
    let issued = asked / 8192.0;
    let mut figures = vec![
        (Issued, issued),
        (Processed, asked),
        (FileBytes, size),
        (DiskReads, missed),
        (DiskReadBytes, missed * 8192.0),
        (CacheHitRatio, (1.0 - missed / issued).max(0.0)),
        (CachedBefore, cached.0),
        (CachedAfter, cached.1),
        (AvailableBefore, LIMIT - 10.0 * MIB),
    ];
    figures.extend_from_slice(more);
    step(id, &figures)
}

fn timed(iops: f64, latency_us: f64, util: f64) -> [(Figure, f64); 3] {
    [(Iops, iops), (ClatMean, latency_us * 1e3), (DiskUtil, util)]
}

fn with(first: &[(Figure, f64)], more: &[(Figure, f64)]) -> Vec<(Figure, f64)> {
    [first, more].concat()
}

/// Measured: 256 MiB cold.
fn a1() -> StepResult {
    read(
        "A1",
        256.0 * MIB,
        256.0 * MIB,
        32925.0,
        (0.0, 256.0 * MIB),
        &with(&timed(18_400.0, 53.7, 0.98), &[(Refaults, 0.0)]),
    )
}

/// Measured: the same, warm.
fn a2() -> StepResult {
    let file = 256.0 * MIB;
    read("A2", file, file, 1.0, (file, file), &with(&timed(682_000.0, 1.34, 0.002), &[(Refaults, 0.0)]))
}

/// Measured: 512 MiB cold.
fn a3() -> StepResult {
    let cached = 400.0 * MIB;
    read(
        "A3",
        512.0 * MIB,
        512.0 * MIB,
        65758.0,
        (0.0, cached),
        &with(&timed(17_000.0, 57.0, 0.98), &[(Refaults, 0.0)]),
    )
}

/// Measured: misses; the cache held 78 % of the file.
fn a4(id: &str, misses: f64, refaulted: f64) -> StepResult {
    let missed = 65536.0 * misses;
    let cached = 0.78 * 512.0 * MIB;
    let refaults = [(Refaults, missed * 2.0 * refaulted)];
    read(
        id,
        512.0 * MIB,
        512.0 * MIB,
        missed,
        (cached, cached * 0.98),
        &with(&timed(17_000.0 / misses, 57.0 * misses, 0.97), &refaults),
    )
}

fn check_snapshot(name: &str, recording: &pagetide_core::Recording, rule: &str) {
    let finding = finding(recording, rule).unwrap_or_else(|| panic!("{rule} was not seen"));
    insta::assert_snapshot!(name, serde_json::to_string_pretty(&finding).unwrap());
}

#[test]
fn a_cold_read_is_latency_bound_and_a_warm_one_is_served_from_cache() {
    let recording = Story::of_steps([a1(), a2()]);
    let found: Vec<_> = pagetide_diagnose::diagnose(&recording)
        .findings
        .into_iter()
        .map(|f| (f.step.unwrap(), f.rule.to_string()))
        .collect();
    let expected = [("A2", "served-from-cache"), ("A1", "latency-bound"), ("A1", "cold-cache")];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (step, rule) in expected {
        assert!(found.contains(&(step.to_owned(), rule.to_owned())), "{found:?}");
    }
    check_snapshot("latency-bound", &recording, "latency-bound");
    check_snapshot("served-from-cache", &recording, "served-from-cache");
}

#[test]
fn many_requests_in_flight_are_not_latency_bound() {
    let size = 512.0 * MIB;
    let deep = read("device", size, size, 65536.0, (0.0, 0.0), &timed(80_000.0, 400.0, 1.0));
    assert_eq!(seen(&Story::of_steps([deep.clone()])), [""; 0]);
    // But they show what the device could have done.
    let alone = finding(&Story::of_steps([a1()]), "latency-bound").unwrap();
    let mut faster = deep;
    faster.figures.set(Elapsed, 0.8e9);
    let mut slow = a1();
    slow.figures.set(Elapsed, 1.78e9);
    let beside = finding(&Story::of_steps([faster, slow]), "latency-bound").unwrap();
    assert!(beside.confidence > alone.confidence);
}

#[test]
fn a_long_queue_at_the_device_speaks_against_latency() {
    let disk = |depth: f64, sectors: f64| {
        Story::new(20, 0.1)
            .counter(Table::Disk, "vda", "weighted_io_ms", move |_| 1000.0 * depth)
            .counter(Table::Disk, "vda", "io_ms", |_| 1000.0)
            .counter(Table::Disk, "vda", "reads", |_| 1000.0)
            .counter(Table::Disk, "vda", "read_sectors", move |_| 1000.0 * sectors)
            .counter(Table::Disk, "vda", "writes", |_| 0.0)
            .counter(Table::Disk, "vda", "write_sectors", |_| 0.0)
            .step(a1())
            .tell()
    };
    let queue = |depth: f64| disk(depth, 16.0);
    let short = finding(&queue(1.0), "latency-bound").unwrap();
    assert!(short.confidence > finding(&Story::of_steps([a1()]), "latency-bound").unwrap().confidence);
    assert_eq!(finding(&queue(2.5), "latency-bound"), None, "the device has more to do");
    assert_eq!(finding(&disk(1.0, 1024.0), "latency-bound"), None, "512 KiB take their time at any latency");
}

#[test]
fn direct_reads_are_not_served_from_cache() {
    let size = 256.0 * MIB;
    let direct = read("direct", size, size, 32768.0, (size, size), &timed(20_000.0, 49.0, 0.99));
    let rules = seen(&Story::of_steps([direct]));
    assert!(!rules.contains(&"served-from-cache".to_owned()), "{rules:?}");
}

#[test]
fn a_file_larger_than_memory_exceeds_the_cache_and_a_cold_start_does_not() {
    let fresh = Story::of_steps([a4("fresh", 0.272, 0.95)]);
    check_snapshot("working-set-exceeds-cache", &fresh, "working-set-exceeds-cache");
    for near_miss in [a3(), a1(), a2(), a4("first part only", 0.272, 0.0)] {
        let id = near_miss.id.clone();
        assert_eq!(finding(&Story::of_steps([near_miss]), "working-set-exceeds-cache"), None, "{id}");
    }
    // Dropped caches leave the marks of evicted pages in place, so that a cold read may refault.
    let mut cold = a3();
    cold.figures.set(Refaults, 65536.0);
    assert_eq!(finding(&Story::of_steps([cold]), "working-set-exceeds-cache"), None);
}

#[test]
fn a_replayed_sequence_is_seen_and_a_new_one_is_not() {
    let replayed = Story::of_steps([a3(), a4("A4", 0.6297, 0.95)]);
    check_snapshot("replayed-sequence", &replayed, "replayed-sequence");
    for near_miss in [a3(), a4("fresh", 0.272, 0.95), a4("fresh again", 0.315, 0.95), a4("never cached", 0.63, 0.0)] {
        let id = near_miss.id.clone();
        assert_eq!(finding(&Story::of_steps([near_miss]), "replayed-sequence"), None, "{id}");
    }
}

#[test]
fn a_loop_over_a_file_larger_than_memory_is_a_replayed_sequence_too() {
    let mut pass = a4("loop", 1.0, 0.98);
    pass.figures.set(DiskReads, 4096.0);
    let found = finding(&Story::of_steps([pass]), "replayed-sequence").unwrap();
    assert!(found.statement.contains("same order"), "{}", found.statement);
    assert_eq!(found.advice[0].command, None, "fio's random sequence has nothing to do with it");
}

#[test]
fn no_sequence_is_reported_when_the_cache_was_lost_meanwhile() {
    let mut lost = a4("lost", 0.63, 0.95);
    lost.figures.set(CachedAfter, 50.0 * MIB);
    assert_eq!(finding(&Story::of_steps([lost]), "replayed-sequence"), None);
    let dropped = Story::new(11, 0.1)
        .counter(Table::Host, "", "drop_pagecache", |at| if (0.35..0.45).contains(&at) { 10.0 } else { 0.0 })
        .step(a4("dropped", 0.63, 0.95));
    assert_eq!(finding(&dropped.tell(), "replayed-sequence"), None);
    let unknown = read("unknown", 512.0 * MIB, 512.0 * MIB, 41267.0, (0.0, 0.0), &[]);
    assert_eq!(finding(&Story::of_steps([unknown]), "replayed-sequence"), None);
}

/// Samples of the process and the device during a step of one second, of which `misses` of the bytes asked for at a
/// time are read by the device.
fn profile(result: StepResult, misses: impl Fn(f64) -> f64 + Copy) -> pagetide_core::Recording {
    // The device is the slower part: the fewer misses, the more is asked for at a time.
    let speed = move |part: f64| 1.0 / (misses(part) + 0.02);
    let mut at = vec![0.0f64];
    let mut missed = vec![0.0f64];
    let steps = 2000;
    let whole: f64 = (0..steps).map(|k| 1.0 / speed(f64::from(k) / f64::from(steps))).sum();
    let (mut time, mut read) = (0.0, 0.0);
    for k in 0..steps {
        let part = f64::from(k) / f64::from(steps);
        time += 1.0 / speed(part) / whole;
        read += misses(part) / f64::from(steps);
        at.push(time);
        missed.push(read);
    }
    let asked = result.get(Processed).unwrap();
    let index = move |t: f64| at.partition_point(|then| *then < t - 1e-9).min(2000);
    let (first, second) = (index.clone(), index);
    Story::new(11, 0.1)
        .gauge(Table::Process, "9@9", "rchar", move |t| asked * first(t) as f64 / 2000.0)
        .gauge(Table::Disk, "vda", "read_sectors", move |t| asked * missed[second(t)] / 512.0)
        .step(result)
        .tell()
}

#[test]
fn the_opening_of_a_step_tells_a_replay_from_a_new_permutation() {
    // Replayed draws miss always at first and less and less later; a new permutation hits at first and never later.
    let cached = 0.78f64;
    let replayed = profile(a4("A4", 0.6297, 0.95), |part| (-part).exp());
    let sure = finding(&replayed, "replayed-sequence").unwrap();
    assert!(sure.contradictions.is_empty() && sure.confidence.get() > 0.95, "{sure:?}");
    let permuted = profile(a4("A4", 0.6, 0.95), move |part| ((1.0 - cached) / (1.0 - part)).min(1.0));
    assert_eq!(finding(&permuted, "replayed-sequence"), None);
    let unsure = finding(&Story::of_steps([a4("A4", 0.6, 0.95)]), "replayed-sequence");
    assert!(unsure.is_none_or(|unsure| unsure.confidence < sure.confidence));
}

#[test]
fn half_of_a_file_read_again_is_compared_with_the_requests() {
    // A6: 256 MiB of a file of 512 MiB, 41 to 50 % of them cached.
    let (size, asked) = (512.0 * MIB, 256.0 * MIB);
    let a6 = |misses: f64| {
        let missed = 32768.0 * misses;
        read("A6", size, asked, missed, (125.0 * MIB, 115.0 * MIB), &[(Refaults, missed * 1.9)])
    };
    assert!(finding(&profile(a6(0.697), |part| (-part).exp().max(0.55)), "replayed-sequence").is_some());
    assert_eq!(finding(&profile(a6(0.586), |_| 0.586), "replayed-sequence"), None);
    assert_eq!(finding(&Story::of_steps([a6(0.586)]), "replayed-sequence"), None);
}

/// A step that writes `asked` bytes; thresholds of 30 % and 10 % of what is available.
fn write(id: &str, asked: f64, peak: f64, written: f64, available: f64) -> StepResult {
    step(
        id,
        &[
            (Issued, asked / 8192.0),
            (Processed, asked),
            (DirtyPeak, peak),
            (DirtyThreshold, available * 0.3),
            (BackgroundThreshold, available * 0.1),
            (DiskWrittenBytes, written),
            (DiskWrites, (written / 65536.0).round()),
            (Elapsed, 0.195e9),
            (Bandwidth, asked / 0.195),
        ],
    )
}

#[test]
fn a_writer_above_the_freerun_ceiling_is_throttled() {
    let available = 384.0 * MIB;
    let throttled = Story::of_steps([write("A7", 256.0 * MIB, 110.0 * MIB, 150.0 * MIB, available)]);
    check_snapshot("dirty-throttled", &throttled, "dirty-throttled");
    let small = write("A8", 62.5 * MIB, 62.0 * MIB, 24.0 * MIB, available);
    let direct = write("direct", 256.0 * MIB, 2.0 * MIB, 256.0 * MIB, available);
    let mut counted = write("A7", 256.0 * MIB, 110.0 * MIB, 150.0 * MIB, available);
    counted.figures.set(Throttled, 0.0);
    assert_eq!(finding(&Story::of_steps([counted]), "dirty-throttled"), None, "the kernel counted no time");
    for near_miss in [small, direct, a1()] {
        let id = near_miss.id.clone();
        assert_eq!(finding(&Story::of_steps([near_miss]), "dirty-throttled"), None, "{id}");
    }
    let held = write("A10", 62.5 * MIB, 40.0 * MIB, 30.0 * MIB, 125.0 * MIB);
    assert!(
        finding(&Story::of_steps([held]), "dirty-throttled").is_some(),
        "less is available, so the ceiling is lower"
    );
}

#[test]
fn a_step_that_fills_the_queue_of_a_device_does_not_make_it_slow() {
    // The disk completes 100 a second at most: one at a time in the first minute, then 32 at once.
    let told = |completed: f64| {
        let deep = |at: f64| at > 60.0;
        let rate = move |at: f64| if deep(at) { completed } else { 100.0 };
        let time = move |at: f64| if deep(at) { 32_000.0 / completed } else { 10.0 };
        let part = |id: &str, from: i64, to: i64| StepResult {
            started_ns: from * 1_000_000_000,
            ended_ns: to * 1_000_000_000,
            ..step(id, &[])
        };
        let story = Story::new(121, 1.0)
            .counter(Table::Host, "", "psi_io_some", |_| 900_000.0)
            .counter(Table::Disk, "vda", "reads", rate)
            .counter(Table::Disk, "vda", "read_sectors", move |at| rate(at) * 16.0)
            .counter(Table::Disk, "vda", "read_ms", move |at| rate(at) * time(at))
            .counter(Table::Disk, "vda", "writes", |_| 0.0)
            .counter(Table::Disk, "vda", "write_sectors", |_| 0.0)
            .counter(Table::Disk, "vda", "write_ms", |_| 0.0)
            .counter(Table::Disk, "vda", "io_ms", |_| 1000.0)
            .counter(Table::Disk, "vda", "weighted_io_ms", move |at| rate(at) * time(at))
            .step(part("one", 0, 60))
            .step(part("many", 60, 120));
        finding(&story.tell(), "device-slow")
    };
    assert_eq!(told(100.0), None, "they wait for each other");
    assert!(told(30.0).is_some(), "it completes a third");
}
