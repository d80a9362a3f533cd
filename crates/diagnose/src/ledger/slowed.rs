//! A group that waits longer for a disk which somebody else loads.

use crate::actors::wait_channel::{self, BALANCE_DIRTY_PAGES};
use crate::actors::{group, process};
use crate::ledger::disk_load::{self, OWNS};
use crate::ledger::harm::NOTICED;
use crate::measure::amount::{Amount, Count, Limit, Per};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::Window;
use pagetide_core::{Ratio, Table, derived};

/// A group that waits for IO more than before, the one that does by most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slowed<'a> {
    pub(crate) group: &'a str,
    pub(crate) waits: Amount<Ratio>,
    pub(crate) before: Amount<Ratio>,
}

/// How often a disk flushes its cache on which a service syncs what it writes.
pub(crate) const SYNCS: Limit<Per<Count>> = Limit::new(
    "cache flushes of the disk before, at least, for a service beside the writer that waits for its syncs",
    1.0,
    "The kernel's own commits come every 5 s.",
    "fs/jbd2/journal.c: kjournald2 (6.12)",
);

impl Slowed<'_> {
    /// Whether its tasks wait for the dirty thresholds too: they were seen there. Where the functions in which tasks wait were not recorded (Linux
    /// 5.10 names none), it counts whether they write more than they read, and do not sync what they write: who syncs waits for requests.
    pub(crate) fn is_throttled(self, window: &Window<'_>, disk: &str) -> bool {
        if wait_channel::are_recorded(window) {
            let throttled = |name: &str| wait_channel::samples_in(window, name, BALANCE_DIRTY_PAGES) > 0;
            return process::present(window)
                .any(|(name, _)| throttled(name) && group::contains(window, self.group, name));
        }
        let [read, written] = group::transfers(window, self.group, disk).unwrap_or([Amount::ZERO; 2]);
        written >= read && !is_synced(window, disk)
    }
}

/// Whether a disk flushed its cache all the time before: somebody who was there syncs what it writes.
pub(crate) fn is_synced(window: &Window<'_>, disk: &str) -> bool {
    let before = window.baseline().all();
    before.and_then(|before| before.rate::<Count>(Table::Disk, disk, "flushes")).is_some_and(|flushes| flushes >= SYNCS)
}

/// The group without others in it that uses a disk, sends less than half of what it transfers, and waits longer than before: of a disk that always
/// had requests, each one may take hardly longer.
pub(crate) fn of<'a>(window: &Window<'a>, disk: &str, comm: &str) -> Option<Slowed<'a>> {
    let own = disk_load::groups_of(window, comm)?;
    let moved = window.moved(disk)?;
    let groups = group::leaves(window.recording).into_iter().filter(|group| !own.contains(group));
    let slowed = groups.filter_map(|group| {
        let [read, written] = group::transfers(window, group, disk)?;
        let bytes = read + written;
        let waits = |window: &Window<'_>| window.derived(Table::Cgroup, group, &derived::PSI_IO_SOME);
        let signal = || SignalSpec::cgroup(group, &derived::PSI_IO_SOME);
        let usual = window.baseline().median(signal());
        // Of a stretch that begins with the recording, the calm intervals in it are what was before.
        let calm = || window.episodes.signal(window.recording, signal())?.baseline();
        let before = usual.or_else(|| waits(&window.baseline().all()?)).or_else(calm)?;
        let waits = waits(window)?;
        let few = bytes.is_positive() && bytes <= moved * (1.0 - OWNS.get());
        (few && waits - before >= NOTICED.value()).then_some(Slowed { group, waits, before })
    });
    slowed.max_by(|a, b| (a.waits - a.before).total_cmp(&(b.waits - b.before)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::episodes::Episodes;
    use pagetide_core::{Column, Kind, Manifest, Moment, Nanos, RecordingBuilder, Span, Stamp, Unit};

    #[test]
    fn what_a_group_waited_before_is_known_of_a_recording_that_is_one_stretch() {
        let told = |calm_ms: i64| {
            let interval = Nanos::new(1_000_000_000);
            let mut builder = RecordingBuilder::new(Manifest { interval, ..Manifest::default() });
            let mut waited = 0;
            for at in 0..60 {
                builder.stamp(Stamp { boot_ns: at * 1_000_000_000, ..Stamp::default() });
                waited += if at % 2 == 0 { calm_ms * 1000 } else { 900_000 };
                let mut counter = |table, entity: &str, name: &str, unit, value| {
                    let column = Column { name: name.to_owned(), kind: Kind::Counter, unit };
                    builder.value(table, entity, &column, value);
                };
                counter(Table::Cgroup, "/db", "psi_io_some", Unit::Micros, waited);
                counter(Table::CgroupDisk, "/db\tsda", "rbytes", Unit::Bytes, at * 4096);
                counter(Table::Disk, "sda", "read_sectors", Unit::Sectors, at * 8);
                counter(Table::Disk, "sda", "write_sectors", Unit::Sectors, at * 4096);
            }
            let (recording, episodes) = (builder.finish(), Episodes::default());
            let whole = Window::whole(&recording, &episodes).unwrap();
            of(&whole, "sda", "cp").map(|slowed| slowed.before.get())
        };
        let before = told(20).expect("half of the intervals are calm");
        assert!((before - 0.02).abs() < 0.001, "{before}");
        assert_eq!(told(850), None, "it always waits so long");
    }

    #[test]
    fn who_writes_and_syncs_waits_for_requests_and_not_for_the_dirty_thresholds() {
        let told = |flushes: i64, written: i64| {
            let mut builder = RecordingBuilder::new(Manifest::default());
            for at in 0..60 {
                builder.stamp(Stamp { boot_ns: at * 1_000_000_000, ..Stamp::default() });
                let mut counter = |table, entity: &str, name: &str, unit, value| {
                    let column = Column { name: name.to_owned(), kind: Kind::Counter, unit };
                    builder.value(table, entity, &column, value);
                };
                counter(Table::CgroupDisk, "/mail\tsda", "rbytes", Unit::Bytes, at * 4096);
                counter(Table::CgroupDisk, "/mail\tsda", "wbytes", Unit::Bytes, at * written);
                counter(Table::Disk, "sda", "flushes", Unit::Count, at * flushes / 5);
            }
            let (recording, episodes) = (builder.finish(), Episodes::default());
            let whole = Window::whole(&recording, &episodes).unwrap();
            let later = Span { from: Moment::new(30_000_000_000), ..whole.span };
            let slowed = Slowed { group: "/mail", waits: Amount::new(0.5), before: Amount::ZERO };
            slowed.is_throttled(&whole.over(later), "sda")
        };
        assert!(told(1, 81920), "it writes; the kernel commits every 5 s");
        assert!(!told(100, 81920), "it syncs 20 times a second");
        assert!(!told(1, 0), "it reads");
    }
}
