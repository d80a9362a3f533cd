//! Tests of the promise: a kill, a full disk or a damaged byte costs at most the sample being written, and no number is
//! ever wrong.

use crate::log::{Encoder, Event, LogReader, Start, header};
use crate::test_support::{
    BEGIN, CALLS, Failing, INJECTED, SinkCall, files, give, manifest, recording, recordings, short,
};
use crate::{Keep, Reader, Writer};
use pagetide_core::{Error, Mark, Nanos, Recording, Sample, Selection, Sink, Source, Stamp};
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const DAY: i64 = 86_400_000_000_000;

fn load(folder: &Path) -> Recording {
    Reader::open(folder).unwrap().load(&Selection::default()).unwrap()
}

fn write(folder: &Path, given: &[SinkCall], finish: bool) {
    let mut writer = Writer::create_on(folder, Failing::never()).unwrap();
    writer.begin(&manifest()).unwrap();
    given.iter().for_each(|given| give(&mut writer, given).unwrap());
    if finish {
        writer.finish(&manifest()).unwrap();
    }
}

/// Every file below a folder.
fn only_log(folder: &Path) -> PathBuf {
    let logs = files(&folder.join("open"));
    assert_eq!(logs.len(), 1, "{logs:?}");
    logs[0].clone()
}

/// The log of these calls, and the offset at which each one ends in it.
fn log_of(given: &[SinkCall]) -> (Vec<u8>, Vec<usize>) {
    let mut bytes = header().to_vec();
    Encoder::start(&mut bytes, 0, &Start { first_sample: 0, manifest: manifest() });
    let mut ends = vec![bytes.len()];
    let mut encoder = Encoder::new();
    for given in given {
        let offset = bytes.len() as u64;
        let mut record = Vec::new();
        match given {
            SinkCall::Sample(schema, sample) => assert!(encoder.sample(&mut record, offset, schema, sample)),
            SinkCall::Mark(mark) => Encoder::mark(&mut record, offset, mark),
        }
        bytes.extend(record);
        ends.push(bytes.len());
    }
    (bytes, ends)
}

/// What can be read of a log's bytes.
fn read(bytes: &[u8]) -> Option<Recording> {
    let mut log = LogReader::open(bytes, &crate::budget::Budget::default()).ok()?;
    let mut given = Vec::new();
    while let Some(event) = log.next().unwrap() {
        given.push(match event {
            Event::Sample => SinkCall::Sample(log.schema().clone(), log.sample().clone()),
            Event::Mark(mark) => SinkCall::Mark(mark),
        });
    }
    Some(recording(&manifest(), &given))
}

#[test]
fn a_log_cut_at_any_byte_of_its_last_two_samples_keeps_all_whole_ones() {
    let given = short(9, 1);
    let (bytes, ends) = log_of(&given);
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("r");
    write(&folder, &given, false);
    let log = only_log(&folder);
    assert_eq!(fs::read(&log).unwrap(), bytes, "the writer's log is the encoder's");
    let samples = |upto: usize| given[..upto].iter().filter(|given| matches!(given, SinkCall::Sample(..))).count();
    let two_before = (0..given.len()).rev().find(|at| samples(given.len()) - samples(*at) == 2).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for length in (ends[two_before]..=bytes.len()).rev() {
        fs::write(&log, &bytes[..length]).unwrap();
        let whole = ends.iter().rposition(|end| *end <= length).unwrap();
        seen.insert(samples(whole));
        let expected = recording(&manifest(), &given[..whole]);
        assert_eq!(load(&folder), expected, "cut at {length} of {}", bytes.len());
        // A writer that continues seals the same samples, and leaves no torn record.
        if length % 7 == 0 {
            let other = scratch.path().join(format!("r{length}"));
            fs::create_dir_all(other.join("open")).unwrap();
            fs::copy(&log, other.join("open").join(log.file_name().unwrap())).unwrap();
            let mut writer = Writer::open_or_continue_on(&other, Keep::default(), Failing::never()).unwrap();
            writer.finish(&manifest()).unwrap();
            assert!(files(&other.join("open")).is_empty());
            assert_eq!(load(&other), expected);
        }
    }
    assert_eq!(seen.len(), 3, "none, one and both of the last two samples: {seen:?}");
}

/// Writes to a failing file system, repeats each refused call once, and returns what was accepted.
fn write_with(folder: &Path, failing: &Arc<Failing>, given: &[SinkCall]) -> (Vec<SinkCall>, bool, Result<(), Error>) {
    match Writer::create_on(folder, failing.clone()) {
        Ok(writer) => write_into(writer, given),
        Err(_) => (Vec::new(), false, Ok(())),
    }
}

/// The same with a writer.
fn write_into(mut writer: Writer, given: &[SinkCall]) -> (Vec<SinkCall>, bool, Result<(), Error>) {
    let mut taken = Vec::new();
    let begun = writer.begin(&manifest()).or_else(|_| writer.begin(&manifest())).is_ok();
    for given in given {
        if give(&mut writer, given).or_else(|_| give(&mut writer, given)).is_ok() {
            taken.push(given.clone());
        }
    }
    let finished = writer.finish(&manifest());
    (taken, begun, finished)
}

/// Writes a recording with a file system that fails.
fn nothing_that_was_taken_is_lost() {
    let given = short(12, 3);
    for lasting in [false, true] {
        let mut failures = 0;
        for change in 1.. {
            let scratch = tempfile::tempdir().unwrap();
            let folder = scratch.path().join("r");
            let failing = Failing::at(change, lasting);
            let (taken, begun, finished) = write_with(&folder, &failing, &given);
            if !failing.has_failed() {
                finished.unwrap();
                assert_eq!(load(&folder), recording(&manifest(), &given));
                break;
            }
            failures += 1;
            if !lasting && begun {
                assert_eq!(taken.len(), given.len(), "change {change}: what was refused is taken the second time");
            }
            if taken.is_empty() {
                continue;
            }
            let expected = recording(&manifest(), &taken);
            let readable = Reader::open(&folder).unwrap().load(&Selection::default()).unwrap();
            assert_eq!(readable, expected, "change {change} failed, lasting {lasting}");
            // The next run seals what is left, and has it all.
            let mut writer = Writer::open_or_continue_on(&folder, Keep::default(), Failing::never()).unwrap();
            writer.begin(&manifest()).unwrap();
            writer.finish(&manifest()).unwrap();
            assert!(files(&folder.join("open")).is_empty(), "change {change}");
            assert_eq!(load(&folder), expected, "change {change} failed, lasting {lasting}, then sealed");
            assert!(!files(&folder).iter().any(|path| path.to_string_lossy().ends_with(".tmp")), "change {change}");
        }
        assert!(failures > 60, "only {failures} changes to fail");
    }
}

/// Removes old segments on a failing file system. Younger ones stay whatever fails, and the next run removes the rest.
fn only_what_is_old_is_removed() {
    let later = |given: &SinkCall, by: i64| {
        let mut given = given.clone();
        let (SinkCall::Sample(_, Sample { stamp, .. }) | SinkCall::Mark(Mark { stamp, .. })) = &mut given;
        *stamp = Stamp { wall_ns: stamp.wall_ns + by, mono_ns: stamp.mono_ns + by, boot_ns: stamp.boot_ns + by };
        given
    };
    let before = short(12, 3);
    let on_the_third_day =
        |given: &SinkCall| matches!(given, SinkCall::Sample(_, sample) if sample.stamp.wall_ns > BEGIN);
    let third = before.iter().position(on_the_third_day).unwrap();
    let fifth: Vec<_> = before[third..].iter().map(|given| later(given, 2 * DAY)).collect();
    let keep = Keep { age: Some(Nanos::new(DAY.unsigned_abs())), ..Keep::default() };
    for lasting in [false, true] {
        let mut failures = 0;
        for change in 1.. {
            let scratch = tempfile::tempdir().unwrap();
            let folder = scratch.path().join("r");
            write(&folder, &before, true);
            let failing = Failing::at(change, lasting);
            let taken = match Writer::open_or_continue_on(&folder, keep, failing.clone()) {
                Ok(writer) => write_into(writer, &fifth).0,
                Err(_) => Vec::new(),
            };
            let (all, kept) = (recording(&manifest(), before.iter().chain(&taken)), load(&folder));
            assert!(all.stamps().ends_with(kept.stamps()), "change {change}, lasting {lasting}: {:?}", kept.stamps());
            // On a full disk the next segment is removed too, to make room.
            let least = if failing.was_full() { &[] } else { &before[third..] };
            let least = recording(&manifest(), least.iter().chain(&taken));
            assert!(kept.stamps().ends_with(least.stamps()), "change {change}, lasting {lasting}");
            if !failing.has_failed() {
                assert_eq!(kept.stamps(), least.stamps(), "what is older than a day is removed");
                break;
            }
            failures += 1;
            let writer = Writer::open_or_continue_on(&folder, keep, Failing::never()).unwrap();
            write_into(writer, &[later(&before[third], 2 * DAY + 3_600_000_000_000)]).2.unwrap();
            let first = files(&folder).into_iter().find(|path| path.to_string_lossy().contains("-00000001"));
            assert_eq!(first, None, "change {change}, lasting {lasting}: the first segment is removed");
        }
        assert!(failures > 60, "only {failures} changes to fail");
    }
}

/// Every call of the file layer must have failed with each error: a call without a fault was not tested.
#[test]
#[expect(clippy::print_stderr, reason = "make torture prints the counts")]
fn whatever_change_fails_nothing_that_was_taken_is_lost() {
    nothing_that_was_taken_is_lost();
    only_what_is_old_is_removed();
    let injected = INJECTED.lock().unwrap();
    for call in CALLS {
        let [full, broken] = injected.get(call).copied().unwrap_or_default();
        eprintln!("torture: {call}: ENOSPC {full}, EIO {broken}");
        assert!(full > 0 && broken > 0, "no fault was injected into {call}: {injected:?}");
    }
}

#[test]
fn a_crash_while_sealing_loses_nothing() {
    let given = short(8, 1);
    for change in 1.. {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("r");
        write(&folder, &given, false);
        let failing = Failing::at(change, true);
        let mut writer = match Writer::open_or_continue_on(&folder, Keep::default(), failing.clone()) {
            Ok(writer) => writer,
            Err(_) => continue,
        };
        let finished = writer.finish(&manifest());
        drop(writer);
        assert_eq!(load(&folder), recording(&manifest(), &given), "change {change}");
        if finished.is_ok() && !failing.has_failed() {
            assert!(change > 30, "only {change} changes");
            break;
        }
    }
}

#[test]
fn sealing_again_leaves_no_file_of_the_first_time() {
    let given = short(8, 1);
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("r");
    write(&folder, &given, false);
    // A file that another version of pagetide had sealed of this segment before it crashed.
    let name = only_log(&folder).file_stem().unwrap().to_string_lossy().into_owned();
    let stale = folder.join("host/host=trial%201/date=2026-11-21");
    fs::create_dir_all(&stale).unwrap();
    fs::write(stale.join(format!("{name}-0badcafe.parquet")), "stale").unwrap();
    assert_eq!(load(&folder), recording(&manifest(), &given), "the log is the segment");
    Writer::open_or_continue_on(&folder, Keep::default(), Failing::never()).unwrap().finish(&manifest()).unwrap();
    assert_eq!(fs::read_dir(&stale).unwrap().count(), 1);
    assert_eq!(load(&folder), recording(&manifest(), &given));
}

#[test]
fn a_damaged_byte_in_a_sealed_file_is_noticed_and_only_that_file_is_left_out() {
    let given = short(6, 1);
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("r");
    write(&folder, &given, true);
    let whole = load(&folder);
    for path in files(&folder).into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "parquet")) {
        let bytes = fs::read(&path).unwrap();
        for at in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            let cut = at % 2 == 0;
            fs::write(&path, if cut { &bytes[..at] } else { &damaged }).unwrap();
            let read = load(&folder);
            assert!(!read.marks.is_empty(), "a note says so");
            for table in pagetide_core::Table::ALL {
                for (entity, _) in read.entities(table) {
                    for (column, values) in read.columns(table, entity) {
                        let series = whole.series(table, entity, &column.name).unwrap();
                        assert_eq!(Some((column, values)), whole.columns(table, entity).find(|one| one.0 == column));
                        assert_eq!(series.column(), column);
                    }
                }
            }
        }
        fs::write(&path, &bytes).unwrap();
    }
    assert_eq!(load(&folder), whole);
}

#[test]
fn a_log_damaged_in_the_middle_is_kept_aside() {
    let given = short(8, 1);
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("r");
    write(&folder, &given, false);
    let log = only_log(&folder);
    let (mut bytes, ends) = log_of(&given);
    bytes[ends[3] + 12] ^= 1;
    fs::write(&log, &bytes).unwrap();
    Writer::open_or_continue_on(&folder, Keep::default(), Failing::never()).unwrap().finish(&manifest()).unwrap();
    assert_eq!(load(&folder), recording(&manifest(), &given[..3]));
    assert_eq!(fs::read(log.with_extension("damaged")).unwrap(), bytes);
}

/// Nearly every offset looks like the start of a long record, but none is one.
#[test]
fn damage_that_looks_like_records_everywhere_is_not_searched_for_ever() {
    let given = short(8, 1);
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("r");
    write(&folder, &given, false);
    let log = only_log(&folder);
    let mut bytes = fs::read(&log).unwrap();
    bytes.resize(bytes.len() + (24 << 20), 1);
    fs::write(&log, bytes).unwrap();
    Writer::open_or_continue_on(&folder, Keep::default(), Failing::never()).unwrap().finish(&manifest()).unwrap();
    assert_eq!(load(&folder), recording(&manifest(), &given));
    assert!(log.with_extension("damaged").exists(), "too much to be one torn write");
}

/// What a later version of pagetide may add to a log of this format.
#[test]
fn unknown_tables_columns_marks_and_records_are_passed_over() {
    let given = short(4, 1);
    let (mut bytes, _) = log_of(&given);
    let schema = r#"{"tables": ["tomorrow"], "columns": [["tomorrow", {"name": "a", "kind": "phase", "unit": "moons"}]],
        "entities": [["tomorrow", {"name": "e", "label": "e", "colour": 1}]]}"#;
    crate::log::put_any(&mut bytes, 2, schema.as_bytes());
    crate::log::put_any(
        &mut bytes,
        5,
        br#"{"stamp": {"wall_ns": 1, "mono_ns": 1, "boot_ns": 1}, "kind": {"type": "eclipse"}}"#,
    );
    crate::log::put_any(&mut bytes, 77, b"anything");
    // Three times of 1 s, 0 and 0 more, then three bytes of table 2, after host and process.
    crate::log::put_any(&mut bytes, 3, &[0, 0, 0, 2, 3, 9, 9, 9]);
    let read = read(&bytes).unwrap();
    let known = recording(&manifest(), &given);
    assert_eq!(read.stamps().len(), known.stamps().len() + 1);
    assert_eq!(read.marks, known.marks);
    assert_eq!(read.host("MemFree").map(|series| series.points().count()), Some(4));
}

#[test]
fn a_log_without_a_beginning_is_named_as_damaged_while_it_is_open() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("r");
    write(&folder, &short(4, 1), false);
    let log = only_log(&folder);
    let whole = fs::read(&log).unwrap();
    let damage = |bytes: &[u8]| {
        fs::write(&log, bytes).unwrap();
        let reader = Reader::open(&folder).unwrap();
        reader.load(&Selection::default()).unwrap();
        reader.damage().lines()
    };
    assert_eq!(damage(&whole), Vec::<String>::new());
    // The header, and the first record.
    for at in [3, 40] {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        let lines = damage(&flipped);
        assert!(lines.len() == 1 && lines[0].contains("all samples of segment"), "byte {at}: {lines:?}");
    }
    for length in [0, 9, 16, 20, 100] {
        assert_eq!(damage(&whole[..length]), Vec::<String>::new(), "a torn first write is no damage");
    }
    // What a power cut leaves of a log, and other bytes.
    for odd in [0, 0xa5] {
        let lines = damage(&vec![odd; whole.len()]);
        assert!(lines.len() == 1 && lines[0].contains("all samples of segment"), "{odd}: {lines:?}");
        let mut end = whole.clone();
        if odd == 0 {
            // From within a record on.
            end[whole.len() - 40..].fill(odd);
        }
        end.resize(whole.len() + 4000, odd);
        let lines = damage(&end);
        assert!(lines.len() == 1 && lines[0].contains("is damaged at byte"), "{odd}: {lines:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Log -> recording -> sealed -> recording: all the same, whatever the shape.
    #[test]
    fn every_recording_comes_back_open_and_sealed(given in recordings(40)) {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("r");
        let mut writer = Writer::create_on(&folder, Failing::never()).unwrap();
        writer.begin(&manifest()).unwrap();
        given.iter().for_each(|given| give(&mut writer, given).unwrap());
        let expected = recording(&manifest(), &given);
        prop_assert_eq!(load(&folder), expected.clone());
        writer.finish(&manifest()).unwrap();
        prop_assert!(files(&folder.join("open")).is_empty());
        prop_assert_eq!(load(&folder), expected);
    }

    /// A flipped bit never gives a wrong number: what is read is a beginning of what was written.
    #[test]
    fn flipped_bits_in_a_log_give_a_beginning_of_it(
        given in recordings(30),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..8), 1..4),
    ) {
        let (mut bytes, ends) = log_of(&given);
        let mut first = bytes.len();
        let flips: std::collections::BTreeSet<_> = flips.iter().map(|(at, bit)| (at.index(bytes.len()), *bit)).collect();
        for (at, bit) in flips {
            bytes[at] ^= 1 << bit;
            first = first.min(at);
        }
        match read(&bytes) {
            None => prop_assert!(first < ends[0]),
            Some(read) => {
                let whole = ends.iter().rposition(|end| *end <= first).unwrap();
                prop_assert_eq!(read, recording(&manifest(), &given[..whole]));
            }
        }
    }

    /// Any bytes give a log or an error, never a panic, even after a valid beginning and with valid checksums.
    #[test]
    fn any_bytes_are_an_error_or_a_beginning(
        noise in prop::collection::vec(any::<u8>(), 0..600),
        kind in 0u8..7,
        given in recordings(8),
    ) {
        read(&noise);
        let (bytes, _) = log_of(&given);
        let mut behind = bytes.clone();
        behind.extend_from_slice(&noise);
        prop_assert_eq!(read(&behind), Some(recording(&manifest(), &given)));
        let mut checked = bytes;
        crate::log::put_any(&mut checked, kind, &noise);
        prop_assert!(read(&checked).is_some());
    }
}
