//! Samples of this host that stay in memory, for commands that show it live.

use pagetide_core::{Error, Nanos};
use pagetide_recorder::{History, Lock, Protection, Recorder, Scope};

/// Starts to sample this host. What is allocated later is locked in memory, too: a host that thrashes must still be shown.
pub(crate) fn start(interval: Nanos, scope: Scope) -> Result<(Recorder, History), Error> {
    Recorder::in_memory(interval, scope, Protection { lock: Lock::Future, ..Protection::default() })
}
