//! How far the reclaim of a task is.

use crate::progress::scan::DEF_PRIORITY;

/// How far a task's reclaim is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Direct {
    pub(crate) priority: u32,
    pub(crate) reclaimed: u64,
    /// Reclaims in a row without a page (`no_progress_loops`).
    pub(crate) failures: u32,
    pub(crate) force: bool,
    pub(crate) ignore_low: bool,
}

impl Default for Direct {
    fn default() -> Self {
        Self { priority: DEF_PRIORITY, reclaimed: 0, failures: 0, force: false, ignore_low: false }
    }
}

impl Direct {
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }
}
