//! A table of a recording in columns.

use super::{Heading, Row, TopicTable, cell};
use crate::table::Tone;
use crate::text::{Style, words};
use pagetide_core::LocalClock;
use std::io::{self, Write};

/// The texts of all cells, one behind the other: a day has a million of them, too many for a string each.
#[derive(Default)]
struct Cells {
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Cells {
    fn push(&mut self, text: &str) -> usize {
        self.text.push_str(text);
        self.ends.push(self.text.len());
        words::width(text)
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| &self.text[*start..*end])
    }
}

/// Writes the table with times of day by `clock`, and the averages below it; whether it has a row.
///
/// # Errors
///
/// Those of the writer.
pub fn draw(shown: &TopicTable<'_>, clock: &LocalClock, style: Style, out: &mut dyn Write) -> io::Result<bool> {
    let headings: Vec<Heading> = shown.headings().collect();
    let zone = clock.abbreviation(shown.recording.stamps().first().map_or(0, |stamp| stamp.wall_ns));
    let names = [zone.as_str()].into_iter().chain(shown.entity()).chain(headings.iter().map(|heading| heading.name));
    let mut cells = Cells::default();
    let mut widths: Vec<usize> = names.map(|name| cells.push(name)).collect();
    let (columns, left) = (widths.len(), widths.len() - headings.len());
    let mut moments = std::collections::BTreeSet::new();
    for row in shown.rows() {
        if moments.len() < 2 {
            moments.insert(row.wall_ns);
        }
        row_of(&row, clock.time_with_tenths(row.wall_ns), &headings, &mut cells, &mut widths);
    }
    if cells.ends.len() == columns {
        return Ok(false);
    }
    for row in shown.averages().filter(|_| moments.len() > 1) {
        row_of(&row, "Average".to_owned(), &headings, &mut cells, &mut widths);
    }
    let gap = if widths.iter().sum::<usize>() + 2 * (columns - 1) <= style.width { 2 } else { 1 };
    let (mut line, mut tone) = (String::new(), Tone::Dim);
    for (at, text) in cells.texts().enumerate() {
        let column = at % columns;
        let pad = widths[column] - words::width(text);
        let before = if column < left { 0 } else { pad };
        line.extend(std::iter::repeat_n(' ', before));
        line.push_str(text);
        line.extend(std::iter::repeat_n(' ', pad - before + gap));
        if column + 1 == columns {
            writeln!(out, "{}", style.paint(tone, line.trim_end()))?;
            line.clear();
            tone = Tone::Plain;
        }
    }
    Ok(true)
}

fn row_of(row: &Row<'_>, first: String, headings: &[Heading], cells: &mut Cells, widths: &mut [usize]) {
    let entity = row.entity.map(words::clean);
    let left = std::iter::once(first).chain(entity);
    let right = row.cells.iter().zip(headings).map(|(value, heading)| cell(*value, heading.unit));
    for (width, text) in widths.iter_mut().zip(left.chain(right)) {
        *width = cells.push(&text).max(*width);
    }
}
