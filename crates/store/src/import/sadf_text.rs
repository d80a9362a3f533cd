//! Text of `sadf -d` (sar's tables, separated by semicolons) and of `sadf -p` (a line for each value).

use super::banner::one_host;
use super::clock::{DatedClock, SET_BACK, stamp, unknown_zone, zone_offset};
use super::columns::{DISK, HOST, Section, everything};
use super::gather::{Event, Gather};
use super::line::{Lines, each_line};
use super::options::Options;
use pagetide_core::{Error, LOG_COMMENT, LOG_HOST_STARTED, Table};
use std::collections::HashMap;
use std::io::BufRead;

/// What the header of a table of `sadf -d` begins with.
const HEADER: &str = "# hostname;interval;timestamp;";

/// Marks of lines without values: the host was restarted, or somebody left a comment.
const RESTART: &str = "LINUX-RESTART";
const COMMENT: &str = "COM";
/// The column of a header that stands for all CPUs together and each of them (`sadf -d -- -I`).
const PER_CPU: &str = "CPU*";

/// Whether a line is the header of a table of `sadf -d`, or a line of `sadf -p`.
pub(super) fn looks_like_line(line: &str) -> bool {
    line.starts_with(HEADER) || value_line(line).is_some()
}

/// Whether a line is a restart or a comment.
pub(super) fn looks_like_mark(line: &str) -> bool {
    let separator = if line.contains(';') { ';' } else { '\t' };
    let fields: Vec<&str> = line.split(separator).collect();
    let [_, _, time, what, ..] = fields[..] else { return false };
    stamp(time, None).is_some() && (what.starts_with(RESTART) || what == COMMENT)
}

/// Host, time, what it is about, column and value of a line of `sadf -p`.
fn value_line(line: &str) -> Option<[&str; 5]> {
    let [host, interval, time, about, column, value] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
    let whole = interval.parse::<i64>().is_ok() && stamp(time, None).is_some();
    whole.then_some([host, time, about, column, value])
}

/// Reads text of `sadf -d` and `-p`.
pub(super) fn read<R: BufRead>(lines: &mut Lines<R>, gather: &mut Gather, options: &Options) -> Result<(), Error> {
    let mut reader = Reader {
        options,
        table: None,
        many: false,
        header: String::new(),
        clocks: HashMap::new(),
        row: Row::default(),
        sections: HashMap::new(),
    };
    each_line(lines, gather, |gather, number, line| reader.line(gather, number, line))?;
    reader.end_row(gather);
    for section in reader.table.iter().chain(reader.sections.values()) {
        section.note_unused(gather, None);
    }
    Ok(())
}

/// The values of `sadf -p` that belong together: of one time and of one thing.
#[derive(Debug, Default)]
struct Row {
    nanos: i64,
    about: String,
    names: Vec<String>,
    values: Vec<String>,
    line: u64,
    /// Whether its time is before that of the activity's previous row.
    set_back: bool,
}

#[derive(Debug)]
struct Reader<'a> {
    options: &'a Options,
    /// The table of `sadf -d` that is being read.
    table: Option<Section>,
    /// Whether its rows have more values than columns: one for each CPU after the one for all.
    many: bool,
    /// The header of that table.
    header: String,
    /// The clock of each table, by its header or, of `sadf -p`, by what its lines are about and their column.
    clocks: HashMap<String, DatedClock>,
    row: Row,
    /// For `sadf -p`, by the names of a row's columns.
    sections: HashMap<String, Section>,
}

/// What the rows of a table are about, by the text before their numbers.
fn about(column: &str, text: &str) -> Result<(Table, String), String> {
    match (column, text) {
        ("DEV", device) => Ok((Table::Disk, device.to_owned())),
        ("CPU", "-1" | "all") | ("", _) => Ok((Table::Host, String::new())),
        ("CPU", cpu) if cpu.bytes().all(|byte| byte.is_ascii_digit()) => Ok((Table::Cpu, cpu.to_owned())),
        ("INTR", "-1" | "sum") => Ok((Table::Host, String::new())),
        (other, _) => Err(format!("not part of a recording: {other}")),
    }
}

impl Reader<'_> {
    fn line(&mut self, gather: &mut Gather, number: u64, line: &str) -> Result<(), Error> {
        if let Some(names) = line.strip_prefix(HEADER) {
            if names.contains("[...]") {
                gather.report.skip(number, "several devices on one line (sadf -h): run sadf without -h");
                self.table = None;
                return Ok(());
            }
            names.clone_into(&mut self.header);
            let mut names: Vec<&str> = names.split(';').collect();
            if names.ends_with(&[PER_CPU]) {
                names.pop();
                names.push("all");
            }
            self.many = names.ends_with(&["all"]);
            let meanings = if names[0] == "DEV" { DISK } else { HOST };
            let table = if names[0] == "DEV" { Table::Disk } else { Table::Host };
            self.table = Some(Section::new(table, meanings, &names));
            return Ok(());
        }
        if let Some([host, time, about, column, value]) = value_line(line) {
            one_host(gather, host)?;
            self.value(gather, number, time, [about, column, value]);
            return Ok(());
        }
        // Restarts and comments have tabs in sadf -p, too.
        let separator = if line.contains(";") { ';' } else { '\t' };
        let fields: Vec<&str> = line.split(separator).collect();
        let [host, _, time, rest @ ..] = &fields[..] else {
            if !line.trim().is_empty() {
                gather.report.skip(number, "not a line of sadf -d or -p");
            }
            return Ok(());
        };
        one_host(gather, host)?;
        let Some(nanos) = self.moment(gather, number, time) else { return Ok(()) };
        match rest {
            [restart, ..] if restart.starts_with(RESTART) => {
                gather.event(nanos, Event::Note(LOG_HOST_STARTED.to_owned()));
            }
            [COMMENT, comment @ ..] => {
                gather.event(nanos, Event::Note(format!("{}{}", LOG_COMMENT, comment.join(";"))))
            }
            _ if !self.goes_on(&self.header.clone(), nanos) => gather.report.skip(number, SET_BACK),
            _ => self.table_row(gather, number, nanos, rest),
        }
        Ok(())
    }

    /// Whether the clock of a table has not been set back.
    fn goes_on(&mut self, table: &str, nanos: i64) -> bool {
        if !self.clocks.contains_key(table) {
            self.clocks.insert(table.to_owned(), DatedClock::default());
        }
        self.clocks.get_mut(table).is_none_or(|clock| clock.advance(nanos).is_ok())
    }

    /// The moment of a line; it says its zone, or has seconds since 1970.
    fn moment(&self, gather: &mut Gather, number: u64, text: &str) -> Option<i64> {
        // A zone follows day and time.
        let parted = text.rsplit_once(' ').filter(|(before, _)| before.contains(' '));
        let (time, zone) = parted.map_or((text, None), |(before, zone)| (before, Some(zone)));
        let Some((moment, "")) = stamp(time, self.options.date_order) else {
            gather.report.skip(number, "a time is expected here");
            return None;
        };
        let named = moment.offset.or(self.options.utc_offset);
        let offset = match named.or_else(|| zone_offset(zone?, moment.date.or(self.options.date()))) {
            Some(offset) => offset,
            None if zone.is_none() => {
                gather.local = true;
                0
            }
            None => {
                gather.report.skip(number, unknown_zone(zone.unwrap_or_default()));
                return None;
            }
        };
        let date = moment.date.or(self.options.date());
        gather.dated |= date.is_some();
        gather.guessed(moment.ambiguous);
        Some(date.map_or(0, super::Date::nanos) + moment.nanos - offset)
    }

    fn table_row(&mut self, gather: &mut Gather, number: u64, nanos: i64, fields: &[&str]) {
        let Some(section) = &mut self.table else {
            return gather.report.skip(number, "no header names these columns");
        };
        let fields = if self.many { &fields[..fields.len().min(section.width())] } else { fields };
        if fields.len() != section.width() {
            return gather.report.skip(number, "not as many values as columns");
        }
        let key = section.name(0).to_owned();
        let key = if key.bytes().all(|byte| byte.is_ascii_uppercase()) { key.as_str() } else { "" };
        match about(key, fields[0]) {
            Err(place) => gather.report.leave_out(number, &place),
            Ok(_) if !section.is_known() => {
                let place = format!("not part of a recording: {}", section.name(0));
                gather.report.leave_out(number, &place);
            }
            Ok((table, entity)) => {
                let values: Vec<Option<i64>> =
                    fields.iter().enumerate().map(|(at, text)| section.number(at, text)).collect();
                if let Some(at) = (0..values.len()).find(|at| values[*at].is_none() && section.uses(*at)) {
                    let reason = format!("`{}` is not a number (column {})", fields[at], section.name(at));
                    return gather.report.skip(number, reason);
                }
                gather.at(nanos);
                section.row_of(gather, (table, &entity), &values, everything);
            }
        }
    }

    fn value(&mut self, gather: &mut Gather, number: u64, time: &str, [about, column, value]: [&str; 3]) {
        let Some(nanos) = self.moment(gather, number, time) else { return };
        if (nanos, about) != (self.row.nanos, self.row.about.as_str()) {
            self.end_row(gather);
            // Its first column names the activity: later ones may have the name of another's (`retrans/s` of NFS and of TCP).
            let set_back = !self.goes_on(&format!("{about}\t{column}"), nanos);
            self.row = Row { nanos, about: about.to_owned(), line: number, set_back, ..Row::default() };
        }
        if self.row.set_back {
            return gather.report.skip(number, SET_BACK);
        }
        self.row.names.push(column.to_owned());
        self.row.values.push(value.to_owned());
    }

    /// Stores what was read of one time and one thing.
    fn end_row(&mut self, gather: &mut Gather) {
        let Row { nanos, about: named, names, values, line, .. } = std::mem::take(&mut self.row);
        if names.is_empty() {
            return;
        }
        let is_cpu = named.strip_prefix("cpu").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        let (table, meanings, entity) = match named.as_str() {
            "-" | "all" | "sum" => (Table::Host, HOST, ""),
            cpu if is_cpu => (Table::Cpu, HOST, cpu.trim_start_matches("cpu")),
            device => (Table::Disk, DISK, device),
        };
        let key = format!("{} {}", table.name(), names.join(" "));
        let section = self.sections.entry(key).or_insert_with(|| Section::new(table, meanings, &names));
        if !section.is_known() {
            return gather.report.leave_out(line, &format!("not part of a recording: {}", names[0]));
        }
        let values: Vec<Option<i64>> = values.iter().enumerate().map(|(at, text)| section.number(at, text)).collect();
        gather.at(nanos);
        section.row(gather, entity, &values, everything);
    }
}
