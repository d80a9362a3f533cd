//! The columns of each topic.

use super::topic::{Heading, Raw, Topic, WordHeading};
use pagetide_core::derived::{self, Derived, Formula, Term};
use pagetide_core::{Bytes, Manifest, Selection, Table, Unit, metric, printable};

/// What a column shows.
#[derive(Debug, Clone, Copy)]
enum Content {
    /// A derived metric.
    Derived(&'static Derived),
    /// A derived metric in another unit of its dimension.
    DerivedIn(&'static Derived, Unit),
    /// A recorded metric as it is.
    Recorded(Formula, Unit),
}

/// A column of a table.
#[derive(Debug)]
pub(super) struct Column {
    name: &'static str,
    content: Content,
    /// The form of the table that has it; absent when both have.
    shown: Option<Shown>,
    /// How it is printed without units, where its unit does not say.
    raw: Option<Raw>,
    /// Whether it is recorded in pages and shown in bytes.
    pages: bool,
}

/// KiB with two digits, as sar prints rates of bytes and sizes of requests.
const KIB_PER_SECOND: Raw = Raw { factor: 1.0 / 1024.0, decimals: 2 };
/// Whole numbers, as sar prints queues and tasks.
const WHOLE: Raw = Raw { factor: 1.0, decimals: 0 };
/// Sectors of 512 bytes, as `sar -b` prints what was read and written.
const SECTORS: Raw = Raw { factor: 1.0 / 512.0, decimals: 2 };

/// How sar prints a number of a unit: sizes of memory as whole KiB, rates of bytes as KiB, times as ms, shares as percent.
const fn raw(unit: Unit) -> Raw {
    match unit {
        Unit::Bytes | Unit::Sectors => Raw { factor: 1.0 / 1024.0, decimals: 0 },
        Unit::BytesPerSecond => KIB_PER_SECOND,
        Unit::Nanos | Unit::Micros | Unit::Millis | Unit::Ticks => Raw { factor: 1000.0, decimals: 2 },
        Unit::Ratio | Unit::BasisPoints => Raw { factor: 100.0, decimals: 2 },
        Unit::Pages => WHOLE,
        _ => Raw { factor: 1.0, decimals: 2 },
    }
}

/// A form of a table.
#[derive(Debug, Clone, Copy)]
enum Shown {
    /// The one that fits on a line.
    Narrow,
    /// The one with all columns.
    Wide,
}

impl Column {
    pub(super) fn heading(&self, table: Table) -> Heading {
        let unit = self.unit();
        Heading { name: self.name, unit, meaning: self.meaning(table), raw: self.raw.unwrap_or(raw(unit)) }
    }

    pub(super) fn unit(&self) -> Unit {
        match self.content {
            Content::Derived(derived) => derived.unit,
            Content::DerivedIn(_, unit) | Content::Recorded(_, unit) => unit,
        }
    }

    /// A value as it is shown.
    pub(super) fn shown(&self, value: f64, page_size: Bytes) -> f64 {
        if self.pages { value * page_size.as_f64() } else { value }
    }

    /// The unit in which it is worked out.
    pub(super) fn recorded_unit(&self) -> Unit {
        if self.pages { Unit::Pages } else { self.unit() }
    }

    pub(super) fn formula(&self) -> &Formula {
        match &self.content {
            Content::Derived(derived) | Content::DerivedIn(derived, _) => &derived.formula,
            Content::Recorded(formula, _) => formula,
        }
    }

    fn meaning(&self, table: Table) -> &'static str {
        match &self.content {
            Content::Derived(derived) | Content::DerivedIn(derived, _) => derived.meaning,
            Content::Recorded(formula, _) => {
                let recorded = formula.terms().first().and_then(|term| metric::find(table, term.metric()));
                recorded.map_or("", |metric| metric.meaning)
            }
        }
    }
}

const fn derived(name: &'static str, derived: &'static Derived) -> Column {
    Column { name, content: Content::Derived(derived), shown: None, raw: None, pages: false }
}

const fn gauge(name: &'static str, unit: Unit, metric: &'static str) -> Column {
    Column { name, content: Content::Recorded(Formula::Gauge(metric), unit), shown: None, raw: None, pages: false }
}

const fn rate(name: &'static str, unit: Unit, metric: &'static str) -> Column {
    Column { name, content: Content::Recorded(Formula::Rate(metric), unit), shown: None, raw: None, pages: false }
}

/// A derived metric in another unit of the same dimension.
const fn derived_as(name: &'static str, unit: Unit, derived: &'static Derived) -> Column {
    Column { name, content: Content::DerivedIn(derived, unit), shown: None, raw: None, pages: false }
}

/// Pages as bytes.
const fn pages(name: &'static str, metric: &'static str) -> Column {
    Column { pages: true, ..gauge(name, Unit::Bytes, metric) }
}

/// A column that is printed without units in another way than others of its unit.
const fn raw_as(raw: Raw, column: Column) -> Column {
    Column { raw: Some(raw), ..column }
}

/// A column that only `--wide` shows.
const fn wide(column: Column) -> Column {
    Column { shown: Some(Shown::Wide), ..column }
}

/// A column that `--wide` replaces by others.
const fn narrow(column: Column) -> Column {
    Column { shown: Some(Shown::Narrow), ..column }
}

/// The columns of a topic: those that fit on a line, or all.
pub(super) fn columns(topic: Topic, wide: bool) -> Vec<&'static Column> {
    let all = match topic {
        Topic::Memory => MEMORY,
        Topic::Cache => CACHE,
        Topic::Paging => PAGING,
        Topic::Disk => DISK,
        Topic::Io => IO,
        Topic::Load => LOAD,
        Topic::Tasks => TASKS,
        Topic::Cpu | Topic::Cpus => CPU,
        Topic::Swap => SWAP,
        Topic::Hugepages => HUGEPAGES,
        Topic::Pressure => PRESSURE,
        Topic::Zones => ZONES,
        Topic::Processes => PROCESSES,
        Topic::Cgroups => CGROUPS,
    };
    let is_in = |column: &&Column| column.shown.is_none_or(|shown| wide == matches!(shown, Shown::Wide));
    all.iter().filter(is_in).collect()
}

/// A column of words: what a number stands for.
#[derive(Debug)]
pub(super) struct WordColumn {
    pub(super) heading: WordHeading,
    pub(super) metric: &'static str,
    pub(super) word: fn(i64, &Manifest) -> String,
}

/// The columns of words of a topic.
pub(super) const fn words(topic: Topic) -> &'static [WordColumn] {
    match topic {
        Topic::Processes => PROCESS_WORDS,
        _ => &[],
    }
}

static PROCESS_WORDS: &[WordColumn] = &[
    WordColumn {
        heading: WordHeading {
            name: "user",
            meaning: "the user who runs it, by number where the host has no name for it",
        },
        metric: "uid",
        word: |uid, manifest| {
            let known = u32::try_from(uid).ok().and_then(|uid| manifest.users.get(&uid));
            known.map_or_else(|| uid.to_string(), |name| printable(name).into_owned())
        },
    },
    WordColumn {
        heading: WordHeading {
            name: "state",
            meaning: "R running, S sleeping, D waiting for IO, T stopped, Z zombie, I idle",
        },
        metric: "state",
        word: |code, _| {
            let letter = u32::try_from(code).ok().and_then(char::from_u32).filter(char::is_ascii_alphabetic);
            letter.map_or_else(|| "-".to_owned(), |letter| letter.to_string())
        },
    },
];

static MEMORY: &[Column] = &[
    gauge("free", Unit::Bytes, "MemFree"),
    gauge("avail", Unit::Bytes, "MemAvailable"),
    derived("used", &derived::USED),
    derived("used%", &derived::USED_SHARE),
    derived("memused", &derived::MEMORY_USED_BY_SAR),
    wide(derived("memused%", &derived::MEMORY_USED_BY_SAR_SHARE)),
    gauge("buffers", Unit::Bytes, "Buffers"),
    gauge("cached", Unit::Bytes, "Cached"),
    wide(gauge("commit", Unit::Bytes, "Committed_AS")),
    wide(derived("commit%", &derived::COMMITTED_SHARE)),
    wide(gauge("active", Unit::Bytes, "Active")),
    wide(gauge("inactive", Unit::Bytes, "Inactive")),
    gauge("dirty", Unit::Bytes, "Dirty"),
    gauge("writeback", Unit::Bytes, "Writeback"),
    gauge("anon", Unit::Bytes, "AnonPages"),
    gauge("slab", Unit::Bytes, "Slab"),
    wide(gauge("kstack", Unit::Bytes, "KernelStack")),
    wide(gauge("pgtbl", Unit::Bytes, "PageTables")),
    wide(gauge("vmused", Unit::Bytes, "VmallocUsed")),
    wide(derived("cache+slab", &derived::CACHE_AND_SLAB)),
    derived("swapused", &derived::SWAP_USED),
];

static CACHE: &[Column] = &[
    derived("hit%", &derived::HOST_HIT_RATIO),
    derived("calls/s", &derived::HOST_READ_CALLS),
    derived("asked/s", &derived::HOST_READ_ASKED),
    derived("devread/s", &derived::HOST_READ_BANDWIDTH),
    wide(derived("wcalls/s", &derived::HOST_WRITE_CALLS)),
    wide(derived("written/s", &derived::HOST_WRITE_ASKED)),
    wide(derived("devwrite/s", &derived::HOST_WRITE_BANDWIDTH)),
    gauge("cached", Unit::Bytes, "Cached"),
    derived("pgsteal/s", &derived::STOLEN),
    derived("refault/s", &derived::REFAULTS),
    derived("majflt/s", &derived::MAJOR_FAULTS),
    gauge("dirty", Unit::Bytes, "Dirty"),
    gauge("writeback", Unit::Bytes, "Writeback"),
    derived("io-some", &derived::PSI_IO_SOME),
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
    wide(derived("pgstealk/s", &derived::STOLEN_KSWAPD)),
    wide(derived("pgsteald/s", &derived::STOLEN_DIRECT)),
    wide(derived("pgsteall/s", &derived::STOLEN_AT_LIMIT)),
    derived("pgsteal/s", &derived::STOLEN),
    derived("vmeff", &derived::EFFICIENCY),
    derived("refault/s", &derived::REFAULTS),
    wide(rate("pgpromote/s", Unit::PagesPerSecond, "pgpromote_success")),
    wide(derived("pgdemote/s", &derived::DEMOTED)),
];

static DISK: &[Column] = &[
    derived("tps", &derived::TPS),
    derived("reads/s", &derived::READS),
    derived("writes/s", &derived::WRITES),
    rate("discards/s", Unit::PerSecond, "discards"),
    rate("flushes/s", Unit::PerSecond, "flushes"),
    derived("read/s", &derived::READ_BANDWIDTH),
    derived("write/s", &derived::WRITE_BANDWIDTH),
    wide(derived("discard/s", &derived::DISCARD_BANDWIDTH)),
    wide(rate("rmerges/s", Unit::PerSecond, "read_merges")),
    wide(rate("wmerges/s", Unit::PerSecond, "write_merges")),
    wide(rate("dmerges/s", Unit::PerSecond, "discard_merges")),
    raw_as(KIB_PER_SECOND, derived("reqsize", &derived::REQUEST_SIZE)),
    wide(raw_as(KIB_PER_SECOND, derived("r_size", &derived::READ_SIZE))),
    wide(raw_as(KIB_PER_SECOND, derived("w_size", &derived::WRITE_SIZE))),
    wide(raw_as(KIB_PER_SECOND, derived("d_size", &derived::DISCARD_SIZE))),
    derived("depth", &derived::QUEUE_DEPTH),
    derived("await", &derived::AWAIT),
    derived("r_await", &derived::READ_AWAIT),
    derived("w_await", &derived::WRITE_AWAIT),
    wide(derived("d_await", &derived::DISCARD_AWAIT)),
    wide(derived("f_await", &derived::FLUSH_AWAIT)),
    derived("util", &derived::BUSY),
];

static IO: &[Column] = &[
    derived("tps", &derived::HOST_TPS),
    derived("rtps", &derived::HOST_RTPS),
    derived("wtps", &derived::HOST_WTPS),
    derived("dtps", &derived::HOST_DTPS),
    raw_as(SECTORS, derived("bread/s", &derived::HOST_READ_BANDWIDTH)),
    raw_as(SECTORS, derived("bwrtn/s", &derived::HOST_WRITE_BANDWIDTH)),
    raw_as(SECTORS, derived("bdscd/s", &derived::HOST_DISCARD_BANDWIDTH)),
];

static LOAD: &[Column] = &[
    raw_as(WHOLE, derived("runq", &derived::RUN_QUEUE)),
    raw_as(WHOLE, gauge("blocked", Unit::Count, "procs_blocked")),
    raw_as(WHOLE, gauge("plist", Unit::Count, "tasks_total")),
    gauge("ldavg-1", Unit::Count, "load1"),
    gauge("ldavg-5", Unit::Count, "load5"),
    gauge("ldavg-15", Unit::Count, "load15"),
];

static TASKS: &[Column] = &[
    rate("proc/s", Unit::PerSecond, "processes"),
    rate("cswch/s", Unit::PerSecond, "ctxt"),
    rate("intr/s", Unit::PerSecond, "intr"),
];

static CPU: &[Column] = &[
    narrow(derived("user", &derived::CPU_USER)),
    wide(derived("usr", &derived::CPU_USER_ALONE)),
    narrow(derived("nice", &derived::CPU_NICE)),
    wide(derived("nice", &derived::CPU_NICE_ALONE)),
    narrow(derived("system", &derived::CPU_SYSTEM)),
    wide(derived("sys", &derived::CPU_SYSTEM_ALONE)),
    derived("iowait", &derived::CPU_IOWAIT),
    derived("steal", &derived::CPU_STEAL),
    wide(derived("irq", &derived::CPU_IRQ)),
    wide(derived("soft", &derived::CPU_SOFTIRQ)),
    wide(derived("guest", &derived::CPU_GUEST)),
    wide(derived("gnice", &derived::CPU_GUEST_NICE)),
    derived("idle", &derived::CPU_IDLE),
    wide(derived("user+nice", &derived::CPU_USER_AND_NICE)),
];

static SWAP: &[Column] = &[
    derived("pswpin/s", &derived::SWAP_IN),
    derived("pswpout/s", &derived::SWAP_OUT),
    gauge("swapfree", Unit::Bytes, "SwapFree"),
    derived("swapused", &derived::SWAP_USED),
    derived("swapused%", &derived::SWAP_USED_SHARE),
    gauge("swapcached", Unit::Bytes, "SwapCached"),
    derived("swapcached%", &derived::SWAP_CACHED_SHARE),
];

static HUGEPAGES: &[Column] = &[
    derived("free", &derived::HUGE_FREE),
    derived("used", &derived::HUGE_USED),
    derived("used%", &derived::HUGE_USED_SHARE),
    derived("reserved", &derived::HUGE_RESERVED),
    derived("surplus", &derived::HUGE_SURPLUS),
];

static PRESSURE: &[Column] = &[
    derived("cpu-some", &derived::PSI_CPU_SOME),
    wide(gauge("cpu-10", Unit::Ratio, "psi_cpu_some_avg10")),
    wide(gauge("cpu-60", Unit::Ratio, "psi_cpu_some_avg60")),
    wide(gauge("cpu-300", Unit::Ratio, "psi_cpu_some_avg300")),
    derived("io-some", &derived::PSI_IO_SOME),
    wide(gauge("io-10", Unit::Ratio, "psi_io_some_avg10")),
    wide(gauge("io-60", Unit::Ratio, "psi_io_some_avg60")),
    wide(gauge("io-300", Unit::Ratio, "psi_io_some_avg300")),
    derived("io-full", &derived::PSI_IO_FULL),
    wide(gauge("iof-10", Unit::Ratio, "psi_io_full_avg10")),
    wide(gauge("iof-60", Unit::Ratio, "psi_io_full_avg60")),
    wide(gauge("iof-300", Unit::Ratio, "psi_io_full_avg300")),
    derived("mem-some", &derived::PSI_MEMORY_SOME),
    wide(gauge("mem-10", Unit::Ratio, "psi_memory_some_avg10")),
    wide(gauge("mem-60", Unit::Ratio, "psi_memory_some_avg60")),
    wide(gauge("mem-300", Unit::Ratio, "psi_memory_some_avg300")),
    derived("mem-full", &derived::PSI_MEMORY_FULL),
    wide(gauge("memf-10", Unit::Ratio, "psi_memory_full_avg10")),
    wide(gauge("memf-60", Unit::Ratio, "psi_memory_full_avg60")),
    wide(gauge("memf-300", Unit::Ratio, "psi_memory_full_avg300")),
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
    derived_as("cpu", Unit::Ratio, &derived::CPUS),
    pages("rss", "rss"),
    wide(gauge("vsize", Unit::Bytes, "vsize")),
    rate("majflt/s", Unit::PerSecond, "majflt"),
    rate("minflt/s", Unit::PerSecond, "minflt"),
    rate("syscr/s", Unit::PerSecond, "syscr"),
    rate("syscw/s", Unit::PerSecond, "syscw"),
    rate("read/s", Unit::BytesPerSecond, "read_bytes"),
    rate("write/s", Unit::BytesPerSecond, "write_bytes"),
    derived("lost", &derived::PROCESS_LOST),
    wide(rate("cancelled/s", Unit::BytesPerSecond, "cancelled_write_bytes")),
    wide(raw_as(WHOLE, gauge("threads", Unit::Count, "num_threads"))),
    wide(raw_as(WHOLE, gauge("nice", Unit::Count, "nice"))),
    wide(raw_as(WHOLE, gauge("policy", Unit::Count, "policy"))),
    wide(rate("io-wait", Unit::Ratio, "blkio_delay_total")),
    wide(rate("reclaim-wait", Unit::Ratio, "freepages_delay_total")),
    wide(rate("refault-wait", Unit::Ratio, "thrashing_delay_total")),
    wide(rate("swapin-wait", Unit::Ratio, "swapin_delay_total")),
    wide(rate("cpu-wait", Unit::Ratio, "cpu_delay_total")),
    wide(rate("ended/s", Unit::PerSecond, "ended_processes")),
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
    wide(derived("cpus", &derived::CPUS)),
    wide(derived("throttled%", &derived::CPU_THROTTLED)),
    wide(derived("cpu-some%", &derived::PSI_CPU_SOME)),
    wide(derived("io-some%", &derived::PSI_IO_SOME)),
    wide(derived("mem-some%", &derived::PSI_MEMORY_SOME)),
];

impl Topic {
    /// The part of a recording that its table needs.
    pub fn selection(self, wide: bool) -> Selection {
        let terms = columns(self, wide).into_iter().flat_map(|column| column.formula().terms());
        let (mut tables, mut metrics) = (vec![self.table()], Vec::new());
        for (table, metric) in terms.flat_map(Term::needs) {
            tables.extend(table.filter(|table| !tables.contains(table)));
            metrics.push(metric.to_owned());
        }
        metrics.extend(words(self).iter().map(|column| column.metric.to_owned()));
        Selection { tables, metrics, ..Selection::default() }
    }
}
