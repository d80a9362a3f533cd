//! Which disks lie under a file: on trees of sysfs made here, and through a real loop device (needs root and losetup).

use pagetide_kernel::{Error, Root, cached, device};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// A sysfs with a disk of two partitions, a mirror of partitions of two disks, an LVM volume on it, and a circle.
fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let sys = folder.path().join("sys");
    let make = |path: &str, number: &str, slaves: &[&str]| {
        let device = sys.join("devices").join(path);
        std::fs::create_dir_all(device.join("slaves")).unwrap();
        for slave in slaves {
            symlink(sys.join("devices").join(slave), device.join("slaves").join(slave.rsplit('/').next().unwrap()))
                .unwrap();
        }
        std::fs::create_dir_all(sys.join("dev/block")).unwrap();
        symlink(&device, sys.join("dev/block").join(number)).unwrap();
        if path.contains('/') {
            std::fs::write(device.join("partition"), "1\n").unwrap();
        }
    };
    make("sda", "8:0", &[]);
    make("sda/sda1", "8:1", &[]);
    make("sdb", "8:16", &[]);
    make("sdb/sdb1", "8:17", &[]);
    make("cciss!c0d0", "104:0", &[]);
    make("md0", "9:0", &["sda/sda1", "sdb/sdb1"]);
    make("dm-0", "253:0", &["md0", "sda"]);
    make("dm-1", "253:1", &["dm-2"]);
    make("dm-2", "253:2", &["dm-1"]);
    folder
}

#[test]
fn partitions_mirrors_and_volumes_lead_to_their_disks() {
    let tree = tree();
    let root = Root::new(tree.path());
    let below = |device| device::below(&root, device).unwrap();
    assert_eq!(below((8, 0)), ["sda"]);
    assert_eq!(below((8, 17)), ["sdb"]);
    assert_eq!(below((9, 0)), ["sda", "sdb"]);
    assert_eq!(below((253, 0)), ["sda", "sdb"], "each disk once");
    assert_eq!(below((104, 0)), ["cciss/c0d0"]);
    assert!(device::below(&root, (253, 1)).unwrap_err().to_string().contains("in a loop"));
    assert!(device::below(&root, (1, 2)).unwrap_err().is_absent());
}

#[test]
fn memory_has_no_disk() {
    let error = device::under(&Root::host(), Path::new("/dev/shm")).unwrap_err();
    assert!(matches!(&error, Error::NoDevice { on, .. } if on == "tmpfs"), "{error}");
    assert!(device::under(&Root::host(), Path::new("/proc/meminfo")).is_err());
}

#[test]
fn a_file_lies_on_a_disk_of_diskstats() {
    let root = Root::host();
    let names: Vec<String> = root.diskstats().unwrap().into_iter().map(|disk| disk.name).collect();
    let file = tempfile::NamedTempFile::new_in("/var/tmp").unwrap();
    let disks = device::under(&root, file.path()).unwrap();
    assert!(!disks.is_empty() && disks.iter().all(|disk| names.contains(disk)), "{disks:?}");
}

#[test]
fn a_loop_device_lies_on_the_disk_of_its_file() {
    let root = Root::host();
    let mut file = tempfile::NamedTempFile::new_in("/var/tmp").unwrap();
    file.write_all(&[1; 1 << 20]).unwrap();
    let wanted = device::under(&root, file.path()).unwrap();
    let output = Command::new("losetup").args(["--find", "--show"]).arg(file.path()).output();
    let output = output.expect("losetup is missing: apt-get install mount");
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "losetup: {why} (run the tests as root, with loop devices)");
    let node = String::from_utf8(output.stdout).unwrap();
    let found = device::under(&root, Path::new(node.trim_end()));
    assert!(Command::new("losetup").args(["--detach", node.trim_end()]).status().unwrap().success());
    assert_eq!(found.unwrap(), wanted);
}

#[test]
fn what_was_just_written_is_cached_and_what_was_dropped_is_not() {
    let mut file = tempfile::NamedTempFile::new_in("/var/tmp").unwrap();
    file.write_all(&vec![7; (1 << 20) + 100]).unwrap();
    assert_eq!(cached::bytes(file.path()).unwrap().get(), (1 << 20) + 100);
    let pages = cached::pages(file.path()).unwrap();
    if let Some(pages) = pages {
        let page = u64::try_from(rustix::param::page_size()).unwrap();
        assert_eq!(pages.cached.get(), ((1 << 20) + 100u64).div_ceil(page));
        assert!(pages.dirty.get() + pages.writeback.get() <= pages.cached.get());
    }
    file.as_file().sync_all().unwrap();
    rustix::fs::fadvise(file.as_file(), 0, None, rustix::fs::Advice::DontNeed).unwrap();
    assert_eq!(cached::bytes(file.path()).unwrap().get(), 0);
    assert_eq!(cached::resident_bytes(file.path()).unwrap().get(), 0);
    let mut whole = Vec::new();
    std::io::Read::read_to_end(&mut std::fs::File::open(file.path()).unwrap(), &mut whole).unwrap();
    assert_eq!(cached::resident_bytes(file.path()).unwrap().get(), (1 << 20) + 100, "mincore says so too");
    assert!(cached::bytes(Path::new("/nonexistent")).is_err());
}
