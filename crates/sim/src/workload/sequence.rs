//! The order in which a load accesses the pages or blocks of a file. Runs of one seed have the same order.

use super::next_random;
use pagetide_core::Order;

/// Numbers below `count`, in an order.
#[derive(Debug, Clone)]
pub struct Sequence {
    order: Order,
    count: u64,
    state: u64,
    skew: Option<Skew>,
}

/// How much more often some numbers are drawn than others.
#[derive(Debug, Clone, Copy)]
struct Skew {
    /// Of a number from 0 to 1 this power is its place among the popular ones, the most popular first.
    power: f64,
    /// From a number to the next less popular one: without a divisor in common with the count, so that each has its place.
    step: u64,
}

impl Sequence {
    /// The sequence of a seed.
    pub fn new(order: Order, count: u64, seed: u64) -> Self {
        // Any seed but this one, for which the sequence would be all zeros, gives another state.
        Self { order, count, state: (seed ^ 0x2545_F491_4F6C_DD1D).max(1), skew: None }
    }

    /// Draws some random numbers more often than others: with a share of 0.8 a fifth of them in four of five draws, and within that fifth again. The share
    /// is over 0.5 and below 1; without one each is drawn as often. Gray et al., "Quickly Generating Billion-Record Synthetic Databases", SIGMOD 1994.
    #[must_use]
    pub fn skewed(self, share: Option<f64>) -> Self {
        let Some(share) = share else { return self };
        // Near the golden ratio, as neighbours in popularity are then far from each other.
        let mut step = self.count / 1000 * 618 + 1;
        while divisor(step, self.count) > 1 {
            step += 1;
        }
        Self { skew: Some(Skew { power: self_similar(1.0 - share), step }), ..self }
    }

    /// The next number; 0 when there is none.
    pub fn draw(&mut self) -> u64 {
        match self.order {
            _ if self.count == 0 => 0,
            Order::Random => {
                self.state = next_random(self.state);
                if let Some(skew) = self.skew {
                    return skew.place(self.state, self.count);
                }
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

impl Skew {
    /// The number that stands for a random one.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of the count")]
    fn place(self, random: u64, count: u64) -> u64 {
        let part = (random >> 11) as f64 / (1_u64 << 53) as f64;
        let rank = ((count as f64 * part.powf(self.power)) as u64).min(count - 1);
        u64::try_from(u128::from(rank) * u128::from(self.step) % u128::from(count)).unwrap_or(0)
    }
}

/// The power of an even random number from 0 to 1 that is a place in order of popularity, where this part of all has all but this part of the draws, and
/// so on within it.
pub(super) fn self_similar(part: f64) -> f64 {
    part.ln() / (1.0 - part).ln()
}

/// The greatest common divisor of two numbers.
const fn divisor(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
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

    #[test]
    fn four_in_five_of_skewed_draws_are_of_a_fifth_and_all_have_their_place() {
        const COUNT: usize = 10_000;
        let mut drawn = vec![0_u32; COUNT];
        let mut sequence = Sequence::new(Order::Random, COUNT as u64, 7).skewed(Some(0.8));
        (0..400_000).for_each(|_| drawn[usize::try_from(sequence.draw()).unwrap()] += 1);
        // Popular ones lie everywhere.
        let popular = drawn[..COUNT / 2].iter().filter(|times| **times >= 100).count();
        let all = drawn.iter().filter(|times| **times >= 100).count();
        assert!(all > 100 && (all * 4 / 10..all * 6 / 10).contains(&popular), "{popular} of {all}");
        drawn.sort_unstable_by(|one, other| other.cmp(one));
        let share = |count: usize| f64::from(drawn[..count].iter().sum::<u32>()) / 400_000.0;
        assert!((share(COUNT / 5) - 0.8).abs() < 0.02, "{}", share(COUNT / 5));
        assert!((share(COUNT / 25) - 0.64).abs() < 0.02, "{}", share(COUNT / 25));
        for count in [1, 2, 3, 12, 100, 4096] {
            let skew = Sequence::new(Order::Random, count, 7).skewed(Some(0.9)).skew.unwrap();
            let mut places: Vec<u64> = (0..count).map(|rank| rank * skew.step % count).collect();
            places.sort_unstable();
            assert_eq!(places, (0..count).collect::<Vec<_>>());
        }
    }
}
