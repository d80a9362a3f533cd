//! Text of `iostat`, with `-x` or without, of sysstat 9 to 12.

use super::banner::Banner;
use super::clock::{DatedClock, Moment, SECOND, SET_BACK, stamp};
use super::columns::{DISK, HOST, Section, everything};
use super::dump::unstamped_start;
use super::gather::Gather;
use super::line::{Lines, each_line};
use super::options::Options;
use super::sadf::GROUP;
use pagetide_core::{Error, Table};
use std::io::BufRead;

/// Whether a line names the columns of one of iostat's two tables.
pub(super) fn looks_like_header(line: &str) -> bool {
    line.trim_start().starts_with("avg-cpu:") || is_disk_header(line)
}

fn is_disk_header(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.clone().any(|word| word == "Device" || word == "Device:")
        && words.any(|word| DISK.iter().any(|column| column.of.contains(&word)))
}

/// Whether a header of disks is the first of a report: with `-h` there is one for reads, one for writes and so on.
fn is_first_of_report(line: &str) -> bool {
    line.split_whitespace().any(|word| word == "tps" || word == "r/s")
}

/// Reads text of iostat.
pub(super) fn read<R: BufRead>(lines: &mut Lines<R>, gather: &mut Gather, options: &Options) -> Result<(), Error> {
    let mut reader = Reader {
        table: None,
        reports: 0,
        all_reports: 0,
        seen: Seen::default(),
        time: None,
        clock: DatedClock::default(),
        back: false,
        name: None,
        indent: 0,
    };
    gather.timed = false;
    if options.begins_since_boot() {
        gather.report.note(
            "the first report of a run is read as averages since boot, which iostat prints first; `iostat -y` does not: give it \
             --first-report interval",
        );
    }
    each_line(lines, gather, |gather, number, line| reader.line(gather, options, number, line))
}

/// The parts of a report that were read already.
#[derive(Debug, Default)]
struct Seen {
    time: bool,
    cpu: bool,
    disks: bool,
}

#[derive(Debug)]
struct Reader {
    /// The table being read; the position of the device's name when it is that of the disks.
    table: Option<(Section, Option<usize>)>,
    /// Reports since iostat was started.
    reports: u64,
    all_reports: i64,
    seen: Seen,
    time: Option<i64>,
    clock: DatedClock,
    /// Whether the clock was set back before this report.
    back: bool,
    /// A device whose values come in the next line (`iostat -h` of sysstat 10 and 11).
    name: Option<String>,
    /// The blanks before the header of the disks.
    indent: usize,
}

impl Reader {
    fn line(&mut self, gather: &mut Gather, options: &Options, number: u64, line: &str) -> Result<(), Error> {
        if line.trim().is_empty() {
            gather.whole.end();
            return Ok(());
        }
        if let Some(banner) = Banner::parse(line) {
            banner.note_host(gather)?;
            self.reports = 0;
            self.seen = Seen { time: true, cpu: true, disks: true };
            self.table = None;
            self.clock = DatedClock::default();
        } else if line.trim_start().starts_with("avg-cpu:") {
            if self.seen.cpu || self.seen.disks || self.reports == 0 {
                self.begin(options);
            }
            self.seen.cpu = true;
            let names: Vec<&str> = line.split_whitespace().skip(1).collect();
            let section = Section::new(Table::Host, HOST, &names);
            section.note_unused(gather, None);
            self.table = Some((section, None));
        } else if is_disk_header(line) {
            if (self.seen.disks && is_first_of_report(line)) || self.reports == 0 {
                self.begin(options);
            }
            self.seen.disks = true;
            let names: Vec<&str> = line.split_whitespace().collect();
            let key = names.iter().position(|name| name.starts_with("Device"));
            let section = Section::new(Table::Disk, DISK, &names);
            section.note_unused(gather, key.map(|at| names[at]));
            self.table = Some((section, key));
            self.indent = indent(line);
        } else if let Some((moment, "")) = stamp(line.trim(), options.date_order) {
            self.begin(options);
            self.seen.time = true;
            self.time = moment_of(gather, options, moment);
            self.back = self.time.is_some_and(|nanos| self.clock.advance(nanos).is_err());
            if self.time.is_none() {
                gather.report.skip(number, "a time without a date");
            }
        } else {
            self.row(gather, options, number, line);
        }
        Ok(())
    }

    fn begin(&mut self, options: &Options) {
        self.reports += 1;
        // The averages since boot of a later run are left out, and take no time.
        if self.reports > 1 || self.all_reports == 0 || !options.begins_since_boot() {
            self.all_reports += 1;
        }
        self.seen = Seen::default();
        self.table = None;
        self.time = None;
        self.back = false;
        self.name = None;
    }

    fn row(&mut self, gather: &mut Gather, options: &Options, number: u64, line: &str) {
        let Some((section, key)) = &mut self.table else {
            return gather.report.skip(number, "no header names these columns");
        };
        if self.reports == 1 && options.begins_since_boot() {
            return gather.report.leave_out(number, "averages since boot (the first report)");
        }
        if self.back {
            return gather.report.skip(number, SET_BACK);
        }
        let key = *key;
        let joined;
        let line = match (key, self.name.take()) {
            (Some(0), Some(name))
                if line.split_whitespace().next().is_some_and(|word| section.number(1, word).is_some()) =>
            {
                joined = format!("{name} {}", line.trim_start());
                &joined
            }
            _ => line,
        };
        if key == Some(0) && line.split_whitespace().nth(1).is_none() && section.width() > 1 {
            self.name = Some(line.to_owned());
            return;
        }
        if is_group(section.width(), key, self.indent, line) {
            return gather.report.leave_out(number, GROUP);
        }
        let mut values = Vec::with_capacity(section.width());
        let mut entity = "";
        for (at, text) in line.split_whitespace().enumerate() {
            let value = if key == Some(at) || at >= section.width() { None } else { section.number(at, text) };
            if key == Some(at) {
                entity = text;
            } else if value.is_none() {
                return gather.report.skip(number, format!("`{text}` is not a number, or has no column"));
            }
            values.push(value);
        }
        if values.len() < section.width() {
            return gather.report.skip(number, "fewer values than columns");
        }
        let nanos = match self.time {
            Some(nanos) => nanos,
            None if self.seen.time => return gather.report.skip(number, "the report has no known time"),
            None => {
                let nth = (self.all_reports - 1).saturating_mul(options.spacing().unwrap_or(SECOND));
                unstamped_start(gather, options).saturating_add(nth)
            }
        };
        gather.at(nanos);
        section.row(gather, entity, &values, everything);
    }
}

/// Whether a row is that of a group, which `iostat -g` prints with a blank before its name; where names come last (`-h`), with one more.
fn is_group(width: usize, key: Option<usize>, header_indent: usize, line: &str) -> bool {
    match key {
        Some(0) => indent(line) > header_indent,
        Some(at) if at + 1 == width => {
            line.rfind(char::is_whitespace).is_some_and(|blank| line[..blank].ends_with(char::is_whitespace))
        }
        _ => false,
    }
}

/// The blanks before a line: an excerpt in a ticket has them before every line.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The time of a report. iostat prints date and time.
fn moment_of(gather: &mut Gather, options: &Options, moment: Moment) -> Option<i64> {
    let date = moment.date?;
    gather.guessed(moment.ambiguous);
    gather.dated = true;
    gather.timed = true;
    gather.local |= moment.offset.is_none();
    Some(date.nanos() + moment.nanos - moment.offset.unwrap_or_else(|| options.offset()))
}
