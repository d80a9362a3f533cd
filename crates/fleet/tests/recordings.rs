//! Recordings as rows: good ones, and every kind of bad one.

use pagetide_core::{Selection, Source};
use pagetide_fleet::{Observer, Question, Row, RowCache, Tally, TimeRange, map, map_unit, recordings, reduce, units};
use pagetide_store::import::replay;
use pagetide_store::{Reader, Writer};
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A day after the recordings of the corpus.
const UNTIL: i64 = 1_795_400_000_000_000_000;
const RANGE: TimeRange = TimeRange { from_ns: None, until_ns: UNTIL };

/// A recording of the corpus as this version writes it: the corpus was recorded before segments listed their files.
fn fixture(name: &str) -> TempDir {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus").join(name).join("recording");
    let recording = Reader::open(&from).unwrap().load(&Selection::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    replay(&recording, &mut Writer::create(folder.path()).unwrap()).unwrap();
    folder
}

/// The files of a folder and of those below it, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { found.extend(files(&entry)) } else { found.push(entry) }
    }
    found.sort();
    found
}

fn copy_file(from: &Path, file: &Path, to: &Path, bytes: usize) {
    let target = to.join(file.strip_prefix(from).unwrap());
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    let content = fs::read(file).unwrap();
    fs::write(target, &content[..bytes.min(content.len())]).unwrap();
}

fn copy(from: &Path, to: &Path) {
    files(from).iter().for_each(|file| copy_file(from, file, to, usize::MAX));
}

fn rows(folder: &Path) -> Vec<Row> {
    map(&folder.display().to_string(), RANGE)
}

fn problem(row: &Row) -> &str {
    row.problem.as_deref().unwrap_or("none")
}

/// What does not depend on the rules.
fn measured(mut row: Row) -> Row {
    row.made_by = None;
    row.recording = None;
    (row.verdict, row.cause, row.confidence, row.harm_ns) = (None, None, None, None);
    (row.program, row.group, row.disk, row.disk_class) = (None, None, None, None);
    row
}

#[test]
fn an_hour_is_a_row() {
    let rows = rows(fixture("stream-floods-cache-1").path());
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].verdict.as_deref(), Some("incident"));
    assert!(rows[0].harm_ns > Some(0));
    insta::assert_snapshot!(serde_json::to_string_pretty(&measured(rows[0].clone())).unwrap());
}

#[test]
fn rows_are_the_same_bytes_by_unit_by_recording_and_from_the_cache() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("fleet");
    copy(fixture("stream-floods-cache-1").path(), &folder.join("a"));
    copy(fixture("control-warm-1").path(), &folder.join("b/deeper"));
    let name = |path: &str| folder.join(path).display().to_string();
    assert_eq!(recordings(&folder).unwrap(), [name("a"), name("b/deeper")]);
    let by_unit: Vec<Row> = recordings(&folder)
        .unwrap()
        .iter()
        .flat_map(|one| units(one, RANGE))
        .flat_map(|unit| map_unit(&unit, RANGE))
        .collect();
    let mut by_recording: Vec<Row> = recordings(&folder).unwrap().iter().flat_map(|one| map(one, RANGE)).collect();
    pagetide_fleet::sort(&mut by_recording);
    let cache = RowCache::open(&scratch.path().join("cache")).unwrap();
    let run = || pagetide_fleet::run(std::slice::from_ref(&folder), RANGE, Some(&cache), &Silent).unwrap();
    let ((first, tally), (second, again)) = (run(), run());
    assert_eq!((tally.units, tally.cached, again.cached), (2, 0, 2));
    let bytes = |rows: &[Row]| serde_json::to_string(rows).unwrap();
    let mut by_unit = by_unit;
    pagetide_fleet::sort(&mut by_unit);
    for other in [&by_recording, &first, &second] {
        assert_eq!(bytes(&by_unit), bytes(other));
    }
    // A file that is gone makes the day's rows anew.
    let zone = files(&folder.join("a")).into_iter().find(|file| file.to_string_lossy().contains("/zone/")).unwrap();
    fs::remove_file(zone).unwrap();
    let (rows, tally) = run();
    assert_eq!(tally.cached, 1);
    assert_eq!(rows.iter().filter(|row| problem(row) == "damaged").count(), 1);
}

struct Silent;

impl Observer for Silent {
    fn progress(&self, _: Tally) {}
    fn interrupted(&self) -> bool {
        false
    }
}

#[test]
fn files_of_cut_are_recordings_with_a_row_for_each_hour() {
    let scratch = tempfile::tempdir().unwrap();
    let good = fixture("stream-floods-cache-1");
    let loaded = Reader::open(good.path()).unwrap().load(&Selection::default()).unwrap();
    let file = scratch.path().join("incident.pagetide");
    fs::write(&file, pagetide_store::cut::write(&loaded).unwrap()).unwrap();
    fs::create_dir(scratch.path().join("folder.pagetide")).unwrap();
    let name = file.display().to_string();
    assert_eq!(recordings(scratch.path()).unwrap(), [name.as_str()]);
    assert_eq!(recordings(&file).unwrap(), [name.as_str()]);
    let (of_file, of_folder) = (map(&name, RANGE), rows(good.path()));
    assert_eq!(of_file.len(), 1);
    assert_eq!(of_file[0].verdict, of_folder[0].verdict);
    assert_eq!(measured(of_file[0].clone()), measured(of_folder[0].clone()));
    fs::write(&file, "no cut").unwrap();
    assert!(recordings(&file).is_err());
    assert_eq!(problem(&map(&name, RANGE)[0]), "unreadable");
}

#[test]
fn a_bad_recording_is_one_row_that_says_so() {
    let scratch = tempfile::tempdir().unwrap();
    let good = fixture("control-warm-1");
    let bad = |name: &str, damage: &dyn Fn(&Path)| {
        let folder = scratch.path().join(name);
        copy(good.path(), &folder);
        damage(&folder);
        let rows = rows(&folder);
        assert_eq!(rows.len(), 1, "{name}: {rows:?}");
        assert!(rows[0].verdict.is_none() && rows[0].problem_text.is_some(), "{name}: {rows:?}");
        problem(&rows[0]).to_owned()
    };
    let each = |folder: &Path, table: &str, change: &dyn Fn(&Path)| {
        files(&folder.join(table)).iter().for_each(|file| change(file));
    };
    assert_eq!(bad("gone", &|folder| fs::remove_dir_all(folder).unwrap()), "unreadable");
    assert_eq!(
        bad("no folder", &|folder| {
            fs::remove_dir_all(folder).unwrap();
            fs::write(folder, "x").unwrap()
        }),
        "unreadable"
    );
    assert_eq!(
        bad("manifest alone", &|folder| ["sample", "host", "disk", "zone", "process", "cgroup"].iter().for_each(
            |table| {
                fs::remove_dir_all(folder.join(table)).unwrap();
            }
        )),
        "empty"
    );
    let cut = |file: &Path| fs::write(file, &fs::read(file).unwrap()[..100]).unwrap();
    assert_eq!(bad("cut", &|folder| each(folder, "disk", &cut)), "damaged");
    assert_eq!(bad("cut samples", &|folder| each(folder, "sample", &cut)), "damaged");
    // A name says another day than the samples: each of their hours would read all of them.
    let date = units(&good.path().display().to_string(), RANGE)[0].date.clone().unwrap();
    let other_day = |folder: &Path| {
        for file in files(folder) {
            let compact = |date: &str| date.replace('-', "");
            let name = file.strip_prefix(folder).unwrap().display().to_string();
            let name = name.replace(&date, "2026-11-01").replace(&compact(&date), "20261101");
            fs::create_dir_all(folder.join(&name).parent().unwrap()).unwrap();
            fs::rename(&file, folder.join(&name)).unwrap();
        }
    };
    assert_eq!(bad("other day", &other_day), "damaged");
    let newer = |folder: &Path| {
        let text = fs::read_to_string(folder.join("manifest.json")).unwrap();
        fs::write(folder.join("manifest.json"), text.replacen("\"schema_version\": ", "\"schema_version\": 99", 1))
            .unwrap();
    };
    assert_eq!(bad("newer", &newer), "too-new");
    let ahead = TimeRange { from_ns: None, until_ns: UNTIL - 10 * 86_400_000_000_000 };
    let rows = map(&good.path().display().to_string(), ahead);
    assert_eq!((rows.len(), problem(&rows[0])), (1, "clock-skewed"));
    let later = TimeRange { from_ns: Some(UNTIL), until_ns: UNTIL + 1 };
    let rows = map(&good.path().display().to_string(), later);
    assert_eq!((rows.len(), problem(&rows[0])), (1, "out-of-range"));
    let answers = reduce(&rows, &Question::default()).unwrap();
    assert_eq!(
        (answers.recordings, answers.out_of_range, answers.problems.len()),
        (1, 1, 0),
        "nothing is wrong with it"
    );
}

#[test]
fn hours_that_are_neither_healthy_nor_incidents_are_counted_and_listed() {
    let good = map(&fixture("control-warm-1").path().display().to_string(), RANGE).remove(0);
    let hour = |hour: i64, verdict: &str, cause: Option<&str>| Row {
        hour_ns: Some(hour * 3_600_000_000_000),
        verdict: Some(verdict.into()),
        cause: cause.map(Into::into),
        harm_ns: None,
        ..good.clone()
    };
    let hours = [
        hour(1, "healthy", None),
        hour(2, "forecast", Some("memory-leak")),
        hour(3, "cannot-tell", None),
        hour(4, "incident", Some("swap-thrash")),
        hour(5, "forecast", Some("memory-leak")),
    ];
    let answers = reduce(&hours, &Question::default()).unwrap();
    let counts = [answers.healthy_hours, answers.incident_hours, answers.forecast_hours, answers.cannot_tell_hours];
    assert_eq!((counts, answers.hours), ([1, 1, 2, 1], 5), "they add up");
    let listed = answers.forecasts.iter().map(|one| (one.hour_ns / 3_600_000_000_000, one.cause.as_deref()));
    assert_eq!(listed.collect::<Vec<_>>(), [(5, Some("memory-leak")), (2, Some("memory-leak"))]);
    assert_eq!(answers.cannot_tell.iter().map(|one| one.cause.as_deref()).collect::<Vec<_>>(), [None]);
}

#[test]
fn that_hosts_have_swap_does_not_explain_that_they_thrash_it() {
    let good = map(&fixture("control-warm-1").path().display().to_string(), RANGE).remove(0);
    let named = |cause: &str| {
        let host = |number: usize| Row {
            host: Some(format!("host{number}").into()),
            recording: Some(format!("rec{number}").into()),
            swap_bytes: Some(if number < 8 { 1 << 30 } else { 0 }),
            verdict: Some(if number < 8 { "incident" } else { "healthy" }.into()),
            cause: (number < 8).then(|| cause.into()),
            harm_ns: (number < 8).then_some(1),
            ..good.clone()
        };
        let rows: Vec<Row> = (0..40).map(host).collect();
        let answers = reduce(&rows, &Question::default()).unwrap();
        answers.factors.iter().flat_map(|cause| &cause.factors).any(|factor| {
            factor.conditions.iter().chain(factor.same_hosts.iter().flatten()).any(|one| &*one.attribute == "swap")
        })
    };
    assert!(!named("swap-thrash"));
    assert!(named("device-saturated"), "of what can be without swap it is one");
}

#[test]
fn two_recordings_of_one_host_and_hour_count_once() {
    let good = map(&fixture("control-warm-1").path().display().to_string(), RANGE);
    let twin = Row { recording: Some("zz".into()), ..good[0].clone() };
    let answers = reduce(&[twin.clone(), good[0].clone(), good[0].clone()], &Question::default()).unwrap();
    assert_eq!((answers.recordings, answers.hosts, answers.hours), (2, 1, 1));
    assert_eq!(answers.problems[0].problem.as_ref(), "duplicate-host");
    assert_eq!(answers.problems[0].recordings[0].recording.as_ref(), "zz");
    let other_hour = Row { hour_ns: Some(0), ..twin };
    let answers = reduce(&[other_hour, good[0].clone()], &Question::default()).unwrap();
    assert_eq!(
        (answers.hours, answers.problems.len()),
        (2, 0),
        "a recording that was continued elsewhere is no duplicate"
    );
}

#[test]
fn rows_of_different_versions_are_refused() {
    let row = || map(&fixture("control-warm-1").path().display().to_string(), RANGE).remove(0);
    let other = Row { made_by: Some("0.0.1-0".into()), ..row() };
    assert!(reduce(&[row(), other], &Question::default()).unwrap_err().what.starts_with("rows of different versions"));
    let newer = Row { row_version: Some(99), ..row() };
    assert!(reduce(&[newer], &Question::default()).unwrap_err().what.starts_with("rows of version 99"));
}

/// A plain copy of a recording, in the order of names or against it, that is interrupted after any number of files, in the middle of one.
#[test]
fn a_copy_that_was_interrupted_is_never_taken_for_whole() {
    let from = fixture("control-warm-1");
    let from = from.path();
    let whole = rows(from);
    let mut files = files(from);
    for _ in 0..2 {
        for (count, cut) in files.iter().enumerate() {
            for bytes in [0, 1, fs::read(cut).unwrap().len() - 1] {
                let scratch = tempfile::tempdir().unwrap();
                let to = scratch.path().join("r");
                fs::create_dir(&to).unwrap();
                files[..count].iter().for_each(|file| copy_file(from, file, &to, usize::MAX));
                copy_file(from, cut, &to, bytes);
                let rows = rows(&to);
                assert_eq!(rows.len(), 1, "{}: {bytes} bytes of file {count}", cut.display());
                if rows[0].verdict.is_some() {
                    // Only the manifest was still to come; every segment has its own.
                    let without = |row: &Row| Row { recording: None, ..row.clone() };
                    assert_eq!(
                        without(&rows[0]),
                        without(&whole[0]),
                        "{}: {bytes} bytes of file {count}",
                        cut.display()
                    );
                }
            }
        }
        files.reverse();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Any byte of any file changed: the row says that it is damaged, or says the same as before.
    #[test]
    fn a_changed_byte_changes_no_verdict_in_silence(file in 0_usize..7, at in any::<prop::sample::Index>(), flip in 1_u8..) {
        let scratch = tempfile::tempdir().unwrap();
        let from = fixture("control-warm-1");
        copy(from.path(), scratch.path());
        let files = files(scratch.path());
        let file = &files[file % files.len()];
        let mut content = fs::read(file).unwrap();
        let at = at.index(content.len());
        content[at] ^= flip;
        fs::write(file, content).unwrap();
        let rows = rows(scratch.path());
        prop_assert_eq!(rows.len(), 1);
        if rows[0].verdict.is_some() {
            let whole = Row { recording: rows[0].recording.clone(), ..map(&from.path().display().to_string(), RANGE).remove(0) };
            prop_assert_eq!(&rows[0], &whole);
        }
    }
}
