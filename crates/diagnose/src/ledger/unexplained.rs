//! Lost time that no rule explains, in words.

use crate::actors::newcomer::below;
use crate::actors::process;
use crate::ledger::disk_load::sender;
use crate::measure::amount::{Amount, Count};
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
        Account::Unexplained => {
            let limit = limit(&during, &ledger.by);
            let limit = limit.unwrap_or_else(|| {
                "check io.max of the group and its parents, network file systems, dm and md".to_owned()
            });
            format!("{} of it waiting for IO while no device had a queue: {limit}", time(booked))
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
    format!("{text} lost {lost}, beginning {place} into the recording, {part}. No rule explains it.")
}

/// Who uses most of the CPUs, or what may hold a group where nobody does.
fn computes(during: &Window<'_>) -> String {
    // Ticks of 1/100 s.
    let most = process::fastest::<Count>(during, &["utime", "stime"]);
    let cpus = during.recording.manifest.cpus;
    most.map(|most| (most, most.amount.get() / 100.0)).filter(|(_, used)| *used >= f64::from(cpus) * 0.5).map_or_else(
        || {
            "check cpu.max and cpuset.cpus of the group and of those above it, and the time that a hypervisor takes"
                .to_owned()
        },
        |(most, used)| format!("{} uses {used:.1} of {cpus} CPUs", most.words()),
    )
}

/// What this module reads.
pub(crate) const METRICS: &[&str] = &["max_rbps", "max_wbps", "max_riops", "max_wiops"];

/// The limit of IO of a group or of one above it, where it was recorded.
fn limit(during: &Window<'_>, by: &str) -> Option<String> {
    let group = by.strip_prefix("cgroup:")?;
    let limits = during.recording.entities(Table::CgroupDisk).find_map(|(name, _)| {
        let (owner, disk) = name.split_once('\t').filter(|(owner, _)| *owner == group || below(owner, group))?;
        let set = METRICS.iter().zip(["bytes read", "bytes written", "reads", "writes"]).find_map(|(metric, what)| {
            let level = during.level::<Count>(Table::CgroupDisk, name, metric)?;
            Some((what, level.least))
        });
        set.map(|(what, most)| (owner, disk, what, most))
    });
    let (owner, disk, what, most) = limits?;
    Some(format!("io.max of {owner} allows {:.0} {what} a second on {disk}", most.get()))
}
