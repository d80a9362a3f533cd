//! When samples are due: a fixed grid of moments, so that a late sample never moves the ones after it.

/// A grid of deadlines on `CLOCK_MONOTONIC`, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Schedule {
    interval: i64,
    deadline: i64,
}

impl Schedule {
    /// A grid whose first deadline is `first`. `interval` is more than 0.
    pub(crate) fn new(first: i64, interval: i64) -> Self {
        Self { interval, deadline: first }
    }

    /// The deadline that is waited for.
    pub(crate) fn deadline(&self) -> i64 {
        self.deadline
    }

    /// Goes on to the first deadline after `now` and gives how many deadlines were passed over, unserved. The present
    /// deadline counts as served.
    pub(crate) fn advance(&mut self, now: i64) -> u64 {
        let overdue = now.saturating_sub(self.deadline).max(0);
        let missed = overdue / self.interval;
        self.deadline = self.deadline.saturating_add((missed + 1).saturating_mul(self.interval));
        missed.unsigned_abs()
    }

    /// Whether a sample at `this` came more than one and a half intervals after the one at `before`.
    pub(crate) fn is_late(&self, before: i64, this: i64) -> bool {
        this.saturating_sub(before) > self.interval.saturating_add(self.interval / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn deadlines_stay_on_the_grid_however_late_a_sample_is() {
        let mut schedule = Schedule::new(100, 10);
        assert_eq!((schedule.advance(100), schedule.deadline()), (0, 110));
        assert_eq!((schedule.advance(119), schedule.deadline()), (0, 120));
        assert_eq!((schedule.advance(130), schedule.deadline()), (1, 140), "130 is due now and not taken");
        assert_eq!((schedule.advance(175), schedule.deadline()), (3, 180));
    }

    #[test]
    fn a_sample_is_late_after_one_and_a_half_intervals() {
        let schedule = Schedule::new(0, 10);
        assert!(!schedule.is_late(100, 115));
        assert!(schedule.is_late(100, 116));
        assert!(!schedule.is_late(100, 100));
    }

    proptest! {
        #[test]
        fn every_deadline_is_served_or_missed(
            interval in 1i64..1000,
            delays in prop::collection::vec(0i64..5000, 1..50),
        ) {
            let mut schedule = Schedule::new(7, interval);
            let mut accounted = 0;
            for delay in delays {
                let now = schedule.deadline() + delay;
                accounted += 1 + i64::try_from(schedule.advance(now)).unwrap();
                prop_assert_eq!(schedule.deadline(), 7 + accounted * interval);
                prop_assert!(schedule.deadline() > now && schedule.deadline() - now <= interval);
            }
        }
    }
}
