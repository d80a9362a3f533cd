//! The names of the steps over the plots, so that none covers another.

use super::escape::escaped;
use super::path::number;
use super::plot::{LEFT, RIGHT, WIDTH, x};
use crate::timeline::{Band, Timeline};
use std::io::{self, Write};

/// Width of a character of a label, on the wide side.
const CHARACTER: f64 = 6.8;
const LINE: f64 = 15.0;
const BAR: f64 = 7.0;
const ROWS: usize = 4;

/// A label and where it stands: row 0 is just above the bar.
#[derive(Debug, PartialEq)]
struct Label {
    text: String,
    left: f64,
    width: f64,
    row: usize,
    /// The middle of its step.
    anchor: f64,
}

/// Writes the strip: a bar per step, and above it the labels with lines to their steps.
pub(super) fn strip(timeline: &Timeline, out: &mut dyn Write) -> io::Result<()> {
    let labels = labels(&timeline.steps, timeline.span_ns);
    let rows = labels.iter().map(|label| label.row + 1).max().unwrap_or(0);
    let rows = f64::from(u8::try_from(rows).unwrap_or(u8::MAX));
    let (top, height) = (rows * LINE + 3.0, rows * LINE + 3.0 + BAR);
    writeln!(
        out,
        "<svg class=\"strip\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\"><title>Steps of the run on the time axis</title>",
        number(height)
    )?;
    for (index, step) in timeline.steps.iter().enumerate() {
        let (from, to) = (x(step.from, timeline.span_ns), x(step.to, timeline.span_ns));
        writeln!(
            out,
            "<rect class=\"bar{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{BAR}\"><title>{}</title></rect>",
            index % 2,
            number(from),
            number(top),
            number((to - from).max(1.5)),
            escaped(&describe(step))
        )?;
    }
    for event in &timeline.events {
        let at = x(event.at, timeline.span_ns);
        writeln!(
            out,
            "<path class=\"event\" d=\"M{} {}l-3 -5h6z\"><title>{}</title></path>",
            number(at),
            number(top),
            escaped(&event.text)
        )?;
    }
    for label in &labels {
        let row = f64::from(u8::try_from(label.row).unwrap_or(u8::MAX));
        let baseline = top - 5.0 - row * LINE;
        let middle = label.left + label.width / 2.0;
        if label.row > 0 || (middle - label.anchor).abs() > label.width / 2.0 {
            writeln!(
                out,
                "<path class=\"leader\" d=\"M{} {}L{} {}\"/>",
                number(middle),
                number(baseline + 2.0),
                number(label.anchor),
                number(top)
            )?;
        }
        writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            number(middle),
            number(baseline),
            escaped(&label.text)
        )?;
    }
    writeln!(out, "</svg>")
}

/// A step in one line.
pub(super) fn describe(step: &Band) -> String {
    let lasted = pagetide_core::Quantity::new((step.to - step.from) as f64, pagetide_core::Unit::Nanos);
    format!("{}: {} ({lasted})", step.id, step.title)
}

/// Places the labels from the left: the id, with the title where the step is wide enough for it, in the lowest row that
/// has room at or a little beside the step. What finds no room is left out; pointing at the step still names it.
fn labels(steps: &[Band], span: i64) -> Vec<Label> {
    let mut ends = [LEFT; ROWS];
    let mut labels = Vec::new();
    for step in steps {
        let (from, to) = (x(step.from, span), x(step.to, span));
        let width = |text: &str| text.chars().count() as f64 * CHARACTER + 6.0;
        let full = format!("{} {}", step.id, step.title);
        let text = if width(&full) <= to - from { full } else { step.id.clone() };
        let (width, anchor) = (width(&text), f64::midpoint(from, to));
        let wanted = (anchor - width / 2.0).clamp(LEFT, (WIDTH - RIGHT - width).max(LEFT));
        let beside = |row: &usize| (ends[*row] - wanted).max(0.0);
        let row = (0..ROWS)
            .find(|row| beside(row) == 0.0)
            .or_else(|| (0..ROWS).filter(|row| beside(row) <= 60.0).min_by(|a, b| beside(a).total_cmp(&beside(b))));
        let Some(row) = row else { continue };
        let left = wanted + beside(&row);
        if left + width <= WIDTH {
            ends[row] = left + width;
            labels.push(Label { text, left, width, row, anchor });
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_very_short_steps_do_not_cover_each_other() {
        let band =
            |index: i64, from: i64, to: i64| Band { id: format!("step-{index}"), title: "read".to_owned(), from, to };
        let mut steps: Vec<Band> = (0..8).map(|index| band(index, 5000 + index, 5001 + index)).collect();
        steps.push(band(9, 6000, 10_000));
        let labels = labels(&steps, 10_000);
        assert!(labels.len() >= 5, "{labels:?}");
        assert!(labels.iter().any(|label| label.text == "step-9 read"));
        for (index, one) in labels.iter().enumerate() {
            for other in &labels[..index] {
                let apart = one.left >= other.left + other.width || other.left >= one.left + one.width;
                assert!(one.row != other.row || apart, "{one:?} {other:?}");
            }
        }
    }
}
