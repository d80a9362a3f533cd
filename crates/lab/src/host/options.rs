//! How the host backend runs scenarios.

use pagetide_core::Nanos;
use std::path::PathBuf;

/// How the host is made as small as the scenario's machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shrink {
    /// The work runs in a memory control group of that size.
    #[default]
    Cgroup,
    /// The host's other memory is held by a process, never below 1 GiB available.
    Hold,
    /// Not at all.
    None,
}

/// How the host backend runs scenarios.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// How the host is made smaller.
    pub shrink: Shrink,
    /// Limits the disk under the work folder to the scenario's limits. This slows every user of that disk.
    pub limit_device: bool,
    /// An existing folder on the disk that is to be measured; data files go to a new folder in it.
    pub work_dir: PathBuf,
    /// An existing folder in which fio's own results are left.
    pub results: PathBuf,
    /// Leaves the data files where they are.
    pub keep_data: bool,
    /// fio: a path, or a name to be found in `PATH`.
    pub fio: PathBuf,
    /// Time between two samples.
    pub interval: Nanos,
    /// The folder of the undo journal and of the lock that lets one run at a time; [`crate::undo::folder`], where `lab` and
    /// `undo` look for journals of killed runs, when absent.
    pub state: Option<PathBuf>,
}

impl HostOptions {
    /// The usual options, with data in `work_dir` and fio's results in `results`.
    pub fn new(work_dir: impl Into<PathBuf>, results: impl Into<PathBuf>) -> Self {
        Self {
            shrink: Shrink::default(),
            limit_device: false,
            work_dir: work_dir.into(),
            results: results.into(),
            keep_data: false,
            fio: "fio".into(),
            interval: Nanos::new(100_000_000),
            state: None,
        }
    }
}
