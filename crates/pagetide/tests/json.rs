//! What every `--json` prints: one object with a version (docs/JSON.md).

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Commands that print no JSON.
const WITHOUT: [&str; 5] = ["completions", "help", "man", "top", "trace-helper"];
/// Those that change what killed runs left: their JSON is an object by its type, and this test leaves the host alone; and `serve`, which
/// ends with a signal: its own test reads its line.
const UNTRIED: [&str; 3] = ["lab", "serve", "undo"];

fn pagetide(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pagetide")).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), if text.is_empty() { String::from_utf8_lossy(&output.stderr).into_owned() } else { text })
}

/// The names in the list of commands that `--help` prints.
fn commands(help: &str) -> BTreeSet<String> {
    let list = help.split("\nCommands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn every_command_prints_one_object_with_a_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (recording, imported, part) = (path("rec"), path("imported"), path("part.pagetide"));
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/import/curious-case");
    let tar = fixtures.join("../../real/tar-mglru/recording").to_string_lossy().into_owned();
    let log = fixtures.join("sar-B.txt").to_string_lossy().into_owned();
    let run: &[(&[&str], &str)] = &[
        (&["doctor"], "checks"),
        (&["mem"], "total_bytes"),
        (&["hold", "1MiB", "--for", "1ms"], "resident_bytes"),
        (&["record", "-o", &recording, "--for", "300ms", "--interval", "100ms"], "samples"),
        (&["record", "-o", &recording, "--status"], "running"),
        (&["import", &log, "-o", &imported], "import"),
        (&["check", &recording], "damaged"),
        (&["cut", &recording, "-o", &part], "bytes"),
        (&["show", &part, "disk"], "rows"),
        (&["show", &recording, "disk"], "rows"),
        (&["show", &imported, "paging", "--every", "1h"], "columns"),
        (&["diagnose", &recording], "verdict"),
        (&["explain"], "rules"),
        (&["help"], "pages"),
        (&["help", "swap"], "text"),
        (&["explain", "replayed-sequence"], "id"),
        (&["lab", "list"], "scenarios"),
        (&["lab", "show", "buffered-read"], "steps"),
        (&["check", &recording], "samples"),
        (&["cache", &log], "files"),
        (&["fleet", &recording, "--no-cache"], "factors"),
        (&["plan", "buffered-read", "--scale", "1/32", "--vary", "memory=1GiB,2GiB", "--seeds", "1"], "points"),
        (&["reproduce", &tar, "--no-advice"], "compared"),
        (&["evictions", "--for", "100ms"], "evictions"),
        (&["mrc", "--for", "100ms"], "coverage"),
    ];
    for (arguments, key) in run {
        let (code, text) = pagetide(&[arguments, &["--json"][..]].concat());
        if ["evictions", "mrc"].contains(&arguments[0]) && code == Some(3) {
            continue; // Some hosts have no tracepoints.
        }
        assert!(matches!(code, Some(0 | 1)), "{arguments:?}: {text}");
        let object: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"));
        assert_eq!(object["schema_version"], 2, "{arguments:?}");
        assert_eq!(text.matches("\n  \"schema_version\":").count(), 1, "{arguments:?}: the version is there once");
        assert!(object.get(key).is_some(), "{arguments:?} has no `{key}`: {text}");
        assert!(text.starts_with("{\n  \"schema_version\": 2"), "{arguments:?}: the version comes first");
    }
    // `lab run` and `lab compare` have their own tests, with real runs.
    let mut known: BTreeSet<String> = run.iter().map(|(arguments, _)| arguments[0].to_owned()).collect();
    known.extend(WITHOUT.into_iter().chain(UNTRIED).map(str::to_owned));
    let missing: Vec<String> = commands(&pagetide(&["--help"]).1).difference(&known).cloned().collect();
    assert!(missing.is_empty(), "commands without a check of their JSON: {missing:?}");
}
