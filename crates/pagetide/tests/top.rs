//! `pagetide top` on a pseudo-terminal: it draws, replays, resizes, and leaves the terminal as it was.

#[path = "support/terminal.rs"]
mod terminal;

use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::Command;
use terminal::Session;

/// `pagetide top` on a terminal of its own.
fn top(arguments: &[&str], size: (u16, u16)) -> Session {
    let program = env!("CARGO_BIN_EXE_pagetide");
    Session::start(Command::new("setsid").args(["--ctty", "--wait", program, "top"]).args(arguments), size)
}

fn incident() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus/stream-floods-cache-1")
}

#[test]
fn a_recording_is_replayed_resized_and_left() {
    let mut top = top(&[incident().to_str().unwrap(), "--utc"], (80, 24));
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
    // A click on `5 findings` (xterm's coordinates begin with 1).
    let line = top.text().lines().position(|line| line.contains("5 findings")).unwrap() + 1;
    let column = top.text().lines().find_map(|line| line.find("5 findings")).unwrap() + 1;
    top.press(&format!("\x1b[<0;{column};{line}M\x1b[<0;{column};{line}m"));
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
    let mut top = top(&["--sample", "--interval", "200ms"], (80, 24));
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
    let missing = top(&["nowhere"], (80, 24));
    assert_eq!(missing.end().code(), Some(2));
}
