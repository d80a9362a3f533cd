//! What a sample of the flight recorder costs with and without the iterator over tasks, and the iterator alone, in one run.
//!
//! `cargo bench -p pagetide-trace --bench tasks`, as root. CPU time of the thread; `SAMPLES=20` where a sample takes long.
#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

use pagetide_core::{Sample, Schema};
use pagetide_kernel::{ProcessRuns, Root, Sampler, TaskRun, TaskRuns, Watch};
use pagetide_trace::TaskIterator;
use rustix::time::{ClockId, clock_gettime};

const ROUNDS: usize = 9;

#[derive(Debug)]
struct Iterated(TaskIterator);

impl TaskRuns for Iterated {
    fn read(&mut self, tasks: &mut Vec<TaskRun>) {
        tasks.clear();
        tasks.extend(self.0.read().unwrap_or_default().iter().map(|row| TaskRun {
            tid: row.tid,
            pid: row.pid,
            start_ns: row.start_ns,
            runs: ProcessRuns { exec_ns: row.exec_ns, wait_ns: row.wait_ns, runs: row.runs },
            uninterruptible: row.is_uninterruptible(),
        }));
    }
}

fn cpu_us() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

/// A sampler of all that the recorder takes by default, past its first samples.
fn sampler(source: Option<Box<dyn TaskRuns>>) -> impl FnMut() {
    let root = Root::host();
    let mut sampler = Sampler::new(&root, Watch::flight_recorder(&root).unwrap()).unwrap();
    if let Some(source) = source {
        sampler.set_task_runs(source);
    }
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    let mut work = move || drop(sampler.sample(&mut schema, &mut sample));
    (0..5).for_each(|_| work());
    work
}

/// What is measured; each in a process of its own, which has all the files that it may open to itself.
const MODES: [&str; 3] =
    ["sample by default, /proc alone", "sample by default, with the iterator", "the iterator alone"];

/// Measures one of [`MODES`] and prints the smallest, the middle and the largest of its rounds.
fn measure(mode: &str) {
    let samples: u32 = std::env::var("SAMPLES").ok().and_then(|text| text.parse().ok()).unwrap_or(50);
    let open = || TaskIterator::open().unwrap();
    let mut work: Box<dyn FnMut()> = match MODES.iter().position(|known| *known == mode) {
        Some(0) => Box::new(sampler(None)),
        Some(1) => Box::new(sampler(Some(Box::new(Iterated(open()))))),
        _ => {
            let mut alone = open();
            Box::new(move || drop(alone.read()))
        }
    };
    let mut rounds = [(); ROUNDS].map(|()| {
        let began = cpu_us();
        (0..samples).for_each(|_| work());
        (cpu_us() - began) / f64::from(samples)
    });
    rounds.sort_by(f64::total_cmp);
    println!("{mode:<40} {:>10.1} {:>10.1} {:>10.1}", rounds[0], rounds[ROUNDS / 2], rounds[ROUNDS - 1]);
}

fn main() {
    if let Ok(mode) = std::env::var("MODE") {
        return measure(&mode);
    }
    let tasks = TaskIterator::open().unwrap().read().unwrap().len();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("one sample: thread CPU in us, {ROUNDS} rounds, twice in turn; {tasks} tasks, load {}", load.trim());
    println!("{:<40} {:>10} {:>10} {:>10}", "", "min", "median", "max");
    for mode in MODES.iter().chain(&MODES) {
        let own = std::env::current_exe().unwrap();
        assert!(std::process::Command::new(own).env("MODE", mode).status().unwrap().success());
    }
}
