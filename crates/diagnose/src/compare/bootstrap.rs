//! The interval of a difference of two means by a block bootstrap: values that follow each other resemble each other, so whole blocks of
//! them are drawn.
//!
//! Künsch, 1989 (moving blocks, drawn from a circle). A block is four times as long as the lag at which autocorrelation becomes noise, which
//! is found as Politis and White find it, 2004. A short range does not show that lag: there the interval is as wide as it has to be for values
//! that keep four fifths of the one before. The tests count how often ranges without a difference appear to differ, and how often a difference
//! is found.

use fastrand::Rng;

/// Values below which nothing can be said about their noise.
pub(super) const FEWEST: usize = 4;
/// Values below which a range does not show for how long its values resemble each other.
const SHORT: usize = 60;
/// Half the width of the interval of short ranges: so many standard deviations of their values, divided by the root of the number of values in the
/// shorter one. Of pairs of ranges of 4 to 60 values that keep four fifths of the one before, one in twenty without a difference lies further
/// apart (simulated).
const WIDE: f64 = 11.5;
/// Values to which a longer range is averaged.
const MAX_VALUES: usize = 1000;
/// Means that are drawn of each range.
const DRAWN: usize = 2000;
/// Two looks at the same ranges draw the same means.
const SEED: u64 = 1989;
/// Of the drawn differences, how many lie outside of the interval at each end.
const OUTSIDE: usize = 10;
/// The normal distribution has as much above this many standard deviations.
const QUANTILE: f64 = 2.576;
/// The share of pairs of ranges without a difference that appear to differ, %.
pub(super) const WRONG: f64 = 200.0 * OUTSIDE as f64 / DRAWN as f64;

/// A value with the weight that it has in the mean: the time over which it was measured, or the requests of which it is a mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weighed {
    pub(super) value: f64,
    pub(super) weight: f64,
}

/// The difference of two means, and the interval that contains it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Difference {
    pub(super) before: f64,
    pub(super) after: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Compares the means of two ranges; absent when one of them has too few values. Nothing that is compared is negative: no more goes away than
/// there was, and no more comes than there is.
pub(super) fn difference(before: &[Weighed], after: &[Weighed]) -> Option<Difference> {
    if before.len() < FEWEST || after.len() < FEWEST {
        return None;
    }
    let (mean_before, mean_after) = (mean(before)?, mean(after)?);
    let difference = mean_after - mean_before;
    let (low, high) = resampled(before, after).unwrap_or_else(|| of_few(before, after));
    let (low, high) = ((difference + low).max(-mean_before), (difference + high).min(mean_after));
    Some(Difference { before: mean_before, after: mean_after, low, high })
}

/// The interval around the difference by the bootstrap; absent when a range does not show its noise.
fn resampled(before: &[Weighed], after: &[Weighed]) -> Option<(f64, f64)> {
    let mut random = Rng::with_seed(SEED);
    let mut differences: Vec<f64> = deviations(after, &mut random)?;
    let of_before = deviations(before, &mut random)?;
    differences.iter_mut().zip(of_before).for_each(|(after, before)| *after -= before);
    differences.sort_unstable_by(f64::total_cmp);
    Some((differences[OUTSIDE], differences[DRAWN - 1 - OUTSIDE]))
}

/// The same of ranges that are too short for it.
fn of_few(before: &[Weighed], after: &[Weighed]) -> (f64, f64) {
    let fewest = before.len().min(after.len()) as f64;
    let spread = ((variance(before) + variance(after)) / 2.0).sqrt();
    let wide = spread * WIDE / fewest.sqrt();
    (-wide, wide)
}

/// The variance of values around their mean, each counted once.
fn variance(values: &[Weighed]) -> f64 {
    let mean = values.iter().map(|one| one.value).sum::<f64>() / values.len() as f64;
    values.iter().map(|one| (one.value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0).max(1.0)
}

fn mean(values: &[Weighed]) -> Option<f64> {
    let weight: f64 = values.iter().map(|one| one.weight).sum();
    (weight > 0.0).then(|| values.iter().map(|one| one.value * one.weight).sum::<f64>() / weight)
}

/// How far means of drawn blocks lie from the mean. They vary less than means of new ranges would, because blocks share one sample: the
/// deviations are widened by the share that a block has in it, and as Student's distribution is wider than the normal one for so many blocks.
/// Absent when a range does not show for how long its values resemble each other.
fn deviations(values: &[Weighed], random: &mut Rng) -> Option<Vec<f64>> {
    let values = thinned(values);
    let mean = mean(&values)?;
    let length = block(&values, mean)?;
    let count = values.len().div_ceil(length);
    let blocks = values.len() as f64 / length as f64;
    let free = (blocks - 1.0).max(1.0);
    // The quantiles of both at 0.5 % (Abramowitz and Stegun 26.7.5, to the first order).
    let student = 1.0 + (QUANTILE * QUANTILE + 1.0) / (4.0 * free);
    let wide = (blocks / free).sqrt() * student;
    // The sums of the values before each place, twice around the circle.
    let mut sums = vec![(0.0, 0.0)];
    for one in values.iter().chain(&values) {
        let (sum, weight) = sums[sums.len() - 1];
        sums.push((sum + one.value * one.weight, weight + one.weight));
    }
    let drawn = (0..DRAWN).map(|_| {
        let (mut sum, mut weight) = (0.0, 0.0);
        for _ in 0..count {
            let from = random.usize(..values.len());
            let (begin, end) = (sums[from], sums[from + length]);
            sum += end.0 - begin.0;
            weight += end.1 - begin.1;
        }
        if weight > 0.0 { (sum / weight - mean) * wide } else { 0.0 }
    });
    Some(drawn.collect())
}

/// Neighbours averaged, so that no more are left than can be drawn from quickly.
fn thinned(values: &[Weighed]) -> Vec<Weighed> {
    let part = values.len().div_ceil(MAX_VALUES);
    let parts = values.chunks(part).filter_map(|part| {
        let weight: f64 = part.iter().map(|one| one.weight).sum();
        Some(Weighed { value: mean(part)?, weight })
    });
    parts.collect()
}

/// How many neighbours are drawn together; absent when the values are too few, or resemble each other for so long that too few blocks are left.
fn block(values: &[Weighed], mean: f64) -> Option<usize> {
    let count = values.len() as f64;
    let deviations: Vec<f64> = values.iter().map(|one| one.value - mean).collect();
    let variance: f64 = deviations.iter().map(|one| one * one).sum();
    let most = (values.len() / 4).max(1);
    if values.len() < SHORT {
        return None;
    }
    if variance <= 0.0 {
        return Some(1);
    }
    let noise = 2.0 * (count.log10() / count).sqrt();
    let correlation =
        |lag: usize| deviations.iter().zip(&deviations[lag..]).map(|(one, other)| one * other).sum::<f64>() / variance;
    let free = (1..most).find(|lag| correlation(*lag) < noise)?;
    Some(if free == 1 { 1 } else { free * 4 }).filter(|length| *length <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values around a level in which each keeps this share of the one before.
    fn series(random: &mut Rng, count: usize, level: f64, kept: f64) -> Vec<Weighed> {
        let mut last = 0.0;
        let next = |_| {
            // The sum of four even numbers is near enough to a normal one.
            let noise: f64 = (0..4).map(|_| random.f64() - 0.5).sum();
            last = last * kept + noise;
            Weighed { value: level + last, weight: 1.0 }
        };
        (0..count).map(next).collect()
    }

    fn found(pairs: usize, (count, other): (usize, usize), kept: f64, shift: f64) -> usize {
        let mut random = Rng::with_seed(20_261_122);
        let differs = |_: &usize| {
            let (before, after) =
                (series(&mut random, count, 5.0, kept), series(&mut random, other, 5.0 + shift, kept));
            let found = difference(&before, &after).unwrap();
            assert!(found.low <= found.high);
            found.low > 0.0 || found.high < 0.0
        };
        (0..pairs).filter(differs).count()
    }

    const PAIRS: usize = 60;

    /// Of pairs without a difference at most 5 % appear to differ, and those with one of so many standard deviations are found.
    #[test]
    #[expect(clippy::print_stdout, reason = "the power of the test is printed")]
    fn ranges_without_a_difference_seldom_appear_to_differ_and_large_ones_are_found() {
        let lengths = [(4, 4), (6, 20), (11, 26), (30, 30), (40, 120), (60, 60), (120, 120)];
        for kept in [0.0_f64, 0.5, 0.8] {
            // The standard deviation of the sum of four even numbers is 0.58, and of values that keep a part of the one before it is larger.
            let deviation = (1.0_f64 / 3.0).sqrt() / (1.0 - kept * kept).sqrt();
            for counts in lengths {
                let [wrong, one, four, twenty] =
                    [0.0, 1.0, 4.0, 20.0].map(|times| found(PAIRS, counts, kept, times * deviation));
                println!(
                    "{counts:?} samples that keep {kept}: of {PAIRS} pairs {wrong} differ without a difference, {one}, {four} and {twenty} with \
                     one of 1, 4 and 20 standard deviations"
                );
                assert!(wrong * 20 <= PAIRS, "{wrong} at {counts:?} values that keep {kept}");
                assert!(
                    one <= four && four <= twenty && twenty * 20 >= PAIRS * 19,
                    "{one} {four} {twenty} at {counts:?}, {kept}"
                );
            }
        }
    }

    #[test]
    fn a_difference_of_the_size_of_the_noise_is_found() {
        assert!(found(50, (60, 60), 0.0, 0.6) >= 45);
        assert!(found(50, (300, 300), 0.5, 0.6) >= 45);
    }

    #[test]
    fn a_value_counts_by_its_weight() {
        let values = |pairs: &[(f64, f64)]| -> Vec<Weighed> {
            pairs.iter().cycle().take(80).map(|(value, weight)| Weighed { value: *value, weight: *weight }).collect()
        };
        let found = difference(&values(&[(1.0, 1.0)]), &values(&[(1.0, 3.0), (5.0, 1.0)])).unwrap();
        assert_eq!((found.before, found.after), (1.0, 2.0));
        assert!(found.low > 0.0 && found.high < 2.0, "{found:?}");
        assert_eq!(difference(&values(&[(1.0, 1.0)])[..3], &values(&[(1.0, 1.0)])), None, "too few");
    }
}
