//! How fast a large sar text is imported and how much memory that takes, beside two floors in the same run: counting the
//! file's lines, and the bytes of its values. The file is generated: 8 disks, paging, CPU and memory, every second.
//!
//! `cargo bench -p pagetide-store --bench import`

use pagetide_store::import::{Input, Options, import};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

const BYTES: u64 = 100_000_000;
const RUNS: usize = 5;

/// A day of text in the layout of sysstat 12, until it is over or the file is long enough.
fn write_day(out: &mut impl Write, day: u32, random: &mut fastrand::Rng, left: u64) -> u64 {
    let mut written = 0;
    let mut text = format!("Linux 6.1.0 (bench) \t2026-11-{day:02} \t_x86_64_\t(8 CPU)\n\n");
    // The share of a second's text that each table has decides how many seconds fit.
    let seconds = (left / 1030).clamp(1, 86_399);
    const DISKS: [&str; 8] = ["sda", "sdb", "sdc", "sdd", "sde", "sdf", "sdg", "sdh"];
    let tables: [(&str, usize, usize); 4] = [
        ("CPU     %user     %nice   %system   %iowait    %steal     %idle", 1, 6),
        ("pgpgin/s pgpgout/s   fault/s  majflt/s  pgfree/s pgscank/s pgscand/s pgsteal/s    %vmeff", 1, 9),
        ("DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util", DISKS.len(), 8),
        (
            "kbmemfree   kbavail kbmemused  %memused kbbuffers  kbcached  kbcommit   %commit  kbactive   kbinact   kbdirty",
            1,
            11,
        ),
    ];
    for (header, rows, columns) in tables {
        let _ = writeln!(text, "00:00:00     {header}");
        for second in 1..=seconds {
            for disk in DISKS.iter().take(rows) {
                let _ = write!(text, "{:02}:{:02}:{:02}    ", second / 3600, second / 60 % 60, second % 60);
                match header.split_whitespace().next() {
                    Some("CPU") => text.push_str("    all"),
                    Some("DEV") => drop(write!(text, "{disk:>7}")),
                    _ => {}
                }
                for _ in 0..columns {
                    let value = random.u64(..);
                    let _ = write!(text, " {:>6}.{:02}", value % 100_000, value % 97);
                }
                text.push('\n');
            }
            if text.len() > 1 << 16 {
                out.write_all(text.as_bytes()).expect("a disk with 100 MB to spare");
                written += text.len() as u64;
                text.clear();
            }
        }
        text.push('\n');
    }
    out.write_all(text.as_bytes()).expect("a disk with 100 MB to spare");
    written + text.len() as u64
}

fn generate(path: &Path) -> u64 {
    let mut out = BufWriter::new(File::create(path).expect("a writable folder"));
    let (mut written, mut day, mut random) = (0, 1, fastrand::Rng::with_seed(1));
    while written < BYTES {
        written += write_day(&mut out, day, &mut random, BYTES - written);
        day += 1;
    }
    out.flush().expect("a disk with 100 MB to spare");
    written
}

/// The most memory this process has had, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("procfs");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("VmHWM");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).expect("a number") * 1024
}

/// What a child process does: imports the file once and says how long it took, what came of it, and its peak.
#[expect(clippy::print_stdout, reason = "a benchmark prints")]
fn import_once(path: &Path) {
    let before = peak();
    let start = Instant::now();
    let import = import(&[Input::file(path)], &Options::default()).expect("the file that was generated");
    let seconds = start.elapsed().as_secs_f64();
    let file = &import.report.files[0];
    assert_eq!((file.skipped_lines, file.conflicts), (0, 0));
    println!("{seconds} {} {} {}", file.lines, file.values, peak() - before);
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[expect(clippy::print_stdout, reason = "a benchmark prints")]
fn main() {
    if let Some(path) = std::env::var_os("PAGETIDE_BENCH_IMPORT") {
        return import_once(Path::new(&path));
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("sar.txt");
    let bytes = generate(&path);
    let mut imports = Vec::new();
    let mut counts = Vec::new();
    let (mut lines, mut values, mut most) = (0.0, 0.0, 0.0f64);
    for _ in 0..RUNS {
        let start = Instant::now();
        let counted = BufReader::new(File::open(&path).expect("the file")).split(b'\n').count();
        counts.push(start.elapsed().as_secs_f64());
        let this = std::env::current_exe().expect("this program");
        let output = std::process::Command::new(this).env("PAGETIDE_BENCH_IMPORT", &path).output().expect("itself");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let numbers: Vec<f64> = text.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        assert_eq!(numbers.len(), 4, "{text} {}", String::from_utf8_lossy(&output.stderr));
        imports.push(numbers[0]);
        (lines, values, most) = (numbers[1], numbers[2], most.max(numbers[3]));
        assert!((lines - counted as f64).abs() < 1.5, "{lines} and {counted} lines");
    }
    let (import, count) = (median(imports), median(counts));
    let megabytes = bytes as f64 / 1e6;
    println!(
        "{megabytes:.1} MB of sar text, {lines} lines, {values} values; median of {RUNS}, the machine may be busy"
    );
    println!("import          {:>8.1} MB/s   {:>6.2} million values/s", megabytes / import, values / import / 1e6);
    println!("counting lines  {:>8.1} MB/s   {:>6.1} times as fast", megabytes / count, import / count);
    println!(
        "peak memory     {:>8.1} MB     {:>6.1} bytes a value, {:.2} times the file",
        most / 1e6,
        most / values,
        most / bytes as f64
    );
}
