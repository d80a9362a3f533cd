//! What is drawn on one time axis.

use crate::clock;
use crate::measure::Measure;

/// Intervals that a plot draws at most two times: about one per pixel of a page's width.
pub(super) const COLUMNS: usize = 900;

/// Plots on one time axis. All times are ns from the start of the axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timeline {
    /// The stretches of which the axis is made; more than one when long gaps were cut out.
    pub stretches: Vec<Stretch>,
    /// The zone of local times, such as `CET`.
    pub zone: String,
    /// Length of the axis.
    pub span_ns: i64,
    /// The steps, in order of their start.
    pub steps: Vec<Band>,
    /// The stages of the causal chain, the cause first.
    pub chain: Vec<Stage>,
    /// What happened at a moment.
    pub events: Vec<Event>,
    /// Stretches without samples that are drawn and not cut out.
    pub gaps: Vec<(i64, i64)>,
    /// The borders of the intervals over which rates are given.
    pub edges: Vec<i64>,
    /// Whether neighbouring intervals were merged to their smallest and largest value, because there are more than a
    /// screen can show.
    pub merged: bool,
    /// The plots, from the top.
    pub plots: Vec<Plot>,
    /// What is not plotted, and why; one sentence each.
    pub left_out: Vec<String>,
}

/// A stretch of the axis from which no time is cut out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Where it begins on the axis.
    pub from: i64,
    /// Where it ends.
    pub to: i64,
    /// The local time at its start, ns since 1970-01-01 of the host's clock; 0 when not known.
    pub start_local_ns: i64,
    /// Its start on the recording's axis, ns.
    pub start_ns: i64,
}

/// A step on the axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Band {
    /// The step's id.
    pub id: String,
    /// What it is.
    pub title: String,
    /// When it began.
    pub from: i64,
    /// When it ended, or the end of the axis.
    pub to: i64,
}

/// A stage of the causal chain on the axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// What happened.
    pub words: String,
    /// The stage it follows from; absent for the cause.
    pub after: Option<usize>,
    /// When it began.
    pub from: i64,
    /// When it ended.
    pub to: i64,
    /// The plot that shows it, by its id; absent where none does.
    pub plot: Option<&'static str>,
}

/// Something that happened at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: i64,
    /// What.
    pub text: String,
}

/// One plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// A short name, for ids.
    pub id: &'static str,
    /// The heading.
    pub title: String,
    /// Where the numbers come from.
    pub source: String,
    /// What the numbers are.
    pub measure: Measure,
    /// The numbers.
    pub shape: Shape,
}

/// The numbers of a plot.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Amounts that lie on each other.
    Stacked(Points),
    /// Rates over the intervals of [`Timeline::edges`].
    Rates {
        /// Whether the axis is logarithmic.
        log: bool,
        /// The lines.
        lines: Vec<Line>,
        /// Means over whole steps, from another source than the samples.
        levels: Option<Levels>,
    },
}

/// Amounts at moments.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Points {
    /// The moments.
    pub at: Vec<i64>,
    /// The layers, from the bottom.
    pub layers: Vec<Layer>,
}

/// One layer of a stack.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// What it is.
    pub name: String,
    /// Its colour, as a class of the page's style.
    pub hue: &'static str,
    /// Its amount at each moment; absent where nothing was sampled.
    pub values: Vec<Option<f64>>,
}

/// The smallest, the mean and the largest rate in an interval; all the same unless intervals were merged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The smallest.
    pub low: f64,
    /// The mean over time.
    pub mean: f64,
    /// The largest.
    pub high: f64,
}

/// One line of rates.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What it is.
    pub name: String,
    /// Its colour, as a class of the page's style.
    pub hue: &'static str,
    /// Its rate in each interval; absent where nothing was sampled.
    pub values: Vec<Option<Spread>>,
}

/// One value per step.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// What they are.
    pub name: String,
    /// From, to and value.
    pub spans: Vec<(i64, i64, f64)>,
}

impl Timeline {
    /// The local time at a moment of the axis.
    pub(crate) fn local_ns(&self, at: i64) -> i64 {
        let stretch = self.stretches.iter().rfind(|stretch| stretch.from <= at).or(self.stretches.first());
        stretch.map_or(0, |stretch| stretch.start_local_ns.saturating_add(at.saturating_sub(stretch.from)))
    }

    /// That time was cut out, and what is left, in one sentence.
    pub(crate) fn cuts(&self) -> Option<String> {
        let stretch = |stretch: &Stretch| {
            let from = stretch.start_local_ns;
            clock::range(from, from.saturating_add(stretch.to.saturating_sub(stretch.from)), &self.zone)
        };
        let stretches: Vec<String> = self.stretches.iter().map(stretch).collect();
        (stretches.len() > 1)
            .then(|| format!("The axis leaves out time without samples and shows {}.", stretches.join("; ")))
    }
}

impl Spread {
    /// One rate.
    pub const fn of(rate: f64) -> Self {
        Self { low: rate, mean: rate, high: rate }
    }
}

impl Line {
    /// The largest rate.
    pub fn peak(&self) -> Option<f64> {
        self.values.iter().flatten().map(|spread| spread.high).reduce(f64::max)
    }

    pub(super) fn moved(&self) -> bool {
        self.peak().is_some_and(|peak| peak > 0.0)
    }
}

impl Layer {
    /// The largest amount.
    pub fn peak(&self) -> Option<f64> {
        self.values.iter().flatten().copied().reduce(f64::max)
    }
}
