//! On which disk a control group waits, and when its limits were lowered.
//!
//! `io.stat` names devices; older recordings have its sums only: the disk whose requests follow those of the group over time is the one.

use crate::measure::amount::{Amount, Count, Rate};
pub(crate) use crate::measure::group_path::{below, innermost, number, within};
use crate::measure::signal::Signal;
use crate::measure::window::{Window, intervals, stamps, stored};
use pagetide_core::{Bytes, Moment, Recording, Span, Table};
use std::collections::BTreeMap;

/// What this module reads: the IO of a group, and of it that to one device.
pub(crate) const METRICS: &[&str] =
    &["io_rios", "io_wios", "io_rbytes", "io_wbytes", "rios", "wios", "rbytes", "wbytes"];
/// The requests of a group to all devices.
pub(crate) const REQUESTS: &[&str] = &["io_rios", "io_wios"];
/// The group that contains all others: alone it is the host.
pub(crate) const ROOT: &str = "/sys/fs/cgroup";
/// The part of a group's requests, or of the time that they take, that its disk has at least.
const SERVED: f64 = 0.7;
/// The part of its limit below which a group does not reach it, as charges are batched per CPU by far less, …
const FAR_BELOW: f64 = 0.9;
/// … and the part of its memory that is left, at most, where the limit was lower for a moment.
const FELL: f64 = 0.8;
/// The requests of a group to one device.
const SENT: [&str; 2] = ["rios", "wios"];

/// The disk that the requests of a group wait at, by its own counters of each device: many requests to a fast disk take less time than a few to a slow
/// one. Where those were not recorded, the disk whose requests follow those of the group. Absent where no disk has most of them.
pub(crate) fn of_group<'a>(during: &Window<'a>, group: &str) -> Option<&'a str> {
    let sent = |disk: &str| {
        let requests = during.rates::<Count>(Table::CgroupDisk, &of_disk(group, disk), &SENT).map_or(0.0, Amount::get);
        requests * during.disk_await(disk).map_or(0.0, Amount::get)
    };
    // A disk that delays requests before it passes them on is the one that they wait for.
    let (leaves, delaying): (Vec<_>, Vec<_>) = during.disks().into_iter().partition(|disk| during.is_leaf(disk));
    let all: f64 = leaves.iter().map(|disk| sent(disk)).sum();
    if all > 0.0 {
        return delaying.into_iter().chain(leaves).find(|disk| sent(disk) >= all * SERVED);
    }
    follows(during, group)
}

/// The entity of a group at a disk in the recording.
pub(crate) fn of_disk(group: &str, disk: &str) -> String {
    format!("{group}\t{disk}")
}

/// The requests per second of a group to a disk over time; absent where it sent none, or where they were not recorded.
pub(crate) fn sent(during: &Window<'_>, group: &str, disk: &str) -> Option<Signal> {
    Signal::rate_within(during.recording, Table::CgroupDisk, &of_disk(group, disk), &SENT, during.span)
}

/// The requests per second of a group to a disk on average. In a recording without the IO of groups by device those to all, of the disk whose requests
/// follow its own.
pub(crate) fn requests(window: &Window<'_>, group: &str, disk: &str) -> Option<Rate<Count>> {
    if window.recording.entities(Table::CgroupDisk).next().is_some() {
        return window.rates(Table::CgroupDisk, &of_disk(group, disk), &SENT);
    }
    follows(window, group).filter(|follows| *follows == disk)?;
    window.rates(Table::Cgroup, group, REQUESTS)
}

/// The bytes per second that a group, with those below it, reads from a disk and writes to it; absent where it has done no IO there. In a recording
/// without the IO of groups by device that is all that it does, of the disk whose requests follow its own.
pub(crate) fn transfers(window: &Window<'_>, group: &str, disk: &str) -> Option<[Rate<Bytes>; 2]> {
    let rates = |table, entity: &str, metrics: [&str; 2]| {
        let [read, written] = metrics.map(|metric| window.rate::<Bytes>(table, entity, metric));
        (read.is_some() || written.is_some()).then(|| [read, written].map(|rate| rate.unwrap_or(Amount::ZERO)))
    };
    if window.recording.entities(Table::CgroupDisk).next().is_some() {
        return rates(Table::CgroupDisk, &of_disk(group, disk), ["rbytes", "wbytes"]);
    }
    follows(window, group).filter(|follows| *follows == disk)?;
    rates(Table::Cgroup, group, ["io_rbytes", "io_wbytes"])
}

/// The disk whose requests follow those of a group over time.
fn follows<'a>(during: &Window<'a>, group: &str) -> Option<&'a str> {
    // As much before as while it lasts: what the group does there is less mixed with what others do.
    let span = Span { from: during.span.from.earlier(during.span.length()), ..during.span };
    let own = Signal::rate_within(during.recording, Table::Cgroup, group, REQUESTS, span)?;
    let own: BTreeMap<Span, f64> = own.intervals_in(span).collect();
    let all: f64 = own.values().sum();
    let follows = |disk: &&'a str| {
        let served = Signal::rate_within(during.recording, Table::Disk, disk, &["reads", "writes"], span)?;
        let pairs: Vec<(f64, f64)> = served.intervals().filter_map(|(at, rate)| Some((*own.get(&at)?, rate))).collect();
        let both: f64 = pairs.iter().map(|(own, disk)| own.min(*disk)).sum();
        let either: f64 = pairs.iter().map(|(own, disk)| own.max(*disk)).sum();
        (all > 0.0 && both >= all * SERVED).then_some(both / either)
    };
    let disks = during.disks().into_iter().filter_map(|disk| Some((disk, follows(&disk)?)));
    disks.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(disk, _)| disk)
}

/// When a limit of a group was last lowered between two samples of a stretch, and the lower one in bytes.
pub(crate) fn lowered(recording: &Recording, group: &str, metric: &str, within: Span) -> Option<(Moment, i64)> {
    let (at, [_, after]) = fall(recording, group, metric, within)?;
    Some((at, after))
}

/// What a limit of a group was before it was last lowered until a moment. Absent where it was not lowered.
pub(crate) fn limit_before(recording: &Recording, group: &str, metric: &str, until: Moment) -> Option<Limit> {
    let begun = recording.series(Table::Cgroup, group, "current")?.points().next()?.0;
    let (_, [before, _]) = fall(recording, group, metric, Span { from: Moment::new(begun), to: until })?;
    Some(if before == i64::MAX { Limit::None } else { Limit::Of(stored(before)) })
}

/// A limit of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Limit {
    None,
    Of(Amount<Bytes>),
}

/// The last fall of a limit between two samples of a stretch: from what to what, the largest number where there was none.
fn fall(recording: &Recording, group: &str, metric: &str, within: Span) -> Option<(Moment, [i64; 2])> {
    let limits = recording.series(Table::Cgroup, group, metric)?.around(within.from.ns(), within.to.ns());
    let stamps: Vec<i64> = stamps(recording, within).collect();
    // Without a limit there is no value.
    let limit = |at: i64| limits.within(at, at).next().map_or(i64::MAX, |(_, value)| value);
    let pair = stamps.windows(2).rev().find(|pair| limit(pair[1]) < limit(pair[0]))?;
    Some((Moment::new(pair[0]), [limit(pair[0]), limit(pair[1])]))
}

/// When a limit of a group was lowered below what it used, and how much that was: the kernel frees the difference at once
/// (`mm/memcontrol.c: memory_max_write`), which it counts as no hit of the limit, and the group may take long to reach the limit again.
pub(crate) fn shrunk(window: &Window<'_>, group: &str) -> Option<(Moment, Amount<Bytes>)> {
    let near = Span { from: window.span.from.earlier(intervals(window.recording, 3)), ..window.span };
    let current = window.recording.series(Table::Cgroup, group, "current")?;
    let falls = ["max", "high"].into_iter().filter_map(|metric| lowered(window.recording, group, metric, near));
    let (at, limit) = falls.max_by_key(|(at, _)| *at)?;
    let used = current.at(at.ns()).filter(|used| *used > limit)?;
    Some((at, stored(used)))
}

/// When a limit of a group was lowered for a moment, which no sample shows: the group hits it far below the one that both samples around it show, and its
/// memory falls. With how much it used before, and how much of it was evicted.
pub(crate) fn shrunk_for_a_moment(window: &Window<'_>, group: &str) -> Option<(Moment, Amount<Bytes>, Amount<Bytes>)> {
    let series = |metric| window.recording.series(Table::Cgroup, group, metric);
    let near = Span { from: window.span.from.earlier(intervals(window.recording, 3)), ..window.span };
    let current = series("current")?;
    let counters: Vec<_> = ["events_max", "events_high"].into_iter().filter_map(series).collect();
    let limits: Vec<_> = ["max", "high"].into_iter().filter_map(series).collect();
    let limit = |at: i64| limits.iter().filter_map(|limit| limit.at(at)).min().unwrap_or(i64::MAX);
    let stamps: Vec<i64> = stamps(window.recording, near).collect();
    stamps.windows(2).find_map(|pair| {
        let [before, after] = [pair[0], pair[1]].map(|at| current.at(at).map(stored::<Bytes>));
        let (before, after) = (before?, after?);
        let hit = counters.iter().any(|hits| hits.at(pair[1]) > hits.at(pair[0]));
        let below = before < stored::<Bytes>(limit(pair[0]).min(limit(pair[1]))) * FAR_BELOW;
        (hit && below && after < before * FELL).then(|| (Moment::new(pair[0]), before, before - after))
    })
}

/// The group without others in it of which a kind of memory grew most. A page is charged to the group whose task touched it first
/// (`mm/memcontrol.c: __mem_cgroup_charge`, 6.12).
pub(crate) fn grower<'a>(during: &Window<'a>, metric: &str) -> Option<(&'a str, Amount<Bytes>)> {
    let own = leaves(during.recording).into_iter().filter_map(|group| {
        let held = during.series(Table::Cgroup, group, metric)?;
        // One that started meanwhile held none.
        let before = held.at(during.span.from.ns()).unwrap_or(0);
        Some((group, stored(held.at(during.span.to.ns())?.saturating_sub(before))))
    });
    own.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Whether a process is in a group or below it, as far as was recorded.
pub(crate) fn contains(window: &Window<'_>, group: &str, process: &str) -> bool {
    let Some(own) = number(window.recording, Table::Process, process) else { return false };
    let groups = window.recording.entities(Table::Cgroup).map(|(name, _)| name);
    groups.filter(|name| within(group, name)).any(|name| number(window.recording, Table::Cgroup, name) == Some(own))
}

/// A group and those above it.
pub(crate) fn with_parents<'a>(window: &Window<'a>, group: &str) -> impl Iterator<Item = &'a str> {
    let groups = window.recording.entities(Table::Cgroup).map(|(other, _)| other);
    groups.filter(move |other| within(other, group))
}

/// The groups of a recording without others in them, but for the recorder's own and the root.
pub(crate) fn leaves(recording: &Recording) -> Vec<&str> {
    let own = |group: &str| group.rsplit('/').next().is_some_and(|name| name.starts_with("pagetide."));
    innermost(recording).into_iter().filter(|group| !own(group) && *group != ROOT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::episodes::Episodes;
    use pagetide_core::{Column, Kind, Manifest, RecordingBuilder, Stamp, Unit};

    #[test]
    fn io_at_a_disk_is_that_of_all_disks_where_it_is_not_recorded_by_disk_and_the_disk_follows_the_group() {
        let told = |by_disk: bool| {
            let mut builder = RecordingBuilder::new(Manifest::default());
            let mut sent = 0;
            for at in 0..30 {
                builder.stamp(Stamp { boot_ns: at * 1_000_000_000, ..Stamp::default() });
                // Only sdb does more when the group does.
                sent += if at % 3 == 0 { 40 } else { 5 };
                let mut counter = |table, entity: &str, name: &str, unit, value| {
                    let column = Column { name: name.to_owned(), kind: Kind::Counter, unit };
                    builder.value(table, entity, &column, value);
                };
                counter(Table::Cgroup, "/db", "io_rios", Unit::Count, sent);
                counter(Table::Cgroup, "/db", "io_rbytes", Unit::Bytes, sent * 4096);
                counter(Table::Disk, "sda", "reads", Unit::Count, at * 2);
                counter(Table::Disk, "sdb", "reads", Unit::Count, sent + at);
                if by_disk {
                    counter(Table::CgroupDisk, "/db\tsda", "rbytes", Unit::Bytes, at * 512);
                }
            }
            let recording = builder.finish();
            let episodes = Episodes::default();
            let whole = Window::whole(&recording, &episodes).unwrap();
            ["sda", "sdb"].map(|disk| transfers(&whole, "/db", disk).map(|[read, _]| read.get().round()))
        };
        assert_eq!(told(true), [Some(512.0), None]);
        let [elsewhere, here] = told(false);
        assert_eq!(elsewhere, None);
        assert!(here.is_some_and(|read| read > 40_000.0), "{here:?}");
    }
}
