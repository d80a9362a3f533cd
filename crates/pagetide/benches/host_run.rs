//! What a host run says, beside fio's own figures, and how fast `hold` populates memory beside a plain `memset`.
//!
//! Needs root and fio, as the command does. Nothing here is a limit: it prints ratios within one run, and their spread.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use serde_json::Value;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const REPEATS: usize = 5;

fn pagetide(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_pagetide")).args(arguments).arg("--json").output().unwrap();
    assert!(output.status.code().is_some_and(|code| code <= 1), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Median, smallest and largest.
fn spread(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    format!("{:.3} ({:.3} to {:.3})", values[values.len() / 2], values[0], values[values.len() - 1])
}

fn hold() {
    const SIZE: usize = 1 << 30;
    let gib_per_s = |ns: f64| SIZE as f64 / (1 << 30) as f64 / (ns / 1e9);
    let (mut held, mut set, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..REPEATS {
        let result = pagetide(&["hold", "1GiB", "--for", "0s"]);
        assert_eq!(result["resident_bytes"].as_u64().map(|bytes| bytes >= SIZE as u64), Some(true));
        let hold = gib_per_s(result["populate_ns"].as_f64().unwrap());
        let began = Instant::now();
        let mut memory: Vec<u8> = Vec::with_capacity(SIZE);
        memory.resize(SIZE, black_box(1));
        black_box(&memory);
        let memset = gib_per_s(began.elapsed().as_secs_f64() * 1e9);
        drop(memory);
        held.push(hold);
        set.push(memset);
        ratios.push(hold / memset);
    }
    println!("hold 1 GiB: {} GiB/s populated; memset of as much fresh memory: {} GiB/s", spread(held), spread(set));
    println!("  hold / memset: {}", spread(ratios));
}

fn host_run(folder: &Path) {
    let out = folder.join("run");
    let work = folder.join("data");
    let run = pagetide(&[
        "lab",
        "run",
        "buffered-read",
        "--scale",
        "1/16",
        "--out",
        out.to_str().unwrap(),
        "--work-dir",
        work.to_str().unwrap(),
    ]);
    let step = |id: &str| run["steps"].as_array().unwrap().iter().find(|step| step["id"] == id).unwrap();
    let number = |id: &str, key: &str| step(id)[key].as_f64().unwrap_or(f64::NAN);
    println!("cold / warm IOPS: {:.5}", number("A1", "iops") / number("A2", "iops"));
    // A read from memory and one from the device differ by a factor of 10 and more: fio's histogram has two hills, and what
    // lies below the middle between their tops (on a logarithmic scale) was served by the cache.
    let middle = (number("A1", "clat_p50_ns") * number("A2", "clat_p50_ns")).sqrt();
    println!("from the cache, by what the kernel read for the job, and by fio's latencies (below {middle:.0} ns)");
    println!(
        "{:10} {:>10} {:>10} {:>9}   {:>11} {:>14}",
        "step", "ours", "fio's", "off by", "disk reads", "fio saw of it"
    );
    for step in run["steps"].as_array().unwrap().iter().filter(|step| step["kind"] == "fio") {
        let id = step["id"].as_str().unwrap();
        let ours = number(id, "cache_hit_ratio");
        let fios = if id == "device" { 0.0 } else { share_below(&out.join(format!("fio-{id}.json")), middle) };
        println!(
            "{id:10} {ours:>10.4} {fios:>10.4} {:>8.2}%   {:>11} {:>14}",
            (ours - fios).abs() * 100.0,
            number(id, "disk_reads"),
            number(id, "fio_disk_reads")
        );
    }
}

/// The share of a job's reads that took less than `ns`, from the histogram in fio's own result.
fn share_below(file: &Path, ns: f64) -> f64 {
    let result: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let bins = result["jobs"][0]["read"]["clat_ns"]["bins"].as_object().unwrap();
    let count = |below: f64| -> f64 {
        let counted = bins.iter().filter(|(bin, _)| bin.parse::<f64>().unwrap() < below);
        counted.map(|(_, count)| count.as_f64().unwrap()).sum()
    };
    count(ns) / count(f64::INFINITY)
}

fn main() {
    hold();
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    host_run(folder.path());
}
