//! What becomes of a host in an incident, beside what its programs do.

use super::command::Command;
use super::group::{self, Throttled};
use super::stretch::{PAGE, Stretch, whole};
use crate::guess::{Guess, megabytes};
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

    /// What is concluded of it, and counted nowhere.
    pub(crate) fn guess(&self) -> Option<Guess> {
        let ChangeKind::DirtyLimits { background, limit } = &self.what else { return None };
        let [background, limit] = [background, limit].map(|bytes| megabytes(*bytes as f64));
        Some(Guess::new(
            format!("somebody set the dirty limits to {background} and {limit}"),
            "nr_dirty_threshold changed, and dirtyable memory did not change by as much: which setting did is not recorded",
        ))
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
    const OF_HOST: [&str; 4] = ["pgsteal_kswapd", "pgsteal_direct", "pginodesteal", "kswapd_inodesteal"];
    let of_host = OF_HOST.map(|metric| part.host_rate(metric).unwrap_or(0.0));
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

/// The dirty limits, background first, bytes, where somebody changed the settings in this interval: otherwise they move by their ratio of what
/// dirtyable memory does (`mm/page-writeback.c: global_dirtyable_memory`).
fn changed_dirty_limits(part: &Stretch<'_>) -> Option<(u64, u64)> {
    const CHANGED: f64 = 1.5;
    /// Of a change that memory does not explain, this much at least: samples of free memory and of the limits are not of the same moment.
    const MIN_SHARE: f64 = 0.5;
    const MIN_SHARE_OF_MEMORY: f64 = 0.001;
    let ends = |metric| part.ends(Table::Host, "", metric);
    let (limit, background) = (ends("nr_dirty_threshold")?, ends("nr_dirty_background_threshold")?);
    let (limit, free, files) = ((limit.0 * PAGE, limit.1 * PAGE), ends("MemFree")?, file_pages(part)?);
    let moved = |(from, to): (f64, f64)| (to - from).abs();
    // Free memory counts above the reserve only. Whatever that is, what is dirtyable moves by what files do, by what files and free memory do, or by an
    // amount between the two. The reserve moves with the watermarks.
    let reserve: f64 = (part.recording.entities(Table::Zone))
        .filter_map(|(zone, _)| part.ends(Table::Zone, zone, "high"))
        .map(|high| moved(high) * PAGE)
        .sum();
    let both = (files.0 + free.0, files.1 + free.1);
    let implied = moved(files).max(moved(both)) + reserve;
    let share = dirty_ratio(part).max(limit.0 / both.0.max(PAGE)).max(limit.1 / both.1.max(PAGE)).min(1.0);
    let unexplained = moved(limit) - share * implied;
    let memory = part.recording.manifest.memory_total.as_f64();
    let is_changed = (limit.1.max(PAGE) / limit.0.max(PAGE)).ln().abs() > CHANGED.ln()
        && unexplained > MIN_SHARE * moved(limit)
        && unexplained > MIN_SHARE_OF_MEMORY * memory;
    // `vm.dirty_bytes` takes two pages at least (`dirty_bytes_min`).
    is_changed.then(|| (whole(background.1.max(1.0) * PAGE), whole(limit.1.max(2.0 * PAGE))))
}

/// Bytes of the page cache that may be dirtied, at both ends: memory of tmpfs may not.
fn file_pages(part: &Stretch<'_>) -> Option<(f64, f64)> {
    let ends = |metric| part.ends(Table::Host, "", metric);
    let sum = |one: (f64, f64), other: (f64, f64)| (one.0 + other.0, one.1 + other.1);
    let lists = || Some(sum(ends("Active(file)")?, ends("Inactive(file)")?));
    lists().or_else(|| {
        let (cached, shared) = (ends("Cached")?, ends("Shmem").unwrap_or_default());
        Some(sum((cached.0 - shared.0, cached.1 - shared.1), ends("Buffers").unwrap_or_default()))
    })
}

/// The dirty limit as a share of dirtyable memory, as the recording begins; the kernel's default where it was not recorded.
fn dirty_ratio(part: &Stretch<'_>) -> f64 {
    const USUAL_PERCENT: f64 = 20.0;
    let percent =
        part.recording.manifest.sysctls.get("vm.dirty_ratio").and_then(|text| text.trim().parse::<f64>().ok());
    percent.unwrap_or(USUAL_PERCENT) / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::Did;
    use pagetide_core::{Bytes, Column, Kind, Manifest, RecordingBuilder, Stamp, Unit};

    /// The dirty limits that are found to be set in a second in which free memory, files, the reserve and the dirty threshold go from one value to
    /// another, MiB, with a `vm.dirty_ratio` of 20.
    fn dirty_limits(free: [f64; 2], files: [f64; 2], reserve: [f64; 2], limit: [f64; 2]) -> Option<(u64, u64)> {
        const MIB: f64 = 1048576.0;
        let pages = |mib: f64| whole(mib * MIB / PAGE).cast_signed();
        let bytes = |mib: f64| whole(mib * MIB).cast_signed();
        let sysctls = [("vm.dirty_ratio".to_owned(), "20".to_owned())].into();
        let manifest = Manifest { memory_total: Bytes::new(1000 << 20), sysctls, ..Manifest::default() };
        let mut made = RecordingBuilder::new(manifest);
        for (at, moment) in [0, 1_000_000_000].into_iter().enumerate() {
            made.stamp(Stamp { boot_ns: moment, ..Stamp::default() });
            let mut add = |table, entity: &str, name: &str, value: i64| {
                let column = Column { name: name.to_owned(), kind: Kind::Gauge, unit: Unit::Count };
                made.value(table, entity, &column, value);
            };
            add(Table::Host, "", "MemFree", bytes(free[at]));
            add(Table::Host, "", "Active(file)", bytes(files[at] / 2.0));
            add(Table::Host, "", "Inactive(file)", bytes(files[at] / 2.0));
            add(Table::Host, "", "nr_dirty_threshold", pages(limit[at]));
            add(Table::Host, "", "nr_dirty_background_threshold", pages(limit[at]) / 2);
            add(Table::Zone, "0\tNormal", "high", pages(reserve[at]));
        }
        let recording = made.finish();
        changed_dirty_limits(&Stretch { recording: &recording, from: 0, to: 1_000_000_000 })
    }

    #[test]
    fn dirty_limits_that_memory_does_not_explain_were_set() {
        let set = Some((4 << 20, 8 << 20));
        assert_eq!(dirty_limits([250.0; 2], [250.0; 2], [40.0; 2], [92.0, 8.0]), set, "memory stays as it is");
        assert_eq!(
            dirty_limits([250.0, 50.0], [250.0, 450.0], [40.0; 2], [92.0, 8.0]),
            set,
            "files are read meanwhile"
        );
        let few = Some((524_288, 1 << 20));
        assert_eq!(dirty_limits([50.0; 2], [10.0; 2], [44.0; 2], [3.2, 1.0]), few, "little is left");
    }

    #[test]
    fn dirty_limits_that_follow_memory_were_not_set() {
        let none = |free, files, reserve, limit, why: &str| {
            assert_eq!(dirty_limits(free, files, reserve, limit), None, "{why}")
        };
        none([250.0, 100.0], [250.0, 100.0], [40.0; 2], [92.0, 32.0], "a program takes memory");
        // Most of what is free is the reserve, of a host that swaps out what it holds (webpackswap-old): 4.3 to 1.3 MiB, and 2.7 to 1.
        none([42.1, 45.2], [21.4, 6.7], [44.0; 2], [4.3, 1.3], "reclaim takes the files");
        none([55.9, 47.5], [3.1, 3.1], [44.0; 2], [2.7, 1.0], "free memory falls to the reserve");
        none([400.0; 2], [50.0; 2], [20.0, 300.0], [86.0, 30.0], "vm.min_free_kbytes is raised");
        none([250.0; 2], [250.0; 2], [40.0; 2], [92.0, 80.0], "about as much as before");
        none([50.0; 2], [10.0; 2], [44.0; 2], [1.0, 0.5], "too little to tell");
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
