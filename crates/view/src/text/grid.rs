//! Tables in columns.

use super::{Style, words};
use crate::table::{Align, Cell, Row, Table, Tone};
use std::io::{self, Write};

/// A column of words is not made narrower than this.
const NARROWEST: usize = 12;

impl Table {
    /// Writes the table in columns: numbers end below each other, words wrap when the line is too short for them.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn draw(&self, style: Style, out: &mut dyn Write) -> io::Result<()> {
        self.draw_indented(style, 0, out)
    }

    /// The table as a text.
    pub fn to_text(&self, style: Style) -> String {
        let mut out = Vec::new();
        // Writing to memory does not fail.
        let _ = self.draw(style, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    pub(super) fn draw_indented(&self, style: Style, indent: usize, out: &mut dyn Write) -> io::Result<()> {
        let style = Style { width: style.width.saturating_sub(indent), ..style };
        let (widths, gap) = self.widths(style.width);
        let margin = " ".repeat(indent);
        let grid = Grid { table: self, grouped: self.is_grouped(), widths: &widths, gap, style, margin: &margin };
        grid.head(out)?;
        for row in &self.rows {
            match row {
                Row::Group { name, what } => {
                    let name = words::clean(name);
                    let first = format!("{margin}{}  ", style.paint(Tone::Strong, &name));
                    let rest = " ".repeat(indent + words::width(&name) + 2);
                    words::wrapped(out, style.width + indent, &first, &rest, what)?;
                }
                Row::Cells(cells) => grid.row(cells, out)?,
            }
        }
        if !self.note.is_empty() {
            writeln!(out)?;
            words::wrapped(out, style.width + indent, &margin, &margin, &self.note)?;
        }
        Ok(())
    }

    /// Whether rows stand under headings of their own, and so further in.
    fn is_grouped(&self) -> bool {
        self.rows.iter().any(|row| matches!(row, Row::Group { .. }))
    }

    /// The width of each column and of the gap between them: as wide as the content asks for, then with narrower gaps,
    /// then with the widest columns of words wrapped.
    fn widths(&self, room: usize) -> (Vec<usize>, usize) {
        let mut widths: Vec<usize> =
            self.columns.iter().map(|c| head(c).map(|line| words::width(&line)).max().unwrap_or(0)).collect();
        let grouped = self.is_grouped();
        for row in &self.rows {
            let Row::Cells(cells) = row else { continue };
            for (index, (width, cell)) in widths.iter_mut().zip(cells).enumerate() {
                let indent = if grouped && index == 0 { 2 } else { 0 };
                *width = (*width).max(words::width(&cell.text) + indent);
            }
        }
        let total = |widths: &[usize], gap: usize| widths.iter().sum::<usize>() + gap * widths.len().saturating_sub(1);
        let gap = if total(&widths, 2) <= room { 2 } else { 1 };
        let narrowest: Vec<usize> = (0..widths.len()).map(|column| self.narrowest(column, room)).collect();
        while total(&widths, gap) > room {
            let wordy = widths.iter_mut().zip(&narrowest).filter(|(width, narrowest)| **width > **narrowest);
            let Some((widest, _)) = wordy.max_by_key(|(width, _)| **width) else { break };
            *widest -= 1;
        }
        (widths, gap)
    }

    /// The width below which a column is not made narrower: numbers do not wrap, nor does a word, unless it is so long that it would take
    /// the room of the others.
    fn narrowest(&self, column: usize, room: usize) -> usize {
        if self.columns[column].align == Align::Right {
            return usize::MAX;
        }
        let cells = self.rows.iter().filter_map(|row| match row {
            Row::Cells(cells) => cells.get(column),
            Row::Group { .. } => None,
        });
        let words = cells.flat_map(|cell| cell.text.split_whitespace()).map(words::width);
        words.max().unwrap_or(0).min(room / 3).max(NARROWEST)
    }
}

/// The lines of a column's heading.
fn head(column: &crate::table::Column) -> impl Iterator<Item = String> {
    let unit = (!column.unit.is_empty()).then(|| column.unit.clone());
    column.head.split('\n').map(words::clean).collect::<Vec<_>>().into_iter().chain(unit)
}

struct Grid<'a> {
    table: &'a Table,
    grouped: bool,
    widths: &'a [usize],
    gap: usize,
    style: Style,
    margin: &'a str,
}

impl Grid<'_> {
    fn head(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns: Vec<Vec<String>> = self.table.columns.iter().map(|column| head(column).collect()).collect();
        let height = columns.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            // Shorter headings stand on the last line.
            let cells =
                columns.iter().map(|lines| (line + lines.len()).checked_sub(height).map_or("", |at| &lines[at]));
            let tones = std::iter::repeat(Tone::Dim);
            self.line(cells.zip(tones), out)?;
        }
        Ok(())
    }

    fn row(&self, cells: &[Cell], out: &mut dyn Write) -> io::Result<()> {
        let columns: Vec<(Vec<String>, Tone)> = self
            .widths
            .iter()
            .enumerate()
            .map(|(index, width)| {
                let cell = cells.get(index).cloned().unwrap_or_default();
                let indent = if self.grouped && index == 0 { 2 } else { 0 };
                let mut lines = match self.table.columns[index].align {
                    Align::Left => words::lines(&cell.text, width.saturating_sub(indent)),
                    Align::Right => vec![words::clean(&cell.text)],
                };
                lines.iter_mut().for_each(|line| line.insert_str(0, &" ".repeat(indent)));
                (lines, cell.tone)
            })
            .collect();
        let height = columns.iter().map(|(lines, _)| lines.len()).max().unwrap_or(0);
        for line in 0..height {
            self.line(columns.iter().map(|(lines, tone)| (lines.get(line).map_or("", String::as_str), *tone)), out)?;
        }
        Ok(())
    }

    fn line<'t>(&self, cells: impl Iterator<Item = (&'t str, Tone)>, out: &mut dyn Write) -> io::Result<()> {
        let mut text = self.margin.to_owned();
        let mut blank = 0;
        for (index, ((cell, tone), width)) in cells.zip(self.widths).enumerate() {
            let pad = width.saturating_sub(words::width(cell));
            let (before, after) = match self.table.columns[index].align {
                Align::Left => (0, pad),
                Align::Right => (pad, 0),
            };
            if !cell.is_empty() {
                text.push_str(&" ".repeat(blank + before));
                text.push_str(&self.style.paint(tone, cell));
                blank = 0;
            } else {
                blank += before;
            }
            blank += after + self.gap;
        }
        writeln!(out, "{}", text.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style { colour: false, width: 44 };

    #[test]
    fn numbers_end_below_each_other_and_words_wrap() {
        let mut table = Table::new().left("setting").right("now").unit("pages").left("meaning");
        table.row(["a".into(), "1".into(), "short".into()]);
        table.row(["vm.dirty_ratio".into(), "1 234".into(), "part of dirtyable memory at which writers stop".into()]);
        assert_eq!(
            table.to_text(PLAIN),
            "                 now\n\
             setting        pages meaning\n\
             a                  1 short\n\
             vm.dirty_ratio 1 234 part of dirtyable\n\
             \x20                    memory at which writers\n\
             \x20                    stop\n"
        );
    }

    #[test]
    fn a_column_is_as_wide_as_its_longest_word_so_that_numbers_end_below_each_other() {
        let mut table = Table::new().left("from").left("cause").right("lost").left("origin");
        let row = |cause: &'static str, lost: &'static str| {
            ["2026-11-28 01:44:44".into(), cause.into(), lost.into(), "process:sh disk:vdb".into()]
        };
        table.row(row("dirty-throttled", "8.70 s"));
        table.row(row("anonymous-takes-cache", "12.5 s"));
        assert_eq!(
            table.to_text(Style { colour: false, width: 64 }),
            "from              cause                   lost origin\n\
             2026-11-28        dirty-throttled       8.70 s process:sh\n\
             01:44:44                                       disk:vdb\n\
             2026-11-28        anonymous-takes-cache 12.5 s process:sh\n\
             01:44:44                                       disk:vdb\n"
        );
    }

    #[test]
    fn a_terminal_is_not_given_orders() {
        let mut table = Table::new().left("process");
        table.row(["\x1b[2Jevil\r\nname".into()]);
        assert!(!table.to_text(PLAIN).contains(['\x1b', '\r']));
    }
}
