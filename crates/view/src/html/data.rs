//! What the crosshair reads: the numbers of the plots as JSON, as many as are drawn.

use super::escape;
use crate::measure::Measure;
use crate::timeline::{Plot, Shape, Spread, Timeline};
use serde::Serialize;

/// Times are ms from the start of the axis.
#[derive(Serialize)]
struct Data<'a> {
    span: f64,
    zone: &'a str,
    /// From, to, local time in ms since 1970-01-01 at the start (null when not known), and the start on the recording's axis.
    stretches: Vec<(f64, f64, Option<f64>, f64)>,
    steps: Vec<(&'a str, &'a str, f64, f64)>,
    edges: Vec<f64>,
    plots: Vec<PlotData<'a>>,
}

#[derive(Serialize)]
struct PlotData<'a> {
    title: &'a str,
    measure: &'static str,
    /// Moments of the values; absent when they are rates between the edges.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Vec<f64>>,
    lines: Vec<LineData<'a>>,
}

#[derive(Serialize)]
struct LineData<'a> {
    name: &'a str,
    hue: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Value>,
    /// From, to and value of each stretch, for values that belong to steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    spans: Vec<(f64, f64, f64)>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Value {
    Absent,
    One(f64),
    /// Smallest, mean, largest.
    Spread([f64; 3]),
}

pub(super) fn json(timeline: &Timeline) -> String {
    let data = Data {
        span: ms(timeline.span_ns),
        zone: &timeline.zone,
        stretches: timeline
            .stretches
            .iter()
            .map(|stretch| {
                let local = (stretch.start_local_ns != 0).then(|| ms(stretch.start_local_ns));
                (ms(stretch.from), ms(stretch.to), local, ms(stretch.start_ns))
            })
            .collect(),
        steps: timeline
            .steps
            .iter()
            .map(|step| (step.id.as_str(), step.title.as_str(), ms(step.from), ms(step.to)))
            .collect(),
        edges: timeline.edges.iter().map(|edge| ms(*edge)).collect(),
        plots: timeline.plots.iter().map(plot).collect(),
    };
    // Names and finite numbers always serialize.
    escape::json(&serde_json::to_string(&data).unwrap_or_default())
}

fn plot(plot: &Plot) -> PlotData<'_> {
    let measure = match plot.measure {
        Measure::Bytes => "bytes",
        Measure::PerSecond => "/s",
        Measure::PagesPerSecond => "pages/s",
        Measure::BytesPerSecond => "B/s",
        Measure::Share => "share",
        Measure::Count => "",
    };
    // Bytes are whole numbers, which the legend shows to four digits.
    let exact = |value: f64| if plot.measure == Measure::Bytes { value.round() } else { short(value) };
    let (at, lines) = match &plot.shape {
        Shape::Stacked(points) => {
            let lines = points.layers.iter().map(|layer| LineData {
                name: &layer.name,
                hue: layer.hue,
                values: layer
                    .values
                    .iter()
                    .map(|value| value.map_or(Value::Absent, |v| Value::One(exact(v))))
                    .collect(),
                spans: Vec::new(),
            });
            (Some(points.at.iter().map(|at| ms(*at)).collect()), lines.collect())
        }
        Shape::Rates { lines, levels, .. } => {
            let lines = lines.iter().map(|line| LineData {
                name: &line.name,
                hue: line.hue,
                values: line.values.iter().map(|value| value.map_or(Value::Absent, rate)).collect(),
                spans: Vec::new(),
            });
            let levels = levels.iter().map(|levels| LineData {
                name: &levels.name,
                hue: "level",
                values: Vec::new(),
                spans: levels.spans.iter().map(|(from, to, value)| (ms(*from), ms(*to), short(*value))).collect(),
            });
            (None, lines.chain(levels).collect())
        }
    };
    PlotData { title: &plot.title, measure, at, lines }
}

fn rate(spread: Spread) -> Value {
    let all = [spread.low, spread.mean, spread.high].map(short);
    if all[0] == all[2] { Value::One(all[1]) } else { Value::Spread(all) }
}

/// Four significant digits: more than a plot shows.
fn short(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// Milliseconds, to a tenth.
pub(super) fn ms(ns: i64) -> f64 {
    (ns as f64 / 1e5).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::{Layer, Points};

    #[test]
    fn the_crosshair_reads_the_share_that_is_drawn() {
        let read = |measure: Measure, value: f64| {
            let layers = vec![Layer { name: String::new(), hue: "anon", values: vec![Some(value), None] }];
            let shape = Shape::Stacked(Points { at: vec![0, 1], layers });
            let of = Plot { id: "lost", title: String::new(), source: String::new(), measure, shape };
            serde_json::to_value(plot(&of)).unwrap()["lines"][0]["values"].clone()
        };
        assert_eq!(read(Measure::Share, 0.641_23), serde_json::json!([0.6412, null]));
        assert_eq!(read(Measure::Bytes, 1_072_693_247.6), serde_json::json!([1_072_693_248.0, null]));
    }
}
