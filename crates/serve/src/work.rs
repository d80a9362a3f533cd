//! Work that reads files: on threads of its own, few at once, so that many requests cost time and not memory.

use crate::reply::Failure;
use axum::http::StatusCode;
use pagetide_core::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;

/// Requests that read files at the same time. Each may hold a part of a recording in memory.
pub(crate) const AT_ONCE: usize = 2;
/// Requests that wait for them.
const WAITING: usize = 64;

/// Places for work.
#[derive(Debug)]
pub(crate) struct Work {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
}

impl Default for Work {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(AT_ONCE)), waiting: AtomicUsize::new(0) }
    }
}

/// Counts a request that waits, until it is dropped: also when its client goes away.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Work {
    /// Runs `work` when there is a place.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Waiting(&self.waiting);
        if before >= WAITING {
            return Err(Failure::new(
                StatusCode::TOO_MANY_REQUESTS,
                format!("{WAITING} requests are already waiting"),
                "close other tabs, or wait a few seconds",
            ));
        }
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| stopped())?;
        drop(waiting);
        // The work keeps its place, and continues even if its client goes away.
        let placed = move || {
            let done = work();
            drop(place);
            done
        };
        tokio::task::spawn_blocking(placed).await.map_err(|_| stopped())?
    }
}

fn stopped() -> Failure {
    Error::system("the request was not answered: its work ended early", "try again").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn work_keeps_its_place_when_its_client_goes_away() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(clients());
    }

    async fn clients() {
        let work = Arc::new(Work::default());
        let (started, starts) = mpsc::channel();
        let mut ends = Vec::new();
        for _ in 0..AT_ONCE {
            let (end, ended) = mpsc::channel::<()>();
            let (started, asked) = (started.clone(), Arc::clone(&work));
            let client = tokio::spawn(async move {
                let working = move || {
                    started.send(()).unwrap();
                    let _ = ended.recv();
                    Ok(())
                };
                asked.run(working).await
            });
            while starts.try_recv().is_err() {
                tokio::task::yield_now().await;
            }
            client.abort();
            assert!(client.await.unwrap_err().is_cancelled());
            ends.push(end);
        }
        assert_eq!(work.places.available_permits(), 0, "both still work");
        drop(ends);
        assert!(work.run(|| Ok(1)).await.is_ok_and(|answer| answer == 1));
    }
}
