//! An experiment as a TOML text: a machine, steps, published figures and claims.

use crate::error::Error;
use crate::figure::{Figure, Figures};
use crate::quantity::Quantity;
use crate::suggest;
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

mod load;
mod machine;
mod name;
mod raw;

pub use load::{
    Caching, CopySpec, DdSpec, Fill, GroupSpec, GrowSpec, IoMax, Load, NamesSpec, Order, Part, Place, Sharing,
    SpinSpec, StreamSpec, Stride, Swaps, WalkSpec,
};
pub use machine::{DeviceChange, DiskSpec, FileSystem, HugePages, Lru, Machine, SwapSpec};

/// A scenario, checked: ids are unique, references lead somewhere, every amount has its unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// Its id, which is its file's name.
    pub id: String,
    /// What it is, in one line.
    pub title: String,
    /// Who published the figures.
    pub source: String,
    /// What it shows, in a few sentences.
    pub about: String,
    /// The machine it describes.
    pub machine: Machine,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// What must hold.
    pub claims: Vec<Claim>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Unique in the scenario; a name that claims can use.
    pub id: String,
    /// What it is, in a few words.
    pub title: String,
    /// Whether dirty pages are written and clean ones dropped before it.
    pub drop_caches: bool,
    /// What it does.
    pub action: Action,
    /// The control group of its processes, beside that of the whole work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<GroupSpec>,
    /// What its author measured, not scaled.
    pub published: Figures,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Runs fio.
    Fio(FioJob),
    /// Occupies memory until it is released.
    Hold(HoldSpec),
    /// Releases the memory that the step of this id holds.
    Release(String),
    /// Writes what is dirty and drops the caches.
    DropCaches,
    /// Waits.
    Sleep(Nanos),
    /// Changes settings, undone at the end of the run.
    Sysctl(BTreeMap<String, i64>),
    /// Only notes where memory stands.
    Snapshot,
    /// Runs a load that the lab makes itself.
    Load(Load),
    /// Runs several of them at once.
    Parallel(Vec<Part>),
    /// Changes the machine's swap; none when empty.
    Swap(Swaps),
    /// Changes what a disk can do.
    Device(DeviceChange),
}

impl Action {
    /// The kind of the step, as scenarios and results call it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Fio(_) => "fio",
            Self::Hold(_) => "hold",
            Self::Release(_) => "release",
            Self::DropCaches => "drop_caches",
            Self::Sleep(_) => "sleep",
            Self::Sysctl(_) => "sysctl",
            Self::Snapshot => "snapshot",
            Self::Load(load) => load.kind(),
            Self::Parallel(_) => "parallel",
            Self::Swap(_) => "swap",
            Self::Device(_) => "device",
        }
    }
}

/// A job for fio: its own options, by its own names. Absent options keep fio's defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FioJob {
    /// `randread`, `read`, `randwrite`, `write`, `randrw`, `rw`.
    pub rw: String,
    /// Block size.
    pub bs: Bytes,
    /// Bytes to do, and size of the file.
    pub size: Bytes,
    /// IO engine.
    #[serde(default = "sync_engine")]
    pub ioengine: String,
    /// Whether fio drops the file's cache before it starts (fio's default is to do so).
    #[serde(default)]
    pub invalidate: Option<bool>,
    /// Whether blocks are drawn with replacement.
    #[serde(default)]
    pub norandommap: bool,
    /// Whether every run draws the same sequence (fio's default is that it does).
    #[serde(default)]
    pub randrepeat: Option<bool>,
    /// Whether the page cache is bypassed.
    #[serde(default)]
    pub direct: bool,
    /// Requests in flight, for asynchronous engines.
    #[serde(default)]
    pub iodepth: Option<u32>,
    /// Processes that do the job at once.
    #[serde(default)]
    pub numjobs: Option<u32>,
    /// Ends the job after this time.
    #[serde(default)]
    pub runtime: Option<Nanos>,
    /// Goes on until `runtime` is over, whatever `size` says.
    #[serde(default)]
    pub time_based: bool,
    /// Requests per second at most.
    #[serde(default)]
    pub rate_iops: Option<u64>,
    /// Syncs after this many writes.
    #[serde(default)]
    pub fsync: Option<u32>,
    /// Syncs at the end of the job.
    #[serde(default)]
    pub end_fsync: bool,
    /// The file's name within the run's data folder. Jobs that only read share `data`; a job that writes gets a new
    /// file of its own unless it names one.
    #[serde(default)]
    pub file: Option<String>,
    /// The disk the file lies on; the first when absent.
    #[serde(default)]
    pub disk: Option<String>,
}

fn sync_engine() -> String {
    "sync".to_owned()
}

impl FioJob {
    /// Whether it only reads.
    pub fn reads_only(&self) -> bool {
        matches!(self.rw.as_str(), "read" | "randread")
    }

    /// Whether it draws blocks at random.
    pub fn random(&self) -> bool {
        self.rw.starts_with("rand")
    }
}

/// The kind of memory that a hold occupies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldKind {
    /// Private anonymous memory.
    #[default]
    Anon,
    /// Shared anonymous memory (shmem).
    Shared,
    /// Page cache of a file, mapped.
    File,
    /// Private anonymous memory that is locked.
    Mlock,
}

/// Memory to occupy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HoldSpec {
    /// How much is allocated.
    pub size: Bytes,
    /// How much of it is touched, and so resident; all of it when absent.
    #[serde(default)]
    pub touch: Option<Bytes>,
    /// Of which kind.
    #[serde(default)]
    pub kind: HoldKind,
}

/// Something that must hold, as an expression over the steps' figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Unique in the scenario.
    pub id: String,
    /// The claim in words.
    pub text: String,
    /// The expression, such as `A2.disk_reads < 0.001 * A2.issued`.
    pub check: String,
}

/// By how much a scenario's memory, files, holds and swap are scaled: a fraction such as 1/8. Device limits never are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    numerator: u32,
    denominator: u32,
}

impl Scale {
    /// As the scenario says.
    pub const FULL: Self = Self { numerator: 1, denominator: 1 };

    /// `numerator/denominator`, both at least 1.
    pub const fn new(numerator: u32, denominator: u32) -> Option<Self> {
        if numerator == 0 || denominator == 0 { None } else { Some(Self { numerator, denominator }) }
    }

    /// As a number.
    pub fn ratio(self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }

    /// The scaled size, rounded down to whole pages of 4 KiB but not below one.
    pub fn bytes(self, size: Bytes) -> Bytes {
        if self == Self::FULL || size == Bytes::ZERO {
            return size;
        }
        let scaled = u128::from(size.get()) * u128::from(self.numerator) / u128::from(self.denominator);
        Bytes::new((u64::try_from(scaled).unwrap_or(u64::MAX) & !4095).max(4096))
    }
}

impl FromStr for Scale {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.splitn(2, '/').map(|part| part.trim().parse::<u32>().ok());
        match (parts.next().flatten(), parts.next()) {
            (Some(numerator), None) => Self::new(numerator, 1),
            (Some(numerator), Some(Some(denominator))) => Self::new(numerator, denominator),
            _ => None,
        }
        .ok_or_else(|| format!("`{text}` is not a scale: write a fraction of whole numbers such as 1/8"))
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == 1 {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

impl Serialize for Scale {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Scale {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Scenario {
    /// Reads a scenario. `name` is the file's name, for messages.
    pub fn parse(text: &str, name: &str) -> Result<Self, Error> {
        let raw: raw::Scenario = toml::from_str(text).map_err(|error| raw::error(text, name, &error))?;
        raw.check(text, name)
    }

    /// The ids of all results that a run gives: of the steps, and of the parts of parallel ones as `STEP_PART`.
    pub fn result_ids(&self) -> impl Iterator<Item = String> {
        self.steps.iter().flat_map(|step| {
            let parts = match &step.action {
                Action::Parallel(parts) => parts.as_slice(),
                _ => &[],
            };
            let parts = parts.iter().map(|part| format!("{}_{}", step.id, part.name));
            std::iter::once(step.id.clone()).chain(parts)
        })
    }

    /// The loads of all steps and their parts.
    pub fn loads(&self) -> impl Iterator<Item = &Load> {
        self.steps.iter().flat_map(|step| match &step.action {
            Action::Load(load) => vec![load],
            Action::Parallel(parts) => parts.iter().map(|part| &part.load).collect(),
            _ => Vec::new(),
        })
    }

    /// The scenario on disks that take `factor` times as long for everything ([`Machine::time_dilation`]).
    #[must_use]
    pub fn dilated(&self, factor: NonZeroU64) -> Self {
        let mut scenario = self.clone();
        scenario.machine.dilate(factor);
        for step in &mut scenario.steps {
            if let Action::Device(change) = &mut step.action {
                change.dilate(factor);
            }
        }
        scenario
    }

    /// The scenario at another scale. Published figures stay as they are.
    pub fn scaled(&self, scale: Scale) -> Self {
        let mut scenario = self.clone();
        let machine = &mut scenario.machine;
        machine.memory = scale.bytes(machine.memory);
        machine.system = scale.bytes(machine.system);
        machine.swap.scale(scale);
        for disk in &mut machine.disks {
            disk.size = scale.bytes(disk.size);
        }
        for step in &mut scenario.steps {
            match &mut step.action {
                Action::Fio(job) => {
                    let size = scale.bytes(job.size);
                    let blocks = (size.get() / job.bs.get().max(1)).max(1);
                    job.size = Bytes::new(blocks.saturating_mul(job.bs.get()));
                }
                Action::Hold(hold) => {
                    hold.size = scale.bytes(hold.size);
                    hold.touch = hold.touch.map(|touch| scale.bytes(touch));
                }
                Action::Load(load) => *load = load.scaled(|size| scale.bytes(size)),
                Action::Parallel(parts) => {
                    for part in parts {
                        part.load = part.load.scaled(|size| scale.bytes(size));
                        part.cgroup = part.cgroup.as_ref().map(|group| group.scaled(|size| scale.bytes(size)));
                    }
                }
                Action::Swap(swaps) => swaps.iter_mut().for_each(|swap| swap.scale(scale)),
                Action::Release(_)
                | Action::DropCaches
                | Action::Sleep(_)
                | Action::Sysctl(_)
                | Action::Snapshot
                | Action::Device(_) => {}
            }
            step.cgroup = step.cgroup.as_ref().map(|group| group.scaled(|size| scale.bytes(size)));
        }
        scenario
    }
}
