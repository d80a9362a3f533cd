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
    #[serde(default = "sync_engine")]
    pub ioengine: String,
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
    /// Runs until `runtime` is over, whatever `size` is.
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

fn sync_engine() -> String {
    "sync".to_owned()
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
                format!("unknown rw `{}`{}", self.rw, suggest::hint(&self.rw, MODES)),
                format!("use one of {}", MODES.join(", ")),
            ));
        }
        if self.bs == Bytes::ZERO || self.size < self.bs {
            return Err(Error::input(
                format!("size {} is smaller than bs {}", self.size, self.bs),
                "write a size of one block or more",
            ));
        }
        const DISTRIBUTIONS: [&str; 6] = ["random", "zipf", "pareto", "normal", "zoned", "zoned_abs"];
        if let Some(text) = &self.random_distribution {
            let (name, numbers) = text.split_once(':').unwrap_or((text, ""));
            if !DISTRIBUTIONS.contains(&name) || !numbers.chars().all(|c| c.is_ascii_digit() || "./:,".contains(c)) {
                return Err(Error::input(
                    format!("unknown random_distribution `{text}`{}", suggest::hint(name, DISTRIBUTIONS)),
                    "for example random_distribution = \"zipf:1.2\" or \"zoned:60/10:40/90\"",
                ));
            }
        }
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
