//! Loads that move bytes: stream, dd and copy.

use crate::error::Error;
use crate::figure::Figure;
use crate::scenario::kind::{Caching, Effort, Goal, StepKind, no_zero_rate};
use crate::scenario::{Place, Scale};
use crate::units::{Bytes, BytesPerSecond, Nanos};
use serde::{Deserialize, Serialize};

/// The figures of the line that ends a load which moves bytes.
const MOVED: &[(Figure, &str)] = &[
    (Figure::Processed, "moved"),
    (Figure::Bandwidth, ""),
    (Figure::BuffersAfter, "in Buffers"),
    (Figure::CacheAfter, "in Cached"),
];

/// Reads a file or a disk once, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamSpec {
    /// A file or a disk.
    pub from: Place,
    /// Bytes to read, from the start.
    pub size: Bytes,
    /// Bytes of one read.
    #[serde(default = "mebibyte")]
    pub bs: Bytes,
    /// Bytes per second at most; no limit when absent.
    pub rate: Option<BytesPerSecond>,
    /// What it does about the page cache.
    #[serde(default)]
    pub cache: Caching,
    /// Reads random blocks instead, until its time is over or it is told to stop.
    #[serde(default)]
    pub random: bool,
    /// The share of random reads that goes to the most popular of the blocks, over 0.5 and up to 0.99: with 0.8 it is four in five of the reads to a fifth of
    /// the blocks, and of those again to a fifth of them (self-similar: Gray et al., "Quickly Generating Billion-Record Synthetic Databases", SIGMOD
    /// 1994; fio's `pareto:0.2`). Popular blocks lie all over the file. Each block is read as often as the others when absent.
    pub skew: Option<f64>,
    /// CPU time that it uses after each read, as of a program that works on what it got; none when absent.
    pub compute: Option<Nanos>,
    /// Time from the end of a read, and of what it computes, to the next one; none when absent.
    pub think: Option<Nanos>,
    /// Begins again at the start when it has read all, until its time is over or it is told to stop.
    #[serde(default)]
    pub repeat: bool,
    /// Skips a part after each part that it reads.
    pub stride: Option<Stride>,
    /// Time after which it ends, however much it has read.
    pub time: Option<Nanos>,
}

/// What a stream reads and skips, in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stride {
    /// Bytes that are read, in whole blocks.
    pub read: Bytes,
    /// Bytes that are skipped after them.
    pub skip: Bytes,
}

impl StreamSpec {
    /// The largest skew.
    pub const MAX_SKEW: f64 = 0.99;
}

impl StepKind for StreamSpec {
    fn describe(&self) -> String {
        format!("stream {} from {}", self.size, self.from)
    }

    fn check(&self) -> Result<(), Error> {
        let wrong = |what: &str, hint: &str| Err(Error::input(what, hint));
        whole_blocks(self.size, self.bs)?;
        no_zero_rate(self.rate.map(BytesPerSecond::get))?;
        match self.stride {
            _ if !self.from.stored() => {
                Err(Error::input(format!("from = \"{}\" is not a file or a disk", self.from), "write \"file:NAME\""))
            }
            Some(stride) if stride.read < self.bs => {
                wrong("stride reads less than a block", "make bs smaller or read larger")
            }
            _ if self.skew.is_some() && !self.random => wrong("skew is of random reads", "write random = true as well"),
            _ if self.skew.is_some_and(|skew| !(skew > 0.5 && skew <= Self::MAX_SKEW)) => wrong(
                "skew is not over 0.5 and up to 0.99",
                "write 0.8 for four in five of the reads to a fifth of the blocks",
            ),
            Some(_) if self.random => wrong("random and stride exclude each other", "leave one of them out"),
            Some(_) if self.repeat => wrong("repeat and stride exclude each other", "leave one of them out"),
            None if self.random && self.repeat => {
                wrong("random reads never end, so repeat adds nothing", "leave repeat out")
            }
            _ => Ok(()),
        }
    }

    fn scale(&mut self, scale: Scale) {
        self.size = scale.bytes(self.size);
    }

    /// What it skips must be there as well.
    fn reads(&self) -> Option<(&Place, Bytes)> {
        let skipped = self
            .stride
            .map_or(0, |stride| (self.size.get() / stride.read.get().max(1)).saturating_mul(stride.skip.get()));
        Some((&self.from, Bytes::new(self.size.get().saturating_add(skipped))))
    }

    fn caching(&self) -> Caching {
        self.cache
    }

    fn goal(&self) -> Goal {
        if self.random || self.repeat { Goal::Open } else { Goal::Bytes(self.size) }
    }

    fn effort(&self) -> Effort {
        let paced = Effort::paced(self.size.as_f64(), fastest(self.rate, self.bs, [self.compute, self.think]));
        Effort { paced, limit: self.time, lasts: self.repeat, ..Effort::sequential(self.size) }
    }

    fn headline(&self) -> &'static [(Figure, &'static str)] {
        MOVED
    }
}

/// Copies bytes from one place to another, as dd(1) does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DdSpec {
    /// Where it reads.
    pub from: Place,
    /// Where it writes. A file is a new one.
    pub to: Place,
    /// Bytes to copy.
    pub size: Bytes,
    /// Bytes of one read and one write.
    #[serde(default = "mebibyte")]
    pub bs: Bytes,
    /// Bytes per second at most; no limit when absent.
    pub rate: Option<BytesPerSecond>,
    /// What it does about the page cache, on both ends.
    #[serde(default)]
    pub cache: Caching,
    /// Whether it syncs what it wrote before it ends.
    #[serde(default)]
    pub sync: bool,
    /// Writes blocks at random places of a file of that size instead, as a database does with its pages, until its time is over or it is told
    /// to stop.
    #[serde(default)]
    pub random: bool,
    /// Syncs whenever it has written so much more (`fdatasync(2)`), as a database does at each commit; never when absent.
    pub sync_every: Option<Bytes>,
    /// CPU time that it uses after each write; none when absent.
    pub compute: Option<Nanos>,
    /// Time from the end of a write, its sync and what it computes to the next one; none when absent.
    pub think: Option<Nanos>,
    /// Time after which it ends, however much it has copied.
    pub time: Option<Nanos>,
}

impl StepKind for DdSpec {
    fn describe(&self) -> String {
        format!("dd {} from {} to {}", self.size, self.from, self.to)
    }

    fn check(&self) -> Result<(), Error> {
        whole_blocks(self.size, self.bs)?;
        no_zero_rate(self.rate.map(BytesPerSecond::get))?;
        if self.sync_every == Some(Bytes::ZERO) {
            return Err(Error::input("sync_every is 0", "leave sync_every out, or write a size such as \"64KiB\""));
        }
        if self.from == Place::Null {
            return Err(Error::input("from = \"null\" has nothing to read", "write from = \"zero\", a file or a disk"));
        }
        if self.from.stored() && self.from == self.to {
            return Err(Error::input("from and to are the same", "name another file or disk"));
        }
        Ok(())
    }

    fn scale(&mut self, scale: Scale) {
        self.size = scale.bytes(self.size);
    }

    fn reads(&self) -> Option<(&Place, Bytes)> {
        Some((&self.from, self.size))
    }

    fn writes(&self) -> Option<(&Place, Bytes)> {
        Some((&self.to, self.size))
    }

    fn caching(&self) -> Caching {
        self.cache
    }

    fn goal(&self) -> Goal {
        if self.random { Goal::Open } else { Goal::Bytes(self.size) }
    }

    fn effort(&self) -> Effort {
        let paced = Effort::paced(self.size.as_f64(), fastest(self.rate, self.bs, [self.compute, self.think]));
        Effort { paced, limit: self.time, lasts: self.random, ..Effort::sequential(self.size) }
    }

    fn headline(&self) -> &'static [(Figure, &'static str)] {
        MOVED
    }
}

/// Copies a file as cp(1) does, and reports memory while it runs.
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
    /// Time between two lines about memory.
    #[serde(default = "five_seconds")]
    pub every: Nanos,
    /// What it does about the page cache, on both ends.
    #[serde(default)]
    pub cache: Caching,
}

impl StepKind for CopySpec {
    fn describe(&self) -> String {
        format!("copy {} from {} to {}", self.size, self.from, self.to)
    }

    fn check(&self) -> Result<(), Error> {
        whole_blocks(self.size, self.bs)?;
        if !self.from.is_file() || !self.to.is_file() || self.from == self.to {
            return Err(Error::input(
                format!("from = \"{}\" and to = \"{}\" are not two files", self.from, self.to),
                "copy a file to another file: from = \"file:a\", to = \"file:b\"",
            ));
        }
        Ok(())
    }

    fn scale(&mut self, scale: Scale) {
        self.size = scale.bytes(self.size);
    }

    fn reads(&self) -> Option<(&Place, Bytes)> {
        Some((&self.from, self.size))
    }

    fn writes(&self) -> Option<(&Place, Bytes)> {
        Some((&self.to, self.size))
    }

    fn caching(&self) -> Caching {
        self.cache
    }

    fn goal(&self) -> Goal {
        Goal::Bytes(self.size)
    }

    fn effort(&self) -> Effort {
        Effort::sequential(self.size)
    }

    fn headline(&self) -> &'static [(Figure, &'static str)] {
        MOVED
    }
}

/// Bytes per second that a load of blocks of `bs` moves at most, with these times after each; none when it has no limit.
fn fastest(rate: Option<BytesPerSecond>, bs: Bytes, after: [Option<Nanos>; 2]) -> Option<f64> {
    let seconds: f64 = after.iter().flatten().map(|time| time.as_secs_f64()).sum();
    let thinking = (seconds > 0.0).then(|| bs.as_f64() / seconds);
    rate.map(BytesPerSecond::as_f64).into_iter().chain(thinking).reduce(f64::min)
}

fn whole_blocks(size: Bytes, bs: Bytes) -> Result<(), Error> {
    if bs == Bytes::ZERO || size < bs {
        return Err(Error::input(format!("size {size} is smaller than bs {bs}"), "write a size of one block or more"));
    }
    Ok(())
}

const fn mebibyte() -> Bytes {
    Bytes::new(1 << 20)
}

const fn cp_block() -> Bytes {
    Bytes::new(128 << 10)
}

const fn five_seconds() -> Nanos {
    Nanos::new(5_000_000_000)
}
