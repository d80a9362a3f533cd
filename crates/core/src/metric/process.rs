//! Processes: `/proc/PID/stat`, `/proc/PID/io` and `/proc/PID/status`, fields as in proc(5); taskstats, fields as in
//! `include/uapi/linux/taskstats.h`.

use super::Kind::{Counter, Gauge};
use super::{Metric, Table, metric};
use crate::quantity::Unit;

const T: Table = Table::Process;
const TASKSTATS: &str = "taskstats (netlink, per process)";

pub(super) static METRICS: &[Metric] = &[
    metric(T, "utime", "/proc/PID/stat", Counter, Unit::Ticks, "CPU time in user mode"),
    metric(T, "stime", "/proc/PID/stat", Counter, Unit::Ticks, "CPU time in the kernel"),
    metric(T, "minflt", "/proc/PID/stat", Counter, Unit::Count, "page faults served without IO"),
    metric(T, "majflt", "/proc/PID/stat", Counter, Unit::Count, "page faults that had to read from a device"),
    metric(T, "num_threads", "/proc/PID/stat", Gauge, Unit::Count, "threads of the process"),
    metric(T, "vsize", "/proc/PID/stat", Gauge, Unit::Bytes, "virtual size"),
    metric(
        T,
        "rss",
        "/proc/PID/stat",
        Gauge,
        Unit::Pages,
        "resident pages, as the kernel's fast and slightly stale counters say",
    ),
    metric(
        T,
        "delayacct_blkio_ticks",
        "/proc/PID/stat",
        Counter,
        Unit::Ticks,
        "time spent waiting for block IO, with kernel.task_delayacct=1",
    ),
    metric(
        T,
        "state",
        "/proc/PID/stat",
        Gauge,
        Unit::Count,
        "state as the code of its letter: R running, S sleeping, D uninterruptible, Z zombie",
    ),
    metric(T, "tgid", "/proc/PID/task", Gauge, Unit::Count, "of a row for a thread: the process it belongs to"),
    metric(
        T,
        "scan_io_bytes",
        "/proc/PID/io, pagetide's scan",
        Gauge,
        Unit::Bytes,
        "read_bytes and write_bytes since the scan looked at the process before",
    ),
    metric(
        T,
        "scan_majflt",
        "/proc/PID/stat, pagetide's scan",
        Gauge,
        Unit::Count,
        "major faults since the scan looked at the process before",
    ),
    metric(T, "rchar", "/proc/PID/io", Counter, Unit::Bytes, "bytes asked for by read system calls, cached or not"),
    metric(T, "wchar", "/proc/PID/io", Counter, Unit::Bytes, "bytes given to write system calls"),
    metric(T, "syscr", "/proc/PID/io", Counter, Unit::Count, "read system calls"),
    metric(T, "syscw", "/proc/PID/io", Counter, Unit::Count, "write system calls"),
    metric(T, "read_bytes", "/proc/PID/io", Counter, Unit::Bytes, "bytes this process caused to be read from devices"),
    metric(
        T,
        "write_bytes",
        "/proc/PID/io",
        Counter,
        Unit::Bytes,
        "bytes this process caused to be dirtied for devices",
    ),
    metric(
        T,
        "cancelled_write_bytes",
        "/proc/PID/io",
        Counter,
        Unit::Bytes,
        "dirtied bytes that were thrown away before they were written",
    ),
    metric(T, "VmRSS", "/proc/PID/status", Gauge, Unit::Bytes, "resident memory"),
    metric(T, "RssAnon", "/proc/PID/status", Gauge, Unit::Bytes, "resident anonymous memory (since Linux 4.5)"),
    metric(T, "RssFile", "/proc/PID/status", Gauge, Unit::Bytes, "resident pages of files (since Linux 4.5)"),
    metric(T, "RssShmem", "/proc/PID/status", Gauge, Unit::Bytes, "resident shared memory (since Linux 4.5)"),
    metric(T, "VmSwap", "/proc/PID/status", Gauge, Unit::Bytes, "anonymous memory in swap"),
    metric(T, "VmLck", "/proc/PID/status", Gauge, Unit::Bytes, "locked memory"),
    metric(T, "cpu_delay_total", TASKSTATS, Counter, Unit::Nanos, "time spent runnable and waiting for a CPU"),
    metric(T, "blkio_delay_total", TASKSTATS, Counter, Unit::Nanos, "time spent waiting for block IO to complete"),
    metric(T, "swapin_delay_total", TASKSTATS, Counter, Unit::Nanos, "time spent waiting for pages from swap"),
    metric(T, "freepages_delay_total", TASKSTATS, Counter, Unit::Nanos, "time spent in direct reclaim"),
    metric(
        T,
        "thrashing_delay_total",
        TASKSTATS,
        Counter,
        Unit::Nanos,
        "time spent waiting for pages that had been reclaimed from the working set",
    ),
    metric(T, "compact_delay_total", TASKSTATS, Counter, Unit::Nanos, "time spent in direct compaction"),
    metric(T, "wpcopy_delay_total", TASKSTATS, Counter, Unit::Nanos, "time spent copying pages on write"),
    metric(T, "irq_delay_total", TASKSTATS, Counter, Unit::Nanos, "time taken away by interrupts"),
];
