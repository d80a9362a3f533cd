//! The rules, one file each.

use crate::effect::EffectKind;
use crate::rule::Rule;
use crate::{changes, coverage, delays, effect, place, process, stream, traced, victim, watermarks, window};
use pagetide_core::{RuleDoc, RuleId};
use std::sync::LazyLock;

macro_rules! registry {
    ($($file:ident,)*) => {
        $(mod $file;)*
        /// All rules, in the order of [`RuleId`].
        pub(crate) const RULES: &[Rule] = &[$($file::RULE,)*];
    };
}

registry! {
    latency_bound,
    served_from_cache,
    working_set_exceeds_cache,
    dirty_throttled,
    replayed_sequence,
    stream_floods_cache,
    device_saturated,
    over_reclaim,
    anonymous_growth,
    cold_cache,
    caches_dropped,
    direct_reclaim,
    cgroup_limit,
    swap_thrash,
    swap_in_use,
    code_thrash,
    memory_leak,
    slab_growth,
    device_slow,
    writeback_saturates,
    read_ahead_waste,
    memory_fragmentation,
    zone_imbalance,
    cpu_bound,
    blind_spot,
    changed_working_set,
    fsync_storm,
    oom_kill,
    memory_high,
    noisy_neighbour,
    healthy,
}

/// The rule with this id.
pub(crate) fn by_id(id: RuleId) -> &'static Rule {
    &RULES[id as usize]
}

/// The rule that reports an effect on its own.
pub(crate) fn reporting(effect: EffectKind) -> Option<RuleId> {
    RULES.iter().find(|rule| rule.reports == Some(effect)).map(|rule| rule.doc.id)
}

/// The texts of all rules.
pub(crate) fn docs() -> &'static [RuleDoc] {
    static DOCS: LazyLock<Vec<RuleDoc>> = LazyLock::new(|| RULES.iter().map(|rule| rule.doc).collect());
    &DOCS
}

/// The metrics that the rules and what they share read, each once.
pub(crate) fn metrics() -> &'static [&'static str] {
    static METRICS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let shared = [
            changes::METRICS,
            delays::METRICS,
            effect::METRICS,
            place::METRICS,
            process::METRICS,
            stream::METRICS,
            victim::METRICS,
            watermarks::METRICS,
        ]
        .into_iter();
        let shared = shared.chain(window::METRICS.iter().copied()).chain(coverage::metrics());
        let mut all: Vec<&str> = shared.chain(RULES.iter().map(|rule| rule.doc.metrics)).flatten().copied().collect();
        all.extend(traced::metrics());
        all.extend(window::DERIVED.iter().flat_map(|derived| derived.metrics()));
        all.sort_unstable();
        all.dedup();
        all
    });
    &METRICS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::MECHANISMS;
    use crate::rule::{Subsumed, When};
    use std::collections::BTreeSet;

    #[test]
    fn rules_stand_in_the_order_of_their_ids() {
        let ids: Vec<RuleId> = RULES.iter().map(|rule| rule.doc.id).collect();
        assert_eq!(ids, RuleId::ALL);
    }

    /// The effects that a rule leads to.
    fn reached(rule: &Rule) -> BTreeSet<EffectKind> {
        let mut reached: BTreeSet<EffectKind> = rule.leads_to.iter().map(|step| step.to).chain(rule.is).collect();
        while let Some((_, step)) =
            MECHANISMS.iter().find(|(from, step)| reached.contains(from) && !reached.contains(&step.to))
        {
            reached.insert(step.to);
        }
        reached
    }

    #[test]
    fn a_rule_subsumes_only_through_effects_that_its_mechanisms_reach() {
        for rule in RULES {
            let reached = reached(rule);
            for Subsumed { by, rules, .. } in rule.subsumes {
                assert!(reached.contains(by), "{} subsumes {rules:?} by {by:?} without a mechanism", rule.doc.id);
                assert!(!rules.contains(&rule.doc.id), "{} subsumes itself", rule.doc.id);
            }
        }
    }

    /// Pairs that subsume each other have an order: by process, or the earlier one, or the one with stronger evidence. Beside them
    /// no rule leads back to itself, so that of any findings one is left that no other accounts for.
    #[test]
    fn subsumption_has_no_cycle_longer_than_an_ordered_pair() {
        let pairs = |rule: &'static Rule| {
            rule.subsumes.iter().flat_map(move |subsumed| subsumed.rules.iter().map(move |id| (*id, subsumed.when)))
        };
        let mutual: Vec<(RuleId, RuleId)> = RULES
            .iter()
            .flat_map(|rule| pairs(rule).map(|(other, _)| (rule.doc.id, other)))
            .filter(|(rule, other)| pairs(by_id(*other)).any(|(back, _)| back == *rule))
            .collect();
        for (rule, other) in &mutual {
            let of = |rule, other| pairs(by_id(rule)).find(|(id, _)| *id == other).map(|(_, when)| when);
            let ordered = matches!(
                (of(*rule, *other), of(*other, *rule)),
                (Some(When::SameProcess), Some(When::OtherProcess))
                    | (Some(When::OtherProcess), Some(When::SameProcess))
                    | (Some(When::Always), Some(When::Always))
            );
            assert!(ordered, "{rule} and {other} subsume each other in no order");
        }
        // Remove what subsumes nothing that is left, until nothing is left.
        let mut left: BTreeSet<RuleId> = RuleId::ALL.iter().copied().collect();
        let blocked = |id: RuleId, left: &BTreeSet<RuleId>| {
            pairs(by_id(id)).any(|(other, _)| left.contains(&other) && !mutual.contains(&(id, other)))
        };
        while let Some(free) = left.iter().copied().find(|id| !blocked(*id, &left)) {
            left.remove(&free);
        }
        assert!(left.is_empty(), "a cycle among {left:?}");
    }

    #[test]
    fn every_metric_that_a_rule_reads_exists() {
        const IMPORTED: [&str; 10] = [
            "util",
            "queue_depth",
            "await_ms",
            "read_await_ms",
            "write_await_ms",
            "discard_await_ms",
            "reads_writes",
            "cpu_iowait_share",
            "cpu_idle_share",
            "pgsteal",
        ];
        let known = |name| {
            IMPORTED.contains(&name)
                || pagetide_core::Table::ALL.iter().any(|table| pagetide_core::metric::find(*table, name).is_some())
        };
        let unknown: Vec<_> = metrics().iter().filter(|name| !known(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
