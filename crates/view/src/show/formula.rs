//! What a column is made of, and its values over one interval after the other.

use pagetide_core::{Kind, Recording, Series, Table};

/// A column's value over the interval between two rows.
#[derive(Debug)]
pub(super) enum Formula {
    /// The last value of a gauge within the interval.
    Gauge(&'static str),
    /// A counter's rate per second over the interval, or a stored rate as it is.
    Rate(&'static str),
    /// The sum of the rates that exist; absent when none does.
    Rates(&'static [&'static str]),
    /// The first without the second.
    Less(&'static Formula, &'static Formula),
    /// The part of the first in the second; absent when the second is zero.
    Share(&'static Formula, &'static Formula),
    /// So many times the first.
    Times(&'static Formula, f64),
    /// The first, or where it is absent the second.
    Or(&'static Formula, &'static Formula),
}

impl Formula {
    /// Adds the metrics that it reads.
    pub(super) fn metrics(&self, metrics: &mut Vec<&'static str>) {
        self.each(&mut |part| match part {
            Self::Gauge(metric) => metrics.push(metric),
            other => metrics.extend_from_slice(other.counted()),
        });
    }

    /// Adds the metrics whose rates it reads.
    pub(super) fn rates(&self, metrics: &mut Vec<&'static str>) {
        self.each(&mut |part| metrics.extend_from_slice(part.counted()));
    }

    /// The metrics whose rates it reads itself.
    fn counted(&self) -> &[&'static str] {
        match self {
            Self::Rate(metric) => std::slice::from_ref(metric),
            Self::Rates(metrics) => metrics,
            _ => &[],
        }
    }

    /// Calls `look` for it and all that it is made of.
    fn each(&self, look: &mut impl FnMut(&Self)) {
        look(self);
        match self {
            Self::Gauge(_) | Self::Rate(_) | Self::Rates(_) => {}
            Self::Times(of, _) => of.each(look),
            Self::Less(one, other) | Self::Share(one, other) | Self::Or(one, other) => {
                one.each(look);
                other.each(look);
            }
        }
    }

    /// The formula over the series of one entity; absent when it has no value in the whole recording.
    pub(super) fn of<'a>(&self, recording: &'a Recording, table: Table, entity: &str) -> Option<Values<'a>> {
        let of = |formula: &Self| formula.of(recording, table, entity).map(Box::new);
        let walk = |metric: &str| recording.series(table, entity, metric).map(Walk::new);
        match self {
            Self::Gauge(metric) => walk(metric).map(Values::Gauge),
            Self::Rate(metric) => walk(metric).map(|walk| Values::Rates(vec![walk])),
            Self::Rates(metrics) => {
                let walks: Vec<_> = metrics.iter().filter_map(|metric| walk(metric)).collect();
                (!walks.is_empty()).then_some(Values::Rates(walks))
            }
            Self::Less(one, other) => Some(Values::Less(of(one)?, of(other)?)),
            Self::Share(part, whole) => Some(Values::Share(of(part)?, of(whole)?)),
            Self::Times(one, times) => Some(Values::Times(of(one)?, *times)),
            Self::Or(one, other) => match (of(one), of(other)) {
                (Some(one), Some(other)) => Some(Values::Or(one, other)),
                (one, other) => one.or(other).map(|only| *only),
            },
        }
    }
}

/// A formula over the series of one entity. It goes forward only: each interval begins where the one before ended, or later.
pub(super) enum Values<'a> {
    Gauge(Walk<'a>),
    Rates(Vec<Walk<'a>>),
    Less(Box<Self>, Box<Self>),
    Share(Box<Self>, Box<Self>),
    Times(Box<Self>, f64),
    Or(Box<Self>, Box<Self>),
}

impl Values<'_> {
    /// The value over the interval after `from` up to `to`.
    pub(super) fn over(&mut self, from: i64, to: i64) -> Option<f64> {
        match self {
            Self::Gauge(walk) => walk.over(from, to).1.map(|value| value as f64),
            Self::Rates(walks) => {
                let rates = walks.iter_mut().filter_map(|walk| walk.rate(from, to));
                rates.fold(None, |sum, rate| Some(sum.unwrap_or(0.0) + rate))
            }
            // Both go forward, whether or not one of them is absent.
            Self::Less(one, other) => {
                let (one, other) = (one.over(from, to), other.over(from, to));
                Some(one? - other?)
            }
            Self::Share(part, whole) => {
                let (part, whole) = (part.over(from, to), whole.over(from, to));
                let (part, whole) = (part?, whole?);
                (whole > 0.0).then(|| part / whole)
            }
            Self::Times(one, times) => one.over(from, to).map(|value| value * *times),
            Self::Or(one, other) => {
                let (one, other) = (one.over(from, to), other.over(from, to));
                one.or(other)
            }
        }
    }
}

/// A series that is walked along once.
pub(super) struct Walk<'a> {
    kind: Kind,
    points: std::iter::Peekable<Box<dyn Iterator<Item = (i64, i64)> + 'a>>,
    /// The last value passed.
    last: Option<i64>,
}

impl<'a> Walk<'a> {
    fn new(series: Series<'a>) -> Self {
        let points: Box<dyn Iterator<Item = (i64, i64)>> = Box::new(series.points());
        Self { kind: series.column().kind, points: points.peekable(), last: None }
    }

    /// The last value at or before `from`, and the last one after it up to `to`.
    fn over(&mut self, from: i64, to: i64) -> (Option<i64>, Option<i64>) {
        let before = self.pass(from).or(self.last);
        let within = self.pass(to);
        self.last = within.or(before);
        (before, within)
    }

    /// The last value up to `upto` that was not passed yet.
    fn pass(&mut self, upto: i64) -> Option<i64> {
        let mut last = None;
        while let Some((_, value)) = self.points.next_if(|(at, _)| *at <= upto) {
            last = Some(value);
        }
        last
    }

    fn rate(&mut self, from: i64, to: i64) -> Option<f64> {
        let (before, within) = self.over(from, to);
        if self.kind == Kind::Rate {
            return within.map(|rate| rate as f64 / pagetide_core::metric::RATE_SCALE as f64);
        }
        let (before, after) = (before?, within?);
        // What fell began again, and nobody knows how far it had come.
        (after >= before).then(|| (after - before) as f64 / ((to - from) as f64 / 1e9))
    }
}
