//! The machine that a scenario describes: CPUs, memory, swap, disks and the settings of its kernel.

use crate::units::{Bytes, BytesPerSecond, Nanos};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroU64;

/// The machine that a scenario describes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// CPUs.
    pub cpus: u32,
    /// Memory that its kernel manages (MemTotal).
    pub memory: Bytes,
    /// How much of it the machine's own system holds before the first step (MemTotal less MemAvailable). A host that is
    /// shrunk by a control group takes it off, because its own system lives outside of the group.
    #[serde(default)]
    pub system: Bytes,
    /// Swap.
    #[serde(default)]
    pub swap: SwapSpec,
    /// Which page reclaim its kernel uses; the kernel's own choice when absent.
    pub lru: Option<Lru>,
    /// When anonymous memory is backed by huge pages; the kernel's own choice when absent.
    pub huge_pages: Option<HugePages>,
    /// How many times slower the disks are where the CPUs are emulated in software, so that they keep their proportion to
    /// each other: 10 makes 300 of 3000 IOPS. Disks keep their pace when absent. The method is that of
    /// Gupta et al., "DieCast: Testing Distributed Systems with an Accurate Scale Model", NSDI 2008.
    pub time_dilation: Option<NonZeroU64>,
    /// How many times as long reclaim of a page takes its CPU as it takes that of a current x86 server: a slow or emulated CPU. On the model
    /// only.
    pub reclaim_slowdown: Option<NonZeroU64>,
    /// Settings, by name such as `vm.dirty_ratio`.
    #[serde(default)]
    pub sysctl: BTreeMap<String, i64>,
    /// Disks. The first is where files go unless a step names another.
    #[serde(default, rename = "disk")]
    pub disks: Vec<DiskSpec>,
}

/// What a device can do, when everything takes `factor` times as long.
fn dilate(
    factor: NonZeroU64,
    times: [&mut Option<Nanos>; 3],
    iops: &mut Option<u64>,
    bandwidth: &mut Option<BytesPerSecond>,
) {
    for time in times {
        *time = time.map(|time| Nanos::new(time.get().saturating_mul(factor.get())));
    }
    *iops = iops.map(|iops| (iops / factor).max(1));
    *bandwidth = bandwidth.map(|rate| BytesPerSecond::new((rate.get() / factor).max(1)));
}

impl Machine {
    /// The largest [`Machine::reclaim_slowdown`]: an emulated CPU takes some 70 times as long as a server.
    pub const MAX_RECLAIM_SLOWDOWN: u64 = 1000;

    /// Makes its disks take `factor` times as long for everything.
    pub(super) fn dilate(&mut self, factor: NonZeroU64) {
        for disk in &mut self.disks {
            let times = [&mut disk.latency, &mut disk.write_latency, &mut disk.flush];
            dilate(factor, times, &mut disk.iops, &mut disk.bandwidth);
        }
    }
}

/// Swap of a machine: `"none"`, `{ size, disk }` or `{ zram, algorithm }`.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum SwapSpec {
    /// No swap.
    #[default]
    None,
    /// A swap area on a disk.
    Disk {
        /// Its size.
        size: Bytes,
        /// The disk's name.
        disk: String,
    },
    /// Compressed memory.
    Zram {
        /// Its size before compression.
        size: Bytes,
        /// The compression algorithm; the kernel's default when absent.
        algorithm: Option<String>,
    },
}

/// A disk of a machine. Limits are absent when there are none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskSpec {
    /// Its name, for steps that name a disk.
    pub name: String,
    /// Its size.
    pub size: Bytes,
    /// Requests per second that it does at most.
    pub iops: Option<u64>,
    /// Bandwidth that it has at most.
    pub bandwidth: Option<BytesPerSecond>,
    /// Time that one request takes at least.
    pub latency: Option<Nanos>,
    /// Time that a write takes at least; that of a request when absent.
    pub write_latency: Option<Nanos>,
    /// Time that a flush of its cache takes at least; that of a request when absent.
    pub flush: Option<Nanos>,
    /// Its file system.
    #[serde(default)]
    pub filesystem: FileSystem,
    /// How far it is read ahead (`read_ahead_kb`); the kernel's own choice when absent.
    pub read_ahead: Option<Bytes>,
    /// After it was idle, it may exceed its limits by this much time, like the bursts of cloud volumes and hypervisors; absent for none.
    pub burst: Option<Nanos>,
    /// Whether reads and writes that exceed its limits wait in a queue each, served in turn, as hypervisors throttle them and drives
    /// schedule them: then reads do not wait for all writes before them. On the model only.
    #[serde(default)]
    pub reads_apart: bool,
}

impl DiskSpec {
    /// Whether it delays requests or flushes, beside limiting their rate.
    pub const fn delays(&self) -> bool {
        self.latency.is_some() || self.write_latency.is_some() || self.flush.is_some()
    }

    /// Its limits and times that are given, each in words: `3000 IOPS`, `370 us a request`.
    pub fn limits(&self) -> Vec<String> {
        limits(self.iops, self.bandwidth, [self.latency, self.write_latency, self.flush])
    }
}

/// Limits and times of a request, a write and a flush that are given, each in words.
fn limits(iops: Option<u64>, bandwidth: Option<BytesPerSecond>, times: [Option<Nanos>; 3]) -> Vec<String> {
    let iops = iops.map(|iops| format!("{iops} IOPS"));
    let bandwidth = bandwidth.map(|bandwidth| bandwidth.to_string());
    let times = times.into_iter().zip(["request", "write", "flush"]);
    let times = times.filter_map(|(time, of)| Some(format!("{} a {of}", time?)));
    iops.into_iter().chain(bandwidth).chain(times).collect()
}

/// What a disk becomes in the middle of a run. What is absent stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceChange {
    /// The disk, which has a latency from the begin.
    pub disk: String,
    /// Time that one request takes at least.
    pub latency: Option<Nanos>,
    /// Time that a write takes at least.
    pub write_latency: Option<Nanos>,
    /// Time that a flush of its cache takes at least.
    pub flush: Option<Nanos>,
    /// Requests per second that it does at most.
    pub iops: Option<u64>,
    /// Bandwidth that it has at most.
    pub bandwidth: Option<BytesPerSecond>,
}

impl DeviceChange {
    /// What it sets, each in words.
    pub fn limits(&self) -> Vec<String> {
        limits(self.iops, self.bandwidth, [self.latency, self.write_latency, self.flush])
    }

    /// Makes the disk that it describes take `factor` times as long for everything.
    pub(super) fn dilate(&mut self, factor: NonZeroU64) {
        let times = [&mut self.latency, &mut self.write_latency, &mut self.flush];
        dilate(factor, times, &mut self.iops, &mut self.bandwidth);
    }

    /// The disk as it is from then on.
    #[must_use]
    pub fn of(&self, disk: &DiskSpec) -> DiskSpec {
        DiskSpec {
            latency: self.latency.or(disk.latency),
            write_latency: self.write_latency.or(disk.write_latency),
            flush: self.flush.or(disk.flush),
            iops: self.iops.or(disk.iops),
            bandwidth: self.bandwidth.or(disk.bandwidth),
            ..disk.clone()
        }
    }
}

/// The two ways in which the kernel orders pages for reclaim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lru {
    /// An active and an inactive list (`mm/vmscan.c: shrink_lruvec`).
    Classic,
    /// Generations, by `/sys/kernel/mm/lru_gen/enabled` (`mm/vmscan.c: lru_gen_shrink_lruvec`).
    Mglru,
}

/// `/sys/kernel/mm/transparent_hugepage/enabled`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HugePages {
    /// Wherever they fit.
    Always,
    /// Where a program asks for them.
    Madvise,
    /// Nowhere.
    Never,
}

impl HugePages {
    /// The kernel's word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Madvise => "madvise",
            Self::Never => "never",
        }
    }
}

/// The file system of a disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileSystem {
    /// ext4.
    #[default]
    Ext4,
    /// XFS, which needs a disk of 300 MiB or more.
    Xfs,
    /// None: the disk is used as a block device.
    None,
}

impl FileSystem {
    /// The kernel's word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ext4 => "ext4",
            Self::Xfs => "xfs",
            Self::None => "none",
        }
    }
}

impl SwapSpec {
    pub(super) fn scale(&mut self, scale: super::Scale) {
        match self {
            Self::None => {}
            Self::Disk { size, .. } | Self::Zram { size, .. } => *size = scale.bytes(*size),
        }
    }
}

impl Serialize for SwapSpec {
    /// As a scenario's file has it.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        match self {
            Self::None => serializer.serialize_str("none"),
            Self::Disk { size, disk } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("size", size)?;
                map.serialize_entry("disk", disk)?;
                map.end()
            }
            Self::Zram { size, algorithm } => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("zram", size)?;
                if let Some(algorithm) = algorithm {
                    map.serialize_entry("algorithm", algorithm)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for SwapSpec {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Area {
            size: Option<Bytes>,
            disk: Option<String>,
            zram: Option<Bytes>,
            algorithm: Option<String>,
        }
        use serde::de::Error as _;
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) if text == "none" => Ok(Self::None),
            toml::Value::Table(table) => {
                let area: Area =
                    table.try_into().map_err(|error: toml::de::Error| D::Error::custom(error.message()))?;
                match area {
                    Area { size: Some(size), disk: Some(disk), zram: None, algorithm: None } => {
                        Ok(Self::Disk { size, disk })
                    }
                    Area { size: None, disk: None, zram: Some(size), algorithm } => match algorithm {
                        Some(name) if !super::name::is_plain(&name) => {
                            Err(D::Error::custom(format!("`{}` is not a compression algorithm", name.escape_debug())))
                        }
                        algorithm => Ok(Self::Zram { size, algorithm }),
                    },
                    _ => Err(D::Error::custom(
                        "not a swap area (write { size = \"4GiB\", disk = \"data\" } or { zram = \"2GiB\" })",
                    )),
                }
            }
            _ => Err(D::Error::custom(
                "not a swap area (write \"none\", { size = \"4GiB\", disk = \"data\" } or { zram = \"2GiB\" })",
            )),
        }
    }
}
