//! `pagetide diagnose`, as a user runs it.

use assert_cmd::Command;
use pagetide_core::{Bytes, Entity, Manifest, Nanos, Sample, Schema, Sink, Stamp, Table};
use pagetide_store::Writer;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

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
fn what_happened_and_cost_nobody_time_is_said_to_have_cost_none() {
    let recording =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus/control-drop-caches-10/recording");
    let assert = pagetide().arg("diagnose").arg(recording).arg("--json").assert().success();
    let told: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(told["verdict"], "healthy");
    let summary = told["summary"].as_str().unwrap();
    assert!(summary.starts_with("No service lost notable time. A program dropped the page cache"), "{summary}");
}

#[test]
fn the_curious_case_reads_as_an_expert_would_tell_it() {
    let folder = tempfile::tempdir().unwrap();
    let recording = imported(folder.path(), "curious-case");
    let assert = pagetide().arg("diagnose").arg(&recording).arg("--json").assert().success();
    let told: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(told["verdict"], "incident");
    assert_eq!(told["cause"]["rule"], "stream-floods-cache");
    assert_eq!(told["cause"]["origins"], serde_json::json!(["disk:vgca0"]));
    let effects: Vec<&str> =
        told["chain"].as_array().unwrap().iter().map(|link| link["effect"].as_str().unwrap()).collect();
    let order = [
        "kswapd reclaims",
        "the file cache shrinks by 12.6 GiB in 8.53 s",
        "major faults",
        "sda is busy",
        "sdb is busy",
        "CPUs are in iowait",
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
        "sda and sdb are victims, not the cause",
        "Observation that would explain it",
        "Ruled out",
        "pagetide lab run ssd-stream",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}

#[test]
fn an_empty_recording_is_reported_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("recording");
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/import/curious-case/sar-u.txt");
    pagetide().arg("import").arg(&file).arg("-o").arg(&out).assert().success();
    let assert = pagetide().arg("diagnose").arg(&out).assert().success();
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(
        text.contains("The recording does not show what happened. Not recorded: whether memory is reclaimed"),
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

/// Goes on with a recording that began at `begin` by a second: a quiet one, or one in which a stream from nvme0n1 evicts what sda has to read back.
fn second(writer: &mut Writer, schema: &mut Schema, totals: &mut [i64; 6], begin: i64, at: i64, stream: bool) {
    let page = 4096;
    let rise = if stream { [400 << 11, 9000, 990, 130_000, (400 << 20) / page, 500] } else { [200, 200, 10, 0, 0, 1] };
    totals.iter_mut().zip(rise).for_each(|(total, rise)| *total += rise);
    let mut sample = Sample::default();
    let ns = at * 1_000_000_000;
    sample.stamp = Stamp { wall_ns: begin + ns, mono_ns: ns, boot_ns: ns };
    let cells = [
        (Table::Disk, "nvme0n1", "read_sectors", totals[0]),
        (Table::Disk, "sda", "read_sectors", totals[1]),
        (Table::Disk, "sda", "io_ms", totals[2]),
        (Table::Host, "", "pgscan_kswapd", totals[3]),
        (Table::Host, "", "pgsteal_kswapd", totals[4]),
        (Table::Host, "", "pgmajfault", totals[5]),
        (Table::Host, "", "MemTotal", 8 << 30),
    ];
    for table in [Table::Host, Table::Disk] {
        for entity in ["", "nvme0n1", "sda"] {
            let of: Vec<_> = cells.iter().filter(|cell| cell.0 == table && cell.1 == entity).collect();
            if of.is_empty() {
                continue;
            }
            let named = || Entity::new(entity, entity);
            let id = schema.find_entity(table, entity).unwrap_or_else(|| schema.push_entity(table, named()));
            let columns: Vec<_> = of.iter().map(|cell| schema.column(table, cell.2)).collect();
            let row = sample.row(table, id, schema.columns(table).len());
            columns.iter().zip(&of).for_each(|(column, cell)| row[column.0 as usize] = Some(cell.3));
        }
    }
    writer.sample(schema, &sample).unwrap();
}

fn signal(child: &std::process::Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn a_growing_recording_is_watched() {
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("recording");
    let mut writer = Writer::create(&recording).unwrap();
    let manifest = Manifest {
        origin: pagetide_core::Origin::Host,
        page_size: Bytes::new(4096),
        memory_total: Bytes::new(8 << 30),
        interval: Nanos::new(1_000_000_000),
        ..Manifest::default()
    };
    writer.begin(&manifest).unwrap();
    let (mut schema, mut totals) = (Schema::default(), [0; 6]);
    // No sample is old, so that nothing but a pause of the test is a silence.
    let begin = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let begin = i64::try_from(begin.as_nanos()).unwrap();
    let mut extend = |range: std::ops::Range<i64>, stream| {
        range.for_each(|at| second(&mut writer, &mut schema, &mut totals, begin, at, stream));
    };
    extend(0..60, false);
    let program = folder.path().join("on-incident");
    std::fs::write(&program, "#!/bin/sh\ncat >> \"$0.told\"\n").unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut watch = std::process::Command::new(assert_cmd::cargo::cargo_bin("pagetide"))
        .args(["diagnose", "--watch", "--every", "200ms", "--for", "2min", "--json", "--exec"])
        .args([&program, &recording])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(watch.stdout.take().unwrap()).lines();
    let mut until = |events: &[&str]| {
        let lines = told.by_ref().map(|line| serde_json::from_str::<serde_json::Value>(&line.unwrap()).unwrap());
        let is_one = |line: &serde_json::Value| events.iter().any(|event| line["event"] == *event);
        lines.into_iter().find(|line| is_one(line) && line["rule"] == "stream-floods-cache").unwrap()
    };
    let mut grow = |range, stream| {
        // It must not see a part of the minute.
        signal(&watch, Signal::STOP);
        let stat = format!("/proc/{}/stat", watch.id());
        while !std::fs::read_to_string(&stat).unwrap().contains(") T ") {
            std::thread::sleep(Duration::from_millis(1));
        }
        extend(range, stream);
        signal(&watch, Signal::CONT);
    };
    grow(60..90, true);
    let began = until(&["began"]);
    grow(90..150, false);
    // On a slow machine no sample may have come for seconds before these.
    let ended = until(&["ended", "unknown"]);
    signal(&watch, Signal::INT);
    assert_eq!(watch.wait().unwrap().code(), Some(1), "something began");
    assert_eq!(began["cause"], true);
    assert_eq!(began["origins"][0], "disk:nvme0n1");
    assert_eq!(began["onset_wall_ns"], begin + 59_000_000_000, "the last quiet sample");
    assert!(ended["end_wall_ns"].as_i64() >= Some(begin + 85_000_000_000), "{ended}");
    // Each program has ended before the watch does.
    let told = std::fs::read_to_string(folder.path().join("on-incident.told")).unwrap();
    let told: Vec<serde_json::Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<&serde_json::Value> = told.iter().filter(|event| event.get("cause").is_some()).collect();
    assert_eq!(told.first(), Some(&&began), "the program has the event as its input");
    assert_eq!(told.last().map(|event| &event["event"]), Some(&ended["event"]), "{told:?}");
    assert!(told.iter().all(|event| event["cause"] == true), "{told:?}");
    let quiet = pagetide().args(["diagnose", "--watch", "--for", "300ms"]).arg(&recording).assert().code(0);
    assert_eq!(String::from_utf8_lossy(&quiet.get_output().stdout), "", "it is over");
}

#[test]
fn what_no_rule_explains_begins_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/real/hourly-classic/recording");
    let part = folder.path().join("part");
    // It ends while tasks wait for a disk.
    pagetide().arg("cut").arg(recording).args(["--to", "-100s", "-o"]).arg(&part).assert().success();
    let watch = pagetide().args(["diagnose", "--watch", "--for", "300ms", "--json"]).arg(&part).assert().code(1);
    let text = String::from_utf8_lossy(&watch.get_output().stdout).into_owned();
    let told: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: Vec<_> = told.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["began", "silent", "unknown"], "{text}");
    assert!(told[0]["rule"].is_null() && told[0]["cause"] == true, "{text}");
    assert!(told[0]["statement"].as_str().unwrap().contains("No rule explains it"), "{text}");
}

#[test]
fn a_recording_that_does_not_grow_is_silent() {
    let folder = tempfile::tempdir().unwrap();
    let recording = imported(folder.path(), "curious-case");
    let watch = ["diagnose", "--watch", "--for", "300ms"];
    let silent = pagetide().args(watch).arg(&recording).assert().code(1);
    let text = String::from_utf8_lossy(&silent.get_output().stdout).into_owned();
    let said: Vec<&str> = text.lines().filter(|line| line.starts_with("silent: ")).collect();
    assert!(said.len() == 1 && said[0].starts_with("silent: no sample since 20"), "{text}");
    assert!(said[0].ends_with(": no recorder is running"), "{text}");
    // What lasted at its end may have ended since.
    let count = |word: &str| text.lines().filter(|line| line.contains(word)).count();
    assert_eq!(count(" began "), count(" unknown "), "{text}");
    let no_program = ["diagnose", "--watch", "--for", "300ms", "--exec", "/nowhere/page-someone"];
    let refused = pagetide().args(no_program).arg(&recording).assert().code(2);
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("no such command"));
}

#[test]
fn a_part_of_a_recording_is_diagnosed_for_itself() {
    let folder = tempfile::tempdir().unwrap();
    let recording = imported(folder.path(), "curious-case");
    let diagnose = |arguments: &[&str]| pagetide().arg("diagnose").arg(&recording).args(arguments).assert();
    let part = diagnose(&["--to", "20:15", "--json"]).success();
    let told: serde_json::Value = serde_json::from_slice(&part.get_output().stdout).unwrap();
    // By then the watermarks were not recorded yet, which contradict the shortage.
    assert_eq!((&told["verdict"], told["contradictions"].as_array().unwrap().len()), (&"incident".into(), 0), "{told}");
    let refused = diagnose(&["--step", "B1"]).code(2);
    let text = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(text.contains("no step `B1`") && text.contains("--from and --to"), "{text}");
    diagnose(&["--from", "noon"]).code(2);
}

#[test]
fn two_ranges_or_two_recordings_are_compared() {
    let recording = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus/code-thrash-1/recording");
    let (before, after) = ("..14:03:56", "14:03:58..");
    let compare = |arguments: &[&str]| {
        let mut command = pagetide();
        command.arg("diagnose").arg(&recording).arg("--utc").arg("--compare").args(arguments);
        command
    };
    let json = |arguments: &[&str]| {
        let told = compare(arguments).arg("--json").assert().success().get_output().stdout.clone();
        serde_json::from_slice::<serde_json::Value>(&told).unwrap()
    };
    let ranges = json(&[before, after]);
    assert_eq!(ranges["verdict"], "worse", "{ranges}");
    assert_eq!((&ranges["before"]["samples"], &ranges["after"]["samples"]), (&11.into(), &26.into()), "{ranges}");
    let waits = ranges["values"].as_array().unwrap().iter().find(|value| value["source"] == "psi_io_some").unwrap();
    assert_eq!(
        (&waits["differs"], &waits["harm"], &waits["of"]),
        (&true.into(), &true.into(), &"host".into()),
        "{waits}"
    );
    for wrong in [&["nowhere"][..], &["noon..", after], &["22:00..21:00"]] {
        compare(wrong).assert().code(2);
    }
    // What contains a range cannot be compared with it.
    for contained in [&[recording.to_str().unwrap()][..], &[after], &["..14:03:58", before]] {
        let refused = compare(contained).assert().code(2).get_output().stderr.clone();
        let text = String::from_utf8_lossy(&refused).into_owned();
        assert!(text.contains("samples in common") && text.contains("do not overlap"), "{contained:?}: {text}");
    }
    let text = compare(&[before, after]).assert().success().get_output().stdout.clone();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(&String::from_utf8_lossy(&text));
    for said in [
        "Worse after the change. Tasks lost 196 ms of each second to waits for IO (0 ms before; difference ",
        "Before: 2026-11-21 14:03:50 UTC to 2026-11-21 14:03:55 UTC (11 samples).",
        "share of time lost to waits for IO host 0 % 19.6 % 19.6 points",
        "Too noisy to tell: pages scanned by reclaim (host); direct reclaims (host).",
        "(block bootstrap over the samples);",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}
