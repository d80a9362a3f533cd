//! `pagetide diagnose`, as a user runs it.

use assert_cmd::Command;
use std::path::{Path, PathBuf};

fn pagetide() -> Command {
    Command::cargo_bin("pagetide").unwrap()
}

/// Imports files of `fixtures/import` into a new recording.
fn imported(folder: &Path, pattern: &str) -> PathBuf {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/import").join(pattern);
    let mut files: Vec<PathBuf> = std::fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let out = folder.join("recording");
    pagetide().arg("import").args(&files).arg("-o").arg(&out).assert().success();
    out
}

#[test]
fn the_curious_case_reads_as_an_expert_would_tell_it() {
    let folder = tempfile::tempdir().unwrap();
    let recording = imported(folder.path(), "curious-case");
    let assert = pagetide().arg("diagnose").arg(&recording).arg("--json").assert().success();
    let told: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(told["verdict"], "cause");
    assert_eq!(told["cause"]["rule"], "stream-floods-cache");
    assert_eq!(told["cause"]["origins"], serde_json::json!(["disk:vgca0"]));
    let effects: Vec<&str> =
        told["chain"].as_array().unwrap().iter().map(|link| link["effect"].as_str().unwrap()).collect();
    let order = [
        "kswapd reclaims",
        "the file cache loses 12.6 GiB in 8.53 s",
        "major faults",
        "sda is busy",
        "sdb is busy",
        "CPUs idle for IO",
    ];
    let places: Vec<usize> = order
        .iter()
        .map(|part| {
            effects.iter().position(|effect| effect.contains(part)).unwrap_or_else(|| panic!("{part}: {effects:#?}"))
        })
        .collect();
    assert!(places.is_sorted(), "{effects:#?}");
    let cleared: Vec<&str> =
        told["cleared"].as_array().unwrap().iter().map(|item| item["rule"].as_str().unwrap()).collect();
    assert_eq!(cleared, ["anonymous-growth-takes-cache", "swap-thrash"]);
    let over = told["contradictions"][0]["statement"].as_str().unwrap();
    assert!(over.contains("far above the high watermarks (132 MiB in all)"), "{over}");
    let text = pagetide().arg("diagnose").arg(&recording).assert().success();
    let text = String::from_utf8_lossy(&text.get_output().stdout).into_owned();
    for part in [
        "sda and sdb are victims and not the cause",
        "What would settle it",
        "What it is not",
        "pagetide lab run ssd-stream",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}

#[test]
fn a_recording_that_says_nothing_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("recording");
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/import/curious-case/sar-u.txt");
    pagetide().arg("import").arg(&file).arg("-o").arg(&out).assert().success();
    let assert = pagetide().arg("diagnose").arg(&out).assert().success();
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(
        text.contains("cannot be told from this recording, because: Not recorded: whether memory is reclaimed"),
        "{text}"
    );
}

#[test]
fn rules_name_scenarios_that_there_are() {
    let shipped: Vec<&str> = pagetide_lab::catalogue::ids().collect();
    for scenario in pagetide_diagnose::scenarios() {
        assert!(shipped.contains(&scenario), "{scenario} is not in the catalogue");
    }
}
