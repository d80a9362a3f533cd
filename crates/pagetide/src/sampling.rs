//! Samples of this host that stay in memory, for commands that show it live.

use pagetide_core::{Error, Nanos};
use pagetide_recorder::{History, Lock, Protection, Recorder};

/// Starts to sample this host. What is allocated later is locked in memory, too: a host that thrashes must still be shown.
pub(crate) fn start(interval: Nanos) -> Result<(Recorder, History), Error> {
    Recorder::in_memory(interval, Protection { lock: Lock::Future, ..Protection::default() })
}
