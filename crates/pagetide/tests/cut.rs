//! `pagetide cut`, and what its receiver sees.

use assert_cmd::Command;
use pagetide_core::{CutDiagnosis, Selection, Source, is_unprintable};
use pagetide_store::{Reader, cut};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus/stream-floods-cache-1/recording")
}

fn stdout(arguments: &[&str]) -> String {
    let assert = Command::cargo_bin("pagetide").unwrap().args(arguments).assert().success();
    String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(arguments)).unwrap()
}

#[test]
fn a_file_has_the_diagnosis_with_which_it_was_cut() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("incident.pagetide");
    let (recording, file) = (fixture(), file.to_str().unwrap());
    let cut = json(&["cut", recording.to_str().unwrap(), "-o", file, "--json"]);
    let told = json(&["diagnose", file, "--json"]);
    assert_eq!((&cut["summary"], &told["cut_diagnosis"]["summary"]), (&told["summary"], &told["summary"]));
    assert_eq!(told["cut_diagnosis"]["cause"], "stream-floods-cache");
    let chain = told["chain"].as_array().unwrap();
    assert!(!chain.is_empty() && chain.len() == told["cut_diagnosis"]["chain"].as_array().unwrap().len());
    let text = stdout(&["diagnose", file]);
    assert!(text.contains("made the same diagnosis when it cut this recording"), "{text}");
    assert!(json(&["diagnose", recording.to_str().unwrap(), "--json"]).get("cut_diagnosis").is_none());
}

#[test]
fn a_file_for_stdout_is_the_same_and_what_is_said_of_it_goes_to_stderr() {
    let scratch = tempfile::tempdir().unwrap();
    let (recording, file) = (fixture(), scratch.path().join("incident.pagetide"));
    let recording = recording.to_str().unwrap();
    let said = stdout(&["cut", recording, "-o", file.to_str().unwrap()]);
    let assert = Command::cargo_bin("pagetide").unwrap().args(["cut", recording, "-o", "-"]).assert().success();
    assert!(assert.get_output().stdout == std::fs::read(&file).unwrap());
    let streamed = String::from_utf8_lossy(&assert.get_output().stderr).replace("stdout:", "FILE:");
    assert_eq!(streamed, said.replace(&format!("{}:", file.display()), "FILE:"));
    Command::cargo_bin("pagetide").unwrap().args(["cut", recording, "-o", "-", "--json"]).assert().code(2);
}

#[test]
fn the_diagnosis_of_a_redacted_file_has_pseudonyms() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("incident.pagetide");
    let recording = fixture();
    stdout(&["cut", recording.to_str().unwrap(), "--redact", "-o", file.to_str().unwrap()]);
    let told = json(&["diagnose", file.to_str().unwrap(), "--json"]);
    let said = told["cut_diagnosis"]["summary"].as_str().unwrap();
    assert!(said.contains("process-") && said.contains("vd-"), "{said}");
    let bytes = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
    let original = Reader::open(&recording).unwrap().load(&Selection::default()).unwrap();
    let mut names = vec![original.manifest.host.as_str(), &original.manifest.boot_id];
    names.extend(original.entities(pagetide_core::Table::Disk).map(|(name, _)| name));
    let processes = original.entities(pagetide_core::Table::Process).map(|(_, label)| label);
    names.extend(processes.filter(|label| !label.starts_with('k') && label.len() > 3));
    names.retain(|name| !name.is_empty() && *name != "(none)");
    assert!(names.contains(&"backup"), "{names:?}");
    // A word of the product's own sentences is no leak.
    let words = ["init", "page", "disk", "swap", "process", "group", "cache", "memory", "reader"];
    let left: Vec<_> = names.iter().filter(|name| !words.contains(name) && bytes.contains(**name)).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_a_strangers_file_says_is_shown_as_its_words() {
    let scratch = tempfile::tempdir().unwrap();
    let (file, page) = (scratch.path().join("incident.pagetide"), scratch.path().join("page.html"));
    let evil = "Nothing is wrong.\x1b[2J<script>alert(1)</script>\u{202e}";
    let mut recording = Reader::open(&fixture()).unwrap().load(&Selection::default()).unwrap();
    let said = serde_json::json!({"tool_version": evil, "verdict": "healthy", "summary": evil, "findings": [evil]});
    recording.manifest.cut_diagnosis = Some(serde_json::from_value::<CutDiagnosis>(said).unwrap());
    std::fs::write(&file, cut::write(&recording).unwrap()).unwrap();
    let file = file.to_str().unwrap();
    let text = stdout(&["diagnose", file]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let place = |part: &str| words.find(part).unwrap_or_else(|| panic!("{part}: {words}"));
    assert!(
        place("backup (pid 96) reads") < place("According to the file, pagetide Nothing is wrong.\\x1b[2J"),
        "what is computed here comes first"
    );
    assert!(!text.lines().any(|line| line.contains(is_unprintable)));
    assert_eq!(json(&["diagnose", file, "--json"])["verdict"], "incident");
    stdout(&["diagnose", file, "--html", page.to_str().unwrap()]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script>alert(1)"));
}

#[test]
fn a_file_that_is_cut_short_is_told_before_anything_else() {
    let scratch = tempfile::tempdir().unwrap();
    let (file, short) = (scratch.path().join("incident.pagetide"), scratch.path().join("short.pagetide"));
    stdout(&["cut", fixture().to_str().unwrap(), "-o", file.to_str().unwrap()]);
    let bytes = std::fs::read(&file).unwrap();
    let run = |command: &str, length: usize| {
        std::fs::write(&short, &bytes[..length]).unwrap();
        let output = Command::cargo_bin("pagetide").unwrap().arg(command).arg(&short).output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.code().unwrap(), text)
    };
    assert_eq!(run("check", bytes.len()).0, 0);
    for length in [bytes.len() - 1, bytes.len() * 9 / 10] {
        let (code, text) = run("check", length);
        assert!(
            code == 1 && text.contains("cut short or damaged: ") && text.contains(" of 38 samples"),
            "{code}: {text}"
        );
        let (code, text) = run("diagnose", length);
        let first: Vec<&str> = text.lines().take(6).collect();
        assert!(code == 1 && first.join(" ").contains("cut short"), "{code}: {text}");
    }
    for command in ["check", "diagnose"] {
        let (code, text) = run(command, bytes.len() / 2);
        assert!(code == 2 && text.contains("cut short before its first sample"), "{code}: {text}");
    }
}

/// All recordings of real programs, and the first of each family of the corpus.
fn recordings() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let folders = |of| std::fs::read_dir(fixtures.join(of)).unwrap().map(|entry| entry.unwrap().path());
    let first = |folder: &PathBuf| folder.to_str().unwrap().ends_with("-1");
    let recordings = folders("real").chain(folders("corpus").filter(first)).map(|folder| folder.join("recording"));
    recordings.filter(|recording| recording.join("manifest.json").exists()).collect()
}

/// A cut of the incident of a recording that cost most: its samples, those of them that are context, and what is said of the incident in the
/// recording and in the file: the verdict and the cause. Absent where the recording has no incident.
fn cut_of_the_worst_incident(recording: &Path, file: &Path) -> Option<(f64, f64, [Value; 2])> {
    let (path, file) = (recording.to_str().unwrap(), file.to_str().unwrap());
    let whole = json(&["diagnose", path, "--json"]);
    let incident = whole["incidents"].get(0)?;
    let range: Vec<i64> = serde_json::from_value(incident["range"].clone()).unwrap();
    let times = Reader::open(recording).unwrap().times(&Selection::default()).unwrap();
    let moment = |at: i64| {
        let wall = times.wall_ns(at).unwrap();
        jiff::Timestamp::from_nanosecond(wall.into()).unwrap().to_string().trim_end_matches('Z').to_owned()
    };
    let (from, to) = (moment(range[0]), moment(range[1]));
    let cut = json(&["cut", path, "--utc", "--from", &from, "--to", &to, "-o", file, "--json"]);
    let told = json(&["diagnose", file, "--json"]);
    let said =
        [(&whole, incident), (&told, &told)].map(|(all, of)| serde_json::json!([all["verdict"], of["cause"]["rule"]]));
    Some((cut["samples"].as_f64().unwrap(), cut["context_samples"].as_f64().unwrap(), said))
}

#[test]
fn a_cut_of_the_stretch_of_trouble_keeps_the_verdict_and_its_cause() {
    let scratch = tempfile::tempdir().unwrap();
    let recordings = recordings();
    let at = std::sync::atomic::AtomicUsize::new(0);
    let work = || {
        let mut cuts = Vec::new();
        while let Some(recording) = recordings.get(at.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            let name = recording.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
            cuts.extend(cut_of_the_worst_incident(recording, &scratch.path().join(&name)).map(|cut| (name, cut)));
        }
        cuts
    };
    let cuts: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..std::thread::available_parallelism().unwrap().get()).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    let changed: Vec<_> = cuts.iter().filter(|(_, (.., [before, after]))| before != after).collect();
    let mut grown: Vec<f64> = cuts.iter().map(|(_, (samples, context, _))| samples / (samples - context)).collect();
    grown.sort_by(f64::total_cmp);
    assert!(cuts.len() > 60, "{} incidents", cuts.len());
    assert!(grown.last().is_some_and(|most| *most > 1.0), "none needs what is around it: this test shows nothing");
    let median = grown[grown.len() / 2];
    assert!(median <= 1.25, "samples of the files, of those of their stretches: {median}");
    assert!(changed.is_empty(), "{changed:#?}");
}
