//! Samples of this host that stay in memory, for commands that show it live.

use pagetide_core::{Bytes, Error, Nanos};
use pagetide_kernel::{Root, Watch};
use pagetide_recorder::{History, Lock, Options, Protection, Recorder};

/// Memory for the samples: about ten minutes of a host with 100 processes and 100 groups.
const ROOM: Bytes = Bytes::new(64 << 20);

/// Starts to sample this host.
pub(crate) fn start(interval: Nanos) -> Result<(Recorder, History), Error> {
    let history = History::new(ROOM);
    let root = Root::host();
    let watch = Watch::flight_recorder(&root).unwrap_or_default();
    let options = Options { interval, watch, ..Options::default() };
    let protection = Protection { lock: Lock::Future, ..Protection::default() };
    let recorder = Recorder::start_protected(root, options, protection, Box::new(history.clone()))?;
    Ok((recorder, history))
}
