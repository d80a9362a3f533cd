//! `pagetide import`, as a user runs it.

use assert_cmd::Command;
use pagetide_core::{Selection, Source};
use pagetide_store::Reader;
use std::path::PathBuf;

fn pagetide() -> Command {
    Command::cargo_bin("pagetide").unwrap()
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/import").join(name)
}

#[test]
fn an_incident_is_imported_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("incident");
    let files = ["sar-B.txt", "sar-d-onset.txt", "meminfo.log"].map(|name| fixture(&format!("curious-case/{name}")));
    let assert = pagetide().arg("import").args(&files).arg("-o").arg(&out).assert().success();
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(text.contains("8 samples, 72 values, 02:30:01 to 03:40:02 of an unknown day"), "{text}");
    assert!(text.contains("have no date but share uneven times"), "{text}");
    let assert = pagetide().arg("show").arg(&out).args(["paging", "--csv"]).assert().success();
    let table = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(table.contains("375196.37"), "{table}");
    let again = pagetide().arg("import").args(&files).arg("-o").arg(&out).assert().code(2);
    assert!(String::from_utf8_lossy(&again.get_output().stderr).contains("already holds a recording"));
}

#[test]
fn the_processes_of_a_log_of_pidstat_are_shown_and_not_called_absent() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("rec");
    pagetide().arg("import").arg(fixture("sysstat-12.6.1/forms/pidstat.txt")).arg("-o").arg(&out).assert().success();
    let printed = |words: &[&str]| {
        let assert = pagetide().args(words).arg(&out).assert().success();
        String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
    };
    let diagnosis = printed(&["diagnose"]);
    assert!(!diagnosis.to_lowercase().contains("no process"), "{diagnosis}");
    assert!(diagnosis.contains("1 sample from") && !diagnosis.contains("0 B of memory"), "{diagnosis}");
    let table = pagetide().arg("show").arg(&out).arg("processes").assert().success();
    let table = String::from_utf8_lossy(&table.get_output().stdout).into_owned();
    assert!(table.contains("rustc[5379]") && table.contains("503 MiB"), "{table}");
}

#[test]
fn a_day_and_a_zone_are_taken_from_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("rec");
    let args = ["--date", "sar-u.txt=2016-09-09", "--utc-offset", "-05:00", "--json"];
    let file = fixture("curious-case/sar-u.txt");
    let assert = pagetide().arg("import").arg(&file).arg("-o").arg(&out).args(args).assert().success();
    let json: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    let report = &json["import"]["files"][0];
    // 11:40:01, five hours west of UTC.
    assert_eq!(report["from_wall_ns"], 1_473_439_201_000_000_000i64);
    assert_eq!((report["day_known"].as_bool(), report["kind"].as_str()), (Some(true), Some("sar")));
}

#[test]
fn what_cannot_be_imported_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("rec");
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "no log\n").unwrap();
    let refused = pagetide().arg("import").arg(&text).arg("-o").arg(&out).assert().code(2);
    assert!(
        String::from_utf8_lossy(&refused.get_output().stderr).contains("hint: import reads text output of sar, mpstat")
    );
    assert!(!out.exists());
    // Beside a file that can be read it is listed, and the exit code says that not everything went in.
    let both = pagetide().arg("import").arg(&text).arg(fixture("curious-case/sar-u.txt")).arg("-o").arg(&out).assert();
    let both = both.code(1);
    assert!(String::from_utf8_lossy(&both.get_output().stdout).contains("notes.txt: not read"));
    assert!(out.exists());
}

#[test]
fn a_pipe_is_imported_whole_also_when_sadf_is_allowed() {
    let scratch = tempfile::tempdir().unwrap();
    let imported = |name: &str, words: &str| {
        let folder = scratch.path().join(name);
        let words = format!(
            "exec {} import --json --allow-sadf -o {} {words}",
            env!("CARGO_BIN_EXE_pagetide"),
            folder.display()
        );
        let output = std::process::Command::new("bash").args(["-c", &words]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let recording = Reader::open(&folder).unwrap().load(&Selection::default()).unwrap();
        recording.stamps().iter().map(|stamp| stamp.wall_ns).collect::<Vec<_>>()
    };
    // The first line has the day: whoever takes its beginning from the pipe dates the rows 1970.
    let log = fixture("sysstat-12.6.1/sar.ISO.txt");
    let of_file = imported("file", &log.display().to_string());
    assert!(of_file.len() > 2 && of_file[0] > 1_000_000_000_000_000_000, "{of_file:?}");
    assert_eq!(imported("pipe", &format!("<(cat {})", log.display())), of_file);
    assert_eq!(imported("stdin", &format!("- < <(cat {})", log.display())), of_file);
}
