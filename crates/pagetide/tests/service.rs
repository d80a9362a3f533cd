//! A recording that is left running, through the real binary: signals, restarts, a full disk, disks that come and go,
//! counters that fall, process ids that are used again, and those who ask how it goes.

use pagetide_core::{MarkKind, Recording, Selection, Source, Stamp, Table};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const BINARY: &str = env!("CARGO_BIN_EXE_pagetide");

/// How long a test waits for what must come. On a busy machine all takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// A recorder that runs; killed when a test fails.
struct Service {
    child: Child,
    folder: PathBuf,
    said: BufReader<ChildStderr>,
    first_line: String,
}

impl Service {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_with(folder, arguments, &[])
    }

    fn start_with(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut child = Command::new(BINARY)
            .args(["record", "--service", "--interval", "20ms", "-o"])
            .arg(folder)
            .args(arguments)
            .envs(environment.iter().copied())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut first_line = String::new();
        said.read_line(&mut first_line).unwrap();
        assert!(first_line.starts_with("recording to "), "{first_line}");
        Self { child, folder: folder.to_owned(), said, first_line }
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status().unwrap().success());
    }

    fn status(&self) -> Value {
        let (code, value) = status(&self.folder);
        assert_eq!((code, value["running"].as_bool()), (0, Some(true)), "{value}");
        value
    }

    /// Waits until the status is as wanted.
    fn until(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let status = self.status();
            if wanted(&status) {
                return status;
            }
            assert!(Instant::now() < end, "{what}: {status}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn samples(&self, more: u64) {
        let goal = self.status()["samples"].as_u64().unwrap() + more;
        self.until("samples", |status| status["samples"].as_u64() >= Some(goal));
    }

    /// Ends it as a service manager does, and gives what it said beyond its one line.
    fn stop(mut self) -> (Option<i32>, String) {
        self.signal("TERM");
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn status(folder: &Path) -> (i32, Value) {
    let output = Command::new(BINARY).args(["record", "--status", "--json", "-o"]).arg(folder).output().unwrap();
    let value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code().unwrap(), value)
}

fn load(folder: &Path) -> Recording {
    pagetide_store::Reader::open(folder).unwrap().load(&Selection::default()).unwrap()
}

fn notes(recording: &Recording) -> Vec<&str> {
    let marks = recording.marks.iter();
    marks.filter_map(|mark| if let MarkKind::Note { text } = &mark.kind { Some(text.as_str()) } else { None }).collect()
}

/// Runs a tool and gives what it prints, without the line's end.
fn run(words: &[&str]) -> String {
    let output = Command::new(words[0]).args(&words[1..]).output().unwrap_or_else(|error| {
        panic!("{}: {error}; this test needs it: apt-get install util-linux mount", words[0]);
    });
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?} (needs root): {why}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

#[test]
fn a_service_starts_tells_its_manager_seals_and_ends() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rec");
    let socket = scratch.path().join("notify");
    let manager = UnixDatagram::bind(&socket).unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = {
        let told = Arc::clone(&told);
        std::thread::spawn(move || {
            let mut bytes = [0; 512];
            while let Ok(length @ 1..) = manager.recv(&mut bytes) {
                told.lock().unwrap().push(String::from_utf8_lossy(&bytes[..length]).into_owned());
            }
        })
    };
    let heard = |words: &str| {
        let end = Instant::now() + PATIENCE;
        while !told.lock().unwrap().iter().any(|state: &String| state.starts_with(words)) {
            assert!(Instant::now() < end, "{words}: {:?}", told.lock().unwrap());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let environment = [("NOTIFY_SOCKET", socket.to_str().unwrap()), ("WATCHDOG_USEC", "200000")];
    let service = Service::start_with(&folder, &[], &environment);
    heard("READY=1");
    heard("WATCHDOG=1");
    service.samples(5);

    let second = Command::new(BINARY).args(["record", "--service", "-o"]).arg(&folder).output().unwrap();
    assert_eq!(second.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&second.stderr).contains("another process is recording there"));

    service.signal("HUP");
    service.until("a sealed segment", |status| status["sealed_segments"] == 1 && status["open_segments"] == 1);
    service.samples(5);
    let status_then = service.status();
    assert_eq!(status_then["pid"], service.child.id());
    assert_eq!(status_then["refused"], Value::Null);
    assert!(status_then["last_sample_age_ns"].as_u64() < Some(60_000_000_000), "{status_then}");
    assert!(status_then["cpu_ns"].as_u64() > Some(0) && status_then["peak_resident_bytes"].as_u64() > Some(1 << 20));

    let (code, rest) = service.stop();
    assert_eq!((code, rest.as_str()), (Some(0), ""), "one line at the start and no other");
    let (code, value) = status(&folder);
    assert_eq!((code, value["running"].as_bool(), value["open_segments"].as_u64()), (1, Some(false), Some(0)));
    heard("STOPPING=1");
    UnixDatagram::unbound().unwrap().send_to(&[], &socket).unwrap();
    listener.join().unwrap();
    let recording = load(&folder);
    assert_eq!(recording.stamps().len() as u64, value["samples"].as_u64().unwrap());
    assert!(notes(&recording).iter().any(|note| note.contains("SIGHUP")), "{:?}", notes(&recording));
    assert!(!folder.join("recorder.sock").exists());
}

#[test]
fn a_killed_service_goes_on_where_it_was() {
    let scratch = tempfile::tempdir().unwrap();
    // Longer than a Unix socket's path may be.
    let folder = scratch.path().join("a-folder-with-a-long-name-".repeat(4)).join("rec");
    let mut samples = 0;
    for run in 0..3 {
        let mut service = Service::start(&folder, &["--keep", "1d"]);
        service.samples(8);
        service.child.kill().unwrap();
        service.child.wait().unwrap();
        assert_eq!(status(&folder).0, 1, "nobody records now");
        let recording = load(&folder);
        assert!(recording.stamps().len() >= samples + 8, "run {run} lost samples");
        assert!(recording.stamps().is_sorted_by_key(|stamp| stamp.boot_ns));
        samples = recording.stamps().len();
    }
    let service = Service::start(&folder, &[]);
    service.samples(2);
    assert_eq!(service.stop().0, Some(0));
    let (_, value) = status(&folder);
    assert_eq!(value["open_segments"], 0, "{value}");
    assert!(load(&folder).stamps().len() >= samples + 2);
}

#[test]
fn a_folder_that_holds_a_recording_of_this_host_is_continued() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rec");
    let record = |more: &[&str]| {
        let mut command = Command::new(BINARY);
        command.args(["record", "--for", "100ms", "--interval", "20ms", "-o"]).arg(&folder).args(more);
        command.output().unwrap().status.code()
    };
    assert_eq!(record(&[]), Some(0));
    let first = load(&folder).stamps().len();
    assert_eq!(record(&[]), Some(0));
    let second = load(&folder).stamps().len();
    assert_eq!(record(&["--continue"]), Some(0));
    assert!(first < second && second < load(&folder).stamps().len());
}

/// A small file system of its own. Unmounted when dropped.
struct Tmpfs(tempfile::TempDir);

impl Tmpfs {
    fn new(size: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        run(&["mount", "-t", "tmpfs", "-o", size, "pagetide-test", folder.path().to_str().unwrap()]);
        Self(folder)
    }

    /// Takes all the room there is, with a file.
    fn fill(&self) -> PathBuf {
        let ballast = self.0.path().join("ballast");
        let mut file = fs::File::create(&ballast).unwrap();
        while file.write(&[0; 4096]).is_ok() {}
        ballast
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn who_drops_caches_is_noted_from_the_kernel_log() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rec");
    let service = Service::start(&folder, &[]);
    service.samples(3);
    let mut writer = Command::new("sh").args(["-c", "echo 2 >/proc/sys/vm/drop_caches"]).spawn().unwrap();
    let pid = writer.id();
    assert!(writer.wait().unwrap().success(), "this test needs root");
    // The recorder wakes for the message, at most a second after the one before.
    service.samples(15);
    assert_eq!(service.stop().0, Some(0));
    let recording = load(&folder);
    let expected = format!("kernel: sh (pid {pid}) wrote 2 to drop_caches");
    assert!(notes(&recording).contains(&expected.as_str()), "{:?}", notes(&recording));
    assert!(recording.manifest.capabilities.iter().any(|known| known == "kernel_log"));
}

#[test]
fn a_full_disk_is_noted_once_and_no_sample_is_lost_when_there_is_room_in_time() {
    let disk = Tmpfs::new("size=2m");
    let folder = disk.0.path().join("rec");
    let service = Service::start(&folder, &[]);
    service.samples(5);
    let ballast = disk.fill();
    let full = service.until("a full disk", |status| !status["refused"].is_null());
    assert!(full["refused"].as_str().unwrap().contains("no space left"), "{full}");
    service.samples(20);
    let full = service.status();
    assert!(full["waiting"].as_u64() >= Some(10), "samples are still taken: {full}");
    fs::remove_file(&ballast).unwrap();
    service.until("room again", |status| status["refused"].is_null() && status["waiting"].as_u64() <= Some(2));
    service.samples(5);
    let (code, _) = service.stop();
    assert_eq!(code, Some(0));
    let recording = load(&folder);
    let notes = notes(&recording);
    let count = |words: &str| notes.iter().filter(|note| note.contains(words)).count();
    assert_eq!((count("samples are waiting in memory"), count("writing samples again")), (1, 1), "{notes:?}");
    assert_eq!((recording.manifest.lost_samples, count("gap")), (0, 0), "{notes:?}");
    assert_eq!(recording.stamps().len() as u64, recording.manifest.samples);
}

#[test]
fn a_disk_that_stays_full_costs_the_oldest_samples_and_the_gap_is_noted() {
    let disk = Tmpfs::new("size=2m");
    let folder = disk.0.path().join("rec");
    let service = Service::start(&folder, &[]);
    service.samples(5);
    let ballast = disk.fill();
    let lost = service.until("lost samples", |status| status["lost_samples"].as_u64() >= Some(20));
    let kept = lost["waiting"].as_u64().unwrap();
    assert!(kept > 100, "what fits into 4 MiB waits: {lost}");
    fs::remove_file(&ballast).unwrap();
    service.until("room again", |status| status["refused"].is_null() && status["waiting"].as_u64() <= Some(2));
    assert_eq!(service.stop().0, Some(0));
    let recording = load(&folder);
    let manifest = &recording.manifest;
    assert!(manifest.lost_samples >= 20);
    assert_eq!(recording.stamps().len() as u64 + manifest.lost_samples, manifest.samples);
    // One gap is the usual. Another is noted when a note still fits on the full disk and the sample after it does not, or when the
    // writer of a busy machine frees its first buffer too late for the next sample.
    let gaps = recording.marks.iter().filter_map(|mark| match &mark.kind {
        MarkKind::Note { text } => Some((mark.stamp, text.strip_prefix("recorder: gap: ")?.split(' ').next()?)),
        _ => None,
    });
    let gaps: Vec<(Stamp, u64)> = gaps.map(|(stamp, count)| (stamp, count.parse().unwrap())).collect();
    assert_eq!(gaps.iter().map(|(_, count)| count).sum::<u64>(), manifest.lost_samples, "{gaps:?}");
    // The oldest are the lost ones: after the last gap are all that came.
    let last = gaps.last().unwrap();
    let after = recording.stamps().iter().filter(|stamp| stamp.boot_ns > last.0.boot_ns).count();
    assert!(after > 100, "{after} of {}", recording.stamps().len());
}

#[test]
fn a_service_starts_on_a_full_disk_by_shortening_its_recording() {
    let disk = Tmpfs::new("size=2m");
    let folder = disk.0.path().join("rec");
    let service = Service::start(&folder, &["--keep", "1d"]);
    service.samples(5);
    service.signal("HUP");
    service.until("a sealed segment", |status| status["sealed_segments"] == 1);
    service.samples(5);
    assert_eq!(service.stop().0, Some(0));
    let sealed = || load(&folder).stamps().len();
    let before = sealed();
    let ballast = disk.fill();
    let service = Service::start(&folder, &["--keep", "1d"]);
    service.samples(2);
    fs::remove_file(&ballast).unwrap();
    service.until("room again", |status| status["refused"].is_null());
    assert_eq!(service.stop().0, Some(0));
    assert!(sealed() > 0 && before > 0);
}

#[test]
fn a_service_starts_on_a_disk_that_others_filled_and_goes_on_when_there_is_room() {
    let disk = Tmpfs::new("size=2m");
    let folder = disk.0.path().join("rec");
    let service = Service::start(&folder, &[]);
    service.samples(5);
    assert_eq!(service.stop().0, Some(0));
    let before = load(&folder).stamps().len();
    let ballast = disk.fill();
    // Nothing limits this recording, so nothing of it is removed.
    let service = Service::start(&folder, &[]);
    let full = service.until("a full disk", |status| !status["refused"].is_null());
    assert!(full["refused"].as_str().unwrap().contains("no space left"), "{full}");
    service.until("samples in memory", |status| status["waiting"].as_u64() >= Some(5));
    fs::remove_file(&ballast).unwrap();
    service.until("room again", |status| status["refused"].is_null() && status["waiting"].as_u64() <= Some(2));
    assert_eq!(service.stop().0, Some(0));
    let recording = load(&folder);
    assert_eq!(recording.stamps().len() as u64, before as u64 + recording.manifest.samples, "no sample is lost");
    assert_eq!(notes(&recording).iter().filter(|note| note.contains("samples are waiting in memory")).count(), 1);
}

#[test]
fn a_recording_whose_folder_is_removed_begins_anew_and_is_asked_there() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rec");
    let service = Service::start(&folder, &[]);
    service.samples(5);
    fs::remove_dir_all(&folder).unwrap();
    let end = Instant::now() + PATIENCE;
    let logs = || fs::read_dir(folder.join("open")).map_or(0, Iterator::count);
    while logs() == 0 {
        assert!(Instant::now() < end, "nothing is written to {}", folder.display());
        std::thread::sleep(Duration::from_millis(20));
    }
    while status(&folder).0 != 0 {
        assert!(Instant::now() < end, "there is no control socket in {}", folder.display());
        std::thread::sleep(Duration::from_millis(20));
    }
    service.samples(5);
    assert_eq!(service.stop().0, Some(0));
    assert!(!load(&folder).stamps().is_empty() && !folder.join("recorder.sock").exists());
}

#[test]
fn logs_that_are_removed_are_lost_samples() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rec");
    let service = Service::start(&folder, &[]);
    service.samples(5);
    fs::remove_dir_all(folder.join("open")).unwrap();
    service.until("lost samples", |status| status["lost_samples"].as_u64() >= Some(5));
    service.samples(5);
    assert_eq!(service.stop().0, Some(0));
    let recording = load(&folder);
    let manifest = &recording.manifest;
    assert_eq!(recording.stamps().len() as u64 + manifest.lost_samples, manifest.samples);
    fs::remove_dir_all(folder.join("host")).unwrap();
    fs::remove_dir_all(folder.join("sample")).unwrap();
    let checked = Command::new(BINARY).arg("check").arg(&folder).output().unwrap();
    let text = String::from_utf8(checked.stdout).unwrap();
    assert_eq!(checked.status.code(), Some(1), "{text}");
}

#[test]
fn a_boot_clock_that_goes_back_leaves_no_sample_out() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rec");
    // As a container that is started again, each time in a time namespace with a smaller offset.
    for offset in ["300000", "200000", "100000"] {
        let record =
            format!("{BINARY} record --continue --for 200ms --interval 20ms --host-only -o {}", folder.display());
        run(&["unshare", "--time", "--boottime", offset, "--fork", "sh", "-c", &record]);
    }
    let recording = load(&folder);
    let (stamps, samples) = (recording.stamps(), recording.stamps().len());
    assert!(samples >= 30, "{samples}");
    assert!(stamps.is_sorted_by_key(|stamp| stamp.boot_ns) && stamps.is_sorted_by_key(|stamp| stamp.wall_ns));
    let axis = stamps[samples - 1].boot_ns - stamps[0].boot_ns;
    let wall = stamps[samples - 1].wall_ns - stamps[0].wall_ns;
    assert!((axis - wall).abs() < 10_000_000, "{axis} ns on the axis, {wall} ns on the wall clock");
    let shown = run(&[BINARY, "show", folder.to_str().unwrap(), "load", "--json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert!(!shown["rows"].as_array().unwrap().is_empty(), "{shown}");
    let checked = run(&[BINARY, "check", folder.to_str().unwrap()]);
    assert!(checked.contains(&format!("whole ({samples} samples")), "{checked}");
    assert_eq!(checked.matches("the boot clock went back here").count(), 2, "{checked}");
}

/// `CLOCK_BOOTTIME` to a hundredth of a second.
fn boot_ns() -> i64 {
    let uptime = fs::read_to_string("/proc/uptime").unwrap();
    let hundredths = uptime.split(' ').next().unwrap().replace('.', "");
    hundredths.parse::<i64>().unwrap() * 10_000_000
}

#[test]
fn a_disk_that_comes_and_goes_has_rows_while_it_is_there() {
    let scratch = tempfile::tempdir().unwrap();
    let image = scratch.path().join("image");
    fs::File::create(&image).unwrap().set_len(8 << 20).unwrap();
    let folder = scratch.path().join("rec");
    let service = Service::start(&folder, &[]);
    service.samples(5);
    let mut spans = Vec::new();
    for _ in 0..2 {
        let device = run(&["losetup", "--find", "--show", "--direct-io=off", image.to_str().unwrap()]);
        let before = boot_ns();
        assert_eq!(fs::read(&device).unwrap().len(), 8 << 20);
        service.samples(10);
        run(&["losetup", "--detach", &device]);
        spans.push((device.trim_start_matches("/dev/").to_owned(), before, boot_ns()));
        service.samples(10);
    }
    assert_eq!(service.stop().0, Some(0));
    let recording = load(&folder);
    for (device, from, to) in spans {
        let sectors = recording.disk(&device, "read_sectors").unwrap_or_else(|| panic!("no rows of {device}"));
        let at_most = sectors.within(from, to).map(|(_, value)| value).max();
        assert!(at_most >= Some(1), "{device} was read: {at_most:?}");
        // A counter that starts again never counts backwards.
        assert!(sectors.rates().iter().all(|(_, _, rate)| *rate >= 0.0));
    }
}

/// A tree of the kernel's files that a test writes.
fn tree(root: &Path, reads: u64, disks: &[&str]) {
    let proc = root.join("proc");
    fs::create_dir_all(&proc).unwrap();
    let put = |name: &str, text: String| {
        // Replaced as the kernel does: a reader sees one state or the other.
        fs::write(proc.join(name), text).unwrap();
    };
    for name in ["meminfo", "vmstat", "zoneinfo", "stat", "loadavg"] {
        put(name, fs::read_to_string(Path::new("/proc").join(name)).unwrap());
    }
    let line = |(at, name): (usize, &&str)| format!("   7       {at} {name} {reads} 0 {reads} 5 0 0 0 0 0 5 5\n");
    put("diskstats", disks.iter().enumerate().map(line).collect());
}

#[test]
fn a_copy_of_proc_is_said_to_be_one_moment() {
    let scratch = tempfile::tempdir().unwrap();
    tree(&scratch.path().join("copy"), 1, &["sdx"]);
    let record = |root: &str| {
        let arguments = ["record", "--host-only", "--for", "200ms", "--interval", "20ms", "--root", root, "-o"];
        let output = Command::new(BINARY).args(arguments).arg(root.replace('/', "_")).current_dir(&scratch).output();
        String::from_utf8(output.unwrap().stderr).unwrap()
    };
    let said = record("copy");
    assert!(said.contains("nothing changed below copy: it is a copy of one moment"), "{said}");
    let said = record("/");
    assert!(said.contains(" samples in ") && !said.contains("nothing changed"), "{said}");
}

#[test]
fn counters_that_fall_and_disks_that_change_places_give_no_wrong_number() {
    let scratch = tempfile::tempdir().unwrap();
    let (root, folder) = (scratch.path().join("root"), scratch.path().join("rec"));
    tree(&root, 1000, &["sda", "sdb"]);
    let service = Service::start(&folder, &["--root", root.to_str().unwrap()]);
    service.samples(3);
    // As on an old kernel, whose counters have 32 bits: it wraps, and the disks' order changes.
    for (reads, disks) in [(u64::from(u32::MAX), &["sdb", "sda"][..]), (5, &["sda"]), (9, &["sdc", "sda"])] {
        tree(&root, reads, disks);
        service.samples(5);
    }
    assert_eq!(service.stop().0, Some(0));
    let recording = load(&folder);
    let values = |disk: &str| -> BTreeSet<i64> {
        recording.disk(disk, "reads").unwrap().points().map(|(_, value)| value).collect()
    };
    let top = i64::from(u32::MAX);
    assert_eq!(values("sda"), BTreeSet::from([5, 9, 1000, top]));
    assert_eq!(values("sdb"), BTreeSet::from([1000, top]));
    assert_eq!(values("sdc"), BTreeSet::from([9]));
    let reads = recording.disk("sda", "reads").unwrap();
    assert!(reads.rates().iter().all(|(_, _, rate)| *rate >= 0.0), "a fall is a new beginning");
    let output = Command::new(BINARY).args(["show", "--json", "--all"]).arg(&folder).arg("disk").output().unwrap();
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rates = shown["rows"].as_array().unwrap().iter().filter_map(|row| row["tps"].as_f64());
    assert!(rates.clone().count() > 10 && rates.clone().all(|rate| rate >= 0.0), "{shown}");
}

#[test]
fn a_process_id_that_is_used_again_is_another_process() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rec");
    let service = Service::start(&folder, &["--all-processes"]);
    let mut first = Command::new("sleep").arg("60").spawn().unwrap();
    let pid = first.id();
    service.samples(5);
    first.kill().unwrap();
    first.wait().unwrap();
    // The kernel gives the next free id after the last one (kernel/pid.c, alloc_pid); others start processes as well.
    let mut again = None;
    for _ in 0..200 {
        fs::write("/proc/sys/kernel/ns_last_pid", (pid - 1).to_string()).expect("needs root");
        let mut child = Command::new("tail").args(["-f", "/dev/null"]).spawn().unwrap();
        if child.id() == pid {
            again = Some(child);
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let mut again = again.expect("the id came again");
    service.samples(5);
    again.kill().unwrap();
    again.wait().unwrap();
    assert_eq!(service.stop().0, Some(0));
    let recording = load(&folder);
    let mine: BTreeMap<String, String> = recording
        .entities(Table::Process)
        .filter(|(name, _)| name.starts_with(&format!("{pid}@")))
        .map(|(name, label)| (name.to_owned(), label.to_owned()))
        .collect();
    let labels: BTreeSet<&str> = mine.values().map(String::as_str).collect();
    assert!(labels.contains("sleep") && labels.contains("tail"), "{mine:?}");
    let ends = |label: &str| {
        let (name, _) = mine.iter().find(|(_, known)| *known == label).unwrap();
        let points: Vec<i64> =
            recording.series(Table::Process, name, "rss").unwrap().points().map(|(at, _)| at).collect();
        (points[0], points[points.len() - 1])
    };
    assert!(ends("sleep").1 < ends("tail").0, "one after the other");
}

fn get(address: &str, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
    (head.to_owned(), body.to_owned())
}

/// Reads the whole text format: every series with its value, by the format's own grammar.
fn parse_metrics(text: &str) -> BTreeMap<String, f64> {
    let valid_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == ':')
    };
    let (mut types, mut helped, mut values) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
    let mut current = String::new();
    assert!(text.ends_with('\n'));
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, meaning) = help.split_once(' ').unwrap();
            assert!(valid_name(name) && !meaning.is_empty() && helped.insert(name.to_owned()), "{line}");
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap();
            assert!(["counter", "gauge", "untyped"].contains(&kind), "{line}");
            assert!(helped.contains(name) && types.insert(name.to_owned(), kind.to_owned()).is_none(), "{line}");
            current = name.to_owned();
        } else {
            let (series, value) = line.rsplit_once(' ').unwrap();
            let name = series.split('{').next().unwrap();
            assert_eq!(name, current, "the series of a metric are together");
            if let Some(labels) = series.strip_prefix(name).filter(|labels| !labels.is_empty()) {
                let labels = labels.strip_prefix('{').and_then(|labels| labels.strip_suffix('}')).unwrap();
                for pair in labels.split("\",") {
                    let (label, value) = pair.split_once("=\"").unwrap();
                    assert!(valid_name(label), "{line}");
                    assert!(!value.trim_end_matches('"').contains('"'), "{line}");
                }
            }
            let value: f64 = value.parse().unwrap_or_else(|_| panic!("{line}"));
            assert!(value.is_finite(), "{line}");
            assert_eq!(name.ends_with("_total"), types[name] == "counter", "{line}");
            assert!(types[name] != "counter" || value >= 0.0, "{line}");
            assert!(values.insert(series.to_owned(), value).is_none(), "{line} is there twice");
        }
    }
    values
}

#[test]
fn prometheus_reads_what_the_kernel_says() {
    let scratch = tempfile::tempdir().unwrap();
    let service = Service::start(&scratch.path().join("rec"), &["--listen", "0"]);
    let address = service.first_line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let (head, body) = get(&address, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8"), "{head}");
    assert!(head.contains(&format!("Content-Length: {}", body.len())), "{head}");
    let first = parse_metrics(&body);
    assert!(first.len() > 300, "{}", first.len());
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap();
    let total: f64 = meminfo.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert_eq!(first["pagetide_memory_total_bytes"], total * 1024.0);
    assert_eq!(first["pagetide_scrape_complete"], 1.0);
    service.samples(3);
    let second = parse_metrics(&get(&address, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").1);
    assert!(second["pagetide_recorder_samples_total"] > first["pagetide_recorder_samples_total"]);
    for (series, value) in &second {
        if series.split('{').next().unwrap().ends_with("_total") && first.contains_key(series) {
            // Idle and iowait time may go back a little on a kernel with NO_HZ (Documentation/filesystems/proc.rst).
            let steady = !series.contains("iowait") && !series.contains("idle");
            assert!(!steady || *value >= first[series], "{series} fell from {} to {value}", first[series]);
        }
    }
    // Wrong and slow requests are answered or dropped, and the next one is served.
    assert!(get(&address, "GET /nothing HTTP/1.1\r\n\r\n").0.starts_with("HTTP/1.1 404"));
    assert!(get(&address, "POST /metrics HTTP/1.1\r\n\r\n").0.starts_with("HTTP/1.1 405"));
    // A page that reaches this address by a name of its own (DNS rebinding) reads nothing.
    let (head, body) = get(&address, "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 403") && !body.contains("pagetide_"), "{head} {body}");
    assert!(get(&address, "nonsense\r\n\r\n").0.starts_with("HTTP/1.1 400"));
    let (head, body) = get(&address, "HEAD /metrics HTTP/1.1\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200") && body.is_empty());
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(8 << 10));
    let mut stream = TcpStream::connect(&address).unwrap();
    let _ = stream.write_all(long.as_bytes());
    drop(stream);
    let silent = TcpStream::connect(&address).unwrap();
    // The silent one would hold it for ever.
    assert!(get(&address, "GET /status HTTP/1.1\r\n\r\n").1.contains("\"samples\""));
    drop(silent);
    assert_eq!(service.stop().0, Some(0));
}

#[test]
fn prometheus_reads_control_groups_while_they_are_there() {
    let scratch = tempfile::tempdir().unwrap();
    let (root, folder) = (scratch.path().join("root"), scratch.path().join("rec"));
    tree(&root, 1, &["sda"]);
    fs::create_dir_all(root.join("proc/self")).unwrap();
    fs::write(root.join("proc/self/mounts"), "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n").unwrap();
    let group = root.join("sys/fs/cgroup/shop \"a\"");
    fs::create_dir_all(&group).unwrap();
    fs::write(root.join("sys/fs/cgroup/cgroup.controllers"), "memory io\n").unwrap();
    for (file, text) in
        [("cgroup.controllers", "memory io\n"), ("memory.current", "8192\n"), ("memory.stat", "anon 7\n")]
    {
        fs::write(group.join(file), text).unwrap();
    }
    let listen = ["--root", root.to_str().unwrap(), "--listen", "0", "--listen-names"];
    let service = Service::start(&folder, &listen);
    let address = service.first_line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let series = r#"pagetide_cgroup_current_bytes{cgroup="/sys/fs/cgroup/shop \"a\""} 8192"#;
    let (_, body) = get(&address, "GET /metrics HTTP/1.1\r\n\r\n");
    assert!(
        body.contains(series),
        "{}",
        body.lines().filter(|line| line.contains("cgroup")).collect::<Vec<_>>().join("\n")
    );
    fs::remove_dir_all(&group).unwrap();
    assert!(!get(&address, "GET /metrics HTTP/1.1\r\n\r\n").1.contains(series));
    // Names that differ in bytes that are no text are two groups.
    for last in [b'\xfe', b'\xff'] {
        let group = root.join("sys/fs/cgroup").join(std::ffi::OsStr::from_bytes(&[b'j', last]));
        fs::create_dir_all(&group).unwrap();
        fs::write(group.join("cgroup.controllers"), "memory io\n").unwrap();
        fs::write(group.join("memory.current"), "4096\n").unwrap();
    }
    let body = get(&address, "GET /metrics HTTP/1.1\r\n\r\n").1;
    let values = parse_metrics(&body);
    for name in [r"j\\xfe", r"j\\xff"] {
        assert_eq!(
            values.get(&format!(r#"pagetide_cgroup_current_bytes{{cgroup="/sys/fs/cgroup/{name}"}}"#)),
            Some(&4096.0)
        );
    }
    assert_eq!(service.stop().0, Some(0));

    // Everybody on this host can connect: names are for those who may read the recording.
    let service = Service::start(&folder, &["--root", root.to_str().unwrap(), "--listen", "0", "--group", "65534"]);
    let address = service.first_line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let body = get(&address, "GET /metrics HTTP/1.1\r\n\r\n").1;
    assert!(!body.contains("cgroup=") && parse_metrics(&body)["pagetide_cgroups"] >= 2.0, "{body}");
    let mut socket = UnixStream::connect(folder.join("recorder.sock")).unwrap();
    socket.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
    let mut body = String::new();
    socket.read_to_string(&mut body).unwrap();
    assert!(body.contains("cgroup="), "{body}");
    service.samples(2);
    let data = fs::metadata(folder.join("recorder.sock")).unwrap();
    assert_eq!((data.permissions().mode() & 0o777, data.gid()), (0o660, 65534));
    let log = fs::read_dir(folder.join("open")).unwrap().last().unwrap().unwrap().metadata().unwrap();
    assert_eq!((log.permissions().mode() & 0o777, log.gid()), (0o640, 65534));
    assert_eq!(service.stop().0, Some(0));
}

#[test]
fn other_hosts_have_access_only_on_request() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rec");
    let output = Command::new(BINARY)
        .args(["record", "--for", "1ms", "--listen", "0.0.0.0:0", "-o"])
        .arg(&folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--expose"));
    assert!(!folder.exists(), "nothing was begun");
}
