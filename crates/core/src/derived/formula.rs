//! How a derived metric is made of recorded ones.

use crate::metric::Table;
use std::ops::{Add, Mul, Sub};

/// A definition over recorded metrics, in base units: seconds, bytes, pages, counts.
#[derive(Debug, Clone, Copy)]
pub enum Formula {
    /// A gauge.
    Gauge(&'static str),
    /// The rise per second of a counter, or a rate or average that another tool printed.
    Rate(&'static str),
    /// The sum; absent when one part is.
    All(&'static [Formula]),
    /// The sum of the parts that the kernel has; absent when it has none.
    Any(&'static [Formula]),
    /// The sum of the first and of those others that the kernel has; absent when the first is.
    With(&'static Formula, &'static [Formula]),
    /// The first that is present.
    First(&'static [Formula]),
    /// The first less the second.
    Less(&'static Formula, &'static Formula),
    /// The same, and 0 when the second is larger.
    LessFloored(&'static Formula, &'static Formula),
    /// The first divided by the second; absent when the second is 0.
    Per(&'static Formula, &'static Formula),
    /// 1 less the ratio of the first to the second, from 0 to 1; absent when the second is 0.
    OneLess(&'static Formula, &'static Formula),
    /// The product.
    Times(&'static Formula, &'static Formula),
    /// The product, at each sample, of a mean that another tool printed and the rate of what it averages: divided by the rate, it
    /// weighs every sample by its amount.
    Weighted(&'static str, &'static str),
    /// The rise per second of a counter, summed over the entities of a table: CPUs, and disks that are devices of their own. An
    /// interval that one of them lacks (it went offline, its counter fell) is left out of all members.
    Sum(Table, &'static str),
    /// Half of it.
    Half(&'static Formula),
    /// KiB as bytes: fields that the kernel counts in KiB without a unit.
    Kib(&'static Formula),
}

/// A recorded metric in a [`Formula`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// Its value.
    Gauge(&'static str),
    /// Its rise per second, or its stored rate.
    Rate(&'static str),
    /// The product of a stored mean and the stored rate of what it is the mean of.
    Weighted(&'static str, &'static str),
    /// Its rise per second over the entities of another table.
    Sum(Table, &'static str),
}

impl Term {
    /// The metric's name; of a weighted mean that of the mean.
    pub const fn metric(self) -> &'static str {
        match self {
            Self::Gauge(metric) | Self::Rate(metric) | Self::Weighted(metric, _) | Self::Sum(_, metric) => metric,
        }
    }

    /// Whether it is an amount per second, which over a longer time is smaller, and not a level.
    pub(super) const fn is_rate(self) -> bool {
        matches!(self, Self::Rate(_))
    }

    /// The metric's name when it is a value or a rate of the formula's own table, as one reading of that table gives it.
    pub const fn own(self) -> Option<&'static str> {
        match self {
            Self::Gauge(metric) | Self::Rate(metric) => Some(metric),
            Self::Weighted(..) | Self::Sum(..) => None,
        }
    }

    /// All that a recording must have for it: metrics of the formula's own table, or of another one.
    pub fn needs(self) -> Vec<(Option<Table>, &'static str)> {
        match self {
            Self::Gauge(metric) | Self::Rate(metric) => vec![(None, metric)],
            Self::Weighted(mean, weight) => vec![(None, mean), (None, weight)],
            Self::Sum(Table::Disk, metric) => vec![(Some(Table::Disk), metric), (Some(Table::Disk), PHYSICAL)],
            Self::Sum(table, metric) => vec![(Some(table), metric)],
        }
    }
}

/// The metric by which disks are summed: those of which it is 1.
pub(super) const PHYSICAL: &str = "physical";

impl Formula {
    /// Evaluates it from its members' values in base units.
    pub fn evaluate(&self, member: &impl Fn(Term) -> Option<f64>) -> Option<f64> {
        let [value] = self.evaluate_each(&|term| [member(term).unwrap_or(ABSENT)]);
        is_there(value).then_some(value)
    }

    /// The same over several intervals at once: each member has a value for each of them, or none.
    pub(super) fn evaluate_each<const N: usize>(&self, member: &impl Fn(Term) -> Values<N>) -> Values<N> {
        let of = |formula: &Self| formula.evaluate_each(member);
        let both = |one: &Self, other: &Self, op: fn(f64, f64) -> f64| each(&of(one), &of(other), op);
        match self {
            Self::Gauge(metric) => member(Term::Gauge(metric)),
            Self::Rate(metric) => member(Term::Rate(metric)),
            Self::All(parts) => {
                parts.iter().map(of).reduce(|sum, part| each(&sum, &part, f64::add)).unwrap_or([ABSENT; N])
            }
            Self::Any(parts) => any(parts.iter().map(of)),
            Self::With(one, others) => each(&of(one), &any(others.iter().map(of)), |one, others| one + or(others, 0.0)),
            Self::First(choices) => {
                let mut first = [ABSENT; N];
                for choice in *choices {
                    first = each(&first, &of(choice), or);
                    if first.into_iter().all(is_there) {
                        break;
                    }
                }
                first
            }
            Self::Less(one, other) => both(one, other, f64::sub),
            Self::LessFloored(one, other) => both(one, other, |one, other| or_zero_below(one - other)),
            Self::Per(one, other) => both(one, other, ratio),
            Self::OneLess(one, other) => both(one, other, |one, other| (1.0 - ratio(one, other)).clamp(0.0, 1.0)),
            Self::Times(one, other) => both(one, other, f64::mul),
            Self::Weighted(mean, weight) => member(Term::Weighted(mean, weight)),
            Self::Sum(table, metric) => member(Term::Sum(*table, metric)),
            Self::Half(whole) => of(whole).map(|whole| whole / 2.0),
            Self::Kib(kib) => of(kib).map(|kib| kib * 1024.0),
        }
    }

    /// Whether it can have a value at all where these members are there.
    pub(super) fn is_possible(&self, has: &impl Fn(Term) -> bool) -> bool {
        let can = |formula: &Self| formula.is_possible(has);
        match self {
            Self::Gauge(metric) => has(Term::Gauge(metric)),
            Self::Rate(metric) => has(Term::Rate(metric)),
            Self::Weighted(mean, weight) => has(Term::Weighted(mean, weight)),
            Self::Sum(table, metric) => has(Term::Sum(*table, metric)),
            Self::All(parts) => parts.iter().all(can),
            Self::Any(parts) | Self::First(parts) => parts.iter().any(can),
            Self::With(one, _) | Self::Half(one) | Self::Kib(one) => can(one),
            Self::Less(one, other)
            | Self::LessFloored(one, other)
            | Self::Per(one, other)
            | Self::OneLess(one, other)
            | Self::Times(one, other) => can(one) && can(other),
        }
    }

    /// Its members, each once.
    pub fn terms(&self) -> Vec<Term> {
        let mut terms = Vec::new();
        self.collect(&mut terms);
        terms
    }

    fn collect(&self, terms: &mut Vec<Term>) {
        match self {
            Self::Gauge(metric) => add(terms, Term::Gauge(metric)),
            Self::Rate(metric) => add(terms, Term::Rate(metric)),
            Self::Weighted(mean, weight) => add(terms, Term::Weighted(mean, weight)),
            Self::Sum(table, metric) => add(terms, Term::Sum(*table, metric)),
            Self::All(parts) | Self::Any(parts) | Self::First(parts) => {
                parts.iter().for_each(|part| part.collect(terms))
            }
            Self::With(one, others) => {
                one.collect(terms);
                others.iter().for_each(|other| other.collect(terms));
            }
            Self::Half(one) | Self::Kib(one) => one.collect(terms),
            Self::Less(one, other)
            | Self::LessFloored(one, other)
            | Self::Per(one, other)
            | Self::OneLess(one, other)
            | Self::Times(one, other) => {
                one.collect(terms);
                other.collect(terms);
            }
        }
    }

    /// What it is a share of or a mean over, where it is a ratio: several of its values are put together with this as their weight. `can`
    /// says which of its forms can have a value.
    pub fn denominator(&'static self, can: &impl Fn(&'static Self) -> bool) -> Option<&'static Self> {
        match self {
            Self::Per(_, whole) | Self::OneLess(_, whole) => Some(whole),
            Self::First(choices) => choices.iter().find(|choice| can(choice))?.denominator(can),
            _ => None,
        }
    }

    /// Whether it is a sum of its members, so that their amounts give its amount.
    pub fn is_sum(&self) -> bool {
        match self {
            Self::Gauge(_) | Self::Rate(_) | Self::Sum(..) => true,
            Self::All(parts) | Self::Any(parts) | Self::First(parts) => parts.iter().all(Self::is_sum),
            Self::With(one, others) => one.is_sum() && others.iter().all(Self::is_sum),
            Self::Half(one) | Self::Kib(one) => one.is_sum(),
            Self::Less(one, other) => one.is_sum() && other.is_sum(),
            Self::LessFloored(..) | Self::Per(..) | Self::OneLess(..) | Self::Times(..) | Self::Weighted(..) => false,
        }
    }
}

/// A value for each of some intervals, [`ABSENT`] where it is not known: any sum, product or ratio with it is absent too, and many are worked out
/// at once.
pub(super) type Values<const N: usize> = [f64; N];

/// In place of a value that is not known. Members are whole numbers over times that are not 0, so no known value is one.
pub(super) const ABSENT: f64 = f64::NAN;

/// Whether a value is known.
pub(super) fn is_there(value: f64) -> bool {
    !value.is_nan()
}

/// The first where it is known, else the other.
fn or(one: f64, other: f64) -> f64 {
    if is_there(one) { one } else { other }
}

/// 0 in place of what is lower.
fn or_zero_below(value: f64) -> f64 {
    // `max` would make 0 of what is absent.
    if value < 0.0 { 0.0 } else { value }
}

/// Puts two values together, interval by interval.
fn each<const N: usize>(one: &Values<N>, other: &Values<N>, op: impl Fn(f64, f64) -> f64) -> Values<N> {
    std::array::from_fn(|at| op(one[at], other[at]))
}

/// The sum of those that are there; absent where none is.
fn any<const N: usize>(parts: impl Iterator<Item = Values<N>>) -> Values<N> {
    let add = |sum: f64, part: f64| if is_there(sum) { sum + or(part, 0.0) } else { part };
    parts.reduce(|sum, part| each(&sum, &part, add)).unwrap_or([ABSENT; N])
}

/// Absent where the second is 0.
fn ratio(one: f64, other: f64) -> f64 {
    if other > 0.0 { one / other } else { ABSENT }
}

fn add(terms: &mut Vec<Term>, term: Term) {
    if !terms.contains(&term) {
        terms.push(term);
    }
}
