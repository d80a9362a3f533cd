//! What a sample costs: CPU of all the recorder's threads, beside the kernel's own part of it.
//!
//! The floor reads the same files at the same pace, from kept descriptors into one buffer, and does nothing with them.
//! The files are those that the recorder holds open while it runs. Rounds of both take turns; the medians and the
//! smallest and largest round are printed.
#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use pagetide_core::{Error, Manifest, Nanos, NullSink, Sample, Schema};
use pagetide_kernel::taskstats::Taskstats;
use pagetide_kernel::{Processes, Root, Watch};
use pagetide_recorder::{Options, Probe, Protection, Recorder};
use rustix::time::{ClockId, clock_gettime};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_millis(10);
const SAMPLES: u32 = 100;
const ROUNDS: usize = 7;

/// The kernel's files that this process has open.
fn open_files() -> Vec<PathBuf> {
    let links = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let mut files: Vec<_> = links
        .filter_map(|link| fs::read_link(link.path()).ok())
        .filter(|path| (path.starts_with("/proc") || path.starts_with("/sys")) && path.is_file())
        .collect();
    files.sort();
    files.dedup();
    files
}

/// CPU microseconds of a recording that runs this long, the samples it took, and the files that it read.
fn record(processes: Processes, time: Duration) -> Result<(f64, u64, Vec<PathBuf>), Error> {
    let options = Options {
        interval: Nanos::new(u64::try_from(INTERVAL.as_nanos()).unwrap_or(u64::MAX)),
        watch: Watch { processes, ..Watch::default() },
        ..Options::default()
    };
    let recorder = Recorder::start(Root::host(), options, Box::new(NullSink))?;
    std::thread::sleep(time);
    let files = open_files();
    let manifest = recorder.finish()?;
    Ok((manifest.recorder_cpu.as_f64() / 1e3, manifest.samples, files))
}

/// CPU microseconds for one reading of `files`.
fn floor(files: &[PathBuf]) -> f64 {
    let files: Vec<File> = files.iter().filter_map(|path| File::open(path).ok()).collect();
    let mut buffer = vec![0; 256 << 10];
    let mut next = Instant::now();
    let before = thread_cpu();
    for _ in 0..SAMPLES {
        for file in &files {
            let mut at = 0;
            while let Ok(read @ 1..) = file.read_at(&mut buffer, at) {
                at += read as u64;
            }
        }
        next += INTERVAL;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    (thread_cpu() - before) / f64::from(SAMPLES)
}

/// CPU time of this thread in microseconds.
fn thread_cpu() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

/// Median, smallest and largest.
fn spread(mut rounds: Vec<f64>) -> (f64, f64, f64) {
    rounds.sort_by(f64::total_cmp);
    (rounds[rounds.len() / 2], rounds[0], rounds[rounds.len() - 1])
}

fn compare(what: &str, processes: &Processes) -> Result<(), Error> {
    let (mut starts, mut recorded, mut floors) = (Vec::new(), Vec::new(), Vec::new());
    let mut files = Vec::new();
    for _ in 0..ROUNDS {
        // What starting and ending costs, once, is not part of a sample.
        let (start, first, _) = record(processes.clone(), Duration::ZERO)?;
        let (cpu, samples, read) = record(processes.clone(), INTERVAL * SAMPLES)?;
        starts.push(start);
        recorded.push((cpu - start) / (samples - first) as f64);
        floors.push(floor(&read));
        files = read;
    }
    let ((recorder, low, high), (floor, floor_low, floor_high)) = (spread(recorded), spread(floors));
    println!(
        "{what}: recorder {recorder:.0} us CPU per sample ({low:.0} to {high:.0}), kernel floor {floor:.0} us \
         ({floor_low:.0} to {floor_high:.0}) for {} files: ratio {:.2}; start and end {:.0} us once",
        files.len(),
        recorder / floor,
        spread(starts).0
    );
    Ok(())
}

/// Sees nothing: what is left is the recorder's own part, mostly the switches between its threads.
struct Blind;

impl Probe for Blind {
    fn sample(&mut self, _: &mut Schema, _: &mut Sample) -> Result<(), Error> {
        Ok(())
    }
    fn renew(&mut self) -> Result<(), Error> {
        Ok(())
    }
    fn watch_pid(&mut self, _: u32) {}
    fn watch_cgroup(&mut self, _: &Path) {}
}

/// What the recorder costs without reading anything.
fn bare() -> Result<(), Error> {
    let interval = Nanos::new(u64::try_from(INTERVAL.as_nanos()).unwrap_or(u64::MAX));
    let run = |time| {
        let manifest = Manifest { interval, ..Manifest::default() };
        let recorder = Recorder::with_probe(|| Ok(Blind), manifest, Protection::default(), Box::new(NullSink))?;
        std::thread::sleep(time);
        let manifest = recorder.finish()?;
        Ok((manifest.recorder_cpu.as_f64() / 1e3, manifest.samples))
    };
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let (start, first) = run(Duration::ZERO)?;
        let (cpu, samples) = run(INTERVAL * SAMPLES)?;
        rounds.push((cpu - start) / (samples - first) as f64);
    }
    let (cost, low, high) = spread(rounds);
    println!("reading nothing: recorder {cost:.0} us CPU per sample ({low:.0} to {high:.0})");
    Ok(())
}

/// What asking about one process costs, when the kernel accounts delays.
fn delays() {
    let mut taskstats = match Taskstats::open(&Root::host()) {
        Ok(taskstats) => taskstats,
        Err(why) => return println!("taskstats: not measured: {why}"),
    };
    let names = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids: Vec<u32> = names.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    let round = |_| {
        let before = thread_cpu();
        let answers = pids.iter().filter(|pid| matches!(taskstats.read(**pid), Ok(Some(_)))).count();
        (thread_cpu() - before) / answers as f64
    };
    let (cost, low, high) = spread((0..ROUNDS * 10).map(round).collect());
    println!("taskstats: {cost:.2} us CPU per process ({low:.2} to {high:.2}), {} processes", pids.len());
}

fn main() -> Result<(), Error> {
    println!("{SAMPLES} samples every {} ms, {ROUNDS} rounds of each in turns", INTERVAL.as_millis());
    bare()?;
    compare("host and kernel threads", &Processes::KernelThreads)?;
    compare("with every process", &Processes::All)?;
    delays();
    Ok(())
}
