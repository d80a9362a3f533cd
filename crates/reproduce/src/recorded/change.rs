//! What becomes of a host in an incident, beside what its programs do.

use super::command::Command;
use super::group::{self, Throttled};
use super::stretch::{PAGE, Stretch, whole};
use pagetide_core::Table;

/// A change of the host in the middle of a recording, and when it had happened, ns on the axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Change {
    pub(crate) at: i64,
    pub(crate) what: ChangeKind,
}

/// What was changed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ChangeKind {
    /// Somebody wrote to `drop_caches`.
    CachesDropped,
    /// So many bytes of files left the cache, and reclaim did not take them (`POSIX_FADV_DONTNEED`, `BLKFLSBUF`).
    FilesDropped { bytes: f64 },
    /// A program asked the kernel for so many bytes of the group with this path (`memory.reclaim`).
    Reclaimed { group: String, bytes: f64 },
    /// So many huge pages in the pool (`vm.nr_hugepages`).
    HugePages { count: u64 },
    /// The dirty limits, background first, bytes.
    DirtyLimits { background: u64, limit: u64 },
}

impl Change {
    /// Whether files left the cache.
    pub(crate) const fn drops_files(&self) -> bool {
        matches!(self.what, ChangeKind::CachesDropped | ChangeKind::FilesDropped { .. })
    }
}

/// The changes from the begin of the calm to the end of the incident. `commands` say whether dropped files are missed.
pub(crate) fn all(calm: &Stretch<'_>, trouble: &Stretch<'_>, commands: &[Command]) -> Vec<Change> {
    let mut all = Vec::new();
    let is_missed = reads_again(commands);
    for part in calm.with(calm.from, trouble.to).intervals() {
        let mut add = |what| all.push(Change { at: part.to, what });
        if part.host_rate("drop_pagecache").is_some_and(|times| times > 0.0) {
            add(ChangeKind::CachesDropped);
        } else if let Some(bytes) = dropped(&part).filter(|_| is_missed) {
            add(ChangeKind::FilesDropped { bytes });
        }
        requested(&part).into_iter().for_each(&mut add);
        if let Some((background, limit)) = changed_dirty_limits(&part) {
            add(ChangeKind::DirtyLimits { background, limit });
        }
    }
    all.extend(huge_pages(&calm.with(calm.from, trouble.to)));
    all
}

/// The pool of huge pages as it is in the end, from when its size changed. It grows as fast as the kernel finds memory for it.
fn huge_pages(stretch: &Stretch<'_>) -> Option<Change> {
    /// The share of memory that matters.
    const MIN_SHARE: f64 = 0.02;
    /// Bytes of a huge page of the model, and of most hosts.
    const HUGE_PAGE: f64 = 2.0 * 1048576.0;
    let size = stretch.host("Hugepagesize").unwrap_or(HUGE_PAGE);
    let pool = |part: &Stretch<'_>| part.ends(Table::Host, "", "HugePages_Total");
    let (from, to) = pool(stretch)?;
    if (to - from).abs() * size < MIN_SHARE * stretch.recording.manifest.memory_total.as_f64() {
        return None;
    }
    let first =
        stretch.intervals().into_iter().find(|part| pool(part).is_some_and(|(before, after)| before != after))?;
    Some(Change { at: first.from, what: ChangeKind::HugePages { count: whole(to * size / HUGE_PAGE) } })
}

/// Whether the limits of a group of these commands change in the incident.
pub(crate) fn of_limits(
    calm: &Stretch<'_>,
    trouble: &Stretch<'_>,
    throttled: &[Throttled],
    commands: &[Command],
) -> bool {
    let mut paths = commands.iter().filter_map(|command| command.group.as_deref());
    paths.any(|path| {
        group::limits(trouble, throttled, path, calm.to) != group::limits(trouble, throttled, path, trouble.to)
    })
}

/// Whether those who ran before read from devices what they hardly read before.
fn reads_again(commands: &[Command]) -> bool {
    const MORE: f64 = 3.0;
    const MIN_READ: f64 = 16.0 * 1024.0;
    let ran = || commands.iter().filter(|command| command.appeared.is_none());
    let [before, now] = [ran().map(|one| one.calm.read).sum::<f64>(), ran().map(|one| one.trouble.read).sum::<f64>()];
    now > MIN_READ && now > MORE * before
}

/// Bytes by which the cache of files and devices fell in an interval, where that is a good part of it and reclaim did not take them.
fn dropped(part: &Stretch<'_>) -> Option<f64> {
    const MIN_SHARE_OF_CACHE: f64 = 0.2;
    const MIN_SHARE_OF_MEMORY: f64 = 0.02;
    const MAX_RECLAIMED: f64 = 0.2;
    let ends = |metric| part.ends(Table::Host, "", metric);
    let (cached, shared, buffers) = (ends("Cached")?, ends("Shmem")?, ends("Buffers").unwrap_or_default());
    let before = cached.0 + buffers.0 - shared.0;
    let fall = before - (cached.1 + buffers.1 - shared.1);
    let memory = part.recording.manifest.memory_total.as_f64();
    if fall < MIN_SHARE_OF_CACHE * before || fall < MIN_SHARE_OF_MEMORY * memory {
        return None;
    }
    let of_host = ["pgsteal_kswapd", "pgsteal_direct"].map(|metric| part.host_rate(metric).unwrap_or(0.0));
    let of_groups = group::below_root(part).filter_map(|path| part.rate(Table::Cgroup, path, "pgsteal"));
    let reclaimed = of_groups.fold(of_host.iter().sum::<f64>(), f64::max) * part.seconds() * PAGE;
    (reclaimed < MAX_RECLAIMED * fall).then_some(fall)
}

/// What was reclaimed of the innermost groups in an interval in which neither the host nor a limit of theirs asked for it.
fn requested(part: &Stretch<'_>) -> Vec<ChangeKind> {
    const MIN_SHARE: f64 = 0.01;
    let memory = part.recording.manifest.memory_total.as_f64();
    let for_host: f64 = ["pgsteal_kswapd", "pgsteal_direct"].iter().filter_map(|metric| part.host_rate(metric)).sum();
    let of_group = |group: &&str| {
        let rate = |metric| part.rate(Table::Cgroup, group, metric);
        let is_held = ["events_max", "events_high", "failcnt"].into_iter().any(|metric| rate(metric) > Some(0.0));
        let limits = |at| group::limits(part, &[], group, at);
        if is_held || limits(part.from) != limits(part.to) {
            return None;
        }
        let pages = rate("pgsteal_proactive").or_else(|| Some(rate("pgsteal")? - for_host))?;
        Some(pages * part.seconds() * PAGE).filter(|bytes| *bytes >= MIN_SHARE * memory)
    };
    let asked: Vec<(&str, f64)> =
        group::below_root(part).filter_map(|group| Some((group, of_group(&group)?))).collect();
    let innermost = asked.iter().filter(|(path, _)| !asked.iter().any(|(other, _)| group::is_below(path, other)));
    innermost.map(|(group, bytes)| ChangeKind::Reclaimed { group: (*group).to_owned(), bytes: *bytes }).collect()
}

/// The dirty limits, background first, bytes, where somebody changed the settings in this interval: they follow memory that is available
/// otherwise, which changes by less.
fn changed_dirty_limits(part: &Stretch<'_>) -> Option<(u64, u64)> {
    const CHANGED: f64 = 1.5;
    const MIN_AVAILABLE: f64 = 0.1;
    const MAX_SWAPPED: f64 = 0.001;
    let ends = |metric| part.ends(Table::Host, "", metric);
    let factor = |(from, to): (f64, f64)| (to.max(1.0) / from.max(1.0)).ln().abs();
    let limit = ends("nr_dirty_threshold")?;
    // The kernel takes a share of free memory and of files (`mm/page-writeback.c: global_dirtyable_memory`).
    let (free, files) = (ends("MemFree")?, ends("Cached")?);
    let available = (free.0 + files.0, free.1 + files.1);
    let background = ends("nr_dirty_background_threshold")?;
    // Of the last of it the kernel keeps a reserve: then a limit falls by more than what is available.
    let memory = part.recording.manifest.memory_total.as_f64();
    if available.0.min(available.1) < MIN_AVAILABLE * memory {
        return None;
    }
    // A host that swaps has little left above the reserve.
    let swapped: f64 = ["pswpin", "pswpout"].iter().filter_map(|metric| part.host_rate(metric)).sum();
    if swapped * part.seconds() * PAGE > MAX_SWAPPED * memory {
        return None;
    }
    let is_changed = factor(limit) > CHANGED.ln() + factor(available);
    let bytes = |pages: f64| whole(pages.max(1.0) * PAGE);
    is_changed.then(|| (bytes(background.1), bytes(limit.1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::Did;
    use pagetide_core::{Bytes, Column, Kind, Manifest, RecordingBuilder, Stamp, Unit};

    #[test]
    fn dirty_limits_change_if_they_change_more_than_the_memory_that_is_left() {
        const MIB: i64 = 1 << 20;
        let changed = |available: [i64; 2], limit: [i64; 2], swapped_out: i64| {
            let mut made =
                RecordingBuilder::new(Manifest { memory_total: Bytes::new(1000 << 20), ..Manifest::default() });
            for (at, moment) in [0, 1_000_000_000].into_iter().enumerate() {
                made.stamp(Stamp { boot_ns: moment, ..Stamp::default() });
                for (name, value) in [
                    ("MemFree", available[at] * MIB / 2),
                    ("Cached", available[at] * MIB / 2),
                    ("nr_dirty_threshold", limit[at]),
                    ("nr_dirty_background_threshold", limit[at] / 2),
                ] {
                    let column = Column { name: name.to_owned(), kind: Kind::Gauge, unit: Unit::Count };
                    made.value(Table::Host, "", &column, value);
                }
                let column = Column { name: "pswpout".to_owned(), kind: Kind::Counter, unit: Unit::Pages };
                made.value(Table::Host, "", &column, if at == 0 { 0 } else { swapped_out });
            }
            let recording = made.finish();
            changed_dirty_limits(&Stretch { recording: &recording, from: 0, to: 1_000_000_000 })
        };
        assert_eq!(changed([500, 500], [20_000, 2_000], 0), Some((1_000 * 4096, 2_000 * 4096)));
        assert_eq!(changed([500, 200], [20_000, 8_000], 0), None, "they follow memory");
        assert_eq!(changed([120, 40], [3_000, 300], 0), None, "most of what is left is a reserve");
        assert_eq!(changed([500, 500], [20_000, 2_000], 300), None, "a thousandth of memory is swapped out");
        assert!(changed([500, 500], [20_000, 2_000], 200).is_some(), "next to nothing is");
    }

    /// What leaves a cache of 100 MiB in a second, if it falls to so many MiB and reclaim takes so many pages meanwhile.
    fn fallen(to: i64, stolen: i64, group_stolen: i64) -> Option<f64> {
        const MIB: i64 = 1 << 20;
        let mut made = RecordingBuilder::new(Manifest { memory_total: Bytes::new(1000 << 20), ..Manifest::default() });
        for (at, moment) in [0, 1_000_000_000].into_iter().enumerate() {
            let first = at == 0;
            made.stamp(Stamp { boot_ns: moment, ..Stamp::default() });
            for (name, value) in [("Cached", if first { 90 } else { to }), ("Shmem", 10), ("Buffers", 20)] {
                let column = Column { name: name.to_owned(), kind: Kind::Gauge, unit: Unit::Bytes };
                made.value(Table::Host, "", &column, value * MIB);
            }
            let counter = |name: &str| Column { name: name.to_owned(), kind: Kind::Counter, unit: Unit::Pages };
            made.value(Table::Host, "", &counter("pgsteal_kswapd"), if first { 0 } else { stolen });
            made.value(Table::Cgroup, "/app", &counter("pgsteal"), if first { 0 } else { group_stolen });
        }
        let recording = made.finish();
        dropped(&Stretch { recording: &recording, from: 0, to: 1_000_000_000 })
    }

    #[test]
    fn what_leaves_the_cache_without_reclaim_was_dropped() {
        assert_eq!(fallen(20, 0, 0), Some(f64::from(70 << 20)));
        assert_eq!(fallen(80, 0, 0), None, "a tenth of it");
        assert_eq!(fallen(20, 16_000, 0), None, "kswapd took it");
        assert_eq!(fallen(20, 0, 16_000), None, "a group at its limit did");
    }

    /// What is taken in a second of groups that so many pages were reclaimed of, in a host that reclaimed so many: the first may meet its limit.
    fn taken(groups: &[(&str, i64)], of_host: i64, hits: i64) -> Vec<(String, f64)> {
        let mut made = RecordingBuilder::new(Manifest { memory_total: Bytes::new(1000 << 20), ..Manifest::default() });
        let counter = |name: &str| Column { name: name.to_owned(), kind: Kind::Counter, unit: Unit::Pages };
        for (at, moment) in [0, 1_000_000_000].into_iter().enumerate() {
            let times = i64::from(at == 1);
            made.stamp(Stamp { boot_ns: moment, ..Stamp::default() });
            made.value(Table::Host, "", &counter("pgsteal_kswapd"), of_host * times);
            for (nth, (group, pages)) in groups.iter().enumerate() {
                made.value(Table::Cgroup, group, &counter("pgsteal"), pages * times);
                made.value(Table::Cgroup, group, &counter("events_max"), if nth == 0 { hits * times } else { 0 });
            }
        }
        let recording = made.finish();
        let all = requested(&Stretch { recording: &recording, from: 0, to: 1_000_000_000 });
        let told = |kind| match kind {
            ChangeKind::Reclaimed { group, bytes } => (group, bytes),
            other => panic!("{other:?}"),
        };
        all.into_iter().map(told).collect()
    }

    #[test]
    fn what_neither_the_host_nor_a_limit_wants_of_a_group_somebody_asked_for() {
        let all = |pages: i64| vec![("/db".to_owned(), pages as f64 * 4096.0)];
        assert_eq!(taken(&[("/db", 5000)], 0, 0), all(5000));
        assert_eq!(taken(&[("/pod", 6000), ("/pod/db", 5000)], 0, 0), vec![("/pod/db".to_owned(), 5000.0 * 4096.0)]);
        assert_eq!(taken(&[("/db", 2000)], 0, 0), vec![], "less than a hundredth of memory");
        assert_eq!(taken(&[("/db", 5000)], 4000, 0), vec![], "kswapd did");
        assert_eq!(taken(&[("/db", 5000)], 0, 1), vec![], "it met its limit");
    }

    #[test]
    fn what_is_dropped_is_missed_if_those_who_ran_before_read_it_again() {
        let command = |before: f64, now: f64, appeared: Option<i64>| {
            let did = |read: f64| Did { read, ..Did::default() };
            Command { calm: did(before), trouble: did(now), appeared, ..Command::default() }
        };
        assert!(reads_again(&[command(1e3, 1e6, None)]));
        assert!(!reads_again(&[command(1e6, 1e6, None)]), "as much as before");
        assert!(!reads_again(&[command(0.0, 1e6, Some(1))]), "it has come");
    }

    #[test]
    fn a_pool_of_huge_pages_that_grows_takes_memory_from_when_it_began() {
        let changed_of = |size: Option<i64>, before: i64, middle: i64, after: i64| {
            let mut made =
                RecordingBuilder::new(Manifest { memory_total: Bytes::new(1000 << 20), ..Manifest::default() });
            for second in 0..=10 {
                made.stamp(Stamp { boot_ns: second, ..Stamp::default() });
                let column = Column { name: "HugePages_Total".to_owned(), kind: Kind::Gauge, unit: Unit::Count };
                let pages = if second < 5 { before } else { middle.max((second - 5) * after / 5) };
                made.value(Table::Host, "", &column, pages);
                if let Some(size) = size {
                    let column = Column { name: "Hugepagesize".to_owned(), kind: Kind::Gauge, unit: Unit::Bytes };
                    made.value(Table::Host, "", &column, size);
                }
            }
            let recording = made.finish();
            huge_pages(&Stretch { recording: &recording, from: 0, to: 10 })
        };
        let changed = |before: i64, middle: i64, after: i64| changed_of(None, before, middle, after);
        // 200 MiB of 1000.
        assert_eq!(changed(0, 20, 100), Some(Change { at: 4, what: ChangeKind::HugePages { count: 100 } }));
        let of_32_mib = changed_of(Some(32 << 20), 0, 1, 5);
        assert_eq!(
            of_32_mib,
            Some(Change { at: 4, what: ChangeKind::HugePages { count: 80 } }),
            "160 MiB, in pages of the model"
        );
        assert_eq!(changed(100, 100, 100), None, "it was there before");
        assert_eq!(changed(0, 2, 5), None, "10 MiB");
        assert_eq!(changed(100, 0, 0), Some(Change { at: 4, what: ChangeKind::HugePages { count: 0 } }), "given back");
    }
}
