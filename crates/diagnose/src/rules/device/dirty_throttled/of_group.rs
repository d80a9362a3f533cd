//! Writers of a control group: its dirty thresholds are shares of the memory that it has for files, however little of the host's memory is dirty.
//!
//! Linux 6.12, cgroup v2: mm/page-writeback.c: mdtc_calc_avail, domain_dirty_limits; mm/memcontrol.c: mem_cgroup_wb_stats.

use super::peak::add_peak;
use crate::actors::group;
use crate::actors::process;
use crate::evidence::{EvidenceBuilder, advise, word};
use crate::ledger::disk_load;
use crate::measure::amount::{Amount, Limit};
use crate::measure::cgroup_version;
use crate::measure::freerun::{Level, SAMPLES};
use crate::measure::window::{Window, stored};
use pagetide_core::derived;
use pagetide_core::{Actor, Bytes, Finding, Moment, Ratio, Relation, RuleId, Span, Table};

pub(super) const WAITS: Limit<Ratio> = Limit::new(
    "share of time that tasks of the group wait for IO, at least, of a group at a ceiling of its own",
    0.1,
    "Writers that are throttled wait for IO.",
    "mm/page-writeback.c: balance_dirty_pages (io_schedule_timeout, 6.12)",
);

/// The shares of memory that the thresholds are; absent where they are set in bytes.
fn shares(window: &Window<'_>) -> Option<(f64, f64)> {
    let share = |name: &str| {
        let percent: f64 = window.recording.setting_at(name, window.span.from.ns())?.trim().parse().ok()?;
        (percent > 0.0).then_some(percent / 100.0)
    };
    Some((share("vm.dirty_ratio")?, share("vm.dirty_background_ratio")?))
}

fn levels(window: &Window<'_>, group: &str, (ratio, background): (f64, f64)) -> Option<Vec<Level>> {
    let of = |group: &str, metric: &str| window.recording.series(Table::Cgroup, group, metric);
    let (dirty, writeback, file) = (of(group, "file_dirty")?, of(group, "file_writeback")?, of(group, "file")?);
    let shmem = of(group, "shmem");
    let owners: Vec<&str> = group::with_parents(window, group).collect();
    // What the group may still take, by its own limits and by those above it.
    let headroom = |at: i64| {
        let left = owners.iter().filter_map(|owner| {
            let limits = ["max", "high"].into_iter().filter_map(|metric| of(owner, metric)?.at(at));
            Some(limits.min()?.saturating_sub(of(owner, "current")?.at(at)?).max(0))
        });
        left.min()
    };
    let level = |(at, dirty): (i64, i64)| {
        let files = file.at(at)?.saturating_sub(shmem.as_ref().and_then(|shmem| shmem.at(at)).unwrap_or(0));
        let memory: Amount<Bytes> = stored(files.saturating_add(headroom(at)?));
        let (threshold, ceiling) = (memory * ratio, memory * ((ratio + background) / 2.0));
        let dirty = stored(dirty.saturating_add(writeback.at(at)?));
        ceiling.is_positive().then_some(Level { at: Moment::new(at), dirty, ceiling, threshold })
    };
    Some(dirty.within(window.span.from.ns(), window.span.to.ns()).filter_map(level).collect())
}

pub(super) fn examine(window: &Window<'_>) -> Option<Finding> {
    if cgroup_version::is_v1(window.recording) {
        return None;
    }
    let shares = shares(window)?;
    let all = group::leaves(window.recording).into_iter().filter_map(|group| {
        // Most groups have no limit, or wait for nothing.
        window.derived(Table::Cgroup, group, &derived::PSI_IO_SOME).filter(|share: &Amount<Ratio>| *share >= WAITS)?;
        of_group(window, group, &levels(window, group, shares)?)
    });
    all.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()))
}

fn of_group(window: &Window<'_>, group: &str, levels: &[Level]) -> Option<Finding> {
    let first = levels.iter().position(Level::above)?;
    let last = levels.iter().rposition(Level::above)?;
    let above = levels.iter().filter(|level| level.above()).count();
    // Writers sleep while it falls below the ceiling and rises again.
    if (above as f64) < SAMPLES.get() || above * 2 < last - first + 1 {
        return None;
    }
    let span = Span { from: levels[first].at, to: levels[last].at };
    let during = window.over(span);
    let waits: Amount<Ratio> = during.derived(Table::Cgroup, group, &derived::PSI_IO_SOME)?;
    if waits < WAITS {
        return None;
    }
    let peak = levels.iter().max_by(|a, b| (a.dirty / a.ceiling).total_cmp(&(b.dirty / b.ceiling)))?;
    let mut found = EvidenceBuilder::new(window);
    found.span(span);
    let own = |comm: &str| disk_load::groups_of(&during, comm).is_some_and(|groups| groups.contains(&group));
    let writer = process::fastest::<Bytes>(&during, &["write_bytes"]).filter(|writer| own(writer.comm));
    if let Some(writer) = writer {
        found.origin(writer.actor(window));
    }
    found.origin(Actor::group(group));
    if let Some(disk) = group::of_group(&during, group) {
        found.origin(Actor::disk(disk));
    }
    let source = "file_dirty + file_writeback of the group compared with (vm.dirty_ratio + vm.dirty_background_ratio) / 2 of its file memory and \
                  what it may still take";
    add_peak(&mut found, peak.dirty, peak.ceiling, source);
    let share = Amount::<Ratio>::new(above as f64 / (last - first + 1) as f64);
    found.add(0.5, "share of samples at or above the ceiling", "count of samples", share);
    let what = "share of time that the group's tasks wait for IO";
    found.compare(1.0, what, "psi_io_some of the group", waits, Relation::Above, WAITS.value());
    let who = writer.map_or(String::new(), |writer| format!(" {} writes most of it.", writer.words()));
    let statement = format!(
        "The kernel throttled writers of the control group {group}: its dirty memory reached {}, and its own freerun ceiling is {} (dirty threshold {}). \
         Both are shares of the memory that the group can use for files.{who}",
        peak.dirty, peak.ceiling, peak.threshold
    );
    let advice = advise(
        "Let what writes in bulk run in a group of its own, write less at once, or raise the group's memory limit: its dirty thresholds are shares of \
         what it may hold.",
        Some(&format!("cat {} {}", word(&format!("{group}/memory.max")), word(&format!("{group}/memory.stat")))),
        "The command only reads. With a higher limit longer bursts run at memory speed.",
        None,
    );
    found.finish(RuleId::DirtyThrottled, statement, vec![advice])
}
