//! The intervals between samples, and rates spread over them.

use super::drawing::{COLUMNS, Line, Plot, Shape, Spread};
use super::stretches::Stretches;
use pagetide_core::{Gap, Recording, Series};

/// The intervals between neighbouring samples. Samples that are nearer to each other than a hundredth of a second (or a
/// twentieth of the interval asked for) count as one: the rate between them would be one request over next to no time.
#[derive(Debug)]
pub(super) struct Slots {
    edges: Vec<i64>,
    gaps: Vec<Gap>,
}

/// What fell into each interval: the amount, and for how long it was watched.
#[derive(Debug)]
pub(super) struct Filled<'a> {
    slots: &'a Slots,
    amounts: Vec<(f64, f64)>,
}

impl Slots {
    pub(super) fn new(stamps: &[i64], gaps: Vec<Gap>, recording: &Recording) -> Self {
        let asked = i64::try_from(recording.manifest.interval.get() / 20).unwrap_or(i64::MAX);
        let least = asked.min(10_000_000);
        let mut edges: Vec<i64> = Vec::with_capacity(stamps.len());
        for stamp in stamps {
            if edges.last().is_none_or(|last| stamp.saturating_sub(*last) >= least) {
                edges.push(*stamp);
            }
        }
        Self { edges, gaps }
    }

    pub(super) fn edges(&self) -> &[i64] {
        &self.edges
    }

    pub(super) fn fill(&self) -> Filled<'_> {
        Filled { slots: self, amounts: vec![(0.0, 0.0); self.edges.len().saturating_sub(1)] }
    }

    /// Merges intervals that are too narrow to draw into one with the smallest and the largest rate, in every plot, and
    /// gives the borders of what is left, as they stand on the axis.
    pub(super) fn merge(&self, plots: &mut [Plot], axis: &Stretches) -> Vec<i64> {
        let edges: Vec<i64> = self.edges.iter().map(|edge| axis.place(*edge)).collect();
        let count = edges.len().saturating_sub(1);
        if count <= 2 * COLUMNS {
            return edges;
        }
        let (first, last) = (edges[0], edges[count]);
        let width = (last.saturating_sub(first) / i64::try_from(COLUMNS).unwrap_or(1)).max(1);
        let wide = |slot: usize| edges[slot + 1].saturating_sub(edges[slot]) > width;
        let column = |slot: usize| edges[slot].saturating_sub(first) / width;
        // An interval that is wider than a column stands alone: it is a gap, or the samples are that far apart.
        let begins = |slot: &usize| *slot == 0 || column(*slot) != column(slot - 1) || wide(*slot) || wide(slot - 1);
        let starts: Vec<usize> = (0..count).filter(begins).collect();
        let ends = || starts.iter().skip(1).copied().chain([count]);
        for plot in plots {
            let Shape::Rates { lines, .. } = &mut plot.shape else { continue };
            for Line { values, .. } in lines {
                let one = |start: usize, end: usize| {
                    let lengths = edges[start..=end].windows(2).map(|pair| pair[1].saturating_sub(pair[0]) as f64);
                    union(&values[start..end], lengths)
                };
                *values = starts.iter().zip(ends()).map(|(start, end)| one(*start, end)).collect();
            }
        }
        starts.iter().map(|slot| edges[*slot]).chain([last]).collect()
    }
}

/// One spread for several intervals; `lengths` are their lengths, for the mean.
fn union(values: &[Option<Spread>], lengths: impl Iterator<Item = f64>) -> Option<Spread> {
    let mut present = values.iter().zip(lengths).filter_map(|(value, length)| Some(((*value)?, length)));
    let (first, length) = present.next()?;
    let (mut all, mut sum, mut time) = (first, first.mean * length, length);
    for (value, length) in present {
        (all.low, all.high) = (all.low.min(value.low), all.high.max(value.high));
        (sum, time) = (sum + value.mean * length, time + length);
    }
    all.mean = sum / time;
    Some(all)
}

impl Filled<'_> {
    pub(super) fn add(&mut self, series: &Series<'_>) {
        let (_, base) = series.unit().base();
        for (from, to, rate) in series.rates() {
            self.spread(from, to, rate * base);
        }
    }

    /// Spreads a rate from `from` to `to` over the intervals that it touches.
    pub(super) fn spread(&mut self, from: i64, to: i64, rate: f64) {
        let edges = &self.slots.edges;
        let first = edges.partition_point(|edge| *edge <= from).saturating_sub(1);
        for (slot, amount) in self.amounts.iter_mut().enumerate().skip(first) {
            let (start, end) = (edges[slot], edges[slot + 1]);
            if start >= to {
                break;
            }
            let overlap = end.min(to).saturating_sub(start.max(from));
            if overlap > 0 {
                let seconds = overlap as f64 / 1e9;
                amount.0 += rate * seconds;
                amount.1 += seconds;
            }
        }
    }

    /// The rate over the time that was watched: for one thing that was there all the time.
    pub(super) fn watched(&self) -> Vec<Option<Spread>> {
        self.rates(|_, watched| watched)
    }

    /// The rate over the whole interval: for things that come and go, such as processes.
    pub(super) fn whole(&self) -> Vec<Option<Spread>> {
        self.rates(|length, _| length)
    }

    fn rates(&self, over: impl Fn(f64, f64) -> f64) -> Vec<Option<Spread>> {
        let edges = &self.slots.edges;
        let rate = |(slot, (amount, watched)): (usize, &(f64, f64))| {
            let (start, end) = (edges[slot], edges[slot + 1]);
            let blind = self.slots.gaps.iter().any(|gap| gap.from_ns <= start && end <= gap.to_ns);
            if *watched <= 0.0 || blind {
                return None;
            }
            Some(Spread::of(amount / over(end.saturating_sub(start) as f64 / 1e9, *watched)))
        };
        self.amounts.iter().enumerate().map(rate).collect()
    }
}
