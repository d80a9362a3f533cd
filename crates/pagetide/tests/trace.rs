//! `record --trace` and what reads it, on the running kernel. Where this process may not trace, the test says so and ends.
#![expect(clippy::print_stderr, reason = "says which tests could not run here")]

#[path = "support/cold_file.rs"]
mod support;

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use support::cold_file;

fn pagetide(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("pagetide").unwrap().args(arguments).output().unwrap()
}

/// A memory control group of v1 or v2 that ends with this value.
struct MemoryGroup(PathBuf);

impl MemoryGroup {
    fn new(name: &str, limit: u64) -> Option<Self> {
        let v1 = Path::new("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists();
        let (root, file) =
            if v1 { ("/sys/fs/cgroup/memory", "memory.limit_in_bytes") } else { ("/sys/fs/cgroup", "memory.max") };
        let group = Self(PathBuf::from(format!("{root}/pagetide-record-test-{name}-{}", std::process::id())));
        let made = fs::create_dir(&group.0).and_then(|()| fs::write(group.0.join(file), limit.to_string()));
        made.map_err(|error| eprintln!("skipped: {}: {error}", group.0.display())).ok().map(|()| group)
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        for _ in 0..100 {
            if fs::remove_dir(&self.0).is_ok() || !self.0.exists() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

#[test]
fn a_recorded_trace_names_evictor_and_victim_and_what_memory_would_help() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = |name: &str| folder.path().join(name);
    let Some(group) = MemoryGroup::new("stream", 48 << 20) else { return };
    cold_file(&place("victim"), 24);
    cold_file(&place("stream"), 96);
    // The victim is read, evicted by the stream, and read again, twice. The group of a process is read once a second, and `head` and
    // `cat` are gone before that: they have the group of the shell, which must be older than a second and still be there.
    let script = format!(
        "echo $$ > {}/cgroup.procs; sleep 1.1; cd {}; for round in 1 2; do head -c 100000000 victim; cat stream; done > /dev/null; \
         head -c 100000000 victim > /dev/null; sleep 1.1",
        group.0.display(),
        folder.path().display()
    );
    let recording = place("rec");
    let recording = recording.to_str().unwrap();
    let recorded =
        pagetide(&["record", "-o", recording, "--trace=1/4", "--interval", "100ms", "--", "sh", "-c", &script]);
    if !recorded.status.success() {
        let text = String::from_utf8_lossy(&recorded.stderr);
        assert!(text.contains("hint:"), "a refusal says what helps: {text}");
        eprintln!("skipped: {text}");
        return;
    }

    let output = pagetide(&["evictions", recording, "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["schema_version"], &json["coverage"]["complete"]), (&2.into(), &true.into()), "{json:#}");
    let victims = json["evictions"].as_array().unwrap().iter();
    let victims = victims.filter(|row| row["file"].as_str().is_some_and(|file| file.ends_with("/victim")));
    let (mut evicted, mut by_stream, mut read_again) = (0, 0, 0);
    for row in victims {
        evicted += row["evicted_bytes"].as_u64().unwrap();
        read_again += row["read_again_bytes"].as_u64().unwrap();
        if row["evictor"]["comm"] == "cat" && row["mechanism"] == "group limit" {
            by_stream += row["evicted_bytes"].as_u64().unwrap();
        }
    }
    // 24 MiB are evicted twice, and read again twice; a little of the file may be left or lost to `head` itself.
    assert!((40 << 20..=56 << 20).contains(&evicted), "{evicted}: {json:#}");
    assert!(
        by_stream >= evicted / 100 * 90 && read_again >= evicted / 100 * 90,
        "{by_stream} {read_again} of {evicted}"
    );

    let output = pagetide(&["mrc", recording, "--json", "--step", "32MiB"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = group.0.file_name().unwrap().to_str().unwrap();
    let curves = json["curves"].as_array().unwrap();
    let curve = curves.iter().find(|curve| curve["limit"].as_str().is_some_and(|limit| limit.ends_with(name))).unwrap();
    // The loop is over 120 MiB in 48 MiB: little helps before 72 MiB more.
    let point = &curve["points"][1];
    assert_eq!(point["more_bytes"], 32 << 20);
    assert!(point["remaining"].as_f64().unwrap() > 0.6, "{curve:#}");
}

#[test]
fn an_automatic_trace_is_on_while_files_refault() {
    if !may_trace() {
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let Some(group) = MemoryGroup::new("auto", 32 << 20) else { return };
    cold_file(&folder.path().join("loop"), 64);
    // A loop over twice the limit refaults all that it reads, for more seconds than the mean is taken over.
    let script = format!(
        "echo $$ > {}/cgroup.procs; cd {}; for second in 1 2 3 4 5 6 7 8; do cat loop loop > /dev/null; sleep 1; done",
        group.0.display(),
        folder.path().display()
    );
    let recording = folder.path().join("rec");
    let recording = recording.to_str().unwrap();
    let recorded = pagetide(&["record", "-o", recording, "--trace=auto:1/1", "--", "sh", "-c", &script]);
    assert!(recorded.status.success(), "{recorded:?}");
    let output = pagetide(&["evictions", recording, "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let coverage = &json["coverage"];
    assert!(
        coverage["time_ns"].as_u64().unwrap() > 0 && !coverage["stretches"].as_array().unwrap().is_empty(),
        "{json:#}"
    );
    let rows = json["evictions"].as_array().unwrap().iter();
    let by_cat = rows.filter(|row| {
        row["evictor"]["comm"] == "cat" && row["evictor"]["group"].as_str().is_some_and(|path| path.contains("auto"))
    });
    let evicted: u64 = by_cat.map(|row| row["evicted_bytes"].as_u64().unwrap()).sum();
    assert!(evicted > 32 << 20, "{json:#}");
}

#[test]
fn a_recording_without_a_trace_says_how_to_get_one() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let recording = folder.path().join("rec");
    let recording = recording.to_str().unwrap();
    assert!(pagetide(&["record", "-o", recording, "--", "true"]).status.success());
    for command in ["evictions", "mrc"] {
        let output = pagetide(&[command, recording]);
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("recorded without --trace") && text.contains("hint: record with"), "{text}");
    }
}

/// Runs a command that takes something away and ends with `evictions`: its exit code and what it says on stderr.
fn confined(words: &[&str]) -> Option<(i32, String)> {
    let binary = assert_cmd::cargo::cargo_bin("pagetide");
    let mut command = std::process::Command::new(words[0]);
    let output = command.args(&words[1..]).env("PAGETIDE_UNDER_TEST", binary).output();
    let output = output.map_err(|error| eprintln!("skipped: {}: {error}", words[0])).ok()?;
    Some((output.status.code()?, String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// Whether this process may trace, and so can show what happens without a right.
fn may_trace() -> bool {
    let may = pagetide(&["evictions", "--for", "100ms"]).status.code() == Some(0);
    if !may {
        eprintln!("skipped: this process may not trace");
    }
    may
}

const TRACE: &str = "exec \"$PAGETIDE_UNDER_TEST\" evictions --for 200ms";

#[test]
fn without_rights_one_line_says_what_is_missing_and_what_still_works() {
    if !may_trace() {
        return;
    }
    for capabilities in ["-all", "-perfmon,-sys_admin,-bpf"] {
        let bound = format!("--bounding-set={capabilities}");
        let Some((code, text)) = confined(&["setpriv", &bound, "--inh-caps=-all", "sh", "-c", TRACE]) else { return };
        assert_eq!(code, 3, "{capabilities}: {text}");
        assert!(text.contains("`pagetide diagnose` work without") && text.contains("hint: run as root"), "{text}");
        assert_eq!(text.lines().count(), 2, "{text}");
    }
}

#[test]
fn without_bpf_filters_sample_and_the_gap_is_named() {
    if !may_trace() {
        return;
    }
    // tracefs needs CAP_SYS_ADMIN only where it is not mounted.
    let script = format!(
        "mount -t tracefs none /sys/kernel/tracing
         exec setpriv --bounding-set=-bpf,-sys_admin --inh-caps=-all sh -c '{TRACE}'"
    );
    let Some((code, text)) = confined(&["unshare", "--mount", "sh", "-c", &script]) else { return };
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("bpf(2) refused") && text.contains("CAP_BPF"), "{text}");
}

#[test]
fn the_documented_rights_suffice() {
    if !may_trace() {
        return;
    }
    // Without CAP_IPC_LOCK the rings are as long as the limit of locked memory allows: 1 MiB here beside what perf allows each user.
    let script = format!("ulimit -l 1024 && {TRACE}");
    let bound = "--bounding-set=-all,+perfmon,+bpf,+sys_admin";
    let Some((code, text)) = confined(&["setpriv", bound, "--inh-caps=-all", "sh", "-c", &script]) else { return };
    assert_eq!(code, 0, "{text}");
    assert!(!text.contains("bpf(2) refused"), "{text}");
}

/// Installs a seccomp filter that refuses one system call with an error, as a container's profile does, and runs the rest of its words.
const WITHOUT_CALL: &str = "
import ctypes, os, platform, struct, sys
number = {'x86_64': {'perf_event_open': 298, 'bpf': 321}, 'aarch64': {'perf_event_open': 241, 'bpf': 280}}
number = number[platform.machine()][sys.argv[1]]
code = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50000 | int(sys.argv[2])), (6, 0, 0, 0x7fff0000)]
text = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *line) for line in code))
class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('code', ctypes.c_void_p)]
libc = ctypes.CDLL(None, use_errno=True)
program = Program(len(code), ctypes.addressof(text))
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program)):
    sys.exit(77)
os.execv(sys.argv[3], sys.argv[3:])
";

#[test]
fn a_container_that_forbids_the_system_calls_is_named() {
    if !may_trace() {
        return;
    }
    const EPERM: &str = "1";
    const ENOSYS: &str = "38";
    for error in [EPERM, ENOSYS] {
        let words = |call| ["python3", "-c", WITHOUT_CALL, call, error, "/bin/sh", "-c", TRACE];
        let Some((code, text)) = confined(&words("perf_event_open")) else { return };
        assert_eq!(code, 3, "{text}");
        assert!(text.contains("perf_event_open(2) refused") && text.contains("seccomp profile"), "{text}");
        assert!(text.contains("`pagetide diagnose` work without"), "{text}");
        let Some((code, text)) = confined(&words("bpf")) else { return };
        assert_eq!(code, 0, "{text}");
        assert!(text.contains("bpf(2) refused") && text.contains("seccomp"), "{text}");
        assert!(text.contains("filters sample"), "what still can be had: {text}");
    }
}

#[test]
fn an_unmounted_tracefs_is_mounted_without_a_path_and_leaves_nothing() {
    if !may_trace() {
        return;
    }
    let script = "umount -l /sys/kernel/tracing /sys/kernel/debug/tracing /sys/kernel/debug 2> /dev/null
        ! grep -q ' tracefs ' /proc/self/mountinfo || { echo still mounted >&2; exit 9; }
        \"$PAGETIDE_UNDER_TEST\" evictions --for 200ms || exit $?
        ! grep -q ' tracefs ' /proc/self/mountinfo || { echo left behind >&2; exit 8; }";
    let Some((code, text)) = confined(&["unshare", "--mount", "sh", "-c", script]) else { return };
    assert_eq!(code, 0, "{text}");
}

#[test]
fn a_killed_trace_leaves_nothing_behind() {
    if !may_trace() {
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    // A namespace of its own shows what is mounted and nothing of other tests; perf events and programs end with their descriptors.
    let script = format!(
        "umount -l /sys/kernel/tracing /sys/kernel/debug/tracing /sys/kernel/debug 2> /dev/null
        \"$PAGETIDE_UNDER_TEST\" record -o {0}/rec --interval 100ms --trace=1/1 > /dev/null 2>&1 &
        pid=$!
        until \"$PAGETIDE_UNDER_TEST\" record --status -o {0}/rec > /dev/null 2>&1; do sleep 0.1; done
        ls -l /proc/$pid/fd | grep -q perf_event || {{ echo no events >&2; exit 7; }}
        until \"$PAGETIDE_UNDER_TEST\" evictions {0}/rec > /dev/null 2>&1; do sleep 0.1; done
        kill -9 $pid; wait $pid
        ! grep -q ' tracefs ' /proc/self/mountinfo || {{ echo left behind >&2; exit 8; }}
        \"$PAGETIDE_UNDER_TEST\" evictions {0}/rec > /dev/null || exit 9
        exec \"$PAGETIDE_UNDER_TEST\" check {0}/rec > /dev/null",
        folder.path().display()
    );
    let Some((code, text)) = confined(&["unshare", "--mount", "sh", "-c", &script]) else { return };
    assert_eq!(code, 0, "{text}");
}

#[test]
fn wrong_samples_are_refused_with_an_example() {
    for sample in ["64", "1/63", "1/0", "1/131072", "2/64"] {
        let output = pagetide(&["evictions", "--sample", sample]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("such as 1/64"));
    }
}
