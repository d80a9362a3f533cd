//! Runs scenarios in tests: a sink that remembers, a progress that is silent, a tiny scenario.

use pagetide_core::{
    Backend, Error, Manifest, Mark, MarkKind, Nanos, Progress, RunRequest, RunResult, Sample, Scale, Scenario, Schema,
    Sink,
};
use pagetide_lab::backend;
use pagetide_lab::host::HostOptions;
use pagetide_lab::undo::{HostLock, recover};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// What a sink has taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) samples: usize,
    /// The schema and the values of the last sample.
    pub(crate) schema: Schema,
    pub(crate) last: Sample,
    pub(crate) marks: Vec<MarkKind>,
    pub(crate) manifest: Manifest,
    pub(crate) finished: bool,
}

/// Keeps what it takes; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(pub(crate) Arc<Mutex<Seen>>);

impl Sink for Memory {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.0.lock().unwrap().manifest = manifest.clone();
        Ok(())
    }
    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        let mut seen = self.0.lock().unwrap();
        seen.samples += 1;
        seen.schema = schema.clone();
        seen.last = sample.clone();
        Ok(())
    }
    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        self.0.lock().unwrap().marks.push(mark.kind.clone());
        Ok(())
    }
    fn finish(&mut self, manifest: &Manifest) -> Result<(), Error> {
        let mut seen = self.0.lock().unwrap();
        seen.manifest = manifest.clone();
        seen.finished = true;
        Ok(())
    }
}

/// Keeps the lines, and is interrupted in the step of this id, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Quiet {
    pub(crate) stop_in: Option<&'static str>,
    pub(crate) step: String,
    pub(crate) said: Vec<String>,
    /// A file that is read when a step begins, and what it held.
    pub(crate) look_at: Option<std::path::PathBuf>,
    pub(crate) held: Vec<String>,
}

impl Progress for Quiet {
    fn step(&mut self, _: usize, _: usize, id: &str, _: &str) {
        self.step = id.to_owned();
        self.held.extend(self.look_at.iter().filter_map(|path| std::fs::read_to_string(path).ok()));
    }
    fn update(&mut self, _: Option<f64>, _: Option<Nanos>, _: &str) {}
    fn step_done(&mut self, note: &str) {
        self.said.push(note.to_owned());
    }
    fn say(&mut self, line: &str) {
        self.said.push(line.to_owned());
    }
    fn interrupted(&self) -> bool {
        self.stop_in == Some(self.step.as_str())
    }
}

/// Runs a scenario at full scale.
pub(crate) fn run(
    backend: &mut dyn Backend,
    scenario: &Scenario,
    progress: &mut Quiet,
) -> (Result<RunResult, Error>, Memory) {
    let sink = Memory::default();
    let request = RunRequest { scenario: scenario.clone(), scale: Scale::FULL, seed: 7 };
    (backend::run(backend, &request, Box::new(sink.clone()), progress), sink)
}

/// A folder on a disk, for data and results.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("lab-test").tempdir_in("/var/tmp").unwrap()
}

/// The options of a run in a folder, whose lock is apart from the product's.
pub(crate) fn options(folder: &Path) -> HostOptions {
    HostOptions { state: Some(folder.to_owned()), ..HostOptions::new(folder, folder) }
}

/// Only one test changes the host at a time: the lock is the product's own.
pub(crate) fn alone() -> HostLock {
    let lock = HostLock::wait().expect("these tests run as root");
    recover().unwrap();
    lock
}

/// A machine of 96 MiB of which 64 MiB are for the work, and these steps.
pub(crate) fn scenario(steps: &str) -> Scenario {
    let head = "id = \"tiny\"\ntitle = \"tiny\"\nsource = \"a test\"\n[machine]\ncpus = 1\nmemory = \"96MiB\"\nsystem = \"32MiB\"\n\
                sysctl = { \"vm.dirty_ratio\" = 30, \"vm.swappiness\" = 33 }\n[[machine.disk]]\nname = \"data\"\nsize = \"1GiB\"\n";
    Scenario::parse(&format!("{head}{steps}"), "tiny.toml").unwrap()
}

/// All settings under /proc/sys/vm that can be read, as one text, and the control groups of this process's runs.
pub(crate) fn settings() -> String {
    let mut all: Vec<String> = std::fs::read_dir("/proc/sys/vm")
        .unwrap()
        .flatten()
        .filter_map(|entry| Some(format!("{:?} {}", entry.file_name(), std::fs::read_to_string(entry.path()).ok()?)))
        .collect();
    all.sort();
    all.concat()
}

/// The control groups that the lab has made under any hierarchy for a process.
pub(crate) fn groups(pid: u32) -> Vec<std::path::PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let points = mounts.lines().filter(|line| line.starts_with("cgroup")).filter_map(|line| line.split(' ').nth(1));
    points
        .map(|point| std::path::Path::new(point).join(format!("pagetide-{pid}")))
        .filter(|path| path.exists())
        .collect()
}
