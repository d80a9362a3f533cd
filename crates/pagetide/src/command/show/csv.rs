//! The comma-separated values of a table.

use crate::recordings;
use pagetide_core::{Error, printable};
use pagetide_view::show::{Parts, Row, word_headings};
use std::io::{self, Write};

/// Writes a table. Gives whether it has a row.
pub(super) fn write(shown: &Parts<'_>, out: &mut dyn Write) -> io::Result<Result<bool, Error>> {
    heading(shown, out)?;
    let mut any = false;
    let written = shown.each(&mut |table| {
        table.rows().try_for_each(|row| {
            any = true;
            self::row(&row, out)
        })
    })?;
    Ok(written.map(|()| any))
}

/// Writes the names of the columns.
pub(super) fn heading(shown: &Parts<'_>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "time")?;
    let words = word_headings(shown.topic()).map(|heading| heading.name);
    for name in shown.topic().entity().into_iter().chain(words).chain(shown.headings().map(|heading| heading.name)) {
        write!(out, ",{name}")?;
    }
    writeln!(out)
}

/// Writes a row.
pub(super) fn row(row: &Row<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(recordings::timestamp(row.wall_ns).as_bytes())?;
    if let Some(entity) = row.entity {
        write!(out, ",\"{}\"", printable(entity).replace('"', "\"\""))?;
    }
    for word in &row.words {
        write!(out, ",\"{}\"", printable(word.as_deref().unwrap_or_default()).replace('"', "\"\""))?;
    }
    for value in &row.cells {
        match value {
            Some(value) => write!(out, ",{value}")?,
            None => out.write_all(b",")?,
        }
    }
    out.write_all(b"\n")
}
