//! One view of memory for a recording, whether the work ran on the whole host or in one control group of it.
//!
//! On a shrunk host (see the lab's host backend) the machine that matters is the group; the host's own
//! `/proc/meminfo` says nothing about its limit. Rules and plots ask this module and need not know.

use crate::metric::Table;
use crate::recording::{Recording, Series};

/// The series that describe memory, all gauges in bytes, each absent when the recording lacks it.
#[derive(Debug, Clone)]
pub struct Memory<'a> {
    /// The control group, when the work ran in one.
    pub cgroup: Option<String>,
    /// All memory there is (MemTotal, or the group's limit).
    pub total: Option<Series<'a>>,
    /// Anonymous memory.
    pub anon: Option<Series<'a>>,
    /// Page cache of files. On a host this leaves out `Buffers`.
    pub file: Option<Series<'a>>,
    /// Page cache that waits to be written.
    pub dirty: Option<Series<'a>>,
    /// Page cache being written.
    pub writeback: Option<Series<'a>>,
    /// Memory charged to the group; absent on a host.
    pub used: Option<Series<'a>>,
    /// MemFree on a host; absent for a group, where it is total less used.
    pub free: Option<Series<'a>>,
    /// Refaults of file pages: a counter, in pages.
    pub refaults: Option<Series<'a>>,
}

impl<'a> Memory<'a> {
    /// The memory view of a recording.
    pub fn of(recording: &'a Recording) -> Self {
        if let Some(path) = recording.manifest.workload_cgroup.clone() {
            let get = |name: &str| recording.series(Table::Cgroup, &path, name);
            return Self {
                total: get("max"),
                anon: get("anon"),
                file: get("file"),
                dirty: get("file_dirty"),
                writeback: get("file_writeback"),
                used: get("current"),
                free: None,
                refaults: get("workingset_refault_file").or_else(|| get("workingset_refault")),
                cgroup: Some(path),
            };
        }
        let get = |name: &str| recording.host(name);
        Self {
            cgroup: None,
            total: get("MemTotal"),
            anon: get("AnonPages"),
            file: get("Cached"),
            dirty: get("Dirty"),
            writeback: get("Writeback"),
            used: None,
            free: get("MemFree"),
            refaults: get("workingset_refault_file").or_else(|| get("workingset_refault")),
        }
    }
}
