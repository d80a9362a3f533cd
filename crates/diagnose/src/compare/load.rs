//! Which programs and groups use more or less than before: a host that does less loses less time, whatever was changed.

use crate::actors::group::leaves;
use crate::actors::process;
use crate::measure::amount::Count;
use crate::measure::episodes::Episodes;
use crate::measure::window::Window;
use pagetide_core::{ComparedLoad, Quantity, Recording, Table, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// Something that programs use.
struct Used {
    /// As a verb.
    what: &'static str,
    unit: Unit,
    /// What counts it of processes, and of groups.
    of_process: &'static [&'static str],
    of_group: &'static [&'static str],
    /// A unit of `unit` in units of the counters.
    parts: [f64; 2],
    /// A difference below which it decides nothing.
    least: f64,
}

const BYTES: Used =
    Used { what: "", unit: Unit::BytesPerSecond, of_process: &[], of_group: &[], parts: [1.0; 2], least: 100e3 };

const USED: [Used; 3] = [
    Used { what: "reads", of_process: &["read_bytes"], of_group: &["io_rbytes"], ..BYTES },
    Used { what: "writes", of_process: &["write_bytes"], of_group: &["io_wbytes"], ..BYTES },
    // Ticks of 1/100 s, and us.
    Used {
        what: "uses",
        unit: Unit::Count,
        of_process: &["utime", "stime"],
        of_group: &["cpu_usage"],
        parts: [100.0, 1e6],
        least: 0.05,
    },
];

/// A difference that matters: this part of the larger amount, …
const PART: f64 = 0.2;
/// … and of what all programs do together.
const OF_ALL: f64 = 0.1;

/// Changes in the summary, at most.
const TOLD: usize = 3;

/// The names of the metrics that it reads.
pub(super) fn metrics() -> impl Iterator<Item = &'static str> {
    USED.iter().flat_map(|used| used.of_process.iter().chain(used.of_group)).copied()
}

/// What programs and groups use more or less of than before; those that changed most first, programs before groups. Nothing where a range has no
/// record of them.
pub(super) fn load(before: &Recording, after: &Recording) -> Vec<ComparedLoad> {
    let (episodes, later) = (Episodes::default(), Episodes::default());
    let both = Window::whole(before, &episodes).zip(Window::whole(after, &later));
    let Some((before, after)) = both else { return Vec::new() };
    let mut all = of_kind(&before, &after, "process", programs);
    all.extend(of_kind(&before, &after, "cgroup", groups));
    all
}

fn of_kind(
    before: &Window<'_>,
    after: &Window<'_>,
    kind: &str,
    of: impl Fn(&Window<'_>, &Used) -> Option<BTreeMap<String, f64>>,
) -> Vec<ComparedLoad> {
    let mut changed: Vec<(f64, ComparedLoad)> = Vec::new();
    for used in &USED {
        let Some((one, other)) = of(before, used).zip(of(after, used)) else { continue };
        let all = one.values().sum::<f64>().max(other.values().sum());
        for name in one.keys().chain(other.keys()).collect::<BTreeSet<_>>() {
            let [before, after] = [&one, &other].map(|range| range.get(name).copied().unwrap_or(0.0));
            let by = (after - before).abs();
            if by >= used.least && by >= PART * before.max(after) && by >= OF_ALL * all {
                let quantity = |value| Quantity::new(value, used.unit);
                let load = ComparedLoad {
                    of: format!("{kind}:{name}"),
                    what: used.what.to_owned(),
                    before: quantity(before),
                    after: quantity(after),
                };
                changed.push((by / all, load));
            }
        }
    }
    changed.sort_by(|one, other| other.0.total_cmp(&one.0));
    changed.into_iter().map(|(_, load)| load).collect()
}

/// What each program used in a range, without what works for others.
fn programs(window: &Window<'_>, used: &Used) -> Option<BTreeMap<String, f64>> {
    let recording = window.recording;
    let counts = |(name, _): (&str, &str)| recording.series(Table::Process, name, used.of_process[0]).is_some();
    recording.entities(Table::Process).any(counts).then_some(())?;
    let mut all: BTreeMap<String, f64> = BTreeMap::new();
    for metric in used.of_process {
        for (comm, rate) in process::each::<Count>(window, metric) {
            if !process::works_for_others(comm) {
                *all.entry(comm.to_owned()).or_default() += rate.get() / used.parts[0];
            }
        }
    }
    Some(all)
}

/// What each group without others in it used in a range.
fn groups(window: &Window<'_>, used: &Used) -> Option<BTreeMap<String, f64>> {
    let (leaves, length) = (leaves(window.recording), window.length()?);
    let of = |group: &str| {
        let rises = used.of_group.iter().filter_map(|metric| window.rise::<Count>(Table::Cgroup, group, metric));
        Some(rises.reduce(|sum, rise| sum + rise)?.per(length).get() / used.parts[1])
    };
    let all: BTreeMap<_, _> = leaves.into_iter().filter_map(|group| Some((group.to_owned(), of(group)?))).collect();
    (!all.is_empty()).then_some(all)
}

/// The changes that a reader must know of, in words: those of programs, or of groups where programs were not recorded.
pub(super) fn words(load: &[ComparedLoad]) -> impl Iterator<Item = String> {
    let told = load.iter().take(TOLD).filter(|one| one.of.starts_with("cgroup:") == load[0].of.starts_with("cgroup:"));
    told.map(|ComparedLoad { of, what, before, after }| {
        let who = of.strip_prefix("process:").map_or_else(|| of.replacen("cgroup:", "The group ", 1), str::to_owned);
        let cpus = if after.unit == Unit::Count { " CPUs" } else { "" };
        format!("{who} {what} {after}{cpus} ({before} before).")
    })
}
