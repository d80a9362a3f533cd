//! The columns of sar, vmstat and iostat, by what they fill. sysstat: `pr_stats.c` for the sums, `sar.1` for the words.

use pagetide_core::metric::RATE_SCALE;
use pagetide_core::{Kind, Unit};

/// How one column of the recording is made of columns of a text: their sum, times a factor.
#[derive(Debug)]
pub(in crate::import) struct ColumnSource {
    pub(in crate::import) name: &'static str,
    pub(in crate::import) kind: Kind,
    pub(in crate::import) unit: Unit,
    /// What is stored is the sum in millionths times this …
    pub(super) numerator: i64,
    /// … divided by this.
    pub(super) denominator: i64,
    pub(in crate::import) of: &'static [&'static str],
}

/// The largest share of CPU time, in millionths: all of it, and what rounding adds to a sum of percentages.
const ALL_CPU_TIME: i64 = RATE_SCALE + RATE_SCALE / 100;

impl ColumnSource {
    /// Whether a stored value can be right: CPUs spend no less than none and no more than all of their time.
    pub(super) fn can_be(&self, value: i64) -> bool {
        !self.name.starts_with("cpu_") || self.unit != Unit::Ratio || (0..=ALL_CPU_TIME).contains(&value)
    }
}

/// A rate or an average in the unit of the text.
const fn rate(name: &'static str, unit: Unit, of: &'static [&'static str]) -> ColumnSource {
    rate_times(name, unit, 1, of)
}

/// A rate or an average in a unit `factor` times smaller.
const fn rate_times(name: &'static str, unit: Unit, factor: i64, of: &'static [&'static str]) -> ColumnSource {
    ColumnSource { name, kind: Kind::Rate, unit, numerator: factor, denominator: 1, of }
}

/// Percent, as a part of one.
const fn share(name: &'static str, of: &'static [&'static str]) -> ColumnSource {
    ColumnSource { name, kind: Kind::Rate, unit: Unit::Ratio, numerator: 1, denominator: 100, of }
}

/// A stall counter of PSI in microseconds, from the percent of time that it rose by.
const fn stalled(name: &'static str, of: &'static [&'static str]) -> ColumnSource {
    ColumnSource { name, kind: Kind::Rate, unit: Unit::Micros, numerator: 10_000, denominator: 1, of }
}

/// A share that is a gauge: percent, stored in hundredths of a percent.
const fn state_share(name: &'static str, of: &'static [&'static str]) -> ColumnSource {
    ColumnSource { name, kind: Kind::Gauge, unit: Unit::BasisPoints, numerator: 100, denominator: RATE_SCALE, of }
}

/// A gauge in KiB.
const fn kib(name: &'static str, of: &'static [&'static str]) -> ColumnSource {
    ColumnSource { name, kind: Kind::Gauge, unit: Unit::Bytes, numerator: 1024, denominator: RATE_SCALE, of }
}

/// A gauge that is a whole number.
const fn count(name: &'static str, of: &'static [&'static str]) -> ColumnSource {
    ColumnSource { name, kind: Kind::Gauge, unit: Unit::Count, numerator: 1, denominator: RATE_SCALE, of }
}

/// A load average.
const fn load(name: &'static str, of: &'static [&'static str]) -> ColumnSource {
    ColumnSource { name, kind: Kind::Gauge, unit: Unit::Milli, numerator: 1, denominator: RATE_SCALE / 1000, of }
}

/// The host's columns of sar and of iostat's avg-cpu.
pub(in crate::import) static HOST: &[ColumnSource] = &[
    // -B
    rate("pgpgin", Unit::Count, &["pgpgin/s"]),
    rate("pgpgout", Unit::Count, &["pgpgout/s"]),
    rate("pgfault", Unit::Count, &["fault/s"]),
    rate("pgmajfault", Unit::Count, &["majflt/s"]),
    rate("pgfree", Unit::Pages, &["pgfree/s"]),
    rate("pgscan_kswapd", Unit::Pages, &["pgscank/s"]),
    rate("pgscan_direct", Unit::Pages, &["pgscand/s"]),
    rate("pgsteal", Unit::Pages, &["pgsteal/s"]),
    share("vmeff", &["%vmeff"]),
    rate("pgpromote_success", Unit::Pages, &["pgprom/s"]),
    rate("pgdemote", Unit::Pages, &["pgdem/s"]),
    // -W
    rate("pswpin", Unit::Pages, &["pswpin/s"]),
    rate("pswpout", Unit::Pages, &["pswpout/s"]),
    // -u and -u ALL: the kernel's user time contains guest time, and -u's system the time of interrupts.
    share("cpu_user_share", &["%user"]),
    share("cpu_user_share", &["%usr", "%guest"]),
    share("cpu_nice_share", &["%nice", "%gnice"]),
    share("cpu_nice_share", &["%nice"]),
    share("cpu_system_share", &["%system"]),
    share("cpu_system_share", &["%sys", "%irq", "%soft"]),
    share("cpu_iowait_share", &["%iowait"]),
    share("cpu_steal_share", &["%steal"]),
    share("cpu_idle_share", &["%idle"]),
    share("cpu_irq_share", &["%irq"]),
    share("cpu_softirq_share", &["%soft"]),
    share("cpu_guest_share", &["%guest"]),
    share("cpu_guest_nice_share", &["%gnice"]),
    // -w
    rate("processes", Unit::Count, &["proc/s"]),
    rate("ctxt", Unit::Count, &["cswch/s"]),
    // -I
    rate("intr", Unit::Count, &["intr/s"]),
    rate("intr", Unit::Count, &["all"]),
    // -b: requests of all block devices
    rate("io_requests", Unit::Count, &["tps"]),
    rate("io_reads", Unit::Count, &["rtps"]),
    rate("io_writes", Unit::Count, &["wtps"]),
    rate("io_discards", Unit::Count, &["dtps"]),
    rate("io_read_sectors", Unit::Sectors, &["bread/s"]),
    rate("io_write_sectors", Unit::Sectors, &["bwrtn/s"]),
    rate("io_discard_sectors", Unit::Sectors, &["bdscd/s"]),
    // -r. sar's "used" has had several meanings, so it is kept under sar's name.
    kib("MemFree", &["kbmemfree"]),
    kib("MemAvailable", &["kbavail"]),
    kib("kbmemused", &["kbmemused"]),
    state_share("memused_share", &["%memused"]),
    state_share("commit_share", &["%commit"]),
    kib("Buffers", &["kbbuffers"]),
    kib("Cached", &["kbcached"]),
    kib("Committed_AS", &["kbcommit"]),
    kib("Active", &["kbactive"]),
    kib("Inactive", &["kbinact"]),
    kib("Dirty", &["kbdirty"]),
    kib("AnonPages", &["kbanonpg"]),
    kib("Slab", &["kbslab"]),
    kib("KernelStack", &["kbkstack"]),
    kib("PageTables", &["kbpgtbl"]),
    kib("VmallocUsed", &["kbvmused"]),
    // -S, and -r of sysstat 9. sar's used swap is the total less the free.
    kib("SwapFree", &["kbswpfree"]),
    kib("SwapTotal", &["kbswpfree", "kbswpused"]),
    kib("SwapCached", &["kbswpcad"]),
    state_share("swpused_share", &["%swpused"]),
    state_share("swpcad_share", &["%swpcad"]),
    // -H: the pool of huge pages of the default size
    kib("huge_free", &["kbhugfree"]),
    kib("huge_used", &["kbhugused"]),
    kib("huge_reserved", &["kbhugrsvd"]),
    kib("huge_surplus", &["kbhugsurp"]),
    // -q. sar does not count itself in the run queue.
    count("runq_size", &["runq-sz"]),
    count("tasks_total", &["plist-sz"]),
    count("procs_blocked", &["blocked"]),
    load("load1", &["ldavg-1"]),
    load("load5", &["ldavg-5"]),
    load("load15", &["ldavg-15"]),
    // -q PSI
    stalled("psi_cpu_some", &["%scpu"]),
    stalled("psi_io_some", &["%sio"]),
    stalled("psi_io_full", &["%fio"]),
    stalled("psi_memory_some", &["%smem"]),
    stalled("psi_memory_full", &["%fmem"]),
    state_share("psi_cpu_some_avg10", &["%scpu-10"]),
    state_share("psi_cpu_some_avg60", &["%scpu-60"]),
    state_share("psi_cpu_some_avg300", &["%scpu-300"]),
    state_share("psi_io_some_avg10", &["%sio-10"]),
    state_share("psi_io_some_avg60", &["%sio-60"]),
    state_share("psi_io_some_avg300", &["%sio-300"]),
    state_share("psi_io_full_avg10", &["%fio-10"]),
    state_share("psi_io_full_avg60", &["%fio-60"]),
    state_share("psi_io_full_avg300", &["%fio-300"]),
    state_share("psi_memory_some_avg10", &["%smem-10"]),
    state_share("psi_memory_some_avg60", &["%smem-60"]),
    state_share("psi_memory_some_avg300", &["%smem-300"]),
    state_share("psi_memory_full_avg10", &["%fmem-10"]),
    state_share("psi_memory_full_avg60", &["%fmem-60"]),
    state_share("psi_memory_full_avg300", &["%fmem-300"]),
];

/// The disks' columns of sar -d and iostat.
pub(in crate::import) static DISK: &[ColumnSource] = &[
    rate("reads_writes", Unit::Count, &["tps"]),
    rate("reads", Unit::Count, &["r/s"]),
    rate("writes", Unit::Count, &["w/s"]),
    rate("discards", Unit::Count, &["d/s"]),
    rate("flushes", Unit::Count, &["f/s"]),
    rate("read_merges", Unit::Count, &["rrqm/s"]),
    rate("write_merges", Unit::Count, &["wrqm/s"]),
    rate("discard_merges", Unit::Count, &["drqm/s"]),
    rate("read_sectors", Unit::Sectors, &["rd_sec/s"]),
    rate("read_sectors", Unit::Sectors, &["rsec/s"]),
    rate("read_sectors", Unit::Sectors, &["Blk_read/s"]),
    rate_times("read_sectors", Unit::Sectors, 2, &["rkB/s"]),
    rate_times("read_sectors", Unit::Sectors, 2, &["kB_read/s"]),
    rate_times("read_sectors", Unit::Sectors, 2048, &["rMB/s"]),
    rate_times("read_sectors", Unit::Sectors, 2048, &["MB_read/s"]),
    rate("write_sectors", Unit::Sectors, &["wr_sec/s"]),
    rate("write_sectors", Unit::Sectors, &["wsec/s"]),
    rate("write_sectors", Unit::Sectors, &["Blk_wrtn/s"]),
    rate_times("write_sectors", Unit::Sectors, 2, &["wkB/s"]),
    rate_times("write_sectors", Unit::Sectors, 2, &["kB_wrtn/s"]),
    rate_times("write_sectors", Unit::Sectors, 2048, &["wMB/s"]),
    rate_times("write_sectors", Unit::Sectors, 2048, &["MB_wrtn/s"]),
    rate("discard_sectors", Unit::Sectors, &["dc_sec/s"]),
    rate("discard_sectors", Unit::Sectors, &["dsec/s"]),
    rate("discard_sectors", Unit::Sectors, &["Blk_dscd/s"]),
    rate_times("discard_sectors", Unit::Sectors, 2, &["dkB/s"]),
    rate_times("discard_sectors", Unit::Sectors, 2, &["kB_dscd/s"]),
    rate_times("discard_sectors", Unit::Sectors, 2048, &["dMB/s"]),
    rate_times("discard_sectors", Unit::Sectors, 2048, &["MB_dscd/s"]),
    rate("request_sectors", Unit::Sectors, &["avgrq-sz"]),
    rate_times("request_sectors", Unit::Sectors, 2, &["areq-sz"]),
    rate_times("read_request_sectors", Unit::Sectors, 2, &["rareq-sz"]),
    rate_times("write_request_sectors", Unit::Sectors, 2, &["wareq-sz"]),
    rate_times("discard_request_sectors", Unit::Sectors, 2, &["dareq-sz"]),
    rate("queue_depth", Unit::Count, &["avgqu-sz"]),
    rate("queue_depth", Unit::Count, &["aqu-sz"]),
    rate("await_ms", Unit::Millis, &["await"]),
    rate("read_await_ms", Unit::Millis, &["r_await"]),
    rate("write_await_ms", Unit::Millis, &["w_await"]),
    rate("discard_await_ms", Unit::Millis, &["d_await"]),
    rate("flush_await_ms", Unit::Millis, &["f_await"]),
    share("util", &["%util"]),
];

/// The processes' columns of `pidstat`. A percent of a CPU is one of its 100 ticks a second; its user time is without guests.
pub(in crate::import) static PROCESS: &[ColumnSource] = &[
    rate("utime", Unit::Ticks, &["%usr", "%guest"]),
    rate("utime", Unit::Ticks, &["%usr"]),
    rate("stime", Unit::Ticks, &["%system"]),
    rate_times("cpu_delay_total", Unit::Nanos, 10_000_000, &["%wait"]),
    rate("minflt", Unit::Count, &["minflt/s"]),
    rate("majflt", Unit::Count, &["majflt/s"]),
    kib("vsize", &["VSZ"]),
    ColumnSource {
        name: "rss",
        kind: Kind::Gauge,
        unit: Unit::Pages,
        numerator: 1,
        denominator: 4 * RATE_SCALE,
        of: &["RSS"],
    },
    rate_times("read_bytes", Unit::Bytes, 1024, &["kB_rd/s"]),
    rate_times("write_bytes", Unit::Bytes, 1024, &["kB_wr/s"]),
    rate_times("cancelled_write_bytes", Unit::Bytes, 1024, &["kB_ccwr/s"]),
    count("num_threads", &["threads"]),
];

/// The columns of `vmstat`. Its user time contains nice time, its cache reclaimable slab (since procps-ng 3.3.10): both
/// under names of their own. It prints swap traffic in KiB: pages of 4 KiB are a quarter.
pub(in crate::import) static VMSTAT: &[ColumnSource] = &[
    count("procs_running", &["r"]),
    count("procs_blocked", &["b"]),
    kib("swap_used", &["swpd"]),
    kib("MemFree", &["free"]),
    kib("Buffers", &["buff"]),
    kib("cache_and_slab", &["cache"]),
    kib("Inactive", &["inact"]),
    kib("Active", &["active"]),
    ColumnSource { name: "pswpin", kind: Kind::Rate, unit: Unit::Pages, numerator: 1, denominator: 4, of: &["si"] },
    ColumnSource { name: "pswpout", kind: Kind::Rate, unit: Unit::Pages, numerator: 1, denominator: 4, of: &["so"] },
    rate("pgpgin", Unit::Count, &["bi"]),
    rate("pgpgout", Unit::Count, &["bo"]),
    rate("intr", Unit::Count, &["in"]),
    rate("ctxt", Unit::Count, &["cs"]),
    share("cpu_user_nice_share", &["us"]),
    share("cpu_system_share", &["sy"]),
    share("cpu_idle_share", &["id"]),
    share("cpu_iowait_share", &["wa"]),
    share("cpu_steal_share", &["st"]),
    share("cpu_guest_share", &["gu"]),
];
