//! `show --every`: whatever the sampling, counters are the difference of their endpoints and gauges and stored rates means over time.

use pagetide_core::metric::RATE_SCALE;
use pagetide_core::{
    Bytes, Column, Error, Kind, LocalClock, Manifest, Nanos, Recording, RecordingBuilder, Selection, Source, Stamp,
    Table, Unit,
};
use pagetide_view::show::{Drawing, Numbers, Output, Parts, Pass, Row, Topic, Totals, show};
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
                // With --every the first sample of a gauge is in the first row, for an interval.
                let mut lengths: Vec<i64> = points.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
                lengths.sort_unstable();
                let usual = lengths[lengths.len() / 2].min(1_000_000_000) as f64;
                let first = (kind == Kind::Gauge && before.is_none()).then_some((points[0].1 as f64 / scale, usual));
                let (sum, time) = inside.iter().chain(&first).fold((0.0, 0.0), |(sum, time), (value, length)| (sum + value * length, time + length));
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
fn the_average_of_a_gauge_is_the_same_whatever_the_length_of_rows() {
    let second = 1_000_000_000;
    let points: Vec<_> = (1..=10).map(|at| (at * second, if at == 1 { 90 } else { at })).collect();
    let recording = recording(second, "procs_running", Kind::Gauge, &points);
    for every in [None, Some(second), Some(2 * second), Some(5 * second), Some(60 * second)] {
        let shown = show(&recording, Topic::Load, false, ALWAYS, every);
        let at = shown.headings().position(|heading| heading.name == "runq").unwrap();
        assert_eq!(shown.averages().map(|row| row.cells[at]).collect::<Vec<_>>(), [Some(14.4)], "{every:?}");
    }
}

#[test]
fn rows_of_a_range_begin_and_end_with_it() {
    let second = 1_000_000_000;
    // 10 faults a second, and 100 from second 30 on.
    let points: Vec<_> = (0..=60).map(|at| (at * second, 10 * at.min(30) + 100 * (at - 30).max(0))).collect();
    let recording = recording(second, "pgmajfault", Kind::Counter, &points);
    let rows = |from: i64, to: i64, every: i64| -> Vec<(i64, Option<f64>)> {
        let range = (from * second + 1, to * second);
        let shown = show(&recording, Topic::Paging, false, range, Some(every * second));
        let at = shown.headings().position(|heading| heading.name == "majflt/s").unwrap();
        shown.rows().map(|row| (row.wall_ns / second, row.cells[at])).collect()
    };
    assert_eq!(rows(30, 60, 30), [(60, Some(100.0))], "nothing of before the range");
    assert_eq!(rows(20, 50, 20), [(40, Some(55.0)), (50, Some(100.0))], "all of the range");
    assert_eq!(rows(20, 40, 60), [(40, Some(55.0))], "a range shorter than a row");
}

/// What a process did is divided by the time of the row, and not by the part of it in which the process was there.
#[test]
fn processes_together_do_no_more_than_the_host() {
    let second = 1_000_000_000;
    let mut builder = RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() });
    let ticks = Column { name: "utime".into(), kind: Kind::Counter, unit: Unit::Ticks };
    let system = Column { name: "stime".into(), ..ticks.clone() };
    let used = Column { name: "cpu_usage".into(), kind: Kind::Counter, unit: Unit::Micros };
    for at in 0..=20_i64 {
        builder.stamp(Stamp { boot_ns: at * second, wall_ns: at * second, mono_ns: at * second });
        // One after the other, each of two seconds, uses all of the host's only CPU.
        for nth in 0..10 {
            if (nth * 2..=nth * 2 + 2).contains(&at) {
                let name = format!("{nth}@{nth}");
                builder.value(Table::Process, &name, &ticks, (at - nth * 2) * 60);
                builder.value(Table::Process, &name, &system, (at - nth * 2) * 40);
                builder.value(Table::Cgroup, &name, &used, (at - nth * 2) * 1_000_000);
            }
        }
    }
    let recording = builder.finish();
    let source = Given(recording.clone());
    for (topic, name) in [(Topic::Processes, "cpu"), (Topic::Cgroups, "cpus")] {
        let at = show(&recording, topic, true, ALWAYS, None).headings().position(|of| of.name == name).unwrap();
        for every in [None, Some(second), Some(5 * second), Some(20 * second)] {
            let shown = show(&recording, topic, true, ALWAYS, every);
            let mut sums: std::collections::BTreeMap<i64, f64> = std::collections::BTreeMap::new();
            for row in shown.rows() {
                *sums.entry(row.wall_ns).or_default() += row.cells[at].unwrap_or(0.0);
            }
            sums.remove(&0);
            assert!(sums.values().all(|sum| (sum - 1.0).abs() < 1e-9), "{topic:?} {every:?} {sums:?}");
            let mut totals = Totals::default();
            let divided = parts(&source, topic, ALWAYS, every).of_samples(7);
            divided
                .look(&mut |table| {
                    totals.part(table);
                    table.rows().for_each(|row| totals.row(&row));
                })
                .unwrap();
            let averages: f64 = totals.averages(&divided).iter().filter_map(|row| row.cells[at]).sum();
            assert!((averages - 1.0).abs() < 1e-9, "{topic:?} {every:?} {averages}");
        }
    }
}

#[test]
fn a_table_over_a_gap_says_so() {
    let second = 1_000_000_000;
    let points: Vec<_> = [1, 2, 3, 9, 10].map(|at| (at * second, at)).to_vec();
    let text = drawn(&replaced(), Numbers::default(), false);
    assert!(!text.contains("no samples"), "{text}");
    let source = Given(recording(second, "procs_running", Kind::Gauge, &points));
    let lines = |range| {
        let output = Output {
            clock: &LocalClock::utc(),
            style: Style { colour: false, width: 200 },
            numbers: Numbers::default(),
            extremes: false,
        };
        let mut text = Vec::new();
        let shown = parts(&source, Topic::Load, range, None);
        Drawing::of(&shown, output).unwrap().unwrap().write(&mut text).unwrap().unwrap();
        String::from_utf8(text).unwrap()
    };
    assert!(lines(ALWAYS).contains("note: no samples from 00:00:03.0 to 00:00:09.0 (6 s)"), "{}", lines(ALWAYS));
    assert!(!lines((0, 3 * second)).contains("note"), "{}", lines((0, 3 * second)));
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

/// A recording as a source, of which a part can be loaded.
struct Given(Recording);

impl Source for Given {
    fn load(&self, selection: &Selection) -> Result<Recording, Error> {
        let wanted = |stamp: &Stamp| {
            selection.from_wall_ns.is_none_or(|from| stamp.wall_ns >= from)
                && selection.to_wall_ns.is_none_or(|to| stamp.wall_ns <= to)
        };
        let mut builder = RecordingBuilder::new(self.0.manifest.clone());
        for stamp in self.0.stamps().iter().filter(|stamp| wanted(stamp)) {
            builder.stamp(*stamp);
            for table in Table::ALL.into_iter().filter(|table| selection.wants_table(*table)) {
                for (entity, _) in self.0.entities(table) {
                    for column in self.0.metrics(table, entity).filter(|column| selection.wants_metric(&column.name)) {
                        let series = self.0.series(table, entity, &column.name).unwrap();
                        if let Some((_, value)) = series.within(stamp.boot_ns, stamp.boot_ns).next() {
                            builder.value(table, entity, column, value);
                        }
                    }
                }
            }
        }
        Ok(builder.finish())
    }
}

fn parts(source: &Given, topic: Topic, range: (i64, i64), every: Option<i64>) -> Parts<'_> {
    Parts::new(source, source.times(&Selection::default()).unwrap(), (topic, true), (range, every)).unwrap()
}

fn drawn(recording: &Recording, numbers: Numbers, extremes: bool) -> String {
    let source = Given(recording.clone());
    let mut text = Vec::new();
    let output = Output { clock: &LocalClock::utc(), style: Style { colour: false, width: 200 }, numbers, extremes };
    let shown = Parts::new(&source, recording.clone(), (Topic::Disk, false), (ALWAYS, None)).unwrap();
    Drawing::of(&shown, output).unwrap().unwrap().write(&mut text).unwrap().unwrap();
    String::from_utf8(text).unwrap()
}

/// A row: when, of what, and its cells.
type Line = (i64, String, Vec<Option<f64>>);

fn line(row: &Row<'_>) -> Line {
    (row.wall_ns, row.name.to_owned(), row.cells.clone())
}

/// Nanoseconds since the sample before; of each process how far its counter rises and the level of its gauge, where it is there.
type Step = (u64, Vec<Option<(i64, i64)>>);

/// Processes that come and go, whose counters fall now and then, of a host that is suspended for a while.
fn processes(steps: &[Step]) -> Recording {
    let manifest = Manifest { interval: Nanos::new(1_000_000_000), page_size: Bytes::new(4096), ..Manifest::default() };
    let mut builder = RecordingBuilder::new(manifest);
    let counter = Column { name: "majflt".to_owned(), kind: Kind::Counter, unit: Unit::Count };
    let gauge = Column { name: "rss".to_owned(), kind: Kind::Gauge, unit: Unit::Pages };
    let (mut at, mut counters) = (0, [1000_i64; 3]);
    for (step, rows) in steps {
        at += i64::try_from(*step).unwrap();
        builder.stamp(Stamp { boot_ns: at, wall_ns: at + 7, mono_ns: at });
        for (nth, row) in rows.iter().enumerate() {
            let Some((rise, level)) = row else { continue };
            counters[nth] = (counters[nth] + rise).max(0);
            let name = format!("{}@0", 100 + nth);
            builder.value(Table::Process, &name, &counter, counters[nth]);
            builder.value(Table::Process, &name, &gauge, *level);
        }
    }
    builder.finish()
}

/// Steps of about a second, at least of `shortest`, some of minutes; what each of three processes has: nothing, or a rise (rarely a fall) and a level.
fn steps(shortest: u64) -> impl Strategy<Value = Vec<Step>> {
    let length = prop_oneof![9 => shortest..1_300_000_000_u64, 1 => 60_000_000_000..400_000_000_000_u64];
    let rise = prop_oneof![9 => 0..500_i64, 1 => -300..0_i64];
    let row = proptest::option::weighted(0.85, (rise, 0..10_000_i64));
    proptest::collection::vec((length, proptest::collection::vec(row, 3)), 2..60)
}

proptest! {
    /// Wherever a recording is divided, the rows, the averages, the extremes and the counters that fell are those of the whole.
    #[test]
    fn parts_have_the_values_of_the_whole(steps in steps(1_000_000_000), samples in 1..20_usize, every in proptest::option::of(1_100_000_000..90_000_000_000_i64)) {
        let recording = processes(&steps);
        let whole = show(&recording, Topic::Processes, true, ALWAYS, every);
        let source = Given(recording.clone());
        let divided = parts(&source, Topic::Processes, ALWAYS, every).of_samples(samples);
        let (mut rows, mut totals): (Vec<Line>, Totals) = Default::default();
        divided.look(&mut |table| {
            totals.part(table);
            rows.extend(table.rows().inspect(|row| totals.row(row)).map(|row| line(&row)));
        }).unwrap();
        let expected: Vec<Line> = whole.rows().map(|row| line(&row)).collect();
        prop_assert_eq!(&rows, &expected);
        let cells = |rows: &mut dyn Iterator<Item = Row<'_>>| rows.map(|row| (row.name.to_owned(), row.cells)).collect::<Vec<_>>();
        let (mut averages, of_whole) = (cells(&mut totals.averages(&divided).into_iter()), cells(&mut whole.averages()));
        averages.retain(|(name, _)| of_whole.iter().any(|(known, _)| known == name));
        prop_assert_eq!(averages.len(), of_whole.len());
        for ((_, one), (_, other)) in averages.iter().zip(&of_whole) {
            for (one, other) in one.iter().zip(other) {
                let same = match (one, other) {
                    (Some(one), Some(other)) => (one - other).abs() <= 1e-9 * (1.0 + other.abs()),
                    (one, other) => one == other,
                };
                prop_assert!(same, "{:?} instead of {:?}", averages, of_whole);
            }
        }
        prop_assert_eq!(totals.falls(), whole.falls());
        // A reader that follows the recording as it grows sees the same rows, without the last one where that is not whole.
        let stamps = recording.stamps();
        let mut followed: Vec<Line> = Vec::new();
        let mut pass = Pass::default();
        let mut growing = parts(&source, Topic::Processes, ALWAYS, every);
        for end in (1..=stamps.len()).step_by(samples) {
            let from = growing.resume(&pass).unwrap_or(i64::MIN);
            let mut times = RecordingBuilder::new(recording.manifest.clone());
            stamps[..end].iter().filter(|stamp| stamp.wall_ns >= from).for_each(|stamp| times.stamp(*stamp));
            growing.grow(times.finish());
            growing.follow(&mut pass, &mut |table| {
                followed.extend(table.rows().map(|row| line(&row)));
                Ok(())
            }).unwrap().unwrap();
        }
        let upto = followed.last().map_or(i64::MIN, |last| last.0);
        prop_assert_eq!(followed, expected.into_iter().filter(|row| row.0 <= upto).collect::<Vec<_>>());
    }

    /// However irregular the samples are, with gaps and while the host was suspended: counters are the difference of their endpoints, and
    /// a gauge speaks for the time since the sample before, of a gap for an interval only.
    #[test]
    fn rows_over_gaps_are_endpoints_and_means(steps in steps(600_000_000), every in proptest::option::of(1_100_000_000..90_000_000_000_i64)) {
        let whole: Vec<Step> =
            steps.into_iter().map(|(step, rows)| (step, rows.into_iter().map(|row| Some(row.map_or((3, 9), |(rise, level)| (rise.max(0), level)))).collect())).collect();
        let recording = processes(&whole);
        let series = |metric: &str| -> Vec<(i64, i64)> { recording.series(Table::Process, "100@0", metric).unwrap().points().collect() };
        let (counter, gauge) = (series("majflt"), series("rss"));
        let usual = {
            let mut lengths: Vec<i64> = gauge.windows(2).map(|pair| pair[1].0 - pair[0].0).take(64).collect();
            lengths.sort_unstable();
            lengths.get(lengths.len() / 2).copied().unwrap_or(i64::MAX).min(1_000_000_000)
        };
        let value = |at: i64| counter.iter().find(|point| point.0 == at).unwrap().1;
        let shown = show(&recording, Topic::Processes, true, ALWAYS, every);
        let at = |name: &str| shown.headings().position(|heading| heading.name == name).unwrap();
        let (faults, rss) = (at("majflt/s"), at("rss"));
        let mut before = counter[0].0;
        for row in shown.rows().filter(|row| row.name == "100@0" && row.wall_ns - 7 > counter[0].0) {
            let end = row.wall_ns - 7;
            prop_assert_eq!(row.cells[faults], Some((value(end) - value(before)) as f64 / ((end - before) as f64 / 1e9)));
            let (mut sum, mut time) = (0.0, 0.0);
            for pair in gauge.windows(2).filter(|pair| pair[1].0 > before && pair[1].0 <= end) {
                let length = pair[1].0 - pair[0].0;
                let length = if length > 2 * usual { usual } else { length } as f64;
                (sum, time) = (sum + pair[1].1 as f64 * length, time + length);
            }
            // In the first row of --every is also the first sample.
            if before != counter[0].0 {
                let mean = row.cells[rss].unwrap() / 4096.0;
                prop_assert!((mean - sum / time).abs() <= 1e-9 * (1.0 + mean), "{} instead of {}", mean, sum / time);
            }
            before = end;
        }
    }
}

/// As sar's: what the counters rose by from the first sample to the last, by the time between them, the gap included.
#[test]
fn the_average_over_a_gap_of_nine_seconds_is_of_the_counters_at_its_ends() {
    let mut builder = RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() });
    let column = Column { name: "majflt".into(), kind: Kind::Counter, unit: Unit::Count };
    let mut faults = 0;
    // Six samples, 9 s without one, five samples: 600 faults a second beside the gap, 100 in it.
    for (second, step) in (0..6).map(|second| (second, 1)).chain([(14, 9)]).chain((15..19).map(|second| (second, 1))) {
        let at = second * 1_000_000_000;
        builder.stamp(Stamp { wall_ns: at, mono_ns: at, boot_ns: at });
        faults += if step == 9 {
            900
        } else if second == 0 {
            0
        } else {
            600
        };
        builder.value(Table::Process, "1@0", &column, faults);
    }
    let recording = builder.finish();
    let shown = show(&recording, Topic::Processes, true, ALWAYS, None);
    let at = shown.headings().position(|heading| heading.name == "majflt/s").unwrap();
    let rates: Vec<Option<f64>> = shown.rows().map(|row| row.cells[at]).collect();
    assert_eq!(rates[4..7], [Some(600.0), Some(100.0), Some(600.0)]);
    let averages: Vec<Option<f64>> = shown.averages().map(|row| row.cells[at]).collect();
    assert_eq!(averages, [Some(6300.0 / 18.0)]);
}

#[test]
fn processes_have_their_user_and_state_in_words() {
    let users = [(70, "postgres".to_owned()), (71, "\x1b[2Jann".to_owned())].into();
    let mut builder =
        RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), users, ..Manifest::default() });
    let column = |name: &str| Column { name: name.into(), kind: Kind::Gauge, unit: Unit::Count };
    for second in 0..4_i64 {
        let at = second * 1_000_000_000;
        builder.stamp(Stamp { wall_ns: at, mono_ns: at, boot_ns: at });
        for (name, uid) in [("1@0", Some(70)), ("2@0", Some(4711)), ("3@0", None), ("4@0", Some(71))] {
            builder.value(Table::Process, name, &column("rss"), 5);
            if let Some(uid) = uid {
                builder.value(Table::Process, name, &column("uid"), uid);
                // It waits for IO in the last two samples.
                let letter = if second < 2 { b'S' } else { b'D' };
                builder.value(Table::Process, name, &column("state"), letter.into());
            }
        }
    }
    let recording = builder.finish();
    let shown = show(&recording, Topic::Processes, false, ALWAYS, None);
    let words: Vec<(i64, &str, Vec<Option<String>>)> =
        shown.rows().map(|row| (row.wall_ns / 1_000_000_000, row.name, row.words)).collect();
    let of = |second: i64, name: &str| &words.iter().find(|(at, of, _)| *at == second && *of == name).unwrap().2;
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(*of(1, "1@0"), [some("postgres"), some("S")]);
    assert_eq!(*of(3, "1@0"), [some("postgres"), some("D")]);
    assert_eq!(*of(3, "2@0"), [some("4711"), some("D")]);
    assert_eq!(*of(3, "3@0"), [None, None]);
    assert_eq!(*of(3, "4@0"), [some("\\x1b[2Jann"), some("D")]);
    let source = Given(recording);
    let parts = parts(&source, Topic::Processes, ALWAYS, None);
    let output = Output {
        clock: &LocalClock::utc(),
        style: Style { colour: false, width: 200 },
        numbers: Numbers::default(),
        extremes: false,
    };
    let mut text = Vec::new();
    Drawing::of(&parts, output).unwrap().unwrap().write(&mut text).unwrap().unwrap();
    let text = String::from_utf8(text).unwrap();
    let heading: Vec<&str> = text.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heading[1..4], ["process", "user", "state"], "{text}");
    // Over all rows only what stays the same is said.
    let average = text.lines().find(|line| line.starts_with("Average") && line.contains("postgres")).unwrap();
    assert_eq!(average.split_whitespace().nth(3), Some("-"), "{text}");
}

#[test]
fn what_did_nothing_is_left_out_and_counted() {
    let mut builder = RecordingBuilder::new(Manifest::default());
    let reads = Column { name: "reads".into(), kind: Kind::Counter, unit: Unit::Count };
    for second in 0..4_i64 {
        builder.stamp(Stamp { wall_ns: second, mono_ns: second, boot_ns: second });
        builder.value(Table::Disk, "idle", &reads, 7);
        // It works at first, and not in the second half.
        builder.value(Table::Disk, "once", &reads, second.min(2));
    }
    let source = Given(builder.finish());
    for samples in [1, 100] {
        let mut shown = parts(&source, Topic::Disk, ALWAYS, None).of_samples(samples);
        assert_eq!(shown.hide_idle().unwrap(), 1);
        let mut names = Vec::new();
        shown.look(&mut |table| names.extend(table.rows().map(|row| row.name.to_owned()))).unwrap();
        assert_eq!(names, ["once"; 3]);
        let mut later = parts(&source, Topic::Disk, (3, 3), None).of_samples(samples);
        assert_eq!(later.hide_idle().unwrap(), 2);
        later.look(&mut |table| assert_eq!(table.rows().count(), 0)).unwrap();
    }
}

#[test]
fn a_process_whose_burst_was_over_by_its_first_row_is_shown_with_it() {
    let second = 1_000_000_000;
    let mut builder = RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() });
    let column = Column { name: "write_bytes".to_owned(), kind: Kind::Counter, unit: Unit::Bytes };
    for at in 1..=6 {
        builder.stamp(Stamp { boot_ns: at * second, wall_ns: at * second, mono_ns: at * second });
        // Both began at 3.2 s after boot or earlier, and sleep once they have a row.
        for name in ["8@320", "9@120"].into_iter().filter(|_| at >= 4) {
            builder.value(Table::Process, name, &column, 150 << 20);
        }
    }
    let source = Given(builder.finish());
    for samples in [1, 100] {
        let mut shown = parts(&source, Topic::Processes, ALWAYS, None).of_samples(samples);
        assert_eq!(shown.hide_idle().unwrap(), 1, "what the older one did before is not known");
        let mut written = Vec::new();
        let place = shown.headings().position(|heading| heading.name == "write/s").unwrap();
        let mut add = |row: Row<'_>| written.push((row.name.to_owned(), row.wall_ns / second, row.cells[place]));
        shown.look(&mut |table| table.rows().for_each(&mut add)).unwrap();
        let name = || "8@320".to_owned();
        let mib = 1024.0 * 1024.0;
        assert_eq!(written, [(name(), 4, Some(150.0 * mib)), (name(), 5, Some(0.0)), (name(), 6, Some(0.0))]);
    }
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
