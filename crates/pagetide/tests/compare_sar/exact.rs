//! The same snapshots, read by sadc and by the recorder's sampler: every field of `sar -A` against `show`.

use crate::fields::{Difference, FIELDS, NOT_RECORDED, Shown, prints_as, values_of};
use crate::snapshots::{Replayed, Snapshot, replay};
use pagetide_core::{Recording, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What became of one field.
#[derive(Default)]
struct Count {
    equal: usize,
    /// Values that differ by a difference that the table explains.
    explained: usize,
    /// Values that differ where the rules of [`expected`] explain it, by their text.
    special: BTreeMap<&'static str, usize>,
    wrong: Vec<String>,
}

/// The result of one replay.
pub(crate) struct Compared {
    counts: Vec<Count>,
    unknown: BTreeSet<String>,
    not_recorded: BTreeSet<String>,
}

/// Compares a replay field by field.
pub(crate) fn compare(replayed: &Replayed) -> Compared {
    let shown = Shown::new(&replayed.recording);
    let stamps = replayed.recording.stamps();
    assert_eq!(replayed.sar.len() + 1, stamps.len(), "sadc takes a record of each snapshot");
    let mut compared = Compared { counts: Vec::new(), unknown: BTreeSet::new(), not_recorded: BTreeSet::new() };
    compared.counts.resize_with(FIELDS.len(), Count::default);
    for (sample, stamp) in replayed.sar.iter().zip(&stamps[1..]) {
        for (field, count) in FIELDS.iter().zip(&mut compared.counts) {
            for (entity, printed) in values_of(sample, field) {
                let value = shown.at(field, &entity, stamp.wall_ns);
                match value {
                    Some(value) if prints_as(field, value, printed) => count.equal += 1,
                    // Of nothing there is no mean and no share; sar prints 0.
                    None if printed == 0.0 && OF_NOTHING.iter().any(|end| field.sar.ends_with(end)) => count.equal += 1,
                    _ if field.difference.is_some()
                        && as_sysstat(&replayed.recording, field.sar, stamp.boot_ns)
                            .is_none_or(|value| prints_as(field, value, printed)) =>
                    {
                        count.explained += 1;
                    }
                    _ => match expected(&replayed.recording, field.sar, &entity, stamp.boot_ns) {
                        Some(why) => *count.special.entry(why).or_default() += 1,
                        None => count.wrong.push(format!(
                            "{} {entity} at {}: sar {printed}, pagetide {value:?}",
                            field.sar,
                            stamp.boot_ns / 1_000_000_000
                        )),
                    },
                }
            }
        }
        let known = |name: &str| FIELDS.iter().any(|field| field.sar.split(['.', '[']).next() == Some(name));
        for name in sample.as_object().unwrap().keys().filter(|name| !known(name)) {
            let list =
                if NOT_RECORDED.contains(&name.as_str()) { &mut compared.not_recorded } else { &mut compared.unknown };
            list.insert(name.clone());
        }
    }
    compared
}

/// What sysstat makes of the recorded counters by its own definition of a field that differs; absent where it reads another file.
fn as_sysstat(recording: &Recording, field: &str, at: i64) -> Option<f64> {
    let now = recording.stamps().iter().position(|stamp| stamp.boot_ns == at)?;
    let before = recording.stamps()[now.checked_sub(1)?].boot_ns;
    let rise = |prefix: &str| {
        let named = recording.metrics(Table::Host, "").filter(|column| column.name.starts_with(prefix));
        let rises = named.filter_map(|column| recording.host(&column.name)?.rise(before, at));
        rises.sum::<i64>() as f64
    };
    match field {
        "paging.pgsteal" => Some(rise("pgsteal_") / ((at - before) as f64 / 1e9)),
        "paging.vmeff-percent" => {
            let scanned = rise("pgscan_kswapd") + rise("pgscan_direct");
            Some(if scanned > 0.0 { 100.0 * rise("pgsteal_") / scanned } else { 0.0 })
        }
        "queue.runq-sz" => Some((recording.host("tasks_running")?.at(at)? - 1) as f64),
        _ => None,
    }
}

/// Fields that are quotients: without requests, scans, swap or a pool sar prints 0, and pagetide nothing.
const OF_NOTHING: [&str; 7] =
    ["rq-sz", "areq-sz", "await", "vmeff-percent", "swpused-percent", "swpcad-percent", "hugused-percent"];

const CPU_BACK: &str = "a CPU comes back: sar takes all it did since it went for this interval, and without its idle time when that \
     restarted (sysstat rd_stats.c: get_per_cpu_interval, sa_common.c: get_global_cpu_statistics); pagetide leaves out the time that \
     it does not know (core derived/walk.rs: Walk::over)";
const DISK_NEW: &str = "a disk is new or was replaced: sar takes what it counted since it came for this interval (sysstat sa_common.c: \
     check_disk_reg); pagetide has no rate before the second sample (core derived/walk.rs: Pieces)";

/// Why a value may differ at this moment.
fn expected(recording: &Recording, field: &str, entity: &str, at: i64) -> Option<&'static str> {
    let stamps = recording.stamps();
    let now = stamps.iter().position(|stamp| stamp.boot_ns == at)?;
    let before = stamps[now.checked_sub(1)?].boot_ns;
    let has = |table: Table, name: &str, metric: &str, at: i64| {
        recording.series(table, name, metric).is_some_and(|series| series.points().any(|(moment, _)| moment == at))
    };
    let came =
        |table: Table, name: &str, metric: &str| !has(table, name, metric, before) && has(table, name, metric, at);
    let fell = |name: &str| {
        let series = recording.disk(name, "writes");
        series.is_some_and(|series| {
            let upto = series.within(i64::MIN, at).map(|(_, value)| value).collect::<Vec<_>>();
            upto.windows(2).last().is_some_and(|pair| pair[1] < pair[0])
        })
    };
    if field.starts_with("cpu-load") {
        let back = |name: &str| came(Table::Cpu, name, "cpu_user");
        let any = recording.entities(Table::Cpu).any(|(name, _)| back(name));
        return (if entity == "all" { any } else { back(entity) }).then_some(CPU_BACK);
    }
    (field.starts_with("disk") && (came(Table::Disk, entity, "reads") || fell(entity))).then_some(DISK_NEW)
}

impl Compared {
    /// Fails on a difference that nothing explains.
    pub(crate) fn check(&self) {
        let wrong: Vec<&String> = self.counts.iter().flat_map(|count| &count.wrong).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(self.unknown.is_empty(), "sadf prints what the table of fields lacks: {:?}", self.unknown);
    }

    /// How many values were equal.
    pub(crate) fn equal(&self) -> usize {
        self.counts.iter().map(|count| count.equal).sum()
    }

    /// The table as Markdown.
    pub(crate) fn table(&self) -> String {
        let mut text = "| sar | pagetide show | values | equal | otherwise |\n|---|---|---:|---:|---|\n".to_owned();
        for (field, count) in FIELDS.iter().zip(&self.counts) {
            let special: usize = count.special.values().sum();
            let all = count.equal + count.explained + special + count.wrong.len();
            let mut notes: Vec<String> =
                count.special.iter().map(|(why, times)| format!("{times} different by definition: {why}")).collect();
            match field.difference.filter(|_| count.explained > 0) {
                Some(Difference::Definition { why, sysstat, pagetide }) => {
                    notes.push(format!(
                        "{} different by definition: {why} (sysstat {sysstat}; pagetide {pagetide})",
                        count.explained
                    ));
                }
                Some(Difference::WrongInSysstat { why, fix }) => {
                    notes.push(format!("{} wrong in sysstat: {why} (fixed in {fix})", count.explained));
                }
                None => {}
            }
            if !count.wrong.is_empty() {
                notes.push(format!("{} **wrong**: {}", count.wrong.len(), count.wrong[0]));
            }
            let column = format!("{} {}", field.topic.name(), field.column);
            let _ = writeln!(text, "| {} | {column} | {all} | {} | {} |", field.sar, count.equal, notes.join("; "));
        }
        let names: Vec<&str> =
            self.not_recorded.iter().map(String::as_str).filter(|name| *name != "timestamp").collect();
        let _ = writeln!(text, "\nNot recorded, since they are neither IO nor memory: {}.", names.join(", "));
        text
    }
}

/// The snapshots as they are, and with a CPU that is away for two of them: this part is edited.
pub(crate) fn both(snapshots: &[Snapshot]) -> [Compared; 2] {
    let as_it_was = compare(&replay(snapshots));
    let away = |(at, snapshot): (usize, &Snapshot)| {
        if (4..6).contains(&at) { snapshot.without_cpu("1") } else { snapshot.clone() }
    };
    let edited: Vec<Snapshot> = snapshots.iter().enumerate().map(away).collect();
    [as_it_was, compare(&replay(&edited))]
}
