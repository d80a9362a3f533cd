//! Control groups of commands.

use crate::stretch::Stretch;
use pagetide_core::Table;

/// The share of the periods of `cpu.max` in which a group must be throttled for its CPU time to be its limit.
const MIN_THROTTLED_SHARE: f64 = 0.8;
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
pub(crate) fn is_limit(bytes: f64) -> bool {
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

/// The limit of a group's CPU time at a moment, in CPUs.
pub(crate) fn cpu_max(stretch: &Stretch<'_>, throttled: &[Throttled], group: &str, at: i64) -> Option<f64> {
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

/// The groups that are not that of the whole host.
pub(crate) fn below_root<'a>(stretch: &Stretch<'a>) -> impl Iterator<Item = &'a str> {
    let groups = stretch.recording.entities(Table::Cgroup).map(|(group, _)| group);
    groups.filter(|group| !matches!(*group, "/" | "/sys/fs/cgroup"))
}

/// The group whose IO is most like that of a command.
pub(crate) fn of_traffic<'a>(own: &Traffic, groups: &[(&'a str, Traffic)], seconds: f64) -> Option<&'a str> {
    let able = groups.iter().filter(|(_, traffic)| traffic.bytes() > MIN_TRAFFIC * seconds);
    let alike = able.map(|(group, traffic)| (own.likeness(traffic), *group));
    let best = alike.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (best.0 >= MIN_ALIKE_SHARE).then_some(best.1)
}
