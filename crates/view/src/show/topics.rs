//! The columns of each topic.

use super::{Formula, Heading, Interval, Topic, share};
use pagetide_core::Unit;

type Column = (Heading, Formula);

const fn column(name: &'static str, unit: Unit, formula: Formula) -> Column {
    (Heading { name, unit }, formula)
}

pub(super) fn columns(topic: Topic) -> &'static [Column] {
    match topic {
        Topic::Memory => MEMORY,
        Topic::Paging => PAGING,
        Topic::Disk => DISK,
        Topic::Load => LOAD,
        Topic::Cpu => CPU,
        Topic::Swap => SWAP,
        Topic::Pressure => PRESSURE,
        Topic::Zones => ZONES,
        Topic::Processes => PROCESSES,
        Topic::Cgroups => CGROUPS,
    }
}

static MEMORY: &[Column] = &[
    column("free", Unit::Bytes, |i| i.gauge("MemFree")),
    column("avail", Unit::Bytes, |i| i.gauge("MemAvailable")),
    column("used", Unit::Bytes, |i| Some(i.gauge("MemTotal")? - i.gauge("MemFree")?)),
    column("used%", Unit::Ratio, |i| share(i.gauge("MemTotal")? - i.gauge("MemFree")?, i.gauge("MemTotal")?)),
    column("buffers", Unit::Bytes, |i| i.gauge("Buffers")),
    column("cached", Unit::Bytes, |i| i.gauge("Cached")),
    column("anon", Unit::Bytes, |i| i.gauge("AnonPages")),
    column("slab", Unit::Bytes, |i| i.gauge("Slab")),
    column("dirty", Unit::Bytes, |i| i.gauge("Dirty")),
    column("writeback", Unit::Bytes, |i| i.gauge("Writeback")),
    column("swapused", Unit::Bytes, |i| Some(i.gauge("SwapTotal")? - i.gauge("SwapFree")?)),
];

const SCAN: &[&str] = &["pgscan_kswapd", "pgscan_direct", "pgscan_khugepaged", "pgscan_proactive"];
const STEAL: &[&str] = &["pgsteal_kswapd", "pgsteal_direct", "pgsteal_khugepaged", "pgsteal_proactive"];
const REFAULT: &[&str] = &["workingset_refault", "workingset_refault_anon", "workingset_refault_file"];

/// Pages stolen per second; imported recordings have one sum instead of the kernel's parts.
fn steal(i: &Interval<'_>) -> Option<f64> {
    i.rates(STEAL).or_else(|| i.rate("pgsteal"))
}

static PAGING: &[Column] = &[
    column("pgpgin/s", Unit::BytesPerSecond, |i| Some(i.rate("pgpgin")? * 1024.0)),
    column("pgpgout/s", Unit::BytesPerSecond, |i| Some(i.rate("pgpgout")? * 1024.0)),
    column("fault/s", Unit::Count, |i| i.rate("pgfault")),
    column("majflt/s", Unit::Count, |i| i.rate("pgmajfault")),
    column("pgfree/s", Unit::Count, |i| i.rate("pgfree")),
    column("pgscank/s", Unit::Count, |i| i.rate("pgscan_kswapd")),
    column("pgscand/s", Unit::Count, |i| i.rate("pgscan_direct")),
    column("pgsteal/s", Unit::Count, steal),
    column("vmeff", Unit::Ratio, |i| share(steal(i)?, i.rates(SCAN)?)),
    column("refault/s", Unit::Count, |i| i.rates(REFAULT)),
];

static DISK: &[Column] = &[
    column("tps", Unit::Count, |i| i.rates(&["reads", "writes"]).or_else(|| i.rate("reads_writes"))),
    column("reads/s", Unit::Count, |i| i.rate("reads")),
    column("writes/s", Unit::Count, |i| i.rate("writes")),
    column("read/s", Unit::BytesPerSecond, |i| Some(i.rate("read_sectors")? * 512.0)),
    column("write/s", Unit::BytesPerSecond, |i| Some(i.rate("write_sectors")? * 512.0)),
    column("reqsize", Unit::Bytes, |i| {
        share(
            i.rates(&["read_sectors", "write_sectors"])? * 512.0,
            i.rates(&["reads", "writes"]).or_else(|| i.rate("reads_writes"))?,
        )
    }),
    column("depth", Unit::Count, |i| i.rate("weighted_io_ms").map(|rate| rate / 1e3).or_else(|| i.rate("queue_depth"))),
    column("await", Unit::Nanos, |i| {
        let mean = || share(i.rates(&["read_ms", "write_ms"])?, i.rates(&["reads", "writes"])?);
        mean().or_else(|| i.rate("await_ms")).map(|ms| ms * 1e6)
    }),
    column("util", Unit::Ratio, |i| i.rate("io_ms").map(|rate| rate / 1e3).or_else(|| i.rate("util"))),
];

static LOAD: &[Column] = &[
    column("runq", Unit::Count, |i| i.gauge("procs_running")),
    column("blocked", Unit::Count, |i| i.gauge("procs_blocked")),
    column("plist", Unit::Count, |i| i.gauge("tasks_total")),
    column("ldavg-1", Unit::Milli, |i| i.gauge("load1")),
    column("ldavg-5", Unit::Milli, |i| i.gauge("load5")),
    column("ldavg-15", Unit::Milli, |i| i.gauge("load15")),
];

/// The states that add up to all CPU time (guest time is part of user time).
const CPU_STATES: &[&str] =
    &["cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq", "cpu_steal"];

fn cpu(i: &Interval<'_>, states: &[&str], imported: &str) -> Option<f64> {
    let part = || share(i.rates(states)?, i.rates(CPU_STATES)?);
    part().or_else(|| i.rate(imported))
}

static CPU: &[Column] = &[
    column("user", Unit::Ratio, |i| cpu(i, &["cpu_user"], "cpu_user_share")),
    column("nice", Unit::Ratio, |i| cpu(i, &["cpu_nice"], "cpu_nice_share")),
    column("system", Unit::Ratio, |i| cpu(i, &["cpu_system", "cpu_irq", "cpu_softirq"], "cpu_system_share")),
    column("iowait", Unit::Ratio, |i| cpu(i, &["cpu_iowait"], "cpu_iowait_share")),
    column("steal", Unit::Ratio, |i| cpu(i, &["cpu_steal"], "cpu_steal_share")),
    column("idle", Unit::Ratio, |i| cpu(i, &["cpu_idle"], "cpu_idle_share")),
];

static SWAP: &[Column] = &[
    column("pswpin/s", Unit::Count, |i| i.rate("pswpin")),
    column("pswpout/s", Unit::Count, |i| i.rate("pswpout")),
    column("swapfree", Unit::Bytes, |i| i.gauge("SwapFree")),
    column("swapused", Unit::Bytes, |i| Some(i.gauge("SwapTotal")? - i.gauge("SwapFree")?)),
    column("swapcached", Unit::Bytes, |i| i.gauge("SwapCached")),
];

/// The part of the time in which tasks waited: PSI counts microseconds.
fn stalled(i: &Interval<'_>, metric: &str) -> Option<f64> {
    i.rate(metric).map(|rate| rate / 1e6)
}

static PRESSURE: &[Column] = &[
    column("cpu-some", Unit::Ratio, |i| stalled(i, "psi_cpu_some")),
    column("io-some", Unit::Ratio, |i| stalled(i, "psi_io_some")),
    column("io-full", Unit::Ratio, |i| stalled(i, "psi_io_full")),
    column("mem-some", Unit::Ratio, |i| stalled(i, "psi_memory_some")),
    column("mem-full", Unit::Ratio, |i| stalled(i, "psi_memory_full")),
];

static ZONES: &[Column] = &[
    column("free", Unit::Pages, |i| i.gauge("free")),
    column("min", Unit::Pages, |i| i.gauge("min")),
    column("low", Unit::Pages, |i| i.gauge("low")),
    column("high", Unit::Pages, |i| i.gauge("high")),
    column("managed", Unit::Pages, |i| i.gauge("managed")),
    column("above-high", Unit::Pages, |i| Some(i.gauge("free")? - i.gauge("high")?)),
];

static PROCESSES: &[Column] = &[
    column("cpu", Unit::Ratio, |i| i.rates(&["utime", "stime"]).map(|ticks| ticks / 100.0)),
    column("rss", Unit::Pages, |i| i.gauge("rss")),
    column("majflt/s", Unit::Count, |i| i.rate("majflt")),
    column("minflt/s", Unit::Count, |i| i.rate("minflt")),
    column("syscr/s", Unit::Count, |i| i.rate("syscr")),
    column("syscw/s", Unit::Count, |i| i.rate("syscw")),
    column("read/s", Unit::BytesPerSecond, |i| i.rate("read_bytes")),
    column("write/s", Unit::BytesPerSecond, |i| i.rate("write_bytes")),
];

static CGROUPS: &[Column] = &[
    column("current", Unit::Bytes, |i| i.gauge("current")),
    column("max", Unit::Bytes, |i| i.gauge("max")),
    column("anon", Unit::Bytes, |i| i.gauge("anon")),
    column("file", Unit::Bytes, |i| i.gauge("file")),
    column("dirty", Unit::Bytes, |i| i.gauge("file_dirty")),
    column("writeback", Unit::Bytes, |i| i.gauge("file_writeback")),
    column("majflt/s", Unit::Count, |i| i.rate("pgmajfault")),
    column("refault/s", Unit::Count, |i| i.rates(REFAULT)),
];
