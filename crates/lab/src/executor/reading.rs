//! The kernel's counters before and after a step, and the figures of their difference.

use super::others::OtherProcesses;
use crate::group::{Group, Usage, page_size};
use pagetide_core::derived::{self, Derived, Term};
use pagetide_core::{Bytes, Error, Figure, Figures, Pages, Table, Unit, metric};
use pagetide_kernel::{Root, damon};
use std::collections::BTreeMap;
use std::fs;

/// Counters by their names in the metric table, in its units.
pub(crate) type Counters = BTreeMap<String, u64>;

/// The kernel's counters at the start or the end of a step.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    /// The step's disks, by name.
    disks: BTreeMap<String, Counters>,
    /// `/proc/meminfo` and `/proc/vmstat`.
    host: Counters,
    kswapd_ns: Option<u64>,
    /// Bytes that the host's DAMON schemes evicted.
    damon: Option<u64>,
    others: OtherProcesses,
    usage: Option<Usage>,
}

/// Which end of the step: disks are read last before it and first after it, so that other reads do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Before the step.
    Before,
    /// After it.
    After,
}

/// What a figure is read of.
#[derive(Debug, Clone, Copy)]
enum Source {
    /// The disks of the step.
    Disks,
    /// The whole machine.
    Machine,
    /// The control group of the work, or the whole machine where it has none.
    Work,
}

/// The figures that are derived metrics.
static DERIVED: [(Figure, &Derived, Source); 12] = [
    (Figure::DiskReads, &derived::READS, Source::Disks),
    (Figure::DiskWrites, &derived::WRITES, Source::Disks),
    (Figure::DiskReadBytes, &derived::READ_BANDWIDTH, Source::Disks),
    (Figure::DiskWrittenBytes, &derived::WRITE_BANDWIDTH, Source::Disks),
    (Figure::DiskAwait, &derived::AWAIT, Source::Disks),
    (Figure::MajorFaults, &derived::MAJOR_FAULTS, Source::Work),
    (Figure::Refaults, &derived::REFAULTS_FILE, Source::Work),
    (Figure::PagesScanned, &derived::SCANNED, Source::Machine),
    (Figure::PagesStolen, &derived::STOLEN, Source::Machine),
    (Figure::SwapIn, &derived::SWAP_IN, Source::Machine),
    (Figure::SwapOut, &derived::SWAP_OUT, Source::Machine),
    (Figure::SwapUsed, &derived::SWAP_USED, Source::Machine),
];

/// The figures that are counters as the kernel has them.
const RAW: [(Figure, &str, Source); 3] = [
    (Figure::DiskReadMerges, "read_merges", Source::Disks),
    (Figure::DiskWriteMerges, "write_merges", Source::Disks),
    (Figure::OomKills, "oom_kill", Source::Machine),
];

/// Whether a figure is counted at the disks of the step.
pub(crate) fn is_counted_at_disks(figure: Figure) -> bool {
    let derived = DERIVED.iter().map(|(figure, _, source)| (*figure, *source));
    let mut all = derived.chain(RAW.iter().map(|(figure, _, source)| (*figure, *source)));
    all.any(|(of, source)| of == figure && matches!(source, Source::Disks))
        || matches!(figure, Figure::FioDiskReads | Figure::FioDiskWrites)
}

/// What the host's DAMON schemes have evicted until now. The kernel writes it down when it is asked to, which changes nothing else.
fn damon_evicted(root: &Root) -> Option<u64> {
    for state in damon::evicting(root) {
        // Who may not ask reads what was written down last, or nothing.
        let _ = fs::write(root.join(state), "update_schemes_stats");
    }
    damon::evicted(root)
}

impl Reading {
    /// Reads it. `disks` are names as in `/proc/diskstats`.
    ///
    /// # Errors
    /// The kernel's files cannot be read.
    pub(crate) fn read(end: End, disks: &[String], group: Option<&Group>) -> Result<Self, Error> {
        let root = Root::host();
        let lost = |error: pagetide_kernel::Error| Error::system(error.to_string(), "");
        let read_disks = || {
            let all = root.diskstats().map_err(lost)?.into_iter().filter(|disk| disks.contains(&disk.name));
            let named = |(name, value): (&str, u64)| (name.to_owned(), value);
            Ok::<_, Error>(all.map(|disk| (disk.name.clone(), disk.iter().map(named).collect())).collect())
        };
        let first = (end == End::After).then(read_disks).transpose()?;
        let usage = group.map(Group::usage).transpose()?;
        let (kswapd_ns, meminfo) = (kswapd_ns(), root.meminfo().map_err(lost)?);
        let vmstat = root.vmstat().map_err(lost)?;
        let damon = damon_evicted(&root);
        let others = OtherProcesses::read(&root);
        let disks = first.map_or_else(read_disks, Ok)?;
        let host = meminfo.iter().chain(vmstat.iter()).map(|(name, value)| (name.to_owned(), value)).collect();
        Ok(Self { disks, host, kswapd_ns, damon, others, usage })
    }

    /// A reading of a machine that is not this one.
    pub(crate) const fn of(disks: BTreeMap<String, Counters>, host: Counters, kswapd_ns: Option<u64>) -> Self {
        Self { disks, host, kswapd_ns, damon: None, others: OtherProcesses::NONE, usage: None }
    }

    fn bytes(&self, name: &str) -> Option<Bytes> {
        self.host.get(name).copied().map(Bytes::new)
    }

    /// A field in base units: seconds, bytes, pages, counts.
    fn base(&self, source: Source, name: &str) -> Option<f64> {
        let whole = || self.host.get(name).copied();
        let (table, raw) = match (source, &self.usage) {
            (Source::Disks, _) => {
                (Table::Disk, self.disks.values().map(|disk| disk.get(name).copied()).sum::<Option<u64>>())
            }
            (Source::Work, Some(usage)) => (Table::Cgroup, usage.get(name)),
            (Source::Work | Source::Machine, _) => (Table::Host, whole()),
        };
        let (_, factor) = metric::find(table, name).map_or(Unit::Count, |metric| metric.unit).base();
        raw.map(|raw| raw as f64 * factor)
    }

    /// A derived metric of the time up to a later reading: rates are amounts, gauges are those at its end.
    fn derived(&self, after: &Self, metric: &Derived, source: Source) -> Option<f64> {
        metric.evaluate(&|term| match term {
            Term::Gauge(name) => after.base(source, name),
            Term::Rate(name) => Some((after.base(source, name)? - self.base(source, name)?).max(0.0)),
            Term::Weighted(..) | Term::Sum(..) => None,
        })
    }

    fn total(&self) -> Option<Bytes> {
        self.usage.as_ref().map_or_else(|| self.bytes("MemTotal"), Usage::limit)
    }

    fn available(&self) -> Option<Bytes> {
        self.usage.as_ref().map_or_else(|| self.bytes("MemAvailable"), Usage::available)
    }

    fn free(&self) -> Option<Bytes> {
        self.usage.as_ref().map_or_else(|| self.bytes("MemFree"), Usage::free)
    }

    /// The dirty and the background threshold of the whole host.
    pub(crate) fn thresholds(&self) -> Option<(Bytes, Bytes)> {
        let bytes = |name| Pages::new(*self.host.get(name)?).to_bytes(page_size());
        Some((bytes("nr_dirty_threshold")?, bytes("nr_dirty_background_threshold")?))
    }

    /// Sets the figures of the difference between this reading and a later one.
    pub(crate) fn difference(&self, after: &Self, figures: &mut Figures) {
        for (figure, metric, source) in DERIVED {
            let amount = self.derived(after, metric, source);
            // Figures of swap are in bytes.
            let factor = if figure.unit() == Unit::Bytes && metric.unit == Unit::PagesPerSecond {
                page_size().as_f64()
            } else {
                1.0
            };
            figures.set_some(figure, amount.map(|amount| amount * factor));
        }
        for (figure, name, source) in RAW {
            let rise = after.base(source, name).zip(self.base(source, name));
            figures.set_some(figure, rise.map(|(to, from)| (to - from).max(0.0)));
        }
        let kswapd = self.kswapd_ns.zip(after.kswapd_ns);
        figures.set_some(Figure::KswapdCpu, kswapd.map(|(from, to)| to.saturating_sub(from) as f64));
        let damon = self.damon.zip(after.damon);
        figures.set_some(Figure::DamonEvicted, damon.map(|(from, to)| to.saturating_sub(from) as f64));
        let others = Some(self.others.until(&after.others)).filter(|bytes| *bytes > Bytes::ZERO);
        figures.set_some(Figure::OthersBytes, others.map(Bytes::as_f64));
        let mut gauge = |figure, value: Option<Bytes>| figures.set_some(figure, value.map(Bytes::as_f64));
        gauge(Figure::MemoryTotal, after.total());
        gauge(Figure::AvailableBefore, self.available());
        gauge(Figure::AvailableAfter, after.available());
        gauge(Figure::FreeBefore, self.free());
        gauge(Figure::FreeAfter, after.free());
        gauge(Figure::BuffersBefore, self.bytes("Buffers"));
        gauge(Figure::BuffersAfter, after.bytes("Buffers"));
        gauge(Figure::CacheBefore, self.bytes("Cached"));
        gauge(Figure::CacheAfter, after.bytes("Cached"));
    }

    /// Fraction of `elapsed_ns` that the busiest disk had a request in flight.
    pub(crate) fn disk_util(&self, after: &Self, elapsed_ns: f64) -> Option<f64> {
        // Each disk alone.
        let alone = |reading: &Self, name: &String| {
            let disk = reading.disks.get(name)?.clone();
            Some(Self { disks: BTreeMap::from([(name.clone(), disk)]), ..reading.clone() })
        };
        let busy = self
            .disks
            .keys()
            .filter_map(|name| alone(self, name)?.derived(&alone(after, name)?, &derived::BUSY, Source::Disks));
        let busiest = busy.reduce(f64::max)?;
        // The kernel counts whole milliseconds.
        (elapsed_ns > 0.0).then(|| (busiest * 1e9 / elapsed_ns).min(1.0))
    }
}

/// CPU time of all kswapd threads: exact where the kernel keeps scheduler statistics, else in ticks of 10 ms.
pub(crate) fn kswapd_ns() -> Option<u64> {
    let mut sum = None;
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let path = entry.path();
        let name = fs::read_to_string(path.join("comm")).unwrap_or_default();
        // Other processes may call themselves so; a kernel thread has an empty command line.
        if !name.starts_with("kswapd") || fs::read(path.join("cmdline")).map_or(true, |line| !line.is_empty()) {
            continue;
        }
        let exact = fs::read_to_string(path.join("schedstat")).ok();
        let exact = exact.and_then(|text| text.split_ascii_whitespace().next()?.parse::<u64>().ok());
        *sum.get_or_insert(0) += exact.filter(|nanos| *nanos > 0).or_else(|| ticks_ns(&path))?;
    }
    sum
}

fn ticks_ns(process: &std::path::Path) -> Option<u64> {
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    ticks.checked_mul(10_000_000)
}
