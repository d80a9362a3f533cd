//! How a recording goes, for those who look on.

use crate::shared::{Progress, Shared};
use std::sync::Arc;

/// Tells how a recording goes. Made by [`Recorder::monitor`](crate::Recorder::monitor).
#[derive(Debug, Clone)]
pub struct Monitor(Arc<Shared>);

impl Monitor {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    /// How it goes now. Never waits for the sink or for a sample.
    pub fn progress(&self) -> Progress {
        self.0.progress()
    }
}
