//! `pagetide diagnose` over a day at one sample a second of a host with 200 processes: how long it takes and how much memory.
//!
//! The day is made up: every metric of the host, its zones, four disks and 200 processes moves at random (a fixed seed). Of the
//! processes those have rows that the flight recorder would give them: 30 at a time, for ten minutes each. From 12:00 to 12:30 one of them
//! reads a fast disk from end to end; the bench says whether that was found. `pagetide fleet` over copies of that day: host-days a second and
//! core, read anew and from the rows that were kept. `cargo bench -p pagetide --bench diagnose_day`

#![allow(clippy::print_stdout)]

#[path = "support/made_up.rs"]
mod made_up;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

const RUNS: usize = 5;
/// Copies of the day that `pagetide fleet` reads.
const HOSTS: usize = 4;

/// The fastest of some runs of `pagetide COMMAND FOLDER WORD…` in ms, the most memory in MiB, and what was printed last.
fn measured(command: &str, words: &[&str], folder: &Path) -> (f64, f64, String) {
    let (mut best, mut most, mut said) = (f64::INFINITY, 0.0f64, String::new());
    for _ in 0..RUNS {
        let began = Instant::now();
        // The shell's child is measured by the kernel: ru_maxrss of the children that ended, in KiB.
        let script = "import resource,subprocess,sys; r=subprocess.run(sys.argv[1:],stdout=subprocess.PIPE); \
                      sys.stderr.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)); sys.stdout.buffer.write(r.stdout)";
        let output = Command::new("python3")
            .args(["-c", script, env!("CARGO_BIN_EXE_pagetide"), command])
            .arg(folder)
            .args(words)
            .env("PAGETIDE_CACHE", folder.with_file_name("cache"))
            .output()
            .expect("python3 runs");
        let took = began.elapsed().as_secs_f64() * 1e3;
        best = best.min(took);
        // Behind what the command itself printed there.
        let stderr = String::from_utf8_lossy(&output.stderr);
        let resident = stderr.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|kib| kib.parse::<f64>().ok());
        most = most.max(resident.expect("the resident memory in KiB") / 1024.0);
        said = String::from_utf8_lossy(&output.stdout).into_owned();
    }
    (best, most, said)
}

fn main() {
    let scratch = tempfile::tempdir_in("/var/tmp").expect("a scratch folder");
    let folder = scratch.path().join("rec");
    made_up::recording(&folder, 1);
    let (nothing, ..) = measured("diagnose", &["--help"], &folder);
    for words in [&["--json"][..], &[]] {
        let (took, memory, said) = measured("diagnose", words, &folder);
        let found = said.contains("stream-floods-cache") && said.contains("nvme0n1");
        println!(
            "pagetide diagnose DAY {:<7} {:>6.0} ms, {memory:.0} MiB at most, the stream was {}",
            words.join(" "),
            took - nothing,
            if found { "found" } else { "not found" }
        );
    }
    fleet(&folder, nothing);
}

/// `pagetide fleet` over some copies of the day.
fn fleet(day: &Path, nothing: f64) {
    let scratch = tempfile::tempdir_in("/var/tmp").expect("a scratch folder");
    let hosts = scratch.path().join("hosts");
    std::fs::create_dir(&hosts).expect("a new folder");
    for number in 0..HOSTS {
        let copied = Command::new("cp").arg("-r").arg(day).arg(hosts.join(number.to_string())).status();
        assert!(copied.expect("cp runs").success());
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(HOSTS);
    let print = |what: &str, took: f64, memory: f64| {
        let rate = HOSTS as f64 / (took - nothing).max(1.0) * 1e3;
        println!("pagetide fleet, {HOSTS} host-days, {what}: {rate:.2} a second, {memory:.0} MiB at most");
    };
    let (took, memory, _) = measured("fleet", &["--no-cache", "--csv"], &hosts);
    print(&format!("read anew on {cores} cores"), took, memory);
    // The first run keeps the rows, and the fastest one reads them.
    let (took, memory, _) = measured("fleet", &["--csv"], &hosts);
    print("from the rows that were kept", took, memory);
}
