//! The table of derived metrics.

use super::Formula::{
    All, Any, First, Gauge, Half, Kib, Less, LessFloored, OneLess, Per, Rate, Sum, Times, Weighted, With,
};
use super::{CodeSource, Derived, Formula};
use crate::metric::Table;
use crate::quantity::Unit;

/// The release whose sources the table names.
const LINUX: &str = "Linux 6.12";
const SYSSTAT: &str = "sysstat 12.7";
const PROCPS: &str = "procps-ng 4.0";

macro_rules! derived {
    ($($constant:ident $name:literal $unit:ident [$($table:ident)*] $release:ident $file:literal $function:literal = $formula:expr; $meaning:literal)*) => {
        $(
            #[doc = $meaning]
            pub static $constant: Derived = Derived {
                name: $name,
                unit: Unit::$unit,
                tables: &[$(Table::$table),*],
                formula: $formula,
                meaning: $meaning,
                source: CodeSource { release: $release, file: $file, function: $function },
            };
        )*

        /// All derived metrics.
        pub static ALL: &[&Derived] = &[$(&$constant),*];
    };
}

// Reclaim. The counters by kind of page include reclaim at a control group's limit, those by reclaimer leave it out. sar prints one sum
// of stolen pages, and no scans but those of kswapd and of direct reclaim.
const SCANNED_BY_KIND: Formula = All(&[Rate("pgscan_anon"), Rate("pgscan_file")]);
const SCANNED_BY_RECLAIMER: Formula =
    Any(&[Rate("pgscan_kswapd"), Rate("pgscan_direct"), Rate("pgscan_khugepaged"), Rate("pgscan_proactive")]);
const ALL_SCANNED: Formula = First(&[Rate("pgscan"), SCANNED_BY_KIND, SCANNED_BY_RECLAIMER]);
const STOLEN_BY_KIND: Formula = All(&[Rate("pgsteal_anon"), Rate("pgsteal_file")]);
const STOLEN_BY_RECLAIMER: Formula =
    Any(&[Rate("pgsteal_kswapd"), Rate("pgsteal_direct"), Rate("pgsteal_khugepaged"), Rate("pgsteal_proactive")]);
const ALL_STOLEN: Formula = First(&[Rate("pgsteal"), STOLEN_BY_KIND, STOLEN_BY_RECLAIMER]);
/// One counter before Linux 4.10, since then one for each zone.
const DIRECT_RECLAIMS_BY_ZONE: &[Formula] = &[
    Rate("allocstall"),
    Rate("allocstall_dma"),
    Rate("allocstall_dma32"),
    Rate("allocstall_normal"),
    Rate("allocstall_movable"),
    Rate("allocstall_device"),
];
/// Linux before 5.9 counts file pages only.
const FILE_REFAULTS: Formula = First(&[Rate("workingset_refault_file"), Rate("workingset_refault")]);

// Requests: sysstat counts reads, writes and discards, and leaves out flushes.
const READS_AND_WRITES: Formula = All(&[Rate("reads"), Rate("writes")]);
const REQUESTS: Formula = First(&[With(&READS_AND_WRITES, &[Rate("discards")]), Rate("reads_writes")]);
const TRANSFERRED: Formula = With(&All(&[Rate("read_sectors"), Rate("write_sectors")]), &[Rate("discard_sectors")]);
const REQUEST_TIME: Formula = With(&All(&[Rate("read_ms"), Rate("write_ms")]), &[Rate("discard_ms")]);
/// The same of a tool that prints the mean time of each kind of request.
const PRINTED_REQUEST_TIME: Formula = With(
    &All(&[Weighted("read_await_ms", "reads"), Weighted("write_await_ms", "writes")]),
    &[Weighted("discard_await_ms", "discards")],
);

/// A mean over all requests that another tool printed, weighted by them: as the tool itself counts requests, or as it prints them.
macro_rules! printed_mean {
    ($mean:literal) => {
        First(&[
            Per(&Weighted($mean, "reads_writes"), &Rate("reads_writes")),
            Per(&All(&[Weighted($mean, "reads"), Weighted($mean, "writes")]), &READS_AND_WRITES),
        ])
    };
}

/// A mean over requests of one kind: from the kernel's sum, else the mean that another tool printed, weighted by the requests.
macro_rules! mean_of {
    ($sum:literal, $requests:literal, $mean:literal) => {
        First(&[Per(&Rate($sum), &Rate($requests)), Per(&Weighted($mean, $requests), &Rate($requests)), Rate($mean)])
    };
}

/// The same where another tool's printed mean is nearer than the quotient of two numbers that it rounded.
macro_rules! printed_or_mean_of {
    ($sum:literal, $requests:literal, $mean:literal) => {
        First(&[Per(&Weighted($mean, $requests), &Rate($requests)), Per(&Rate($sum), &Rate($requests)), Rate($mean)])
    };
}

/// Requests or sectors of all disks that are devices of their own.
const HOST_READS: Formula = First(&[Rate("io_reads"), Sum(Table::Disk, "reads")]);
const HOST_WRITES: Formula = First(&[Rate("io_writes"), Sum(Table::Disk, "writes")]);
const HOST_DISCARDS: Formula = First(&[Rate("io_discards"), Sum(Table::Disk, "discards")]);

/// A sum of CPU states as a share of all CPU time: over the single CPUs, so that one that goes offline takes only its own time with it;
/// of a recording without single CPUs, and of one CPU, from its own times; else as another tool printed it. The states user and
/// nice contain the time of guests.
macro_rules! cpu_share {
    (|$time:ident| $formula:expr, $($printed:expr),+) => {
        First(&[
            {
                macro_rules! $time { ($metric:literal) => { Sum(Table::Cpu, $metric) }; }
                Per(&$formula, &CPU_TIME_OF_CPUS)
            },
            {
                macro_rules! $time { ($metric:literal) => { Rate($metric) }; }
                Per(&$formula, &CPU_TIME)
            },
            $($printed),+
        ])
    };
}
const CPU_TIME_OF_CPUS: Formula = With(
    &All(&[
        Sum(Table::Cpu, "cpu_user"),
        Sum(Table::Cpu, "cpu_nice"),
        Sum(Table::Cpu, "cpu_system"),
        Sum(Table::Cpu, "cpu_idle"),
    ]),
    &[
        Sum(Table::Cpu, "cpu_iowait"),
        Sum(Table::Cpu, "cpu_irq"),
        Sum(Table::Cpu, "cpu_softirq"),
        Sum(Table::Cpu, "cpu_steal"),
    ],
);
const CPU_TIME: Formula = With(
    &All(&[Rate("cpu_user"), Rate("cpu_nice"), Rate("cpu_system"), Rate("cpu_idle")]),
    &[Rate("cpu_iowait"), Rate("cpu_irq"), Rate("cpu_softirq"), Rate("cpu_steal")],
);

const MEMORY_USED: Formula = Less(&Gauge("MemTotal"), &Gauge("MemAvailable"));
/// What sar calls used (sysstat since 11.7.3).
const MEMORY_IN_USE: Formula = First(&[
    Gauge("kbmemused"),
    LessFloored(&Gauge("MemTotal"), &All(&[Gauge("MemFree"), Gauge("Buffers"), Gauge("Cached"), Gauge("Slab")])),
]);
const SWAP_IN_USE: Formula = First(&[Less(&Gauge("SwapTotal"), &Gauge("SwapFree")), Gauge("swap_used")]);
const UNWRITTEN: Formula = All(&[Gauge("nr_dirty"), Gauge("nr_writeback")]);
const FREERUN: Formula = Half(&All(&[Gauge("nr_dirty_threshold"), Gauge("nr_dirty_background_threshold")]));

derived! {
    USED "used" Bytes [Host] PROCPS "library/meminfo.c" "meminfo_read_failed" = MEMORY_USED;
        "memory that is not available: MemTotal minus MemAvailable"
    USED_SHARE "used_share" Ratio [Host] PROCPS "library/meminfo.c" "meminfo_read_failed" =
        Per(&MEMORY_USED, &Gauge("MemTotal"));
        "used memory as a share of MemTotal"
    SWAP_USED "swap_used" Bytes [Host] LINUX "mm/swapfile.c" "si_swapinfo" =
        SWAP_IN_USE;
        "swap in use: SwapTotal minus SwapFree"
    SWAP_USED_SHARE "swap_used_share" Ratio [Host] SYSSTAT "pr_stats.c" "stub_print_swap_stats" =
        First(&[Per(&SWAP_IN_USE, &Gauge("SwapTotal")), Gauge("swpused_share")]);
        "swap in use as a share of all swap (sar's %swpused)"
    SWAP_CACHED_SHARE "swap_cached_share" Ratio [Host] SYSSTAT "pr_stats.c" "stub_print_swap_stats" =
        First(&[Per(&Gauge("SwapCached"), &SWAP_IN_USE), Gauge("swpcad_share")]);
        "memory that also has a copy in swap, as a share of the swap in use (sar's %swpcad)"
    MEMORY_USED_BY_SAR "memused" Bytes [Host] SYSSTAT "pr_stats.c" "stub_print_memory_stats" = MEMORY_IN_USE;
        "sar's kbmemused: MemTotal minus MemFree, Buffers, Cached and Slab; for an import, what that sysstat printed"
    MEMORY_USED_BY_SAR_SHARE "memused_share" Ratio [Host] SYSSTAT "pr_stats.c" "stub_print_memory_stats" =
        First(&[Gauge("memused_share"), Per(&MEMORY_IN_USE, &Gauge("MemTotal"))]);
        "memused as a share of MemTotal (sar's %memused)"
    COMMITTED_SHARE "committed_share" Ratio [Host] SYSSTAT "pr_stats.c" "stub_print_memory_stats" =
        First(&[Gauge("commit_share"), Per(&Gauge("Committed_AS"), &All(&[Gauge("MemTotal"), Gauge("SwapTotal")]))]);
        "committed memory as a share of memory and swap (sar's %commit)"
    HUGE_FREE "hugefree" Bytes [Host] SYSSTAT "rd_stats.c" "read_meminfo_huge" =
        First(&[Times(&Gauge("HugePages_Free"), &Gauge("Hugepagesize")), Gauge("huge_free")]);
        "free huge pages of the default size"
    HUGE_USED "hugeused" Bytes [Host] SYSSTAT "pr_stats.c" "stub_print_huge_stats" =
        First(&[
            Times(&Less(&Gauge("HugePages_Total"), &Gauge("HugePages_Free")), &Gauge("Hugepagesize")),
            Gauge("huge_used"),
        ]);
        "huge pages of the default size in use"
    HUGE_USED_SHARE "hugeused_share" Ratio [Host] SYSSTAT "pr_stats.c" "stub_print_huge_stats" =
        First(&[
            Per(&Less(&Gauge("HugePages_Total"), &Gauge("HugePages_Free")), &Gauge("HugePages_Total")),
            Per(&Gauge("huge_used"), &All(&[Gauge("huge_free"), Gauge("huge_used")])),
        ]);
        "huge pages in use as a share of the pool"
    HUGE_RESERVED "hugereserved" Bytes [Host] SYSSTAT "rd_stats.c" "read_meminfo_huge" =
        First(&[Times(&Gauge("HugePages_Rsvd"), &Gauge("Hugepagesize")), Gauge("huge_reserved")]);
        "huge pages reserved but not yet in use"
    HUGE_SURPLUS "hugesurplus" Bytes [Host] SYSSTAT "rd_stats.c" "read_meminfo_huge" =
        First(&[Times(&Gauge("HugePages_Surp"), &Gauge("Hugepagesize")), Gauge("huge_surplus")]);
        "surplus huge pages: those beyond the size of the pool"
    CACHE_AND_SLAB "cache_and_slab" Bytes [Host] PROCPS "src/vmstat.c" "new_format" =
        First(&[All(&[Gauge("Cached"), Gauge("SReclaimable")]), Gauge("cache_and_slab")]);
        "page cache and reclaimable slab (cache of vmstat and free)"
    RUN_QUEUE "run_queue" Count [Host] LINUX "fs/proc/stat.c" "show_stat" =
        First(&[Gauge("procs_running"), Gauge("runq_size")]);
        "runnable tasks, including the recorder; for an import, excluding sar itself"
    FREERUN_CEILING "freerun" Pages [Host] LINUX "mm/page-writeback.c" "dirty_freerun_ceiling" = FREERUN;
        "dirty and writeback pages up to which no writer is throttled: halfway between the two dirty thresholds"
    DIRTY_ROOM "dirty_room" Pages [Host] LINUX "mm/page-writeback.c" "balance_dirty_pages" =
        LessFloored(&FREERUN, &UNWRITTEN);
        "room until throttling: freerun minus dirty and writeback pages"
    ABOVE_HIGH "above_high" Pages [Zone] LINUX "mm/vmscan.c" "pgdat_balanced" =
        Less(&Gauge("free"), &Gauge("high"));
        "free pages of a zone above its high watermark; kswapd sleeps while there are any"

    SCANNED "scanned" PagesPerSecond [Host Cgroup] LINUX "mm/vmscan.c" "shrink_inactive_list" = ALL_SCANNED;
        "pages scanned by reclaim, including reclaim at a control group's limit"
    SCANNED_FOR_HOST "scanned_for_host" PagesPerSecond [Host] LINUX "mm/vmscan.c" "reclaimer_offset" = SCANNED_BY_RECLAIMER;
        "pages scanned by reclaim because the host or a zone was short, excluding reclaim at a control group's limit"
    SCANNED_KSWAPD "scanned_kswapd" PagesPerSecond [Host Cgroup] LINUX "mm/vmscan.c" "reclaimer_offset" =
        Rate("pgscan_kswapd");
        "pages scanned by kswapd"
    SCANNED_DIRECT "scanned_direct" PagesPerSecond [Host Cgroup] LINUX "mm/vmscan.c" "reclaimer_offset" =
        Rate("pgscan_direct");
        "pages scanned by tasks in direct reclaim, because an allocation found free memory below the min watermark"
    SCANNED_AT_LIMIT "scanned_at_limit" PagesPerSecond [Host] LINUX "mm/vmscan.c" "shrink_inactive_list" =
        LessFloored(&SCANNED_BY_KIND, &SCANNED_BY_RECLAIMER);
        "pages scanned by reclaim at a control group's limit or for its memory.reclaim"
    STOLEN "stolen" PagesPerSecond [Host Cgroup] LINUX "mm/vmscan.c" "shrink_inactive_list" = ALL_STOLEN;
        "pages freed by reclaim, including reclaim at a control group's limit"
    FREED_FOR_HOST "freed_for_host" PagesPerSecond [Host] LINUX "fs/inode.c" "inode_lru_isolate" =
        With(&First(&[Rate("pgsteal"), STOLEN_BY_RECLAIMER]), &[Rate("pginodesteal"), Rate("kswapd_inodesteal")]);
        "pages freed by reclaim because the host or a zone was short, with the cache of files whose inodes it freed (before Linux 5.16 also large ones), excluding reclaim at a control group's limit"
    STOLEN_KSWAPD "stolen_kswapd" PagesPerSecond [Host Cgroup] LINUX "mm/vmscan.c" "reclaimer_offset" =
        Rate("pgsteal_kswapd");
        "pages freed by kswapd"
    STOLEN_DIRECT "stolen_direct" PagesPerSecond [Host Cgroup] LINUX "mm/vmscan.c" "reclaimer_offset" =
        Rate("pgsteal_direct");
        "pages that tasks freed in direct reclaim"
    STOLEN_AT_LIMIT "stolen_at_limit" PagesPerSecond [Host] LINUX "mm/vmscan.c" "shrink_inactive_list" =
        LessFloored(&STOLEN_BY_KIND, &STOLEN_BY_RECLAIMER);
        "pages freed by reclaim at a control group's limit or for its memory.reclaim"
    EFFICIENCY "efficiency" Ratio [Host Cgroup] SYSSTAT "pr_stats.c" "print_paging_stats" =
        First(&[
            Per(
                &All(&[Weighted("vmeff", "pgscan_kswapd"), Weighted("vmeff", "pgscan_direct")]),
                &All(&[Rate("pgscan_kswapd"), Rate("pgscan_direct")]),
            ),
            Per(&ALL_STOLEN, &ALL_SCANNED),
            Rate("vmeff"),
        ]);
        "stolen pages as a share of scanned pages (sar's %vmeff); low when reclaim scans pages it cannot free"
    DIRECT_RECLAIMS "direct_reclaims" PerSecond [Host] LINUX "mm/vmscan.c" "do_try_to_free_pages" = Any(DIRECT_RECLAIMS_BY_ZONE);
        "direct reclaims started by tasks whose allocation found free memory below the min watermark"
    LIMIT_HITS "limit_hits" PerSecond [Cgroup] LINUX "mm/memcontrol.c" "try_charge_memcg" =
        Any(&[Rate("failcnt"), Rate("events_max"), Rate("events_high")]);
        "allocations of a control group that hit its limit (memory.max, memory.high; failcnt under cgroup v1)"
    WRITTEN_BACK "written_back" PagesPerSecond [Host] LINUX "mm/page-writeback.c" "__folio_end_writeback" = Rate("nr_written");
        "pages written to a device by writeback"
    REFAULTS_FILE "refaults_file" PagesPerSecond [Host Cgroup] LINUX "mm/workingset.c" "workingset_refault" =
        FILE_REFAULTS;
        "file pages that were read again after reclaim had evicted them"
    REFAULTS_ANON "refaults_anon" PagesPerSecond [Host Cgroup] LINUX "mm/workingset.c" "workingset_refault" =
        Rate("workingset_refault_anon");
        "anonymous pages that were swapped in again after reclaim had evicted them"
    REFAULTS "refaults" PagesPerSecond [Host Cgroup] LINUX "mm/workingset.c" "workingset_refault" =
        With(&FILE_REFAULTS, &[Rate("workingset_refault_anon")]);
        "pages that were read or swapped in again after reclaim had evicted them"
    DEMOTED "demoted" PagesPerSecond [Host] LINUX "mm/vmscan.c" "demote_folio_list" = First(&[
        Rate("pgdemote"),
        Any(&[
            Rate("pgdemote_kswapd"),
            Rate("pgdemote_direct"),
            Rate("pgdemote_khugepaged"),
            Rate("pgdemote_proactive"),
        ]),
    ]);
        "pages that reclaim moved to a slower memory tier"
    MAJOR_FAULTS "major_faults" PerSecond [Host Cgroup] LINUX "mm/memory.c" "do_swap_page" = Rate("pgmajfault");
        "page faults that read from a device"
    SWAP_IN "swap_in" PagesPerSecond [Host] LINUX "mm/page_io.c" "swap_read_folio_bdev_async" = Rate("pswpin");
        "pages read from swap"
    SWAP_OUT "swap_out" PagesPerSecond [Host] LINUX "mm/page_io.c" "count_swpout_vm_event" = Rate("pswpout");
        "pages written to swap"
    PAGED_IN "paged_in" BytesPerSecond [Host] LINUX "block/blk-core.c" "submit_bio" = Kib(&Rate("pgpgin"));
        "bytes read from block devices"
    PAGED_OUT "paged_out" BytesPerSecond [Host] LINUX "block/blk-core.c" "submit_bio" = Kib(&Rate("pgpgout"));
        "bytes written to block devices"

    TPS "tps" PerSecond [Disk] SYSSTAT "rd_stats.c" "read_diskstats_disk" = REQUESTS;
        "requests completed by a disk: reads, writes and discards, not flushes"
    READS "reads" PerSecond [Disk] LINUX "block/blk-mq.c" "blk_account_io_done" = Rate("reads");
        "reads completed by a disk"
    WRITES "writes" PerSecond [Disk] LINUX "block/blk-mq.c" "blk_account_io_done" = Rate("writes");
        "writes completed by a disk"
    READ_BANDWIDTH "read_bandwidth" BytesPerSecond [Disk] LINUX "block/blk-mq.c" "blk_account_io_completion" =
        Rate("read_sectors");
        "bytes read by a disk"
    WRITE_BANDWIDTH "write_bandwidth" BytesPerSecond [Disk] LINUX "block/blk-mq.c" "blk_account_io_completion" =
        Rate("write_sectors");
        "bytes written by a disk"
    REQUEST_SIZE "request_size" Bytes [Disk] SYSSTAT "common.c" "compute_ext_disk_stats" =
        First(&[printed_mean!("request_sectors"), Per(&TRANSFERRED, &REQUESTS), Rate("request_sectors")]);
        "mean size of a request: bytes read, written and discarded, divided by the requests that tps counts"
    QUEUE_DEPTH "queue_depth" Count [Disk] LINUX "block/genhd.c" "diskstats_show" =
        First(&[Rate("weighted_io_ms"), Rate("queue_depth")]);
        "mean number of requests in flight or in the queue of a disk"
    AWAIT "await" Nanos [Disk] SYSSTAT "common.c" "compute_ext_disk_stats" =
        First(&[
            Per(&REQUEST_TIME, &REQUESTS),
            printed_mean!("await_ms"),
            Rate("await_ms"),
            Per(&PRINTED_REQUEST_TIME, &REQUESTS),
        ]);
        "mean time from the submission of a request to its completion, including its time in the queue"
    READ_AWAIT "read_await" Nanos [Disk] SYSSTAT "iostat.c" "write_ext_stat" =
        mean_of!("read_ms", "reads", "read_await_ms");
        "await of reads"
    WRITE_AWAIT "write_await" Nanos [Disk] SYSSTAT "iostat.c" "write_ext_stat" =
        mean_of!("write_ms", "writes", "write_await_ms");
        "await of writes"
    DISCARD_AWAIT "discard_await" Nanos [Disk] SYSSTAT "iostat.c" "write_ext_stat" =
        mean_of!("discard_ms", "discards", "discard_await_ms");
        "await of discards"
    FLUSH_AWAIT "flush_await" Nanos [Disk] SYSSTAT "iostat.c" "write_ext_stat" =
        mean_of!("flush_ms", "flushes", "flush_await_ms");
        "await of flushes"
    DISCARD_BANDWIDTH "discard_bandwidth" BytesPerSecond [Disk] LINUX "block/blk-mq.c" "blk_account_io_completion" =
        Rate("discard_sectors");
        "bytes discarded by a disk"
    READ_SIZE "read_size" Bytes [Disk] SYSSTAT "iostat.c" "write_ext_stat" =
        printed_or_mean_of!("read_sectors", "reads", "read_request_sectors");
        "mean size of a read"
    WRITE_SIZE "write_size" Bytes [Disk] SYSSTAT "iostat.c" "write_ext_stat" =
        printed_or_mean_of!("write_sectors", "writes", "write_request_sectors");
        "mean size of a write"
    DISCARD_SIZE "discard_size" Bytes [Disk] SYSSTAT "iostat.c" "write_ext_stat" =
        printed_or_mean_of!("discard_sectors", "discards", "discard_request_sectors");
        "mean size of a discard"
    BUSY "busy" Ratio [Disk] LINUX "block/blk-core.c" "update_io_ticks" = First(&[Rate("io_ms"), Rate("util")]);
        "share of time in which a disk had at least one request in flight (iostat's %util)"

    HOST_TPS "host_tps" PerSecond [Host] SYSSTAT "rd_stats.c" "read_diskstats_io" =
        First(&[Rate("io_requests"), With(&All(&[HOST_READS, HOST_WRITES]), &[HOST_DISCARDS])]);
        "requests completed by all disks (whole devices only: no partitions, loop, zram, md or dm)"
    HOST_RTPS "host_rtps" PerSecond [Host] SYSSTAT "rd_stats.c" "read_diskstats_io" = HOST_READS;
        "reads completed by all disks"
    HOST_WTPS "host_wtps" PerSecond [Host] SYSSTAT "rd_stats.c" "read_diskstats_io" = HOST_WRITES;
        "writes completed by all disks"
    HOST_DTPS "host_dtps" PerSecond [Host] SYSSTAT "rd_stats.c" "read_diskstats_io" = HOST_DISCARDS;
        "discards completed by all disks"
    HOST_READ_BANDWIDTH "host_read_bandwidth" BytesPerSecond [Host] SYSSTAT "rd_stats.c" "read_diskstats_io" =
        First(&[Rate("io_read_sectors"), Sum(Table::Disk, "read_sectors")]);
        "bytes read by all disks"
    HOST_WRITE_BANDWIDTH "host_write_bandwidth" BytesPerSecond [Host] SYSSTAT "rd_stats.c" "read_diskstats_io" =
        First(&[Rate("io_write_sectors"), Sum(Table::Disk, "write_sectors")]);
        "bytes written by all disks"
    HOST_DISCARD_BANDWIDTH "host_discard_bandwidth" BytesPerSecond [Host] SYSSTAT "rd_stats.c" "read_diskstats_io" =
        First(&[Rate("io_discard_sectors"), Sum(Table::Disk, "discard_sectors")]);
        "bytes discarded by all disks"

    CPU_USER "cpu_user" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(|time| time!("cpu_user"), Rate("cpu_user_share"));
        "share of CPU time in user mode, including guests, excluding nice"
    CPU_NICE "cpu_nice" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(|time| time!("cpu_nice"), Rate("cpu_nice_share"));
        "share of CPU time in user mode at lowered priority (nice)"
    CPU_SYSTEM "cpu_system" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(
            |time| With(&time!("cpu_system"), &[time!("cpu_irq"), time!("cpu_softirq")]),
            Rate("cpu_system_share")
        );
        "share of CPU time in the kernel, including interrupts"
    CPU_IOWAIT "cpu_iowait" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(|time| time!("cpu_iowait"), Rate("cpu_iowait_share"));
        "share of CPU time that was idle while a task of that CPU waited for IO"
    CPU_STEAL "cpu_steal" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(|time| time!("cpu_steal"), Rate("cpu_steal_share"));
        "share of CPU time that the hypervisor gave to other guests"
    CPU_IDLE "cpu_idle" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(|time| time!("cpu_idle"), Rate("cpu_idle_share"));
        "share of CPU time that was idle with no task waiting for IO"
    CPU_USER_ALONE "cpu_user_alone" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(
            |time| LessFloored(&time!("cpu_user"), &time!("cpu_guest")),
            LessFloored(&Rate("cpu_user_share"), &Rate("cpu_guest_share"))
        );
        "share of CPU time in user mode, excluding guests and nice (%usr of sar -u ALL)"
    CPU_NICE_ALONE "cpu_nice_alone" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(
            |time| LessFloored(&time!("cpu_nice"), &time!("cpu_guest_nice")),
            LessFloored(&Rate("cpu_nice_share"), &Rate("cpu_guest_nice_share")),
            Rate("cpu_nice_share")
        );
        "share of CPU time in user mode at lowered priority, excluding guests (%nice of sar -u ALL)"
    CPU_SYSTEM_ALONE "cpu_system_alone" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(
            |time| time!("cpu_system"),
            LessFloored(&Rate("cpu_system_share"), &All(&[Rate("cpu_irq_share"), Rate("cpu_softirq_share")]))
        );
        "share of CPU time in the kernel, excluding interrupts (%sys of sar -u ALL)"
    CPU_IRQ "cpu_irq" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(|time| time!("cpu_irq"), Rate("cpu_irq_share"));
        "share of CPU time in interrupts"
    CPU_SOFTIRQ "cpu_softirq" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(|time| time!("cpu_softirq"), Rate("cpu_softirq_share"));
        "share of CPU time in soft interrupts"
    CPU_GUEST "cpu_guest" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(|time| time!("cpu_guest"), Rate("cpu_guest_share"));
        "share of CPU time in guests, excluding nice"
    CPU_GUEST_NICE "cpu_guest_nice" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(|time| time!("cpu_guest_nice"), Rate("cpu_guest_nice_share"));
        "share of CPU time in guests at lowered priority"
    CPU_USER_AND_NICE "cpu_user_and_nice" Ratio [Host Cpu] LINUX "fs/proc/stat.c" "show_stat" =
        cpu_share!(
            |time| All(&[time!("cpu_user"), time!("cpu_nice")]),
            Rate("cpu_user_nice_share"),
            All(&[Rate("cpu_user_share"), Rate("cpu_nice_share")])
        );
        "share of CPU time in user mode, including guests and nice (us of vmstat)"
    CPUS "cpus" Count [Process Cgroup] LINUX "fs/proc/array.c" "do_task_stat" =
        First(&[All(&[Rate("utime"), Rate("stime")]), Rate("cpu_usage")]);
        "mean number of CPUs that a process or a control group used"
    CPU_THROTTLED "cpu_throttled" Ratio [Cgroup] LINUX "kernel/sched/fair.c" "throttle_cfs_rq" =
        Per(&Rate("cpu_throttled"), &Rate("cpu_periods"));
        "throttled periods of cpu.max as a share of those in which the group ran"
    PROCESS_LOST "process_lost" Ratio [Process] LINUX "kernel/delayacct.c" "delayacct_add_tsk" =
        Any(&[Rate("blkio_delay_total"), Rate("freepages_delay_total"), Rate("compact_delay_total")]);
        "share of time in which the threads of a process waited for block IO, or reclaimed and compacted memory themselves; waits for pages \
         that were evicted or swapped out are part of those for block IO"
    HIT_RATIO "hit_ratio" Ratio [Process] LINUX "fs/proc/base.c" "do_io_accounting" =
        OneLess(&Rate("read_bytes"), &Rate("rchar"));
        "share of the bytes a process read by system calls that came from no block device"

    HOST_HIT_RATIO "host_hit_ratio" Ratio [Host] LINUX "fs/proc/base.c" "do_io_accounting" =
        OneLess(&Sum(Table::Process, "read_bytes"), &Sum(Table::Process, "rchar"));
        "estimated share of the bytes the recorded processes read by system calls that came from no block device; reads of pipes and sockets \
         count as hits, faults of mapped files as misses"
    HOST_READ_ASKED "host_read_asked" BytesPerSecond [Host] LINUX "fs/proc/base.c" "do_io_accounting" =
        Sum(Table::Process, "rchar");
        "bytes that the recorded processes read by system calls, cached or not"
    HOST_WRITE_ASKED "host_write_asked" BytesPerSecond [Host] LINUX "fs/proc/base.c" "do_io_accounting" =
        Sum(Table::Process, "wchar");
        "bytes that the recorded processes wrote by system calls"
    HOST_READ_CALLS "host_read_calls" PerSecond [Host] LINUX "fs/proc/base.c" "do_io_accounting" =
        Sum(Table::Process, "syscr");
        "read system calls of the recorded processes"
    HOST_WRITE_CALLS "host_write_calls" PerSecond [Host] LINUX "fs/proc/base.c" "do_io_accounting" =
        Sum(Table::Process, "syscw");
        "write system calls of the recorded processes"

    PSI_CPU_SOME "psi_cpu_some" Ratio [Host Cgroup] LINUX "kernel/sched/psi.c" "psi_task_change" = Rate("psi_cpu_some");
        "share of time in which at least one task waited for a CPU"
    PSI_CPU_FULL "psi_cpu_full" Ratio [Host Cgroup] LINUX "kernel/sched/psi.c" "psi_task_change" = Rate("psi_cpu_full");
        "share of time in which all tasks that were not idle waited for a CPU"
    PSI_IO_SOME "psi_io_some" Ratio [Host Cgroup] LINUX "kernel/sched/psi.c" "psi_task_change" = Rate("psi_io_some");
        "share of time in which at least one task waited for IO"
    PSI_IO_FULL "psi_io_full" Ratio [Host Cgroup] LINUX "kernel/sched/psi.c" "psi_task_change" = Rate("psi_io_full");
        "share of time in which all tasks that were not idle waited for IO"
    PSI_MEMORY_SOME "psi_memory_some" Ratio [Host Cgroup] LINUX "kernel/sched/psi.c" "psi_task_change" =
        Rate("psi_memory_some");
        "share of time in which at least one task waited for memory"
    PSI_MEMORY_FULL "psi_memory_full" Ratio [Host Cgroup] LINUX "kernel/sched/psi.c" "psi_task_change" =
        Rate("psi_memory_full");
        "share of time in which all tasks that were not idle waited for memory"
}
