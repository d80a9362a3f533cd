//! Limits of the CPU time of control groups (`kernel/sched/fair.c: throttle_cfs_rq, do_sched_cfs_period_timer, 6.12`).
//!
//! A group has its quota anew in each period, and nobody in it runs when that is used up. What a task used beyond it, because the kernel
//! looks at a running task at its ticks only, is taken off the next period. The kernel hands the quota to CPUs in slices of 5 ms; here all CPUs
//! of a group draw on one account, and a group that is throttled is so on one CPU.

use pagetide_core::Nanos;

/// A limit of CPU time (`cpu.max`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuLimit {
    /// What a group and those below it may use in a period.
    pub quota: Nanos,
    /// The length of a period.
    pub period: Nanos,
}

/// What is left of a group's limit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CpuAccount {
    limit: Option<CpuLimit>,
    /// When the period ends.
    ends: u64,
    /// What may be used until then; negative where a task used more, ns.
    left: i64,
    /// Whether the group ran in this period, and since when it has been throttled.
    ran: bool,
    throttled_since: Option<u64>,
    counts: CpuCounts,
}

/// `cpu.stat` of a group: periods, those of them in which it was throttled, and for how long, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CpuCounts {
    pub(crate) periods: u64,
    pub(crate) throttled: u64,
    pub(crate) throttled_time: u64,
}

impl CpuAccount {
    /// Sets a limit, or takes it away.
    pub(crate) fn set(&mut self, limit: Option<CpuLimit>, now: u64) {
        self.advance(now);
        if self.limit != limit {
            let (period, quota) = limit.map_or((0, 0), |limit| (limit.period.get(), limit.quota.get() as i64));
            *self = Self { limit, ends: now + period, left: quota, counts: self.counts, ..Self::default() };
        }
    }

    /// Ends the periods that are over.
    fn advance(&mut self, now: u64) {
        let Some(CpuLimit { quota, period }) = self.limit else { return };
        let (quota, period) = (quota.get() as i64, period.get());
        while self.ends <= now {
            self.counts.periods += u64::from(self.ran);
            if let Some(since) = self.throttled_since {
                self.counts.throttled += 1;
                self.counts.throttled_time += self.ends - since;
            }
            self.left = (self.left + quota).min(quota);
            let in_debt = self.left <= 0;
            self.throttled_since = self.throttled_since.filter(|_| in_debt).map(|_| self.ends);
            self.ran = in_debt;
            if !in_debt && self.left == quota {
                // Nothing happens in the periods of a group that sleeps.
                self.ends += (now - self.ends) / period * period;
            }
            self.ends += period;
        }
    }

    /// When a task of the group may run: now, or at the begin of the first period that has time left for it.
    pub(crate) fn may_run_at(&mut self, now: u64) -> Option<u64> {
        self.advance(now);
        let CpuLimit { quota, period } = self.limit.filter(|_| self.left <= 0)?;
        self.throttled_since.get_or_insert(now);
        let periods = (-self.left).unsigned_abs() / quota.get().max(1);
        Some(self.ends + periods * period.get())
    }

    /// Takes CPU time off what is left.
    pub(crate) fn charge(&mut self, now: u64, used: u64) {
        self.advance(now);
        if self.limit.is_some() {
            self.left -= used as i64;
            self.ran = true;
        }
    }

    /// Its limit, and what it has counted.
    pub(crate) fn stat(mut self, now: u64) -> (Option<CpuLimit>, CpuCounts) {
        self.advance(now);
        (self.limit, self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn account() -> CpuAccount {
        let mut account = CpuAccount::default();
        account.set(Some(CpuLimit { quota: Nanos::new(20 * MS), period: Nanos::new(100 * MS) }), 0);
        account
    }

    #[test]
    fn what_is_used_beyond_the_quota_is_taken_off_the_next_period() {
        let mut all = account();
        assert_eq!(all.may_run_at(0), None);
        all.charge(0, 23 * MS);
        assert_eq!(all.may_run_at(23 * MS), Some(100 * MS));
        assert_eq!(all.may_run_at(100 * MS), None);
        all.charge(100 * MS, 17 * MS);
        assert_eq!(all.may_run_at(117 * MS), Some(200 * MS));
        let (_, counts) = all.stat(300 * MS);
        assert_eq!(counts, CpuCounts { periods: 2, throttled: 2, throttled_time: (77 + 83) * MS });
    }

    #[test]
    fn a_debt_of_several_quotas_lasts_several_periods() {
        let mut all = account();
        all.charge(0, 65 * MS);
        assert_eq!(all.may_run_at(65 * MS), Some(300 * MS));
        assert_eq!(all.may_run_at(200 * MS), Some(300 * MS));
        assert_eq!(all.may_run_at(300 * MS), None);
        let (_, counts) = all.stat(300 * MS);
        assert_eq!((counts.throttled, counts.throttled_time), (3, 235 * MS));
    }

    #[test]
    fn a_limit_that_is_taken_away_leaves_its_counts() {
        let mut all = account();
        all.charge(0, 23 * MS);
        all.may_run_at(23 * MS);
        all.set(None, 150 * MS);
        assert_eq!(all.may_run_at(150 * MS), None);
        all.charge(150 * MS, 900 * MS);
        assert_eq!(all.stat(2_000 * MS), (None, CpuCounts { periods: 1, throttled: 1, throttled_time: 77 * MS }));
    }

    #[test]
    fn a_group_that_sleeps_saves_nothing_and_has_no_periods() {
        let mut all = account();
        assert_eq!(all.may_run_at(10_050 * MS), None);
        assert_eq!((all.left, all.ends), (20 * MS as i64, 10_100 * MS));
        assert_eq!(all.stat(20_000 * MS).1, CpuCounts::default());
    }
}
