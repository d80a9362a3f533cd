//! Control groups: v2 memory.current and memory.stat, v1 memory.usage_in_bytes and memory.stat. v1 values are the subtree's totals, as v2's are.
//! Where v1 and v2 name one thing differently, v2's name is used: `anon` is v1's total_rss, `file` its total_cache,
//! `file_dirty` its total_dirty, `file_writeback` its total_writeback. By device: v2 io.stat, io.max and io.latency, v1 blkio.throttle.

metrics! {
    Cgroup;
    "memory.current, memory.usage_in_bytes" {
        "current" Gauge Bytes "memory charged to the group"
    }
    "memory.max, memory.limit_in_bytes" {
        "max" Gauge Bytes "hard limit of the group; absent when there is none"
    }
    "memory.high" {
        "high" Gauge Bytes "limit above which the group is throttled and reclaimed; absent when there is none"
    }
    "cpu.max (v2)" {
        "cpu_max" Gauge Micros "CPU time that the group may use in each second; absent when there is no limit"
    }
    "memory.stat (v1 and v2)" {
        "anon" Gauge Bytes "anonymous memory (v1: total_rss)"
        "file" Gauge Bytes "page cache (v1: total_cache)"
        "shmem" Gauge Bytes "shared memory and tmpfs"
        "file_mapped" Gauge Bytes "mapped page cache (v1: total_mapped_file)"
        "file_dirty" Gauge Bytes "page cache that waits to be written (v1: total_dirty)"
        "file_writeback" Gauge Bytes "page cache being written now (v1: total_writeback)"
        "inactive_anon" Gauge Bytes "anonymous memory on the inactive list"
        "active_anon" Gauge Bytes "anonymous memory on the active list"
        "inactive_file" Gauge Bytes "page cache on the inactive list"
        "active_file" Gauge Bytes "page cache on the active list"
        "unevictable" Gauge Bytes "memory that cannot be reclaimed"
    }
    "memory.stat" {
        "kernel" Gauge Bytes "kernel memory charged to the group"
        "slab_reclaimable" Gauge Bytes "slab that can be reclaimed"
        "slab_unreclaimable" Gauge Bytes "slab that cannot be reclaimed"
    }
    "memory.swap.current, memory.stat" {
        "swap" Gauge Bytes "swap used by the group"
    }
    "memory.stat (v1 and v2)" {
        "pgfault" Counter Count "page faults"
        "pgmajfault" Counter Count "page faults that had to read from a device"
    }
    "memory.stat (v1)" {
        "pgpgin" Counter Pages "pages charged to the group: cache filled and memory touched"
        "pgpgout" Counter Pages "pages uncharged from the group: evicted, truncated or freed"
    }
    "memory.stat (v1 and v2)" {
        "workingset_refault_anon" Counter Pages "anonymous pages refaulted: read again after reclaim had evicted them (since Linux 5.9)"
        "workingset_refault_file" Counter Pages "file pages refaulted: read again after reclaim had evicted them (since Linux 5.9)"
    }
    "memory.stat" {
        "workingset_refault" Counter Pages "pages refaulted: read again after reclaim had evicted them (before Linux 5.9)"
        "workingset_activate_file" Counter Pages "refaulted file pages that were activated at once"
        "workingset_restore_file" Counter Pages "refaulted file pages that had been active when they were reclaimed"
        "pgscan" Counter Pages "pages looked at by reclaim"
        "pgsteal" Counter Pages "pages reclaimed"
    }
    "memory.failcnt (v1)" {
        "failcnt" Counter Count "times the hard limit was hit"
    }
    "memory.events (v2)" {
        "events_high" Counter Count "times the group was reclaimed because it was above memory.high"
        "events_max" Counter Count "times the group was about to go above memory.max"
        "events_oom" Counter Count "times an allocation failed at the limit"
        "events_oom_kill" Counter Count "processes of the group killed by the OOM killer"
    }
    "memory.stat (v1 and v2)" {
        "anon_thp" Gauge Bytes "anonymous memory in huge pages (v1: total_rss_huge)"
        "swapcached" Gauge Bytes "swapped memory that is in memory as well"
    }
    "memory.stat (v1)" {
        "hierarchical_memory_limit" Gauge Bytes "smallest limit of the group and those above it; absent when there is none"
        "hierarchical_memsw_limit" Gauge Bytes "smallest limit of memory and swap of the group and those above it; absent when there is none"
    }
    "memory.stat (v2)" {
        "kernel_stack" Gauge Bytes "kernel stacks of the group"
        "pagetables" Gauge Bytes "page tables of the group"
        "sec_pagetables" Gauge Bytes "page tables of devices and virtual machines"
        "percpu" Gauge Bytes "per-CPU memory"
        "sock" Gauge Bytes "network buffers"
        "vmalloc" Gauge Bytes "vmalloc memory"
        "zswap" Gauge Bytes "memory used by compressed swap cache"
        "zswapped" Gauge Bytes "anonymous memory stored in zswap"
        "file_thp" Gauge Bytes "page cache in huge pages"
        "shmem_thp" Gauge Bytes "shared memory in huge pages"
        "slab" Gauge Bytes "kernel slab caches"
        "workingset_activate_anon" Counter Pages "refaulted anonymous pages activated at once"
        "workingset_restore_anon" Counter Pages "refaulted anonymous pages that had been active"
        "pgscan_kswapd" Counter Pages "pages looked at by kswapd"
        "pgscan_direct" Counter Pages "pages looked at by direct reclaim"
        "pgscan_khugepaged" Counter Pages "pages looked at by khugepaged"
        "pgscan_proactive" Counter Pages "pages looked at by proactive reclaim"
        "pgsteal_kswapd" Counter Pages "pages reclaimed by kswapd"
        "pgsteal_direct" Counter Pages "pages reclaimed by direct reclaim"
        "pgsteal_khugepaged" Counter Pages "pages reclaimed by khugepaged"
        "pgsteal_proactive" Counter Pages "pages reclaimed by proactive reclaim"
        "pgrefill" Counter Pages "pages looked at on active lists"
        "pgactivate" Counter Pages "pages moved to an active list"
        "pgdeactivate" Counter Pages "pages moved to an inactive list"
        "pglazyfree" Counter Pages "pages marked by madvise(MADV_FREE)"
        "pglazyfreed" Counter Pages "pages marked by madvise(MADV_FREE) and freed by reclaim"
        "workingset_nodereclaim" Counter Count "shadow nodes reclaimed"
        "thp_fault_alloc" Counter Count "transparent huge pages allocated on a fault"
        "thp_collapse_alloc" Counter Count "transparent huge pages collapsed by khugepaged"
    }
    "memory.events (v2)" {
        "events_low" Counter Count "times the group was reclaimed although it was below memory.low"
        "events_oom_group_kill" Counter Count "times the whole group was killed by the OOM killer"
    }
    "io.stat, blkio.throttle.io_service_bytes_recursive" {
        "io_rbytes" Counter Bytes "bytes read from devices"
        "io_wbytes" Counter Bytes "bytes written to devices (v1: without buffered writes)"
    }
    "io.stat, blkio.throttle.io_serviced_recursive" {
        "io_rios" Counter Count "reads of devices"
        "io_wios" Counter Count "writes to devices (v1: without buffered writes)"
    }
    "memory.pressure (v2)" {
        "psi_memory_some" Counter Micros "time in which at least one task of the group waited for memory"
        "psi_memory_full" Counter Micros "time in which every task of the group that could run waited for memory"
    }
    "io.pressure (v2)" {
        "psi_io_some" Counter Micros "time in which at least one task of the group waited for io"
        "psi_io_full" Counter Micros "time in which every task of the group that could run waited for io"
    }
    "cpu.pressure (v2)" {
        "psi_cpu_some" Counter Micros "time in which at least one task of the group waited for cpu"
        "psi_cpu_full" Counter Micros "time in which every task of the group that could run waited for cpu"
    }
    "cpu.stat (v2)" {
        "cpu_usage" Counter Micros "CPU time that the group used"
        "cpu_periods" Counter Count "periods of cpu.max in which the group ran; absent without the CPU controller"
        "cpu_throttled" Counter Count "periods of cpu.max in which the group had used up its time and was throttled"
        "cpu_throttled_time" Counter Micros "time for which CPUs of the group were throttled by cpu.max, added over CPUs"
    }
    "cgroup.events (v2)" {
        "frozen" Gauge Count "1 while the group is frozen, by itself or by one above it: no task of it runs (since Linux 5.2)"
    }
    "taskstats of the group's processes, pagetide's scan" {
        "cpu_delay_total" Counter Nanos "time that the group's own processes spent runnable and waiting for a CPU"
        "blkio_delay_total" Counter Nanos "time that the group's own processes spent waiting for block IO to complete"
        "swapin_delay_total" Counter Nanos "time that the group's own processes spent waiting for pages from swap"
        "freepages_delay_total" Counter Nanos "time that the group's own processes spent in direct reclaim"
        "thrashing_delay_total" Counter Nanos "time that the group's own processes spent waiting for refaulted pages"
        "compact_delay_total" Counter Nanos "time that the group's own processes spent in direct compaction"
        "wpcopy_delay_total" Counter Nanos "time that the group's own processes spent copying pages on write"
        "irq_delay_total" Counter Nanos "time that interrupts took from the group's own processes"
    }
    "the inode of the group's directory" {
        "cgroup_id" Gauge Count "the kernel's id of the group, which is cgroup_id of its processes"
    }
}

/// A control group's IO on one device. Entities are the group's path and the device's name, divided by a tab; the label is the device's.
pub(in crate::metric) mod disk {
    metrics! {
        CgroupDisk;
        "io.stat, blkio.throttle.io_service_bytes_recursive" {
            "rbytes" Counter Bytes "bytes that the group and those below it read from the device"
            "wbytes" Counter Bytes "bytes that they wrote to the device (v1: without buffered writes)"
        }
        "io.stat, blkio.throttle.io_serviced_recursive" {
            "rios" Counter Count "their reads of the device"
            "wios" Counter Count "their writes to the device (v1: without buffered writes)"
        }
        "io.stat (v2)" {
            "dbytes" Counter Bytes "bytes that they discarded"
            "dios" Counter Count "their discards"
            "cost_usage" Counter Micros "device time that io.cost charged them by its model; absent while it is off for the device"
        }
        "io.max, blkio.throttle.read_bps_device" {
            "max_rbps" Gauge BytesPerSecond "limit of the group's reads in bytes per second; absent when there is none"
        }
        "io.max, blkio.throttle.write_bps_device" {
            "max_wbps" Gauge BytesPerSecond "limit of the group's writes in bytes per second; absent when there is none"
        }
        "io.max, blkio.throttle.read_iops_device" {
            "max_riops" Gauge PerSecond "limit of the group's reads per second; absent when there is none"
        }
        "io.max, blkio.throttle.write_iops_device" {
            "max_wiops" Gauge PerSecond "limit of the group's writes per second; absent when there is none"
        }
        "io.latency (v2)" {
            "latency_target" Gauge Micros "completion latency that io.latency protects; absent when there is none"
        }
    }
}
