//! The web server's costs: the first plots of a week at one sample a second of a host with 200 processes, over the server's socket (time,
//! CPU time, memory); what the buckets take on disk and of a CPU when a segment is sealed; and what an open live page takes of a CPU.
//!
//! The recording is made up (crates/pagetide/benches/support). `PAGETIDE_BENCH_DAYS=1` makes a shorter one, `=30` a month.
//! `cargo bench -p pagetide-serve --bench week`; `make web` prints the bytes of the page.

#![allow(clippy::print_stdout)]

#[path = "../../pagetide/benches/support/made_up.rs"]
mod made_up;

use pagetide_core::Nanos;
use pagetide_serve::{Options, Server};
use pagetide_store::Reader;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const RUNS: usize = 5;
/// How long live pages stay open.
const LIVE: Duration = Duration::from_secs(20);
/// What the page draws first.
const PLOTS: [&str; 18] = [
    "memory/anonymous",
    "memory/other",
    "memory/dirty",
    "memory/clean",
    "memory/free",
    "host/scanned_kswapd",
    "host/scanned_direct",
    "host/efficiency",
    "host/refaults",
    "host/major_faults",
    "host/psi_memory_some",
    "host/psi_io_some",
    "host/cpu_user",
    "host/cpu_iowait",
    "disk/busy/sda",
    "disk/await/sda",
    "disk/read_bandwidth/sda",
    "disk/write_bandwidth/sda",
];

fn size(path: &Path) -> u64 {
    if path.is_file() {
        return path.metadata().map_or(0, |data| data.len());
    }
    fs::read_dir(path).into_iter().flatten().flatten().map(|entry| size(&entry.path())).sum()
}

/// Sends a request and gives the head and the size of the body.
fn get(host: &str, path: &str, cookie: &str) -> (String, usize) {
    let mut stream = TcpStream::connect(host).expect("the server listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n")
        .expect("sent");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(bytes.len());
    (String::from_utf8_lossy(&bytes[..end]).into_owned(), bytes.len() - end)
}

/// The most memory since the last call, in MiB.
fn peak() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok()).unwrap_or(0.0);
    // proc(5): 5 sets the peak to what is resident now.
    let _ = fs::write("/proc/self/clear_refs", "5");
    kib / 1024.0
}

/// CPU time of this process, which is also the server, in ms.
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// Makes the buckets of the first day anew: what they add to sealing.
fn sealing(folder: &Path) {
    let host = folder.join("pyramid/host=bench");
    let mut days: Vec<_> = fs::read_dir(&host).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    days.sort();
    fs::remove_dir_all(&days[0]).expect("a day of buckets");
    let began = cpu();
    let made = Reader::open(folder).and_then(|reader| reader.make_pyramid(None, &|| false)).expect("written again");
    println!("the buckets of an hour take {:.0} ms of a CPU when it is sealed", (cpu() - began) / made.max(1) as f64);
}

/// Opens live pages and gives the CPU time per second, in ms.
fn live(host: &str, cookie: &str, pages: usize) -> f64 {
    let open = || {
        let mut stream = TcpStream::connect(host).expect("the server listens");
        write!(stream, "GET /api/live/stream HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n").expect("sent");
        std::thread::spawn(move || {
            let mut buffer = [0; 1 << 16];
            let end = Instant::now() + LIVE;
            let mut bytes = 0;
            while Instant::now() < end {
                bytes += stream.read(&mut buffer).unwrap_or(0);
            }
            bytes
        })
    };
    let (began, before) = (Instant::now(), cpu());
    let readers: Vec<_> = (0..pages).map(|_| open()).collect();
    let bytes: usize = readers.into_iter().map(|reader| reader.join().unwrap_or(0)).sum();
    assert!(bytes > 0, "frames came");
    (cpu() - before) / began.elapsed().as_secs_f64()
}

fn main() {
    let days = std::env::var("PAGETIDE_BENCH_DAYS").ok().and_then(|days| days.parse().ok()).unwrap_or(7);
    let scratch = tempfile::tempdir_in("/var/tmp").expect("a scratch folder");
    let folder = scratch.path().join("rec");
    let began = Instant::now();
    made_up::recording(&folder, days);
    println!("recorded {days} days in {:.0} s", began.elapsed().as_secs_f64());
    let (all, pyramid) = (size(&folder), size(&folder.join("pyramid")));
    let raw = all - pyramid;
    println!(
        "buckets take {:.1} MiB, {:.1} % of the {:.1} MiB of samples",
        pyramid as f64 / 1048576.0,
        pyramid as f64 / raw as f64 * 100.0,
        raw as f64 / 1048576.0
    );
    sealing(&folder);
    let server = Server::bind(Options {
        folders: vec![folder.clone()],
        hosts_from_folders: false,
        listen: "127.0.0.1:0".parse().expect("an address"),
        names: Vec::new(),
        token: Some("0123456789abcdef0123456789abcdef".to_owned()),
        tls: None,
        page: None,
        follow: None,
        cache: None,
        interval: Nanos::new(1_000_000_000),
        say: Box::new(|_| {}),
    })
    .expect("a free port");
    let url = server.url();
    let host = url.trim_start_matches("http://").split('/').next().unwrap_or_default().to_owned();
    let stop = Arc::new(AtomicBool::new(false));
    let until = Arc::clone(&stop);
    let thread = std::thread::spawn(move || server.run(&|| until.load(Ordering::Relaxed)));
    let (head, _) = get(&host, "/?token=0123456789abcdef0123456789abcdef", "");
    let cookie =
        head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).and_then(|line| line.split(';').next());
    let cookie = cookie.expect("a cookie").to_owned();
    let mut stream = TcpStream::connect(&host).expect("the server listens");
    write!(stream, "GET /api/recordings HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n")
        .expect("sent");
    let mut listed = String::new();
    stream.read_to_string(&mut listed).expect("an answer");
    let id = listed.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a recording").to_owned();
    let names: Vec<String> = PLOTS.iter().map(|plot| format!("s={plot}")).collect();
    let path = |rest: &str| format!("/api/recording/{id}/{rest}");
    for (what, path) in [
        ("info", path("info")),
        ("first plots", path(&format!("series?points=1000&{}", names.join("&")))),
        ("a process", path("series?points=1000&s=process/cpus/100@900")),
    ] {
        peak();
        let (mut best, mut least) = (f64::INFINITY, f64::INFINITY);
        let mut bytes = 0;
        for _ in 0..RUNS {
            let (began, before) = (Instant::now(), cpu());
            let (head, body) = get(&host, &path, &cookie);
            assert!(head.contains(" 200 "), "{head}");
            best = best.min(began.elapsed().as_secs_f64() * 1e3);
            least = least.min(cpu() - before);
            bytes = body;
        }
        println!(
            "{what:<12} of {days} days: {best:>6.0} ms, {least:.0} ms of it on a CPU, {} KiB of JSON, {:.0} MiB at most",
            bytes / 1024,
            peak()
        );
    }
    let (one, five) = (live(&host, &cookie, 1), live(&host, &cookie, 5));
    println!(
        "one live page: {one:.1} ms of a CPU a second with the sampler; each further one: {:.2} ms",
        (five - one) / 4.0
    );
    stop.store(true, Ordering::Relaxed);
    let _ = thread.join();
}
