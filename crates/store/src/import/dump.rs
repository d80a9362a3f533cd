//! Copies of the kernel's own files: meminfo, vmstat, zoneinfo, buddyinfo, stat, diskstats, loadavg and pressure, one or many, alone or mixed.
//!
//! Stamps may be on every line, on a line of their own before a copy, or missing. A new copy begins where a value comes for the second time,
//! or where the stamp is a second later; all of a copy gets the stamp of its first line. The kernel's numbers are stored unchanged: counters
//! stay counters.

use super::clock::{DatedClock, DayClock, Moment, SECOND, SET_BACK, stamp};
use super::day::Day;
use super::gather::{Gather, LaneId};
use super::line::{Lines, each_line};
use super::options::Options;
use pagetide_core::{Column, Error, Kind, Table, Unit, metric};
use pagetide_proctext::diskstats::{self, DiskLine};
use pagetide_proctext::text::{number, stored};
use pagetide_proctext::zoneinfo::{self, Item};
use pagetide_proctext::{Problem, buddyinfo, keyed, loadavg, pressure, stat};
use std::collections::HashMap;
use std::io::BufRead;

/// One line of a kernel file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry<'a> {
    /// `MemFree: 270568 kB`, in bytes; `pgpgin 12345`.
    Host(&'a str, u64),
    /// `Node 0, zone   Normal   4 5 6 …`.
    Buddies(&'a str),
    /// A line of zoneinfo, whose meaning depends on those before it.
    Zone(&'a str),
    /// `cpu0 4705 356 …`, and the same of all CPUs.
    Cpu(&'a str),
    /// `8 0 sda 1024 …`.
    Disk(&'a str),
    /// `0.20 0.18 0.12 1/80 11206`.
    Load(&'a str),
    /// `some avg10=0.00 …`, of the resource that a line before it names.
    Stall(&'a str),
    /// The name of a pressure file, which `head` and `grep` print: what the lines are of.
    Pressure(&'a str),
    /// Known but without a value: a separator, a file's name.
    Nothing,
}

/// Whether a line is one that shows what the file is.
pub(super) fn looks_like_line(line: &str) -> bool {
    let rest = stamp(line, None).map_or(line, |(_, rest)| rest);
    match entry(rest) {
        Some(Entry::Host(name, _)) => metric::find(Table::Host, name).is_some(),
        Some(Entry::Buddies(_) | Entry::Cpu(_) | Entry::Disk(_) | Entry::Load(_) | Entry::Stall(_)) => true,
        Some(Entry::Zone(line)) => matches!(zoneinfo::Lines::default().item(line), Ok(Some(Item::Zone { .. }))),
        _ => false,
    }
}

fn entry(line: &str) -> Option<Entry<'_>> {
    let text = line.trim();
    if let Some((_, resource)) = text.split_once("/proc/pressure/") {
        return Some(Entry::Pressure(resource));
    }
    if let Some(entry) = of_positions(text) {
        return Some(entry);
    }
    if text.is_empty() || text.starts_with("--") || text.starts_with("==") || text.starts_with("/proc/") {
        return Some(Entry::Nothing);
    }
    if text.starts_with("Node ") {
        let blocks = buddyinfo::parse_line(text).is_ok_and(|(_, _, mut blocks)| blocks.next().is_some());
        return Some(if blocks { Entry::Buddies(text) } else { Entry::Zone(text) });
    }
    if let Some((name, _)) = text.split_once(':') {
        return if in_zone(name) {
            Some(Entry::Zone(text))
        } else {
            keyed::with_colon(text).ok().map(|(name, value)| Entry::Host(name, value))
        };
    }
    if matches!(text, "pagesets" | "per-node stats") {
        return Some(Entry::Zone(text));
    }
    let (name, value) = text.split_once(char::is_whitespace)?;
    let named = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if name == "pages" || (named && (line.starts_with("  ") || matches!(name, "min" | "low" | "high"))) {
        return Some(Entry::Zone(text));
    }
    named.then(|| number(value.trim())).flatten().map(|value| Entry::Host(name, value))
}

/// A line of a file whose fields have no names: stat, diskstats, loadavg and pressure.
fn of_positions(text: &str) -> Option<Entry<'_>> {
    let cpu = text.strip_prefix("cpu").and_then(|rest| rest.split_once(' '));
    if cpu.is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit())) {
        return Some(Entry::Cpu(text));
    }
    if let Some(counts) = text.strip_prefix("intr ") {
        let sum = number(counts.split_ascii_whitespace().next()?)?;
        return Some(Entry::Host("intr", sum));
    }
    if text.starts_with("softirq ") {
        return Some(Entry::Nothing);
    }
    if text.starts_with("some avg10=") || text.starts_with("full avg10=") {
        return Some(Entry::Stall(text));
    }
    let is_disk = || DiskLine::parse(text).is_ok_and(|disk| disk.name.starts_with(|c: char| c.is_ascii_alphabetic()));
    match text.bytes().next()? {
        b'0'..=b'9' if text.contains('/') && loadavg::values(&ended(text)).is_ok() => Some(Entry::Load(text)),
        b'0'..=b'9' if is_disk() => Some(Entry::Disk(text)),
        _ => None,
    }
}

/// A line as the kernel writes it: parsers of whole files take one without an end for cut off.
fn ended(line: &str) -> String {
    format!("{line}\n")
}

/// Lines with a colon that only zoneinfo has.
fn in_zone(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        "protection",
        "cpu",
        "count",
        "high",
        "batch",
        "high_min",
        "high_max",
        "vm stats threshold",
        "node_unreclaimable",
        "all_unreclaimable",
        "prev_priority",
        "start_pfn",
        "inactive_ratio",
        "temp_priority",
    ];
    NAMES.contains(&name)
}

/// Reads copies of kernel files.
pub(super) fn read<R: BufRead>(lines: &mut Lines<R>, gather: &mut Gather, options: &Options) -> Result<(), Error> {
    // A pressure file does not say of what it is; the name of the kernel's own does.
    let resource = gather.report.name.rsplit_once("/proc/pressure/").map_or("", |(_, resource)| resource).to_owned();
    let mut reader = Reader { resource, ..Reader::default() };
    gather.timed = false;
    each_line(lines, gather, |gather, number, line| {
        reader.line(gather, options, number, line);
        Ok(())
    })
}

#[derive(Debug, Default)]
struct Reader {
    clock: DayClock,
    dated_clock: DatedClock,
    /// The stamp read last; it holds for the lines that follow without one.
    stamped: Option<i64>,
    /// The time of the copy that is being read.
    copy: Option<i64>,
    copies: i64,
    /// The lines of zoneinfo, and the zone that they are of.
    zones: zoneinfo::Lines,
    zone: String,
    /// What the lines of a pressure file are of; empty where nothing says so.
    resource: String,
    /// Which copy each lane got its last value from.
    filled: HashMap<LaneId, i64>,
    lanes: HashMap<(Table, String, String), LaneId>,
}

impl Reader {
    fn line(&mut self, gather: &mut Gather, options: &Options, number: u64, line: &str) {
        let mut rest = line;
        if let Some((moment, after)) = stamp(line, options.date_order) {
            match self.time(gather, options, moment) {
                Some(nanos) => self.stamped = Some(nanos),
                None => return gather.report.skip(number, SET_BACK),
            }
            if after.trim().is_empty() {
                // A stamp on a line of its own begins a copy.
                self.copy = None;
                return;
            }
            // One blank or tab separates the stamp from the line, which may be indented itself.
            rest = after.strip_prefix(['\t', ' ']).unwrap_or(after);
        }
        let Some(entry) = entry(rest) else {
            return gather.report.skip(
                number,
                "not a line of meminfo, vmstat, zoneinfo, buddyinfo, stat, diskstats, loadavg or pressure",
            );
        };
        if let Err(reason) = self.take(gather, options, entry) {
            gather.report.leave_out(number, reason);
        }
    }

    /// The moment of a stamp; absent when its clock was set back.
    fn time(&mut self, gather: &mut Gather, options: &Options, moment: Moment) -> Option<i64> {
        let nanos = match moment.date.or(options.date()) {
            Some(date) => {
                let within =
                    if moment.date.is_some() { moment.nanos } else { self.clock.advance(moment.nanos).ok()? };
                gather.guessed(moment.ambiguous);
                gather.dated = true;
                let nanos = date.nanos() + within - moment.offset.unwrap_or_else(|| options.offset());
                self.dated_clock.advance_or_between(nanos).ok()?
            }
            None => self.clock.advance(moment.nanos).ok()?,
        };
        gather.timed = true;
        if moment.offset.is_none() {
            gather.local = true;
        }
        Some(nanos)
    }

    fn take(&mut self, gather: &mut Gather, options: &Options, entry: Entry<'_>) -> Result<(), &'static str> {
        match entry {
            Entry::Nothing => Ok(()),
            Entry::Host(name, value) => {
                gather.facts.small_pages |= name == "DirectMap2M";
                self.zones = zoneinfo::Lines::default();
                self.put(gather, options, Table::Host, "", name, value)
            }
            Entry::Buddies(line) => {
                const ODD: &str = "buddyinfo lines with a value that is not a number";
                let (node, zone, blocks) = buddyinfo::parse_line(line).map_err(|_| ODD)?;
                let blocks: Vec<u64> = blocks.collect::<Result<_, _>>().map_err(|_| ODD)?;
                let entity = format!("node{node}/{zone}");
                for (order, count) in blocks.into_iter().enumerate() {
                    self.put(gather, options, Table::Zone, &entity, &format!("order{order}"), count)?;
                }
                Ok(())
            }
            Entry::Zone(line) => self.zone_line(gather, options, line),
            Entry::Cpu(line) => self.cpu_line(gather, options, line),
            Entry::Disk(line) => {
                let disk = DiskLine::parse(line).map_err(|_| "disk lines with a value that is not a number")?;
                let fields = diskstats::FIELDS.iter().zip(disk.values);
                self.put_all(gather, options, (Table::Disk, disk.name), fields)
            }
            Entry::Load(line) => {
                let values = loadavg::values(&ended(line)).map_err(|_| "load averages that are not numbers")?;
                let names = ["load1", "load5", "load15", "tasks_running", "tasks_total"];
                self.put_all(gather, options, (Table::Host, ""), names.iter().zip(values))
            }
            Entry::Pressure(rest) => {
                let name = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
                name.clone_into(&mut self.resource);
                // grep puts the file's name before each line.
                match rest.split_once(':').map(|(_, line)| line.trim()).filter(|line| !line.is_empty()) {
                    Some(line) => self.stall_line(gather, options, line),
                    None => Ok(()),
                }
            }
            Entry::Stall(line) => self.stall_line(gather, options, line),
        }
    }

    /// A line of /proc/stat with the times of a CPU, or of all.
    fn cpu_line(&mut self, gather: &mut Gather, options: &Options, line: &str) -> Result<(), &'static str> {
        const ODD: &str = "CPU lines with a value that is not a number";
        if line.starts_with("cpu ") {
            let values = stat::values(&ended(line)).map_err(|_| ODD)?;
            return self.put_all(gather, options, (Table::Host, ""), stat::FIELDS.iter().zip(values));
        }
        let mut of = None;
        stat::each_cpu(&ended(line), |_, cpu, times| of = Some((cpu.to_owned(), times))).map_err(|_| ODD)?;
        let (cpu, times) = of.ok_or(ODD)?;
        self.put_all(gather, options, (Table::Cpu, &cpu), stat::FIELDS.iter().zip(times))
    }

    /// A line of a pressure file.
    fn stall_line(&mut self, gather: &mut Gather, options: &Options, line: &str) -> Result<(), &'static str> {
        let resource = match self.resource.as_str() {
            "cpu" | "io" | "memory" => self.resource.clone(),
            _ => {
                return Err(
                    "pressure of an unknown resource: no line before it names the file (`head -v /proc/pressure/*`)",
                );
            }
        };
        let values = pressure::values(&ended(line)).map_err(|_| "pressure lines with a value that is not a number")?;
        let kinds = ["some", "full"].into_iter().flat_map(|kind| {
            ["", "_avg10", "_avg60", "_avg300"].map(|average| format!("psi_{resource}_{kind}{average}"))
        });
        let names: Vec<String> = kinds.collect();
        self.put_all(gather, options, (Table::Host, ""), names.iter().zip(values))
    }

    /// Stores the values of a line that are there.
    fn put_all<'a, N: AsRef<str> + 'a>(
        &mut self,
        gather: &mut Gather,
        options: &Options,
        (table, entity): (Table, &str),
        fields: impl Iterator<Item = (&'a N, Option<u64>)>,
    ) -> Result<(), &'static str> {
        for (name, value) in fields.filter_map(|(name, value)| Some((name, value?))) {
            self.put(gather, options, table, entity, name.as_ref(), value)?;
        }
        Ok(())
    }

    fn zone_line(&mut self, gather: &mut Gather, options: &Options, line: &str) -> Result<(), &'static str> {
        let item = self.zones.item(line).map_err(|problem| match problem {
            Problem::Foreign => "zone lines that no line with the zone's name precedes",
            _ => "zone lines with a value that is not a number",
        })?;
        let (name, value) = match item {
            None | Some(Item::Trailer(..)) => return Ok(()),
            Some(Item::Zone { node, name }) => {
                self.zone = format!("node{node}/{name}");
                return Ok(());
            }
            Some(Item::NodeCounter(..)) => {
                return Err("counters of single nodes (their sums are in /proc/vmstat)");
            }
            Some(Item::Protection(list)) => {
                let pages: Result<Vec<u64>, _> = zoneinfo::protection(list).collect();
                let pages = pages.map_err(|_| "zone lines with a value that is not a number")?;
                ("reserve_max", pages.into_iter().max().unwrap_or(0))
            }
            Some(Item::Amount(name, value) | Item::Counter(name, value)) => (name, value),
        };
        let zone = self.zone.clone();
        self.put(gather, options, Table::Zone, &zone, name, value)
    }

    /// Stores a value in the copy that is being read, or begins the next copy when this one has it already.
    fn put(
        &mut self,
        gather: &mut Gather,
        options: &Options,
        table: Table,
        entity: &str,
        name: &str,
        value: u64,
    ) -> Result<(), &'static str> {
        let known = metric::find(table, name);
        let kind = known.map_or(Kind::Unknown, |known| known.kind);
        let lane = *self.lanes.entry((table, entity.to_owned(), name.to_owned())).or_insert_with(|| {
            let unit = known.map_or(Unit::Unknown, |known| known.unit);
            gather.lane(table, entity, Column { name: name.to_owned(), kind, unit })
        });
        let again = self.filled.get(&lane) == Some(&self.copies);
        let moved = self.copy.zip(self.stamped).is_some_and(|(copy, now)| now < copy || now - copy >= SECOND);
        if self.copy.is_none() || again || moved {
            self.copies += 1;
            // Without a stamp the copies are an interval apart, from midnight on.
            let spacing = options.spacing().unwrap_or(SECOND);
            let nth = (self.copies - 1).saturating_mul(spacing);
            self.copy = Some(self.stamped.unwrap_or_else(|| unstamped_start(gather, options).saturating_add(nth)));
        }
        self.filled.insert(lane, self.copies);
        if self.stamped.is_none() && self.copies > 1 && kind != Kind::Gauge && options.interval.is_none() {
            return Err("counters of copies without timestamps: give the time between copies (--interval 1s)");
        }
        if let Some(nanos) = self.copy {
            gather.at(nanos);
            gather.put(lane, stored(value));
        }
        Ok(())
    }
}

/// Where samples without a time begin.
pub(super) fn unstamped_start(gather: &mut Gather, options: &Options) -> i64 {
    let Some(Day { date, time }) = options.day else { return 0 };
    if time.is_none() && !gather.dated {
        gather
            .report
            .note(format!("it has no times: assumed to start at midnight; `--date '{date} HH:MM'` sets the start"));
    }
    gather.dated = true;
    date.nanos() + time.unwrap_or(0) - options.offset()
}
