//! What `pagetide top` costs beside htop and atop, and how long it lets a key wait while its host thrashes.
//!
//! Each program draws on a pseudo-terminal of 120 x 40, once a second, with 200 idle processes; its CPU time is the kernel's count
//! (schedstat) over all its threads. Then a guest thrashes (tools/thrash.toml): `pagetide record --service` records it, `pagetide top`
//! shows that recording, and keys are pressed and the terminal resized until its end. Nothing here is a limit.
//! `cargo bench -p pagetide --bench top`; without QEMU the guest is left out.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

#[path = "../tests/support/terminal.rs"]
mod terminal;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use terminal::Session;

const PROGRAM: &str = env!("CARGO_BIN_EXE_pagetide");
const ROUNDS: usize = 3;
const IDLE: usize = 200;
/// From a program's start to the begin of its measurement.
const WARM: Duration = Duration::from_secs(5);
const WINDOW: Duration = Duration::from_secs(15);
/// The word by which this program drives `pagetide top` in the guest.
const DRIVE: &str = "--drive";
/// What the steps of tools/thrash.toml take together, less what the guest needs at its end.
const DRIVEN: Duration = Duration::from_secs(165);
/// How long the machine of tools/thrash.toml does nothing.
const QUIET: Duration = Duration::from_secs(15);

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

/// In the guest: presses keys and resizes until the end, and writes how long each took to show.
fn drive(words: &[String]) {
    // The guest's init has no need of pseudo-terminals.
    fs::create_dir_all("/dev/pts").expect("the guest's own /dev");
    let flags = rustix::mount::MountFlags::NOSUID | rustix::mount::MountFlags::NOEXEC;
    let _ = rustix::mount::mount("devpts", "/dev/pts", "devpts", flags, None::<&std::ffi::CStr>);
    // The first terminal that the leader of a session opens becomes its own, so that it learns of a new size.
    rustix::process::setsid().expect("a child is no leader");
    let (program, arguments) = words.split_first().expect("a program");
    let began = Instant::now();
    // A recording that begins has a manifest and a sample.
    while !Path::new("pagetide/manifest.json").exists() {
        std::thread::sleep(Duration::from_millis(100));
    }
    let mut top = Session::start(Command::new(program).args(arguments), (80, 24));
    let first = top.shows("live");
    let (mut quiet, mut thrashing) = (Vec::new(), Vec::new());
    let mut sizes = [(120, 40), (80, 24)].iter().cycle();
    while began.elapsed() < DRIVEN {
        let mut waits = Vec::new();
        for (keys, text) in
            [("2", "2 GROUPS"), ("3", "3 DISKS"), ("\x1b[D", "paused"), (" ", "live"), ("1", "1 PROCESSES")]
        {
            let at = Instant::now();
            top.press(keys);
            top.shows(text);
            waits.push(at.elapsed());
        }
        let (columns, rows) = sizes.next().expect("a cycle");
        let at = Instant::now();
        top.resize(*columns, *rows);
        top.shows("? help");
        waits.push(at.elapsed());
        if began.elapsed() < QUIET { &mut quiet } else { &mut thrashing }.append(&mut waits);
        std::thread::sleep(Duration::from_millis(500));
    }
    let at = Instant::now();
    top.press("q");
    let status = top.end();
    let tell = |waits: &mut Vec<Duration>| {
        waits.sort();
        let at = |share: usize| waits.get((waits.len() * share / 100).min(waits.len().saturating_sub(1)));
        let ms = |wait: Option<&Duration>| wait.map_or_else(|| "-".to_owned(), |wait| wait.as_millis().to_string());
        format!(
            "{} keys and sizes, shown after {} ms (median), {} ms (99 %), {} ms (longest)",
            waits.len(),
            ms(at(50)),
            ms(at(99)),
            ms(waits.last())
        )
    };
    println!("first screen after {} ms", first.as_millis());
    println!("quiet: {}", tell(&mut quiet));
    println!("thrashing: {}", tell(&mut thrashing));
    println!("quit after {} ms: {status}, the terminal as it was", at.elapsed().as_millis());
}

fn guest(folder: &Path) {
    let own = std::env::current_exe().expect("a program has a path");
    let out = folder.join("run");
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/thrash.toml");
    let run = Command::new(PROGRAM)
        .args(["lab", "run", scenario, "--on", "vm", "--interval", "1s", "--out"])
        .arg(&out)
        .args(["--alongside", "pagetide record -o pagetide --service", "--alongside"])
        .arg(format!("{} {DRIVE} pagetide top pagetide", own.display()))
        .output()
        .expect("it starts");
    let name = own.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match fs::read_to_string(out.join(format!("alongside/{name}.1.out"))) {
        Ok(text) => text.lines().for_each(|line| println!("in a guest that thrashes: {line}")),
        Err(_) => println!("the guest was left out: {}", String::from_utf8_lossy(&run.stderr).trim()),
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == DRIVE) {
        drive(&words[1..]);
        return ExitCode::SUCCESS;
    }
    let scratch = tempfile::tempdir_in("/var/tmp").expect("a scratch folder");
    peers(scratch.path());
    guest(scratch.path());
    ExitCode::SUCCESS
}
