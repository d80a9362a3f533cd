//! Who loads a disk: programs, swap, and a rest that stays with the kernel or the disk.
//!
//! The counters of processes name no device, swap-out belongs to no program, and kernel threads (an md resync, a journal, the device mapper)
//! count no bytes. So no program is charged more than the disk itself read and wrote.

use crate::actors::group;
use crate::actors::process::{self, ProcessShare};
use crate::evidence::advice::{Job, Limitable};
use crate::evidence::threshold::SATURATED;
use crate::measure::amount::{Amount, Count, Limit, Per, Rate};
use crate::measure::queue::{FULL, MIN_BUSY_OF_FULL};
use crate::measure::window::{Window, intervals};
use pagetide_core::derived;
use pagetide_core::{Bytes, Nanos, Ratio, Span, Table};
use std::collections::BTreeMap;
use std::ops::Add;

/// The part of a disk's bytes that makes its sender an owner of the load.
pub(crate) const OWNS: Limit<Ratio> = Limit::new(
    "one sender's bytes per byte of the device",
    0.5,
    "With less, no single sender loads the device.",
    "judgement",
);
/// CPUs of a thread of the kernel that sends requests.
const WORKS: Limit<Count> = Limit::new(
    "CPUs that a kernel thread uses, at least, to own bytes that no program sent",
    0.01,
    "A thread that sends thousands of requests a second uses more; timers use less.",
    "judgement",
);

/// What the names of the kernel's threads begin with that send requests of their own: arrays that synchronise (drivers/md), the device mapper, caches
/// and replicas (drivers/md/bcache, drivers/block/drbd), file systems that clean and scrub, and servers of files and blocks. Linux 6.12.
const SENDERS: [&str; 12] =
    ["md", "dm", "raid", "bcache", "bch_", "drbd", "btrfs", "xfs", "txg_sync", "nfsd", "ksmbd", "iscsi_t"];

/// What loads a disk in a window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DiskLoad {
    /// What the disk reads and writes.
    pub(crate) moved: Rate<Bytes>,
    /// What neither programs nor swap account for.
    pub(crate) remainder: Rate<Bytes>,
}

const IO: [&str; 2] = ["read_bytes", "write_bytes"];

impl DiskLoad {
    pub(crate) fn of(window: &Window<'_>, disk: &str) -> Option<Self> {
        let moved = window.moved(disk)?;
        let program = |comm: &str| !process::works_for_others(comm);
        let sent = |metric| process::by_command(window, &[metric], program).into_values().fold(Amount::ZERO, Add::add);
        let left =
            bandwidth(window, disk).into_iter().zip(IO).map(|(all, metric)| (all - sent(metric)).max(Amount::ZERO));
        let remainder = (left.fold(Amount::ZERO, Add::add) - swapped(window, disk)).max(Amount::ZERO);
        Some(Self { moved, remainder })
    }

    /// The thread of the kernel that sends the bytes of no program and did not work before; absent where programs or swap account for most.
    pub(crate) fn kernel_thread<'a>(&self, window: &Window<'a>) -> Option<ProcessShare<'a, Per<Bytes>>> {
        if self.remainder < self.moved * OWNS {
            return None;
        }
        let before = window.baseline().all()?;
        let used = |window: &Window<'_>, name: &str| {
            window.derived::<Count>(Table::Process, name, &derived::CPUS).unwrap_or(Amount::ZERO)
        };
        let sends = |comm: &str| SENDERS.iter().any(|sender| comm.starts_with(sender)) && !serves_writers(window, comm);
        let all = process::present(window);
        let threads = all.filter(|(name, comm)| sends(comm) && process::is_kernel_thread(window, name));
        let more = threads.map(|(name, comm)| (name, comm, used(window, name) - used(&before, name)));
        let (name, comm, more) = more.max_by(|a, b| a.2.total_cmp(&b.2))?;
        (more >= WORKS).then_some(ProcessShare::of_one(name, comm, self.remainder))
    }
}

/// Whether a command is the thread of an array of disks (`md0_raid5`) that sends what others write to that, with parity (drivers/md/raid5.c: raid5d,
/// 6.12), and nothing of its own: no thread that synchronises or reshapes the array runs (drivers/md/md.c: md_do_sync).
fn serves_writers(window: &Window<'_>, comm: &str) -> bool {
    let array = comm.split_once("_raid").map(|(array, _)| array).filter(|array| array.starts_with("md"));
    array.is_some_and(|array| {
        let syncs = ["resync", "reshape"].map(|work| format!("{array}_{work}"));
        !process::present(window).any(|(_, other)| syncs.iter().any(|sync| sync == other))
    })
}

/// What is swapped in and out, where swap lies on a disk.
pub(crate) fn swapped(window: &Window<'_>, disk: &str) -> Rate<Bytes> {
    let rate = || window.swapped().unwrap_or(Amount::ZERO);
    if window.swap_disks().contains(&disk) { rate() } else { Amount::ZERO }
}

/// What is swapped out, where swap lies on a disk: no program wrote it.
pub(crate) fn swapped_out(window: &Window<'_>, disk: &str) -> Rate<Bytes> {
    let rate = || window.host_bytes(&derived::SWAP_OUT).unwrap_or(Amount::ZERO);
    if window.swap_disks().contains(&disk) { rate() } else { Amount::ZERO }
}

/// What a disk reads and what it writes; 0 of what was not recorded.
fn bandwidth(window: &Window<'_>, disk: &str) -> [Rate<Bytes>; 2] {
    let rate = |derived| window.disk_bytes(disk, derived).unwrap_or(Amount::ZERO);
    [rate(&derived::READ_BANDWIDTH), rate(&derived::WRITE_BANDWIDTH)]
}

/// The commands that ran, each once.
pub(crate) fn commands<'a>(window: &Window<'a>) -> impl Iterator<Item = &'a str> {
    let mut commands: Vec<&str> = process::present(window).map(|(_, comm)| comm).collect();
    commands.sort_unstable();
    commands.dedup();
    commands.into_iter()
}

/// What each command read, and what each wrote, for a disk to transfer it in a window: what programs write, a disk transfers later.
struct Senders<'a>([(Window<'a>, BTreeMap<&'a str, Rate<Bytes>>); 2]);

impl<'a> Senders<'a> {
    fn of(window: &Window<'a>) -> Self {
        let later = Span { from: window.span.from.earlier(intervals(window.recording, 2)), ..window.span };
        let [read, written] = IO;
        let moved = |since: Window<'a>, metric| {
            let mut all = process::each(&since, metric);
            // The worker of a loop device sends what others write to that.
            all.retain(|comm, _| !process::works_for_others(comm));
            (since, all)
        };
        Self([moved(*window, read), moved(window.over(later), written)])
    }

    /// What a command moves on a disk, at most: its reads are no more than the disk's less those of the groups that it is not in, and so its
    /// writes; and what it moves on another disk it does not move here. The counters of processes know no device, those of groups do.
    fn part(&self, window: &Window<'_>, disk: &str, comm: &str) -> Rate<Bytes> {
        self.parts(window, disk, comm).into_iter().fold(Amount::ZERO, Add::add)
    }

    /// The same of reads, and of writes.
    fn parts(&self, window: &Window<'_>, disk: &str, comm: &str) -> [Rate<Bytes>; 2] {
        let (all, others) = (bandwidth(window, disk), of_other_groups(window, disk, comm));
        let length = window.length().unwrap_or(Nanos::new(1));
        [0, 1].map(|direction| {
            let since = self.0[direction].0.length().unwrap_or(Nanos::new(0));
            let here = self.here(disk, comm, direction).over(since).per(length);
            (all[direction] - others[direction]).max(Amount::ZERO).min(here)
        })
    }

    /// What a command moves, but for what it moves on another disk that has most of its bytes: the other commands do not account for those.
    fn here(&self, disk: &str, comm: &str, direction: usize) -> Rate<Bytes> {
        let (since, all) = &self.0[direction];
        let own = all.get(comm).copied().unwrap_or(Amount::ZERO);
        let on = |disk: &str| bandwidth(since, disk)[direction];
        if !own.is_positive() || on(disk) >= own * OWNS {
            return own;
        }
        let others =
            all.iter().filter(|(other, _)| **other != comm).map(|(_, rate)| *rate).fold(Amount::ZERO, Add::add);
        let leaves = since.disks().into_iter().filter(|other| *other != disk && since.is_leaf(other));
        let elsewhere = leaves.map(on).filter(|all| *all - others >= own * OWNS).fold(Amount::ZERO, Amount::max);
        (own - elsewhere).max(Amount::ZERO)
    }

    /// What a command moves on all disks.
    fn moved(&self, comm: &str) -> Rate<Bytes> {
        self.0.iter().filter_map(|(_, all)| all.get(comm).copied()).fold(Amount::ZERO, Add::add)
    }
}

/// What a command moves on a disk, at most.
pub(crate) fn part(window: &Window<'_>, disk: &str, comm: &str) -> Rate<Bytes> {
    Senders::of(window).part(window, disk, comm)
}

/// What a program does to a disk, to limit it.
pub(crate) fn job<'a, M>(window: &Window<'a>, disk: &'a str, program: &ProcessShare<'a, M>) -> Job<'a> {
    let moved = Senders::of(window).parts(window, disk, program.comm);
    Job { comm: program.comm, disk, moved, processes: program.processes }
}

/// The control group of the root of the hierarchy (`kernfs_init_root`: the first node).
const ROOT: i64 = 1;

/// The groups that were recorded, by their number.
fn numbered<'a>(window: &Window<'a>) -> BTreeMap<i64, &'a str> {
    let groups = window.recording.entities(Table::Cgroup);
    groups.filter_map(|(name, _)| Some((group::number(window.recording, Table::Cgroup, name)?, name))).collect()
}

/// The groups that processes of a command are in, as far as they were recorded; absent where that of one is not known.
pub(crate) fn groups_of<'a>(window: &Window<'a>, comm: &str) -> Option<Vec<&'a str>> {
    groups_among(window, &numbered(window), comm)
}

/// The group of a command whose IO to a disk can be limited: all of its processes are in it, and no other program that reads or writes.
pub(crate) fn limitable<'a>(window: &Window<'a>, disk: &'a str, comm: &str) -> Option<Limitable<'a>> {
    let own = groups_of(window, comm)?;
    let group = own.first().copied().filter(|group| own.iter().all(|other| other == group))?;
    let is_alone = !process::by_command::<Bytes>(window, &IO, |other| other != comm)
        .into_iter()
        .any(|(other, rate)| rate.is_positive() && groups_of(window, other).is_none_or(|all| all.contains(&group)));
    if is_alone { limitable_group(window, disk, group) } else { None }
}

/// The same of a group.
pub(crate) fn limitable_group<'a>(window: &Window<'a>, disk: &'a str, group: &'a str) -> Option<Limitable<'a>> {
    group::leaves(window.recording).contains(&group).then(|| {
        let requests = |metric| window.rate(Table::CgroupDisk, &group::of_disk(group, disk), metric);
        let requests = ["rios", "wios"].map(|metric| requests(metric).unwrap_or(Amount::ZERO));
        Limitable { group, disk, requests }
    })
}

/// The same of these groups.
fn groups_among<'a>(window: &Window<'a>, groups: &BTreeMap<i64, &'a str>, comm: &str) -> Option<Vec<&'a str>> {
    let own = process::present(window).filter(|(_, other)| *other == comm);
    let own = own.map(|(process, _)| match group::number(window.recording, Table::Process, process)? {
        // The root may not be recorded.
        ROOT => Some(groups.get(&ROOT).copied()),
        id => groups.get(&id).copied().map(Some),
    });
    own.collect::<Option<Vec<_>>>().map(|own| own.into_iter().flatten().collect())
}

/// Reads and writes of a disk by groups in which no process of a command is: those of the largest, as groups contain each other. None where the
/// group of a process is not known.
fn of_other_groups(window: &Window<'_>, disk: &str, comm: &str) -> [Rate<Bytes>; 2] {
    let groups = numbered(window);
    let Some(own) = groups_among(window, &groups, comm) else { return [Amount::ZERO; 2] };
    let is_other = |group: &str| !own.iter().any(|own| group::within(group, own));
    let others = groups.values().filter(|group| is_other(group));
    let all = others.filter_map(|group| group::transfers(window, group, disk));
    all.fold([Amount::ZERO; 2], |[read, written], one| [read.max(one[0]), written.max(one[1])])
}

/// Whether groups in which no process of a command is write most of what a disk writes.
pub(crate) fn others_write_most(window: &Window<'_>, disk: &str, comm: &str) -> bool {
    let [_, written] = bandwidth(window, disk);
    let [_, others] = of_other_groups(window, disk, comm);
    others.is_positive() && others >= written * OWNS
}

/// The program that moves most of what a disk transfers; absent where none does.
pub(crate) fn owner<'a>(window: &Window<'a>, disk: &str) -> Option<ProcessShare<'a, Per<Bytes>>> {
    let least = window.moved(disk)? * OWNS;
    let senders = Senders::of(window);
    let parts = commands(window).filter(|comm| senders.moved(comm) >= least);
    let parts = parts.map(|comm| (comm, senders.part(window, disk, comm))).filter(|(_, part)| *part >= least);
    let by_part = |a: &(&str, Rate<Bytes>), b: &(&str, Rate<Bytes>)| {
        a.1.total_cmp(&b.1).then_with(|| senders.moved(a.0).total_cmp(&senders.moved(b.0)))
    };
    let (comm, part) = parts.max_by(by_part)?;
    process::of_command(window, comm, &IO).map(|owner| ProcessShare { amount: part, ..owner })
}

/// The program that reads most of what a disk reads, if only a part of it; absent where none reads from it.
pub(crate) fn reader<'a>(window: &Window<'a>, disk: &str) -> Option<ProcessShare<'a, Per<Bytes>>> {
    largest_part(window, disk, 0)
}

/// The program that writes most of what a disk writes, if only a part of it; absent where none writes to it.
pub(crate) fn writer<'a>(window: &Window<'a>, disk: &str) -> Option<ProcessShare<'a, Per<Bytes>>> {
    largest_part(window, disk, 1)
}

fn largest_part<'a>(window: &Window<'a>, disk: &str, direction: usize) -> Option<ProcessShare<'a, Per<Bytes>>> {
    let senders = Senders::of(window);
    let (_, movers) = &senders.0[direction];
    let parts = movers.iter().map(|(comm, all)| (*comm, senders.parts(window, disk, comm)[direction], *all));
    let (comm, part, _) = parts.max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.2.total_cmp(&b.2)))?;
    process::of_command(window, comm, &IO[direction..=direction]).map(|mover| ProcessShare { amount: part, ..mover })
}

/// Who sends most of what a disk transfers, in words; absent where no sender owns it.
pub(crate) fn sender(window: &Window<'_>, disk: &str) -> Option<String> {
    let load = DiskLoad::of(window, disk)?;
    let swap = swapped(window, disk);
    if swap >= load.moved * OWNS {
        return Some(format!("mostly swap ({swap})"));
    }
    let program = owner(window, disk);
    let most = program.or_else(|| load.kernel_thread(window))?;
    // Two numbers that print alike are one.
    let part = if most.amount.to_string() == load.moved.to_string() { "all" } else { &format!("{} of", most.amount) };
    Some(format!("where {} sends {part} {}", most.words(), load.moved))
}

/// Whether a disk has all it can do over a stretch: it is always busy, or has a full queue with brief pauses.
pub(crate) fn saturated(window: &Window<'_>, disk: &str) -> bool {
    let (busy, queue) = (window.busy(disk).unwrap_or(Amount::ZERO), window.queue(disk).unwrap_or(Amount::ZERO));
    busy >= SATURATED || busy >= MIN_BUSY_OF_FULL && queue >= FULL
}
