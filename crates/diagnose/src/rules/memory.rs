//! Rules about who takes memory, and how the kernel frees it.

pub(super) mod anonymous_growth;
pub(super) mod direct_reclaim;
pub(super) mod memory_fragmentation;
pub(super) mod memory_leak;
pub(super) mod oom_kill;
pub(super) mod over_reclaim;
pub(super) mod slab_growth;
pub(super) mod swap_in_use;
pub(super) mod swap_thrash;
pub(super) mod zone_imbalance;
