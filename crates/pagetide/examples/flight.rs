//! Records this host once a second, with as much of its processes as is asked for; `tools/bench-peers` measures it:
//! `cargo run --release --example flight -- host|top|all DIR SECONDS`.
#![allow(clippy::print_stderr, clippy::exit, reason = "an example is a program of its own")]

use pagetide_core::{Nanos, Refusal};
use pagetide_kernel::{Processes, Root, Watch};
use pagetide_recorder::{Options, Recorder};
use pagetide_store::Writer;
use std::path::Path;
use std::time::Duration;

fn record(watch: Watch, folder: &str, length: Duration) -> Result<(), Refusal> {
    let options = Options {
        interval: Nanos::new(1_000_000_000),
        watch,
        origin: "host".to_owned(),
        workload_cgroup: None,
        workload_disk: None,
    };
    let recorder = Recorder::start(Root::host(), options, Box::new(Writer::create(Path::new(folder))?))?;
    std::thread::sleep(length);
    let manifest = recorder.finish()?;
    eprintln!("{} samples, {} late, {} lost", manifest.samples, manifest.late_samples, manifest.lost_samples);
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, folder, seconds] = arguments.as_slice() else { usage() };
    let watch = match what.as_str() {
        "host" => Watch::default(),
        "top" => Watch::flight_recorder(&Root::host()).expect("the mounts can be read"),
        "all" => Watch { processes: Processes::All, ..Watch::default() },
        _ => usage(),
    };
    let Ok(seconds) = seconds.parse() else { usage() };
    if let Err(refusal) = record(watch, folder, Duration::from_secs(seconds)) {
        eprintln!("{refusal:?}");
        std::process::exit(3);
    }
}

fn usage() -> ! {
    eprintln!("usage: flight host|top|all DIR SECONDS");
    std::process::exit(2);
}
