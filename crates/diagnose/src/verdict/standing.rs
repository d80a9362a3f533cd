//! The cause of what a service loses from the start of a recording to its end: no time before shows what was usual, so who keeps it waiting is told by
//! who sends the requests, who uses the CPUs, and how long the device takes.

use crate::actors::group;
use crate::actors::process;
use crate::evidence::advice as settings;
use crate::evidence::threshold::MECHANICAL;
use crate::evidence::{EvidenceBuilder, advise};
use crate::examine::stretches::Stretches;
use crate::ledger;
use crate::ledger::disk_load::{self, OWNS};
use crate::measure::amount::{Amount, Count, Per};
use crate::measure::window::Window;
use crate::verdict::arbiter;
use pagetide_core::{Account, Actor, Finding, Ledger, Nanos, Ratio, Relation, RuleId, Table, derived};

/// Moderate evidence: whether it was always so is not known.
const WEIGHT: f64 = 2.0;

/// The finding of the account to which most is lost; absent where a ledger is of a stretch with a time before it.
pub(crate) fn of(stretches: &Stretches<'_>, ledger: &Ledger) -> Option<Finding> {
    let whole = stretches.whole.as_ref().filter(|whole| ledger::lasts(whole, ledger))?;
    let victim = ledger.by.strip_prefix("cgroup:")?;
    let (side, _) = arbiter::most_lost(ledger)?;
    let booking = ledger.bookings.iter().find(|booking| side.contains(&booking.account))?;
    let disk = booking.on.as_deref().and_then(|on| on.strip_prefix("disk:"));
    let mut found = EvidenceBuilder::new(whole);
    let (all, lost) = (Amount::<Nanos>::new(ledger.lost_ns as f64), Amount::<Nanos>::new(booking.lost_ns as f64));
    let what = format!("time that {victim} lost, by what others do");
    found.compare(WEIGHT, what, "the ledger of lost time", lost, Relation::Near, all);
    match booking.account {
        Account::Load => behind(whole, found, victim, disk?),
        Account::Device => slow(whole, found, victim, disk?),
        Account::Cpu => short_of_cpus(whole, found, victim),
        Account::ReadAgain | Account::OwnWork | Account::Unexplained => None,
    }
}

/// The share of time for which a group waits.
fn waits(whole: &Window<'_>, group: &str, derived: &'static derived::Derived) -> Amount<Ratio> {
    whole.derived(Table::Cgroup, group, derived).unwrap_or(Amount::ZERO)
}

/// Who sends most of what a disk is full of.
fn behind(whole: &Window<'_>, mut found: EvidenceBuilder, victim: &str, disk: &str) -> Option<Finding> {
    let (busy, queue) = (whole.busy(disk)?, whole.queue(disk)?);
    let sends = |group: &str| group::requests(whole, group, disk).unwrap_or(Amount::ZERO);
    let others = group::leaves(whole.recording).into_iter().filter(|other| *other != victim);
    let (group, most) = others.map(|group| (group, sends(group))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let all: Amount<Per<Count>> = whole.derived(Table::Disk, disk, &derived::TPS)?;
    let own = sends(victim);
    let program = disk_load::owner(whole, disk).filter(|owner| !group::contains(whole, victim, owner.name));
    // No single one of many neighbours fills the disk.
    let one = program.is_some() || most >= (most + own) * OWNS.get() && most > own;
    let source = format!("reads + writes of {disk}");
    found.compare(0.0, format!("requests of {group}"), source, most, Relation::Above, own);
    found.note(format!("share of time that {disk} is busy"), "io_ms or util", busy);
    found.note("requests in flight", format!("weighted_io_ms of {disk}"), queue);
    if let Some(program) = program {
        found.origin(program.actor(whole));
    } else if one {
        found.origin(Actor::group(group));
    }
    found.origin(Actor::disk(disk));
    let who = match program {
        Some(program) => format!("{} moves most of what it transfers ({})", program.words(), program.amount),
        None => format!("{group} sends {most} of its {all} requests"),
    };
    let statement = format!(
        "From start to end {victim} waits for IO {} of the time, behind requests of others: {disk} is busy {busy} of it with {:.1} in flight, and {who}. \
         {victim} itself sends {own}.",
        waits(whole, victim, &derived::PSI_IO_SOME),
        queue.get()
    );
    let rule = if one { RuleId::NoisyNeighbour } else { RuleId::DeviceSaturated };
    let advice = settings::less_io(
        whole.recording,
        &format!("Limit the IO of {} on {disk}, or run it when no other program needs the device.", {
            program.map_or(group, |program| program.comm)
        }),
        match program {
            Some(program) => disk_load::limitable(whole, disk, program.comm),
            None => disk_load::limitable_group(whole, disk, group),
        },
        program.map(|program| disk_load::job(whole, disk, &program)),
    );
    found.finish(rule, statement, vec![advice])
}

/// A device that takes longer for each request than any seek.
fn slow(whole: &Window<'_>, mut found: EvidenceBuilder, victim: &str, disk: &str) -> Option<Finding> {
    let (time, busy) = (whole.disk_await(disk)?, whole.busy(disk)?);
    let rate: Amount<Per<Count>> = whole.derived(Table::Disk, disk, &derived::TPS)?;
    let source = format!("(read_ms + write_ms) / (reads + writes), or await, of {disk}");
    found.compare(0.0, "time per request", source, time, Relation::Above, MECHANICAL.value());
    found.note(format!("share of time that {disk} is busy"), "io_ms or util", busy);
    found.origin(Actor::disk(disk));
    let statement = format!(
        "From start to end a request of {disk} takes {time}, which no seek explains: it completes {rate}, is busy {busy} of the time, and hardly more than \
         one request is in flight. {victim} waits for IO {} of the time.",
        waits(whole, victim, &derived::PSI_IO_SOME),
    );
    found.finish(RuleId::DeviceSlow, statement, vec![settings::check_device(disk)])
}

/// Who uses the CPUs.
fn short_of_cpus(whole: &Window<'_>, mut found: EvidenceBuilder, victim: &str) -> Option<Finding> {
    let waits = waits(whole, victim, &derived::PSI_CPU_SOME);
    found.add(0.0, format!("share of time that {victim} waits for a CPU"), "psi_cpu_some of the group", waits);
    let most = process::fastest::<Count>(whole, &["utime", "stime"]);
    let most = most.filter(|process| !group::contains(whole, victim, process.name));
    let who = most.map_or_else(String::new, |process| {
        let used = process.cpus();
        found.note(format!("CPUs that {} used", process.words()), "utime + stime", used);
        found.origin(process.actor(whole));
        format!(", most of them {} ({:.1} of {})", process.words(), used.get(), whole.recording.manifest.cpus)
    });
    let statement = format!(
        "From start to end {victim} waits for a CPU {waits} of the time: others use the CPUs{who}, and none is idle."
    );
    let advice = advise(
        "Run what uses the CPUs at a lower priority (nice, CPUWeight) or at another time, or add CPUs.",
        Some("pidstat -u 1 5"),
        "The command only reads. More memory does not help.",
        None,
    );
    found.finish(RuleId::CpuBound, statement, vec![advice])
}
