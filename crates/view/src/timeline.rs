//! Everything that has a time: plots of a recording on one axis, with the steps, the events and the gaps.

use crate::axis::Measure;
use pagetide_core::{MarkKind, Recording, RunResult};

mod memory;
mod rates;
mod slots;

/// Intervals that a plot draws at most two times: about one per pixel of a page's width.
const COLUMNS: usize = 900;

/// Plots on one time axis. All times are ns from the start of the axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timeline {
    /// Start of the axis, ns since 1970-01-01 UTC; 0 when not known.
    pub start_wall_ns: i64,
    /// Length of the axis.
    pub span_ns: i64,
    /// The steps, in order of their start.
    pub steps: Vec<Band>,
    /// What happened at a moment.
    pub events: Vec<Event>,
    /// Stretches without samples.
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

    fn moved(&self) -> bool {
        self.peak().is_some_and(|peak| peak > 0.0)
    }
}

impl Layer {
    /// The largest amount.
    pub fn peak(&self) -> Option<f64> {
        self.values.iter().flatten().copied().reduce(f64::max)
    }
}

/// The timeline of a recording; of a run with its steps. Absent when nothing was recorded.
pub(crate) fn timeline(recording: &Recording, run: Option<&RunResult>) -> Option<Timeline> {
    let bands = bands(recording, run);
    let (mut from, mut to) = recording.span().or_else(|| bands.first().map(|band| (band.from, band.to)))?;
    for band in &bands {
        from = from.min(band.from);
        to = to.max(band.to);
    }
    let mut stamps: Vec<i64> = recording.stamps().iter().map(|stamp| stamp.boot_ns).collect();
    stamps.sort_unstable();
    stamps.dedup();
    let moment = |at: i64| at.saturating_sub(from);

    let slots = slots::Slots::new(&stamps, recording);
    let mut plots = Vec::new();
    let mut left_out = Vec::new();
    match memory::plot(recording, &stamps) {
        Some(plot) => plots.push(plot),
        None => left_out.push("Memory is not plotted: the recording has no memory figures.".to_owned()),
    }
    rates::plots(recording, run, &slots, &mut plots, &mut left_out);
    let edges = slots.merge(&mut plots);
    for plot in &mut plots {
        match &mut plot.shape {
            Shape::Stacked(points) => points.at.iter_mut().for_each(|at| *at = moment(*at)),
            Shape::Rates { levels, .. } => {
                for span in levels.iter_mut().flat_map(|levels| &mut levels.spans) {
                    (span.0, span.1) = (moment(span.0), moment(span.1));
                }
            }
        }
    }
    Some(Timeline {
        start_wall_ns: start_wall(recording, from).or_else(|| Some(run?.started_wall_ns)).unwrap_or(0),
        span_ns: to.saturating_sub(from).max(1),
        steps: bands.into_iter().map(|band| Band { from: moment(band.from), to: moment(band.to), ..band }).collect(),
        events: events(recording, from),
        gaps: recording.gaps().iter().map(|gap| (moment(gap.from_ns), moment(gap.to_ns))).collect(),
        merged: edges.len() < slots.edges().len(),
        edges: edges.into_iter().map(moment).collect(),
        plots,
        left_out,
    })
}

/// The wall clock at the start of the axis, by the first sample.
fn start_wall(recording: &Recording, from: i64) -> Option<i64> {
    let first = recording.stamps().first().copied().or_else(|| Some(recording.marks.first()?.stamp))?;
    (first.wall_ns != 0).then(|| first.wall_ns.saturating_sub(first.boot_ns.saturating_sub(from)))
}

/// The steps on the recording's own axis: those with a result, and those that began and have none.
fn bands(recording: &Recording, run: Option<&RunResult>) -> Vec<Band> {
    let results: Vec<_> = match run {
        Some(run) => run.steps.iter().collect(),
        None => recording.steps().collect(),
    };
    let mut bands: Vec<Band> = results
        .iter()
        .map(|step| Band {
            id: step.id.clone(),
            title: step.title.clone(),
            from: step.started_ns,
            to: step.ended_ns.max(step.started_ns),
        })
        .collect();
    let end = recording.span().map_or(0, |(_, to)| to);
    for mark in &recording.marks {
        if let MarkKind::StepStarted { id, title } = &mark.kind
            && !bands.iter().any(|band| band.id == *id)
        {
            let from = mark.stamp.boot_ns;
            bands.push(Band { id: id.clone(), title: format!("{title} (did not end)"), from, to: end.max(from) });
        }
    }
    bands.sort_by_key(|band| band.from);
    bands
}

fn events(recording: &Recording, from: i64) -> Vec<Event> {
    let text = |kind: &MarkKind| match kind {
        MarkKind::Note { text } => Some(text.clone()),
        _ => None,
    };
    recording
        .marks
        .iter()
        .filter_map(|mark| Some(Event { at: mark.stamp.boot_ns.saturating_sub(from), text: text(&mark.kind)? }))
        .collect()
}
