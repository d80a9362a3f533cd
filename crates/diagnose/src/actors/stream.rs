//! A stream: reads of one device that no program reads again, and what others lose by them.

use crate::actors::newcomer;
use crate::actors::process::{self, ProcessShare};
use crate::actors::victim::{self, Victim};
use crate::evidence::threshold::{FAULTS, TURNOVER};
use crate::measure::amount::{Amount, Count, Limit, Per, Rate};
use crate::measure::episodes::SignalSpec;
use crate::measure::readahead;
use crate::measure::window::{REFAULTED, STOLEN, Window};
use pagetide_core::derived;
use pagetide_core::{Bytes, Ratio, Span, Table};

/// The device from which a stream comes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stream<'a> {
    pub(crate) disk: &'a str,
    /// The process that reads most of it, where that was recorded.
    pub(crate) reader: Option<ProcessShare<'a, Per<Bytes>>>,
    /// Bytes that it reads, …
    pub(crate) rate: Rate<Bytes>,
    /// … and that reclaim frees.
    pub(crate) freed: Rate<Bytes>,
    /// What it read before.
    pub(crate) baseline: Option<Rate<Bytes>>,
    /// Refaulted bytes that programs were using.
    pub(crate) refaulted: Option<Rate<Bytes>>,
    /// Whether the reader reads its own evicted pages again: a sequence longer than the cache, more than once.
    pub(crate) repeats: bool,
}

/// Share of all bytes read.
pub(crate) const MOST_OF_READS: Limit<Ratio> = Limit::new(
    "one device's share of all bytes read",
    0.5,
    "Below this, no single device is the source of a stream.",
    "judgement",
);
/// Times its own baseline.
pub(crate) const NEW: Limit<Count> =
    Limit::new("read rate of that device, relative to its baseline", 4.0, "Ordinary load varies by less.", "judgement");
/// Bytes freed per byte read, at least …
pub(crate) const FREED_LEAST: Limit<Ratio> = Limit::new(
    "bytes reclaimed per byte read, at least",
    0.3,
    "Every page read takes a free page. Reclaim supplies those that were not free already.",
    "mm/filemap.c: filemap_add_folio (6.12)",
);
/// … and at most.
pub(crate) const FREED_MOST: Limit<Ratio> = Limit::new(
    "bytes reclaimed per byte read, at most",
    3.0,
    "Above this, something else drives reclaim as well.",
    "judgement",
);
/// Refaults per byte read.
pub(crate) const REFAULTS_MOST: Limit<Ratio> = Limit::new(
    "refaulted bytes per byte read, at most",
    0.6,
    "Reads that mostly refault are a working set, unless one program reads sequentially and evicts other programs' pages.",
    "mm/workingset.c: workingset_refault (6.12)",
);
/// Swap traffic per byte read.
pub(crate) const SWAP_MOST: Limit<Ratio> = Limit::new(
    "swap traffic per byte read, at most",
    0.3,
    "More swap traffic means that anonymous memory is short.",
    "judgement",
);
/// Growth of anonymous memory per byte freed.
pub(crate) const ANON_MOST: Limit<Ratio> = Limit::new(
    "growth of anonymous memory and slab per byte reclaimed, at most",
    0.5,
    "With more growth, they drive reclaim: it frees one page for each page they take.",
    "judgement",
);
/// Refaulted pages that the kernel activates or restores.
pub(crate) const USED: Limit<Ratio> = Limit::new(
    "share of refaulted pages that the kernel activates or restores, at least",
    0.02,
    "The kernel restores a page that was in use, and activates one that a slightly larger cache would have kept. A file reread long after its \
     eviction gets neither.",
    "mm/workingset.c: workingset_test_recent (6.12)",
);
/// Bytes written per byte read.
pub(crate) const COPIES: Limit<Ratio> = Limit::new(
    "bytes the reader writes per byte it reads, at most",
    0.5,
    "A program that writes as much as it reads is copying: half of the pages it takes are dirty.",
    "judgement",
);
/// Major faults per read of the device.
pub(crate) const FAULTING: Limit<Ratio> = Limit::new(
    "major faults of the reader per device read, or per readahead window where that is longer, at most",
    0.3,
    "A program that faults on most reads touches a mapped file at random. With readahead, a sequential reader rarely faults.",
    "mm/filemap.c: do_sync_mmap_readahead (6.12)",
);
/// Pages that a fault maps.
pub(crate) const AROUND: Limit<Count> = Limit::new(
    "pages read per fault of a reader that faults on most reads, at most",
    16.0,
    "A fault maps the 16 cached pages around it. A sequential reader of a mapped file faults once per 16 pages. A random one leaves some of the \
     pages read around its faults unmapped.",
    "mm/memory.c: do_fault_around, fault_around_bytes (6.12)",
);

/// Size of a read at random.
pub(crate) const RANDOM: Limit<Bytes> = Limit::new(
    "size of a random read, at most",
    32.0 * 1024.0,
    "Larger requests are sequential readahead. Random reads return to the same data; a stream does not.",
    "mm/readahead.c: get_next_ra_size (6.12)",
);
/// Growth of slab by which small reads are those of many small files.
pub(crate) const INODES: Limit<Ratio> = Limit::new(
    "slab growth per byte read, at least, where reads are small",
    0.1,
    "Each opened file takes an inode and a dentry, about 1 KiB. Much slab growth means many small files, each read once.",
    "fs/inode.c: alloc_inode; fs/dcache.c: d_alloc (6.12)",
);
/// What this module reads.
pub(crate) const METRICS: &[&str] = &[
    "Slab",
    "workingset_activate_file",
    "workingset_activate",
    "workingset_restore_file",
    "workingset_restore",
    "reads",
    "majflt",
    "minflt",
    "read_bytes",
    "write_bytes",
];

/// Refaulted bytes of a window that programs were using. A file that is read in sequence once more, long after its eviction, refaults as
/// well, and nobody missed it; but a service that ran before, and reads in sequence again and again, misses what it reads.
pub(crate) fn missed(window: &Window<'_>) -> Option<Rate<Bytes>> {
    let refaulted = window.host_bytes(&REFAULTED)?;
    let marks =
        [["workingset_activate_file", "workingset_activate"], ["workingset_restore_file", "workingset_restore"]];
    let marked = marks.iter().filter_map(|metrics| window.host_rate(metrics)).reduce(Amount::max);
    let used = marked.map(|pages| window.bytes_per_second(pages)).filter(|used| *used < refaulted * USED);
    let serves = || {
        process::fastest::<Bytes>(window, &["read_bytes"]).is_some_and(|reader| newcomer::serves(window, reader.comm))
    };
    Some(used.filter(|_| readahead::in_sequence(window) && !serves()).unwrap_or(refaulted))
}

/// The stream of a window, when there is one.
pub(crate) fn of<'a>(window: &Window<'a>) -> Option<Stream<'a>> {
    let freed = window.host_bytes(&STOLEN)?;
    let read = |disk: &str| window.disk_bytes(disk, &derived::READ_BANDWIDTH);
    let (disk, rate) = window.busiest(read)?;
    let total = window.all_disks(read)?;
    let baseline = window.baseline().mean(SignalSpec::disk(disk, &derived::READ_BANDWIDTH));
    let swapped = window.swapped().unwrap_or(Amount::ZERO);
    let grown = ["AnonPages", "Shmem", "Slab"]
        .into_iter()
        .filter_map(|kind| window.host_change(kind))
        .map(|grown| grown.max(Amount::ZERO));
    let grown = grown.reduce(|one, other| one + other).zip(window.length());
    let grown = grown.map_or(Amount::ZERO, |(bytes, length)| bytes.per(length));
    let dropped = window.host_rate(&["drop_pagecache"]).is_some_and(Amount::is_positive);
    let slab =
        window.host_change("Slab").zip(window.length()).map_or(Amount::ZERO, |(bytes, length)| bytes.per(length));
    let reads = window.rate::<Count>(Table::Disk, disk, "reads").filter(|reads| reads.is_positive());
    let random = reads.is_some_and(|reads| rate.get() / reads.get() <= RANDOM.get()) && slab < rate * INODES;
    let floods = rate >= total * MOST_OF_READS
        && !random
        && freed / rate >= FREED_LEAST
        && freed / rate <= FREED_MOST
        && baseline.is_none_or(|baseline| rate >= baseline * NEW)
        && swapped < rate * SWAP_MOST
        && grown < freed * ANON_MOST
        && !dropped;
    if !floods {
        return None;
    }
    let reader = process::fastest::<Bytes>(window, &["read_bytes"]).filter(|process| process.amount >= rate * 0.5);
    let refaulted = missed(window);
    let repeats = refaulted.is_some_and(|refaulted| refaulted > rate * REFAULTS_MOST);
    // Of a sequence that is read again and again no page is left when its turn comes: those refaults are the reader's own.
    if repeats && (reader.is_none() || !readahead::in_sequence(window)) {
        return None;
    }
    let streams = reader.is_none_or(|process| {
        let of = |metric: &str| process::together::<Count>(window, process.comm, &[metric]);
        // A window that is longer than a request is read by several.
        let windows = readahead::of(window, disk).map(|ahead| Rate::<Count>::new(rate.get() / ahead.get()));
        let fetches = reads.map(|reads| windows.map_or(reads, |windows| reads.min(windows)));
        let faulting = fetches.is_some_and(|fetches| of("majflt") / fetches > FAULTING.value());
        // New anonymous pages are minor faults, too, one for each.
        let anonymous = Rate::<Count>::new((Amount::<Bytes>::new(grown.get()) / window.page_size()).get());
        let mapping = of("majflt") + (of("minflt") - anonymous).max(Amount::ZERO);
        let all_mapped = window.bytes_per_second(mapping * AROUND.get()) >= process.amount;
        // What a program faults in again it did not read once.
        let again = window.host_bytes(&REFAULTED).is_some_and(|refaulted| refaulted > rate * REFAULTS_MOST);
        of("write_bytes").get() <= process.amount.get() * COPIES.get() && (!faulting || all_mapped && !again)
    });
    streams.then_some(Stream { disk, reader, rate, freed, baseline, refaulted, repeats })
}

/// Whether a stream of this window evicts what others miss.
pub(crate) fn harms(window: &Window<'_>) -> bool {
    of(window).is_some_and(|stream| stream.harmful(window))
}

/// A device that gets busy beside a stream while it reads little.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VictimDisk<'a> {
    pub(crate) disk: &'a str,
    pub(crate) busy: Amount<Ratio>,
    pub(crate) baseline: Option<Amount<Ratio>>,
}

impl Stream<'_> {
    /// Whether somebody misses what was evicted: a change of working set evicts as well, and nobody reads the old one again.
    pub(crate) fn harmful(&self, window: &Window<'_>) -> bool {
        if !self.disks(window).is_empty() || !self.victims(window).is_empty() {
            return true;
        }
        // A service reads back, or faults in, what it evicted itself: its working set has grown or changed.
        if self.reader.is_some_and(|reader| newcomer::serves(window, reader.comm)) {
            return false;
        }
        // Refaults of the reader's own pages do not tell what others miss.
        let others = self.refaulted.filter(|_| !self.repeats);
        let missed = others.and_then(|rate| window.turnover(rate)).is_some_and(|share| share >= TURNOVER);
        let faults = window.host(&derived::MAJOR_FAULTS).unwrap_or(Amount::ZERO);
        let baseline =
            window.baseline().quiet().and_then(|quiet| quiet.host(&derived::MAJOR_FAULTS)).unwrap_or(Amount::ZERO);
        let new_faults = faults >= FAULTS && faults >= baseline * NEW;
        missed || new_faults
    }

    /// When its device reads more than before, within a stretch, which may begin long before the stream, even with the recording.
    fn flood(&self, window: &Window<'_>) -> Span {
        let flood = window.when(SignalSpec::disk(self.disk, &derived::READ_BANDWIDTH));
        Span { from: flood.from.max(window.span.from), to: flood.to.min(window.span.to) }
    }

    /// The processes that read back what was evicted, when the stream is over, too.
    pub(crate) fn victims<'a>(&self, window: &Window<'a>) -> Vec<Victim<'a>> {
        let since = window.over(Span { to: window.span.to, ..self.flood(window) });
        victim::all(&since, self.reader.map(|reader| reader.name))
    }

    /// The other devices that are far busier than before with reads, while they read little.
    pub(crate) fn disks<'a>(&self, window: &Window<'a>) -> Vec<VictimDisk<'a>> {
        let during = window.over(self.flood(window));
        let stream = during.disk_bytes(self.disk, &derived::READ_BANDWIDTH).unwrap_or(self.rate);
        let others = window.disks().into_iter().filter(|disk| *disk != self.disk);
        let busier = others.filter_map(|disk| {
            let (busy, read) = (during.busy(disk)?, during.disk_bytes(disk, &derived::READ_BANDWIDTH)?);
            let baseline = window.baseline().quiet().and_then(|quiet| quiet.busy(disk));
            // What was evicted is read: a device that writes is busy by itself.
            let requests = |metric: &str| during.rate::<Count>(Table::Disk, disk, metric);
            let writes = requests("reads").zip(requests("writes")).is_some_and(|(reads, writes)| writes > reads);
            let victim = busy.get() >= 0.7
                && baseline.is_none_or(|baseline| baseline <= busy * 0.6)
                && read <= stream * 0.2
                && !writes;
            victim.then_some(VictimDisk { disk, busy, baseline })
        });
        busier.collect()
    }
}
