//! The columns of each topic.

use super::topic::{Heading, Topic};
use pagetide_core::derived::{self, Derived, Formula};
use pagetide_core::{Selection, Table, Unit, metric};

/// What a column shows.
#[derive(Debug, Clone, Copy)]
enum Content {
    /// A derived metric.
    Derived(&'static Derived),
    /// A recorded metric as it is.
    Recorded(Formula, Unit),
}

/// A column of a table.
#[derive(Debug)]
pub(super) struct Column {
    name: &'static str,
    content: Content,
}

impl Column {
    pub(super) fn heading(&self, table: Table) -> Heading {
        Heading { name: self.name, unit: self.unit(), meaning: self.meaning(table) }
    }

    pub(super) fn unit(&self) -> Unit {
        match self.content {
            Content::Derived(derived) => derived.unit,
            Content::Recorded(_, unit) => unit,
        }
    }

    pub(super) fn formula(&self) -> &Formula {
        match &self.content {
            Content::Derived(derived) => &derived.formula,
            Content::Recorded(formula, _) => formula,
        }
    }

    fn meaning(&self, table: Table) -> &'static str {
        match &self.content {
            Content::Derived(derived) => derived.meaning,
            Content::Recorded(formula, _) => {
                let recorded = formula.terms().first().and_then(|term| metric::find(table, term.metric()));
                recorded.map_or("", |metric| metric.meaning)
            }
        }
    }
}

const fn derived(name: &'static str, derived: &'static Derived) -> Column {
    Column { name, content: Content::Derived(derived) }
}

const fn gauge(name: &'static str, unit: Unit, metric: &'static str) -> Column {
    Column { name, content: Content::Recorded(Formula::Gauge(metric), unit) }
}

const fn rate(name: &'static str, unit: Unit, metric: &'static str) -> Column {
    Column { name, content: Content::Recorded(Formula::Rate(metric), unit) }
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
    gauge("free", Unit::Bytes, "MemFree"),
    gauge("avail", Unit::Bytes, "MemAvailable"),
    derived("used", &derived::USED),
    derived("used%", &derived::USED_SHARE),
    gauge("buffers", Unit::Bytes, "Buffers"),
    gauge("cached", Unit::Bytes, "Cached"),
    gauge("anon", Unit::Bytes, "AnonPages"),
    gauge("slab", Unit::Bytes, "Slab"),
    gauge("dirty", Unit::Bytes, "Dirty"),
    gauge("writeback", Unit::Bytes, "Writeback"),
    derived("swapused", &derived::SWAP_USED),
];

static PAGING: &[Column] = &[
    derived("pgpgin/s", &derived::PAGED_IN),
    derived("pgpgout/s", &derived::PAGED_OUT),
    rate("fault/s", Unit::PerSecond, "pgfault"),
    derived("majflt/s", &derived::MAJOR_FAULTS),
    rate("pgfree/s", Unit::PagesPerSecond, "pgfree"),
    derived("pgscank/s", &derived::SCANNED_KSWAPD),
    derived("pgscand/s", &derived::SCANNED_DIRECT),
    derived("pgscanl/s", &derived::SCANNED_AT_LIMIT),
    derived("pgsteal/s", &derived::STOLEN),
    derived("vmeff", &derived::EFFICIENCY),
    derived("refault/s", &derived::REFAULTS),
];

static DISK: &[Column] = &[
    derived("tps", &derived::TPS),
    derived("reads/s", &derived::READS),
    derived("writes/s", &derived::WRITES),
    derived("read/s", &derived::READ_BANDWIDTH),
    derived("write/s", &derived::WRITE_BANDWIDTH),
    rate("discards/s", Unit::PerSecond, "discards"),
    rate("flushes/s", Unit::PerSecond, "flushes"),
    derived("reqsize", &derived::REQUEST_SIZE),
    derived("depth", &derived::QUEUE_DEPTH),
    derived("await", &derived::AWAIT),
    derived("r_await", &derived::READ_AWAIT),
    derived("w_await", &derived::WRITE_AWAIT),
    derived("util", &derived::BUSY),
];

static LOAD: &[Column] = &[
    gauge("runq", Unit::Count, "procs_running"),
    gauge("blocked", Unit::Count, "procs_blocked"),
    gauge("plist", Unit::Count, "tasks_total"),
    gauge("ldavg-1", Unit::Count, "load1"),
    gauge("ldavg-5", Unit::Count, "load5"),
    gauge("ldavg-15", Unit::Count, "load15"),
];

static CPU: &[Column] = &[
    derived("user", &derived::CPU_USER),
    derived("nice", &derived::CPU_NICE),
    derived("system", &derived::CPU_SYSTEM),
    derived("iowait", &derived::CPU_IOWAIT),
    derived("steal", &derived::CPU_STEAL),
    derived("idle", &derived::CPU_IDLE),
];

static SWAP: &[Column] = &[
    derived("pswpin/s", &derived::SWAP_IN),
    derived("pswpout/s", &derived::SWAP_OUT),
    gauge("swapfree", Unit::Bytes, "SwapFree"),
    derived("swapused", &derived::SWAP_USED),
    gauge("swapcached", Unit::Bytes, "SwapCached"),
];

static PRESSURE: &[Column] = &[
    derived("cpu-some", &derived::PSI_CPU_SOME),
    derived("io-some", &derived::PSI_IO_SOME),
    derived("io-full", &derived::PSI_IO_FULL),
    derived("mem-some", &derived::PSI_MEMORY_SOME),
    derived("mem-full", &derived::PSI_MEMORY_FULL),
];

static ZONES: &[Column] = &[
    gauge("free", Unit::Pages, "free"),
    gauge("min", Unit::Pages, "min"),
    gauge("low", Unit::Pages, "low"),
    gauge("high", Unit::Pages, "high"),
    gauge("managed", Unit::Pages, "managed"),
    derived("above-high", &derived::ABOVE_HIGH),
];

static PROCESSES: &[Column] = &[
    derived("cpu", &derived::CPUS),
    gauge("rss", Unit::Pages, "rss"),
    rate("majflt/s", Unit::PerSecond, "majflt"),
    rate("minflt/s", Unit::PerSecond, "minflt"),
    rate("syscr/s", Unit::PerSecond, "syscr"),
    rate("syscw/s", Unit::PerSecond, "syscw"),
    rate("read/s", Unit::BytesPerSecond, "read_bytes"),
    rate("write/s", Unit::BytesPerSecond, "write_bytes"),
];

static CGROUPS: &[Column] = &[
    gauge("current", Unit::Bytes, "current"),
    gauge("max", Unit::Bytes, "max"),
    gauge("anon", Unit::Bytes, "anon"),
    gauge("file", Unit::Bytes, "file"),
    gauge("dirty", Unit::Bytes, "file_dirty"),
    gauge("writeback", Unit::Bytes, "file_writeback"),
    derived("majflt/s", &derived::MAJOR_FAULTS),
    derived("pgscan/s", &derived::SCANNED),
    derived("pgsteal/s", &derived::STOLEN),
    derived("refault/s", &derived::REFAULTS),
];

impl Topic {
    /// The part of a recording that its table needs.
    pub fn selection(self) -> Selection {
        let terms = columns(self).iter().flat_map(|column| column.formula().terms());
        let metrics = terms.map(|term| term.metric().to_owned()).collect();
        Selection { tables: vec![self.table()], metrics, ..Selection::default() }
    }
}
