//! How well the curve foretells the miss ratio in more memory: `cargo bench -p pagetide-trace --bench prediction`.
//!
//! A reader runs in a memory control group of 64 MiB while the tracer watches; then in 96, 128 and 192 MiB, untraced. The truth is what
//! the kernel counts as read from the device for the reader (`read_bytes` of `/proc/self/io`). Needs root.

#[path = "support/file.rs"]
mod file;
#[path = "support/reader.rs"]
mod reader;

use file::make_file;
use pagetide_trace::{Analysis, HostProcesses, Method, Misses, Options, Tracer, kswapd};
use reader::{Group, read_bytes};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

const FILE_BYTES: u64 = 256 << 20;
const PAGE: u64 = 4096;
const SIZES_MIB: [u64; 4] = [64, 96, 128, 192];
const LOADS: [&str; 4] = ["uniform", "zipf", "hot set and stream", "hot set and scans"];

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, role, load, path, reads] = arguments.as_slice()
        && role == "reader"
    {
        println!("{}", read(load, Path::new(path), reads.parse().unwrap()));
        return;
    }
    if rustix::process::geteuid().as_raw() != 0 {
        println!("skipped: needs root");
        return;
    }
    let folder =
        tempfile::Builder::new().prefix("pagetide-prediction-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("file");
    make_file(&path, FILE_BYTES);
    let reads = std::env::var("READS").ok().and_then(|text| text.parse().ok()).unwrap_or(150_000);
    let shift = std::env::var("SHIFT").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    println!(
        "{:20} {:>8} {:>9} {:>9} {:>15} {:>7} {:>8}",
        "load", "memory", "measured", "foretold", "band", "error", "sampled"
    );
    for load in LOADS {
        let (misses, present) = traced(load, &path, reads, shift);
        let curve = misses.curve(1 << shift, 1024);
        println!(
            "{load:20} {:>4} MiB {present:>9.4} {:>9} {:>15} {:>7} {:>8}",
            SIZES_MIB[0],
            "",
            "",
            "",
            misses.sampled()
        );
        for size in &SIZES_MIB[1..] {
            let measured = untraced(load, &path, reads, *size);
            let more_pages = (size - SIZES_MIB[0]) * 256;
            let Some(point) =
                curve.as_ref().and_then(|curve| curve.iter().find(|point| point.more_pages == more_pages))
            else {
                println!("{load:20} {size:>4} MiB {measured:>9.4}   refused");
                continue;
            };
            let foretold = present * point.remaining;
            let band = format!("{:.3} to {:.3}", present * point.low, present * point.high);
            println!(
                "{load:20} {size:>4} MiB {measured:>9.4} {foretold:>9.4} {band:>15} {:>+7.3}",
                foretold - measured
            );
        }
    }
}

/// Runs the reader in a group of 64 MiB under the tracer: its misses by rank, and its miss ratio.
fn traced(load: &str, path: &Path, reads: u64, shift: u32) -> (Misses, f64) {
    let mut tracer = Tracer::attach(Options { shift, method: Method::Auto }).unwrap();
    tracer.start().unwrap();
    let mut analysis = Analysis::new(tracer.sampling(), kswapd(), HostProcesses::default());
    let (path, load) = (path.to_owned(), load.to_owned());
    let reader = std::thread::spawn(move || untraced(&load, &path, reads, SIZES_MIB[0]));
    let mut events = Vec::new();
    while !reader.is_finished() {
        tracer.wait(Duration::from_millis(50)).unwrap();
        tracer.drain(&mut events);
        events.drain(..).for_each(|event| analysis.take(&event));
    }
    tracer.stop().unwrap();
    tracer.finish(&mut events);
    events.iter().for_each(|event| analysis.take(event));
    assert_eq!(tracer.lost(), 0, "records were lost");
    let mut misses = Misses::default();
    for ((_, group), of_group) in analysis.misses() {
        if analysis.group_path(*group).contains("pagetide-prediction") {
            misses.add(of_group);
        }
    }
    (misses, reader.join().unwrap())
}

/// Runs the reader in a group of this size: its miss ratio in the second half of its reads.
fn untraced(load: &str, path: &Path, reads: u64, mib: u64) -> f64 {
    let group = Group::of("pagetide-prediction", mib);
    let output = group.reader(load, path).arg(reads.to_string()).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap_or_else(|_| panic!("{output:?}"))
}

/// Reads single pages; gives the share of the second half that came from the device.
fn read(load: &str, path: &Path, reads: u64) -> f64 {
    let file = fs::File::open(path).unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Random).unwrap();
    let pages = FILE_BYTES / PAGE;
    let weights: Vec<f64> = (1..=pages)
        .scan(0.0, |sum, rank| {
            *sum += 1.0 / rank as f64;
            Some(*sum)
        })
        .collect();
    let mut random = fastrand::Rng::with_seed(1);
    let mut buffer = [0; 4096];
    let hot = pages / 5;
    let mut start = 0;
    for number in 0..reads {
        if number == reads / 2 {
            start = read_bytes();
        }
        let page = match load {
            "uniform" => random.u64(..pages),
            "zipf" => {
                let at = random.f64() * weights[weights.len() - 1];
                // Scattered over the file, so that neighbours do not share their heat.
                (weights.partition_point(|sum| *sum < at) as u64 * 40_503) % pages
            }
            "hot set and stream" if number % 2 == 0 => random.u64(..hot),
            "hot set and stream" => hot + (number / 2) % (pages - hot),
            _ if number % 20_000 < 16_000 => random.u64(..hot),
            _ => hot + (number / 20_000 * 4000 + number % 4000) % (pages - hot),
        };
        file.read_exact_at(&mut buffer, page * PAGE).unwrap();
    }
    (read_bytes() - start) as f64 / PAGE as f64 / (reads - reads / 2) as f64
}
