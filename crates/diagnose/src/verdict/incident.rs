//! The incidents of a recording: each with its cause, its losses and what changed near its onset.

use crate::examine::cost;
use crate::examine::stretches::Stretches;
use crate::ledger;
use crate::ledger::accounts::of_rule;
use crate::ledger::uncounted::Uncounted;
use crate::ledger::unexplained;
use crate::ledger::{LOST, UNOWNED};
use crate::measure::window::{Window, intervals};
use crate::rules;
use crate::rules::contract::Loss;
use crate::verdict::arbiter;
use crate::verdict::changes;
use crate::verdict::roots;
use pagetide_core::{Account, Actor, Finding, Incident, Ledger, Recording, Span, TimeLost};

/// Samples before the end of a recording in which what has not ended still lasts.
const END: u64 = 3;

/// Whether something still lasts at the end of a recording.
fn ongoing(recording: &Recording, range: Span) -> bool {
    let end = recording.stamps().last().map_or(i64::MAX, |stamp| stamp.boot_ns);
    range.to.later(intervals(recording, END)).ns() >= end
}

/// Whether the recording shows that a finding cost tasks no time.
fn costs_nothing(stretches: &Stretches<'_>, finding: &Finding) -> bool {
    let free = |whole: &Window<'_>| {
        // Where a service lost notable time, to whatever account, a fact beside it may be why.
        let disturbed = stretches.ledger.as_ref().is_none_or(ledger::disturbed);
        let burst = || !disturbed && stretches.losses.lost(whole, finding) < LOST;
        // Without pressure the only sign is that the cache is read again, which may begin when the growth has ended.
        let to = if stretches.losses.measured(Loss::Stalls) { finding.range.to } else { whole.span.to };
        !stretches.losses.lose(whole, Span { to, ..finding.range })
            || burst()
            || cost::takes_free_memory(whole, finding)
    };
    stretches.whole.as_ref().is_some_and(free)
}

/// Whether a finding is a growth that costs nothing yet, and does not stop.
pub(crate) fn grows(recording: &Recording, stretches: &Stretches<'_>, finding: &Finding) -> bool {
    rules::by_id(finding.rule).grows() && costs_nothing(stretches, finding) && ongoing(recording, finding.range)
}

/// Whether a finding is a fact that cost no task time: a growth that stopped, caches that were dropped; or a burst that no service notices.
pub(crate) fn harmless(recording: &Recording, stretches: &Stretches<'_>, finding: &Finding) -> bool {
    let fact = rules::by_id(finding.rule).loss.is_none();
    let costs_nothing = fact && costs_nothing(stretches, finding) || is_brief(stretches, finding);
    costs_nothing && !grows(recording, stretches, finding)
}

/// Whether what loads a device or the CPUs, or makes a device slow, cost services some time, and less than a burst: by their waits, and by what the
/// ledger books to its account. Where neither was recorded, nobody knows. What grows or was killed is no less so because nobody waited yet.
fn is_brief(stretches: &Stretches<'_>, finding: &Finding) -> bool {
    let Some(whole) = &stretches.whole else { return false };
    let Some(loss @ (Loss::Stalls | Loss::Cpu)) = rules::by_id(finding.rule).loss else { return false };
    let Some(account @ (Account::Load | Account::Device | Account::ReadAgain | Account::Cpu)) = of_rule(finding.rule)
    else {
        return false;
    };
    let Some(ledger) = stretches.ledger.as_ref().filter(|ledger| !ledger::disturbed(ledger)) else { return false };
    let losses = stretches.losses.in_stretch(whole, finding.range, Some(finding.rule));
    let by_cause: Vec<&TimeLost> = losses.iter().filter(|loss| loss.by_cause).collect();
    if account == Account::Cpu || cost::one_at_a_time(whole, finding).is_some() {
        // What waits inside of a thread that computes all the time, or sends one request at a time, counts for no pressure.
        return !by_cause.is_empty() && stretches.losses.lost(whole, finding) < UNOWNED;
    }
    // Memory that is read back waits for memory and for IO at once: less than what counts of each is nothing in all.
    if by_cause.is_empty() {
        return account == Account::ReadAgain && stretches.losses.measured(loss);
    }
    let of_services = |loss: &TimeLost| {
        stretches.losses.is_of_services(loss) && !stretches.losses.for_its_own(whole, loss, finding.range)
    };
    let felt = by_cause.iter().filter(|loss| of_services(loss)).map(|loss| loss.lost_ns).max();
    let booked = arbiter::gives_back(ledger, finding);
    // Of a queue the ledger knows what it cost a service beyond that service's own requests.
    let (most, burst) = if account != Account::ReadAgain && ledger::of_service(ledger) {
        (booked.or(felt), UNOWNED)
    } else {
        (felt.max(booked), LOST)
    };
    (most.unwrap_or(0) as f64) < burst.get()
}

/// The incidents: one for each root, but for those of the time of a worse one, which are its rivals; and the largest loss that none of
/// them explains. The one that cost most time first.
pub(crate) fn all(
    recording: &Recording,
    stretches: &Stretches<'_>,
    findings: &[Finding],
    roots: &[usize],
    ledger: Option<&Ledger>,
) -> Vec<Incident> {
    let Some(whole) = &stretches.whole else { return Vec::new() };
    let harms = |root: &&Finding| !harmless(recording, stretches, root) && !grows(recording, stretches, root);
    let harmful: Vec<&Finding> = roots.iter().map(|root| &findings[*root]).filter(harms).collect();
    let mut first: Vec<&Finding> = Vec::new();
    for root in harmful.iter().copied() {
        if !first.iter().any(|other| other.range.overlaps(root.range)) {
            first.push(root);
        }
    }
    let of = |root: &&Finding| with_cause(recording, stretches, whole, root, lasts(root, &first, ledger));
    let mut incidents: Vec<Incident> = first.iter().map(of).collect();
    let before = std::iter::once(stretches.before());
    // What a cause accounts for may outlast it: the writeback of what was written. What costs nothing accounts for no lost time; what services
    // hardly noticed accounts for the waits of the kernel's own threads.
    let noticed_by_none = roots.iter().map(|root| &findings[*root]).filter(|root| is_brief(stretches, root));
    let follows = |finding: &&Finding| harmful.iter().any(|root| rules::subsumes(recording, root, finding));
    let effects = findings.iter().filter(follows).map(|finding| finding.range);
    let explained = incidents.iter().map(|incident| incident.range).chain(effects).chain(before);
    let explained: Vec<Span> = explained.chain(noticed_by_none.map(|root| root.range)).collect();
    // A step in what tasks wait is no sign of health, whether a device has a queue or not.
    let unowned = ledger::unowned_step(whole, ledger, &explained);
    let unowned = unowned.map(|ledger| (ledger.range, unexplained::sentence(whole, &ledger)));
    if let Some((range, statement)) = unowned.or_else(|| stretches.losses.unexplained(whole, &explained)) {
        let losses = stretches.losses.in_stretch(whole, range, None);
        let victim = cost::suffers_most(losses.iter()).map(|most| most.victim.clone());
        let (cause, changes) = (None, Vec::new());
        incidents.push(Incident {
            range,
            ongoing: ongoing(recording, range),
            cause,
            statement,
            losses,
            victim,
            changes,
        });
    }
    let of_tasks = |loss: &&TimeLost| loss.victim.as_command().is_none();
    let lost = |incident: &Incident| incident.losses.iter().find(of_tasks).map_or(0, |loss| loss.lost_ns);
    incidents.sort_by_key(|incident| (std::cmp::Reverse(lost(incident)), incident.range.from));
    incidents
}

/// What services lost and the kernel counts for no resource. It lasts.
pub(crate) fn without_waits(whole: &Window<'_>, uncounted: Uncounted<'_>) -> Incident {
    Incident {
        range: Span { from: uncounted.from, ..whole.span },
        ongoing: true,
        cause: None,
        statement: uncounted.words,
        losses: Vec::new(),
        victim: uncounted.group.map(Actor::group),
        changes: Vec::new(),
    }
}

/// How long an incident lasts: as long as its cause, and on for as long as services lose time to what its rule explains. What grew has ended when the
/// cache that it took is missed. The next incident ends it.
fn lasts(root: &Finding, all: &[&Finding], ledger: Option<&Ledger>) -> Span {
    let mostly =
        |ledger: &&Ledger| arbiter::gives_back(ledger, root).is_some_and(|back| back >= ledger.lost_ns.div_ceil(2));
    let until = ledger.filter(mostly).map_or(root.range.to, |ledger| ledger.range.to);
    let next = all.iter().map(|other| other.range.from).filter(|from| *from >= root.range.to);
    Span { to: next.fold(until, std::cmp::min).max(root.range.to), ..root.range }
}

/// A cause over the time for which its incident lasts.
pub(crate) fn felt(incidents: &[Incident], root: &Finding) -> Finding {
    let own = |incident: &&Incident| {
        let cause = incident.cause.as_ref();
        cause.is_some_and(|cause| cause.rule == root.rule && incident.range.from == root.range.from)
    };
    let range = incidents.iter().find(own).map_or(root.range, |incident| incident.range);
    Finding { range, ..root.clone() }
}

fn with_cause(
    recording: &Recording,
    stretches: &Stretches<'_>,
    whole: &Window<'_>,
    root: &Finding,
    range: Span,
) -> Incident {
    let cost = stretches.losses.sentence(whole, &Finding { range, ..root.clone() });
    let sentences: Vec<String> = std::iter::once(root.statement.clone()).chain(cost).collect();
    let losses = stretches.losses.in_stretch(whole, range, Some(root.rule));
    let suffers_most = cost::suffers_most(losses.iter().filter(|one| one.by_cause));
    let inside = cost::waits_inside(whole, root);
    // Who was killed lost no time.
    let killed = rules::by_id(root.rule).loss.filter(|loss| *loss == Loss::Killed);
    let killed = killed.and_then(|_| root.origins.iter().find(|origin| origin.as_group().is_some()));
    Incident {
        range,
        ongoing: ongoing(recording, range),
        cause: Some(roots::cause(recording, root)),
        statement: sentences.join(" "),
        victim: inside.or_else(|| suffers_most.map(|most| most.victim.clone())).or_else(|| killed.cloned()),
        losses,
        changes: changes::near(recording, root),
    }
}
