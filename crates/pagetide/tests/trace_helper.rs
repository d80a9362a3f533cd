//! A recorder without any right, traced by the helper that has them. Where this process may not trace, the test says so and ends.
#![expect(clippy::print_stderr, reason = "says which tests could not run here")]

#[path = "support/cold_file.rs"]
mod support;

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

#[test]
fn without_a_helper_one_line_says_how_to_start_it() {
    let Some(place) = Place::new() else { return };
    let output = place.recorder(&["--", "true"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(
        text.contains("the trace helper at") && text.contains("systemctl enable --now pagetide-trace.socket"),
        "{text}"
    );
}

#[test]
fn a_helper_without_rights_says_so_to_its_recorder() {
    let Some(place) = Place::new() else { return };
    let socket = place.socket();
    let recorder = place.recorder(&["--", "true"]).stderr(Stdio::piped()).spawn().unwrap();
    let connection = accept(&socket).unwrap();
    let mut helper = Command::new("setpriv");
    helper.args(["--bounding-set=-all", "--inh-caps=-all"]).arg(&place.pagetide).arg("trace-helper");
    assert_eq!(helper.stdin(Stdio::from(connection)).stderr(Stdio::null()).status().unwrap().code(), Some(3));
    let output = recorder.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{text}");
    // What is refused first depends on whether tracefs is mounted.
    let refused = ["the trace helper: cannot open tracefs", "the trace helper: perf_event_open(2) refused"];
    assert!(refused.iter().any(|what| text.contains(what)) && text.contains("hint: run as root"), "{text}");
}

#[test]
fn the_helper_is_not_for_terminals() {
    let output = Command::new(assert_cmd::cargo::cargo_bin("pagetide"))
        .arg("trace-helper")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no SOCK_SEQPACKET socket"));
}
