//! A stream: one device whose reads make reclaim run, and what others lose by it.

use crate::amount::{Amount, Count, Limit, Rate};
use crate::limits::{FAULTS, TURNOVER};
use crate::window::{REFAULTED, STOLEN, Window};
use pagetide_core::derived;
use pagetide_core::{Bytes, Ratio};

/// The device from which a stream comes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stream<'a> {
    pub(crate) disk: &'a str,
    /// Bytes that it reads, …
    pub(crate) rate: Rate<Bytes>,
    /// … and that reclaim frees.
    pub(crate) freed: Rate<Bytes>,
    /// What it read before.
    pub(crate) baseline: Option<Rate<Bytes>>,
    pub(crate) refaulted: Option<Rate<Bytes>>,
}

/// Share of all bytes read.
pub(crate) const MOST: Limit<Ratio> = Limit::new(
    "share of all bytes read that one device reads",
    0.5,
    "Below it no single device is the origin.",
    "judgement",
);
/// Times its own baseline.
pub(crate) const NEW: Limit<Count> = Limit::new(
    "reads of that device, times the rate before",
    4.0,
    "A rate that varies by less is the host's load.",
    "judgement",
);
/// Bytes freed per byte read, at least …
pub(crate) const FREED_LEAST: Limit<Ratio> = Limit::new(
    "bytes freed per byte read, at least",
    0.3,
    "Each page read needs a free one, less what was free before.",
    "mm/filemap.c: filemap_add_folio (6.12)",
);
/// … and at most.
pub(crate) const FREED_MOST: Limit<Ratio> =
    Limit::new("bytes freed per byte read, at most", 3.0, "Above it another consumer makes reclaim run.", "judgement");
/// Refaults per byte read.
pub(crate) const REFAULTS_MOST: Limit<Ratio> = Limit::new(
    "refaulted bytes per byte read, at most",
    0.6,
    "Reads that mostly refault are a working set and not a stream.",
    "judgement",
);
/// Swap traffic per byte read.
pub(crate) const SWAP_MOST: Limit<Ratio> = Limit::new(
    "swap traffic per byte read, at most",
    0.3,
    "With more swap traffic anonymous memory is short.",
    "judgement",
);
/// Growth of anonymous memory per byte freed.
pub(crate) const ANON_MOST: Limit<Ratio> = Limit::new(
    "growth of anonymous memory per byte freed, at most",
    0.5,
    "With more growth anonymous memory makes reclaim run.",
    "judgement",
);

/// The stream of a window, when there is one.
pub(crate) fn of<'a>(window: &Window<'a>) -> Option<Stream<'a>> {
    let freed = window.host_bytes(&STOLEN)?;
    let read = |window: &Window<'_>, disk: &str| window.disk_bytes(disk, &derived::READ_BANDWIDTH);
    let (disk, rate) = window.busiest(|disk| read(window, disk))?;
    let total = window.all_disks(|disk| read(window, disk))?;
    let baseline = window.before().and_then(|quiet| read(&quiet, disk));
    let refaulted = window.host_bytes(&REFAULTED);
    let swapped = window.swapped().unwrap_or(Amount::ZERO);
    let grown = window.host_change("AnonPages").zip(window.length());
    let grown = grown.map_or(Amount::ZERO, |(bytes, length)| bytes.per(length));
    let dropped = window.host_rate(&["drop_pagecache"]).is_some_and(Amount::is_positive);
    let floods = rate >= total * MOST
        && freed / rate >= FREED_LEAST
        && freed / rate <= FREED_MOST
        && baseline.is_none_or(|baseline| rate >= baseline * NEW)
        && refaulted.is_none_or(|refaulted| refaulted <= rate * REFAULTS_MOST)
        && swapped < rate * SWAP_MOST
        && grown < freed * ANON_MOST
        && !dropped;
    floods.then_some(Stream { disk, rate, freed, baseline, refaulted })
}

/// Whether a stream of this window evicts what others miss.
pub(crate) fn harms(window: &Window<'_>) -> bool {
    of(window).is_some_and(|stream| stream.harmful(window))
}

/// A device that gets busy beside a stream while it reads little.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Victim<'a> {
    pub(crate) disk: &'a str,
    pub(crate) busy: Amount<Ratio>,
    pub(crate) baseline: Option<Amount<Ratio>>,
}

impl Stream<'_> {
    /// Whether somebody misses what was evicted: a change of working set evicts as well, and nobody reads the old one again.
    pub(crate) fn harmful(&self, window: &Window<'_>) -> bool {
        let missed = self.refaulted.and_then(|rate| window.turnover(rate)).is_some_and(|share| share >= TURNOVER);
        let faults = window.host(&derived::MAJOR_FAULTS).unwrap_or(Amount::ZERO);
        let baseline = window.before().and_then(|quiet| quiet.host(&derived::MAJOR_FAULTS)).unwrap_or(Amount::ZERO);
        missed || faults >= FAULTS && faults >= baseline * NEW || !self.victims(window).is_empty()
    }

    /// The other devices that are far busier than before while they read little.
    pub(crate) fn victims<'a>(&self, window: &Window<'a>) -> Vec<Victim<'a>> {
        let others = window.disks().into_iter().filter(|disk| *disk != self.disk);
        let busier = others.filter_map(|disk| {
            let (busy, read) = (window.busy(disk)?, window.disk_bytes(disk, &derived::READ_BANDWIDTH)?);
            let baseline = window.before().and_then(|quiet| quiet.busy(disk));
            let victim =
                busy.get() >= 0.7 && baseline.is_none_or(|baseline| baseline <= busy * 0.6) && read <= self.rate * 0.2;
            victim.then_some(Victim { disk, busy, baseline })
        });
        busier.collect()
    }
}
