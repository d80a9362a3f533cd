//! Text of `vmstat 1`, with `-t`, `-w` and `-a` or without.

use super::Options;
use super::clock::{SECOND, stamp};
use super::columns::{Section, VMSTAT, everything, gauges};
use super::dump::unstamped_start;
use super::gather::Gather;
use super::line::{Lines, each_line};
use pagetide_core::{Error, Table};
use std::io::BufRead;

/// The names that a header begins with.
const FIRST: [&str; 4] = ["r", "b", "swpd", "free"];

/// Whether a line is the header that names the columns, or the title above it.
pub(super) fn looks_like_header(line: &str) -> bool {
    is_title(line) || is_header(line)
}

fn is_title(line: &str) -> bool {
    let line = line.trim_start();
    (line.starts_with("procs") || line.starts_with("--procs--")) && line.contains("memory")
}

fn is_header(line: &str) -> bool {
    line.split_whitespace().take(FIRST.len()).eq(FIRST)
}

/// Reads text of vmstat.
pub(super) fn read<R: BufRead>(lines: &mut Lines<R>, gather: &mut Gather, options: &Options) -> Result<(), Error> {
    let mut reader = Reader { header: None, first: true, rows: 0 };
    gather.timed = false;
    gather.report.note("sizes are taken as KiB, vmstat's default, and swap traffic as pages of 4 KiB");
    each_line(lines, gather, |gather, number, line| {
        reader.line(gather, options, number, line);
        Ok(())
    })
}

/// The columns, and the zone above the stamps where there is one.
#[derive(Debug)]
struct Header {
    section: Section,
    zone: Option<String>,
}

#[derive(Debug)]
struct Reader {
    header: Option<Header>,
    /// Whether the next row is the first under a header.
    first: bool,
    rows: i64,
}

impl Reader {
    fn line(&mut self, gather: &mut Gather, options: &Options, number: u64, line: &str) {
        if line.trim().is_empty() || is_title(line) {
            return;
        }
        if is_header(line) {
            let known = |name: &&str| VMSTAT.iter().any(|meaning| meaning.of.contains(name));
            let names: Vec<&str> = line.split_whitespace().take_while(known).collect();
            let zone = line.split_whitespace().nth(names.len()).map(str::to_owned);
            self.header = Some(Header { section: Section::new(Table::Host, VMSTAT, &names), zone });
            self.first = true;
            return;
        }
        let Some(header) = &mut self.header else {
            return gather.report.skip(number, "no header says what these columns are");
        };
        let width = header.section.width();
        let mut rest = line;
        let mut values = Vec::with_capacity(width);
        for at in 0..width {
            let text = rest.trim_start();
            let end = text.find(char::is_whitespace).unwrap_or(text.len());
            match header.section.number(at, &text[..end]) {
                Some(value) => values.push(Some(value)),
                None => {
                    let name = header.section.name(at);
                    return gather.report.skip(number, format!("`{}` is not a number (column {name})", &text[..end]));
                }
            }
            rest = &text[end..];
        }
        let nanos = match (&header.zone, stamp(rest.trim_start())) {
            (Some(zone), Some((moment, _))) if let Some(date) = moment.date => {
                gather.dated = true;
                gather.timed = true;
                let utc = moment.offset.is_some() || zone == "UTC" || zone == "GMT";
                gather.local |= !utc;
                date.nanos() + moment.nanos - moment.offset.unwrap_or(if utc { 0 } else { options.offset() })
            }
            (None, None) if rest.trim().is_empty() => {
                let nth = self.rows.saturating_mul(options.spacing().unwrap_or(SECOND));
                unstamped_start(gather, options).saturating_add(nth)
            }
            _ => return gather.report.skip(number, "what follows the columns is no time"),
        };
        self.rows += 1;
        gather.at(nanos);
        // vmstat begins with averages since boot, and a header in the middle may be the begin of another run.
        let keep = if self.first { gauges } else { everything };
        header.section.row(gather, "", &values, keep);
        if self.first {
            gather.report.leave_out(number, "rates in the first row under a header: they may be averages since boot");
            self.first = false;
        }
    }
}
