//! How dirty pages reach a device: dirty limits, flushers, commits of the journal, and the end of requests.

pub(crate) mod commit;
pub(crate) mod complete;
pub(crate) mod dirty;
pub(crate) mod flusher;
