//! A group that waits longer for a disk which somebody else loads.

use crate::actors::wait_channel::{self, BALANCE_DIRTY_PAGES};
use crate::actors::{group, process};
use crate::ledger::disk_load::{self, OWNS};
use crate::ledger::harm::NOTICED;
use crate::measure::amount::Amount;
use crate::measure::episodes::SignalSpec;
use crate::measure::window::Window;
use pagetide_core::{Bytes, Ratio, Table, derived};

/// A group that waits for IO more than before, the one that does by most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slowed<'a> {
    pub(crate) group: &'a str,
    pub(crate) waits: Amount<Ratio>,
    pub(crate) before: Amount<Ratio>,
}

impl Slowed<'_> {
    /// Whether its tasks wait for the dirty thresholds too: they were seen there. Where the functions in which tasks wait were not recorded (Linux
    /// 5.10 names none), it counts whether they write more than they read.
    pub(crate) fn is_throttled(self, window: &Window<'_>, disk: &str) -> bool {
        if wait_channel::are_recorded(window) {
            let throttled = |name: &str| wait_channel::samples_in(window, name, BALANCE_DIRTY_PAGES) > 0;
            return process::present(window)
                .any(|(name, _)| throttled(name) && group::contains(window, self.group, name));
        }
        let sent = |metric| window.rate::<Bytes>(Table::CgroupDisk, &format!("{}\t{disk}", self.group), metric);
        sent("wbytes").unwrap_or(Amount::ZERO) >= sent("rbytes").unwrap_or(Amount::ZERO)
    }
}

/// The group without others in it that uses a disk, sends less than half of what it transfers, and waits longer than before: of a disk that always
/// had requests, each one may take hardly longer.
pub(crate) fn of<'a>(window: &Window<'a>, disk: &str, comm: &str) -> Option<Slowed<'a>> {
    let own = disk_load::groups_of(window, comm)?;
    let moved = window.moved(disk)?;
    let groups = group::leaves(window.recording).into_iter().filter(|group| !own.contains(group));
    let slowed = groups.filter_map(|group| {
        let on_disk = format!("{group}\t{disk}");
        let bytes = window.rates::<Bytes>(Table::CgroupDisk, &on_disk, &["rbytes", "wbytes"])?;
        let waits = |window: &Window<'_>| window.derived(Table::Cgroup, group, &derived::PSI_IO_SOME);
        let usual = || window.baseline().median(SignalSpec::cgroup(group, &derived::PSI_IO_SOME));
        let (waits, before) = (waits(window)?, usual().or_else(|| waits(&window.baseline().all()?))?);
        let few = bytes.is_positive() && bytes <= moved * (1.0 - OWNS.get());
        (few && waits - before >= NOTICED.value()).then_some(Slowed { group, waits, before })
    });
    slowed.max_by(|a, b| (a.waits - a.before).total_cmp(&(b.waits - b.before)))
}
