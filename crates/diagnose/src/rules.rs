//! The rules, one file each.

use crate::window::Window;
use pagetide_core::{Finding, RuleDoc};
use std::sync::LazyLock;

mod anonymous_growth;
mod blind_spot;
mod caches_dropped;
mod cgroup_limit;
mod cold_cache;
mod device_saturated;
mod direct_reclaim;
mod dirty_throttled;
mod latency_bound;
mod over_reclaim;
mod replayed_sequence;
mod served_from_cache;
mod stream_floods_cache;
mod swap_in_use;
mod swap_thrash;
mod working_set_exceeds_cache;

/// A rule: what it means, and how it is found. A rule is a pure function of a window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) doc: RuleDoc,
    pub(crate) examine: fn(&Window<'_>) -> Option<Finding>,
}

/// All rules.
pub(crate) const RULES: &[Rule] = &[
    latency_bound::RULE,
    served_from_cache::RULE,
    working_set_exceeds_cache::RULE,
    dirty_throttled::RULE,
    replayed_sequence::RULE,
    stream_floods_cache::RULE,
    device_saturated::RULE,
    over_reclaim::RULE,
    anonymous_growth::RULE,
    cold_cache::RULE,
    caches_dropped::RULE,
    direct_reclaim::RULE,
    cgroup_limit::RULE,
    swap_thrash::RULE,
    swap_in_use::RULE,
    blind_spot::RULE,
];

/// The texts of all rules.
pub(crate) fn docs() -> &'static [RuleDoc] {
    static DOCS: LazyLock<Vec<RuleDoc>> = LazyLock::new(|| RULES.iter().map(|rule| rule.doc).collect());
    &DOCS
}
