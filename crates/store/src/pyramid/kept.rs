//! A bucket as it is stored: as numbers that repeat from bucket to bucket, which compress well.
//!
//! A counter rises by whole numbers, and a bucket of 10 s lasts 10.0003 s: its amount is `4096`, its mean `409.58…`. Amounts repeat, means
//! do not. The smallest and the largest value are drawn and compared but never summed, so eight bits of them are kept, rounded away from
//! the mean. For a level, such as free memory, they lie close to the mean, so eight bits of their distance from it are kept.

use super::bucket::Bucket;
use pagetide_core::derived::{Derived, Term};

/// Bits of a bound, beside the exponent and the leading one.
const BOUND_BITS: u32 = 7;
/// The bits of a number that a bound does not keep.
const DROPPED: u32 = (1 << (f32::MANTISSA_DIGITS - 1 - BOUND_BITS)) - 1;

/// The stored numbers of a bucket. What follows from the others is not stored.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Kept {
    /// The mean of a level.
    pub(super) mean: Option<f32>,
    /// For counters: the mean times the weight.
    pub(super) amount: Option<f32>,
    /// The smallest value, for a level its distance below the mean; not stored if it is the mean.
    pub(super) min: Option<f32>,
    /// The largest value, for a level its distance above the mean.
    pub(super) max: Option<f32>,
    pub(super) weight: Option<f32>,
}

/// Whether a metric is made of counters alone, so that its mean times its weight is a count.
pub(super) fn is_counted(metric: &Derived) -> bool {
    !metric.formula.terms().iter().any(|term| matches!(term, Term::Gauge(_)))
}

/// The values of a bucket, rounded as they are stored.
pub(super) fn values(bucket: &Bucket) -> [f32; 3] {
    [bucket.mean, bucket.min, bucket.max].map(single)
}

impl Kept {
    pub(super) fn of(bucket: &Bucket, is_counted: bool) -> Self {
        let weight = single(bucket.weight);
        let by_amount = is_counted && weight > 0.0;
        let differs = |value: f64| single(value) != single(bucket.mean);
        let bound = |value: f64, sign: f32| {
            let value = if by_amount { single(value) } else { single((value - bucket.mean).abs()) * sign };
            if sign < 0.0 { -up(-value) } else { up(value) }
        };
        Self {
            mean: (!by_amount).then(|| single(bucket.mean)),
            amount: by_amount.then(|| single(bucket.mean * bucket.weight)),
            min: differs(bucket.min).then(|| bound(bucket.min, -1.0)),
            max: differs(bucket.max).then(|| bound(bucket.max, 1.0)),
            weight: Some(weight),
        }
    }

    /// The bucket that ends at `end_ns`; `None` where numbers are missing. Another user may have written the file, so any may be NaN.
    pub(super) fn bucket(&self, end_ns: i64) -> Option<Bucket> {
        let weight = f64::from(self.weight?);
        let mean = match (self.mean, self.amount) {
            (Some(mean), _) => f64::from(mean),
            (None, amount) => f64::from(amount?) / weight,
        };
        let bound = |kept: Option<f32>| match (kept.map(f64::from), self.mean) {
            (None, _) => mean,
            (Some(value), None) => value,
            (Some(distance), Some(_)) => from_distance(mean, distance),
        };
        Some(Bucket { end_ns, mean, min: bound(self.min).min(mean), max: bound(self.max).max(mean), weight })
    }
}

/// The bound at a distance from the mean. A bound that is 0 within the rounding of the distance becomes 0: few levels can be negative.
fn from_distance(mean: f64, distance: f64) -> f64 {
    let bound = mean + distance;
    if bound.abs() * f64::from(1_u32 << BOUND_BITS) <= distance.abs() { 0.0 } else { bound }
}

/// The next number at or above this one that has no more bits than a bound.
fn up(value: f32) -> f32 {
    let bits = if value > 0.0 { value.to_bits().saturating_add(DROPPED) } else { value.to_bits() };
    let up = f32::from_bits(bits & !DROPPED);
    if up.is_finite() { up } else { f32::from_bits(f32::MAX.to_bits() & !DROPPED) }
}

#[expect(clippy::cast_possible_truncation, reason = "seven digits are kept")]
fn single(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bucket(mean: f64, min: f64, max: f64, weight: f64) -> Bucket {
        Bucket { end_ns: 1, mean, min, max, weight }
    }

    #[test]
    fn zero_stays_zero_and_what_is_constant_takes_no_bounds() {
        let kept = Kept::of(&bucket(0.3, 0.0, 1.7, 10.000_3), true);
        let read = kept.bucket(1).unwrap();
        assert!(read.min == 0.0 && read.max >= 1.7 && read.max < 1.72, "{read:?}");
        let level = Kept::of(&bucket(0.3, 0.0, 1.7, 10.000_3), false).bucket(1).unwrap();
        assert!(level.min == 0.0 && level.max >= 1.7 && level.max < 1.72, "{level:?}");
        let kept = Kept::of(&bucket(5.0, 5.0, 5.0, 10.0), false);
        assert_eq!(kept, Kept { mean: Some(5.0), weight: Some(10.0), ..Kept::default() });
        assert_eq!(Kept { amount: Some(1.0), ..Kept::default() }.bucket(1), None, "a file of somebody else");
    }

    proptest! {
        #[test]
        fn a_mean_keeps_its_digits_and_the_bounds_hold_all_values(
            mean in -1e15..1e15_f64, below in 0.0..1e15_f64, above in 0.0..1e15_f64, weight in 1e-3..1e12_f64, counted: bool,
        ) {
            let whole = bucket(mean, mean - below, mean + above, weight);
            let read = Kept::of(&whole, counted).bucket(1).unwrap();
            let near = |one: f64, other: f64, by: f64| (one - other).abs() <= by;
            prop_assert!(near(read.mean, mean, 2e-7 * mean.abs()), "{read:?}");
            let digits = 1e-6 * mean.abs();
            let of = |exact: f64, distance: f64| digits + if counted { exact.abs() } else { distance } / 64.0;
            prop_assert!(near(read.min, whole.min, of(whole.min, below)), "{read:?}");
            prop_assert!(near(read.max, whole.max, of(whole.max, above)), "{read:?}");
            prop_assert!(read.min <= whole.min.max(0.0) + digits && read.max >= whole.max.min(0.0) - digits, "{read:?}");
            prop_assert!(read.min <= read.mean && read.mean <= read.max);
        }
    }
}
