use super::formula::{ABSENT, is_there};
use super::*;
use crate::metric::{self, Kind, RATE_SCALE};
use crate::quantity::Dimension;
use crate::recording::{Manifest, Mark, MarkKind, RecordingBuilder};
use crate::sample::{Column, Stamp};
use crate::units::Nanos;
use proptest::prelude::*;
use std::collections::BTreeSet;

const SECOND: i64 = 1_000_000_000;

/// A recording of one table's metrics: at each moment the values in the order of `columns`, absent ones left out.
fn recording(
    table: Table,
    interval: i64,
    columns: &[(&str, Kind, Unit)],
    rows: &[(i64, Vec<Option<i64>>)],
) -> Recording {
    let interval = Nanos::new(interval.try_into().unwrap());
    let mut builder = RecordingBuilder::new(Manifest { interval, ..Manifest::default() });
    for (at, values) in rows {
        builder.stamp(Stamp { boot_ns: *at, wall_ns: *at, mono_ns: *at });
        for ((name, kind, unit), value) in columns.iter().zip(values) {
            if let Some(value) = value {
                let column = Column { name: (*name).to_owned(), kind: *kind, unit: *unit };
                builder.value(table, "x", &column, *value);
            }
        }
    }
    builder.finish()
}

fn counter(name: &'static str) -> (&'static str, Kind, Unit) {
    let known = Table::ALL.iter().find_map(|table| metric::find(*table, name)).unwrap();
    (name, Kind::Counter, known.unit)
}

fn seconds(rows: &[&[i64]]) -> Vec<(i64, Vec<Option<i64>>)> {
    (0..).zip(rows).map(|(at, row)| (at * SECOND, row.iter().copied().map(Some).collect())).collect()
}

const DISK: [&str; 6] = ["reads", "writes", "read_ms", "write_ms", "read_sectors", "write_sectors"];

#[test]
fn names_are_unique_and_sources_name_a_function() {
    let names: BTreeSet<&str> = ALL.iter().map(|derived| derived.name).collect();
    assert_eq!(names.len(), ALL.len());
    for derived in ALL {
        assert!(std::ptr::eq(find(derived.name).unwrap(), *derived));
        let CodeSource { release, file, function } = derived.source;
        assert!(release.contains(' ') && file.ends_with(".c") && !function.is_empty(), "{}", derived.name);
        assert!(derived.meaning.len() > 12 && !derived.meaning.ends_with('.'), "{}", derived.name);
    }
}

/// The dimension of a formula over the kernel's fields; absent where one is known only from other tools.
fn dimension(formula: &Formula, table: Table) -> Option<Dimension> {
    let of = |formula: &Formula| dimension(formula, table);
    let unit = |name: &str| metric::find(table, name).map(|metric| metric.unit.base().0);
    let same = |parts: &[Formula]| {
        let known: Vec<Dimension> = parts.iter().filter_map(of).collect();
        assert!(known.windows(2).all(|pair| pair[0] == pair[1]), "{formula:?}");
        known.first().copied()
    };
    match formula {
        Formula::Gauge(name) => unit(name),
        Formula::Rate(name) => unit(name).map(|unit| Dimension { seconds: unit.seconds - 1, ..unit }),
        Formula::All(parts) | Formula::Any(parts) | Formula::First(parts) => same(parts),
        Formula::With(one, others) => same(others).filter(|others| Some(*others) == of(one)).or(of(one)),
        Formula::Less(one, other) | Formula::LessFloored(one, other) => {
            assert_eq!(of(one), of(other), "{formula:?}");
            of(one)
        }
        Formula::Per(one, other) => {
            let (one, other) = (of(one)?, of(other)?);
            let less = |a: i8, b: i8| a - b;
            Some(Dimension {
                seconds: less(one.seconds, other.seconds),
                bytes: less(one.bytes, other.bytes),
                pages: less(one.pages, other.pages),
            })
        }
        Formula::OneLess(one, other) => {
            assert_eq!(of(one), of(other), "{formula:?}");
            Some(Dimension::default())
        }
        Formula::Times(one, other) => {
            let (one, other) = (of(one)?, of(other)?);
            Some(Dimension {
                seconds: one.seconds + other.seconds,
                bytes: one.bytes + other.bytes,
                pages: one.pages + other.pages,
            })
        }
        Formula::Weighted(..) => None,
        Formula::Sum(table, name) => {
            let unit = metric::find(*table, name).map(|metric| metric.unit.base().0)?;
            Some(Dimension { seconds: unit.seconds - 1, ..unit })
        }
        Formula::Half(one) => of(one),
        Formula::Kib(one) => of(one).map(|one| Dimension { bytes: one.bytes + 1, ..one }),
    }
}

#[test]
fn units_follow_from_formulas() {
    for derived in ALL {
        for table in derived.tables {
            let dimension = dimension(&derived.formula, *table).unwrap_or_else(|| panic!("{}", derived.name));
            assert_eq!(dimension, derived.unit.base().0, "{} of {}", derived.name, table.name());
        }
    }
}

#[test]
fn await_and_request_size_are_ratios_of_sums() {
    let rows = seconds(&[&[0, 0, 0, 0, 0, 0], &[10, 0, 20, 0, 80, 0], &[10, 90, 20, 900, 80, 7200]]);
    let recording = recording(Table::Disk, SECOND, &DISK.map(counter), &rows);
    let over = |derived: &'static Derived, from: i64, to: i64| {
        derived.over(&recording, Table::Disk, "x", (from * SECOND, to * SECOND))
    };
    assert_eq!(over(&AWAIT, 0, 1), Some(2e6));
    assert_eq!(over(&AWAIT, 0, 2), Some(9.2e6), "920 ms over 100 requests, not the mean of 2 and 10 ms");
    assert_eq!(over(&WRITE_AWAIT, 0, 1), None, "nothing was written");
    assert_eq!(over(&REQUEST_SIZE, 0, 2), Some(7280.0 * 512.0 / 100.0));
    assert_eq!(over(&TPS, 0, 2), Some(50.0));
    let intervals = AWAIT.intervals(&recording, Table::Disk, "x");
    let each: Vec<_> = intervals.iter().map(|at| (at.from / SECOND, at.to / SECOND, at.value)).collect();
    assert_eq!(each, [(0, 1, 2e6), (1, 2, 10e6)]);
}

#[test]
fn discards_count_as_requests_where_the_kernel_counts_them() {
    let columns: Vec<_> = DISK.into_iter().chain(["discards", "discard_sectors", "discard_ms"]).map(counter).collect();
    let rows = seconds(&[&[0; 9], &[10, 10, 20, 20, 80, 80, 20, 2000, 160]]);
    let recording = recording(Table::Disk, SECOND, &columns, &rows);
    let over = |derived: &'static Derived| derived.over(&recording, Table::Disk, "x", (0, SECOND));
    assert_eq!((over(&TPS), over(&AWAIT)), (Some(40.0), Some(5e6)));
    assert_eq!(over(&REQUEST_SIZE), Some(2160.0 * 512.0 / 40.0));
}

#[test]
fn when_one_counter_falls_its_group_has_no_value_then() {
    let mut rows = seconds(&[&[0, 0, 0, 0, 0, 0], &[10, 10, 20, 20, 80, 80], &[5, 20, 25, 40, 160, 160]]);
    rows.push((3 * SECOND, [15, 30, 35, 60, 240, 240].map(Some).to_vec()));
    let recording = recording(Table::Disk, SECOND, &DISK.map(counter), &rows);
    let over = |derived: &'static Derived, from: i64, to: i64| {
        derived.over(&recording, Table::Disk, "x", (from * SECOND, to * SECOND))
    };
    assert_eq!(over(&AWAIT, 1, 2), None, "reads fell: a time of writes only would be wrong");
    assert_eq!(over(&WRITES, 1, 2), Some(10.0), "what does not need the counter that fell has its value");
    assert_eq!(over(&TPS, 0, 3), Some(20.0), "40 requests in the 2 s that are known");
    assert_eq!(TPS.intervals(&recording, Table::Disk, "x").len(), 2);
}

#[test]
fn reclaim_at_a_limit_is_in_scanned_and_stolen() {
    let columns = ["pgscan_kswapd", "pgscan_direct", "pgscan_anon", "pgscan_file", "pgsteal_anon", "pgsteal_file"];
    let rows = seconds(&[&[0; 6], &[10, 5, 20, 80, 10, 40]]);
    let recording = recording(Table::Host, SECOND, &columns.map(counter), &rows);
    let over = |derived: &'static Derived| derived.over(&recording, Table::Host, "x", (0, SECOND));
    assert_eq!((over(&SCANNED), over(&SCANNED_AT_LIMIT)), (Some(100.0), Some(85.0)));
    assert_eq!((over(&STOLEN), over(&EFFICIENCY)), (Some(50.0), Some(0.5)));
    assert_eq!(over(&STOLEN_AT_LIMIT), None, "no kernel that counts by kind lacks the counts by reclaimer");
}

#[test]
fn what_other_tools_print_is_taken_as_it_is() {
    let columns = [
        ("await_ms", Kind::Rate, Unit::Millis),
        ("util", Kind::Rate, Unit::Ratio),
        ("reads_writes", Kind::Rate, Unit::Count),
        ("request_sectors", Kind::Rate, Unit::Sectors),
    ];
    let stored = |tenths: i64| Some(tenths * RATE_SCALE / 10);
    let row = |values: [i64; 4]| values.map(stored).to_vec();
    let rows = [(60 * SECOND, row([25, 4, 100, 160])), (120 * SECOND, row([5, 2, 300, 80]))];
    let recording = recording(Table::Disk, 60 * SECOND, &columns, &rows);
    let over = |derived: &'static Derived, from: i64, to: i64| {
        derived.over(&recording, Table::Disk, "x", (from * SECOND, to * SECOND))
    };
    assert_eq!(over(&AWAIT, 0, 60), Some(2.5e6), "the first average is of the minute before it");
    assert_eq!(over(&TPS, 0, 120), Some(20.0), "the mean, not the last");
    assert_eq!((over(&BUSY, 60, 120), over(&REQUEST_SIZE, 60, 120)), (Some(0.2), Some(4096.0)));
}

/// sar after 9 s without a sample: its row is of these 9 s, and so is its average.
#[test]
fn a_rate_that_a_tool_printed_behind_a_gap_is_of_the_gap() {
    let rate = |tps: i64| vec![Some(tps * RATE_SCALE)];
    let rows = [(SECOND, rate(6000)), (2 * SECOND, rate(6000)), (11 * SECOND, rate(5000)), (12 * SECOND, rate(6000))];
    let columns = [("pgmajfault", Kind::Rate, Unit::Count)];
    let over = |recording: &Recording| MAJOR_FAULTS.over(recording, Table::Host, "x", (0, 12 * SECOND));
    let whole = recording(Table::Host, SECOND, &columns, &rows);
    assert_eq!(over(&whole), Some((3.0 * 6000.0 + 9.0 * 5000.0) / 12.0));
    let mut restarted = whole.clone();
    let stamp = Stamp { boot_ns: 10 * SECOND, ..Stamp::default() };
    restarted.marks.push(Mark { stamp, kind: MarkKind::Note { text: "the host was started".to_owned() } });
    assert_eq!(over(&restarted), Some((3.0 * 6000.0 + 5000.0) / 4.0), "what sar printed is of the time since then");
}

/// Rows of the night and of the evening, without those between them: ten minutes of the evening are not of all day.
#[test]
fn a_rate_behind_rows_that_were_cut_out_is_of_its_own_interval() {
    let row = |at: i64, rate: i64| (at * SECOND, vec![Some(rate * RATE_SCALE)]);
    let rows = [row(600, 1), row(1200, 1), row(1800, 1), row(123_000, 700), row(123_600, 700)];
    let columns = [("pgmajfault", Kind::Rate, Unit::Count)];
    let cut = recording(Table::Host, 600 * SECOND, &columns, &rows);
    let over = |from: i64, to: i64| MAJOR_FAULTS.over(&cut, Table::Host, "x", (from * SECOND, to * SECOND));
    assert_eq!((over(1800, 122_400), over(122_400, 123_600)), (None, Some(700.0)));
}

#[test]
fn nothing_is_invented_over_gaps() {
    let columns =
        [counter("pgmajfault"), ("MemTotal", Kind::Gauge, Unit::Bytes), ("MemAvailable", Kind::Gauge, Unit::Bytes)];
    let row = |faults, available| vec![Some(faults), Some(100), Some(available)];
    let rows = [(0, row(0, 90)), (SECOND, row(10, 80)), (101 * SECOND, row(1010, 20)), (102 * SECOND, row(1020, 10))];
    let recording = recording(Table::Host, SECOND, &columns, &rows);
    let over = |derived: &'static Derived, from: i64, to: i64| {
        derived.over(&recording, Table::Host, "x", (from * SECOND, to * SECOND))
    };
    assert_eq!(over(&MAJOR_FAULTS, 1, 101), Some(10.0), "the mean over the whole gap is known");
    assert_eq!(over(&MAJOR_FAULTS, 20, 60), None, "within it nothing is");
    assert_eq!(over(&USED, 20, 60), None);
    assert_eq!(over(&USED, 1, 101), Some(80.0), "a gauge after a gap is of its own second");
    assert_eq!(over(&USED, 0, 102), Some((20.0 + 80.0 + 90.0) / 3.0));
}

proptest! {
    /// Whatever the samples, over any two of them a counter's rate is the difference of the endpoints.
    #[test]
    fn a_counter_over_samples_is_its_endpoints_difference(
        steps in proptest::collection::vec((1..5_000_000_000_i64, 0..1_000_000_i64), 2..40),
        ends in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        let mut at = (7_i64, 3_i64);
        let points: Vec<(i64, i64)> = steps.iter().map(|step| { at = (at.0 + step.0, at.1 + step.1); at }).collect();
        let rows: Vec<_> = points.iter().map(|(at, value)| (*at, vec![Some(*value)])).collect();
        let recording = recording(Table::Host, SECOND, &[counter("pgmajfault")], &rows);
        let (one, other) = (ends.0.index(points.len()), ends.1.index(points.len()));
        let ((from, before), (to, after)) = (points[one.min(other)], points[one.max(other)]);
        let expected = (to > from).then(|| (after - before) as f64 / ((to - from) as f64 / 1e9));
        prop_assert_eq!(MAJOR_FAULTS.over(&recording, Table::Host, "x", (from, to)), expected);
        // In parts of any length it comes to the same amount.
        let mut walk = MAJOR_FAULTS.walk(&recording, Table::Host, "x").unwrap();
        let parts = points[one.min(other)..=one.max(other)].windows(2);
        let amount: f64 = parts.map(|pair| walk.over(pair[0].0, pair[1].0).unwrap() * (pair[1].0 - pair[0].0) as f64 / 1e9).sum();
        prop_assert!((amount - (after - before) as f64).abs() < 1e-6 * (1.0 + amount));
    }

    /// All members at the same samples, which is the shorter way of a walk, or a counter that falls, or a member that is absent at times: each
    /// interval has the value that a walk gives for it.
    #[test]
    fn the_intervals_of_a_walk_have_its_values(
        steps in proptest::collection::vec((1..3_000_000_000_i64, proptest::collection::vec(0..1000_i64, 4)), 2..80),
        fall in proptest::option::weighted(0.3, any::<prop::sample::Index>()),
        gap in proptest::option::weighted(0.3, any::<prop::sample::Index>()),
    ) {
        let names = ["reads", "writes", "read_ms", "write_ms"];
        let mut now = (0, vec![5000; names.len()]);
        let mut rows: Vec<(i64, Vec<Option<i64>>)> = Vec::new();
        for (nth, (time, rises)) in steps.iter().enumerate() {
            now.0 += time;
            now.1.iter_mut().zip(rises).for_each(|(value, rise)| *value += rise);
            if fall.is_some_and(|fall| fall.index(steps.len()) == nth) {
                now.1[0] = 0;
            }
            let mut row: Vec<Option<i64>> = now.1.iter().copied().map(Some).collect();
            if gap.is_some_and(|gap| gap.index(steps.len()) == nth) {
                row[2] = None;
            }
            rows.push((now.0, row));
        }
        let recording = recording(Table::Disk, SECOND, &names.map(counter), &rows);
        for derived in [&AWAIT, &TPS] {
            let intervals = derived.intervals(&recording, Table::Disk, "x");
            let mut walk = derived.walk(&recording, Table::Disk, "x").unwrap();
            for Interval { from, to, value } in &intervals {
                prop_assert_eq!(walk.over(*from, *to), Some(*value));
            }
            let mut walk = derived.walk(&recording, Table::Disk, "x").unwrap();
            let pairs = rows.windows(2).filter(|pair| walk.over(pair[0].0, pair[1].0).is_some());
            let expected = pairs.count();
            prop_assert!(gap.is_some() || intervals.len() == expected, "{} of {}", intervals.len(), expected);
        }
    }

    /// A gauge and a stored rate are their mean over time, however they were sampled: the rate of a tool is of the time since it looked
    /// last, after more than ten intervals and for a gauge after a gap of its own interval.
    #[test]
    fn gauges_and_stored_rates_are_means_over_time(
        steps in proptest::collection::vec((1..2_000_000_000_i64, 0..1_000_000_i64), 2..40),
        ends in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        let mut at = 0;
        let points: Vec<(i64, i64)> = steps.iter().map(|step| { at += step.0; (at, step.1) }).collect();
        let columns = [("load1", Kind::Gauge, Unit::Count), ("pgmajfault", Kind::Rate, Unit::Count)];
        let rows: Vec<_> = points.iter().map(|(at, value)| (*at, vec![Some(*value), Some(value * RATE_SCALE)])).collect();
        let recording = recording(Table::Host, SECOND, &columns, &rows);
        let (one, other) = (ends.0.index(points.len()), ends.1.index(points.len()));
        let (first, last) = (one.min(other), one.max(other));
        let (from, to) = (points[first].0, points[last].0);
        static LOAD: Derived = Derived { formula: Formula::Gauge("load1"), unit: Unit::Count, ..MAJOR_FAULTS_FOR_TESTS };
        let usual = recording.series(Table::Host, "x", "pgmajfault").unwrap().usual_interval();
        let (mut sum, mut told) = ((0.0, 0.0), (0.0, 0.0));
        for pair in points[first..=last].windows(2) {
            let whole = pair[1].0 - pair[0].0;
            let time = if whole > 2 * usual { usual } else { whole } as f64;
            sum = (sum.0 + pair[1].1 as f64 * time, sum.1 + time);
            let time = if whole > 10 * usual { usual } else { whole } as f64;
            told = (told.0 + pair[1].1 as f64 * time, told.1 + time);
        }
        for (derived, sum) in [(&LOAD, sum), (&MAJOR_FAULTS, told)] {
            let value = derived.over(&recording, Table::Host, "x", (from, to));
            match value {
                Some(value) => prop_assert!((value - sum.0 / sum.1).abs() <= 1e-9 * (1.0 + value)),
                None => prop_assert_eq!(from, to),
            }
        }
    }
}

/// An entity: its table, name and columns, and its values at each second; none where it is away.
type Rows<'a> = (Table, &'a str, &'a [&'static str], &'a [Option<&'a [i64]>]);

/// A recording of several entities.
fn machine(entities: &[Rows<'_>]) -> Recording {
    let mut builder = RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() });
    for second in 0..entities[0].3.len() {
        let at = i64::try_from(second).unwrap() * SECOND;
        builder.stamp(Stamp { boot_ns: at, wall_ns: at, mono_ns: at });
        for (table, name, columns, rows) in entities {
            for (metric, value) in columns.iter().zip(rows[second].unwrap_or_default()) {
                let known = metric::find(*table, metric).unwrap();
                let column = Column { name: (*metric).to_owned(), kind: known.kind, unit: known.unit };
                builder.value(*table, name, &column, *value);
            }
        }
    }
    builder.finish()
}

const CPU: [&str; 5] = ["cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait"];

#[test]
fn a_cpu_that_goes_offline_takes_only_its_own_time_with_it() {
    // The line of all CPUs loses the times of cpu1 when it goes, so idle falls: sysstat's example of 66.7 % user.
    let host: [Option<&[i64]>; 4] =
        [&[100, 0, 0, 100_000, 0][..], &[110, 0, 0, 50_090, 0], &[120, 0, 0, 50_180, 0], &[130, 0, 0, 50_270, 0]]
            .map(Some);
    let one: [Option<&[i64]>; 4] =
        [&[50, 0, 0, 50_000, 0][..], &[60, 0, 0, 50_090, 0], &[70, 0, 0, 50_180, 0], &[80, 0, 0, 50_270, 0]].map(Some);
    let gone: [Option<&[i64]>; 4] = [Some(&[50, 0, 0, 50_000, 0]), None, None, Some(&[55, 0, 0, 3, 0])];
    let all = |cpus: bool| {
        let mut entities: Vec<Rows<'_>> = vec![(Table::Host, "", &CPU, &host)];
        if cpus {
            entities.extend([(Table::Cpu, "0", &CPU[..], &one[..]), (Table::Cpu, "1", &CPU, &gone)]);
        }
        machine(&entities)
    };
    let over = |recording: &Recording, from: i64, to: i64| {
        CPU_USER.over(recording, Table::Host, "", (from * SECOND, to * SECOND))
    };
    let with = all(true);
    assert_eq!(over(&with, 0, 1), Some(0.1), "10 of 100 ticks of the CPU that stays");
    assert!(
        (over(&with, 0, 3).unwrap() - 0.1).abs() < 1e-12,
        "the time in which the idle time of cpu1 fell is not known"
    );
    assert_eq!(CPU_USER.over(&with, Table::Cpu, "0", (0, SECOND)), Some(0.1));
    assert_eq!(CPU_USER.over(&with, Table::Cpu, "1", (0, SECOND)), None, "not the sum over all CPUs");
    let walk = CPU_USER.walk(&with, Table::Host, "").unwrap();
    let falls: Vec<&Fall<'_>> = walk.falls().filter(|fall| fall.entity == "1").collect();
    assert_eq!(falls, [&Fall { from: 0, to: 3 * SECOND, entity: "1", metric: "cpu_idle" }]);
    let without = all(false);
    assert_eq!(over(&without, 0, 1), None, "a group whose member fell gives nothing");
    assert_eq!(over(&without, 1, 2), Some(0.1));
}

#[test]
fn waiting_for_io_that_was_counted_as_idle_later_is_no_reset() {
    let rows: [Option<&[i64]>; 3] = [&[0, 0, 0, 0, 50][..], &[10, 0, 0, 90, 49], &[20, 0, 0, 180, 49]].map(Some);
    let recording = machine(&[(Table::Host, "", &CPU, &rows)]);
    let over = |derived: &'static Derived| derived.over(&recording, Table::Host, "", (0, SECOND));
    assert_eq!((over(&CPU_USER), over(&CPU_IOWAIT)), (Some(0.1), Some(0.0)));
}

#[test]
fn the_host_s_io_is_that_of_devices_of_their_own() {
    const DISK: [&str; 4] = ["reads", "writes", "discards", "physical"];
    let vda: [Option<&[i64]>; 3] = [&[0, 0, 0, 1][..], &[10, 20, 5, 1], &[20, 40, 10, 1]].map(Some);
    let part: [Option<&[i64]>; 3] = [&[0, 0, 0, 0][..], &[10, 20, 5, 0], &[20, 40, 10, 0]].map(Some);
    let vdb: [Option<&[i64]>; 3] = [None, Some(&[7, 0, 0, 1]), Some(&[8, 0, 0, 1])];
    let host: [Option<&[i64]>; 3] = [Some(&[1]); 3];
    let recording = machine(&[
        (Table::Host, "", &["processes"], &host),
        (Table::Disk, "vda", &DISK, &vda),
        (Table::Disk, "vda1", &DISK, &part),
        (Table::Disk, "vdb", &DISK, &vdb),
    ]);
    let over =
        |derived: &'static Derived, from, to| derived.over(&recording, Table::Host, "", (from * SECOND, to * SECOND));
    assert_eq!((over(&HOST_TPS, 0, 1), over(&HOST_RTPS, 0, 1)), (Some(35.0), Some(10.0)));
    assert_eq!(over(&HOST_TPS, 1, 2), Some(36.0), "a disk that came counts from its second sample on");
}

#[test]
fn a_share_of_a_difference_and_a_sum_without_a_row_of_the_host_have_values() {
    const SWAP: [&str; 3] = ["SwapTotal", "SwapFree", "SwapCached"];
    let rows: [Option<&[i64]>; 2] = [Some(&[100, 60, 10]); 2];
    let recording = machine(&[(Table::Host, "", &SWAP, &rows)]);
    assert_eq!(SWAP_CACHED_SHARE.over(&recording, Table::Host, "", (0, SECOND)), Some(0.25));
    let disk: [Option<&[i64]>; 2] = [Some(&[0, 1]), Some(&[4, 1])];
    let recording = machine(&[(Table::Disk, "vda", &["reads", "physical"], &disk)]);
    assert_eq!(HOST_RTPS.over(&recording, Table::Host, "", (0, SECOND)), Some(4.0));
}

#[test]
fn printed_means_are_weighted_by_requests() {
    let columns = [
        ("await_ms", Kind::Rate, Unit::Millis),
        ("reads_writes", Kind::Rate, Unit::Count),
        ("request_sectors", Kind::Rate, Unit::Sectors),
    ];
    let stored = |value: i64| Some(value * RATE_SCALE);
    // A busy minute of quick large requests, then a quiet one with a slow small request each second.
    let rows = [(60 * SECOND, [1, 999, 100].map(stored).to_vec()), (120 * SECOND, [101, 1, 8].map(stored).to_vec())];
    let recording = recording(Table::Disk, 60 * SECOND, &columns, &rows);
    let over = |derived: &'static Derived, from: i64, to: i64| {
        derived.over(&recording, Table::Disk, "x", (from * SECOND, to * SECOND))
    };
    let near =
        |value: Option<f64>, expected: f64| assert!((value.unwrap() / expected - 1.0).abs() < 1e-12, "{value:?}");
    near(over(&AWAIT, 0, 120), 1.1e6);
    near(over(&REQUEST_SIZE, 0, 120), 512.0 * (99_900.0 + 8.0) / 1000.0);
    near(over(&AWAIT, 60, 120), 101e6);
}

proptest! {
    /// The mean of a printed mean, weighted by its requests, is the quotient of the sums, however the time is divided.
    #[test]
    fn weighted_means_are_quotients_of_sums(rows in proptest::collection::vec((1..1000_i64, 0..1000_i64), 1..30)) {
        let columns = [("await_ms", Kind::Rate, Unit::Millis), ("reads_writes", Kind::Rate, Unit::Count)];
        let stored: Vec<_> = (1..).zip(&rows)
            .map(|(at, (wait, requests))| (at * SECOND, vec![Some(wait * RATE_SCALE), Some(requests * RATE_SCALE)]))
            .collect();
        let recording = recording(Table::Disk, SECOND, &columns, &stored);
        let requests: i64 = rows.iter().map(|row| row.1).sum();
        let waits: i64 = rows.iter().map(|row| row.0 * row.1).sum();
        let end = i64::try_from(rows.len()).unwrap() * SECOND;
        let value = AWAIT.over(&recording, Table::Disk, "x", (0, end)).unwrap();
        if requests > 0 {
            let expected = waits as f64 / requests as f64 * 1e6;
            prop_assert!((value - expected).abs() < 1e-9 * expected.max(1.0));
        }
    }
}

const MAJOR_FAULTS_FOR_TESTS: Derived = Derived {
    name: "test",
    unit: Unit::Count,
    tables: &[Table::Host],
    formula: Formula::Any(&[]),
    meaning: "",
    source: CodeSource { release: "", file: "", function: "" },
};

/// The rates of a process that reads 1000 bytes/s from 2 s on and has rows from `first` to 6 s, by the second at which each ends.
fn reads(process: &str, first: i64) -> Vec<(i64, f64)> {
    let column = Column { name: "read_bytes".to_owned(), kind: Kind::Counter, unit: Unit::Bytes };
    let mut builder = RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() });
    for second in 1..=8_i64 {
        // Samples come some ms after the tick.
        let at = second * SECOND + 4_000_000;
        builder.stamp(Stamp { boot_ns: at, wall_ns: at, mono_ns: at });
        if (first..7).contains(&second) {
            builder.value(Table::Process, process, &column, (second - 2) * 1000);
        }
    }
    let recording = builder.finish();
    static READ: Formula = Formula::Rate("read_bytes");
    let walk = READ.walk(Unit::BytesPerSecond, &recording, Table::Process, process).unwrap();
    walk.intervals().iter().map(|of| (of.to / SECOND, of.value)).collect()
}

#[test]
fn processes_that_no_sample_saw_began_at_the_sample_before_their_first_row() {
    let all: Vec<(i64, f64)> = (3..7).map(|second| (second, 1000.0)).collect();
    assert_eq!(reads("ended/5.0@200", 3), all, "all of them from the first row on");
    assert_eq!(reads("ended/5.0@200", 6), [], "rows before it are gone");
}

#[test]
fn a_process_that_started_since_the_sample_before_has_a_rate_in_its_first_row() {
    let all: Vec<(i64, f64)> = (3..7).map(|second| (second, 1000.0)).collect();
    // In the tick of that sample, soon after it, and right before its first row.
    for name in ["5@200", "5@201", "5@299", "5@299/python3"] {
        assert_eq!(reads(name, 3), all, "{name}");
    }
    assert_eq!(reads("5@198", 3), all[1..], "it was there before: what it did then is not known");
    assert_eq!(reads("5@201", 4), all[2..], "a sample was taken since it started, and it has no row there");
    assert_eq!(reads("5@101", 1)[0].0, 2, "no sample was taken before its first row");
}

#[test]
fn the_intervals_of_a_sum_are_those_of_its_parts_together() {
    static TIME: Formula = Formula::Sum(Table::Cpu, "cpu_user");
    let column = Column { name: "cpu_user".to_owned(), kind: Kind::Counter, unit: Unit::Ticks };
    // More intervals than are evaluated at once, of different lengths, and a CPU that is there for a part of them.
    for last in [100, 60] {
        let mut builder =
            RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() });
        for nth in 0..100_i64 {
            builder.stamp(Stamp { boot_ns: (nth * 2 - nth % 2) * SECOND, ..Stamp::default() });
            builder.value(Table::Cpu, "cpu0", &column, nth * 100);
            if nth < last {
                builder.value(Table::Cpu, "cpu1", &column, nth * nth);
            }
        }
        let recording = builder.finish();
        let walk = || TIME.walk(Unit::Count, &recording, Table::Host, "").unwrap();
        let intervals = walk().intervals();
        assert!(intervals.len() > 32, "{}", intervals.len());
        let mut one_by_one = walk();
        for Interval { from, to, value } in intervals {
            assert_eq!(one_by_one.over(from, to), Some(value), "{from} to {to}");
        }
    }
}

/// A formula of one interval, as it is defined: one operation after the other.
fn plain(formula: &Formula, member: &impl Fn(Term) -> Option<f64>) -> Option<f64> {
    let of = |formula: &Formula| plain(formula, member);
    match formula {
        Formula::Gauge(metric) => member(Term::Gauge(metric)),
        Formula::Rate(metric) => member(Term::Rate(metric)),
        Formula::All(parts) => parts.iter().map(of).sum(),
        Formula::Any(parts) => parts.iter().filter_map(of).reduce(|sum, part| sum + part),
        Formula::With(one, others) => Some(of(one)? + others.iter().filter_map(of).sum::<f64>()),
        Formula::First(choices) => choices.iter().find_map(of),
        Formula::Less(one, other) => Some(of(one)? - of(other)?),
        Formula::LessFloored(one, other) => Some((of(one)? - of(other)?).max(0.0)),
        Formula::Per(one, other) => of(other).filter(|other| *other > 0.0).and_then(|other| Some(of(one)? / other)),
        Formula::OneLess(one, other) => Some((1.0 - plain(&Formula::Per(one, other), member)?).clamp(0.0, 1.0)),
        Formula::Times(one, other) => Some(of(one)? * of(other)?),
        Formula::Weighted(mean, weight) => member(Term::Weighted(mean, weight)),
        Formula::Sum(table, metric) => member(Term::Sum(*table, metric)),
        Formula::Half(whole) => Some(of(whole)? / 2.0),
        Formula::Kib(kib) => Some(of(kib)? * 1024.0),
    }
}

proptest! {
    /// The values of each interval are put together with none of another, whichever are absent.
    #[test]
    fn a_formula_of_several_intervals_is_that_of_each(
        nth in 0..ALL.len(),
        known in proptest::collection::vec(proptest::array::uniform4(proptest::option::weighted(0.8, -1..1000_i32)), 16),
    ) {
        let formula = &ALL[nth].formula;
        let terms = formula.terms();
        prop_assume!(terms.len() <= known.len());
        let values = |term: Term| known[terms.iter().position(|known| *known == term).unwrap()].map(|value| value.map(f64::from));
        let each = formula.evaluate_each::<4>(&|term| values(term).map(|value| value.unwrap_or(ABSENT)));
        let each = each.map(|value| is_there(value).then_some(value));
        let plain: Vec<Option<f64>> = (0..4).map(|at| plain(formula, &|term| values(term)[at])).collect();
        prop_assert_eq!(&each[..], &plain[..], "{:?}", formula);
    }
}
