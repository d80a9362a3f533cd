//! What one full sample of the host costs, beside the floor: plain `pread` of the same files without looking at them.
//!
//! `cargo bench -p pagetide-kernel`. CPU time of the thread, allocations counted; several repetitions in turn, so that both
//! sides see the same machine. Ratios within one run mean something, microseconds only on this machine.
#![allow(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

#[path = "../tests/support/counting.rs"]
mod counting;

use pagetide_core::{Sample, Schema};
use pagetide_kernel::{Processes, Root, Sampler, Top, Watch};
use rustix::time::{ClockId, clock_gettime};
use std::fs::File;
use std::os::unix::fs::FileExt;

const FILES: [&str; 10] = [
    "/proc/meminfo",
    "/proc/vmstat",
    "/proc/zoneinfo",
    "/proc/buddyinfo",
    "/proc/diskstats",
    "/proc/stat",
    "/proc/loadavg",
    "/proc/pressure/cpu",
    "/proc/pressure/io",
    "/proc/pressure/memory",
];

const ROUNDS: usize = 9;

/// Samples of a round; `SAMPLES=20` where thousands of processes make one take long.
fn samples() -> u32 {
    std::env::var("SAMPLES").ok().and_then(|text| text.parse().ok()).filter(|samples| *samples > 0).unwrap_or(200)
}

fn cpu_us() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

/// CPU time of one call in microseconds, and allocations per call.
fn measure(mut work: impl FnMut()) -> (f64, f64) {
    let samples = samples();
    let (cpu, allocations) = (cpu_us(), counting::allocations());
    for _ in 0..samples {
        work();
    }
    let allocated = counting::allocations() - allocations;
    ((cpu_us() - cpu) / f64::from(samples), allocated as f64 / f64::from(samples))
}

/// Reads files to their ends.
fn floor(files: &[File]) -> impl FnMut() {
    let mut buffer = vec![0u8; 1 << 20];
    move || {
        for file in files {
            let mut at = 0;
            while let Ok(read @ 1..) = file.read_at(&mut buffer[at..], at as u64) {
                at += read;
            }
        }
    }
}

fn sampler(watch: Watch) -> impl FnMut() {
    let mut sampler = Sampler::new(&Root::host(), watch).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    let mut work = move || sampler.sample(&mut schema, &mut sample).unwrap();
    (0..5).for_each(|_| work());
    work
}

/// Groups in a hierarchy, its root among them.
fn groups_below(folder: &std::path::Path) -> usize {
    let below = std::fs::read_dir(folder).into_iter().flatten().flatten();
    1 + below.filter(|entry| entry.path().is_dir()).map(|entry| groups_below(&entry.path())).sum::<usize>()
}

/// Smallest, middle and largest.
fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [values[0], values[values.len() / 2], values[values.len() - 1]]
}

fn main() {
    let files: Vec<File> = FILES.iter().filter_map(|path| File::open(path).ok()).collect();
    let processes = Root::host().pids().map_or(0, |pids| pids.len());
    let mut plain = floor(&files);
    let of = |processes| Watch { processes, ..Watch::default() };
    let mut host = sampler(of(Processes::KernelThreads));
    let mut top = sampler(of(Processes::Top(Top::default())));
    let mut every = sampler(of(Processes::All));
    let recorder = Watch::flight_recorder(&Root::host()).unwrap();
    let groups = recorder.cgroups.iter().filter_map(|tree| tree.parent()).map(groups_below).sum::<usize>();
    let mut recorder = sampler(recorder);
    let mut results = [const { Vec::new() }; 5];
    for _ in 0..ROUNDS {
        results[0].push(measure(&mut plain));
        results[1].push(measure(&mut host));
        results[2].push(measure(&mut top));
        results[3].push(measure(&mut every));
        results[4].push(measure(&mut recorder));
    }
    let names = [
        "pread of the host's files, not parsed",
        "sample of the host",
        "sample with the processes at the top",
        "sample with every process",
        "sample by default: top and groups",
    ];
    println!(
        "one sample: thread CPU in us, {ROUNDS} rounds of {}; {} files, {processes} processes, {groups} groups",
        samples(),
        files.len()
    );
    println!("{:<40} {:>8} {:>8} {:>8} {:>8} {:>12}", "", "min", "median", "max", "x floor", "allocations");
    let lowest = spread(results[0].iter().map(|(cpu, _)| *cpu).collect())[1];
    for (name, rounds) in names.iter().zip(&results) {
        let [min, median, max] = spread(rounds.iter().map(|(cpu, _)| *cpu).collect());
        let allocations = spread(rounds.iter().map(|(_, allocations)| *allocations).collect())[1];
        println!("{name:<40} {min:>8.1} {median:>8.1} {max:>8.1} {:>8.2} {allocations:>12.2}", median / lowest);
    }
}
