//! The tracepoints that are used, and what is lost where a kernel lacks one.

/// A tracepoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tracepoint {
    /// A folio enters the page cache.
    Added,
    /// A folio leaves the page cache.
    Deleted,
    /// A buffered read found its pages.
    Read,
    /// A task begins to reclaim for the host.
    DirectBegin,
    /// It ends.
    DirectEnd,
    /// A task begins to reclaim for a control group at its limit.
    GroupBegin,
    /// It ends.
    GroupEnd,
    /// An allocation wakes kswapd.
    KswapdWoken,
    /// Frames are allocated.
    Allocated,
    /// A writer is made to wait.
    Throttled,
    /// A process moves to another control group.
    Moved,
}

/// What a tracepoint is called and what needs it.
struct Row {
    tracepoint: Tracepoint,
    group: &'static str,
    name: &'static str,
    lost: &'static str,
    required: bool,
}

const fn row(
    tracepoint: Tracepoint,
    group: &'static str,
    name: &'static str,
    required: bool,
    lost: &'static str,
) -> Row {
    Row { tracepoint, group, name, lost, required }
}

use Tracepoint::{
    Added, Allocated, Deleted, DirectBegin, DirectEnd, GroupBegin, GroupEnd, KswapdWoken, Moved, Read, Throttled,
};

/// All of them, in the order of the enum.
#[rustfmt::skip]
const ROWS: [Row; 11] = [
    row(Added, "filemap", "mm_filemap_add_to_page_cache", true, "evictions and misses"),
    row(Deleted, "filemap", "mm_filemap_delete_from_page_cache", true, "evictions and misses"),
    row(Read, "filemap", "mm_filemap_get_pages", false, "the miss ratio; misses are counted without the reads that hit (the kernel has it from 6.12 on)"),
    row(DirectBegin, "vmscan", "mm_vmscan_direct_reclaim_begin", true, "who evicts in direct reclaim"),
    row(DirectEnd, "vmscan", "mm_vmscan_direct_reclaim_end", true, "who evicts in direct reclaim"),
    row(GroupBegin, "vmscan", "mm_vmscan_memcg_reclaim_begin", false, "who evicts at the limit of a control group"),
    row(GroupEnd, "vmscan", "mm_vmscan_memcg_reclaim_end", false, "who evicts at the limit of a control group"),
    row(KswapdWoken, "vmscan", "mm_vmscan_wakeup_kswapd", false, "who wakes kswapd"),
    row(Allocated, "kmem", "mm_page_alloc", false, "for whom kswapd evicts"),
    row(Throttled, "writeback", "balance_dirty_pages", false, "how long writers are throttled"),
    row(Moved, "cgroup", "cgroup_attach_task", false, "the control group of processes that end within a second of a move"),
];

impl Tracepoint {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.tracepoint)
    }

    const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The folder below `events`.
    pub const fn group(self) -> &'static str {
        self.row().group
    }

    /// The kernel's name.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// What cannot be known without it.
    pub const fn lost_without(self) -> &'static str {
        self.row().lost
    }

    /// Whether nothing can be attributed without it.
    pub const fn required(self) -> bool {
        self.row().required
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (place, row) in ROWS.iter().enumerate() {
            assert_eq!(row.tracepoint as usize, place, "{}", row.name);
        }
    }
}
