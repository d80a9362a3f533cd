//! Processes that read from devices what the cache served them before.
//!
//! A process that read nearly nothing from devices, and now reads while it requests no more than before, lost pages. This holds under every
//! kind of reclaim: MGLRU of Linux 6.1 to 6.4 counts few refaults, and a process shows its own reads.

use crate::actors::process;
use crate::measure::amount::{Amount, Count, Limit, Per, Rate};
use crate::measure::window::Window;
use pagetide_core::{Bytes, Ratio, Table};

/// A process that lost pages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Victim<'a> {
    /// What it is called (`comm`).
    pub(crate) comm: &'a str,
    /// What it reads from devices, now and before.
    pub(crate) read: Rate<Bytes>,
    pub(crate) before: Rate<Bytes>,
}

/// Times its reads before.
const MORE: Limit<Count> =
    Limit::new("device reads of a victim, relative to its baseline", 4.0, "Its own load varies by less.", "judgement");
/// The least that a victim reads.
pub(crate) const MIN_READS: Limit<Per<Bytes>> = Limit::new(
    "bytes a victim reads from devices",
    16.0 * 1024.0,
    "Four pages a second, and each one waits for the device.",
    "judgement",
);
/// Times its requests before.
const REQUESTS: Limit<Count> = Limit::new(
    "read calls of a victim, relative to its baseline, at most",
    2.0,
    "A process that requests more data reads more, cached or not.",
    "judgement",
);

/// What a process of one command reads to be one of several that do the same.
const TOGETHER: Limit<Ratio> = Limit::new(
    "device reads of a process, relative to what the origin of its command reads and writes, not to be its victim",
    0.25,
    "Workers of one job read about as much as each other; a session that lost pages reads far less.",
    "judgement",
);

/// The recorder serves nobody.
pub(crate) const RECORDER: &str = "pagetide";

/// What this module reads.
pub(crate) const METRICS: &[&str] = &["read_bytes", "syscr", "majflt"];

/// The processes that lost pages in a window, but for the process `origin` and those of its command that read with it; the one that reads most
/// first. What a thread of the kernel reads is for others.
pub(crate) fn all<'a>(window: &Window<'a>, origin: Option<&str>) -> Vec<Victim<'a>> {
    let Some(before) = window.baseline().all() else { return Vec::new() };
    let bytes = |window: &Window<'_>, name: &str| window.rate::<Bytes>(Table::Process, name, "read_bytes");
    let own = process::present(window).find(|(name, _)| Some(*name) == origin);
    let own = own.and_then(|(name, comm)| {
        let moved: Rate<Bytes> = window.rates(Table::Process, name, &["read_bytes", "write_bytes"])?;
        Some((comm, moved))
    });
    let with_it = |name: &str, comm: &str| {
        own.is_some_and(|(own, moved)| own == comm && bytes(window, name).is_some_and(|with| with >= moved * TOGETHER))
    };
    let for_others = |comm: &str| comm == RECORDER || process::works_for_others(comm);
    let others = |(name, comm): &(&str, &str)| Some(*name) != origin && !for_others(comm) && !with_it(name, comm);
    let lost = process::present(window).filter(others).filter_map(|(name, comm)| {
        let rate = |window: &Window<'_>, metric: &str| window.rate::<Count>(Table::Process, name, metric);
        let (read, earlier) = (bytes(window, name)?, bytes(&before, name)?);
        let more = rate(window, "syscr").zip(rate(&before, "syscr"));
        let requests_more = more.is_some_and(|(now, then)| now > then.max(Amount::new(1.0)) * REQUESTS);
        let lost = read >= MIN_READS && read >= earlier * MORE && !requests_more;
        lost.then_some((name, Victim { comm, read, before: earlier }))
    });
    let mut lost: Vec<(&str, Victim<'_>)> = lost.collect();
    // A parent that waited for a child has the child's reads.
    let heirs = process::Heirs::of(window, "read_bytes");
    lost.retain(|(name, _)| !heirs.has(name));
    lost.sort_by(|a, b| b.1.read.total_cmp(&a.1.read));
    lost.into_iter().map(|(_, victim)| victim).collect()
}

/// Victims as a reader knows them: each command once, with all that its processes read.
pub(crate) fn words(victims: &[Victim<'_>]) -> String {
    let mut commands: Vec<(&str, Rate<Bytes>, Rate<Bytes>)> = Vec::new();
    for victim in victims {
        match commands.iter_mut().find(|(comm, ..)| *comm == victim.comm) {
            Some((_, read, before)) => (*read, *before) = (*read + victim.read, *before + victim.before),
            None => commands.push((victim.comm, victim.read, victim.before)),
        }
    }
    let most = commands.iter().take(2);
    let words = most.map(|(comm, read, before)| format!("{comm} reads {read} back from devices ({before} before)"));
    words.collect::<Vec<_>>().join("; ")
}
