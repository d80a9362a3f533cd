//! `/proc/swaps` (`mm/swapfile.c:swap_show`).

use crate::error::{Error, Problem};
use crate::text::{lines, next_number, unescape};
use pagetide_core::Bytes;

const FILE: &str = "/proc/swaps";

/// One swap area.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwapArea {
    /// Device or file.
    pub path: String,
    /// `partition` or `file`.
    pub kind: String,
    /// Its size, without the header page.
    pub size: Bytes,
    /// How much of it is in use.
    pub used: Bytes,
    /// Its priority: the kernel fills the area with the highest first.
    pub priority: i32,
}

fn parse_line(line: &str) -> Result<SwapArea, Problem> {
    // The kernel marks an area whose file was removed by " (deleted)" after an escaped space, which stays one field.
    let mut fields = line.split_ascii_whitespace();
    let path = unescape(fields.next().ok_or(Problem::Short)?);
    let kind = fields.next().ok_or(Problem::Short)?.to_owned();
    let mut kib = || Ok(Bytes::new(next_number(&mut fields)?.saturating_mul(1024)));
    let (size, used) = (kib()?, kib()?);
    let priority = fields.next().ok_or(Problem::Short)?.parse().map_err(|_| Problem::NotANumber)?;
    Ok(SwapArea { path, kind, size, used, priority })
}

/// Parses `/proc/swaps`: a heading, then a line for each area.
pub fn parse_swaps(text: &str) -> Result<Vec<SwapArea>, Error> {
    let mut lines = lines(FILE, text)?;
    if lines.next().is_none_or(|(_, heading)| !heading.starts_with("Filename")) {
        return Err(Error::line(FILE, 1, Problem::Foreign));
    }
    lines.map(|(at, line)| parse_line(line).map_err(|problem| Error::line(FILE, at, problem))).collect()
}
