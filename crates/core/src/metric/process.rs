//! Processes: `/proc/PID/stat`, `/proc/PID/io` and `/proc/PID/status`, fields as in proc(5); taskstats, fields as in
//! `include/uapi/linux/taskstats.h`.

metrics! {
    Process;
    "/proc/PID/stat" {
        "utime" Counter Ticks "CPU time in user mode"
        "stime" Counter Ticks "CPU time in the kernel"
        "minflt" Counter Count "page faults served without IO"
        "majflt" Counter Count "page faults that had to read from a device"
        "num_threads" Gauge Count "threads of the process"
        "vsize" Gauge Bytes "virtual size"
        "rss" Gauge Pages "resident pages, by the kernel's fast, slightly stale counters"
        "delayacct_blkio_ticks" Counter Ticks "time spent waiting for block IO, with kernel.task_delayacct=1"
        "state" Gauge Count "state as the code of its letter: R running, S sleeping, D uninterruptible, Z zombie"
        "nice" Gauge Count "nice value, from -20 to 19: above 0 it gives way to others that want a CPU"
        "policy" Gauge Count "scheduling policy: 0 SCHED_OTHER, 1 FIFO, 2 RR, 3 BATCH, 5 IDLE, 6 DEADLINE"
    }
    "/proc/PID/schedstat, of processes" {
        "run_delay" Counter Nanos "time that its first thread spent runnable and waiting for a CPU"
    }
    "/proc/PID/stat, of processes" {
        "ppid" Gauge Count "process id of its parent"
    }
    "/proc/PID/cgroup" {
        "cgroup_id" Gauge Count "cgroup_id of its control group (v1: of the memory controller)"
    }
    "/proc/PID/task" {
        "tgid" Gauge Count "for a thread's row: the process it belongs to"
    }
    "/proc/PID/io" {
        "rchar" Counter Bytes "bytes asked for by read system calls, cached or not"
        "wchar" Counter Bytes "bytes given to write system calls"
        "syscr" Counter Count "read system calls"
        "syscw" Counter Count "write system calls"
        "read_bytes" Counter Bytes "bytes read from devices on behalf of this process"
        "write_bytes" Counter Bytes "bytes dirtied for devices by this process"
        "cancelled_write_bytes" Counter Bytes "dirtied bytes discarded before they were written"
    }
    "/proc/PID/status" {
        "VmRSS" Gauge Bytes "resident memory"
        "RssAnon" Gauge Bytes "resident anonymous memory (since Linux 4.5)"
        "RssFile" Gauge Bytes "resident pages of files (since Linux 4.5)"
        "RssShmem" Gauge Bytes "resident shared memory (since Linux 4.5)"
        "VmSwap" Gauge Bytes "anonymous memory in swap"
        "VmLck" Gauge Bytes "locked memory"
        "uid" Gauge Count "real uid of the user who runs it"
    }
    "taskstats (netlink, exit records)" {
        "ended_processes" Counter Count "processes of this command and parent that began and ended between two samples"
    }
    "taskstats (netlink, per process)" {
        "cpu_delay_total" Counter Nanos "time spent runnable and waiting for a CPU"
        "blkio_delay_total" Counter Nanos "time spent waiting for block IO to complete"
        "swapin_delay_total" Counter Nanos "time spent waiting for pages from swap"
        "freepages_delay_total" Counter Nanos "time spent in direct reclaim"
        "thrashing_delay_total" Counter Nanos "time spent waiting for pages that had been reclaimed from the working set"
        "compact_delay_total" Counter Nanos "time spent in direct compaction"
        "wpcopy_delay_total" Counter Nanos "time spent copying pages on write"
        "irq_delay_total" Counter Nanos "time taken by interrupts"
    }
}
