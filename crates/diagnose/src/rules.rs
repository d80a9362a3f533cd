//! The rules, one file each.

use crate::window::Window;
use pagetide_core::{Finding, RuleDoc};
use std::sync::LazyLock;

mod anonymous_growth;
mod blind_spot;
mod caches_dropped;
mod cgroup_limit;
mod code_thrash;
mod cold_cache;
mod cpu_bound;
mod device_saturated;
mod device_slow;
mod direct_reclaim;
mod dirty_throttled;
mod healthy;
mod latency_bound;
mod memory_fragmentation;
mod memory_leak;
mod over_reclaim;
mod read_ahead_waste;
mod replayed_sequence;
mod served_from_cache;
mod slab_growth;
mod stream_floods_cache;
mod swap_in_use;
mod swap_thrash;
mod working_set_exceeds_cache;
mod writeback_saturates;
mod zone_imbalance;

/// What a finding is to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Something that can be the root of what went wrong.
    Cause,
    /// Something that others usually cause; the root only when nothing that was recorded causes it.
    Effect,
    /// Worth knowing; nothing is wrong by itself.
    Remark,
    /// A sign of health that is often taken for trouble.
    Benign,
}

/// Which stretch a rule is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Those in which something is not as usual.
    Busy,
    /// The whole recording: what comes slowly, or is always so.
    Whole,
}

/// A rule: what it means, and how it is found. A rule is a pure function of a window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) doc: RuleDoc,
    /// The cause in a few words, for the chain.
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    pub(crate) scope: Scope,
    /// Scenarios of the catalogue that show it.
    pub(crate) shown_by: &'static [&'static str],
    /// The observation that decides between it and something else that fits.
    pub(crate) decides: &'static str,
    pub(crate) examine: fn(&Window<'_>) -> Option<Finding>,
}

/// The rule called `id`.
pub(crate) fn by_id(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.doc.id == id)
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
    code_thrash::RULE,
    memory_leak::RULE,
    slab_growth::RULE,
    device_slow::RULE,
    writeback_saturates::RULE,
    read_ahead_waste::RULE,
    memory_fragmentation::RULE,
    zone_imbalance::RULE,
    cpu_bound::RULE,
    blind_spot::RULE,
    healthy::RULE,
];

/// The texts of all rules.
pub(crate) fn docs() -> &'static [RuleDoc] {
    static DOCS: LazyLock<Vec<RuleDoc>> = LazyLock::new(|| RULES.iter().map(|rule| rule.doc).collect());
    &DOCS
}
