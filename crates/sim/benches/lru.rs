//! Accesses a second of the model's lists, beside an exact LRU in dense arrays and libCacheSim's: uniform reads of 1 Mi pages with room for
//! half.
//!
//! `cargo bench -p pagetide-sim`; `make bench-model` installs libCacheSim for it. The rounds take turns, so that all sides see the same
//! machine; the ratios within one run mean something.
#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use pagetide_core::{Bytes, Lru, Nanos};
use pagetide_sim::disk::{Disk, Limits};
use pagetide_sim::{FileSpec, MachineSpec, QueueSpec, Rng, Sim};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// The Python that has libCacheSim; without it that column is empty.
const LIBCACHESIM_PYTHON: &str = "PAGETIDE_LIBCACHESIM_PYTHON";

const PAGES: u32 = 1 << 20;
const CACHED: u32 = 1 << 19;
const ACCESSES: usize = 10_000_000;
const ROUNDS: usize = 4;

/// Exact LRU: doubly linked in dense arrays.
struct Exact {
    next: Vec<u32>,
    previous: Vec<u32>,
    cached: Vec<bool>,
    count: u32,
}

impl Exact {
    fn new() -> Self {
        // The last place is the head of the ring.
        let end = PAGES as usize;
        let mut exact = Self { next: vec![0; end + 1], previous: vec![0; end + 1], cached: vec![false; end], count: 0 };
        exact.next[end] = PAGES;
        exact.previous[end] = PAGES;
        exact
    }

    fn unlink(&mut self, page: u32) {
        let (next, previous) = (self.next[page as usize], self.previous[page as usize]);
        self.next[previous as usize] = next;
        self.previous[next as usize] = previous;
    }

    fn push(&mut self, page: u32) {
        let first = self.next[PAGES as usize];
        self.next[page as usize] = first;
        self.previous[page as usize] = PAGES;
        self.previous[first as usize] = page;
        self.next[PAGES as usize] = page;
    }

    /// Misses of a trace.
    fn replay(&mut self, trace: &[u32]) -> u64 {
        let mut misses = 0;
        for page in trace {
            if self.cached[*page as usize] {
                self.unlink(*page);
            } else {
                misses += 1;
                self.cached[*page as usize] = true;
                if self.count == CACHED {
                    let victim = self.previous[PAGES as usize];
                    self.unlink(victim);
                    self.cached[victim as usize] = false;
                } else {
                    self.count += 1;
                }
            }
            self.push(*page);
        }
        misses
    }
}

/// libCacheSim's LRU in a process of its own: a line on its stdin is a round, of which it prints the rate.
struct LibCacheSim {
    python: Child,
    trace: PathBuf,
}

impl LibCacheSim {
    fn new(trace: &[u32]) -> Option<Self> {
        let python = std::env::var_os(LIBCACHESIM_PYTHON)?;
        // Its binary trace (oracleGeneral): time, object, size, next access.
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("lru-{}.bin", std::process::id()));
        let mut bytes = Vec::with_capacity(trace.len() * 24);
        for page in trace {
            bytes.extend(0u32.to_le_bytes());
            // Object 0 is none.
            bytes.extend(u64::from(page + 1).to_le_bytes());
            bytes.extend(1u32.to_le_bytes());
            bytes.extend((-1i64).to_le_bytes());
        }
        std::fs::write(&file, bytes).unwrap();
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/lru.py");
        let python = Command::new(python)
            .arg(program)
            .arg(&file)
            .arg(CACHED.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Some(Self { python, trace: file })
    }

    /// M accesses a second of a round.
    fn round(&mut self) -> f64 {
        self.python.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        let mut line = String::new();
        BufReader::new(self.python.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        line.trim().parse().unwrap_or_else(|_| panic!("libCacheSim on {}: {line}", self.trace.display()))
    }
}

impl Drop for LibCacheSim {
    fn drop(&mut self) {
        drop(self.python.stdin.take());
        let _ = self.python.wait();
        let _ = std::fs::remove_file(&self.trace);
    }
}

fn model(lru: Lru) -> (Sim, pagetide_sim::FileId) {
    let mut spec = MachineSpec::new(1, Bytes::new((u64::from(CACHED) + 8_000) * 4096));
    spec.lru = lru;
    let mut sim = Sim::new(spec).unwrap();
    let size = Bytes::new(u64::from(PAGES) * 4096);
    let (device, _) = Disk::new(Limits::new(Nanos::new(1), None, None, Nanos::ZERO));
    let disk = sim.add_device(Box::new(device), QueueSpec::new("vda", size));
    let file = FileSpec { device: disk, offset: 0, size, allocated: true, block_device: false };
    let file = sim.host_mut().create_file(&file).unwrap();
    (sim, file)
}

fn main() {
    let mut rng = Rng::new(1);
    let trace: Vec<u32> = (0..ACCESSES).map(|_| u32::try_from(rng.below(u64::from(PAGES))).unwrap()).collect();
    let mut exact = Exact::new();
    let (mut classic, classic_file) = model(Lru::Classic);
    let (mut generations, generations_file) = model(Lru::Mglru);
    let rate = |began: Instant| ACCESSES as f64 / began.elapsed().as_secs_f64() / 1e6;
    let mut other = LibCacheSim::new(&trace);
    println!("M accesses/s of one core. Aims: 30 classic on an idle core, half of exact LRU.");
    println!("{:>10} {:>10} {:>10} {:>12} {:>15}", "exact", "classic", "mglru", "libCacheSim", "classic/exact");
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let exact_misses = exact.replay(&trace);
        let exact_rate = rate(began);
        let began = Instant::now();
        let classic_misses = classic.host_mut().replay(classic_file, &trace).misses;
        let classic_rate = rate(began);
        let began = Instant::now();
        generations.host_mut().replay(generations_file, &trace);
        let generations_rate = rate(began);
        let other_rate = other.as_mut().map_or_else(|| "-".to_owned(), |other| format!("{:.1}", other.round()));
        println!(
            "{exact_rate:>10.1} {classic_rate:>10.1} {generations_rate:>10.1} {other_rate:>12} {:>15.2}   miss ratio {:.4} exact, {:.4} classic",
            classic_rate / exact_rate,
            exact_misses as f64 / ACCESSES as f64,
            classic_misses as f64 / ACCESSES as f64,
        );
    }
}
