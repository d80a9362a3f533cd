//! What the host as a whole says of each command.

use crate::recorded::disk;
use crate::recorded::{Did, PAGE, Stretch, at_onset, group};
use pagetide_core::Table;

/// A command misses the page cache if it reads this share of what it asks for from devices.
pub(super) const MIN_MISS_SHARE: f64 = 0.5;
/// Waits for IO, as a share of the time, from which on they tell how a command reads.
const MIN_WAITS_FOR_EACH: f64 = 0.05;

/// What the host as a whole says of all commands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HostShape {
    /// Memory, bytes.
    pub(crate) memory: f64,
    /// Bytes of the file cache at the onset.
    pub(crate) cache: f64,
    /// Bytes per second that were read, and that came into the cache, in trouble.
    pub(crate) read: f64,
    pub(crate) cached: f64,
    /// Bytes per second that all programs dirtied in the page cache, in trouble, where that is known.
    pub(crate) dirtied: Option<f64>,
    /// Bytes of a read, and of a write, of a device on average.
    pub(crate) read_size: f64,
    /// The same of a read before the incident, where there were some.
    pub(crate) usual_read_size: Option<f64>,
    pub(crate) write_size: f64,
    /// How long a read of a device took, s, and the share of time in which the busiest was busy.
    pub(crate) read_time: f64,
    pub(crate) busy: f64,
    /// How long the command ran in the incident, s.
    pub(crate) seconds: f64,
    /// Bytes per second that the command read again after they were evicted, in trouble.
    pub(crate) refaulted: f64,
    /// Whether somebody dropped cached files.
    pub(crate) is_dropped: bool,
    /// Whether the command's group is above `memory.high`: what it charges it waits for, however little that is.
    pub(crate) is_throttled: bool,
}

impl HostShape {
    /// Of the incident, for no command yet.
    pub(super) fn of(calm: &Stretch<'_>, trouble: &Stretch<'_>, is_dropped: bool) -> Self {
        let rate = |metric: &str| trouble.host_rate(metric).unwrap_or(0.0);
        let at_onset = |metric: &str| at_onset(calm, trouble, metric).unwrap_or(0.0);
        let grown = trouble.ends(Table::Host, "", "Cached").map_or(0.0, |(from, to)| to - from);
        // The host does not count what groups reclaim at their limits.
        let limited = group::below_root(trouble).filter(|path| group::has_limit(calm, trouble, path));
        let by_groups: f64 = limited.filter_map(|path| trouble.rate(Table::Cgroup, path, "pgsteal")).sum();
        let stolen = (rate("pgsteal_kswapd") + rate("pgsteal_direct") - rate("pgsteal_anon")).max(by_groups);
        Self {
            memory: calm.recording.manifest.memory_total.as_f64(),
            cache: at_onset("Cached") + at_onset("Buffers") - calm.host("Shmem").unwrap_or(0.0),
            read: rate("pgpgin") * 1024.0,
            cached: (grown / trouble.seconds() + stolen * PAGE).max(0.0),
            dirtied: trouble.rate(Table::Host, "", "nr_dirtied").map(|pages| pages * PAGE),
            read_size: disk::request_size(trouble, "reads", "read_sectors").unwrap_or(4096.0),
            usual_read_size: disk::request_size(calm, "reads", "read_sectors"),
            write_size: disk::request_size(trouble, "writes", "write_sectors").unwrap_or(f64::MAX),
            read_time: disk::read_time(trouble).unwrap_or(0.0),
            busy: disk::busiest(trouble),
            seconds: trouble.seconds(),
            refaulted: 0.0,
            is_dropped,
            is_throttled: false,
        }
    }

    /// Bytes of the files that a command reads at such a rate, where it reads a good part of them again.
    pub(super) fn pass(&self, read: f64) -> Option<f64> {
        const MIN_SHARE_AGAIN: f64 = 0.1;
        (self.refaulted > MIN_SHARE_AGAIN * read).then(|| ((read - self.refaulted) * self.seconds).max(1e6))
    }

    /// Whether a command had read before it was seen what it reads again after it was evicted: what it reads for the first time is a small part of
    /// what is cached.
    pub(super) fn had_read(&self, did: &Did, group_cache: Option<f64>) -> bool {
        const MAX_SHARE_FIRST: f64 = 0.5;
        let first = (did.read - self.refaulted) * self.seconds;
        self.refaulted >= MIN_MISS_SHARE * did.read && first < MAX_SHARE_FIRST * group_cache.unwrap_or(self.cache)
    }

    /// Bytes of the files of a command that had read them before and reads most of them again after they were evicted, by the share of what it asks for
    /// that it finds in the cache; 0 where it does not.
    pub(super) fn outgrown(&self, did: &Did, group_cache: Option<f64>) -> f64 {
        /// What system calls ask for is not all that is read around it: less says nothing.
        const MIN_HITS: f64 = 0.25;
        if self.refaulted < MIN_MISS_SHARE * did.read {
            return 0.0;
        }
        let hits = 1.0 - did.read / did.asked.max(1.0);
        // Of mapped files nobody counts what was asked for: some more than the cache.
        const MORE_THAN_CACHE: f64 = 1.3;
        let is_mapped = did.asked < MIN_MISS_SHARE * did.read;
        let times = if is_mapped { MORE_THAN_CACHE } else { 1.0 / hits.clamp(MIN_HITS, 1.0) };
        (group_cache.unwrap_or(self.cache) * times).max((did.read - self.refaulted) * self.seconds)
    }

    /// Whether what was read passed the page cache by.
    pub(crate) fn reads_directly(&self) -> bool {
        self.cached < 0.3 * self.read
    }

    /// Whether a command waits for each of its reads as long as a disk with time to spare takes for it: the kernel does not read ahead for it, as it
    /// does for what is read in order, and the disk reads no more at a time than it asks for, which is `size`.
    pub(super) fn waits_for_each(&self, did: &Did, size: f64) -> bool {
        const LARGER_THAN_ASKED: f64 = 1.5;
        const NEARLY_ALL_READS: f64 = 0.7;
        const MAX_BUSY: f64 = 0.7;
        let reads = did.read / self.read_size * self.read_time;
        let is_read_ahead = self.read_size > LARGER_THAN_ASKED * size;
        !is_read_ahead
            && did.waits >= MIN_WAITS_FOR_EACH
            && did.waits >= NEARLY_ALL_READS * reads
            && self.busy <= MAX_BUSY
    }
}
