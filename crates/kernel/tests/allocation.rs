//! Taking a sample allocates nothing once every line has been seen. A binary of its own: it counts every allocation.
#![allow(unsafe_code)]

#[path = "support/counting.rs"]
mod counting;

use pagetide_core::{Sample, Schema};
use pagetide_kernel::{Processes, Root, Sampler, Top, Watch};
use std::path::PathBuf;
use std::process::Command;

/// Allocations in 100 samples after some to learn from.
fn count(root: &Root, watch: &Watch, learn: usize) -> u64 {
    let mut sampler = Sampler::new(root, watch.clone()).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    for _ in 0..learn {
        sampler.sample(&mut schema, &mut sample).unwrap();
    }
    let before = counting::allocations();
    for _ in 0..100 {
        sampler.sample(&mut schema, &mut sample).unwrap();
    }
    counting::allocations() - before
}

/// A machine with this many processes, as files.
fn machine(processes: u32) -> tempfile::TempDir {
    // In memory: thousands of small files.
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    for pid in 1..=processes {
        let process = folder.path().join(format!("proc/{pid}"));
        std::fs::create_dir_all(&process).unwrap();
        let stat =
            format!("{pid} (idle) S 1 1 1 0 -1 0 5 0 0 0 3 4 0 0 20 0 1 0 7 4096 {pid} {}\n", ["0"; 28].join(" "));
        std::fs::write(process.join("stat"), stat).unwrap();
        std::fs::write(process.join("io"), "rchar: 0\nread_bytes: 0\nwrite_bytes: 0\n").unwrap();
    }
    folder
}

/// One test, so that no other thread allocates meanwhile, and with no process beside it, because one that comes is a new entity.
#[test]
fn a_hundred_samples_allocate_nothing() {
    if std::process::id() != 1 {
        let own = std::env::current_exe().unwrap();
        let alone = Command::new("unshare")
            .args(["--pid", "--fork", "--kill-child", "--mount-proc"])
            .arg(own)
            .args(["--exact", "a_hundred_samples_allocate_nothing"])
            .output()
            .unwrap();
        assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stdout));
        return;
    }
    assert!(counting::allocations() > 0, "the allocator counts");
    let cgroup = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"].into_iter().map(PathBuf::from);
    let tree = Watch {
        cgroups: cgroup.filter(|path| path.join("memory.stat").exists()).collect(),
        processes: Processes::Tree(vec![std::process::id()]),
        ..Watch::default()
    };
    let recorder = Watch::flight_recorder(&Root::host()).unwrap();
    for watch in [tree, recorder] {
        // Groups and disks that come and go during a hundred samples cannot be helped: try again when they do.
        let counts = (0..20).map(|_| count(&Root::host(), &watch, 15));
        let counts: Vec<u64> =
            counts.scan(false, |done, count| (!std::mem::replace(done, count == 0)).then_some(count)).collect();
        assert!(counts.contains(&0), "allocations in 100 samples, some times over: {counts:?}, {watch:?}");
    }
    let folder = machine(5000);
    let watch = Watch { processes: Processes::Top(Top { processes: 600, ..Top::default() }), ..Watch::default() };
    // Everybody has a turn within nine samples, and rows linger for ten.
    assert_eq!(count(&Root::new(folder.path()), &watch, 30), 0, "with 5000 processes");
}
