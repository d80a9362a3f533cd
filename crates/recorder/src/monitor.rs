//! The state of a recording, for observers.

use crate::shared::{Progress, Shared};
use std::sync::Arc;

/// Reports the state of a recording. Made by [`Recorder::monitor`](crate::Recorder::monitor).
#[derive(Debug, Clone)]
pub struct Monitor(Arc<Shared>);

impl Monitor {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    /// The state now. Never waits for the sink or for a sample.
    pub fn progress(&self) -> Progress {
        self.0.progress()
    }
}
