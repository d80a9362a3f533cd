//! The order in which a load accesses the pages or blocks of a file. Runs of one seed have the same order.

use super::next_random;
use pagetide_core::Order;

/// Numbers below `count`, in an order.
#[derive(Debug, Clone)]
pub struct Sequence {
    order: Order,
    count: u64,
    state: u64,
}

impl Sequence {
    /// The sequence of a seed.
    pub fn new(order: Order, count: u64, seed: u64) -> Self {
        // Any seed but this one, for which the sequence would be all zeros, gives another state.
        Self { order, count, state: (seed ^ 0x2545_F491_4F6C_DD1D).max(1) }
    }

    /// The next number; 0 when there is none.
    pub fn draw(&mut self) -> u64 {
        match self.order {
            _ if self.count == 0 => 0,
            Order::Random => {
                self.state = next_random(self.state);
                // The upper bits are the better ones.
                u64::try_from((u128::from(self.state) * u128::from(self.count)) >> 64).unwrap_or(0)
            }
            // A full cycle of the numbers below the next power of two (Hull and Dobell), without those beyond `count`.
            Order::Shuffled => loop {
                let mask = self.count.next_power_of_two() - 1;
                self.state =
                    self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) & mask;
                if self.state < self.count {
                    return self.state;
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffled_pass_has_every_page_once() {
        for pages in [1_u64, 2, 3, 100, 4096, 5000] {
            let mut sequence = Sequence::new(Order::Shuffled, pages, 7);
            for _ in 0..2 {
                let mut seen: Vec<u64> = (0..pages).map(|_| sequence.draw()).collect();
                seen.sort_unstable();
                assert_eq!(seen, (0..pages).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn random_pages_spread_like_choices_with_replacement() {
        let mut sequence = Sequence::new(Order::Random, 10_000, 7);
        let mut seen: Vec<u64> = (0..10_000).map(|_| sequence.draw()).collect();
        seen.sort_unstable();
        seen.dedup();
        let distinct = seen.len() as f64 / 10_000.0;
        assert!((distinct - (1.0 - (-1.0_f64).exp())).abs() < 0.02, "{distinct}");
        assert!(seen.iter().all(|page| *page < 10_000));
    }

    #[test]
    fn a_seed_decides_the_sequence() {
        let first = |seed| {
            let mut sequence = Sequence::new(Order::Random, 1 << 40, seed);
            [sequence.draw(), sequence.draw()]
        };
        assert_eq!(first(3), first(3));
        assert_ne!(first(3), first(4));
    }
}
