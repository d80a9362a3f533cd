//! What a survey did.

/// What a survey did in one sample.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    /// Processes and threads looked at.
    pub(crate) tasks: u64,
    /// Processes and threads that exist and were not looked at.
    pub(crate) tasks_skipped: u64,
    /// Tasks seen in uninterruptible sleep.
    pub(crate) blocked: u64,
    /// Rows given.
    pub(crate) rows: u64,
    /// Tasks that should have had a row and got none, because the limit of rows was reached.
    pub(crate) rows_skipped: u64,
}
