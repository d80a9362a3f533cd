//! What every `--json` prints: one object with a version (docs/JSON.md).

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Commands that print no JSON.
const WITHOUT: [&str; 4] = ["completions", "man", "top", "trace-helper"];
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
    let page = include_str!("../docs/JSON.md").to_owned() + include_str!("../docs/SERVICE.md");
    let words: BTreeSet<&str> = page.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let run: &[(&[&str], &str)] = &[
        (&[], "stands_out"),
        (&["help", "record"], "text"),
        (&["explain", "freerun"], "meanings"),
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
        (&["plan", "buffered-read", "--scale", "1/32", "--vary", "memory=4GiB,8GiB", "--seeds", "1"], "points"),
        (&["reproduce", &tar, "--no-advice"], "compared"),
        (&["evictions", "--for", "100ms"], "evictions"),
        (&["mrc", "--for", "100ms"], "coverage"),
    ];
    for (arguments, key) in run {
        let (code, text) = pagetide(&[arguments, &["--json"][..]].concat());
        if ["evictions", "mrc"].iter().any(|command| arguments.first() == Some(command)) && code == Some(3) {
            continue; // Some hosts have no tracepoints.
        }
        assert!(matches!(code, Some(0 | 1)), "{arguments:?}: {text}");
        let object: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"));
        assert_eq!(object["schema_version"], 2, "{arguments:?}");
        assert_eq!(text.matches("\n  \"schema_version\":").count(), 1, "{arguments:?}: the version is there once");
        assert!(object.get(key).is_some(), "{arguments:?} has no `{key}`: {text}");
        // A scenario's keys are those of SCENARIOS.md.
        if arguments[..] != ["lab", "show", "buffered-read"] {
            let keys = object.as_object().unwrap().keys();
            let unknown: Vec<&String> = keys.filter(|key| !words.contains(key.as_str())).collect();
            assert!(unknown.is_empty(), "{arguments:?}: docs/JSON.md has no {unknown:?}");
        }
        assert!(text.starts_with("{\n  \"schema_version\": 2"), "{arguments:?}: the version comes first");
    }
    // `lab run` and `lab compare` have their own tests, with real runs.
    let mut known: BTreeSet<String> =
        run.iter().filter_map(|(arguments, _)| Some((*arguments.first()?).to_owned())).collect();
    known.extend(WITHOUT.into_iter().chain(UNTRIED).map(str::to_owned));
    let missing: Vec<String> = commands(&pagetide(&["--help"]).1).difference(&known).cloned().collect();
    assert!(missing.is_empty(), "commands without a check of their JSON: {missing:?}");
}

/// Names of files are bytes, JSON is UTF-8: what is none of it is replaced.
#[test]
fn a_name_that_is_not_utf_8_is_printed() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"caf\xe9");
    let run = |words: &[&OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pagetide"));
        let output = command.args(words).arg("--json").current_dir(folder.path()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("caf\u{fffd}"), "{words:?}: {text} {}", String::from_utf8_lossy(&output.stderr));
        assert!(matches!(output.status.code(), Some(0 | 1)), "{words:?}: {text}");
    };
    let [record, out, lasts, time, status, check, cache] =
        ["record", "-o", "--for", "300ms", "--status", "check", "cache"].map(OsStr::new);
    run(&[record, out, name, lasts, time]);
    run(&[record, out, name, status]);
    run(&[check, name]);
    run(&[cache, name]);
}
