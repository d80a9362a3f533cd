//! What can cause what in the kernel, and where.

use crate::effect::What;

/// Where a step of the chain starts: at the cause itself, by its rule, or at something that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    Rule(&'static str),
    Effect(What),
}

/// A direction in which the kernel can carry a cause.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) from: Start,
    pub(super) to: What,
    pub(super) how: &'static str,
    pub(super) kernel: &'static str,
}

const fn way(from: Start, to: What, how: &'static str, kernel: &'static str) -> Way {
    Way { from, to, how, kernel }
}

use Start::{Effect, Rule};

/// Every way that is known. What is not here is not called a cause, however well it correlates.
pub(super) const WAYS: &[Way] = &[
    way(
        Effect(What::Reads),
        What::Reclaim,
        "Each page that is read needs a free one; below the low watermark kswapd frees them at the rate of the reads.",
        "mm/filemap.c: filemap_add_folio; mm/vmscan.c: balance_pgdat",
    ),
    way(
        Effect(What::AnonGrows),
        What::Reclaim,
        "Each page that a program touches for the first time needs a free one, and reclaim makes it.",
        "mm/memory.c: do_anonymous_page; mm/page_alloc.c: wake_all_kswapds",
    ),
    way(
        Effect(What::SlabGrows),
        What::Reclaim,
        "Pages of slab are taken from the free ones, and reclaim replaces them from the page cache.",
        "mm/slub.c: allocate_slab; mm/vmscan.c: shrink_node",
    ),
    way(
        Effect(What::Writes),
        What::Reclaim,
        "Each page that is written to a file is one of the page cache until it is reclaimed.",
        "mm/filemap.c: generic_perform_write; mm/vmscan.c: balance_pgdat",
    ),
    way(
        Effect(What::Compaction),
        What::DirectReclaim,
        "A request for a block of pages that compaction cannot make goes on to reclaim.",
        "mm/page_alloc.c: __alloc_pages_direct_compact, __alloc_pages_direct_reclaim",
    ),
    way(
        Effect(What::Reclaim),
        What::DirectReclaim,
        "Memory is asked for faster than kswapd frees it, so that those who ask free it themselves.",
        "mm/page_alloc.c: __alloc_pages_slowpath",
    ),
    way(
        Effect(What::Reclaim),
        What::CacheLost,
        "Clean file pages are the cheapest to free: the inactive list goes first, then active pages are moved to it.",
        "mm/vmscan.c: shrink_inactive_list, shrink_active_list",
    ),
    way(
        Effect(What::Reclaim),
        What::SwapOut,
        "Reclaim takes anonymous pages too, and those have to be written to swap.",
        "mm/vmscan.c: shrink_folio_list; mm/page_io.c: swap_writepage",
    ),
    way(
        Effect(What::SwapOut),
        What::SwapIn,
        "What was swapped out is touched again and has to be read back.",
        "mm/memory.c: do_swap_page",
    ),
    way(
        Effect(What::CacheLost),
        What::Refaults,
        "What was evicted is asked for again.",
        "mm/workingset.c: workingset_refault",
    ),
    way(
        Effect(What::Reclaim),
        What::Refaults,
        "What was evicted is asked for again.",
        "mm/workingset.c: workingset_refault",
    ),
    way(
        Effect(What::Refaults),
        What::MajorFaults,
        "Pages of mapped files, the code of programs among them, were evicted and are touched again.",
        "mm/filemap.c: filemap_fault",
    ),
    way(
        Effect(What::CacheLost),
        What::MajorFaults,
        "Pages of mapped files, the code of programs among them, were evicted and are touched again.",
        "mm/filemap.c: filemap_fault",
    ),
    way(
        Effect(What::Reclaim),
        What::MajorFaults,
        "Pages of mapped files, the code of programs among them, were evicted and are touched again.",
        "mm/filemap.c: filemap_fault",
    ),
    way(Effect(What::SwapIn), What::MajorFaults, "Each page from swap is a major fault.", "mm/memory.c: do_swap_page"),
    way(
        Effect(What::Refaults),
        What::DiskBusy,
        "Each page that was evicted is a read of the device that holds its file.",
        "mm/filemap.c: filemap_get_pages; block/blk-core.c: submit_bio",
    ),
    way(
        Effect(What::MajorFaults),
        What::DiskBusy,
        "Each major fault is a read of the device that holds the file, and the program waits for it.",
        "mm/filemap.c: filemap_fault; block/blk-core.c: submit_bio",
    ),
    way(
        Effect(What::SwapIn),
        What::DiskBusy,
        "Swap is on a device that now serves memory.",
        "mm/page_io.c: swap_read_folio",
    ),
    way(
        Effect(What::SwapOut),
        What::DiskBusy,
        "Swap is on a device that now takes memory in.",
        "mm/page_io.c: swap_writepage",
    ),
    way(
        Effect(What::Writes),
        What::DiskBusy,
        "The flusher sends dirty pages as fast as the device takes them.",
        "fs/fs-writeback.c: wb_writeback",
    ),
    way(
        Effect(What::Reads),
        What::DiskBusy,
        "The device is asked for more than it delivers at once.",
        "block/blk-mq.c: blk_mq_submit_bio",
    ),
    way(
        Effect(What::DiskBusy),
        What::IoWaits,
        "Whoever needs the device waits in its queue; tasks in uninterruptible sleep count in the load average.",
        "mm/filemap.c: folio_wait_bit_common; kernel/sched/core.c: io_schedule",
    ),
    way(
        Effect(What::MajorFaults),
        What::IoWaits,
        "Each major fault waits for its device.",
        "mm/filemap.c: folio_wait_bit_common; kernel/sched/core.c: io_schedule",
    ),
    way(
        Effect(What::DirectReclaim),
        What::MemoryWaits,
        "A program that reclaims for itself stands still meanwhile.",
        "mm/page_alloc.c: __perform_reclaim (psi_memstall_enter)",
    ),
    way(
        Effect(What::Refaults),
        What::MemoryWaits,
        "Waiting for a page that was evicted from the working set counts as waiting for memory.",
        "mm/filemap.c: folio_wait_bit_common (psi_memstall_enter)",
    ),
    way(
        Effect(What::SwapIn),
        What::MemoryWaits,
        "Waiting for a page from swap counts as waiting for memory.",
        "mm/memory.c: do_swap_page; kernel/sched/psi.c: psi_memstall_enter",
    ),
    way(
        Rule("caches-dropped"),
        What::CacheLost,
        "All clean pages that nobody maps are thrown away at once.",
        "fs/drop_caches.c: drop_pagecache_sb; mm/truncate.c: invalidate_mapping_pages",
    ),
    way(
        Rule("caches-dropped"),
        What::Reads,
        "What was cached has to be read from the devices.",
        "mm/filemap.c: filemap_read",
    ),
    way(
        Rule("cgroup-limit-reclaim"),
        What::Refaults,
        "The group evicts its own pages and asks for them again.",
        "mm/memcontrol.c: try_charge_memcg; mm/workingset.c: workingset_refault",
    ),
    way(
        Rule("cgroup-limit-reclaim"),
        What::SwapOut,
        "The group's own anonymous pages go to swap.",
        "mm/memcontrol.c: try_charge_memcg; mm/vmscan.c: try_to_free_mem_cgroup_pages",
    ),
    way(
        Rule("working-set-exceeds-cache"),
        What::Reclaim,
        "Each page that is read again takes the place of one that will be needed soon.",
        "mm/filemap.c: filemap_add_folio; mm/vmscan.c: balance_pgdat",
    ),
    way(
        Rule("working-set-exceeds-cache"),
        What::Refaults,
        "What does not fit is evicted before it is asked for again.",
        "mm/workingset.c: workingset_refault",
    ),
    way(
        Rule("code-thrash"),
        What::Refaults,
        "Without a place for anonymous pages, the clean pages of programs are all that reclaim can take, and they are needed at once.",
        "mm/vmscan.c: get_scan_count, shrink_folio_list; mm/workingset.c: workingset_refault",
    ),
    way(
        Rule("code-thrash"),
        What::MajorFaults,
        "The next instruction is no longer in memory.",
        "mm/filemap.c: filemap_fault",
    ),
    way(
        Rule("swap-thrash"),
        What::SwapOut,
        "What does not fit goes to swap to make room for what is touched.",
        "mm/vmscan.c: shrink_folio_list; mm/page_io.c: swap_writepage",
    ),
    way(
        Rule("device-slow"),
        What::DiskBusy,
        "Each request takes longer, so that the device always has one.",
        "block/blk-mq.c: blk_mq_end_request",
    ),
    way(
        Rule("dirty-throttled"),
        What::Writes,
        "The flusher writes what is above the background threshold.",
        "fs/fs-writeback.c: wb_workfn",
    ),
    way(
        Rule("writeback-saturates-disk"),
        What::DiskBusy,
        "The flusher keeps the device's queue full, and reads wait behind it.",
        "fs/fs-writeback.c: wb_writeback; block/blk-wbt.c: wbt_wait",
    ),
    way(
        Rule("memory-fragmentation"),
        What::Compaction,
        "Free pages do not lie together, so that a block of them has to be made by moving others.",
        "mm/compaction.c: try_to_compact_pages",
    ),
    way(
        Rule("read-ahead-waste"),
        What::Reads,
        "Each random read brings in its neighbours, which nobody asked for.",
        "mm/readahead.c: page_cache_ra_unbounded; mm/filemap.c: do_sync_mmap_readahead",
    ),
    way(
        Rule("zone-imbalance"),
        What::Reclaim,
        "The zone or node that is short is reclaimed whatever is free in the others.",
        "mm/vmscan.c: balance_pgdat, pgdat_balanced",
    ),
    way(
        Rule("cpu-bound"),
        What::CpuWaits,
        "More tasks are runnable than there are CPUs.",
        "kernel/sched/core.c: psi_task_change",
    ),
    way(Rule("cold-cache"), What::DiskBusy, "All that is read comes from the device.", "mm/filemap.c: filemap_read"),
];

/// What a cause is when it is something that can be seen by itself.
pub(super) fn seen_as(rule: &str) -> Option<What> {
    Some(match rule {
        "stream-floods-cache" | "cold-cache" => What::Reads,
        "anonymous-growth-takes-cache" | "memory-leak" => What::AnonGrows,
        "slab-growth" => What::SlabGrows,
        "writeback-saturates-disk" => What::Writes,
        "device-saturated" => What::DiskBusy,
        "direct-reclaim-stalls" => What::DirectReclaim,
        _ => return None,
    })
}

/// Which findings another one accounts for, when it began no later: `(cause, effects)`.
pub(super) const EXPLAINS: &[(&str, &[&str])] = &[
    (
        "stream-floods-cache",
        &[
            "device-saturated",
            "direct-reclaim-stalls",
            "over-reclaim",
            "working-set-exceeds-cache",
            "code-thrash",
            "cold-cache",
            "read-ahead-waste",
            "zone-imbalance",
            "latency-bound",
        ],
    ),
    (
        "memory-leak",
        &[
            "anonymous-growth-takes-cache",
            "swap-thrash",
            "code-thrash",
            "direct-reclaim-stalls",
            "device-saturated",
            "working-set-exceeds-cache",
            "zone-imbalance",
            "cold-cache",
            "latency-bound",
        ],
    ),
    (
        "anonymous-growth-takes-cache",
        &[
            "code-thrash",
            "swap-thrash",
            "direct-reclaim-stalls",
            "device-saturated",
            "working-set-exceeds-cache",
            "cold-cache",
            "zone-imbalance",
            "latency-bound",
        ],
    ),
    (
        "slab-growth",
        &[
            "direct-reclaim-stalls",
            "device-saturated",
            "working-set-exceeds-cache",
            "code-thrash",
            "swap-thrash",
            "latency-bound",
        ],
    ),
    (
        "caches-dropped",
        &[
            "cold-cache",
            "device-saturated",
            "working-set-exceeds-cache",
            "latency-bound",
            "over-reclaim",
            "read-ahead-waste",
        ],
    ),
    (
        "cgroup-limit-reclaim",
        &[
            "working-set-exceeds-cache",
            "device-saturated",
            "latency-bound",
            "swap-thrash",
            "code-thrash",
            "dirty-throttled",
            "read-ahead-waste",
            "cold-cache",
        ],
    ),
    (
        "working-set-exceeds-cache",
        &["device-saturated", "direct-reclaim-stalls", "latency-bound", "cold-cache", "zone-imbalance"],
    ),
    (
        "code-thrash",
        &[
            "device-saturated",
            "direct-reclaim-stalls",
            "latency-bound",
            "working-set-exceeds-cache",
            "anonymous-growth-takes-cache",
            "zone-imbalance",
            "cold-cache",
        ],
    ),
    (
        "swap-thrash",
        &[
            "device-saturated",
            "direct-reclaim-stalls",
            "latency-bound",
            "working-set-exceeds-cache",
            "anonymous-growth-takes-cache",
            "code-thrash",
            "zone-imbalance",
            "writeback-saturates-disk",
            "cold-cache",
        ],
    ),
    (
        "device-slow",
        &["device-saturated", "dirty-throttled", "writeback-saturates-disk", "latency-bound", "cold-cache"],
    ),
    ("writeback-saturates-disk", &["device-saturated", "latency-bound"]),
    ("dirty-throttled", &["device-saturated", "latency-bound", "writeback-saturates-disk"]),
    ("swap-in-use-harmless", &["device-saturated", "latency-bound", "direct-reclaim-stalls"]),
    (
        "read-ahead-waste",
        &["device-saturated", "working-set-exceeds-cache", "latency-bound", "cold-cache", "stream-floods-cache"],
    ),
    ("memory-fragmentation", &["direct-reclaim-stalls", "over-reclaim", "anonymous-growth-takes-cache"]),
    ("zone-imbalance", &["direct-reclaim-stalls", "over-reclaim"]),
    ("cold-cache", &["device-saturated", "latency-bound", "direct-reclaim-stalls"]),
    ("replayed-sequence", &["working-set-exceeds-cache", "latency-bound"]),
    ("device-saturated", &["latency-bound"]),
];
