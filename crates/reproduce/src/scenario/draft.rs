//! What a scenario is made of.

use crate::guess::{Factors, Guess, Knob};
use crate::load::{CommandLoad, Kind, disk_of};
use crate::recorded::change::Change;
use crate::recorded::disk::DiskModel;
use crate::recorded::group::Throttled;
use crate::recorded::{Phase, Stretch};
use pagetide_core::{Table, plain_name};

/// What is cached and nobody uses.
pub(super) const UNUSED: &str = "file:cached";

/// What a recording says of its incident.
#[derive(Debug, Clone)]
pub(crate) struct Facts<'a> {
    /// Before the incident, and the incident, or its first minute.
    pub(crate) calm: Stretch<'a>,
    pub(crate) trouble: Stretch<'a>,
    pub(crate) disks: Vec<DiskModel>,
    pub(crate) loads: Vec<CommandLoad>,
    /// Anonymous memory of control groups that have limits, by their paths.
    pub(crate) group_memory: Vec<(String, f64)>,
    /// File cache when the scenario begins, bytes.
    pub(crate) cache: f64,
    /// How many times as long reclaim of a page takes as on a current server.
    pub(crate) reclaim_slowdown: Option<u64>,
    /// Groups at limits of CPU time that were not recorded.
    pub(crate) throttled: Vec<Throttled>,
    /// What becomes of the host.
    pub(crate) changes: Vec<Change>,
}

/// A scenario of these facts with what they leave open at some values.
pub(crate) struct Draft<'a> {
    pub(crate) facts: &'a Facts<'a>,
    /// What the recording does not tell.
    pub(crate) guesses: &'a [Guess],
    pub(crate) factors: Factors,
}

impl Draft<'_> {
    /// Bytes of all working sets, and of the page cache that is in none.
    pub(super) fn sets(&self) -> f64 {
        self.facts.loads.iter().filter_map(|load| load.kind.set()).map(|size| self.set(size)).sum()
    }

    pub(super) fn unused(&self) -> f64 {
        let rest = self.facts.cache - self.sets();
        if rest > 4e6 { rest } else { 0.0 }
    }

    /// The file of a load, on the disk that it used as far as that is known: the busiest one.
    pub(super) fn place(&self, at: usize) -> String {
        let at = self.file_of(at);
        format!("file:f{at}@{}", plain_name(&self.disk_of(&self.facts.loads[at])))
    }

    /// The load whose file a load reads: a program whose working set changes goes on with the same files.
    pub(super) fn file_of(&self, at: usize) -> usize {
        let load = &self.facts.loads[at];
        let is_usual = |other: &CommandLoad| {
            let has_set = matches!(other.kind, Kind::WorkingSet { .. });
            other.command.phase == Phase::Usual && other.command.processes == load.command.processes && has_set
        };
        match load.kind {
            Kind::WorkingSet { warm: true, .. } if load.command.phase == Phase::Changed => {
                self.facts.loads.iter().position(is_usual).unwrap_or(at)
            }
            _ => at,
        }
    }

    pub(super) fn disk_of(&self, load: &CommandLoad) -> String {
        disk_of(&self.facts.calm, &self.facts.trouble, &self.facts.disks, load)
    }

    /// The size of a working set.
    pub(super) fn set(&self, size: f64) -> f64 {
        (size * self.factors.of(Knob::WorkingSets)).max(1e6)
    }

    pub(super) fn swap_bytes(&self) -> f64 {
        self.facts.trouble.most(Table::Host, "", "SwapTotal").unwrap_or(0.0)
    }
}
