//! A recorder without any right, traced by the helper that has them. Where this process may not trace, the test says so and ends.
#![expect(clippy::print_stderr, reason = "says which tests could not run here")]

#[path = "support/cold_file.rs"]
mod support;

use pagetide_core::{Mark, MarkKind, Selection, Source};
use pagetide_store::Reader;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept, bind, listen, socket_with};
use serde_json::Value;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use support::cold_file;

/// `nobody`, a user without rights.
const NOBODY: u32 = 65_534;

/// A folder in which `nobody` can work, with the program that is tested: the checkout may be closed to others.
struct Place {
    folder: tempfile::TempDir,
    pagetide: PathBuf,
}

impl Place {
    fn new() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            eprintln!("skipped: needs root");
            return None;
        }
        let folder = tempfile::Builder::new().prefix("pagetide-helper-").tempdir_in("/var/tmp").unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        let pagetide = folder.path().join("pagetide");
        // Not by this process: a child of another test would hold the file open for writing, and it could not be run.
        let copied = Command::new("cp").arg(assert_cmd::cargo::cargo_bin("pagetide")).arg(&pagetide).status().unwrap();
        assert!(copied.success());
        let may = Command::new(&pagetide).args(["evictions", "--for", "100ms"]).output().unwrap().status.success();
        if !may {
            eprintln!("skipped: this process may not trace");
        }
        may.then_some(Self { folder, pagetide })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A socket as systemd makes it.
    fn socket(&self) -> OwnedFd {
        let path = self.path("socket");
        let socket = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        bind(&socket, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        listen(&socket, 4).unwrap();
        chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        socket
    }

    /// Starts the helper for the next connection, as systemd does for `Accept=yes`.
    fn helper(&self, socket: &OwnedFd) -> Child {
        let connection = accept(socket).unwrap();
        Command::new(&self.pagetide).arg("trace-helper").stdin(Stdio::from(connection)).spawn().unwrap()
    }

    /// A recorder that is `nobody` and has no capability.
    fn recorder(&self, words: &[&str]) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all"]);
        command.arg(&self.pagetide).args(["record", "--interval", "100ms", "-o"]).arg(self.path("rec"));
        command.arg("--trace=1/1").arg("--trace-socket").arg(self.path("socket")).args(words);
        command
    }
}

#[test]
fn a_recorder_without_rights_traces_by_the_helper() {
    let Some(place) = Place::new() else { return };
    let socket = place.socket();
    cold_file(&place.path("cold"), 8);
    // Read into the cache, and dropped from it.
    let script = format!(
        "cat {0} > /dev/null; dd if={0} iflag=nocache count=0 2> /dev/null; sleep 0.5",
        place.path("cold").display()
    );
    let recorder = place.recorder(&["--", "sh", "-c", &script]).stderr(Stdio::piped()).spawn().unwrap();
    let mut helper = place.helper(&socket);
    let recorded = recorder.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert!(recorded.status.success(), "{said}");
    assert!(helper.wait().unwrap().success(), "the helper ends when the recorder has ended");

    let output = Command::new(&place.pagetide).args(["evictions", "--json"]).arg(place.path("rec")).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["coverage"]["complete"], true, "{json:#}");
    assert!(json["removed_bytes"].as_u64().unwrap() >= 8 << 20, "{json:#}");
}

#[test]
fn a_killed_recorder_takes_its_helper_along() {
    let Some(place) = Place::new() else { return };
    let socket = place.socket();
    let mut recorder =
        place.recorder(&["--", "sh", "-c", "echo started; exec sleep 600"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut helper = place.helper(&socket);
    // The command runs: the recorder is recording by then.
    let mut started = [0; 8];
    std::io::Read::read_exact(recorder.stdout.as_mut().unwrap(), &mut started).unwrap();
    let command = fs::read_to_string(format!("/proc/{0}/task/{0}/children", recorder.id())).unwrap_or_default();
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    assert!(helper.wait().unwrap().success(), "the helper ends when the recorder is killed");
    for pid in command.split_whitespace().filter_map(|pid| rustix::process::Pid::from_raw(pid.parse().ok()?)) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

/// Why the recording of a place has no trace, as its manifest says.
fn reason(place: &Place) -> String {
    let manifest: Value = serde_json::from_slice(&fs::read(place.path("rec/manifest.json")).unwrap()).unwrap();
    manifest["unreadable"].to_string()
}

#[test]
fn without_a_helper_it_records_without_a_trace_and_says_how_to_start_it() {
    let Some(place) = Place::new() else { return };
    let output = place.recorder(&["--", "true"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let why = reason(&place);
    assert!(
        why.contains("the trace helper at") && why.contains("systemctl enable --now pagetide-trace.socket"),
        "{why}"
    );
}

#[test]
fn a_helper_without_rights_says_so_to_its_recorder() {
    let Some(place) = Place::new() else { return };
    let socket = place.socket();
    let recorder = place.recorder(&["--", "sleep", "3"]).stderr(Stdio::piped()).spawn().unwrap();
    let connection = accept(&socket).unwrap();
    let mut helper = Command::new("setpriv");
    helper.args(["--bounding-set=-all", "--inh-caps=-all"]).arg(&place.pagetide).arg("trace-helper");
    assert_eq!(helper.stdin(Stdio::from(connection)).stderr(Stdio::null()).status().unwrap().code(), Some(3));
    let output = recorder.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    // What is refused first depends on whether tracefs is mounted.
    let refused = ["the trace helper: cannot open tracefs", "the trace helper: perf_event_open(2) refused"];
    let why = reason(&place);
    assert!(refused.iter().any(|what| why.contains(what)) && why.contains("run as root"), "{why}");
}

#[test]
fn the_helper_is_not_for_terminals() {
    let output = Command::new(assert_cmd::cargo::cargo_bin("pagetide"))
        .arg("trace-helper")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not a SOCK_SEQPACKET socket"));
}

#[test]
fn a_helper_that_is_gone_is_noted_and_the_next_one_goes_on() {
    let Some(place) = Place::new() else { return };
    let socket = place.socket();
    cold_file(&place.path("cold"), 8);
    // Read into the cache and dropped from it: with the first helper, and with the second.
    let script = format!(
        "again() {{ cat {0} > /dev/null; dd if={0} iflag=nocache count=0 2> /dev/null; sleep 0.5; echo done; read go; }}; again; again",
        place.path("cold").display()
    );
    let mut recorder = place.recorder(&["--", "sh", "-c", &script]);
    let mut recorder = recorder.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut go, mut said) = (recorder.stdin.take().unwrap(), recorder.stdout.take().unwrap());
    let mut done = || std::io::Read::read_exact(&mut said, &mut [0; 5]).unwrap();
    let mut first = place.helper(&socket);
    done();
    first.kill().unwrap();
    first.wait().unwrap();
    // The recorder asks again 30 intervals after it asked first.
    let mut second = place.helper(&socket);
    let attached = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let has_notes = |words: &str| notes(&place).iter().any(|note| note.contains(words));
    while !has_notes("trace: on: the helper answers") {
        assert!(std::time::Instant::now() < attached, "{:?}", notes(&place));
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    std::io::Write::write_all(&mut go, b"\n").unwrap();
    done();
    std::io::Write::write_all(&mut go, b"\n").unwrap();
    let recorded = recorder.wait_with_output().unwrap();
    assert!(recorded.status.success(), "{}", String::from_utf8_lossy(&recorded.stderr));
    assert!(second.wait().unwrap().success(), "the helper ends when the recorder has ended");
    assert!(has_notes("trace: off: the trace helper ended"), "{:?}", notes(&place));
    let output = Command::new(&place.pagetide).args(["evictions", "--json"]).arg(place.path("rec")).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json["removed_bytes"].as_u64().unwrap() >= 16 << 20, "what both traced is there: {json:#}");
}

/// What the recorder noted so far.
fn notes(place: &Place) -> Vec<String> {
    let Ok(reader) = Reader::open(&place.path("rec")) else { return Vec::new() };
    let marks = reader.load(&Selection::default()).map(|recording| recording.marks).unwrap_or_default();
    let text = |mark: Mark| if let MarkKind::Note { text } = mark.kind { Some(text) } else { None };
    marks.into_iter().filter_map(text).collect()
}
