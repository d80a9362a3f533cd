//! What `pagetide mrc` predicts for less memory, beside what then happens: `cargo bench -p pagetide --bench less_memory`. Needs root, Linux
//! 6.12 and bpf(2).
//!
//! A reader runs in a memory control group of 96 MiB while `pagetide mrc` traces; then in 64 and 40 MiB, untraced. The truth is what the
//! kernel counts as read from the device for the reader, at the size of the file cache that it then has.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

#[path = "../../trace/benches/support/file.rs"]
mod file;
#[path = "../../trace/benches/support/reader.rs"]
mod reader;

use file::make_file;
use reader::{Group, read_bytes};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const FILE_BYTES: u64 = 120 << 20;
const PAGE: u64 = 4096;
const LOADS: [&str; 3] = ["uniform", "hot set and stream", "log-uniform"];
const TRACED_MIB: u64 = 96;
const LESS_MIB: [u64; 2] = [64, 40];
const TIME: Duration = Duration::from_secs(12);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, role, load, path, group] = arguments.as_slice()
        && role == "reader"
    {
        read(load, Path::new(path), Path::new(group));
        return;
    }
    if rustix::process::geteuid().as_raw() != 0 {
        println!("skipped: needs root");
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("file");
    make_file(&path, FILE_BYTES);
    println!(
        "{:20} {:>8} {:>11} {:>9} {:>10} {:>7}",
        "miss ratio of", "memory", "file cache", "measured", "predicted", "error"
    );
    for load in LOADS {
        let mut reader = Reader::start(load, &path, TRACED_MIB);
        let seconds = format!("{}s", TIME.as_secs());
        let output = Command::new(env!("CARGO_BIN_EXE_pagetide"))
            .args(["mrc", "--for", &seconds, "--sample", "1/16", "--json"])
            .output()
            .unwrap();
        let (measured, cache) = reader.result();
        let traced: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        let less = traced["less"].as_array().unwrap();
        let of_group =
            less.iter().find(|less| less["group"].as_str().is_some_and(|group| reader.group.0.ends_with(&group[1..])));
        let Some(of_group) = of_group else {
            println!("{load:20} skipped: nothing is known of less memory here");
            continue;
        };
        let row = |mib: u64, cache: f64, measured: f64, predicted: Option<f64>| {
            let number = |value: Option<f64>| value.map_or_else(|| "refused".to_owned(), |value| format!("{value:.3}"));
            let error = number(predicted.map(|predicted| predicted - measured));
            let cache = cache / f64::from(1 << 20);
            println!("{load:20} {mib:>4} MiB {cache:>7.1} MiB {measured:>9.3} {:>10} {error:>7}", number(predicted));
        };
        row(TRACED_MIB, cache, measured, of_group["miss_ratio"].as_f64());
        for mib in LESS_MIB {
            let (measured, cache) = Reader::start(load, &path, mib).result();
            row(mib, cache, measured, predicted(of_group, cache));
        }
    }
}

/// The predicted miss ratio with a file cache of so many bytes, between the points of the curve.
fn predicted(of_group: &Value, cache: f64) -> Option<f64> {
    let now = of_group["file_cache_bytes"].as_f64()?;
    let points = of_group["points"].as_array()?;
    let points: Vec<(f64, f64)> = points
        .iter()
        .filter_map(|point| Some((now - point["less_bytes"].as_f64()?, point["miss_ratio"].as_f64()?)))
        .collect();
    let [(more, at_more), (less, at_less)] =
        *points.windows(2).find(|pair| pair[1].0 <= cache && cache <= pair[0].0)?
    else {
        return None;
    };
    Some(at_less + (at_more - at_less) * (cache - less) / (more - less))
}

/// A reader in a memory control group; both end with it.
struct Reader {
    child: Child,
    group: Group,
}

impl Reader {
    fn start(load: &str, path: &Path, mib: u64) -> Self {
        let group = Group::of("pagetide-less", mib);
        let child = group.reader(load, path).arg(&group.0).stdout(Stdio::piped()).spawn().unwrap();
        Self { child, group }
    }

    /// Its miss ratio in the second half of its time, and the bytes of the file cache at its end.
    fn result(&mut self) -> (f64, f64) {
        let text = std::io::read_to_string(self.child.stdout.take().unwrap()).unwrap();
        self.child.wait().unwrap();
        let mut numbers = text.split_whitespace().map(|number| number.parse().unwrap());
        (numbers.next().unwrap(), numbers.next().unwrap())
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads single pages; prints the share of the second half that came from the device, and the bytes of the group's file cache.
fn read(load: &str, path: &Path, group: &Path) {
    let file = fs::File::open(path).unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Random).unwrap();
    let pages = FILE_BYTES / PAGE;
    let hot = pages / 5;
    let mut random = fastrand::Rng::with_seed(1);
    let mut buffer = [0; 4096];
    let (began, mut half) = (Instant::now(), None);
    let mut number = 0;
    // A second more than it is traced, so that the trace sees it to its end.
    while began.elapsed() < TIME + Duration::from_secs(1) {
        if half.is_none() && began.elapsed() > TIME / 2 {
            half = Some((number, read_bytes()));
        }
        for _ in 0..100 {
            let page = match load {
                "uniform" => random.u64(..pages),
                "hot set and stream" if number % 2 == 0 => random.u64(..hot),
                "hot set and stream" => hot + (number / 2) % (pages - hot),
                _ => log_uniform(random.f64(), pages),
            };
            file.read_exact_at(&mut buffer, page * PAGE).unwrap();
            number += 1;
        }
    }
    let (reads, bytes) = half.unwrap();
    let missed = (read_bytes() - bytes) as f64 / PAGE as f64 / (number - reads) as f64;
    println!("{missed} {}", file_cache(group));
}

/// Each power of two of pages is read alike, scattered over the file.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the number of pages")]
fn log_uniform(random: f64, pages: u64) -> u64 {
    let rank = (pages as f64).powf(random) as u64;
    rank * 40_503 % pages
}

/// Bytes of files on the LRU lists of a control group.
fn file_cache(group: &Path) -> u64 {
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap();
    ["active_file ", "inactive_file "].iter().filter_map(|name| number_after(&stat, name)).sum()
}

fn number_after(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}
