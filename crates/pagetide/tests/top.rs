//! `pagetide top` on a pseudo-terminal: it draws, replays, resizes, and leaves the terminal as it was.

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// `pagetide top` on a terminal of its own.
struct Session {
    child: Child,
    terminal: File,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
}

impl Session {
    fn start(arguments: &[&str], (columns, rows): (u16, u16)) -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        let path = Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
        let end = File::options().read(true).write(true).open(path).unwrap();
        tcsetwinsize(&controller, size(columns, rows)).unwrap();
        let stdio = || Stdio::from(end.try_clone().unwrap());
        // The kernel tells only the session that has the terminal that its size changed.
        let child = Command::new("setsid")
            .args(["--ctty", "--wait", env!("CARGO_BIN_EXE_pagetide"), "top"])
            .args(arguments)
            .env("TERM", "xterm-256color")
            .stdin(stdio())
            .stdout(stdio())
            .stderr(stdio())
            .spawn()
            .unwrap();
        let terminal = File::from(controller);
        let mut reader = terminal.try_clone().unwrap();
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The kernel gives an error once the last program has closed its end.
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let _ = send.send(buffer[..count].to_vec());
            }
        });
        Self { child, terminal, output, screen: vt100::Parser::new(rows, columns, 0) }
    }

    fn take(&mut self, wait: Duration) {
        if let Ok(bytes) = self.output.recv_timeout(wait) {
            self.screen.process(&bytes);
        }
    }

    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits until the screen has a text.
    fn shows(&mut self, text: &str) {
        let begun = Instant::now();
        while !self.text().contains(text) {
            assert!(begun.elapsed() < PATIENCE, "no `{text}` on\n{}", self.text());
            self.take(Duration::from_millis(100));
        }
    }

    fn press(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.screen.screen_mut().set_size(rows, columns);
        tcsetwinsize(&self.terminal, size(columns, rows)).unwrap();
    }

    /// Waits until it has ended, and checks that the terminal is as it was.
    fn end(mut self) -> ExitStatus {
        let begun = Instant::now();
        let status = loop {
            self.take(Duration::from_millis(50));
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end:\n{}", self.text());
        };
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(200)) {
            self.screen.process(&bytes);
        }
        assert!(!self.screen.screen().alternate_screen(), "the screen of before is back");
        assert!(!self.screen.screen().hide_cursor(), "the cursor shows");
        status
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const fn size(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

fn incident() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus/stream-floods-cache-1")
}

#[test]
fn a_recording_is_replayed_resized_and_left() {
    let mut top = Session::start(&[incident().to_str().unwrap(), "--utc"], (80, 24));
    top.shows("sample 2 of");
    top.shows("mysqld[");
    top.press("\x1b[C");
    top.shows("sample 3 of");
    top.shows("stream-floods-cache");
    top.press("/");
    top.shows("begins here");
    top.shows("* cause: stream-floods-cache");
    top.press("2");
    top.shows("2 GROUPS");
    top.resize(120, 40);
    top.shows("Enter fold");
    top.press("5");
    top.shows("strong evidence");
    top.resize(30, 10);
    top.shows("too small");
    top.resize(80, 24);
    top.press("?");
    top.shows("any key closes this");
    top.press("xq");
    assert_eq!(top.end().code(), Some(0));
}

#[test]
fn this_host_is_shown_live_until_a_signal() {
    let mut top = Session::start(&["--sample", "--interval", "200ms"], (80, 24));
    top.shows("live");
    top.shows("by rss");
    top.press(" ");
    top.shows("samples back");
    top.press(" ");
    top.shows("live");
    // `setsid --wait` has one child: the program.
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", top.child.id())).unwrap();
    let program = children.split_whitespace().next().map(|pid| pid.parse().unwrap());
    kill_process(Pid::from_raw(program.unwrap_or(top.child.id().cast_signed())).unwrap(), Signal::TERM).unwrap();
    assert_eq!(top.end().code(), Some(0));
}

#[test]
fn without_a_terminal_or_a_recording_it_says_what_to_do() {
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_pagetide")).arg("top").args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, text) = run(&["nowhere"]);
    assert!(code == Some(2) && text.contains("top needs a terminal") && text.contains("hint:"), "{text}");
    let (code, text) = run(&["--json"]);
    assert!(code == Some(2) && text.contains("has no JSON"), "{text}");
    let missing = Session::start(&["nowhere"], (80, 24));
    assert_eq!(missing.end().code(), Some(2));
}
