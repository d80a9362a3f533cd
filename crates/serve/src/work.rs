//! Work that reads files: on threads of its own, few at once, so that many requests cost time and not memory.

use crate::reply::Failure;
use axum::http::StatusCode;
use pagetide_core::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;

/// Requests that read files at the same time. Each may hold a part of a recording in memory.
const AT_ONCE: usize = 2;
/// Requests that wait for them.
const WAITING: usize = 64;

/// Places for work.
#[derive(Debug)]
pub(crate) struct Work {
    places: Semaphore,
    waiting: AtomicUsize,
}

impl Default for Work {
    fn default() -> Self {
        Self { places: Semaphore::new(AT_ONCE), waiting: AtomicUsize::new(0) }
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
                format!("{WAITING} requests wait already"),
                "close other tabs, or wait some seconds",
            ));
        }
        let place = self.places.acquire().await.map_err(|_| stopped())?;
        drop(waiting);
        let done = tokio::task::spawn_blocking(work).await.map_err(|_| stopped())?;
        drop(place);
        done
    }
}

fn stopped() -> Failure {
    Error::system("the request was not answered: its work ended early", "try it again").into()
}
