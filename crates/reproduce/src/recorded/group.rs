//! Control groups of commands.

use super::stretch::{Stretch, TICKS};
use pagetide_core::{Table, plain_name};

/// Where the kernel's control groups begin.
const ROOT: &str = "/sys/fs/cgroup";
/// The limits of a group's IO on a disk.
const IO_LIMITS: [&str; 4] = ["max_rbps", "max_wbps", "max_riops", "max_wiops"];
/// The share of the periods of `cpu.max` in which a group must be throttled for its CPU time to be its limit.
const MIN_THROTTLED_SHARE: f64 = 0.8;
/// Intervals in which a group must be held back for its limit to be measured.
const MIN_INTERVALS_HELD: usize = 3;
/// Bytes per second that a group must read and write for its IO to tell whose it is.
const MIN_TRAFFIC: f64 = 16.0 * 1024.0;
/// A group is that of a command if what both did at the same time is this share of what either did, as a harmonic mean.
const MIN_ALIKE_SHARE: f64 = 0.6;

/// What a command or a group read in each interval, and wrote in all: writeback comes later than the writing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Traffic {
    reads: Vec<f64>,
    written: f64,
}

impl Traffic {
    /// The sum of some counters of reads, and of writes.
    pub(crate) fn of(stretch: &Stretch<'_>, rows: &[(Table, String)], [read, written]: [&str; 2]) -> Self {
        let mut all = Self::default();
        for (table, row) in rows {
            let rate = |part: &Stretch<'_>, metric| part.rate(*table, row, metric).unwrap_or(0.0);
            let reads: Vec<f64> = stretch.intervals().iter().map(|part| rate(part, read) * part.seconds()).collect();
            all.reads.resize(reads.len(), 0.0);
            all.reads.iter_mut().zip(reads).for_each(|(sum, more)| *sum += more);
            all.written += rate(stretch, written) * stretch.seconds();
        }
        all
    }

    fn bytes(&self) -> f64 {
        self.reads.iter().sum::<f64>() + self.written
    }

    /// How much of both is the same: 0 to 1.
    fn likeness(&self, other: &Self) -> f64 {
        let common: f64 = self.reads.iter().zip(&other.reads).map(|(one, other)| one.min(*other)).sum();
        2.0 * (common + self.written.min(other.written)) / (self.bytes() + other.bytes()).max(1.0)
    }
}

/// Whether a value of `memory.max`, `memory.high` or `io.max` is a limit: the kernel says none by a large number.
fn is_limit(bytes: f64) -> bool {
    bytes > 0.0 && bytes < 1e15
}

/// A group that was throttled, in a recording made before 0.2: that has no `cpu.max`, which is what the group used meanwhile.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Throttled {
    group: String,
    /// From when on.
    from: i64,
    /// What it used, in CPUs.
    cpus: f64,
}

/// The groups that were throttled without a recorded limit.
pub(crate) fn throttled(stretch: &Stretch<'_>) -> Vec<Throttled> {
    let has = |group: &str, metric| stretch.recording.series(Table::Cgroup, group, metric).is_some();
    let groups = below_root(stretch).filter(|group| has(group, "cpu_throttled") && !has(group, "cpu_max"));
    groups.filter_map(|group| while_throttled(stretch, group)).collect()
}

fn while_throttled(stretch: &Stretch<'_>, group: &str) -> Option<Throttled> {
    let rate = |part: &Stretch<'_>, metric| part.rate(Table::Cgroup, group, metric);
    let is_throttled = |part: &Stretch<'_>| {
        let shares = rate(part, "cpu_throttled").zip(rate(part, "cpu_periods"));
        shares.is_some_and(|(throttled, periods)| periods > 0.0 && throttled >= periods * MIN_THROTTLED_SHARE)
    };
    let throttled: Vec<Stretch<'_>> = stretch.intervals().into_iter().filter(is_throttled).collect();
    let used: f64 = throttled.iter().filter_map(|part| Some(rate(part, "cpu_usage")? * part.seconds())).sum();
    let time: f64 = throttled.iter().map(Stretch::seconds).sum();
    let first = throttled.first().filter(|_| used > 0.0)?;
    Some(Throttled { group: group.to_owned(), from: first.from, cpus: used / time / 1e6 })
}

/// A group in which tasks waited for a CPU for nearly all of a stretch while CPUs were idle, in a recording made before 0.2: nothing but `cpu.max`, which that
/// does not have, keeps them from running. None where there are several: nobody knows which tasks are in which.
pub(crate) fn held_back<'a>(stretch: &Stretch<'a>) -> Option<&'a str> {
    let has = |group: &str, metric| stretch.recording.series(Table::Cgroup, group, metric).is_some();
    let is_held = |group: &&str| {
        let told = has(group, "cpu_throttled") || has(group, "cpu_max");
        !told && stretch.intervals().iter().filter(|part| is_held_in(part, group)).count() >= MIN_INTERVALS_HELD
    };
    let held: Vec<&str> = below_root(stretch).filter(is_held).collect();
    // What holds a group back holds back those above it as well: it waits when they do.
    let is_lowest = |group: &&str| !held.iter().any(|other| is_below(group, other));
    let mut lowest = held.iter().copied().filter(is_lowest);
    lowest.next().filter(|_| lowest.next().is_none())
}

/// Whether tasks of a group wait for a CPU for nearly all of an interval in which most of the host's CPU time is idle.
fn is_held_in(part: &Stretch<'_>, group: &str) -> bool {
    const MIN_IDLE_SHARE: f64 = 0.5;
    let cpus = f64::from(part.recording.manifest.cpus).max(1.0);
    let idle = part.host_rate("cpu_idle").map_or(0.0, |ticks| ticks / TICKS / cpus);
    let waits = part.rate(Table::Cgroup, group, "psi_cpu_some").map_or(0.0, |micros| micros / 1e6);
    waits >= MIN_THROTTLED_SHARE && idle >= MIN_IDLE_SHARE
}

/// The limit of a group that is held back: the CPU time of the processes in it meanwhile.
pub(crate) fn limit_of_held_back(stretch: &Stretch<'_>, group: &str, processes: &[&String]) -> Option<Throttled> {
    let parts: Vec<Stretch<'_>> = stretch.intervals().into_iter().filter(|part| is_held_in(part, group)).collect();
    let ticks = |part: &Stretch<'_>, process: &str, metric| part.rate(Table::Process, process, metric).unwrap_or(0.0);
    let used = |part: &Stretch<'_>| {
        let of_each = processes.iter().map(|process| ticks(part, process, "utime") + ticks(part, process, "stime"));
        of_each.sum::<f64>() * part.seconds()
    };
    let (used, time) = parts.iter().fold((0.0, 0.0), |(sum, time), part| (sum + used(part), time + part.seconds()));
    let first = parts.first().filter(|_| used > 0.0)?;
    Some(Throttled { group: group.to_owned(), from: first.from, cpus: used / time / TICKS })
}

/// The limit of a group's CPU time at a moment, in CPUs.
fn cpu_max(stretch: &Stretch<'_>, throttled: &[Throttled], group: &str, at: i64) -> Option<f64> {
    let recorded = stretch.sampled_at(Table::Cgroup, group, "cpu_max", at).map(|micros| micros / 1e6);
    let told = || throttled.iter().find(|one| one.group == group && one.from <= at).map(|one| one.cpus);
    recorded.or_else(told)
}

/// Whether a group has a limit of memory at the onset or at the end.
pub(crate) fn has_limit(calm: &Stretch<'_>, trouble: &Stretch<'_>, group: &str) -> bool {
    let at = |metric, at| trouble.sampled_at(Table::Cgroup, group, metric, at);
    let limits = ["max", "high"].into_iter().flat_map(|metric| [at(metric, calm.to), at(metric, trouble.to)]);
    limits.flatten().any(is_limit)
}

/// The nearest group from this one up that has a limit of memory, CPU time or IO at the onset or at the end; else this one. What is in a pod is
/// held up by the limits of the pod.
pub(crate) fn limited<'a>(calm: &Stretch<'_>, trouble: &Stretch<'_>, path: &'a str) -> &'a str {
    let mut up = std::iter::successors(Some(path), |path: &&'a str| {
        path.rsplit_once('/').map(|(parent, _)| parent).filter(|parent| !matches!(*parent, "" | ROOT))
    });
    let has_limits =
        |path: &&str| [calm.to, trouble.to].iter().any(|at| limits(trouble, &[], path, *at) != Limits::default());
    up.find(has_limits).unwrap_or(path)
}

/// The limits of a group.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Limits {
    pub(crate) memory_max: Option<f64>,
    pub(crate) memory_high: Option<f64>,
    /// CPUs.
    pub(crate) cpu_max: Option<f64>,
    /// Of each disk that has some: bytes read and written, reads and writes, per second.
    pub(crate) io: Vec<(String, [Option<f64>; 4])>,
}

/// The limits that a group had at a moment.
pub(crate) fn limits(stretch: &Stretch<'_>, throttled: &[Throttled], path: &str, at: i64) -> Limits {
    let limit = |table, row: &str, metric| stretch.sampled_at(table, row, metric, at).filter(|limit| is_limit(*limit));
    let of_disk = |row: &str| {
        let disk = row.split_once('\t').filter(|(group, _)| *group == path)?.1;
        let limits = IO_LIMITS.map(|metric| limit(Table::CgroupDisk, row, metric));
        limits.iter().any(Option::is_some).then(|| (disk.to_owned(), limits))
    };
    Limits {
        memory_max: limit(Table::Cgroup, path, "max"),
        memory_high: limit(Table::Cgroup, path, "high"),
        cpu_max: cpu_max(stretch, throttled, path, at),
        io: stretch.recording.entities(Table::CgroupDisk).filter_map(|(row, _)| of_disk(row)).collect(),
    }
}

/// Whether the IO of a group on a device is limited at the end.
pub(crate) fn limits_io(stretch: &Stretch<'_>, device: &str) -> bool {
    let mut rows = stretch.recording.entities(Table::CgroupDisk).map(|(row, _)| row);
    let is_limited = |row: &str| {
        let limit = |metric: &&str| stretch.sampled_at(Table::CgroupDisk, row, metric, stretch.to);
        row.ends_with(&format!("\t{device}")) && IO_LIMITS.iter().filter_map(limit).any(is_limit)
    };
    rows.any(is_limited)
}

/// What the scenario calls the group with this path.
pub(crate) fn name(path: &str) -> Option<String> {
    path.rsplit('/').find(|part| !part.is_empty()).map(plain_name)
}

/// Whether a group is below another, by their paths.
pub(crate) fn is_below(path: &str, other: &str) -> bool {
    other.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
}

/// The groups that are next below another.
pub(crate) fn next_below<'a>(stretch: &Stretch<'a>, path: &str) -> impl Iterator<Item = &'a str> {
    let is_next = move |group: &&str| group.rsplit_once('/').is_some_and(|(parent, _)| parent == path);
    below_root(stretch).filter(is_next)
}

/// The groups that are not that of the whole host.
pub(crate) fn below_root<'a>(stretch: &Stretch<'a>) -> impl Iterator<Item = &'a str> {
    let groups = stretch.recording.entities(Table::Cgroup).map(|(group, _)| group);
    groups.filter(|group| !matches!(*group, "/" | ROOT))
}

/// The group whose IO is most like that of a command.
pub(crate) fn of_traffic<'a>(own: &Traffic, groups: &[(&'a str, Traffic)], seconds: f64) -> Option<&'a str> {
    let able = groups.iter().filter(|(_, traffic)| traffic.bytes() > MIN_TRAFFIC * seconds);
    let alike = able.map(|(group, traffic)| (own.likeness(traffic), *group));
    let best = alike.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (best.0 >= MIN_ALIKE_SHARE).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Column, Kind, Manifest, RecordingBuilder, Stamp, Unit};

    /// A sample in which these rows have these limits.
    fn limits_of(rows: &[(Table, &str, &str)], check: impl FnOnce(&Stretch<'_>)) {
        let mut made = RecordingBuilder::new(Manifest::default());
        made.stamp(Stamp { boot_ns: 1, ..Stamp::default() });
        for (table, row, metric) in rows {
            let column = Column { name: (*metric).to_owned(), kind: Kind::Gauge, unit: Unit::Count };
            made.value(*table, row, &column, 1 << 20);
        }
        let recording = made.finish();
        check(&Stretch { recording: &recording, from: 1, to: 1 });
    }

    #[test]
    fn what_is_in_a_pod_is_held_up_by_the_limits_of_the_pod() {
        let pod = "/sys/fs/cgroup/pod";
        let app = "/sys/fs/cgroup/pod/app";
        let row = format!("{pod}\tvdb");
        for rows in [
            [(Table::Cgroup, pod, "max")],
            [(Table::Cgroup, pod, "cpu_max")],
            [(Table::CgroupDisk, row.as_str(), "max_wiops")],
        ] {
            limits_of(&rows, |stretch| assert_eq!(limited(stretch, stretch, app), pod));
        }
        let both = [(Table::Cgroup, pod, "max"), (Table::Cgroup, app, "high")];
        limits_of(&both, |stretch| assert_eq!(limited(stretch, stretch, app), app, "its own come first"));
        limits_of(&[(Table::Cgroup, pod, "anon")], |stretch| assert_eq!(limited(stretch, stretch, app), app));
        limits_of(&[(Table::Cgroup, ROOT, "max")], |stretch| assert_eq!(limited(stretch, stretch, app), app));
    }

    /// Ten seconds on two CPUs, of which so many ticks a second are idle, with groups in which tasks wait for a CPU for so many ms of each.
    fn waiting(idle: i64, groups: &[(&str, i64)], told: Option<&str>, check: impl FnOnce(&Stretch<'_>)) {
        let mut made = RecordingBuilder::new(Manifest { cpus: 2, ..Manifest::default() });
        let column = |name: &str, kind| Column { name: name.to_owned(), kind, unit: Unit::Count };
        for second in 0..=10 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            made.value(Table::Host, "", &column("cpu_idle", Kind::Counter), second * idle);
            made.value(Table::Process, "7@0", &column("utime", Kind::Counter), second * 5);
            for (group, waits) in groups {
                made.value(Table::Cgroup, group, &column("psi_cpu_some", Kind::Counter), second * waits * 1000);
                if let Some(metric) = told {
                    made.value(Table::Cgroup, group, &column(metric, Kind::Gauge), 50_000);
                }
            }
        }
        let recording = made.finish();
        check(&Stretch { recording: &recording, from: 0, to: 10_000_000_000 });
    }

    #[test]
    fn who_waits_for_a_cpu_while_cpus_idle_is_at_a_limit_that_nobody_recorded() {
        let (pod, app, other) = ("/sys/fs/cgroup/pod", "/sys/fs/cgroup/pod/app", "/sys/fs/cgroup/other");
        let held = |idle: i64, groups: &[(&str, i64)], told: Option<&str>| {
            let mut found = None;
            waiting(idle, groups, told, |stretch| found = held_back(stretch).map(ToOwned::to_owned));
            found
        };
        assert_eq!(held(190, &[(app, 950), (other, 10)], None).as_deref(), Some(app));
        assert_eq!(held(190, &[(pod, 950), (app, 950)], None).as_deref(), Some(app), "its parent waits as well");
        assert_eq!(held(20, &[(app, 950)], None), None, "the CPUs are busy");
        assert_eq!(held(190, &[(app, 300)], None), None, "it waits now and then");
        assert_eq!(held(190, &[(app, 950), (other, 950)], None), None, "nobody knows who is in which");
        assert_eq!(held(190, &[(app, 950)], Some("cpu_max")), None, "its limit was recorded");
        waiting(190, &[(app, 950)], None, |stretch| {
            let limit = limit_of_held_back(stretch, app, &[&"7@0".to_owned()]).unwrap();
            assert!((limit.cpus - 0.05).abs() < 1e-6, "{limit:?}");
            assert_eq!(cpu_max(stretch, &[limit], app, stretch.to), Some(0.05));
            assert_eq!(limit_of_held_back(stretch, app, &[]), None, "nobody in it used a CPU");
        });
    }
}
