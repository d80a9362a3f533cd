//! What changed on the host near the onset of an incident, as far as it was recorded: limits of groups, swap, memory, the pool of huge
//! pages, devices that came, programs that started.

use crate::actors::process;
use crate::measure::window::{intervals, stamps};
use pagetide_core::{Actor, Change, EndedName, Finding, Moment, Nanos, Quantity, Recording, Span, Table, Unit};

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

/// Samples before and after an onset within which a change stands beside it.
const NEAR: u64 = 5;
/// The least of that time.
const MIN_MARGIN: Nanos = Nanos::new(5_000_000_000);

/// The changes near the onset of a finding, in order of time.
pub(crate) fn near(recording: &Recording, finding: &Finding) -> Vec<Change> {
    let margin = intervals(recording, NEAR).max(MIN_MARGIN);
    let onset = finding.range.from;
    let near = Span { from: onset.earlier(margin), to: onset.later(margin) };
    let mut changes: Vec<Change> = SETTINGS.iter().flat_map(|setting| set(recording, setting, near)).collect();
    changes.extend(devices(recording, near));
    changes.extend(programs(recording, finding, near));
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

/// The programs that a finding names and that started near its onset.
fn programs(recording: &Recording, finding: &Finding, near: Span) -> Vec<Change> {
    let started = recording.entities(Table::Process).filter_map(|(name, comm)| {
        let at = Moment::of_start(name).filter(|_| !EndedName::is(name))?;
        let named = finding.origins.has(&Actor::command(comm)) && near.contains(at);
        named.then(|| Change { at_ns: at.ns(), what: format!("{comm} (pid {}) started.", process::pid(name)) })
    });
    let mut started: Vec<Change> = started.collect();
    started.sort_by_key(|change| change.at_ns);
    started.truncate(3);
    started
}
