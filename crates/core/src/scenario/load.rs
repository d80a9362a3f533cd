//! Loads that the lab makes itself, for what fio does not do: streams, dd, copies, memory that is walked or grows.

use super::SwapSpec;
use crate::figure::Figures;
use crate::units::{Bytes, BytesPerSecond, Nanos};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

mod check;

pub(super) use check::{RawLoads, RawPart, places};

/// Where a load reads from or writes to: `zero`, `null`, `file:NAME`, `file:NAME@DISK` or `disk:NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// `/dev/zero`.
    Zero,
    /// `/dev/null`.
    Null,
    /// A file in the run's data folder.
    File {
        /// Its name.
        name: String,
        /// The disk that it lies on; the machine's first when absent.
        disk: Option<String>,
    },
    /// A disk of the machine as a block device. One that is written must have no file system.
    Disk(String),
}

impl Place {
    /// The disk that it names.
    pub fn disk(&self) -> Option<&str> {
        match self {
            Self::File { disk, .. } => disk.as_deref(),
            Self::Disk(disk) => Some(disk),
            Self::Zero | Self::Null => None,
        }
    }

    /// Whether it is on a disk at all.
    pub const fn stored(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Disk(_))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => f.write_str("zero"),
            Self::Null => f.write_str("null"),
            Self::File { name, disk: None } => write!(f, "file:{name}"),
            Self::File { name, disk: Some(disk) } => write!(f, "file:{name}@{disk}"),
            Self::Disk(disk) => write!(f, "disk:{disk}"),
        }
    }
}

impl FromStr for Place {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let plain = super::name::is_plain;
        let place = match text {
            "zero" => Some(Self::Zero),
            "null" => Some(Self::Null),
            _ => match text.split_once(':') {
                Some(("disk", disk)) if plain(disk) => Some(Self::Disk(disk.to_owned())),
                Some(("file", file)) => {
                    let (name, disk) = file.split_once('@').map_or((file, None), |(name, disk)| (name, Some(disk)));
                    (plain(name) && disk.is_none_or(plain))
                        .then(|| Self::File { name: name.to_owned(), disk: disk.map(str::to_owned) })
                }
                _ => None,
            },
        };
        place.ok_or_else(|| {
            format!(
                "`{text}` is no place: write \"zero\", \"null\", \"file:NAME\", \"file:NAME@DISK\" or \"disk:NAME\""
            )
        })
    }
}

impl Serialize for Place {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// What a load does about the page cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caching {
    /// Nothing, like most programs.
    #[default]
    Keep,
    /// Goes past it (`O_DIRECT`).
    Direct,
    /// Drops behind itself what it has read or written (`POSIX_FADV_DONTNEED`; what it wrote is synced before that).
    DontNeed,
}

/// Reads once, in order, at a rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamSpec {
    /// A file or a disk.
    pub from: Place,
    /// Bytes to read, from the start.
    pub size: Bytes,
    /// Bytes of one read.
    #[serde(default = "mebibyte")]
    pub bs: Bytes,
    /// Bytes per second at most; as fast as it can when absent.
    #[serde(default)]
    pub rate: Option<BytesPerSecond>,
    /// What it does about the page cache.
    #[serde(default)]
    pub cache: Caching,
    /// Reads blocks drawn anew each time instead of one after the other, until its time is over or it is ended.
    #[serde(default)]
    pub random: bool,
    /// Leaves something out every so often.
    #[serde(default)]
    pub stride: Option<Stride>,
    /// Time after which it ends, whatever it has read.
    #[serde(default)]
    pub time: Option<Nanos>,
}

/// What a stream reads and leaves out, in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stride {
    /// So much is read, in whole blocks.
    pub read: Bytes,
    /// So much is left out after it.
    pub skip: Bytes,
}

/// Moves bytes from one place to another, as dd(1) does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DdSpec {
    /// Where from.
    pub from: Place,
    /// Where to. A file is new.
    pub to: Place,
    /// Bytes to move.
    pub size: Bytes,
    /// Bytes of one read and one write.
    #[serde(default = "mebibyte")]
    pub bs: Bytes,
    /// Bytes per second at most; as fast as it can when absent.
    #[serde(default)]
    pub rate: Option<BytesPerSecond>,
    /// What it does about the page cache, on both ends.
    #[serde(default)]
    pub cache: Caching,
    /// Whether it syncs what it wrote before it ends.
    #[serde(default)]
    pub sync: bool,
    /// Time after which it is ended.
    #[serde(default)]
    pub time: Option<Nanos>,
}

/// Copies a file as cp(1) does, with a line about memory every so often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopySpec {
    /// The file to copy.
    pub from: Place,
    /// The copy, a new file.
    pub to: Place,
    /// Size of the file.
    pub size: Bytes,
    /// Bytes of one read and one write.
    #[serde(default = "cp_block")]
    pub bs: Bytes,
    /// Time between two lines.
    #[serde(default = "five_seconds")]
    pub every: Nanos,
    /// What it does about the page cache, on both ends.
    #[serde(default)]
    pub cache: Caching,
}

/// Whose the anonymous memory of a walk is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// `MAP_PRIVATE | MAP_ANONYMOUS`.
    #[default]
    Private,
    /// `MAP_SHARED | MAP_ANONYMOUS`, which is shmem.
    Shared,
}

/// What memory is filled with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// Zeros, written page by page: they compress to nothing.
    #[default]
    Zero,
    /// Numbers that do not compress.
    Random,
}

/// In which order the pages of the mapped file are touched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Each page drawn on its own, so that some come often and some never.
    #[default]
    Random,
    /// Every page once before any comes again, in an order that is no order.
    Shuffled,
}

/// A program with code and data: maps a file read-only and shared, fills anonymous memory, then walks the memory page by page
/// and touches a page of the file at each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalkSpec {
    /// Size of the file that is mapped.
    #[serde(default)]
    pub code: Bytes,
    /// The file.
    #[serde(default = "code_file")]
    pub file: Place,
    /// Whether it is mapped as a program's code is (`PROT_EXEC`), which reclaim spares for longer.
    #[serde(default)]
    pub executable: bool,
    /// Anonymous memory.
    #[serde(default)]
    pub data: Bytes,
    /// Whose it is.
    #[serde(default)]
    pub sharing: Sharing,
    /// What it is filled with.
    #[serde(default)]
    pub fill: Fill,
    /// How much is walked in one iteration, one after the other: of the data, or of the file when there are none. All when
    /// absent.
    #[serde(default)]
    pub chunk: Option<Bytes>,
    /// So much of the data, from its begin, is walked over and over; what lies behind is filled and then left alone, as most
    /// of a long-running program's memory is. All when absent.
    #[serde(default)]
    pub walked: Option<Bytes>,
    /// How often.
    pub iterations: u64,
    /// In which order the pages of the file are touched.
    #[serde(default)]
    pub order: Order,
    /// Touches of the file per second at most.
    #[serde(default)]
    pub rate: Option<u64>,
    /// Time after which it is ended, counted from its begin.
    #[serde(default)]
    pub time: Option<Nanos>,
}

/// Anonymous memory that grows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrowSpec {
    /// How far.
    pub size: Bytes,
    /// How fast; as fast as it can when absent.
    #[serde(default)]
    pub rate: Option<BytesPerSecond>,
    /// What it is filled with.
    #[serde(default)]
    pub fill: Fill,
    /// How long it stays as large as it became.
    #[serde(default)]
    pub linger: Nanos,
}

/// Computes and does nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpinSpec {
    /// Time after which it ends.
    #[serde(default)]
    pub time: Option<Nanos>,
}

/// Looks up names of files that do not exist. The kernel keeps each of them (a negative dentry of `fs/dcache.c`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamesSpec {
    /// A file beside which the names are looked for.
    pub beside: Place,
    /// How many.
    pub count: u64,
    /// How many per second at most; as fast as it can when absent.
    #[serde(default)]
    pub rate: Option<u64>,
    /// How long it stays after the last one.
    #[serde(default)]
    pub linger: Nanos,
}

/// A load that the lab makes itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Load {
    /// Reads once, in order, at a rate.
    Stream(StreamSpec),
    /// Moves bytes from one place to another.
    Dd(DdSpec),
    /// Copies a file.
    Copy(CopySpec),
    /// A program with code and data.
    MapAndWalk(WalkSpec),
    /// Anonymous memory that grows.
    Grow(GrowSpec),
    /// Computes.
    Spin(SpinSpec),
    /// Looks up names.
    Names(NamesSpec),
}

impl StreamSpec {
    /// How large what it reads from must be: what it leaves out counts as well.
    pub fn extent(&self) -> Bytes {
        let skipped = self
            .stride
            .map_or(0, |stride| (self.size.get() / stride.read.get().max(1)).saturating_mul(stride.skip.get()));
        Bytes::new(self.size.get().saturating_add(skipped))
    }
}

impl Load {
    /// Its kind, as scenarios and results call it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Stream(_) => "stream",
            Self::Dd(_) => "dd",
            Self::Copy(_) => "copy",
            Self::MapAndWalk(_) => "map_and_walk",
            Self::Grow(_) => "grow",
            Self::Spin(_) => "spin",
            Self::Names(_) => "names",
        }
    }

    /// What it reads, and how much of it must be there.
    pub fn reads(&self) -> Option<(&Place, Bytes)> {
        match self {
            Self::Stream(stream) => Some((&stream.from, stream.extent())),
            Self::Dd(dd) => Some((&dd.from, dd.size)),
            Self::Copy(copy) => Some((&copy.from, copy.size)),
            Self::MapAndWalk(walk) if walk.code > Bytes::ZERO => Some((&walk.file, walk.code)),
            Self::MapAndWalk(_) | Self::Grow(_) | Self::Spin(_) | Self::Names(_) => None,
        }
    }

    /// What it writes, and how much.
    pub fn writes(&self) -> Option<(&Place, Bytes)> {
        match self {
            Self::Dd(dd) => Some((&dd.to, dd.size)),
            Self::Copy(copy) => Some((&copy.to, copy.size)),
            Self::Stream(_) | Self::MapAndWalk(_) | Self::Grow(_) | Self::Spin(_) | Self::Names(_) => None,
        }
    }

    /// The places on disks that it works on.
    pub fn stored(&self) -> impl Iterator<Item = &Place> {
        let both = [self.reads(), self.writes()];
        let beside = match self {
            Self::Names(names) => Some(&names.beside),
            _ => None,
        };
        both.into_iter().flatten().map(|(place, _)| place).chain(beside).filter(|place| place.stored())
    }

    /// The load with every size made `size(…)`; blocks, rates and times stay.
    pub(super) fn scaled(&self, size: impl Fn(Bytes) -> Bytes) -> Self {
        let mut load = self.clone();
        match &mut load {
            Self::Stream(stream) => stream.size = size(stream.size),
            Self::Dd(dd) => dd.size = size(dd.size),
            Self::Copy(copy) => copy.size = size(copy.size),
            Self::MapAndWalk(walk) => {
                walk.code = size(walk.code);
                walk.data = size(walk.data);
                walk.chunk = walk.chunk.map(&size);
                walk.walked = walk.walked.map(size);
            }
            Self::Grow(grow) => grow.size = size(grow.size),
            Self::Spin(_) | Self::Names(_) => {}
        }
        load
    }

    /// A few words for a load without a title.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Stream(stream) => format!("stream {} from {}", stream.size, stream.from),
            Self::Dd(dd) => format!("dd {} from {} to {}", dd.size, dd.from, dd.to),
            Self::Copy(copy) => format!("copy {} from {} to {}", copy.size, copy.from, copy.to),
            Self::MapAndWalk(walk) => format!("walk {} of data and {} of code", walk.data, walk.code),
            Self::Grow(grow) => format!("grow to {}", grow.size),
            Self::Spin(_) => "spin".to_owned(),
            Self::Names(names) => format!("look up {} names", names.count),
        }
    }
}

/// Limits of a device for a control group (`io.max`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IoMax {
    /// The disk.
    pub disk: String,
    /// Bytes per second that are read at most.
    #[serde(default)]
    pub read: Option<BytesPerSecond>,
    /// Bytes per second that are written at most.
    #[serde(default)]
    pub write: Option<BytesPerSecond>,
    /// Reads per second at most.
    #[serde(default)]
    pub read_iops: Option<u64>,
    /// Writes per second at most.
    #[serde(default)]
    pub write_iops: Option<u64>,
}

/// A control group for the processes of a step. It stays until the end of the run, with the cache that is charged to it; steps
/// that give the same name share it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupSpec {
    /// Its name.
    pub name: String,
    /// Memory that it may not exceed: reclaimed from it, at last by the OOM killer.
    #[serde(default)]
    pub memory_max: Option<Bytes>,
    /// Memory above which it is made slow and reclaimed from.
    #[serde(default)]
    pub memory_high: Option<Bytes>,
    /// Limits of devices.
    #[serde(default)]
    pub io_max: Vec<IoMax>,
}

impl GroupSpec {
    /// The group with scaled memory.
    pub(super) fn scaled(&self, size: impl Fn(Bytes) -> Bytes) -> Self {
        Self { memory_max: self.memory_max.map(&size), memory_high: self.memory_high.map(&size), ..self.clone() }
    }
}

/// One of several loads that run at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Its name: its result is called `STEP_NAME`.
    pub name: String,
    /// What it does.
    pub load: Load,
    /// The control group of its process.
    pub cgroup: Option<GroupSpec>,
    /// How long after the step's begin it starts.
    pub delay: Nanos,
    /// Whether it only goes on until all others have ended.
    pub background: bool,
    /// What its author measured, not scaled.
    pub published: Figures,
}

/// The swap areas in use from a step on, the first one first.
pub type Swaps = Vec<SwapSpec>;

const fn mebibyte() -> Bytes {
    Bytes::new(1 << 20)
}

const fn cp_block() -> Bytes {
    Bytes::new(128 << 10)
}

const fn five_seconds() -> Nanos {
    Nanos::new(5_000_000_000)
}

fn code_file() -> Place {
    Place::File { name: "code".to_owned(), disk: None }
}

#[cfg(test)]
mod tests;
