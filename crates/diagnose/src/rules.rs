//! The rules, one file each below what they are about. A new rule is a line in [`RULES`], and its id in `RuleId`.

mod blind_spot;
mod cache;
pub(crate) mod contract;
mod cpu_bound;
mod device;
mod group;
pub(crate) mod healthy;
mod memory;
mod subsumption;

pub(crate) use subsumption::subsumes;

use contract::{EffectKind, Role, Rule};
use pagetide_core::{Finding, RuleDoc, RuleId};
use std::sync::LazyLock;

/// All rules, in the order of [`RuleId`].
pub(crate) const RULES: &[Rule] = &[
    device::latency_bound::RULE,
    cache::served_from_cache::RULE,
    cache::working_set_exceeds_cache::RULE,
    device::dirty_throttled::RULE,
    cache::replayed_sequence::RULE,
    cache::stream_floods_cache::RULE,
    device::device_saturated::RULE,
    memory::over_reclaim::RULE,
    memory::anonymous_growth::RULE,
    cache::cold_cache::RULE,
    cache::caches_dropped::RULE,
    memory::direct_reclaim::RULE,
    group::cgroup_limit::RULE,
    memory::swap_thrash::RULE,
    memory::swap_in_use::RULE,
    cache::code_thrash::RULE,
    memory::memory_leak::RULE,
    memory::slab_growth::RULE,
    device::device_slow::RULE,
    device::writeback_saturates::RULE,
    cache::read_ahead_waste::RULE,
    memory::memory_fragmentation::RULE,
    memory::zone_imbalance::RULE,
    cpu_bound::RULE,
    blind_spot::RULE,
    cache::changed_working_set::RULE,
    device::fsync_storm::RULE,
    memory::oom_kill::RULE,
    group::memory_high::RULE,
    device::noisy_neighbour::RULE,
    group::io_limit::RULE,
    healthy::RULE,
];

/// The rule with this id.
pub(crate) fn by_id(id: RuleId) -> &'static Rule {
    &RULES[id as usize]
}

/// What a finding is: that of its rule, or a sign of health.
pub(crate) fn role(finding: &Finding) -> Role {
    let rule = by_id(finding.rule);
    if (rule.is_benign)(finding) { Role::Benign } else { rule.role }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::contract::{Subsumed, When};
    use crate::verdict::mechanisms::MECHANISMS;
    use std::collections::BTreeSet;

    #[test]
    fn rules_stand_in_the_order_of_their_ids() {
        let ids: Vec<RuleId> = RULES.iter().map(|rule| rule.doc.id).collect();
        assert_eq!(ids, RuleId::ALL);
    }

    /// The effects that a rule leads to.
    fn reached(rule: &Rule) -> BTreeSet<EffectKind> {
        let mut reached: BTreeSet<EffectKind> = rule.leads_to.iter().map(|step| step.to).chain(rule.effect).collect();
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
}
