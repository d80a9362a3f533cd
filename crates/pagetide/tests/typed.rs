//! What people type out of habit: from sar, dd, fio, systemd and their own language. Each is understood, or the message has the word that is.

use assert_cmd::Command;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus/stream-floods-cache-1/recording")
}

/// Runs a line in a folder of its own, where `REC` is a recording; gives its exit code and all that it printed.
fn run(line: &str, folder: &Path) -> (i32, String) {
    let recording = fixture();
    let words = line.split(' ').filter(|word| !word.is_empty()).map(|word| match word {
        "REC" => recording.to_str().unwrap().to_owned(),
        word => word.replace('+', " "),
    });
    let output = Command::cargo_bin("pagetide").unwrap().args(words).current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (output.status.code().unwrap_or(-1), text)
}

/// A line, its exit code and what its output has.
const TYPED: &[(&str, i32, &str)] = &[
    ("", 0, "hit ratio"),
    ("show REC disk --every 5", 0, "Average"),
    ("show REC disk --every 5s", 0, "Average"),
    ("show REC disk --every 5sec", 0, "Average"),
    ("show REC disk --every 1m", 0, "device"),
    ("show REC disk --every 1minute", 0, "device"),
    ("show REC disk --every 0.5", 0, "Average"),
    ("show REC disk --every 5x", 2, "ms, s, min"),
    ("show REC disk --every 0", 2, "`0` is not above 0"),
    ("show --sample disk --for 0s", 2, "`0s` is not above 0"),
    ("mem --watch 0", 2, "`0` is not above 0"),
    ("diagnose REC --watch --every 0s", 2, "`0s` is not above 0"),
    ("serve /etc/passwd", 2, "not a recording"),
    ("cut REC -o - --json", 2, "prints to stdout, too"),
    ("diagnose REC --html -", 2, "not to stdout"),
    ("show REC disk --from -10m", 0, "Average"),
    ("show REC disk --from -10min", 0, "Average"),
    ("show REC disk --from -1h", 0, "Average"),
    ("show REC disk --from -30sec", 0, "Average"),
    ("show REC disk --from -10", 2, "-10min"),
    ("show REC disk --from 3pm", 2, "no sample in this range"),
    ("show REC disk --to 3pm", 0, "Average"),
    ("show REC disk --from yesterday+15:00", 0, "Average"),
    ("show REC disk --from yesterday", 0, "Average"),
    ("show REC disk --from noon", 2, "3pm"),
    ("show REC disk --raw", 0, "Average"),
    ("show REC cache", 0, "hit%"),
    ("show REC processes --top 3", 0, "rss"),
    ("show REC processes --sort cpu --top 1", 0, "%"),
    ("show REC processes --sort %cpu", 0, "rss"),
    ("show REC processes --sort cpuu", 2, "did you mean `cpu`?"),
    ("show REC processes --sort mem", 2, "one of cpu, rss"),
    ("show REC dsk", 2, "disk"),
    ("show REC hugepage", 2, "hugepages"),
    ("mem --watch x", 2, "20ms"),
    ("record -o r --interval 5 --for 0.2", 0, "samples in r"),
    ("record -o r2 --interval 250ms --for 1", 0, "samples in r2"),
    ("record -o r3 --interval 0.1 --for 500ms", 0, "samples in r3"),
    ("record -o r4 --keep 2G --for 0.2", 0, "samples in r4"),
    ("record -o r5 --keep 7 --for 0.2", 2, "7d"),
    ("record -o r6 --keep 10m --for 0.2", 2, "10min"),
    ("record -o r7 -- nosuchcmd", 2, "no such command"),
    ("record -o r8 -- true", 0, "the command took"),
    ("record -o r9 -- cat log.txt", 0, "hit ratio"),
    ("record -o r10 --for 2s -- true", 2, "would end the command after 2 s"),
    ("hold 16", 2, "16MiB"),
    ("hold 16M --for 0.1", 0, "16 MiB"),
    ("hold 16m --for 100ms", 0, "16 MiB"),
    ("hold 16Mi --for 0.1", 0, "16 MiB"),
    ("hold 1024k --for 0.1", 0, "1 MiB"),
    ("hold 16x --for 0.1", 2, "MiB"),
    ("explain util", 0, "column of show disk"),
    ("explain state", 0, "column of show processes"),
    ("explain user", 0, "column of show processes"),
    ("explain lost", 0, "column of show processes"),
    ("show REC processes --sort lost", 0, "state"),
    ("explain %util", 0, "column of show disk"),
    ("explain Dirty", 0, "/proc/meminfo"),
    ("explain dirty", 0, "waits to be written"),
    ("explain pgscank/s", 0, "column of show paging"),
    ("explain pgscank", 0, "column of show paging"),
    ("explain vm.dirty_ratio", 0, "throttled"),
    ("explain dirty_ratio", 0, "throttled"),
    ("explain vm/swappiness", 0, "swap"),
    ("explain await", 0, "queue"),
    ("explain kbmemfree", 0, "unused memory"),
    ("explain pgmajfault", 0, "/proc/vmstat"),
    ("explain rchar", 0, "/proc/PID/io"),
    ("explain freerun", 0, "throttled"),
    ("explain hit+ratio", 0, "page cache"),
    ("explain majflt", 0, "read from a device"),
    ("explain refult", 2, "did you mean"),
    ("explain replayed-sequence", 0, "Evidence"),
    ("completions bash", 0, "buffered-read"),
    ("import nosuchfile", 2, "nosuchfile"),
    ("diagnose REC --from 3pm", 2, "no sample in this range"),
    ("cut REC --from -1m -o part.pagetide", 0, "samples"),
    ("evictions REC --for 5", 2, "cannot be used with"),
    ("evictions --for 0s", 2, "`0s` is not above 0"),
    ("mrc --for 0", 2, "`0` is not above 0"),
    ("trace", 2, "`pagetide evictions --for 5s`"),
    ("fleet", 2, "`pagetide fleet /srv/recordings`"),
    ("plan", 2, "`pagetide plan --list`"),
    ("plan buffered-read --vary memory=1GiB..2GiB --seed x", 2, "write a whole number: `--seed 1`"),
    ("plan buffered-read --vary memory=1GiB..2GiB/1", 2, "1 value ("),
    ("show REC -d", 2, "`pagetide show rec disk`"),
    ("show REC -n DEV", 2, "no network (sar -n)"),
    ("show REC disk --only sdz", 1, "no name matches sdz"),
    ("show REC disk --only sdz --csv", 1, "no name matches sdz"),
    ("show REC disk --only sdz --json", 1, "no name matches sdz"),
    ("diagnose REC --compare -15s..-10s -8s..", 0, ""),
    ("diagnose REC --compare -15s..-10s -8s.. --json", 0, "\"verdict\""),
    ("diagnose REC --form 12:00", 2, "`--from TIME`"),
    ("help show --json", 0, "\"text\""),
    ("man lab run", 0, "PAGETIDE-LAB-RUN"),
    ("man lab-run", 0, "PAGETIDE-LAB-RUN"),
    ("man trace-helper", 0, "PAGETIDE-TRACE-HELPER"),
    ("man lab rum", 2, "did you mean `run`?"),
    ("record -o /etc/passwd --for 1s", 2, "a file is in the way"),
    ("record -o r -- /etc/passwd", 2, "not an executable"),
    ("show REC -r 1 5", 2, "`pagetide show rec memory`"),
    ("show REC -P ALL", 2, "`pagetide show rec cpus`"),
    ("show REC disk --dev vda", 2, "--only vda"),
    ("show REC disk --dev=vda", 2, "--only vda"),
    ("show REC processes 4711", 2, "--only"),
    ("show REC disk -s 14:41", 2, "`--from TIME`"),
    ("show REC disk --since 14:41", 2, "`--from TIME`"),
    ("show REC disk --last 5min", 2, "`--from -10min`"),
    ("diagnose REC --until 15:00", 2, "`--to TIME`"),
    ("show REC disk --interval 5", 2, "--every 5"),
    ("show REC iostat", 2, "`pagetide show rec disk`"),
    ("show REC psi", 2, "`pagetide show rec pressure`"),
    ("show REC groups", 2, "`pagetide show rec cgroups`"),
    ("show REC numa", 2, "`pagetide show rec zones`"),
    ("record sleep 1", 2, "`pagetide record -o rec -- sleep 5`"),
    ("record 5", 2, "--for 5"),
    ("record -i 5", 2, "`--interval 5`"),
    ("record --duration 5", 2, "--for 5min"),
    ("record --output r10", 2, "`-o PATH`"),
    ("top -d 5", 2, "`--interval 5`"),
    ("cut REC incident.pagetide -o x", 2, "-o incident.pagetide"),
    ("serve --port 8080", 2, "--listen 8080"),
    ("iostat", 2, "show --sample disk"),
    ("vmstat 1", 2, "show --sample cache"),
    ("fleet REC", 0, "1 part of a recording (at most a day each)"),
    ("list", 2, "lab list"),
    ("status", 2, "record --status"),
    ("version", 2, "`pagetide --version`"),
    ("compare a b", 2, "--compare"),
    ("explain wa", 0, "waited for IO"),
    ("explain bi", 0, "column of show paging"),
    ("explain memory.high", 0, "throttled"),
    ("show log.txt", 2, "pagetide import FILE"),
    ("diagnose log.txt", 2, "pagetide import FILE"),
];

/// What each line prints now, as a table: `TYPED_TABLE=FILE cargo test -p pagetide --test typed`.
fn table(folder: &Path) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let row = |(line, ..): &(&str, i32, &str)| {
        let (exit, text) = run(line, folder);
        // Of an error the lines that help: what is wrong, and what to write.
        let told = |line: &&str| {
            ["pagetide: ", "error: ", "hint: ", "tip: "].iter().any(|start| line.trim_start().starts_with(start))
        };
        let said: Vec<&str> = match exit {
            0 => text.lines().filter(|line| !line.trim().is_empty()).take(2).collect(),
            _ => text.lines().filter(told).map(str::trim).collect(),
        };
        format!(
            "| `pagetide {}` | {exit} | {} |\n",
            cell(line),
            cell(&said.join(" / ").chars().take(220).collect::<String>())
        )
    };
    format!("| typed | exit | prints |\n|---|---|---|\n{}", TYPED.iter().map(row).collect::<String>())
}

#[test]
fn what_people_type_is_understood_or_told_the_word_that_is() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("log.txt"), "12:00:01 all 1.00 2.00\n").unwrap();
    let wrong: Vec<String> = TYPED
        .iter()
        .filter_map(|(line, code, part)| {
            let (exit, text) = run(line, folder.path());
            let fits = exit == *code && text.contains(part);
            (!fits).then(|| {
                format!(
                    "pagetide {line}\n  exit {exit} for {code}, without `{part}`:\n{}",
                    text.lines().take(5).collect::<Vec<_>>().join("\n")
                )
            })
        })
        .collect();
    assert!(TYPED.len() >= 100);
    if let Some(path) = std::env::var_os("TYPED_TABLE") {
        std::fs::write(path, table(folder.path())).unwrap();
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), TYPED.len(), wrong.join("\n"));
}

#[test]
fn a_command_that_is_not_there_leaves_no_recording_and_a_second_recording_continues_the_first() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run("record -o r -- nosuchcmd", folder.path()).0, 2);
    assert!(!folder.path().join("r").exists());
    let samples = || {
        let (code, text) = run("check r", folder.path());
        assert_eq!(code, 0, "{text}");
        text.split(" samples").next().unwrap().rsplit('(').next().unwrap().parse::<u64>().unwrap()
    };
    run("record -o r -- true", folder.path());
    let first = samples();
    let (code, text) = run("record -o r -- true", folder.path());
    assert!(code == 0 && text.contains("continuing it with a new segment"), "{text}");
    assert!(samples() > first);
}

#[test]
fn a_folder_that_the_user_may_not_read_is_not_an_empty_cache() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o000)).unwrap();
    // Root may read it all the same.
    let mut command = std::process::Command::new("setpriv");
    command.args(["--bounding-set=-all", "--inh-caps=-all", "--"]);
    let output = command.arg(assert_cmd::cargo::cargo_bin("pagetide")).arg("cache").arg(folder.path()).output();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
    let Ok(output) = output else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && said.contains("Permission denied"), "{said}");
}

/// What a user may not read is the system's refusal (exit 3), in words about the folder that was named.
#[test]
fn a_recording_that_the_user_may_not_read_is_told_by_every_command() {
    let top = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        // Root may read it all the same.
        let mut command = std::process::Command::new("setpriv");
        command.args(["--bounding-set=-all", "--inh-caps=-all", "--"]);
        command.arg(assert_cmd::cargo::cargo_bin("pagetide")).args(words).current_dir(top.path());
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.code(), text)
    };
    let folder = top.path().join("fleet/a");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::set_permissions(&folder, Permissions::from_mode(0o000)).unwrap();
    for words in ["show", "check", "diagnose", "serve", "cut -o x", "record --status -o"] {
        let words: Vec<&str> = words.split(' ').chain(["fleet/a"]).collect();
        let (code, said) = run(&words);
        let is_of_the_folder = said.to_lowercase().contains("permission denied") && !said.contains("result.json");
        assert!(code == Some(3) && is_of_the_folder && !said.contains("write to"), "{words:?}: {code:?} {said}");
    }
    let (code, said) = run(&["fleet", "--no-cache", "fleet"]);
    assert!(code == Some(0) && said.contains("unreadable: 1 recording"), "{code:?} {said}");
    let (code, said) = run(&["fleet", "--no-cache", "fleet/a"]);
    assert!(code == Some(3) && said.contains("Permission denied"), "{code:?} {said}");
    std::fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
}

/// sar prints await in ms with two digits, pgpgin in KiB, memory in whole KiB, and so does --raw.
#[test]
fn raw_is_in_the_units_of_sar() {
    let folder = tempfile::tempdir().unwrap();
    let cell = |line: &str, name: &str| {
        let (_, text) = run(line, folder.path());
        let mut lines = text.lines();
        let heading =
            lines.find(|line| line.split_whitespace().any(|word| word == name)).unwrap_or_else(|| panic!("{text}"));
        let at = heading.split_whitespace().position(|word| word == name).unwrap();
        let average = text.lines().find(|line| line.starts_with("Average")).unwrap();
        average.split_whitespace().nth(at).unwrap().to_owned()
    };
    let json = |topic: &str, name: &str| {
        let (_, text) = run(&format!("show REC {topic} --json"), folder.path());
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["averages"][0][name].as_f64().unwrap()
    };
    let near = |text: &str, value: f64, decimals: usize| {
        assert_eq!(text.split('.').nth(1).map_or(0, str::len), decimals, "{text}");
        assert_eq!(text, format!("{value:.decimals$}"));
    };
    near(&cell("show REC memory --raw", "free"), json("memory", "free") / 1024.0, 0);
    near(&cell("show REC paging --raw", "pgpgin/s"), json("paging", "pgpgin/s") / 1024.0, 2);
    near(&cell("show REC disk --raw", "await"), json("disk", "await") / 1e6, 2);
    near(&cell("show REC disk --raw", "read/s"), json("disk", "read/s") / 1024.0, 2);
    near(&cell("show REC load --raw", "ldavg-1"), json("load", "ldavg-1"), 2);
    near(&cell("show REC cpu --raw", "user"), json("cpu", "user") * 100.0, 2);
}
