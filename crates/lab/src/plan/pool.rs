//! Runs of the model on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Progress of runs of the model.
pub trait RunsProgress: Sync {
    /// `runs` of `of` runs are done.
    fn done(&self, runs: usize, of: usize);
    /// Whether the user wants to stop.
    fn interrupted(&self) -> bool;
}

/// Calls `work` for each number below `runs`, on `cores` threads. Returns the results with their numbers, in order; some are missing if the
/// user interrupted.
pub fn run_all<T: Send>(
    runs: usize,
    cores: usize,
    progress: &dyn RunsProgress,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<(usize, T)> {
    progress.done(0, runs);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..cores.max(1).min(runs) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= runs || progress.interrupted() {
                        return;
                    }
                    let result = work(at);
                    if let Ok(mut results) = results.lock() {
                        results.push((at, result));
                    }
                    progress.done(done.fetch_add(1, Ordering::Relaxed) + 1, runs);
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(at, _)| *at);
    results
}
