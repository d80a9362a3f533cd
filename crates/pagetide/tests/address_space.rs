//! Memory that is refused at any moment counts as a kill: a command ends whole or with an error, and what is on disk is read back whole.
//! Every program is run with less and less address space, as SQLite tests an allocation that fails.

#![allow(clippy::print_stdout, reason = "rows for make torture")]

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// From an address space in which no program is loaded to one in which all is done, MiB.
const LIMITS: std::ops::Range<u64> = 20..260;
/// Between two of them.
const STEP: usize = 15;

fn binary() -> PathBuf {
    std::env::var_os("PAGETIDE_BINARY").map_or_else(|| env!("CARGO_BIN_EXE_pagetide").into(), PathBuf::from)
}

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path)
}

/// Runs a command with so many MiB of address space; gives whether it did all of its work.
fn done_with(limit: u64, words: &[&str]) -> bool {
    let mut command = Command::new("prlimit");
    command.args([format!("--as={}", limit << 20), "--core=0".to_owned()]).arg(binary()).args(words);
    let Output { status, stderr, .. } = command.output().unwrap();
    // 127: not even its libraries are loaded.
    let ended = status.signal().is_some() || matches!(status.code(), Some(0 | 2 | 3 | 127 | 134));
    assert!(ended, "{words:?} with {limit} MiB: {status} {}", String::from_utf8_lossy(&stderr));
    status.code() == Some(0)
}

/// Whether there is a recording at `path`; what there is of it is whole.
fn is_whole(path: &Path) -> bool {
    let output = Command::new(binary()).arg("check").arg(path).output().unwrap();
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    // It may have ended before its first sample.
    let nothing = ["no such recording", "not a recording", "it has no segment"];
    assert!(output.status.success() || nothing.iter().any(|words| said.contains(words)), "{said}");
    output.status.success()
}

/// Runs `words`, which end with where they write, at every limit. Some limit is too small and some is enough.
fn sweep(words: &[&str], name: &str) {
    let scratch = tempfile::tempdir().unwrap();
    let (mut done, mut tried) = (0, 0);
    for limit in LIMITS.step_by(STEP) {
        let path = scratch.path().join(format!("{limit}-{name}"));
        let whole = done_with(limit, &[words, &[&*path.display().to_string()]].concat());
        assert!(is_whole(&path) || !whole, "{words:?} with {limit} MiB was done and left nothing");
        (done, tried) = (done + usize::from(whole), tried + 1);
    }
    println!("row: {} with 20 to 260 MiB of address space | {tried} | {done} limits were enough", words[0]);
    assert!(done > 0 && done < tried, "{words:?}: {done} of {tried}");
}

#[test]
fn a_recording_is_whole_whatever_memory_its_recorder_had() {
    sweep(&["record", "--host-only", "--interval", "20ms", "--for", "200ms", "-o"], "rec");
}

#[test]
fn an_import_is_whole_or_refused() {
    let log = fixture("import/curious-case/sar-d-evening.txt").display().to_string();
    sweep(&["import", &log, "-o"], "rec");
}

#[test]
fn a_cut_is_whole_or_not_there() {
    let recording = fixture("corpus/control-warm-1/recording").display().to_string();
    sweep(&["cut", &recording, "-o"], "it.pagetide");
}
