//! JSON of `sadf -j`, `mpstat -o JSON` and `iostat -o JSON`, which print tables as objects. It is read one sample at a time, so a file may be
//! of any size.

use super::banner::{has_small_pages, one_host};
use super::clock::{
    Date, DatedClock, DayClock, SECOND, SET_BACK, printed_date, stamp, time_of_day, unknown_zone, zone_offset,
};
use super::columns::{DISK, HOST, PROCESS, Section, everything};
use super::dump::unstamped_start;
use super::gather::{Event, Gather};
use super::json_repair::Repaired;
use super::number::millionths_of;
use super::options::Options;
use crate::budget::{Exceeded, Held, JSON_BYTES, bytes_of};
use pagetide_core::{Error, LOG_COMMENT, LOG_HOST_STARTED, Table};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::{self, BufRead, Read};

/// Reads JSON of sadf. Of truncated JSON, what comes before the end is kept.
pub(super) fn read<R: BufRead>(input: R, gather: &mut Gather, options: &Options) -> Result<(), Error> {
    let lines = Cell::new(1);
    let held = RefCell::new(gather.hold());
    let mut reader = Reader {
        gather,
        options,
        sections: HashMap::new(),
        lines: &lines,
        held: &held,
        error: None,
        date: String::new(),
        clock: DayClock::default(),
        dated_clock: DatedClock::default(),
        samples: 0,
        of_tool: false,
    };
    let repairs = Cell::new(0);
    let mut json =
        serde_json::Deserializer::from_reader(Repaired::new(Counted { input, lines: &lines, held: &held }, &repairs));
    let result = Node { reader: &mut reader, place: Place::Root }.deserialize(&mut json);
    let error = reader.error.take();
    reader.say_unused();
    let of_tool = reader.of_tool;
    gather.report.lines = lines.get();
    if of_tool && options.begins_since_boot() {
        gather.only_report();
    }
    if repairs.get() > 0 {
        gather.report.note(format!(
            "repaired its JSON in {} places: wrong commas and braces, as some versions of sysstat (9 to 12.1) print them",
            repairs.get()
        ));
    }
    if let Some(error) = error {
        return Err(error);
    }
    if let Err(error) = result {
        if error.is_io() {
            let error = io::Error::from(error);
            if let Some(exceeded) = Exceeded::of(&error) {
                gather.exceeded = Some(exceeded.clone());
                return Ok(());
            }
            return Err(Error::system(format!("{}: {error}", gather.report.name), "check the disk"));
        }
        let line = u64::try_from(error.line()).unwrap_or(0);
        let hint = "`sadf -d FILE -- -A` prints the same as a table";
        gather.report.skip(line, format!("the JSON is incomplete or malformed: {error} ({hint})"));
    }
    Ok(())
}

/// Counts the lines that pass, and charges what their JSON may take.
struct Counted<'a, R> {
    input: R,
    lines: &'a Cell<u64>,
    held: &'a RefCell<Held>,
}

impl<R: BufRead> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.held.borrow().charge(bytes_of(read, JSON_BYTES))?;
        let ends = buffer[..read].iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>();
        self.lines.set(self.lines.get() + ends);
        Ok(read)
    }
}

struct Reader<'a> {
    gather: &'a mut Gather,
    options: &'a Options,
    /// By the object's name and its keys.
    sections: HashMap<String, Section>,
    lines: &'a Cell<u64>,
    /// The memory of the value that is read.
    held: &'a RefCell<Held>,
    error: Option<Error>,
    /// The printed `date`, for samples with only a time of day (mpstat). It is read once a sample shows whether the clock has 12 hours.
    date: String,
    clock: DayClock,
    dated_clock: DatedClock,
    samples: i64,
    /// Whether mpstat or pidstat printed it: their stamps have no date, and without an interval they print averages since boot.
    of_tool: bool,
}

/// Where in the document a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Sysstat,
    Hosts,
    Host,
    Statistics,
}

/// Walks down to the samples and hands each to the reader.
struct Node<'r, 'a> {
    reader: &'r mut Reader<'a>,
    place: Place,
}

impl<'de> DeserializeSeed<'de> for Node<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.place {
            Place::Hosts | Place::Statistics => deserializer.deserialize_seq(self),
            _ => deserializer.deserialize_map(self),
        }
    }
}

impl<'de> Visitor<'de> for Node<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what sadf -j prints")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let below = match (self.place, key.as_str()) {
                (Place::Root, "sysstat") => Some(Place::Sysstat),
                (Place::Sysstat, "hosts") => Some(Place::Hosts),
                (Place::Host, "statistics") => Some(Place::Statistics),
                _ => None,
            };
            match below {
                Some(place) => map.next_value_seed(Node { reader: &mut *self.reader, place })?,
                None if self.place == Place::Host => {
                    let value: Value = map.next_value()?;
                    self.reader.about_host(&key, &value).map_err(|error| {
                        let stopped = A::Error::custom(&error);
                        self.reader.error = Some(error);
                        stopped
                    })?;
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            self.reader.release();
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        if self.place == Place::Hosts {
            while seq.next_element_seed(Node { reader: &mut *self.reader, place: Place::Host })?.is_some() {}
        } else {
            while let Some(sample) = seq.next_element::<Value>()? {
                self.reader.sample(&sample);
                drop(sample);
                self.reader.release();
            }
        }
        Ok(())
    }
}

impl Reader<'_> {
    /// Gives back the memory of a value that was read.
    fn release(&mut self) {
        let next = self.gather.hold();
        self.held.replace(next);
    }

    fn about_host(&mut self, key: &str, value: &Value) -> Result<(), Error> {
        match (key, value) {
            ("nodename", Value::String(host)) => one_host(self.gather, host)?,
            ("release", Value::String(kernel)) => self.gather.facts.kernel = Some(kernel.clone()),
            ("machine", Value::String(machine)) => self.gather.facts.small_pages |= has_small_pages(machine),
            ("number-of-cpus", Value::Number(cpus)) => {
                self.gather.facts.cpus = cpus.as_u64().and_then(|cpus| u32::try_from(cpus).ok());
            }
            ("date", Value::String(text)) => self.date.clone_from(text),
            ("restarts" | "comments", Value::Array(events)) => {
                for event in events.iter().filter_map(Value::as_object).flat_map(Map::values) {
                    let text = match event.get("com").and_then(Value::as_str) {
                        Some(comment) => format!("{LOG_COMMENT}{comment}"),
                        None => LOG_HOST_STARTED.to_owned(),
                    };
                    if let Some(nanos) = self.moment(event) {
                        self.gather.event(nanos, Event::Note(text));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The day of `date`, for stamps of a clock with 12 or 24 hours.
    fn day(&mut self, twelve_hours: bool) -> Option<Date> {
        let printed = printed_date(&self.date, twelve_hours, self.options.date_order)?;
        self.gather.guessed(printed.ambiguous);
        Some(printed.date)
    }

    /// The moment of an object with `date`, `time` and, since sysstat 9, `utc` or `tz`; or with the stamp of mpstat or iostat.
    fn moment(&mut self, of: &Value) -> Option<i64> {
        let (text, utc, zone) = match of {
            Value::String(text) => (text.clone(), false, None),
            _ => (
                format!("{} {}", of.get("date")?.as_str()?, of.get("time")?.as_str()?),
                of.get("utc").and_then(Value::as_u64) == Some(1),
                of.get("tz").and_then(Value::as_str),
            ),
        };
        let (moment, _) = stamp(&text, self.options.date_order)?;
        self.gather.guessed(moment.ambiguous);
        let printed = match moment.date {
            Some(date) => Some(date),
            None => self.day(time_of_day(&text).is_some_and(|time| time.twelve_hours)),
        };
        let offset = match zone {
            _ if utc => 0,
            None => {
                self.gather.local |= moment.offset.is_none();
                moment.offset.unwrap_or_else(|| self.options.offset())
            }
            Some(zone) => match self.options.utc_offset.or_else(|| zone_offset(zone, printed)) {
                Some(offset) => offset,
                None => {
                    self.gather.report.skip(self.lines.get(), unknown_zone(zone));
                    return None;
                }
            },
        };
        let day = printed.or(self.options.date());
        let within = if moment.date.is_some() {
            moment.nanos
        } else if let Ok(within) = self.clock.advance(moment.nanos) {
            within
        } else {
            self.gather.report.skip(self.lines.get(), SET_BACK);
            return None;
        };
        self.gather.dated |= day.is_some();
        Some(day.map_or(0, Date::nanos) + within - offset)
    }

    /// When a sample without a time was taken: an interval after the one before.
    fn unstamped(&mut self) -> i64 {
        self.gather.timed = false;
        let nth = self.samples.saturating_mul(self.options.spacing().unwrap_or(SECOND));
        unstamped_start(self.gather, self.options).saturating_add(nth)
    }

    fn sample(&mut self, sample: &Value) {
        let line = self.lines.get();
        let Some(tables) = sample.as_object() else { return };
        let of_iostat = tables.contains_key("avg-cpu")
            || tables.get("disk").and_then(|disks| disks.get(0)).is_some_and(|disk| disk.get("disk_device").is_some());
        self.samples += 1;
        if of_iostat && self.samples == 1 && self.options.begins_since_boot() {
            return self.gather.report.leave_out(line, "averages since boot (the first report of iostat)");
        }
        let skipped = self.gather.report.skipped_lines;
        let nanos = match tables.get("timestamp") {
            Some(stamp) => {
                self.of_tool |= stamp.is_string() && !of_iostat;
                self.moment(stamp)
            }
            None if of_iostat => Some(self.unstamped()),
            None => None,
        };
        let Some(nanos) = nanos else {
            if self.gather.report.skipped_lines == skipped {
                self.gather.report.skip(line, "a sample without a time (it ends on this line)");
            }
            return;
        };
        if self.dated_clock.advance(nanos).is_err() {
            return self.gather.report.skip(line, SET_BACK);
        }
        self.gather.at(nanos);
        for (name, table) in tables {
            match (name.as_str(), table) {
                ("timestamp", _) => {}
                ("cpu-load" | "cpu-load-all", Value::Array(cpus)) => {
                    for cpu in cpus.iter().filter_map(Value::as_object) {
                        match cpu.get("cpu").and_then(Value::as_str) {
                            // All are "-1" in mpstat of sysstat 11.7.4.
                            Some("all" | "-1") => self.row(Table::Host, "", name, &[cpu]),
                            Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                                self.row(Table::Cpu, number, name, &[cpu]);
                            }
                            _ => self.gather.report.skip(line, "CPU times without a CPU number"),
                        }
                    }
                }
                ("sum-interrupts", Value::Array(cpus)) => {
                    for cpu in cpus.iter().filter_map(Value::as_object) {
                        let sum: Map<String, Value> =
                            cpu.get("intr").into_iter().map(|sum| ("intr/s".to_owned(), sum.clone())).collect();
                        match cpu.get("cpu").and_then(Value::as_str) {
                            Some("all" | "-1") => self.row(Table::Host, "", name, &[&sum]),
                            Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                                self.row(Table::Cpu, number, name, &[&sum]);
                            }
                            _ => self.gather.report.skip(line, "interrupts without a CPU number"),
                        }
                    }
                }
                ("interrupts", Value::Array(interrupts)) => {
                    for interrupt in interrupts.iter().filter_map(Value::as_object) {
                        if interrupt.get("intr").and_then(Value::as_str) == Some("sum") {
                            let sum = interrupt.get("all").or_else(|| interrupt.get("value"));
                            let sum = sum.into_iter().map(|sum| ("intr/s".to_owned(), sum.clone()));
                            self.row(Table::Host, "", name, &[&sum.collect()]);
                        }
                    }
                }
                ("avg-cpu", Value::Object(cpus)) => self.row(Table::Host, "", "cpu-load", &[cpus]),
                ("disk", Value::Array(disks)) => {
                    for disk in disks.iter().filter_map(Value::as_object) {
                        let device =
                            disk.get("disk-device").or_else(|| disk.get("disk_device")).and_then(Value::as_str);
                        match device.unwrap_or("") {
                            // A blank before the name: the sum of `iostat -g`.
                            group if group.starts_with(' ') => self.gather.report.leave_out(line, GROUP),
                            disk_name => self.row(Table::Disk, disk_name, name, &[disk]),
                        }
                    }
                }
                (
                    "process-and-context-switch"
                    | "swap-pages"
                    | "paging"
                    | "io"
                    | "memory"
                    | "swap"
                    | "hugepages"
                    | "queue"
                    | "psi",
                    Value::Object(object),
                ) => {
                    // Tables of several parts keep them in objects of their own, with keys that need their name.
                    let mut parts = vec![object];
                    parts.extend(object.values().filter_map(Value::as_object));
                    if name == "psi" {
                        for (part, keys) in object.iter().filter_map(|(part, keys)| Some((part, keys.as_object()?))) {
                            self.row(Table::Host, "", part, &[keys]);
                        }
                    } else {
                        self.row(Table::Host, "", name, &parts);
                    }
                }
                (_, Value::Array(rows)) if rows.iter().any(|row| process_id(row).is_some()) => {
                    for row in rows {
                        self.process(line, row);
                    }
                }
                _ => self.gather.report.leave_out(line, &format!("not part of a recording: {name}")),
            }
        }
        // Half of a sample is no JSON.
        self.gather.whole.end();
    }

    /// A row of pidstat's JSON: its keys are the columns of its text.
    fn process(&mut self, line: u64, row: &Value) {
        let (Some(object), Some(pid)) = (row.as_object(), process_id(row)) else {
            return self.gather.report.skip(line, "a process without an id");
        };
        if ["TID", "tid"].iter().any(|key| object.contains_key(*key)) {
            return self.gather.report.leave_out(line, "single threads (pidstat -t)");
        }
        let command = ["Command", "command", "cmd"].iter().find_map(|key| object.get(*key)?.as_str());
        let entity = self.gather.process(&pid.to_string(), command.unwrap_or_default());
        self.row(Table::Process, &entity, "process", &[object]);
    }

    fn row(&mut self, table: Table, entity: &str, object: &str, parts: &[&Map<String, Value>]) {
        let mut names = Vec::new();
        let mut values = Vec::new();
        for (key, value) in parts.iter().flat_map(|part| part.iter()) {
            // pidstat prints some numbers as strings.
            let number = value.as_f64().or_else(|| value.as_str()?.parse().ok());
            if let Some(value) = number.filter(|_| !IDENTITY.contains(&key.as_str())) {
                names.push(sar_name(object, key));
                values.push(millionths_of(value));
            }
        }
        let meanings = match table {
            Table::Disk => DISK,
            Table::Process => PROCESS,
            _ => HOST,
        };
        let section =
            self.sections.entry(names.join(" ")).or_insert_with(|| Section::new(table, meanings, names.as_slice()));
        section.row_of(self.gather, (table, entity), &values, everything);
    }

    /// Reports the keys that have no place in a recording.
    fn say_unused(&mut self) {
        let sections: BTreeMap<&String, &Section> = self.sections.iter().collect();
        for section in sections.into_values() {
            section.note_unused(self.gather, None);
        }
    }
}

/// Why the row of a group is left out.
pub(super) const GROUP: &str = "groups of disks (iostat -g): each is the sum of its disks";

/// Keys that say what a row is about: names, and numbers that measure nothing.
const IDENTITY: [&str; 12] =
    ["cpu", "CPU", "UID", "uid", "PID", "pid", "disk-device", "disk_device", "Command", "command", "cmd", "intr"];

/// The id of a process that a row is about.
fn process_id(row: &Value) -> Option<u64> {
    let id = row.get("PID").or_else(|| row.get("pid"))?;
    id.as_u64().or_else(|| id.as_str()?.parse().ok())
}

/// What sar calls the column that sadf calls `key` in `object`.
fn sar_name(object: &str, key: &str) -> String {
    match (object, key) {
        ("cpu-load" | "cpu-load-all", _) => format!("%{key}"),
        ("memory", "inactive") => "kbinact".to_owned(),
        ("memory" | "swap" | "hugepages", key) if !key.ends_with("-percent") => format!("kb{key}"),
        ("memory" | "swap" | "hugepages", key) => format!("%{}", key.trim_end_matches("-percent")),
        ("psi-cpu" | "psi-io" | "psi-mem", key) => psi_name(object, key),
        ("process", "usr" | "system" | "guest" | "wait") => format!("%{key}"),
        (_, "vmeff-percent") => "%vmeff".to_owned(),
        (_, "util-percent") | ("disk", "util") => "%util".to_owned(),
        ("paging" | "swap-pages" | "process-and-context-switch", _) => format!("{key}/s"),
        (_, "bread" | "bwrtn" | "bdscd" | "rd_sec" | "wr_sec" | "dc_sec" | "rkB" | "wkB" | "dkB") => format!("{key}/s"),
        _ => key.to_owned(),
    }
}

/// What sar calls a column of PSI: `some_avg10` of `psi-io` is `%sio-10`, and `some_avg` is the share of the interval, `%sio`.
fn psi_name(object: &str, key: &str) -> String {
    let resource = object.trim_start_matches("psi-");
    let Some((kind, window)) = key.split_once("_avg") else { return key.to_owned() };
    let dash = if window.is_empty() { "" } else { "-" };
    format!("%{}{resource}{dash}{window}", &kind[..kind.len().min(1)])
}
