//! The cause that is named where no rule finds one and a service lost notable time: what the account stands for to which most of it is booked.

use crate::evidence::{EvidenceBuilder, advise};
use crate::examine::stretches::Stretches;
use crate::ledger;
use crate::ledger::disk_load;
use crate::measure::amount::Amount;
use crate::verdict::arbiter;
use pagetide_core::{Account, Actor, Finding, Ledger, Nanos, Relation, RuleId};

/// What an account stands for; absent of one that several causes share.
const fn rule_of(account: Account) -> Option<RuleId> {
    match account {
        Account::Load | Account::OwnWork => Some(RuleId::DeviceSaturated),
        Account::Device => Some(RuleId::DeviceSlow),
        // Waits for a CPU while CPUs are free have a limit of the group for a cause, or are a profiler's.
        Account::ReadAgain | Account::Cpu | Account::Unexplained => None,
    }
}

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
    let rule = rule_of(booking.account).filter(|_| lost >= ledger.lost_ns.div_ceil(2))?;
    let during = whole.over(ledger.range);
    let mut found = EvidenceBuilder::new(&during);
    let disk = booking.on.as_deref().and_then(|on| on.strip_prefix("disk:"))?;
    found.origin(Actor::disk(disk));
    disk_load::owner(&during, disk).into_iter().for_each(|owner| found.origin(owner.actor(&during)));
    let all = Amount::<Nanos>::new(ledger.lost_ns as f64);
    let lost = Amount::<Nanos>::new(lost as f64);
    found.compare(
        WEIGHT,
        format!("time lost waiting for {disk}"),
        "the ledger of lost time",
        lost,
        Relation::Near,
        all,
    );
    let statement = format!("No rule tells why, but most of the time was lost waiting for {disk}.");
    let advice = advise(
        &format!("While it lasts, look at the requests of {disk}: how many, how large, and whose."),
        Some("iostat -x 1 5; pidstat -d 1 5"),
        "The commands only read.",
        None,
    );
    found.finish(rule, statement, vec![advice])
}
