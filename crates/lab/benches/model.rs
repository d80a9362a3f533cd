//! What a run on the model costs: experiments of the catalogue at full size, and a host of 250 GiB with files of 100 GB.
//!
//! `cargo bench -p pagetide-lab --bench model`. CPU time of one core; the ratio is to the virtual time that the run stands for, so that
//! it compares on a busy machine. Memory is what the process took more at its peak, for each GiB of the machine.
#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

use pagetide_core::{Figure, RunRequest, Scale, Scenario, StepResult};
use pagetide_lab::catalogue;
use pagetide_lab::sim::{Model, ModelOptions};

/// Streams of a file and random reads of another, on a host of 250 GiB.
const LARGE_HOST: &str = r#"
id = "large-host"
title = "a stream of 100 GB and random reads of 100 GB on a host of 250 GiB"
source = "a benchmark"
[machine]
cpus = 16
memory = "250GiB"
system = "20GiB"
[[machine.disk]]
name = "data"
size = "400GiB"
bandwidth = "2GB/s"
latency = "100us"
[[step]]
id = "stream"
stream = { from = "file:a", size = "100GB" }
[[step]]
id = "random"
fio = { rw = "randread", bs = "8k", size = "100GiB", ioengine = "sync", runtime = "60s", norandommap = true }
[[step]]
id = "copy"
dd = { from = "zero", to = "file:b", size = "100GB" }
"#;

/// CPU seconds of this process, and its peak of memory in bytes.
fn used() -> (f64, u64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(") ").next().unwrap_or_default();
    let ticks: u64 = after.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().split(' ').next()?.parse::<u64>().ok());
    (ticks as f64 / 100.0, peak.unwrap_or_default() << 10)
}

fn measure(name: &str, aim: &str, scenario: Scenario) {
    let memory = scenario.machine.memory.as_f64() / f64::from(1u32 << 30);
    // Begins the peak anew (proc(5), clear_refs).
    let reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = used();
    let request = RunRequest { scenario, scale: Scale::FULL, seed: 7 };
    let steps: Vec<StepResult> = match Model::new(ModelOptions::default()).steps(&request) {
        Ok(steps) => steps,
        Err(error) => return println!("{name:>28}  {}", error.what),
    };
    let after = used();
    let sum = |figure: Figure| steps.iter().filter_map(|step| step.get(figure)).sum::<f64>();
    let (cpu, virtual_time) = (after.0 - before.0, sum(Figure::Elapsed) / 1e9);
    let pages = sum(Figure::Processed) / 4096.0 / 1e6;
    println!(
        "{name:>28} {cpu:>9.2} {aim:>9} {virtual_time:>10.0} {:>8.0} {pages:>9.1} {:>10.1} {:>12}",
        virtual_time / cpu.max(0.01),
        pages / cpu.max(0.01),
        if reset { format!("{:.1}", (after.1.saturating_sub(before.1)) as f64 / memory / 1e6) } else { "-".to_owned() },
    );
}

fn main() {
    println!(
        "{:>28} {:>9} {:>9} {:>10} {:>8} {:>9} {:>10} {:>12}",
        "", "CPU s", "aim", "virtual s", "ratio", "M pages", "M pages/s", "MB per GiB"
    );
    // Experiments A (both) and D of the talk have aims, and a large host.
    let experiments =
        [("buffered-read", "0.4"), ("buffered-write", "0.4"), ("swap-off", "1.5"), ("backup-evicts-neighbour", "-")];
    for (id, aim) in experiments {
        match catalogue::find(id, &[]) {
            Ok(found) => measure(id, aim, found.scenario),
            Err(error) => println!("{id}: {error}"),
        }
    }
    match Scenario::parse(LARGE_HOST, "large-host.toml") {
        Ok(scenario) => measure("250 GiB, files of 100 GB", "10", scenario),
        Err(error) => println!("{error}"),
    }
}
