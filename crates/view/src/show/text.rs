//! A table of a recording in columns.

use super::{FellCounters, Heading, Parts, Row, Totals};
use crate::table::Tone;
use crate::text::{Style, words};
use pagetide_core::{Error, LocalClock, Quantity, Unit};
use std::fmt::Write as _;
use std::io::{self, Write};

/// How numbers are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Numbers {
    /// Without units, in those of sar, iostat and pidstat: KiB, ms, percent, counts.
    pub raw: bool,
    /// Digits after the point; when absent as many as its size deserves, and without units as many as sar prints.
    pub decimals: Option<usize>,
}

impl Numbers {
    /// A cell; `-` where there is no value. That it is per second stands in the heading.
    pub fn cell(self, value: Option<f64>, heading: &Heading) -> String {
        let mut text = String::new();
        self.push(value, heading, &mut text);
        text
    }

    /// Appends a cell.
    fn push(self, value: Option<f64>, heading: &Heading, text: &mut String) {
        let Some(value) = value else { return text.push('-') };
        let Heading { unit, raw, .. } = *heading;
        // A string takes whatever is written.
        let _ = if self.raw {
            write!(text, "{:.*}", self.decimals.unwrap_or(raw.decimals), unit.to_base(value) * raw.factor)
        } else {
            let unit = if matches!(unit, Unit::PerSecond | Unit::PagesPerSecond) { Unit::Count } else { unit };
            match self.decimals {
                None => write!(text, "{}", Quantity::new(value, unit)),
                Some(decimals) => {
                    let (value, suffix) = scaled(unit.to_base(value), unit);
                    write!(text, "{value:.decimals$}{suffix}")
                }
            }
        };
    }
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

/// How a table is written.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// Times of day are by this clock.
    pub clock: &'a LocalClock,
    /// Colour and width.
    pub style: Style,
    /// How numbers are printed.
    pub numbers: Numbers,
    /// Whether the smallest and the largest values stand below the averages.
    pub extremes: bool,
}

/// Texts of rows that are kept between the look that finds the widths and the writing; of more the recording is read again.
const KEPT_BYTES: usize = 32 << 20;

/// The texts of one or several rows.
#[derive(Debug, Default)]
pub struct Cells {
    /// One after the other.
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Cells {
    /// Ends the text that was appended last.
    fn end(&mut self) {
        self.ends.push(self.text.len());
    }

    fn cell(&self, at: usize) -> &str {
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[begin..self.ends[at]]
    }

    /// The texts.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|at| self.cell(at))
    }
}

/// The texts of rows, as long as they are few.
#[derive(Debug, Default)]
struct Texts {
    cells: Cells,
    overflown: bool,
}

impl Texts {
    fn push(&mut self, row: &Cells) {
        if self.cells.text.len() > KEPT_BYTES {
            *self = Self { overflown: true, ..Self::default() };
        }
        if !self.overflown {
            let before = self.cells.text.len();
            self.cells.text.push_str(&row.text);
            self.cells.ends.extend(row.ends.iter().map(|end| before + end));
        }
    }

    /// The rows of so many texts; absent where there were too many to keep.
    fn rows(&self, width: usize) -> Option<impl Iterator<Item = impl Iterator<Item = &str>>> {
        let rows = (0..self.cells.ends.len()).step_by(width.max(1));
        (!self.overflown).then(|| rows.map(move |row| (row..row + width).map(|at| self.cells.cell(at))))
    }
}

/// A table that is ready to be written: the widths of its columns are known, and what stands below the rows.
#[derive(Debug)]
pub struct Drawing<'a, 's> {
    parts: &'a Parts<'s>,
    columns: Columns<'a>,
    texts: Texts,
    below: Vec<Cells>,
    notes: Vec<String>,
}

impl<'a, 's> Drawing<'a, 's> {
    /// Reads all parts; absent when there is no row.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn of(parts: &'a Parts<'s>, output: Output<'a>) -> Result<Option<Self>, Error> {
        let mut columns = Columns::of(parts, output);
        let mut totals = Totals::default();
        let mut texts = Texts::default();
        let mut any = false;
        parts.look(&mut |table| {
            totals.part(table);
            for row in table.rows() {
                any = true;
                totals.row(&row);
                let cells = columns.cells(&row, &output.clock.time_with_tenths(row.wall_ns));
                columns.widen(&cells);
                texts.push(&cells);
            }
        })?;
        if !any {
            return Ok(None);
        }
        let mut below = Vec::new();
        if totals.has_several() {
            let mut named = vec![("Average", totals.averages(parts))];
            if output.extremes {
                named.extend([("Minimum", totals.minima(parts.topic())), ("Maximum", totals.maxima(parts.topic()))]);
            }
            for (name, rows) in &named {
                below.extend(rows.iter().map(|row| columns.cells(row, name)));
            }
        }
        below.iter().for_each(|cells| columns.widen(cells));
        let note = |fall: &FellCounters| {
            let whose =
                if fall.entity.is_empty() { String::new() } else { format!("{}: ", words::clean(&fall.entity)) };
            let more = if fall.times > 1 { format!(" and {} times later", fall.times - 1) } else { String::new() };
            let at = output.clock.time_with_tenths(fall.wall_ns);
            let metrics: Vec<&str> = fall.metrics.iter().copied().collect();
            format!("note: {whose}{} fell at {at}{more}: no rates for that interval", metrics.join(" "))
        };
        let told = parts.log_entries().into_iter();
        let told = told.map(|(wall_ns, text)| {
            format!("note: {} at {}", words::clean(text), output.clock.time_with_tenths(wall_ns))
        });
        let notes = totals.falls().iter().map(note).chain(gap_note(parts, output.clock)).chain(told).collect();
        Ok(Some(Self { parts, columns, texts, below, notes }))
    }

    /// Writes the table, below it the averages and, when wanted, the extremes, and a note for each counter that fell.
    ///
    /// # Errors
    ///
    /// Those of the writer; inside, those of the source.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<Result<(), Error>> {
        let Self { parts, columns, texts, below, notes } = self;
        columns.heading(out)?;
        let clock = columns.output.clock;
        let row = |row: Row<'_>, out: &mut dyn Write| {
            columns.row(columns.cells(&row, &clock.time_with_tenths(row.wall_ns)).iter(), out)
        };
        match texts.rows(columns.widths.len()) {
            Some(mut rows) => rows.try_for_each(|cells| columns.row(cells, out))?,
            None => {
                if let Err(error) = parts.each(&mut |table| table.rows().try_for_each(|one| row(one, out)))? {
                    return Ok(Err(error));
                }
            }
        }
        below.iter().try_for_each(|cells| columns.row(cells.iter(), out))?;
        notes.iter().try_for_each(|note| writeln!(out, "{note}"))?;
        Ok(Ok(()))
    }
}

/// That samples are missing, where a row is of more time than others.
fn gap_note(parts: &Parts<'_>, clock: &LocalClock) -> Option<String> {
    let gaps = parts.gaps();
    let (from, to) = gaps.iter().copied().max_by_key(|(from, to)| to.boot_ns.saturating_sub(from.boot_ns))?;
    let lasts = Quantity::new(to.boot_ns.saturating_sub(from.boot_ns) as f64, Unit::Nanos);
    let (from, to) = (clock.time_with_tenths(from.wall_ns), clock.time_with_tenths(to.wall_ns));
    Some(match gaps.len() {
        1 => format!("note: no samples from {from} to {to} ({lasts})"),
        many => format!("note: {many} gaps without samples, the longest from {from} to {to} ({lasts})"),
    })
}

/// The columns of a table with their widths.
#[derive(Debug)]
pub struct Columns<'a> {
    headings: Vec<Heading>,
    names: Vec<String>,
    widths: Vec<usize>,
    output: Output<'a>,
}

impl<'a> Columns<'a> {
    /// As wide as their names.
    pub fn of(parts: &Parts<'_>, output: Output<'a>) -> Self {
        let headings: Vec<Heading> = parts.headings().collect();
        let zone = output.clock.abbreviation(parts.begin().map_or(0, |stamp| stamp.wall_ns));
        let entity = parts.topic().entity().map(str::to_owned);
        let words = super::word_headings(parts.topic()).map(|heading| heading.name.to_owned());
        let numbers = headings.iter().map(|heading| heading.name.to_owned());
        let names: Vec<String> = [zone].into_iter().chain(entity).chain(words).chain(numbers).collect();
        let widths = names.iter().map(|name| words::width(name)).collect();
        Self { headings, names, widths, output }
    }

    /// The texts of a row, of which the first is given.
    pub fn cells(&self, row: &Row<'_>, first: &str) -> Cells {
        let mut cells =
            Cells { text: String::with_capacity(16 * self.widths.len()), ends: Vec::with_capacity(self.widths.len()) };
        cells.text.push_str(first);
        cells.end();
        if let Some(entity) = row.entity {
            cells.text.push_str(&words::clean(entity));
            cells.end();
        }
        for word in &row.words {
            cells.text.push_str(word.as_deref().unwrap_or("-"));
            cells.end();
        }
        for (value, heading) in row.cells.iter().zip(&self.headings) {
            self.output.numbers.push(*value, heading, &mut cells.text);
            cells.end();
        }
        cells
    }

    /// Makes room for texts.
    pub fn widen(&mut self, cells: &Cells) {
        for (width, text) in self.widths.iter_mut().zip(cells.iter()) {
            *width = words::width(text).max(*width);
        }
    }

    /// Writes the names of the columns.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn heading(&self, out: &mut dyn Write) -> io::Result<()> {
        self.line(self.names.iter().map(String::as_str), Tone::Dim, out)
    }

    /// Writes the texts of a row.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn row<'t>(&self, cells: impl Iterator<Item = &'t str>, out: &mut dyn Write) -> io::Result<()> {
        self.line(cells, Tone::Plain, out)
    }

    fn line<'t>(&self, cells: impl Iterator<Item = &'t str>, tone: Tone, out: &mut dyn Write) -> io::Result<()> {
        let left = self.widths.len() - self.headings.len();
        let all = self.widths.iter().sum::<usize>() + 2 * (self.widths.len() - 1);
        let gap = if all <= self.output.style.width { 2 } else { 1 };
        let mut line = String::with_capacity(all + 1);
        for (column, (text, width)) in cells.zip(&self.widths).enumerate() {
            let pad = width.saturating_sub(words::width(text));
            let before = if column < left { 0 } else { pad };
            line.extend(std::iter::repeat_n(' ', before));
            line.push_str(text);
            line.extend(std::iter::repeat_n(' ', pad - before + gap));
        }
        let line = line.trim_end();
        if tone == Tone::Plain {
            out.write_all(line.as_bytes())?;
            return out.write_all(b"\n");
        }
        writeln!(out, "{}", self.output.style.paint(tone, line))
    }
}
