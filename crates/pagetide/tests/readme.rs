//! Every command of README.md is run as it stands there, in a folder that has what the commands before it made.

#[path = "support/terminal.rs"]
mod terminal;

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use terminal::Session;

/// How a command is tried.
#[derive(Clone, Copy)]
enum Trial {
    /// It ends by itself.
    Ends,
    /// It goes on until a signal, and has printed a line by then.
    Interrupted,
    /// It fills a terminal, which has this text, until `q` is pressed.
    Screen(&'static str),
    /// It takes minutes: this test program runs the scenario in a virtual machine.
    Elsewhere(&'static str),
}

use Trial::{Elsewhere, Ends, Interrupted, Screen};

/// The commands as they stand in README.md, and with what its placeholders stand for, in the order in which they are run.
const COMMANDS: &[(&str, &str, Trial)] = &[
    ("record -o rec", "record -o rec --for 2s", Ends),
    ("diagnose rec", "", Ends),
    ("top", "", Screen("live")),
    ("lab run swap-off --on vm --scale 1/16 --steps D2,D4", "", Elsewhere("vm_claims")),
    ("lab run second-read --on host,vm --scale 1/16", "", Elsewhere("vm_claims")),
    ("plan database-memory", "", Ends),
    ("reproduce rec", "reproduce fixtures/real/tar-mglru/recording --no-advice", Ends),
    ("doctor", "", Ends),
    ("mem", "", Ends),
    ("hold 2GiB", "hold 2MiB", Interrupted),
    ("record -o rec [-- CMD]", "record -o rec-2", Interrupted),
    ("show rec disk", "", Ends),
    ("top rec", "", Screen("rec")),
    ("serve [FOLDER…]", "serve rec", Interrupted),
    (
        "diagnose rec --compare 12:00..12:30 13:00..13:30",
        "diagnose fixtures/real/tar-mglru/recording --compare 06:04:50..06:05:10 06:05:25..06:05:50",
        Ends,
    ),
    ("explain replayed-sequence", "", Ends),
    ("cache /var/lib", "", Ends),
    ("evictions", "evictions --for 100ms", Ends),
    ("mrc", "mrc --for 100ms", Ends),
    ("cut REC -o FILE", "cut rec -o part.pagetide", Ends),
    ("import FILE…", "import fixtures/import/curious-case/sar-B.txt -o imported", Ends),
    ("fleet FOLDER…", "fleet rec --no-cache", Ends),
    ("lab list", "", Ends),
    ("lab show S", "lab show second-read", Ends),
    ("lab run S [--on host,vm]", "lab run second-read --on sim --scale 1/16 -o one", Ends),
    ("help PAGE", "help swap", Ends),
    ("lab compare RUN RUN…", "lab compare one one", Ends),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What follows `pagetide` in the blocks and tables of README.md, without comments, in order.
fn commands(readme: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in readme.lines() {
        if let Some(command) = line.strip_prefix("    pagetide ") {
            found.push(command.split(" #").next().unwrap().trim().to_owned());
        } else if line.starts_with("| `") {
            let cell = line.split(" | ").next().unwrap();
            // Every second part stands between backticks.
            found
                .extend(cell.split('`').skip(1).step_by(2).map(|text| text.trim_start_matches("pagetide ").to_owned()));
        }
    }
    found
}

#[test]
fn every_command_is_tried() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut left: Vec<String> = commands(&readme);
    left.sort();
    left.dedup();
    let mut tried: Vec<&str> = COMMANDS.iter().map(|(written, ..)| *written).collect();
    tried.sort_unstable();
    assert_eq!(left, tried);
}

#[test]
fn commands_do_what_the_page_says() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    symlink(root().join("fixtures").canonicalize().unwrap(), folder.path().join("fixtures")).unwrap();
    for (written, filled_in, trial) in COMMANDS {
        let line = if filled_in.is_empty() { written } else { filled_in };
        let mut command = Command::new(env!("CARGO_BIN_EXE_pagetide"));
        command.args(line.split(' ')).current_dir(folder.path()).stdin(Stdio::null());
        match trial {
            Ends => {
                let output = command.output().unwrap();
                let text = String::from_utf8_lossy(&output.stdout);
                let said = String::from_utf8_lossy(&output.stderr);
                // 1: doctor found something that is missing, the model shows another incident; 3: some hosts have no tracepoints.
                let may_fail = match line.split(' ').next() {
                    Some("doctor" | "reproduce") => Some(1),
                    Some("evictions" | "mrc") => Some(3),
                    _ => None,
                };
                let code = output.status.code();
                assert!(code == Some(0) || (code.is_some() && code == may_fail), "{line}: {code:?}\n{text}\n{said}");
                assert!(!text.is_empty() || !said.is_empty(), "{line} says nothing");
            }
            Interrupted => {
                let mut child = command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
                let (mut first, mut errors) = (String::new(), BufReader::new(child.stderr.take().unwrap()));
                // What goes on says what it does: the recorder to stderr, the others to stdout.
                if line.starts_with("record") {
                    errors.read_line(&mut first).unwrap();
                } else {
                    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
                }
                assert!(!first.trim().is_empty(), "{line} says nothing");
                // As a terminal does it: to all processes of the group.
                let group = rustix::process::Pid::from_child(&child);
                rustix::process::kill_process_group(group, rustix::process::Signal::INT).unwrap();
                let status = child.wait().unwrap();
                let mut left = String::new();
                errors.read_to_string(&mut left).unwrap();
                assert_eq!(status.code(), Some(0), "{line}: {first}{left}");
            }
            Screen(text) => {
                let mut session = Session::start(&mut command, (100, 30));
                session.shows(text);
                session.resize(80, 24);
                session.shows("? help");
                session.press("q");
                assert_eq!(session.end().code(), Some(0), "{line}");
            }
            Elsewhere(test) => {
                let source = std::fs::read_to_string(root().join(format!("crates/pagetide/tests/{test}.rs"))).unwrap();
                let scenario = line.split(' ').nth(2).unwrap();
                assert!(source.contains(&format!("\"{scenario}\"")), "{test} does not run {scenario}");
            }
        }
    }
}
