//! Which block a fio job accesses next (`io_u.c` of fio 3.33).

use super::free_map::FreeMap;
use super::tausworthe::{Purpose, Seeds, Tausworthe};
use crate::workload::sequence::self_similar;

/// The options of a job that decide its blocks.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// Random blocks rather than one after the other.
    pub random: bool,
    /// Whether each block is used once before any is used again.
    pub map: bool,
    /// How often which blocks are used.
    pub distribution: Distribution,
}

/// `random_distribution`.
#[derive(Debug, Clone, PartialEq)]
pub enum Distribution {
    /// Each block as often as the others.
    Uniform,
    /// Zipf's law with this exponent.
    Zipf(f64),
    /// Pareto's law with this skew.
    Pareto(f64),
    /// Percent of the requests to the next percent of the file.
    Zoned(Vec<(u64, u64)>),
}

/// Blocks whose weights fio adds up for Zipf's law; it leaves out those beyond (`ZIPF_MAX_GEN`).
const ZIPF_WEIGHTS: u64 = 10_000_000;

impl Distribution {
    /// Reads fio's own notation. None for what is not modelled.
    pub fn parse(text: Option<&str>) -> Option<Self> {
        let Some(text) = text else { return Some(Self::Uniform) };
        let (name, values) = text.split_once(':').unwrap_or((text, ""));
        match name {
            "random" => Some(Self::Uniform),
            "zipf" => values.parse().ok().filter(|theta| *theta > 0.0 && *theta != 1.0).map(Self::Zipf),
            "pareto" => values.parse().ok().filter(|h| *h > 0.0 && *h < 1.0).map(Self::Pareto),
            "zoned" => {
                let zone = |zone: &str| {
                    let (share, of) = zone.split_once('/')?;
                    Some((share.parse().ok()?, of.parse().ok()?))
                };
                let zones: Vec<(u64, u64)> = values.split(':').map(zone).collect::<Option<_>>()?;
                let sum = |of: fn(&(u64, u64)) -> u64| zones.iter().map(of).try_fold(0_u64, u64::checked_add);
                let whole = sum(|zone| zone.0) == Some(100) && sum(|zone| zone.1) == Some(100);
                whole.then_some(Self::Zoned(zones))
            }
            _ => None,
        }
    }
}

/// The blocks of one job, in order.
#[derive(Debug, Clone)]
pub struct Blocks {
    count: u64,
    random: bool,
    /// The next block of each direction, of a job that goes through the file.
    next: [u64; 2],
    block: Tausworthe,
    zone: Tausworthe,
    map: Option<FreeMap>,
    law: Law,
}

#[derive(Debug, Clone)]
enum Law {
    Uniform,
    Zipf {
        theta: f64,
        sum: f64,
        first: u64,
    },
    Pareto {
        power: f64,
        first: u64,
    },
    /// Of each percent of the requests the part of the file, in percent.
    Zoned(Vec<(u64, u64)>),
}

impl Blocks {
    /// The blocks of a file of `count` blocks.
    pub fn new(count: u64, pattern: &Pattern, seeds: &Seeds) -> Self {
        let mut block = Tausworthe::new(seeds.of(Purpose::Block), count > u64::from(u32::MAX));
        let law = match &pattern.distribution {
            Distribution::Uniform => Law::Uniform,
            Distribution::Zipf(theta) => {
                let sum = (1..=count.min(ZIPF_WEIGHTS)).map(|rank| (1.0 / rank as f64).powf(*theta)).sum();
                Law::Zipf { theta: *theta, sum, first: block.draw() }
            }
            Distribution::Pareto(h) => Law::Pareto { power: self_similar(*h), first: block.draw() },
            Distribution::Zoned(zones) => Law::Zoned(each_percent(zones)),
        };
        // fio keeps a map for uniform jobs only.
        let mapped = pattern.random && pattern.map && matches!(law, Law::Uniform);
        Self {
            count,
            random: pattern.random,
            next: [0; 2],
            block,
            zone: Tausworthe::new(seeds.of(Purpose::Zone), false),
            map: mapped.then(|| FreeMap::new(count)),
            law,
        }
    }

    /// The next block of a read or a write; none when the file is used up.
    pub fn next(&mut self, write: bool) -> Option<u64> {
        if !self.random {
            let next = &mut self.next[usize::from(write)];
            *next += 1;
            return (*next <= self.count).then(|| *next - 1);
        }
        let block = match &self.law {
            Law::Uniform => self.block.below(self.count),
            Law::Zipf { theta, sum, first } => {
                let rank = zipf(&mut self.block, self.count, *theta, *sum);
                scatter(rank, *first, self.count)
            }
            Law::Pareto { power, first } => {
                let uniform = self.block.draw() as f64 / (self.block.range() - 1.0);
                scatter(whole((self.count - 1) as f64 * uniform.powf(*power)), *first, self.count)
            }
            Law::Zoned(percents) => {
                let (from, share) = percents[usize::try_from(self.zone.percent() - 1).unwrap_or(0)];
                from * self.count / 100 + self.block.below(self.count * share / 100)
            }
        };
        match &mut self.map {
            Some(map) => map.take(block),
            None => Some(block),
        }
    }

    /// Begins the file anew; random numbers go on.
    pub fn rewind(&mut self) {
        self.next = [0; 2];
        if let Some(map) = &mut self.map {
            map.clear();
        }
    }
}

/// For each percent of the requests where its zone begins and how long it is, in percent of the file.
fn each_percent(zones: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut begin = 0;
    let mut percents = Vec::with_capacity(100);
    for (share, of) in zones {
        percents.extend((0..*share).map(|_| (begin, *of)));
        begin += of;
    }
    percents
}

/// A rank from 0 by Zipf's law (Gray et al., "Quickly Generating Billion-Record Synthetic Databases", SIGMOD 1994).
fn zipf(generator: &mut Tausworthe, count: u64, theta: f64, sum: f64) -> u64 {
    let n = count as f64;
    let second = 1.0 + 0.5_f64.powf(theta);
    let eta = (1.0 - (2.0 / n).powf(1.0 - theta)) / (1.0 - second / sum);
    let uniform = generator.draw() as f64 / (generator.range() - 1.0);
    match uniform * sum {
        low if low < 1.0 => 0,
        low if low < second => 1,
        _ => whole(n * (eta * uniform - eta + 1.0).powf(1.0 / (1.0 - theta))),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the whole part, 0 at least")]
fn whole(value: f64) -> u64 {
    value.max(0.0) as u64
}

/// Spreads ranks over the file, so that popular blocks do not lie beside each other (`hash_u64`).
const fn scatter(rank: u64, first: u64, count: u64) -> u64 {
    rank.wrapping_mul(0x61C8_8646_80B5_83EB).wrapping_add(first) % count
}

#[cfg(test)]
mod tests;
