//! `pagetide reproduce` as people use it: what it keeps beside a recording, and one line for what it cannot reproduce.

#[path = "support/terminal.rs"]
mod terminal;

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use terminal::Session;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

fn pagetide(words: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pagetide")).args(words).current_dir(folder).output().unwrap()
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

/// A folder with a copy of the recording of a tar beside PostgreSQL, called `rec`.
fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let tar = fixture("real/tar-mglru/recording");
    let copy = Command::new("cp").arg("-r").arg(tar).arg(folder.path().join("rec")).status().unwrap();
    assert!(copy.success());
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn diagnose_prints_advice_in_the_order_of_what_was_measured() {
    let folder = copied();
    let diagnosed = || text(&pagetide(&["diagnose", "rec"], folder.path()).stdout);
    let judged = diagnosed();
    assert!(judged.contains("The order is a judgement."), "{judged}");
    let kept = pagetide(&["reproduce", "rec", "--seeds", "1", "--keep"], folder.path());
    assert_eq!(kept.status.code(), Some(0), "{}", text(&kept.stderr));
    assert_eq!(names(folder.path()), ["rec", "rec.reproduction.json"]);
    let measured = diagnosed();
    let (_, after) = measured.split_once("Measured on a model").unwrap_or_else(|| panic!("{measured}"));
    let (table, rules) = after.split_once("By judgement:").unwrap();
    assert!(table.contains("DONTNEED") && !table.contains("zram") && rules.contains("O_DIRECT"), "{measured}");
    // Of another incident it says nothing.
    let file = folder.path().join("rec.reproduction.json");
    let mut json: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    json["from_ns"] = 1.into();
    std::fs::write(&file, json.to_string()).unwrap();
    assert_eq!(diagnosed(), judged);
    std::fs::write(&file, "{").unwrap();
    let broken = pagetide(&["diagnose", "rec"], folder.path());
    assert_eq!(broken.status.code(), Some(2));
    assert!(text(&broken.stderr).contains("rec.reproduction.json"), "{}", text(&broken.stderr));
}

#[test]
fn a_group_that_waits_for_longer_than_recorded_is_named_and_the_incident_is_reproduced_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let again = |name: &str| {
        let recording = fixture(name);
        let output = pagetide(&["reproduce", recording.to_str().unwrap(), "--no-advice"], folder.path());
        (output.status.code(), text(&output.stdout))
    };
    let (code, told) = again("real/manyfiles-mglru/recording");
    let answer = told.lines().next().unwrap();
    assert!(
        answer.starts_with("Reproduced")
            && answer.contains("Other amounts differ: ")
            && answer.contains("waits of the group db"),
        "{told}"
    );
    assert_eq!(code, Some(0));
    let (_, alike) = again("real/appmax-mglru/recording");
    assert!(
        alike.starts_with("Reproduced") && !alike.lines().next().unwrap().contains("waits of the group"),
        "{alike}"
    );
}

#[test]
fn where_nobody_who_ran_before_loses_time_it_says_that_advice_gives_none_back() {
    let told = |name: &str| {
        let recording = fixture(name);
        let folder = tempfile::tempdir().unwrap();
        text(&pagetide(&["reproduce", recording.to_str().unwrap(), "--seeds", "1"], folder.path()).stdout)
    };
    let lost_nothing = "The victims lose no time on the model, so no advice can give any back.";
    let limited = told("real/twice-mglru/recording");
    assert!(limited.contains(lost_nothing) && !limited.contains("What each advice does"), "{limited}");
    let computes = told("real/quota-mglru/recording");
    assert!(computes.contains("What each advice does") && !computes.contains(lost_nothing), "{computes}");
}

#[test]
fn what_cannot_be_reproduced_is_one_line_with_a_hint() {
    let folder = copied();
    let refused = |recording: &str, words: &str| {
        let output = pagetide(&["reproduce", recording, "-o", "again.toml"], folder.path());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words) && said.lines().count() == 2 && said.contains("hint: "), "{said}");
        assert!(output.stdout.is_empty() && !folder.path().join("again.toml").exists());
    };
    // Too short to say what each process did, whatever this host does.
    let short = pagetide(&["record", "-o", "short", "--for", "2s", "--interval", "200ms"], folder.path());
    assert!(short.status.success(), "{}", text(&short.stderr));
    refused("short", "");
    // An import that has neither disks nor processes.
    let log = fixture("import/curious-case/sar-B.txt");
    let import = pagetide(&["import", log.to_str().unwrap(), "-o", "imported"], folder.path());
    assert!(import.status.success(), "{}", text(&import.stderr));
    refused("imported", "");
    refused("nowhere", "no such recording");
    // Before the search, which takes minutes.
    for option in ["-o", "--html"] {
        let output = pagetide(&["reproduce", "rec", option, "no/such/folder/again"], folder.path());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.starts_with("pagetide: no/such/folder: ") && said.lines().count() == 2, "{said}");
    }
}

#[test]
fn ctrl_c_on_a_terminal_ends_it_and_leaves_nothing() {
    let folder = copied();
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait", env!("CARGO_BIN_EXE_pagetide"), "reproduce", "rec", "--seeds", "2000", "--keep"]);
    let mut session = Session::start(command.current_dir(folder.path()), (100, 30));
    session.shows("trying advice");
    // Also in a narrow window.
    session.resize(40, 10);
    session.press("\x03");
    session.shows("interrupted");
    let own_line = session.text().lines().any(|line| line.starts_with("pagetide: interrupted"));
    assert!(own_line, "it is not the end of the progress:\n{}", session.text());
    let status = session.end();
    assert_eq!(status.code().or(status.signal()), Some(130));
    assert_eq!(names(folder.path()), ["rec"]);
}
