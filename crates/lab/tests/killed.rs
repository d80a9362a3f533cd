//! Kills a run with SIGKILL at random moments, and looks whether the next command's recovery leaves the host as it was.
//! Needs root and fio. This program is its own victim: called with a folder, it runs a scenario there. `PAGETIDE_KILLS` says how often,
//! `PAGETIDE_SEED` at which moments; the seed is printed.

#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "support/run.rs"]
mod run;

use pagetide_lab::host::Host;
use pagetide_lab::undo::recover_in;
use run::{Quiet, alone, folder, groups, options, scenario, settings};
use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

const STEPS: &str = r#"
[[step]]
id = "hold"
hold = { size = "32MiB" }
[[step]]
id = "read"
fio = { rw = "randread", bs = "4k", size = "16MiB" }
[[step]]
id = "write"
fio = { rw = "randwrite", bs = "4k", size = "16MiB" }
"#;

/// How often the run is killed: in each of as many parts of its time once, at a random moment.
const KILLS: u64 = 16;

fn main() {
    match std::env::args().nth(1).filter(|argument| argument.starts_with('/')) {
        Some(folder) => victim(Path::new(&folder)),
        None => kill_at_many_moments(),
    }
}

fn victim(folder: &Path) {
    let result = run::run(&mut Host::new(options(folder)), &scenario(STEPS), &mut Quiet::default()).0;
    let result = result.unwrap_or_else(|error| panic!("{error} (root and fio are needed)"));
    assert_eq!(result.steps.len(), 3);
}

fn start(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap()).arg(folder).spawn().unwrap()
}

/// Processes whose command line or control group speaks of this run.
fn left_over(folder: &Path, pid: u32) -> Vec<String> {
    let folder = folder.to_string_lossy().into_owned();
    let group = format!("pagetide-{pid}\n");
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    all.filter(|path| {
        let read = |file: &str| String::from_utf8_lossy(&fs::read(path.join(file)).unwrap_or_default()).into_owned();
        read("cmdline").contains(&folder) || read("cgroup").contains(&group)
    })
    .map(|path| path.display().to_string())
    .collect()
}

fn swap() -> String {
    fs::read_to_string("/proc/swaps").unwrap_or_default()
}

/// Puts the host back also when the test fails, as the next command would have: the journal goes with the test's folder.
struct Recovered<'a>(&'a Path);

impl Drop for Recovered<'_> {
    fn drop(&mut self) {
        let _ = recover_in(self.0);
    }
}

fn kill_at_many_moments() {
    let _alone = alone();
    let folder = folder();
    let _last = Recovered(folder.path());
    let before = (settings(), swap());

    let began = Instant::now();
    assert!(start(folder.path()).wait().unwrap().success(), "the run does not work even when it is not killed");
    let whole = began.elapsed();
    assert_eq!((settings(), swap()), before);

    let setting = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let kills = setting("PAGETIDE_KILLS").unwrap_or(KILLS);
    let seed =
        setting("PAGETIDE_SEED").unwrap_or_else(|| std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs()));
    println!("kills at moments of seed {seed}");
    let mut restored = 0;
    for at in 0..kills {
        eprintln!("progress: lab {at}/{kills}");
        // FNV-1a of the seed and the number: a moment within this part of the run.
        let hashed =
            seed.to_le_bytes().into_iter().chain(at.to_le_bytes()).fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
            });
        let within = (hashed >> 33) as f64 / f64::from(1u32 << 31);
        let moment = whole.mul_f64((at as f64 + within) / kills as f64);
        let mut child = start(folder.path());
        let pid = child.id();
        std::thread::sleep(moment);
        child.kill().unwrap();
        child.wait().unwrap();
        let lines = recover_in(folder.path()).unwrap();
        restored += u64::from(!lines.is_empty());
        assert!(lines.left.is_empty(), "{lines:?}");
        assert_eq!((settings(), swap()), before, "seed {seed}: killed after {moment:?} of {whole:?}: {lines:?}");
        assert_eq!(groups(pid), Vec::<std::path::PathBuf>::new());
        // Whoever dies with the lab needs a moment to do so.
        let end = Instant::now() + Duration::from_secs(60);
        while !left_over(folder.path(), pid).is_empty() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(left_over(folder.path(), pid), Vec::<String>::new());
        let names = fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name());
        let left: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with("pagetide-")).collect();
        assert!(left.is_empty(), "{left:?}");
        assert!(recover_in(folder.path()).unwrap().is_empty(), "a second recovery has nothing to do");
    }
    assert!(restored > kills / 3, "only {restored} of {kills} kills left something to put back: too early or too late");
    eprintln!("torture: {kills} kills at moments of seed {seed}, {restored} left something to put back");
}
