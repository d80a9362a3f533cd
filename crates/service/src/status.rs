//! The state of a running recording.

use pagetide_core::{Manifest, Nanos, Stamp};
use pagetide_kernel::Root;
use pagetide_recorder::{Monitor, Recorder, now};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The state of a running recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The recording process.
    pub pid: u32,
    /// The recording's folder, as text: other bytes than UTF-8 of its name are replaced.
    pub recording: String,
    /// Time between samples, as requested.
    pub interval_ns: u64,
    /// Time since the recorder started.
    pub running_ns: u64,
    /// Samples taken.
    pub samples: u64,
    /// Samples late by more than half an interval.
    pub late_samples: u64,
    /// Samples that were due and not taken.
    #[serde(default)]
    pub missed_samples: u64,
    /// Samples that were taken and are not kept: they could not be written in time, or somebody removed the file that had them.
    pub lost_samples: u64,
    /// Samples and marks that wait to be written.
    pub waiting: u64,
    /// Time since the last sample was taken.
    pub last_sample_age_ns: u64,
    /// Why samples cannot be written at present; absent while they are.
    pub refused: Option<String>,
    /// What the recorder cannot see: it has no right to, the kernel does not count it, or there is too much of it.
    #[serde(default)]
    pub blind: Vec<String>,
    /// CPU time of the whole process.
    pub cpu_ns: u64,
    /// Resident memory of the process.
    pub resident_bytes: Option<u64>,
    /// The most that it has been.
    pub peak_resident_bytes: Option<u64>,
}

/// Reads the [`Status`] of this process's recorder.
#[derive(Debug)]
pub(crate) struct StatusSource {
    folder: PathBuf,
    interval: Nanos,
    monitor: Monitor,
    started: Stamp,
    blind: Vec<String>,
}

impl StatusSource {
    /// The recorder that `monitor` watches; it starts now.
    pub(crate) fn new(folder: &Path, recorder: &Recorder) -> Self {
        let (interval, blind) = (recorder.manifest().interval, recorder.manifest().blind());
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        Self { folder, interval, monitor: recorder.monitor(), started: now(), blind }
    }

    /// Wall clock of the recorder's start.
    pub(crate) fn started_wall_ns(&self) -> i64 {
        self.started.wall_ns
    }

    /// The state now.
    pub(crate) fn read(&self) -> Status {
        let progress = self.monitor.progress();
        let now = now();
        let since = |stamp: Stamp| u64::try_from(now.boot_ns - stamp.boot_ns).unwrap_or(0);
        let memory = Root::host().process_status(std::process::id()).ok();
        let field = |name| memory.as_ref().and_then(|memory| memory.get(name)).map(|bytes| bytes.get());
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        Status {
            pid: std::process::id(),
            recording: self.folder.display().to_string(),
            interval_ns: self.interval.get(),
            running_ns: since(self.started),
            samples: progress.samples,
            late_samples: progress.late,
            missed_samples: progress.missed,
            lost_samples: progress.lost,
            waiting: progress.waiting,
            last_sample_age_ns: since(progress.last),
            refused: progress.refused.map(|error| error.to_string()),
            blind: self.blind.iter().cloned().chain(Manifest::blind_groups(progress.skipped_groups)).collect(),
            cpu_ns: u64::try_from(cpu.tv_sec * 1_000_000_000 + cpu.tv_nsec).unwrap_or(0),
            resident_bytes: field("VmRSS"),
            peak_resident_bytes: field("VmHWM"),
        }
    }
}
