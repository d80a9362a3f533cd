//! Snapshots of /proc and /sys that `tools/compare-sar --snapshots` records, and replaying them to sadc and to the recorder's sampler.

use pagetide_core::{LocalClock, Manifest, Nanos, Recording, RecordingBuilder, Sample, Schema, Stamp};
use pagetide_kernel::{Root, Sampler, Watch};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// One moment: files and links by their absolute path; a path that ends with a slash is a folder.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    files: Vec<(String, String)>,
    links: Vec<(String, String)>,
    folders: Vec<String>,
}

impl Snapshot {
    /// The snapshots of a file: behind each line `### NUMBER PATH` the content.
    pub(crate) fn all(text: &str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for part in text.split("### ").skip(1) {
            let (head, content) = part.split_once('\n').unwrap();
            let (number, path) = head.split_once(' ').unwrap();
            all.resize_with(number.parse::<usize>().unwrap() + 1, Self::default);
            let snapshot = all.last_mut().unwrap();
            match path.split_once(" -> ") {
                Some((link, target)) => snapshot.links.push((link.to_owned(), target.to_owned())),
                None if path.ends_with('/') => snapshot.folders.push(path.to_owned()),
                None => snapshot.files.push((path.to_owned(), content.to_owned())),
            }
        }
        all
    }

    /// The same moment without one CPU: its line is gone, and its idle time from the line of all.
    pub(crate) fn without_cpu(&self, number: &str) -> Self {
        let mut edited = self.clone();
        let (_, stat) = edited.files.iter_mut().find(|(path, _)| path == "/proc/stat").unwrap();
        let field = |line: &str, at: usize| line.split_whitespace().nth(at).unwrap().parse::<u64>().unwrap();
        let gone = stat.lines().find(|line| line.starts_with(&format!("cpu{number} "))).unwrap().to_owned();
        let all = stat.lines().next().unwrap();
        let mut words: Vec<String> = all.split_whitespace().map(str::to_owned).collect();
        for at in [4, 5] {
            words[at] = (field(all, at) - field(&gone, at).min(field(all, at))).to_string();
        }
        let lines = stat.lines().skip(1).filter(|line| **line != gone);
        *stat = std::iter::once(words.join(" ").as_str()).chain(lines).map(|line| format!("{line}\n")).collect();
        edited
    }

    /// Since boot, ns: what `/proc/uptime` says, which is also what sadc divides by.
    fn uptime_ns(&self) -> i64 {
        let (_, text) = self.files.iter().find(|(path, _)| path == "/proc/uptime").unwrap();
        let (seconds, hundredths) = text.split_whitespace().next().unwrap().split_once('.').unwrap();
        let number = |text: &str| text.parse::<i64>().unwrap();
        (number(seconds) * 100 + number(hundredths)) * 10_000_000
    }

    /// Writes it below a folder: files in place, since readers keep them open; folders and links anew.
    fn write(&self, root: &Path) {
        let below = |path: &str| root.join(path.trim_start_matches('/'));
        for folder in ["/sys/block", "/sys/dev/block"] {
            let _ = fs::remove_dir_all(below(folder));
            fs::create_dir_all(below(folder)).unwrap();
        }
        self.folders.iter().for_each(|path| fs::create_dir_all(below(path)).unwrap());
        for (link, target) in &self.links {
            std::os::unix::fs::symlink(target, below(link)).unwrap();
        }
        for (path, content) in &self.files {
            fs::create_dir_all(below(path).parent().unwrap()).unwrap();
            fs::write(below(path), content).unwrap();
        }
    }

    /// The sector and device folders are mounted as one, files one by one.
    fn mounts(&self) -> Vec<String> {
        let files = self.files.iter().map(|(path, _)| path.clone());
        files.chain(["/sys/block".to_owned(), "/sys/dev/block".to_owned()]).collect()
    }
}

/// What pagetide and sadc make of the same snapshots.
pub(crate) struct Replayed {
    pub(crate) recording: Recording,
    /// `sadf -j` of what sadc wrote: one object for each interval.
    pub(crate) sar: Vec<Value>,
}

/// Gives each snapshot first to the sampler, then to sadc in a private mount namespace.
pub(crate) fn replay(snapshots: &[Snapshot]) -> Replayed {
    let folder = tempfile::tempdir().unwrap();
    let (root, sadc) = (folder.path().join("root"), folder.path().join("sa"));
    snapshots[0].write(&root);
    let mut sampler = Sampler::new(&Root::new(&root), Watch::default()).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    let interval = Nanos::new((snapshots[1].uptime_ns() - snapshots[0].uptime_ns()).unsigned_abs());
    let mut builder = RecordingBuilder::new(Manifest { interval, ..Manifest::default() });
    for snapshot in snapshots {
        snapshot.write(&root);
        sampler.sample(&mut schema, &mut sample).unwrap();
        let at = snapshot.uptime_ns();
        sample.stamp = Stamp { boot_ns: at, mono_ns: at, wall_ns: at };
        builder.sample(&schema, &sample);
        let binds =
            snapshot.mounts().into_iter().map(|path| format!("mount --bind {}{path} {path} && ", root.display()));
        let script = binds.collect::<String>() + &format!("exec /usr/lib/sysstat/sadc -S XALL 1 1 {}", sadc.display());
        let run = Command::new("unshare").args(["-m", "sh", "-c", &script]).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }
    Replayed { recording: builder.finish(), sar: sadf(&sadc) }
}

/// The samples that `sadf -j` prints of a file of sadc.
pub(crate) fn sadf(file: &Path) -> Vec<Value> {
    let run = Command::new("sadf").arg("-j").arg(file).args(["--", "-A"]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let json: Value = serde_json::from_slice(&run.stdout).unwrap();
    json["sysstat"]["hosts"][0]["statistics"].as_array().unwrap().clone()
}

/// The wall clock of a sample of `sadf -j`, ns.
pub(crate) fn wall_ns(sample: &Value) -> Option<i64> {
    let (date, time) = (sample["timestamp"]["date"].as_str()?, sample["timestamp"]["time"].as_str()?);
    LocalClock::utc().parse(&format!("{date}T{time}Z"), &[]).ok()
}
