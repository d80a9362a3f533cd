//! The host as a whole: meminfo, vmstat, stat, loadavg, pressure.

use super::Kind::{Counter, Gauge};
use super::{Metric, Table, metric};
use crate::quantity::Unit;

mod vmstat;

const T: Table = Table::Host;

pub(super) static METRICS: &[Metric] = &joined();

/// Both lists in one, put together by the compiler.
const fn joined() -> [Metric; OTHER.len() + vmstat::METRICS.len()] {
    let mut all = [OTHER[0]; OTHER.len() + vmstat::METRICS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < OTHER.len() { OTHER[at] } else { vmstat::METRICS[at - OTHER.len()] };
        at += 1;
    }
    all
}

/// Everything but vmstat.
const OTHER: &[Metric] = &[
    metric(T, "MemTotal", "/proc/meminfo", Gauge, Unit::Bytes, "memory that the kernel manages"),
    metric(T, "MemFree", "/proc/meminfo", Gauge, Unit::Bytes, "memory nobody uses, not even as cache"),
    metric(
        T,
        "MemAvailable",
        "/proc/meminfo",
        Gauge,
        Unit::Bytes,
        "estimate of what new workloads can get without swapping (since Linux 3.14)",
    ),
    metric(T, "Buffers", "/proc/meminfo", Gauge, Unit::Bytes, "page cache of block devices"),
    metric(T, "Cached", "/proc/meminfo", Gauge, Unit::Bytes, "page cache of files, shared memory included"),
    metric(T, "SwapCached", "/proc/meminfo", Gauge, Unit::Bytes, "memory that is in swap as well"),
    metric(T, "Active", "/proc/meminfo", Gauge, Unit::Bytes, "active lists: used recently"),
    metric(T, "Inactive", "/proc/meminfo", Gauge, Unit::Bytes, "inactive lists: first to be reclaimed"),
    metric(T, "Active(anon)", "/proc/meminfo", Gauge, Unit::Bytes, "anonymous memory on the active list"),
    metric(T, "Inactive(anon)", "/proc/meminfo", Gauge, Unit::Bytes, "anonymous memory on the inactive list"),
    metric(T, "Active(file)", "/proc/meminfo", Gauge, Unit::Bytes, "page cache on the active list"),
    metric(T, "Inactive(file)", "/proc/meminfo", Gauge, Unit::Bytes, "page cache on the inactive list"),
    metric(T, "Unevictable", "/proc/meminfo", Gauge, Unit::Bytes, "memory that cannot be reclaimed"),
    metric(T, "Mlocked", "/proc/meminfo", Gauge, Unit::Bytes, "memory locked by mlock"),
    metric(T, "SwapTotal", "/proc/meminfo", Gauge, Unit::Bytes, "size of all swap"),
    metric(T, "SwapFree", "/proc/meminfo", Gauge, Unit::Bytes, "swap not in use"),
    metric(T, "Zswap", "/proc/meminfo", Gauge, Unit::Bytes, "memory used by compressed swap cache"),
    metric(T, "Zswapped", "/proc/meminfo", Gauge, Unit::Bytes, "anonymous memory stored in zswap"),
    metric(T, "Dirty", "/proc/meminfo", Gauge, Unit::Bytes, "page cache that waits to be written"),
    metric(T, "Writeback", "/proc/meminfo", Gauge, Unit::Bytes, "page cache being written now"),
    metric(T, "AnonPages", "/proc/meminfo", Gauge, Unit::Bytes, "anonymous memory mapped by processes"),
    metric(T, "Mapped", "/proc/meminfo", Gauge, Unit::Bytes, "page cache mapped by processes"),
    metric(T, "Shmem", "/proc/meminfo", Gauge, Unit::Bytes, "shared memory and tmpfs"),
    metric(T, "KReclaimable", "/proc/meminfo", Gauge, Unit::Bytes, "kernel memory that can be reclaimed"),
    metric(T, "Slab", "/proc/meminfo", Gauge, Unit::Bytes, "kernel slab caches"),
    metric(T, "SReclaimable", "/proc/meminfo", Gauge, Unit::Bytes, "slab that can be reclaimed"),
    metric(T, "SUnreclaim", "/proc/meminfo", Gauge, Unit::Bytes, "slab that cannot be reclaimed"),
    metric(T, "KernelStack", "/proc/meminfo", Gauge, Unit::Bytes, "kernel stacks"),
    metric(T, "PageTables", "/proc/meminfo", Gauge, Unit::Bytes, "page tables"),
    metric(T, "SecPageTables", "/proc/meminfo", Gauge, Unit::Bytes, "page tables of devices and virtual machines"),
    metric(T, "NFS_Unstable", "/proc/meminfo", Gauge, Unit::Bytes, "pages sent to an NFS server and not yet committed"),
    metric(T, "Bounce", "/proc/meminfo", Gauge, Unit::Bytes, "bounce buffers"),
    metric(T, "WritebackTmp", "/proc/meminfo", Gauge, Unit::Bytes, "FUSE writeback buffers"),
    metric(T, "CommitLimit", "/proc/meminfo", Gauge, Unit::Bytes, "memory that may be promised"),
    metric(T, "Committed_AS", "/proc/meminfo", Gauge, Unit::Bytes, "memory that has been promised"),
    metric(T, "VmallocTotal", "/proc/meminfo", Gauge, Unit::Bytes, "size of the vmalloc area"),
    metric(T, "VmallocUsed", "/proc/meminfo", Gauge, Unit::Bytes, "vmalloc area in use"),
    metric(T, "VmallocChunk", "/proc/meminfo", Gauge, Unit::Bytes, "largest free vmalloc block (old kernels)"),
    metric(T, "Percpu", "/proc/meminfo", Gauge, Unit::Bytes, "per-CPU memory"),
    metric(T, "HardwareCorrupted", "/proc/meminfo", Gauge, Unit::Bytes, "memory taken out of use after errors"),
    metric(T, "AnonHugePages", "/proc/meminfo", Gauge, Unit::Bytes, "anonymous transparent huge pages"),
    metric(T, "ShmemHugePages", "/proc/meminfo", Gauge, Unit::Bytes, "shared memory in huge pages"),
    metric(T, "ShmemPmdMapped", "/proc/meminfo", Gauge, Unit::Bytes, "shared memory mapped by huge pages"),
    metric(T, "FileHugePages", "/proc/meminfo", Gauge, Unit::Bytes, "page cache in huge pages"),
    metric(T, "FilePmdMapped", "/proc/meminfo", Gauge, Unit::Bytes, "page cache mapped by huge pages"),
    metric(T, "CmaTotal", "/proc/meminfo", Gauge, Unit::Bytes, "contiguous memory area"),
    metric(T, "CmaFree", "/proc/meminfo", Gauge, Unit::Bytes, "contiguous memory area not in use"),
    metric(T, "Unaccepted", "/proc/meminfo", Gauge, Unit::Bytes, "memory the guest has not accepted yet"),
    metric(T, "Balloon", "/proc/meminfo", Gauge, Unit::Bytes, "memory given back to the hypervisor"),
    metric(T, "Hugepagesize", "/proc/meminfo", Gauge, Unit::Bytes, "size of a huge page"),
    metric(T, "Hugetlb", "/proc/meminfo", Gauge, Unit::Bytes, "memory in the pool of huge pages"),
    metric(T, "DirectMap4k", "/proc/meminfo", Gauge, Unit::Bytes, "kernel mapping in 4 KiB pages"),
    metric(T, "DirectMap2M", "/proc/meminfo", Gauge, Unit::Bytes, "kernel mapping in 2 MiB pages"),
    metric(T, "DirectMap1G", "/proc/meminfo", Gauge, Unit::Bytes, "kernel mapping in 1 GiB pages"),
    metric(T, "HugePages_Total", "/proc/meminfo", Gauge, Unit::Count, "huge pages in the pool"),
    metric(T, "HugePages_Free", "/proc/meminfo", Gauge, Unit::Count, "huge pages not in use"),
    metric(T, "HugePages_Rsvd", "/proc/meminfo", Gauge, Unit::Count, "huge pages promised"),
    metric(T, "HugePages_Surp", "/proc/meminfo", Gauge, Unit::Count, "huge pages above the pool size"),
    metric(T, "cpu_user", "/proc/stat", Counter, Unit::Ticks, "CPU time of all CPUs in state user"),
    metric(T, "cpu_nice", "/proc/stat", Counter, Unit::Ticks, "CPU time of all CPUs in state nice"),
    metric(T, "cpu_system", "/proc/stat", Counter, Unit::Ticks, "CPU time of all CPUs in state system"),
    metric(T, "cpu_idle", "/proc/stat", Counter, Unit::Ticks, "CPU time of all CPUs in state idle"),
    metric(T, "cpu_iowait", "/proc/stat", Counter, Unit::Ticks, "CPU time of all CPUs in state iowait"),
    metric(T, "cpu_irq", "/proc/stat", Counter, Unit::Ticks, "CPU time of all CPUs in state irq"),
    metric(T, "cpu_softirq", "/proc/stat", Counter, Unit::Ticks, "CPU time of all CPUs in state softirq"),
    metric(T, "cpu_steal", "/proc/stat", Counter, Unit::Ticks, "CPU time of all CPUs in state steal"),
    metric(T, "cpu_guest", "/proc/stat", Counter, Unit::Ticks, "CPU time of all CPUs in state guest"),
    metric(T, "cpu_guest_nice", "/proc/stat", Counter, Unit::Ticks, "CPU time of all CPUs in state guest_nice"),
    metric(T, "ctxt", "/proc/stat", Counter, Unit::Count, "context switches"),
    metric(T, "intr", "/proc/stat", Counter, Unit::Count, "interrupts"),
    metric(T, "processes", "/proc/stat", Counter, Unit::Count, "processes and threads started"),
    metric(T, "procs_running", "/proc/stat", Gauge, Unit::Count, "runnable tasks"),
    metric(T, "procs_blocked", "/proc/stat", Gauge, Unit::Count, "tasks waiting for IO"),
    metric(
        T,
        "load1",
        "/proc/loadavg",
        Gauge,
        Unit::Milli,
        "load average over 1 min: runnable and uninterruptible tasks",
    ),
    metric(
        T,
        "load5",
        "/proc/loadavg",
        Gauge,
        Unit::Milli,
        "load average over 5 min: runnable and uninterruptible tasks",
    ),
    metric(
        T,
        "load15",
        "/proc/loadavg",
        Gauge,
        Unit::Milli,
        "load average over 15 min: runnable and uninterruptible tasks",
    ),
    metric(T, "tasks_running", "/proc/loadavg", Gauge, Unit::Count, "runnable tasks"),
    metric(T, "tasks_total", "/proc/loadavg", Gauge, Unit::Count, "tasks that exist"),
    metric(
        T,
        "psi_cpu_some",
        "/proc/pressure/cpu",
        Counter,
        Unit::Micros,
        "time in which at least one task waited for cpu",
    ),
    metric(
        T,
        "psi_cpu_full",
        "/proc/pressure/cpu",
        Counter,
        Unit::Micros,
        "time in which every task that could run waited for cpu",
    ),
    metric(
        T,
        "psi_io_some",
        "/proc/pressure/io",
        Counter,
        Unit::Micros,
        "time in which at least one task waited for io",
    ),
    metric(
        T,
        "psi_io_full",
        "/proc/pressure/io",
        Counter,
        Unit::Micros,
        "time in which every task that could run waited for io",
    ),
    metric(
        T,
        "psi_memory_some",
        "/proc/pressure/memory",
        Counter,
        Unit::Micros,
        "time in which at least one task waited for memory",
    ),
    metric(
        T,
        "psi_memory_full",
        "/proc/pressure/memory",
        Counter,
        Unit::Micros,
        "time in which every task that could run waited for memory",
    ),
];
