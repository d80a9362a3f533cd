//! Jobs of fio, by fio's own options.

use super::kind::{Effort, StepKind};
use super::{Scale, name};
use crate::error::Error;
use crate::figure::Figure;
use crate::suggest;
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

/// A job for fio: its own options, by its own names. Absent options keep fio's defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FioJob {
    /// `randread`, `read`, `randwrite`, `write`, `randrw`, `rw`.
    pub rw: String,
    /// Block size.
    pub bs: Bytes,
    /// Bytes to read or write, and size of the file.
    pub size: Bytes,
    /// IO engine.
    #[serde(default)]
    pub ioengine: FioEngine,
    /// Whether fio drops the file's cache before it starts (fio's default is to do so).
    pub invalidate: Option<bool>,
    /// Whether random blocks are chosen with replacement.
    #[serde(default)]
    pub norandommap: bool,
    /// Whether every run uses the same random sequence (fio's default is that it does).
    pub randrepeat: Option<bool>,
    /// Which random blocks are chosen how often: `zoned:60/10:40/90` (60 % of requests to the first 10 % of the file), `zipf:1.2`.
    pub random_distribution: Option<String>,
    /// Whether the page cache is bypassed.
    #[serde(default)]
    pub direct: bool,
    /// Requests in flight, for asynchronous engines.
    pub iodepth: Option<u32>,
    /// Processes that run the job at once.
    pub numjobs: Option<u32>,
    /// Ends the job after this time.
    pub runtime: Option<Nanos>,
    /// Runs until `runtime` is over, regardless of `size`.
    #[serde(default)]
    pub time_based: bool,
    /// Requests per second at most.
    pub rate_iops: Option<u64>,
    /// Syncs after this many writes.
    pub fsync: Option<u32>,
    /// Syncs at the end of the job.
    #[serde(default)]
    pub end_fsync: bool,
    /// The file's name within the run's data folder. Jobs that only read share `data`; a job that writes gets a new
    /// file of its own unless it names one.
    pub file: Option<String>,
    /// The disk the file lies on; the first when absent.
    pub disk: Option<String>,
}

/// The engines of fio that the lab runs: those that do ordinary IO on files. fio has others, which load a library (`external`),
/// start programs (`exec`) or need a network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FioEngine {
    /// `read(2)` and `write(2)`, with `lseek(2)`.
    #[default]
    Sync,
    /// `pread(2)` and `pwrite(2)`.
    Psync,
    /// `readv(2)` and `writev(2)`, for several requests at once.
    Vsync,
    /// `preadv(2)` and `pwritev(2)`.
    Pvsync,
    /// `preadv2(2)` and `pwritev2(2)`.
    Pvsync2,
    /// `io_submit(2)`.
    Libaio,
    /// `io_uring(7)`.
    IoUring,
    /// `aio_read(3)` and `aio_write(3)`.
    Posixaio,
    /// `mmap(2)`.
    Mmap,
}

impl FioEngine {
    /// fio's word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Psync => "psync",
            Self::Vsync => "vsync",
            Self::Pvsync => "pvsync",
            Self::Pvsync2 => "pvsync2",
            Self::Libaio => "libaio",
            Self::IoUring => "io_uring",
            Self::Posixaio => "posixaio",
            Self::Mmap => "mmap",
        }
    }
}

/// The most that a job may ask for. fio refuses more threads and requests (`REAL_MAX_JOBS`, `iodepth` in its HOWTO) only after it has
/// taken memory for them.
const MOST_JOBS: u32 = 1024;
const MOST_DEPTH: u32 = 65_536;
/// The largest block, which each request has a buffer of.
const LARGEST_BLOCK: Bytes = Bytes::new(1 << 30);
/// The largest number that fio reads into an `int`.
const MOST_COUNT: u64 = i32::MAX as u64;
/// The longest text of a distribution; fio takes 256 zones.
const LONGEST_DISTRIBUTION: usize = 4096;

/// Refuses a number that is out of its range.
fn range(key: &str, value: Option<u64>, most: u64) -> Result<(), Error> {
    match value {
        Some(value) if value == 0 || value > most => {
            Err(Error::input(format!("{key} is {value}"), format!("write a number from 1 to {most}")))
        }
        _ => Ok(()),
    }
}

/// Refuses what is not one of fio's distributions with plain numbers, such as `zipf:1.2`.
fn distribution(text: &str) -> Result<(), Error> {
    const DISTRIBUTIONS: [&str; 6] = ["random", "zipf", "pareto", "normal", "zoned", "zoned_abs"];
    let (name, numbers) = text.split_once(':').unwrap_or((text, ""));
    let known = DISTRIBUTIONS.contains(&name) && text.len() <= LONGEST_DISTRIBUTION;
    if known && numbers.chars().all(|c| c.is_ascii_digit() || "./:,".contains(c)) {
        return Ok(());
    }
    let shown: String = text.chars().take(80).collect();
    Err(Error::input(
        format!("unknown random_distribution `{}`{}", shown.escape_debug(), suggest::hint(name, DISTRIBUTIONS)),
        "for example random_distribution = \"zipf:1.2\" or \"zoned:60/10:40/90\"",
    ))
}

impl FioJob {
    /// Whether it only reads.
    pub fn reads_only(&self) -> bool {
        matches!(self.rw.as_str(), "read" | "randread")
    }

    /// Whether it accesses random blocks.
    pub fn random(&self) -> bool {
        self.rw.starts_with("rand")
    }
}

impl StepKind for FioJob {
    fn describe(&self) -> String {
        format!("fio {} {}", self.rw, self.size)
    }

    fn check(&self) -> Result<(), Error> {
        const MODES: [&str; 6] = ["read", "write", "randread", "randwrite", "rw", "randrw"];
        if !MODES.contains(&self.rw.as_str()) {
            return Err(Error::input(
                format!("unknown rw `{}`{}", self.rw.escape_debug(), suggest::hint(&self.rw, MODES)),
                format!("use one of {}", MODES.join(", ")),
            ));
        }
        if self.bs == Bytes::ZERO || self.size < self.bs {
            return Err(Error::input(
                format!("size {} is smaller than bs {}", self.size, self.bs),
                "write a size of one block or more",
            ));
        }
        if self.bs > LARGEST_BLOCK {
            return Err(Error::input(format!("bs is {}", self.bs), format!("write at most {LARGEST_BLOCK}")));
        }
        range("numjobs", self.numjobs.map(u64::from), MOST_JOBS.into())?;
        range("iodepth", self.iodepth.map(u64::from), MOST_DEPTH.into())?;
        range("rate_iops", self.rate_iops, MOST_COUNT)?;
        // 0 is fio's own word for none.
        range("fsync", self.fsync.filter(|count| *count > 0).map(u64::from), MOST_COUNT)?;
        self.random_distribution.as_deref().map_or(Ok(()), distribution)?;
        if self.file.as_deref().is_some_and(|file| !name::is_plain(file)) {
            return Err(Error::input("file is not a plain file name", "for example file = \"data\""));
        }
        Ok(())
    }

    /// Whole blocks, one at least.
    fn scale(&mut self, scale: Scale) {
        let blocks = (scale.bytes(self.size).get() / self.bs.get().max(1)).max(1);
        self.size = Bytes::new(blocks.saturating_mul(self.bs.get()));
    }

    fn disk(&self) -> Option<&str> {
        self.disk.as_deref()
    }

    fn effort(&self) -> Effort {
        Effort {
            bytes: self.size,
            block: self.bs,
            depth: self.iodepth.unwrap_or(1),
            uncached: self.direct,
            limit: self.runtime,
            lasts: self.time_based,
            ..Effort::default()
        }
    }

    fn headline(&self) -> &'static [(Figure, &'static str)] {
        &[
            (Figure::Iops, ""),
            (Figure::ClatMean, "per request"),
            (Figure::DiskReads, "disk reads"),
            (Figure::DiskWrites, "disk writes"),
        ]
    }
}
