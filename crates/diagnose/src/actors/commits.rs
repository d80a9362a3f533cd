//! Tasks that wait for a commit of a journal, which the kernel counts as waiting for no device.
//!
//! Who syncs a file of ext4 sleeps until jbd2 has written the journal. It sleeps in wait_event and not in io_schedule, so no pressure of its group and no
//! delay of its process has that time: jbd2 waits for the device in its place, and is in no group. Samples find such tasks in uninterruptible sleep.
//! Linux 6.12: fs/jbd2/journal.c: jbd2_log_wait_commit; fs/jbd2/transaction.c: wait_transaction_locked; kernel/sched/core.c: io_schedule.

use crate::actors::group;
use crate::actors::process;
use crate::actors::wait_channel;
use crate::measure::amount::{Amount, Limit};
use crate::measure::episodes::Episodes;
use crate::measure::step::{self, Step};
use crate::measure::window::Window;
use pagetide_core::{Moment, Ratio, Recording, Span, Table};
use std::collections::{BTreeMap, BTreeSet};

/// How much longer.
pub(crate) const LONGER: Limit<Ratio> = Limit::new(
    "rise of the share of samples that find a task of a group in a commit of a journal, from which on that counts as waiting for IO",
    0.3,
    "Samples see few tasks. A service that always commits is found in its commits by chance, but not so much more often from a moment on.",
    "judgement",
);

/// The functions of the kernel that wait for a commit.
const FUNCTIONS: [&str; 2] = ["jbd2_log_wait_commit", "wait_transaction_locked"];

/// From when on tasks of a group wait for commits longer than before, and by which share of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Commits {
    pub(crate) at: Moment,
    longer: Amount<Ratio>,
}

impl Commits {
    /// Those of a group; absent where samples find it in commits as often throughout, or the functions in which tasks wait were not recorded.
    pub(crate) fn of(recording: &Recording, episodes: &Episodes, of: &str) -> Option<Self> {
        let whole = Window::whole(recording, episodes)?;
        let (at, longer) = *episodes.commits(|| all(&whole)).get(of)?;
        Some(Self { at, longer })
    }

    /// The share of a stretch for which they wait longer.
    pub(crate) fn share(self, span: Span) -> Amount<Ratio> {
        let from = span.from.max(self.at);
        let part = Span { from, to: span.to.max(from) }.length().as_f64() / span.length().as_f64().max(1.0);
        self.longer * part
    }
}

/// From when on the tasks of each group wait longer, and by which share of time.
fn all(whole: &Window<'_>) -> BTreeMap<String, (Moment, Amount<Ratio>)> {
    let committers: Vec<(&str, &str, Vec<Moment>)> = committers(whole).collect();
    if committers.is_empty() {
        return BTreeMap::new();
    }
    let samples: Vec<Moment> = whole.recording.stamps().iter().map(|stamp| Moment::new(stamp.boot_ns)).collect();
    let of_group = |(group, _): (&str, &str)| {
        let own = committers.iter().filter(|(name, ..)| group::contains(whole, group, name));
        let found: BTreeSet<Moment> = own.flat_map(|(.., moments)| moments).copied().collect();
        if found.is_empty() {
            return None;
        }
        let values: Vec<f64> = samples.iter().map(|at| f64::from(found.contains(at))).collect();
        let Step { at, before, after } = step::rise(&values)?;
        let longer = Amount::new(after - before);
        (longer >= LONGER.value()).then(|| (group.to_owned(), (samples[at - 1], longer)))
    };
    whole.recording.entities(Table::Cgroup).filter_map(of_group).collect()
}

/// The processes that samples find in commits, with their commands, and when.
fn committers<'a>(window: &Window<'a>) -> impl Iterator<Item = (&'a str, &'a str, Vec<Moment>)> {
    process::present(window).filter_map(|(name, comm)| {
        let moments: Vec<Moment> =
            FUNCTIONS.iter().flat_map(|function| wait_channel::moments_in(window, name, function)).collect();
        (!moments.is_empty()).then_some((name, comm, moments))
    })
}

/// In how many samples of a window the processes of each command are found in commits, threads of the kernel left out.
pub(crate) fn by_command<'a>(window: &Window<'a>) -> BTreeMap<&'a str, usize> {
    let mut commands = BTreeMap::new();
    for (_, comm, moments) in committers(window).filter(|(name, ..)| !process::is_kernel_thread(window, name)) {
        *commands.entry(comm).or_insert(0) += moments.len();
    }
    commands
}
