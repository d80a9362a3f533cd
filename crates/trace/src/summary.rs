//! What a trace has found so far, without the numbers that only one analysis knows: what commands print and recordings keep.

use crate::actor::{Actor, Identity, Processes};
use crate::analysis::{Analysis, Domain, ThrottledTime};
use crate::curve::Misses;
use crate::event::{File, Scope};
use crate::eviction::{Evicted, Mechanism};
use crate::reclaim::ReclaimTime;
use crate::replay::Replayed;
use std::collections::BTreeMap;

/// Findings of a trace, from its start on.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Whose pages were evicted for whom.
    pub evictions: BTreeMap<EvictionKey, Evicted>,
    /// Misses by reclaim domain and readers.
    pub misses: BTreeMap<MissKey, Misses>,
    /// What smaller caches would have missed: of the host (absent), or of the readers of a control group.
    pub replayed: BTreeMap<Option<String>, Replayed>,
    /// Pages that buffered reads looked up meanwhile, counted exactly where the kernel does.
    pub replayed_reads: Option<u64>,
    /// Throttled writers by program and device.
    pub throttled: BTreeMap<(Identity, String), ThrottledTime>,
    /// Reclaim by program.
    pub reclaim: BTreeMap<Identity, ReclaimWork>,
    /// How much was traced, and whether all of it.
    pub coverage: Coverage,
    /// Of a recording: when the trace was on, from and to on its axis.
    pub stretches: Vec<(i64, i64)>,
}

/// The two sides of an eviction.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EvictionKey {
    /// How the memory was reclaimed.
    pub mechanism: Mechanism,
    /// For whom; absent while nobody has taken what kswapd freed, and for the rest when there are too many pairs.
    pub evictor: Option<Identity>,
    /// Whose file; absent for the rest when there are too many pairs.
    pub file: Option<File>,
    /// Who used it last, as far as the trace saw.
    pub user: Option<Identity>,
}

/// Whose misses, and where the pages competed for memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MissKey {
    /// The control group whose limit they are due to; absent for the host.
    pub limit: Option<String>,
    /// The control group of the readers.
    pub readers: String,
}

/// Reclaim by one program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReclaimWork {
    /// For the host.
    pub direct: ReclaimTime,
    /// For a control group at its limit.
    pub group: ReclaimTime,
    /// How often its allocations woke kswapd.
    pub kswapd_wakeups: u64,
}

/// How much was traced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// One page of so many was looked at.
    pub scale: u64,
    /// How long the trace was on, up to the last event that is in the findings.
    pub time_ns: u64,
    /// Records lost because a ring was full: the findings lack what they said.
    pub lost_records: u64,
    /// Pages that entered the page cache; absent where only the sample is counted.
    pub added_pages: Option<u64>,
    /// Pages that buffered reads looked up; absent where the kernel does not report them.
    pub read_pages: Option<u64>,
    /// Pages that left the cache outside of reclaim.
    pub removed_pages: u64,
}

impl Summary {
    /// Summarizes an analysis; the coverage is filled in by whoever traced.
    pub fn of<P: Processes>(analysis: &Analysis<P>) -> Self {
        let identity = |actor: Actor| analysis.identity(actor).clone();
        let mut summary = Self::default();
        for (pair, evicted) in analysis.evictions() {
            let key = EvictionKey {
                mechanism: pair.mechanism,
                evictor: pair.evictor.map(identity),
                file: pair.victim.file,
                user: pair.victim.user.map(identity),
            };
            let sum = summary.evictions.entry(key).or_default();
            sum.pages += evicted.pages;
            sum.read_again += evicted.read_again;
        }
        for ((domain, readers), misses) in analysis.misses() {
            let limit = match domain {
                Domain::Host => None,
                Domain::Group(group) => Some(analysis.group_path(*group).to_owned()),
            };
            let key = MissKey { limit, readers: analysis.group_path(*readers).to_owned() };
            summary.misses.entry(key).or_default().add(misses);
        }
        for (place, replayed) in analysis.replayed() {
            let group = match place {
                Domain::Host => None,
                Domain::Group(group) => Some(analysis.group_path(group).to_owned()),
            };
            summary.replayed.insert(group, *replayed);
        }
        for ((actor, device), throttled) in analysis.throttled() {
            summary.throttled.insert((identity(*actor), device.clone()), *throttled);
        }
        for ((actor, scope), time) in analysis.reclaim_time() {
            let work = summary.reclaim.entry(identity(*actor)).or_default();
            match scope {
                Scope::Direct => work.direct = *time,
                Scope::Group => work.group = *time,
            }
        }
        for (actor, wakeups) in analysis.kswapd_wakers() {
            summary.reclaim.entry(identity(*actor)).or_default().kswapd_wakeups = *wakeups;
        }
        summary.coverage.scale = analysis.sampling().scale();
        summary.coverage.removed_pages = analysis.pages_removed();
        summary
    }

    /// The misses of those who compete for memory in this control group (its directory) or one below it; without one, on the host.
    pub fn misses_within(&self, group: Option<&str>) -> Misses {
        let name = group.map(|group| group.trim_end_matches('/').rsplit('/').next().unwrap_or_default());
        let within = |limit: &str, name: &str| limit.split('/').any(|part| part == name);
        let mut misses = Misses::default();
        for (key, found) in &self.misses {
            if match (key.limit.as_deref(), name) {
                (None, None) => true,
                (Some(limit), Some(name)) => within(limit, name),
                _ => false,
            } {
                misses.add(found);
            }
        }
        misses
    }

    /// Leaves out what models counted up to `earlier`, when they were filling.
    pub fn settle(&mut self, earlier: &Self) {
        for (place, replayed) in &mut self.replayed {
            *replayed = replayed.since(&earlier.replayed.get(place).copied().unwrap_or_default());
        }
        let reads = |summary: &Self| summary.coverage.read_pages;
        self.replayed_reads = reads(self).map(|all| all.saturating_sub(reads(earlier).unwrap_or(0)));
    }

    /// The files of which much was evicted: names are found for these.
    pub fn files(&self) -> impl Iterator<Item = File> {
        let all = self.evictions.values().map(|evicted| evicted.pages).sum();
        let large = self.evictions.iter().filter(move |(_, evicted)| is_large(evicted.pages, all));
        large.filter_map(|(key, _)| key.file)
    }
}

/// Whether a pair with so many of all evicted pages has a row of its own in a recording, and a name.
pub(crate) fn is_large(pages: f64, all: f64) -> bool {
    const PARTS: f64 = 512.0;
    pages * PARTS >= all
}
