//! What `pagetide top` costs beside htop and atop.
//!
//! Each program draws on a pseudo-terminal of 120 x 40, once a second, with 200 idle processes; its CPU time is the kernel's count
//! (schedstat) over all its threads. Nothing here is a limit. `tests/top_thrash.rs` measures keys while a guest thrashes.
//! `cargo bench -p pagetide --bench top`.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

#[allow(dead_code, reason = "nothing is pressed here")]
#[path = "../tests/support/terminal.rs"]
mod terminal;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use terminal::Session;

const PROGRAM: &str = env!("CARGO_BIN_EXE_pagetide");
const ROUNDS: usize = 3;
const IDLE: usize = 200;
/// From a program's start to the begin of its measurement.
const WARM: Duration = Duration::from_secs(5);
const WINDOW: Duration = Duration::from_secs(15);
/// A child that ends with this.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process(rustix::process::Pid::from_child(&self.0), rustix::process::Signal::TERM);
        let _ = self.0.wait();
    }
}

/// The run time of all threads of a process and of its children, in s.
fn run_time(pid: u32) -> f64 {
    let mut ns = 0.0;
    for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
        let read = |name: &str| fs::read_to_string(task.path().join(name)).unwrap_or_default();
        ns += read("schedstat").split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0);
        ns += read("children").split_whitespace().filter_map(|pid| pid.parse().ok()).map(run_time).sum::<f64>() * 1e9;
    }
    ns / 1e9
}

/// CPU time per second of a program on a terminal, and its peak memory in MiB.
fn cost(command: &mut Command) -> f64 {
    let session = Session::start(command, (120, 40));
    std::thread::sleep(WARM);
    let (began, before) = (Instant::now(), run_time(session.child.id()));
    std::thread::sleep(WINDOW);
    (run_time(session.child.id()) - before) / began.elapsed().as_secs_f64()
}

fn peers(folder: &Path) {
    let quiet = |name: &str| {
        let mut command = Command::new(name);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let _idle: Vec<Ends> = (0..IDLE).map(|_| Ends(quiet("sleep").arg("86400").spawn().expect("sleep"))).collect();
    let recording = folder.join("rec");
    let _recorder = Ends(quiet(PROGRAM).args(["record", "--service", "-o"]).arg(&recording).spawn().expect("record"));
    let on_terminal = |words: &[&str]| {
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait"]).args(words);
        command
    };
    let shown = recording.display().to_string();
    let programs: [(&str, &[&str]); 4] = [
        ("pagetide top, samples of its own", &[PROGRAM, "top", "--sample"]),
        ("pagetide top, the recording of a service", &[PROGRAM, "top", &shown]),
        ("htop -d 10", &["htop", "-d", "10"]),
        ("atop 1", &["atop", "1"]),
    ];
    let mut costs = programs.map(|_| Vec::new());
    for _ in 0..ROUNDS {
        for ((_, words), costs) in programs.iter().zip(&mut costs) {
            costs.push(cost(&mut on_terminal(words)) * 1e3);
        }
    }
    let median = |costs: &mut Vec<f64>| {
        costs.sort_by(f64::total_cmp);
        (costs[costs.len() / 2], costs[0], costs[costs.len() - 1])
    };
    let costs = costs.map(|mut costs| median(&mut costs));
    let atop = costs[3].0;
    for ((name, _), (middle, least, most)) in programs.iter().zip(costs) {
        println!(
            "{name:<42} {middle:>6.1} ms of CPU a second ({least:.1} to {most:.1}), {:.2} of atop's",
            middle / atop
        );
    }
}

fn main() {
    let scratch = tempfile::tempdir_in("/var/tmp").expect("a scratch folder");
    peers(scratch.path());
}
