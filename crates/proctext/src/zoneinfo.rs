//! `/proc/zoneinfo` (`mm/vmstat.c:zoneinfo_show_print`).

use crate::error::{Error, Problem};
use crate::keyed::spaced;
use crate::text::{cut, lines, number};
use pagetide_core::Pages;

const FILE: &str = "/proc/zoneinfo";

/// One memory zone of one node. What a kernel does not give is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Zone {
    /// The NUMA node.
    pub node: u32,
    /// `DMA`, `DMA32`, `Normal`, `HighMem`, `Movable` or `Device`.
    pub name: String,
    /// Free pages.
    pub free: Option<Pages>,
    /// Temporary rise of the watermarks after fragmentation (shown since Linux 5.12); `min`, `low` and `high` contain it.
    pub boost: Option<Pages>,
    /// Below it allocations reclaim directly.
    pub min: Option<Pages>,
    /// Below it kswapd is woken.
    pub low: Option<Pages>,
    /// At it kswapd stops.
    pub high: Option<Pages>,
    /// Pages that the zone spans, holes included.
    pub spanned: Option<Pages>,
    /// Pages that exist.
    pub present: Option<Pages>,
    /// Pages that the allocator manages (since Linux 3.8: 9feedc9d831e, "mm: introduce new field "managed_pages" to
    /// struct zone").
    pub managed: Option<Pages>,
    /// The lowmem reserve: pages withheld from allocations that could use this higher zone, by number of the zone.
    pub protection: Vec<Pages>,
    /// The zone's own counters, such as `nr_zone_inactive_file`.
    pub counters: Vec<(String, u64)>,
    /// The node's counters; the kernel prints them with the first populated zone of each node.
    pub node_counters: Vec<(String, u64)>,
    /// Lines that are not read otherwise: name and number.
    pub other: Vec<(String, u64)>,
}

impl Zone {
    /// The name in samples: `node0/Normal`.
    pub fn entity(&self) -> String {
        format!("node{}/{}", self.node, self.name)
    }
}

/// What a line of the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item<'a> {
    /// A new zone begins: its node and its name.
    Zone {
        /// The NUMA node.
        node: u32,
        /// The zone's name.
        name: &'a str,
    },
    /// One of the amounts under `pages`.
    Amount(&'a str, u64),
    /// A counter of the zone.
    Counter(&'a str, u64),
    /// A counter of the node.
    NodeCounter(&'a str, u64),
    /// The list in `protection: (…)`, without its brackets.
    Protection(&'a str),
    /// `name: number` after the per-CPU lists.
    Trailer(&'a str, u64),
}

const AMOUNTS: [&str; 10] =
    ["free", "boost", "min", "low", "high", "promo", "scanned", "spanned", "present", "managed"];

fn zone_head(rest: &str) -> Option<Item<'_>> {
    let (node, zone) = rest.split_once(',')?;
    let node = u32::try_from(number(node)?).ok()?;
    let name = zone.trim_ascii().strip_prefix("zone")?.trim_ascii();
    (!name.is_empty()).then_some(Item::Zone { node, name })
}

/// Reads the lines of the file in order: what one means depends on those before it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lines {
    in_zone: bool,
    in_node: bool,
    in_cpus: bool,
}

impl Lines {
    /// What a line says; absent for the lines of per-CPU lists and for headings.
    pub fn item<'a>(&mut self, line: &'a str) -> Result<Option<Item<'a>>, Problem> {
        let line = line.trim_ascii();
        if let Some(rest) = line.strip_prefix("Node ") {
            *self = Self { in_zone: true, in_node: false, in_cpus: false };
            return zone_head(rest).ok_or(Problem::Foreign).map(Some);
        }
        if !self.in_zone {
            return Err(Problem::Foreign);
        }
        match line {
            "per-node stats" => self.in_node = true,
            "pagesets" => self.in_cpus = true,
            _ => return self.value(line),
        }
        Ok(None)
    }

    fn value<'a>(&mut self, line: &'a str) -> Result<Option<Item<'a>>, Problem> {
        if let Some(list) = line.strip_prefix("protection:") {
            let list = list.trim_ascii().strip_prefix('(').and_then(|list| list.strip_suffix(')'));
            return list.ok_or(Problem::Short).map(|list| Some(Item::Protection(list)));
        }
        if let Some((name, value)) = cut(line, b':') {
            if self.in_cpus
                && matches!(name, "cpu" | "count" | "high" | "batch" | "high_min" | "high_max" | "vm stats threshold")
            {
                return Ok(None);
            }
            let value = number(value.trim_ascii()).ok_or(Problem::NotANumber)?;
            return Ok(Some(Item::Trailer(name, value)));
        }
        let pages = line.strip_prefix("pages ");
        self.in_node &= pages.is_none();
        let (name, value) = spaced_wide(pages.unwrap_or(line))?;
        Ok(Some(match name {
            _ if self.in_node => Item::NodeCounter(name, value),
            name if name == "cma" || AMOUNTS.contains(&name) => Item::Amount(name, value),
            name => Item::Counter(name, value),
        }))
    }
}

/// Goes through the file and hands out what each line says, with its number.
pub fn walk<'a>(text: &'a str, mut visit: impl FnMut(usize, Item<'a>) -> Result<(), Problem>) -> Result<(), Error> {
    let mut read = Lines::default();
    for (at, line) in lines(FILE, text)? {
        let item = read.item(line).and_then(|item| item.map_or(Ok(()), |item| visit(at, item)));
        item.map_err(|problem| Error::line(FILE, at, problem))?;
    }
    Ok(())
}

/// `name     value` with any number of spaces.
fn spaced_wide(line: &str) -> Result<(&str, u64), Problem> {
    match cut(line, b' ') {
        Some((name, value)) if value.starts_with(' ') => {
            Ok((name, number(value.trim_ascii()).ok_or(Problem::NotANumber)?))
        }
        _ => spaced(line),
    }
}

/// The pages of a `protection` list.
pub fn protection(list: &str) -> impl Iterator<Item = Result<u64, Problem>> {
    list.split(',').map(|field| number(field.trim_ascii()).ok_or(Problem::NotANumber))
}

/// Parses `/proc/zoneinfo`.
pub fn parse_zoneinfo(text: &str) -> Result<Vec<Zone>, Error> {
    let mut zones: Vec<Zone> = Vec::new();
    walk(text, |_, item| {
        if let Item::Zone { node, name } = item {
            zones.push(Zone { node, name: name.to_owned(), ..Zone::default() });
            return Ok(());
        }
        let zone = zones.last_mut().ok_or(Problem::Foreign)?;
        let pages = |value| Some(Pages::new(value));
        match item {
            Item::Amount("free", value) => zone.free = pages(value),
            Item::Amount("boost", value) => zone.boost = pages(value),
            Item::Amount("min", value) => zone.min = pages(value),
            Item::Amount("low", value) => zone.low = pages(value),
            Item::Amount("high", value) => zone.high = pages(value),
            Item::Amount("spanned", value) => zone.spanned = pages(value),
            Item::Amount("present", value) => zone.present = pages(value),
            Item::Amount("managed", value) => zone.managed = pages(value),
            Item::Amount(name, value) | Item::Trailer(name, value) => zone.other.push((name.to_owned(), value)),
            Item::Counter(name, value) => zone.counters.push((name.to_owned(), value)),
            Item::NodeCounter(name, value) => zone.node_counters.push((name.to_owned(), value)),
            Item::Protection(list) => {
                zone.protection = protection(list).map(|value| value.map(Pages::new)).collect::<Result<_, _>>()?;
            }
            Item::Zone { .. } => {}
        }
        Ok(())
    })?;
    Ok(zones)
}
