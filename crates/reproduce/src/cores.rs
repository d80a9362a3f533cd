//! Runs of the model on all cores of this host.

use pagetide_core::Error;
use pagetide_lab::plan::{RunsProgress, run_all};

/// Runs `work` for each job, and gives the results in the order of the jobs.
///
/// # Errors
/// The user interrupted, or the first error of a job.
pub(crate) fn on_all_cores<T: Send, J: Sync>(
    jobs: &[J],
    watch: &dyn RunsProgress,
    work: impl Fn(&J) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let results = run_all(jobs.len(), cores, watch, |at| work(&jobs[at]));
    if watch.interrupted() {
        return Err(Error::interrupted());
    }
    results.into_iter().map(|(_, result)| result).collect()
}
