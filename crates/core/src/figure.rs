//! What a step measures: one table of figures for results, published values, claims and comparisons.

use crate::quantity::{Quantity, Unit};
use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// What a figure depends on, and so whether it compares with that of another machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparability {
    /// A count, an amount, or a share of counts: memory, files and requests decide it, the same on any machine up to the scale.
    Count,
    /// A time, or a share of time: the CPU and the disk decide it, and an emulated CPU is many times slower.
    Time,
    /// A rate: the disk decides it, or the CPU where no disk is used.
    Rate,
}

impl Comparability {
    /// Whether it compares across machines. What does not compares as a ratio to another step of the same run.
    pub const fn across_machines(self) -> bool {
        matches!(self, Self::Count)
    }
}

macro_rules! figures {
    ($($variant:ident $name:literal $key:literal $unit:ident $comparable:ident $scales:literal $meaning:literal;)*) => {
        /// Something that a step measures. [`Figure::name`] is what claims and scenarios call it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Figure {
            $(#[doc = $meaning] $variant,)*
        }

        impl Figure {
            /// All figures, in the order in which they are printed.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in claims and in `published = { … }`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The key in `result.json`, with its unit.
            pub const fn key(self) -> &'static str {
                match self { $(Self::$variant => $key,)* }
            }

            /// Its unit.
            pub const fn unit(self) -> Unit {
                match self { $(Self::$variant => Unit::$unit,)* }
            }

            /// What it depends on.
            pub const fn comparability(self) -> Comparability {
                match self { $(Self::$variant => Comparability::$comparable,)* }
            }

            /// Whether it grows with the scale of the scenario.
            pub const fn scales(self) -> bool {
                match self { $(Self::$variant => $scales,)* }
            }

            /// What it is, in one line.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

figures! {
    Elapsed "elapsed" "elapsed_ns" Nanos Time true "time the step took";
    Issued "issued" "issued" Count Count true "IO requests the workload issued";
    Iops "iops" "iops" PerSecond Rate false "requests the workload completed per second";
    Bandwidth "bandwidth" "bytes_per_s" BytesPerSecond Rate false "bytes the workload moved per second";
    ClatMean "clat_mean" "clat_mean_ns" Nanos Time false "mean completion latency of a request, as fio measures it";
    ClatP50 "clat_p50" "clat_p50_ns" Nanos Time false "median completion latency";
    ClatP95 "clat_p95" "clat_p95_ns" Nanos Time false "95th percentile of completion latency";
    ClatP99 "clat_p99" "clat_p99_ns" Nanos Time false "99th percentile of completion latency";
    ClatP999 "clat_p999" "clat_p99_9_ns" Nanos Time false "99.9th percentile of completion latency";
    DiskReads "disk_reads" "disk_reads" Count Count true "reads completed by the device under the file, by /proc/diskstats";
    DiskWrites "disk_writes" "disk_writes" Count Count true "writes completed by the device under the file, by /proc/diskstats";
    DiskReadMerges "disk_read_merges" "disk_read_merges" Count Count true "reads merged before they were sent to the device";
    DiskWriteMerges "disk_write_merges" "disk_write_merges" Count Count true "writes merged before they were sent to the device";
    DiskReadBytes "disk_read_bytes" "disk_read_bytes" Bytes Count true "bytes read from the device";
    DiskWrittenBytes "disk_written_bytes" "disk_written_bytes" Bytes Count true "bytes written to the device";
    FioDiskReads "fio_disk_reads" "fio_disk_reads" Count Count true "reads of the device as fio itself counts them";
    FioDiskWrites "fio_disk_writes" "fio_disk_writes" Count Count true "writes of the device as fio itself counts them";
    DiskUtil "disk_util" "disk_util" Ratio Time false "share of the step during which the device had a request in flight";
    DiskAwait "disk_await" "disk_await_ns" Nanos Time false "mean time of a request at the device, including queue time";
    CacheHitRatio "cache_hit_ratio" "cache_hit_ratio" Ratio Count false "share of the requested bytes that were not read from the device";
    PredictedHitRatio "predicted_hit_ratio" "predicted_hit_ratio" Ratio Count false "cache hit ratio predicted by the trace of an earlier step for the memory of this step";
    MoreMemory "more_memory" "more_memory_bytes" Bytes Count true "additional memory with which 90 % of the step's cache misses would have been hits, according to the trace";
    FileBytes "file_size" "file_bytes" Bytes Count true "size of the file that the step used";
    CachedBefore "cached_before" "cached_before_bytes" Bytes Count true "bytes of that file in the page cache before the step";
    CachedAfter "cached_after" "cached_after_bytes" Bytes Count true "bytes of that file in the page cache after the step";
    Processed "processed" "processed_bytes" Bytes Count true "bytes that the step's load read, wrote or touched";
    Resident "resident" "resident_bytes" Bytes Count true "resident memory of the step's process";
    Iterations "iterations" "iterations" Count Count false "iterations the load completed";
    MajorFaults "major_faults" "major_faults" Count Count true "page faults that read from a device";
    OomKills "oom_kills" "oom_kills" Count Count false "processes that the OOM killer killed";
    SwapIn "swap_in" "swap_in_bytes" Bytes Count true "bytes swapped in";
    SwapOut "swap_out" "swap_out_bytes" Bytes Count true "bytes swapped out";
    SwapUsed "swap_used" "swap_used_bytes" Bytes Count true "swap in use at the end of the step";
    KswapdCpu "kswapd_cpu" "kswapd_cpu_ns" Nanos Time true "CPU time of all kswapd threads";
    UserCpu "user_cpu" "user_cpu_ns" Nanos Time true "CPU time of the step's processes in user mode";
    SystemCpu "system_cpu" "system_cpu_ns" Nanos Time true "CPU time of the step's processes in the kernel";
    PagesScanned "pages_scanned" "pages_scanned" Pages Count true "pages that reclaim scanned, on the whole host";
    PagesStolen "pages_stolen" "pages_stolen" Pages Count true "pages that reclaim freed, on the whole host";
    Refaults "refaults" "refaults" Pages Count true "file pages refaulted: read again after reclaim had evicted them";
    DamonEvicted "damon_evicted" "damon_evicted_bytes" Bytes Count false "bytes that DAMON schemes of the host (action pageout) evicted or swapped out during the step";
    OthersBytes "others_bytes" "others_bytes" Bytes Count false "bytes that processes outside of the run read from disks or wrote to files during the step; absent when none";
    Evicted "evicted" "evicted_pages" Pages Count true "file pages that reclaim evicted, by the trace";
    EvictedFor "evicted_for_it" "evicted_for_it_pages" Pages Count true "file pages that were evicted for the load itself, by the trace";
    Throttled "throttled" "throttled_ns" Nanos Time false "time that the kernel throttled the writer because of dirty memory";
    DirtyPeak "dirty_peak" "dirty_peak_bytes" Bytes Count true "peak of dirty and writeback memory during the step";
    DirtyThreshold "dirty_threshold" "dirty_threshold_bytes" Bytes Count true "dirty threshold: dirty memory at which the kernel throttles writers";
    BackgroundThreshold "background_threshold" "background_threshold_bytes" Bytes Count true "background threshold: dirty memory at which writeback starts";
    MemoryTotal "memory_total" "memory_total_bytes" Bytes Count true "memory of the machine the step ran on (of its control group where it had one)";
    AvailableBefore "available_before" "available_before_bytes" Bytes Count true "available memory before the step";
    AvailableAfter "available_after" "available_after_bytes" Bytes Count true "available memory after the step";
    FreeBefore "free_before" "free_before_bytes" Bytes Count true "free memory before the step";
    FreeAfter "free_after" "free_after_bytes" Bytes Count true "free memory after the step";
    BuffersBefore "buffers_before" "buffers_before_bytes" Bytes Count true "Buffers of /proc/meminfo before the step";
    BuffersAfter "buffers_after" "buffers_after_bytes" Bytes Count true "Buffers of /proc/meminfo after the step";
    CacheBefore "cache_before" "cache_before_bytes" Bytes Count true "Cached of /proc/meminfo before the step";
    CacheAfter "cache_after" "cache_after_bytes" Bytes Count true "Cached of /proc/meminfo after the step";
}

impl Figure {
    /// Whether a person wants little of it, such as a latency or refaults, or much, such as IOPS; none where it is neither good nor bad.
    pub const fn is_better_small(self) -> Option<bool> {
        match self {
            Self::Iops
            | Self::Bandwidth
            | Self::CacheHitRatio
            | Self::PredictedHitRatio
            | Self::Processed
            | Self::Iterations
            | Self::AvailableBefore
            | Self::AvailableAfter => Some(false),
            Self::Elapsed
            | Self::ClatMean
            | Self::ClatP50
            | Self::ClatP95
            | Self::ClatP99
            | Self::ClatP999
            | Self::DiskReads
            | Self::DiskWrites
            | Self::DiskReadBytes
            | Self::DiskWrittenBytes
            | Self::FioDiskReads
            | Self::FioDiskWrites
            | Self::DiskUtil
            | Self::DiskAwait
            | Self::MoreMemory
            | Self::MajorFaults
            | Self::OomKills
            | Self::SwapIn
            | Self::SwapOut
            | Self::SwapUsed
            | Self::KswapdCpu
            | Self::UserCpu
            | Self::SystemCpu
            | Self::PagesScanned
            | Self::PagesStolen
            | Self::Refaults
            | Self::Evicted
            | Self::EvictedFor
            | Self::Throttled
            | Self::DirtyPeak => Some(true),
            Self::Issued
            | Self::DiskReadMerges
            | Self::DiskWriteMerges
            | Self::FileBytes
            | Self::CachedBefore
            | Self::CachedAfter
            | Self::Resident
            | Self::DamonEvicted
            | Self::OthersBytes
            | Self::DirtyThreshold
            | Self::BackgroundThreshold
            | Self::MemoryTotal
            | Self::FreeBefore
            | Self::FreeAfter
            | Self::BuffersBefore
            | Self::BuffersAfter
            | Self::CacheBefore
            | Self::CacheAfter => None,
        }
    }

    /// The figure called `name` in claims.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|figure| figure.name() == name)
    }

    /// The figure under `key` in `result.json`.
    pub fn by_key(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|figure| figure.key() == key)
    }
}

/// The figures of one step. What was not measured is absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures(BTreeMap<Figure, f64>);

impl Figures {
    /// Sets a figure, in its own unit. Numbers that are not finite are left out.
    pub fn set(&mut self, figure: Figure, value: f64) {
        if value.is_finite() {
            self.0.insert(figure, value);
        }
    }

    /// Sets a figure when there is a value for it.
    pub fn set_some(&mut self, figure: Figure, value: Option<f64>) {
        if let Some(value) = value {
            self.set(figure, value);
        }
    }

    /// Takes over all figures that `other` has.
    pub fn override_with(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    /// Keeps only some of the figures.
    pub fn retain(&mut self, keep: impl Fn(Figure) -> bool) {
        self.0.retain(|figure, _| keep(*figure));
    }

    /// A figure's number, in its own unit.
    pub fn get(&self, figure: Figure) -> Option<f64> {
        self.0.get(&figure).copied()
    }

    /// A figure with its unit.
    pub fn quantity(&self, figure: Figure) -> Option<Quantity> {
        self.get(figure).map(|value| Quantity::new(value, figure.unit()))
    }

    /// All figures that were measured, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Figure, Quantity)> {
        self.0.iter().map(|(figure, value)| (*figure, Quantity::new(*value, figure.unit())))
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (figure, value) in &self.0 {
            map.serialize_entry(figure.key(), value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Figures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Figures;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of figures")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Figures, A::Error> {
                let mut figures = Figures::default();
                while let Some((key, value)) = map.next_entry::<String, Option<f64>>()? {
                    let figure =
                        Figure::by_key(&key).ok_or_else(|| de::Error::custom(format!("`{key}` is not a figure")))?;
                    figures.set_some(figure, value);
                }
                Ok(figures)
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_keys_are_unique() {
        for figure in Figure::ALL {
            assert_eq!(Figure::by_name(figure.name()), Some(*figure));
            assert_eq!(Figure::by_key(figure.key()), Some(*figure));
        }
    }
}
