//! The tracer on the running kernel. Where this process may not trace, each test says so and ends.
#![expect(clippy::print_stderr, reason = "says which tests could not run here")]

use pagetide_trace::{
    Analysis, Event, File, HostProcesses, Kind, Mechanism, Method, Options, Tracer, file_names, kswapd,
};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Attaches, or says why not.
fn attach(shift: u32, method: Method) -> Option<Tracer> {
    match Tracer::attach(Options { shift, method }) {
        Ok(tracer) => Some(tracer),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// Runs `work` while a thread drains the tracer, and gives all events back.
fn trace(mut tracer: Tracer, work: impl FnOnce()) -> (Tracer, Vec<Event>) {
    tracer.start().unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut events = Vec::new();
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                tracer.wait(Duration::from_millis(20)).unwrap();
                tracer.drain(&mut events);
            }
            tracer.stop().unwrap();
            tracer.finish(&mut events);
            (tracer, events)
        });
        work();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        reader.join().unwrap()
    })
}

/// A file of this size that is on the disk and not in the cache.
fn cold_file(folder: &Path, name: &str, bytes: u64) -> PathBuf {
    let path = folder.join(name);
    let mut file = fs::File::create(&path).unwrap();
    let block = vec![0x5a_u8; 1 << 20];
    (0..bytes >> 20).for_each(|_| file.write_all(&block).unwrap());
    file.sync_all().unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    path
}

fn identity(path: &Path) -> File {
    let metadata = fs::metadata(path).unwrap();
    let dev = metadata.dev();
    File { dev: rustix::fs::major(dev) << 20 | rustix::fs::minor(dev), ino: metadata.ino() }
}

/// A place for files on a disk: `/tmp` may be memory.
fn folder() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("pagetide-trace-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

#[test]
fn every_page_of_a_cold_file_is_seen_entering_and_leaving() {
    for method in [Method::Auto, Method::Filters] {
        let Some(tracer) = attach(0, method) else { return };
        let folder = folder();
        let path = cold_file(folder.path(), "cold", 8 << 20);
        let file = identity(&path);
        let (tracer, events) = trace(tracer, || {
            let mut content = Vec::new();
            fs::File::open(&path).unwrap().read_to_end(&mut content).unwrap();
            let file = fs::File::open(&path).unwrap();
            rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
        });
        assert_eq!(tracer.lost(), 0);
        let pages = |wanted: fn(&Kind) -> Option<&pagetide_trace::Range>| -> BTreeSet<u64> {
            let ranges = events.iter().filter_map(|event| wanted(&event.kind)).filter(|range| range.file == file);
            ranges.flat_map(|range| range.first..=range.last).collect()
        };
        let page = rustix::param::page_size() as u64;
        let all: BTreeSet<u64> = (0..(8 << 20) / page).collect();
        assert_eq!(pages(|kind| if let Kind::Added(range) = kind { Some(range) } else { None }), all, "{method:?}");
        assert_eq!(
            pages(|kind| if let Kind::Deleted(range, _) = kind { Some(range) } else { None }),
            all,
            "{method:?}"
        );
        if tracer.totals().and_then(|totals| totals.read).is_some() {
            assert_eq!(pages(|kind| if let Kind::Read(range) = kind { Some(range) } else { None }), all);
        }
        let times: Vec<u64> = events.iter().map(|event| event.time_ns).collect();
        assert!(times.is_sorted(), "events of all CPUs are in order of time");
    }
}

#[test]
fn the_kernel_and_this_crate_choose_the_same_pages() {
    for method in [Method::Auto, Method::Filters] {
        let Some(tracer) = attach(4, method) else { return };
        let folder = folder();
        let path = cold_file(folder.path(), "sampled", 16 << 20);
        let file = identity(&path);
        let sampling = tracer.sampling();
        let (tracer, events) = trace(tracer, || {
            let mut content = Vec::new();
            fs::File::open(&path).unwrap().read_to_end(&mut content).unwrap();
        });
        assert_eq!(tracer.lost(), 0);
        let last = (16 << 20) / rustix::param::page_size() as u64 - 1;
        let expected: BTreeSet<u64> = sampling.pages(&pagetide_trace::Range { file, first: 0, last }).collect();
        let found: BTreeSet<u64> = events
            .iter()
            .filter_map(|event| if let Kind::Added(range) = &event.kind { Some(range) } else { None })
            .filter(|range| range.file == file)
            .flat_map(|range| sampling.pages(range))
            .collect();
        assert_eq!(found, expected, "{method:?}");
    }
}

#[test]
fn another_perf_user_sees_all_events_while_programs_sample() {
    let Some(second) = attach(0, Method::Filters) else { return };
    let Some(mut sampled) = attach(6, Method::Auto) else { return };
    let folder = folder();
    let path = cold_file(folder.path(), "shared", 8 << 20);
    let file = identity(&path);
    sampled.start().unwrap();
    let (second, events) = trace(second, || {
        let mut content = Vec::new();
        fs::File::open(&path).unwrap().read_to_end(&mut content).unwrap();
    });
    sampled.stop().unwrap();
    assert_eq!(second.lost(), 0);
    let added = events.iter().filter_map(|event| if let Kind::Added(range) = &event.kind { Some(range) } else { None });
    let pages: u64 = added.filter(|range| range.file == file).map(pagetide_trace::Range::pages).sum();
    assert_eq!(pages, (8 << 20) / rustix::param::page_size() as u64);
}

/// A memory control group (v1 or v2) that ends with this value.
struct MemoryGroup(PathBuf);

impl MemoryGroup {
    fn new(limit: u64) -> Option<Self> {
        let name = format!("pagetide-trace-test-{}", std::process::id());
        let (root, limit_file) = if Path::new("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists() {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        } else {
            ("/sys/fs/cgroup", "memory.max")
        };
        let path = Path::new(root).join(name);
        if let Err(error) = fs::create_dir(&path) {
            eprintln!("skipped: {}: {error}", path.display());
            return None;
        }
        let group = Self(path);
        if let Err(error) = fs::write(group.0.join(limit_file), limit.to_string()) {
            eprintln!("skipped: {}: {error}", group.0.display());
            return None;
        }
        Some(group)
    }

    /// Has a program read a file in the group.
    fn run(&self, program: &str, path: &Path) {
        let script =
            format!("echo $$ > {}/cgroup.procs && exec {program} {} > /dev/null", self.0.display(), path.display());
        assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // v1 moves what is left to the parent; a group whose last task has just ended is busy for a moment.
        for _ in 0..100 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        eprintln!("{} is left behind", self.0.display());
    }
}

#[test]
fn at_a_group_limit_the_program_that_reads_evicts() {
    for (shift, method) in [(0, Method::Auto), (0, Method::Filters), (4, Method::Auto)] {
        let Some(tracer) = attach(shift, method) else { return };
        let Some(group) = MemoryGroup::new(48 << 20) else { return };
        let folder = folder();
        let victim = cold_file(folder.path(), "victim", 24 << 20);
        let stream = cold_file(folder.path(), "stream", 96 << 20);
        let sampling = tracer.sampling();
        let before = std::cell::Cell::new(0);
        let (tracer, events) = trace(tracer, || {
            group.run("head -c 100000000", &victim);
            before.set(cached(&victim));
            group.run("cat", &stream);
        });
        assert_eq!(tracer.lost(), 0);
        let gone = before.get() - cached(&victim);
        let mut analysis = Analysis::new(sampling, kswapd(), HostProcesses::default());
        events.iter().for_each(|event| analysis.take(event));
        analysis.divide();
        let of_victim: Vec<_> =
            analysis.evictions().filter(|(pair, _)| pair.victim.file == Some(identity(&victim))).collect();
        let all: f64 = of_victim.iter().map(|(_, evicted)| evicted.pages).sum();
        let by_stream: f64 = of_victim
            .iter()
            .filter(|(pair, _)| pair.mechanism == Mechanism::Group)
            .filter(|(pair, _)| pair.evictor.is_some_and(|actor| analysis.identity(actor).comm == "cat"))
            .map(|(_, evicted)| evicted.pages)
            .sum();
        eprintln!("1/{}: {gone} pages of the victim are gone; traced {all}, {by_stream} of them to cat", 1 << shift);
        assert!(gone > 1000, "the stream evicts a good part of the victim: {gone}");
        assert!(by_stream >= 0.99 * all, "{by_stream} of {all}");
        if shift == 0 {
            assert!((all - gone as f64).abs() <= 0.01 * gone as f64, "traced {all}, gone {gone}");
        } else {
            // One page of 16: the count of sampled pages is binomial; six standard deviations.
            assert!((all - gone as f64).abs() <= 6.0 * (16.0 * gone as f64).sqrt(), "traced {all}, gone {gone}");
        }
    }
}

/// Pages of a file that are in the cache.
fn cached(path: &Path) -> u64 {
    pagetide_kernel::cached::bytes(path).unwrap().get() / rustix::param::page_size() as u64
}

#[test]
fn files_are_named_by_their_inode_alone() {
    let folder = folder();
    let path = cold_file(folder.path(), "closed", 1 << 20);
    let file = identity(&path);
    let found = file_names(&BTreeSet::from([file]));
    // Nobody has it open: only a file system whose handles are inode numbers can tell, and only to root.
    match found.get(&file) {
        Some(name) => assert_eq!(name, &path),
        None => eprintln!("skipped: this file system does not open files by inode number"),
    }
}
