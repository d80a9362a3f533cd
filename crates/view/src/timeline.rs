//! Everything that has a time: plots of a recording on one axis, with the steps, the events and the gaps.

use crate::axis::Measure;
use crate::clock;
use pagetide_core::{Gap, Kind, MarkKind, Recording, RunResult, Table};

mod memory;
pub(crate) mod metrics;
mod rates;
mod slots;
mod stretches;

/// Intervals that a plot draws at most two times: about one per pixel of a page's width.
const COLUMNS: usize = 900;

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
    /// That time was cut out, and what is left, in one sentence.
    pub(crate) fn cuts(&self) -> Option<String> {
        let stretch = |stretch: &Stretch| {
            let from = stretch.start_local_ns;
            clock::range(from, from.saturating_add(stretch.to.saturating_sub(stretch.from)), &self.zone)
        };
        let stretches: Vec<String> = self.stretches.iter().map(stretch).collect();
        (stretches.len() > 1).then(|| format!("Time without samples is cut out; shown: {}.", stretches.join("; ")))
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
pub(crate) fn timeline(
    recording: &Recording,
    run: Option<&RunResult>,
    chain: &[crate::page::Stage],
) -> Option<Timeline> {
    let bands = bands(recording, run);
    let mut stamps: Vec<i64> = recording.stamps().iter().map(|stamp| stamp.boot_ns).collect();
    stamps.sort_unstable();
    stamps.dedup();
    let mut moments: Vec<i64> = stamps.iter().copied().chain(stored(recording)).collect();
    moments.sort_unstable();
    moments.dedup();
    let mut known = moments.clone();
    known.extend(recording.marks.iter().map(|mark| mark.stamp.boot_ns));
    known.extend(bands.iter().flat_map(|band| [band.from, band.to]));
    known.sort_unstable();
    known.last()?;
    let axis = stretches::Stretches::new(&known, &bands, recording);
    let moment = |at: i64| axis.place(at);

    let gaps = gaps(recording, &moments);
    let slots = slots::Slots::new(&moments, gaps.clone(), recording);
    let mut plots = Vec::new();
    let mut left_out = Vec::new();
    match memory::plot(recording, &stamps, &axis) {
        Some(plot) => plots.push(plot),
        None => left_out.push("Memory: the recording has no MemTotal, Cached or AnonPages.".to_owned()),
    }
    rates::plots(recording, run, &slots, &mut plots, &mut left_out);
    let edges = slots.merge(&mut plots, &axis);
    for plot in &mut plots {
        if let Shape::Rates { levels: Some(levels), .. } = &mut plot.shape {
            levels.spans.iter_mut().for_each(|span| (span.0, span.1) = (moment(span.0), moment(span.1)));
        }
    }
    let wall = |at: i64| recording.wall_ns(at).or_else(|| Some(run?.started_wall_ns));
    let clock = clock::of(recording);
    let stretches = axis.on_axis(|at| wall(at).map(|wall| clock.local_ns(wall)));
    Some(Timeline {
        zone: clock.abbreviation(known.first().and_then(|at| wall(*at)).unwrap_or(0)),
        span_ns: stretches.last()?.to.max(1),
        stretches,
        steps: bands.into_iter().map(|band| Band { from: moment(band.from), to: moment(band.to), ..band }).collect(),
        chain: chain
            .iter()
            .map(|stage| Stage {
                words: stage.words.clone(),
                after: stage.after,
                from: moment(stage.range.0),
                to: moment(stage.range.1),
            })
            .collect(),
        events: events(recording, moment),
        gaps: gaps
            .iter()
            .filter(|gap| !axis.cut(gap.from_ns, gap.to_ns))
            .map(|gap| (moment(gap.from_ns), moment(gap.to_ns)))
            .collect(),
        merged: edges.len() < slots.edges().len(),
        edges,
        plots,
        left_out,
    })
}

/// When the intervals of stored rates begin: at samples, but for the first one and those after gaps.
fn stored(recording: &Recording) -> Vec<i64> {
    let mut starts = Vec::new();
    for table in Table::ALL {
        for (entity, _) in recording.entities(table) {
            for column in recording.metrics(table, entity).filter(|column| column.kind == Kind::Rate) {
                let series = recording.series(table, entity, &column.name);
                starts.extend(series.into_iter().flat_map(|series| series.rates()).map(|(from, ..)| from));
            }
        }
    }
    starts
}

/// Stretches that are more than twice the interval long and of which nothing is known.
fn gaps(recording: &Recording, moments: &[i64]) -> Vec<Gap> {
    let limit = i64::try_from(recording.manifest.interval.get().saturating_mul(2)).unwrap_or(i64::MAX);
    moments
        .windows(2)
        .filter(|pair| limit > 0 && pair[1].saturating_sub(pair[0]) > limit)
        .map(|pair| Gap { from_ns: pair[0], to_ns: pair[1] })
        .collect()
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

fn events(recording: &Recording, moment: impl Fn(i64) -> i64) -> Vec<Event> {
    let text = |kind: &MarkKind| match kind {
        MarkKind::Note { text } => Some(text.clone()),
        _ => None,
    };
    recording
        .marks
        .iter()
        .filter_map(|mark| Some(Event { at: moment(mark.stamp.boot_ns), text: text(&mark.kind)? }))
        .collect()
}
