//! The page of two ranges of time: whether a change helped, and by how much.

use super::block::{Block, Page};
use super::words::count;
use crate::table::Table;
use pagetide_core::{ComparedRange, ComparedValue, LocalClock, RangeComparison};

/// The page of a comparison of ranges, with the times of a host's clock.
pub fn range_comparison(comparison: &RangeComparison, clock: &LocalClock) -> Page {
    let (losses, rates): (Vec<&ComparedValue>, Vec<&ComparedValue>) =
        comparison.values.iter().partition(|value| value.harm);
    let mut blocks = Vec::new();
    for (heading, values) in [("Time that tasks lose", losses), ("Rates", rates)] {
        let (differing, others): (Vec<&ComparedValue>, Vec<&ComparedValue>) =
            values.into_iter().partition(|value| value.differs);
        if differing.is_empty() && others.is_empty() {
            continue;
        }
        blocks.push(Block::Heading(heading.to_owned()));
        if !differing.is_empty() {
            blocks.push(Block::Table(table(&differing)));
        }
        if !others.is_empty() {
            let names: Vec<String> = others.iter().map(|value| format!("{} of {}", value.what, value.of)).collect();
            blocks.push(Block::Paragraph(format!("No difference outside noise: {}.", names.join("; "))));
        }
    }
    blocks.push(Block::Heading("Method".to_owned()));
    blocks.push(Block::Paragraph(comparison.method.clone()));
    if !comparison.unknown.is_empty() {
        blocks.push(Block::Heading("Unknown".to_owned()));
        blocks.push(Block::List(comparison.unknown.clone()));
    }
    let range = |range: &ComparedRange| {
        let at = |wall_ns| clock.date_time(wall_ns);
        format!("{} to {} ({})", at(range.from_wall_ns), at(range.to_wall_ns), count(range.samples, "sample"))
    };
    let lead = vec![
        comparison.summary.clone(),
        format!("Before: {}. After: {}.", range(&comparison.before), range(&comparison.after)),
    ];
    Page { title: "Before and after".to_owned(), lead, outcome: String::new(), blocks }
}

fn table(values: &[&ComparedValue]) -> Table {
    let mut table = Table::new()
        .left("")
        .left("of")
        .right("before")
        .right("after")
        .right("difference")
        .right("at least")
        .right("at most");
    for value in values {
        table.row([
            value.what.as_str().into(),
            value.of.as_str().into(),
            value.before.to_string().as_str().into(),
            value.after.to_string().as_str().into(),
            value.difference.to_string().as_str().into(),
            value.low.to_string().as_str().into(),
            value.high.to_string().as_str().into(),
        ]);
    }
    table
}
