//! The chain over the plots, on their time axis: a bar for each stage, an arrow from each cause to its effect.

use super::escape::escaped;
use super::path::number;
use super::place::{LEFT, WIDTH, x};
use crate::timeline::{Stage, Timeline};
use std::io::{self, Write};

/// A row has the words of its stage above its bar, so that no word lies on a bar.
const ROW: f64 = 27.0;
const WORDS: f64 = 12.0;
const BAR: f64 = 8.0;
/// Width of a character of a label, on the wide side.
const CHARACTER: f64 = 6.6;

/// Writes the chain.
pub(super) fn chain(timeline: &Timeline, out: &mut dyn Write) -> io::Result<()> {
    let rows = timeline.chain.len() as f64;
    writeln!(
        out,
        "<svg class=\"strip chain\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\"><title>The chain from cause to effects on the time axis</title>",
        number(rows * ROW + 6.0)
    )?;
    for (row, stage) in timeline.chain.iter().enumerate() {
        if let Some(cause) = stage.after {
            let (from, to) = (x(timeline.chain[cause].from, timeline.span_ns), x(stage.from, timeline.span_ns));
            // An arrow beside the bars, so that those of one moment do not lie on each other.
            let side = from.min(to) - 9.0 - 5.0 * (row - cause - 1).min(8) as f64;
            writeln!(
                out,
                "<path class=\"arrow\" d=\"M{} {}H{}V{}H{}\"/><path class=\"tip-of-arrow\" d=\"M{} {}l-6 -3v6z\"/>",
                number(from),
                number(middle(cause)),
                number(side.max(LEFT - 60.0)),
                number(middle(row)),
                number(to - 4.0),
                number(to),
                number(middle(row)),
            )?;
        }
    }
    // Behind the arrows, so that none lies on a word.
    for (row, stage) in timeline.chain.iter().enumerate() {
        bar(stage, row, timeline.span_ns, out)?;
    }
    writeln!(out, "</svg>")
}

fn middle(row: usize) -> f64 {
    row as f64 * ROW + WORDS + 4.0 + BAR / 2.0
}

fn bar(stage: &Stage, row: usize, span: i64, out: &mut dyn Write) -> io::Result<()> {
    let (from, to) = (x(stage.from, span), x(stage.to, span));
    let class = if row == 0 { "stage root" } else { "stage" };
    let words = format!("{}  {}", row + 1, stage.words);
    let width = words.chars().count() as f64 * CHARACTER;
    let to = to.max(from + 3.0);
    // From the onset on, or up to the right border where there is no room for that.
    let (at, anchor) = if from + width <= WIDTH { (from, "start") } else { (WIDTH - 4.0, "end") };
    writeln!(
        out,
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{BAR}\"><title>{}</title></rect>\
         <text class=\"on\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
        number(from),
        number(middle(row) - BAR / 2.0),
        number(to - from),
        escaped(&words),
        number(at),
        number(middle(row) - BAR / 2.0 - 4.0),
        escaped(&words)
    )
}
