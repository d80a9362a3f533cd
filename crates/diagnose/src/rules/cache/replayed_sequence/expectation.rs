//! How often a step should miss, by what it requests and what was cached.

/// What a step read, in bytes, and what of it was cached.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    /// Requests.
    pub(super) requests: f64,
    /// Mean size of a request.
    pub(super) block: f64,
    pub(super) cached_before: f64,
    pub(super) cached_after: f64,
}

impl Reading {
    /// Blocks in a range of bytes, one at least.
    pub(super) fn blocks(&self, range: f64) -> f64 {
        (range / self.block).max(1.0)
    }

    /// The part of a range that was cached, before and after the step the smaller.
    pub(super) fn cached_part(&self, range: f64) -> f64 {
        (self.cached_before.min(self.cached_after) / range).min(1.0)
    }

    /// Misses of requests that are independent of the cache, drawn with replacement.
    pub(super) fn independent(&self, range: f64) -> f64 {
        1.0 - self.cached_part(range)
    }

    /// Misses of a new permutation of all blocks, for the larger and the smaller cached part. While the old content lasts, a
    /// block not yet read is cached with probability (c - t) / (1 - t) at the part t of the pass; its integral up to c hits.
    pub(super) fn new_permutation(&self, range: f64) -> (f64, f64) {
        let misses = |part: f64| if part >= 1.0 { 0.0 } else { 1.0 - part - (1.0 - part) * (1.0 - part).ln() };
        let larger = (self.cached_before.max(self.cached_after) / range).min(1.0);
        (misses(larger), misses(self.cached_part(range)))
    }

    /// Misses from an empty cache that lie nearest to `misses`, and how far off: of draws with replacement into a cache as large as
    /// what was cached, or of blocks that are each read once.
    pub(super) fn of_empty_cache(&self, range: f64, misses: f64) -> (f64, f64) {
        let drawn = self.draws_of_empty_cache(range);
        [drawn, 1.0]
            .into_iter()
            .map(|expected| (expected, (misses - expected).abs()))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((drawn, 1.0))
    }

    /// N draws with replacement over n blocks touch n (1 - (1 - 1/n)^N) of them; once the cache is full, the rest miss 1 - C/n.
    fn draws_of_empty_cache(&self, range: f64) -> f64 {
        let (blocks, draws) = (self.blocks(range), self.requests);
        let capacity = (self.cached_before.max(self.cached_after) / self.block).min(blocks);
        let touched = touched(blocks, draws);
        if touched <= capacity || capacity >= blocks {
            return touched / draws;
        }
        let until_full = (-capacity / blocks).ln_1p() / (-1.0 / blocks).ln_1p();
        (capacity + (draws - until_full) * (1.0 - capacity / blocks)) / draws
    }

    /// Of the first `part` of the requests, drawn with replacement, those that read a block a second time.
    pub(super) fn touched_again(&self, range: f64, part: f64) -> f64 {
        let draws = self.requests * part;
        if draws > 0.0 { (1.0 - touched(self.blocks(range), draws) / draws).max(0.0) } else { 0.0 }
    }
}

/// Distinct blocks among `draws` with replacement.
fn touched(blocks: f64, draws: f64) -> f64 {
    if blocks <= 1.0 { blocks } else { blocks * -(draws * (-1.0 / blocks).ln_1p()).exp_m1() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// A cache of the blocks used last.
    #[derive(Default)]
    struct Lru {
        size: usize,
        now: u64,
        used: BTreeMap<u64, u64>,
        by_age: BTreeSet<(u64, u64)>,
    }

    impl Lru {
        fn miss(&mut self, block: u64) -> bool {
            self.now += 1;
            let old = self.used.insert(block, self.now);
            if let Some(old) = old {
                self.by_age.remove(&(old, block));
            }
            self.by_age.insert((self.now, block));
            if self.used.len() > self.size
                && let Some((_, oldest)) = self.by_age.pop_first()
            {
                self.used.remove(&oldest);
            }
            old.is_none()
        }

        fn misses(&mut self, blocks: &[u64]) -> f64 {
            blocks.iter().filter(|block| self.miss(**block)).count() as f64 / blocks.len() as f64
        }
    }

    /// Numbers that look random, the same every time.
    fn draws(mut seed: u64, count: usize) -> Vec<u64> {
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 33
        };
        (0..count).map(|_| next()).collect()
    }

    fn permutation(seed: u64, count: usize) -> Vec<u64> {
        let mut keyed: Vec<(u64, u64)> = draws(seed, count).into_iter().zip(0..).collect();
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, block)| block).collect()
    }

    /// Draws as fio makes them with a map of what it has read: a block drawn again gives way to the next one not yet read.
    fn each_once(draws: &[u64]) -> Vec<u64> {
        let mut left: BTreeSet<u64> = (0..BLOCKS as u64).collect();
        let mut next = |draw: u64| {
            let block = *left.range(draw..).next().or_else(|| left.first()).unwrap();
            left.remove(&block);
            block
        };
        draws.iter().map(|draw| next(*draw)).collect()
    }

    const BLOCKS: usize = 20_000;

    fn check(tolerance: f64, part: f64, fill: &[u64], read: &[u64], expected: impl Fn(&Reading) -> f64) {
        let size = (BLOCKS as f64 * part).round();
        let mut cache = Lru { size: format!("{size}").parse().unwrap(), ..Lru::default() };
        cache.misses(fill);
        let misses = cache.misses(read);
        let cached = size * 8192.0;
        let reading =
            Reading { requests: read.len() as f64, block: 8192.0, cached_before: cached, cached_after: cached };
        let expected = expected(&reading);
        assert!((misses - expected).abs() < tolerance, "{misses} is not near {expected} with {part} cached");
    }

    #[test]
    fn an_lru_cache_misses_as_often_as_expected() {
        let range = BLOCKS as f64 * 8192.0;
        let within = |draws: Vec<u64>| -> Vec<u64> { draws.into_iter().map(|draw| draw % BLOCKS as u64).collect() };
        let (old, new) = (within(draws(1, BLOCKS)), within(draws(2, BLOCKS)));
        let (pass, other) = (permutation(3, BLOCKS), permutation(4, BLOCKS));
        for part in [0.2, 0.41, 0.6, 0.78] {
            check(0.015, part, &pass, &new, |reading| reading.independent(range));
            check(0.015, part, &[], &new, |reading| reading.draws_of_empty_cache(range));
            check(0.015, part, &pass, &other, |reading| reading.new_permutation(range).0);
            check(0.015, part, &pass, &pass, |_| 1.0);
        }
        // What a pass over all blocks left, when it took its blocks in the order of the same draws, as fio does.
        let mapped = each_once(&old);
        // The blocks that gave way come in another order than the draws, so that a large cache serves some of them.
        for part in [0.41, 0.6, 0.78] {
            check(if part > 0.7 { 0.06 } else { 0.015 }, part, &mapped, &old, |reading| {
                reading.draws_of_empty_cache(range)
            });
        }
    }
}
