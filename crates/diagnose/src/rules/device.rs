//! Rules about what block devices complete, and how fast.

pub(super) mod device_saturated;
pub(super) mod device_slow;
pub(super) mod dirty_throttled;
pub(super) mod fsync_storm;
pub(super) mod latency_bound;
pub(super) mod noisy_neighbour;
pub(super) mod writeback_saturates;
