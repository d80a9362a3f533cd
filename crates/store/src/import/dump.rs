//! Copies of the kernel's own files: meminfo, vmstat, zoneinfo and buddyinfo, one or many, alone or mixed.
//!
//! A stamp may stand on every line, on a line of its own before a copy, or nowhere. A new copy begins where a value comes
//! for the second time or the stamp moves on by a second; what belongs to one copy gets the stamp of its first line.
//! What is read are the kernel's numbers themselves: counters stay counters.

use super::Options;
use super::clock::{DayClock, Moment, SECOND, SET_BACK, stamp};
use super::gather::{Gather, LaneId};
use super::line::{Lines, each_line};
use pagetide_core::{Column, Error, Kind, Table, Unit, metric};
use std::collections::HashMap;
use std::io::BufRead;

/// One line of a kernel file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry<'a> {
    /// `MemFree: 270568 kB`.
    Meminfo { name: &'a str, value: i64 },
    /// `pgpgin 12345`.
    Vmstat { name: &'a str, value: i64 },
    /// `Node 0, zone   Normal`.
    Zone { node: &'a str, zone: &'a str },
    /// `Node 0, zone   Normal   4 5 6 …`.
    Buddies { node: &'a str, zone: &'a str, blocks: &'a str },
    /// `  pages free     3933` and the lines below it.
    ZoneValue { name: &'a str, value: i64 },
    /// `        protection: (0, 1904, 1904)`.
    Protection { pages: i64 },
    /// `  per-node stats`.
    NodeStats,
    /// Known, and of no use: page sets, separators, the name of a file.
    Nothing,
}

/// Whether a line is one that shows what the file is.
pub(super) fn looks_like_line(line: &str) -> bool {
    let rest = stamp(line, None).map_or(line, |(_, rest)| rest);
    match entry(rest) {
        Some(Entry::Meminfo { name, .. } | Entry::Vmstat { name, .. }) => metric::find(Table::Host, name).is_some(),
        Some(Entry::Zone { .. } | Entry::Buddies { .. }) => true,
        _ => false,
    }
}

fn entry(line: &str) -> Option<Entry<'_>> {
    let text = line.trim();
    if text.is_empty() || text.starts_with("--") || text.starts_with("==") || text.starts_with("/proc/") {
        return Some(Entry::Nothing);
    }
    if let Some(rest) = text.strip_prefix("Node ") {
        let (node, rest) = rest.split_once(',')?;
        let Some(rest) = rest.trim_start().strip_prefix("zone") else {
            return rest.contains("per-node").then_some(Entry::NodeStats);
        };
        let rest = rest.trim_start();
        let (zone, blocks) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if zone.is_empty() || !node.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        return Some(match blocks.trim() {
            "" => Entry::Zone { node, zone },
            blocks => Entry::Buddies { node, zone, blocks },
        });
    }
    if text == "per-node stats" {
        return Some(Entry::NodeStats);
    }
    if let Some(list) = text.strip_prefix("protection:") {
        let pages = list.trim().strip_prefix('(')?.strip_suffix(')')?;
        let pages = pages.split(',').map(|page| whole(page.trim())).try_fold(0, |most, page| Some(most.max(page?)));
        return Some(Entry::Protection { pages: pages? });
    }
    if let Some(free) = text.strip_prefix("pages free") {
        return Some(Entry::ZoneValue { name: "free", value: whole(free.trim())? });
    }
    if let Some((name, value)) = text.split_once(':') {
        if in_zone(name) {
            return Some(Entry::Nothing);
        }
        let (number, kib) = match value.trim().strip_suffix("kB") {
            Some(number) => (number.trim_end(), true),
            None => (value.trim(), false),
        };
        if name.contains(char::is_whitespace) {
            return None;
        }
        let number = whole(number)?;
        return Some(Entry::Meminfo { name, value: if kib { number.checked_mul(1024)? } else { number } });
    }
    if text == "pagesets" {
        return Some(Entry::Nothing);
    }
    let (name, value) = text.split_once(char::is_whitespace)?;
    let named = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let value = whole(value.trim())?;
    if !named {
        return None;
    }
    Some(if line.starts_with("  ") || matches!(name, "min" | "low" | "high") {
        Entry::ZoneValue { name, value }
    } else {
        Entry::Vmstat { name, value }
    })
}

/// Lines with a colon that only zoneinfo has.
fn in_zone(name: &str) -> bool {
    matches!(
        name,
        "cpu"
            | "count"
            | "high"
            | "batch"
            | "high_min"
            | "high_max"
            | "vm stats threshold"
            | "node_unreclaimable"
            | "all_unreclaimable"
            | "prev_priority"
            | "start_pfn"
            | "inactive_ratio"
            | "temp_priority"
    )
}

/// Digits only.
fn whole(text: &str) -> Option<i64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) { None } else { text.parse().ok() }
}

/// Reads copies of kernel files.
pub(super) fn read<R: BufRead>(lines: &mut Lines<R>, gather: &mut Gather, options: &Options) -> Result<(), Error> {
    let mut reader = Reader::default();
    gather.timed = false;
    each_line(lines, gather, |gather, number, line| {
        reader.line(gather, options, number, line);
        Ok(())
    })
}

/// What is being read of a zone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Context {
    #[default]
    None,
    Zone(String),
    /// Counters of the node, printed within its first zone.
    NodeStats(String),
}

#[derive(Debug, Default)]
struct Reader {
    clock: DayClock,
    /// The stamp read last; it holds for the lines that follow without one.
    stamped: Option<i64>,
    /// The time of the copy that is being read.
    copy: Option<i64>,
    copies: i64,
    context: Context,
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
                // A stamp of its own begins a copy.
                self.copy = None;
                return;
            }
            // One blank or tab divides the stamp from the line, which may be indented itself.
            rest = after.strip_prefix(['\t', ' ']).unwrap_or(after);
        }
        let Some(entry) = entry(rest) else {
            return gather.report.skip(number, "no line of meminfo, vmstat, zoneinfo or buddyinfo");
        };
        if let Err(reason) = self.take(gather, options, entry) {
            gather.report.leave_out(number, reason);
        }
    }

    /// The moment of a stamp; absent when its clock was set back.
    fn time(&mut self, gather: &mut Gather, options: &Options, moment: Moment) -> Option<i64> {
        let nanos = match moment.date.or(options.date) {
            Some(date) => {
                let within =
                    if moment.date.is_some() { moment.nanos } else { self.clock.advance(moment.nanos).ok()? };
                gather.guessed(moment.ambiguous);
                gather.dated = true;
                date.nanos() + within - moment.offset.unwrap_or_else(|| options.offset())
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
            Entry::Zone { node, zone } => {
                self.context = Context::Zone(format!("node{node}/{zone}"));
                Ok(())
            }
            Entry::NodeStats => {
                if let Context::Zone(zone) = &self.context {
                    self.context = Context::NodeStats(zone.clone());
                }
                Ok(())
            }
            Entry::Buddies { node, zone, blocks } => {
                let entity = format!("node{node}/{zone}");
                let counts: Option<Vec<i64>> = blocks.split_whitespace().map(whole).collect();
                let counts = counts.ok_or("lines of buddyinfo with something that is no number")?;
                for (order, count) in counts.into_iter().enumerate() {
                    self.put(gather, options, Table::Zone, &entity, &format!("order{order}"), count)?;
                }
                Ok(())
            }
            Entry::ZoneValue { name, value } => {
                let zone = match &self.context {
                    Context::Zone(zone) => zone.clone(),
                    Context::NodeStats(zone) if name == "free" => {
                        let zone = zone.clone();
                        self.context = Context::Zone(zone.clone());
                        zone
                    }
                    Context::NodeStats(_) => return Err("counters of a node: those of all nodes are in /proc/vmstat"),
                    Context::None => return Err("lines of a zone without the line that names it"),
                };
                self.put(gather, options, Table::Zone, &zone, name, value)
            }
            Entry::Protection { pages } => match self.context.clone() {
                Context::Zone(zone) => self.put(gather, options, Table::Zone, &zone, "reserve_max", pages),
                _ => Err("lines of a zone without the line that names it"),
            },
            Entry::Meminfo { name, value } => {
                gather.facts.small_pages |= name == "DirectMap2M";
                self.context = Context::None;
                self.put(gather, options, Table::Host, "", name, value)
            }
            Entry::Vmstat { name, value } => {
                self.context = Context::None;
                self.put(gather, options, Table::Host, "", name, value)
            }
        }
    }

    /// Stores a value in the copy that is being read, or begins the next copy when this one has it already.
    fn put(
        &mut self,
        gather: &mut Gather,
        options: &Options,
        table: Table,
        entity: &str,
        name: &str,
        value: i64,
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
            return Err("counters of copies without a time: say how far apart the copies are (--interval 1s)");
        }
        if let Some(nanos) = self.copy {
            gather.at(nanos);
            gather.put(lane, value);
        }
        Ok(())
    }
}

/// Where samples without a time begin.
pub(super) fn unstamped_start(gather: &mut Gather, options: &Options) -> i64 {
    gather.dated |= options.date.is_some();
    options.date.map_or(0, |date| date.nanos() - options.offset())
}
