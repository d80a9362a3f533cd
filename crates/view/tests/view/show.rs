//! `show --every`: whatever the sampling, counters are the difference of their endpoints and gauges and stored rates means over time.

use pagetide_core::metric::RATE_SCALE;
use pagetide_core::{Column, Kind, LocalClock, Manifest, Nanos, Recording, RecordingBuilder, Stamp, Table, Unit};
use pagetide_view::show::{Numbers, Topic, draw, show};
use pagetide_view::text::Style;
use proptest::prelude::*;

const ALWAYS: (i64, i64) = (i64::MIN, i64::MAX);

/// A recording of the host: at each moment a value of a metric.
fn recording(interval: i64, metric: &str, kind: Kind, points: &[(i64, i64)]) -> Recording {
    let interval = Nanos::new(interval.try_into().unwrap());
    let mut builder = RecordingBuilder::new(Manifest { interval, ..Manifest::default() });
    let column = Column { name: metric.to_owned(), kind, unit: Unit::Count };
    for (at, value) in points {
        builder.stamp(Stamp { boot_ns: *at, wall_ns: *at, mono_ns: *at });
        builder.value(Table::Host, "", &column, *value);
    }
    builder.finish()
}

/// The rows of a column: the end of each and its value.
fn rows(recording: &Recording, topic: Topic, name: &str, every: Option<i64>) -> Vec<(i64, Option<f64>)> {
    let shown = show(recording, topic, false, ALWAYS, every);
    let at = shown.headings().position(|heading| heading.name == name).unwrap();
    shown.rows().map(|row| (row.wall_ns, row.cells[at])).collect()
}

/// Samples about a second apart, and the length of a row.
fn sampling() -> impl Strategy<Value = (Vec<(i64, i64)>, Option<i64>)> {
    let steps = proptest::collection::vec((600_000_000..1_190_000_000_i64, 0..1_000_000_i64), 2..60);
    (steps, proptest::option::of(1_100_000_000..20_000_000_000_i64))
}

proptest! {
    #[test]
    fn a_counter_rises_over_all_rows_by_the_difference_of_its_endpoints((steps, every) in sampling()) {
        let mut at = (0, 0);
        let points: Vec<_> = steps.iter().map(|step| { at = (at.0 + step.0, at.1 + step.1); at }).collect();
        let recording = recording(1_000_000_000, "pgmajfault", Kind::Counter, &points);
        let value = |moment: i64| points.iter().find(|point| point.0 == moment).unwrap().1;
        let mut before = points[0].0;
        for (end, rate) in rows(&recording, Topic::Paging, "majflt/s", every) {
            prop_assert_eq!(rate, Some((value(end) - value(before)) as f64 / ((end - before) as f64 / 1e9)));
            before = end;
        }
        prop_assert_eq!(before, points[points.len() - 1].0, "the rows reach the last sample");
    }

    #[test]
    fn gauges_and_stored_rates_are_means_over_the_time_of_each_row((steps, every) in sampling()) {
        let mut at = 0;
        let points: Vec<_> = steps.iter().map(|step| { at += step.0; (at, step.1 * RATE_SCALE) }).collect();
        for (kind, topic, metric, name, scale) in [
            (Kind::Gauge, Topic::Load, "procs_running", "runq", 1.0),
            (Kind::Rate, Topic::Paging, "pgmajfault", "majflt/s", RATE_SCALE as f64),
        ] {
            let recording = recording(1_000_000_000, metric, kind, &points);
            let mut before = None;
            for (end, mean) in rows(&recording, topic, name, every) {
                // Each sample stands for the time since the one before; what stands for time before the row is not in it.
                let inside = points.windows(2).filter(|pair| before.is_none_or(|before| pair[0].0 >= before) && pair[1].0 <= end);
                let inside: Vec<_> = inside.map(|pair| (pair[1].1 as f64 / scale, (pair[1].0 - pair[0].0) as f64)).collect();
                let (sum, time) = inside.iter().fold((0.0, 0.0), |(sum, time), (value, length)| (sum + value * length, time + length));
                let mean = mean.unwrap();
                if before.is_some() || (kind == Kind::Gauge && every.is_some()) {
                    prop_assert!((mean - sum / time).abs() < 1e-9 * (1.0 + mean), "{mean} instead of {}", sum / time);
                }
                before = Some(end);
            }
        }
    }
}

#[test]
fn the_last_of_several_averages_is_not_the_average() {
    // 8 KiB/s in the last minute, 16 363 KiB/s over all five.
    let minute = 60_000_000_000;
    let kib = [8, 40_000, 40_000, 1799, 8];
    let points: Vec<_> = (1..).zip(kib).map(|(at, value)| (at * minute, value * RATE_SCALE)).collect();
    let recording = recording(minute, "pgpgin", Kind::Rate, &points);
    assert_eq!(rows(&recording, Topic::Paging, "pgpgin/s", Some(5 * minute)), [(5 * minute, Some(16_363.0 * 1024.0))]);
}

#[test]
fn averages_are_over_the_time_of_all_rows() {
    let second = 1_000_000_000;
    let points = [(0, 0), (second, 10), (4 * second, 10), (5 * second, 100)];
    let recording = recording(second, "pgmajfault", Kind::Counter, &points);
    let shown = show(&recording, Topic::Paging, false, ALWAYS, None);
    let at = shown.headings().position(|heading| heading.name == "majflt/s").unwrap();
    let averages: Vec<_> = shown.averages().map(|row| row.cells[at]).collect();
    assert_eq!(averages, [Some(20.0)], "100 faults in 5 s, not the mean of 10, 0 and 90 a second");
}

#[test]
fn a_single_sample_is_a_row_of_gauges() {
    let recording = recording(1_000_000_000, "procs_running", Kind::Gauge, &[(5_000_000_000, 3)]);
    for every in [None, Some(60_000_000_000)] {
        assert_eq!(rows(&recording, Topic::Load, "runq", every), [(5_000_000_000, Some(3.0))]);
    }
}

/// A disk that was replaced at the third second, one sample a second.
fn replaced() -> Recording {
    let mut builder = RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() });
    let column = |name: &str| Column { name: name.to_owned(), kind: Kind::Counter, unit: Unit::Count };
    for (second, [reads, writes]) in (0..).zip([[100, 50], [110, 70], [120, 90], [5, 8], [25, 8]]) {
        let at = second * 1_000_000_000;
        builder.stamp(Stamp { boot_ns: at, wall_ns: at, mono_ns: at });
        builder.value(Table::Disk, "vda", &column("reads"), reads);
        builder.value(Table::Disk, "vda", &column("writes"), writes);
    }
    builder.finish()
}

#[test]
fn the_requests_of_all_disks_need_no_row_of_the_host() {
    let mut builder = RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() });
    for second in 0..3 {
        let at = second * 1_000_000_000;
        builder.stamp(Stamp { boot_ns: at, wall_ns: at, mono_ns: at });
        for (name, kind, value) in [("reads", Kind::Counter, 7 * second), ("physical", Kind::Gauge, 1)] {
            let column = Column { name: name.to_owned(), kind, unit: Unit::Count };
            builder.value(Table::Disk, "vda", &column, value);
        }
    }
    let recording = builder.finish();
    assert_eq!(rows(&recording, Topic::Io, "rtps", None), [(1_000_000_000, Some(7.0)), (2_000_000_000, Some(7.0))]);
}

fn drawn(recording: &Recording, numbers: Numbers, extremes: bool) -> String {
    let shown = show(recording, Topic::Disk, false, ALWAYS, None);
    let (mut text, style) = (Vec::new(), Style { colour: false, width: 200 });
    draw(&shown, (&LocalClock::utc(), style), (numbers, extremes), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn counters_that_fell_are_named_and_have_no_rate_for_that_interval() {
    let recording = replaced();
    let shown = show(&recording, Topic::Disk, false, ALWAYS, None);
    let tps: Vec<_> = shown.rows().map(|row| (row.wall_ns / 1_000_000_000, row.cells[0])).collect();
    assert_eq!(tps, [(1, Some(30.0)), (2, Some(30.0)), (4, Some(20.0))]);
    let text = drawn(&recording, Numbers::default(), false);
    assert!(text.ends_with("note: vda: reads writes fell at 00:00:03.0: no rates for that interval\n"), "{text}");
}

#[test]
fn extremes_stand_below_the_averages_and_numbers_have_the_requested_digits() {
    let lines = |numbers: Numbers| {
        let text = drawn(&replaced(), numbers, true);
        let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        ["Average", "Minimum", "Maximum"]
            .map(|name| line(name).split_whitespace().take(3).collect::<Vec<_>>().join(" "))
    };
    let decimals = |decimals| Numbers { decimals: Some(decimals), ..Numbers::default() };
    assert_eq!(lines(decimals(1)), ["Average vda 26.7", "Minimum vda 20.0", "Maximum vda 30.0"]);
    assert_eq!(lines(Numbers { raw: true, decimals: Some(3) })[0], "Average vda 26.667");
}
