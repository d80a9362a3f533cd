//! Lost time that no rule explains, in words.

use crate::actors::group;
use crate::actors::io_limit;
use crate::actors::process;
use crate::ledger::disk_load::sender;
use crate::measure::amount::{Amount, Count, Per, Rate};
use crate::measure::cgroup_version;
use crate::measure::window::Window;
use pagetide_core::{Account, Ledger, Nanos, Table};

/// A time as people read it.
pub(crate) fn time(ns: u64) -> String {
    Amount::<Nanos>::new(ns as f64).to_string()
}

/// Whose time it is, as a sentence begins.
pub(crate) fn whose(by: &str) -> String {
    by.strip_prefix("cgroup:").map_or_else(|| "tasks of the host".to_owned(), |group| format!("tasks of {group}"))
}

/// What was lost and where to look for its cause.
pub(crate) fn sentence(whole: &Window<'_>, ledger: &Ledger) -> String {
    let lost = time(ledger.lost_ns);
    let most = ledger.bookings.iter().find(|booking| booking.account != Account::OwnWork);
    let (account, booked) = most.map_or((Account::Unexplained, 0), |most| (most.account, most.lost_ns));
    let during = whole.over(ledger.range);
    let on = most.and_then(|most| most.on.as_deref()).and_then(|on| on.strip_prefix("disk:"));
    let part = match account {
        Account::Unexplained if whole.disks().is_empty() => {
            format!("{} of it waiting for IO; which device, the recording does not show", time(booked))
        }
        Account::Unexplained => {
            let keeps = keeps_waiting(&during, ledger.by.strip_prefix("cgroup:"));
            format!("{} of it waiting for IO while no device had a queue: {keeps}", time(booked))
        }
        Account::Device => {
            format!(
                "{} of it waiting for {}, which took longer per request at no higher load",
                time(booked),
                on.unwrap_or("a device")
            )
        }
        Account::ReadAgain => {
            format!("{} of it in reclaim or waiting for pages that were evicted or swapped out", time(booked))
        }
        Account::Cpu => format!("of it {} for a CPU: {}", time(booked), computes(&during)),
        Account::Load | Account::OwnWork => {
            let sender = on.and_then(|disk| sender(&during, disk));
            let who = sender.map_or(String::new(), |sender| format!(", {sender}"));
            format!("{} of it in the queue of {}{who}", time(booked), on.unwrap_or("a device"))
        }
    };
    let mut text = whose(&ledger.by);
    text[..1].make_ascii_uppercase();
    let place = ledger.range.from.since(whole.span.from);
    format!("{text} lost {lost}, beginning {place} into the recording, {part}. No rule names a cause.")
}

/// Who uses most of the CPUs, in words; absent where no program does.
pub(crate) fn uses_cpus(during: &Window<'_>) -> Option<String> {
    let most = process::fastest::<Count>(during, &["utime", "stime"])?;
    let (used, cpus) = (most.cpus().get(), during.recording.manifest.cpus);
    (used >= f64::from(cpus) * 0.5)
        .then(|| format!("{} uses {used:.1} of {cpus} {}", most.words(), if cpus == 1 { "CPU" } else { "CPUs" }))
}

/// Who uses most of the CPUs, or what may hold a group where nobody does.
fn computes(during: &Window<'_>) -> String {
    uses_cpus(during).unwrap_or_else(|| {
        "check cpu.max and cpuset.cpus of the group and of those above it, and the time that a hypervisor takes"
            .to_owned()
    })
}

/// What this module reads: the limits of a group's IO at a device, and what it does of them.
pub(crate) const METRICS: &[&str] =
    &["max_rbps", "max_wbps", "max_riops", "max_wiops", "cost_usage", "rbytes", "wbytes", "rios", "wios"];

/// What keeps a group, or the host, waiting while no device has a queue: the limit that is reached, a device whose queue nobody sees, or what to
/// check.
pub(crate) fn keeps_waiting(during: &Window<'_>, group: Option<&str>) -> String {
    io_limit::words(during, group).or_else(|| uncounted(during)).unwrap_or_else(|| check(during))
}

/// A disk that groups send requests to and that counts none of them, in words.
///
/// Linux 6.12: block/blk-mq.c: blk_mq_rq_ctx_init (RQF_IO_STAT, which `queue/iostats` switches); block/blk-cgroup.c: blk_cgroup_bio_start counts all.
fn uncounted(during: &Window<'_>) -> Option<String> {
    // A disk that hangs completes none, but is busy.
    let counts_none = |disk: &&str| {
        let counted = during.rates::<Count>(Table::Disk, disk, &["reads", "writes"]);
        counted.is_some_and(|counted| !counted.is_positive())
            && during.busy(disk).is_some_and(|busy| !busy.is_positive())
    };
    let sent = |disk: &str| {
        let groups = group::leaves(during.recording).into_iter();
        let rates = groups.filter_map(|group| group::sent(during, group, disk)?.mean::<Per<Count>>(during.span));
        rates.fold(Rate::<Count>::ZERO, |sum, rate| sum + rate)
    };
    let disk = during.disks().into_iter().filter(counts_none).find(|disk| sent(disk).is_positive())?;
    Some(format!(
        "control groups sent {} requests to {disk}, which counted none of them, so its queue is not known: write 1 to /sys/block/{disk}/queue/iostats",
        sent(disk),
    ))
}

/// What to check where no limit was recorded.
fn check(during: &Window<'_>) -> String {
    let limits = if cgroup_version::is_v1(during.recording) {
        "blkio.throttle of the group and its parents"
    } else {
        "io.max and io.latency of the group and its parents, io.cost.qos"
    };
    format!("check {limits}, network file systems, dm and md")
}
