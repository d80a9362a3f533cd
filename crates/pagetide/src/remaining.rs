//! The time that several runs still need: a forecast for each, corrected by the measured pace.

use pagetide_core::Nanos;
use std::time::Instant;

/// Seconds of the forecast that count as already measured, so that the first seconds of a run do not decide alone.
const TRUST: f64 = 20.0;

/// The runs, the current one, and its progress.
#[derive(Debug)]
pub(crate) struct RemainingTime {
    /// Seconds before the first step of each run, then seconds of each step.
    forecasts: Vec<Vec<f64>>,
    run: usize,
    /// The current step, from 1; 0 before the first.
    step: usize,
    fraction: f64,
    began: Instant,
    /// Seconds that finished runs took, and their forecast.
    taken: f64,
    forecast: f64,
}

impl RemainingTime {
    /// Before the first run.
    pub(crate) fn new(forecasts: &[Vec<Nanos>]) -> Self {
        let seconds = |run: &Vec<Nanos>| run.iter().map(|time| time.as_secs_f64()).collect();
        Self {
            forecasts: forecasts.iter().map(seconds).collect(),
            run: 0,
            step: 0,
            fraction: 0.0,
            began: Instant::now(),
            taken: 0.0,
            forecast: 0.0,
        }
    }

    /// How many runs there are.
    pub(crate) fn runs(&self) -> usize {
        self.forecasts.len()
    }

    /// The run of this index begins.
    pub(crate) fn run(&mut self, index: usize) {
        (self.run, self.step, self.fraction, self.began) = (index, 0, 0.0, Instant::now());
    }

    /// The run is over. The time of a run that was refused does not change the pace.
    pub(crate) fn run_done(&mut self, complete: bool) {
        if complete {
            self.taken += self.began.elapsed().as_secs_f64();
            self.forecast += self.forecasts.get(self.run).map_or(0.0, |run| run.iter().sum());
        }
        self.run(self.run + 1);
    }

    /// A step begins, counted from 1.
    pub(crate) fn step(&mut self, number: usize) {
        (self.step, self.fraction) = (number, 0.0);
    }

    /// How far the step is, from 0 to 1.
    pub(crate) fn fraction(&mut self, fraction: f64) {
        self.fraction = fraction.clamp(0.0, 1.0);
    }

    /// The time that is left for all.
    pub(crate) fn left(&self) -> Nanos {
        let now = self.forecasts.get(self.run).map_or(&[][..], Vec::as_slice);
        let done =
            now.iter().take(self.step).sum::<f64>() + now.get(self.step).map_or(0.0, |step| step * self.fraction);
        let rest: f64 = self.forecasts.iter().skip(self.run).flatten().sum::<f64>() - done;
        let taken = self.taken + self.began.elapsed().as_secs_f64();
        let pace = (taken + TRUST) / (self.forecast + done + TRUST);
        Nanos::from_secs_f64((rest * pace).max(0.0)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn seconds(remaining: &RemainingTime) -> f64 {
        remaining.left().as_secs_f64()
    }

    #[test]
    fn what_is_left_shrinks_with_every_step_and_ends_at_nothing() {
        let step = |seconds: u64| Nanos::new(seconds * SECOND);
        let mut remaining = RemainingTime::new(&[vec![step(10), step(50), step(40)], vec![step(100)]]);
        let mut last = seconds(&remaining);
        assert!((last - 200.0).abs() < 1.0, "{last}");
        let mut check = |remaining: &RemainingTime| {
            let now = seconds(remaining);
            assert!(now < last, "{now} after {last}");
            last = now;
        };
        remaining.step(1);
        check(&remaining);
        remaining.fraction(0.5);
        check(&remaining);
        remaining.step(2);
        check(&remaining);
        remaining.run_done(true);
        // A run that ended at once makes the rest look fast; the estimate is never above the forecast.
        assert!(seconds(&remaining) <= 100.0);
        remaining.run_done(true);
        assert!(seconds(&remaining) < 1e-9);
    }

    #[test]
    fn a_refused_run_does_not_change_the_pace() {
        let mut remaining = RemainingTime::new(&[vec![Nanos::new(100 * SECOND)], vec![Nanos::new(100 * SECOND)]]);
        remaining.run_done(false);
        assert!((seconds(&remaining) - 100.0).abs() < 1.0, "{}", seconds(&remaining));
    }
}
