//! Series as rates over time, and the stretches in which they are far above their baseline.
//!
//! A counter gives its difference over the time between two samples; a stored rate (an average that another tool printed) is
//! used as it is, over its own interval. No threshold is fixed: each series gives its own baseline.

use crate::measure::amount::{Amount, Count};
use pagetide_core::derived::{self, Derived, Interval};
use pagetide_core::{Kind, Moment, Nanos, Recording, Span, Table};

use std::sync::{Arc, OnceLock};

/// A rate per second over time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Signal {
    /// From where to where each value is of.
    times: Times,
    values: Vec<f64>,
    /// Its lower quartile, and how far quiet values lie from it, once somebody asked.
    quiet: OnceLock<Option<(f64, f64)>>,
}

/// Intervals in order of time. Those of metrics of one table are the same, and of a day three quarters of a signal.
pub(crate) type Times = Arc<[(i64, i64)]>;

/// The times of signals that were seen, each once.
#[derive(Debug, Default)]
pub(crate) struct KnownTimes(Vec<Times>);

impl KnownTimes {
    /// The times of an earlier signal, if these are the same.
    pub(crate) fn same(&mut self, times: Times) -> Times {
        if let Some(known) = self.0.iter().find(|known| **known == times) {
            return Arc::clone(known);
        }
        self.0.push(Arc::clone(&times));
        times
    }
}

/// A rate over one interval, in the metric's unit per second.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Point {
    from: i64,
    to: i64,
    value: f64,
}

/// Which way a gauge moves.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Slope {
    Growth,
    Fall,
}

impl Point {
    fn length(&self) -> i64 {
        self.to.saturating_sub(self.from)
    }
}

impl Signal {
    /// The sum of the rates of those metrics that exist; absent when none has two samples.
    pub(crate) fn rate(recording: &Recording, table: Table, entity: &str, metrics: &[&str]) -> Option<Self> {
        Self::rate_within(recording, table, entity, metrics, Span::ALL)
    }

    /// The same, of the part of the recording that bears on a stretch.
    pub(crate) fn rate_within(
        recording: &Recording,
        table: Table,
        entity: &str,
        metrics: &[&str],
        span: Span,
    ) -> Option<Self> {
        Self::rate_of_each(recording, table, metrics.iter().map(|metric| (entity, *metric)), span)
    }

    /// The same of pairs of an entity and a metric.
    pub(crate) fn rate_of_each<'a>(
        recording: &Recording,
        table: Table,
        pairs: impl Iterator<Item = (&'a str, &'a str)>,
        span: Span,
    ) -> Option<Self> {
        let mut points: Vec<Point> = Vec::new();
        for series in pairs.filter_map(|(entity, metric)| recording.series(table, entity, metric)) {
            let rates = series.around(span.from.ns(), span.to.ns()).rates().into_iter();
            let rates = rates.map(|(from, to, value)| Point { from, to, value });
            points = if points.is_empty() { rates.collect() } else { sum(points, rates) };
        }
        Self::of(points)
    }

    fn of(points: Vec<Point>) -> Option<Self> {
        let times = points.iter().map(|point| (point.from, point.to)).collect();
        let values = points.iter().map(|point| point.value).collect();
        (!points.is_empty()).then_some(Self { times, values, quiet: OnceLock::new() })
    }

    /// The same in less memory: with those times of an earlier signal that `same` finds.
    pub(crate) fn sharing(self, same: impl FnOnce(Times) -> Times) -> Self {
        Self { times: same(self.times), ..self }
    }

    /// The same at the same times with other values: each by its place and what it was.
    pub(crate) fn mapped(&self, value: impl Fn(usize, f64) -> f64) -> Self {
        let values = self.values.iter().enumerate().map(|(at, was)| value(at, *was)).collect();
        Self { times: self.times.clone(), values, quiet: OnceLock::new() }
    }

    /// The points from `first` on.
    fn points_from(&self, first: usize) -> impl DoubleEndedIterator<Item = Point> + ExactSizeIterator {
        let points = self.times[first..].iter().zip(&self.values[first..]);
        points.map(|((from, to), value)| Point { from: *from, to: *to, value: *value })
    }

    fn points(&self) -> impl DoubleEndedIterator<Item = Point> + ExactSizeIterator {
        self.points_from(0)
    }

    /// A derived metric over time; absent when its members were not recorded.
    pub(crate) fn derived(
        recording: &Recording,
        table: Table,
        entity: &str,
        derived: &'static Derived,
    ) -> Option<Self> {
        let intervals = derived.intervals(recording, table, entity).into_iter();
        Self::of(intervals.map(|Interval { from, to, value }| Point { from, to, value }).collect())
    }

    /// The time of a request at a disk with its queue, ns, over time, without intervals with fewer than two requests.
    pub(crate) fn disk_await(recording: &Recording, disk: &str) -> Option<Self> {
        let time = Self::derived(recording, Table::Disk, disk, &derived::AWAIT)?;
        let Some(requests) = Self::derived(recording, Table::Disk, disk, &derived::TPS) else { return Some(time) };
        let mut requests = requests.points().peekable();
        let many = |point: &Point| {
            while requests.next_if(|one| one.to < point.to).is_some() {}
            let same = requests.peek().filter(|one| one.to == point.to);
            same.is_none_or(|one| one.value * point.length() as f64 >= 2e9)
        };
        Self::of(time.points().filter(many).collect())
    }

    /// How fast a gauge falls or grows; negative where it does the opposite, which shows how much it moves anyway.
    pub(crate) fn slope(recording: &Recording, table: Table, entity: &str, metric: &str, slope: Slope) -> Option<Self> {
        let sign = match slope {
            Slope::Growth => 1.0,
            Slope::Fall => -1.0,
        };
        let series = recording.series(table, entity, metric).filter(|series| series.column().kind == Kind::Gauge)?;
        let mut points = Vec::with_capacity(recording.stamps().len());
        let mut last = None;
        points.extend(series.points().filter_map(|(to, after)| {
            let (from, before): (i64, i64) = last.replace((to, after))?;
            let seconds = to.checked_sub(from).filter(|time| *time > 0)? as f64 / 1e9;
            Some(Point { from, to, value: sign * (after as f64 - before as f64) / seconds })
        }));
        Self::of(points)
    }

    /// The intervals that overlap a stretch.
    fn within(&self, span: Span) -> impl DoubleEndedIterator<Item = Point> {
        let start = self.ended_by(span.from);
        let count = self.times[start..].partition_point(|(from, _)| *from < span.to.ns());
        self.points_from(start).take(count)
    }

    /// How many intervals end up to a moment.
    fn ended_by(&self, at: Moment) -> usize {
        self.times.partition_point(|(_, to)| *to <= at.ns())
    }

    /// Each interval with the rate in it.
    pub(crate) fn intervals(&self) -> impl Iterator<Item = (Span, f64)> {
        self.points().map(|point| (Span::new(point.from, point.to), point.value))
    }

    /// The intervals that a stretch touches, and their values.
    pub(crate) fn intervals_in(&self, stretch: Span) -> impl Iterator<Item = (Span, f64)> + '_ {
        self.intervals().filter(move |(interval, _)| interval.overlaps(stretch))
    }

    /// The mean over a stretch, each interval by the part of it that lies inside; absent when none does. The caller names the unit
    /// of the metric.
    pub(crate) fn mean<M>(&self, span: Span) -> Option<Amount<M>> {
        let (from, to) = (span.from.ns(), span.to.ns());
        let (mut sum, mut time) = (0.0, 0.0);
        for point in self.within(span) {
            let inside = point.to.min(to).saturating_sub(point.from.max(from)).max(0) as f64;
            sum += point.value * inside;
            time += inside;
        }
        (time > 0.0).then(|| Amount::new(sum / time))
    }

    /// For each interval, what came together from `from` up to its end: rate times time, and the time. For [`Self::mean_until`].
    pub(crate) fn sums(&self, from: Moment) -> Vec<(f64, f64)> {
        let mut all = (0.0, 0.0);
        let next = |point: Point| {
            let inside = point.to.saturating_sub(point.from.max(from.ns())).max(0) as f64;
            all = (all.0 + point.value * inside, all.1 + inside);
            all
        };
        self.points().map(next).collect()
    }

    /// The mean from where `sums` begin up to a moment, which may be a day: [`Self::mean`] would read all of it.
    pub(crate) fn mean_until<M>(&self, sums: &[(f64, f64)], to: Moment) -> Option<Amount<M>> {
        let ended = self.ended_by(to);
        let (mut sum, mut time) = ended.checked_sub(1).and_then(|last| sums.get(last)).copied().unwrap_or((0.0, 0.0));
        for point in self.points_from(ended).take_while(|point| point.from < to.ns()) {
            let inside = to.ns().saturating_sub(point.from) as f64;
            sum += point.value * inside;
            time += inside;
        }
        (time > 0.0).then(|| Amount::new(sum / time))
    }

    /// The stretches in which the signal is far above what it is in the rest of the recording, in order of time.
    ///
    /// The values, as logarithms, are split in two where that explains most of their variance (Otsu's method). It counts
    /// only if the median of the upper part is at least four times that of the lower one and six of its median deviations above, and
    /// if it explains four fifths of the variance. Else it is what stands far out of all values, if that is rare.
    /// An episode begins where the signal leaves the noise of the lower part, which is before it reaches the upper one.
    pub(crate) fn episodes(&self) -> Vec<Span> {
        let Some(level) = level(&self.values) else { return Vec::new() };
        // A level held most of the time, and from the start for longer than the pause after it, is the baseline: the rest is a dip.
        let high = |value: &&f64| **value >= level.upper;
        let lead = self.values.iter().take_while(high).count();
        let pause = self.values[lead..].iter().take_while(|value| !high(value)).count();
        if self.values.iter().filter(high).count() * 2 > self.values.len() && lead > pause {
            return Vec::new();
        }
        let mut episodes: Vec<Span> = Vec::new();
        let mut free = 0;
        for (index, point) in self.points().enumerate().filter(|(_, point)| point.value >= level.upper) {
            match episodes.last_mut() {
                // One quiet interval does not end an episode.
                Some(last) if point.from.saturating_sub(last.to.ns()) <= point.length() => {
                    last.to = Moment::new(point.to)
                }
                _ => {
                    let rise = self.values[free..index].iter().rev().take_while(|value| **value > level.noise);
                    let (from, _) = self.times[index - rise.count()];
                    episodes.push(Span::new(from, point.to));
                }
            }
            free = index + 1;
        }
        episodes
    }

    /// The stretches in which the signal stays at or above a value, in order of time; one lower interval does not end a stretch.
    pub(crate) fn held<M>(&self, least: Amount<M>) -> Vec<Span> {
        let mut held: Vec<Span> = Vec::new();
        for point in self.points().filter(|point| point.value >= least.get()) {
            match held.last_mut() {
                Some(last) if point.from.saturating_sub(last.to.ns()) <= point.length() => {
                    last.to = Moment::new(point.to)
                }
                _ => held.push(Span::new(point.from, point.to)),
            }
        }
        held
    }

    /// From the first to the last interval of a stretch in which it is above 0; absent when it is nowhere.
    pub(crate) fn above_zero(&self, within: Span) -> Option<Span> {
        let above = self.within(within).filter(|point| point.value > 0.0);
        let mut above = above.map(|point| Span::new(point.from, point.to));
        let first = above.next()?;
        Some(above.next_back().map_or(first, |last| first.union(last)))
    }

    /// Where its last interval ends.
    pub(crate) fn last(&self) -> Option<Moment> {
        self.times.last().map(|(_, to)| Moment::new(*to))
    }

    /// Where its first interval begins.
    pub(crate) fn first(&self) -> Option<Moment> {
        self.times.first().map(|(from, _)| Moment::new(*from))
    }

    /// Its lower quartile: an incident may last for more than half of a recording.
    pub(crate) fn baseline<M>(&self) -> Option<Amount<M>> {
        self.quiet().map(|(baseline, _)| Amount::new(baseline))
    }

    /// The baseline, and how far quiet values lie from it: three median deviations of the lower half.
    fn quiet(&self) -> Option<(f64, f64)> {
        *self.quiet.get_or_init(|| {
            let mut values = self.values.clone();
            let (quarter, half) = (values.len() / 4, values.len() / 2);
            if values.is_empty() {
                return None;
            }
            let baseline = *values.select_nth_unstable_by(quarter, f64::total_cmp).1;
            let (lower, _, _) = values.select_nth_unstable_by(half, f64::total_cmp);
            Some((baseline, deviation(lower, baseline).map_or(0.0, |deviation| 3.0 * deviation)))
        })
    }

    /// A stretch with what leads to it: back over all intervals in which the signal lies at least a tenth of the way from its baseline to
    /// its mean in the stretch, above the noise of the baseline, and over pauses of at most `slack` or of the length of what follows. What appears after the first moment
    /// of a recording was 0 before.
    pub(crate) fn back_from(&self, stretch: Span, first: Moment, slack: Nanos) -> Span {
        let Some(mean) = self.mean::<Count>(stretch).map(Amount::get) else { return stretch };
        let there = self.first().is_some_and(|begun| begun <= first);
        // A service that always writes writes a little more in half of all seconds. A program that started has no quiet values.
        let (usual, noise) = self.quiet().filter(|_| there).unwrap_or_default();
        let before = self.times.partition_point(|(from, _)| *from < stretch.from.ns());
        let mut begun = stretch;
        let risen = usual + noise.min((mean - usual) * 0.5).max((mean - usual) * 0.1);
        for point in self.points().take(before).rev().filter(|point| point.value > risen) {
            if begun.from.since(Moment::new(point.to)) > slack.max(Nanos::new(begun.length().get() / 4)) {
                break;
            }
            begun.from = begun.from.min(Moment::new(point.from));
        }
        begun
    }

    /// The episodes, each with what comes together in it: rate times time, in any unit.
    pub(crate) fn weighed(&self) -> Vec<Weighed> {
        let amount = |span: Span| self.within(span).map(|point| point.value.max(0.0) * point.length() as f64).sum();
        self.episodes().into_iter().map(|episode| (episode, amount(episode))).collect()
    }

    /// The length of the interval that ends at or after a moment: how exactly that moment is known.
    pub(crate) fn resolution(&self, at: Moment) -> Nanos {
        let next = self.ended_by(at).min(self.times.len().saturating_sub(1));
        self.times.get(next).map_or(Nanos::new(0), |(from, to)| Nanos::new(to.saturating_sub(*from).unsigned_abs()))
    }

    /// The median over a stretch, and the median deviation from it; absent with fewer than ten intervals, or five
    /// of two to ten seconds: over longer ones the mean hides how much a value varies.
    pub(crate) fn middle<M>(&self, span: Span) -> Option<(Amount<M>, Amount<M>)> {
        let mut values: Vec<f64> = self.within(span).map(|point| point.value).collect();
        let each = span.length().get() / (values.len() as u64).max(1);
        let enough = values.len() >= 10 || values.len() >= 5 && (2_000_000_000..=10_000_000_000).contains(&each);
        // Of a day before a stretch, with several stretches: the middle needs no order of the others.
        let half = values.len() / 2;
        let middle = (enough && half < values.len()).then(|| *values.select_nth_unstable_by(half, f64::total_cmp).1)?;
        Some((Amount::new(middle), Amount::new(deviation(&values, middle)?)))
    }

    /// The largest rate of an interval that overlaps a stretch.
    pub(crate) fn most<M>(&self, span: Span) -> Option<Amount<M>> {
        self.within(span).map(|point| point.value).reduce(f64::max).map(Amount::new)
    }
}

/// An episode, and the sum of rate times time in it.
pub(crate) type Weighed = (Span, f64);

/// From the first to the last episode that overlaps a stretch. Of those at either end, the ones that together carry less than
/// a fiftieth of the sum are left out: a ripple some time before the flood is not its beginning.
pub(crate) fn merged_span(episodes: &[Weighed], within: Span) -> Option<Span> {
    let inside: Vec<Weighed> = episodes.iter().copied().filter(|(episode, _)| episode.overlaps(within)).collect();
    let little = inside.iter().map(|(_, amount)| amount).sum::<f64>() * 0.02;
    let matters = |sum: &mut f64, (_, amount): &Weighed| {
        *sum += amount;
        Some(*sum > little)
    };
    let first = inside.iter().scan(0.0, matters).position(|matters| matters)?;
    let last = inside.iter().rev().scan(0.0, matters).position(|matters| matters)?;
    Some(inside[first].0.union(inside[inside.len() - 1 - last].0))
}

/// The sum of two series of points in order of time: those that end at the same moment are added.
fn sum(one: Vec<Point>, other: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut all = Vec::with_capacity(one.len());
    let mut one = one.into_iter().peekable();
    for point in other {
        while let Some(before) = one.next_if(|known| known.to < point.to) {
            all.push(before);
        }
        match one.next_if(|known| known.to == point.to) {
            Some(same) => all.push(Point { value: same.value + point.value, ..same }),
            None => all.push(point),
        }
    }
    all.extend(one);
    all
}

/// What separates high values from the baseline.
struct Level {
    /// The smallest high value.
    upper: f64,
    /// The largest that may be noise of the baseline: its median and six of its median deviations, and a tenth of the way
    /// up to the median of the high values, so that a baseline of nothing has some width too.
    noise: f64,
}

/// Two clear classes of sizes if there are, else what stands out of one.
fn level(values: &[f64]) -> Option<Level> {
    let sizes = || values.iter().map(|value| value.abs()).filter(|value| value.is_finite());
    let (least, most) = sizes().fold((f64::INFINITY, 0.0), |(least, most), size| (size.min(least), size.max(most)));
    // High values are at least four times the lower ones, by either measure: most signals of a quiet host need no order.
    if most <= 0.0 || most < 4.0 * least {
        return None;
    }
    // The bits of numbers that are not negative are in their order.
    let mut bits: Vec<u64> = sizes().map(f64::to_bits).collect();
    bits.sort_unstable();
    let sorted: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
    classes(&sorted).or_else(|| outliers(&sorted))
}

/// Two classes: values that split in two far apart, where the split explains more of their variance than one of evenly spread
/// values would (three quarters, whatever their range).
fn classes(sorted: &[f64]) -> Option<Level> {
    // What is below a thousandth of the largest is nothing beside it, whatever the unit.
    let most = sorted.last().copied().filter(|most| *most > 0.0)?;
    // Sorted counts repeat, and a logarithm takes long.
    let mut last = (0.0, 0.0);
    let log = |value: &f64| {
        if *value > last.0 {
            last = (*value, (value / most * 1e3).ln_1p());
        }
        last.1
    };
    let logs: Vec<f64> = sorted.iter().map(log).collect();
    let total: f64 = logs.iter().sum();
    let count = logs.len() as f64;
    let (mut best, mut split, mut below) = (0.0, 0, 0.0);
    for (at, log) in logs.iter().enumerate().skip(1) {
        below += logs[at - 1];
        let (low, high) = (at as f64, count - at as f64);
        let between = low * high * (below / low - (total - below) / high).powi(2);
        if between > best && *log > logs[at - 1] {
            (best, split) = (between, at);
        }
    }
    let mean = total / count;
    let variance: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() * count;
    let (quiet, busy) = sorted.split_at(split);
    let (baseline, high) = (median(quiet)?, median(busy)?);
    let spread = 6.0 * deviation(quiet, baseline)?;
    let far = high >= 4.0 * baseline + spread && high > 0.0 && best >= variance * 0.8;
    far.then(|| Level { upper: busy[0], noise: baseline + spread.max((high - baseline) * 0.1) })
}

/// A few values that stand far out of all: at most a quarter of them, four times the median and ten median deviations above it.
fn outliers(sorted: &[f64]) -> Option<Level> {
    let baseline = median(sorted)?;
    let spread = deviation(sorted, baseline)?;
    let upper = (baseline * 4.0).max(baseline + 10.0 * spread).max(sorted.last()? * 0.01);
    let many = sorted.len() - sorted.partition_point(|value| *value < upper);
    let few = many > 0 && many * 4 <= sorted.len() && upper > 0.0;
    few.then(|| Level { upper, noise: baseline + (6.0 * spread).max((upper - baseline) * 0.1) })
}

/// The median distance of values from their median.
fn deviation(values: &[f64], median_of_them: f64) -> Option<f64> {
    // The bits of numbers that are not negative are in their order.
    let mut deviations: Vec<u64> = values.iter().map(|value| (value - median_of_them).abs().to_bits()).collect();
    let middle = deviations.len() / 2;
    (middle < deviations.len()).then(|| f64::from_bits(*deviations.select_nth_unstable(middle).1))
}

/// The middle of sorted values.
fn median(sorted: &[f64]) -> Option<f64> {
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(values: &[f64]) -> Signal {
        let points = (0i64..).zip(values).map(|(at, value)| Point { from: at, to: at + 1, value: *value });
        Signal::of(points.collect()).unwrap_or_default()
    }

    fn spans(ends: &[(i64, i64)]) -> Vec<Span> {
        ends.iter().map(|(from, to)| Span::new(*from, *to)).collect()
    }

    #[test]
    fn what_is_far_above_the_rest_is_an_episode() {
        assert_eq!(signal(&[1.0, 2.0, 1.0, 900.0, 950.0, 20.0, 890.0, 2.0, 1.0]).episodes(), spans(&[(3, 7)]));
        assert_eq!(signal(&[5.0, 700.0, 5.0, 5.0, 5.0, 650.0]).episodes(), spans(&[(1, 2), (5, 6)]));
        assert_eq!(signal(&[100.0, 110.0, 95.0, 130.0, 105.0]).episodes(), spans(&[]), "noise is no episode");
        assert_eq!(signal(&[7.0; 9]).episodes(), spans(&[]), "what is always so is usual");
        assert_eq!(
            signal(&[90.0, 91.0, 90.0, 92.0, 1.0, 1.0, 90.0]).episodes(),
            spans(&[]),
            "a dip leaves the rest usual"
        );
        let started = [3.0, 0.0, 0.0, 0.0, 90.0, 91.0, 90.0, 92.0, 91.0, 90.0];
        assert_eq!(
            signal(&started).episodes().last(),
            Some(&Span::new(4, 10)),
            "a ripple at the start does not make it usual"
        );
        let even: Vec<f64> = (0..400).map(|at| f64::from(at * 37 % 400) / 10.0).collect();
        assert_eq!(signal(&even).episodes(), spans(&[]), "nor is what is spread evenly");
        let mut short = even;
        short[200..203].fill(4000.0);
        assert_eq!(signal(&short).episodes(), spans(&[(200, 203)]), "a short one in a long recording");
        let noise = [30.0, -45.0, 12.0, -25.0, 50.0, -8.0, 22.0, -40.0, 35.0, -31.0];
        assert_eq!(signal(&noise).episodes(), spans(&[]), "nor is what goes to and fro");
        assert_eq!(signal(&[7.0]).episodes(), spans(&[]));
        assert_eq!(signal(&[]).episodes(), spans(&[]));
    }

    #[test]
    fn a_ripple_is_not_the_beginning_of_a_flood() {
        let ripple = signal(&[30.0, 0.0, 0.0, 0.0, 0.0, 900.0, 950.0, 20.0, 890.0, 0.0, 0.0, 25.0]);
        assert_eq!(ripple.episodes(), spans(&[(0, 1), (5, 9), (11, 12)]));
        assert_eq!(merged_span(&ripple.weighed(), Span::new(0, 12)), Some(Span::new(5, 9)));
        assert_eq!(
            merged_span(&ripple.weighed(), Span::new(0, 2)),
            Some(Span::new(0, 1)),
            "where it is all there is, it counts"
        );
        assert_eq!(merged_span(&ripple.weighed(), Span::new(2, 4)), None);
    }

    #[test]
    fn series_of_different_moments_are_summed() {
        let points = |all: &[(i64, f64)]| -> Vec<Point> {
            all.iter().map(|(to, value)| Point { from: to - 1, to: *to, value: *value }).collect()
        };
        let both = sum(points(&[(1, 1.0), (3, 2.0), (4, 3.0)]), points(&[(2, 10.0), (3, 20.0), (6, 30.0)]).into_iter());
        assert_eq!(both, points(&[(1, 1.0), (2, 10.0), (3, 22.0), (4, 3.0), (6, 30.0)]));
    }

    #[test]
    fn a_mean_counts_intervals_by_what_lies_inside() {
        let signal = signal(&[10.0, 20.0, 30.0]);
        let mean = |from, to| signal.mean::<Count>(Span::new(from, to)).map(Amount::get);
        assert_eq!(mean(0, 3), Some(20.0));
        assert_eq!(mean(1, 3), Some(25.0));
        assert_eq!(mean(5, 9), None);
        let sums = signal.sums(Moment::new(0));
        for to in 0..5 {
            let until = signal.mean_until::<Count>(&sums, Moment::new(to)).map(Amount::get);
            assert_eq!(until, mean(0, to), "up to {to}");
        }
    }
}
