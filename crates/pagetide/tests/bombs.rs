//! A file from a stranger costs little: each bomb of the fuzz crate ends each command that reads it with one line and exit code 2, in
//! 1.5 GiB of address space. `serve` and the Python package have tests of their own for them.

#![allow(clippy::print_stdout, reason = "rows for make torture")]

#[path = "support/peak.rs"]
mod peak;

use pagetide_fuzz::bomb::{BOMBS, Bomb, Kind};
use peak::{Used, with_usage};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What the memory of a reading operation and the threads of a program reserve.
const ADDRESS_SPACE: &str = "--as=1610612736";

/// The largest bomb, bytes: it must ask for far more than it has.
const MAX_BOMB_BYTES: u64 = 13 << 20;

/// Runs the binary of this build, or another one.
fn used(words: &[&str], path: &Path) -> (Output, Used) {
    let binary =
        std::env::var_os("PAGETIDE_BINARY").map_or_else(|| env!("CARGO_BIN_EXE_pagetide").into(), PathBuf::from);
    let mut command = Command::new("prlimit");
    command.args([ADDRESS_SPACE, "--core=0"]).arg(binary).args(words).arg(path).env("RAYON_NUM_THREADS", "2");
    command.current_dir(path.parent().unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    with_usage(&mut command)
}

/// The same; gives the peak of resident memory in MiB.
fn limited(words: &[&str], path: &Path) -> (Output, u64) {
    let (output, used) = used(words, path);
    (output, used.peak >> 20)
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
        Kind::Recording if ["manifest", "log-one-sample", "row-groups"].contains(&bomb.name) => {
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
        assert!(bytes < MAX_BOMB_BYTES, "{} has {bytes} bytes", bomb.name);
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
    let bombs = ["manifest", "log-start", "log-one-sample", "log-wide-rows", "row-groups"];
    for bomb in BOMBS.iter().filter(|bomb| bombs.contains(&bomb.name)) {
        (bomb.write)(&scratch.path().join(bomb.name));
    }
    let (output, peak) = limited(&["fleet", "--csv", "--no-cache"], scratch.path());
    let rows = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(rows.matches(" exceeds ").count(), bombs.len(), "{rows}");
    println!("row: a fleet of {} bombs | {} | peak: fleet {peak} MiB", bombs.len(), bombs.len());
}

/// Whether a command ended by itself: it did its work or refused the file.
fn is_answered(output: &Output) -> bool {
    matches!(output.status.code(), Some(0 | 2))
}

#[test]
fn a_scenario_is_looked_at_within_little_memory() {
    let scratch = tempfile::tempdir().unwrap();
    let head = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n";
    let machine = "[machine]\ncpus = 1\nmemory = \"1GiB\"\n[[machine.disk]]\nname = \"d\"\nsize = \"1GiB\"\n";
    let step = "[[step]]\nid = \"A\"\nsleep = \"1s\"\n";
    let many = |what: &str| what.repeat((4 << 20) / what.len() - 100);
    let (deep, dots) = (1 << 20, vec!["a"; 1 << 20].join("."));
    let disks: String = (0..80_000).map(|at| format!("[[machine.disk]]\nname=\"x{at}\"\nsize=\"1GiB\"\n")).collect();
    let hostile = [
        ("lists", format!("{head}{machine}{step}published = {{ a = [{}] }}\n", many("[],"))),
        ("tables", format!("{head}{machine}{step}published = {{ a = [{}] }}\n", many("{},"))),
        ("notes", format!("{head}notes = [{}]\n{machine}{step}", many("\"\","))),
        ("lists in lists", format!("{head}{machine}{step}published = {{ a = {} }}\n", "[".repeat(deep))),
        ("tables in tables", format!("{head}{machine}{step}published = {}\n", "{a=".repeat(deep))),
        ("tables in tables by dots", format!("{head}{machine}{step}{dots} = 1\n")),
        ("disks", format!("{head}{machine}{disks}{step}")),
        ("more than its file may have", " ".repeat(5 << 20)),
    ];
    for (what, text) in &hostile {
        let path = scratch.path().join("it.toml");
        std::fs::write(&path, text).unwrap();
        let (output, peak) = limited(&["lab", "show"], &path);
        assert!(is_answered(&output), "{what}: {} {}", output.status, String::from_utf8_lossy(&output.stderr));
        println!("row: scenario of {} KiB of {what} | 1 | peak: lab show {peak} MiB", text.len() >> 10);
    }
}

#[test]
fn the_folder_of_a_run_is_looked_at_within_little_memory() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("run");
    std::fs::create_dir(&folder).unwrap();
    let result = |machine: &str, more: &str| {
        format!(
            r#"{{"scenario": "t", "backend": "host", "scale": "1", "machine": [{machine}], "differences": [], "kernel": "6", "tool_version": "0",
            "seed": 1, "started_wall_ns": 0, "steps": [], "claims": [], "x": [{more}]}}"#
        )
    };
    let many = |what: &str, bytes: usize| what.repeat(bytes / what.len()).trim_end_matches(',').to_owned();
    let hostile = [
        ("lines of a machine", result(&many("\"\",", 15 << 20), "")),
        ("unknown numbers", result("", &many("0,", 15 << 20))),
        ("lists in lists", result("", &"[".repeat(15 << 20))),
        ("zeros, more than its file may have", String::new()),
    ];
    let again = folder.display().to_string();
    for (what, text) in &hostile {
        std::fs::write(folder.join("result.json"), text).unwrap();
        if text.is_empty() {
            std::fs::File::options().write(true).open(folder.join("result.json")).unwrap().set_len(1 << 40).unwrap();
        }
        for words in [&["lab", "compare", &again][..], &["diagnose"], &["show"]] {
            let (output, peak) = limited(words, &folder);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(is_answered(&output), "{words:?} {what}: {} {said}", output.status);
            println!("row: result.json of {what} | 1 | peak: {} {peak} MiB", words[0]);
        }
    }
}

#[test]
fn ten_times_as_many_events_take_ten_times_as_long() {
    let scratch = tempfile::tempdir().unwrap();
    let cpu = |restarts: usize| {
        let path = scratch.path().join("sar.txt");
        let mut text =
            String::from("Linux 6.1.0 (b) \t2026-11-21 \t_x86_64_\t(4 CPU)\n\n00:00:00 tps rtps\n00:00:01 1.00 1.00\n");
        let time = |at: usize| format!("{:02}:{:02}:{:02}", at / 3600, at / 60 % 60, at % 60);
        text.extend((2..restarts).map(|at| format!("{} LINUX RESTART (4 CPU)\n", time(at))));
        std::fs::write(&path, text).unwrap();
        let (output, used) = used(&["import", "-o", &format!("imported-{restarts}")], &path);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        used.cpu
    };
    let (few, many) = (cpu(6000), cpu(60_000));
    assert!(many < 40.0 * few.max(0.01), "6 000 take {few} s of CPU, 60 000 take {many} s");
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
