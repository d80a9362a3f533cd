//! What the recorder says when it is asked how it goes.

use super::http::Answer;
use super::metrics::{self, Reading};
use pagetide_core::{Nanos, Stamp};
use pagetide_kernel::Root;
use pagetide_recorder::{Monitor, now};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The paths that are answered.
pub(super) const STATUS: &str = "/status";
const METRICS: &str = "/metrics";

/// How a running recording goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Status {
    /// The recording process.
    pub(super) pid: u32,
    pub(super) recording: PathBuf,
    pub(super) interval_ns: u64,
    /// How long it has been recording.
    pub(super) running_ns: u64,
    pub(super) samples: u64,
    pub(super) late_samples: u64,
    pub(super) lost_samples: u64,
    /// Samples and marks that wait to be written.
    pub(super) waiting: u64,
    pub(super) last_sample_age_ns: u64,
    /// Why nothing can be written at present; absent when it can.
    pub(super) refused: Option<String>,
    /// CPU time of the whole process.
    pub(super) cpu_ns: u64,
    pub(super) resident_bytes: Option<u64>,
    pub(super) peak_resident_bytes: Option<u64>,
}

/// Knows what to answer.
#[derive(Debug)]
pub(super) struct Answers {
    folder: PathBuf,
    interval: Nanos,
    monitor: Monitor,
    began: Stamp,
    /// Whose metrics these are.
    root: Root,
    /// Made when metrics are asked for the first time.
    reading: Option<Reading>,
}

impl Answers {
    pub(super) fn new(folder: &Path, interval: Nanos, monitor: Monitor, root: Root) -> Self {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        Self { folder, interval, monitor, began: now(), root, reading: None }
    }

    /// What stands at `path`.
    pub(super) fn to(&mut self, path: &str) -> Answer {
        match path {
            METRICS => {
                let status = self.status();
                let body = metrics::page(&self.root, &mut self.reading, &status, self.began.wall_ns);
                Answer { status: "200 OK", kind: metrics::CONTENT_TYPE, body }
            }
            STATUS => {
                let body = serde_json::to_string(&self.status()).unwrap_or_default() + "\n";
                Answer { status: "200 OK", kind: "application/json", body }
            }
            "/" => Answer::text("200 OK", format!("pagetide record: {METRICS} for Prometheus, {STATUS} as JSON\n")),
            _ => Answer::text("404 Not Found", format!("there is {METRICS} and {STATUS}\n")),
        }
    }

    fn status(&self) -> Status {
        let progress = self.monitor.progress();
        let now = now();
        let since = |stamp: Stamp| u64::try_from(now.boot_ns - stamp.boot_ns).unwrap_or(0);
        let memory = Root::host().process_status(std::process::id()).ok();
        let field = |name| memory.as_ref().and_then(|memory| memory.get(name)).map(|bytes| bytes.get());
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        Status {
            pid: std::process::id(),
            recording: self.folder.clone(),
            interval_ns: self.interval.get(),
            running_ns: since(self.began),
            samples: progress.samples,
            late_samples: progress.late,
            lost_samples: progress.lost,
            waiting: progress.waiting,
            last_sample_age_ns: since(progress.last),
            refused: progress.refused.map(|error| error.to_string()),
            cpu_ns: u64::try_from(cpu.tv_sec * 1_000_000_000 + cpu.tv_nsec).unwrap_or(0),
            resident_bytes: field("VmRSS"),
            peak_resident_bytes: field("VmHWM"),
        }
    }
}
