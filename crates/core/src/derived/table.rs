//! The table of derived metrics.

use super::Formula::{All, Any, First, Gauge, Half, Kib, Less, LessFloored, OneLess, Per, Rate, Times, With};
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
/// Linux before 5.9 counts file pages only.
const FILE_REFAULTS: Formula = First(&[Rate("workingset_refault_file"), Rate("workingset_refault")]);

// Requests: sysstat counts reads, writes and discards, and leaves out flushes.
const READS_AND_WRITES: Formula = All(&[Rate("reads"), Rate("writes")]);
const REQUESTS: Formula = First(&[With(&READS_AND_WRITES, &[Rate("discards")]), Rate("reads_writes")]);
const TRANSFERRED: Formula = With(&All(&[Rate("read_sectors"), Rate("write_sectors")]), &[Rate("discard_sectors")]);
const REQUEST_TIME: Formula = With(&All(&[Rate("read_ms"), Rate("write_ms")]), &[Rate("discard_ms")]);
/// The same of a tool that prints the mean time of reads and of writes.
const PRINTED_REQUEST_TIME: Formula =
    All(&[Times(&Rate("read_await_ms"), &Rate("reads")), Times(&Rate("write_await_ms"), &Rate("writes"))]);

/// All CPU time. Its states user and nice contain the time of guests.
const CPU_TIME: Formula = With(
    &All(&[Rate("cpu_user"), Rate("cpu_nice"), Rate("cpu_system"), Rate("cpu_idle")]),
    &[Rate("cpu_iowait"), Rate("cpu_irq"), Rate("cpu_softirq"), Rate("cpu_steal")],
);
const SYSTEM_TIME: Formula = With(&Rate("cpu_system"), &[Rate("cpu_irq"), Rate("cpu_softirq")]);

const MEMORY_USED: Formula = Less(&Gauge("MemTotal"), &Gauge("MemAvailable"));
const UNWRITTEN: Formula = All(&[Gauge("nr_dirty"), Gauge("nr_writeback")]);
const FREERUN: Formula = Half(&All(&[Gauge("nr_dirty_threshold"), Gauge("nr_dirty_background_threshold")]));

derived! {
    USED "used" Bytes [Host] PROCPS "library/meminfo.c" "meminfo_read_failed" = MEMORY_USED;
        "memory that is not available: MemTotal less MemAvailable"
    USED_SHARE "used_share" Ratio [Host] PROCPS "library/meminfo.c" "meminfo_read_failed" =
        Per(&MEMORY_USED, &Gauge("MemTotal"));
        "used memory as a share of MemTotal"
    SWAP_USED "swap_used" Bytes [Host] LINUX "mm/swapfile.c" "si_swapinfo" =
        First(&[Less(&Gauge("SwapTotal"), &Gauge("SwapFree")), Gauge("swap_used")]);
        "swap in use: SwapTotal less SwapFree"
    FREERUN_CEILING "freerun" Pages [Host] LINUX "mm/page-writeback.c" "dirty_freerun_ceiling" = FREERUN;
        "dirty and writeback pages up to which no writer is throttled: half way between the two dirty thresholds"
    DIRTY_ROOM "dirty_room" Pages [Host] LINUX "mm/page-writeback.c" "balance_dirty_pages" =
        LessFloored(&FREERUN, &UNWRITTEN);
        "room until throttling: freerun less dirty and writeback pages"
    ABOVE_HIGH "above_high" Pages [Zone] LINUX "mm/vmscan.c" "pgdat_balanced" =
        Less(&Gauge("free"), &Gauge("high"));
        "free pages of a zone above its high watermark; kswapd sleeps while there are any"

    SCANNED "scanned" PagesPerSecond [Host Cgroup] LINUX "mm/vmscan.c" "shrink_inactive_list" = ALL_SCANNED;
        "pages that reclaim scanned, at a control group's limit too"
    SCANNED_FOR_HOST "scanned_for_host" PagesPerSecond [Host] LINUX "mm/vmscan.c" "reclaimer_offset" = SCANNED_BY_RECLAIMER;
        "pages that reclaim scanned because the host or a zone was short, not at a control group's limit"
    SCANNED_KSWAPD "scanned_kswapd" PagesPerSecond [Host Cgroup] LINUX "mm/vmscan.c" "reclaimer_offset" =
        Rate("pgscan_kswapd");
        "pages that kswapd scanned"
    SCANNED_DIRECT "scanned_direct" PagesPerSecond [Host Cgroup] LINUX "mm/vmscan.c" "reclaimer_offset" =
        Rate("pgscan_direct");
        "pages that tasks scanned in direct reclaim, because an allocation found no free page"
    SCANNED_AT_LIMIT "scanned_at_limit" PagesPerSecond [Host] LINUX "mm/vmscan.c" "shrink_inactive_list" =
        LessFloored(&SCANNED_BY_KIND, &SCANNED_BY_RECLAIMER);
        "pages that reclaim scanned at a control group's limit or for its memory.reclaim"
    STOLEN "stolen" PagesPerSecond [Host Cgroup] LINUX "mm/vmscan.c" "shrink_inactive_list" = ALL_STOLEN;
        "pages that reclaim freed, at a control group's limit too"
    STOLEN_FOR_HOST "stolen_for_host" PagesPerSecond [Host] LINUX "mm/vmscan.c" "reclaimer_offset" =
        First(&[Rate("pgsteal"), STOLEN_BY_RECLAIMER]);
        "pages that reclaim freed because the host or a zone was short, not at a control group's limit"
    STOLEN_KSWAPD "stolen_kswapd" PagesPerSecond [Host Cgroup] LINUX "mm/vmscan.c" "reclaimer_offset" =
        Rate("pgsteal_kswapd");
        "pages that kswapd freed"
    STOLEN_DIRECT "stolen_direct" PagesPerSecond [Host Cgroup] LINUX "mm/vmscan.c" "reclaimer_offset" =
        Rate("pgsteal_direct");
        "pages that tasks freed in direct reclaim"
    STOLEN_AT_LIMIT "stolen_at_limit" PagesPerSecond [Host] LINUX "mm/vmscan.c" "shrink_inactive_list" =
        LessFloored(&STOLEN_BY_KIND, &STOLEN_BY_RECLAIMER);
        "pages that reclaim freed at a control group's limit or for its memory.reclaim"
    EFFICIENCY "efficiency" Ratio [Host Cgroup] SYSSTAT "pr_stats.c" "print_paging_stats" =
        First(&[Per(&ALL_STOLEN, &ALL_SCANNED), Rate("vmeff")]);
        "stolen pages as a share of scanned pages (sar's %vmeff); low when reclaim scans pages that it cannot free"
    REFAULTS_FILE "refaults_file" PagesPerSecond [Host Cgroup] LINUX "mm/workingset.c" "workingset_refault" =
        FILE_REFAULTS;
        "file pages that were read again after reclaim had evicted them"
    REFAULTS_ANON "refaults_anon" PagesPerSecond [Host Cgroup] LINUX "mm/workingset.c" "workingset_refault" =
        Rate("workingset_refault_anon");
        "anonymous pages that were swapped in again after reclaim had evicted them"
    REFAULTS "refaults" PagesPerSecond [Host Cgroup] LINUX "mm/workingset.c" "workingset_refault" =
        With(&FILE_REFAULTS, &[Rate("workingset_refault_anon")]);
        "pages that were read or swapped in again after reclaim had evicted them"
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
        "requests that a disk completed: reads, writes and discards, not flushes"
    READS "reads" PerSecond [Disk] LINUX "block/blk-mq.c" "blk_account_io_done" = Rate("reads");
        "reads that a disk completed"
    WRITES "writes" PerSecond [Disk] LINUX "block/blk-mq.c" "blk_account_io_done" = Rate("writes");
        "writes that a disk completed"
    READ_BANDWIDTH "read_bandwidth" BytesPerSecond [Disk] LINUX "block/blk-mq.c" "blk_account_io_completion" =
        Rate("read_sectors");
        "bytes that a disk read"
    WRITE_BANDWIDTH "write_bandwidth" BytesPerSecond [Disk] LINUX "block/blk-mq.c" "blk_account_io_completion" =
        Rate("write_sectors");
        "bytes that a disk wrote"
    REQUEST_SIZE "request_size" Bytes [Disk] SYSSTAT "common.c" "compute_ext_disk_stats" =
        First(&[Per(&TRANSFERRED, &REQUESTS), Rate("request_sectors")]);
        "mean size of a request: bytes read, written and discarded by the requests that tps counts"
    QUEUE_DEPTH "queue_depth" Count [Disk] LINUX "block/genhd.c" "diskstats_show" =
        First(&[Rate("weighted_io_ms"), Rate("queue_depth")]);
        "mean number of requests in flight or in the queue of a disk"
    AWAIT "await" Nanos [Disk] SYSSTAT "common.c" "compute_ext_disk_stats" =
        First(&[Per(&REQUEST_TIME, &REQUESTS), Rate("await_ms"), Per(&PRINTED_REQUEST_TIME, &READS_AND_WRITES)]);
        "mean time from the submission of a request to its completion, its time in the queue included"
    READ_AWAIT "read_await" Nanos [Disk] SYSSTAT "iostat.c" "write_ext_stat" =
        First(&[Per(&Rate("read_ms"), &Rate("reads")), Rate("read_await_ms")]);
        "await of reads"
    WRITE_AWAIT "write_await" Nanos [Disk] SYSSTAT "iostat.c" "write_ext_stat" =
        First(&[Per(&Rate("write_ms"), &Rate("writes")), Rate("write_await_ms")]);
        "await of writes"
    BUSY "busy" Ratio [Disk] LINUX "block/blk-core.c" "update_io_ticks" = First(&[Rate("io_ms"), Rate("util")]);
        "share of time in which a disk had at least one request in flight (iostat's %util)"

    CPU_USER "cpu_user" Ratio [Host] LINUX "fs/proc/stat.c" "show_stat" =
        First(&[Per(&Rate("cpu_user"), &CPU_TIME), Rate("cpu_user_share")]);
        "share of CPU time in user mode, guests included, without nice"
    CPU_NICE "cpu_nice" Ratio [Host] LINUX "fs/proc/stat.c" "show_stat" =
        First(&[Per(&Rate("cpu_nice"), &CPU_TIME), Rate("cpu_nice_share")]);
        "share of CPU time in user mode at lowered priority"
    CPU_SYSTEM "cpu_system" Ratio [Host] LINUX "fs/proc/stat.c" "show_stat" =
        First(&[Per(&SYSTEM_TIME, &CPU_TIME), Rate("cpu_system_share")]);
        "share of CPU time in the kernel, interrupts included"
    CPU_IOWAIT "cpu_iowait" Ratio [Host] LINUX "fs/proc/stat.c" "show_stat" =
        First(&[Per(&Rate("cpu_iowait"), &CPU_TIME), Rate("cpu_iowait_share")]);
        "share of CPU time that was idle while a task of that CPU waited for IO"
    CPU_STEAL "cpu_steal" Ratio [Host] LINUX "fs/proc/stat.c" "show_stat" =
        First(&[Per(&Rate("cpu_steal"), &CPU_TIME), Rate("cpu_steal_share")]);
        "share of CPU time that the hypervisor gave to others"
    CPU_IDLE "cpu_idle" Ratio [Host] LINUX "fs/proc/stat.c" "show_stat" =
        First(&[Per(&Rate("cpu_idle"), &CPU_TIME), Rate("cpu_idle_share")]);
        "share of CPU time that was idle with no task waiting for IO"
    CPUS "cpus" Count [Process] LINUX "fs/proc/array.c" "do_task_stat" = All(&[Rate("utime"), Rate("stime")]);
        "mean number of CPUs that a process used"
    HIT_RATIO "hit_ratio" Ratio [Process] LINUX "fs/proc/base.c" "do_io_accounting" =
        OneLess(&Rate("read_bytes"), &Rate("rchar"));
        "share of the bytes that a process read by system calls for which no block device was read"

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
