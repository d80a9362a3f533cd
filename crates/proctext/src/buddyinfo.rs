//! `/proc/buddyinfo` (`mm/vmstat.c:frag_show_print`).

use crate::error::{Error, Problem};
use crate::text::{lines, number};

const FILE: &str = "/proc/buddyinfo";

/// Free blocks of one zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeBlocks {
    /// The NUMA node.
    pub node: u32,
    /// The zone.
    pub zone: String,
    /// Free blocks of 2^n pages, by n.
    pub orders: Vec<u64>,
}

/// One line: node, zone, and the counts.
pub fn parse_line(line: &str) -> Result<(u32, &str, impl Iterator<Item = Result<u64, Problem>>), Problem> {
    let (node, rest) = line.strip_prefix("Node ").and_then(|rest| rest.split_once(',')).ok_or(Problem::Foreign)?;
    let node = number(node).and_then(|node| u32::try_from(node).ok()).ok_or(Problem::NotANumber)?;
    let mut fields = rest.split_ascii_whitespace();
    if fields.next() != Some("zone") {
        return Err(Problem::Foreign);
    }
    let zone = fields.next().ok_or(Problem::Short)?;
    Ok((node, zone, fields.map(|field| number(field).ok_or(Problem::NotANumber))))
}

/// Parses `/proc/buddyinfo`.
pub fn parse_buddyinfo(text: &str) -> Result<Vec<FreeBlocks>, Error> {
    lines(FILE, text)?
        .map(|(at, line)| {
            parse_line(line)
                .and_then(|(node, zone, orders)| {
                    Ok(FreeBlocks { node, zone: zone.to_owned(), orders: orders.collect::<Result<_, _>>()? })
                })
                .map_err(|problem| Error::line(FILE, at, problem))
        })
        .collect()
}
