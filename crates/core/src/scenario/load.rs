//! Loads that the lab generates itself, for what fio does not do. A new one is a row of the table, a struct and its
//! [`StepKind`] here, and its work in `crates/lab/src/load/work.rs`.

use super::kind::{Effort, Goal, StepKind, kinds, no_zero_rate};
use super::{Place, Scale};
use crate::error::Error;
use crate::figure::Figure;
use crate::units::{Bytes, BytesPerSecond, Nanos};
use serde::{Deserialize, Serialize};

mod transfer;
mod walk;

pub use transfer::{CopySpec, DdSpec, StreamSpec, Stride};
pub use walk::{MapAndWalkSpec, Order, Sharing};

kinds! {
    /// A load that the lab generates itself.
    Load {
        "stream" Stream(StreamSpec) "reads a file or a disk once, in order";
        "dd" Dd(DdSpec) "copies bytes from one place to another";
        "copy" Copy(CopySpec) "copies a file as cp(1) does, and reports memory while it runs";
        "map_and_walk" MapAndWalk(MapAndWalkSpec) "touches a mapped file and anonymous memory page by page";
        "grow" Grow(GrowSpec) "allocates and fills anonymous memory";
        "spin" Spin(SpinSpec) "keeps a CPU busy";
        "stat_missing" StatMissing(StatMissingSpec) "looks up files that do not exist; the kernel keeps a negative dentry of each";
    }
}

impl Load {
    /// The places on disks that it uses.
    pub fn stored(&self) -> impl Iterator<Item = &Place> {
        let spec = self.spec();
        let places = [spec.reads().map(|(place, _)| place), spec.writes().map(|(place, _)| place), spec.folder_of()];
        places.into_iter().flatten().filter(|place| place.stored())
    }
}

/// What memory is filled with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// Zeros, written page by page: they compress to nothing.
    #[default]
    Zero,
    /// Random numbers, which do not compress.
    Random,
}

/// Allocates and fills anonymous memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrowSpec {
    /// Its size in the end.
    pub size: Bytes,
    /// Bytes per second at most; no limit when absent.
    pub rate: Option<BytesPerSecond>,
    /// What it is filled with.
    #[serde(default)]
    pub fill: Fill,
    /// How long it is held at that size.
    #[serde(default)]
    pub hold_for: Nanos,
}

impl StepKind for GrowSpec {
    fn describe(&self) -> String {
        format!("grow to {}", self.size)
    }

    fn check(&self) -> Result<(), Error> {
        if self.size == Bytes::ZERO {
            return Err(Error::input("size is 0", "write a size such as \"1GiB\""));
        }
        no_zero_rate(self.rate.map(BytesPerSecond::get))
    }

    fn scale(&mut self, scale: Scale) {
        self.size = scale.bytes(self.size);
    }

    fn goal(&self) -> Goal {
        Goal::Bytes(self.size)
    }

    fn effort(&self) -> Effort {
        let rate = self.rate.map_or(1e9, BytesPerSecond::as_f64);
        Effort { paced: Effort::paced(self.size.as_f64(), Some(rate)), after: self.hold_for, ..Effort::default() }
    }
}

/// Keeps a CPU busy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpinSpec {
    /// The part of its time that it asks for a CPU, over 0 to 1: it computes for a millisecond and pauses. All of it when absent.
    pub share: Option<f64>,
    /// Time after which it ends.
    pub time: Option<Nanos>,
}

impl SpinSpec {
    /// The time for which it computes at once.
    pub const SLICE: Nanos = Nanos::new(1_000_000);

    /// The time that it pauses after each slice.
    pub fn pause(&self) -> Nanos {
        let share = self.share.unwrap_or(1.0);
        Nanos::from_secs_f64(Self::SLICE.as_secs_f64() * (1.0 / share - 1.0)).unwrap_or_default()
    }
}

impl StepKind for SpinSpec {
    fn describe(&self) -> String {
        "spin".to_owned()
    }

    fn check(&self) -> Result<(), Error> {
        match self.share {
            Some(share) if !(0.001..=1.0).contains(&share) => {
                Err(Error::input(format!("share = {share} is not a share of a CPU"), "write 0.001 to 1, such as 0.3"))
            }
            _ => Ok(()),
        }
    }

    fn effort(&self) -> Effort {
        Effort { limit: self.time, lasts: true, ..Effort::default() }
    }
}

/// Looks up files that do not exist. The kernel keeps a negative dentry of each (`fs/dcache.c`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatMissingSpec {
    /// A file; the names are looked up in its folder.
    pub folder_of: Place,
    /// How many names.
    pub count: u64,
    /// Names per second at most; no limit when absent.
    pub rate: Option<u64>,
    /// How long it waits after the last name.
    #[serde(default)]
    pub hold_for: Nanos,
}

impl StepKind for StatMissingSpec {
    fn describe(&self) -> String {
        format!("look up {} missing files", self.count)
    }

    fn check(&self) -> Result<(), Error> {
        if !self.folder_of.is_file() {
            return Err(Error::input(
                format!("folder_of = \"{}\" is not a file", self.folder_of),
                "write \"file:NAME\"",
            ));
        }
        if self.count == 0 {
            return Err(Error::input("count is 0", "write count = 1 or more"));
        }
        no_zero_rate(self.rate)
    }

    fn folder_of(&self) -> Option<&Place> {
        Some(&self.folder_of)
    }

    fn effort(&self) -> Effort {
        // A lookup that misses takes some 4 us.
        let rate = self.rate.map_or(250_000.0, |rate| rate as f64);
        Effort { paced: Effort::paced(self.count as f64, Some(rate)), after: self.hold_for, ..Effort::default() }
    }

    fn headline(&self) -> &'static [(Figure, &'static str)] {
        &[(Figure::Issued, "lookups"), (Figure::AvailableAfter, "available")]
    }
}

#[cfg(test)]
mod tests;
