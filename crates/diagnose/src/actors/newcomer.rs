//! A program or a control group that started within a recording and waits for itself: nobody who ran before waits with it.

use crate::actors::commits::Commits;
use crate::actors::job::{EARLY, READS};
use crate::actors::{group, job, process, successor};
use crate::evidence::threshold::PRESSURE;
use crate::measure::amount::{Amount, Limit, Rate};
use crate::measure::window::{Window, intervals};
use pagetide_core::derived::{self, Derived};
use pagetide_core::{Bytes, Moment, Nanos, Ratio, Span, Table};
use std::collections::BTreeSet;

/// The part of the host's waits that a group accounts for.
pub(crate) const MIN_SHARE_OF_WAITS: f64 = 0.8;

/// A group that did not run before a stretch and to which nearly all waits of the host belong.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Newcomer<'a> {
    pub(crate) group: &'a str,
    /// The most that a group waits which ran before, above what it waited then.
    pub(crate) others: Amount<Ratio>,
}

/// The newcomer of a stretch; absent where the groups do not show who ran before.
pub(crate) fn newcomer<'a>(window: &Window<'a>, derived: &'static Derived) -> Option<Newcomer<'a>> {
    let host = window.share(derived).filter(|share| share.is_positive())?;
    let groups = Groups::of(window);
    let most = groups.new.iter().filter_map(|group| Some((*group, share(window, group, derived)?)));
    let (group, _) =
        most.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share >= host * MIN_SHARE_OF_WAITS)?;
    Some(Newcomer { group, others: groups.wait_more(window, derived)? })
}

/// The share of a stretch for which a group waits.
fn share(window: &Window<'_>, group: &str, derived: &'static Derived) -> Option<Amount<Ratio>> {
    window.derived(Table::Cgroup, group, derived)
}

/// Since when something is known of what was before a stretch.
fn known_from(window: &Window<'_>) -> Moment {
    window.baseline().all().map_or(window.span.from, |history| history.span.from)
}

/// The groups without others in them: what a group waits, its parents wait as well.
struct Groups<'a> {
    /// The time that shows who ran before.
    early: Window<'a>,
    before: Vec<&'a str>,
    new: Vec<&'a str>,
}

impl<'a> Groups<'a> {
    fn of(window: &Window<'a>) -> Self {
        let start = known_from(window);
        // One that started with the stretch is in the samples at its edge.
        let edge = window.span.from.earlier(intervals(window.recording, 2));
        let until = edge.max(start.later(intervals(window.recording, EARLY)));
        let early = window.over(Span { from: start, to: until });
        let waited = |group: &str| {
            let all = [&derived::PSI_CPU_SOME, &derived::PSI_IO_SOME, &derived::PSI_MEMORY_SOME];
            // Who gives way runs as well.
            all.iter().any(|derived| share(&early, group, derived).is_some_and(Amount::is_positive))
                || early.gives_way(Some(group)).is_positive()
        };
        let ran = |group: &&str| waited(group) || successor::predecessor(window, group).is_some_and(waited);
        let (before, new) = group::innermost(window.recording).into_iter().partition(ran);
        Self { early, before, new }
    }

    /// The most that a group waits which ran before, above what it waited then; absent where no such group was recorded.
    fn wait_more(&self, window: &Window<'_>, derived: &'static Derived) -> Option<Amount<Ratio>> {
        let more = self.before.iter().filter_map(|group| {
            let usual = share(&self.early, group, derived).unwrap_or(Amount::ZERO);
            let longer = (share(window, group, derived)? - usual).max(Amount::ZERO);
            let own =
                longer.is_positive() && derived.name != derived::PSI_CPU_SOME.name && job::waits_alone(window, group);
            let longer = if own { Amount::ZERO } else { longer };
            let uncounted = Some(group).filter(|_| derived.name == derived::PSI_IO_SOME.name);
            let commits = uncounted.and_then(|group| Commits::of(window.recording, window.episodes, group));
            Some(longer + commits.map_or(Amount::ZERO, |commits| commits.share(window.span)))
        });
        more.reduce(Amount::max)
    }
}

/// The time before a stretch; absent where too little was recorded before it. A process that started with it is in the samples at its edge.
fn earlier<'a>(window: &Window<'a>) -> Option<Window<'a>> {
    let edge = window.span.from.earlier(intervals(window.recording, 2));
    let before = window.baseline().all().filter(|before| before.span.length() >= intervals(window.recording, EARLY))?;
    Some(before.over(Span { to: edge, ..before.span }))
}

/// The commands of which a process ran before a stretch; absent where too little was recorded before it.
fn ran_before<'a>(window: &Window<'a>) -> Option<BTreeSet<&'a str>> {
    Some(process::present(&earlier(window)?).map(|(_, comm)| comm).collect())
}

/// What the programs transfer that started with a stretch, or those that ran before; absent where too little was recorded before it.
fn moved_by(window: &Window<'_>, metrics: &[&str], started: bool) -> Option<Rate<Bytes>> {
    let before = ran_before(window)?;
    let theirs = process::by_command(window, metrics, |comm| before.contains(comm) != started);
    Some(theirs.into_values().fold(Amount::ZERO, |sum, rate| sum + rate))
}

/// Whether no process of a command ran before a stretch; false where too little was recorded before it.
pub(crate) fn started(window: &Window<'_>, comm: &str) -> bool {
    ran_before(window).is_some_and(|before| !before.contains(comm))
}

/// Whether a process of a command ran before a stretch and when the recording began: it is a service, or a part of one. A job that started within the
/// recording is none, however long it runs. False where too little was recorded before the stretch.
pub(crate) fn serves(window: &Window<'_>, comm: &str) -> bool {
    let recording = window.recording;
    let Some((from, _)) = recording.span() else { return false };
    let early = Moment::new(from).later(intervals(recording, 2)).ns();
    let there = |name: &str| {
        let first = recording.series(Table::Process, name, "utime").and_then(|series| series.points().next());
        first.is_none_or(|(at, _)| at <= early)
    };
    let mut all = recording.entities(Table::Process).filter(|(_, other)| *other == comm);
    ran_before(window).is_some_and(|before| before.contains(comm)) && all.any(|(name, _)| there(name))
}

/// What the programs transfer that started with a stretch; absent where too little was recorded before it.
pub(crate) fn transfers(window: &Window<'_>, metrics: &[&str]) -> Option<Rate<Bytes>> {
    moved_by(window, metrics, true)
}

pub(crate) const ONCE: Limit<Ratio> = Limit::new(
    "bytes of read calls per byte read from disks, at most, of a job that reads once: it is no cold cache where no service loses time",
    1.5,
    "What more it calls for was cached, or it has read it before.",
    "judgement",
);
/// The least of the same: a program that starts maps its files.
const CALLED: f64 = 0.5;

/// Whether the program that reads most started with a stretch and reads each byte once by read calls, as a copy or a backup does: whether its files
/// are cached matters to nobody.
pub(crate) fn reads_once(window: &Window<'_>) -> bool {
    process::fastest::<Bytes>(window, &["read_bytes"]).is_some_and(|reader| {
        let [called, read] =
            ["rchar", "read_bytes"].map(|metric| process::together::<Bytes>(window, reader.comm, &[metric]));
        started(window, reader.comm) && called >= read * CALLED && called <= read * ONCE.get()
    })
}

/// How long the kernel keeps what a program wrote before it writes it to a disk, at most: `vm.dirty_expire_centisecs` and
/// `vm.dirty_writeback_centisecs` of Linux 6.12, as they are by default.
const WRITTEN_WITHIN: Nanos = Nanos::new(35_000_000_000);

/// Whether the waits for IO are those of programs that started with a stretch, or wrote shortly before it what the kernel writes now, for their own
/// requests: nearly all that the devices transfer is theirs (`tar` reads and `gzip` writes), and no group that ran before waits for IO more than a
/// host at rest does. Where the waits of groups were not recorded, no program that ran before may need the devices.
pub(crate) fn alone(window: &Window<'_>) -> bool {
    let moved = || Some(window.all_disks(|disk| window.moved(disk))?.over(window.length()?));
    let known = known_from(window).later(intervals(window.recording, EARLY + 2));
    let from = window.span.from.earlier(WRITTEN_WITHIN).max(known).min(window.span.from);
    let since = window.over(Span { from, ..window.span });
    let theirs = || Some(transfers(&since, &["read_bytes", "write_bytes"])?.over(since.length()?));
    let own = moved().zip(theirs()).is_some_and(|(all, theirs)| theirs >= all * MIN_SHARE_OF_WAITS);
    // A group whose program filled memory before it had to wait for the device is no older than it.
    let others = || Groups::of(&since).wait_more(window, &derived::PSI_IO_SOME);
    own && others().map_or_else(|| needed_by_nobody(window), |more| more < PRESSURE)
}

/// Whether no program that ran before a stretch reads in it, and the disks that have requests in it had hardly any before: nobody can have waited for
/// them longer than they were busy. False where too little was recorded before the stretch.
fn needed_by_nobody(window: &Window<'_>) -> bool {
    let (Some(before), Some(reads)) = (earlier(window), moved_by(window, &["read_bytes"], false)) else { return false };
    let was_idle = |disk: &str| before.busy(disk).is_some_and(|busy| busy < PRESSURE);
    let mut used = window.disks().into_iter().filter(|disk| window.busy(disk).is_some_and(|busy| busy >= PRESSURE));
    reads < READS && used.all(was_idle)
}

/// The most that a group waits for IO which ran before a stretch, above what it waited then; absent where no such group was recorded, too little
/// before the stretch, or where what reads and writes most started with it and waits for its own requests.
pub(crate) fn others_wait_more(window: &Window<'_>) -> Option<Amount<Ratio>> {
    let before = ran_before(window)?;
    process::fastest::<Bytes>(window, &["read_bytes", "write_bytes"]).filter(|most| before.contains(most.comm))?;
    Groups::of(window).wait_more(window, &derived::PSI_IO_SOME)
}
