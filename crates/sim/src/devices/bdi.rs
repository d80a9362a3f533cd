//! Writeback of a device: what is dirty, what is being written, and what was estimated.

use std::collections::VecDeque;

/// Bandwidth that is assumed at first, in pages a second: 100 MB/s (`mm/backing-dev.c: INIT_BW`).
pub(crate) const INIT_BANDWIDTH: u64 = 100 << 8;
/// Why the flusher writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// More is dirty than the background threshold.
    Background,
    /// Pages are old.
    Old,
    /// Everything, once: reclaim or `sync(2)` asked for it.
    All,
}

/// A round of the flusher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) reason: Reason,
    /// Pages that it may write.
    pub(crate) left: u64,
    /// Mappings to write (`b_io`), and those with more (`b_more_io`).
    pub(crate) queue: VecDeque<usize>,
    pub(crate) more: VecDeque<usize>,
    /// Whether it wrote any page since the mappings were queued.
    pub(crate) wrote: bool,
    /// What is left of the chunk of the first mapping, and where it ends when it wraps.
    pub(crate) chunk: Option<Chunk>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) left: u64,
    pub(crate) at: u64,
    /// It began here; after the end of the file it goes on at 0 up to here.
    pub(crate) began: u64,
    pub(crate) wrapped: bool,
}

/// Writeback of a device (`struct bdi_writeback`).
#[derive(Debug, Clone)]
pub(crate) struct Wb {
    /// Pages dirty and being written.
    pub(crate) dirty: u64,
    pub(crate) writeback: u64,
    /// Pages dirtied and written since boot.
    pub(crate) dirtied: u64,
    pub(crate) written: u64,
    pub(crate) dirtied_stamp: u64,
    pub(crate) written_stamp: u64,
    /// When the bandwidth was last estimated, in ticks.
    pub(crate) estimated_at: u64,
    /// When the estimate after the last write is done, in ticks (`bw_dwork`).
    pub(crate) estimate_due: Option<u64>,
    pub(crate) bandwidth: u64,
    pub(crate) average_bandwidth: u64,
    pub(crate) dirty_ratelimit: u64,
    pub(crate) balanced_ratelimit: u64,
    pub(crate) exceeded: bool,
    /// Pages written in this period and, halved each time, before.
    pub(crate) completions: u64,
    /// When a writer last slept for it.
    pub(crate) throttled_at: Option<u64>,
    pub(crate) work: Option<Work>,
    pub(crate) background: bool,
    pub(crate) all: bool,
    pub(crate) last_old: u64,
    /// The flusher is to run now.
    pub(crate) woken: bool,
    /// When its timer runs, in ns.
    pub(crate) timer: Option<u64>,
}

impl Default for Wb {
    fn default() -> Self {
        Self {
            dirty: 0,
            writeback: 0,
            dirtied: 0,
            written: 0,
            dirtied_stamp: 0,
            written_stamp: 0,
            estimated_at: 0,
            estimate_due: None,
            bandwidth: INIT_BANDWIDTH,
            average_bandwidth: INIT_BANDWIDTH,
            dirty_ratelimit: INIT_BANDWIDTH,
            balanced_ratelimit: INIT_BANDWIDTH,
            exceeded: false,
            completions: 0,
            throttled_at: None,
            work: None,
            background: false,
            all: false,
            last_old: 0,
            woken: false,
            timer: None,
        }
    }
}

impl Wb {
    /// Whether it writes, or is about to (`writeback_in_progress`).
    pub(crate) const fn busy(&self) -> bool {
        self.work.is_some() || self.background
    }

    pub(crate) const fn start_background(&mut self) {
        self.background = true;
        self.woken = true;
    }
}

/// The dirty state of the whole machine (`global_wb_domain`).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Domain {
    /// The limit that falls slowly.
    pub(crate) dirty_limit: u64,
    pub(crate) limit_at: u64,
    /// Completions of all devices in this period and, halved each time, those before.
    pub(crate) completions: u64,
    pub(crate) period_ends: u64,
}
