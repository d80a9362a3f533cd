//! A file from a stranger costs little: each bomb of the fuzz crate ends each command that reads it with one line and exit code 2, in
//! 1.5 GiB of address space. `serve` and the Python package have tests of their own for them.

#![allow(clippy::print_stdout, reason = "rows for make torture")]

#[path = "support/peak.rs"]
mod peak;

use pagetide_fuzz::bomb::{BOMBS, Bomb, Kind};
use peak::with_peak;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What the memory of a reading operation and the threads of a program reserve.
const ADDRESS_SPACE: &str = "--as=1610612736";

/// The largest bomb, bytes: it must ask for far more than it has.
const LARGEST: u64 = 4 << 20;

/// Runs the binary of this build, or another one. Gives its peak of resident memory, too, in MiB.
fn limited(words: &[&str], path: &Path) -> (Output, u64) {
    let binary =
        std::env::var_os("PAGETIDE_BINARY").map_or_else(|| env!("CARGO_BIN_EXE_pagetide").into(), PathBuf::from);
    let mut command = Command::new("prlimit");
    command.args([ADDRESS_SPACE, "--core=0"]).arg(binary).args(words).arg(path).env("RAYON_NUM_THREADS", "2");
    command.current_dir(path.parent().unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (output, peak) = with_peak(&mut command);
    (output, peak >> 20)
}

fn size(path: &Path) -> u64 {
    if !path.is_dir() {
        return path.metadata().unwrap().len();
    }
    path.read_dir().unwrap().map(|entry| size(&entry.unwrap().path())).sum()
}

/// The commands that read all of what a bomb asks for. The others read only the metrics that they need.
fn commands(bomb: &Bomb) -> &'static [&'static [&'static str]] {
    match bomb.kind {
        Kind::Recording if ["log-one-sample", "row-groups"].contains(&bomb.name) => {
            &[&["show"], &["check"], &["diagnose"], &["cut", "--force", "-o", "it.pagetide"]]
        }
        Kind::Recording => &[&["check"]],
        Kind::Pyramid => &[],
        Kind::Import => &[&["import", "-o", "imported"]],
    }
}

#[test]
fn every_command_refuses_a_bomb_in_one_line() {
    let scratch = tempfile::tempdir().unwrap();
    let mut failed = Vec::new();
    for bomb in BOMBS.iter().filter(|bomb| !commands(bomb).is_empty()) {
        let path = scratch.path().join(bomb.name);
        (bomb.write)(&path);
        let bytes = size(&path);
        assert!(bytes < LARGEST, "{} has {bytes} bytes", bomb.name);
        let mut peaks = Vec::new();
        for words in commands(bomb) {
            let (output, peak) = limited(words, &path);
            let said = String::from_utf8_lossy(&output.stderr);
            let (first, rest) = said.split_once('\n').unwrap_or((&said, ""));
            let is_clear = first.contains(" hostile: ") && first.contains(" exceeds ") && rest.starts_with("  hint: ");
            if output.status.code() != Some(2) || !is_clear || rest.lines().count() != 1 {
                failed.push(format!("{words:?} {}: {}: {said}", bomb.name, output.status));
            }
            peaks.push(format!("{} {peak} MiB", words[0]));
        }
        let (tries, peaks) = (peaks.len(), peaks.join(", "));
        println!("row: bomb {}, {} KiB | {tries} | peak: {peaks}", bomb.name, bytes >> 10);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn a_fleet_with_bombs_has_a_row_for_each_host() {
    let scratch = tempfile::tempdir().unwrap();
    let bombs = ["log-one-sample", "log-wide-rows", "row-groups"];
    for bomb in BOMBS.iter().filter(|bomb| bombs.contains(&bomb.name)) {
        (bomb.write)(&scratch.path().join(bomb.name));
    }
    let (output, peak) = limited(&["fleet", "--csv", "--no-cache"], scratch.path());
    let rows = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(rows.matches(" exceeds ").count(), bombs.len(), "{rows}");
    println!("row: a fleet of {} bombs | {} | peak: fleet {peak} MiB", bombs.len(), bombs.len());
}

/// Scenarios that ask the model for terabytes: lines of the machine, and the step.
const SCENARIOS: [(&str, &str, &str); 3] = [
    ("a file of 1 TiB", "", r#"fio = { rw = "read", bs = "4k", size = "1TiB" }"#),
    ("memory of 15 TiB", "", r#"hold = { size = "15TiB", kind = "shared" }"#),
    ("swap of 250 GiB", r#"swap = { zram = "250GiB", algorithm = "lz4" }"#, r#"sleep = "1s""#),
];

#[test]
fn the_model_refuses_a_scenario_that_asks_for_terabytes() {
    let scratch = tempfile::tempdir().unwrap();
    for (what, machine, step) in SCENARIOS {
        let path = scratch.path().join("it.toml");
        let text = format!(
            "id = \"it\"\nsource = \"ours\"\ntitle = \"T\"\nabout = \"a\"\n[machine]\ncpus = 2\nmemory = \"1GiB\"\n{machine}\n\
             [[machine.disk]]\nname = \"data\"\nsize = \"15TiB\"\n[[step]]\nid = \"A\"\n{step}\n"
        );
        std::fs::write(&path, text).unwrap();
        let (output, peak) = limited(&["lab", "run", "--on", "sim", "--force", "--seed", "1", "-o", "run"], &path);
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.split_once("pagetide: ").unwrap_or_default().1;
        let is_clear = said.contains("their model takes") && said.contains("\n  hint: ") && said.lines().count() == 2;
        assert!(output.status.code() == Some(2) && is_clear, "{what}: {}: {said}", output.status);
        println!("row: scenario with {what} | 1 | peak: lab run --on sim {peak} MiB");
    }
}
