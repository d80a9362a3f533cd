//! The kernel's clock.

/// A tick of the kernel's clock: `CONFIG_HZ` is 250.
pub(crate) const JIFFY: u64 = 4_000_000;
/// Ticks a second.
pub(crate) const HZ: u64 = 250;
/// Ticks between two estimates (`BANDWIDTH_INTERVAL`).
pub(crate) const BANDWIDTH_INTERVAL: u64 = HZ / 5;
/// The longest wait for writes (`VMSCAN_THROTTLE_WRITEBACK`).
pub(crate) const WRITEBACK_WAIT: u64 = JIFFY * 25;
