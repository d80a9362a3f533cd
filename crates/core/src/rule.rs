//! The rules of the diagnosis: their ids, their texts and their thresholds.

use crate::quantity::Quantity;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! rule_ids {
    ($($name:ident = $id:literal,)*) => {
        /// A rule. It prints, and reads in JSON, as its id.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum RuleId {
            $(#[doc = concat!("`", $id, "`")] #[serde(rename = $id)] $name,)*
        }

        impl RuleId {
            /// Every rule, in the order in which they are explained.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The id: words joined by hyphens.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// The rule with this id.
            pub fn named(id: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|rule| rule.as_str() == id)
            }
        }
    };
}

rule_ids! {
    LatencyBound = "latency-bound",
    ServedFromCache = "served-from-cache",
    WorkingSetExceedsCache = "working-set-exceeds-cache",
    DirtyThrottled = "dirty-throttled",
    ReplayedSequence = "replayed-sequence",
    StreamFloodsCache = "stream-floods-cache",
    DeviceSaturated = "device-saturated",
    OverReclaim = "over-reclaim",
    AnonymousGrowth = "anonymous-growth-takes-cache",
    ColdCache = "cold-cache",
    CachesDropped = "caches-dropped",
    DirectReclaim = "direct-reclaim-stalls",
    CgroupLimit = "cgroup-limit-reclaim",
    SwapThrash = "swap-thrash",
    SwapInUse = "swap-in-use-harmless",
    CodeThrash = "code-thrash",
    MemoryLeak = "memory-leak",
    SlabGrowth = "slab-growth",
    DeviceSlow = "device-slow",
    WritebackSaturates = "writeback-saturates-disk",
    ReadAheadWaste = "read-ahead-waste",
    MemoryFragmentation = "memory-fragmentation",
    ZoneImbalance = "zone-imbalance",
    CpuBound = "cpu-bound",
    BlindSpot = "recorder-blind-spot",
    ChangedWorkingSet = "changed-working-set",
    FsyncStorm = "fsync-storm",
    OomKill = "oom-kill",
    MemoryHigh = "memory-high-throttle",
    NoisyNeighbour = "noisy-neighbour",
    IoLimit = "io-limit",
    Healthy = "healthy",
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A number that decides in a rule. The rule compares with this very value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Threshold {
    /// What it bounds.
    pub name: &'static str,
    /// The number with its unit.
    #[serde(flatten)]
    pub value: Quantity,
    /// Why it is there and why it has about this size.
    pub why: &'static str,
    /// Where the number comes from: the kernel, a device's physics, measurements, or judgement.
    pub source: &'static str,
}

/// What a rule means, for `pagetide explain` and docs/RULES.md. Every text is plain sentences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RuleDoc {
    /// The rule.
    pub id: RuleId,
    /// The rule in one line.
    pub title: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// The evidence that it weighs; the numbers are in [`Self::thresholds`].
    pub evidence: &'static str,
    /// The metrics that it reads.
    pub metrics: &'static [&'static str],
    /// The numbers that decide.
    pub thresholds: &'static [Threshold],
    /// Why it happens.
    pub why: &'static str,
    /// What else it could be.
    pub alternatives: &'static str,
    /// What its metrics mean, and what it reads, where the kernel runs with MGLRU (multi-generational LRU).
    pub mglru: &'static str,
    /// What to do.
    pub advice: &'static str,
    /// The kernel functions behind it, with the release in which they are.
    pub kernel: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_its_id_in_json() {
        for rule in RuleId::ALL {
            let json = serde_json::to_string(rule).unwrap();
            assert_eq!(json, format!("\"{rule}\""));
            assert_eq!(serde_json::from_str::<RuleId>(&json).unwrap(), *rule);
        }
        assert!(serde_json::from_str::<RuleId>("\"no-such-rule\"").is_err());
    }
}
