//! The ledger as the arbiter between kinds of causes: within one account the rules decide, between accounts the seconds.

use crate::ledger::accounts::of_rule;
use crate::ledger::harm::NOTICED;
use crate::ledger::words::UNEXPLAINED;
use crate::ledger::{self, LOST, UNOWNED};
use crate::measure::amount::{Count, Limit};
use crate::rules::contract::{Loss, Role};
use crate::rules::{self, subsumes};
use pagetide_core::{Account, Finding, Ledger, Ratio, Recording, RuleId, Table, Threshold};

/// What the ledger says of the cause that the rules name first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// Both name one account, or so little was lost that the rules alone decide.
    Agrees,
    /// Most was lost to another account, which no finding explains.
    Differs,
    /// Nearly all was lost while no device had a request, or to what first reads do not cost, and the finding explains next to none of it.
    Unowned,
    /// Most was lost to another account: this finding explains it.
    Instead(usize),
}

/// How much more.
const MORE: Limit<Count> = Limit::new(
    "time lost to the largest account, relative to the cause's account, at least, to name another cause",
    2.0,
    "The split of one account is no more precise.",
    "judgement",
);

/// How much more it is where the cause explains next to nothing.
const NONE: Limit<Count> = Limit::new(
    "time lost while no device had a request, relative to the cause's account, at least, to reject the cause",
    4.0,
    "A fourth of the time may belong to the same loss.",
    "judgement",
);

/// How little is hard to tell from the ordinary waits of a service.
const LITTLE: Limit<Ratio> = Limit::new(
    "lost time of the service that lost most, as a share of the cause's time, at least, for strong evidence",
    NOTICED.get(),
    "Users notice a service that is a tenth slower. Of less nobody can say whether that was the trouble.",
    "judgement",
);

/// The same of waits for a CPU, of which there are many short ones.
const LITTLE_CPU: Limit<Ratio> = Limit::new(
    "time that the service lost to waits for a CPU, as a share of the cause's time, at least, for strong evidence that CPUs are the limit",
    0.2,
    "A service that asks for its next request when it has answered one still does four fifths of them, and one with idle time between them does all.",
    "judgement",
);

/// The sides between which seconds decide: more requests and longer ones are one load on a device.
const SIDES: [&[Account]; 5] =
    [&[Account::ReadAgain], &[Account::Load, Account::OwnWork], &[Account::Device], &[Account::Unexplained], CPU];
/// Waits for a CPU decide only where all others are a burst, or nothing beside them.
const CPU: &[Account] = &[Account::Cpu];

fn lost(ledger: &Ledger, side: &[Account]) -> u64 {
    side.iter().map(|account| ledger.booked(*account)).sum()
}

/// By how much they have to outweigh what is no burst.
const OUTWEIGHS: Limit<Count> = Limit::new(
    "time lost to waits for a CPU, relative to the largest other account, at least, to decide beside it",
    10.0,
    "Whoever reads, writes and reclaims computes meanwhile, and lets others wait for that: as long as for the rest, and not ten times as long.",
    "judgement",
);

/// The side to which most was lost, where it was enough to decide.
fn leader(ledger: &Ledger) -> Option<&'static [Account]> {
    let stalls = SIDES.into_iter().filter(|side| *side != CPU);
    let least = LOST.get().max(lost(ledger, CPU) as f64 / OUTWEIGHS.get());
    let most = stalls.max_by_key(|side| lost(ledger, side)).filter(|side| lost(ledger, side) as f64 >= least);
    let side = most.unwrap_or(CPU);
    let length = ledger.range.length().get() as f64;
    let enough = lost(ledger, side) as f64 >= (length * NOTICED.get()).max(LOST.get());
    enough.then_some(side)
}

/// The accounts to which most was lost, and how much, where that is enough to decide.
pub(crate) fn most_lost(ledger: &Ledger) -> Option<(&'static [Account], u64)> {
    leader(ledger).map(|side| (side, lost(ledger, side)))
}

/// Whether a rule explains losses of a side.
fn explains(rule: RuleId, side: &[Account]) -> bool {
    let also: &[Account] = match rule {
        // A working set that does not fit reads for the first time and again, and its reads are the queue.
        RuleId::WorkingSetExceedsCache | RuleId::ReplayedSequence => &[Account::Load],
        // Throttled writers sleep while the disk may rest.
        RuleId::DirtyThrottled => &[Account::Unexplained],
        // A group at its limit evicts what it reads itself; what was dropped is read again without a refault.
        RuleId::CgroupLimit | RuleId::MemoryHigh | RuleId::CachesDropped => &[Account::Load],
        // First reads into a full cache wait for its reclaim.
        RuleId::ColdCache => &[Account::ReadAgain],
        // A stream reads from the device for whose pages others wait.
        RuleId::StreamFloodsCache => &[Account::Load],
        // A device that takes longer has a queue.
        RuleId::DeviceSlow => &[Account::Load],
        RuleId::LatencyBound => &[Account::Device],
        // Before the kernel kills a process, it reclaims what it can.
        RuleId::OomKill => &[Account::ReadAgain],
        _ => &[],
    };
    of_rule(rule).is_some_and(|own| side.contains(&own)) || also.iter().any(|account| side.contains(account))
}

/// What the ledger says of the first root.
pub(crate) fn rule(recording: &Recording, ledger: &Ledger, findings: &[Finding], root: &Finding) -> Ruling {
    let Some(side) = leader(ledger) else { return Ruling::Agrees };
    if !root.range.overlaps(ledger.range) {
        return Ruling::Agrees;
    }
    let Some(own) = of_rule(root.rule) else {
        let loop_of_kills =
            root.rule == RuleId::OomKill && !explains(root.rule, side) && killed_before(recording, ledger);
        let instead = || place(recording, ledger, findings, side).map(Ruling::Instead);
        return Some(loop_of_kills).filter(|is| *is).and_then(|_| instead()).unwrap_or(Ruling::Agrees);
    };
    if explains(root.rule, side) {
        return of_right_disk(recording, ledger, findings, root, side).map_or(Ruling::Agrees, Ruling::Instead);
    }
    let booked = SIDES.into_iter().find(|side| side.contains(&own)).map_or(0, |side| lost(ledger, side));
    if booked as f64 * MORE.get() > lost(ledger, side) as f64 {
        return Ruling::Agrees;
    }
    let place = place(recording, ledger, findings, side);
    let best = place.map(|place| &findings[place]);
    // Of a program that reads and writes, its CPU time is a part of that; and what grows or was dropped harms later.
    let kept = |best: &Finding| best.origins.first_command() == root.origins.first_command();
    if side == CPU && (rules::by_id(root.rule).loss.is_none() || best.is_none_or(kept)) {
        return Ruling::Agrees;
    }
    let own = booked.max(ledger.booked(own));
    // First reads of one program keep nobody else waiting but in the queue of their disk.
    let elsewhere = side.contains(&Account::Unexplained) || is_of_first_reads(root.rule);
    let unowned = elsewhere && own as f64 * NONE.get() <= lost(ledger, side) as f64;
    place.map_or(if unowned { Ruling::Unowned } else { Ruling::Differs }, Ruling::Instead)
}

/// Whether a rule is about files that a program reads for the first time.
const fn is_of_first_reads(rule: RuleId) -> bool {
    matches!(rule, RuleId::ColdCache | RuleId::ChangedWorkingSet)
}

/// Whether services lost next to nothing for as long as a finding lasts, which ended no process.
pub(crate) fn is_little(ledger: &Ledger, finding: &Finding) -> bool {
    let waits = rules::by_id(finding.rule).loss != Some(Loss::Killed);
    // A limit that was lowered is a moment; what was lost since is of all that time.
    let length = finding.range.length().max(ledger.range.length()).get() as f64;
    let computes = of_rule(finding.rule) == Some(Account::Cpu) && ledger.booked(Account::Cpu) >= ledger.lost_ns / 2;
    let little = if computes && ledger::of_service(ledger) { LITTLE_CPU } else { LITTLE };
    waits && finding.range.overlaps(ledger.range) && (ledger.lost_ns as f64) < length * little.get()
}

const ELSEWHERE: Limit<Ratio> = Limit::new(
    "share of the lost time that waits for a CPU take, at least, beside which no other cause of waits is strong",
    0.75,
    "Most of what services felt was another wait.",
    "judgement",
);

/// Whether services waited for a CPU while a finding lasts, and hardly for what it explains.
pub(crate) fn is_minor(ledger: &Ledger, finding: &Finding) -> bool {
    let waits = rules::by_id(finding.rule).loss.is_some_and(|loss| loss != Loss::Killed);
    let for_cpu = ledger.booked(Account::Cpu) as f64 >= ledger.lost_ns as f64 * ELSEWHERE.get();
    waits && !explains(finding.rule, CPU) && finding.range.overlaps(ledger.range) && for_cpu
}

/// The surest finding of the time lost that explains the losses of a side, by its place.
fn place(recording: &Recording, ledger: &Ledger, findings: &[Finding], side: &[Account]) -> Option<usize> {
    let fits = |finding: &&Finding| {
        !is_of_first_reads(finding.rule)
            && of_rule(finding.rule).is_some()
            && rules::role(finding) <= Role::Effect
            && finding.range.overlaps(ledger.range)
            && explains(finding.rule, side)
    };
    let mut fitting: Vec<&Finding> = findings.iter().filter(fits).collect();
    // An effect stands for the cause of its account only where none was found.
    if fitting.iter().any(|finding| rules::role(finding) == Role::Cause) {
        fitting.retain(|finding| rules::role(finding) == Role::Cause);
    }
    let best = surest(recording, &fitting)?;
    findings.iter().position(|finding| finding == best)
}

/// Whether the OOM killer ended processes before any time was lost, as it goes on to do: a group that always comes to its limit.
fn killed_before(recording: &Recording, ledger: &Ledger) -> bool {
    let Some(series) = recording.series(Table::Host, "", "oom_kill") else { return false };
    let mut before = series.points().take_while(|(at, _)| *at <= ledger.range.from.ns()).map(|(_, kills)| kills);
    before.next().zip(before.last()).is_some_and(|(first, last)| last > first)
}

/// The finding about the disk for which most was waited, where the cause is about another one: what reads a disk of its own harms nobody there.
fn of_right_disk(
    recording: &Recording,
    ledger: &Ledger,
    findings: &[Finding],
    root: &Finding,
    side: &[Account],
) -> Option<usize> {
    let of_side = |booking: &&pagetide_core::Booking| side.contains(&booking.account) && booking.on.is_some();
    let most = ledger.bookings.iter().filter(of_side).max_by_key(|booking| booking.lost_ns)?;
    let disk = most.on.as_deref()?.strip_prefix("disk:").filter(|disk| !is_layered(disk))?;
    let disks = |finding: &Finding| -> Vec<String> {
        finding.origins.iter().filter_map(|actor| actor.as_disk().map(ToOwned::to_owned)).collect()
    };
    let own = disks(root);
    if own.is_empty() || own.iter().any(|own| own == disk || is_layered(own)) {
        return None;
    }
    let fits = |finding: &&Finding| {
        rules::role(finding) == Role::Cause
            && finding.range.overlaps(ledger.range)
            && explains(finding.rule, side)
            && disks(finding).iter().any(|own| own == disk)
    };
    let fitting: Vec<&Finding> = findings.iter().filter(fits).collect();
    let best = surest(recording, &fitting)?;
    findings.iter().position(|finding| finding == best)
}

/// The finding with the best evidence of those that no other accounts for.
fn surest<'a>(recording: &Recording, findings: &[&'a Finding]) -> Option<&'a Finding> {
    let is_first =
        |finding: &&&Finding| !findings.iter().any(|other| other != *finding && subsumes(recording, other, finding));
    let first = findings.iter().filter(is_first);
    first.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get())).copied()
}

/// Whether a device passes its requests on, to disks or to memory.
pub(crate) fn is_layered(disk: &str) -> bool {
    ["dm-", "md", "loop", "zram"].iter().any(|kind| disk.starts_with(kind))
}

/// The lost time that advice can give back at most: what is booked to the sides that its rule explains.
pub(crate) fn gives_back(ledger: &Ledger, finding: &Finding) -> Option<u64> {
    let explained = SIDES.into_iter().filter(|side| explains(finding.rule, side));
    let lost = explained.map(|side| lost(ledger, side)).sum();
    (lost > 0 && finding.range.overlaps(ledger.range)).then_some(lost)
}

/// The ledger with what a finding explains of it.
pub(crate) fn attributed(ledger: &Ledger, finding: &Finding) -> Ledger {
    let mut ledger = ledger.clone();
    let overlaps = finding.range.overlaps(ledger.range);
    for booking in &mut ledger.bookings {
        let mut sides = SIDES.into_iter().filter(|side| side.contains(&booking.account));
        booking.by_cause = overlaps && sides.any(|side| explains(finding.rule, side));
        if booking.by_cause
            && let Some(known) = booking.words.strip_prefix(UNEXPLAINED)
        {
            booking.words = known.to_owned();
        }
    }
    ledger
}

/// The numbers that decide.
pub(crate) const THRESHOLDS: [Threshold; 8] = [
    LOST.doc(),
    MORE.doc(),
    NONE.doc(),
    LITTLE.doc(),
    LITTLE_CPU.doc(),
    OUTWEIGHS.doc(),
    ELSEWHERE.doc(),
    UNOWNED.doc(),
];

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Actor, Booking, Column, Confidence, Kind, Moment, RecordingBuilder, Span, Stamp, Unit};

    const RANGE: Span = Span { from: Moment::new(0), to: Moment::new(60_000_000_000) };

    fn finding(rule: RuleId, disk: &str) -> Finding {
        Finding {
            rule,
            statement: String::new(),
            origins: [Actor::disk(disk)].into(),
            step: None,
            range: RANGE,
            confidence: Confidence::new(0.95),
            evidence: Vec::new(),
            contradictions: Vec::new(),
            advice: Vec::new(),
        }
    }

    #[test]
    fn waits_for_a_cpu_are_little_below_a_fifth_of_the_time_and_others_below_a_twentieth() {
        let little = |rule: RuleId, account: Account, percent: u64| {
            let lost_ns = RANGE.length().get() / 100 * percent;
            let ledger = Ledger {
                range: RANGE,
                by: "cgroup:/app".to_owned(),
                lost_ns,
                share: percent as f64 / 100.0,
                bookings: vec![Booking { account, lost_ns, on: None, by_cause: false, words: String::new() }],
                groups: Vec::new(),
                over_time: Vec::new(),
            };
            let of = |range| Finding { range, ..finding(rule, "vdb") };
            // However short what the finding is of: the time was lost over all of the ledger's.
            let moment = Span { to: Moment::new(RANGE.from.ns() + 1), ..RANGE };
            assert_eq!(is_little(&ledger, &of(moment)), is_little(&ledger, &of(RANGE)));
            is_little(&ledger, &of(RANGE))
        };
        assert!(little(RuleId::CpuBound, Account::Cpu, 15));
        assert!(!little(RuleId::CpuBound, Account::Cpu, 30));
        assert!(!little(RuleId::DeviceSaturated, Account::Load, 15));
        assert!(!little(RuleId::CpuBound, Account::Load, 15), "most of it was waits for a disk");
        // What takes memory costs others their time.
        assert!(little(RuleId::AnonymousGrowth, Account::ReadAgain, 4));
        assert!(!little(RuleId::AnonymousGrowth, Account::ReadAgain, 15));
        assert!(!little(RuleId::OomKill, Account::ReadAgain, 4), "a program ended");
    }

    #[test]
    fn waits_for_a_cpu_decide_beside_others_that_are_next_to_nothing() {
        let leads = |others: u64| {
            let booking =
                |account, lost_ns| Booking { account, lost_ns, on: None, by_cause: false, words: String::new() };
            let ledger = Ledger {
                range: RANGE,
                by: "cgroup:/app".to_owned(),
                lost_ns: 30_000_000_000 + others,
                share: 0.5,
                bookings: vec![booking(Account::Cpu, 30_000_000_000), booking(Account::OwnWork, others)],
                groups: Vec::new(),
                over_time: Vec::new(),
            };
            most_lost(&ledger).map(|(side, _)| side)
        };
        assert_eq!(leads(1_000_000_000), Some(CPU));
        assert_ne!(leads(5_000_000_000), Some(CPU), "who computes for what it reads waits for a CPU as well");
    }

    #[test]
    fn a_device_is_not_surely_why_where_services_mostly_waited_for_a_cpu() {
        let minor = |rule: RuleId, cpu: u64| {
            let booking =
                |account, lost_ns| Booking { account, lost_ns, on: None, by_cause: false, words: String::new() };
            let ledger = Ledger {
                range: RANGE,
                by: "cgroup:/app".to_owned(),
                lost_ns: 100,
                share: 0.1,
                bookings: vec![booking(Account::Cpu, cpu), booking(Account::Load, 100 - cpu)],
                groups: Vec::new(),
                over_time: Vec::new(),
            };
            is_minor(&ledger, &finding(rule, "vdb"))
        };
        assert!(minor(RuleId::DeviceSaturated, 87));
        assert!(!minor(RuleId::DeviceSaturated, 60), "a third and more was lost to the device");
        assert!(!minor(RuleId::CpuBound, 87), "it is why");
        assert!(!minor(RuleId::AnonymousGrowth, 87), "it costs others their cache, whatever they wait for");
    }

    #[test]
    fn what_reads_a_disk_of_its_own_is_not_why_a_service_waits_for_another() {
        let recording = RecordingBuilder::new(pagetide_core::Manifest::default()).finish();
        let booking = |on: &str| Booking {
            account: Account::Load,
            lost_ns: 30_000_000_000,
            on: Some(format!("disk:{on}")),
            by_cause: false,
            words: String::new(),
        };
        let ruled = |waited_for: &str, cold: &str, loaded: &str| {
            let ledger = Ledger {
                range: RANGE,
                by: "cgroup:/app".to_owned(),
                lost_ns: 30_000_000_000,
                share: 0.5,
                bookings: vec![booking(waited_for)],
                groups: Vec::new(),
                over_time: Vec::new(),
            };
            let all = [finding(RuleId::ColdCache, cold), finding(RuleId::NoisyNeighbour, loaded)];
            rule(&recording, &ledger, &all, &all[0])
        };
        assert_eq!(ruled("vdb", "vdc", "vdb"), Ruling::Instead(1));
        assert_eq!(ruled("vdb", "vdb", "vdb"), Ruling::Agrees, "it reads the disk that is waited for");
        assert_eq!(ruled("vdb", "vdc", "vdc"), Ruling::Agrees, "no finding is about that disk");
        assert_eq!(ruled("vdb", "dm-0", "vdb"), Ruling::Agrees, "vdb may be below it");
    }

    #[test]
    fn kills_in_a_loop_are_not_the_cause_of_what_another_group_waits_for() {
        const RANGE: Span = Span { from: Moment::new(40_000_000_000), to: Moment::new(90_000_000_000) };
        let ruled = |first_kill: i64, account: Account| {
            let mut builder = RecordingBuilder::new(pagetide_core::Manifest::default());
            let column = Column { name: "oom_kill".to_owned(), kind: Kind::Counter, unit: Unit::Count };
            for at in 0..90 {
                builder.stamp(Stamp { boot_ns: at * 1_000_000_000, ..Stamp::default() });
                builder.value(Table::Host, "", &column, (at + 8 - first_kill).max(0) / 8);
            }
            let booking = Booking {
                account,
                lost_ns: 30_000_000_000,
                on: Some("disk:vdb".to_owned()),
                by_cause: false,
                words: String::new(),
            };
            let ledger = Ledger {
                range: RANGE,
                by: "cgroup:/app".to_owned(),
                lost_ns: 30_000_000_000,
                share: 0.6,
                bookings: vec![booking],
                groups: Vec::new(),
                over_time: Vec::new(),
            };
            let all =
                [RuleId::OomKill, RuleId::DeviceSlow].map(|rule| Finding { range: RANGE, ..finding(rule, "vdb") });
            rule(&builder.finish(), &ledger, &all, &all[0])
        };
        assert_eq!(ruled(10, Account::Device), Ruling::Instead(1));
        assert_eq!(ruled(44, Account::Device), Ruling::Agrees, "nobody was killed before");
        assert_eq!(ruled(10, Account::ReadAgain), Ruling::Agrees, "before it kills, the kernel reclaims");
    }
}
