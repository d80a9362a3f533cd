//! How all tasks have run, from a BPF iterator, for the sampler.

use pagetide_kernel::{ProcessRuns, TaskRun, TaskRuns};
use pagetide_trace::{TaskIterator, TaskRow};

/// The iterator of this host's kernel.
#[derive(Debug)]
pub(crate) struct IteratedTasks(pub(crate) TaskIterator);

impl TaskRuns for IteratedTasks {
    fn read(&mut self, tasks: &mut Vec<TaskRun>) {
        tasks.clear();
        if let Ok(rows) = self.0.read() {
            tasks.extend(rows.iter().map(|row| {
                let TaskRow { tid, pid, start_ns, exec_ns, wait_ns, runs, .. } = *row;
                let runs = ProcessRuns { exec_ns, wait_ns, runs };
                TaskRun { tid, pid, start_ns, runs, uninterruptible: row.is_uninterruptible() }
            }));
        }
    }
}
