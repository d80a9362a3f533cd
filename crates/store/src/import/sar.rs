//! Text of `sar`, of sysstat 9 to 12, in any locale, of one or several days; and of `mpstat` and `pidstat`, which print as sar does.
//!
//! A table begins with a header that names its columns and is repeated on each page. Rows have only a time of day, so each table counts the
//! midnights by itself, from the date of the banner on.

use super::banner::Banner;
use super::clock::{Backwards, Date, DatedClock, DayClock, Moment, SET_BACK, TimeOfDay, epoch_seconds, time_of_day};
use super::columns::{DISK, HOST, PROCESS, Section, everything, gauges};
use super::gather::{Event, Gather};
use super::line::{Lines, each_line};
use super::options::Options;
use pagetide_core::{Error, LOG_COMMENT, LOG_HOST_STARTED, Table};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufRead;

/// Columns that say what a row is about. Only disks, CPUs, processes and the sum of interrupts have a place in a recording.
const KEYS: &[&str] = &[
    "DEV",
    "CPU",
    "IFACE",
    "TTY",
    "INTR",
    "FILESYSTEM",
    "MOUNTPOINT",
    "BUS",
    "FAN",
    "TEMP",
    "IN",
    "FCHOST",
    "BAT",
    "NODE",
    "TGID",
    "PID",
];

/// Columns of `mpstat -T` that the row of all CPUs leaves empty.
const TOPOLOGY: [&str; 3] = ["CORE", "SOCK", "NODE"];

/// What the rows of a table are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    Host,
    /// The CPUs, by the column at this position; `all` is the host.
    Cpu(usize),
    /// NUMA nodes, by the column at this position; `all` is the host.
    Node(usize),
    /// Interrupts, by the column at this position; `sum` is the host.
    Interrupt(usize),
    /// Disks, by the column at this position.
    Disk(usize),
    /// Processes, by the column of their id at this position; their command is the last column.
    Process(usize),
    /// Something that is not recorded.
    Other,
}

#[derive(Debug)]
struct SarTable {
    section: Section,
    about: About,
    /// Columns after the key that only rows of single CPUs have (`mpstat -T`).
    topology: usize,
    clock: DayClock,
    /// For rows with seconds since 1970.
    since_1970: DatedClock,
    /// The time in its last header. Rows with the same time cover no interval: they are averages since boot.
    begun: Option<i64>,
    /// Why its rows are left out, if they are.
    place: String,
}

/// The day that rows are on.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Day {
    /// There was no date: times count from the midnight of an unknown day.
    Unknown,
    /// The date of a banner. How to read it depends on whether the clock has 12 hours, which the first time shows.
    Printed(Banner),
    /// Midnight, in nanoseconds since 1970-01-01 UTC.
    Known(i64),
    /// A date could not be read, in a file where others could.
    Lost,
}

/// Reads sar's text.
pub(super) fn read<R: BufRead>(lines: &mut Lines<R>, gather: &mut Gather, options: &Options) -> Result<(), Error> {
    let day = options.date().map_or(Day::Unknown, |date| Day::Known(date.nanos() - options.offset()));
    gather.dated = options.day.is_some();
    let mut reader = Reader {
        tables: Vec::new(),
        known: HashMap::new(),
        current: None,
        day,
        values: Vec::new(),
        without_begin: false,
    };
    each_line(lines, gather, |gather, number, line| reader.line(gather, options, number, line))?;
    reader.say_unused(gather);
    if reader.without_begin && options.begins_since_boot() {
        gather.only_report();
    }
    Ok(())
}

#[derive(Debug)]
struct Reader {
    tables: Vec<SarTable>,
    /// Tables by their header.
    known: HashMap<String, usize>,
    current: Option<usize>,
    day: Day,
    values: Vec<Option<i64>>,
    /// Whether there was a header without the time at which its interval begins (`pidstat -h`).
    without_begin: bool,
}

impl Reader {
    fn line(&mut self, gather: &mut Gather, options: &Options, number: u64, line: &str) -> Result<(), Error> {
        // Excerpts in reports and tickets are often indented.
        let line = line.trim_start();
        if line.is_empty() {
            gather.whole.end();
            return Ok(());
        }
        if let Some(banner) = Banner::parse(line) {
            banner.note_host(gather)?;
            self.day = Day::Printed(banner);
            self.current = None;
            self.tables.iter_mut().for_each(|table| table.clock = DayClock::default());
            return Ok(());
        }
        if let Some(names) = all_columns(line) {
            self.without_begin = true;
            self.header(names, None);
            return Ok(());
        }
        if let Some((moment, rest)) = epoch_seconds(line) {
            self.since_1970(gather, number, moment, rest);
            return Ok(());
        }
        let Some(time) = time_and_zone(line) else {
            if line.split_whitespace().take(3).any(|word| word.ends_with([':', '：'])) {
                gather.report.leave_out(number, "averages over the whole time");
            } else {
                gather.report.skip(number, "neither a row, a header nor an average of sar");
            }
            return Ok(());
        };
        let Some(midnight) = self.midnight(gather, options, number, time.twelve_hours) else {
            gather.report.skip(number, "the day is unknown");
            return Ok(());
        };
        if let Some(text) = special(time.rest) {
            let mut clock = self.current.map(|at| self.tables[at].clock.clone()).unwrap_or_default();
            if let Ok(nanos) = clock.advance(time.nanos) {
                gather.event(midnight + nanos, Event::Note(text));
            }
        } else if is_header(time.rest) {
            let table = self.header(time.rest, Some(time.nanos));
            // The time of a header is that of the row before it, or of the start: a row that is earlier is past a midnight.
            let _ = table.clock.advance(time.nanos);
        } else if let Some(table) = self.table(gather, number) {
            match table.clock.advance(time.nanos) {
                Ok(nanos) => {
                    let since_boot = table.begun == Some(time.nanos);
                    gather.local = true;
                    self.row(gather, number, midnight + nanos, since_boot, time.rest);
                }
                Err(Backwards) => gather.report.skip(number, SET_BACK),
            }
        }
        Ok(())
    }

    /// A line with seconds since 1970 (`pidstat -H`).
    fn since_1970(&mut self, gather: &mut Gather, number: u64, moment: Moment, rest: &str) {
        let nanos = moment.date.map_or(0, Date::nanos) + moment.nanos;
        if is_header(rest) {
            self.header(rest, Some(nanos));
        } else if let Some(table) = self.table(gather, number) {
            if table.since_1970.advance(nanos).is_err() {
                return gather.report.skip(number, SET_BACK);
            }
            let since_boot = table.begun == Some(nanos);
            gather.dated = true;
            self.row(gather, number, nanos, since_boot, rest);
        }
    }

    /// The table that is being read; a line without one is reported.
    fn table(&mut self, gather: &mut Gather, number: u64) -> Option<&mut SarTable> {
        if self.current.is_none() {
            gather.report.skip(number, "no header names these columns");
        }
        self.tables.get_mut(self.current?)
    }

    /// The midnight that times count from; absent when the file has dates and this one is not understood.
    fn midnight(&mut self, gather: &mut Gather, options: &Options, number: u64, twelve_hours: bool) -> Option<i64> {
        if let Day::Printed(banner) = &self.day {
            let date = banner.date(gather, twelve_hours, options.date_order);
            self.day = match date.or(options.date()) {
                Some(date) => {
                    if !gather.dated && gather.report.values > 0 {
                        gather.forget();
                        gather.report.leave_out(1, "lines before the first date");
                        gather.report.note(format!("lines 1 to {} come before the first date", number - 1));
                    }
                    gather.dated = true;
                    Day::Known(date.nanos() - options.offset())
                }
                None if gather.dated => Day::Lost,
                None => Day::Unknown,
            };
        }
        match self.day {
            Day::Known(midnight) => Some(midnight),
            Day::Unknown => Some(0),
            Day::Lost | Day::Printed(_) => None,
        }
    }

    /// A header, with the moment at which the interval of the rows under it begins.
    fn header(&mut self, names: &str, begun: Option<i64>) -> &mut SarTable {
        let key = names.trim();
        let at = match self.known.get(key) {
            Some(at) => *at,
            None => {
                self.known.insert(key.to_owned(), self.tables.len());
                self.tables.push(SarTable::under(key));
                self.tables.len() - 1
            }
        };
        self.current = Some(at);
        let table = &mut self.tables[at];
        table.begun = begun;
        table
    }

    fn row(&mut self, gather: &mut Gather, number: u64, nanos: i64, since_boot: bool, row: &str) {
        let Some(table) = self.current.and_then(|at| self.tables.get_mut(at)) else { return };
        let named = table.about.key().and_then(|at| row.split_whitespace().nth(at)).unwrap_or("");
        let (kind, entity) = match (table.about, named) {
            (About::Host, _) | (About::Cpu(_) | About::Node(_), "all") | (About::Interrupt(_), "sum") => {
                (Table::Host, "")
            }
            (About::Cpu(_), cpu) if cpu.bytes().all(|byte| byte.is_ascii_digit()) => (Table::Cpu, cpu),
            (About::Disk(_), disk) => (Table::Disk, disk),
            (About::Process(_), process) => (Table::Process, process),
            _ => return gather.report.leave_out(number, &table.place),
        };
        if since_boot {
            gather.report.leave_out(number, "averages since boot (the row has the time of its header)");
        }
        let beside = if kind == Table::Cpu { table.topology } else { 0 };
        match numbers(&table.section, table.about, beside, row, &mut self.values) {
            Ok(command) => {
                let entity = match command {
                    Some(command) => Cow::Owned(gather.process(entity, command)),
                    None => Cow::Borrowed(entity),
                };
                gather.at(nanos);
                let keep = if since_boot { gauges } else { everything };
                table.section.row_of(gather, (kind, &entity), &self.values, keep);
            }
            Err(reason) => gather.report.skip(number, reason),
        }
    }

    /// Reports the columns that have no place in a recording.
    fn say_unused(&self, gather: &mut Gather) {
        for table in self.tables.iter().filter(|table| table.about != About::Other) {
            table.section.note_unused(gather, table.about.key().map(|at| table.section.name(at)));
        }
    }
}

impl About {
    fn key(self) -> Option<usize> {
        match self {
            Self::Cpu(at) | Self::Node(at) | Self::Interrupt(at) | Self::Disk(at) | Self::Process(at) => Some(at),
            Self::Host | Self::Other => None,
        }
    }
}

impl SarTable {
    /// The table under a header.
    fn under(header: &str) -> Self {
        let mut names: Vec<&str> = header.split_whitespace().collect();
        let all = names.len();
        if names.first() == Some(&"CPU") {
            names.retain(|name| !TOPOLOGY.contains(name));
        }
        let topology = all - names.len();
        // pidstat has a column CPU, too.
        let id = names.iter().position(|name| matches!(*name, "PID" | "TGID"));
        let key = id.or_else(|| names.iter().position(|name| KEYS.contains(name)));
        let (table, meanings) = match key.map(|at| names[at]) {
            Some("DEV") => (Table::Disk, DISK),
            Some("PID") => (Table::Process, PROCESS),
            _ => (Table::Host, HOST),
        };
        let section = Section::new(table, meanings, &names);
        let about = match key.map(|at| (at, names[at])) {
            _ if !section.is_known() => About::Other,
            None => About::Host,
            Some((at, "DEV")) => About::Disk(at),
            Some((at, "CPU")) => About::Cpu(at),
            Some((at, "NODE")) => About::Node(at),
            Some((at, "INTR")) => About::Interrupt(at),
            Some((at, "PID")) if names.last() == Some(&"Command") => About::Process(at),
            Some(_) => About::Other,
        };
        let place = match about {
            About::Node(_) => "single NUMA nodes (a recording has single CPUs and their sum)".to_owned(),
            About::Interrupt(_) => "single interrupts (a recording has their sum)".to_owned(),
            About::Other if names.contains(&"TGID") => "single threads (pidstat -t)".to_owned(),
            _ => format!("not part of a recording: {}", names[..names.len().min(3)].join(" ")),
        };
        Self {
            section,
            about,
            topology,
            clock: DayClock::default(),
            since_1970: DatedClock::default(),
            begun: None,
            place,
        }
    }
}

/// Parses the numbers of a row, and a process's command, which may contain blanks. The column that says what the row is about is no number,
/// and one that fills nothing need not be; `beside` columns after it are skipped.
fn numbers<'a>(
    section: &Section,
    about: About,
    beside: usize,
    row: &'a str,
    values: &mut Vec<Option<i64>>,
) -> Result<Option<&'a str>, String> {
    values.clear();
    let mut rest = row.trim();
    while !rest.is_empty() {
        let at = values.len();
        if at >= section.width() {
            return Err("more values than columns".to_owned());
        }
        if matches!(about, About::Process(_)) && at + 1 == section.width() {
            return Ok(Some(rest));
        }
        let (text, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let value = if about.key() == Some(at) { None } else { section.number(at, text) };
        if value.is_none() && section.uses(at) {
            return Err(format!("`{text}` is not a number (column {})", section.name(at)));
        }
        values.push(value);
        rest = behind.trim_start();
        if about.key() == Some(at) {
            for _ in 0..beside {
                rest = rest.split_once(char::is_whitespace).map_or("", |(_, behind)| behind.trim_start());
            }
        }
    }
    if values.len() < section.width() { Err("fewer values than columns".to_owned()) } else { Ok(None) }
}

/// The time at the start of a line. Some locales print the zone before it, some after it.
fn time_and_zone(line: &str) -> Option<TimeOfDay<'_>> {
    let is_zone = |word: &str| {
        (2..=5).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_uppercase())
            && !KEYS.contains(&word)
            && !["LINUX", "COM", "UID", "USER"].contains(&word)
    };
    let before = || line.split_once(' ').filter(|(zone, _)| is_zone(zone)).and_then(|(_, rest)| time_of_day(rest));
    let time = time_of_day(line).or_else(before)?;
    match time.rest.trim_start().split_once(char::is_whitespace) {
        Some((zone, rest)) if is_zone(zone) => Some(TimeOfDay { rest, ..time }),
        _ => Some(time),
    }
}

/// The lines between rows that are not rows: a restart of the host, a comment made with `sadc -C`.
fn special(rest: &str) -> Option<String> {
    let rest = rest.trim();
    match rest.strip_prefix("LINUX RESTART") {
        Some(cpus) => Some(format!("{LOG_HOST_STARTED} {}", cpus.trim()).trim_end().to_owned()),
        None => rest.strip_prefix("COM ").map(|comment| format!("{LOG_COMMENT}{}", comment.trim())),
    }
}

/// Whether what follows a time is a header: no word is a number, and some look like sar's column names.
pub(super) fn is_header(rest: &str) -> bool {
    let mut named = false;
    for word in rest.split_whitespace() {
        // mpstat calls a column by an interrupt's number: `24/s`.
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') && !word.ends_with("/s") {
            return false;
        }
        named |= KEYS.contains(&word)
            || word.ends_with("/s")
            || word.starts_with('%')
            || word.starts_with("kb")
            || ["tps", "runq-sz", "dentunusd", "totsck", "tcp6sck", "MBfsfree"].contains(&word);
    }
    named
}

/// The names in the header of `pidstat -h`, of all columns at once: `# Time UID …`, and up to sysstat 11.2 `#      Time UID …`.
fn all_columns(line: &str) -> Option<&str> {
    line.strip_prefix('#')?.trim_start().strip_prefix("Time").filter(|rest| rest.starts_with(char::is_whitespace))
}

/// Whether a line is the header of one of sar's tables.
pub(super) fn looks_like_header(line: &str) -> bool {
    let line = line.trim_start();
    all_columns(line).is_some()
        || epoch_seconds(line).is_some_and(|(_, rest)| is_header(rest))
        || time_and_zone(line).is_some_and(|time| is_header(time.rest))
}
