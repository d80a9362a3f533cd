//! Every target on mutated inputs: what CI runs on any toolchain. The inputs are the same every time, [`INPUTS`] of each target, so
//! that a change is judged by what it changed. To look for new ones use `make fuzz`, or set `PAGETIDE_FUZZ_INPUTS` (how many, as `make
//! torture` does) or `PAGETIDE_FUZZ_SECONDS` (as many as that time allows): then the seed is the clock's, or `PAGETIDE_FUZZ_SEED`. An
//! input that breaks something is kept in `fuzz/artifacts/`, and belongs in `fuzz/seeds/TARGET/` with the fix.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use pagetide_fuzz::mutation::{Random, mutated};
use pagetide_fuzz::{TARGETS, Target};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::path::Path;
use std::time::{Duration, Instant};

/// How many inputs of each target: a few seconds' worth where nothing is optimised.
const INPUTS: u64 = 2000;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text}: a number is expected")))
}

fn run(target: &Target, bytes: &[u8], origin: &str) {
    if let Err(panic) = std::panic::catch_unwind(|| (target.run)(bytes)) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts").join(target.name);
        let file = folder.join(format!("{:08x}", crc32fast::hash(bytes)));
        std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, bytes)).unwrap();
        eprintln!("{} breaks on {origin}; the input is in {}", target.name, file.display());
        std::panic::resume_unwind(panic);
    }
}

/// The address space of the tests: an input that asks for much is a failure here, and not a matter of this machine's memory.
const ADDRESS_SPACE: u64 = 8 << 30;

fn limit_memory() {
    let limit = Rlimit { current: Some(ADDRESS_SPACE), maximum: Some(ADDRESS_SPACE) };
    setrlimit(Resource::As, limit).unwrap();
}

fn fuzz(name: &str) {
    limit_memory();
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let seeds = target.seeds();
    assert!(seeds.len() > 1);
    for (at, seed) in seeds.iter().enumerate() {
        run(target, seed, &format!("its seed {at}"));
    }
    let clock = || std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
    let time = setting("PAGETIDE_FUZZ_SECONDS").map(Duration::from_secs);
    let wanted = setting("PAGETIDE_FUZZ_INPUTS");
    let new_ones = time.is_some() || wanted.is_some();
    let seed = setting("PAGETIDE_FUZZ_SEED").unwrap_or_else(|| if new_ones { clock() } else { 0 });
    let (mut random, begin, mut inputs) = (Random::new(seed), Instant::now(), 0u64);
    while time.map_or(inputs < wanted.unwrap_or(INPUTS), |time| begin.elapsed() < time) {
        if let Some(wanted) = wanted.filter(|_| inputs.is_multiple_of(10_000)) {
            eprintln!("progress: {name} {inputs}/{wanted}");
        }
        let (one, other) = (random.below(seeds.len()), random.below(seeds.len()));
        let bytes = mutated(&mut random, &seeds[one], &seeds[other]);
        run(target, &bytes, &format!("input {inputs} of seed {seed}"));
        inputs += 1;
    }
    println!("{name}: {inputs} inputs of seed {seed} in {:.1} s", begin.elapsed().as_secs_f64());
    assert!(inputs > 0);
}

#[test]
fn cut() {
    fuzz("cut");
}

#[test]
fn import() {
    fuzz("import");
}

#[test]
fn kernel() {
    fuzz("kernel");
}

#[test]
fn log() {
    fuzz("log");
}

#[test]
fn pyramid() {
    fuzz("pyramid");
}

#[test]
fn scenario() {
    fuzz("scenario");
}

#[test]
fn segment() {
    fuzz("segment");
}

#[test]
fn tree() {
    fuzz("tree");
}
