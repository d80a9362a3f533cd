//! A formula along the series of one entity.

use super::carry::{Carry, NOTHING};
use super::formula::{ABSENT, PHYSICAL, is_there};
use super::sum::{Content, Fall, Piece, Sum, Sums};
use super::{Formula, Term};
use crate::metric::{Kind, RATE_SCALE, Table};
use crate::quantity::Unit;
use crate::recording::{Mark, MarkKind, Recording, Series};
use crate::span::Moment;
use std::collections::BTreeMap;

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
    /// Where a counter of the formula fell, by entity, in order of time. Most never fall, and have no list.
    falls: BTreeMap<(Table, &'a str), Vec<Fall<'a>>>,
    /// Whether the entity did nothing while it was not there.
    comes_and_goes: bool,
}

/// A counter that falls by a tick when the kernel counts as idle what it had counted as waiting for IO, and means nothing by it
/// (the kernel's Documentation/filesystems/proc.rst; sysstat's `get_per_cpu_interval`): it did not rise.
const MAY_FALL: &str = "cpu_iowait";

#[derive(Debug)]
struct Member<'a> {
    term: Term,
    /// One, or one for each entity of a sum.
    parts: Vec<Part<'a>>,
    /// Over the interval that was asked for last.
    value: Option<f64>,
}

#[derive(Debug)]
struct Part<'a> {
    entity: (Table, &'a str),
    series: Series<'a>,
    /// The last point before the series.
    before: Option<(i64, i64)>,
    pieces: Pieces<'a>,
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
        self.walk_on(unit, (recording, &NOTHING), table, entity)
    }

    /// Walks along a part of a recording, with what the parts before it left.
    pub fn walk_on<'a>(
        &'static self,
        unit: Unit,
        (part, carry): (&'a Recording, &Carry),
        table: Table,
        entity: &str,
    ) -> Option<Walk<'a>> {
        Walk::new((self, unit), (part, carry), table, entity, None)
    }
}

impl<'a> Walk<'a> {
    /// Over the series of an entity, or the part of them that covers a stretch of time.
    pub(super) fn new(
        (formula, unit): (&'static Formula, Unit),
        (recording, carry): (&'a Recording, &Carry),
        table: Table,
        entity: &str,
        stretch: Option<(i64, i64)>,
    ) -> Option<Self> {
        // The host is there even when all that is known of it are sums over CPUs or disks.
        let host = Some((Table::Host, "")).filter(|host| *host == (table, entity));
        let (table, entity) = recording.entity(table, entity).or(host)?;
        let part = |(table, entity): (Table, &'a str), term: Term| {
            let series = recording.series(table, entity, term.metric())?;
            let fits = match term {
                Term::Gauge(_) => series.column().kind == Kind::Gauge,
                Term::Rate(_) | Term::Sum(..) => matches!(series.column().kind, Kind::Counter | Kind::Rate),
                Term::Weighted(..) => series.column().kind == Kind::Rate,
            };
            let weight = match term {
                Term::Weighted(_, weight) => Some(recording.series(table, entity, weight)?),
                _ => None,
            };
            if !fits || weight.is_some_and(|weight| weight.column().kind != Kind::Rate) {
                return None;
            }
            let last = carry.last(table, entity, term.metric());
            let usual = last.map_or_else(|| series.usual_interval(), |last| last.usual);
            let born = if table == Table::Process { born(recording, entity, &series) } else { None };
            let near = |series: Series<'a>| stretch.map_or(series, |(from, to)| series.around(from, to));
            let (first, series) = (series.points().next(), near(series));
            let born = born.filter(|_| series.points().next() == first);
            let before = last.map(|last| (last.at, last.value)).or(born);
            let pieces = Pieces { series, weight: weight.map(near), usual, next: 0, before, recording };
            Some(Part { entity: (table, entity), series, before, pieces })
        };
        let member = |term: Term| {
            let parts: Vec<Part<'a>> = match term {
                // For a single CPU, the sum over all would count the others'.
                Term::Sum(of, _) if of == table => Vec::new(),
                Term::Sum(table, _) => {
                    summed(recording, table).filter_map(|entity| part((table, entity), term)).collect()
                }
                _ => part((table, entity), term).into_iter().collect(),
            };
            (!parts.is_empty()).then_some(Member { term, parts, value: None })
        };
        let members: Vec<Member<'a>> = formula.terms().into_iter().filter_map(member).collect();
        let mut falls: BTreeMap<(Table, &'a str), Vec<Fall<'a>>> = BTreeMap::new();
        for (member, part) in members.iter().flat_map(|member| member.parts.iter().map(move |part| (member, part))) {
            let metric = member.term.metric();
            if part.series.column().kind == Kind::Counter && metric != MAY_FALL {
                let fell = falls_of(part.before, &part.series);
                if !fell.is_empty() {
                    let fell = fell.into_iter().map(|(from, to)| Fall { from, to, entity: part.entity.1, metric });
                    falls.entry(part.entity).or_default().extend(fell);
                }
            }
        }
        falls.values_mut().for_each(|falls| falls.sort_unstable());
        let can = formula.is_possible(&|term: Term| members.iter().any(|member| member.term == term));
        can.then_some(Self { formula, unit, members, falls, comes_and_goes: false })
    }

    /// Takes an entity that comes and goes, a process or a group, as one that did nothing while it was not there: its rates over a time are what
    /// it did by all of that time, and add up to what the host did.
    #[must_use]
    pub fn that_comes_and_goes(self) -> Self {
        Self { comes_and_goes: true, ..self }
    }

    /// The value over the time after `from` up to `to`.
    pub fn over(&mut self, from: i64, to: i64) -> Option<f64> {
        let (falls, comes_and_goes) = (&self.falls, self.comes_and_goes);
        let near = |entity| {
            let falls = falls.get(entity).map_or(&[][..], Vec::as_slice);
            &falls[falls.partition_point(|fall| fall.to <= from)..]
        };
        for member in &mut self.members {
            // Most rows are of one interval between samples, which is one piece.
            if let ([part], true) = (&mut member.parts[..], falls.is_empty())
                && let Some(piece) = part.pieces.next_over(from, to)
            {
                member.value = Some(piece.mean());
                continue;
            }
            let all = comes_and_goes && member.term.is_rate();
            let sums = member.parts.iter_mut().map(|part| {
                let falls = if falls.is_empty() { &[] } else { near(&part.entity) };
                let sum = sum(&mut part.pieces, (from, to), falls);
                if all { sum.over_all_of(to.saturating_sub(from.max(part.pieces.earliest()))) } else { sum }
            });
            member.value = Sum::total(sums);
        }
        let members = &self.members;
        let value = self.formula.evaluate(&|term| members.iter().find(|member| member.term == term)?.value)?;
        Some(self.unit.of_base(value))
    }

    /// From the first to the last time that its members cover, on the recording's axis: outside of it [`Walk::over`] has no value.
    pub fn span(&self) -> (i64, i64) {
        let parts = || self.members.iter().flat_map(|member| &member.parts);
        let begin = parts().filter_map(|part| part.pieces.begin()).min();
        let end = parts().filter_map(|part| part.series.points().next_back()).map(|(at, _)| at).max();
        begin.zip(end).unwrap_or((i64::MAX, i64::MIN))
    }

    /// Whether a member has a sample after `from`, up to `to`.
    pub fn is_sampled(&self, from: i64, to: i64) -> bool {
        let mut parts = self.members.iter().flat_map(|member| &member.parts);
        parts.any(|part| part.series.within(from.saturating_add(1), to).next().is_some())
    }

    /// Adds the pieces from `from` on that end up to `to`. Parts of a recording that follow each other give each piece once.
    pub fn add(&mut self, from: i64, to: i64, sums: &mut Sums) {
        for member in &mut self.members {
            let at = sums.0.iter().position(|(term, _)| *term == member.term).unwrap_or_else(|| {
                sums.0.push((member.term, BTreeMap::new()));
                sums.0.len() - 1
            });
            for part in &mut member.parts {
                let falls = self.falls.get(&part.entity).map_or(&[][..], Vec::as_slice);
                let mut sum = Sum::default();
                part.pieces.each_upto(to, |piece| sum.add_without(&piece, (from, to), falls));
                let (table, entity) = part.entity;
                sums.0[at].1.entry((table, entity.to_owned())).or_default().merge(&sum);
            }
        }
    }

    /// Where counters of the formula fell, so that nothing is known.
    pub fn falls(&self) -> impl Iterator<Item = &Fall<'a>> {
        self.falls.values().flatten()
    }

    /// The value over each interval between neighbouring samples of its members.
    pub fn intervals(self) -> Vec<Interval> {
        self.of_same_samples().unwrap_or_else(|| self.of_any_times())
    }

    /// The same of counters that have a value at each of the same samples and never fell: most are read together, and nothing has to be
    /// asked of what is around a sample. Absent of others.
    fn of_same_samples(&self) -> Option<Vec<Interval>> {
        let parts = || self.members.iter().flat_map(|member| &member.parts);
        let series = parts().next()?.series;
        let same = |part: &Part<'_>| part.before.is_none() && part.series.counts_at_each_sample_of(&series);
        if !self.falls.is_empty() || !series.has_distinct_moments() || !parts().all(same) {
            return None;
        }
        let mut intervals = Vec::with_capacity(series.len());
        let mut columns = vec![[ABSENT; AT_ONCE]; self.members.len()];
        for first in (0..series.len().saturating_sub(1)).step_by(AT_ONCE) {
            let slots = first..series.len().min(first + AT_ONCE + 1);
            let times = series.moments(slots.clone()).zip(series.moments(slots.start + 1..slots.end));
            // What is behind the last sample is divided by 1 and left out.
            let mut seconds = [1.0; AT_ONCE];
            seconds.iter_mut().zip(times.clone()).for_each(|(seconds, (from, to))| {
                *seconds = to.saturating_sub(from) as f64 / 1e9;
            });
            for (member, column) in self.members.iter().zip(&mut columns) {
                *column = [0.0; AT_ONCE];
                member.parts.iter().for_each(|part| part.series.add_rises(slots.clone(), column));
                column.iter_mut().zip(seconds).for_each(|(rise, seconds)| *rise /= seconds);
            }
            let column = |term| self.members.iter().zip(&columns).find(|(member, _)| member.term == term);
            let values =
                self.formula.evaluate_each(&|term| column(term).map_or([ABSENT; AT_ONCE], |(_, column)| *column));
            let values = values.map(|value| self.unit.of_base(value));
            let all = times.zip(values).map(|((from, to), value)| Interval { from, to, value });
            if values[..slots.len() - 1].iter().all(|value| is_there(*value)) {
                intervals.extend(all);
            } else {
                intervals.extend(all.filter(|interval| is_there(interval.value)));
            }
        }
        Some(intervals)
    }

    fn of_any_times(mut self) -> Vec<Interval> {
        let mut edges: Vec<i64> = Vec::new();
        for part in self.members.iter().flat_map(|member| &member.parts) {
            let mut own: Vec<i64> = Vec::with_capacity(part.series.len() + 1);
            part.pieces.clone().each_upto(i64::MAX, |piece| own.extend([piece.from, piece.to]));
            own.dedup();
            // Members of one table are read at the same moments.
            if own != edges {
                edges.append(&mut own);
                edges.sort_unstable();
                edges.dedup();
            }
        }
        let over = |pair: &[i64]| Some(Interval { from: pair[0], to: pair[1], value: self.over(pair[0], pair[1])? });
        edges.windows(2).filter_map(over).collect()
    }
}

/// Where the counters of a process began: at 0, when the sample before its first row was taken, if it started since then. Its name has the tick
/// in which it started, so it may be a tick older. The row of processes that no sample saw is named after the tick of that sample. Absent of an
/// older process, and where the samples before its first row are gone.
pub fn born(recording: &Recording, process: &str, series: &Series<'_>) -> Option<(i64, i64)> {
    const TICK_NS: i64 = 10_000_000;
    let started = Moment::of_start(process).filter(|_| series.column().kind == Kind::Counter)?.ns();
    let (first, _) = series.points().next()?;
    let stamps = recording.stamps();
    let before = stamps[..stamps.partition_point(|stamp| stamp.boot_ns < first)].last()?.boot_ns;
    (started.saturating_add(TICK_NS) > before).then_some((before, 0))
}

/// The entities of a table whose counters are summed: all, but of disks those that are devices of their own, so that what a
/// partition or a stack of devices passes on is not counted twice.
fn summed(recording: &Recording, table: Table) -> impl Iterator<Item = &str> {
    let own = move |entity: &&str| {
        let physical = || recording.series(table, entity, PHYSICAL).and_then(|series| series.points().next_back());
        table != Table::Disk || physical().is_some_and(|(_, physical)| physical == 1)
    };
    recording.entities(table).map(|(name, _)| name).filter(own)
}

/// The intervals between neighbouring samples in which a counter fell.
fn falls_of(before: Option<(i64, i64)>, series: &Series<'_>) -> Vec<(i64, i64)> {
    let first = || series.points().next();
    if !series.falls() && before.is_none_or(|before| first().is_none_or(|first| before.1 <= first.1)) {
        return Vec::new();
    }
    let (mut last, mut falls) = (before, Vec::new());
    series.points().for_each(|after| {
        if let Some(before) = last.replace(after)
            && before.1 > after.1
        {
            falls.push((before.0, after.0));
        }
    });
    falls
}

/// Intervals of which a formula is evaluated at once: enough that its members are looked up rarely, and few for the caches of a CPU.
const AT_ONCE: usize = 32;

/// The pieces of a series, in order of time.
#[derive(Debug, Clone)]
struct Pieces<'a> {
    series: Series<'a>,
    /// What its values are multiplied by, sample by sample.
    weight: Option<Series<'a>>,
    /// Time between its samples.
    usual: i64,
    next: usize,
    before: Option<(i64, i64)>,
    recording: &'a Recording,
}

/// Intervals that a tool that prints rates may miss on a busy host; judgement.
const PAUSE: i64 = 10;

impl Pieces<'_> {
    /// Where the time begins that a rate at `to` is of, which another tool printed, when `before`, the last of its series, is longer ago than usual.
    /// The tool works its rates out since it looked last, however long ago that was. A note in between says that it looked at nothing: the host
    /// was started, a file begins. Nor is anything known of a longer pause than [`PAUSE`] times usual: rows cut out of a report look like a tool
    /// that stood still.
    // Rare, and so no part of the loop over all points.
    #[inline(never)]
    fn since(&self, before: i64, to: i64) -> Option<i64> {
        if to.saturating_sub(before) > self.usual.saturating_mul(PAUSE) {
            return None;
        }
        let is_break =
            |mark: &Mark| matches!(mark.kind, MarkKind::Note { .. }) && (before + 1..=to).contains(&mark.stamp.boot_ns);
        (!self.recording.marks.iter().any(is_break)).then_some(before)
    }

    /// Gives the pieces that end up to a moment, and goes on to the one behind them.
    fn each_upto(&mut self, to: i64, mut give: impl FnMut(Piece)) {
        let (near, mut before) = (self.series.upto(self.next, to), self.before);
        // Most are of counters, and what is asked of others keeps that loop from being short.
        match self.series.column().kind {
            Kind::Counter => near.each(|point| {
                if let Some(piece) = before.replace(point).and_then(|before| self.rise(before, point)) {
                    give(piece);
                }
            }),
            _ => near.each(|point| {
                if let Some(piece) = self.piece(before.replace(point), point) {
                    give(piece);
                }
            }),
        }
        (self.next, self.before) = (self.next + near.len(), before);
    }

    /// Adds the rises of a counter up to a moment, where a point came before and all of them lie inside of what is summed. What is around each, as
    /// [`Self::each_upto`] looks at, does not matter: most of a day is summed here.
    fn add_rises_upto(&mut self, to: i64, sum: &mut Sum) {
        let Some(mut before) = self.before else { return };
        let near = self.series.upto(self.next, to);
        let (times, parts) = self.series.unit().fraction();
        let mut add = |(from, earlier): (i64, i64), (at, value): (i64, i64)| {
            if at > from {
                sum.add_rise(value.saturating_sub(earlier).max(0) as f64 * times / parts, at.saturating_sub(from));
            }
        };
        let mut points = near.points();
        if let Some(first) = points.next().filter(|first| before.1 <= first.1 && !near.falls()) {
            // What never falls rose by what its last value is above its first.
            let last = points.next_back().unwrap_or(first);
            add(std::mem::replace(&mut before, last), last);
        } else {
            near.each(|point| add(std::mem::replace(&mut before, point), point));
        }
        (self.next, self.before) = (self.next + near.len(), Some(before));
    }

    /// The earliest moment of which a point can tell: of counters nothing is known before the first sample.
    fn earliest(&self) -> i64 {
        match self.series.column().kind {
            Kind::Counter => self.recording.stamps().first().map_or(i64::MIN, |stamp| stamp.boot_ns),
            _ => i64::MIN,
        }
    }

    /// The next piece, if it is over exactly this time.
    fn next_over(&mut self, from: i64, to: i64) -> Option<Piece> {
        let (next, point) = self.series.next_point(self.next)?;
        let piece = self.piece(self.before, point).filter(|piece| (piece.from, piece.to) == (from, to))?;
        (self.next, self.before) = (next, Some(point));
        Some(piece)
    }

    /// The piece of the next point, if it has one.
    fn following(&self) -> Option<Piece> {
        let (_, point) = self.series.next_point(self.next)?;
        self.piece(self.before, point)
    }

    /// Where its first piece begins.
    fn begin(&self) -> Option<i64> {
        let mut before = self.before;
        let mut rest = self.series.upto(self.next, i64::MAX).points();
        rest.find_map(|point| Some(self.piece(before.replace(point), point)?.from))
    }

    /// The time that a point covers, whose series has another one before it; absent where nothing is known of it.
    fn piece(&self, before: Option<(i64, i64)>, point: (i64, i64)) -> Option<Piece> {
        match self.series.column().kind {
            Kind::Counter => self.rise(before?, point),
            kind => self.level(kind, before.map(|(at, _)| at), point),
        }
    }

    /// The same of a counter.
    #[inline]
    fn rise(&self, (from, earlier): (i64, i64), (to, value): (i64, i64)) -> Option<Piece> {
        let amount = self.series.unit().to_base(value.saturating_sub(earlier).max(0) as f64);
        let content = Content::Rise { amount, gap: self.gap(from, to) };
        (to > from).then_some(Piece { from, to, content })
    }

    /// The same of a gauge or a stored rate.
    fn level(&self, kind: Kind, before: Option<i64>, (to, value): (i64, i64)) -> Option<Piece> {
        let near = before.and_then(|at| match kind {
            _ if !self.gap(at, to) => Some(at),
            Kind::Rate => self.since(at, to),
            _ => None,
        });
        let value = if kind == Kind::Rate { value as f64 / RATE_SCALE as f64 } else { value as f64 };
        let weight = match &self.weight {
            None => 1.0,
            Some(weight) => weight_at(weight, to)?,
        };
        let from = near.unwrap_or(to.saturating_sub(self.usual));
        let content = Content::Level(self.series.unit().to_base(value) * weight);
        (to > from).then_some(Piece { from, to, content })
    }

    /// Whether samples are missing between two moments.
    fn gap(&self, from: i64, to: i64) -> bool {
        to.saturating_sub(from) > self.usual.saturating_mul(2)
    }
}

/// What the value at a moment is multiplied by, in base units.
// As rare.
#[inline(never)]
fn weight_at(weight: &Series<'_>, at: i64) -> Option<f64> {
    let rate = weight.last_within(at.saturating_sub(1), at)?;
    Some(weight.unit().to_base(rate as f64 / RATE_SCALE as f64))
}

/// Goes on to the pieces after `from` up to `to` and sums them, without the time in `falls`.
fn sum(pieces: &mut Pieces<'_>, (from, to): (i64, i64), falls: &[Fall<'_>]) -> Sum {
    let mut sum = Sum::default();
    if falls.is_empty() && pieces.series.column().kind == Kind::Counter {
        pieces.each_upto(from.min(to), |_| {});
        // The first piece inside may have begun before.
        let first = pieces.series.next_point(pieces.next).map_or(to, |(_, (at, _))| at.min(to));
        pieces.each_upto(first, |piece| sum.add_without(&piece, (from, to), falls));
        pieces.add_rises_upto(to, &mut sum);
    } else {
        pieces.each_upto(to, |piece| sum.add_without(&piece, (from, to), falls));
    }
    if let Some(piece) = pieces.following().filter(|piece| piece.from < to) {
        sum.add_without(&piece, (from, to), falls);
    }
    sum
}
