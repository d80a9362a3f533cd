//! A table of a recording in columns.

use super::{Heading, Row, TopicTable};
use crate::table::Tone;
use crate::text::{Style, words};
use pagetide_core::{LocalClock, Quantity, Unit};
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

/// How numbers are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Numbers {
    /// Without units: bytes, seconds, percent, counts.
    pub raw: bool,
    /// Digits after the point; when absent as many as its size deserves, and 2 without units.
    pub decimals: Option<usize>,
}

impl Numbers {
    /// A cell; `-` where there is no value. That it is per second stands in the heading.
    pub fn cell(self, value: Option<f64>, unit: Unit) -> String {
        let Some(value) = value else { return "-".to_owned() };
        let unit = if matches!(unit, Unit::PerSecond | Unit::PagesPerSecond) { Unit::Count } else { unit };
        match self.decimals {
            decimals if self.raw => format!("{:.*}", decimals.unwrap_or(2), plain(value, unit)),
            None => Quantity::new(value, unit).to_string(),
            Some(decimals) => {
                let (value, suffix) = scaled(unit.to_base(value), unit);
                format!("{value:.decimals$}{suffix}")
            }
        }
    }
}

/// A number in bytes, seconds, percent or counts.
fn plain(value: f64, unit: Unit) -> f64 {
    let share = matches!(unit, Unit::Ratio | Unit::BasisPoints);
    unit.to_base(value) * if share { 100.0 } else { 1.0 }
}

/// A number in base units by the largest prefix that leaves it above 1.
fn scaled(value: f64, unit: Unit) -> (f64, &'static str) {
    let prefixes: &[(f64, &str)] = match unit {
        Unit::Bytes | Unit::Sectors | Unit::BytesPerSecond => &[
            (1_099_511_627_776.0, " TiB"),
            (1_073_741_824.0, " GiB"),
            (1_048_576.0, " MiB"),
            (1024.0, " KiB"),
            (1.0, " B"),
        ],
        Unit::Nanos | Unit::Micros | Unit::Millis | Unit::Ticks => {
            &[(1.0, " s"), (1e-3, " ms"), (1e-6, " us"), (1e-9, " ns")]
        }
        Unit::Ratio | Unit::BasisPoints => &[(0.01, " %")],
        _ => &[(1.0, "")],
    };
    let fits = prefixes.iter().find(|(size, _)| value.abs() >= *size).or(prefixes.last());
    fits.map_or((value, ""), |(size, suffix)| (value / size, suffix))
}

/// Writes the table with times of day by `clock`, below it the averages and, when wanted, the extremes, and a note for each counter
/// that fell; whether it has a row.
///
/// # Errors
///
/// Those of the writer.
pub fn draw(
    shown: &TopicTable<'_>,
    (clock, style): (&LocalClock, Style),
    (numbers, extremes): (Numbers, bool),
    out: &mut dyn Write,
) -> io::Result<bool> {
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
        row_of(&row, clock.time_with_tenths(row.wall_ns), (&headings, numbers), &mut cells, &mut widths);
    }
    if cells.ends.len() == columns {
        return Ok(false);
    }
    for row in shown.averages().filter(|_| moments.len() > 1) {
        row_of(&row, "Average".to_owned(), (&headings, numbers), &mut cells, &mut widths);
    }
    if extremes && moments.len() > 1 {
        let extremes = shown.extremes();
        for (least, _) in &extremes {
            row_of(least, "Minimum".to_owned(), (&headings, numbers), &mut cells, &mut widths);
        }
        for (_, most) in &extremes {
            row_of(most, "Maximum".to_owned(), (&headings, numbers), &mut cells, &mut widths);
        }
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
    for fall in shown.falls() {
        let whose = if fall.entity.is_empty() { String::new() } else { format!("{}: ", words::clean(&fall.entity)) };
        let more = if fall.times > 1 { format!(" and {} times later", fall.times - 1) } else { String::new() };
        let at = clock.time_with_tenths(fall.wall_ns);
        let metrics: Vec<&str> = fall.metrics.into_iter().collect();
        writeln!(out, "note: {whose}{} fell at {at}{more}: no rates for that interval", metrics.join(" "))?;
    }
    Ok(true)
}

fn row_of(
    row: &Row<'_>,
    first: String,
    (headings, numbers): (&[Heading], Numbers),
    cells: &mut Cells,
    widths: &mut [usize],
) {
    let entity = row.entity.map(words::clean);
    let left = std::iter::once(first).chain(entity);
    let right = row.cells.iter().zip(headings).map(|(value, heading)| numbers.cell(*value, heading.unit));
    for (width, text) in widths.iter_mut().zip(left.chain(right)) {
        *width = cells.push(&text).max(*width);
    }
}
