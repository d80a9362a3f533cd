//! One reclaim: what it wants, and what it found (`mm/vmscan.c: struct scan_control`).

/// Pages that are looked at together (`SWAP_CLUSTER_MAX`).
pub(crate) const CLUSTER: u64 = 32;
/// Where reclaim begins: a 4096th of each list (`DEF_PRIORITY`).
pub(crate) const DEF_PRIORITY: u32 = 12;

/// What pages at the end of a list were like (`sc->nr`, `struct reclaim_stat`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) dirty: u64,
    pub(crate) unqueued_dirty: u64,
    pub(crate) congested: u64,
    pub(crate) writeback: u64,
    pub(crate) immediate: u64,
    pub(crate) pageout: u64,
    pub(crate) taken: u64,
    pub(crate) file_taken: u64,
}

impl Found {
    pub(crate) fn add(&mut self, other: &Self) {
        self.dirty += other.dirty;
        self.unqueued_dirty += other.unqueued_dirty;
        self.congested += other.congested;
        self.writeback += other.writeback;
        self.immediate += other.immediate;
        self.taken += other.taken;
        self.file_taken += other.file_taken;
    }
}

/// One reclaim (`struct scan_control`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scan {
    pub(crate) node: usize,
    /// The group that is reclaimed with all below it; the root for all memory.
    pub(crate) target: usize,
    pub(crate) kswapd: bool,
    pub(crate) priority: u32,
    pub(crate) wanted: u64,
    pub(crate) reclaimed: u64,
    pub(crate) scanned: u64,
    pub(crate) deactivate: [bool; 2],
    pub(crate) skipped_deactivate: bool,
    pub(crate) force_deactivate: bool,
    pub(crate) ignore_low: bool,
    pub(crate) skipped_low: bool,
    /// MGLRU: a group had too little to evict in the round before.
    pub(crate) needs_aging: bool,
    pub(crate) last_reclaimed: u64,
    /// Where it goes on when other tasks have run.
    pub(crate) resume: Option<Resume>,
    /// The disk of the swap that must take more writes before.
    pub(crate) waits: Option<usize>,
    pub(crate) cache_trim: bool,
    pub(crate) file_is_tiny: bool,
    pub(crate) cost: [u64; 2],
    pub(crate) found: Found,
}

impl Scan {
    pub(crate) fn new(node: usize, target: usize, kswapd: bool, wanted: u64) -> Self {
        Self {
            node,
            target,
            kswapd,
            priority: DEF_PRIORITY,
            wanted,
            reclaimed: 0,
            scanned: 0,
            deactivate: [false; 2],
            skipped_deactivate: false,
            force_deactivate: false,
            ignore_low: false,
            skipped_low: false,
            needs_aging: false,
            last_reclaimed: 0,
            resume: None,
            waits: None,
            cache_trim: false,
            file_is_tiny: false,
            cost: [0; 2],
            found: Found::default(),
        }
    }

    /// Whether a group is reclaimed because of its limit (`cgroup_reclaim`).
    pub(crate) const fn of_group(&self) -> bool {
        self.target != 0
    }
}

/// Where a scan of the groups goes on that let other tasks run: it waits until swap takes more writes (`__wbt_wait`), or kswapd on MGLRU of 6.12
/// has looked at a batch (`try_to_shrink_lruvec`: `cond_resched`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Resume {
    /// The first group, and how many came after it.
    pub(crate) first: usize,
    pub(crate) step: usize,
    /// MGLRU: pages of the group that were looked at.
    pub(crate) looked_at: u64,
    /// The classic lists: how far those of the group are.
    pub(crate) lists: Option<Lists>,
}

/// How far the scan of a group's lists is (`shrink_lruvec`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lists {
    /// Pages to look at by list, and what is left of them.
    pub(crate) targets: [u64; 4],
    pub(crate) left: [u64; 4],
    pub(crate) reclaimed: u64,
}

/// What became of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScanResult {
    /// It is free.
    Freed,
    /// It goes back to its list.
    Kept,
    /// It goes to the active list.
    Activated,
    /// It is to be written to swap, which takes no more writes yet: it and those behind it stay where they are.
    Waits,
}
