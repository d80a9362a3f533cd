//! What a trace costs those who are traced: `cargo bench -p pagetide-trace --bench cost`. Needs root.
//!
//! Halves with and without a trace take turns in one run, so that a busy machine disturbs both alike. Each trace is attached once and
//! switched on for its halves: attaching takes a CPU for a while, and the scheduler lets the process wait for that afterwards. Times are
//! the 5 % quantile over batches, rates the median over rounds. A ratio is the median of the rounds' ratios with its 95 % interval.

#[path = "support/file.rs"]
mod file;

use file::make_file;
use pagetide_trace::{File, Method, Options, Range, Sampling, Session, Tracer};
use rustix::time::{ClockId, clock_gettime};
use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const FILE_BYTES: u64 = 256 << 20;
const PAGE: u64 = 4096;
const PAGES: u64 = FILE_BYTES / PAGE;
/// Cold reads of one half.
const READS: u64 = 4000;
const ROUNDS: usize = 40;
/// How long the machine has to finish what switching began.
const SETTLE: Duration = Duration::from_millis(20);

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() {
    let filters = Options { shift: 6, method: Method::Filters };
    if let Err(error) = Tracer::attach(filters) {
        println!("skipped: {error}");
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("file");
    make_file(&path, FILE_BYTES);
    let file = fs::File::open(&path).unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Random).unwrap();
    let cpus = std::thread::available_parallelism().unwrap();
    println!("{cpus} CPUs, load average {}", fs::read_to_string("/proc/loadavg").unwrap().trim());
    println!("{:38} {:>10} {:>10}   ratio (95 % interval)", "", "untraced", "traced");
    let by_bpf = Options { method: Method::Auto, ..filters };
    // The first row compares nothing with nothing: that is the noise of this machine.
    for (name, traced) in [
        ("noise", Traced::Nothing),
        ("attached and off", Traced::Off(by_bpf)),
        ("1/64 by BPF", Traced::On(by_bpf)),
        ("1/64 by filters", Traced::On(filters)),
    ] {
        let warm = compare(traced, || warm_read(&file));
        let [untraced, traced_ns] = warm.medians(|half| half.cpu_ns);
        let more = traced_ns - untraced;
        println!(
            "{:38} {untraced:>7.0} ns {traced_ns:>7.0} ns   {}, {more:.0} ns an event: {:.1} % of a CPU at 500 000/s, {:.1} % at 1 000 000/s",
            format!("warm read of 4 KiB, {name}"),
            warm.ratio(|half| half.cpu_ns),
            more * 500_000.0 / 1e7,
            more * 1_000_000.0 / 1e7,
        );
        let mut start = 0;
        let cold = compare(traced, || {
            start += READS;
            cold_reads(&file, start)
        });
        let [untraced, traced_rate] = cold.medians(|half| half.per_second);
        println!(
            "{:38} {untraced:>8.0}/s {traced_rate:>8.0}/s   {}, {:.2} events and {:.3} records a read, reader {:.2} % of a CPU",
            format!("random cold reads, {name}"),
            cold.ratio(|half| half.per_second),
            cold.hits as f64 / (ROUNDS as f64 * READS as f64),
            cold.records as f64 / (ROUNDS as f64 * READS as f64),
            cold.reader_cpu * 100.0
        );
        let row = |name, time: fn(&Half) -> f64| {
            let [untraced, traced_ns] = cold.medians(time);
            println!("{name:38} {untraced:>7.0} ns {traced_ns:>7.0} ns   {}", cold.ratio(time));
        };
        row("  one of them, undisturbed", |half| half.fastest_ns);
        row("  CPU time of one", |half| half.cpu_ns);
    }
}

/// What runs in the traced half of a round.
#[derive(Clone, Copy)]
enum Traced {
    Nothing,
    Off(Options),
    On(Options),
}

/// What one half of a round measured.
struct Half {
    per_second: f64,
    /// Time of one read in the batches that nothing disturbed.
    fastest_ns: f64,
    /// CPU time of one read.
    cpu_ns: f64,
}

/// All rounds: the untraced half of each, then the traced one.
struct Compared {
    rounds: Vec<[Half; 2]>,
    /// Hits of tracepoints in the traced halves, and records that were passed on.
    hits: u64,
    records: u64,
    /// The share of one CPU that the trace's reader takes.
    reader_cpu: f64,
}

impl Compared {
    fn medians(&self, value: fn(&Half) -> f64) -> [f64; 2] {
        [0, 1].map(|half| quantile(self.rounds.iter().map(|round| value(&round[half])).collect(), 0.5))
    }

    /// Traced by untraced: the median over the rounds with its 95 % interval (by the ranks of the sign test).
    fn ratio(&self, value: fn(&Half) -> f64) -> String {
        let ratios = || self.rounds.iter().map(|[untraced, traced]| value(traced) / value(untraced)).collect();
        let aside = 0.98 / (self.rounds.len() as f64).sqrt();
        let [low, middle, high] = [0.5 - aside, 0.5, 0.5 + aside].map(|part| quantile(ratios(), part));
        format!("{middle:.3} ({low:.3} to {high:.3})")
    }
}

fn compare(traced_by: Traced, mut measure: impl FnMut() -> Half) -> Compared {
    let mut session = match traced_by {
        Traced::Nothing => None,
        Traced::Off(options) | Traced::On(options) => Some(Session::of(Tracer::attach(options).unwrap())),
    };
    let on = matches!(traced_by, Traced::On(_));
    let mut compared = Compared { rounds: Vec::new(), hits: 0, records: 0, reader_cpu: 0.0 };
    let mut cpu = Vec::new();
    for round in 0..ROUNDS {
        let mut traced_half = |measure: &mut dyn FnMut() -> Half| {
            let Some(session) = session.as_mut().filter(|_| on) else {
                std::thread::sleep(SETTLE);
                return measure();
            };
            session.resume().unwrap();
            std::thread::sleep(SETTLE);
            let stop = AtomicBool::new(false);
            let before = session.events();
            let half = std::thread::scope(|scope| {
                let reader = scope.spawn(|| drain(session, &stop));
                let half = measure();
                stop.store(true, Ordering::Relaxed);
                cpu.push(reader.join().unwrap());
                half
            });
            let after = session.events();
            compared.records += after.0 - before.0;
            compared.hits += after.1 - before.1;
            session.pause().unwrap();
            half
        };
        // Which comes first alternates: the second finds what the first left behind.
        let halves = if round % 2 == 0 {
            let traced = traced_half(&mut measure);
            std::thread::sleep(SETTLE);
            [measure(), traced]
        } else {
            std::thread::sleep(SETTLE);
            let untraced = measure();
            [untraced, traced_half(&mut measure)]
        };
        compared.rounds.push(halves);
    }
    compared.reader_cpu = if cpu.is_empty() { 0.0 } else { quantile(cpu, 0.5) };
    compared
}

fn thread_cpu() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap()
}

/// Drains and analyses until `stop`; gives the share of a CPU that it took.
fn drain(session: &mut Session, stop: &AtomicBool) -> f64 {
    let (began, cpu) = (Instant::now(), thread_cpu());
    while !stop.load(Ordering::Relaxed) {
        session.step().unwrap();
    }
    assert_eq!(session.summary().coverage.lost_records, 0, "records were lost");
    (thread_cpu() - cpu).as_secs_f64() / began.elapsed().as_secs_f64()
}

/// Reads of a cached page that is not in the sample: the 5 % quantile over batches.
fn warm_read(file: &fs::File) -> Half {
    let ino = file.metadata().unwrap().ino();
    let page = (0..64).find(|page| {
        let range = Range { file: File { dev: 0, ino }, first: *page, last: *page };
        Sampling::by_hash(6).pages(&range).next().is_none()
    });
    let offset = page.unwrap() * PAGE;
    let mut buffer = [0; 4096];
    let batches: Vec<f64> = (0..1000)
        .map(|_| {
            let began = Instant::now();
            (0..200).for_each(|_| file.read_exact_at(&mut buffer, offset).unwrap());
            began.elapsed().as_nanos() as f64 / 200.0
        })
        .collect();
    let fastest_ns = quantile(batches, 0.05);
    Half { per_second: 1e9 / fastest_ns, fastest_ns, cpu_ns: fastest_ns }
}

/// Reads of pages in an order without pattern that are not in the cache, each once.
fn cold_reads(file: &fs::File, start: u64) -> Half {
    const BATCH: u64 = 40;
    rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    let mut buffer = [0; 4096];
    let (began, cpu) = (Instant::now(), thread_cpu());
    let batches = (0..READS / BATCH).map(|batch| {
        let first = start + batch * BATCH;
        let began = Instant::now();
        for number in first..first + BATCH {
            // An odd factor visits each of a power of two of pages before it repeats one.
            let page = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % PAGES;
            file.read_exact_at(&mut buffer, page * PAGE).unwrap();
        }
        began.elapsed().as_nanos() as f64 / BATCH as f64
    });
    let batches = batches.collect();
    let (elapsed, cpu) = (began.elapsed(), thread_cpu() - cpu);
    Half {
        per_second: READS as f64 / elapsed.as_secs_f64(),
        fastest_ns: quantile(batches, 0.05),
        cpu_ns: cpu.as_nanos() as f64 / READS as f64,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the list")]
fn quantile(mut values: Vec<f64>, part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * part).round() as usize]
}
