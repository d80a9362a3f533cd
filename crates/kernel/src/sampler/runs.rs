//! How often and how long each task has run, from a source that lists all tasks at once.

use pagetide_proctext::ProcessRuns;
use std::fmt::Debug;

/// A task, and how it has run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskRun {
    /// Its thread id.
    pub tid: u32,
    /// The id of its process.
    pub pid: u32,
    /// When it started, in ns since boot.
    pub start_ns: u64,
    /// The values of its `/proc/PID/schedstat`.
    pub runs: ProcessRuns,
    /// Whether it may be in uninterruptible sleep. This includes every task whose stat says D.
    pub uninterruptible: bool,
}

/// Lists all tasks at once, as a BPF iterator does. A task that it omits is read from `/proc`.
pub trait TaskRuns: Debug + Send {
    /// Lists all tasks in ascending order of their thread ids; none if that fails.
    fn read(&mut self, tasks: &mut Vec<TaskRun>);
}
