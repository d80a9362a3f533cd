//! The cause that is named where no rule finds one and a service lost notable time: what the account stands for to which most of it is booked.

use crate::actors::group;
use crate::evidence::{EvidenceBuilder, advise};
use crate::examine::stretches::Stretches;
use crate::ledger::{self, disk_load};
use crate::measure::amount::{Amount, Count};
use crate::measure::window::Window;
use crate::verdict::arbiter;
use pagetide_core::{Account, Actor, Booking, Finding, Ledger, Nanos, Relation, RuleId, Table};

/// Weak evidence: where the time went is measured, and why is not.
const WEIGHT: f64 = 1.0;

/// The finding of the account to which most was lost; absent where no service lost notable time, or where several causes share the account.
pub(crate) fn of(stretches: &Stretches<'_>, ledger: &Ledger) -> Option<Finding> {
    let whole = stretches.whole.as_ref()?;
    if !ledger::of_service(ledger) || !ledger::is_unowned_step(whole, ledger, &[stretches.before()]) {
        return None;
    }
    let (side, lost) = arbiter::most_lost(ledger)?;
    let booking = ledger.bookings.iter().find(|booking| side.contains(&booking.account))?;
    if lost < ledger.lost_ns.div_ceil(2) {
        return None;
    }
    let during = whole.over(ledger.range);
    let lost = Lost { lost: Amount::new(lost as f64), all: Amount::new(ledger.lost_ns as f64) };
    match booking.account {
        Account::Load | Account::OwnWork => at_disk(&during, RuleId::DeviceSaturated, booking, lost),
        Account::Device => at_disk(&during, RuleId::DeviceSlow, booking, lost),
        Account::Unexplained => held_back(&during, ledger.by.strip_prefix("cgroup:")?, lost),
        // Waits for a CPU while CPUs are free have a limit of the group for a cause, or are a profiler's.
        Account::ReadAgain | Account::Cpu => None,
    }
}

/// What was lost to an account, of all that was lost.
#[derive(Clone, Copy)]
struct Lost {
    lost: Amount<Nanos>,
    all: Amount<Nanos>,
}

fn at_disk(during: &Window<'_>, rule: RuleId, booking: &Booking, lost: Lost) -> Option<Finding> {
    let disk = booking.on.as_deref().and_then(|on| on.strip_prefix("disk:"))?;
    let mut found = booked(during, lost, format!("time lost waiting for {disk}"));
    found.origin(Actor::disk(disk));
    disk_load::owner(during, disk).into_iter().for_each(|owner| found.origin(owner.actor(during)));
    let statement = format!("No rule tells why, but most of the time was lost waiting for {disk}.");
    let advice = advise(
        &format!("While it lasts, look at the requests of {disk}: how many, how large, and whose."),
        Some("iostat -x 1; pidstat -d 1"),
        "The commands only read.",
        None,
    );
    found.finish(rule, statement, vec![advice])
}

/// A group that sends requests and waits for them while no device has one: the kernel holds them back above the device. Where the limits of groups were
/// recorded, the rule of limits knows better.
fn held_back(during: &Window<'_>, group: &str, lost: Lost) -> Option<Finding> {
    let recorded = during.recording.entities(Table::CgroupDisk).next().is_some();
    let sends = during.rates::<Count>(Table::Cgroup, group, group::REQUESTS).is_some_and(|rate| rate.is_positive());
    // A disk that counts no requests may have a queue that nobody sees.
    let disk = group::of_group(during, group).filter(|_| sends && !recorded)?;
    let mut found = booked(during, lost, "time lost waiting for IO while no device had a request in flight".to_owned());
    found.origin(Actor::group(group));
    found.origin(Actor::disk(disk));
    let statement = format!(
        "The requests of the control group {group} to {disk} were held back before a device had them. IO limits were not recorded; one of the group, or of \
         those above it, is the likely reason."
    );
    let advice = advise(
        "Look at the IO limits of the group and of those above it, and raise what holds it back.",
        Some("grep -s . GROUP/io.max GROUP/io.latency /sys/fs/cgroup/io.cost.qos"),
        "The command only reads.",
        None,
    );
    found.finish(RuleId::IoLimit, statement, vec![advice])
}

fn booked(during: &Window<'_>, Lost { lost, all }: Lost, what: String) -> EvidenceBuilder {
    let mut found = EvidenceBuilder::new(during);
    found.compare(WEIGHT, what, "the ledger of lost time", lost, Relation::Near, all);
    found
}
