//! The ledger of lost time: who lost how much, to which account. It decides between kinds of causes, and closes the answer.

pub(crate) mod accounts;
pub(crate) mod blocked;
pub(crate) mod delays;
pub(crate) mod disk_load;
pub(crate) mod harm;
pub(crate) mod lost_time;
pub(crate) mod memory_waits;
pub(crate) mod quieter;
pub(crate) mod restarted;
pub(crate) mod slowed;
pub(crate) mod stalls;
pub(crate) mod standing;
pub(crate) mod suspended;
pub(crate) mod uncounted;
pub(crate) mod unexplained;
pub(crate) mod waits;
pub(crate) mod words;
pub(crate) mod writeback;

use crate::actors::newcomer;
use crate::ledger::accounts::{Split, booked, in_flight, usually_unexplained};
use crate::ledger::harm::{NOTICED, UNEXPLAINED_CPU, UNEXPLAINED_CPU_TIME};
use crate::ledger::lost_time::{KINDS, Margins, Pressure};
use crate::ledger::standing::Standing;
use crate::ledger::words::Words;
use crate::measure::amount::{Amount, Limit};
use crate::measure::window::{Window, intervals};
use pagetide_core::{Account, Booking, GroupLoss, Ledger, LostAt, Nanos, Span};

/// Points of the plot, at most.
const POINTS: usize = 240;

/// What the tasks of no group are called.
const HOST: &str = "host";

/// A group is named as findings name it.
fn name(group: Option<&str>) -> String {
    group.map_or_else(|| HOST.to_owned(), |group| format!("cgroup:{group}"))
}

/// The ledger of the stretch in which a group that ran before it lost most; where nobody lost notable time in any, that of what a group loses from start
/// to end. Absent where none lost time.
pub(crate) fn of(whole: &Window<'_>) -> Option<Ledger> {
    let mut all = lost_time::all(whole.recording, whole.episodes);
    let unusual = booked_of(whole, &mut all);
    if unusual.as_ref().is_some_and(alarming) {
        return unusual;
    }
    standing(whole, &all).filter(alarming).or(unusual)
}

/// The ledger of what a group loses from start to end to others, or to a device that is slow whatever it was before.
fn standing(whole: &Window<'_>, all: &[Pressure<'_>]) -> Option<Ledger> {
    let of = |pressure| {
        let standing = Standing::of(whole, pressure)?;
        let lost = |at| standing.booked(pressure, at).iter().sum::<f64>() * pressure.seconds(at);
        Some(((0..pressure.spans.len()).map(lost).sum::<f64>(), pressure, standing))
    };
    let (_, pressure, standing) = all.iter().filter_map(of).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let stretch = 0..pressure.spans.len();
    let range = pressure.span(&stretch)?;
    let words = Words { during: whole.over(range), group: pressure.group, disk: standing.disk };
    Some(entered(pressure, (stretch, range), &words, |at| standing.booked(pressure, at), Vec::new()))
}

/// The same of the tasks that are in no group; absent where no group was recorded.
pub(crate) fn of_rest(whole: &Window<'_>) -> Option<Ledger> {
    booked_of(whole, &mut [lost_time::rest(whole.recording, whole.episodes)?])
}

fn booked_of(whole: &Window<'_>, all: &mut [Pressure<'_>]) -> Option<Ledger> {
    let settled = all.iter_mut().enumerate().filter_map(|(nth, pressure)| {
        let stretch = pressure.settle()?;
        if pressure.span(&stretch).is_some_and(|range| quieter::ends_its_work(whole, range)) {
            return None;
        }
        pressure.ran_before(stretch.start).then(|| (pressure.lost_seconds(stretch.clone()), stretch, nth))
    });
    let (_, stretch, nth) = settled.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let pressure = &all[nth];
    let range = pressure.span(&stretch)?;
    let calm = pressure.calm(whole.recording, range);
    let split = Split::of(whole, pressure, range, calm);
    let in_flight = in_flight(whole, split.disk, pressure);
    let usual = usually_unexplained(pressure, calm, &in_flight);
    let of = |at: usize| booked(pressure, at, &split, (in_flight[at], usual));
    let words = Words { during: whole.over(range), group: pressure.group, disk: split.disk };
    let mut groups: Vec<GroupLoss> = all.iter().filter_map(|pressure| loss(pressure, range)).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.lost_ns));
    Some(entered(pressure, (stretch, range), &words, of, groups))
}

/// The ledger of a group: what each of its intervals is booked to, summed over a stretch, and over time.
fn entered(
    pressure: &Pressure<'_>,
    (stretch, range): (std::ops::Range<usize>, Span),
    words: &Words<'_>,
    of: impl Fn(usize) -> [f64; 6],
    groups: Vec<GroupLoss>,
) -> Ledger {
    let mut sums = [0.0; 6];
    for at in stretch {
        let seconds = pressure.seconds(at);
        sums.iter_mut().zip(of(at)).for_each(|(sum, share)| *sum += share * seconds);
    }
    let lost: f64 = sums.iter().sum();
    let mut bookings: Vec<Booking> = Account::ALL
        .into_iter()
        .zip(sums)
        .map(|(account, seconds)| words.booking(account, ns(seconds)))
        .filter(|booking| booking.lost_ns > 0)
        .collect();
    bookings.sort_by_key(|booking| std::cmp::Reverse(booking.lost_ns));
    let every = pressure.spans.len().div_ceil(POINTS).max(1);
    let point = |from: usize| {
        let to = (from + every).min(pressure.spans.len());
        let all: Vec<[f64; 6]> = (from..to).map(&of).collect();
        let mean = |booking: &Booking| {
            let index = Account::ALL.iter().position(|account| *account == booking.account).unwrap_or(0);
            all.iter().map(|shares| shares[index]).sum::<f64>() / all.len() as f64
        };
        LostAt { at_ns: pressure.spans[to - 1].to.ns(), shares: bookings.iter().map(mean).collect() }
    };
    let over_time = (0..pressure.spans.len()).step_by(every).map(point).collect();
    let share = lost / (range.length().as_f64() / 1e9).max(f64::MIN_POSITIVE);
    Ledger { range, by: name(pressure.group), lost_ns: ns(lost), share, bookings, groups, over_time }
}

/// Whether a ledger is of what a group loses from start to end: any other begins after the samples in which the recorder starts.
pub(crate) fn lasts(whole: &Window<'_>, ledger: &Ledger) -> bool {
    ledger.range.from <= whole.span.from
}

/// What a group lost in a stretch; absent where it lost nothing.
fn loss(pressure: &Pressure<'_>, range: pagetide_core::Span) -> Option<GroupLoss> {
    let within = pressure.within(range);
    let lost = pressure.lost_seconds(within.clone());
    let to = |kind: usize| within.clone().map(|at| pressure.excess(at)[kind] * pressure.seconds(at)).sum::<f64>();
    let to =
        KINDS.into_iter().enumerate().map(|(kind, resource)| (resource, ns(to(kind)))).filter(|(_, lost)| *lost > 0);
    let newcomer = !pressure.ran_before(within.start);
    (lost > 0.0).then(|| GroupLoss { by: name(pressure.group), newcomer, lost_ns: ns(lost), to: to.collect() })
}

fn ns(seconds: f64) -> u64 {
    Amount::<Nanos>::new((seconds * 1e9).max(0.0)).nanos().get()
}

/// The time that has to be lost for the ledger to decide.
pub(crate) const LOST: Limit<Nanos> = Limit::new(
    "time lost to one account, at least, for it to decide",
    0.5e9,
    "Anything shorter is a burst.",
    "judgement",
);
/// The time that a group has to lose in the queue of a device, or for no known cause, to be reported.
pub(crate) const UNOWNED: Limit<Nanos> = Limit::new(
    "time that a group loses in the queue of a device, or without a known cause",
    2e9,
    "Anything shorter is a burst.",
    "judgement",
);

/// Whether a service lost time that a person notices and that is not its own additional work. Short waits for a CPU occur on every busy host.
pub(crate) fn alarming(ledger: &Ledger) -> bool {
    let length = ledger.range.length().as_f64();
    notably(ledger, &[Account::ReadAgain, Account::Load, Account::Device, Account::Unexplained])
        || ledger.booked(Account::Cpu) as f64 >= (length * UNEXPLAINED_CPU.get()).max(UNEXPLAINED_CPU_TIME.get())
}

/// Whether the lost time is that of a group, and not of the host.
pub(crate) fn of_service(ledger: &Ledger) -> bool {
    ledger.by != HOST
}

/// Whether a service lost time that a person notices, to whatever account: nothing is certain to be well then.
pub(crate) fn disturbed(ledger: &Ledger) -> bool {
    of_service(ledger) && notably(ledger, &Account::ALL)
}

/// Whether a person notices what was lost to some accounts.
fn notably(ledger: &Ledger, accounts: &[Account]) -> bool {
    let lost: u64 = accounts.iter().map(|account| ledger.booked(*account)).sum();
    lost as f64 >= noticeable(ledger.range).get()
}

/// The time lost in a stretch that a person notices.
pub(crate) fn noticeable(range: Span) -> Amount<Nanos> {
    Amount::new((range.length().as_f64() * NOTICED.get()).max(UNOWNED.get()))
}

/// The ledger of a step in what tasks wait, which nothing that a finding is about accounts for; absent where there is none.
pub(crate) fn unowned_step(whole: &Window<'_>, ledger: Option<&Ledger>, explained: &[Span]) -> Option<Ledger> {
    let counts = |ledger: &Ledger| is_unowned_step(whole, ledger, explained);
    ledger.filter(|ledger| counts(ledger)).cloned().or_else(|| of_rest(whole).filter(counts))
}

/// Whether a ledger is of such a step. Of a service all lost time counts that is not its own work. Of the host, and of tasks in no group, only what no
/// queue shows: jbd2, kworkers and programs that read for themselves wait for requests in flight.
pub(crate) fn is_unowned_step(whole: &Window<'_>, ledger: &Ledger, explained: &[Span]) -> bool {
    // What lasts from the start is no step: nobody knows what was before.
    let first = whole.span.from.later(intervals(whole.recording, Margins::of(whole.recording).before() as u64));
    let lost = if of_service(ledger) {
        alarming(ledger)
    } else {
        notably(ledger, &[Account::Device, Account::Unexplained]) && !newcomer::alone(&whole.over(ledger.range))
    };
    lost && ledger.range.from >= first && !explained.iter().any(|known| known.overlaps(ledger.range))
}

/// Whether a service lost so much that an answer begins with it.
pub(crate) fn noticed(ledger: &Ledger) -> bool {
    ledger.lost_ns as f64 >= LOST.get()
}
