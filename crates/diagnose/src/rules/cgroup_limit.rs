//! `cgroup-limit-reclaim`: a control group reclaims its own pages at its own limit.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::episodes::Of;
use crate::process;
use crate::window::{REFAULTED, Window};
use pagetide_core::{Finding, Quantity, Relation, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "cgroup-limit-reclaim",
        title: "A control group has reached its limit and evicts its own pages",
        meaning: "The group may not use more memory, whatever is free on the host. Each page it takes has to come from its own cache.",
        evidence: "The limit was hit in this stretch (failcnt of v1, events_max or events_high of v2) and the group used at least 95 % of it at some time. \
                   Refaults of the group, and free memory on the host, speak for a limit that is felt.",
        why: "A charge that does not fit makes the kernel reclaim from the group's own lists, in the context of whoever asked.",
        otherwise: "A group full of page cache that is read once is always at its limit and does not suffer by it: then nothing refaults.",
        advice: "Raise the limit if refaults or stalls hurt; else leave it.",
        kernel: "mm/memcontrol.c: try_charge_memcg, mem_cgroup_handle_over_high; mm/vmscan.c: try_to_free_mem_cgroup_pages.",
    },
    name: "a control group at its limit",
    role: Role::Cause,
    scope: Scope::Busy,
    shown_by: &["buffered-read"],
    decides: "memory.events of the group: max or high counts while it lasts.",
    examine,
};

/// Times that a limit was hit, by v1 and v2.
const HITS: &[&str] = &["failcnt", "events_max", "events_high"];

fn examine(window: &Window<'_>) -> Option<Finding> {
    // The lab makes such a group on purpose, and its steps say so.
    if window.step.is_some() {
        return None;
    }
    let groups = window.recording.entities(Table::Cgroup).filter_map(|(group, _)| of_group(window, group));
    groups.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()))
}

fn of_group(window: &Window<'_>, group: &str) -> Option<Finding> {
    let hits = window.rates(Table::Cgroup, group, HITS).filter(|rate| *rate > 0.0)?;
    let gauge = |metric: &str| {
        window
            .recording
            .series(Table::Cgroup, group, metric)?
            .around(window.from, window.to)
            .summary(window.from, window.to)
    };
    let used = gauge("current")?.2 as f64;
    let limits = [gauge("max"), gauge("high")].into_iter().flatten().map(|(least, ..)| least as f64);
    let limit = limits.min_by(f64::total_cmp).filter(|limit| *limit > 0.0)?;
    if used < limit * 0.95 {
        return None;
    }
    let mut case = Case::new(RULE.doc.id, window);
    let hit = window.when(Of::rate(Table::Cgroup, group, HITS));
    case.during(window.led_up_to(hit, Of::growth(Table::Cgroup, group, "current")));
    case.blame("cgroup", group);
    case.weigh(
        1.0,
        case.measured(
            "times the limit was hit",
            "failcnt, or events_max and events_high",
            Quantity::new(hits, Unit::PerSecond),
        ),
    );
    case.weigh(
        grade(used / limit, 0.95, 0.99),
        case.held(
            "memory of the group",
            "current",
            Quantity::new(used, Unit::Bytes),
            Relation::Near,
            Quantity::new(limit, Unit::Bytes),
        ),
    );
    if let Some(who) = process::fastest(window, &["read_bytes", "majflt"]) {
        case.blame("process", who.comm);
    }
    let refaults = window.rates(Table::Cgroup, group, REFAULTED);
    if let Some(rate) = refaults {
        let evidence = case.measured(
            "pages of the group read back after eviction",
            "workingset_refault_file",
            Quantity::new(rate, Unit::PerSecond),
        );
        if rate > 0.0 { case.weigh(1.0, evidence) } else { case.against(0.5, evidence) }
    }
    if let Some((free, ..)) = window.host_gauge("MemAvailable") {
        let evidence =
            case.measured("available on the host at least", "MemAvailable", Quantity::new(free, Unit::Bytes));
        case.weigh(if free > limit * 0.5 { 1.0 } else { 0.0 }, evidence);
    }
    let statement = format!(
        "The control group {group} is at its limit of {} ({} hits) and evicts its own pages.",
        Quantity::new(limit, Unit::Bytes),
        Quantity::new(hits, Unit::PerSecond),
    );
    let advice = advise(
        "Raise the group's limit if its refaults hurt.",
        Some(&format!("echo BYTES > {group}/memory.max")),
        "The group keeps more of its pages; the rest of the host has that much less. memory.limit_in_bytes on v1.",
        Some("write the old limit back"),
    );
    case.close(statement, vec![advice])
}
