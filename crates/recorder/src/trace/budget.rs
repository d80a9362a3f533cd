//! The CPU that a trace may take: a share of one CPU over any longer time.

/// What the programs take for a hit of a tracepoint whose page is not in the sample (`cargo bench -p pagetide-trace --bench cost`).
const HIT_NS: u64 = 40;
/// It may take at once what it may take in this many seconds.
const BURST_S: f64 = 10.0;

/// What a trace has used since it began.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Used {
    /// CPU time of its thread.
    pub(super) thread_ns: u64,
    /// Hits of tracepoints, paid for by those who hit them.
    pub(super) hits: u64,
}

impl Used {
    fn total_ns(self) -> u64 {
        self.thread_ns.saturating_add(self.hits.saturating_mul(HIT_NS))
    }
}

/// Grows with time and shrinks with use; empty, the trace is off until half of a burst is there again.
#[derive(Debug)]
pub(super) struct Budget {
    /// Share of one CPU.
    share: f64,
    /// What is left, in seconds of CPU.
    left_s: f64,
    last: Option<(u64, Used)>,
    spent: bool,
}

impl Budget {
    pub(super) fn new(share: f64) -> Self {
        Self { share, left_s: share * BURST_S, last: None, spent: false }
    }

    /// Whether the trace may be on after what it used up to this time.
    pub(super) fn allows(&mut self, now_ns: u64, used: Used) -> bool {
        if let Some((before_ns, before)) = self.last {
            let grown = now_ns.saturating_sub(before_ns) as f64 / 1e9 * self.share;
            let cost = used.total_ns().saturating_sub(before.total_ns()) as f64 / 1e9;
            self.left_s = (self.left_s + grown - cost).min(self.share * BURST_S);
        }
        self.last = Some((now_ns, used));
        if self.left_s < 0.0 {
            self.spent = true;
        } else if self.left_s >= self.share * BURST_S / 2.0 {
            self.spent = false;
        }
        !self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// However expensive it is while it is on, over a long time it takes its share and one burst, and one step more.
        #[test]
        fn the_share_is_kept(share in 0.001f64..0.5, cost_ms in 0u32..2000) {
            let cost = f64::from(cost_ms) / 1000.0;
            let (mut budget, mut used, mut on) = (Budget::new(share), Used::default(), true);
            let mut spent = 0.0;
            for second in 0..3600_u64 {
                if on {
                    spent += cost;
                    used.thread_ns += u64::from(cost_ms) * 250_000;
                    used.hits += u64::from(cost_ms) * 750_000 / HIT_NS;
                }
                on = budget.allows(second * 1_000_000_000, used);
            }
            prop_assert!(spent <= share * (3600.0 + BURST_S) + 2.0 * cost + 0.1, "{spent} of {}", share * 3600.0);
            if cost <= share {
                prop_assert!((spent - cost * 3600.0).abs() < 1e-6, "an affordable trace is never off");
            }
        }
    }
}
