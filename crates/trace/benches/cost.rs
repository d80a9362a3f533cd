//! What a trace costs those who are traced: `cargo bench -p pagetide-trace --bench cost`. Needs root.
//!
//! With and without a trace take turns in one run, so that a busy machine disturbs both alike. Times per call are the 5 % quantile over
//! batches; rates are medians over rounds.

use pagetide_trace::{File, Method, Options, Range, Sampling, Session, Tracer};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const FILE_BYTES: u64 = 256 << 20;
const PAGE: u64 = 4096;
const ROUNDS: usize = 24;

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() {
    let filters = Options { shift: 6, method: Method::Filters };
    if let Err(error) = Tracer::attach(filters) {
        println!("skipped: {error}");
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("file");
    let mut file = fs::File::create(&path).unwrap();
    (0..FILE_BYTES >> 20).for_each(|_| file.write_all(&[7; 1 << 20]).unwrap());
    file.sync_all().unwrap();
    let file = fs::File::open(&path).unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Random).unwrap();
    println!("{:34} {:>10} {:>10} {:>8} {:>12}", "", "untraced", "traced", "ratio", "reader's CPU");
    let by_bpf = Options { method: Method::Auto, ..filters };
    // The first row compares nothing with nothing: that is the noise of this machine.
    for (name, traced) in [
        ("noise", Traced::Nothing),
        ("attached and off", Traced::Off(by_bpf)),
        ("1/64 by BPF", Traced::On(by_bpf)),
        ("1/64 by filters", Traced::On(filters)),
    ] {
        let warm = compare(traced, || warm_read_ns(&file));
        println!(
            "{:34} {:>7.0} ns {:>7.0} ns {:>8.3} {:>10.2} %   +{:.0} ns a rejected event",
            format!("warm read of 4 KiB, {name}"),
            warm.untraced,
            warm.traced,
            warm.traced / warm.untraced,
            warm.reader_cpu * 100.0,
            warm.traced - warm.untraced
        );
        for rate in [500_000.0, 1_000_000.0] {
            let share = (warm.traced - warm.untraced) * rate / 1e9;
            println!("{:34} {:.1} % of one CPU at {rate} warm reads a second", "", share * 100.0);
        }
        let cold = compare(traced, || cold_reads_per_second(&file));
        println!(
            "{:34} {:>8.0}/s {:>8.0}/s {:>8.3} {:>10.2} %",
            format!("random cold reads, {name}"),
            cold.untraced,
            cold.traced,
            cold.traced / cold.untraced,
            cold.reader_cpu * 100.0
        );
    }
}

/// What runs in the traced half of a round.
#[derive(Clone, Copy)]
enum Traced {
    Nothing,
    Off(Options),
    On(Options),
}

/// Medians with and without a trace, and the share of one CPU that the trace's reader takes.
struct Compared {
    untraced: f64,
    traced: f64,
    reader_cpu: f64,
}

fn compare(traced_by: Traced, mut measure: impl FnMut() -> f64) -> Compared {
    let (mut untraced, mut traced, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        // Which comes first alternates: the second finds what the first left behind.
        let first = round % 2 == 0;
        if first {
            untraced.push(measure());
        }
        let stop = AtomicBool::new(false);
        let session = match traced_by {
            Traced::Nothing => None,
            Traced::Off(options) => Some(Session::of(Tracer::attach(options).unwrap())),
            Traced::On(options) => Some(Session::start(options).unwrap()),
        };
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| drain(session, &stop));
            traced.push(measure());
            stop.store(true, Ordering::Relaxed);
            cpu.push(reader.join().unwrap());
        });
        if !first {
            untraced.push(measure());
        }
    }
    Compared { untraced: median(untraced), traced: median(traced), reader_cpu: median(cpu) }
}

/// Drains and analyses until `stop`; gives the share of a CPU that it took.
fn drain(mut session: Option<Session>, stop: &AtomicBool) -> f64 {
    let Some(session) = session.as_mut().filter(|session| session.is_on()) else {
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(100));
        }
        return 0.0;
    };
    let clock = || Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime)).unwrap();
    let (began, cpu) = (Instant::now(), clock());
    while !stop.load(Ordering::Relaxed) {
        session.step().unwrap();
    }
    assert_eq!(session.summary().coverage.lost_records, 0, "records were lost");
    (clock() - cpu).as_secs_f64() / began.elapsed().as_secs_f64()
}

/// One read of a cached page that is not in the sample, in nanoseconds: the 5 % quantile over batches.
fn warm_read_ns(file: &fs::File) -> f64 {
    let ino = file.metadata().unwrap().ino();
    let page = (0..64).find(|page| {
        let range = Range { file: File { dev: 0, ino }, first: *page, last: *page };
        Sampling::by_hash(6).pages(&range).next().is_none()
    });
    let offset = page.unwrap() * PAGE;
    let mut buffer = [0; 4096];
    let mut batches: Vec<f64> = (0..1000)
        .map(|_| {
            let began = Instant::now();
            (0..200).for_each(|_| file.read_exact_at(&mut buffer, offset).unwrap());
            began.elapsed().as_nanos() as f64 / 200.0
        })
        .collect();
    batches.sort_by(f64::total_cmp);
    batches[batches.len() / 20]
}

/// Reads of pages in random order that are not in the cache, per second.
fn cold_reads_per_second(file: &fs::File) -> f64 {
    const READS: u32 = 5_000;
    rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut buffer = [0; 4096];
    let began = Instant::now();
    for _ in 0..READS {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        file.read_exact_at(&mut buffer, state % (FILE_BYTES / PAGE) * PAGE).unwrap();
    }
    f64::from(READS) / began.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
