//! What the upper lines say of the host: memory, dirty thresholds, watermarks, reclaim, pressure.

use pagetide_core::derived::{self, Derived};
use pagetide_core::memory::{Split, SplitFields};
use pagetide_core::{Quantity, Recording, Table, Unit};
use pagetide_view::show::Topic;

/// The host at a moment. Values are absent where they were not recorded.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Host {
    pub(crate) memory: Option<Split>,
    pub(crate) free: Option<f64>,
    pub(crate) cached: Option<f64>,
    pub(crate) total: Option<f64>,
    pub(crate) available: Option<f64>,
    pub(crate) swap_total: Option<f64>,
    pub(crate) swap_used: Option<f64>,
    pub(crate) dirty: Dirty,
    pub(crate) watermarks: Option<Watermarks>,
    /// Pages per second.
    pub(crate) scanned: Option<f64>,
    pub(crate) direct: Option<f64>,
    pub(crate) efficiency: Option<f64>,
    pub(crate) refaults: Option<f64>,
    pub(crate) major_faults: Option<f64>,
    pub(crate) swap_in: Option<f64>,
    pub(crate) swap_out: Option<f64>,
    /// Shares of time: some and full.
    pub(crate) pressure: [(&'static str, Option<f64>, Option<f64>); 3],
    pub(crate) cpu: [(&'static str, Option<f64>); 4],
    /// The share of time that each CPU was neither idle nor waited for IO, in the order of their numbers.
    pub(crate) cpus: Vec<f64>,
    pub(crate) load: Option<f64>,
    pub(crate) reads: Reads,
    /// Whether it is at the first sample, where nothing has a rate.
    pub(crate) first: bool,
}

/// What processes read, and how much of it was cached.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Reads {
    /// Share of the bytes that came from no block device.
    pub(crate) hit_ratio: Option<f64>,
    /// Bytes per second that system calls asked for.
    pub(crate) asked: Option<f64>,
    /// Bytes per second that disks read.
    pub(crate) from_disks: Option<f64>,
}

/// Dirty and writeback memory and its thresholds, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Dirty {
    pub(crate) unwritten: Option<f64>,
    pub(crate) background: Option<f64>,
    pub(crate) freerun: Option<f64>,
    pub(crate) threshold: Option<f64>,
}

/// Free pages and watermarks of all zones together, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Watermarks {
    pub(crate) min: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

const RATES: [&Derived; 24] = [
    &derived::SCANNED,
    &derived::SCANNED_DIRECT,
    &derived::EFFICIENCY,
    &derived::REFAULTS,
    &derived::MAJOR_FAULTS,
    &derived::SWAP_IN,
    &derived::SWAP_OUT,
    &derived::SWAP_USED,
    &derived::FREERUN_CEILING,
    &derived::PSI_MEMORY_SOME,
    &derived::PSI_MEMORY_FULL,
    &derived::PSI_IO_SOME,
    &derived::PSI_IO_FULL,
    &derived::PSI_CPU_SOME,
    &derived::PSI_CPU_FULL,
    &derived::CPU_USER,
    &derived::CPU_SYSTEM,
    &derived::CPU_IOWAIT,
    &derived::CPU_STEAL,
    &derived::CPU_NICE,
    &derived::CPU_IDLE,
    &derived::HOST_HIT_RATIO,
    &derived::HOST_READ_ASKED,
    &derived::HOST_READ_BANDWIDTH,
];

const GAUGES: [&str; 9] = [
    "MemAvailable",
    "MemTotal",
    "SwapTotal",
    "load1",
    "nr_dirty",
    "nr_writeback",
    "nr_dirty_threshold",
    "nr_dirty_background_threshold",
    "swap_used",
];

/// The metrics that the upper lines and the panes read, by name.
pub(crate) fn metrics() -> Vec<String> {
    let mut names: Vec<String> = RATES.iter().flat_map(|derived| derived.metrics()).map(str::to_owned).collect();
    names.extend(GAUGES.into_iter().chain(SplitFields::HOST.names()).map(str::to_owned));
    for topic in [Topic::Zones, Topic::Disk, Topic::Processes, Topic::Cgroups] {
        names.extend(topic.selection(true).metrics);
    }
    names.sort_unstable();
    names.dedup();
    names
}

impl Host {
    /// The host over the time after `from` up to `to`.
    pub(crate) fn over(recording: &Recording, (from, to): (i64, i64)) -> Self {
        let rate = |derived: &'static Derived| derived.over(recording, Table::Host, "", (from, to));
        let gauge = |name: &str| recording.host(name)?.last_within(from, to).map(|value| value as f64);
        let page = recording.manifest.page_size.as_f64();
        let bytes = |pages: Option<f64>| pages.map(|pages| pages * page);
        let pages = |name: &str| bytes(gauge(name));
        Self {
            memory: Split::new(SplitFields::HOST, gauge),
            free: gauge("MemFree"),
            cached: gauge("Cached"),
            total: gauge("MemTotal"),
            available: gauge("MemAvailable"),
            swap_total: gauge("SwapTotal"),
            swap_used: rate(&derived::SWAP_USED),
            dirty: Dirty {
                unwritten: pages("nr_dirty")
                    .map(|dirty| dirty + pages("nr_writeback").unwrap_or(0.0))
                    .or_else(|| Some(gauge("Dirty")? + gauge("Writeback").unwrap_or(0.0))),
                background: pages("nr_dirty_background_threshold"),
                freerun: bytes(rate(&derived::FREERUN_CEILING)),
                threshold: pages("nr_dirty_threshold"),
            },
            watermarks: watermarks(recording, (from, to)),
            scanned: rate(&derived::SCANNED),
            direct: rate(&derived::SCANNED_DIRECT),
            efficiency: rate(&derived::EFFICIENCY),
            refaults: rate(&derived::REFAULTS),
            major_faults: rate(&derived::MAJOR_FAULTS),
            swap_in: rate(&derived::SWAP_IN),
            swap_out: rate(&derived::SWAP_OUT),
            pressure: [
                ("memory", rate(&derived::PSI_MEMORY_SOME), rate(&derived::PSI_MEMORY_FULL)),
                ("io", rate(&derived::PSI_IO_SOME), rate(&derived::PSI_IO_FULL)),
                ("cpu", rate(&derived::PSI_CPU_SOME), rate(&derived::PSI_CPU_FULL)),
            ],
            cpu: [
                ("user", sum(rate(&derived::CPU_USER), rate(&derived::CPU_NICE))),
                ("system", rate(&derived::CPU_SYSTEM)),
                ("iowait", rate(&derived::CPU_IOWAIT)),
                ("steal", rate(&derived::CPU_STEAL)),
            ],
            cpus: cpus(recording, (from, to)),
            reads: Reads {
                hit_ratio: rate(&derived::HOST_HIT_RATIO),
                asked: rate(&derived::HOST_READ_ASKED),
                from_disks: rate(&derived::HOST_READ_BANDWIDTH),
            },
            load: gauge("load1").map(|load| load / 1000.0),
            first: recording.stamps().first().is_some_and(|first| first.boot_ns == to),
        }
    }
}

fn cpus(recording: &Recording, range: (i64, i64)) -> Vec<f64> {
    let busy = |name: &str| {
        let idle = derived::CPU_IDLE.over(recording, Table::Cpu, name, range)?;
        Some((1.0 - idle - derived::CPU_IOWAIT.over(recording, Table::Cpu, name, range).unwrap_or(0.0)).clamp(0.0, 1.0))
    };
    let numbered =
        recording.entities(Table::Cpu).filter_map(|(name, _)| Some((name.parse::<u32>().ok()?, busy(name)?)));
    let mut cpus: Vec<(u32, f64)> = numbered.collect();
    cpus.sort_by_key(|(number, _)| *number);
    cpus.into_iter().map(|(_, busy)| busy).collect()
}

fn sum(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.map(|one| one + other.unwrap_or(0.0))
}

/// The watermarks of all zones together; absent where a zone has none.
fn watermarks(recording: &Recording, (from, to): (i64, i64)) -> Option<Watermarks> {
    let page = recording.manifest.page_size.as_f64();
    let sum = |name: &str| {
        let mut sum = None;
        for (zone, _) in recording.entities(Table::Zone) {
            let pages = recording.series(Table::Zone, zone, name)?.last_within(from, to)?;
            sum = Some(sum.unwrap_or(0.0) + pages as f64 * page);
        }
        sum
    };
    Some(Watermarks { min: sum("min")?, low: sum("low")?, high: sum("high")? })
}

/// A value with its unit, `-` where it is absent.
pub(crate) fn text(value: Option<f64>, unit: Unit) -> String {
    value.map_or_else(|| "-".to_owned(), |value| Quantity::new(value, unit).to_string())
}
