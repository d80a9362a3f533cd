//! What groups lose from the start of a recording to its end, where no time shows what was usual: the part of their waits that is the doing of others or
//! of the device. It is told by who sends the requests that a disk is full of, who uses the CPUs, and how long a disk takes for each request.

use crate::actors::group;
use crate::evidence::threshold::{BEHIND, IDLE, MECHANICAL, SATURATED};
use crate::ledger::harm::UNEXPLAINED_CPU;
use crate::ledger::lost_time::Pressure;
use crate::measure::amount::{Amount, Count, Limit, Per};
use crate::measure::window::Window;
use pagetide_core::{Bytes, Nanos, Ratio, Table, Threshold, derived};

/// Requests whose time is that of a seek.
const SMALL: Limit<Bytes> = Limit::new(
    "bytes per request, at most, to compare its time with a seek",
    65536.0,
    "Larger ones take long where bandwidth is the limit.",
    "judgement",
);
/// What a seek takes.
const SEEK: Limit<Nanos> = Limit::new(
    "time of a request that is a seek, beyond which a slow device keeps tasks waiting",
    15e6,
    "A seek and half a rotation at 7200 rpm take 13 ms on average.",
    "physics of disks",
);

/// The parts of the waits of a group that are not its own doing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing<'a> {
    /// The disk that it waits for.
    pub(crate) disk: Option<&'a str>,
    /// Of its waits for IO: behind requests of other groups.
    pub(crate) behind: f64,
    /// Of the same: for what a request takes beyond a seek.
    pub(crate) slow: f64,
    /// Of its waits for a CPU: while other groups use the CPUs, of which none is idle.
    pub(crate) cpu: f64,
}

impl<'a> Standing<'a> {
    /// Those of a group that waits from start to end; absent where it does not, or only for itself.
    pub(crate) fn of(whole: &Window<'a>, pressure: &Pressure<'a>) -> Option<Self> {
        let group = pressure.group?;
        let [io, _, cpu] = pressure.lasts();
        // What waits for swap waits for memory.
        let disk = if io { group::of_group(whole, group) } else { None };
        let disk = disk.filter(|disk| !whole.swap_disks().contains(disk));
        let behind = disk.and_then(|disk| behind(whole, group, disk)).unwrap_or(0.0);
        let slow = disk.and_then(|disk| beyond_a_seek(whole, disk)).map_or(0.0, |slow| (1.0 - behind) * slow);
        let cpu = if cpu { behind_on_cpus(whole, group).unwrap_or(0.0) } else { 0.0 };
        (behind + slow + cpu > 0.0).then_some(Self { disk, behind, slow, cpu })
    }

    /// What an interval is booked to, in the order of [`Account::ALL`](pagetide_core::Account::ALL).
    pub(crate) fn booked(&self, pressure: &Pressure<'_>, at: usize) -> [f64; 6] {
        let [io, _, cpu] = pressure.waits(at);
        let booked = [0.0, io * self.behind, io * self.slow, cpu * self.cpu, 0.0, 0.0];
        let sum: f64 = booked.iter().sum();
        booked.map(|share| share / sum.max(1.0))
    }
}

/// The part of the requests at a full disk that other groups send; absent of a disk that is not full.
fn behind(whole: &Window<'_>, group: &str, disk: &str) -> Option<f64> {
    whole.busy(disk).filter(|busy| *busy >= SATURATED)?;
    let deep = whole.depth(disk)? >= BEHIND;
    let sends = |group: &str| group::requests(whole, group, disk).map_or(0.0, Amount::get);
    let others = group::leaves(whole.recording).into_iter().filter(|other| *other != group);
    part(others.map(sends).sum(), sends(group)).filter(|_| deep)
}

/// The part of the time of a request at a disk that no seek explains; absent of a disk that rests, has a queue, or transfers much with each request.
fn beyond_a_seek(whole: &Window<'_>, disk: &str) -> Option<f64> {
    let (busy, depth) = (whole.busy(disk).filter(|busy| *busy >= SATURATED)?, whole.depth(disk)?);
    let requests = whole.derived::<Per<Count>>(Table::Disk, disk, &derived::TPS).filter(|rate| rate.is_positive())?;
    let size = Amount::<Bytes>::new(whole.moved(disk)?.get() / requests.get());
    let takes = busy.get() / requests.get() * 1e9;
    (depth < BEHIND && size <= SMALL.value() && takes > MECHANICAL.get()).then(|| 1.0 - SEEK.get() / takes)
}

/// The part of the CPU time of all groups that others use, where no CPU is idle, but for what the group leaves them, as it was told to.
fn behind_on_cpus(whole: &Window<'_>, group: &str) -> Option<f64> {
    let waits = whole.derived::<Ratio>(Table::Cgroup, group, &derived::PSI_CPU_SOME)?;
    if whole.idle()? > IDLE.value() || waits < UNEXPLAINED_CPU {
        return None;
    }
    let uses = |group: &str| whole.derived::<Count>(Table::Cgroup, group, &derived::CPUS).map_or(0.0, Amount::get);
    let others = group::leaves(whole.recording).into_iter().filter(|other| *other != group);
    let gives_way = (whole.gives_way(Some(group)).get() / waits.get()).min(1.0);
    Some(part(others.map(uses).sum(), uses(group))? * (1.0 - gives_way))
}

fn part(others: f64, own: f64) -> Option<f64> {
    (others + own > 0.0).then(|| others / (others + own))
}

/// The numbers that tell standing waits.
pub(crate) const THRESHOLDS: [Threshold; 2] = [SMALL.doc(), SEEK.doc()];
