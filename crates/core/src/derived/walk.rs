//! A formula along the series of one entity.

use super::{Formula, Term};
use crate::metric::{Kind, RATE_SCALE, Table};
use crate::quantity::Unit;
use crate::recording::{Recording, Series};
use std::iter::Peekable;

/// A value over the time between two moments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Where it begins, ns on the recording's axis.
    pub from: i64,
    /// Where it ends.
    pub to: i64,
    /// The value over it.
    pub value: f64,
}

/// A formula over intervals in order of time: each begins where the one before ended, or later.
#[derive(Debug)]
pub struct Walk<'a> {
    formula: &'static Formula,
    unit: Unit,
    members: Vec<Member<'a>>,
    /// Where a counter of the formula fell, in order of time.
    falls: Vec<(i64, i64)>,
}

#[derive(Debug)]
struct Member<'a> {
    term: Term,
    series: Series<'a>,
    usual: i64,
    pieces: Peekable<Pieces<'a>>,
    /// Over the interval that was asked for last.
    value: Option<f64>,
}

impl Formula {
    /// Walks along the series of one entity, with values in `unit`; absent when the recording lacks its members.
    pub fn walk<'a>(
        &'static self,
        unit: Unit,
        recording: &'a Recording,
        table: Table,
        entity: &str,
    ) -> Option<Walk<'a>> {
        Walk::new((self, unit), recording, table, entity, None)
    }
}

impl<'a> Walk<'a> {
    /// Over the series of an entity, or over the part of them that tells about a stretch of time.
    pub(super) fn new(
        (formula, unit): (&'static Formula, Unit),
        recording: &'a Recording,
        table: Table,
        entity: &str,
        stretch: Option<(i64, i64)>,
    ) -> Option<Self> {
        let member = |term: Term| {
            let series = recording.series(table, entity, term.metric())?;
            let fits = match term {
                Term::Gauge(_) => series.column().kind == Kind::Gauge,
                Term::Rate(_) => matches!(series.column().kind, Kind::Counter | Kind::Rate),
            };
            let usual = series.usual_interval();
            let series = stretch.map_or(series, |(from, to)| series.around(from, to));
            let pieces = Pieces::new(series, usual).peekable();
            fits.then_some(Member { term, series, usual, pieces, value: None })
        };
        let members: Vec<Member<'a>> = formula.terms().into_iter().filter_map(member).collect();
        let counters = members.iter().filter(|member| member.series.column().kind == Kind::Counter);
        let mut falls: Vec<(i64, i64)> = counters.flat_map(|member| falls(&member.series)).collect();
        falls.sort_unstable();
        // Whether the formula can have a value at all: with every member that the recording has.
        let known = |term: Term| members.iter().any(|member| member.term == term).then_some(1.0);
        formula.evaluate(&known)?;
        Some(Self { formula, unit, members, falls })
    }

    /// The value over the time after `from` up to `to`.
    pub fn over(&mut self, from: i64, to: i64) -> Option<f64> {
        let near = self.falls.partition_point(|fall| fall.1 <= from);
        let falls = &self.falls[near..];
        for member in &mut self.members {
            member.value = mean(&mut member.pieces, (from, to), falls);
        }
        let members = &self.members;
        let value = self.formula.evaluate(&|term| members.iter().find(|member| member.term == term)?.value)?;
        Some(self.unit.of_base(value))
    }

    /// The value over each interval between neighbouring samples of its members.
    pub fn intervals(mut self) -> Vec<Interval> {
        let mut edges: Vec<i64> = Vec::new();
        for member in &self.members {
            edges.extend(Pieces::new(member.series, member.usual).flat_map(|piece| [piece.from, piece.to]));
        }
        edges.sort_unstable();
        edges.dedup();
        let over = |pair: &[i64]| Some(Interval { from: pair[0], to: pair[1], value: self.over(pair[0], pair[1])? });
        edges.windows(2).filter_map(over).collect()
    }
}

/// The intervals between neighbouring samples in which a counter fell.
fn falls(series: &Series<'_>) -> Vec<(i64, i64)> {
    let mut falls = Vec::new();
    let mut before: Option<(i64, i64)> = None;
    for point in series.points() {
        if let Some(before) = before.filter(|before| before.1 > point.1) {
            falls.push((before.0, point.0));
        }
        before = Some(point);
    }
    falls
}

/// The time for which one sample speaks.
#[derive(Debug, Clone, Copy)]
struct Piece {
    from: i64,
    to: i64,
    content: Content,
}

/// What a sample says of its time, in base units.
#[derive(Debug, Clone, Copy)]
enum Content {
    /// A counter rose by this. Of a gap nothing is known but the whole.
    Rise { amount: f64, gap: bool },
    /// A gauge or a stored rate had this value.
    Level(f64),
}

/// The pieces of a series, in order of time.
#[derive(Debug)]
struct Pieces<'a> {
    series: Series<'a>,
    /// Time between its samples.
    usual: i64,
    next: usize,
    before: Option<(i64, i64)>,
}

impl<'a> Pieces<'a> {
    fn new(series: Series<'a>, usual: i64) -> Self {
        Self { series, usual, next: 0, before: None }
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let kind = self.series.column().kind;
        loop {
            let (next, (to, value)) = self.series.next_point(self.next)?;
            self.next = next;
            let before = self.before.replace((to, value));
            let unit = self.series.unit();
            let gap = |from: i64| to.saturating_sub(from) > self.usual.saturating_mul(2);
            let (from, content) = match (kind, before) {
                (Kind::Counter, None) => continue,
                (Kind::Counter, Some((from, earlier))) => {
                    let amount = unit.to_base(value.saturating_sub(earlier) as f64);
                    (from, Content::Rise { amount, gap: gap(from) })
                }
                (kind, before) => {
                    let near = before.map(|(at, _)| at).filter(|at| !gap(*at));
                    let value = if kind == Kind::Rate { value as f64 / RATE_SCALE as f64 } else { value as f64 };
                    (near.unwrap_or(to.saturating_sub(self.usual)), Content::Level(unit.to_base(value)))
                }
            };
            if to > from {
                return Some(Piece { from, to, content });
            }
        }
    }
}

/// Goes on to the pieces after `from` up to `to` and gives their mean, without the time in `falls`.
fn mean(pieces: &mut Peekable<Pieces<'_>>, (from, to): (i64, i64), falls: &[(i64, i64)]) -> Option<f64> {
    let mut sum = Sum::default();
    while let Some(piece) = pieces.peek().filter(|piece| piece.from < to) {
        let inside = (piece.from.max(from), piece.to.min(to));
        let mut free = inside.0;
        for fall in falls.iter().take_while(|fall| fall.0 < inside.1) {
            sum.add(piece, free, fall.0);
            free = free.max(fall.1);
        }
        sum.add(piece, free, inside.1);
        if piece.to > to {
            break;
        }
        pieces.next();
    }
    sum.mean()
}

/// The pieces of an interval.
#[derive(Debug, Default)]
struct Sum {
    /// Rises, or levels times ns.
    amount: f64,
    time: i64,
    /// The smallest and the largest level; absent of a counter.
    levels: Option<(f64, f64)>,
}

impl Sum {
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

    fn mean(self) -> Option<f64> {
        let time = Some(self.time).filter(|time| *time > 0)? as f64;
        Some(match self.levels {
            // The bounds take off what floating point adds: the mean of equal values is that value.
            Some((low, high)) => (self.amount / time).clamp(low, high),
            None => self.amount / (time / 1e9),
        })
    }
}
