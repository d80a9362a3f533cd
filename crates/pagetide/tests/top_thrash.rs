//! `pagetide top` on a pseudo-terminal in a guest whose memory does not suffice: keys are answered, sizes are taken, it quits and leaves
//! the terminal as it was. A recorder runs beside it, and `top` shows that recording while it grows and then replays it.
//!
//! `cargo test -p pagetide --test top_thrash -- --nocapture` prints how long each key took to show. It needs what `make test` installs.

#![allow(clippy::print_stdout, reason = "the times that it measures")]

#[path = "support/terminal.rs"]
mod terminal;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use terminal::Session;

/// Code and data are larger than memory and there is no swap: the kernel evicts code, also that of other programs, and reads it again.
/// The data alone fits, so that the OOM killer has nothing to do.
const SCENARIO: &str = r#"
id = "top-thrash"
title = "top on a machine that thrashes"
source = "tools/thrash.toml, shorter"
[machine]
cpus = 2
memory = "256MiB"
system = "0MiB"
swap = "none"
lru = "classic"
huge_pages = "madvise"
[[machine.disk]]
name = "raid"
size = "1GiB"
iops = 150
bandwidth = "120MB/s"
latency = "5ms"
read_ahead = "128KiB"
[[step]]
id = "quiet"
sleep = "5s"
[[step]]
id = "no_room"
drop_caches = true
map_and_walk = { code = "128MiB", data = "110MiB", fill = "random", chunk = "10MiB", iterations = 100000, time = "900s" }
[[step]]
id = "after"
sleep = "40s"
"#;
/// Keys and sizes that are tried while the guest thrashes. Then the program that makes it thrash is ended.
const DRIVEN: usize = 60;
/// How long that program runs at most, if the guest never thrashes.
const MAX_DRIVEN: Duration = Duration::from_secs(900);
/// Pages that were evicted and read again when the guest is said to thrash.
const THRASHES: u64 = 1000;

#[test]
fn top_is_driven_while_its_guest_thrashes() {
    let own = std::env::current_exe().unwrap();
    let scratch = tempfile::tempdir_in("/var/tmp").unwrap();
    let (scenario, out) = (scratch.path().join("thrash.toml"), scratch.path().join("run"));
    fs::write(&scenario, SCENARIO).unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_pagetide"))
        .args(["lab", "run"])
        .arg(&scenario)
        .args(["--on", "vm", "--interval", "1s", "--out"])
        .arg(&out)
        .args(["--alongside", "pagetide record -o pagetide --service", "--alongside"])
        .arg(format!("{} --exact in_the_guest --ignored --nocapture", own.display()))
        .output()
        .unwrap();
    let name = own.file_name().unwrap().to_string_lossy();
    let told = fs::read_to_string(out.join(format!("alongside/{name}.1.out"))).unwrap_or_default();
    println!("{told}");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(told.contains("quit after") && told.contains("test result: ok"), "{told}\n{said}");
    assert!(told.contains("while it thrashes: "), "keys were pressed then: {told}");
}

/// How long each key took to show, in ms: the median and the longest.
fn print_delays(when: &str, waits: &mut [Duration]) {
    waits.sort();
    if let (Some(middle), Some(longest)) = (waits.get(waits.len() / 2), waits.last()) {
        let (middle, longest) = (middle.as_millis(), longest.as_millis());
        println!("{when}: {} keys and sizes, shown after {middle} ms (median), {longest} ms (longest)", waits.len());
    }
}

/// Pages of files that this kernel evicted and read again.
fn refaulted() -> u64 {
    let vmstat = fs::read_to_string("/proc/vmstat").unwrap();
    let line = vmstat.lines().find_map(|line| line.strip_prefix("workingset_refault_file "));
    line.unwrap().parse().unwrap()
}

/// The program of the step that leaves no room.
fn no_room() -> Option<rustix::process::Pid> {
    let mut processes = fs::read_dir("/proc").unwrap().flatten();
    processes.find_map(|process| {
        let name = fs::read_to_string(process.path().join("comm")).ok()?;
        let pid = process.file_name().to_str()?.parse().ok()?;
        (name.trim() == "no_room").then_some(rustix::process::Pid::from_raw(pid)?)
    })
}

#[test]
#[ignore = "the test above runs it in its guest"]
fn in_the_guest() {
    // The guest's init has no need of pseudo-terminals.
    fs::create_dir_all("/dev/pts").unwrap();
    let flags = rustix::mount::MountFlags::NOSUID | rustix::mount::MountFlags::NOEXEC;
    rustix::mount::mount("devpts", "/dev/pts", "devpts", flags, None::<&std::ffi::CStr>).unwrap();
    // The first terminal that the leader of a session opens becomes its own, so that it learns of a new size.
    rustix::process::setsid().unwrap();
    // The leader of a session is sent SIGHUP when its terminal closes.
    signal_hook::flag::register(signal_hook::consts::SIGHUP, Arc::default()).unwrap();
    let began = Instant::now();
    // A recording that begins has a manifest and a sample.
    while !Path::new("pagetide/manifest.json").exists() {
        std::thread::sleep(Duration::from_millis(100));
    }
    let top = |arguments: &[&str]| Session::start(Command::new("pagetide").arg("top").args(arguments), (80, 24));
    let mut live = top(&["pagetide"]);
    println!("first screen after {} ms", live.shows("live").as_millis());
    let before = refaulted();
    let (mut quiet, mut thrashing) = (Vec::new(), Vec::new());
    let mut sizes = [(120, 40), (80, 24)].iter().cycle();
    while thrashing.len() < DRIVEN && began.elapsed() < MAX_DRIVEN {
        let waits = if refaulted() - before < THRASHES { &mut quiet } else { &mut thrashing };
        for (keys, text) in [("2", "2 GROUPS"), ("3", "3 DISKS"), (" ", "paused"), (" ", "live"), ("1", "1 PROCESSES")]
        {
            let at = Instant::now();
            live.press(keys);
            live.shows(text);
            waits.push(at.elapsed());
        }
        let (columns, rows) = sizes.next().unwrap();
        let at = Instant::now();
        live.resize(*columns, *rows);
        live.shows("? help");
        waits.push(at.elapsed());
    }
    rustix::process::kill_process(no_room().unwrap(), rustix::process::Signal::KILL).unwrap();
    println!("{}", live.text());
    print_delays("before it thrashes", &mut quiet);
    print_delays("while it thrashes", &mut thrashing);
    println!("{} pages of files were evicted and read again meanwhile", refaulted() - before);
    let at = Instant::now();
    live.press("\x1b[H");
    live.shows("paused");
    live.press("\x1b[C/");
    live.shows("begins here");
    println!("{}", live.text());
    println!("replayed to a finding after {} ms", at.elapsed().as_millis());
    let at = Instant::now();
    live.press("q");
    let status = live.end();
    println!("quit after {} ms: {status}, the terminal as it was", at.elapsed().as_millis());
    assert_eq!(status.code(), Some(0));
}
