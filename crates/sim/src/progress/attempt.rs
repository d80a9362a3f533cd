//! How far the reclaim of a task is.

use crate::progress::scan::{CLUSTER, DEF_PRIORITY};
use crate::tick::HZ;

/// Reclaims without a page before a task is killed, or sleeps above `memory.high` (`MAX_RECLAIM_RETRIES`).
pub(crate) const MAX_RETRIES: u32 = 16;
/// Pages that a CPU charges to a group at once (`MEMCG_CHARGE_BATCH` since 6.1).
pub(crate) const CHARGE_BATCH: u64 = 64;
/// The longest sleep of a task above `memory.high`, in ticks (`MEMCG_MAX_HIGH_DELAY_JIFFIES`).
const MAX_PAUSE: u64 = 2 * HZ;

/// How far a task's reclaim is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Direct {
    pub(crate) priority: u32,
    pub(crate) reclaimed: u64,
    /// Reclaims in a row without a page (`no_progress_loops`).
    pub(crate) failures: u32,
    pub(crate) force: bool,
    pub(crate) ignore_low: bool,
    /// Whether pages were left alone that could have been deactivated, and groups that `memory.low` protects.
    pub(crate) skipped: (bool, bool),
}

impl Default for Direct {
    fn default() -> Self {
        Self {
            priority: DEF_PRIORITY,
            reclaimed: 0,
            failures: 0,
            force: false,
            ignore_low: false,
            skipped: (false, false),
        }
    }
}

impl Direct {
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }
}

/// What a task that took pages above `memory.high` does about it (`mem_cgroup_handle_over_high`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OverHigh {
    /// Pages that it took (`nr_pages`).
    pages: u64,
    /// Tries without a page that are left.
    retries: u32,
    in_retry: bool,
}

impl OverHigh {
    pub(crate) const fn new(pages: u64) -> Self {
        Self { pages, retries: MAX_RETRIES, in_retry: false }
    }

    /// Pages that it reclaims: first as many as it took.
    pub(crate) const fn wanted(&self) -> u64 {
        if self.in_retry || self.pages < CLUSTER { CLUSTER } else { self.pages }
    }

    /// How long it sleeps at this overage, in ticks (`calculate_high_delay`): the square of the overage, with HZ as the scale, for each batch.
    pub(crate) fn pause(&self, overage: u128) -> u64 {
        let jiffies = ((overage * overage * u128::from(HZ)) >> OVERAGE_BITS >> 14) as u64;
        (jiffies * self.pages / CHARGE_BATCH).min(MAX_PAUSE)
    }

    /// Whether it reclaims again after a try that freed so many pages: as long as there is progress, and some times more.
    pub(crate) const fn tries_again(&mut self, reclaimed: u64) -> bool {
        self.in_retry = true;
        if reclaimed > 0 {
            return true;
        }
        let again = self.retries > 0;
        self.retries = self.retries.saturating_sub(1);
        again
    }
}

/// Bits of an overage behind the point (`MEMCG_DELAY_PRECISION_SHIFT`).
pub(crate) const OVERAGE_BITS: u32 = 20;
