//! The columns of each topic.

use super::formula::Formula::{self, Gauge, Less, Or, Rate, Rates, Share, Times};
use super::{Heading, Topic};
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

const USED: Formula = Less(&Gauge("MemTotal"), &Gauge("MemFree"));
const SWAP_USED: Formula = Less(&Gauge("SwapTotal"), &Gauge("SwapFree"));

static MEMORY: &[Column] = &[
    column("free", Unit::Bytes, Gauge("MemFree")),
    column("avail", Unit::Bytes, Gauge("MemAvailable")),
    column("used", Unit::Bytes, USED),
    column("used%", Unit::Ratio, Share(&USED, &Gauge("MemTotal"))),
    column("buffers", Unit::Bytes, Gauge("Buffers")),
    column("cached", Unit::Bytes, Gauge("Cached")),
    column("anon", Unit::Bytes, Gauge("AnonPages")),
    column("slab", Unit::Bytes, Gauge("Slab")),
    column("dirty", Unit::Bytes, Gauge("Dirty")),
    column("writeback", Unit::Bytes, Gauge("Writeback")),
    column("swapused", Unit::Bytes, SWAP_USED),
];

const SCAN: Formula = Rates(&["pgscan_kswapd", "pgscan_direct", "pgscan_khugepaged", "pgscan_proactive"]);
const STOLEN: Formula = Rates(&["pgsteal_kswapd", "pgsteal_direct", "pgsteal_khugepaged", "pgsteal_proactive"]);
/// Pages stolen per second; imported recordings have one sum instead of the kernel's parts.
const STEAL: Formula = Or(&STOLEN, &Rate("pgsteal"));
const REFAULT: Formula = Rates(&["workingset_refault", "workingset_refault_anon", "workingset_refault_file"]);

static PAGING: &[Column] = &[
    column("pgpgin/s", Unit::BytesPerSecond, Times(&Rate("pgpgin"), 1024.0)),
    column("pgpgout/s", Unit::BytesPerSecond, Times(&Rate("pgpgout"), 1024.0)),
    column("fault/s", Unit::Count, Rate("pgfault")),
    column("majflt/s", Unit::Count, Rate("pgmajfault")),
    column("pgfree/s", Unit::Count, Rate("pgfree")),
    column("pgscank/s", Unit::Count, Rate("pgscan_kswapd")),
    column("pgscand/s", Unit::Count, Rate("pgscan_direct")),
    column("pgsteal/s", Unit::Count, STEAL),
    column("vmeff", Unit::Ratio, Share(&STEAL, &SCAN)),
    column("refault/s", Unit::Count, REFAULT),
];

const REQUESTS: Formula = Rates(&["reads", "writes"]);
/// Requests per second; imported recordings may have one sum.
const TPS: Formula = Or(&REQUESTS, &Rate("reads_writes"));
const TRANSFERRED: Formula = Times(&Rates(&["read_sectors", "write_sectors"]), 512.0);
const AWAIT_MS: Formula = Share(&Rates(&["read_ms", "write_ms"]), &REQUESTS);

static DISK: &[Column] = &[
    column("tps", Unit::Count, TPS),
    column("reads/s", Unit::Count, Rate("reads")),
    column("writes/s", Unit::Count, Rate("writes")),
    column("read/s", Unit::BytesPerSecond, Times(&Rate("read_sectors"), 512.0)),
    column("write/s", Unit::BytesPerSecond, Times(&Rate("write_sectors"), 512.0)),
    column("reqsize", Unit::Bytes, Share(&TRANSFERRED, &TPS)),
    column("depth", Unit::Count, Or(&Times(&Rate("weighted_io_ms"), 1e-3), &Rate("queue_depth"))),
    column("await", Unit::Nanos, Times(&Or(&AWAIT_MS, &Rate("await_ms")), 1e6)),
    column("util", Unit::Ratio, Or(&Times(&Rate("io_ms"), 1e-3), &Rate("util"))),
];

static LOAD: &[Column] = &[
    column("runq", Unit::Count, Gauge("procs_running")),
    column("blocked", Unit::Count, Gauge("procs_blocked")),
    column("plist", Unit::Count, Gauge("tasks_total")),
    column("ldavg-1", Unit::Milli, Gauge("load1")),
    column("ldavg-5", Unit::Milli, Gauge("load5")),
    column("ldavg-15", Unit::Milli, Gauge("load15")),
];

/// All CPU time: the states that add up to it (guest time is part of user time).
const CPU_TIME: Formula =
    Rates(&["cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq", "cpu_steal"]);

const CPU_SYSTEM: Formula = Rates(&["cpu_system", "cpu_irq", "cpu_softirq"]);

static CPU: &[Column] = &[
    column("user", Unit::Ratio, Or(&Share(&Rate("cpu_user"), &CPU_TIME), &Rate("cpu_user_share"))),
    column("nice", Unit::Ratio, Or(&Share(&Rate("cpu_nice"), &CPU_TIME), &Rate("cpu_nice_share"))),
    column("system", Unit::Ratio, Or(&Share(&CPU_SYSTEM, &CPU_TIME), &Rate("cpu_system_share"))),
    column("iowait", Unit::Ratio, Or(&Share(&Rate("cpu_iowait"), &CPU_TIME), &Rate("cpu_iowait_share"))),
    column("steal", Unit::Ratio, Or(&Share(&Rate("cpu_steal"), &CPU_TIME), &Rate("cpu_steal_share"))),
    column("idle", Unit::Ratio, Or(&Share(&Rate("cpu_idle"), &CPU_TIME), &Rate("cpu_idle_share"))),
];

static SWAP: &[Column] = &[
    column("pswpin/s", Unit::Count, Rate("pswpin")),
    column("pswpout/s", Unit::Count, Rate("pswpout")),
    column("swapfree", Unit::Bytes, Gauge("SwapFree")),
    column("swapused", Unit::Bytes, SWAP_USED),
    column("swapcached", Unit::Bytes, Gauge("SwapCached")),
];

/// The part of the time in which tasks waited: PSI counts microseconds.
const fn stalled(rate: &'static Formula) -> Formula {
    Times(rate, 1e-6)
}

static PRESSURE: &[Column] = &[
    column("cpu-some", Unit::Ratio, stalled(&Rate("psi_cpu_some"))),
    column("io-some", Unit::Ratio, stalled(&Rate("psi_io_some"))),
    column("io-full", Unit::Ratio, stalled(&Rate("psi_io_full"))),
    column("mem-some", Unit::Ratio, stalled(&Rate("psi_memory_some"))),
    column("mem-full", Unit::Ratio, stalled(&Rate("psi_memory_full"))),
];

static ZONES: &[Column] = &[
    column("free", Unit::Pages, Gauge("free")),
    column("min", Unit::Pages, Gauge("min")),
    column("low", Unit::Pages, Gauge("low")),
    column("high", Unit::Pages, Gauge("high")),
    column("managed", Unit::Pages, Gauge("managed")),
    column("above-high", Unit::Pages, Less(&Gauge("free"), &Gauge("high"))),
];

static PROCESSES: &[Column] = &[
    column("cpu", Unit::Ratio, Times(&Rates(&["utime", "stime"]), 1e-2)),
    column("rss", Unit::Pages, Gauge("rss")),
    column("majflt/s", Unit::Count, Rate("majflt")),
    column("minflt/s", Unit::Count, Rate("minflt")),
    column("syscr/s", Unit::Count, Rate("syscr")),
    column("syscw/s", Unit::Count, Rate("syscw")),
    column("read/s", Unit::BytesPerSecond, Rate("read_bytes")),
    column("write/s", Unit::BytesPerSecond, Rate("write_bytes")),
];

static CGROUPS: &[Column] = &[
    column("current", Unit::Bytes, Gauge("current")),
    column("max", Unit::Bytes, Gauge("max")),
    column("anon", Unit::Bytes, Gauge("anon")),
    column("file", Unit::Bytes, Gauge("file")),
    column("dirty", Unit::Bytes, Gauge("file_dirty")),
    column("writeback", Unit::Bytes, Gauge("file_writeback")),
    column("majflt/s", Unit::Count, Rate("pgmajfault")),
    column("refault/s", Unit::Count, REFAULT),
];
