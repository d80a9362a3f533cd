//! `memory-high-throttle`: the kernel makes the tasks of a group sleep because it is above memory.high.

use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, Count, Limit, Per, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{Window, intervals};
use crate::rules::contract::{EffectKind, Rule, leads, subsumes};
use crate::rules::group::raise::{Raise, fills, raise};
use pagetide_core::derived;
use pagetide_core::{Actor, Bytes, Finding, Moment, Nanos, Ratio, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "throttling at memory.high",
    leads_to: &[
        leads(
            EffectKind::MemoryWaits,
            "A task that charges above memory.high reclaims from its own group and then sleeps on its way back to user space.",
            "mm/memcontrol.c: mem_cgroup_handle_over_high, calculate_high_delay",
        ),
        leads(
            EffectKind::Refaults,
            "The group evicts its own pages and reads them again.",
            "mm/memcontrol.c: reclaim_high; mm/workingset.c: workingset_refault",
        ),
    ],
    subsumes: &[
        subsumes(EffectKind::MemoryWaits, &[RuleId::CgroupLimit]),
        subsumes(EffectKind::Refaults, &[RuleId::WorkingSetExceedsCache, RuleId::ColdCache, RuleId::OverReclaim]),
    ],
    deciding_test: "memory.events of the group: high counts while max does not; memory.pressure of the group.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::MemoryHigh,
            title: "A control group is throttled at memory.high",
            meaning: "The group uses more than memory.high. The kernel allows that, but reclaims the group's pages and makes its tasks sleep up \
                to 2 s at a time: the further above, the longer. The program looks hung although the host has memory to spare.",
            evidence: "high of memory.events rises while max does not. The group uses about memory.high or more, and its tasks wait for memory \
                (memory.pressure of the group, or of the host).",
            metrics: &["events_high", "events_max", "current", "high", "psi_memory_some"],
            thresholds: &[HITS.doc(), USED.doc(), WAITED.doc(), SETTLED.doc()],
            why: "memory.high is a soft limit for services that should be slowed down rather than killed. A working set above it is throttled all the time.",
            alternatives: "A group full of page cache read once passes memory.high with each read, and only reclaims: its tasks do not wait.",
            advice: "Raise memory.high above the working set, or lower what the service keeps.",
            mglru: "events_high and memory.pressure mean the same. Reclaim at memory.high works on the generations of the group.",
            kernel: "Linux 6.12: mm/memcontrol.c: mem_cgroup_handle_over_high, calculate_high_delay, MEMCG_MAX_HIGH_DELAY_JIFFIES.",
        },
        examine,
    )
};

const HITS: Limit<Per<Count>> = Limit::new(
    "times that the group exceeded memory.high",
    1.0,
    "A few are the reclaim that memory.high is for.",
    "judgement",
);
const USED: Limit<Ratio> = Limit::new(
    "memory of the group, as a share of memory.high, at least",
    0.95,
    "Charges are batched per CPU, so a full group stays slightly below.",
    "mm/memcontrol.c: MEMCG_CHARGE_BATCH (6.12)",
);
const WAITED: Limit<Ratio> = Limit::new(
    "share of time that the group's tasks wait for memory",
    0.02,
    "Less is reclaim, not throttling.",
    "judgement",
);

const SETTLED: Limit<Nanos> = Limit::new(
    "time within which a group is below its memory.high again, and has slept no more since",
    5e9,
    "What it frees once, when somebody lowers the limit, its tasks did not use.",
    "judgement",
);

/// What the tasks of a group wait for memory since they were throttled; absent where that lasted, or little time was recorded since.
fn settled(window: &Window<'_>, group: &str, hit: Span) -> Option<Amount<Ratio>> {
    let (_, end) = window.recording.span()?;
    let since = window.over(Span { from: hit.to.later(intervals(window.recording, 1)), to: Moment::new(end) });
    let waits = since.derived(Table::Cgroup, group, &derived::PSI_MEMORY_SOME).filter(|waits| *waits < WAITED)?;
    let brief = hit.length().as_f64() < SETTLED.get() && since.length()?.as_f64() >= 2.0 * SETTLED.get();
    brief.then_some(waits)
}

fn examine(window: &Window<'_>) -> Option<Finding> {
    let groups = window.recording.entities(Table::Cgroup).filter_map(|(group, _)| of_group(window, group));
    groups.max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()))
}

fn of_group(window: &Window<'_>, group: &str) -> Option<Finding> {
    const HIGH: &[&str] = &["events_high"];
    let rate = |metric: &str| window.rate::<Count>(Table::Cgroup, group, metric);
    let hits = rate("events_high").filter(|hits| *hits >= HITS)?;
    let level = |metric: &str| window.level::<Bytes>(Table::Cgroup, group, metric);
    let limit = level("high")?;
    let (used, high) = (level("current")?.most, limit.least);
    let waited: Amount<Ratio> = window
        .derived(Table::Cgroup, group, &derived::PSI_MEMORY_SOME)
        .or_else(|| window.share(&derived::PSI_MEMORY_SOME))?;
    if used < high * USED || waited < WAITED || rate("events_max").is_some_and(|max| max > hits) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let hit = window.when(SignalSpec::rate(Table::Cgroup, group, HIGH));
    found.span(window.onset(hit).at_episode_of(SignalSpec::growth(Table::Cgroup, group, "current")));
    found.origin(Actor::group(group));
    found.add(1.0 + grade(hits, 1.0, 20.0), "times above memory.high", "events_high", hits);
    found.compare(1.0, "memory of the group", "current", used, Relation::Near, high);
    let what = "share of time that tasks wait for memory";
    found.add(0.5 + grade(waited, 0.02, 0.3), what, "psi_memory_some of the group, else of the host", waited);
    if let Some(since) = settled(window, group, hit) {
        let what = "share of time that its tasks wait for memory since";
        found.compare(-2.0, what, "psi_memory_some of the group", since, Relation::Below, WAITED.value());
    }
    let [fills, other] = fills(window, group, high).unwrap_or_default();
    let statement = format!(
        "The control group {group} is throttled at memory.high of {high} ({hits}): its tasks wait for memory {waited} of the time.{fills}"
    );
    let Raise { action, command, undo } = raise(window, group, ("high", "memory.high"), limit);
    let advice = advise(
        &format!("{action}{other}"),
        Some(&command),
        "Above its working set the group is not throttled. The rest of the host has less memory.",
        Some(&undo),
    );
    found.finish(RuleId::MemoryHigh, statement, vec![advice])
}
