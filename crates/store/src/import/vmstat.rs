//! Text of `vmstat 1`, with `-t`, `-w` and `-a` or without.

use super::clock::{DatedClock, SECOND, SET_BACK, stamp};
use super::columns::{Section, VMSTAT, everything, gauges};
use super::dump::unstamped_start;
use super::gather::Gather;
use super::line::{Lines, each_line};
use super::number::scaled;
use super::options::Options;
use pagetide_core::{Bytes, Error, Table};
use std::io::BufRead;

/// The columns between those of memory and of CPUs, which no language translates.
const TRAFFIC: [&str; 4] = ["si", "so", "bi", "bo"];
/// Where they begin: before them are `r b swpd free buff cache`, or with `-a` `inact active` at the end.
const TRAFFIC_AT: usize = 6;

/// Whether a line is the header that names the columns, or the title above it.
pub(super) fn looks_like_header(line: &str) -> bool {
    is_title(line) || is_header(line)
}

fn is_title(line: &str) -> bool {
    let line = line.trim_start();
    (line.starts_with("procs") || line.starts_with("--procs--")) && line.contains("---")
}

fn is_header(line: &str) -> bool {
    line.split_whitespace().take(2).eq(["r", "b"])
        && line.split_whitespace().skip(TRAFFIC_AT).take(TRAFFIC.len()).eq(TRAFFIC)
}

/// The names of a header's columns. Translated names of memory columns are replaced by the English ones.
fn names(header: &str) -> Vec<&str> {
    let mut words: Vec<&str> = header.split_whitespace().collect();
    let lists = words.get(4).is_some_and(|word| word.starts_with("inact"));
    let memory = if lists { ["swpd", "free", "inact", "active"] } else { ["swpd", "free", "buff", "cache"] };
    for (word, name) in words.iter_mut().skip(2).zip(memory) {
        *word = name;
    }
    words
}

/// Reads text of vmstat.
pub(super) fn read<R: BufRead>(lines: &mut Lines<R>, gather: &mut Gather, options: &Options) -> Result<(), Error> {
    let mut reader = Reader { header: None, run: Run::default(), rows: 0, clock: DatedClock::default() };
    gather.timed = false;
    each_line(lines, gather, |gather, number, line| {
        reader.line(gather, options, number, line);
        Ok(())
    })?;
    in_their_unit(gather, options.vmstat_unit);
    Ok(())
}

/// Converts sizes that were read as KiB from their true unit (`-S`), which vmstat does not print. Memory is in whole pages, so a size in KiB
/// is a multiple of 4; one that is not shows that the unit is another.
fn in_their_unit(gather: &mut Gather, told: Option<Bytes>) {
    let sizes = || gather.lanes.iter().filter(|(key, _, _)| SIZES.contains(&key.name.as_str()));
    let in_pages = sizes().all(|(_, _, lane)| lane.values.iter().all(|bytes| bytes % 4096 == 0));
    let largest = sizes().flat_map(|(_, _, lane)| &lane.values).max().copied().unwrap_or(0) / 1024;
    let (unit, name) = match told {
        Some(unit) => (i64::try_from(unit.get()).unwrap_or(i64::MAX), "as told"),
        None if in_pages => (1024, "KiB, vmstat's default"),
        None if largest >= LARGEST_MIB => (1000, "kB (-S k), because they are not multiples of 4 KiB"),
        None => (
            1 << 20,
            "MiB (-S M), because they are not multiples of 4 KiB; for `-S m` (10^6 bytes) give --vmstat-unit 1MB",
        ),
    };
    gather
        .report
        .note(format!("sizes are read as {name} (--vmstat-unit overrides this), swap traffic as pages of 4 KiB"));
    if unit != 1024 {
        let lanes = gather.lanes.iter_mut().filter(|(key, _, _)| {
            SIZES.contains(&key.name.as_str()) || matches!(key.name.as_str(), "pswpin" | "pswpout")
        });
        for value in lanes.flat_map(|(_, _, lane)| &mut lane.values) {
            *value = scaled(*value, unit, 1024).unwrap_or(i64::MAX);
        }
    }
}

/// The columns whose unit `-S` sets, without swap traffic.
const SIZES: [&str; 6] = ["swap_used", "MemFree", "Buffers", "cache_and_slab", "Inactive", "Active"];

/// More MiB than any host has free or as cache; so many kB are a small host.
const LARGEST_MIB: i64 = 2 << 20;

/// The columns, and the zone above the stamps, if any.
#[derive(Debug)]
struct Header {
    section: Section,
    zone: Option<String>,
}

#[derive(Debug)]
struct Reader {
    header: Option<Header>,
    run: Run,
    rows: i64,
    clock: DatedClock,
}

/// The columns that are averages over the interval, not gauges.
const AVERAGES: [&str; 11] = ["si", "so", "bi", "bo", "in", "cs", "us", "sy", "id", "wa", "st"];

/// vmstat's page is the terminal's height less three rows, and 21 rows in a file (procps: `winhi`). No terminal is smaller than this.
const SMALLEST_PAGE: u32 = 8;
/// Averages since boot of two runs on one host differ by less than 1/20, or by less than 2.0 (in millionths).
const SAME_AVERAGE: (i64, i64) = (20, 2_000_000);

/// The state of a run of vmstat, which begins with averages since boot and repeats its header on each page.
#[derive(Debug, Default)]
struct Run {
    /// Rows of it, and rows of its first page when a second began.
    rows: u32,
    page: Option<u32>,
    /// Whether a header came after the last row.
    headed: bool,
    /// Its first row, the averages since boot.
    since_boot: Vec<Option<i64>>,
}

impl Run {
    /// Whether a row is the first of a run. A header in the middle begins the next page when all pages before it have the same length, one
    /// that a terminal may have, and the row below is not the averages since boot again.
    fn begins(&mut self, values: &[Option<i64>], averages: impl Iterator<Item = usize>) -> bool {
        let page = self.page.unwrap_or(self.rows);
        let is_page = page >= SMALLEST_PAGE && self.rows.is_multiple_of(page);
        let same = |at: usize| match (values.get(at).copied().flatten(), self.since_boot.get(at).copied().flatten()) {
            (Some(one), Some(other)) => (one - other).abs() <= (one.max(other) / SAME_AVERAGE.0).max(SAME_AVERAGE.1),
            _ => true,
        };
        let again = !self.since_boot.is_empty() && averages.into_iter().all(same);
        let first = self.rows == 0 || (self.headed && (!is_page || again));
        if first {
            *self = Self { rows: 0, page: None, headed: false, since_boot: values.to_vec() };
        } else if self.headed {
            self.page = Some(page);
        }
        self.headed = false;
        self.rows += 1;
        first
    }
}

impl Reader {
    fn line(&mut self, gather: &mut Gather, options: &Options, number: u64, line: &str) {
        if line.trim().is_empty() || is_title(line) {
            return;
        }
        if is_header(line) {
            let known = |name: &&str| VMSTAT.iter().any(|meaning| meaning.of.contains(name));
            let words = names(line);
            let names: Vec<&str> = words.iter().copied().take_while(known).collect();
            let zone = words.get(names.len()).map(|zone| (*zone).to_owned());
            self.header = Some(Header { section: Section::new(Table::Host, VMSTAT, &names), zone });
            self.run.headed = true;
            return;
        }
        let Some(header) = &mut self.header else {
            return gather.report.skip(number, "no header names these columns");
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
        let nanos = match (&header.zone, stamp(rest.trim_start(), options.date_order)) {
            (Some(zone), Some((moment, _))) if let Some(date) = moment.date => {
                gather.guessed(moment.ambiguous);
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
            _ => return gather.report.skip(number, "the text after the columns is not a time"),
        };
        if header.zone.is_some() && self.clock.advance(nanos).is_err() {
            return gather.report.skip(number, SET_BACK);
        }
        self.rows += 1;
        gather.at(nanos);
        let averages = (0..width).filter(|at| AVERAGES.contains(&header.section.name(*at)));
        let since_boot = self.run.begins(&values, averages) && options.begins_since_boot();
        header.section.row(gather, "", &values, if since_boot { gauges } else { everything });
        if since_boot {
            gather.report.leave_out(number, "rates in the first row of a run: they may be averages since boot");
        }
    }
}
