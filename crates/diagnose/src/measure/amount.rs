//! Amounts with their unit as a type: what is measured, and the thresholds that it is compared with.

use pagetide_core::{Bytes, Nanos, Pages, Quantity, Ratio, Threshold, Unit};
use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// What is counted, and the units in which amounts and rates of it print.
pub(crate) trait Measure: Copy {
    const UNIT: Unit;
    const PER_SECOND: Unit = Unit::PerSecond;
}

/// Events, requests, tasks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Count {}
/// So much of something per second.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Per<M>(PhantomData<M>);

impl Measure for Count {
    const UNIT: Unit = Unit::Count;
}
impl Measure for Pages {
    const UNIT: Unit = Unit::Pages;
}
impl Measure for Bytes {
    const UNIT: Unit = Unit::Bytes;
    const PER_SECOND: Unit = Unit::BytesPerSecond;
}
impl Measure for Nanos {
    const UNIT: Unit = Unit::Nanos;
}
impl Measure for Ratio {
    const UNIT: Unit = Unit::Ratio;
}
impl<M: Measure> Measure for Per<M> {
    const UNIT: Unit = M::PER_SECOND;
}

/// A measured amount: a mean, a difference, or a rate. It may be negative.
pub(crate) struct Amount<M>(f64, PhantomData<M>);

/// An amount per second.
pub(crate) type Rate<M> = Amount<Per<M>>;

impl<M> Clone for Amount<M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M> Copy for Amount<M> {}
impl<M> PartialEq for Amount<M> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<M> PartialOrd for Amount<M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.0.partial_cmp(&other.0)
    }
}
impl<M> fmt::Debug for Amount<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<M> Amount<M> {
    pub(crate) const ZERO: Self = Self::new(0.0);

    pub(crate) const fn new(value: f64) -> Self {
        Self(value, PhantomData)
    }

    /// The number, in the unit of `M`.
    pub(crate) const fn get(self) -> f64 {
        self.0
    }

    pub(crate) fn abs(self) -> Self {
        Self::new(self.0.abs())
    }

    pub(crate) fn min(self, other: Self) -> Self {
        Self::new(self.0.min(other.0))
    }

    pub(crate) fn max(self, other: Self) -> Self {
        Self::new(self.0.max(other.0))
    }

    pub(crate) fn is_positive(self) -> bool {
        self.0 > 0.0
    }

    pub(crate) fn total_cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }

    /// So much over that time.
    pub(crate) fn per(self, time: Nanos) -> Rate<M> {
        Amount::new(self.0 / time.as_secs_f64())
    }
}

impl Amount<Nanos> {
    /// As a whole number of ns; 0 when it is negative.
    pub(crate) fn nanos(self) -> Nanos {
        Nanos::from_secs_f64(self.0.max(0.0) / 1e9).unwrap_or(Nanos::new(0))
    }
}

impl<M> Rate<M> {
    /// What a rate amounts to over a time.
    pub(crate) fn over(self, time: Nanos) -> Amount<M> {
        Amount::new(self.0 * time.as_secs_f64())
    }

    pub(crate) fn per_minute(self) -> Amount<M> {
        Amount::new(self.0 * 60.0)
    }
}

impl<M: Measure> Amount<M> {
    pub(crate) const fn quantity(self) -> Quantity {
        Quantity::new(self.0, M::UNIT)
    }
}
impl<M: Measure> fmt::Display for Amount<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.quantity().fmt(f)
    }
}

impl<M> Add for Amount<M> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.0 + other.0)
    }
}
impl<M> Sub for Amount<M> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.0 - other.0)
    }
}
impl<M> Neg for Amount<M> {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.0)
    }
}
impl<M> Mul<f64> for Amount<M> {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self::new(self.0 * factor)
    }
}
impl<M> Div<f64> for Amount<M> {
    type Output = Self;
    fn div(self, divisor: f64) -> Self {
        Self::new(self.0 / divisor)
    }
}
impl<M> Div for Amount<M> {
    type Output = Amount<Ratio>;
    fn div(self, whole: Self) -> Amount<Ratio> {
        Amount::new(self.0 / whole.0)
    }
}

/// The bytes of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageSize(Bytes);

impl PageSize {
    pub(crate) const fn new(size: Bytes) -> Self {
        Self(size)
    }
}

/// Pages, or pages per second, in bytes.
impl Mul<PageSize> for Amount<Pages> {
    type Output = Amount<Bytes>;
    fn mul(self, size: PageSize) -> Amount<Bytes> {
        Amount::new(self.0 * size.0.as_f64())
    }
}
impl Div<PageSize> for Amount<Bytes> {
    type Output = Amount<Pages>;
    fn div(self, size: PageSize) -> Amount<Pages> {
        Amount::new(self.0 / size.0.as_f64())
    }
}

/// A number that decides in a rule, with the text that explains it.
#[derive(Debug)]
pub(crate) struct Limit<M> {
    name: &'static str,
    value: Amount<M>,
    why: &'static str,
    source: &'static str,
}

impl<M> Clone for Limit<M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M> Copy for Limit<M> {}

impl<M> Limit<M> {
    pub(crate) const fn new(name: &'static str, value: f64, why: &'static str, source: &'static str) -> Self {
        Self { name, value: Amount::new(value), why, source }
    }

    pub(crate) const fn value(self) -> Amount<M> {
        self.value
    }

    /// The number, in the unit of `M`.
    pub(crate) const fn get(self) -> f64 {
        self.value.get()
    }
}

impl<M: Measure> Limit<M> {
    /// As it is printed.
    pub(crate) const fn doc(self) -> Threshold {
        let Self { name, value, why, source } = self;
        Threshold { name, value: value.quantity(), why, source }
    }
}

/// An amount compares with a limit as with the amount that it stands for.
impl<M> PartialEq<Limit<M>> for Amount<M> {
    fn eq(&self, limit: &Limit<M>) -> bool {
        *self == limit.value
    }
}
impl<M> PartialOrd<Limit<M>> for Amount<M> {
    fn partial_cmp(&self, limit: &Limit<M>) -> Option<Ordering> {
        self.partial_cmp(&limit.value)
    }
}
/// A share or a multiple of an amount.
impl<M> Mul<Limit<Ratio>> for Amount<M> {
    type Output = Self;
    fn mul(self, share: Limit<Ratio>) -> Self {
        self * share.get()
    }
}
impl<M> Mul<Limit<Count>> for Amount<M> {
    type Output = Self;
    fn mul(self, times: Limit<Count>) -> Self {
        self * times.get()
    }
}

/// How far a value has come from `none` (0) to `full` (1), which may lie on either side of it.
pub(crate) fn grade<M>(value: Amount<M>, none: f64, full: f64) -> f64 {
    let part = (value.get() - none) / (full - none);
    if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) }
}

/// The same on a scale of multiples.
pub(crate) fn grade_log<M>(value: Amount<M>, none: f64, full: f64) -> f64 {
    grade(Amount::<M>::new(value.get().ln()), none.ln(), full.ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grade_runs_either_way_and_stays_within_its_ends() {
        let grade = |value, none, full| grade(Amount::<Count>::new(value), none, full);
        assert_eq!(grade(5.0, 0.0, 10.0), 0.5);
        assert_eq!(grade(0.2, 0.4, 0.0), 0.5);
        assert_eq!(grade(99.0, 0.0, 10.0), 1.0);
        assert_eq!(grade(1.0, 1.0, 1.0), 0.0);
        assert_eq!(grade(f64::NAN, 0.0, 1.0), 0.0);
    }

    #[test]
    fn units_follow_the_arithmetic() {
        let read = Amount::<Bytes>::new(3.0 * 1024.0 * 1024.0);
        assert_eq!(read.per(Nanos::new(3_000_000_000)).to_string(), "1 MiB/s");
        assert_eq!((read / Amount::new(6.0 * 1024.0 * 1024.0)).to_string(), "50 %");
        assert_eq!(Rate::<Count>::new(2.0).per_minute().to_string(), "120");
        const HALF: Limit<Ratio> = Limit::new("half", 0.5, "", "");
        assert!(Amount::new(0.4) < HALF && read * HALF < read);
    }
}
