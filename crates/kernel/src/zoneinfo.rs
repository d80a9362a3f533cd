//! `/proc/zoneinfo` (`mm/vmstat.c:zoneinfo_show_print`).

use crate::error::{Error, Problem};
use crate::keyed::spaced;
use crate::root::Root;
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
pub(crate) enum Item<'a> {
    /// A new zone begins.
    Zone { node: u32, name: &'a str },
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

/// Goes through the file and hands out what each line says, with its number. Per-CPU lists are passed over.
pub(crate) fn walk<'a>(
    text: &'a str,
    mut visit: impl FnMut(usize, Item<'a>) -> Result<(), Problem>,
) -> Result<(), Error> {
    let (mut in_zone, mut in_node, mut in_cpus) = (false, false, false);
    for (at, line) in lines(FILE, text)? {
        let wrong = |problem| Error::line(FILE, at, problem);
        let line = line.trim_ascii();
        let item = if let Some(rest) = line.strip_prefix("Node ") {
            (in_zone, in_node, in_cpus) = (true, false, false);
            zone_head(rest).ok_or_else(|| wrong(Problem::Foreign))?
        } else if !in_zone {
            return Err(wrong(Problem::Foreign));
        } else if line == "per-node stats" {
            in_node = true;
            continue;
        } else if line == "pagesets" {
            in_cpus = true;
            continue;
        } else if let Some(list) = line.strip_prefix("protection:") {
            let list = list.trim_ascii().strip_prefix('(').and_then(|list| list.strip_suffix(')'));
            Item::Protection(list.ok_or_else(|| wrong(Problem::Short))?)
        } else if let Some((name, value)) = cut(line, b':') {
            if in_cpus
                && matches!(name, "cpu" | "count" | "high" | "batch" | "high_min" | "high_max" | "vm stats threshold")
            {
                continue;
            }
            Item::Trailer(name, number(value.trim_ascii()).ok_or_else(|| wrong(Problem::NotANumber))?)
        } else {
            let (name, value) = if let Some(rest) = line.strip_prefix("pages ") {
                in_node = false;
                spaced_wide(rest)
            } else {
                spaced_wide(line)
            }
            .map_err(wrong)?;
            match name {
                _ if in_node => Item::NodeCounter(name, value),
                name if name == "cma" || AMOUNTS.contains(&name) => Item::Amount(name, value),
                name => Item::Counter(name, value),
            }
        };
        visit(at, item).map_err(wrong)?;
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
pub(crate) fn protection(list: &str) -> impl Iterator<Item = Result<u64, Problem>> {
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

impl Root {
    /// Reads `/proc/zoneinfo`.
    pub fn zoneinfo(&self) -> Result<Vec<Zone>, Error> {
        self.parsed(FILE, parse_zoneinfo)
    }
}
