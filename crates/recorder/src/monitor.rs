//! How a recording goes, for those who look on.

use crate::shared::Shared;
use pagetide_core::{Error, Stamp};
use std::sync::Arc;

/// Tells how a recording goes. Made by [`Recorder::monitor`](crate::Recorder::monitor).
#[derive(Debug, Clone)]
pub struct Monitor(Arc<Shared>);

/// How a recording goes at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Samples taken.
    pub samples: u64,
    /// Samples that came later than one and a half intervals after the one before, or not at all.
    pub late: u64,
    /// Samples that were taken and made room for newer ones, because the sink did not take them in time.
    pub lost: u64,
    /// Samples and marks that wait for the sink.
    pub waiting: u64,
    /// When the last sample was taken.
    pub last: Stamp,
    /// Why the sink does not take samples at present; absent while it does.
    pub refused: Option<Error>,
    /// Whether sampling has ended.
    pub ended: bool,
}

impl Monitor {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    /// How it goes now. Never waits for the sink or for a sample.
    pub fn progress(&self) -> Progress {
        self.0.progress()
    }
}
