//! The plots as SVG, below each other on one time axis.

use super::escape::escaped;
use super::path::{Path, number};
use super::place::{LEFT, RIGHT, WIDTH, x};
use super::{chain, data, strip};
use crate::axis::Axis;
use crate::clock;
use crate::timeline::{Line, Plot, Points, Shape, Timeline};
use pagetide_core::{Quantity, Unit};
use std::io::{self, Write};

/// What a plot leaves free above and below.
const TOP: f64 = 6.0;
const BOTTOM: f64 = 20.0;
/// The radius of the marker of a stage.
const MARKER: f64 = 8.0;

/// Writes the strip of steps, the plots with their legends, and the numbers for the crosshair.
pub(super) fn timeline(timeline: &Timeline, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<div class=\"timeline\" id=\"timeline\" tabindex=\"0\" role=\"group\" \
         aria-label=\"Plots on one time axis. The arrow keys move a crosshair from sample to sample.\" \
         data-left=\"{LEFT}\" data-right=\"{RIGHT}\" data-width=\"{WIDTH}\">"
    )?;
    if !timeline.steps.is_empty() || !timeline.events.is_empty() {
        strip::strip(timeline, out)?;
    }
    if !timeline.chain.is_empty() {
        chain::chain(timeline, out)?;
    }
    for plot in &timeline.plots {
        figure(plot, timeline, out)?;
    }
    writeln!(out, "</div>\n<div class=\"tip\" id=\"tip\" role=\"status\" hidden></div>")?;
    let mut notes = timeline.left_out.clone();
    if timeline.merged {
        notes.push(
            "Each point is a mean over several samples; the band behind it is their range from minimum to maximum."
                .to_owned(),
        );
    }
    notes.extend(timeline.cuts());
    if !notes.is_empty() {
        writeln!(out, "<p class=\"note\">{}</p>", escaped(&notes.join(" ")))?;
    }
    writeln!(out, "<script type=\"application/json\" id=\"data\">{}</script>", data::json(timeline))
}

/// A plot within its frame.
struct Frame<'a> {
    timeline: &'a Timeline,
    axis: Axis,
    height: f64,
}

impl Frame<'_> {
    fn x(&self, at: i64) -> f64 {
        x(at, self.timeline.span_ns)
    }

    fn y(&self, value: f64) -> f64 {
        TOP + (1.0 - self.axis.place(value)) * self.height
    }
}

fn figure(plot: &Plot, timeline: &Timeline, out: &mut dyn Write) -> io::Result<()> {
    let (axis, height) = axis(plot);
    let frame = Frame { timeline, axis, height };
    let log = matches!(plot.shape, Shape::Rates { log: true, .. });
    let scale = if log { ", logarithmic, zero at the bottom" } else { "" };
    writeln!(
        out,
        "<figure><figcaption><b>{}</b> <span class=\"unit\">{}{scale}</span>",
        escaped(&plot.title),
        plot.measure.unit()
    )?;
    legend(plot, out)?;
    writeln!(
        out,
        "</figcaption>\n<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" data-plot=\"{}\"><title>{}</title>",
        number(TOP + height + BOTTOM),
        plot.id,
        escaped(&summary(plot))
    )?;
    grid(&frame, out)?;
    match &plot.shape {
        Shape::Stacked(points) => stack(&frame, points, out)?,
        Shape::Rates { lines, levels, .. } => {
            for (from, to, value) in levels.iter().flat_map(|levels| &levels.spans) {
                let (left, right, y) = (frame.x(*from), frame.x(*to), number(frame.y(*value)));
                let right = right.max(left + 3.0);
                writeln!(out, "<path class=\"level\" d=\"M{} {y}H{}\"/>", number(left), number(right))?;
            }
            for line in lines.iter().filter(|_| frame.timeline.merged) {
                writeln!(out, "<path class=\"range s-{}\" d=\"{}\"/>", line.hue, ranges(&frame, line).data())?;
            }
            // The first line is the widest, so that it shows below one that has the same values.
            for (index, line) in lines.iter().enumerate() {
                let first = if index == 0 { " first" } else { "" };
                let data = staircase(&frame, line);
                writeln!(out, "<path class=\"line{first} s-{}\" d=\"{}\"/>", line.hue, data.data())?;
            }
        }
    }
    let mut edges = Path::default();
    for at in timeline.steps.iter().flat_map(|step| [step.from, step.to]) {
        edges.lift();
        edges.to(frame.x(at), TOP);
        edges.to(frame.x(at), TOP + height);
    }
    let mut onsets = Path::default();
    for stage in &timeline.chain {
        onsets.lift();
        onsets.to(frame.x(stage.from), TOP);
        onsets.to(frame.x(stage.from), TOP + height);
    }
    if !timeline.chain.is_empty() {
        writeln!(out, "<path class=\"onset\" d=\"{}\"/>", onsets.data())?;
    }
    writeln!(
        out,
        "{}<path class=\"edge\" d=\"{}\"/><line class=\"cross\" x1=\"0\" x2=\"0\" y1=\"{TOP}\" y2=\"{}\" \
         visibility=\"hidden\"/>\n</svg>\n<p class=\"source\">{}</p></figure>",
        stages(plot, &frame),
        edges.data(),
        number(TOP + height),
        escaped(&plot.source)
    )
}

/// The stages of the chain that a plot shows: their numbers, each at its onset. The script draws arrows from cause to effect between them.
fn stages(plot: &Plot, frame: &Frame<'_>) -> String {
    let mut text = String::new();
    let mut places: Vec<f64> = Vec::new();
    for (number_of, stage) in frame.timeline.chain.iter().enumerate() {
        if stage.plot != Some(plot.id) {
            continue;
        }
        let mut at = frame.x(stage.from);
        while places.iter().any(|other| (at - other).abs() < MARKER * 2.0 + 2.0) {
            at += MARKER * 2.0 + 3.0;
        }
        places.push(at);
        let class = if number_of == 0 { "marker culprit" } else { "marker" };
        text.push_str(&format!(
            "<g class=\"{class}\" data-stage=\"{number_of}\" data-after=\"{}\"><circle cx=\"{1}\" cy=\"{2}\" r=\"{MARKER}\"/>\
             <text x=\"{1}\" y=\"{3}\" text-anchor=\"middle\">{4}</text></g>",
            stage.after.map_or_else(String::new, |after| after.to_string()),
            number(at),
            number(TOP + MARKER + 1.0),
            number(TOP + MARKER + 5.0),
            number_of + 1
        ));
    }
    text
}

fn axis(plot: &Plot) -> (Axis, f64) {
    match &plot.shape {
        Shape::Stacked(points) => {
            let sums = (0..points.at.len())
                .map(|index| points.layers.iter().filter_map(|layer| layer.values[index]).sum::<f64>());
            (Axis::linear(plot.measure, sums.fold(0.0, f64::max), 6, true), 170.0)
        }
        Shape::Rates { log, lines, levels } => {
            let spreads = || lines.iter().flat_map(|line| line.values.iter().flatten());
            let levels = || levels.iter().flat_map(|levels| &levels.spans).map(|span| span.2);
            let high = spreads().map(|spread| spread.high).chain(levels()).fold(0.0, f64::max);
            let positive = spreads().map(|spread| spread.high).chain(levels()).filter(|rate| *rate >= 1.0);
            match positive.reduce(f64::min) {
                Some(low) if *log => (Axis::log(plot.measure, low, high), 110.0),
                _ => (Axis::linear(plot.measure, high, 4, false), 110.0),
            }
        }
    }
}

fn legend(plot: &Plot, out: &mut dyn Write) -> io::Result<()> {
    let entries: Vec<(&str, &str, Option<f64>)> = match &plot.shape {
        Shape::Stacked(points) => {
            points.layers.iter().map(|layer| (layer.name.as_str(), layer.hue, layer.peak())).collect()
        }
        Shape::Rates { lines, levels, .. } => {
            let lines = lines.iter().map(|line| (line.name.as_str(), line.hue, line.peak()));
            let peak = |spans: &[(i64, i64, f64)]| spans.iter().map(|span| span.2).reduce(f64::max);
            let levels = levels.iter().map(|levels| (levels.name.as_str(), "level", peak(&levels.spans)));
            lines.chain(levels).collect()
        }
    };
    writeln!(out, "<ul class=\"legend\">")?;
    for (name, hue, peak) in entries {
        let peak = peak.map_or_else(String::new, |peak| format!("max {}", plot.measure.show(peak)));
        writeln!(
            out,
            "<li><i class=\"key f-{hue}\"></i>{} <span class=\"value\">{}</span></li>",
            escaped(name),
            escaped(&peak)
        )?;
    }
    writeln!(out, "</ul>")
}

/// The plot in one sentence, for those who do not see it.
fn summary(plot: &Plot) -> String {
    let up_to = |name: &str, peak: Option<f64>| peak.map(|peak| format!("{name} up to {}", plot.measure.show(peak)));
    let parts: Vec<String> = match &plot.shape {
        Shape::Stacked(points) => points.layers.iter().filter_map(|layer| up_to(&layer.name, layer.peak())).collect(),
        Shape::Rates { lines, .. } => lines.iter().filter_map(|line| up_to(&line.name, line.peak())).collect(),
    };
    format!("{}: {}", plot.title, parts.join(", "))
}

/// Steps, gaps, ticks and their texts.
fn grid(frame: &Frame<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Frame { timeline, axis, height } = frame;
    let bottom = TOP + height;
    for (index, step) in timeline.steps.iter().enumerate() {
        let (from, to) = (frame.x(step.from), frame.x(step.to));
        writeln!(
            out,
            "<rect class=\"band{}\" x=\"{}\" y=\"{TOP}\" width=\"{}\" height=\"{height}\"><title>{}</title></rect>",
            index % 2,
            number(from),
            number((to - from).max(1.0)),
            escaped(&strip::describe(step))
        )?;
    }
    for (value, text) in &axis.ticks {
        let y = frame.y(*value);
        writeln!(
            out,
            "<path class=\"tick\" d=\"M{LEFT} {0}H{1}\"/><text x=\"{2}\" y=\"{3}\" text-anchor=\"end\">{4}</text>",
            number(y),
            number(WIDTH - RIGHT),
            number(LEFT - 6.0),
            number(y + 4.0),
            escaped(text)
        )?;
    }
    let time = match timeline.stretches.as_slice() {
        [] => Axis::time(timeline.span_ns, 0),
        [one] if timeline.steps.is_empty() && one.start_local_ns != 0 => {
            Axis::time_of_day(timeline.span_ns, one.start_local_ns)
        }
        [one] => Axis::time(timeline.span_ns, one.start_local_ns),
        many => Axis::stretches(many, timeline.span_ns),
    };
    for (at, text) in &time.ticks {
        let at = LEFT + at / timeline.span_ns as f64 * (WIDTH - LEFT - RIGHT);
        let anchor = match text.len() {
            _ if at > WIDTH - 24.0 => "end",
            10.. => "start",
            _ => "middle",
        };
        writeln!(
            out,
            "<path class=\"tick\" d=\"M{0} {1}v4\"/><text x=\"{2}\" y=\"{3}\" text-anchor=\"{anchor}\">{4}</text>",
            number(at),
            number(bottom),
            number(if anchor == "end" { WIDTH } else { at }),
            number(bottom + 16.0),
            escaped(text)
        )?;
    }
    for pair in timeline.stretches.windows(2) {
        let (left, right) = (frame.x(pair[0].to), frame.x(pair[1].from));
        writeln!(
            out,
            "<rect class=\"cut\" x=\"{0}\" y=\"{TOP}\" width=\"{1}\" height=\"{height}\"><title>time without samples is cut out; the right side \
             begins at {2}</title></rect>",
            number(left),
            number((right - left).max(1.0)),
            escaped(&clock::short(pair[1].start_local_ns)),
        )?;
    }
    for (from, to) in &timeline.gaps {
        let (left, right) = (frame.x(*from), frame.x(*to));
        let lasted = Quantity::new((to - from) as f64, Unit::Nanos);
        writeln!(
            out,
            "<rect class=\"gap\" x=\"{0}\" y=\"{TOP}\" width=\"{1}\" height=\"{height}\"><title>no samples for {lasted}</title></rect>",
            number(left),
            number((right - left).max(1.0)),
        )?;
        if right - left > 70.0 {
            let middle = number(f64::midpoint(left, right));
            writeln!(
                out,
                "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">no samples</text>",
                number(TOP + 12.0)
            )?;
        }
    }
    Ok(())
}

/// Layers on each other, from the bottom; a moment without samples ends an area.
fn stack(frame: &Frame<'_>, points: &Points, out: &mut dyn Write) -> io::Result<()> {
    let count = points.at.len();
    let present = |index: usize| points.layers.iter().any(|layer| layer.values[index].is_some());
    let mut below = vec![0.0; count];
    for layer in &points.layers {
        let above: Vec<f64> = below.iter().zip(&layer.values).map(|(low, value)| low + value.unwrap_or(0.0)).collect();
        let mut path = Path::default();
        let mut start = 0;
        while start < count {
            let end = (start..count).find(|index| !present(*index)).unwrap_or(count);
            let border = |heights: &[f64]| -> Vec<(f64, f64)> {
                let moments = points.at[start..end].iter().zip(&heights[start..end]);
                moments.map(|(at, height)| (frame.x(*at), frame.y(*height))).collect()
            };
            border(&above).into_iter().for_each(|(x, y)| path.to(x, y));
            border(&below).into_iter().rev().for_each(|(x, y)| path.to(x, y));
            path.close();
            start = end + 1;
        }
        writeln!(out, "<path class=\"area f-{}\" d=\"{}\"/>", layer.hue, path.data())?;
        below = above;
    }
    Ok(())
}

/// A rate is the mean over an interval, so it is drawn level over it.
fn staircase(frame: &Frame<'_>, line: &Line) -> Path {
    let mut path = Path::default();
    for (pair, value) in frame.timeline.edges.windows(2).zip(&line.values) {
        let Some(spread) = value else {
            path.lift();
            continue;
        };
        let y = frame.y(spread.mean);
        path.to(frame.x(pair[0]), y);
        path.to(frame.x(pair[1]), y);
    }
    path
}

/// From the smallest to the largest rate, one upright line in each interval that stands for several.
fn ranges(frame: &Frame<'_>, line: &Line) -> Path {
    let mut path = Path::default();
    for (pair, value) in frame.timeline.edges.windows(2).zip(&line.values) {
        if let Some(spread) = value.filter(|spread| spread.low < spread.high) {
            let middle = frame.x(i64::midpoint(pair[0], pair[1]));
            path.lift();
            path.to(middle, frame.y(spread.low));
            path.to(middle, frame.y(spread.high));
        }
    }
    path
}
