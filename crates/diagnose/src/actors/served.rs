//! A program whose reads came from the cache and, without more of them, come from a device now.

use crate::actors::process::{self, ProcessShare};
use crate::evidence::EvidenceBuilder;
use crate::measure::amount::{Amount, Limit, Per, Rate};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{REFAULTED, STOLEN, Window};
use pagetide_core::{Actor, Bytes, Ratio, derived};

pub(crate) const DEMAND: Limit<Ratio> = Limit::new(
    "bytes that it asks for per second, relative to before, at most",
    1.1,
    "With more, its load has grown.",
    "judgement",
);
pub(crate) const SERVED: Limit<Ratio> = Limit::new(
    "share of them that came from devices before, at most",
    0.05,
    "With more, it missed the cache before.",
    "judgement",
);
pub(crate) const MISSING: Limit<Ratio> = Limit::new(
    "share of them that comes from devices now",
    0.2,
    "A service reads something new at all times.",
    "judgement",
);
pub(crate) const FILLED: Limit<Ratio> = Limit::new(
    "growth of the cache and bytes freed, per byte read",
    0.5,
    "O_DIRECT reads bypass the cache.",
    "judgement",
);
pub(crate) const AGAIN: Limit<Ratio> = Limit::new(
    "refaulted bytes per byte read, at most",
    0.1,
    "Pages that refault were cached before.",
    "mm/workingset.c (6.12)",
);
pub(crate) const LOST: Limit<Ratio> = Limit::new(
    "bytes that the cache lost before without reclaim, per byte read, above which what was cached is gone",
    0.5,
    "With less, the program reads other data than before; with more, its files were deleted or a file system was unmounted.",
    "judgement",
);
pub(crate) const MIN_READ: Limit<Bytes> =
    Limit::new("bytes read by that program", 1_048_576.0, "Any change reads a little.", "judgement");

/// Such a program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Served<'a> {
    /// Its reads from devices now, and before.
    pub(crate) reader: ProcessShare<'a, Per<Bytes>>,
    pub(crate) read_before: Rate<Bytes>,
    /// What it asks for now, and before.
    pub(crate) asked: Rate<Bytes>,
    pub(crate) asked_before: Rate<Bytes>,
    /// What it reads in all.
    pub(crate) read: Amount<Bytes>,
    /// What of that was evicted before.
    pub(crate) refaulted: Option<Amount<Bytes>>,
    /// What the cache lost before, without reclaim: files were deleted, or a file system was unmounted.
    pub(crate) lost: Amount<Bytes>,
    /// The disk that most is read from.
    pub(crate) disk: Option<&'a str>,
}

impl Served<'_> {
    /// Whether what it read until then is cached no more.
    pub(crate) fn lost_its_files(&self) -> bool {
        self.lost > self.read * LOST
    }

    /// Evidence of the time in which the disk reads, with the program and the disk as origins.
    pub(crate) fn evidence(&self, window: &Window<'_>) -> EvidenceBuilder {
        let mut found = EvidenceBuilder::new(window);
        found.origin(self.reader.actor(window));
        if let Some(disk) = self.disk {
            found.span(window.when(SignalSpec::disk(disk, &derived::READ_BANDWIDTH)));
            found.origin(Actor::disk(disk));
        }
        found
    }
}

/// The program of a window that reads most from devices, if it is such a one.
pub(crate) fn until_now<'a>(window: &Window<'a>) -> Option<Served<'a>> {
    let reader = process::fastest_for_itself::<Bytes>(window, &["read_bytes"])?;
    let before = window.baseline().all()?;
    let of = |window: &Window<'_>, metric: &str| process::together::<Bytes>(window, reader.comm, &[metric]);
    let (asked_before, asked) = (of(&before, "rchar"), of(window, "rchar"));
    let read_before = of(&before, "read_bytes");
    let read: Amount<Bytes> = reader.amount.over(window.length()?);
    let asks_as_before = asked_before.is_positive() && asked <= asked_before * DEMAND;
    let was_cached = read_before <= asked_before * SERVED;
    // What is read beyond what it asks for is faulted in, or read of directories: how often that was cached before is not known.
    let misses = reader.amount >= asked * MISSING && reader.amount <= asked * DEMAND;
    let refaulted = window.host_amount(&REFAULTED);
    let evicted = refaulted.is_some_and(|refaulted| refaulted > read * AGAIN);
    if read < MIN_READ || !asks_as_before || !was_cached || !misses || evicted {
        return None;
    }
    let freed = window.host_amount(&STOLEN).unwrap_or(Amount::ZERO);
    // What is read from a device without a file system counts as Buffers.
    let kinds = ["Cached", "Buffers"].into_iter().filter_map(|kind| {
        let least = window.host_level::<Bytes>(kind)?.least;
        Some((window.host_ends(kind)?.1 - least, before.host_level::<Bytes>(kind)?.most - least))
    });
    let (grown, lost) = kinds.reduce(|sum, kind| (sum.0 + kind.0, sum.1 + kind.1))?;
    let lost = (lost - freed).max(Amount::ZERO);
    let disk = window.busiest(|disk| window.disk_bytes(disk, &derived::READ_BANDWIDTH)).map(|(disk, _)| disk);
    (grown + freed >= read * FILLED).then_some(Served {
        reader,
        read_before,
        asked,
        asked_before,
        read,
        refaulted,
        lost,
        disk,
    })
}
