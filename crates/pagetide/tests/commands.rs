//! The binary as a user meets it: help, wrong input, small real uses of each command.

use assert_cmd::Command;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::sync::{Mutex, PoisonError};

/// One lab run at a time on this host: two would disturb each other, and the second is refused.
static HOST: Mutex<()> = Mutex::new(());

fn pagetide() -> Command {
    Command::new(env!("CARGO_BIN_EXE_pagetide"))
}

fn json(arguments: &[&str]) -> Value {
    let output = pagetide().arg("--json").args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Exit code and stderr of a refused command: one clear line and perhaps a hint, no panic.
fn refused(arguments: &[&str]) -> (i32, String) {
    let output = pagetide().args(arguments).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
    (output.status.code().unwrap(), stderr)
}

#[test]
fn every_command_has_help_with_an_example() {
    for command in [
        &["doctor"][..],
        &["mem"],
        &["hold"],
        &["record"],
        &["show"],
        &["diagnose"],
        &["explain"],
        &["cache"],
        &["completions"],
        &["man"],
        &["undo"],
        &["check"],
        &["fleet"],
        &["lab"],
        &["lab", "show"],
        &["lab", "run"],
        &["lab", "compare"],
    ] {
        let output = pagetide().args(command).arg("--help").output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && help.contains("Example"), "{command:?}: {help}");
    }
}

#[test]
fn completions_and_man_pages_come_from_the_definitions() {
    for shell in ["bash", "zsh", "fish"] {
        pagetide().args(["completions", shell]).assert().success();
    }
    let folder = tempfile::tempdir().unwrap();
    pagetide().args(["man", "--out"]).arg(folder.path()).assert().success();
    let page = std::fs::read_to_string(folder.path().join("pagetide-lab-run.1")).unwrap();
    assert!(page.contains("limit\\-device"), "{page}");
}

#[test]
fn wrong_input_is_exit_2_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "not a recording").unwrap();
    let (file, folder) = (file.to_str().unwrap(), folder.path().to_str().unwrap());
    for (arguments, words) in [
        (&["hold", "2"][..], "no unit"),
        (&["hold", "1GiB", "--touch", "2GiB"], "--touch"),
        (&["explain", "latency-bond"], "`latency-bound`?"),
        (&["lab", "run", "bufered-read"], "`buffered-read`?"),
        (&["lab", "run", "buffered-read", "--scale", "0.5"], "1/8"),
        (&["lab", "run", "buffered-read", "--set", "memry=1GiB"], "`memory`?"),
        (&["lab", "run", "buffered-read", "--out", folder], "do not belong to a run"),
        (&["lab", "run", "buffered-read", "--steps", "A44"], "`A4`?"),
        (&["lab", "run", "all", "--steps", "A4"], "--steps"),
        (&["lab", "run", "buffered-read", "--on", "host,vn"], "vn"),
        (&["lab", "compare", folder], "RUN"),
        (&["lab", "compare", folder, "/nowhere"], "no result.json"),
        (&["lab", "compare", "/nowhere", folder], "/nowhere: no such folder"),
        (&["lab", "show", "/nowhere/x.toml"], "/nowhere/x.toml"),
        (&["lab", "show", file], "expected `=`"),
        (&["diagnose", "/nowhere"], "no such recording"),
        (&["diagnose", file], file),
        (&["diagnose", folder], folder),
        (&["show", "/nowhere"], "no such recording"),
        (&["show", "/nowhere", "memroy"], "memory"),
        (&["record", "--interval", "1us", "--for", "1s", "-o", "/nowhere/x"], "1 ms"),
        (&["cache", "/nowhere"], "/nowhere"),
        (&["frobnicate"], "frobnicate"),
    ] {
        let (code, stderr) = refused(arguments);
        assert_eq!(code, 2, "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    }
}

#[test]
fn a_command_that_does_not_exist_leaves_no_recording_behind_that_looks_complete() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("rec");
    let (code, stderr) = refused(&["record", "-o", out.to_str().unwrap(), "--", "/nowhere/program"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("/nowhere/program"), "{stderr}");
}

#[test]
fn mem_adds_up() {
    let memory = json(&["mem"]);
    let get = |key: &str| memory[key].as_u64().unwrap();
    assert_eq!(get("used_bytes"), get("total_bytes") - get("available_bytes"));
    assert!(get("background_threshold_bytes") < get("freerun_bytes"));
    assert!(get("freerun_bytes") < get("dirty_threshold_bytes"));
}

#[test]
fn hold_proves_by_rss_that_it_holds() {
    for kind in ["anon", "shared", "file", "mlock"] {
        let held = json(&["hold", "64MiB", "--touch", "32MiB", "--kind", kind, "--for", "10ms"]);
        let resident = held["resident_bytes"].as_u64().unwrap();
        // The last page that is touched may be part of a huge page of 2 MiB, and then all of that is resident; and so do pages of
        // the holder's own code become while it runs, as many as the kernel maps around a fault.
        assert!((32 << 20..40 << 20).contains(&resident), "{kind}: {held}");
    }
    let (code, stderr) = refused(&["hold", "900TiB", "--for", "1s"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("hint"), "{stderr}");
}

#[test]
fn command_lines_are_recorded_where_somebody_asks_and_never_in_a_redacted_cut() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let record = |recording: &str, more: &[&str]| {
        let script = "sleep 0.5; exit \"$(echo \"$1\" | wc -l)\"";
        let words = ["record", "-o", recording, "--interval", "20ms"];
        let command = ["--", "sh", "-c", script, "sh", "--token=canary0815"];
        assert!(pagetide().args(words).args(more).args(command).output().unwrap().status.code() == Some(1));
    };
    let has = |path: &str| {
        let processes = json(&["show", path, "processes", "--wide", "--all"]).to_string();
        assert!(
            !json(&["show", path, "processes", "--all"]).to_string().contains("canary"),
            "without --wide it is its name"
        );
        processes.contains("sh -c sleep 0.5; ") && processes.contains(" sh --token=canary0815[")
    };
    let (plain, asked) = (place("plain"), place("asked"));
    record(&plain, &[]);
    record(&asked, &["--command-lines"]);
    assert!(!has(&plain) && has(&asked));
    let (cut, redacted) = (place("cut.pagetide"), place("redacted.pagetide"));
    json(&["cut", &asked, "-o", &cut]);
    json(&["cut", &asked, "-o", &redacted, "--redact"]);
    assert!(has(&cut) && !has(&redacted));
    let bytes = std::fs::read(&redacted).unwrap();
    assert!(!bytes.windows(10).any(|bytes| bytes == b"canary0815"));
}

#[test]
fn a_recorded_command_is_shown_and_diagnosed() {
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("rec");
    let path = recording.to_str().unwrap();
    let recorded = json(&[
        "record",
        "-o",
        path,
        "--interval",
        "20ms",
        "--",
        "dd",
        "if=/dev/zero",
        "of=/dev/null",
        "bs=1M",
        "count=2000",
    ]);
    assert_eq!(recorded["command_exit"], 0);
    assert!(recorded["samples"].as_u64().unwrap() >= 2, "{recorded}");
    for topic in ["memory", "paging", "disk", "load", "cpu", "swap", "pressure", "zones", "processes", "cgroups"] {
        let shown = json(&["show", path, topic]);
        assert!(shown["columns"].as_array().unwrap().len() > 3, "{topic}");
    }
    let memory = json(&["show", path, "memory"]);
    assert!(!memory["rows"].as_array().unwrap().is_empty());
    assert!(json(&["diagnose", path])["findings"].is_array());
    let html = folder.path().join("report.html");
    pagetide().args(["diagnose", path, "--html", html.to_str().unwrap()]).assert().success();
    assert!(std::fs::read_to_string(html).unwrap().contains("<svg"));
    let more = json(&["record", "-o", path, "--interval", "20ms", "--", "true"]);
    assert_eq!(more["command_exit"], 0);
    let both = json(&["show", path, "memory"]);
    let rows = |shown: &Value| shown["rows"].as_array().unwrap().len();
    assert!(rows(&both) > rows(&memory), "a second command goes on with the recording: {both}");
    assert_eq!(both["rows"][0], memory["rows"][0], "a recording is never overwritten");
    for (command, code) in [("exit 7", 7), ("kill -9 $$", 128 + 9)] {
        let second = folder.path().join(code.to_string());
        let ended = pagetide().args(["record", "-o"]).arg(second).args(["--", "sh", "-c", command]).output().unwrap();
        assert_eq!(ended.status.code(), Some(code), "{command}");
    }
}

#[test]
fn help_that_cannot_be_written_is_an_error() {
    for words in [&["--help"][..], &["--version"], &["show", "--help"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pagetide"));
        let output = command.args(words).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(3) && said.contains("No space left on device"), "{words:?}: {said}");
    }
}

/// Reads lines of a child until `enough` says so, sends SIGINT, and gives all that it printed.
fn until(mut child: std::process::Child, mut enough: impl FnMut(&str) -> bool) -> String {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut text = String::new();
    for line in lines.by_ref() {
        text += &(line.unwrap() + "\n");
        if enough(&text) {
            break;
        }
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    lines.for_each(|line| text += &(line.unwrap() + "\n"));
    assert!(child.wait().unwrap().success(), "{text}");
    text
}

fn spawn(arguments: &[&str]) -> std::process::Child {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pagetide"));
    command.args(arguments).stdout(std::process::Stdio::piped()).spawn().unwrap()
}

#[test]
fn rows_come_as_a_recording_grows_until_a_signal_and_then_the_averages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rec");
    let path = path.to_str().unwrap();
    let mut recorder = spawn(&["record", "-o", path, "--interval", "50ms"]);
    while json_of(&["show", path]).is_none_or(|shown| shown["rows"].as_array().unwrap().len() < 2) {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // More rows than stand above the new ones.
    let text = until(spawn(&["show", path, "load", "--utc", "--follow"]), |text| text.lines().count() > 16);
    let (rows, averages) = text.split_once("\n\n").unwrap();
    let times: Vec<&str> = rows.lines().skip(1).map(|line| line.split(' ').next().unwrap()).collect();
    assert!(times.len() > 15 && times.is_sorted(), "{text}");
    assert!(averages.lines().last().unwrap().starts_with("Average"), "{text}");
    let text = until(spawn(&["show", path, "--follow", "--json"]), |text| text.lines().count() > 11);
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let times: Vec<&str> = rows.iter().map(|row| row["time"].as_str().unwrap()).collect();
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "each row once: {times:?}");
    assert!(rows.iter().all(|row| row["schema_version"].is_u64() && row["free"].is_number()), "{text}");
    let pid = rustix::process::Pid::from_child(&recorder);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    recorder.wait().unwrap();
}

/// The JSON that a command prints; absent when it fails.
fn json_of(arguments: &[&str]) -> Option<Value> {
    let output = pagetide().arg("--json").args(arguments).output().unwrap();
    serde_json::from_slice(&output.stdout).ok().filter(|_| output.status.success())
}

#[test]
fn this_host_is_sampled_for_a_table_until_a_signal() {
    let arguments = ["show", "--sample", "cpu", "--every", "100ms", "--csv"];
    let text = until(spawn(&arguments), |text| text.lines().count() > 3);
    assert!(text.starts_with("time,user,nice,system"), "{text}");
    let (code, stderr) = refused(&["show", "--sample", "memroy"]);
    assert!(code == 2 && stderr.contains("paging"), "{stderr}");
    assert_eq!(refused(&["show", "/nowhere", "--for", "1s"]).0, 2);
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let script = format!("{} explain | head -n 0", env!("CARGO_BIN_EXE_pagetide"));
    let output = std::process::Command::new("bash").args(["-o", "pipefail", "-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The issue's own example, at a scale that takes seconds: scenario to host, recording, rules, report.
#[test]
fn a_host_run_goes_from_scenario_to_report() {
    let _turn = HOST.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let out = folder.path().join("run");
    let output = pagetide()
        .current_dir(folder.path())
        .args(["lab", "run", "buffered-read", "--scale", "1/32", "--json", "--out", "run"])
        .arg("--work-dir")
        .arg(folder.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| code <= 1), "{stderr}");
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(run["schema_version"], 2);
    let step = |id: &str| run["steps"].as_array().unwrap().iter().find(|step| step["id"] == id).unwrap().clone();
    let number = |id: &str, key: &str| step(id)[key].as_f64().unwrap_or_else(|| panic!("{id}.{key}: {}", step(id)));
    for id in ["A1", "A2", "A3", "A4", "A4_fresh", "A5", "A6", "A6_fresh"] {
        assert_eq!(step(id)["outcome"], "done", "{}", step(id));
    }
    assert_eq!(number("A1", "issued"), 8192.0);
    assert!(number("A1", "cache_hit_ratio") < 0.02, "{}", step("A1"));
    // What a DAMON scheme of this host evicts is read again: during the step, and before it, since the first read.
    let before = number("A2", "cached_before_bytes") / number("A2", "file_bytes");
    let during = step("A2")["damon_evicted_bytes"].as_f64().unwrap_or(0.0) / number("A2", "processed_bytes");
    assert!(before > 0.9, "{}", step("A2"));
    assert!(number("A2", "cache_hit_ratio") > before - during - 0.01, "{}", step("A2"));
    // The median: on a busy machine, waiting for a CPU slows the quickest reads in the mean.
    assert!(5.0 * number("A2", "clat_p50_ns") < number("A1", "clat_p50_ns"), "{} {}", step("A1"), step("A2"));
    assert_eq!(run["claims"].as_array().unwrap().len(), 6);
    assert!(run["claims"].as_array().unwrap().iter().all(|claim| claim["holds"] != "unknown"), "{}", run["claims"]);
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(out.join("result.json")).unwrap()).unwrap();
    assert_eq!(kept, run);
    for file in ["report.html", "scenario.toml", "fio-A1.json", "recording/manifest.json"] {
        assert!(out.join(file).exists(), "{file}");
    }
    assert_eq!(json(&["diagnose", out.to_str().unwrap()])["findings"], run["findings"]);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["run"], "only the run's folder is left");
}

/// A scenario of one short step, and one that no machine can do.
fn scenario(folder: &std::path::Path, id: &str, rest: &str) -> String {
    let path = folder.join(format!("{id}.toml"));
    let head =
        format!("id = \"{id}\"\ntitle = \"{id}\"\nsource = \"a test\"\n[machine]\ncpus = 1\nmemory = \"160MiB\"\n");
    let disk = "[[machine.disk]]\nname = \"data\"\nsize = \"64MiB\"\n";
    std::fs::write(&path, format!("{head}{disk}{rest}")).unwrap();
    path.display().to_string()
}

#[test]
fn one_of_several_runs_that_is_refused_is_an_outcome_on_the_page() {
    let _turn = HOST.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let read = "[[step]]\nid = \"A\"\ndrop_caches = true\nfio = { rw = \"read\", bs = \"64k\", size = \"4MiB\", invalidate = false }\n\
                [[claim]]\nid = \"all-of-it\"\ntext = \"all of it\"\ncheck = \"A.issued == 64\"\n";
    let good = scenario(folder.path(), "good", read);
    let wrong = scenario(folder.path(), "wrong", &read.replace("A.issued == 64", "A.issued == 65"));
    // A sysctl that is none is refused when its turn comes, in the middle of the others.
    let refused = scenario(folder.path(), "refused", "[[step]]\nid = \"A\"\nsysctl = { \"vm.no_such_setting\" = 1 }\n");
    let run = |names: &[&str], out: &str| {
        let output = pagetide()
            .current_dir(folder.path())
            .args(["lab", "run", "--json", "--shrink", "none", "--out", out, "--work-dir", "."])
            .args(names)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).unwrap_or_else(|_| panic!("{stderr}")))
    };
    let (code, batch) = run(&[&good, &refused, &wrong], "set");
    assert_eq!(code, Some(1), "{batch}");
    let outcome = |at: usize| &batch["runs"][at]["outcome"];
    assert_eq!(outcome(0)["ran"]["claims"][0]["holds"], "yes", "{batch}");
    assert!(outcome(1)["refused"]["what"].as_str().unwrap().contains("vm.no_such_setting"), "{batch}");
    // A DAMON scheme of this host may evict pages meanwhile, which a claim that does not hold tells.
    let claim = &outcome(2)["ran"]["claims"][0];
    let is_disturbed = claim["evidence"].as_str().unwrap().starts_with("DAMON evicted");
    assert_eq!(claim["holds"], if is_disturbed { "disturbed" } else { "no" }, "{batch}");
    let out = folder.path().join("set");
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(page.contains("href=\"./good/report.html\"") && out.join("good/report.html").exists(), "{page}");
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(out.join("batch.json")).unwrap()).unwrap();
    assert_eq!(kept, batch);

    // What was run can be compared, and what cannot is refused in one line.
    let path = |name: &str| out.join(name).display().to_string();
    let compared = json(&["lab", "compare", &path("good"), &path("good")]);
    let issued =
        compared["steps"][0]["figures"].as_array().unwrap().iter().find(|figure| figure["key"] == "issued").unwrap();
    assert_eq!((&issued["comparable"], &issued["to_first"][1]), (&true.into(), &1.0.into()), "{issued}");
    for (runs, words) in [
        ([path("good"), path("wrong")], "of good"),
        ([path("good"), path("refused")], "no such folder"),
        ([path("good"), out.display().to_string()], "several runs"),
    ] {
        let (code, stderr) = refused_runs(&runs);
        assert!(code == 2 && stderr.contains(words), "{stderr}");
    }
    let (code, batch) = run(&[&good, &good], "once");
    assert_eq!((code, &batch["scenario"]), (Some(0), &"good".into()), "named twice is meant once");
}

#[test]
fn several_runs_that_were_interrupted_go_on_and_keep_what_has_a_result() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let read = "[[step]]\nid = \"A\"\nstream = { from = \"file:a\", size = \"8MiB\" }\n";
    let [one, two] = ["one", "two"].map(|id| scenario(folder.path(), id, read));
    let run = |more: &[&str]| {
        let output = pagetide()
            .current_dir(folder.path())
            .args(["lab", "run", "--on", "sim", "--json", "--out", "set"])
            .args(more)
            .output()
            .unwrap();
        (output.status.code(), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let batch = |more: &[&str]| -> Value {
        let (code, stdout, stderr) = run(more);
        assert_eq!(code, Some(0), "{stderr}");
        serde_json::from_slice(&stdout).unwrap()
    };
    let ran = |batch: &Value, at: usize| {
        let run = &batch["runs"][at]["outcome"]["ran"];
        (run["started_wall_ns"].as_i64().unwrap(), run["seed"].as_u64().unwrap())
    };
    let whole = batch(&[&one, &two, "--resume"]);
    // Killed in the middle of the second run.
    let killed = folder.path().join("set/two");
    for file in ["result.json", "report.html"] {
        std::fs::remove_file(killed.join(file)).unwrap();
    }
    let (code, _, stderr) = run(&[&one, &two]);
    assert!(code == Some(2) && stderr.contains("--resume goes on with them"), "{stderr}");
    for (other, what) in [("--scale=1/2", "--scale"), ("--seed=0", "--seed"), ("--set=memory=128MiB", "scenario")] {
        let (code, _, stderr) = run(&[&one, &two, "--resume", other]);
        assert!(code == Some(2) && stderr.contains(&format!("one was run with another {what}")), "{stderr}");
    }
    let (code, _, stderr) = run(&[&one, "--resume"]);
    assert!(code == Some(2) && stderr.contains("goes on with several runs"), "{stderr}");
    let again = batch(&[&one, &two, "--resume"]);
    assert_eq!((ran(&again, 0), &again["started_wall_ns"]), (ran(&whole, 0), &whole["started_wall_ns"]));
    assert!(ran(&again, 1).0 > ran(&whole, 1).0 && ran(&again, 1).1 == ran(&whole, 1).1, "{again}");
    assert!(killed.join("report.html").exists());
}

fn refused_runs(runs: &[String; 2]) -> (i32, String) {
    refused(&["lab", "compare", &runs[0], &runs[1]])
}

/// Nothing of this boots or downloads anything: what is wrong is seen before.
#[test]
fn wrong_input_of_a_vm_is_one_line_with_the_hint() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("text"), "no kernel").unwrap();
    std::fs::create_dir(path("empty")).unwrap();
    let second = ["second-read", "--scale", "1/16"];
    let (nowhere, text, empty) = (path("nowhere"), path("text"), path("empty"));
    let usual = std::env::var("PATH").unwrap();
    let cases: [(&[&str], &str, i32, &[&str]); 7] = [
        (&["--kernel", &nowhere], &usual, 2, &[&nowhere, "bzImage"]),
        (&["--kernel", &text], &usual, 2, &["not a Linux kernel image", "bzImage"]),
        (&["--kernel", &empty], &usual, 2, &["not a Linux kernel image", "bzImage"]),
        (&[], &empty, 3, &["qemu-system-x86_64", "apt-get install"]),
        (&["--work-dir", "/proc/nowhere"], &usual, 3, &["/proc/nowhere", "--work-dir"]),
        (&["--set", "memory=400MiB"], &usual, 2, &["a guest needs 64 MiB", "scale"]),
        (&["--set", "memory=100MiB"], &usual, 2, &["a guest needs 64 MiB", "memory"]),
    ];
    for (arguments, programs, code, words) in cases {
        let output = pagetide()
            .current_dir(folder.path())
            .env("PATH", programs)
            .args(["lab", "run", "--on", "vm", "--out", "run", "--force"])
            .args(second)
            .args(arguments)
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
        let lines: Vec<&str> = stderr.lines().filter(|line| line.starts_with("pagetide: ")).collect();
        assert!(lines.len() == 1 && stderr.contains("hint: "), "{arguments:?}: {stderr}");
        assert!(words.iter().all(|word| stderr.contains(word)), "{arguments:?}: {stderr}");
        assert!(!folder.path().join("run").exists(), "{arguments:?} leaves a folder with nothing in it");
    }
}

#[test]
fn doctor_says_what_a_vm_needs_without_booting_one() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let output = pagetide()
        .args(["doctor", "--json"])
        .env("PAGETIDE_CACHE", &cache)
        .env("PATH", folder.path())
        .output()
        .unwrap();
    let checks: Value = serde_json::from_slice(&output.stdout).unwrap();
    let check = |name: &str| {
        let found = checks["checks"].as_array().unwrap().iter().find(|check| check["name"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {checks}")).clone()
    };
    for (name, hint) in [("qemu", "apt-get"), ("guest kernel", "--kernel")] {
        let missing = check(name);
        assert!(missing["there"] == false && missing["hint"].as_str().unwrap().contains(hint), "{missing}");
    }
    for name in ["accelerator", "mkfs.ext4", "mkfs.xfs", "cache"] {
        let found = check(name);
        assert!(found["there"] == true || !found["hint"].as_str().unwrap().is_empty(), "{found}");
    }
    assert!(check("cache")["found"].as_str().unwrap().contains("free") && !cache.exists());
}

/// CPU time of `lab show` for a scenario of so many steps, in s, as the shell counts it.
fn time_to_list(steps: usize) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let step = |at| format!("[[step]]\nid = \"A{at}\"\nsleep = \"1s\"\n");
    let scenario = scenario(folder.path(), "many", &(0..steps).map(step).collect::<String>());
    let words = format!("{} lab show {scenario} | grep -c '^A'; times", env!("CARGO_BIN_EXE_pagetide"));
    let output = std::process::Command::new("sh").args(["-c", &words]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], steps.to_string(), "{text}");
    // `0m1.230s 0m0.010s`: the user and system time of the commands that have ended.
    let (minutes, seconds) = lines[2].split(' ').next().unwrap().trim_end_matches('s').split_once('m').unwrap();
    minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
}

#[test]
fn ten_times_as_many_steps_take_ten_times_as_long_to_list() {
    let (few, many) = (time_to_list(4000), time_to_list(40_000));
    assert!(many < 40.0 * few.max(0.01), "4 000 steps take {few} s of CPU, 40 000 take {many} s");
}

#[test]
fn a_second_signal_says_what_stays_changed_and_how_to_undo_it() {
    let _host = HOST.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("long.toml");
    let text = "id = \"long\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"128MiB\"\n[[machine.disk]]\n\
                name = \"data\"\nsize = \"16MiB\"\n[[step]]\nid = \"A1\"\nsleep = \"600s\"\n";
    std::fs::write(&scenario, text).unwrap();
    let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_pagetide"));
    run.args(["lab", "run"]).arg(&scenario).arg("--out").arg(folder.path().join("run"));
    let run = run.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let pid = run.id();
    let journal = format!("/var/lib/pagetide-lab/undo-{pid}-0.jsonl");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(120);
    while std::fs::read_to_string(&journal).unwrap_or_default().lines().count() < 3 {
        assert!(std::time::Instant::now() < end, "no change is noted in {journal}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let kill = format!("kill -INT {pid}; kill -TERM {pid}");
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("stopped before undoing: ") && said.contains("`pagetide undo`"), "{said}");
    assert_eq!(output.status.code(), Some(130));
    let undone = pagetide().arg("undo").output().unwrap();
    assert!(undone.status.success() && !std::path::Path::new(&journal).exists());
}

#[test]
fn a_run_of_the_model_is_no_measurement_of_a_plan() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let run = run.to_str().unwrap();
    json(&["lab", "run", "second-read", "--on", "sim", "--scale", "1/64", "--out", run]);
    let (code, why) = refused(&[
        "plan",
        "second-read",
        "--scale",
        "1/64",
        "--vary",
        "memory=4GiB",
        "--seeds",
        "1",
        "--measured",
        run,
    ]);
    assert!(code == 2 && why.contains("the model ran it") && why.contains("--on host"), "{code}: {why}");
}

#[test]
fn a_plan_repeats_recorded_work_or_says_what_the_recording_lacks() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/");
    let plan =
        json(&["plan", "--from", &format!("{fixtures}real/vacuum-mglru"), "--seeds", "1", "--vary", "memory=464MiB"]);
    let (model, recorded) =
        (plan["points"][0]["values"][0].as_f64().unwrap(), plan["measured"][0]["y"].as_f64().unwrap());
    assert!((model / recorded - 1.0).abs() < 0.1, "{model} bytes read beside {recorded} recorded");
    let guesses: Vec<&str> = plan["guesses"].as_array().unwrap().iter().map(|guess| guess.as_str().unwrap()).collect();
    assert!(guesses.iter().any(|guess| guess.starts_with("sqlite3 reads nothing twice, although")), "{guesses:?}");

    let (code, why) = refused(&["plan", "--from", &format!("{fixtures}real/swapoff-mglru")]);
    assert!(code == 2 && why.contains("swapoff read from disks only by page faults or from swap"), "{code}: {why}");
    let (code, why) = refused(&["plan", "--host"]);
    assert!(code == 2 && why.contains("not the work on it"), "{code}: {why}");
    assert_eq!(refused(&["plan", "--host", "--from", "x"]).0, 2);
}
