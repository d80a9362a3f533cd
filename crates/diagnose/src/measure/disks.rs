//! The disks of a host that requests wait for, and what each does in a stretch.

use crate::measure::amount::{Amount, Count, Limit};
use crate::measure::window::Window;
use pagetide_core::derived;
use pagetide_core::{Disk, Nanos, Ratio, Table};
use std::path::Path;

/// The time of a request at a disk that lies on others, from which on that disk delays requests itself.
pub(crate) const DELAYS: Limit<Count> = Limit::new(
    "time per request of a device that lies on others, relative to that of the slowest device below, at least",
    3.0,
    "A request that is split waits for the last of its parts, which takes twice their mean.",
    "block/blk-merge.c: __bio_split_to_limits (6.12)",
);
/// The least such delay.
pub(crate) const MIN_DELAY: Limit<Nanos> = Limit::new(
    "time per request that a device adds to that of the devices below it, at least",
    1e6,
    "Encryption and checksums take less.",
    "judgement",
);

impl<'a> Window<'a> {
    /// The share of time for which a disk has a request in flight.
    pub(crate) fn busy(&self, disk: &str) -> Option<Amount<Ratio>> {
        // Two samples are not taken at exactly the moments of their stamps.
        Some(self.derived(Table::Disk, disk, &derived::BUSY)?.min(Amount::new(1.0)))
    }

    /// The mean number of requests in flight at a disk.
    pub(crate) fn queue(&self, disk: &str) -> Option<Amount<Count>> {
        self.derived(Table::Disk, disk, &derived::QUEUE_DEPTH)
    }

    /// The mean number of requests in flight while a disk is busy; absent of one that is not.
    pub(crate) fn depth(&self, disk: &str) -> Option<Amount<Count>> {
        let busy = self.busy(disk).filter(|busy| busy.is_positive())?;
        Some(Amount::new(self.queue(disk)?.get() / busy.get()))
    }

    /// The mean time of a request at a disk with its queue.
    pub(crate) fn disk_await(&self, disk: &str) -> Option<Amount<Nanos>> {
        self.derived(Table::Disk, disk, &derived::AWAIT)
    }

    /// The mean time of a read at a disk with its queue, where there is at least one a second.
    pub(crate) fn read_await(&self, disk: &str) -> Option<Amount<Nanos>> {
        self.rate::<Count>(Table::Disk, disk, "reads").filter(|reads| reads.get() >= 1.0)?;
        self.derived(Table::Disk, disk, &derived::READ_AWAIT)
    }

    /// The disks that requests wait for: those that do the IO themselves, and of those that pass it on the ones that delay it. Of a lab run,
    /// the disk that the run used.
    pub(crate) fn disks(&self) -> Vec<&'a str> {
        let all = self.recording.entities(Table::Disk).map(|(name, _)| name);
        match &self.recording.manifest.workload_disk {
            Some(only) => all.filter(|name| name == only).collect(),
            None => all.filter(|name| self.stacked(name).is_none_or(|disk| self.delays(disk))).collect(),
        }
    }

    /// Whether a disk does the IO itself: not a partition, md or dm, which pass it on. Of a lab run, the disk that the run used.
    pub(crate) fn is_leaf(&self, name: &str) -> bool {
        self.recording.manifest.workload_disk.is_some() || self.stacked(name).is_none()
    }

    /// Whether a disk that lies on others delays requests itself: one takes much longer there than on any disk below it. The elevator may
    /// merge its requests, and split one into several, so their number says nothing.
    fn delays(&self, disk: &Disk) -> bool {
        // A partition is a part of its disk.
        if disk.below.iter().any(|below| disk.name.starts_with(below.as_str())) {
            return false;
        }
        let time = |name: &str| self.disk_await(name).unwrap_or(Amount::ZERO);
        let below = disk.below.iter().map(|below| time(below)).fold(Amount::ZERO, Amount::max);
        let own = time(&disk.name);
        own >= below * DELAYS.get() && own - below >= MIN_DELAY
    }

    /// The disk that does most of something, and how much.
    pub(crate) fn busiest<M>(&self, amount: impl Fn(&str) -> Option<Amount<M>>) -> Option<(&'a str, Amount<M>)> {
        let amounts = self.disks().into_iter().filter_map(|disk| Some((disk, amount(disk)?)));
        amounts.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, most)| most.is_positive())
    }

    /// The sum over all disks that do the IO themselves; absent when none has it.
    pub(crate) fn all_disks<M>(&self, amount: impl Fn(&str) -> Option<Amount<M>>) -> Option<Amount<M>> {
        self.disks().into_iter().filter(|disk| self.is_leaf(disk)).filter_map(amount).reduce(|sum, one| sum + one)
    }

    /// The disks that swap lies on: of a device what does its IO, of a file what its file system lies on; none where the recording
    /// does not say.
    pub(crate) fn swap_disks(&self) -> Vec<&'a str> {
        let manifest = &self.recording.manifest;
        let device = |path: &'a str| {
            let within = |mount: &&String| Path::new(path).starts_with(mount);
            let mounted =
                || manifest.mounts.iter().filter(|(mount, _)| within(mount)).max_by_key(|(mount, _)| mount.len());
            if path.starts_with("/dev/") { Some(path) } else { mounted().map(|(_, device)| device.as_str()) }
        };
        let paths = manifest.swaps.iter().filter_map(|swap| device(&swap.path));
        let names: Vec<&str> = paths.filter_map(|path| path.rsplit('/').next()).collect();
        let mut names = self.with_those_below(names);
        names.retain(|name| self.stacked(name).is_none());
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The disks that a disk lies on, and those that these lie on; none of one that does the IO itself.
    pub(crate) fn below(&self, name: &'a str) -> Vec<&'a str> {
        self.with_those_below(vec![name]).split_off(1)
    }

    /// The disks that lie on a disk, and those that lie on these.
    pub(crate) fn above(&self, name: &str) -> Vec<&'a str> {
        let stacked = self.recording.manifest.disks.iter().filter(|disk| !disk.below.is_empty());
        stacked.map(|disk| disk.name.as_str()).filter(|disk| self.below(disk).contains(&name)).collect()
    }

    fn with_those_below(&self, mut names: Vec<&'a str>) -> Vec<&'a str> {
        let mut at = 0;
        while let Some(name) = names.get(at).copied() {
            // Each once: a spoiled recording may have them lie on each other.
            let below = self.stacked(name).into_iter().flat_map(|disk| &disk.below);
            below.for_each(|below| {
                if !names.contains(&below.as_str()) {
                    names.push(below)
                }
            });
            at += 1;
        }
        names
    }

    /// A disk that passes its IO on to those that it lies on; absent when it does it itself.
    fn stacked(&self, name: &str) -> Option<&'a Disk> {
        self.recording.manifest.disks.iter().find(|disk| disk.name == name && !disk.below.is_empty())
    }
}
