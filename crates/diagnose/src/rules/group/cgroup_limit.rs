//! `cgroup-limit-reclaim`: a control group reclaims its own pages at its own limit.

use crate::actors::group;
use crate::actors::process;
use crate::actors::victim;
use crate::evidence::traced::{self, Traced};
use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, Count, Limit, Per, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{REFAULTED, Window};
use crate::rules::contract::{EffectKind, Rule, leads, subsumes};
use crate::rules::group::raise::{Raise, fills, raise};
use pagetide_core::derived;
use pagetide_core::{Actor, Bytes, Finding, Lru, Manifest, Ratio, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "a control group at its limit",
    leads_to: &[
        leads(
            EffectKind::Refaults,
            "The group evicts its own pages and reads them again.",
            "mm/memcontrol.c: try_charge_memcg; mm/workingset.c: workingset_refault",
        ),
        leads(
            EffectKind::SwapOut,
            "The group's own anonymous pages go to swap.",
            "mm/memcontrol.c: try_charge_memcg; mm/vmscan.c: try_to_free_mem_cgroup_pages",
        ),
    ],
    subsumes: &[
        subsumes(
            EffectKind::Refaults,
            &[RuleId::WorkingSetExceedsCache, RuleId::ColdCache, RuleId::ReadAheadWaste, RuleId::OverReclaim],
        ),
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound, RuleId::DirtyThrottled]),
        subsumes(EffectKind::SwapIn, &[RuleId::SwapThrash]),
        subsumes(EffectKind::MajorFaults, &[RuleId::CodeThrash]),
    ],
    scenarios: &["buffered-read"],
    deciding_test: "memory.events of the group: max or high counts while it lasts (v1: memory.failcnt rises).",
    ..Rule::new(
        RuleDoc {
            id: RuleId::CgroupLimit,
            title: "A control group reaches its limit and evicts its own pages",
            meaning: "The group may not use more memory, however much the host has free. Each page that it takes replaces one of its own.",
            evidence: "The group hits its limit (failcnt of v1, events_max or events_high of v2) and uses nearly all of it. Or its limit was \
                lowered below its usage, and the kernel freed the difference at once. Refaults of the group and available memory on the host \
                support it.",
            metrics: &[
                "failcnt",
                "events_max",
                "events_high",
                "current",
                "max",
                "high",
                "workingset_refault_file",
                "workingset_refault",
                "MemAvailable",
                "anon",
                "swap",
                "read_bytes",
                "majflt",
            ],
            thresholds: &[USED.doc(), AGAIN.doc(), ANONYMOUS.doc()],
            why: "A charge that does not fit makes the kernel reclaim from the group's own lists, in the context of the task that allocates.",
            alternatives: "A group full of page cache that is read once is always at its limit and does not suffer: its pages do not refault.",
            advice: "Put the limit back to what it was, or raise it, or run what fills the group elsewhere. Leave it where no task waits.",
            mglru: "events_max, events_high and current mean the same. Generations are kept per group, and refaults count for the group that \
                lost the page. Up to Linux 6.4 only those of the newest evicted generation count, so there hits of the limit decide.",
            kernel: "Linux 6.12: mm/memcontrol.c: try_charge_memcg, mem_cgroup_handle_over_high; mm/vmscan.c: try_to_free_mem_cgroup_pages.",
        },
        examine,
    )
};

const USED: Limit<Ratio> = Limit::new(
    "use of the limit",
    0.95,
    "Charges are batched per CPU, so a full group stays slightly below its limit.",
    "mm/memcontrol.c: MEMCG_CHARGE_BATCH (6.12)",
);

const AGAIN: Limit<Per<Count>> = Limit::new(
    "refaults of the group if nothing is swapped; hits of its limit if MGLRU counts few refaults (Linux 6.1 to 6.4)",
    20.0,
    "A group full of page cache that is read once is always at its limit and reads nothing again.",
    "judgement",
);

const ANONYMOUS: Limit<Ratio> = Limit::new(
    "anonymous memory of the group, as a share of its limit, above which even pages read once matter",
    0.5,
    "The rest holds the code and the files of its programs.",
    "judgement",
);

const KEEP: &str = "Find what lowers the limit of the group for moments (`docker update`, a cron job), and stop it.";
const RESTORE: &str = "Restore the limit of the group: others use the pages that count for it.";

/// Whether the kernel may count refaults of the newest evicted generation only: MGLRU before Linux 6.5.
fn uncounted(manifest: &Manifest) -> bool {
    let mut numbers = manifest.kernel.split('.').map_while(|number| number.parse::<u32>().ok());
    manifest.lru != Some(Lru::Classic) && (numbers.next(), numbers.next()) < (Some(6), Some(5))
}

fn examine(window: &Window<'_>) -> Option<Finding> {
    let groups = window.recording.entities(Table::Cgroup).filter_map(|(group, name)| of_group(window, group, name));
    groups.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()))
}

/// Pages that were read again after they were evicted, of whichever group.
fn refaulted_of_host(window: &Window<'_>) -> Option<Amount<Per<Count>>> {
    window.derived::<Per<Count>>(Table::Host, "", &REFAULTED)
}

fn of_group(window: &Window<'_>, group: &str, name: &str) -> Option<Finding> {
    let hits = window.derived::<Per<Count>>(Table::Cgroup, group, &derived::LIMIT_HITS)?;
    let lowered = group::shrunk(window, group);
    if !hits.is_positive() && lowered.is_none() {
        return None;
    }
    let level = |metric: &str| window.level::<Bytes>(Table::Cgroup, group, metric);
    let moment = if lowered.is_some() { None } else { group::shrunk_for_a_moment(window, group) };
    let used = lowered.map_or(level("current")?.most, |(_, used)| used);
    let limits = ["max", "high"].into_iter().filter_map(|name| Some((name, level(name)?)));
    let (nearest, level_of_it) = limits.min_by(|(_, one), (_, other)| one.least.total_cmp(&other.least))?;
    let limit = Some(level_of_it.least).filter(|limit| limit.is_positive())?;
    let refaults = window.derived::<Per<Count>>(Table::Cgroup, group, &REFAULTED);
    let swap = window.level::<Bytes>(Table::Cgroup, group, "swap").is_some_and(|swap| swap.most > swap.least);
    let anonymous = level("anon").is_some_and(|anonymous| anonymous.most >= limit * ANONYMOUS);
    // Each page of a stream hits the limit, and none of them is needed again.
    let few = refaults.is_some_and(|rate| rate < AGAIN) && (hits < AGAIN || !uncounted(&window.recording.manifest));
    // What it held is missed by others, who read it anew and have it charged to them.
    let read_back = || {
        // With MGLRU a page that another group evicted is no refault.
        refaulted_of_host(window).is_some_and(|rate| rate >= AGAIN) || !victim::all(window, None).is_empty()
    };
    let missed = lowered.is_some() && few && read_back();
    let rests = !swap && !anonymous && few && !missed;
    if used < limit * USED && moment.is_none() || rests {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let hit = window.when(SignalSpec::cgroup(group, &derived::LIMIT_HITS));
    // A group that its cache fills does not grow when programs take memory in it.
    let led = |metric| window.onset(hit).at_episode_of(SignalSpec::growth(Table::Cgroup, group, metric));
    let filled = led("current").union(led("anon"));
    let at = lowered.map(|(at, _)| at).or_else(|| moment.map(|(at, ..)| at));
    found.span(at.map_or(filled, |at| Span { from: at, ..window.span }));
    found.origin(Actor::group(group));
    found.add(1.0, "hits of the limit", "failcnt, or events_max and events_high", hits);
    match moment {
        Some((_, used, evicted)) => {
            found.compare(1.0, "memory that the group lost at once", "current", evicted, Relation::Below, used);
        }
        None => {
            let near = grade(used / limit, 0.95, 0.99);
            found.compare(near, "memory of the group", "current", used, Relation::Near, limit);
        }
    }
    if let Some(process) = process::fastest::<Bytes>(window, &["read_bytes", "majflt"]) {
        found.origin(process.actor(window));
    }
    if let Some(rate) = refaults {
        let weight = if rate.is_positive() { 1.0 } else { -0.5 };
        found.add(weight, "refaults of the group", "workingset_refault_file", rate);
    }
    if let Some(available) = window.host_level::<Bytes>("MemAvailable") {
        let weight = if available.least > limit * 0.5 { 1.0 } else { 0.0 };
        found.add(weight, "lowest available memory of the host", "MemAvailable", available.least);
    }
    let traced = Traced::of(window);
    let evictor = traced.as_ref().and_then(|traced| traced.group_evictor(group));
    let evicted = evictor.map_or(String::new(), |evictor| evictor.add_to(&mut found, None));
    let more = traced.as_ref().and_then(|traced| traced.more_memory(Some(group)));
    // What fills the group began to grow before it was full.
    let filling = window.over(filled);
    let [fills, other] = fills(&filling, group, limit).filter(|_| at.is_none()).unwrap_or_default();
    let container = if name == group { String::new() } else { format!("{name} ") };
    let statement = match lowered {
        Some((_, used)) => {
            let who = if missed { "other programs read" } else { "the group reads" };
            format!(
                "The limit of the control group {container}{group} was lowered to {limit}, below the {used} in use, and {who} back what it lost.{evicted}"
            )
        }
        None if let Some((_, used, lost)) = moment => format!(
            "The limit of the control group {container}{group} was lowered for a moment, below the {used} in use, though samples before and after it \
             show {limit}: {lost} were evicted, and the group reads back what it lost.{evicted}"
        ),
        None => format!(
            "The control group {container}{group} reaches its limit of {limit} ({hits} hits) and evicts its own pages.{fills}{evicted}"
        ),
    };
    if moment.is_some() {
        let advice = advise(KEEP, None, "The group keeps its pages.", None);
        return found.finish(RuleId::CgroupLimit, statement, vec![advice]);
    }
    let Raise { action, command, undo } = raise(window, group, (nearest, "the limit"), level_of_it);
    let action = if missed { RESTORE.to_owned() } else { format!("{action}{other}") };
    let advice = advise(
        &format!("{action}{}", traced::amount(more)),
        Some(&command),
        "The group keeps more of its pages, and the rest of the host has less memory.",
        Some(&undo),
    );
    found.finish(RuleId::CgroupLimit, statement, vec![advice])
}
