//! `/proc/diskstats` (`block/genhd.c:diskstats_show`; fields in Documentation/admin-guide/iostats.rst).

use crate::error::{Error, Problem};
use crate::text::{lines, next_number, number};

const FILE: &str = "/proc/diskstats";

/// The names of the fields after the device's name, in the order of the file.
pub const FIELDS: [&str; 17] = [
    "reads",
    "read_merges",
    "read_sectors",
    "read_ms",
    "writes",
    "write_merges",
    "write_sectors",
    "write_ms",
    "in_flight",
    "io_ms",
    "weighted_io_ms",
    "discards",
    "discard_merges",
    "discard_sectors",
    "discard_ms",
    "flushes",
    "flush_ms",
];

/// The counters of one block device. `None` is what this kernel does not give: discards before Linux 4.18
/// (bdca3c87fb7a, "block: Track DISCARD statistics and output them in stat and diskstat"), flushes before 5.5
/// (b68663186577, "block: add iostat counters for flush requests"), and of a partition before 2.6.25 everything but
/// `reads`, `read_sectors`, `writes` and `write_sectors`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskStats {
    /// Major number of the device.
    pub major: u32,
    /// Minor number of the device.
    pub minor: u32,
    /// Its name, such as `vda`.
    pub name: String,
    values: [Option<u64>; 17],
    /// Numbers after the last known field.
    pub more: Vec<u64>,
}

impl DiskStats {
    /// A counter by its name in the metric table, such as `read_sectors`.
    pub fn get(&self, field: &str) -> Option<u64> {
        FIELDS.iter().position(|name| *name == field).and_then(|at| self.values[at])
    }

    /// Every field that the line has: name and number.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        FIELDS.iter().zip(self.values).filter_map(|(name, value)| Some((*name, value?)))
    }
}

/// One line, not yet copied.
#[derive(Debug)]
pub struct DiskLine<'a> {
    /// Major number of the device.
    pub major: u64,
    /// Minor number of the device.
    pub minor: u64,
    /// Its name.
    pub name: &'a str,
    /// Its numbers, in the order of [`FIELDS`].
    pub values: [Option<u64>; 17],
    more: std::str::SplitAsciiWhitespace<'a>,
}

impl<'a> DiskLine<'a> {
    /// Parses a line. A number of fields that no kernel prints is taken as the most of them that one does.
    pub fn parse(line: &'a str) -> Result<Self, Problem> {
        let mut fields = line.split_ascii_whitespace();
        let major = next_number(&mut fields)?;
        let minor = next_number(&mut fields)?;
        let name = fields.next().ok_or(Problem::Short)?;
        let mut values = [None; 17];
        let mut count = 0;
        while count < values.len()
            && let Some(field) = fields.next()
        {
            values[count] = Some(number(field).ok_or(Problem::NotANumber)?);
            count += 1;
        }
        match count {
            // A partition of an old kernel: reads, sectors read, writes, sectors written.
            4 => {
                let [reads, read_sectors, writes, write_sectors] = [values[0], values[1], values[2], values[3]];
                values = [None; 17];
                (values[0], values[2], values[4], values[6]) = (reads, read_sectors, writes, write_sectors);
            }
            0..11 => return Err(Problem::Short),
            11..15 => values[11..].fill(None),
            15..17 => values[15..].fill(None),
            _ => {}
        }
        Ok(Self { major, minor, name, values, more: fields })
    }

    fn owned(self) -> Result<DiskStats, Problem> {
        let id = |number: u64| u32::try_from(number).map_err(|_| Problem::NotANumber);
        let more = self.more.map(|field| number(field).ok_or(Problem::NotANumber)).collect::<Result<_, _>>()?;
        Ok(DiskStats {
            major: id(self.major)?,
            minor: id(self.minor)?,
            name: self.name.to_owned(),
            values: self.values,
            more,
        })
    }
}

/// Parses `/proc/diskstats`, with 4, 11, 15, 17 or more fields after the name. A machine without disks has an empty file. An invalid
/// line is left out, unless all are invalid.
pub fn parse_diskstats(text: &str) -> Result<Vec<DiskStats>, Error> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut first = None;
    let disks: Vec<DiskStats> = lines(FILE, text)?
        .filter_map(|(at, line)| match DiskLine::parse(line).and_then(DiskLine::owned) {
            Ok(disk) => Some(disk),
            Err(problem) => {
                first.get_or_insert((at, problem));
                None
            }
        })
        .collect();
    match first {
        Some((at, problem)) if disks.is_empty() => Err(Error::line(FILE, at, problem)),
        _ => Ok(disks),
    }
}
