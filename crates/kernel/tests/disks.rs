//! Disks that come, go and come again, and counters that fall: what is recorded, and what is computed from it.

use pagetide_core::{Manifest, Recording, RecordingBuilder, Sample, Schema, Table};
use pagetide_kernel::{Root, Sampler, Watch};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A sampler, and the recording that its samples make, a second apart.
struct Recorder {
    sampler: Sampler,
    schema: Schema,
    sample: Sample,
    builder: RecordingBuilder,
}

impl Recorder {
    fn new(root: &Root) -> Self {
        let sampler = Sampler::new(root, Watch::default()).unwrap();
        let builder = RecordingBuilder::new(Manifest::default());
        Self { sampler, schema: Schema::default(), sample: Sample::default(), builder }
    }

    fn sample(&mut self) {
        self.sample.stamp.boot_ns += 1_000_000_000;
        self.sampler.sample(&mut self.schema, &mut self.sample).unwrap();
        self.builder.sample(&self.schema, &self.sample);
    }

    fn has(&self, disk: &str) -> bool {
        let entity = self.schema.find_entity(Table::Disk, disk);
        self.sample.table(Table::Disk).is_some_and(|rows| rows.rows().any(|(row, _)| Some(row) == entity))
    }
}

fn values(recording: &Recording, disk: &str, metric: &str) -> Vec<i64> {
    recording.disk(disk, metric).unwrap().points().map(|(_, value)| value).collect()
}

#[test]
fn counters_are_recorded_as_they_are_and_a_fall_counts_from_zero() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("proc/diskstats");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mut recorder = None;
    // read_ms wraps at 32 bits on old kernels (unsigned int in block/genhd.c); then sda is pulled, and another one plugged in.
    for text in [
        "8 0 sda 10 0 80 4294967290 0 0 0 0 0 0 0\n",
        "8 0 sda 12 0 96 4 0 0 0 0 0 0 0\n",
        "8 16 sdb 1 0 8 1 0 0 0 0 0 0 0\n",
        "8 16 sdb 1 0 8 1 0 0 0 0 0 0 0\n8 0 sda 3 0 24 7 0 0 0 0 0 0 0\n",
    ] {
        std::fs::write(&file, text).unwrap();
        recorder.get_or_insert_with(|| Recorder::new(&Root::new(folder.path()))).sample();
    }
    let recording = recorder.unwrap().builder.finish();
    assert_eq!(values(&recording, "sda", "read_ms"), [4_294_967_290, 4, 7], "as the kernel says it");
    assert_eq!(values(&recording, "sda", "reads"), [10, 12, 3]);
    let sda = |metric| recording.disk("sda", metric).unwrap();
    let second = 1_000_000_000;
    assert_eq!(sda("read_ms").rise(second, 2 * second), Some(4), "at least so much: not 2^32 and not negative");
    assert_eq!(sda("reads").rise(second, 4 * second), Some(2 + 3), "the other disk counts from 0");
    assert_eq!(sda("read_ms").rates().len(), 1, "there is no rate over a fall");
    let moments: Vec<i64> = sda("reads").points().map(|(at, _)| at / second).collect();
    assert_eq!(moments, [1, 2, 4], "no value while it was gone");
    assert_eq!(values(&recording, "sdb", "reads"), [1, 1]);
}

const ADD: u32 = 0x4c80;
const REMOVE: u32 = 0x4c81;

/// Asks the loop driver to make or remove a device (include/uapi/linux/loop.h).
fn control(request: u32, number: u32) -> bool {
    let program = format!("import fcntl; fcntl.ioctl(open('/dev/loop-control'), {request}, {number})");
    let run = Command::new("python3").args(["-c", &program]).output().expect("apt-get install python3");
    run.status.success()
}

fn losetup(arguments: &[&str]) {
    let run = Command::new("losetup").args(arguments).output().expect("apt-get install mount");
    assert!(run.status.success(), "run as root: {}", String::from_utf8_lossy(&run.stderr));
}

/// A loop device that is removed in the end.
struct Loop(u32);

impl Loop {
    fn path(&self) -> PathBuf {
        format!("/dev/loop{}", self.0).into()
    }

    fn unplug(&self) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !control(REMOVE, self.0) {
            assert!(Instant::now() < deadline, "{} is busy", self.path().display());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        if Path::new(&format!("/sys/block/loop{}", self.0)).exists() {
            let _ = Command::new("losetup").arg("-d").arg(self.path()).output();
            control(REMOVE, self.0);
        }
    }
}

#[test]
fn a_loop_device_is_recorded_while_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    std::fs::write(&image, vec![7; 1 << 20]).unwrap();
    let device = Loop(100_000 + std::process::id() % 100_000);
    let name = format!("loop{}", device.0);
    let mut recorder = Recorder::new(&Root::host());
    recorder.sample();
    assert!(!recorder.has(&name));
    for _ in 0..2 {
        assert!(control(ADD, device.0), "cannot add {name}: run as root, with the loop driver (modprobe loop)");
        recorder.sample();
        assert!(recorder.has(&name), "plugged in");
        let path = device.path();
        losetup(&[path.to_str().unwrap(), image.to_str().unwrap()]);
        std::fs::read(&path).unwrap();
        recorder.sample();
        losetup(&["-d", path.to_str().unwrap()]);
        device.unplug();
        recorder.sample();
        assert!(!recorder.has(&name), "unplugged");
    }
    let recording = recorder.builder.finish();
    let sectors = values(&recording, &name, "read_sectors");
    assert!(sectors.len() == 4 && sectors[1] >= 2048 && sectors[3] >= 2048, "{sectors:?}");
    let series = recording.disk(&name, "read_sectors").unwrap();
    let expected = (sectors[1] - sectors[0]) + sectors[2].min(sectors[3]) + (sectors[3] - sectors[2]);
    assert_eq!(series.rise(0, i64::MAX), Some(expected), "both reads count, and nothing twice: {sectors:?}");
}
