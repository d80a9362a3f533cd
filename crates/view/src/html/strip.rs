//! The names of the steps over the plots, so that none covers another.

use super::escape::escaped;
use super::path::number;
use super::place::{WIDTH, x};
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
    /// The start of its step.
    pole: f64,
}

/// Writes the strip: a bar per step, and above it the labels with lines to their steps.
pub(super) fn strip(timeline: &Timeline, out: &mut dyn Write) -> io::Result<()> {
    let labels = labels(&timeline.steps, timeline.span_ns);
    let rows = labels.iter().map(|label| label.row + 1).max().unwrap_or(0);
    let rows = f64::from(u8::try_from(rows).unwrap_or(u8::MAX));
    let top = rows * LINE + if rows > 0.0 { 3.0 } else { 6.0 };
    let height = top + BAR;
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
        writeln!(
            out,
            "<path class=\"leader\" d=\"M{0} {1}V{2}\"/><text x=\"{3}\" y=\"{4}\">{5}</text>",
            number(label.pole),
            number(baseline - 9.0),
            number(top),
            number(label.left + 3.0),
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

/// Places the labels from the right, each with its left end over the start of its step like a flag on a pole: the id, with
/// the title where there is room for it, in the lowest row in which it reaches no flag and no pole to its right. What
/// finds no room is left out; pointing at the step still names it.
fn labels(steps: &[Band], span: i64) -> Vec<Label> {
    let mut free = [WIDTH; ROWS];
    let mut labels = Vec::new();
    for step in steps.iter().rev() {
        let pole = x(step.from, span);
        let width = |text: &str| text.chars().count() as f64 * CHARACTER + 6.0;
        let full = format!("{} {}", step.id, step.title);
        let text = if pole + width(&full) <= free[0] { full } else { step.id.clone() };
        let width = width(&text);
        let left = pole.min(WIDTH - width);
        let Some(row) = (0..ROWS).find(|row| left + width <= free[*row]) else { continue };
        free[..=row].fill(left);
        labels.push(Label { text, left, width, row, pole });
    }
    labels.reverse();
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
        assert!(labels.len() > ROWS, "{labels:?}");
        assert!(labels.iter().any(|label| label.text == "step-9 read"));
        for (index, one) in labels.iter().enumerate() {
            for other in &labels[..index] {
                let apart = one.left >= other.left + other.width || other.left >= one.left + one.width;
                assert!(one.row != other.row || apart, "{one:?} {other:?}");
            }
        }
    }
}
