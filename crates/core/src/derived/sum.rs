//! Sums over the time that samples cover.

use super::{Formula, Term};
use crate::metric::Table;
use crate::quantity::Unit;
use std::collections::BTreeMap;

/// A counter fell: the device was replaced, or the CPU went offline. The formula has no value for this time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fall<'a> {
    /// The sample before.
    pub from: i64,
    /// The sample at which it is lower.
    pub to: i64,
    /// Whose counter, as the table calls it.
    pub entity: &'a str,
    /// The counter.
    pub metric: &'static str,
}

/// The time that one sample covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) content: Content,
}

/// What a sample says of its time, in base units.
#[derive(Debug, Clone, Copy)]
pub(super) enum Content {
    /// A counter rose by this. For a gap only the total is known.
    Rise { amount: f64, gap: bool },
    /// A gauge or a stored rate had this value.
    Level(f64),
}

impl Piece {
    /// The value over all of its time: what [`Sum::mean`] gives of it alone.
    pub(super) fn mean(&self) -> f64 {
        match self.content {
            Content::Rise { amount, .. } => amount / (self.to.saturating_sub(self.from) as f64 / 1e9),
            Content::Level(level) => level,
        }
    }
}

/// The pieces of an interval.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    /// Rises, or levels times ns.
    amount: f64,
    time: i64,
    /// The smallest and the largest level; absent of a counter.
    levels: Option<(f64, f64)>,
}

impl Sum {
    /// Adds the part of a piece that lies in an interval, without the time in `falls`.
    pub(super) fn add_without(&mut self, piece: &Piece, (from, to): (i64, i64), falls: &[Fall<'_>]) {
        let inside = (piece.from.max(from), piece.to.min(to));
        let mut free = inside.0;
        let near = falls.partition_point(|fall| fall.to <= inside.0);
        for fall in falls[near..].iter().take_while(|fall| fall.from < inside.1) {
            self.add(piece, free, fall.from);
            free = free.max(fall.to);
        }
        self.add(piece, free, inside.1);
    }

    /// Adds what a counter rose by in so many ns that lie inside.
    pub(super) fn add_rise(&mut self, amount: f64, time: i64) {
        self.amount += amount;
        self.time += time;
    }

    /// The same over `length` ns, in which nothing happened where no piece lies; what is not known at all stays so.
    pub(super) fn over_all_of(self, length: i64) -> Self {
        if self.time == 0 || self.time >= length {
            return self;
        }
        Self { time: length, levels: self.levels.map(|(low, high)| (low.min(0.0), high.max(0.0))), ..self }
    }

    /// Adds what another part of the recording has.
    pub(super) fn merge(&mut self, other: &Self) {
        self.amount += other.amount;
        self.time += other.time;
        self.levels = match (self.levels, other.levels) {
            (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
            (one, other) => one.or(other),
        };
    }

    /// Adds the part of a piece from `from` to `to`.
    fn add(&mut self, piece: &Piece, from: i64, to: i64) {
        let time = to.saturating_sub(from);
        if time <= 0 {
            return;
        }
        let length = piece.to.saturating_sub(piece.from);
        match piece.content {
            Content::Rise { gap, .. } if gap && time < length => return,
            Content::Rise { amount, .. } if time == length => self.amount += amount,
            Content::Rise { amount, .. } => self.amount += amount * (time as f64 / length as f64),
            Content::Level(level) => {
                self.amount += level * time as f64;
                let (low, high) = self.levels.unwrap_or((level, level));
                self.levels = Some((low.min(level), high.max(level)));
            }
        }
        self.time += time;
    }

    /// The mean of one, or the sum of the means of several over the longest of their times; absent when there is no time.
    pub(super) fn total(sums: impl Iterator<Item = Self>) -> Option<f64> {
        sums.reduce(Self::beside)?.mean()
    }

    /// Together with the sum of another entity over the same time.
    pub(super) fn beside(self, other: Self) -> Self {
        Self { amount: self.in_seconds() + other.in_seconds(), time: self.time.max(other.time), levels: None }
    }

    /// The mean; absent when there is no time.
    pub(super) fn mean(self) -> Option<f64> {
        let time = Some(self.time).filter(|time| *time > 0)? as f64;
        Some(match self.levels {
            // The bounds take off what floating point adds: the mean of equal values is that value.
            Some((low, high)) => (self.amount / time).clamp(low, high),
            None => self.amount / (time / 1e9),
        })
    }

    /// Rises, or levels times seconds.
    fn in_seconds(&self) -> f64 {
        if self.levels.is_some() { self.amount / 1e9 } else { self.amount }
    }
}

/// The sums of a formula's members over the parts of a recording.
#[derive(Debug, Clone, Default)]
pub struct Sums(pub(super) Vec<(Term, ByEntity)>);

/// The sums of one member: of the entity itself, or of each of those that are added up.
type ByEntity = BTreeMap<(Table, String), Sum>;

impl Sums {
    /// The value of the formula over all parts. Of an entity that comes and goes, rates are over `length` ns, in which it did nothing while it was
    /// not there.
    pub fn value(&self, formula: &Formula, unit: Unit, length: Option<i64>) -> Option<f64> {
        let of = |term: Term| self.0.iter().find(|(known, _)| *known == term);
        let over = |term: Term, sum: Sum| match length {
            Some(length) if term.is_rate() => sum.over_all_of(length),
            _ => sum,
        };
        let value = formula.evaluate(&|term| Sum::total(of(term)?.1.values().map(|sum| over(term, *sum))))?;
        Some(unit.of_base(value))
    }
}
