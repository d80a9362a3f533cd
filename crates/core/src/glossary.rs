//! The glossary: each term of reports and documents with its definition, in the words of the kernel or of sysstat.
//!
//! docs/GLOSSARY.md, `pagetide explain TERM` and the hover texts of pages are made of this one table.

/// A term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// The term.
    pub name: &'static str,
    /// Other forms of it in text.
    pub forms: &'static [&'static str],
    /// What it means, one or two sentences.
    pub definition: &'static str,
    /// Where the kernel or a tool defines it.
    pub source: &'static str,
}

macro_rules! terms {
    ($($name:literal $([$($form:literal)*])? $definition:literal $source:literal;)*) => {
        /// All terms, in the order of the alphabet.
        pub static TERMS: &[Term] = &[
            $(Term { name: $name, forms: &[$($($form),*)?], definition: $definition, source: $source },)*
        ];
    };
}

terms! {
    "%vmeff" ["efficiency"] "Stolen pages as a share of scanned pages. Near 100 %, reclaim frees what it scans; below 30 %, it struggles." "sar(1)";
    "active list" ["active lists"] "The LRU list of pages used more than once. Reclaim takes pages from the inactive list first." "mm/vmscan.c:shrink_active_list";
    "anonymous memory" ["anonymous pages" "anonymous page"] "Memory of processes that no file backs: heap, stack, private mappings. Reclaim can only write it to swap." "Documentation/admin-guide/mm/concepts.rst";
    "available memory" ["MemAvailable"] "The kernel's estimate of how much memory new processes can use without swapping." "mm/show_mem.c:si_mem_available";
    "await" [] "Mean time from the submission of a request to its completion, including its time in the queue." "iostat(1)";
    "background threshold" [] "Dirty memory above which the kernel's flusher threads start to write (vm.dirty_background_ratio, vm.dirty_background_bytes)." "mm/page-writeback.c:domain_dirty_limits";
    "baseline" [] "The values of a signal outside of its episodes. pagetide learns them from the recording itself." "pagetide";
    "control group" ["control groups" "cgroup" "cgroups"] "A group of processes with its own limits on memory, IO and CPU. At its memory limit the kernel reclaims within the group." "Documentation/admin-guide/cgroup-v2.rst";
    "direct reclaim" [] "Reclaim by a task whose allocation found free memory below the min watermark. The task waits until pages are free." "mm/page_alloc.c:__alloc_pages_direct_reclaim";
    "dirty memory" ["dirty pages"] "Page cache that was changed and not yet written to its file." "Documentation/filesystems/proc.rst";
    "dirty threshold" ["dirty thresholds"] "Dirty memory at which every writer is throttled (vm.dirty_ratio, vm.dirty_bytes)." "mm/page-writeback.c:domain_dirty_limits";
    "dirtyable memory" [] "Free pages without the kernel's reserve, plus file pages. The dirty ratios are shares of it." "mm/page-writeback.c:global_dirtyable_memory";
    "evicted" ["evicts" "eviction" "evictions"] "Removed from the page cache by reclaim. The next read of the page goes to the disk." "mm/vmscan.c:__remove_mapping";
    "file cache" ["page cache"] "Pages of files that the kernel keeps in memory. Reads of them need no disk; reclaim frees them when memory is short." "Documentation/admin-guide/mm/concepts.rst";
    "flusher" ["flusher threads"] "The kernel threads that write dirty pages to disk in the background." "fs/fs-writeback.c:wb_workfn";
    "freerun" [] "Dirty memory up to which no writer is throttled: halfway between the background threshold and the dirty threshold." "mm/page-writeback.c:dirty_freerun_ceiling";
    "grade of evidence" ["strong evidence" "moderate evidence" "weak evidence"] "How strong the evidence for a cause is. docs/SCORE.md counts \
        how often causes of each grade were right on recordings of real programs at first sight." "pagetide, docs/SCORE.md";
    "hit ratio" [] "Share of requests, or of bytes, that the page cache serves without reading from disk." "pagetide";
    "inactive list" ["inactive lists"] "The LRU list from which reclaim takes pages." "mm/vmscan.c:shrink_inactive_list";
    "IO limit" ["IO limits"] "How many bytes or requests a second a control group may send to a device: io.max, or blkio.throttle of control groups v1. What exceeds it waits outside of the device." "block/blk-throttle.c:__blk_throtl_bio";
    "iowait" [] "CPU time that was idle while a task of that CPU waited for IO. It does not count the tasks that wait." "Documentation/filesystems/proc.rst";
    "kswapd" [] "The kernel thread that reclaims in the background: from the low watermark until free memory is above the high watermark." "mm/vmscan.c:kswapd";
    "latency-bound" [] "A load that waits for one request before it sends the next. Its rate is the number of requests in flight divided by the latency." "pagetide";
    "load average" [] "Mean number of tasks that run, wait for a CPU or sleep uninterruptibly, over 1, 5 and 15 minutes." "kernel/sched/loadavg.c:calc_global_load";
    "LRU" [] "Least recently used: the order of the kernel's page lists. Reclaim first takes the pages that were unused for longest." "Documentation/mm/multigen_lru.rst";
    "major fault" ["major faults"] "A page fault that had to read from a disk." "mm/memory.c:__handle_mm_fault";
    "MGLRU" [] "The multi-generational LRU: generations of pages in place of an active and an inactive list (Linux 6.1)." "Documentation/admin-guide/mm/multigen_lru.rst";
    "OOM killer" [] "The kernel kills a process when it can neither free nor swap out memory that it needs." "mm/oom_kill.c:out_of_memory";
    "PSI" ["pressure stall"] "Pressure stall information: the share of time in which some, or all, tasks waited for CPU, memory or IO." "Documentation/accounting/psi.rst";
    "queue depth" [] "Mean number of requests in flight or queued at a disk (aqu-sz)." "iostat(1)";
    "readahead" ["read-ahead"] "Pages that the kernel reads before a process asks for them, because the process reads sequentially." "mm/readahead.c:page_cache_ra_order";
    "reclaim" [] "How the kernel frees pages: it drops clean page cache, writes dirty pages, and swaps out anonymous memory." "mm/vmscan.c:shrink_node";
    "refault" ["refaults" "refaulted"] "A read of a page that reclaim evicted a short time before. Refaults show that the working set does not fit." "mm/workingset.c:workingset_refault";
    "room until throttling" [] "Freerun minus dirty and writeback memory: how much writers can dirty before the kernel throttles them." "mm/page-writeback.c:balance_dirty_pages";
    "scanned" ["scan"] "Pages that reclaim looked at, whether it could free them or not." "mm/vmscan.c:isolate_lru_folios";
    "slab" [] "Memory of kernel objects such as inodes and directory entries. Part of it can be reclaimed." "Documentation/filesystems/proc.rst";
    "stolen" ["steal"] "Pages that reclaim freed. For CPU time: time that the hypervisor gave to other guests." "sar(1)";
    "swappiness" [] "vm.swappiness: how willingly reclaim swaps instead of dropping file pages, 0 to 200; the higher, the more. 100 treats both as equally expensive, 60 is the default." "Documentation/admin-guide/sysctl/vm.rst";
    "throttled" ["throttled writer" "throttled writers"] "A task that dirties pages sleeps in the kernel until the disk has caught up." "mm/page-writeback.c:balance_dirty_pages";
    "time lost" ["lost time"] "Share of time that at least one task waits for IO, memory or a CPU (PSI some), above the baseline and without kswapd's CPU time. Where PSI was not recorded: iowait." "pagetide";
    "tps" [] "Requests per second that a disk completed: reads, writes and discards." "iostat(1)";
    "watermark" ["watermarks" "low watermark" "high watermark" "min watermark"] "Limits on a zone's free pages: below low kswapd starts, above high it stops, below min tasks reclaim directly." "mm/page_alloc.c:__setup_per_zone_wmarks";
    "working set" [] "The pages that a load uses again and again. If it is larger than the memory left for it, pages refault." "mm/workingset.c";
    "writeback" [] "The writing of dirty pages to disk; also the pages that are being written." "Documentation/admin-guide/sysctl/vm.rst";
    "zone" ["zones"] "A range of physical memory with free pages and watermarks of its own: DMA, DMA32, Normal." "Documentation/mm/physical_memory.rst";
}

/// The term whose name or other form is `name`, ignoring case.
pub fn find(name: &str) -> Option<&'static Term> {
    TERMS.iter().find(|term| names(term).any(|known| known.eq_ignore_ascii_case(name)))
}

/// A term's name and its other forms.
pub fn names(term: &Term) -> impl Iterator<Item = &'static str> {
    std::iter::once(term.name).chain(term.forms.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_term_is_defined_once() {
        let mut known = BTreeSet::new();
        for term in TERMS {
            for name in names(term) {
                assert!(known.insert(name.to_lowercase()), "{name} is defined twice");
            }
            assert!(term.definition.ends_with('.') && !term.source.is_empty(), "{}", term.name);
            for sentence in term.definition.split(". ") {
                assert!(sentence.split_whitespace().count() <= 25, "{}: {sentence}", term.name);
            }
        }
        let order: Vec<String> = TERMS.iter().map(|term| term.name.to_lowercase()).collect();
        assert!(order.is_sorted(), "{order:?}");
        assert_eq!(find("Page Cache").map(|term| term.name), Some("file cache"));
    }
}
