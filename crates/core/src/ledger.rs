//! The ledger of an incident: the time that tasks lost, booked to accounts.

use crate::quantity::{Quantity, Unit};
use crate::resource::Resource;
use crate::span::Span;
use serde::{Deserialize, Serialize};

/// What the lost time is booked to. Between accounts the seconds decide which cause is named first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Account {
    /// Pages that were evicted or swapped out and are read again, and the reclaim that tasks wait for.
    ReadAgain,
    /// Requests of others before theirs: a queue, writeback, commits, a neighbour.
    Load,
    /// A device that takes longer for the same requests.
    Device,
    /// The CPUs: other tasks on them, more work of their own, or a limit of CPU time.
    Cpu,
    /// More requests of their own, at the speed that the device had.
    OwnWork,
    /// Waits for IO during which no device had a request, or whose device was not recorded.
    Unexplained,
}

impl Account {
    /// All accounts, in the order in which they are stacked.
    pub const ALL: [Self; 6] = [Self::ReadAgain, Self::Load, Self::Device, Self::Cpu, Self::OwnWork, Self::Unexplained];

    /// Its name where a plot or a table has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadAgain => "memory: refaults, swap, reclaim",
            Self::Load => "device queue",
            Self::Device => "slow device",
            Self::Cpu => "CPU",
            Self::OwnWork => "own requests",
            Self::Unexplained => "unexplained",
        }
    }
}

/// Lost time that is booked to an account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Booking {
    /// The account.
    pub account: Account,
    /// The time lost, ns.
    pub lost_ns: u64,
    /// The device, `disk:NAME`, or the limit of IO that the group reached, `limit:SETTING`, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Whether the cause that the diagnosis names explains it.
    #[serde(default)]
    pub by_cause: bool,
    /// What the tasks waited for, as it follows the time.
    pub words: String,
}

impl Booking {
    /// What tasks waited for, where a plot or a table has it: the account, or the limit that explains what no device does.
    pub fn name(&self) -> &'static str {
        let limited = self.on.as_deref().is_some_and(|on| on.starts_with("limit:"));
        if limited { "IO limit" } else { self.account.name() }
    }

    /// The time, and what the tasks waited for.
    fn amount(&self) -> String {
        format!("{} {}", time(self.lost_ns), self.words)
    }
}

/// The time that the tasks of a group lost, beyond what they usually wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupLoss {
    /// Whose tasks: `cgroup:PATH`; `host` where no group was recorded.
    pub by: String,
    /// Whether the group did nothing before the stretch: it waits for its own work.
    pub newcomer: bool,
    /// The time lost, ns: tasks that wait for several things at once are counted once.
    pub lost_ns: u64,
    /// The same by what they waited for; a task that reads an evicted page waits for memory and for IO.
    pub to: Vec<(Resource, u64)>,
}

/// Lost time in one interval, by account, as shares of the interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LostAt {
    /// When the interval ends, ns on the recording's axis.
    pub at_ns: i64,
    /// The share of the interval that is booked to each account of [`Ledger::bookings`], in its order.
    pub shares: Vec<f64>,
}

/// Who lost time from when to when, and to what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// From when to when.
    pub range: Span,
    /// The group that lost most of those that ran before: `cgroup:PATH`, or `host`.
    pub by: String,
    /// The time that it lost, ns.
    pub lost_ns: u64,
    /// The same as a share of the stretch.
    pub share: f64,
    /// What its lost time is booked to; the largest first. Together they are `lost_ns`.
    pub bookings: Vec<Booking>,
    /// All groups that lost time in the stretch; the largest loss first.
    pub groups: Vec<GroupLoss>,
    /// Its lost time over the recording, by account.
    pub over_time: Vec<LostAt>,
}

impl Ledger {
    /// The time booked to an account, ns.
    pub fn booked(&self, account: Account) -> u64 {
        self.bookings.iter().filter(|one| one.account == account).map(|one| one.lost_ns).sum()
    }

    /// Who lost it, as people call it: the last part of a group's path.
    pub fn who(&self) -> &str {
        match self.by.strip_prefix("cgroup:") {
            Some(path) => path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(path),
            None => "tasks of the host",
        }
    }

    /// Whether it is of the worst part of a cause's time only, less than half of it: tasks lost time in the rest as well.
    pub fn is_part_of(&self, cause: Span) -> bool {
        cause.overlaps(self.range) && self.range.length().get().saturating_mul(2) < cause.length().get()
    }

    /// How much was lost, by whom and to what: what the cause explains, and the rest. `when` is the stretch in words: "from 21:38:50 to 21:39:35".
    pub fn sentence(&self, when: &str) -> String {
        let (own, rest): (Vec<&Booking>, Vec<&Booking>) = self.bookings.iter().partition(|booking| booking.by_cause);
        let (own, rest) = (self.shown(&own), self.shown(&rest));
        let share = Quantity::new(self.share, Unit::Ratio);
        let lost = format!("{} lost {when} ({share} of the time), by {}", time(self.lost_ns), self.who());
        let list = |parts: &[&Booking]| parts.iter().map(|part| part.amount()).collect::<Vec<_>>().join("; ");
        match (own.as_slice(), rest.as_slice()) {
            ([], []) => format!("{lost}."),
            ([only], []) | ([], [only]) => format!("{lost}, {} of it {}.", self.nearly_all(only), only.words),
            (parts, []) | ([], parts) => format!("{lost}: {}.", list(parts)),
            ([only], rest) => {
                let own = time(only.lost_ns);
                format!("{lost}. The cause accounts for {own} of it, spent {}. The rest: {}.", only.words, list(rest))
            }
            (own, rest) => {
                let all = time(self.bookings.iter().filter(|one| one.by_cause).map(|one| one.lost_ns).sum());
                format!("{lost}. The cause accounts for {all} of it: {}. The rest: {}.", list(own), list(rest))
            }
        }
    }

    /// Those of some bookings that are not too small to tell from others; all where none is: a fiftieth of the time is below what separates the
    /// accounts.
    fn shown<'a>(&self, all: &[&'a Booking]) -> Vec<&'a Booking> {
        let large: Vec<&Booking> = all.iter().copied().filter(|one| one.lost_ns >= self.lost_ns / 50).collect();
        if large.is_empty() && all.iter().any(|one| one.by_cause) { all.to_vec() } else { large }
    }

    /// How much of the time the only booking that is shown is: amounts that print alike are one.
    fn nearly_all(&self, only: &Booking) -> &'static str {
        if time(only.lost_ns) == time(self.lost_ns) { "all" } else { "nearly all" }
    }
}

/// A time as people read it.
fn time(ns: u64) -> String {
    Quantity::new(ns as f64, Unit::Nanos).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_of_less_than_half_of_a_cause_is_of_its_worst_part() {
        let ledger = |from, to| Ledger {
            range: Span::new(from, to),
            by: "host".to_owned(),
            lost_ns: 0,
            share: 0.0,
            bookings: Vec::new(),
            groups: Vec::new(),
            over_time: Vec::new(),
        };
        let cause = Span::new(0, 88);
        assert!(ledger(59, 68).is_part_of(cause));
        assert!(!ledger(40, 88).is_part_of(cause), "most of it");
        assert!(!ledger(90, 99).is_part_of(cause), "that is another time");
    }

    #[test]
    fn what_the_cause_does_not_explain_is_named_and_no_amount_is_said_twice() {
        let told = |bookings: &[(u64, bool, &str)]| {
            let booking = |(seconds, by_cause, words): &(u64, bool, &str)| Booking {
                account: Account::Cpu,
                lost_ns: seconds * 100_000_000,
                on: None,
                by_cause: *by_cause,
                words: (*words).to_owned(),
            };
            let bookings: Vec<Booking> = bookings.iter().map(booking).collect();
            let ledger = Ledger {
                range: Span::new(0, 60_000_000_000),
                by: "cgroup:/sys/fs/cgroup/db".to_owned(),
                lost_ns: bookings.iter().map(|one| one.lost_ns).sum(),
                share: 0.7,
                bookings,
                groups: Vec::new(),
                over_time: Vec::new(),
            };
            ledger.sentence("in 60 s").split_once("by db").unwrap().1.to_owned()
        };
        let (queue, own, cpu) = ("in the queue of vdb", "on its own added requests to vdb", "waiting for a CPU");
        assert_eq!(
            told(&[(300, true, queue), (20, true, own)]),
            ": 30 s in the queue of vdb; 2 s on its own added requests to vdb."
        );
        assert_eq!(
            told(&[(300, true, queue), (120, false, cpu)]),
            ". The cause accounts for 30 s of it, spent in the queue of vdb. The rest: 12 s waiting for a CPU."
        );
        assert_eq!(
            told(&[(120, false, cpu), (20, true, queue), (10, true, own)]),
            ". The cause accounts for 3 s of it: 2 s in the queue of vdb; 1 s on its own added requests to vdb. The rest: 12 s waiting for \
             a CPU."
        );
        assert_eq!(told(&[(120, false, cpu)]), ", all of it waiting for a CPU.");
        assert_eq!(told(&[(400, true, queue), (1, false, cpu)]), ", nearly all of it in the queue of vdb.");
        assert_eq!(
            told(&[(400, false, cpu), (1, true, queue)]),
            ". The cause accounts for 100 ms of it, spent in the queue of vdb. The rest: 40 s waiting for a CPU."
        );
    }
}
