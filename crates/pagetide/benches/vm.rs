//! What a run in a virtual machine costs, and how well its counts repeat.
//!
//! Needs QEMU and fio, as the command does. Nothing here is a limit: it prints ratios within one run, and their spread.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What a run left, and the seconds from its start until its first step was done.
struct Ran {
    result: Value,
    first_step: f64,
    whole: f64,
}

impl Ran {
    fn number(&self, step: &str, key: &str) -> f64 {
        let steps = self.result["steps"].as_array().unwrap();
        let step = steps.iter().find(|found| found["id"] == step).unwrap_or_else(|| panic!("no step {step}"));
        step[key].as_f64().unwrap_or_else(|| panic!("no {key} in {step}"))
    }

    fn machine(&self, word: &str) -> &str {
        let lines = self.result["machine"].as_array().unwrap();
        lines.iter().filter_map(Value::as_str).find(|line| line.contains(word)).unwrap_or("")
    }
}

fn run(folder: &Path, arguments: &[&str]) -> Ran {
    let began = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_pagetide"))
        .current_dir(folder)
        .args(["lab", "run", "--on", "vm", "--json", "--out", "run", "--force", "--work-dir", "."])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The result is longer than a pipe holds: somebody must read it while the other end is listened to.
    let mut out = child.stdout.take().unwrap();
    let result = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    let (mut first_step, mut said) = (f64::NAN, String::new());
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        if first_step.is_nan() && line.starts_with("[1/") {
            first_step = began.elapsed().as_secs_f64();
        }
        said += &format!("{line}\n");
    }
    let status = child.wait().unwrap();
    assert!(status.code().is_some_and(|code| code <= 1), "{said}");
    Ran {
        result: serde_json::from_str(&result.join().unwrap().unwrap()).unwrap(),
        first_step,
        whole: began.elapsed().as_secs_f64(),
    }
}

/// Median, smallest and largest.
fn spread(mut values: Vec<f64>, digits: usize) -> String {
    values.sort_by(f64::total_cmp);
    let (middle, low, high) = (values[values.len() / 2], values[0], values[values.len() - 1]);
    format!("{middle:.digits$} ({low:.digits$} to {high:.digits$})")
}

fn boot(folder: &Path) {
    let text = "id = \"nothing\"\ntitle = \"nothing\"\nsource = \"a benchmark\"\n[machine]\ncpus = 2\nmemory = \"256MiB\"\n\
                [[machine.disk]]\nname = \"data\"\nsize = \"64MiB\"\n[[step]]\nid = \"first\"\nsnapshot = true\n";
    std::fs::write(folder.join("nothing.toml"), text).unwrap();
    // The first may have to fetch the kernel and see whether KVM works.
    let warm = run(folder, &["./nothing.toml"]);
    let runs: Vec<Ran> = (0..5).map(|_| run(folder, &["./nothing.toml"])).collect();
    println!("boot ({}):", warm.machine("booted in").split(" under ").nth(1).unwrap_or("?"));
    println!(
        "  from the command to the end of an empty first step: {} s",
        spread(runs.iter().map(|ran| ran.first_step).collect(), 1)
    );
    println!(
        "  to the end of the command, report written: {} s",
        spread(runs.iter().map(|ran| ran.whole).collect(), 1)
    );
}

fn recorder(folder: &Path) {
    const INTERVALS: [&str; 3] = ["100ms", "1s", "10min"];
    let mut runs: [Vec<Ran>; 3] = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..3 {
        for (interval, runs) in INTERVALS.iter().zip(&mut runs) {
            runs.push(run(
                folder,
                &["second-read", "--scale", "1/32", "--steps", "cold,again", "--interval", interval],
            ));
        }
    }
    println!("recorder in the guest, second-read at 1/32, 3 rounds, beside hardly any samples (every 10 min):");
    for (interval, with) in INTERVALS.iter().zip(&runs) {
        let ratios = |step: &str, key: &str| {
            let ratios =
                with.iter().zip(&runs[2]).map(|(with, without)| with.number(step, key) / without.number(step, key));
            spread(ratios.collect(), 3)
        };
        println!(
            "  every {interval:>5}: time of the cold read {}, IOPS of the warm one {}, disk reads of the cold one {}",
            ratios("cold", "elapsed_ns"),
            ratios("again", "iops"),
            ratios("cold", "disk_reads")
        );
        println!("               {}", with[0].machine("recorder:"));
    }
}

fn counts(folder: &Path) {
    let runs: Vec<Ran> = (0..5)
        .map(|_| run(folder, &["buffered-read", "--scale", "1/32", "--steps", "A3,A4", "--interval", "1s"]))
        .collect();
    println!("A4 of buffered-read at 1/32, 5 runs:");
    for (key, what) in [("disk_reads", "disk reads"), ("disk_read_bytes", "bytes read"), ("iops", "IOPS")] {
        let values: Vec<f64> = runs.iter().map(|ran| ran.number("A4", key)).collect();
        let (low, high) =
            values.iter().fold((f64::MAX, 0.0_f64), |(low, high), value| (low.min(*value), high.max(*value)));
        println!("  {what}: {}, largest over smallest {:.3}", spread(values, 0), high / low);
    }
    let missed: Vec<f64> =
        runs.iter().map(|ran| 100.0 * ran.number("A4", "disk_reads") / ran.number("A4", "issued")).collect();
    println!("  of the requests missed: {} %", spread(missed, 1));
}

/// A part of the benchmark, by its name.
type Part = (&'static str, fn(&Path));

fn main() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    // `cargo bench --bench vm -- counts` runs one part.
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let parts: [Part; 3] = [("boot", boot), ("recorder", recorder), ("counts", counts)];
    for (_, part) in parts.into_iter().filter(|(name, _)| wanted.as_ref().is_none_or(|wanted| name.contains(wanted))) {
        part(folder.path());
    }
}
