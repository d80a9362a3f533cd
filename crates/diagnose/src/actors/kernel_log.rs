//! Who did something by the kernel's own log, where that was recorded.

use crate::measure::window::{Window, intervals};
use pagetide_core::{Actor, KernelMessage, Nanos, Span};

/// The recorder reads the log once a second at least.
const LATE: Nanos = Nanos::new(1_000_000_000);

/// A process that a message names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) command: String,
    pub(crate) pid: u32,
}

impl Named {
    pub(crate) fn actor(&self) -> Actor {
        Actor::Process { command: self.command.clone(), pid: Some(self.pid) }
    }

    /// `bench.sh (pid 417)`
    pub(crate) fn words(&self) -> String {
        format!("{} (pid {})", self.command, self.pid)
    }
}

/// What the kernel said in a stretch of the recording, or a moment later.
fn messages(window: &Window<'_>, within: Span) -> impl Iterator<Item = KernelMessage> {
    let within = Span { to: within.to.later(intervals(window.recording, 1).max(LATE)), ..within };
    let messages = window.recording.kernel_messages();
    messages.filter(move |(at, _)| (within.from.ns()..=within.to.ns()).contains(at)).map(|(_, message)| message)
}

/// Who wrote to drop_caches to drop pages, each process once.
pub(crate) fn dropped_pages(window: &Window<'_>, within: Span) -> Vec<Named> {
    let mut named: Vec<Named> = Vec::new();
    for message in messages(window, within) {
        // 2 drops slab only.
        if let KernelMessage::CachesDropped { command, pid, value } = message
            && value & 1 != 0
            && !named.iter().any(|known| known.pid == pid)
        {
            named.push(Named { command, pid });
        }
    }
    named
}

/// Whom the OOM killer chose, in order of time.
pub(crate) fn killed(window: &Window<'_>, within: Span) -> impl Iterator<Item = Named> {
    messages(window, within).filter_map(|message| match message {
        KernelMessage::OomKill { command, pid, .. } => Some(Named { command, pid }),
        _ => None,
    })
}

/// How often the kernel reported failed requests of a disk.
pub(crate) fn io_errors(window: &Window<'_>, within: Span, disk: &str) -> u64 {
    let errors = messages(window, within).filter_map(|message| match message {
        KernelMessage::IoErrors { disk: failed, times } => (failed == disk).then_some(times),
        _ => None,
    });
    errors.sum()
}
