//! What a load has done so far.

use super::latency::Latencies;
use pagetide_core::{Figure, Figures, Nanos};
use std::cell::RefCell;
use std::rc::Rc;

/// A tally that a program writes and its owner reads.
pub type SharedTally = Rc<RefCell<Tally>>;

/// Time after which a load that sleeps looks whether it is told to stop.
const STOP_CHECK_NS: u64 = 20_000_000;

/// What a load has done so far.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Bytes that it read, wrote or touched.
    pub processed: u64,
    /// Requests, or touches.
    pub requests: u64,
    /// Time of all requests together, ns.
    pub waited: u64,
    /// How long they took.
    pub latencies: Latencies,
    /// Iterations that it completed.
    pub iterations: u64,
    /// When it began.
    pub began: Option<Nanos>,
    /// When it ended.
    pub ended: Option<Nanos>,
    /// Whether its time was over before it was done.
    pub timed_out: bool,
    /// Its owner tells it to end as soon as it can.
    pub stop: bool,
}

impl Tally {
    /// A new one, to share.
    pub fn shared() -> SharedTally {
        SharedTally::default()
    }

    /// Counts a request of `bytes` that took `nanos`.
    pub fn add(&mut self, bytes: u64, nanos: u64) {
        self.processed += bytes;
        self.requests += 1;
        self.waited += nanos;
        self.latencies.add(nanos);
    }

    /// Adds that of another process of the same job.
    pub fn append(&mut self, other: &Self) {
        self.processed += other.processed;
        self.requests += other.requests;
        self.waited += other.waited;
        self.latencies.append(&other.latencies);
        self.iterations += other.iterations;
        self.began = self.began.into_iter().chain(other.began).min();
        self.ended = self.ended.into_iter().chain(other.ended).max();
        self.timed_out |= other.timed_out;
    }

    /// Whether the work is to end: its time (0: none) is over, or it is told to stop.
    pub(super) fn over(&mut self, began: Nanos, now: Nanos, time: u64) -> bool {
        if time > 0 && now.get().saturating_sub(began.get()) >= time {
            self.timed_out = true;
            return true;
        }
        self.stop
    }

    /// Until when to sleep next, on the way to `moment`; none when it has come or the load is told to stop.
    pub(super) fn nap(&self, now: Nanos, moment: u64) -> Option<Nanos> {
        (!self.stop && now.get() < moment).then(|| Nanos::new(moment.min(now.get() + STOP_CHECK_NS)))
    }

    /// Sets the figures that were counted.
    pub fn figures(&self, figures: &mut Figures) {
        figures.set(Figure::Processed, self.processed as f64);
        figures.set(Figure::Iterations, self.iterations as f64);
        // A load that was killed has no end; the step's own time is used then.
        if let Some((began, ended)) = self.began.zip(self.ended) {
            let elapsed = ended.saturating_sub(began).as_f64();
            figures.set(Figure::Elapsed, elapsed);
            figures.set(Figure::Bandwidth, self.processed as f64 / elapsed * 1e9);
            figures.set(Figure::Iops, self.requests as f64 / elapsed * 1e9);
        }
        if self.requests == 0 {
            return;
        }
        figures.set(Figure::Issued, self.requests as f64);
        figures.set(Figure::ClatMean, self.waited as f64 / self.requests as f64);
        let shares =
            [(Figure::ClatP50, 0.5), (Figure::ClatP95, 0.95), (Figure::ClatP99, 0.99), (Figure::ClatP999, 0.999)];
        for (figure, share) in shares {
            figures.set_some(figure, self.latencies.quantile(share));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_become_figures() {
        let mut tally =
            Tally { began: Some(Nanos::new(1_000)), ended: Some(Nanos::new(1_000_001_000)), ..Tally::default() };
        for nanos in [100, 100, 100, 10_000] {
            tally.add(4096, nanos);
        }
        let mut figures = Figures::default();
        tally.figures(&mut figures);
        assert_eq!(figures.get(Figure::Elapsed), Some(1e9));
        assert_eq!(figures.get(Figure::Bandwidth), Some(16384.0));
        assert_eq!((figures.get(Figure::Iops), figures.get(Figure::ClatMean)), (Some(4.0), Some(2575.0)));
        assert!(figures.get(Figure::ClatP50).unwrap() < 110.0 && figures.get(Figure::ClatP99).unwrap() > 9000.0);
    }
}
