//! JSON of `sadf -j`: sar's tables as objects. They are read one sample at a time, so the file may be of any length.

use super::Options;
use super::banner::{has_small_pages, one_host};
use super::clock::stamp;
use super::columns::{DISK, HOST, Section, everything};
use super::gather::{Event, Gather};
use super::number::millionths_of;
use pagetide_core::{Error, Table};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Read};

/// Reads JSON of sadf. What stands before the place where the JSON breaks off is kept.
pub(super) fn read<R: BufRead>(input: R, gather: &mut Gather, options: &Options) -> Result<(), Error> {
    let lines = Cell::new(1);
    let mut reader = Reader { gather, options, sections: HashMap::new(), lines: &lines, error: None };
    let mut json = serde_json::Deserializer::from_reader(Counted { input, lines: &lines });
    let result = Node { reader: &mut reader, place: Place::Root }.deserialize(&mut json);
    let error = reader.error.take();
    gather.report.lines = lines.get();
    if let Some(error) = error {
        return Err(error);
    }
    if let Err(error) = result {
        if error.is_io() {
            return Err(Error::system(format!("{}: {error}", gather.report.name), "check the disk"));
        }
        let line = u64::try_from(error.line()).unwrap_or(0);
        gather.report.skip(line, format!("the JSON breaks off: {error}"));
    }
    Ok(())
}

/// Counts the lines that pass.
struct Counted<'a, R> {
    input: R,
    lines: &'a Cell<u64>,
}

impl<R: BufRead> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
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
    error: Option<Error>,
}

/// Where in the document a value stands.
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
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        if self.place == Place::Hosts {
            while seq.next_element_seed(Node { reader: &mut *self.reader, place: Place::Host })?.is_some() {}
        } else {
            while let Some(sample) = seq.next_element::<Value>()? {
                self.reader.sample(&sample);
            }
        }
        Ok(())
    }
}

impl Reader<'_> {
    fn about_host(&mut self, key: &str, value: &Value) -> Result<(), Error> {
        match (key, value) {
            ("nodename", Value::String(host)) => one_host(self.gather, host)?,
            ("release", Value::String(kernel)) => self.gather.facts.kernel = Some(kernel.clone()),
            ("machine", Value::String(machine)) => self.gather.facts.small_pages |= has_small_pages(machine),
            ("number-of-cpus", Value::Number(cpus)) => {
                self.gather.facts.cpus = cpus.as_u64().and_then(|cpus| u32::try_from(cpus).ok());
            }
            ("restarts" | "comments", Value::Array(events)) => {
                for event in events.iter().filter_map(Value::as_object).flat_map(Map::values) {
                    let text = match event.get("com").and_then(Value::as_str) {
                        Some(comment) => format!("comment: {comment}"),
                        None => "the host was started".to_owned(),
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

    /// The moment in an object with `date`, `time` and, since sysstat 9, `utc`.
    fn moment(&mut self, of: &Value) -> Option<i64> {
        let text = format!("{} {}", of.get("date")?.as_str()?, of.get("time")?.as_str()?);
        let (moment, _) = stamp(&text)?;
        let utc =
            of.get("utc").and_then(Value::as_u64) == Some(1) || of.get("tz").and_then(Value::as_str) == Some("UTC");
        self.gather.dated = true;
        self.gather.local |= !utc;
        Some(moment.date?.nanos() + moment.nanos - if utc { 0 } else { self.options.offset() })
    }

    fn sample(&mut self, sample: &Value) {
        let line = self.lines.get();
        let Some(tables) = sample.as_object() else { return };
        let Some(nanos) = tables.get("timestamp").and_then(|stamp| self.moment(stamp)) else {
            return self.gather.report.skip(line, "a sample without a time (it ends in this line)");
        };
        self.gather.at(nanos);
        for (name, table) in tables {
            match (name.as_str(), table) {
                ("timestamp", _) => {}
                ("cpu-load" | "cpu-load-all", Value::Array(cpus)) => {
                    for cpu in cpus.iter().filter_map(Value::as_object) {
                        if cpu.get("cpu").and_then(Value::as_str) == Some("all") {
                            self.row(Table::Host, "", name, &[cpu]);
                        }
                    }
                }
                ("disk", Value::Array(disks)) => {
                    for disk in disks.iter().filter_map(Value::as_object) {
                        let device = disk.get("disk-device").and_then(Value::as_str);
                        self.row(Table::Disk, device.unwrap_or(""), name, &[disk]);
                    }
                }
                (
                    "process-and-context-switch" | "swap-pages" | "paging" | "io" | "memory" | "queue" | "psi",
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
                _ => self.gather.report.leave_out(line, &format!("no place in a recording: {name}")),
            }
        }
    }

    fn row(&mut self, table: Table, entity: &str, object: &str, parts: &[&Map<String, Value>]) {
        let mut names = Vec::new();
        let mut values = Vec::new();
        for (key, value) in parts.iter().flat_map(|part| part.iter()) {
            if let Some(value) = value.as_f64() {
                names.push(sar_name(object, key));
                values.push(millionths_of(value));
            }
        }
        let meanings = if table == Table::Disk { DISK } else { HOST };
        let section =
            self.sections.entry(names.join(" ")).or_insert_with(|| Section::new(table, meanings, names.as_slice()));
        section.row(self.gather, entity, &values, everything);
    }
}

/// What sar calls the column that sadf calls `key` in `object`.
fn sar_name(object: &str, key: &str) -> String {
    match (object, key) {
        ("cpu-load" | "cpu-load-all", _) => format!("%{key}"),
        ("memory", "inactive") => "kbinact".to_owned(),
        ("memory", key) if !key.ends_with("-percent") => format!("kb{key}"),
        ("psi-cpu", "some_avg") => "%scpu".to_owned(),
        ("psi-io", "some_avg") => "%sio".to_owned(),
        ("psi-io", "full_avg") => "%fio".to_owned(),
        ("psi-mem", "some_avg") => "%smem".to_owned(),
        ("psi-mem", "full_avg") => "%fmem".to_owned(),
        (_, "vmeff-percent") => "%vmeff".to_owned(),
        (_, "util-percent") => "%util".to_owned(),
        ("paging" | "swap-pages" | "process-and-context-switch", _) => format!("{key}/s"),
        (_, "bread" | "bwrtn" | "bdscd" | "rd_sec" | "wr_sec" | "dc_sec" | "rkB" | "wkB" | "dkB") => format!("{key}/s"),
        _ => key.to_owned(),
    }
}
