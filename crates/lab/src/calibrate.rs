//! What a disk can do, measured in minutes: the `[[machine.disk]]` block of a disk like it.

mod derive;
mod disk;
mod measured;

pub use measured::{Measured, Work};

use disk::Target;
use measured::PLAN;
use pagetide_core::{Bytes, DiskSpec, Error, Nanos, Progress, Scenario};
use std::fmt::Write;
use std::path::PathBuf;

/// What is measured.
#[derive(Debug, Clone)]
pub struct CalibrationRequest {
    /// A folder on the disk, or a block device, which is only read.
    pub place: PathBuf,
    /// What the disk is called in the block.
    pub name: String,
    /// Bytes of the file that is read and written.
    pub size: Bytes,
    /// How long it takes, but for writing the file.
    pub time: Nanos,
}

/// A disk that was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrated {
    /// The disk.
    pub disk: DiskSpec,
    /// What was measured.
    pub points: Vec<Measured>,
    /// What the numbers do not say, a sentence each.
    pub notes: Vec<String>,
}

impl Calibrated {
    /// The block for a scenario.
    pub fn block(&self) -> String {
        let disk = &self.disk;
        let mut text = format!("[[machine.disk]]\nname = \"{}\"\nsize = \"{}B\"\n", disk.name, disk.size.get());
        // Writing to a text does not fail.
        let mut line = |key: &str, value: Option<String>| value.map(|value| writeln!(text, "{key} = {value}"));
        line("iops", disk.iops.map(|iops| iops.to_string()));
        line("bandwidth", disk.bandwidth.map(|rate| format!("\"{}B/s\"", rate.get())));
        line("latency", disk.latency.map(|time| format!("\"{}ns\"", time.get())));
        line("write_latency", disk.write_latency.map(|time| format!("\"{}ns\"", time.get())));
        line("flush", disk.flush.map(|time| format!("\"{}ns\"", time.get())));
        line("read_ahead", disk.read_ahead.map(|size| format!("\"{}B\"", size.get())));
        text
    }
}

/// Refuses a name that no scenario takes before it measures for minutes.
fn check_name(name: &str) -> Result<(), Error> {
    let text = format!(
        "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n[[machine.disk]]\nname = {}\n\
         size = \"1GiB\"\n[[step]]\nid = \"A\"\nsleep = \"1s\"\n",
        toml::Value::from(name)
    );
    Scenario::parse(&text, "--name").map(drop)
}

/// Measures a disk.
///
/// # Errors
/// The place is not one, its file system cannot bypass the page cache, the disk is full or fails, or the user interrupted.
pub fn calibrate(request: &CalibrationRequest, progress: &mut dyn Progress) -> Result<Calibrated, Error> {
    check_name(&request.name)?;
    let target = Target::open(&request.place, request.size)?;
    let works: Vec<(Work, Bytes, u32)> = PLAN
        .iter()
        .filter(|(work, ..)| target.is_writable() || !work.writes())
        .flat_map(|(work, size, depths)| depths.iter().map(|depth| (*work, *size, *depth)))
        .collect();
    let time = Nanos::new(request.time.get() / works.len() as u64);
    let steps = works.len() + usize::from(target.is_writable());
    if target.is_writable() {
        progress.step(1, steps, "file", &format!("write a file of {} in {}", target.size(), request.place.display()));
        target.fill(progress)?;
        progress.step_done("");
    }
    let mut points = Vec::with_capacity(works.len());
    for (at, (work, size, depth)) in works.iter().enumerate() {
        let (number, words) = (steps - works.len() + at + 1, format!("{} {size}, {depth} at once", work.name()));
        progress.step(number, steps, "measure", &words);
        let measured = target.measure(*work, *size, *depth, time, progress)?;
        progress.step_done(&format!("{:.0}/s, median {}", measured.per_second, measured.median));
        points.push(measured);
    }
    let (disk, mut notes) = derive::disk(&request.name, target.device_size(), target.read_ahead(), &points);
    if !target.is_writable() {
        notes.push(
            "A block device is not written: writes and flushes were not measured. Name a folder on it.".to_owned(),
        );
    }
    Ok(Calibrated { disk, points, notes })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Quiet(bool);

    impl Progress for Quiet {
        fn step(&mut self, _: usize, _: usize, _: &str, _: &str) {}
        fn update(&mut self, _: Option<f64>, _: Option<Nanos>, _: &str) {}
        fn step_done(&mut self, _: &str) {}
        fn say(&mut self, _: &str) {}
        fn interrupted(&self) -> bool {
            self.0
        }
    }

    fn request(place: &std::path::Path, time: u64) -> CalibrationRequest {
        let size = Bytes::new(64 << 20);
        CalibrationRequest { place: place.to_owned(), name: "data".to_owned(), size, time: Nanos::new(time) }
    }

    /// A folder on a disk.
    fn folder() -> tempfile::TempDir {
        tempfile::tempdir_in("/var/tmp").unwrap()
    }

    #[test]
    fn a_real_disk_gets_a_block_that_a_scenario_takes() {
        let folder = folder();
        let found = match calibrate(&request(folder.path(), 800_000_000), &mut Quiet(false)) {
            Ok(found) => found,
            // A build on tmpfs or in a container's overlay without O_DIRECT.
            Err(error) => return assert!(error.what.contains("page cache"), "{error}"),
        };
        assert_eq!(found.points.len(), 16);
        assert!(found.points.iter().all(|point| point.per_second > 0.0 && point.p99 >= point.median), "{found:?}");
        let text = format!(
            "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n{}\
             [[step]]\nid = \"A\"\nsleep = \"1s\"\n",
            found.block()
        );
        let scenario = Scenario::parse(&text, "t.toml").unwrap();
        assert_eq!(scenario.machine.disks, [found.disk], "{text}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing stays");
    }

    #[test]
    fn who_interrupts_it_gets_his_disk_back() {
        let folder = folder();
        let error = calibrate(&request(folder.path(), 3_600_000_000_000), &mut Quiet(true)).unwrap_err();
        assert!(error.what.contains("interrupted") || error.what.contains("page cache"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_that_somebody_put_where_its_own_would_be_stays() {
        let folder = folder();
        let planted = folder.path().join(format!(".pagetide-calibrate-{}", std::process::id()));
        std::fs::write(&planted, "theirs").unwrap();
        let error = calibrate(&request(folder.path(), 1), &mut Quiet(false)).unwrap_err();
        assert!(error.what.contains("exists"), "{error}");
        assert_eq!(std::fs::read_to_string(&planted).unwrap(), "theirs");
    }

    #[test]
    fn a_name_that_no_scenario_takes_is_refused_at_once() {
        let place = std::path::Path::new("/var/tmp");
        let named = CalibrationRequest { name: "../x\"\n[y]".to_owned(), ..request(place, 1) };
        let error = calibrate(&named, &mut Quiet(false)).unwrap_err();
        assert!(error.what.contains("--name"), "{error}");
    }

    #[test]
    fn a_place_that_cannot_be_measured_is_one_line() {
        for (place, words) in [("/nowhere", "No such file"), ("/proc/version", "neither a folder nor a block device")] {
            let error = calibrate(&request(std::path::Path::new(place), 1), &mut Quiet(false)).unwrap_err();
            assert!(error.what.contains(words), "{error}");
            assert!(!error.to_string().contains('\n'));
        }
    }
}
