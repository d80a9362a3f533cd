//! How the kernel carries one effect to the next.

use crate::rules::contract::EffectKind::{
    self, AnonGrows, CacheLost, Compaction, DirectReclaim, DiskBusy, IoWaits, MajorFaults, MemoryWaits, Reads, Reclaim,
    Refaults, SlabGrows, SwapIn, SwapOut, Writes,
};
use crate::rules::contract::{Mechanism, leads};

/// Every mechanism from effect to effect; those that begin at a cause belong to its rule. Without a mechanism nothing counts as a
/// cause, however well it correlates. Functions are those of Linux 6.12.
#[rustfmt::skip]
pub(crate) const MECHANISMS: &[(EffectKind, Mechanism)] = &[
    (Reads, leads(Reclaim, "Each page read needs a free one. Below the low watermark kswapd reclaims at the rate of the reads.", "mm/filemap.c: filemap_add_folio; mm/vmscan.c: balance_pgdat")),
    (AnonGrows, leads(Reclaim, "Each page that a program touches for the first time needs a free one, and reclaim frees it.", "mm/memory.c: do_anonymous_page; mm/page_alloc.c: wake_all_kswapds")),
    (SlabGrows, leads(Reclaim, "Slab takes free pages, and reclaim replaces them from the page cache.", "mm/slub.c: allocate_slab; mm/vmscan.c: shrink_node")),
    (Writes, leads(Reclaim, "Each page written to a file stays in the page cache until it is reclaimed.", "mm/filemap.c: generic_perform_write; mm/vmscan.c: balance_pgdat")),
    (Compaction, leads(DirectReclaim, "When compaction cannot form a block of pages, the allocation reclaims directly.", "mm/page_alloc.c: __alloc_pages_direct_compact, __alloc_pages_direct_reclaim")),
    (Reclaim, leads(DirectReclaim, "Programs allocate memory faster than kswapd frees it, so they free it themselves.", "mm/page_alloc.c: __alloc_pages_slowpath")),
    (Reclaim, leads(CacheLost, "Clean file pages are the cheapest to free: first the inactive list, then active pages that move to it.", "mm/vmscan.c: shrink_inactive_list, shrink_active_list")),
    (Reclaim, leads(SwapOut, "Reclaim takes anonymous pages too, and has to write them to swap.", "mm/vmscan.c: shrink_folio_list; mm/page_io.c: swap_writepage")),
    (SwapOut, leads(SwapIn, "Programs touch swapped-out pages, and the kernel reads them back.", "mm/memory.c: do_swap_page")),
    (CacheLost, leads(Refaults, "Programs read again what was evicted.", "mm/workingset.c: workingset_refault")),
    (Reclaim, leads(Refaults, "Programs read again what was evicted.", "mm/workingset.c: workingset_refault")),
    (Refaults, leads(MajorFaults, "Pages of mapped files, code among them, were evicted, and programs touch them again.", "mm/filemap.c: filemap_fault")),
    (CacheLost, leads(MajorFaults, "Pages of mapped files, code among them, were evicted, and programs touch them again.", "mm/filemap.c: filemap_fault")),
    (Reclaim, leads(MajorFaults, "Pages of mapped files, code among them, were evicted, and programs touch them again.", "mm/filemap.c: filemap_fault")),
    (SwapIn, leads(MajorFaults, "Each page that is swapped in is a major fault.", "mm/memory.c: do_swap_page")),
    (Refaults, leads(DiskBusy, "Each refault is a read of the device that holds the file.", "mm/filemap.c: filemap_get_pages; block/blk-core.c: submit_bio")),
    (MajorFaults, leads(DiskBusy, "Each major fault is a read of the device that holds the file, and the program waits for it.", "mm/filemap.c: filemap_fault; block/blk-core.c: submit_bio")),
    (SwapIn, leads(DiskBusy, "The swap device reads the pages.", "mm/page_io.c: swap_read_folio")),
    (SwapOut, leads(DiskBusy, "The swap device writes the pages.", "mm/page_io.c: swap_writepage")),
    (Writes, leads(DiskBusy, "The flusher sends dirty pages as fast as the device takes them.", "fs/fs-writeback.c: wb_writeback")),
    (Reads, leads(DiskBusy, "Programs request more than the device delivers at once.", "block/blk-mq.c: blk_mq_submit_bio")),
    (DiskBusy, leads(IoWaits, "Tasks wait in the device's queue; tasks in uninterruptible sleep count in the load average.", "mm/filemap.c: folio_wait_bit_common; kernel/sched/core.c: io_schedule")),
    (MajorFaults, leads(IoWaits, "Each major fault waits for its device.", "mm/filemap.c: folio_wait_bit_common; kernel/sched/core.c: io_schedule")),
    (DirectReclaim, leads(MemoryWaits, "A program that reclaims for itself waits until it has freed enough.", "mm/page_alloc.c: __perform_reclaim (psi_memstall_enter)")),
    (Refaults, leads(MemoryWaits, "A wait for an evicted page of the working set counts as a wait for memory.", "mm/filemap.c: folio_wait_bit_common (psi_memstall_enter)")),
    (SwapIn, leads(MemoryWaits, "A wait for a page from swap counts as a wait for memory.", "mm/memory.c: do_swap_page; kernel/sched/psi.c: psi_memstall_enter")),
];
