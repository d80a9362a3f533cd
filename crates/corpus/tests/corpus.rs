//! The recorded corpus matches its families, and the score of the development half does not get worse.

use pagetide_core::{Diagnosis, LazyRecording, Quantity, Relation, Unit};
use pagetide_corpus::score::{self, Score};
use pagetide_corpus::truth::{Half, Truth};
use pagetide_corpus::{Incident, family};
use pagetide_store::Reader;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn cases() -> Vec<Incident> {
    family::all(&project("corpus")).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_recording_is_of_a_case_as_its_family_has_it_today() {
    let cases: BTreeMap<String, Incident> = cases().into_iter().map(|case| (case.name.clone(), case)).collect();
    let mut recorded = 0;
    for entry in std::fs::read_dir(project("fixtures/corpus")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(truth) = Truth::read(&folder.join("truth.toml")) else { continue };
        let case = cases.get(&name).unwrap_or_else(|| panic!("{name} is of no family: remove it"));
        let scenario = std::fs::read_to_string(folder.join("scenario.toml")).unwrap();
        assert_eq!(scenario, case.text, "{name}: its family was changed: `corpus record {name}` records it again");
        assert_eq!((truth.seed, truth.control, &truth.cause), (case.seed, case.control, &case.cause), "{name}");
        assert_eq!(truth.onset_ns.is_some(), case.onset.is_some(), "{name}");
        recorded += 1;
    }
    assert!(recorded >= 45, "{recorded} recordings");
}

#[test]
fn every_family_is_held_back_in_part() {
    let mut halves: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let cases = cases();
    for case in &cases {
        halves.entry(&case.family).or_default()[usize::from(case.half == Half::HeldOut)] += 1;
    }
    for (family, [building, held]) in halves {
        assert!(building >= 1 && held >= 2, "{family}: {building} and {held}");
    }
}

/// `corpus/floor.toml`: lower bounds of the development half.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Floor {
    cause: usize,
    origin: usize,
    onset: usize,
    false_alarms: usize,
    blamed_on_a_stream: usize,
}

#[test]
fn the_rules_are_not_worse_on_the_building_half_than_they_were() {
    let text = std::fs::read_to_string(project("crates/corpus/floor.toml")).unwrap();
    let floor: Floor = toml::from_str(&text).unwrap();
    let judged = score::judge(&project("fixtures/corpus"), Some(Half::Development)).unwrap();
    let score = Score::of(judged.iter());
    assert!(
        score.cause >= floor.cause,
        "{} causes are right, {} were: `make score` says which",
        score.cause,
        floor.cause
    );
    assert!(score.origin >= floor.origin, "{} origins are right, {} were", score.origin, floor.origin);
    assert!(score.onset >= floor.onset, "{} onsets are right, {} were", score.onset, floor.onset);
    assert!(
        score.false_alarms <= floor.false_alarms,
        "{} false alarms, {} were",
        score.false_alarms,
        floor.false_alarms
    );
    let (blamed, were) = (score.blamed_on_a_stream, floor.blamed_on_a_stream);
    assert!(blamed <= were, "{blamed} wrongly blamed on a stream, {were} were");
}

/// Recordings of real programs: what is wrong has a sentence in misses.toml that explains it, and nothing else is wrong.
#[test]
fn the_rules_are_not_worse_on_real_programs_than_they_were() {
    let judged = score::judge(&project("fixtures/real"), None).unwrap();
    assert!(judged.len() >= 80, "{} recordings", judged.len());
    let text = std::fs::read_to_string(project("crates/corpus/misses.toml")).unwrap();
    let explained: BTreeMap<String, String> = toml::from_str(&text).unwrap();
    let wrong: Vec<_> = judged
        .iter()
        .filter(|one| !one.cause_right() && !explained.contains_key(&one.name))
        .map(|one| (&one.name, &one.reported.cause))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let score = Score::of(judged.iter());
    assert!(score.cases - score.cause <= 8 && score.false_alarms <= 1, "{score:?}");
}

/// Of many recordings, as of a long one, most is read only around the stretches in which tasks lose time. It says the same of real incidents.
#[test]
fn what_is_read_around_lost_time_says_what_all_of_a_recording_does() {
    let mut told = BTreeMap::new();
    for entry in std::fs::read_dir(project("fixtures/real")).unwrap() {
        let folder = entry.unwrap().path();
        let open = || {
            let reader = Reader::open(&folder.join("recording")).unwrap();
            let mut recording = LazyRecording::open(reader, None, None).unwrap();
            recording.drop_marks();
            recording
        };
        let says = |diagnosis: Diagnosis| (diagnosis.verdict, diagnosis.cause.map(|cause| (cause.rule, cause.origins)));
        let (mut all, mut lost) = (open(), open());
        let all = says(pagetide_diagnose::diagnose_lazy(&mut all, &[]).unwrap());
        let lost = says(pagetide_diagnose::diagnose_losses(&mut lost, &[]).unwrap());
        told.insert(folder, (all, lost));
    }
    assert!(told.len() >= 80, "{} recordings", told.len());
    let other: Vec<_> = told.iter().filter(|(_, (all, lost))| all != lost).collect();
    assert!(other.is_empty(), "{other:?}");
}

/// A service that sends the load is a victim of its own limits: no advice gives it less memory or a lower priority, as advice does to a program that started.
#[test]
fn no_advice_limits_a_service() {
    let limits = |name: &str| {
        let (_, _, recording) = score::read(&project("fixtures/real"), None)
            .unwrap()
            .into_iter()
            .find(|(known, ..)| known == name)
            .unwrap();
        let diagnosis = pagetide_diagnose::diagnose(&recording);
        let commands = diagnosis.findings[0].advice.iter().filter_map(|advice| advice.command.clone());
        let limits = commands.filter(|command| {
            ["MemoryHigh", "BandwidthMax", "io.max", "IOPSMax"].iter().any(|limit| command.contains(limit))
        });
        (diagnosis.cause.unwrap().rule.to_string(), limits.count() > 0)
    };
    for service in ["bitmap-mglru", "sqldump-mglru"] {
        assert_eq!(limits(service), ("noisy-neighbour".to_owned(), false), "{service}");
    }
    assert_eq!(limits("tar-mglru"), ("stream-floods-cache".to_owned(), true));
}

/// The recordings of all incidents that the project has.
fn recordings() -> impl Iterator<Item = (String, pagetide_core::Recording)> {
    let all = ["fixtures/real", "fixtures/corpus"]
        .into_iter()
        .flat_map(|folder| score::read(&project(folder), None).unwrap());
    all.map(|(name, _, recording)| (name, recording))
}

/// Each relation that is printed of a diagnosis with its two values.
fn relations(diagnosis: &Diagnosis) -> Vec<(String, Relation, Quantity, Quantity)> {
    let of_findings = diagnosis.findings.iter().flat_map(|one| one.evidence.iter().chain(&one.contradictions));
    let others = diagnosis.chain.iter().flat_map(|link| &link.evidence);
    let others = others.chain(diagnosis.contradictions.iter().flat_map(|one| &one.evidence));
    let others = others.chain(diagnosis.cleared.iter().flat_map(|one| &one.evidence));
    let all = of_findings.chain(others);
    let evidence =
        all.filter_map(|one| one.against.map(|(relation, other)| (one.what.clone(), relation, one.value, other)));
    let statements = diagnosis.findings.iter().map(|one| &one.statement).chain([&diagnosis.summary]);
    evidence.chain(statements.flat_map(|text| said(text))).collect()
}

/// The relations in a sentence: a quantity, `above` or `below`, and the first quantity that follows within a few words.
fn said(text: &str) -> Vec<(String, Relation, Quantity, Quantity)> {
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches([',', ':', ';', '(', ')', '.'])).collect();
    let quantity = |at: usize| {
        let two = words.get(at..at + 2).and_then(|pair| Quantity::parse(&pair.concat()).ok());
        two.filter(|found| found.unit != Unit::Count)
    };
    let relations = words.iter().enumerate().filter_map(|(at, word)| {
        let relation = match *word {
            "above" => Relation::Above,
            "below" => Relation::Below,
            _ => return None,
        };
        let before = (at.saturating_sub(3)..at.saturating_sub(1)).rev().find_map(quantity)?;
        let after = (at + 1..at + 6).find_map(quantity)?;
        (before.unit == after.unit).then(|| (text.to_owned(), relation, before, after))
    });
    relations.collect()
}

#[test]
fn every_printed_relation_holds() {
    let mut seen = 0;
    for (name, recording) in recordings() {
        for (what, relation, value, other) in relations(&pagetide_diagnose::diagnose(&recording)) {
            assert!(relation.holds(value, other), "{name}: {what}: {value} {relation:?} {other}");
            seen += 1;
        }
    }
    assert!(seen > 1000, "{seen} relations");
    assert_eq!(said("memory reached 2.61 MiB, above the freerun ceiling of 2.64 MiB (x)").len(), 1);
}
