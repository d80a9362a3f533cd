//! What changed on the host near the onset of an incident, as far as it was recorded: limits of groups, swap, memory, the pool of huge
//! pages, devices that came, programs that started, and what the recorder noted of settings, mounts and the kernel's log.

use crate::actors::{group, process};
use crate::measure::onset::{self, SETTINGS_LATE};
use crate::measure::window::stamps;
use pagetide_core::{
    Actor, Change, EndedName, Finding, HOST_NOTE, KernelMessage, MarkKind, Moment, Nanos, Quantity, Recording, Span,
    Table, Unit,
};
use std::collections::BTreeMap;

/// What a change is looked for in: a gauge that moves only when somebody sets something.
struct Setting {
    table: Table,
    metric: &'static str,
    name: &'static str,
}

const SETTINGS: &[Setting] = &[
    Setting { table: Table::Cgroup, metric: "max", name: "memory.max" },
    Setting { table: Table::Cgroup, metric: "high", name: "memory.high" },
    Setting { table: Table::Host, metric: "SwapTotal", name: "swap" },
    Setting { table: Table::Host, metric: "MemTotal", name: "memory" },
    Setting { table: Table::Host, metric: "Hugetlb", name: "the huge page pool" },
];

/// What this module reads.
pub(crate) const METRICS: &[&str] = &["max", "high", "SwapTotal", "MemTotal", "Hugetlb"];

/// Notes that are told; the others are counted.
const NOTES: usize = 5;

/// The changes near the onset of a finding, in order of time.
pub(crate) fn near(recording: &Recording, finding: &Finding) -> Vec<Change> {
    let near = onset::near(recording, finding.range.from);
    let mut changes: Vec<Change> = SETTINGS.iter().flat_map(|setting| set(recording, setting, near)).collect();
    changes.extend(devices(recording, near));
    changes.extend(programs(recording, finding, near));
    changes.extend(noted(recording, near));
    changes.sort_by_key(|change| change.at_ns);
    changes
}

/// A limit that is absent is none.
fn amount(value: Option<i64>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| Quantity::new(value as f64, Unit::Bytes).to_string())
}

fn set(recording: &Recording, setting: &Setting, near: Span) -> Vec<Change> {
    let change = |(entity, _): (&str, &str)| {
        let series = recording.series(setting.table, entity, setting.metric)?.around(near.from.ns(), near.to.ns());
        // A limit has no value at the samples at which there is none.
        let values: Vec<(i64, Option<i64>)> =
            stamps(recording, near).map(|at| (at, series.within(at, at).next().map(|(_, value)| value))).collect();
        // A pool of huge pages grows for some samples.
        let changed = |pair: &&[(i64, Option<i64>)]| pair[0].1 != pair[1].1;
        let mut pairs = values.windows(2).skip_while(|pair| !changed(pair));
        let first = pairs.next()?;
        let last = pairs.take_while(changed).last().unwrap_or(first);
        let owner = if entity.is_empty() { String::new() } else { format!(" of {entity}") };
        let [before, after] = [first[0].1, last[1].1].map(amount);
        let what = format!("{}{owner} changed from {before} to {after}.", setting.name);
        Some(Change { at_ns: first[1].0, what })
    };
    recording.entities(setting.table).filter_map(change).collect()
}

/// Settings, mounts and swap areas that the recorder saw changed, and what the kernel's log told.
fn noted(recording: &Recording, near: Span) -> Vec<Change> {
    let noted = recording.marks.iter().filter_map(|mark| {
        let MarkKind::Note { text } = &mark.kind else { return None };
        let (what, late) = match text.strip_prefix(HOST_NOTE) {
            Some(what) => (what.to_owned(), SETTINGS_LATE),
            None => (KernelMessage::parse(text)?.to_string(), Nanos::ZERO),
        };
        let at = mark.stamp.boot_ns;
        let near = Span { to: near.to.later(late), ..near };
        near.contains(Moment::new(at)).then(|| Change { at_ns: at, what: format!("{what}.") })
    });
    let mut noted: Vec<Change> = noted.collect();
    let more = noted.len().saturating_sub(NOTES);
    noted.truncate(NOTES);
    if let Some(last) = noted.last_mut().filter(|_| more > 0) {
        last.what = format!("{} {more} more such changes.", last.what);
    }
    noted
}

/// Devices that came after the recording began.
fn devices(recording: &Recording, near: Span) -> Vec<Change> {
    let first = recording.stamps().first().map_or(i64::MAX, |stamp| stamp.boot_ns);
    let came = recording.entities(Table::Disk).filter_map(|(disk, _)| {
        let (at, _) = recording.disk(disk, "reads")?.points().next()?;
        (at > first && near.contains(Moment::new(at)))
            .then(|| Change { at_ns: at, what: format!("The device {disk} appeared.") })
    });
    came.collect()
}

/// The programs that a finding names, and those that fill a group that it names, which started near its onset.
fn programs(recording: &Recording, finding: &Finding, near: Span) -> Vec<Change> {
    let mut started: BTreeMap<&str, Vec<(Moment, &str)>> = BTreeMap::new();
    for (name, comm) in recording.entities(Table::Process) {
        let Some(at) = Moment::of_start(name).filter(|at| !EndedName::is(name) && near.contains(*at)) else { continue };
        if finding.origins.has(&Actor::command(comm)) || fills(recording, finding, name) {
            started.entry(comm).or_default().push((at, name));
        }
    }
    let change = |(comm, mut processes): (&str, Vec<(Moment, &str)>)| {
        processes.sort_unstable();
        let (at, first) = *processes.first()?;
        let pid = process::pid(first);
        let what = match processes.len() {
            1 => format!("{comm} (pid {pid}) started."),
            more => format!("{more} processes of {comm} started (the first: pid {pid})."),
        };
        Some(Change { at_ns: at.ns(), what })
    };
    started.into_iter().filter_map(change).collect()
}

/// The part of a group's memory that a program allocates, at least, to be what fills it.
const FILLS: f64 = 0.1;

/// Whether a program is in a group that a finding names and comes to have a part of its memory.
fn fills(recording: &Recording, finding: &Finding, process: &str) -> bool {
    let most = |table, entity: &str, metric: &str| {
        recording.series(table, entity, metric)?.points().map(|(_, value)| value).max()
    };
    let of = |group: &str| {
        let number = group::number(recording, Table::Process, process);
        let inside = number.is_some()
            && recording.entities(Table::Cgroup).any(|(other, _)| {
                group::within(group, other) && group::number(recording, Table::Cgroup, other) == number
            });
        let both = || Some((most(Table::Process, process, "RssAnon")?, most(Table::Cgroup, group, "current")?));
        inside && both().is_some_and(|(own, all)| own as f64 >= all as f64 * FILLS)
    };
    finding.origins.iter().filter_map(Actor::as_group).any(of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Manifest, Mark, RecordingBuilder, SettingChange, Stamp};

    #[test]
    fn settings_and_messages_of_the_kernel_near_an_onset_are_told_and_a_flood_is_counted() {
        const SECOND: i64 = 1_000_000_000;
        let near = Span { from: Moment::new(55 * SECOND), to: Moment::new(65 * SECOND) };
        let told = |notes: &[(i64, String)]| {
            let mut builder = RecordingBuilder::new(Manifest::default());
            for (at, text) in notes {
                let stamp = Stamp { boot_ns: at * SECOND, ..Stamp::default() };
                builder.mark(Mark { stamp, kind: MarkKind::Note { text: text.clone() } });
            }
            noted(&builder.finish(), near).into_iter().map(|change| change.what).collect::<Vec<_>>()
        };
        let setting = SettingChange { name: "vm.swappiness", from: "60", to: "0" }.note();
        let killed =
            KernelMessage::OomKill { command: "java".to_owned(), pid: 9, group: Some("pod".to_owned()) }.note();
        assert_eq!(
            told(&[(60, killed.clone()), (74, setting.clone())]),
            ["OOM kill of java (pid 9) at the limit of pod.", "vm.swappiness changed from 60 to 0."]
        );
        assert_eq!(told(&[(50, setting.clone()), (74, killed.clone()), (76, setting)]), [""; 0], "too early, too late");
        assert_eq!(told(&[(60, "recorder: late".to_owned()), (61, "started: tar".to_owned())]), [""; 0]);
        let flood: Vec<(i64, String)> = (0..9).map(|_| (60, killed.clone())).collect();
        assert_eq!(told(&flood).last().unwrap(), "OOM kill of java (pid 9) at the limit of pod. 4 more such changes.");
    }
}
